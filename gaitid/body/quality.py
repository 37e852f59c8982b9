"""Axes of knees that two methods give; poses and joint angles -> figures of how well a body was calibrated.

mm and degrees, as a record has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry, with_given
from gaitid.body.lengths import segment_lengths
from gaitid.numerics.masks import deviation, mean, median
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


def combined(figures: Iterable[Mapping[str, object]]) -> tuple[float, float] | None:
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


def calibration_figures(
    geometry: Geometry, sides: Sequence[str], angles: Mapping[str, Mapping[str, Mapping[str, Array]]], first_frame: int
) -> dict[str, Any]:
    """How well segments and joint axes fit the trial: for every model, from what it computes anyway.

    Parameters
    ----------
    geometry : Geometry
        Of the trial.
    sides : sequence of str
        Those that were recorded.
    angles : mapping of side to mapping of joint to mapping of column to (frames,) array, deg
    first_frame : int
        Number of the trial's first frame.

    Returns
    -------
    dict
        By side and segment (the base under its own name): ``fit`` of a rigid segment to its points, ``length``
        between joint centres in the trial and in the static; by side ``knee_axis``. None for what a model does not
        have or nobody knows (docs/record.md).
    """
    model = geometry.model
    lengths = segment_lengths(geometry, sides)
    figures: dict[str, Any] = {
        model.base.segment: {"fit": _fit(geometry, model.base.frame, "", first_frame), "length": None}
    }
    for side in sides:
        of_side: dict[str, Any] = {
            body.segment: {
                "fit": _fit(geometry, body.frame, side, first_frame),
                "length": _length(geometry, lengths.get((side, body.segment)), (side, body.segment), first_frame),
            }
            for body in model.chain
        }
        of_side["knee_axis"] = knee_axis(angles.get(side, {}).get("knee", {}))
        figures[side] = of_side
    return figures


def _fit(geometry: Geometry, frame: str, side: str, first_frame: int) -> dict[str, Any] | None:
    """Of a rigid frame: the points that were taken, their residual in the trial and what they moved in the static."""
    place = geometry.model.place("frame", frame, side)
    if place not in geometry.fits or geometry.calibration is None:
        return None
    points, fit = geometry.fits[place]
    words = [marker_label(geometry.model, point, place[0]) or point for point in points]
    spread = geometry.calibration.spread_m.get(place, {})
    moved = {label: spread[point] * 1e3 for point, label in zip(points, words, strict=True) if point in spread}
    known = np.isfinite(fit.residual)
    worst = int(np.argmax(np.where(known, fit.residual, -1.0))) if known.any() else None
    return {
        "points": words,
        "fewest_points_in_a_frame": int(fit.points[known].min()) if known.any() else None,
        "residual_rms_mean_mm": float(fit.residual[known].mean() * 1e3) if known.any() else None,
        "residual_rms_worst_mm": None if worst is None else float(fit.residual[worst] * 1e3),
        "residual_rms_worst_frame": None if worst is None else worst + first_frame,
        "moved_in_static_rms_mm": max(moved.values(), default=None),
    }


def _length(
    geometry: Geometry, length: Array | None, place: tuple[str, str], first_frame: int
) -> dict[str, Any] | None:
    """Between joint centres: in the trial, in the static, and the difference."""
    if length is None or not (known := np.isfinite(length)).any():
        return None
    seen = length[known]
    average = float(mean(seen))
    worst = int(np.argmax(np.where(known, np.abs(length - average), -1.0)))
    calibration = geometry.calibration
    static, sd = (None, None) if calibration is None else calibration.lengths_m.get(place, (None, None))
    return {
        "mean_mm": average * 1e3,
        "sd_mm": float(deviation(seen) * 1e3),
        "worst_mm": float(length[worst] * 1e3),
        "worst_frame": worst + first_frame,
        "static_mean_mm": None if static is None else static * 1e3,
        "static_sd_mm": None if sd is None else sd * 1e3,
        "trial_minus_static_mm": None if static is None else (average - static) * 1e3,
    }
