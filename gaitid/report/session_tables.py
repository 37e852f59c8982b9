"""Tables of sessions or subjects beside each other: who they are, figures of strides, features, and differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gaitid.notes.message import DO_NOT_USE
from gaitid.records import NamedTuple
from gaitid.report.difference import LEAST_CYCLES, critical_t, own_differences, variance_of
from gaitid.report.gathering import people
from gaitid.report.lines import Member
from gaitid.report.page.figures_table import FEATURES, SPATIOTEMPORAL, Row, speeds_of, strides
from gaitid.report.page.told import LEVEL_CLASS, agreed, in_words, model_of, named, names_of, reasons, verdicts
from gaitid.report.panels import SIDES
from gaitid.report.result import Result
from gaitid.report.text import UNKNOWN, fixed, mean_sd

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
        apart = own_differences(np.array([a[name] for name in both]), np.array([b[name] for name in both]))
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
