"""All features of a data set as one table: a row a trial, as statistics programs and spreadsheets take it."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gaitid.errors import GaitidError
from gaitid.gait import FIGURES
from gaitid.gait.feature_list import asymmetry, has_ratio
from gaitid.norms import GaitProfile, profile_for
from gaitid.norms.fit import VARIABLES
from gaitid.records import NamedTuple
from gaitid.report.gathering import BatchTables, whose
from gaitid.results.one_run import read_result
from gaitid.results.record_checks import entry_at

#: Before the features: whose the trial is, and what it is worth. ``corrected``: 1 where somebody corrected it by hand.
ABOUT = (
    *("subject", "session", "condition", "trial", "model", "verdict", "verdict_left", "verdict_right", "corrected"),
    *("cycles_left", "cycles_right", "result"),
)
#: With ``--norms`` two more: of which set the scores are, and why a trial has none.
OF_SCORES = ("norms", "no_scores_because")
#: Of ``spatiotemporal.csv`` the rows that hold means of one side, and of both.
_MEAN, _SIDES = "mean", ("left", "right", "both")


class FeatureRow(NamedTuple):
    """One trial.

    Attributes
    ----------
    about : mapping of str to str
        By `ABOUT`.
    values : mapping of str to float
        ``{side}_{feature}_{unit}``: mean of its side's cycles in which it is known; ``{side}_{figure}`` of strides.
    """

    about: Mapping[str, str]
    values: Mapping[str, float]


def feature_row(
    record: Path, tables: BatchTables, norms: str | None = None, with_asymmetry: bool = False
) -> FeatureRow:
    """The features of one result.

    Parameters
    ----------
    record : Path
        ``walk.run.json``.
    tables : dict
        Tables of batches that were read, for the next result.
    norms : str, optional
        Name or file of norms against which the Gait Profile Score is computed.
    with_asymmetry : bool
        Whether differences and ratios of both sides are wanted.

    Raises
    ------
    GaitidError
        No result, or without its tables.
    """
    given = read_result(record, ("features", "spatiotemporal", *(["cycles"] if norms is not None else ())))
    content = given.record
    subject, session, condition = whose(record, tables) or ("", "", "")
    sums: dict[str, list[float]] = {}
    cycles: dict[str, set[str]] = {"left": set(), "right": set()}
    for feature in given.features:
        cycles.setdefault(feature.side, set()).add(feature.cycle)
        known = sums.setdefault(f"{feature.side}_{feature.name}_{feature.unit}", [])
        if math.isfinite(feature.value):
            known.append(feature.value)
    values = {name: sum(known) / len(known) if known else math.nan for name, known in sums.items()}
    for row in given.spatiotemporal:
        if row["cycle"] == _MEAN and row["side"] in _SIDES:
            values |= {f"{row['side']}_{name}": float(row[name] or "nan") for name in FIGURES}
    verdicts = {name: str(entry_at(content, "verdict", name) or "") for name in ("trial", "left", "right")}
    about = {
        "subject": subject,
        "session": session,
        "condition": condition,
        "trial": given.stem,
        "model": str(entry_at(content, "model", "name") or ""),
        "verdict": verdicts["trial"],
        "verdict_left": verdicts["left"],
        "verdict_right": verdicts["right"],
        "corrected": str(int(bool(content.get("corrections")))),
        "cycles_left": str(len(cycles["left"])),
        "cycles_right": str(len(cycles["right"])),
        "result": str(record),
    }
    if norms is not None:
        curves = {side: of.columns for side, of in given.cycles.items()}
        profile, why = profile_for(norms, content, values.get("both_speed_m_per_s", math.nan), curves)
        about |= {"norms": "" if profile is None else profile.norms, "no_scores_because": why}
        values |= _scores(profile)
    return FeatureRow(about, values | (_asymmetries(values) if with_asymmetry else {}))


def _asymmetries(values: Mapping[str, float]) -> dict[str, float]:
    """Of what both sides have: ``asymmetry_…``, left less right, and ``asymmetry_ratio_…``, left over right."""
    results = {}
    for name, left in values.items():
        bare = name.removeprefix("left_")
        if bare != name and f"right_{bare}" in values:
            of_what = bare.removesuffix("_deg"), "deg" if bare.endswith("_deg") else ""
            of = asymmetry(left, values[f"right_{bare}"], *of_what)
            results[f"asymmetry_{bare}"] = of.difference
            if has_ratio(*of_what):
                results[f"asymmetry_ratio_{bare}"] = of.ratio
    return results


def _scores(profile: GaitProfile | None) -> dict[str, float]:
    """Gait Variable Scores and Gait Profile Scores (Baker et al. 2009) by column; NaN where there are none."""
    of_sides = {side: {} if profile is None else profile.scores.get(side, {}) for side in _SIDES[:2]}
    results = {
        f"{side}_gait_variable_score_{name}": scores.get(name, math.nan)
        for side, scores in of_sides.items()
        for name in VARIABLES
    }
    totals = (math.nan,) * 3 if profile is None else (profile.left, profile.right, profile.overall)
    return results | dict(zip((f"{side}_gait_profile_score_deg" for side in _SIDES), totals, strict=True))


def table_content(rows: Sequence[FeatureRow], suffix: str) -> Iterable[str] | bytes:
    """The content of a file of that suffix, ``.csv`` or ``.parquet``: every feature that any trial has is a column."""
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    about = (*ABOUT, *(name for name in OF_SCORES if name in rows[0].about))
    return _parquet(rows, about, names) if suffix == ".parquet" else _csv(rows, about, names)


def refuse_suffix(output: Path) -> None:
    """Raise where a table cannot be written under such a name, before any work."""
    if output.suffix.lower() not in (".csv", ".parquet"):
        raise GaitidError(
            f"{output}: no kind of table", expected=".csv or .parquet", found=output.suffix or "no suffix"
        )
    if output.suffix.lower() == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise GaitidError(
                f"{output}: Parquet needs the library pyarrow", todo="pip install 'gaitid[parquet]', or name a .csv"
            ) from None


def _csv(rows: Sequence[FeatureRow], about: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    from gaitid.write.table import quoted

    yield ",".join([*about, *names]) + "\n"
    for row in rows:
        cells = [f"{value:.10g}" if math.isfinite(value := row.values.get(name, math.nan)) else "" for name in names]
        yield ",".join([*(quoted(row.about[name]) for name in about), *cells]) + "\n"


def _parquet(rows: Sequence[FeatureRow], about: Sequence[str], names: Sequence[str]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    whole = ("corrected", "cycles_left", "cycles_right")
    arrays = [
        pa.array([int(row.about[name]) for row in rows])
        if name in whole
        else pa.array([row.about[name] or None for row in rows], pa.string())
        for name in about
    ]
    arrays += [
        pa.array([row.values.get(name, math.nan) for row in rows], pa.float64(), from_pandas=True) for name in names
    ]
    sink = io.BytesIO()
    parquet.write_table(pa.table(arrays, names=[*about, *names]), sink, compression="zstd")
    return sink.getvalue()
