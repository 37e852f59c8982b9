"""The truth as tables: the columns of the files that `run` writes, filled with exact numbers.

Where `run` leaves cells empty because it cannot know (a foot on bare floor), the truth still has numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.simulate.body import JOINTS, SIDES
from gaitid.simulate.clinical import JOINT_SEGMENTS
from gaitid.simulate.jet import Array
from gaitid.simulate.walk import Walk, WalkState

AXES = ("x", "y", "z")
#: Number of a trial's first frame.
FIRST_FRAME = 1

Table = dict[str, Sequence[object] | Array]


def frame_columns(state: WalkState) -> Table:
    """``frame`` and ``time_s``."""
    return {"frame": FIRST_FRAME + np.arange(state.time_s.size, dtype=np.float64), "time_s": state.time_s}


def wrench_table(state: WalkState) -> Table:
    """Columns of ``walk.wrenches.csv``, in laboratory and in distal axes."""
    table = frame_columns(state)
    for side in SIDES:
        for joint in JOINTS:
            distal = state.rotation[f"{side}_{JOINT_SEGMENTS[joint][0]}"]
            for quantity, unit, vector in zip(("force", "moment"), ("N", "Nm"), state.wrench[side, joint], strict=True):
                local = np.einsum("tij,ti->tj", distal, vector)
                for frame, components in (("global", vector), ("distal", local)):
                    for i, axis in enumerate(AXES):
                        table[f"{side}_{joint}_{quantity}_{frame}_{axis}_{unit}"] = components[:, i]
    for side in SIDES:
        load = state.load[side]
        table |= _vector(f"{side}_ground_force", load.force_g, "N")
        table |= _vector(f"{side}_ground_cop", load.cop_g, "m")
        table[f"{side}_ground_free_moment_Nm"] = load.free_moment_g[:, 2]
    return table


def joint_table(state: WalkState) -> Table:
    """Columns of ``walk.joints.csv``."""
    return frame_columns(state) | dict(state.clinical)


def segment_table(state: WalkState) -> Table:
    """Columns of ``walk.segments.csv``."""
    table = frame_columns(state)
    names = ["pelvis", *(f"{side}_{segment}" for side in SIDES for segment in ("thigh", "shank", "foot"))]
    for name in names:
        table |= _vector(f"{name}_com", state.com_g[name], "m")
        q = quaternion(state.rotation[name])
        table |= {f"{name}_q{letter}": q[:, i] for i, letter in enumerate("wxyz")}
        table |= _vector(f"{name}_omega", state.omega_g[name], "rad_per_s")
        table |= _vector(f"{name}_alpha", state.alpha_g[name], "rad_per_s2")
        table |= _vector(f"{name}_acc", state.acceleration_g[name], "m_per_s2")
    for side in SIDES:
        for joint in ("hip", "knee", "ankle"):
            table |= _vector(f"{side}_{joint}", state.joint_g[f"{side}_{joint}"], "m")
    return table


def contact_table(walk: Walk) -> Table:
    """Columns of ``walk.contacts.csv``: every stance, by first frame; ``plates`` empty on bare floor."""
    frames, samples = walk.loads(walk.settings.times_s), walk.loads(walk.settings.analog_times_s)
    rows: list[tuple[object, ...]] = []
    for k, stance in enumerate(walk.stances):
        touched = np.flatnonzero(frames[stance.side].stance == k)
        if touched.size == 0:
            continue
        load = samples[stance.side]
        peak = float(load.force_g[load.stance == k, 2].max())
        on_floor = stance.plate is None
        rows.append(
            (
                stance.side,
                "" if on_floor else str(stance.plate),
                int(touched[0]) + FIRST_FRAME,
                int(touched[-1]) + FIRST_FRAME,
                peak,
                "simulated",
                1,
                "on bare floor: no plate measured this load" if on_floor else "all of the foot on one plate",
            )
        )
    rows.sort(key=lambda row: (row[2], row[0]))
    names = (
        "side",
        "plates",
        "first_frame",
        "last_frame",
        "peak_vertical_N",
        "method",
        "confidence",
        "reason",
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def quaternion(rotation: Array) -> Array:
    """Unit quaternions (times, 4) w, x, y, z of rotations (times, 3, 3): w ≥ 0 first, then continuous."""
    r = rotation
    # 4 q qᵀ from the entries of R (Shepperd 1978): the column with the greatest diagonal entry is well
    # conditioned.
    xx, yy, zz = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    wx, wy, wz = r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]
    xy, xz, yz = r[:, 0, 1] + r[:, 1, 0], r[:, 0, 2] + r[:, 2, 0], r[:, 1, 2] + r[:, 2, 1]
    outer = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=1,
    )
    best = np.argmax(np.einsum("tii->ti", outer), axis=1)
    q = outer[np.arange(r.shape[0]), best]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    flips = np.where(np.einsum("ti,ti->t", q[1:], q[:-1]) < 0, -1.0, 1.0)
    first = -1.0 if q[0, 0] < 0 else 1.0
    return np.asarray(q * np.concatenate([[first], first * np.cumprod(flips)])[:, None])


def _vector(name: str, values: Array, unit: str) -> Table:
    return {f"{name}_{axis}_{unit}": values[:, i] for i, axis in enumerate(AXES)}


def csv_text(table: Mapping[str, Sequence[object] | Array]) -> str:
    """A table as the project writes all its CSV: LF, ``%.10g``, an unknown cell empty."""
    columns = [[_cell(v) for v in (c.tolist() if isinstance(c, np.ndarray) else c)] for c in table.values()]
    lines = [",".join(table), *(",".join(row) for row in zip(*columns, strict=True))]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, float):
        # + 0.0 turns −0 into 0
        return "" if value != value else f"{value + 0.0:.10g}"
    text = str(value)
    return f'"{text}"' if "," in text else text
