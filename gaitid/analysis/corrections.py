"""``walk.corrections.yaml``: what an analyst overrides in one trial, with author, date and reason -> a corrected trial,
and what each entry did to its features.

Labels, markers and passes are corrected in the trial itself; events, cycles, contacts and support go with it
(`Trial.corrections`) to the stages that take them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.result import Result
from gaitid.errors import GaitidError, TrialError
from gaitid.gait import FIGURES
from gaitid.gait.cycles import ADD, MOVE, REMOVE, CycleByHand, EventByHand, GaitByHand
from gaitid.gait.feature_list import FEATURES
from gaitid.gait.spatiotemporal import summary
from gaitid.ground.by_hand import ByHand
from gaitid.model import specs
from gaitid.model.fields import MISSING, Faults, Fields, nearest
from gaitid.model.yaml_file import load_yaml
from gaitid.notes import note
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Trial

_SIDES, _KINDS, _DO = ("left", "right"), ("strike", "off"), (ADD, MOVE, REMOVE)
#: With more entries than these only what all do together is computed: each alone costs one more analysis of the trial.
MOST_ALONE = 12
# Of a number in the record; a feature that is the same to these did not move.
_DIGITS = 5


class Entry(NamedTuple):
    """One correction.

    Attributes
    ----------
    of : str
        Its list: ``events``, ``contacts``, ...
    name : str
        File and place in it, for messages.
    values : mapping
        What it says, by the keys of the file; frames as the file of the trial numbers them.
    author, date, reason : str
    """

    of: str
    name: str
    values: Mapping[str, Any]
    author: str
    date: str
    reason: str

    def record(self) -> dict[str, Any]:
        return {"list": self.of, **self.values, "author": self.author, "date": self.date, "reason": self.reason}


@frozen_dataclass(eq=False)
class Corrections:
    """What was corrected in a trial.

    Attributes
    ----------
    entries : tuple of Entry
    trial : Trial
        As it was read.
    """

    entries: tuple[Entry, ...]
    trial: Trial

    def of(self, name: str) -> list[Entry]:
        """The entries of one list."""
        return [entry for entry in self.entries if entry.of == name]

    @property
    def supported(self) -> bool:
        """Whether something besides the feet carries the body for a while."""
        return bool(self.of("support"))

    @cached_property
    def gait(self) -> GaitByHand:
        """What is said of events and cycles."""
        first, rate_hz = self.trial.first_frame, self.trial.rate_hz

        def seconds(entry: Entry, key: str) -> float | None:
            return (entry.values[key] - first) / rate_hz if key in entry.values else None

        events = tuple(
            EventByHand(e.name, v["side"], v["kind"], v["do"], (v["frame"] - first) / rate_hz, seconds(e, "from"))
            for e in self.of("events")
            for v in [e.values]
        )
        cycles = tuple(
            CycleByHand(e.name, e.values["side"], e.values["cycle"], e.reason, seconds(e, "first_frame"))
            for e in self.of("leave_out")
            if "cycle" in e.values
        )
        return GaitByHand(events, cycles, rate_hz, first)

    @property
    def contacts(self) -> tuple[ByHand, ...]:
        """What is said of feet and plates; frames as the file numbers them."""
        return tuple(
            ByHand(
                e.values["side"],
                tuple(int(n) for n in re.findall(r"\d+", e.values["plates"])),
                e.values["first_frame"],
                e.values["last_frame"],
                e.name,
            )
            for e in self.of("contacts")
        )


def gait_by_hand(trial: Trial) -> GaitByHand:
    """What corrections say of the events and cycles of a trial."""
    return trial.corrections.gait if trial.corrections is not None else GaitByHand()


def contacts_by_hand(trial: Trial) -> tuple[ByHand, ...]:
    """What corrections say of the feet and plates of a trial."""
    return trial.corrections.contacts if trial.corrections is not None else ()


def with_support(model: specs.Model, trial: Trial) -> specs.Model:
    """The model, as of a body that the ground alone does not carry, where corrections of the trial say so."""
    if trial.corrections is None or not trial.corrections.supported:
        return model
    return model._replace(settings=model.settings._replace(external_support=True))


# --- the file -------------------------------------------------------------------------------------------------


def read_corrections(file: Path, trial: Trial, sha256: str) -> Trial:
    """A trial as a file of corrections has it.

    Parameters
    ----------
    file : Path
    trial : Trial
        As it was read.
    sha256 : str
        Of its file.

    Raises
    ------
    GaitidError
        The file is of another trial, has a key that nobody knows or lacks one, or names what the trial does not have.
    """
    content = load_yaml(file)
    faults = Faults(str(file), file)
    top = Fields(content, "", faults)
    made_for = top.text("trial_sha256").strip()
    if isinstance(top.raw("trial_sha256", None), str) and made_for.lower() != sha256:
        raise TrialError(
            f"{file}: the corrections are of another trial",
            expected=f"trial_sha256 {sha256}",
            found=made_for or "nothing",
            todo="take the file away, or leave it out with --corrections none",
        )
    entries = tuple(_entry(fields, of, trial, file) for of in _LISTS if top.has(of) for fields in top.entries(of))
    top.done()
    if not entries and not faults.lines:
        faults.add(f"no correction in it: expected entries of {', '.join(_LISTS)}, or no file")
    faults.raise_if_any()
    corrected = corrected_trial(trial, entries, faults)
    faults.raise_if_any()
    return corrected


def _entry(fields: Fields, of: str, trial: Trial, file: Path) -> Entry:
    read = _Read(fields, trial)
    _LISTS[of](read)
    author, reason = fields.text("author"), fields.text("reason")
    for key, text in (("author", author), ("reason", reason)):
        if isinstance(fields.raw(key, None), str) and not text.strip():
            fields.faults.add(f"{fields.at(key)}: expected some words, found none")
    date = fields.raw("date")
    date = date.isoformat() if isinstance(date, datetime.date) else date
    if fields.has("date") and not (isinstance(date, str) and _is_date(date)):
        fields.faults.add(f"{fields.at('date')}: expected a date as 2026-12-01, found {date!r}")
    fields.done()
    return Entry(of, f"{file}: {fields.path}", read.values, author, str(date), reason)


def _is_date(text: str) -> bool:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


class _Read:
    """An entry whose keys are read one by one into `values`."""

    def __init__(self, fields: Fields, trial: Trial) -> None:
        self.fields, self.trial = fields, trial
        self.values: dict[str, Any] = {}

    def word(self, key: str, among: Sequence[str] = ()) -> str:
        self.values[key] = word = self.fields.text(key, among=among)
        return word

    def frame(self, key: str) -> int:
        first = self.trial.first_frame
        frame = self.fields.integer(key, MISSING, first, first + self.trial.n_frames - 1)
        self.values[key] = frame
        return frame

    def frames(self, required: bool = True) -> None:
        if not required and not (self.fields.has("first_frame") or self.fields.has("last_frame")):
            return
        first, last = self.frame("first_frame"), self.frame("last_frame")
        if self.fields.values.keys() >= {"first_frame", "last_frame"} and first > last:
            self.fields.faults.add(f"{self.fields.path}: the last frame lies before the first")


def _event(read: _Read) -> None:
    read.word("side", _SIDES)
    read.word("kind", _KINDS)
    do = read.word("do", _DO)
    read.frame("frame")
    if do == MOVE and read.fields.has("from"):
        read.frame("from")


def _contact(read: _Read) -> None:
    read.word("side", _SIDES)
    plates = read.fields.raw("plates")
    text = "+".join(map(str, plates)) if isinstance(plates, list) and plates else str(plates)
    known = re.fullmatch(r"none|\d+(\+\d+)*", text) is not None
    if read.fields.has("plates") and not known:
        read.fields.faults.add(f"{read.fields.at('plates')}: expected a plate, as 2 or 1+2, or none, found {plates!r}")
    if known and len({*text.split("+")}) < len(text.split("+")):
        read.fields.faults.add(f"{read.fields.at('plates')}: a plate is given twice, found {plates!r}")
    read.values["plates"] = text
    read.frames()


def _left_out(read: _Read) -> None:
    if read.fields.has("cycle"):
        read.word("side", _SIDES)
        read.values["cycle"] = read.fields.integer("cycle", MISSING, 1, 1_000_000)
        read.frames(required=False)
    elif read.fields.has("marker"):
        read.word("marker")
        read.frames()
    else:
        read.fields.faults.add(f"{read.fields.path}: expected a cycle with its side, or a marker with frames")


def _label(read: _Read) -> None:
    if read.word("from") == read.word("to") or not read.values["to"].strip():
        read.fields.faults.add(f"{read.fields.at('to')}: expected another label, found {read.values['to']!r}")
    read.frames(required=False)


def _support(read: _Read) -> None:
    read.word("side", _SIDES)
    read.frames()


_LISTS: Mapping[str, Callable[[_Read], None]] = {
    "labels": _label,
    "leave_out": _left_out,
    "passes": _Read.frames,
    "contacts": _contact,
    "support": _support,
    "events": _event,
}


# --- the trial ------------------------------------------------------------------------------------------------


def corrected_trial(trial: Trial, entries: Sequence[Entry], faults: Faults | None = None) -> Trial:
    """A trial with some corrections; what cannot be done is added to the faults."""
    faults = Faults("") if faults is None else faults
    of = Corrections(tuple(entries), trial)
    relabelled = _relabelled(trial, of.of("labels"), faults)
    points = np.array(relabelled.points_g)
    for entry in of.of("leave_out"):
        if "marker" in entry.values and _known("marker", entry, relabelled.labels, faults):
            points[_span(entry, trial), relabelled.labels.index(entry.values["marker"])] = np.nan
    passes = tuple(sorted((_span(entry, trial) for entry in of.of("passes")), key=lambda one: one.start))
    if any(a.stop > b.start for a, b in pairwise(passes)):
        faults.add("passes: two of them share a frame")
    if passes:
        outside = np.ones(trial.n_frames, dtype=bool)
        for one in passes:
            outside[one] = False
        points[outside] = np.nan
    done = [f"{len(of.of(name))} in {name}" for name in _LISTS if of.of(name)]
    notes = (note("corrected", n=len(entries), done=done),) if entries else ()
    return replace(relabelled, points_g=points, notes=(*trial.notes, *notes), passes=passes, corrections=of)


def _span(entry: Entry, trial: Trial) -> slice:
    first, last = entry.values["first_frame"], entry.values["last_frame"]
    return slice(first - trial.first_frame, last - trial.first_frame + 1)


def _relabelled(trial: Trial, entries: Iterable[Entry], faults: Faults) -> Trial:
    """The trial with markers renamed, or exchanged, in all frames or in some."""
    labels, points = list(trial.labels), np.array(trial.points_g)
    now = {label: label for label in labels}
    for entry in entries:
        was, to = entry.values["from"], entry.values["to"]
        if not _known("from", entry, labels, faults):
            continue
        i = labels.index(was)
        if "first_frame" in entry.values:
            if _known("to", entry, labels, faults):
                j, rows = labels.index(to), _span(entry, trial)
                points[rows, [i, j]] = points[rows, [j, i]]
            continue
        names = {was: to, to: was}
        labels = [names.get(label, label) for label in labels]
        now = {label: names.get(name, name) for label, name in now.items()}
    computed = tuple((now.get(label, label), a, b) for label, a, b in trial.computed)
    return replace(trial, labels=tuple(labels), points_g=points, computed=computed)


def _known(key: str, entry: Entry, labels: Sequence[str], faults: Faults) -> bool:
    label = entry.values[key]
    if label not in labels:
        place = entry.name.rpartition(": ")[2]
        faults.add(f"{place}.{key}: no marker {label!r} in the trial{nearest(label, labels)}")
    return label in labels


# --- what it did ----------------------------------------------------------------------------------------------

_EFFECTS: WeakKeyDictionary[Result, dict[str, Any]] = WeakKeyDictionary()


def effects(result: Result) -> dict[str, Any]:
    """What corrections did to the features of a result, for its record; empty without any.

    Each feature, and each figure of the strides, that moved, as the mean over the cycles of a side: `before` without
    the entry and with all others, `after` with all.
    """
    corrections = result.trial.corrections
    if corrections is None:
        return {}
    if result not in _EFFECTS:
        entries = corrections.entries
        alone = len(entries) <= MOST_ALONE
        now = _means(result)
        together = _moved(result, (), now)
        rows = [
            {**e.record(), **(_moved(result, [o for o in entries if o is not e], now) if alone else {})}
            for e in entries
        ]
        _EFFECTS[result] = {"entries": rows, "together": together}
    return _EFFECTS[result]


def _moved(result: Result, entries: Iterable[Entry], now: Mapping[tuple[str, str, str], float]) -> dict[str, Any]:
    """The features that are other with these entries alone, or why the trial is refused then."""
    corrections, pipeline = result.trial.corrections, result.pipeline
    trial = corrected_trial(corrections.trial, tuple(entries))
    others = tuple(entry for entry in pipeline.by_hand if entry not in corrections.contacts)
    try:
        before = _means(pipeline.with_(trial=trial, by_hand=(*others, *contacts_by_hand(trial))).result)
    except GaitidError as error:
        return {"moved": [], "without_it": error.line()}
    return {
        "moved": [
            {"side": side, "feature": name, "unit": unit, "before": float(was), "after": float(now_is)}
            for (side, name, unit), value in now.items()
            if (was := _short(before.get((side, name, unit), np.nan))) != (now_is := _short(value))
        ]
    }


def _short(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


def _means(result: Result) -> dict[tuple[str, str, str], float]:
    """The mean of each feature over the cycles of a side, by side, name and unit; NaN where none is known."""
    from gaitid.analysis.cycle_curves import curves_of
    from gaitid.analysis.features import features

    found = features(result, curves_of(result))
    sides = np.array([cycle.side for cycle in found.cycles])
    means: dict[tuple[str, str, str], float] = {}
    for side in result.sides:
        figures = summary(result.gait.strides, side)["mean"]
        means |= {(side, name, ""): figures[name] for name in FIGURES}
        for values, feature in zip(found.value[sides == side].T, FEATURES, strict=True):
            known = values[np.isfinite(values)]
            means[side, feature.name, feature.unit] = float(known.mean()) if len(known) else np.nan
    return means
