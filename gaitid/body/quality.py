"""A body's poses and joint angles -> figures of how well it was calibrated; mm and degrees, as a record has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.knee_axis import knee_axis
from gaitid.body.lengths import segment_lengths
from gaitid.numerics.masks import deviation, mean
from gaitid.trial import Array


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
