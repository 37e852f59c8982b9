"""Functional trials with known truth: a person stands, swings each hip as in a star with a circle, and bends each knee.

The centres of the hips are not where any regression puts them, and the knee's markers are not on its axis: what a
regression or the epicondyles give is off by a known amount, and what the motion tells is exact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.model.fields import Fields
from gaitid.simulate.body import LEG_ANGLES, SIDES, SIGN, Skeleton, Subject, hip_centre_p, pose
from gaitid.simulate.c3d_file import points_c3d, signed_bytes
from gaitid.simulate.jet import Array, Jet, constant, matmul, turn, turn_matrix
from gaitid.simulate.motion import Gait
from gaitid.simulate.scenarios import gait
from gaitid.simulate.settings import ChainSettings, noisy_markers, parse_settings, with_gaps
from gaitid.simulate.truth import write_folder

#: m. From where Davis' regression puts a hip: backward, outward and down, as regressions are off (Harrington 2007).
_HIP_OFF = np.array([-0.008, 0.006, -0.011])
#: m. Markers beside those of Plug-in Gait, on thigh and shank, from the distal joint's centre, in the segment's axes
#: (x forward, y outward, z up).
_THIGH_CLUSTER = {"THIB": np.array([-0.045, 0.080, 0.21]), "THID": np.array([0.020, 0.085, 0.12])}
_SHANK_CLUSTER = {"TIBF": np.array([0.055, 0.030, 0.24]), "TIBD": np.array([0.020, 0.050, 0.14])}
#: Arcs of the star, each there and back, before the circle.
_ARCS = 4
#: Share of the trial that the circle takes.
_CIRCLE = 0.3


@dataclass(frozen=True)
class FunctionalScenario:
    """What is recorded.

    Attributes
    ----------
    settings : ChainSettings
    name : str
    hip_deg : float
        The hip swings by so much each way in every plane.
    knee_deg : float
        The knee bends by so much.
    knee_markers_deg : float
        The knee's markers lie turned by so much about the thigh from its axis, the lateral one forward.
    """

    settings: ChainSettings
    name: str = "functional"
    hip_deg: float = 30.0
    knee_deg: float = 75.0
    knee_markers_deg: float = 8.0

    @property
    def subject(self) -> Subject:
        """Whose hips are not where Davis' regression puts them."""
        plain = Subject()
        hips = {side: hip_centre_p(plain, side) + _HIP_OFF * [1, SIGN[side], 1] for side in SIDES}
        return replace(plain, hips_p=hips)

    def trials(self) -> dict[str, dict[str, Array]]:
        """Markers of each trial, label to (frames, 3) array, m, by its name; ``static`` among them."""
        n = self.settings.times_s.size
        found = {"static": self._markers(Gait(self.subject, gait("walk")[0], "left", 0.0, 0.0).standing(n))}
        for side in SIDES:
            found[f"{side}_hip"] = self._markers(self._moved(n, side, *star_and_circle(n, np.radians(self.hip_deg))))
            bend = np.radians(self.knee_deg) * (1 - np.cos(2 * np.pi * 6 * np.arange(n) / n)) / 2
            found[f"{side}_knee"] = self._markers(self._moved(n, side, np.full(n, 0.6), np.zeros(n), bend))
        return found

    def truth(self) -> Mapping[str, Mapping[str, float]]:
        """Where each hip is, from the middle of the ASIS in the pelvis' axes, and how the knee's axis lies."""
        subject = self.subject
        truth: dict[str, Mapping[str, float]] = {}
        for side in SIDES:
            x, y, z = (1e3 * subject.hips_p[side] * [1, SIGN[side], 1]).tolist()
            truth[f"{side}_hip"] = {"forward_mm": x, "outward_mm": y, "up_mm": z}
            truth[f"{side}_knee"] = {"from_epicondylar_line_deg": self.knee_markers_deg}
        return truth

    def _moved(self, n: int, side: str, flexion: Array, adduction: Array, knee: Array | None = None) -> Skeleton:
        """The body with one leg moved; the pelvis gives way a little, as it does on one leg."""
        s = 2 * np.pi * np.arange(n) / n
        still = constant(np.zeros(n), 0)
        wanted = {
            "hip_flexion": flexion,
            "hip_adduction": adduction,
            "hip_internal_rotation": 0.1 * flexion,
            "knee_flexion": np.full(n, 0.05) if knee is None else knee,
        }
        legs: dict[str, dict[str, Jet]] = {other: dict.fromkeys(LEG_ANGLES, still) for other in SIDES}
        legs[side] |= {name: constant(values, 0) for name, values in wanted.items()}
        tilt = turn(1, constant(0.15 + 0.05 * np.sin(3 * s), 0))
        sway = matmul(turn(2, constant(0.05 * np.sin(s), 0)), turn(0, constant(0.06 * np.cos(2 * s), 0)))
        origin = np.stack([0.02 * np.sin(s), 0.02 * np.cos(s), 0.98 + 0.005 * np.sin(2 * s)], axis=1)
        return pose(self.subject, constant(origin, 0), matmul(sway, tilt), legs)

    def _markers(self, skeleton: Skeleton) -> dict[str, Array]:
        """The markers of Plug-in Gait, medial ones and two more on each thigh and shank."""
        markers = {label: jet.value for label, jet in skeleton.marker.items()}
        subject = self.subject
        for side in SIDES:
            letter, outward = side[0].upper(), np.array([1.0, SIGN[side], 1.0])
            thigh, shank = skeleton.rotation[f"{side}_thigh"].value, skeleton.rotation[f"{side}_shank"].value
            knee, ankle = (skeleton.point[f"{side}_{joint}"].value for joint in ("knee", "ankle"))
            half = 0.5 * (subject.legs[side].knee_width_m + subject.marker_diameter_m)
            turned = turn_matrix(2, -SIGN[side] * np.radians(self.knee_markers_deg))
            lateral = turned @ np.array([0.0, SIGN[side] * half, 0.0])
            markers |= {f"{letter}KNE": knee + thigh @ lateral, f"{letter}KNM": knee - thigh @ lateral}
            markers[f"{letter}MED"] = 2 * ankle - markers[f"{letter}ANK"]
            markers |= {f"{letter}{name}": knee + thigh @ (p * outward) for name, p in _THIGH_CLUSTER.items()}
            markers |= {f"{letter}{name}": ankle + shank @ (p * outward) for name, p in _SHANK_CLUSTER.items()}
        return markers


def star_and_circle(n: int, reach_rad: float) -> tuple[Array, Array]:
    """(n,) flexion and adduction, rad: arcs through the middle in several planes, then once around (star-arc)."""
    at = np.arange(n) / n
    arc = np.minimum(at / (1 - _CIRCLE), 1.0) * _ARCS
    way = np.minimum(np.floor(arc), _ARCS - 1) * np.pi / _ARCS
    swing = reach_rad * np.sin(2 * np.pi * arc)
    around = 2 * np.pi * np.clip((at - 1 + _CIRCLE) / _CIRCLE, 0.0, 1.0)
    circling = at >= 1 - _CIRCLE
    flexion = np.where(circling, reach_rad * np.sin(around), swing * np.cos(way))
    # out from the middle and back into it
    reach = reach_rad * np.sin(around / 2) ** 0.5
    adduction = np.where(circling, reach * np.cos(around), swing * np.sin(way))
    return np.where(circling, reach * np.sin(around), flexion), adduction


def parse_functional(top: Fields, name: str, overrides: Mapping[str, Any]) -> FunctionalScenario:
    """What a file of kind ``functional`` says; `overrides` are settings that win over the file's."""
    top.text("title", "")
    degrees = {
        key: top.number(key, default, 0.0, most)
        for key, default, most in (("hip_deg", 30.0, 60.0), ("knee_deg", 75.0, 130.0), ("knee_markers_deg", 8.0, 45.0))
    }
    settings = parse_settings(top.mapping("settings", {}), ChainSettings, overrides)
    top.done()
    top.faults.raise_if_any()
    return FunctionalScenario(settings(), name, **degrees)


def write_functional(scenario: FunctionalScenario, folder: Path) -> tuple[Path, ...]:
    """Write every trial of a scenario, and the truth, into a folder (made where absent), all of them or none."""
    settings, noise = scenario.settings, np.random.default_rng(int(scenario.settings.seed))
    trials = {name: noisy_markers(markers, settings, noise) for name, markers in scenario.trials().items()}
    trials = {name: markers if name == "static" else with_gaps(markers, settings) for name, markers in trials.items()}
    files = {f"{name}.c3d": signed_bytes(points_c3d(markers, settings.rate_hz)) for name, markers in trials.items()}
    truth = json.dumps(scenario.truth(), indent=2) + "\n"
    return write_folder(folder, {**files, f"{scenario.name}.truth.json": truth})
