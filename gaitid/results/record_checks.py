"""A `run.json` read back and looked over, and its entries by their keys."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaitid.disk.regular import read_record
from gaitid.errors import GaitidError
from gaitid.notes.message import LEVELS
from gaitid.trial import Array
from gaitid.write import SCHEMA

SIDES = ("left", "right")
# What every record has (docs/record.md). Keys that come later do not belong here.
_SECTIONS: Mapping[str, type] = {
    "command": list,
    "inputs": list,
    "trial": dict,
    "model": dict,
    "settings": dict,
    "subject": dict,
    "segments": dict,
    "conventions": dict,
    "contacts": list,
    "impacts": list,
    "events": dict,
    "coverage": dict,
    "quality": dict,
    "warnings": list,
    "verdict": dict,
}
# Lists whose entries are objects, with the keys of each that a page shows, and what they hold.
_ENTRIES: Mapping[str, Mapping[str, type]] = {
    "inputs": {"role": str, "path": str},
    "contacts": {"side": str, "first_frame": int, "last_frame": int},
    "impacts": {"side": str, "first_frame": int, "last_frame": int},
    "warnings": {"severity": str, "code": str, "text": str},
}
_WORDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number", float: "a number"}
# kg; nobody is known to have weighed more than 635.
_MAX_MASS = 1000.0


def checked_record(path: Path) -> Mapping[str, Any]:
    """The content of a ``run.json`` (docs/record.md).

    Raises
    ------
    GaitidError
        One line that begins with the file: no record, a newer schema, a key that is missing or not of its kind, a word
        or a value that gaitid does not write.
    """
    record = read_record(path)
    _check_schema(path, record)
    if missing := [key for key in _SECTIONS if key not in record]:
        raise _wrong(path, f"without {', '.join(missing)}", "every key that gaitid run writes")
    for key, kind in _SECTIONS.items():
        _check_kind(path, key, record[key], kind)
    for key, fields in _ENTRIES.items():
        for number, entry in enumerate(record[key], start=1):
            _check_kind(path, f"{key}, entry {number}", entry, dict)
            for name, kind in fields.items():
                _check_kind(path, f"{key}, entry {number}, {name}", entry.get(name), kind)
    for name, kind in (("stem", str), ("frames", int), ("first_frame", int), ("camera_rate_hz", float)):
        _check_kind(path, f"trial.{name}", record["trial"].get(name), kind)
    if record["trial"]["frames"] < 1 or not 0 < record["trial"]["camera_rate_hz"] < math.inf:
        raise _wrong(path, "trial: impossible", "one frame or more, and a rate above 0 Hz")
    _check_subject(path, record["subject"])
    _check_events(path, record["events"])
    _check_verdict(path, record["verdict"])
    return record


def refuse_other_frames(path: Path, frame: Array | NDArray[np.int64], record: Mapping[str, Any]) -> None:
    """Refuse a table by frames that does not hold all of the record's trial.

    Parameters
    ----------
    path : Path
        Of the table.
    frame : (n,) array
    record : mapping
    """
    first, n = record["trial"]["first_frame"], record["trial"]["frames"]
    if len(frame) != n or frame[0] != first or frame[-1] != first + n - 1:
        found = f"{len(frame)} from {frame[0]:g} to {frame[-1]:g}" if len(frame) else "none"
        raise other_run(path, f"frames {first} to {first + n - 1} of the trial, as its run.json says", found)


def other_run(path: Path, expected: str, found: str) -> GaitidError:
    """A table that is cut, or of another run than the record beside it."""
    return GaitidError(
        f"{path}: not whole, or of another run",
        expected=expected,
        found=found,
        todo="run gaitid run again, or move the files of one run together",
    )


def _check_schema(path: Path, record: Mapping[str, Any]) -> None:
    if "schema" not in record:
        raise _wrong(path, "without schema", "every key that gaitid run writes")
    schema = record["schema"]
    if type(schema) is not int or schema < SCHEMA:
        raise _wrong(path, "schema: not one of gaitid", f"{SCHEMA}", schema)
    if schema > SCHEMA:
        raise GaitidError(
            f"{path}: written by a newer gaitid",
            expected=f"schema {SCHEMA}",
            found=f"schema {_shown(schema)}",
            todo="update gaitid, or run gaitid run again with this one",
        )


def _check_subject(path: Path, subject: Mapping[str, Any]) -> None:
    """Every measurement is an object whose value is a number, a word or unknown; a mass is one that a body can have."""
    for name, entry in subject.items():
        _check_kind(path, f"subject.{name}", entry, dict)
        if "value" not in entry:
            raise _wrong(path, f"subject.{name}: without its value", "a number, a text or null")
        value = entry["value"]
        if value is not None and not isinstance(value, str):
            _check_kind(path, f"subject.{name}.value", value, float)
    mass = subject.get("mass", {}).get("value")
    if isinstance(mass, str):
        raise _wrong(path, "subject.mass: not a number", "kg, or null", mass)
    if mass is not None and not 0 < mass < _MAX_MASS:
        raise _wrong(path, "subject.mass: impossible", f"above 0 and below {_MAX_MASS:g} kg, or null", mass)


def _check_events(path: Path, events: Mapping[str, Any]) -> None:
    _check_kind(path, "events.cycles", events.get("cycles"), int)
    _check_kind(path, "events.used", events.get("used"), list)
    for number, event in enumerate(events["used"], start=1):
        _check_kind(path, f"events.used, entry {number}", event, dict)
        _check_kind(path, f"events.used, entry {number}, time_s", event.get("time_s"), float)


def _check_verdict(path: Path, verdict: Mapping[str, Any]) -> None:
    for name in ("trial", *(side for side in SIDES if side in verdict)):
        if verdict.get(name) not in LEVELS:
            raise _wrong(path, f"verdict.{name}: unknown", " or ".join(LEVELS), verdict.get(name))
    _check_kind(path, "verdict.reasons", verdict.get("reasons"), list)
    for number, reason in enumerate(verdict["reasons"], start=1):
        _check_kind(path, f"verdict.reasons, entry {number}", reason, dict)
        _check_kind(path, f"verdict.reasons, entry {number}, text", reason.get("text"), str)
        if reason.get("lowers_to") not in LEVELS:
            words = " or ".join(LEVELS)
            raise _wrong(path, f"verdict.reasons, entry {number}, lowers_to: unknown", words, reason.get("lowers_to"))


def _check_kind(path: Path, name: str, value: Any, kind: type) -> None:
    """Refuse what is not of its kind; a truth value is no number, and neither is infinity."""
    if kind is float:
        good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    else:
        good = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    if not good:
        raise _wrong(path, f"{name}: not {_WORDS[kind]}", f"{_WORDS[kind]}, as gaitid run writes it", value)


_NOTHING = object()


def _wrong(path: Path, what: str, expected: str, found: Any = _NOTHING) -> GaitidError:
    shown = {} if found is _NOTHING else {"found": _shown(found)}
    return GaitidError(f"{path}: {what}", expected=expected, todo="run gaitid run again", **shown)


def _shown(value: Any) -> str:
    """A value in a few words; integers may be too long to be written."""
    if isinstance(value, dict | list):
        return f"{_WORDS[type(value)]} of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a number of more than 40 digits"
    return "null" if value is None else ascii(value)[:60]


def entry_at(record: Mapping[str, Any], *keys: str) -> Any:
    """An entry deeper down; None where it is absent."""
    entry: Any = record
    for key in keys:
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def mapping_at(record: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """An entry that is a mapping; empty where there is none."""
    entry = entry_at(record, *keys)
    return entry if isinstance(entry, Mapping) else {}


def mappings_at(record: Mapping[str, Any], *keys: str) -> list[Mapping[str, Any]]:
    """The mappings of an entry that is a list; none where there is none."""
    entry = entry_at(record, *keys)
    return [of for of in entry if isinstance(of, Mapping)] if isinstance(entry, list) else []


def number_at(record: Mapping[str, Any], *keys: str) -> float | None:
    """An entry that is a number; None where there is none."""
    entry = entry_at(record, *keys)
    return float(entry) if isinstance(entry, int | float) and not isinstance(entry, bool) else None
