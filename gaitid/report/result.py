"""One result as it lies on disk: `walk.run.json` and the tables beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.panels import AXES, OF_JOINTS, SIDES, ground_column
from gaitid.results.one_run import (
    RECORD_SUFFIX,
    RunTables,
    refuse_lost_columns,
    refuse_no_record,
    refuse_other_angles,
    refuse_other_run,
    stance_spans,
    tables_beside,
)
from gaitid.results.record_checks import checked_record, entry_at, mapping_at, mappings_at, number_at
from gaitid.results.tables import (
    CycleCurves,
    Feature,
    Table,
    columns,
    number,
    read_cycles,
    read_features,
    read_header,
    read_rows,
    read_stances,
    read_table,
    read_texts,
    refuse_missing,
)
from gaitid.trial import Array
from gaitid.write import CONTACT_COLUMNS

_T = TypeVar("_T")
# No trial has more frames; a larger number is damage.
MAX_FRAME = 10**9
# What a report reads beside the record, and what it reads where it is there: records of schema 1 lack some, those of
# schema 2 have all.
TABLES = ("wrenches", "joints", "contacts")
MORE_TABLES = ("cycles", "stances", "spatiotemporal", "features")
_TIMES = ("frame", "time_s")


@frozen_dataclass()
class Contact:
    """A foot on the ground, frames as the trial numbers them, both ends included.

    ``plates`` is empty where the load is unknown, and ``reason`` says why. ``whole`` is whether the verdict takes it as
    a whole stance; None where the record does not say it.
    """

    side: str
    plates: str
    first_frame: int
    last_frame: int
    peak_vertical_N: float
    method: str
    confidence: str
    reason: str
    whole: bool | None = None

    @property
    def known(self) -> bool:
        return bool(self.plates)


@frozen_dataclass()
class Result:
    """A result read back.

    Attributes
    ----------
    path : Path
        Of ``walk.run.json``.
    stem : str
        ``walk``.
    record : mapping
        The content of ``run.json``, without measurements of the subject that are null.
    frame : (n,) int array
        Numbered as in the trial.
    time_s : (n,) array
    sides : tuple of str
        Those that the tables have columns of, left before right.
    columns : mapping of str to (n,) array
        The columns that a report draws; NaN where the cell is empty. What a model does not give is left out.
    contacts : tuple of Contact
    cycles : mapping of str to CycleCurves
        By side; a side without a whole cycle is not in it.
    stances : mapping of str to CycleCurves
        Single stances of runs, and of contacts that lie in no cycle.
    spatiotemporal : tuple of mapping
        The rows of ``spatiotemporal.csv``, cells as text.
    features : tuple of Feature
        Empty where there is no such file: records of before.
    """

    path: Path
    stem: str
    record: Mapping[str, Any]
    frame: NDArray[np.int64]
    time_s: Array
    sides: tuple[str, ...]
    columns: Mapping[str, Array]
    contacts: tuple[Contact, ...]
    cycles: Mapping[str, CycleCurves] = field(default_factory=dict)
    stances: Mapping[str, CycleCurves] = field(default_factory=dict)
    spatiotemporal: tuple[Mapping[str, str], ...] = ()
    features: tuple[Feature, ...] = ()

    @cached_property
    def feature_values(self) -> Mapping[tuple[str, str], Sequence[float]]:
        """Each side's features by name: the value in each cycle in which it is known."""
        values: dict[tuple[str, str], list[float]] = {}
        for feature in self.features:
            if feature.cycle.isdecimal() and math.isfinite(feature.value):
                values.setdefault((feature.side, feature.name), []).append(feature.value)
        return values

    @property
    def on_ground(self) -> bool:
        """Whether the ground acts on the model: on an arm it does not."""
        return ground_column(self.sides[0], AXES[0]) in self.columns

    @property
    def is_chain(self) -> bool:
        """Whether nothing of gait is in it: an arm, a linkage, a pendulum."""
        return set(self.columns) <= set(_TIMES)

    def impacts(self, side: str) -> list[tuple[float, float]]:
        """First and last frame of each impact of a foot strike of a side; records before 0.3.0 say none."""
        of_side = (impact for impact in self.mappings("impacts") if impact.get("side") == side)
        ends = [(number_at(impact, "first_frame"), number_at(impact, "last_frame")) for impact in of_side]
        return [(first, last) for first, last in ends if first is not None and last is not None]

    @property
    def step_s(self) -> float:
        """Time from one frame to the next (1 s where there is only one frame)."""
        return float(np.median(np.diff(self.time_s))) if len(self.time_s) > 1 else 1.0

    def time_of(self, frame: float) -> float:
        """Seconds at a frame number; halves are edges between frames."""
        return float(self.time_s[0] + (frame - self.frame[0]) * self.step_s)

    def record_at(self, *keys: str) -> Any:
        """An entry of the record, None where it is absent."""
        return entry_at(self.record, *keys)

    def mapping(self, *keys: str) -> Mapping[str, Any]:
        """An entry of the record that is a mapping; empty where there is none."""
        return mapping_at(self.record, *keys)

    def mappings(self, *keys: str) -> list[Mapping[str, Any]]:
        """The mappings of an entry of the record that is a list."""
        return mappings_at(self.record, *keys)

    def number(self, *keys: str) -> float | None:
        """An entry of the record that is a number, else None."""
        return number_at(self.record, *keys)

    def trial_sha256(self) -> str:
        """The SHA-256 of the trial: of the input with that role, else of the first; empty where none has one."""
        entries = self.mappings("inputs")
        trials = [entry for entry in entries if entry.get("role") == "trial"] or entries
        return str(trials[0].get("sha256") or "") if trials else ""


def load_result(path: Path, chains: bool = False) -> Result:
    """Read a result: the record and the tables beside it; with `chains` also one that has no curve of gait.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault: damaged, absent, or of another run.
    """
    refuse_no_record(path)
    record, schema = checked_record(path)
    every = (*TABLES, *MORE_TABLES)
    files = tables_beside(path, every, every if schema > 1 else TABLES)
    tables = {kind: read_table(files[kind], _TIMES) for kind in ("wrenches", "joints")}
    if schema > 1:
        heads = {kind: names for kind, file in files.items() if (names := read_header(file))}
        refuse_lost_columns(path, heads, record)
    sides = tuple(s for s in SIDES if any(name.startswith(f"{s}_") for t in tables.values() for name in t.header))
    wrenches = _numbers(tables["wrenches"], [[ground_column(side, axis) for side in sides for axis in AXES]])
    joints = _numbers(tables["joints"], [[f"{side}_{panel.column}" for side in sides] for panel in OF_JOINTS])
    if not chains and len(wrenches) + len(joints) == 2 * len(_TIMES):
        raise GaitidError(
            f"{files['joints']}: nothing that a report draws",
            expected="ground reactions, or angles, moments or powers of hip, knee or ankle by the names of pig",
            found=f"{len(tables['joints'].header)} columns",
        )
    _refuse_other_times(files, wrenches, joints)

    def of(kind: str, read: Callable[[Path], _T], nothing: _T) -> _T:
        return read(files[kind]) if files[kind].is_file() else nothing

    result = Result(
        path=path,
        stem=path.name[: -len(RECORD_SUFFIX)],
        record=_without_unknown(record),
        frame=joints["frame"].astype(np.int64),
        time_s=joints["time_s"],
        sides=sides,
        columns={**wrenches, **joints},
        contacts=_contacts(files["contacts"], sides, record),
        cycles=of("cycles", lambda file: read_cycles(file, sides), {}),
        stances=of("stances", lambda file: read_stances(file, sides), {}),
        spatiotemporal=of("spatiotemporal", lambda file: read_texts(file, ("side", "cycle")), ()),
        features=of("features", read_features, ()),
    )
    if schema > 1:
        run = RunTables(result.columns, result.cycles, result.spatiotemporal, result.features)
        refuse_other_run(files, record, run)
        for side, stances in result.stances.items():
            known = [(c.first_frame, c.last_frame) for c in result.contacts if c.side == side and c.known]
            whole = stance_spans(files["stances"], side, stances, known, int(result.frame[0]))
            refuse_other_angles(files["stances"], side, stances, whole, result.columns)
    return result


def _without_unknown(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record without measurements of the subject that are null: nobody knows them."""
    subject = mapping_at(record, "subject")
    known = {name: m for name, m in subject.items() if not isinstance(m, Mapping) or m.get("value", m) is not None}
    return {**record, "subject": known} if subject else record


def _refuse_other_times(files: Mapping[str, Path], wrenches: Mapping[str, Array], joints: Mapping[str, Array]) -> None:
    """Refuse tables of two runs, and times that are none."""
    frame, time_s = joints["frame"], joints["time_s"]
    if not np.array_equal(wrenches["frame"], frame):
        raise GaitidError(
            f"{files['joints']}: its frames are not those of {files['wrenches'].name}",
            expected="tables of one run",
            found=f"{len(frame)} and {len(wrenches['frame'])} frames",
            todo="run gaitid run again",
        )
    if not (np.isfinite(frame).all() and np.isfinite(time_s).all() and (np.diff(time_s) > 0).all()):
        raise GaitidError(f"{files['joints']}: frame or time_s is empty or does not increase")
    if np.abs(frame).max() > MAX_FRAME or not np.array_equal(frame, np.floor(frame)):
        raise GaitidError(
            f"{files['joints']}: a frame's number is not a whole number up to {MAX_FRAME}",
            found=f"{frame[np.argmax(np.abs(frame))]:g}",
        )


def _numbers(table: Table, groups: Iterable[Sequence[str]]) -> dict[str, Array]:
    """Frame, time and those groups of columns that the table has; one that it has a part of is refused."""
    if not table.lines:
        raise GaitidError(f"{table.path}: no frames", expected="one row for every frame of the trial")
    names = [*_TIMES, *(name for group in groups if {*group} & {*table.header} for name in group)]
    refuse_missing(table.path, table.header, names)
    return dict(zip(names, columns(table, names), strict=True))


def _contacts(path: Path, sides: Sequence[str], record: Mapping[str, Any]) -> tuple[Contact, ...]:
    header, rows = read_rows(path, CONTACT_COLUMNS)
    of_record = mappings_at(record, "contacts")
    whole = {tuple(of.get(key) for key in ("side", "first_frame", "last_frame")): of.get("whole") for of in of_record}
    contacts = []
    for line, row in enumerate(rows, start=2):
        cell: dict[str, Any] = {name: row[header.index(name)].strip() for name in CONTACT_COLUMNS}
        cell |= {name: number(cell[name], path, name, line) for name in ("first_frame", "last_frame")}
        ends = cell["first_frame"], cell["last_frame"]
        if not all(abs(end) <= MAX_FRAME for end in ends) or cell["side"] not in sides:
            raise GaitidError(
                f"{path}: line {line}: not a contact",
                expected=f"side {' or '.join(sides)}, a first_frame and a last_frame",
                found=",".join(row),
            )
        cell |= {"first_frame": int(ends[0]), "last_frame": int(ends[1])}
        cell["peak_vertical_N"] = number(cell["peak_vertical_N"], path, "peak_vertical_N", line)
        known = whole.get((cell["side"], *map(int, ends)))
        contacts.append(Contact(**cell, whole=known if isinstance(known, bool) else None))
    return tuple(contacts)


# --- where loads are unknown --------------------------------------------------------------------------------------


class Span(NamedTuple):
    """Frames (both ends included) in which a foot's load is unknown, and why."""

    side: str
    first_frame: int
    last_frame: int
    reason: str


def unknown_spans(result: Result) -> list[Span]:
    """The frames in which a foot's load is unknown (its cells are empty), with the reason that the contacts give."""
    unknown: list[Span] = []
    for side in result.sides if result.on_ground else ():
        empty = np.isnan(np.array([result.columns[ground_column(side, axis)] for axis in AXES])).any(axis=0)
        for first, after in spans(empty):
            begin, end = int(result.frame[first]), int(result.frame[after - 1])
            unknown.append(Span(side, begin, end, _why(result, side, begin, end)))
    return unknown


def _why(result: Result, side: str, first: int, last: int) -> str:
    """The reasons of the contacts that overlap; where there are none, what the coverage counts."""
    reasons = [
        contact.reason or "no reason given"
        for contact in result.contacts
        if contact.side == side and not contact.known and contact.first_frame <= last and contact.last_frame >= first
    ]
    if not reasons:
        counted = result.record_at("coverage", side, "ankle", "reasons")
        reasons = [str(reason) for reason in counted] if isinstance(counted, Mapping | list) else []
    return "; ".join(dict.fromkeys(reasons)) or "no reason recorded"
