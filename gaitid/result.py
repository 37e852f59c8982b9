"""What one trial gives: frozen, SI units, NaN where unknown; `write` turns it into files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaitid.contacts import Contact, FootLoad
from gaitid.dynamics.wrench import Wrench
from gaitid.kinematics import Motion
from gaitid.model.specs import Model, Settings
from gaitid.model.subject import Subject
from gaitid.spatiotemporal import Gait
from gaitid.trial import Array, Trial


@dataclass(frozen=True, eq=False)
class BodyParameters:
    """One segment's inertial parameters on this subject.

    Attributes
    ----------
    mass_kg : float
    com_s : (3,) array, m
        From the proximal joint, segment axes, mean over the trial.
    inertia_s : (3, 3) array, kg·m²
        About the centre of mass, segment axes, mean over the trial.
    length_m : float
        Mean over the trial.
    source : str
    """

    mass_kg: float
    com_s: Array
    inertia_s: Array
    length_m: float
    source: str


@dataclass(frozen=True, eq=False)
class SideResult:
    """Everything of one leg.

    Attributes
    ----------
    load : FootLoad
    motions : mapping of segment to Motion
    joints_g : mapping of joint to (frames, 3) array, m
    wrenches : mapping of joint to Wrench
        Of the proximal on the distal segment, about the joint's centre.
    axes : mapping of joint to mapping of frame of expression to (frames, 3, 3) array
        Columns are unit axes in laboratory axes (for ``jcs`` not orthogonal).
    angles, moments : mapping of name to mapping of column to (frames,) array, deg and N·m/kg
    powers : mapping of joint to (frames,) array, W/kg
    bodies : mapping of segment to BodyParameters
    coverage : mapping of joint to mapping of reason to frames
        ``filled`` and, for each reason of an empty frame, how many.
    """

    load: FootLoad
    motions: Mapping[str, Motion]
    joints_g: Mapping[str, Array]
    wrenches: Mapping[str, Wrench]
    axes: Mapping[str, Mapping[str, Array]]
    angles: Mapping[str, Mapping[str, Array]]
    moments: Mapping[str, Mapping[str, Array]]
    powers: Mapping[str, Array]
    bodies: Mapping[str, BodyParameters]
    coverage: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, eq=False)
class Result:
    """Everything of one trial."""

    trial: Trial
    model: Model
    settings: Settings
    solver: str
    subject: Subject
    base: Motion
    sides: Mapping[str, SideResult]
    contacts: tuple[Contact, ...]
    gait: Gait
    conventions: Mapping[str, str]
    quality: Mapping[str, Any]
    warnings: tuple[str, ...]
