"""``walk.com.csv``: the whole body's centre of mass, and those of trunk, head and arms."""

from __future__ import annotations

import numpy as np

from gaitid.analysis.result import Result
from gaitid.body.kinematics import SegmentMotion, segment_motions
from gaitid.body.places import Pose
from gaitid.write.table import Columns


def com_columns(result: Result) -> Columns:
    """Position, velocity and acceleration of the whole body's centre of mass, laboratory axes, then those segments.

    Empty without markers of the trunk; that of a segment where only something stands in for it.
    """
    trial, whole = result.trial, result.whole_body
    nothing = np.full((trial.n_frames, 3), np.nan)
    table = Columns(trial)
    of_body = (nothing, nothing, nothing) if whole is None else (whole.com_g, whole.vel_g, whole.acc_g)
    patterns = ("com_{}_m", "com_velocity_{}_m_per_s", "com_acceleration_{}_m_per_s2")
    for pattern, values in zip(patterns, of_body, strict=True):
        table.add([pattern.format(axis) for axis in "xyz"], values)
    placed = {} if whole is None else whole.segments
    for side, segment in _segments(result):
        one = placed.get((side, segment))
        name = "_".join(filter(None, (side, segment)))
        values = one.com_g if one is not None and one.measured else nothing
        table.add([f"{name}_com_{axis}_m" for axis in "xyz"], values)
    return table


def upper_motions(result: Result) -> dict[str, SegmentMotion]:
    """How each segment above the legs moves that was measured; its turning only where its markers tell it."""
    whole = result.whole_body
    measured = {} if whole is None else {key: one for key, one in whole.segments.items() if one.measured}
    if not measured:
        return {}
    unknown = np.full((result.trial.n_frames, 3, 3), np.nan)
    parts = {
        "_".join(filter(None, key)): (one.pose or Pose(unknown, one.com_g), one.com_g) for key, one in measured.items()
    }
    return segment_motions(parts, result.trial.rate_hz, result.settings)


def _segments(result: Result) -> list[tuple[str, str]]:
    """Side and name of each segment that the model's upper body has, whether the trial shows it or not."""
    if result.model.upper_body is None:
        return []
    from gaitid.model.upper_body import load_upper_body

    sides = [side.name for side in result.model.sides]
    segments = load_upper_body(result.model.upper_body).segments
    return [(side, one.segment) for one in segments for side in (sides if one.sided else [""])]
