"""Whether the tables beside a record are whole and of its run.

Much of a result stands in more than one of its files: when each cycle begins and ends, and the angles of its curves.
Where these contradict each other, none of them can be trusted, and nobody can tell which one is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError
from gaitid.gait import ENVELOPES, FIGURES
from gaitid.results.record_checks import checked_record, other_run, refuse_other_frames
from gaitid.results.result import Result, refuse_no_record
from gaitid.results.tables import CycleCurves, Feature, refuse_missing
from gaitid.trial import Array
from gaitid.version import __version__
from gaitid.write import (
    CONTACT_COLUMNS,
    CYCLE_COLUMNS,
    FEATURE_COLUMNS,
    STANCE_COLUMNS,
    STRIDE_COLUMNS,
    STRIDE_END_COLUMNS,
    TABLES,
    WRITE,
)

# Of what a curve spans: the share by which a value between two frames may differ from the straight line between them,
# of all that the column spans and of what the four frames around it span (`run` draws a cubic through these).
_OF_RANGE, _OF_FRAMES = 1e-3, 0.25
_ANGLE = "_deg"
_SUMMARIES = ("mean", "sd", "n")


#: Without these there is no result.
REQUIRED = tuple(table for table in TABLES if table not in WRITE)


def read_result(path: Path, needed: Collection[str] = REQUIRED) -> Result:
    """The record, looked over, of a result whose tables have the columns that each other and the record ask for.

    Parameters
    ----------
    path : Path
        Of ``walk.run.json``.
    needed : collection of str
        Tables that must be there.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    refuse_no_record(path)
    record = checked_record(path)
    # nobody knows a measurement that is null
    subject = {name: entry for name, entry in record["subject"].items() if entry["value"] is not None}
    result = Result(path, {**record, "subject": subject})
    files = [result.file(table) for table in TABLES if table in needed]
    if missing := [file.name for file in files if not file.is_file()]:
        raise GaitidError(
            f"{path}: {', '.join(missing)} missing beside it",
            expected="the tables that gaitid run wrote with it",
            todo="run gaitid run again, or move them together",
        )
    for table, header in result.headers.items():
        refuse_missing(result.file(table), header, sorted(_wanted(table, result.headers, record)))
    return result


def refuse_other_run(result: Result) -> None:
    """Refuse tables that are not of the record's run.

    Raises
    ------
    GaitidError
        One line that begins with the file.
    """
    record, columns = result.record, result.joints
    refuse_other_frames(result.file("joints"), columns["frame"], record)
    if any(name.endswith((_ANGLE, "_per_kg")) for name in columns):  # else no joint has curves over cycles
        refuse_other_cycles(result.file("cycles"), result.cycles, result.spatiotemporal, record)
    for side, cycles in result.cycles.items():
        refuse_other_angles(result.file("cycles"), side, cycles, cycle_spans(cycles, side, record), columns)
    refuse_other_features(result.file("features"), result.features, result.cycles)
    for side, stances in result.stances.items() if "stances" in result.headers else ():
        known = [(c.first_frame, c.last_frame) for c in result.contacts if c.side == side and c.known]
        ends = stance_spans(result.file("stances"), side, stances, known, int(result.frame[0]))
        refuse_other_angles(result.file("stances"), side, stances, ends, columns)


def refuse_other_cycles(
    path: Path, cycles: Mapping[str, CycleCurves], strides: Sequence[Mapping[str, str]], record: Mapping[str, Any]
) -> None:
    """Refuse cycles that are not those of ``spatiotemporal.csv`` and of the record's strikes.

    Parameters
    ----------
    path : Path
        Of ``cycles.csv``.
    cycles : mapping of side to CycleCurves
    strides : sequence of mapping
        The rows of ``spatiotemporal.csv``.
    record : mapping
    """
    beside = f"{path.name.removesuffix('.cycles.csv')}.spatiotemporal.csv"
    found = {
        (side, str(number), str(first), str(last))
        for side, of_side in cycles.items()
        for number, first, last in zip(of_side.numbers, of_side.first_frame, of_side.last_frame, strict=True)
    }
    keys = ("side", "cycle", "first_frame", "last_frame")
    rows = [tuple(row.get(key, "") for key in keys) for row in strides if row["cycle"] not in _SUMMARIES]
    if found != set(rows) or len(rows) != len(found):
        odd = min(found ^ set(rows), default=("", "", "", ""))
        words = f"{odd[0]} {odd[1]}, frames {odd[2]} to {odd[3]}, in one of them" if odd[0] else "a cycle twice"
        raise other_run(path, f"the cycles of {beside}", words)
    if len(found) != record["events"]["cycles"]:
        raise other_run(path, f"{record['events']['cycles']} cycles, as its run.json says", str(len(found)))
    strikes = {(side, str(frame)) for side, frame in strike_times(record)}
    for side, number, first, last in sorted(found):
        if (side, first) not in strikes or (side, last) not in strikes:
            words = f"{side} {number} from frame {first} to {last}"
            raise other_run(path, "cycles between two strikes of its run.json", words)


def strike_times(record: Mapping[str, Any]) -> dict[tuple[str, int], float]:
    """Side and nearest frame of each foot strike of a record -> its time, s from the first frame."""
    trial = record["trial"]
    used = [event for event in record["events"]["used"] if event.get("kind") == "strike"]
    rate_hz, first = trial["camera_rate_hz"], trial["first_frame"]
    return {(str(e.get("side")), first + round(e["time_s"] * rate_hz)): float(e["time_s"]) for e in used}


def cycle_spans(curves: CycleCurves, side: str, record: Mapping[str, Any]) -> Array:
    """(cycles, 2) where cycles begin and end, in frames from the first of the trial."""
    times = strike_times(record)
    ends = zip(curves.first_frame.tolist(), curves.last_frame.tolist(), strict=True)
    rate_hz = record["trial"]["camera_rate_hz"]
    return np.array([[times[side, first] * rate_hz, times[side, last] * rate_hz] for first, last in ends])


def refuse_other_angles(path: Path, side: str, curves: CycleCurves, spans: Array, columns: Mapping[str, Array]) -> None:
    """Refuse curves whose angles are not those of ``joints.csv`` at the same instants.

    Parameters
    ----------
    path : Path
        Of ``cycles.csv`` or ``stances.csv``.
    side : str
    curves : CycleCurves
    spans : (cycles, 2) array
        Where each begins and ends, in frames from the first of the trial.
    columns : mapping of str to (frames,) array
        Of ``joints.csv``.
    """
    names = [name for name in curves.columns if name.endswith(_ANGLE) and f"{side}_{name}" in columns]
    if not names or not len(curves):
        return
    frames = np.stack([columns[f"{side}_{name}"] for name in names])  # (names, frames)
    given = np.stack([curves.columns[name] for name in names])  # (names, cycles, points)
    at = np.linspace(spans[:, 0], spans[:, 1], given.shape[2], axis=1)
    low = np.clip(np.floor(at).astype(int), 0, max(frames.shape[1] - 2, 0))
    taps = np.clip(low + np.arange(-1, 3)[:, None, None], 0, frames.shape[1] - 1)  # (4, cycles, points)
    four = frames[:, taps] - frames[:, None, low]  # an angle jumps by a turn where it passes 180°
    four -= 360.0 * np.rint(four / 360.0)
    off = given - frames[:, low]
    off -= 360.0 * np.rint(off / 360.0)
    off = np.abs(off - (at - low) * four[:, 2])
    spread = np.fmax.reduce(four, axis=1) - np.fmin.reduce(four, axis=1)
    span = np.array([np.ptp(row[np.isfinite(row)]) if np.isfinite(row).any() else 0.0 for row in frames])
    too_far = off > _OF_FRAMES * spread + _OF_RANGE * span[:, None, None] + 1e-6
    if too_far.any():
        name, cycle, point = (int(i) for i in np.argwhere(too_far)[0])
        where = f"{side} {curves.numbers[cycle]}, {names[name]} at {curves.percent[point]:g} %"
        beside = f"{path.name.rsplit('.', 2)[0]}.joints.csv"
        raise other_run(path, f"the angles of {beside}", f"{where} is {off[name, cycle, point]:.3g}° off")


def stance_spans(
    path: Path, side: str, stances: CycleCurves, known: Sequence[tuple[int, int]], first_frame: int
) -> Array:
    """(stances, 2) where stances begin and end, in frames from the first of the trial; others than contacts' refused.

    Parameters
    ----------
    path : Path
        Of ``stances.csv``.
    side : str
    stances : CycleCurves
    known : sequence of (int, int)
        First and last frame of each contact of the side whose load is known; a stance's number counts these from 1.
    first_frame : int
        Of the trial.
    """
    for number, *ends in zip(stances.numbers, stances.first_frame, stances.last_frame, strict=True):
        if not 1 <= number <= len(known) or tuple(ends) != known[number - 1]:
            words = f"{side} {number} from frame {ends[0]} to {ends[1]}"
            raise other_run(path, f"stances of {path.name.rsplit('.', 2)[0]}.contacts.csv", words)
    return np.stack([stances.first_frame, stances.last_frame], axis=1).astype(float) - first_frame


def refuse_other_features(path: Path, features: Sequence[Feature], cycles: Mapping[str, CycleCurves]) -> None:
    """Refuse features that are not those of the cycles.

    Every cycle has the same ones, at frames of its own; an angle at strike is that of the curve.

    Parameters
    ----------
    path : Path
        Of ``features.csv``.
    features : sequence of Feature
    cycles : mapping of side to CycleCurves
    """
    names: dict[tuple[str, str], list[str]] = {}
    for feature in features:
        names.setdefault((feature.side, feature.cycle), []).append(feature.name)
    known = {(side, str(n)): (of_side, i) for side, of_side in cycles.items() for i, n in enumerate(of_side.numbers)}
    if odd := sorted(names.keys() ^ known.keys()):
        raise other_run(path, "features of each cycle of cycles.csv", f"{' '.join(odd[0])} in one of them")
    full = max(names.values(), key=len, default=[])
    for (side, number), of_cycle in names.items():
        if of_cycle != full or len(set(of_cycle)) != len(of_cycle):
            words = f"{len(of_cycle)} of {side} {number}, {len(full)} of another"
            raise other_run(path, "the same features of each cycle", words)
    for feature in features:
        curves, i = known[feature.side, feature.cycle]
        if not _fits(feature, curves, i):
            frames = f"frames {curves.first_frame[i]} to {curves.last_frame[i]}"
            words = f"{feature.name} of {feature.side} {feature.cycle} is not of it"
            raise other_run(path, f"features of the cycles of cycles.csv ({frames})", words)


def _fits(feature: Feature, curves: CycleCurves, i: int) -> bool:
    """Whether frame and percent of a feature are one instant of its cycle, and an angle at strike is the curve's."""
    first, last = int(curves.first_frame[i]), int(curves.last_frame[i])
    # each of the three frames is the nearest one: half a frame and half a frame
    if feature.frame == feature.frame and not (
        0 <= feature.percent <= 100 and abs(first + feature.percent / 100 * (last - first) - feature.frame) <= 1.01
    ):
        return False
    if feature.percent != 0:
        return True
    column = curves.columns.get(f"{feature.name.removesuffix('_angle_at_strike')}{_ANGLE}")
    if column is None:
        return True
    at_strike, value = float(column[i, 0]), feature.value
    return abs(at_strike - value) <= 1e-6 + 1e-6 * abs(value) or (at_strike != at_strike and value != value)


Headers = Mapping[str, Sequence[str]]
# Before the curves, or all columns, of each table.
_ALWAYS: Mapping[str, Sequence[str]] = {
    "contacts": CONTACT_COLUMNS,
    "cycles": CYCLE_COLUMNS,
    "spatiotemporal": (*STRIDE_COLUMNS, *FIGURES, *STRIDE_END_COLUMNS),
    "features": FEATURE_COLUMNS,
    "stances": STANCE_COLUMNS,
}
# Tables of vectors by components, and of curves over 0 to 100 %.
_VECTORS = ("wrenches", "segments", "base", "com", "stability")
_CURVES = ("cycles", "stances")
# A component of a vector or a quaternion: what stands before its letter, and behind.
_COMPONENT = re.compile(r"(.*_)[xyz](|_.*)|(.*_q)[wxyz]")
# Of these curves over a cycle there are no columns by frames in `joints`.
_GROUND = "ground_"


def _wanted(table: str, headers: Headers, record: Mapping[str, Any]) -> set[str]:
    """The columns that a table should have, as far as anything says so."""
    header, sides = headers[table], tuple(record["coverage"])
    wanted: set[str] = set()
    if table == "emg":  # a muscle may be recorded on one side
        wanted |= {"frame", "time_s"}
    elif TABLES[table] == ("frame",):
        mirrored = {name for name in map(partial(_without_side, sides=sides), header) if name}
        wanted |= {"frame", "time_s", *(f"{side}_{name}" for side in sides for name in mirrored)}
    elif record["gaitid"] == __version__:  # columns may come later (docs/record.md)
        wanted |= set(_ALWAYS[table])
    if table in _VECTORS:
        wanted |= {sibling for name in header for sibling in _components(name)}
    if table == "wrenches":
        wanted |= set(_wrenches(header, record))
    curves = {name for of in _CURVES for name in headers.get(of, ()) if name not in _ALWAYS[of]}
    curves = {name for name in curves if not name.endswith(ENVELOPES)}
    if table == "joints":
        wanted |= {f"{side}_{name}" for side in sides for name in curves if not name.startswith(_GROUND)}
    elif table in _CURVES:
        by_frame = {_without_side(name, sides) for name in headers.get("joints", ())}
        wanted |= curves | (by_frame - {""})
    return wanted


def _without_side(name: str, sides: Sequence[str]) -> str:
    """A column's name without that of its side; empty where it is of none."""
    return next((name.removeprefix(f"{side}_") for side in sides if name.startswith(f"{side}_")), "")


def _components(name: str) -> Iterator[str]:
    """The columns of all components of what a column is one of."""
    if match := _COMPONENT.fullmatch(name):
        before, behind, quaternion = match.groups()
        yield from (f"{before}{axis}{behind}" for axis in "xyz") if before else (f"{quaternion}{q}" for q in "wxyz")


def _wrenches(header: Sequence[str], record: Mapping[str, Any]) -> Iterator[str]:
    """Of each side and joint of the record force and moment in each frame of expression, then the load on the foot."""
    for side, joints in record["coverage"].items():
        for joint in joints:
            for frame in record["settings"].get("express_in", ()):
                for kind, unit in (("force", "N"), ("moment", "Nm")):
                    yield from (f"{side}_{joint}_{kind}_{frame}_{axis}_{unit}" for axis in "xyz")
        if any(name.startswith(f"{side}_{_GROUND}") for name in header):
            yield from (f"{side}_ground_force_{axis}_N" for axis in "xyz")
            yield from (f"{side}_ground_cop_{axis}_m" for axis in "xyz")
            yield f"{side}_ground_free_moment_Nm"
