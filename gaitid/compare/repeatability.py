"""Sessions of the same subjects -> SEM and smallest detectable change of each feature and of each percent of the cycle.

Between sessions markers are put on again, by the same assessor or another: what varies between them more than their own
cycles let expect is the error of a session. Variances are those of an unbalanced nested design, cycles in sessions in
subjects, by the method of moments (Searle, Casella & McCulloch 1992, Variance Components, ch. 3; Schwartz 2004, Gait
Posture 20:196-203 do so at each point of the cycle). Subjects count as they are: nothing is said of people.

Which errors results share, and which cancel in a difference, stands first: a source counts as common only where
something shows that it is; taking the rest as independent makes the smallest difference larger, never smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError
from gaitid.gait.feature_list import FEATURES
from gaitid.records import NamedTuple
from gaitid.report.gathering import Session, load_results
from gaitid.report.page import COUNTS_FROM, CYCLE, PERCENT, Pooled, pool
from gaitid.report.page.messages import in_mean
from gaitid.report.page.sure import variance_over_cycle
from gaitid.results.result import Result
from gaitid.trial import Array
from gaitid.uncertainty.repeatability import (
    Components,
    Placement,
    Repeatability,
    interval,
    mean_square,
    smallest_detectable_change,
)
from gaitid.uncertainty.sources import SOURCES
from gaitid.uncertainty.usable import motion_words, usable_column

SESSION, SUBJECT, NOTHING = "session", "subject", "nothing"
SAME = (SESSION, SUBJECT, NOTHING)
#: Sources that two results may have in common, by what they are of. Skin moves with a person's stride: what of it is
#: not alike in all strides of a person is in the spread of the cycles.
_COMMON: Mapping[str, tuple[str, ...]] = {
    SESSION: (
        "soft_tissue",
        "marker_placement",
        "hip_centre",
        "measurements",
        "segment_parameters",
        "force_plates",
        "cutoff",
        "markerless",
    ),
    SUBJECT: ("soft_tissue", "hip_centre", "measurements", "segment_parameters", "cutoff"),
    NOTHING: (),
}
_WORDS = {SESSION: "one session", SUBJECT: "two sessions of one person", NOTHING: "two people"}
# Equal to this share a number is the same measurement, written twice.
_SAME_NUMBER = 1e-6
# So many equal measurements of a body, or angles of a static, are not equal by chance.
_FEWEST = 4

Record = Mapping[str, Any]


class InCommon(NamedTuple):
    """What two sides of a comparison share.

    Attributes
    ----------
    same : str
        One of `SAME`.
    why : str
        Where that is from.
    sources : tuple of str
        Sources of error that are common to both.
    numbers : tuple of str
        Of the measurements those that are one measurement, as ``left knee_width``.
    """

    same: str
    why: str
    sources: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def words(self) -> str:
        """What both are taken as, in a clause."""
        return f"{_WORDS[self.same]} ({self.why})"

    def shares(self, source: str, error: str) -> bool:
        """Whether one error of a source is common to both."""
        return source in self.sources and (source != "measurements" or error in self.numbers)


def in_common(a: Sequence[Record], b: Sequence[Record], same: str | None = None) -> InCommon:
    """What the results of two sides share.

    Parameters
    ----------
    a, b : sequence of mapping
        Records.
    same : {"session", "subject", "nothing"}, optional
        Of what both are, as the user says it; by default what the records show.

    Raises
    ------
    GaitidError
        Another word.
    """
    if same not in (None, *SAME):
        raise GaitidError(f"{same}: nothing that two results can have in common", expected=" or ".join(SAME))
    level, why = _shown(a, b) if same is None else (same, "as --same says")
    records = [*a, *b]
    unchanged = {
        "hip_centre": _is_one({_about(r, "hip_centre") for r in records}),
        "segment_parameters": _is_one({_hash(r, "table") for r in records}),
        "cutoff": _is_one({(_setting(r, "marker_filter"), str(_setting(r, "cutoff_hz"))) for r in records}),
    }
    sources = tuple(s for s in SOURCES if s in _COMMON[level] and unchanged.get(s, True))
    numbers = tuple(name.replace(".", " ") for name in _equal_numbers(records)) if level != NOTHING else ()
    return InCommon(level, why, sources, numbers)


def _shown(a: Sequence[Record], b: Sequence[Record]) -> tuple[str, str]:
    records = [*a, *b]
    static = {_hash(record, "static") for record in records}
    if len(static) == 1 and static != {""}:
        return SESSION, "one static served both; say otherwise with --same"
    equal = _equal_numbers(records)
    angles = [name for name in equal if name.endswith(("rotation", "torsion", "flexion", "offset"))]
    if len(angles) >= _FEWEST:
        return SESSION, "both hold the same calibration; say otherwise with --same"
    if len(equal) >= _FEWEST:
        return SUBJECT, "both hold the same measurements; say otherwise with --same"
    return NOTHING, "nothing shows that it is one person; --same subject or session says so"


def _equal_numbers(records: Sequence[Record]) -> list[str]:
    """Measurements that all records hold with one value that somebody gave or stored, and that is not 0."""
    first, *others = [dict(_given_numbers(record)) for record in records]
    return [
        name
        for name, value in first.items()
        if value and all(abs(of.get(name, float("nan")) - value) <= _SAME_NUMBER * abs(value) for of in others)
    ]


def _given_numbers(record: Record) -> Iterator[tuple[str, float]]:
    for name, entry in record["subject"].items():
        if not isinstance(entry["value"], str) and name.rpartition(".")[2] != "marker_diameter":
            yield name, float(entry["value"])


def _is_one(values: set[Any]) -> bool:
    return len(values) == 1 and values.isdisjoint({"", None})


def _about(record: Record, key: str) -> Any:
    return record.get("uncertainty", {}).get(key)


def _setting(record: Record, key: str) -> Any:
    return record["settings"].get(key)


def _hash(record: Record, role: str) -> str:
    return next((str(entry.get("sha256")) for entry in record["inputs"] if entry["role"] == role), "")


# Both sides show the same pelvis: it counts once.
_OF_BOTH = "pelvis"
# Of a line, as root mean squares over the cycle.
_SHOWN = ("sem", "sem_low_95", "sem_high_95", "smallest_detectable_change", "predicted_standard_uncertainty")
_UNITS = {"_deg": "deg", "_moment_Nm_per_kg": "Nm_per_kg", "_power_W_per_kg": "W_per_kg"}


class OfSession(NamedTuple):
    """What counts of a session: its trials, and their curves by side."""

    label: Session
    results: tuple[Result, ...]
    sides: Mapping[str, Pooled]


class Nested(NamedTuple):
    """Variance components, arrays (points,): of a session's error and of a cycle, cycles a session, freedom."""

    between: Array
    within: Array
    cycles: Array
    freedom: Array


def repeatability(folders: Sequence[Path], say: Callable[[str], None] = lambda _: None) -> Repeatability:
    """SEM and smallest detectable change from sessions of the same subjects.

    Parameters
    ----------
    folders : sequence of Path
        Results, or folders of such; who is who and which session: ``batch.csv`` above a result, else its folder.
    say : callable
        Is told what is read.

    Raises
    ------
    GaitidError
        No subject has two sessions with whole cycles.
    """
    subjects = _subjects(load_results(folders, say))
    repeated = {who: sessions for who, sessions in subjects.items() if len(sessions) > 1}
    if not repeated:
        sessions = sum(map(len, subjects.values()))
        raise GaitidError(
            "no subject has two sessions with whole cycles",
            expected="results of at least two sessions of one subject, in which markers were put on again",
            found=f"{sessions} session{'' if sessions == 1 else 's'} of {len(subjects)} "
            f"subject{'' if len(subjects) == 1 else 's'}",
            todo="name subject and session in a manifest of gaitid batch, or give each session a folder",
        )
    fresh = {who: _fresh_sources(sessions) for who, sessions in repeated.items()}
    names = dict.fromkeys(n for of in repeated.values() for s in of for p in s.sides.values() for n in p.curves.columns)
    curves = {name: result for name in names if (result := _of_curve(repeated, fresh, name)) is not None}
    features = {
        f.name: result for f in FEATURES if (result := _of_feature(repeated, fresh, f.name, f.unit)) is not None
    }
    return Repeatability(curves, features)


def _subjects(sessions: Iterable[Session]) -> dict[tuple[str, str], list[OfSession]]:
    """By subject and condition the sessions that have whole cycles."""
    collected: dict[tuple[str, str], list[OfSession]] = {}
    for session in sessions:
        results = in_mean(session.results).results
        basis = pool(results)
        if basis.kind == CYCLE and basis.sides:
            of_subject = collected.setdefault((session.subject, session.condition), [])
            of_subject.append(OfSession(session, results, basis.sides))
    return collected


def _fresh_sources(sessions: Sequence[OfSession]) -> Collection[str] | None:
    """Sources of error that sessions of a subject do not share; None where one was run without ``--uncertainty``."""
    records = [result.record for session in sessions for result in session.results]
    about = [record.get("uncertainty") for record in records]
    if not all(isinstance(of, Mapping) and of.get("cycle_shares_percent") for of in about):
        return None
    shared = in_common(records, records, SUBJECT)
    # of measurements that all sessions hold alike the error is the same in all
    common = {*shared.sources} - (set() if shared.numbers else {"measurements"})
    return [source for source in about[0].get("sources", {}) if source not in common]  # type: ignore[union-attr]


# --- one curve, one feature -------------------------------------------------------------------------------------------

_Repeated = Mapping[tuple[str, str], Sequence[OfSession]]
_Fresh = Mapping[tuple[str, str], Collection[str] | None]


def _of_curve(repeated: _Repeated, fresh: _Fresh, name: str) -> Components | None:
    units: list[list[Array]] = []
    stated: list[tuple[Array, Array]] = []
    for who, sessions in repeated.items():
        for side in _sides(sessions, name):
            of_side = [(s, s.sides[side]) for s in sessions if side in s.sides]
            each = [(s, _counted(pooled, name)) for s, pooled in of_side]
            each = [(s, values) for s, values in each if len(values)]
            if len(each) > 1:
                units.append([values for _, values in each])
                parts = [variance_over_cycle(s.results, side, name) for s, _ in each]
                stated += [_stated(part, fresh[who], len(PERCENT)) for part in parts]
    unit = next((unit for end, unit in _UNITS.items() if name.endswith(end)), name.rpartition("_")[2])
    return _components(units, unit, stated, repeated, name.endswith("_deg"))


def _of_feature(repeated: _Repeated, fresh: _Fresh, name: str, unit: str) -> Components | None:
    units: list[list[Array]] = []
    stated: list[tuple[Array, Array]] = []
    for who, sessions in repeated.items():
        for side in _sides(sessions, name):
            each = [(s, _values(s, side, name)) for s in sessions]
            each = [(s, values) for s, values in each if len(values)]
            if len(each) > 1:
                units.append([values for _, values in each])
                stated += [
                    _stated(_of_record(result, side, name), fresh[who], 1) for s, _ in each for result in s.results
                ]
    return _components(units, unit, stated, repeated, unit == "deg")


def _sides(sessions: Sequence[OfSession], name: str) -> list[str]:
    sides = [side for side in ("left", "right") if any(side in session.sides for session in sessions)]
    return sides[:1] if name.startswith(_OF_BOTH) else sides


def _counted(pooled: Pooled, name: str) -> Array:
    """(cycles, points) of the cycles that count."""
    values = pooled.values(name)
    return np.asarray(values[np.isfinite(values).mean(axis=1) >= COUNTS_FROM])


def _values(session: OfSession, side: str, name: str) -> Array:
    """(cycles, 1)"""
    results = [value for result in session.results for value in result.feature_values.get((side, name), ())]
    return np.array(results, dtype=float)[:, None]


def _of_record(result: Result, side: str, name: str) -> dict[str, Array]:
    """Variance of a feature by source."""
    entry = result.mapping("uncertainty", "features", side, name)
    u, shares = entry.get("standard_uncertainty"), entry.get("shares_percent")
    if not isinstance(u, int | float) or not isinstance(shares, Mapping):
        return {}
    return {source: np.array([u**2 * share / 100]) for source, share in shares.items()}


def _stated(variance: Mapping[str, Array], fresh: Collection[str] | None, points: int) -> tuple[Array, Array]:
    """Variance by all sources that are drawn anew in a session, and by placement alone; NaN where nothing says it."""
    if fresh is None or not variance:
        return np.full(points, np.nan), np.full(points, np.nan)
    nothing = np.zeros(points)
    total = np.asarray(sum((of for source, of in variance.items() if source in fresh), nothing))
    return total, variance.get("marker_placement", nothing)


def _components(
    units: Sequence[Sequence[Array]], unit: str, stated: Sequence[tuple[Array, Array]], repeated: _Repeated, angle: bool
) -> Components | None:
    if not units:
        return None
    outcome = nested([[_turned(v, of[0][0]) for v in of] for of in units] if angle else units)
    sem = np.sqrt(outcome.between + outcome.within / outcome.cycles)
    low, high = interval(sem, outcome.freedom)
    points = len(sem)
    total, placed = (_mean([part[i] for part in stated], points) for i in (0, 1))
    results = [result for of in repeated.values() for session in of for result in session.results]
    sizes = [
        size
        for r in results
        if (size := r.number("uncertainty", "sources", "marker_placement", "coordinate_mm")) is not None
    ]
    numbers = {
        "subjects": np.full(points, float(len(repeated))),
        "sessions": np.full(points, float(sum(map(len, repeated.values())))),
        "cycles": outcome.cycles,
        "degrees_of_freedom": outcome.freedom,
        "sd_between_sessions": np.sqrt(outcome.between),
        "sd_within_session": np.sqrt(outcome.within),
        "sem": sem,
        "sem_low_95": low,
        "sem_high_95": high,
        "smallest_detectable_change": smallest_detectable_change(sem),
        "predicted_standard_uncertainty": np.sqrt(total),
        "predicted_by_marker_placement": np.sqrt(placed),
        "marker_placement_mm": np.full(points, float(np.mean(sizes)) if sizes else np.nan),
    }
    return Components(unit, numbers)


def _turned(values: Array, like: Array) -> Array:
    """Angles of the same turn as a curve."""
    return np.asarray(values - 360.0 * np.rint(np.nan_to_num((values - like) / 360.0)))


def _mean(values: Sequence[Array], points: int) -> Array:
    table = np.array(values).reshape(-1, points)
    count = np.isfinite(table).sum(axis=0)
    return np.asarray(np.nansum(table, axis=0) / np.where(count > 0, count, np.nan))


def nested(units: Sequence[Sequence[Array]]) -> Nested:
    """Variance components of cycles in sessions in units, at each point.

    Parameters
    ----------
    units : sequence of sequence of (cycles, points) array
        Of each unit (a side of a subject) the sessions; NaN where unknown.

    Notes
    -----
    With n cycles of each session, N of all, SS_w the squares within sessions and SS_b those of sessions' means about
    the mean of their unit, times n: E SS_w = (N − sessions) σ_w² and E SS_b = (sessions − units) σ_w² +
    (N − Σ_units Σ n² / Σ n) σ_b². A variance that comes out negative is 0. Without a session of two cycles σ_w² is
    unknown, and all is taken as between sessions.
    """
    points = units[0][0].shape[1]
    within, between, total, used = (np.zeros(points) for _ in range(4))
    sessions, of_units, reciprocal = (np.zeros(points) for _ in range(3))
    for of_unit in units:
        n = np.array([np.isfinite(values).sum(axis=0) for values in of_unit], dtype=float)  # (sessions, points)
        sums = np.array([np.nansum(values, axis=0) for values in of_unit])
        with np.errstate(all="ignore"):
            means = sums / n
            whole = sums.sum(axis=0) / n.sum(axis=0)
        within += sum(np.nansum((values - mean) ** 2, axis=0) for values, mean in zip(of_unit, means, strict=True))
        between += np.nansum(n * (means - whole) ** 2, axis=0)
        all_n = n.sum(axis=0)
        total += all_n
        used += np.where(all_n > 0, (n**2).sum(axis=0) / np.where(all_n > 0, all_n, 1.0), 0.0)
        sessions += (n > 0).sum(axis=0)
        of_units += all_n > 0
        reciprocal += np.where(n > 0, 1 / np.where(n > 0, n, 1.0), 0.0).sum(axis=0)
    freedom = sessions - of_units
    with np.errstate(all="ignore"):
        of_cycle = np.where(total > sessions, within / (total - sessions), 0.0)
        of_session = np.where(freedom > 0, (between - freedom * of_cycle) / (total - used), np.nan)
        cycles = sessions / reciprocal
    return Nested(np.maximum(of_session, 0.0), of_cycle, cycles, np.where(freedom > 0, freedom, np.nan))


# --- words ------------------------------------------------------------------------------------------------------------


def repeatability_lines(result: Repeatability) -> Iterator[str]:
    """A line for each angle, over the cycle, then whether the priors fit."""
    for name, of in result.curves.items():
        joint = usable_column(name)
        if joint is None or joint.quantity != "angle_deg":
            continue
        sem, low, high, change, predicted = (mean_square(of.numbers[key]) ** 0.5 for key in _SHOWN)
        beside = f"; predicted {predicted:.1f}°" if np.isfinite(predicted) else ""
        yield (
            f"{joint.joint.replace('_', ' ')} {motion_words(joint)}: SEM {sem:.1f}° (95 % {low:.1f} to {high:.1f}°), "
            f"smallest detectable change {change:.1f}°{beside}"
        )
    placement = result.placement()
    if placement is not None:
        yield _placement_words(placement)


def _placement_words(placement: Placement) -> str:
    low, high = interval(placement.shown_mm, placement.degrees_of_freedom)
    limits = f"95 % {low:.1f} to {high:.1f} mm"
    shown = f"markers are put on to {placement.shown_mm:.1f} mm (standard, each coordinate; {limits})"
    if placement.fits:
        return f"{shown}: the {placement.stated_mm:g} mm that were stated fit this laboratory"
    return (
        f"{shown}, and {placement.stated_mm:g} mm were stated, which does not fit this laboratory: gaitid run "
        f"--repeatability FILE takes {placement.posterior_mm:.1f} mm"
    )
