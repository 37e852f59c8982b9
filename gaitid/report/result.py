"""One result as it lies on disk: `walk.run.json` and the tables beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.notes.message import SEVERITIES
from gaitid.records import frozen_dataclass
from gaitid.report.gathering import Rows, people, person_words, whose
from gaitid.report.panels import AXES, JOINT_PANELS, SIDES, Panel, ground_column
from gaitid.results.cycle_curves import CycleCurves, Feature, read_cycles, read_features, read_stances
from gaitid.results.find import RECORD_SUFFIX, find_records, refuse_no_record, tables_beside
from gaitid.results.lost_columns import refuse_lost_columns
from gaitid.results.one_run import RunTables, refuse_other_angles, refuse_other_run, stance_spans
from gaitid.results.record_checks import checked_record
from gaitid.results.tables import Table, columns, number, read_header, read_rows, read_table, read_texts, refuse_missing
from gaitid.trial import Array
from gaitid.write import CONTACT_COLUMNS

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
    record: Mapping[str, object]
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

    def has(self, panel: Panel) -> bool:
        """Whether there are columns to draw a panel of."""
        return panel.columns(self.sides)[0] in self.columns

    def impact_frames(self, side: str) -> NDArray[np.bool_]:
        """(n,) whether a frame of a side belongs to the impact of a foot strike; records before 0.3.0 say none."""
        impacts, mask = self.section("impacts"), np.zeros(len(self.frame), dtype=bool)
        for entry in impacts if isinstance(impacts, list) else []:
            if isinstance(entry, Mapping) and entry.get("side") == side:
                bounds = [entry.get(name) for name in ("first_frame", "last_frame")]
                first, last = (float(b) if isinstance(b, int | float) else float("nan") for b in bounds)
                mask |= (self.frame >= first) & (self.frame <= last)
        return mask

    @property
    def step_s(self) -> float:
        """Time from one frame to the next (1 s where there is only one frame)."""
        return float(np.median(np.diff(self.time_s))) if len(self.time_s) > 1 else 1.0

    def time_of(self, frame: float) -> float:
        """Seconds at a frame number; halves are edges between frames."""
        return float(self.time_s[0] + (frame - self.frame[0]) * self.step_s)

    def section(self, key: str) -> object:
        """A top-level entry of the record, None where it is absent."""
        return self.record.get(key)

    def record_at(self, *keys: str) -> object:
        """An entry of the record deeper down, None where it is absent."""
        entry: object = self.record
        for key in keys:
            entry = entry.get(key) if isinstance(entry, Mapping) else None
        return entry

    def trial_sha256(self) -> str:
        """The SHA-256 of the trial: of the input with that role, else of the first; empty where none has one."""
        inputs = self.section("inputs")
        entries = [e for e in inputs if isinstance(e, Mapping)] if isinstance(inputs, list) else []
        trials = [e for e in entries if e.get("role") == "trial"] or entries
        return str(trials[0].get("sha256") or "") if trials else ""

    def warnings(self) -> dict[str, list[str]]:
        """The texts of the record's warnings by their severity, the most serious first.

        Records with `schema` 2 hold objects, those before it texts without a severity, which count as "".
        """
        given = self.section("warnings")
        texts: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
        for item in given if isinstance(given, list) else [] if given in (None, "") else [given]:
            note = item if isinstance(item, Mapping) and "text" in item else {"text": item}
            texts.setdefault(str(note.get("severity", "")), []).append(str(note["text"]))
        return {severity: several for severity, several in texts.items() if several}

    def reasons(self) -> list[Mapping[str, object]]:
        """Of the verdict; none in a record of before verdicts."""
        verdict = self.section("verdict")
        given = verdict.get("reasons") if isinstance(verdict, Mapping) else None
        return [reason for reason in given if isinstance(reason, Mapping)] if isinstance(given, list) else []


@frozen_dataclass()
class Session:
    """Results that belong together: one subject, one session, one condition, each empty where nothing says it."""

    subject: str
    session: str
    condition: str
    results: tuple[Result, ...]


def load_results(
    paths: Sequence[Path], say: Callable[[str], None] = lambda _: None, chains: bool = False
) -> tuple[Session, ...]:
    """The results given, and all below the folders given, by session, in the order of the first of each.

    Subject, session and condition are what the ``batch.csv`` above a result says. Without one, the results of a folder
    are one session of its name; sessions are of one subject, whom nothing names, unless mass or leg length say
    otherwise: then each folder is a subject, or several where its own trials cannot be of one person. Results of
    different models, whose curves are not of the same quantities, are sessions of their own, with the model as the
    condition. `say` is told what is read. With `chains` results of chains that do not walk are taken too.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    grouped: dict[tuple[str, str, str], list[Result]] = {}
    alone: dict[Path, list[Result]] = {}
    tables: dict[Path, Rows] = {}
    for path in find_records(paths):
        say(f"reading {path.name}")
        result, labels = load_result(path, chains), whose(path, tables)
        if labels is None:
            alone.setdefault(path.absolute().parent, []).append(result)
        else:
            grouped.setdefault((labels.subject, labels.session, labels.condition), []).append(result)
    one_body = len(people([result.record for results in alone.values() for result in results])) < 2
    for folder, results in alone.items():
        bodies = people([result.record for result in results])
        for i, places in enumerate(bodies, start=1):
            of_one = [results[place] for place in places]
            who = f", {person_words([r.record for r in of_one], i)}" if len(bodies) > 1 else ""
            key = ("" if one_body else folder.name + who, folder.name if one_body else "", "")
            grouped.setdefault(key, []).extend(of_one)
    return tuple(Session(*key, results) for of, found in grouped.items() for key, results in _by_model(of, found))


def _by_model(
    key: tuple[str, str, str], results: Sequence[Result]
) -> list[tuple[tuple[str, str, str], tuple[Result, ...]]]:
    """The results of each model with the key of their session, which names the model where there are several."""
    by_model: dict[str, list[Result]] = {}
    for result in results:
        by_model.setdefault(str(result.record_at("model", "name") or ""), []).append(result)
    if len(by_model) == 1:
        return [(key, tuple(results))]
    subject, session, condition = key
    return [
        ((subject, session, " ".join(part for part in (condition, f"model {model}") if part)), tuple(of_model))
        for model, of_model in by_model.items()
    ]


def load_result(path: Path, chains: bool = False) -> Result:
    """Read a result: the record and the tables beside it; with `chains` also one that has no curve of gait.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault: damaged, absent, or of another run.
    """
    refuse_no_record(path)
    record, schema = checked_record(path)
    stem = path.name[: -len(RECORD_SUFFIX)]
    siblings = tables_beside(path, (*TABLES, *MORE_TABLES), TABLES if schema == 1 else (*TABLES, *MORE_TABLES))
    tables = {kind: read_table(siblings[kind], _TIMES) for kind in ("wrenches", "joints")}
    if schema > 1:
        refuse_lost_columns(
            path, {kind: names for kind, file in siblings.items() if (names := read_header(file))}, record
        )
    sides = tuple(s for s in SIDES if any(name.startswith(f"{s}_") for t in tables.values() for name in t.header))
    ground = [tuple(ground_column(side, axis) for side in sides for axis in AXES)]
    wrenches = _numbers(tables["wrenches"], ground)
    joints = _numbers(tables["joints"], [panel.columns(sides) for panel in JOINT_PANELS])
    if not chains and len(wrenches) + len(joints) == 2 * len(_TIMES):
        raise GaitidError(
            f"{siblings['joints']}: nothing that a report draws",
            expected="ground reactions, or angles, moments or powers of hip, knee or ankle by the names of pig",
            found=f"{len(tables['joints'].header)} columns",
        )
    _refuse_other_times(siblings, wrenches, joints)
    there = {kind for kind in MORE_TABLES if siblings[kind].is_file()}
    result = Result(
        path=path,
        stem=stem,
        record=_without_unknown(record),
        frame=joints["frame"].astype(np.int64),
        time_s=joints["time_s"],
        sides=sides,
        columns={**wrenches, **joints},
        contacts=_contacts(siblings["contacts"], sides, record),
        cycles=read_cycles(siblings["cycles"], sides) if "cycles" in there else {},
        stances=read_stances(siblings["stances"], sides) if "stances" in there else {},
        spatiotemporal=read_texts(siblings["spatiotemporal"], ("side", "cycle")) if "spatiotemporal" in there else (),
        features=read_features(siblings["features"]) if "features" in there else (),
    )
    if schema > 1:
        _refuse_other_run(result, siblings)
    return result


def _without_unknown(record: Mapping[str, object]) -> Mapping[str, object]:
    """The record without measurements of the subject that are null: nobody knows them."""
    subject = record.get("subject")
    if not isinstance(subject, Mapping):
        return record
    null = {name for name, m in subject.items() if isinstance(m, Mapping) and "value" in m and m["value"] is None}
    return {**record, "subject": {name: m for name, m in subject.items() if name not in null}}


def _refuse_other_run(result: Result, siblings: Mapping[str, Path]) -> None:
    """Refuse tables that are not of the record's run; records of schema 1 say too little of it."""
    tables = RunTables(result.columns, result.cycles, result.spatiotemporal, result.features)
    refuse_other_run(siblings, result.record, tables)
    for side, stances in result.stances.items():
        known = [(c.first_frame, c.last_frame) for c in result.contacts if c.side == side and c.known]
        spans = stance_spans(siblings["stances"], side, stances, known, int(result.frame[0]))
        refuse_other_angles(siblings["stances"], side, stances, spans, result.columns)


def _refuse_other_times(
    siblings: Mapping[str, Path], wrenches: Mapping[str, Array], joints: Mapping[str, Array]
) -> None:
    """Refuse tables of two runs, and times that are none."""
    if not np.array_equal(wrenches["frame"], joints["frame"]):
        raise GaitidError(
            f"{siblings['joints']}: its frames are not those of {siblings['wrenches'].name}",
            expected="tables of one run",
            found=f"{len(joints['frame'])} and {len(wrenches['frame'])} frames",
            todo="run gaitid run again",
        )
    frame, time_s = joints["frame"], joints["time_s"]
    if not (np.isfinite(frame).all() and np.isfinite(time_s).all() and (np.diff(time_s) > 0).all()):
        raise GaitidError(f"{siblings['joints']}: frame or time_s is empty or does not increase")
    if np.abs(frame).max() > MAX_FRAME or not np.array_equal(frame, np.floor(frame)):
        raise GaitidError(
            f"{siblings['joints']}: a frame's number is not a whole number up to {MAX_FRAME}",
            found=f"{frame[np.argmax(np.abs(frame))]:g}",
        )


def _numbers(table: Table, groups: Iterable[Sequence[str]]) -> dict[str, Array]:
    """Frame, time and those groups of columns that the table has; one that it has a part of is refused."""
    if not table.lines:
        raise GaitidError(f"{table.path}: no frames", expected="one row for every frame of the trial")
    header = set(table.header)
    names = [*_TIMES, *(name for group in groups if set(group) & header for name in group)]
    refuse_missing(table.path, table.header, names)
    return dict(zip(names, columns(table, names), strict=True))


def _contacts(path: Path, sides: Sequence[str], record: Mapping[str, object]) -> tuple[Contact, ...]:
    header, rows = read_rows(path, CONTACT_COLUMNS)
    of_record = record.get("contacts")
    entries = [entry for entry in of_record if isinstance(entry, Mapping)] if isinstance(of_record, list) else []
    keys = ("side", "first_frame", "last_frame")
    whole = {tuple(entry.get(key) for key in keys): entry.get("whole") for entry in entries}
    contacts = []
    for line, row in enumerate(rows, start=2):
        cell = {name: row[header.index(name)].strip() for name in CONTACT_COLUMNS}
        ends = [number(cell[name], path, name, line) for name in ("first_frame", "last_frame")]
        if not all(abs(end) <= MAX_FRAME for end in ends) or cell["side"] not in sides:
            raise GaitidError(
                f"{path}: line {line}: not a contact",
                expected=f"side {' or '.join(sides)}, a first_frame and a last_frame",
                found=",".join(row),
            )
        contacts.append(
            Contact(
                side=cell["side"],
                plates=cell["plates"],
                first_frame=int(ends[0]),
                last_frame=int(ends[1]),
                peak_vertical_N=number(cell["peak_vertical_N"], path, "peak_vertical_N", line),
                method=cell["method"],
                confidence=cell["confidence"],
                reason=cell["reason"],
                whole=known if isinstance(known := whole.get((cell["side"], *map(int, ends))), bool) else None,
            )
        )
    return tuple(contacts)
