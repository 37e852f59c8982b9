"""A body's poses and joint angles -> figures of how well it was calibrated; mm and degrees, as a record has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.lengths import segment_lengths
from gaitid.numerics.statistics import deviation, mean
from gaitid.trial import Array

# deg. The axis of a knee that never flexes farther is not put to the test.
FLEXED_DEG = 20.0
# So many frames of a flexed knee at least.
FEWEST_FRAMES = 10

_SHARE = "adduction_explained_by_flexion", "rotation_explained_by_flexion"


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


def knee_axis(columns: Mapping[str, Array]) -> dict[str, float] | None:
    """How much of the knee's adduction and rotation is its flexion, seen from a flexion axis that is turned.

    Parameters
    ----------
    columns : mapping of column to (frames,) array, deg
        ``flexion``, ``adduction``, ``internal_rotation``.

    Returns
    -------
    dict or None
        Squared correlations with flexion over the trial, how far the axis seems turned about the thigh, deg, and the
        range of adduction while the knee flexes more than 20°, deg (Baker 1999, Hum Mov Sci 18:655-667; Schache 2006,
        Gait Posture 24:100-109). None where a column is lacking or the knee does not flex so far in ten frames.
    """
    if not {"flexion", "adduction", "internal_rotation"} <= set(columns):
        return None
    flexion, adduction, rotation = (columns[name] for name in ("flexion", "adduction", "internal_rotation"))
    known = np.isfinite(flexion) & np.isfinite(adduction) & np.isfinite(rotation)
    flexed = adduction[known & (np.where(known, flexion, 0.0) > FLEXED_DEG)]
    if len(flexed) < FEWEST_FRAMES:
        return None
    if not known.all():
        flexion, adduction, rotation = flexion[known], adduction[known], rotation[known]
    centred = flexion - mean(flexion)
    shares = (_squared_correlation(centred, other - mean(other)) for other in (adduction, rotation))
    slope = float(centred @ adduction) / float(centred @ centred)
    return {
        **dict(zip(_SHARE, shares, strict=True)),
        "axis_turned_deg": abs(float(np.degrees(np.arctan(slope)))),
        "adduction_range_when_flexed_deg": float(np.ptp(flexed)),
    }


def _squared_correlation(a: Array, b: Array) -> float:
    """r² of values about their means, 0 where one of them does not vary."""
    both = float((a @ a) * (b @ b))
    return float((a @ b) ** 2) / both if both > 0 else 0.0
