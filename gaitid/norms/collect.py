"""Results on disk -> what norms are built from: whole cycles of each quantity, by trial and subject."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError
from gaitid.norms.fit import definitions_of, dimensionless, leg_length_m, way_words
from gaitid.norms.sets import UNITS
from gaitid.norms.types import Array, Definitions
from gaitid.records import frozen_dataclass
from gaitid.results.find import RECORD_SUFFIX
from gaitid.results.record_checks import checked_record
from gaitid.results.tables import read_rows

SIDES = ("left", "right")
#: Columns of a row of ``spatiotemporal.csv`` that are no figure.
_NO_FIGURE = ("side", "cycle", "first_frame", "last_frame", "subject", "session", "condition", "trial", "verdict")
# An impact that begins later in a cycle is not of its foot strike.
_STRIKE_PERCENT = 15.0


Values = Mapping[str, Sequence[float]]


@frozen_dataclass()
class Walk:
    """One trial's cycles.

    Attributes
    ----------
    path : Path
        Of ``walk.run.json``.
    subject : str
        Who, as a name that tells subjects apart.
    verdict : mapping of str to str
        Of ``trial``, ``left`` and ``right``.
    definitions : Definitions
    way : str
        ``the walk turns by 92°``, or how else it does not go straight on over level ground; empty where it does.
    sha256 : str
        Of the trial.
    force_filter : str
    curves : mapping of side to mapping of column to (cycles, 101) array
        NaN where a cell is empty.
    figures : mapping of side to mapping of name to values
        Of every cycle: ``spatiotemporal.csv``, and ``dimensionless_speed``.
    features : mapping of side to mapping of name to values
        Of every cycle.
    units : mapping of str to str
        Of each feature.
    spike_until_percent : float
        Where the last impact of a foot strike ends, in % of its cycle; 0 where there is none.
    """

    path: Path
    subject: str
    verdict: Mapping[str, str]
    definitions: Definitions
    way: str
    sha256: str
    force_filter: str
    curves: Mapping[str, Mapping[str, Array]]
    figures: Mapping[str, Values]
    features: Mapping[str, Values]
    units: Mapping[str, str]
    spike_until_percent: float


def load_walk(path: Path) -> Walk:
    """One result.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    record, _ = checked_record(path)
    stem = path.name.removesuffix(RECORD_SUFFIX)
    cycles = path.with_name(f"{stem}.cycles.csv")
    if not cycles.is_file():
        raise GaitidError(
            f"{path}: {cycles.name} missing beside it", expected="the tables that gaitid run wrote", todo="run it again"
        )
    sha256 = _sha256(record)
    verdict = record.get("verdict")
    table = _by_side(cycles)
    figures, named = _figures(path.with_name(f"{stem}.spatiotemporal.csv"), record)
    features, units = _features(path.with_name(f"{stem}.features.csv"))
    return Walk(
        path=path,
        subject=named or _subject_in_batch(path, sha256, _trial_path(record)) or str(path.resolve().parent),
        verdict={str(key): str(word) for key, word in verdict.items()} if isinstance(verdict, Mapping) else {},
        definitions=definitions_of(record),
        way=way_words(record),
        sha256=sha256,
        force_filter=_force_filter(record),
        curves={side: {column: v for column, v in table[side].items() if column.endswith(UNITS)} for side in table},
        figures=figures,
        features=features,
        units=units,
        spike_until_percent=_spike(record, table),
    )


def _by_side(path: Path) -> dict[str, dict[str, Array]]:
    """Of each side, every numeric column of ``cycles.csv`` as (cycles, 101)."""
    header, rows = read_rows(path, ("side", "cycle", "percent", "first_frame", "last_frame"))
    cycles: dict[str, dict[str, list[list[str]]]] = {}
    side, number = header.index("side"), header.index("cycle")
    for row in rows:
        cycles.setdefault(row[side], {}).setdefault(row[number], []).append(row)
    found = {}
    for name, several in cycles.items():
        lengths = {len(rows) for rows in several.values()}
        if lengths != {101}:
            raise GaitidError(f"{path}: a cycle has not 101 rows", expected="0 to 100 %", found=str(min(lengths)))
        cells = np.array([[[_number(cell) for cell in row] for row in rows] for rows in several.values()])
        found[name] = {column: cells[:, :, at] for at, column in enumerate(header) if column not in ("side", "cycle")}
    return found


def _figures(path: Path, record: Mapping[str, Any]) -> tuple[dict[str, Values], str]:
    """Of every cycle of each side, and the subject where the table names it."""
    if not path.is_file():
        return {}, ""
    header, rows = read_rows(path, ("side", "cycle"))
    wanted = [(at, name) for at, name in enumerate(header) if name not in _NO_FIGURE and not name.endswith("_source")]
    side, cycle, leg = header.index("side"), header.index("cycle"), leg_length_m(record)
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        values = {name: _number(row[at]) for at, name in wanted} if row[cycle].isdigit() else {}
        values["dimensionless_speed"] = dimensionless(values.get("speed_m_per_s", math.nan), leg)
        for name, value in values.items():
            if math.isfinite(value):
                found.setdefault(row[side], {}).setdefault(name, []).append(value)
    subjects = {row[header.index("subject")] for row in rows} if "subject" in header else set()
    return dict(found), subjects.pop() if len(subjects) == 1 else ""


def _features(path: Path) -> tuple[dict[str, Values], dict[str, str]]:
    """Of every cycle of each side, and the unit of each."""
    if not path.is_file():
        return {}, {}
    wanted = ("side", "cycle", "feature", "value", "unit")
    header, rows = read_rows(path, wanted)
    at = [header.index(name) for name in wanted]
    found: dict[str, dict[str, list[float]]] = {}
    units: dict[str, str] = {}
    for row in rows:
        side, cycle, feature, cell, unit = (row[i] for i in at)
        value = _number(cell)
        if cycle.isdigit() and math.isfinite(value):
            found.setdefault(side, {}).setdefault(feature, []).append(value)
            units[feature] = unit
    return dict(found), units


def _number(cell: str) -> float:
    try:
        return float(cell) if cell else math.nan
    except ValueError:
        return math.nan


def _spike(record: Mapping[str, Any], table: Mapping[str, Mapping[str, Array]]) -> float:
    """Where the last impact of a foot strike ends, in whole % of its cycle."""
    ends = [0.0]
    impacts = record.get("impacts")
    for impact in impacts if isinstance(impacts, list) else []:
        side = table.get(str(impact.get("side")), {}) if isinstance(impact, Mapping) else {}
        frames = [impact.get(key) for key in ("peak_frame", "last_frame")] if side else []
        if not frames or not all(isinstance(frame, int | float) for frame in frames):
            continue
        first, last = side["first_frame"][:, 0], side["last_frame"][:, 0]
        peaks, stops = (100 * (frame - first) / (last - first) for frame in frames)
        ends += [math.ceil(e) for p, e in zip(peaks, stops) if -_STRIKE_PERCENT < p < _STRIKE_PERCENT and e > 0]
    return float(max(ends))


def _force_filter(record: Mapping[str, Any]) -> str:
    settings = record.get("settings")
    cutoff = settings.get("force_cutoff_hz") if isinstance(settings, Mapping) else None
    return "none" if cutoff is None else f"{cutoff:g} Hz" if isinstance(cutoff, int | float) else str(cutoff)


def _input(record: Mapping[str, Any], key: str) -> str:
    """Of the trial."""
    inputs = record.get("inputs")
    entries = [i for i in inputs if isinstance(i, Mapping)] if isinstance(inputs, list) else []
    return next((str(entry.get(key) or "") for entry in entries if entry.get("role") == "trial"), "")


def _sha256(record: Mapping[str, Any]) -> str:
    return _input(record, "sha256")


def _trial_path(record: Mapping[str, Any]) -> str:
    return _input(record, "path")


# --- who is who -----------------------------------------------------------------------------------------------


def _subject_in_batch(path: Path, sha256: str, trial: str) -> str:
    """What the nearest ``batch.csv`` above a result calls its subject; empty where none does."""
    for folder in path.resolve().parents:
        table = folder / "batch.csv"
        if table.is_file():
            rows = _batch(table)
            named = [row for row in rows if row.get("trial") == trial] or [
                row for row in rows if sha256 and row.get("sha256") == sha256
            ]
            subjects = {row.get("subject", "") for row in named}
            return subjects.pop() if len(subjects) == 1 else ""
    return ""


@cache
def _batch(path: Path) -> tuple[Mapping[str, str], ...]:
    header, rows = read_rows(path)
    return tuple(dict(zip(header, row)) for row in rows)


def subjects_of(walks: Iterable[Walk]) -> Iterator[tuple[str, list[Walk]]]:
    """Each subject with its trials, in the order of names."""
    found: dict[str, list[Walk]] = {}
    for walk in walks:
        found.setdefault(walk.subject, []).append(walk)
    yield from sorted(found.items())
