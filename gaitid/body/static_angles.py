"""Calibration angles as a model has them follow from a static's points and frames."""

from __future__ import annotations

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.kinematics import clinical_angles
from gaitid.model import specs
from gaitid.model.expression import mean_of_known
from gaitid.numerics.rotation import angle_between, dihedral


def static_angle(geometry: Geometry, measurement: specs.Measurement, side: str) -> float | None:
    """The mean of a clinical angle over a static, rad; None where the measurement is no angle, or it is not known."""
    spec = measurement.static
    if isinstance(spec, specs.StaticTurn):
        return _mean_turn(geometry, spec, side)
    if not isinstance(spec, specs.StaticAngle):
        return None
    angle = specs.Angle(spec.proximal, spec.distal, spec.sequence, {"value": spec.value})
    proximal, distal = (geometry.frame(frame, side).R_gs for frame in (spec.proximal, spec.distal))
    sign = next((float(s.sign) for s in geometry.model.sides if s.name == side), 1.0)
    return mean(clinical_angles(proximal, distal, angle, sign)["value"])


def _mean_turn(geometry: Geometry, spec: specs.StaticTurn, side: str) -> float | None:
    """The mean over the static of a formula in the angle between two vectors, from −π to π; None where it is not known.

    Angles on both sides of ±π are of one turn: each is taken within half a turn of the first that is known.
    """
    start, end = geometry.vector(spec.start, side), geometry.vector(spec.end, side)
    if spec.about is None:
        return mean(geometry.value(spec.value, side, angle=angle_between(start, end)))
    angle = dihedral(start, end, geometry.vector(spec.about, side))
    known = angle[np.isfinite(angle)]
    if not known.size:
        return None
    angle = angle - 2 * np.pi * np.round((angle - known[0]) / (2 * np.pi))
    value = mean(geometry.value(spec.value, side, angle=angle))
    return None if value is None else float(value - 2 * np.pi * np.round(value / (2 * np.pi)))


def mean(values: object) -> float | None:
    """The mean of what is known; None where nothing is."""
    value = float(mean_of_known(values))
    return value if np.isfinite(value) else None
