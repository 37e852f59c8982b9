"""Results on disk -> what norms are built from: whole cycles of each quantity, by trial and subject."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gaitid.errors import GaitidError
from gaitid.norms.fit import definitions_of, dimensionless, leg_length_m, way_words
from gaitid.norms.sets import UNITS, Array, Definitions
from gaitid.records import frozen_dataclass
from gaitid.results.one_run import RunTables, refuse_lost_columns, refuse_other_run, tables_beside
from gaitid.results.record_checks import checked_record, mappings_at
from gaitid.results.tables import (
    CycleCurves,
    Feature,
    columns,
    read_cycles,
    read_features,
    read_header,
    read_table,
    read_texts,
)

SIDES = ("left", "right")
# What is read of a result; records of schema 1 lack some.
_TABLES = ("joints", "cycles", "spatiotemporal", "features")
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
    force_filter, marker_filter : str
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
    marker_filter: str
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
    record, schema = checked_record(path)
    files = tables_beside(path, _TABLES, _TABLES if schema > 1 else ("cycles",))
    cycles = read_cycles(files["cycles"], SIDES)
    strides = read_texts(files["spatiotemporal"], ("side", "cycle")) if files["spatiotemporal"].is_file() else ()
    of_cycles = read_features(files["features"]) if files["features"].is_file() else ()
    if schema > 1:
        refuse_lost_columns(path, {table: read_header(file) for table, file in files.items()}, record)
        refuse_other_run(files, record, RunTables(_angles(files["joints"]), cycles, strides, of_cycles))
    if points := next((len(curves.percent) for curves in cycles.values() if len(curves.percent) != 101), 0):
        raise GaitidError(f"{files['cycles']}: a cycle has not 101 rows", expected="0 to 100 %", found=str(points))
    sha256 = _input(record, "sha256")
    verdict = record.get("verdict")
    figures, named = _figures(strides, record)
    features, units = _features(of_cycles)
    return Walk(
        path=path,
        subject=named or _subject_in_batch(path, sha256, _input(record, "path")) or str(path.resolve().parent),
        verdict={str(key): str(word) for key, word in verdict.items()} if isinstance(verdict, Mapping) else {},
        definitions=definitions_of(record),
        way=way_words(record),
        sha256=sha256,
        force_filter=_filter(record, "force_cutoff_hz"),
        marker_filter=_filter(record, "cutoff_hz"),
        curves={
            side: {column: values for column, values in curves.columns.items() if column.endswith(UNITS)}
            for side, curves in cycles.items()
        },
        figures=figures,
        features=features,
        units=units,
        spike_until_percent=_spike(record, cycles),
    )


def _angles(path: Path) -> dict[str, Array]:
    """Frames and angles of ``joints.csv``."""
    table = read_table(path, ("frame",))
    names = ["frame", *(name for name in table.header if name.endswith("_deg"))]
    return dict(zip(names, columns(table, names), strict=True))


def _figures(strides: Sequence[Mapping[str, str]], record: Mapping[str, Any]) -> tuple[dict[str, Values], str]:
    """Of every cycle of each side, and the subject where the table names it."""
    leg = leg_length_m(record)
    results: dict[str, dict[str, list[float]]] = {}
    for row in strides:
        wanted = [name for name in row if name not in _NO_FIGURE and not name.endswith("_source")]
        values = {name: _number(row[name]) for name in wanted} if row["cycle"].isdigit() else {}
        values["dimensionless_speed"] = dimensionless(values.get("speed_m_per_s", math.nan), leg)
        for name, value in values.items():
            if math.isfinite(value):
                results.setdefault(row["side"], {}).setdefault(name, []).append(value)
    subjects = {row.get("subject", "") for row in strides}
    return dict(results), subjects.pop() if len(subjects) == 1 else ""


def _features(features: Sequence[Feature]) -> tuple[dict[str, Values], dict[str, str]]:
    """Of every cycle of each side, and the unit of each."""
    results: dict[str, dict[str, list[float]]] = {}
    units: dict[str, str] = {}
    for feature in features:
        if feature.cycle.isdigit() and math.isfinite(feature.value):
            results.setdefault(feature.side, {}).setdefault(feature.name, []).append(feature.value)
            units[feature.name] = feature.unit
    return dict(results), units


def _number(cell: str) -> float:
    try:
        return float(cell) if cell else math.nan
    except ValueError:
        return math.nan


def _spike(record: Mapping[str, Any], cycles: Mapping[str, CycleCurves]) -> float:
    """Where the last impact of a foot strike ends, in whole % of its cycle."""
    ends = [0.0]
    impacts = record.get("impacts")
    for impact in impacts if isinstance(impacts, list) else []:
        side = cycles.get(str(impact.get("side"))) if isinstance(impact, Mapping) else None
        frames = [impact.get(key) for key in ("peak_frame", "last_frame")] if side else []
        if side is None or not all(isinstance(frame, int | float) for frame in frames):
            continue
        first, last = side.first_frame, side.last_frame
        peaks, stops = (100 * (frame - first) / (last - first) for frame in frames)
        ends += [math.ceil(e) for p, e in zip(peaks, stops) if -_STRIKE_PERCENT < p < _STRIKE_PERCENT and e > 0]
    return float(max(ends))


def _filter(record: Mapping[str, Any], key: str) -> str:
    settings = record.get("settings")
    cutoff = settings.get(key) if isinstance(settings, Mapping) else None
    return "none" if cutoff is None else f"{cutoff:g} Hz" if isinstance(cutoff, int | float) else str(cutoff)


def _input(record: Mapping[str, Any], key: str) -> str:
    """Of the trial."""
    return next((str(of.get(key) or "") for of in mappings_at(record, "inputs") if of.get("role") == "trial"), "")


# --- who is who -----------------------------------------------------------------------------------------------


def _subject_in_batch(path: Path, sha256: str, trial: str) -> str:
    """What the nearest ``batch.csv`` above a result calls its subject; empty where none does."""
    for folder in path.resolve().parents:
        table = folder / "batch.csv"
        if table.is_file():
            rows = _read_once(table, ())
            named = [row for row in rows if row.get("trial") == trial] or [
                row for row in rows if sha256 and row.get("sha256") == sha256
            ]
            subjects = {row.get("subject", "") for row in named}
            return subjects.pop() if len(subjects) == 1 else ""
    return ""


_read_once = cache(read_texts)
