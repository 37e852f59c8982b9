"""Joints that functional trials found are as sure as these say themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.subject import Subject
from gaitid.numerics.rotation import norm

#: Roles of the ends of a knee's axis.
_ENDS = ("knee_axis_inner", "knee_axis_outer")


def of_joint(functional: Mapping[str, Mapping[str, Any]], joint: str, key: str) -> float:
    """What the record of functional trials says of a joint (``left_hip``); 0 where it says nothing."""
    value = functional.get(joint, {}).get(key, 0.0)
    return float(value) if isinstance(value, int | float) else 0.0


def axis_end_m(subject: Subject, static: Geometry | None, labels: Sequence[str], published: float) -> float:
    """How far an end of a knee's axis is off, m, each coordinate; 0 of what is none, and where nothing says it.

    Both ends turn the axis by √2 times that over their distance: by what is published, or by the standard error of the
    functional trial where that is larger; it knows of noise, and not of what skin does alike in all of the trial.

    Parameters
    ----------
    subject : Subject
    static : Geometry or None
        To which functional trials add the ends.
    labels : sequence of str
        Of the markers that are moved together.
    published : float, rad
    """
    if static is None or len(labels) != 1:
        return 0.0
    roles = (*static.model.roles, *static.model.calibration_roles)
    for side in {side for side, role in roles if role in _ENDS}:
        ends = [label for role in _ENDS for label in static.model.labels(role, side) if label in static.tracks]
        if labels[0] in ends and len(ends) == len(_ENDS):
            apart = float(np.nanmean(norm(static.tracks[ends[0]] - static.tracks[ends[1]])))
            own = np.radians(of_joint(subject.functional, f"{side}_knee", "standard_error_deg"))
            return float(max(own, published) * apart / np.sqrt(2))
    return 0.0
