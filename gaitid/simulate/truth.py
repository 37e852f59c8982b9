"""The truth as tables: the columns of the files that `run` writes, filled with exact numbers.

Where `run` leaves cells empty because it cannot know (a foot on bare floor), the truth still has numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.errors import counted
from gaitid.simulate.body import JOINTS, SEGMENTS, SIDES
from gaitid.simulate.clinical import JOINT_SEGMENTS
from gaitid.simulate.jet import Array
from gaitid.simulate.loads import FootLoad, Stance
from gaitid.simulate.plates import felt
from gaitid.simulate.tables import (
    FIRST_FRAME,
    Frames,
    Table,
    frame_columns,
    segment_columns,
    vector_columns,
    wrench_columns,
)
from gaitid.simulate.upper_body import UPPER_COM_FRACTION
from gaitid.simulate.walk import Walk, WalkState
from gaitid.write import CONTACT_COLUMNS


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


def segment_table(state: WalkState) -> Table:
    """Columns of ``walk.segments.csv``."""
    table = frame_columns(state.time_s)
    names = ["pelvis", *(f"{side}_{segment}" for side in SIDES for segment in SEGMENTS)]
    for name in names:
        motion = (m[name] for m in (state.com_g, state.rotation, state.omega_g, state.alpha_g, state.acceleration_g))
        table |= segment_columns(name, *motion)
    for side in SIDES:
        for joint in reversed(JOINTS):
            table |= vector_columns(f"{side}_{joint}", state.joint_g[f"{side}_{joint}"], "m")
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
