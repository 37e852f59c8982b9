"""Did a result move? Largest differences from golden results kept beside the trials, by quantity."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import GaitidError
from gaitid.findings import FAIL, PASS, WARN, Finding
from gaitid.result import Result
from gaitid.run import Prepared, sha256
from gaitid.trial import Array

# Largest differences from golden results that are not a change. Well below what a clinic can tell, well above
# what another processor or library does (1e-9 of a value).
TOLERANCES = {
    "force_N": 0.01,
    "moment_Nm": 0.001,
    "angle_deg": 0.001,
    "position_m": 1e-5,
    "moment_Nm_per_kg": 1e-5,
    "power_W_per_kg": 1e-4,
}
# Endings of columns, the longest first, and the quantity of each.
_ENDINGS = (
    ("_Nm_per_kg", "moment_Nm_per_kg"),
    ("_W_per_kg", "power_W_per_kg"),
    ("_deg", "angle_deg"),
    ("_Nm", "moment_Nm"),
    ("_N", "force_N"),
    ("_m", "position_m"),
)


def compare(
    result: Result, prepared: Prepared, path: Path, folder: Path, tolerances: Mapping[str, float] = TOLERANCES
) -> list[Finding]:
    """Differences from the golden results kept in a folder, by quantity, and what else differs.

    Parameters
    ----------
    result : Result
    prepared : Prepared
    path : Path
        The trial.
    folder : Path
        With ``<stem>.wrenches.csv`` and ``<stem>.joints.csv``, and ``<stem>.run.json`` if it was kept.
    tolerances : mapping of quantity to float
    """
    from gaitid.write.tables import joints_csv, wrenches_csv

    stem = path.stem
    findings: list[Finding] = []
    largest: dict[str, tuple[float, str]] = {}
    try:
        wrenches = _table((folder / f"{stem}.wrenches.csv").read_text(encoding="utf-8"), f"{stem}.wrenches.csv")
        joints = _table((folder / f"{stem}.joints.csv").read_text(encoding="utf-8"), f"{stem}.joints.csv")
        express_in = _frames_of_expression(list(wrenches), result)
    except OSError as error:
        text = (
            f"no golden result {error.filename} ({error.strerror}); "
            f"make one with gaitid run {path} --model {prepared.options.model} -o {folder}"
        )
        return [Finding("golden", FAIL, text)]
    except (UnicodeDecodeError, GaitidError) as error:
        text = error.line() if isinstance(error, GaitidError) else f"{stem}.*.csv is not text"
        return [Finding("golden", FAIL, text)]
    for name, old, text in (
        ("wrenches", wrenches, wrenches_csv(result, express_in)),
        ("joints", joints, joints_csv(result)),
    ):
        findings += _differences(name, old, _table(text, name), largest)
    moved = []
    for quantity, limit in tolerances.items():
        if quantity not in largest:
            continue
        size, column = largest[quantity]
        moved.append(f"{_words(quantity)} {size:.3g}")
        if size > limit:
            unit = quantity.partition("_")[2]
            text = f"{column} moved by {size:.3g} {_unit(unit)}, at most {limit:g}"
            findings.append(Finding("golden", FAIL, text, size, limit, _unit(unit)))
    changes = _changes(result, prepared, path, folder)
    if any(f.status == FAIL for f in findings):
        why = (
            f"it differs from the golden run in {'; '.join(changes)}"
            if changes
            else "no difference of version, settings, model or input is recorded"
        )
        findings.append(Finding("golden record", FAIL, why))
    else:
        findings.append(Finding("golden", PASS, "as golden (largest differences: " + ", ".join(moved) + ")"))
        findings += [Finding("golden record", WARN, f"same numbers, but {change}") for change in changes]
    return findings


def _table(text: str, name: str) -> dict[str, Array]:
    """Columns by name; NaN where a cell is empty."""
    rows = list(csv.reader(text.splitlines()))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise GaitidError(f"{name} is not a table that gaitid run writes", expected="rows of equal length")
    try:
        values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]], dtype=float)
    except ValueError as error:
        raise GaitidError(f"{name} is not a table that gaitid run writes", found=str(error)) from None
    values = values.reshape(len(rows) - 1, len(rows[0]))
    return {column: values[:, i] for i, column in enumerate(rows[0])}


def _frames_of_expression(columns: Sequence[str], result: Result) -> tuple[str, ...]:
    """The frames of expression of a golden table, in its order."""
    from gaitid.write.tables import FRAMES_OF_EXPRESSION

    side, joint = result.model.sides[0].name, result.model.chain[0].joint
    found = [
        frame for column in columns for frame in FRAMES_OF_EXPRESSION if column == f"{side}_{joint}_force_{frame}_x_N"
    ]
    if not found:
        raise GaitidError("the golden wrenches have no column of this model", found=", ".join(columns[2:5]))
    return tuple(found)


def _differences(
    name: str, old: Mapping[str, Array], new: Mapping[str, Array], largest: dict[str, tuple[float, str]]
) -> list[Finding]:
    """Changes of shape and of empty cells; the largest difference of each quantity goes into `largest`."""
    if list(old) != list(new):
        gone = [c for c in old if c not in new]
        come = [c for c in new if c not in old]
        parts = [f"{len(c)} columns {w} ({c[0]}, …)" for c, w in ((gone, "are gone"), (come, "are new")) if c]
        return [Finding("golden", FAIL, f"{name}: {' and '.join(parts) or 'columns are in another order'}")]
    if not np.array_equal(old["frame"], new["frame"]):
        text = f"{name}: frames {_range(new['frame'])} where golden has {_range(old['frame'])}"
        return [Finding("golden", FAIL, text)]
    empty_now, empty_then, first = 0, 0, ""
    for column, b in new.items():
        a = old[column]
        quantity = next((q for ending, q in _ENDINGS if column.endswith(ending)), None)
        changed = np.isnan(a) != np.isnan(b)
        if changed.any():
            empty_now += int((changed & np.isnan(b)).sum())
            empty_then += int((changed & np.isnan(a)).sum())
            first = first or f"{column}, frame {int(new['frame'][np.argmax(changed)])}"
        both = np.isfinite(a) & np.isfinite(b)
        if quantity is None or not both.any():
            continue
        difference = np.abs(a - b)[both]
        if quantity == "angle_deg":
            difference = np.minimum(difference, np.abs(360 - difference))  # an angle that wraps has not moved
        size = float(difference.max())
        if size >= largest.get(quantity, (-1.0, ""))[0]:
            frame = int(new["frame"][both][np.argmax(difference)])
            largest[quantity] = (size, f"{column} (frame {frame})")
    if first:
        text = f"{name}: {empty_now} cells are newly empty and {empty_then} newly filled (first: {first})"
        return [Finding("golden", FAIL, text, float(empty_now + empty_then), 0.0, "cells")]
    return []


def _range(frames: Array) -> str:
    return f"{frames[0]:g} to {frames[-1]:g}" if len(frames) else "none"


def _changes(result: Result, prepared: Prepared, path: Path, folder: Path) -> list[str]:
    """What the golden record says that is no longer so; empty where there is no record."""
    from gaitid.write.record import record

    try:
        old = json.loads((folder / f"{path.stem}.run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(old, dict):
        return []
    inputs = [{"role": "trial", "path": str(path), "sha256": sha256(path)}, *prepared.inputs]
    new = record(result, (), inputs, prepared.options.express_in, False)
    changes = []
    if old.get("gaitid") != new["gaitid"]:
        changes.append(f"gaitid {old.get('gaitid')} -> {new['gaitid']}")
    for role in ("trial", "static", "subject", "forces", "plates", "model", "table"):
        before, after = _hashes(old.get("inputs"), role), _hashes(new["inputs"], role)
        if before != after:
            changes.append(f"the {role} file" + (" (sha256 differs)" if before and after else " (given once only)"))
    for group, ignored in (("settings", {"express_in"}), ("subject", set())):
        golden, present = old.get(group), new[group]
        if not isinstance(golden, dict):
            continue
        for key in dict.fromkeys([*golden, *present]):
            a, b = golden.get(key), present.get(key)
            if key not in ignored and a != b:
                changes.append(f"{group} {key}: {_value(a)} -> {_value(b)}")
    return changes


def _hashes(inputs: object, role: str) -> list[object]:
    if not isinstance(inputs, list):
        return []
    return [i.get("sha256") for i in inputs if isinstance(i, dict) and i.get("role") == role]


def _value(value: object) -> str:
    if isinstance(value, dict) and "value" in value:
        number = value["value"]
        return f"{number:.6g} {value.get('unit', '')}" if isinstance(number, float) else str(number)
    return "none" if value is None else str(value)


def _words(quantity: str) -> str:
    kind, _, unit = quantity.partition("_")
    return f"{kind} [{_unit(unit)}]"


def _unit(unit: str) -> str:
    return {"Nm": "N·m", "Nm_per_kg": "N·m/kg", "W_per_kg": "W/kg"}.get(unit, unit)
