"""The left leg beside the right one: as a difference, and as a ratio where one means something."""

from __future__ import annotations

import math

from gaitid.records import NamedTuple


class Asymmetry(NamedTuple):
    """Of one feature.

    Attributes
    ----------
    difference : float
        Left less right, in the feature's unit; NaN where either is unknown.
    ratio : float
        Left over right (Patterson et al. 2010, Gait Posture 31:241-246). NaN of an angle, whose zero is a convention of
        its axes (not of its range), and where either is not above zero.
    """

    difference: float
    ratio: float


def asymmetry(left: float, right: float, feature: str, unit: str) -> Asymmetry:
    """That of a feature of both sides, with its name and unit as ``features.csv`` has them."""
    positive = has_ratio(feature, unit) and left > 0 and right > 0
    return Asymmetry(left - right, left / right if positive else math.nan)


def has_ratio(feature: str, unit: str) -> bool:
    """Whether zero means none of it: of all but angles, and of their ranges."""
    return unit != "deg" or feature.endswith("_range")
