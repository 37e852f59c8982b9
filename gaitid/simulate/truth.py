"""The truth as tables: the columns of the files that `run` writes, filled with exact numbers.

Where `run` leaves cells empty because it cannot know (a foot on bare floor), the truth still has numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from gaitid.disk.atomic import put_all
from gaitid.errors import WriteError, counted
from gaitid.numerics.jet import Array
from gaitid.simulate.body import JOINTS, SIDES
from gaitid.simulate.body_parts import UPPER_COM_FRACTION
from gaitid.simulate.loads import FootLoad, Stance
from gaitid.simulate.plates import felt
from gaitid.simulate.walk import JOINT_SEGMENTS, Walk, WalkState
from gaitid.write import CONTACT_COLUMNS

if TYPE_CHECKING:
    from gaitid.simulate.chain_state import ChainState

AXES = ("x", "y", "z")
#: Of every number in its unit. What is less is rounding, which differs from processor to processor: a moment of 0 must
#: not become 1e-16 here and -3e-17 there.
DECIMALS = 10
#: Number of a trial's first frame.
FIRST_FRAME = 1

Frames = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Table = dict[str, Sequence[object] | Array | Frames]


def frame_columns(time_s: Array) -> Table:
    """``frame`` and ``time_s``."""
    return {"frame": FIRST_FRAME + np.arange(time_s.size, dtype=np.float64), "time_s": time_s}


def marker_table(markers: Mapping[str, Array], time_s: Array) -> Table:
    """A trial's markers (frames, 3), m, as plain CSV holds them, mm."""
    table = frame_columns(time_s)
    for label, p in markers.items():
        table |= {f"{label}_{axis}_mm": p[:, i] * 1e3 for i, axis in enumerate(AXES)}
    return table


def segment_columns(name: str, com: Array, rotation: Array, omega: Array, alpha: Array, acceleration: Array) -> Table:
    """Columns of one segment of ``segments.csv``."""
    q = _quaternions(rotation)
    return (
        vector_columns(f"{name}_com", com, "m")
        | {f"{name}_q{letter}": q[:, i] for i, letter in enumerate("wxyz")}
        | vector_columns(f"{name}_omega", omega, "rad_per_s")
        | vector_columns(f"{name}_alpha", alpha, "rad_per_s2")
        | vector_columns(f"{name}_acc", acceleration, "m_per_s2")
    )


def wrench_columns(name: str, wrench: tuple[Array, Array], distal: Array) -> Table:
    """Force and moment at a joint, N and N·m, in laboratory axes and in those of the distal segment."""
    table: Table = {}
    for quantity, unit, vector in zip(("force", "moment"), ("N", "Nm"), wrench, strict=True):
        local = np.einsum("tij,ti->tj", distal, vector)
        for frame, components in (("global", vector), ("distal", local)):
            table |= vector_columns(f"{name}_{quantity}_{frame}", components, unit)
    return table


def _quaternions(rotation: Array) -> Array:
    """Unit quaternions (times, 4) w, x, y, z of rotations (times, 3, 3): w ≥ 0 first, then continuous."""
    q = np.roll(Rotation.from_matrix(rotation).as_quat(), 1, axis=1)
    signs = np.where(np.einsum("ti,ti->t", q[1:], q[:-1]) < 0, -1.0, 1.0)
    return np.asarray(q * np.cumprod([-1.0 if q[0, 0] < 0 else 1.0, *signs])[:, None])


def vector_columns(name: str, values: Array, unit: str) -> Table:
    """Three columns ``{name}_{axis}_{unit}`` of (times, 3) values."""
    return {f"{name}_{axis}_{unit}": values[:, i] for i, axis in enumerate(AXES)}


def csv_text(table: Table) -> str:
    """A table as the project writes all its CSV: LF, ``%.10g``, an unknown cell empty."""
    columns = [[_cell(v) for v in (c.tolist() if isinstance(c, np.ndarray) else c)] for c in table.values()]
    lines = [",".join(table), *(",".join(row) for row in zip(*columns, strict=True))]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, float):
        # + 0.0 turns −0 into 0
        return "" if value != value else f"{round(value, DECIMALS) + 0.0:.10g}"
    text = str(value)
    return f'"{text}"' if "," in text else text


def write_folder(folder: Path, contents: Mapping[str, bytes | str]) -> tuple[Path, ...]:
    """Write files into a folder (made where absent), all of them or none.

    Parameters
    ----------
    folder : Path
    contents : mapping of name to content

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; nothing is left behind.
    """
    try:
        return tuple(put_all(folder, contents))
    except OSError as error:
        raise WriteError(f"cannot write into {folder}: {error.strerror or error}") from error


def wrench_table(state: WalkState) -> Table:
    """Columns of ``walk.wrenches.csv``, in laboratory and in distal axes."""
    table = frame_columns(state.time_s)
    for side in SIDES:
        for joint in JOINTS:
            distal = state.rotation[f"{side}_{JOINT_SEGMENTS[joint][0]}"]
            table |= wrench_columns(f"{side}_{joint}", state.wrench[side, joint], distal)
    for side in SIDES:
        load = state.load[side]
        table |= vector_columns(f"{side}_ground_force", load.force_g, "N")
        table |= vector_columns(f"{side}_ground_cop", load.cop_g, "m")
        table[f"{side}_ground_free_moment_Nm"] = load.free_moment_g[:, 2]
    return table


def joint_table(state: WalkState) -> Table:
    """Columns of ``walk.joints.csv``."""
    return frame_columns(state.time_s) | dict(state.clinical)


def segment_table(state: WalkState | ChainState, segments: Mapping[str, str], joints: Mapping[str, str]) -> Table:
    """Columns of ``segments.csv``, of the segments and joints of a state by what their columns are called."""
    table: Table = {}
    for column, name in segments.items():
        motion = (m[name] for m in (state.com_g, state.rotation, state.omega_g, state.alpha_g, state.acceleration_g))
        table |= segment_columns(column, *motion)
    for column, name in joints.items():
        table |= vector_columns(column, state.joint_g[name], "m")
    return table


def com_table(state: WalkState) -> Table:
    """Columns of ``walk.com.csv``, of a walk with trunk, head and arms."""
    assert state.whole_com is not None
    table = frame_columns(state.time_s)
    kinds = (("com", "m"), ("com_velocity", "m_per_s"), ("com_acceleration", "m_per_s2"))
    for (name, unit), values in zip(kinds, state.whole_com.d, strict=True):
        table |= vector_columns(name, values, unit)
    names = ["trunk", "head", *(f"{side}_{segment}" for segment in UPPER_COM_FRACTION for side in SIDES)]
    for name in names:
        table |= vector_columns(f"{name}_com", state.com_g[name], "m")
    return table


def contact_table(walk: Walk) -> Table:
    """Columns of ``walk.contacts.csv``: every stance; ``plates`` empty where they do not take it all."""
    attribution = attribute(walk, walk.settings.times_s)
    samples = walk.loads(walk.settings.analog_times_s)
    rows: list[tuple[object, ...]] = []
    for k, stance in enumerate(walk.stances):
        foot = attribution[stance.side]
        touched = np.flatnonzero(foot.load.stance == k)
        if touched.size == 0:
            continue
        load = samples[stance.side]
        peak = float(load.force_g[load.stance == k, 2].max())
        rows.append(
            (
                stance.side,
                "+".join(str(number) for number in stance.plates) if stance.all_on_plates else "",
                int(touched[0]) + FIRST_FRAME,
                int(touched[-1]) + FIRST_FRAME,
                peak,
                "simulated",
                1,
                _reason(stance, touched[~foot.alone[touched]]),
            )
        )
    rows.sort(key=lambda row: (row[2], row[0]))
    return {name: [row[i] for row in rows] for i, name in enumerate(CONTACT_COLUMNS)}


def _reason(stance: Stance, shared: Frames) -> str:
    plates = " and ".join(str(number) for number in stance.plates)
    if not stance.plates:
        return "on bare floor: no plate measured this load"
    if not stance.all_on_plates:
        return f"partly on plate {plates}, partly on bare floor"
    words = "all of the foot on one plate" if stance.plate else f"all of the foot on plates {plates} together"
    if shared.size:
        words += f"; another foot loads the same in {counted(int(shared.size), 'frame')} ({runs(shared + FIRST_FRAME)})"
    return words


def runs(frames: Frames) -> str:
    """Whole numbers in words: ``3-7 and 12-20``."""
    parts = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    return " and ".join(f"{part[0]}-{part[-1]}" for part in parts)


@dataclass(frozen=True, eq=False)
class Attribution:
    """Which plates carry one foot.

    Attributes
    ----------
    load : FootLoad
    vertical_N : mapping of plate number to (times,) array
        What of this foot's vertical force lies on each plate.
    share : (times,) array
        Part of the foot's vertical force that lies on plates; 0 in the air.
    alone : (times,) boolean array
        No other foot loads any plate that this one loads.
    """

    load: FootLoad
    vertical_N: Mapping[int, Array]
    share: Array
    alone: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @property
    def known(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """(times,) whether the plates tell the load: in the air, or all of it on plates of its foot."""
        return np.asarray((self.load.stance < 0) | (self.alone & (self.share > 1.0 - 1e-9)))


def attribute(walk: Walk, times_s: Array) -> dict[str, Attribution]:
    """For each side, which plates carry the foot at any times, s."""
    loads = walk.loads(times_s)
    feet = {**loads, **{f"other {i}": load for i, load in enumerate(walk.other_loads(times_s))}}
    shares = {name: {plate.number: felt(plate, load)[1] for plate in walk.plates} for name, load in feet.items()}
    out = {}
    for side, load in loads.items():
        others = [shares[name] for name in feet if name != side]
        alone = np.ones(load.stance.size, dtype=np.bool_)
        for number, share in shares[side].items():
            for other in others:
                alone &= ~((share > 0) & (other[number] > 0))
        vertical = {number: share * load.force_g[:, 2] for number, share in shares[side].items()}
        out[side] = Attribution(load, vertical, sum(shares[side].values(), np.zeros(alone.size)), alone)
    return out


def load_table(walk: Walk) -> Table:
    """Columns of ``{stem}.truth.loads.csv``: for every frame and side, which plates carry the foot.

    ``{side}_plates`` (``1+2``; empty in the air and on bare floor), ``{side}_share`` (part of the vertical force that
    lies on plates), ``{side}_alone`` (1 where no other foot loads these plates), ``{side}_known`` (1 where plates
    can tell the load), and ``{side}_plate{n}_vertical_N``.
    """
    times = walk.settings.times_s
    table = frame_columns(times)
    for side, foot in attribute(walk, times).items():
        names = list(foot.vertical_N)
        on = np.stack([foot.vertical_N[number] > 0 for number in names], axis=1)
        table[f"{side}_plates"] = ["+".join(str(n) for n, hit in zip(names, row, strict=True) if hit) for row in on]
        table |= {
            f"{side}_share": foot.share,
            f"{side}_alone": foot.alone.astype(np.int64),
            f"{side}_known": foot.known.astype(np.int64),
        }
        table |= {f"{side}_plate{number}_vertical_N": force for number, force in foot.vertical_N.items()}
    return table
