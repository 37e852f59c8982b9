"""Differences of sessions and of subjects: of curves with their bands, of figures with their intervals, as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gaitid.notes.message import DO_NOT_USE
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.gathering import people
from gaitid.report.lines import Member
from gaitid.report.page.figures_table import FEATURES, SPATIOTEMPORAL, Row, speeds_of, strides
from gaitid.report.page.messages import LEVEL_CLASS, agreed, in_words, model_of, named, names_of, reasons, verdicts
from gaitid.report.panels import SIDES
from gaitid.report.text import UNKNOWN, fixed, mean_sd
from gaitid.results.result import Result
from gaitid.trial import Array

#: With two the band would be wider than any curve.
LEAST_CYCLES = 3
#: How often the band holds the whole course of the true difference.
CONFIDENCE = 0.95
# Of the greatest value: curves and figures are read back with ten digits, and what differs by less is their rounding.
_ROUNDING = 1e-9
# Widest t that is looked for: no band is drawn with it.
_MOST_T = 1e4


@frozen_dataclass()
class Difference:
    """Mean of B less mean of A.

    Attributes
    ----------
    mean : (p,) array
        NaN where one of the two has no value.
    half_width : (p,) array
        Of the band; NaN where fewer than three cycles of A or B have a value.
    cycles : tuple of int
        Cycles of A and of B.
    """

    mean: Array
    half_width: Array
    cycles: tuple[int, int]

    @property
    def apart(self) -> NDArray[np.bool_]:
        """(p,) whether the band does not hold 0."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.mean) > self.half_width)


def difference(a: Array, b: Array) -> Difference:
    """B less A, each (cycles, p) with NaN where unknown: cycles are taken as independent of each other."""
    of_a, of_b = _moments(a), _moments(b)
    enough = np.minimum(of_a.n, of_b.n) >= LEAST_CYCLES
    half = np.full(enough.shape, np.nan)
    if enough.sum() > 1:
        half[enough] = _half_width(a[:, enough], b[:, enough])
    return Difference(of_b.mean - of_a.mean, half, (len(a), len(b)))


def paired_difference(a: Array, b: Array) -> Difference:
    """B less A of the same subjects, row by row: the band is that of the mean of their differences (n - 1)."""
    apart = paired_differences(a, b)
    known = np.isfinite(apart).all(axis=0)
    half = np.full(known.shape, np.nan)
    of_all = _moments(apart)
    if len(apart) >= LEAST_CYCLES and known.sum() > 1:
        se = np.sqrt(of_all.variance / len(apart))
        known &= se > 0
        resels = _resels((apart - of_all.mean)[:, known])
        half[known] = critical_t(len(apart) - 1, resels) * se[known]
    return Difference(of_all.mean, half, (len(a), len(b)))


def paired_differences(a: Array, b: Array) -> Array:
    """B less A, element by element; 0 where that is the rounding of what both were read from."""
    apart, both = b - a, np.abs(np.concatenate([a, b]))
    return np.where(np.abs(apart) <= _ROUNDING * both[np.isfinite(both)].max(initial=0.0), 0.0, apart)


def loaded_only(a: Array, b: Array) -> tuple[Array, Array]:
    """The same without the instants at which some cycle has exactly 0: the foot is in the air, nothing varies there."""
    air = (a == 0).any(axis=0) | (b == 0).any(axis=0)
    return np.where(air, np.nan, a), np.where(air, np.nan, b)


class _Moments(NamedTuple):
    """At each percent: the mean, the variance (n - 1; 0 where it is rounding) and how many curves are known there."""

    mean: Array
    variance: Array
    n: NDArray[np.int64]


def _moments(values: Array) -> _Moments:
    known = np.isfinite(values)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=0) / n
        variance = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / (n - 1)
        rounding = np.sqrt(variance) <= _ROUNDING * np.abs(values[known]).max(initial=0.0)
    return _Moments(mean, np.where(rounding, 0.0, variance), n)


def variance_of(values: Sequence[float]) -> float:
    """The variance (n - 1) of two figures or more; 0 where they differ by rounding alone."""
    return float(_moments(np.array(values, dtype=float)[:, None]).variance[0])


def _half_width(a: Array, b: Array) -> Array:
    of_a, of_b = _moments(a), _moments(b)
    share_a, share_b = of_a.variance / of_a.n, of_b.variance / of_b.n
    se = np.sqrt(share_a + share_b)
    known = se > 0
    if known.sum() < 2:
        return np.full(se.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = se**4 / (share_a**2 / (of_a.n - 1) + share_b**2 / (of_b.n - 1))
    resels = _resels(np.concatenate([a - of_a.mean, b - of_b.mean])[:, known])
    t = critical_t(float(freedom[known].mean()), resels)
    return np.where(known & (t < _MOST_T), t * se, np.nan)


def _resels(residuals: Array) -> float:
    """How many curves' widths at half maximum the cycle holds: the roughness of the residuals, (c, p)."""
    known = np.isfinite(residuals)
    both = known[:, 1:] & known[:, :-1]
    scaled = np.where(known, residuals, 0.0)
    scaled = scaled / np.sqrt((scaled**2).sum(axis=0))
    steps = np.where(both, np.diff(scaled, axis=1), 0.0)
    return float(np.sqrt((steps**2).sum(axis=0)).sum() / math.sqrt(4 * math.log(2)))


@lru_cache(maxsize=256)  # the figures of a table have the same few numbers of cycles
def critical_t(freedom: float, resels: float) -> float:
    """The |t| that a smooth curve of t values exceeds anywhere in 1 - `CONFIDENCE` of all cases, by bisection."""
    low, high = 1.0, _MOST_T
    for _ in range(60):
        middle = math.sqrt(low * high)
        if _exceeded(middle, freedom, resels) > 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def _exceeded(t: float, freedom: float, resels: float) -> float:
    """Expected number of excursions beyond ±t.

    2 [P(T > t) + R √(4 ln 2)/(2π) (1 + t²/ν)^(-(ν - 1)/2)]     (Worsley et al. 1996, table II, one dimension)
    """
    from scipy.special import stdtr  # of few pages

    density: float = math.sqrt(4 * math.log(2)) / (2 * math.pi) * (1 + t * t / freedom) ** (-(freedom - 1) / 2)
    return 2 * (float(stdtr(freedom, -t)) + resels * density)


class Excursion(NamedTuple):
    """Where a curve lies farthest from the mean of others.

    Attributes
    ----------
    distance : float
        In standard deviations of the others; NaN where nothing is known.
    percent : int
        Of the cycle.
    chance : float
        Of so far an excursion of a curve that is like the others, anywhere in the cycle, where it is rare (it is an
        expected number); NaN where nothing is known.
    """

    distance: float
    percent: int
    chance: float


def excursion(curve: Array, others: Array) -> Excursion:
    """Where a curve lies farthest from the mean of others, (n, p), and how rare that is.

    (x - mean) / (s sqrt(1 + 1/n)), with s the others' standard deviation, has Student's t with n - 1 degrees of freedom
    at each instant.
    """
    known = np.isfinite(curve) & np.isfinite(others).all(axis=0)
    of_all, n = _moments(others), len(others)
    known &= of_all.variance > 0
    if known.sum() < 2 or n < LEAST_CYCLES:
        return Excursion(math.nan, 0, math.nan)
    sd = np.sqrt(of_all.variance[known])
    apart = np.abs(curve[known] - of_all.mean[known]) / sd
    widest = int(np.argmax(apart))
    distance = float(apart[widest])
    chance = _exceeded(distance / math.sqrt(1 + 1 / n), n - 1, _resels((others - of_all.mean)[:, known]))
    return Excursion(distance, int(np.flatnonzero(known)[widest]), chance)


#: Figures by member: of cycles, or in a group by subject.
Of = Mapping[str, float] | Sequence[float]


class MemberRow(NamedTuple):
    """One session or subject: cells of text, cells of numbers, and its verdict with reasons."""

    label: str
    trials: str
    numbers: list[str]
    model: str
    level: str
    verdict: str
    because: list[str]


class MembersTable(NamedTuple):
    """Who is compared.

    Attributes
    ----------
    first : str
        What a member is.
    numbers : list of (heading, class)
    rows : list of MemberRow
    """

    first: str
    numbers: list[tuple[str, str]]
    rows: list[MemberRow]


def members_table(
    members: Sequence[Member], first: str, more: Mapping[str, Sequence[str]] | None = None
) -> MembersTable:
    """Trials, cycles, speed, model and verdict of each session or subject; `more` has further columns."""
    more = more or {}
    curves = f"{members[0].basis.kind.capitalize()}s"
    heads = [(f"{curves} left", "n left"), (f"{curves} right", "n right"), ("Speed, m/s", "n")]
    rows = [_member_row(m, [values[i] for values in more.values()]) for i, m in enumerate(members)]
    return MembersTable(first, [*heads, *((name, "n") for name in more)], rows)


def _member_row(member: Member, more: Sequence[str]) -> MemberRow:
    names = names_of(member.results)
    trials = ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more"
    counts = [len(member.basis.sides[side]) if side in member.basis.sides else 0 for side in SIDES]
    verdict, words = verdicts(member.results).get("trial", ""), in_words(member.results) or UNKNOWN
    why = [reason.words for reason in reasons(member.results, member.out)]
    because = [text if len(text) <= 110 else f"{text[:109].rstrip()}…" for text in why[:1]]
    because += [f"and {len(why) - 1} more"] if len(why) > 1 else []
    numbers = [*map(str, counts), mean_sd(speeds_of(member.results), 1, 2), *more]
    model = agreed(map(model_of, member.results))
    return MemberRow(member.label, trials, numbers, model, LEVEL_CLASS.get(verdict, "care"), words, because)


def mixed(members: Sequence[Member]) -> tuple[list[str], str]:
    """What the means mix that should not be mixed, as models and trials not to be used; and what is not in them."""
    doubts = []
    models = {model_of(result) for member in members for result in member.results}
    if len(models) > 1:
        doubts.append(f"Several models ({', '.join(sorted(models))}): differences between them are in what is shown.")
    bad = ", ".join(
        f"{member.label} {name}" if len(members) > 1 else name
        for member in members
        for name, result in named(member.results)
        if result.record_at("verdict", "trial") == DO_NOT_USE and result.cycles
    )
    if bad:
        doubts.append(f"In the means are trials with the verdict “do not use”: {bad}. Leave their results out.")
    doubts += [
        f"{member.label}: its trials’ mass or leg lengths differ by more than a tenth: are they of one person?"
        for member in members
        if len(people(member.results)) > 1
    ]
    return doubts, "; ".join(f"{m.label} {line}" if len(members) > 1 else line for m in members for line in m.left_out)


class DifferenceTable(NamedTuple):
    """Mean and SD of each label and side, and the differences from the first.

    Attributes
    ----------
    caption : str
    heads : list of str
    rows : list of (Row, list of (text, how many or 0, whether it is clear))
    """

    caption: str
    heads: list[str]
    rows: list[tuple[Row, list[tuple[str, int, bool]]]]


def session_tables(members: Sequence[Member]) -> list[DifferenceTable]:
    """Figures of strides and features of each session, with differences."""
    labels = [member.label for member in members]
    return difference_tables(labels, lambda i, side, key: figures_of(members[i].results, side, key))


def figures_of(results: Sequence[Result], side: str, key: str) -> list[float]:
    """A figure of each stride, or a feature of each cycle, of a side."""
    return [
        value
        for result in results
        for value in (*strides(result, side, key), *result.feature_values.get((side, key), ()))
    ]


def difference_tables(labels: Sequence[str], of: Callable[[int, str, str], Of]) -> list[DifferenceTable]:
    """Those in which there is a value.

    `of` gives the figures by label, side and key: a list, or one figure a subject by name, which are then paired.
    """
    heads = [*labels, *(f"{label} − {labels[0]}" for label in labels[1:])]
    captions = {"Strides and steps": SPATIOTEMPORAL, "Features": FEATURES}
    tables = (DifferenceTable(caption, heads, _rows(rows, len(labels), of)) for caption, rows in captions.items())
    return [table for table in tables if table.rows]


def _rows(
    rows: Sequence[Row], labels: int, of: Callable[[int, str, str], Of]
) -> list[tuple[Row, list[tuple[str, int, bool]]]]:
    shown = []
    for row in rows:
        by_side = [[of(i, side, row.key) for i in range(labels)] for side in SIDES]
        if any(v != 0 for of_side in by_side for one in of_side for v in _list(one)):
            cells = []
            for first, *others in by_side:
                for values in map(_list, (first, *others)):
                    cells.append((mean_sd(values, row.times, row.decimals), len(values), False))
                cells += [_difference_cell(first, other, row) for other in others]
            shown.append((row, cells))
    return shown


def _list(values: Of) -> list[float]:
    return list(values.values()) if isinstance(values, Mapping) else list(values)


def _difference_cell(a: Of, b: Of, row: Row) -> tuple[str, int, bool]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        both = [name for name in a if name in b]
        apart = paired_differences(np.array([a[name] for name in both]), np.array([b[name] for name in both]))
        mean, half = (float(apart.mean()) if both else math.nan), half_of_mean(apart.tolist())
    else:
        first, second = _list(a), _list(b)
        mean = float(np.mean(second) - np.mean(first)) if first and second else math.nan
        half = half_of_difference(first, second)
    spread = f" ± {fixed(half * row.times, row.decimals)}" if math.isfinite(half) else ""
    return f"{fixed(mean * row.times, row.decimals)}{spread}", 0, abs(mean) > half


def half_of_difference(a: Sequence[float], b: Sequence[float]) -> float:
    """Half of the 95 % interval of the difference of two means (Welch 1947); NaN of fewer than three in either."""
    if min(len(a), len(b)) < LEAST_CYCLES:
        return math.nan
    shares = [variance_of(values) / len(values) for values in (a, b)]
    if not sum(shares) > 0:
        return math.nan
    freedom = sum(shares) ** 2 / sum(share**2 / (len(v) - 1) for share, v in zip(shares, (a, b), strict=True))
    return critical_t(freedom, resels=0.0) * math.sqrt(sum(shares))


def half_of_mean(values: Sequence[float]) -> float:
    """Half of the 95 % interval of a mean (Student's t); NaN of fewer than three."""
    if len(values) < LEAST_CYCLES or not (variance := variance_of(values)) > 0:
        return math.nan
    return critical_t(len(values) - 1, resels=0.0) * math.sqrt(variance / len(values))
