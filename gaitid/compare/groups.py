"""Two groups of subjects, or the same subjects twice, over the gait cycle: where they differ, and by how much.

Subjects are the units: each counts with the mean of his cycles. The test is `gaitid.numerics.permutation`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError
from gaitid.numerics.permutation import LEAST_EACH, LEAST_PAIRS, Sample, Tested, compare_curves
from gaitid.records import frozen_dataclass
from gaitid.report.difference import Difference, difference_tables, figures_of, loaded_only, members_table, mixed
from gaitid.report.gathering import load_results
from gaitid.report.lines import Line, Member, by_subject, subject_line, whole_subjects
from gaitid.report.page import CYCLE, PERCENT
from gaitid.report.page.figures_table import speeds_of
from gaitid.report.panels import PANELS, SIDES, CyclePanel
from gaitid.report.sessions import Comparison, compared
from gaitid.report.text import fixed, number, render
from gaitid.trial import Array
from gaitid.write.table import cell

#: m/s. A small meaningful change of walking speed (Perera et al. 2006, J Am Geriatr Soc 54:743-749).
SPEEDS_DIFFER = 0.05
METHOD = (
    "Permutation test of the largest |t| over the cycle (Nichols & Holmes 2002, Hum Brain Mapp 15:1–25): in 5 % of all "
    "studies without an effect the band of a curve fails to hold 0 anywhere. “p, all curves” holds that for all curves "
    "of this page together. Subjects are the units, each with the mean of his cycles. Effect size: Hedges’ g, with the "
    "95 % interval of its percent alone (Hedges & Olkin 1985, ch. 5; paired: Borenstein et al. 2009, eq. 4.27–4.28). "
    f"It takes {LEAST_EACH} subjects in each group, or {LEAST_PAIRS} pairs: with fewer no p is below 5 %."
)
TABLE_COLUMNS = (
    *("side", "column", "percent", "n_a", "n_b", "mean_a", "sd_a", "mean_b", "sd_b", "difference", "low_95", "high_95"),
    *("t", "critical_t", "p", "p_of_all_curves", "hedges_g", "hedges_g_low_95", "hedges_g_high_95"),
)


@frozen_dataclass(eq=False)
class OfCurve:
    """A curve of both groups and what the test shows of it; attributes in the units of its column.

    Attributes
    ----------
    side : str
    column : str
    a, b : (subjects, points) arrays
    tested : Tested
    difference, half_width : (points,) arrays
        Mean of b less mean of a, and half of the band that holds the whole curve.
    g, half_g : (points,) arrays
        Hedges' g, and half of its 95 % interval.
    """

    side: str
    column: str
    a: Array
    b: Array
    tested: Tested
    difference: Array
    half_width: Array
    g: Array
    half_g: Array

    @property
    def at(self) -> int:
        """The percent of the largest |t|."""
        return int(np.nanargmax(np.abs(self.tested.t)))


@frozen_dataclass(eq=False)
class Groups:
    """Two groups compared.

    Attributes
    ----------
    names : tuple of str
    members : tuple of tuples of Member
    paired : bool
    left_out : tuple of str
        Subjects who are in one group alone where they are paired.
    curves : tuple of OfCurve
    speeds : tuple of arrays
        Each subject's mean walking speed, m/s.
    speed : Tested
    untested : tuple of str
        Curves, in words, that too few subjects have, or in which nobody varies.
    """

    names: tuple[str, str]
    members: tuple[tuple[Member, ...], tuple[Member, ...]]
    paired: bool
    left_out: tuple[str, ...]
    curves: tuple[OfCurve, ...]
    speeds: tuple[Array, Array]
    speed: Tested
    untested: tuple[str, ...] = ()


def compare_groups(
    folders: Mapping[str, Path],
    paired: bool | None = None,
    permutations: int = 5000,
    say: Callable[[str], None] = lambda _: None,
) -> Groups:
    """Compare the curves of two groups.

    Parameters
    ----------
    folders : mapping of str to Path
        Two, by the groups' names. Who is who says ``batch.csv`` above a result, else each folder is a subject.
    paired : bool, optional
        By default where a subject is in both.
    permutations : int
    say : callable
        Is told what is read.

    Raises
    ------
    GaitidError
        There are too few subjects with whole gait cycles.
    """
    names = tuple(folders)
    members = {name: _members([folder], say) for name, folder in folders.items()}
    a, b = members.values()
    both = [m.label for m in a if m.label in {other.label for other in b}]
    paired = bool(both) if paired is None else paired
    left_out: tuple[str, ...] = ()
    if paired:
        left_out = tuple(m.label for m in (*a, *b) if m.label not in both)
        a, b = (tuple(next(m for m in of if m.label == who) for who in both) for of in (a, b))
    least = LEAST_PAIRS if paired else LEAST_EACH
    if min(len(a), len(b)) < least:
        raise GaitidError(
            "too few subjects for a test",
            expected=f"at least {least} {'in both groups' if paired else 'in each group'}, with whole gait cycles",
            found=f"{len(a)} in both" if paired else f"{len(a)} in {names[0]}, {len(b)} in {names[1]}",
            todo="name subjects in a manifest of gaitid batch, or give each subject a folder"
            + ("; --independent where these are different people" if paired and left_out else ""),
        )
    return _compared((names[0], names[1]), (a, b), paired, left_out, permutations)


def _members(folders: Sequence[Path], say: Callable[[str], None]) -> tuple[Member, ...]:
    sessions = load_results(folders, say)
    named = [replace(s, subject=s.subject or s.session) for s in sessions]  # no table names them: by folder
    return tuple(m for m in whole_subjects(by_subject(named)) if m.basis.kind == CYCLE)


def _compared(
    names: tuple[str, str],
    members: tuple[tuple[Member, ...], tuple[Member, ...]],
    paired: bool,
    left_out: tuple[str, ...],
    permutations: int,
) -> Groups:
    results: list[tuple[str, str, Sample]] = []
    for side in SIDES:
        for column, panel in PANELS.items():
            sample = _sample(members, side, panel, paired)
            if sample is not None:
                results.append((side, column, sample))
    speeds = tuple(np.array([np.mean(speeds_of(m.results) or np.nan) for m in of]) for of in members)
    of_speed = Sample(speeds[0][:, None], speeds[1][:, None], _numbers(members, members, paired))
    tests = compare_curves([sample for *_, sample in results], paired, permutations) if results else []
    curves = tuple(
        _of_curve(side, column, sample, test, paired)
        for (side, column, sample), test in zip(results, tests, strict=True)
        if np.isfinite(test.t).any()  # else nobody varies in it
    )
    (speed,) = compare_curves([of_speed], paired, permutations)
    tested = {(of.side, of.column) for of in curves}
    there = [
        f"{side} {panel.title.lower()}"
        for side in SIDES
        for column, panel in PANELS.items()
        if (side, column) not in tested and any(subject_line(of, side, column, 0, "") for of in members)
    ]
    return Groups(names, members, paired, left_out, curves, (speeds[0], speeds[1]), speed, tuple(there))


_Both = tuple[Sequence[Member], Sequence[Member]]


def _numbers(all_of: _Both, some: _Both, paired: bool) -> Any:
    """The number of each subject, the same for all curves; those of b follow those of a."""
    of_a, of_b = ([m.label for m in of] for of in all_of)
    first = [of_a.index(m.label) for m in some[0]]
    return np.array(first if paired else first + [len(of_a) + of_b.index(m.label) for m in some[1]])


def _sample(members: _Both, side: str, panel: CyclePanel, paired: bool) -> Sample | None:
    """A curve of the subjects who have it, without impacts; None where these are too few or nothing is known."""
    lines = [line for of in members if (line := subject_line(of, side, panel.column, 0, "")) is not None]
    if len(lines) < 2:
        return None
    there = [{m.label: m for m in of if m.label in line.subjects} for of, line in zip(members, lines, strict=True)]
    if paired:
        there = [{who: of[who] for who in there[0] if who in there[1]} for of in there]
    if min(map(len, there)) < (LEAST_PAIRS if paired else LEAST_EACH):
        return None
    struck = lines[0].impact | lines[1].impact
    a, b = (
        np.where(struck, np.nan, line.whole[[line.subjects.index(who) for who in of]])
        for of, line in zip(there, lines, strict=True)
    )
    if panel.joint == "ground":
        a, b = loaded_only(a, b)
    if not np.isfinite(np.concatenate([a, b])).all(axis=0).any():
        return None
    some = [*there[0].values()], [*there[1].values()]
    return Sample(a, b, _numbers(members, some, paired))


def _of_curve(side: str, column: str, sample: Sample, tested: Tested, paired: bool) -> OfCurve:
    g, variance = hedges_g(sample.a, sample.b, paired)
    difference = np.where(np.isfinite(tested.t), sample.b.mean(axis=0) - sample.a.mean(axis=0), np.nan)
    half = tested.critical * tested.standard_error
    return OfCurve(side, column, sample.a, sample.b, tested, difference, half, g, 1.96 * np.sqrt(variance))


def hedges_g(a: Array, b: Array, paired: bool) -> tuple[Array, Array]:
    """Standardised difference of b less a at each point, without small samples' bias, and its variance.

    Hedges & Olkin 1985, Statistical Methods for Meta-Analysis, ch. 5, eqs. 7, 10 and 15; of pairs by the standard
    deviation within conditions (Borenstein et al. 2009, Introduction to Meta-Analysis, eqs. 4.27 and 4.28).
    """
    n_a, n_b = len(a), len(b)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_a, of_b = a.var(axis=0, ddof=1), b.var(axis=0, ddof=1)
        freedom = n_a - 1 if paired else n_a + n_b - 2
        within = (of_a + of_b) / 2 if paired else ((n_a - 1) * of_a + (n_b - 1) * of_b) / freedom
        d = (b.mean(axis=0) - a.mean(axis=0)) / np.sqrt(within)
        unbiased = 1 - 3 / (4 * freedom - 1)
        if paired:
            variance = (1 / n_a + d**2 / (2 * n_a)) * (b - a).var(axis=0, ddof=1) / within
        else:
            variance = (n_a + n_b) / (n_a * n_b) + d**2 / (2 * (n_a + n_b))
    known = np.isfinite(d)
    return np.where(known, unbiased * d, np.nan), np.where(known, unbiased**2 * variance, np.nan)


# --- words, tables ----------------------------------------------------------------------------------------------------


def speed_words(result: Groups) -> str:
    """How fast both walk, and whether they differ."""
    a, b = result.speeds
    means, apart = [float(np.nanmean(of)) for of in result.speeds], float(np.nanmean(b) - np.nanmean(a))
    words = [
        f"{name} {mean:.2f} ± {np.nanstd(of, ddof=1):.2f} m/s" for name, mean, of in zip(result.names, means, (a, b))
    ]
    unequal = abs(apart) >= SPEEDS_DIFFER or result.speed.p < 0.05
    end = "unequal: curves change with speed, and a part of every difference may be that" if unequal else "equal"
    return f"walking speed: {', '.join(words)} (difference {fixed(apart, 2)} m/s, p {p_words(result.speed.p)}): {end}"


def p_words(p: float) -> str:
    """A p value as people write it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def rows_of(result: Groups) -> list[dict[str, Any]]:
    """Of each curve where it differs most, the smallest p first."""
    rows = []
    for of in result.curves:
        panel, at = PANELS[of.column], of.at
        rows.append(
            {
                "side": of.side,
                "curve": panel.title,
                "column": of.column,
                "n": f"{len(of.a)}" if result.paired else f"{len(of.a)} + {len(of.b)}",
                "at": at,
                "difference": panel.scale * float(of.difference[at]),
                "half_width": panel.scale * float(of.half_width[at]),
                "unit": panel.unit,
                "g": float(of.g[at]),
                "g_low": float(of.g[at] - of.half_g[at]),
                "g_high": float(of.g[at] + of.half_g[at]),
                "p": of.tested.p,
                "p_of_all": of.tested.p_of_all,
            }
        )
    return sorted(rows, key=lambda row: (row["p_of_all"], row["p"]))


def head_words(result: Groups) -> str:
    """Who is compared."""
    a, b = map(len, result.members)
    if result.paired:
        out = f"; not in both, and left out: {', '.join(result.left_out)}" if result.left_out else ""
        return f"{result.names[0]} and {result.names[1]}: the same {a} subjects, paired{out}"
    both = [m.label for m in result.members[0] if m.label in {other.label for other in result.members[1]}]
    shared = f"; names in both groups, taken for different people: {', '.join(both)}" if both else ""
    return f"{result.names[0]} ({a} subjects) and {result.names[1]} ({b} subjects), independent{shared}"


def lines_of(result: Groups) -> Iterator[str]:
    """For a terminal."""
    yield head_words(result)
    yield speed_words(result)
    rows = rows_of(result)
    yield from mixed([m for members in result.members for m in members])[0]
    clear = [row for row in rows if row["p"] < 0.05]
    if result.untested:
        few = ", ".join(result.untested[:3]) + (", …" if len(result.untested) > 3 else "")
        yield f"{len(result.untested)} curves are not tested, as too few subjects have them or nobody varies: {few}"
    yield f"{len(clear)} of {len(rows)} curves differ somewhere (p < 0.05 each); {round(0.05 * len(rows))} by chance"
    for row in clear:
        amount = f"{number(row['difference'], 3)} ± {number(row['half_width'], 3)} {row['unit']}"
        effect = f"g {row['g']:.2f} ({row['g_low']:.2f} to {row['g_high']:.2f})"
        ps = f"p {p_words(row['p'])}, of all curves {p_words(row['p_of_all'])}"
        yield f"  {row['side']} {row['curve'].lower()}: {amount} at {row['at']} %; {effect}; {ps}"


def tidy_table(result: Groups) -> str:
    """A row a side, column and percent."""
    text = io.StringIO()
    text.write(",".join(TABLE_COLUMNS) + "\n")
    for of in result.curves:
        test, of_both = of.tested, (len(of.a), len(of.b))
        moments = [m for group in (of.a, of.b) for m in (group.mean(axis=0), group.std(axis=0, ddof=1))]
        bands = (of.difference, of.difference - of.half_width, of.difference + of.half_width, test.t)
        effects = (of.g, of.g - of.half_g, of.g + of.half_g)
        for i, percent in enumerate(PERCENT.tolist()):
            row = [of.side, of.column, percent, *of_both, *(float(v[i]) for v in (*moments, *bands))]
            row += [test.critical, test.p, test.p_of_all, *(float(v[i]) for v in effects)]
            text.write(",".join(map(cell, row)) + "\n")
    return text.getvalue()


def curve_arrays(result: Groups) -> dict[str, Array]:
    """Of each curve ``{side}_{column}_{group}``, (subjects, 101): what `spm1d.stats` takes as Y; NaN where unknown."""
    return {
        f"{of.side}_{of.column}_{name}": values
        for of in result.curves
        for name, values in zip(result.names, (of.a, of.b), strict=True)
    }


# --- the page ---------------------------------------------------------------------------------------------------------


def page(result: Groups) -> str:
    """As HTML."""
    tested = {(of.side, of.column): of for of in result.curves}

    def lines(side: str, column: str) -> tuple[Line, ...]:
        both = zip(result.names, result.members, strict=True)
        made = [subject_line(members, side, column, i, name) for i, (name, members) in enumerate(both)]
        return tuple(line for line in made if line is not None)

    def differ(panel: CyclePanel, lines: Sequence[Line]) -> list[tuple[Line, Difference]]:
        of = tested.get((lines[0].side, panel.column)) if len(lines) == 2 else None
        return [] if of is None else [(lines[1], Difference(of.difference, of.half_width, (len(of.a), len(of.b))))]

    def figures(i: int, side: str, key: str) -> Mapping[str, float] | list[float]:
        each = {m.label: figures_of(m.results, side, key) for m in result.members[i]}
        means = {who: float(np.mean(values)) for who, values in each.items() if values}
        return means if result.paired else [*means.values()]

    both = [m for members in result.members for m in members]
    return render(
        "compare/groups.html",
        found=result,
        head=head_words(result),
        speed=speed_words(result),
        tables_of_members=[
            (n, members_table(of, "Subject")) for n, of in zip(result.names, result.members, strict=True)
        ],
        mixed=mixed(both),
        compared=compared(Comparison(result.names, lines, "subjects", METHOD, None, "", differ=differ)),
        rows=rows_of(result),
        p_words=p_words,
        fixed=fixed,
        number=number,
        tables=difference_tables(result.names, figures),
    )
