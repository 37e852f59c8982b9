"""How far the thigh's axes seem turned about its length: flexion of the knee that leaks into varus and valgus.

Seen from a thigh whose axes are turned, a shank that swings back also swings aside. Turned back to where it swings
aside the least, the axes are those of the knee (Baker 1999, Hum Mov Sci 18:655-667; Baudet 2014, PLoS ONE 9:e102098).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from gaitid.body.frames import Geometry, with_given
from gaitid.numerics.masks import median
from gaitid.numerics.rotation import angle_between
from gaitid.trial import Array

# deg. By so much varus and valgus go with flexion in walking where the axis is right, either way: bones by 5 (pins:
# Lafortune et al. 1992, J Biomech 25:347-357), with skin by more: of 32 legs whose axis medial markers or a device show
# the turn has a root mean square of 9.4. The farther a knee flexes, the less it matters.
REAL_DEG = 8.0
#: Standard errors beyond which an axis is said to be turned (one sound leg in twenty), and beyond which it is doubted
#: (one in some hundred).
NAMED, DOUBTED = 2.0, 3.0
#: Keys of the figures.
TURNED, ERROR, _REPEATS = "axis_turned_deg", "axis_turned_error_deg", "axis_turned_repeats_deg"
#: The measurement that turns the thigh's axes, rad, and a step of it.
MEASUREMENT, _STEP = "thigh_rotation", 0.02


def knee_axis(columns: Mapping[str, Array]) -> dict[str, float] | None:
    """How far the thigh's axes seem turned, and how sure that is.

    Parameters
    ----------
    columns : mapping of column to (frames,) array, deg
        ``flexion`` and ``adduction`` of the knee.

    Returns
    -------
    dict or None
        ``axis_turned_deg``: inward (the hip seems rotated inward by as much) where positive. Its standard error, and
        what it differs by from one flexion of the knee to the next. ``adduction_explained_by_flexion``: squared
        correlation of both. None where a column is lacking or the knee does not move.
    """
    if not {"flexion", "adduction"} <= set(columns):
        return None
    both = np.radians([columns["flexion"], columns["adduction"]])
    flexion, adduction = both[:, np.isfinite(both).all(axis=0)]
    if not flexion.size or not np.ptp(flexion) > 0:
        return None
    # the shank's length, of 1, in the thigh's axes: backward and inward
    swings = np.array([np.sin(flexion) * np.cos(adduction), np.sin(adduction)])
    swings -= swings.mean(axis=1, keepdims=True)
    (back, across), (_, aside) = swings @ swings.T
    turned = 0.5 * np.arctan2(2 * across, back - aside)  # the principal axis
    along, off = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]]) @ swings
    flexed = np.cumsum(np.diff(along > 0, prepend=True) & (along > 0))  # which flexion of the knee
    repeats = np.linalg.norm(np.bincount(flexed, weights=along * off)) / (along @ along)
    real = np.arcsin(min(np.sin(np.radians(REAL_DEG)) / np.ptp(along), 1.0))
    explained = across**2 / (back * aside) if back * aside > 0 else 0.0
    degrees = np.degrees([turned, np.hypot(repeats, real), repeats]).tolist()
    return {
        "adduction_explained_by_flexion": float(explained),
        **dict(zip((TURNED, ERROR, _REPEATS), degrees, strict=True)),
    }


def of_several(figures: Iterable[Mapping[str, object]]) -> tuple[float, float] | None:
    """How far the axes of one leg seem turned by several trials with the same markers, and its standard error, deg.

    What a knee really does it does in each of them; only what differs from flexion to flexion becomes less. None where
    no figures are whole.
    """
    entries = [[f.get(name) for name in (TURNED, ERROR, _REPEATS)] for f in figures]
    known = np.array([entry for entry in entries if all(isinstance(value, float) for value in entry)], dtype=float)
    if not known.size:
        return None
    turned, errors, repeats = known.T
    weights = 1 / errors**2
    weights /= weights.sum()
    real = weights @ np.sqrt(np.maximum(errors**2 - repeats**2, 0.0))
    return float(weights @ turned), float(np.hypot(real, np.linalg.norm(weights * repeats)))


def corrected_rotation(geometry: Geometry, side: str, turned_deg: float) -> float | None:
    """The measured rotation of the thigh, rad, with which its axes would not seem turned; None without one.

    A wand's rotation moves the knee's centre too, and so turns the axes by more than itself.
    """
    value = geometry.number(MEASUREMENT, side) if MEASUREMENT in geometry.model.subject else np.nan
    if not isinstance(value, float) or not np.isfinite(value):
        return None
    other = with_given(geometry, geometry.model, {}, {}, {(side, MEASUREMENT): value + _STEP})
    frame = next(body.frame for body in geometry.model.chain if body.joint == "hip")
    lateral, beside = (of.frame(frame, side).R_gs[..., 1] for of in (geometry, other))
    turns = angle_between(lateral, beside)
    turns = turns[np.isfinite(turns)]
    if not turns.size or not median(turns) > 0:  # the walk's medial markers tell the axis
        return None
    return float(value - np.radians(turned_deg) * _STEP / median(turns))
