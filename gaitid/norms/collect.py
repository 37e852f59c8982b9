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
from gaitid.results.one_run import read_result, refuse_other_run
from gaitid.results.result import Result
from gaitid.results.tables import CycleCurves, read_texts

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
    result = read_result(path, ("joints", "cycles", "spatiotemporal", "features"))
    refuse_other_run(result)
    record, cycles = result.record, result.cycles
    if points := next((len(curves.percent) for curves in cycles.values() if len(curves.percent) != 101), 0):
        raise GaitidError(
            f"{result.file('cycles')}: a cycle has not 101 rows", expected="0 to 100 %", found=str(points)
        )
    sha256 = _input(record, "sha256")
    figures, named = _figures(result)
    features, units = _features(result)
    return Walk(
        path=path,
        subject=named or _subject_in_batch(path, sha256, _input(record, "path")) or str(path.resolve().parent),
        verdict={key: str(word) for key, word in record["verdict"].items()},
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


def _figures(result: Result) -> tuple[dict[str, Values], str]:
    """Of every cycle of each side, and the subject where the table names it."""
    leg = leg_length_m(result.record)
    results: dict[str, dict[str, list[float]]] = {}
    for row in result.spatiotemporal:
        wanted = [name for name in row if name not in _NO_FIGURE and not name.endswith("_source")]
        values = {name: _number(row[name]) for name in wanted} if row["cycle"].isdigit() else {}
        values["dimensionless_speed"] = dimensionless(values.get("speed_m_per_s", math.nan), leg)
        for name, value in values.items():
            if math.isfinite(value):
                results.setdefault(row["side"], {}).setdefault(name, []).append(value)
    subjects = {row.get("subject", "") for row in result.spatiotemporal}
    return dict(results), subjects.pop() if len(subjects) == 1 else ""


def _features(result: Result) -> tuple[dict[str, Values], dict[str, str]]:
    """Of every cycle of each side, and the unit of each."""
    results: dict[str, dict[str, Sequence[float]]] = {}
    for (side, name), values in result.feature_values.items():
        results.setdefault(side, {})[name] = values
    known = {name for _, name in result.feature_values}
    return dict(results), {feature.name: feature.unit for feature in result.features if feature.name in known}


def _number(cell: str) -> float:
    try:
        return float(cell) if cell else math.nan
    except ValueError:
        return math.nan


def _spike(record: Mapping[str, Any], cycles: Mapping[str, CycleCurves]) -> float:
    """Where the last impact of a foot strike ends, in whole % of its cycle."""
    ends = [0.0]
    for impact in record["impacts"]:
        side = cycles.get(impact["side"])
        frames = [impact.get(key) for key in ("peak_frame", "last_frame")]
        if side is None or not all(isinstance(frame, int | float) for frame in frames):
            continue
        first, last = side.first_frame, side.last_frame
        peaks, stops = (100 * (frame - first) / (last - first) for frame in frames)
        ends += [math.ceil(e) for p, e in zip(peaks, stops) if -_STRIKE_PERCENT < p < _STRIKE_PERCENT and e > 0]
    return float(max(ends))


def _filter(record: Mapping[str, Any], key: str) -> str:
    cutoff = record["settings"].get(key)
    return "none" if cutoff is None else f"{cutoff:g} Hz" if isinstance(cutoff, int | float) else str(cutoff)


def _input(record: Mapping[str, Any], key: str) -> str:
    """Of the trial."""
    return next((str(of.get(key) or "") for of in record["inputs"] if of["role"] == "trial"), "")


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
