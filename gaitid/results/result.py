"""One result as it lies on disk: `walk.run.json`, and the tables beside it, each read when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.ground.contacts import BY_MOTION, SHARE_OF
from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.results.record_checks import SIDES, entry_at, mapping_at, mappings_at, number_at
from gaitid.results.tables import (
    CycleCurves,
    Feature,
    columns,
    number,
    read_cycles,
    read_features,
    read_header,
    read_rows,
    read_stances,
    read_table,
    read_texts,
)
from gaitid.trial import Array
from gaitid.write import BANDS, CONTACT_COLUMNS, TABLES

# No trial has more frames; a larger number is damage.
MAX_FRAME = 10**9
_TIMES = ("frame", "time_s")
_AXES = "xyz"


def ground_column(side: str, axis: str) -> str:
    """The column of ``wrenches.csv`` with one component of the load on a foot."""
    return f"{side}_ground_force_{axis}_N"


RECORD_SUFFIX = ".run.json"
# The folder of a batch's journal: what lies there is no result of its own.
_HIDDEN = ".gaitid"


def find_records(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The ``run.json`` files given, and all below the folders given, each once and in the order given.

    Raises
    ------
    GaitidError
        Not there, not a record, or a folder without any.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        files = records_below(path) if path.is_dir() else (path,)
        if not files:
            raise GaitidError(
                f"{path}: no result in this folder or below it",
                expected=f"files NAME{RECORD_SUFFIX} that gaitid run or gaitid batch wrote",
            )
        for file in files:
            refuse_no_record(file)
            found.setdefault(file.resolve(), file)
    return tuple(found.values())


def records_below(folder: Path) -> tuple[Path, ...]:
    """All below a folder, in the order of their names."""
    return tuple(sorted(p for p in folder.rglob(f"?*{RECORD_SUFFIX}") if _HIDDEN not in p.relative_to(folder).parts))


def refuse_no_record(path: Path) -> None:
    """Refuse a path that is not there, or has not the name of a record.

    Raises
    ------
    GaitidError
    """
    if not path.exists():
        raise GaitidError(f"{path}: no such file or folder", expected=f"a NAME{RECORD_SUFFIX}, or a folder")
    if not path.name.endswith(RECORD_SUFFIX) or path.name == RECORD_SUFFIX:
        raise GaitidError(f"{path}: not a result", expected=f"a file NAME{RECORD_SUFFIX} that gaitid run wrote")


@frozen_dataclass()
class Contact:
    """A foot on the ground, frames as the trial numbers them, both ends included.

    ``plates`` is empty where the load is unknown, and ``reason`` says why. ``whole`` is whether the verdict takes it as
    a whole stance.
    """

    side: str
    plates: str
    first_frame: int
    last_frame: int
    peak_vertical_N: float
    method: str
    confidence: str
    reason: str
    whole: bool

    @property
    def known(self) -> bool:
        return bool(self.plates)


@frozen_dataclass(eq=False)
class Result:
    """A result read back.

    Attributes
    ----------
    path : Path
        Of ``walk.run.json``.
    record : mapping
        Its content.
    """

    path: Path
    record: Mapping[str, Any]

    @property
    def stem(self) -> str:
        """``walk``."""
        return self.path.name.removesuffix(RECORD_SUFFIX)

    def file(self, table: str) -> Path:
        return self.path.with_name(f"{self.stem}.{table}.csv")

    @property
    def files(self) -> list[Path]:
        """The record and its tables, whether they are there or not."""
        return [self.path, *map(self.file, (*TABLES, *BANDS))]

    @cached_property
    def headers(self) -> Mapping[str, Sequence[str]]:
        """The names of the columns of each table that is there."""
        return {table: header for table in TABLES if (header := read_header(self.file(table)))}

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """Those that the tables by frames have columns of, left before right."""
        names = [name for table in ("wrenches", "joints") for name in self.headers.get(table, ())]
        return tuple(side for side in SIDES if any(name.startswith(f"{side}_") for name in names))

    @cached_property
    def columns(self) -> Mapping[str, Array]:
        """(frames,) array of each column of ``joints.csv`` and of the loads on the feet; NaN where a cell is empty."""
        ground = [ground_column(side, axis) for side in self.sides for axis in _AXES]
        loads = self.numbers("wrenches", [name for name in ground if name in self.headers.get("wrenches", ())])
        if not np.array_equal(loads["frame"], self.joints["frame"]):
            raise GaitidError(
                f"{self.file('joints')}: its frames are not those of {self.file('wrenches').name}",
                expected="tables of one run",
                found=f"{len(self.joints['frame'])} and {len(loads['frame'])} frames",
                todo="run gaitid run again",
            )
        return {**loads, **self.joints}

    @cached_property
    def joints(self) -> Mapping[str, Array]:
        """(frames,) array of each column of ``joints.csv``."""
        path, table = self.file("joints"), self.numbers("joints", self.headers.get("joints", ()))
        frame, time_s = table["frame"], table["time_s"]
        if not (np.isfinite(frame).all() and np.isfinite(time_s).all() and (np.diff(time_s) > 0).all()):
            raise GaitidError(f"{path}: frame or time_s is empty or does not increase")
        if np.abs(frame).max() > MAX_FRAME or not np.array_equal(frame, np.floor(frame)):
            raise GaitidError(
                f"{path}: a frame's number is not a whole number up to {MAX_FRAME}",
                found=f"{frame[np.argmax(np.abs(frame))]:g}",
            )
        return table

    def numbers(self, kind: str, names: Iterable[str]) -> dict[str, Array]:
        """Frame, time and some more columns of a table by frames."""
        table = read_table(self.file(kind), _TIMES)
        if not table.lines:
            expected = "one row for every frame of the trial"
            raise GaitidError(f"{table.path}: no frames", expected=expected, todo="run gaitid run again")
        names = list(dict.fromkeys((*_TIMES, *names)))
        return dict(zip(names, columns(table, names), strict=True))

    @cached_property
    def frame(self) -> NDArray[np.int64]:
        """(frames,) numbered as in the trial."""
        return self.joints["frame"].astype(np.int64)

    @property
    def time_s(self) -> Array:
        return self.joints["time_s"]

    @cached_property
    def cycles(self) -> Mapping[str, CycleCurves]:
        """By side; a side without a whole cycle is not in it."""
        return read_cycles(self.file("cycles"), self.sides)

    @cached_property
    def stances(self) -> Mapping[str, CycleCurves]:
        """Single stances of runs, and of contacts that lie in no cycle, by side."""
        return read_stances(self.file("stances"), self.sides)

    @cached_property
    def spatiotemporal(self) -> tuple[Mapping[str, str], ...]:
        """The rows of ``spatiotemporal.csv``, cells as text."""
        return read_texts(self.file("spatiotemporal"), ("side", "cycle"))

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        return read_features(self.file("features"))

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """In the order of the table."""
        path, of_record = self.file("contacts"), self.mappings("contacts")
        header, rows = read_rows(path, CONTACT_COLUMNS)
        whole = {
            tuple(of.get(key) for key in ("side", "first_frame", "last_frame")): of.get("whole") for of in of_record
        }
        contacts = []
        for line, row in enumerate(rows, start=2):
            cell: dict[str, Any] = {name: row[header.index(name)].strip() for name in CONTACT_COLUMNS}
            cell |= {name: number(cell[name], path, name, line) for name in ("first_frame", "last_frame")}
            ends = cell["first_frame"], cell["last_frame"]
            if not all(abs(end) <= MAX_FRAME for end in ends) or cell["side"] not in self.sides:
                raise GaitidError(
                    f"{path}: line {line}: not a contact",
                    expected=f"side {' or '.join(self.sides)}, a first_frame and a last_frame",
                    found=",".join(row),
                )
            cell |= {"first_frame": int(ends[0]), "last_frame": int(ends[1])}
            cell["peak_vertical_N"] = number(cell["peak_vertical_N"], path, "peak_vertical_N", line)
            contacts.append(Contact(**cell, whole=whole.get((cell["side"], *map(int, ends))) is True))
        return tuple(contacts)

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
        return any(ground_column(side, _AXES[0]) in self.columns for side in self.sides)

    def without(self, sides: Collection[str]) -> Result:
        """The same without the curves and figures of some sides."""
        begins, every = tuple(f"{side}_" for side in sides), len(sides) == len(SIDES)
        rest = Result(self.path, self.record)
        vars(rest).update(  # in place of what it would read
            cycles={side: of for side, of in self.cycles.items() if side not in sides},
            stances={side: of for side, of in self.stances.items() if side not in sides},
            columns={name: of for name, of in self.columns.items() if not name.startswith(begins)},
            contacts=tuple(contact for contact in self.contacts if contact.side not in sides),
            spatiotemporal=tuple(row for row in self.spatiotemporal if not every and row["side"] not in sides),
            features=tuple(feature for feature in self.features if not every and feature.side not in sides),
        )
        return rest

    def impacts(self, side: str) -> list[tuple[float, float]]:
        """First and last frame of each impact of a foot strike of a side."""
        return [(of["first_frame"], of["last_frame"]) for of in self.record["impacts"] if of["side"] == side]

    def estimated(self, side: str) -> list[tuple[int, int]]:
        """First and last frame of each contact of a side whose load was estimated from the motion."""
        of_side = (contact for contact in self.contacts if contact.side == side)
        return [(c.first_frame, c.last_frame) for c in of_side if c.method.startswith((BY_MOTION, SHARE_OF))]

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
        entries = self.record["inputs"]
        trials = [entry for entry in entries if entry["role"] == "trial"] or entries
        return str(trials[0].get("sha256") or "") if trials else ""


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
        empty = np.isnan(np.array([result.columns[ground_column(side, axis)] for axis in _AXES])).any(axis=0)
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
