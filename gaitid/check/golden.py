"""Did a result move? Every table of golden results kept beside the trials, against what `run` would write now."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.check.findings import FAIL, PASS, WARN, Finding, amount, distance, quantity_of, unit_of
from gaitid.check.limits import TOLERANCES
from gaitid.disk.regular import read_record, read_text_back
from gaitid.errors import GaitidError
from gaitid.model.fields import mapping_under
from gaitid.model.settings import READER
from gaitid.records import frozen_dataclass
from gaitid.run import RunOptions, Setup, inputs_of
from gaitid.run.files import reader_settings
from gaitid.settings import OPTIONS
from gaitid.trial import Array
from gaitid.write import FRAMES_OF_EXPRESSION, TABLES, TRIAL_COLUMNS

# The column of a tidy table whose rows say their units.
_TIDY = "value"
# Tables of `run` that must be there; the others are compared where kept.
_REQUIRED = ("wrenches", "joints")
# Settings that have an option of their own.
_FLAGS = {"cutoff_hz": "--cutoff", "force_cutoff_hz": "--force-cutoff"}
# What `check` takes from the golden result itself: it says what is written, not what is computed.
_FOLLOWED = {"express_in", "contributions", "observer"}


@frozen_dataclass()
class Table:
    """A CSV of `run`.

    Attributes
    ----------
    keys : sequence of tuple of str
        What names each row.
    columns : mapping of name to (rows,) array
        Of the columns that hold a quantity; NaN where a cell is empty.
    names : sequence of str
        Of all columns but those that say which trial it is: a result of before verdicts has none of them.
    """

    keys: Sequence[tuple[str, ...]]
    columns: Mapping[str, Array]
    names: Sequence[str]


@dataclass
class Largest:
    """The largest difference of one quantity so far and where it is; all columns with one above the tolerance."""

    size: float = -1.0
    where: str = ""
    columns: list[str] = field(default_factory=list)


def compare(
    result: Result, setup: Setup, path: Path, folder: Path, tolerances: Mapping[str, float] = TOLERANCES
) -> list[Finding]:
    """What moved against the golden results kept in a folder, by how much, and since which version or setting.

    Parameters
    ----------
    result : Result
    setup : Setup
    path : Path
        The trial.
    folder : Path
        With ``<stem>.wrenches.csv`` and ``<stem>.joints.csv``, and what else `run` wrote of it.
    tolerances : mapping of quantity to float
    """
    findings: list[Finding] = []
    record, unread = _record(folder / f"{path.stem}.run.json")
    largest: dict[str, Largest] = {}
    compared: list[str] = []
    for name in TABLES:
        file = folder / f"{path.stem}.{name}.csv"
        if not file.exists():
            if name in _REQUIRED:
                made = f"make one with: {_command(path, setup.options, folder)}"
                return [Finding("golden", FAIL, f"no golden result {file}; {made}")]
            continue
        try:
            old = _table(read_text_back(file, "CSV"), name, file.name)
            new = _table(_written(name, result, old.names, record), name, file.name)
        except GaitidError as error:
            return [Finding("golden", FAIL, error.line())]
        findings += _shape(name, old, new)
        findings += _cells(name, old, new, tolerances, largest)
        compared.append(name)
    for quantity, difference in largest.items():
        limit = tolerances[quantity]
        if difference.size > limit:
            n = len(difference.columns) - 1
            more = f" (+{n} column{'s' if n > 1 else ''})" if n else ""
            text = f"{difference.where} moved by {amount(difference.size, quantity)}{more}"
            findings.append(Finding("golden", FAIL, text, difference.size, limit, unit_of(quantity)))
    changes = _changes(record, result, setup, path)
    judged = _verdict_moved(record, result)
    if findings:
        return [Finding("golden record", FAIL, unread or _since(record, changes)), *findings, *judged]
    moved = ", ".join(f"{q.partition('_')[0]} {amount(d.size, q)}" for q, d in largest.items() if d.size > 0)
    how = f"largest differences: {moved}" if moved else "to the last digit"
    findings = [Finding("golden", PASS, f"{', '.join(compared)} as golden ({how})")]
    if unread:
        findings.append(Finding("golden record", WARN, unread))
    if changes:
        findings.append(Finding("golden record", WARN, f"same numbers since {', '.join(changes)}"))
    return [*findings, *judged]


def _verdict_moved(record: Mapping[str, Any], result: Result) -> list[Finding]:
    """That the verdict is another; a record of before verdicts holds none."""
    before, now = mapping_under(record, "verdict").get("trial"), result.verdict.trial
    if before is None or before == now:
        return []
    return [Finding("golden record", WARN, f"the verdict was {_value(before)}, and is {now}")]


def _command(path: Path, options: RunOptions, folder: Path) -> str:
    """The command that makes the golden result of a trial with these options, for a shell."""
    words = ["gaitid", "run", "--model", options.model]
    words += [word for name, file in options.input_files.items() for word in (OPTIONS[name].flag, str(file))]
    words += [word for text in options.functional for word in (OPTIONS["functional"].flag, text)]
    words += [word for segment, file in options.loads for word in (OPTIONS["loads"].flag, f"{segment}={file}")]
    for key, value in options.overrides.items():
        text = value if isinstance(value, str) else json.dumps(value)
        words += [_FLAGS[key], text] if key in _FLAGS else ["--set", f"{key}={text}"]
    for key in READER:
        if (value := getattr(options.reader, key)) is not None:
            words += ["--set", f"{key}={value}"]
    if options.reader.subject_prefix is not None:
        words += ["--subject-prefix", options.reader.subject_prefix]
    words += [word for entry in options.assign for word in ("--assign", entry.words)]
    words += ["--require-forces"] if options.require_forces else []
    return shlex.join([*words, "-o", str(folder), "--", str(path)])


# --- tables -------------------------------------------------------------------------------------------------


def _written(name: str, result: Result, names: Sequence[str], record: Mapping[str, Any]) -> str:
    """What `run` would write now, with the frames of expression and contributions of the golden table."""
    from gaitid.write.tables import table_text

    if name != "wrenches":
        return table_text(name, result)
    expressed = [match[1] for of in names if (match := re.fullmatch(r".+_force_([a-z]+)_x_N", of))]
    frames = tuple(dict.fromkeys(f for f in expressed if f != "ground"))
    if not frames or not set(frames) <= set(FRAMES_OF_EXPRESSION):
        raise GaitidError("the golden wrenches have no force of a joint", found=", ".join(names[2:5]))
    return table_text(name, result, frames, _parts(result, names, record))


def _parts(result: Result, names: Sequence[str], record: Mapping[str, Any]) -> Any:
    """What each cause contributes, where the golden table has it."""
    if not any(name.endswith("_gravity_N") for name in names):
        return None
    from gaitid.analysis.contributions import contributed

    observer = mapping_under(record, "settings").get("observer")
    segments = [*(body.segment for body in result.model.chain), result.model.base.segment]
    return contributed(result, observer if observer in segments else None)


def _table(text: str, name: str, file: str) -> Table:
    """A CSV that `run` wrote."""
    wrong = f"{file} is not a table that gaitid run writes"
    try:
        header, *rows = list(csv.reader(text.splitlines())) or [[]]
    except csv.Error as error:
        raise GaitidError(wrong, found=str(error)) from None
    if any(len(row) != len(header) for row in rows):
        raise GaitidError(wrong, expected="rows of equal length")
    if missing := [key for key in TABLES[name] if key not in header]:
        raise GaitidError(wrong, expected=f"a column {missing[0]}")
    keyed = [header.index(key) for key in TABLES[name]]
    columns = {}
    for i, column in enumerate(header):
        if i not in keyed and (column == _TIDY or quantity_of(column)):
            try:
                columns[column] = np.array([float(row[i]) if row[i] else np.nan for row in rows], dtype=float)
            except ValueError as error:
                raise GaitidError(wrong, found=f"{error} in {column}") from None
    if _TIDY in columns and "unit" in header:
        # of a tidy table a column for each unit, empty in the rows of others
        values, units = columns.pop(_TIDY), np.array([row[header.index("unit")] for row in rows])
        named = {f"{_TIDY}_{unit}": np.where(units == unit, values, np.nan) for unit in dict.fromkeys(units.tolist())}
        columns |= {column: of_unit for column, of_unit in named.items() if quantity_of(column)}
    names = [column for column in header if column not in TRIAL_COLUMNS]
    return Table([tuple(row[i] for i in keyed) for row in rows], columns, names)


def _shape(name: str, old: Table, new: Table) -> list[Finding]:
    """Columns and rows that are gone or new."""
    texts = []
    gone, come = _without(old.names, new.names), _without(new.names, old.names)
    if gone or come:
        texts.append(_gone_or_new("column", gone, come))
    elif list(old.names) != list(new.names):
        texts.append("columns are in another order")
    if TABLES[name] == ("frame",):
        if list(old.keys) != list(new.keys):
            gone, come = ([key for (key,) in _without(*keys)] for keys in ((old.keys, new.keys), (new.keys, old.keys)))
            how = _gone_or_new("frame", gone, come) or "some are there twice, or in another order"
            texts.append(f"frames {_range(new.keys)} where golden has {_range(old.keys)}: {how}")
    else:
        for keys, word in ((_without(old.keys, new.keys), "gone"), (_without(new.keys, old.keys), "new")):
            if keys:
                more = f" and {len(keys) - 1} more rows are" if len(keys) > 1 else " is"
                texts.append(f"row {_place(name, keys[0])}{more} {word}")
    return [Finding("golden", FAIL, f"{name}: {text}") for text in texts]


def _gone_or_new(what: str, gone: Sequence[str], come: Sequence[str]) -> str:
    """Which columns or frames only one of two tables has; empty where none."""
    return " and ".join(
        f"{what} {names[0]} is {word}" if len(names) == 1 else f"{len(names)} {what}s are {word} ({names[0]}, …)"
        for names, word in ((gone, "gone"), (come, "new"))
        if names
    )


def _cells(
    name: str, old: Table, new: Table, tolerances: Mapping[str, float], largest: dict[str, Largest]
) -> list[Finding]:
    """Cells that became empty or filled; the largest difference of each quantity goes into `largest`."""
    row_of = {key: i for i, key in enumerate(old.keys)}
    rows = [(row_of[key], i) for i, key in enumerate(new.keys) if key in row_of]
    before, now = [i for i, _ in rows], [i for _, i in rows]
    emptied = filled = 0
    where: list[tuple[int, str]] = []  # row and column
    for column, values in new.columns.items():
        if column not in old.columns or not rows:
            continue
        a, b = old.columns[column][before], values[now]
        changed = np.isnan(a) != np.isnan(b)
        if changed.any():
            emptied += int((changed & np.isnan(b)).sum())
            filled += int((changed & np.isnan(a)).sum())
            where += [(int(i), column) for i in np.flatnonzero(changed)]
        quantity = quantity_of(column)
        difference = np.where(np.isfinite(a) & np.isfinite(b), distance(a, b, quantity), -1.0)
        i = int(np.argmax(difference))
        if difference[i] < 0:
            continue
        worst = largest.setdefault(quantity, Largest())
        if difference[i] > tolerances[quantity]:
            worst.columns.append(column)
        if difference[i] >= worst.size:
            worst.size, worst.where = float(difference[i]), f"{column} ({_place(name, new.keys[now[i]])})"
    if not where:
        return []
    row, column = min(where, key=lambda place: place[0])
    text = (
        f"{name}: {emptied} cells are newly empty and {filled} newly filled in {len({r for r, _ in where})} rows "
        f"(first: {column}, {_place(name, new.keys[now[row]])})"
    )
    return [Finding("golden", FAIL, text, float(emptied + filled), 0.0, "cells")]


def _without(these: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    gone = set(others)
    return [item for item in these if item not in gone]


def _place(name: str, key: tuple[str, ...]) -> str:
    """A row in words: ``frame 12``, or ``side left, cycle 1``."""
    return ", ".join(
        f"{what.replace('_', ' ')} {value or 'none'}" for what, value in zip(TABLES[name], key, strict=True)
    )


def _range(keys: Sequence[tuple[str, ...]]) -> str:
    return f"{keys[0][0]} to {keys[-1][0]}" if keys else "none"


# --- since when ---------------------------------------------------------------------------------------------


def _record(file: Path) -> tuple[Mapping[str, Any], str]:
    """The golden run's record, and why it cannot be read; nothing of both where none was kept."""
    if not file.exists():
        return {}, ""
    try:
        return read_record(file), ""
    except GaitidError as error:
        return {}, f"the golden record cannot be read, and since when is not known: {error.line()}"


def _since(record: Mapping[str, Any], changes: Sequence[str]) -> str:
    """What may have moved a result, in words."""
    if changes:
        return f"since {', '.join(changes)}"
    if not record:
        return "no run.json was kept with it: since when is not known"
    return "no difference of version, settings, model or input is recorded: other code, libraries or machine"


def _changes(old: Mapping[str, Any], result: Result, setup: Setup, path: Path) -> list[str]:
    """What the golden record says that is no longer so."""
    from gaitid.write.record import plain, record

    if not old:
        return []
    options = setup.options
    new = plain(record(result, (), inputs_of(path, result, setup), options.express_in, False))
    new["settings"] |= reader_settings(options)
    changes = []
    if old.get("gaitid") != new["gaitid"]:
        changes.append(f"gaitid {_value(old.get('gaitid'))} -> {new['gaitid']}")
    golden, present = mapping_under(old, "versions"), new["versions"]
    changes += [f"{name} {_value(golden[name])} -> {v}" for name, v in present.items() if golden.get(name, v) != v]
    for role in (
        "trial",
        "static",
        "subject",
        "forces",
        "plates",
        "events",
        "corrections",
        "assignments",
        "measurements",
        "model",
        "table",
    ):
        before, after = _inputs(old, role), _inputs(new, role)
        if [sha for _, sha in before] != [sha for _, sha in after]:
            was, now = (" + ".join(name for name, _ in inputs) or "none" for inputs in (before, after))
            changes.append(f"{role} {now} changed" if was == now else f"{role} {was} -> {now}")
    for group in ("settings", "subject"):
        golden, present = mapping_under(old, group), new[group]
        for key in dict.fromkeys([*golden, *present]) if golden else ():
            a, b = _value(golden.get(key)), _value(present.get(key))
            if a != b and not (group == "settings" and key in _FOLLOWED):
                changes.append(f"{group}.{key} {a} -> {b}")
    return changes


def _inputs(record: Mapping[str, Any], role: str) -> list[tuple[str, str]]:
    """Name and hash of each input of a role."""
    inputs = record.get("inputs")
    return [
        (PurePath(str(i.get("path"))).name, str(i.get("sha256")))
        for i in (inputs if isinstance(inputs, list) else ())
        if isinstance(i, dict) and i.get("role") == role
    ]


def _value(value: object) -> str:
    """A setting or measurement in words; where a measurement comes from is no difference."""
    if isinstance(value, dict) and "value" in value:
        return f"{_value(value['value'])} {value.get('unit', '')}".strip()
    if isinstance(value, float):
        return f"{value:.10g}"
    return "none" if value is None else str(value)
