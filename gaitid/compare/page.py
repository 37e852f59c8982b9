"""A comparison as a page: the verdict, the reasons, each curve of both with its difference beneath. No network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from gaitid.check.findings import unit_of
from gaitid.compare.align import CYCLE, TIME
from gaitid.compare.comparison import Comparison, compare_curves
from gaitid.compare.measures import Measured, difference
from gaitid.compare.sources import session_curves
from gaitid.compare.text import cells_of, changed, heads_of, same_in_both, sure_words
from gaitid.compare.words import QUANTITIES, amount, curve_name, known_on_one_side, number, percent, verdict
from gaitid.disk.atomic import put_all
from gaitid.drawing import Scale, path, round_step, scale_for
from gaitid.errors import GaitidError, WriteError
from gaitid.inputs import refuse_to_overwrite
from gaitid.records import NamedTuple
from gaitid.report.panels import PANELS
from gaitid.report.sessions import Change, Changes
from gaitid.report.text import render
from gaitid.results.result import find_records
from gaitid.trial import Array

_X = {TIME: "time, s", CYCLE: "% of the gait cycle"}
_STEPS = (1.0, 2.0, 5.0, 10.0)
# The axis of a difference never shows less than this share of the curve's range: rounding is not to look like a curve.
_LEAST = 0.02


def refuse_output(output: Path, inputs: Iterable[Path]) -> None:
    """Raise where a page cannot be written to a path, by its name alone.

    Raises
    ------
    WriteError
    """
    if str(output) == "-":
        raise WriteError("-: a page goes to a file, not to the standard output", todo="give it a name, as why.html")
    if output.is_dir() or output.suffix.lower() not in (".html", ".htm"):
        raise WriteError(f"{output}: expected a name that ends in .html")
    refuse_to_overwrite([output], inputs)


def write_page(output: Path, comparison: Comparison) -> None:
    """Write the page, whole or not at all; its folder is made if absent.

    Raises
    ------
    WriteError
    """
    try:
        put_all(output.parent, {output.name: page(comparison).encode("utf-8", "replace")})
    except OSError as error:
        raise WriteError(f"{output}: cannot be written", found=error.strerror or str(error)) from None


def page(comparison: Comparison) -> str:
    """The page as HTML."""
    explained = comparison.explanation.notes if comparison.explanation is not None else ()
    notes = (*comparison.aligned.notes, *comparison.a.notes, *comparison.b.notes, *explained)
    return render(
        "compare/page.html",
        comparison=comparison,
        notes=[*notes, *known_on_one_side(comparison)],
        verdict=verdict(comparison),
        sure=sure_words(comparison) if comparison.sure is not None else (),
        why_heads=["all curves", *(f"{QUANTITIES[q]}, {unit_of(q)}" for q in comparison.quantities)],
        why=_why(comparison) if comparison.explanation is not None else (),
        same_in_both=same_in_both(comparison),
        x_label=_X.get(comparison.aligned.way, "frames"),
        groups=_groups(comparison),
        heads=heads_of(comparison),
        rows=_rows(comparison),
        number=number,
    )


# --- reasons ----------------------------------------------------------------------------------------------------


def _why(comparison: Comparison) -> list[tuple[str, str, list[tuple[str, str]], str]]:
    """Of each ingredient its name, its size, shares with what it has alone, and why there are none."""
    assert comparison.explanation is not None
    over_all, by_quantity = comparison.shares(), [comparison.shares(q) for q in comparison.quantities]
    rows = []
    for part in comparison.explanation.parts:
        key, cells = part.ingredient.key, []
        if key in over_all:
            cells = [(percent(over_all[key].share), percent(over_all[key].share_alone))]
            of_each = [shares[key] for shares in by_quantity]
            cells += [(f"{number(of.rms)} · {percent(of.share)}", percent(of.share_alone)) for of in of_each]
        rows.append((part.ingredient.name, part.size, cells, part.why_not or "nothing differs"))
    if over_all:
        left = [shares["remainder"] for shares in by_quantity]
        of_left = [(f"{number(of.rms)} · {percent(of.share)}", "") for of in left]
        rows.append(("left over", "", [(percent(over_all["remainder"].share), ""), *of_left], ""))
    return rows


# --- curves -----------------------------------------------------------------------------------------------------


class Figure(NamedTuple):
    """A curve of both, and beneath it their difference with the limits of its uncertainty.

    Attributes
    ----------
    title, words : str
    ends : (str, str)
        What positive and negative mean.
    ticks : sequence of float
        Of the x axis.
    upper, lower : Scale
    a, b, apart : str
        Paths.
    limits : sequence of str
        Paths on either side of no difference; none where they are not known.
    """

    title: str
    words: str
    ends: tuple[str, str]
    ticks: Sequence[float]
    upper: Scale
    lower: Scale
    a: str
    b: str
    apart: str
    limits: Sequence[str]


def _groups(comparison: Comparison) -> list[tuple[str, str, list[Figure], list[Figure]]]:
    """Of each quantity its name, its unit, the curves that differ and those that are the same."""
    groups = []
    for quantity, name in QUANTITIES.items():
        figures = [(m.same, _figure(comparison, m)) for m in comparison.compared if m.quantity == quantity]
        if figures:
            differ, same = ([of for is_same, of in figures if is_same is wanted] for wanted in (False, True))
            groups.append((name.capitalize(), unit_of(quantity), differ, same))
    return groups


def _figure(comparison: Comparison, m: Measured) -> Figure:
    both, x = comparison.aligned.curves[m.column], comparison.aligned.x
    side, _, column = m.column.partition("_")
    known = PANELS.get(column)
    spread = max(m.range_a, m.range_b, 1e-12)
    middle = float(np.nanmean(np.concatenate([both.a, both.b])))
    upper = _over(scale_for(middle - spread / 100, middle + spread / 100, np.concatenate([both.a, both.b])), x)
    apart, least = difference(both, m.quantity), _LEAST * spread
    limits = comparison.sure.limits.get(m.column) if comparison.sure is not None else None
    seen = apart if limits is None else np.concatenate([apart, limits, -limits])
    lower = _over(scale_for(-least, least, seen), x)
    words = f"RMS {amount(m.rms, m.quantity)}, bias {number(m.bias)}, "
    words += f"largest {number(m.largest)} at {comparison.aligned.place(m.at)}, r {number(m.r)}, n {m.n}"
    return Figure(
        f"{side.capitalize()} {curve_name(column)}" if known is None else f"{side.capitalize()}: {known.title}",
        words,
        ("", "") if known is None else (known.up, known.down),
        _ticks(x),
        upper,
        lower,
        path(upper, x, both.a),
        path(upper, x, both.b),
        path(lower, x, apart),
        [path(lower, x, sign * limits) for sign in (1, -1)] if limits is not None and np.isfinite(limits).any() else (),
    )


def _over(scale: Scale, x: Array) -> Scale:
    return replace(scale, x_low=float(x[0]), x_high=float(x[-1]) if x[-1] > x[0] else float(x[0]) + 1.0)


def _ticks(x: Array) -> Sequence[float]:
    """Four to six round values of the x axis; whole numbers, but for less than four seconds."""
    step = round_step(max(float(x[-1] - x[0]), 1e-9) / 5, _STEPS)
    step = max(step, 1.0) if x[-1] - x[0] >= 4 else step
    first = np.ceil(x[0] / step - 1e-9) * step
    return [round(float(t), 6) for t in np.arange(first, x[-1] + step * 1e-6, step)]


# --- figures ----------------------------------------------------------------------------------------------------


def _rows(comparison: Comparison) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """Of each quantity what it is called, and its curves with their cells."""
    groups = []
    for quantity, name in QUANTITIES.items():
        measured = (m for m in comparison.shown if m.quantity == quantity)
        rows = [(curve_name(m.column), cells_of(comparison, m)) for m in measured]
        if rows:
            groups.append((f"{name.capitalize()}, {unit_of(quantity)}", rows))
    return groups


_NO_LIMIT = (
    "It is not known, as not all sessions say how sure they are: run the trials with --uncertainty, or give what the "
    "laboratory’s own repeated sessions show with --repeatability."
)


def changes_of(
    named: Mapping[str, Sequence[Path]], same: str | None = None, sessions: Path | None = None
) -> tuple[Changes, ...]:
    """Of each session but the first, what differs from the first by more than the smallest detectable change.

    Parameters
    ----------
    named : mapping of str to sequence of Path
        Results and folders of each session.
    same : {"session", "subject", "nothing"}, optional
        What the sessions have in common; by default what their records show.
    sessions : Path, optional
        What `gaitid repeatability` wrote: the limits are taken from it.
    """
    first, *_ = named
    return tuple(_between(first, name, named, same, sessions) for name in islice(named, 1, None))


def _between(a: str, b: str, named: Mapping[str, Sequence[Path]], same: str | None, sessions: Path | None) -> Changes:
    first, other = (replace(session_curves(tuple(find_records(named[name]))), name=name) for name in (a, b))
    try:
        result = compare_curves(first, other, way=CYCLE, same=same, sessions=sessions)
    except GaitidError as error:
        if sessions is not None and str(sessions) in error.line():
            raise
        return Changes(a, b, f"They are not compared: {error.line()}.", known=False)
    if result.sure is None:
        return Changes(a, b, _NO_LIMIT, known=False)
    known = sum(result.beyond(m) is not None for m in result.compared)
    words = (
        f"The limit is the {result.sure.words}. It is known of {len(result.sure.features)} features and {known} "
        "curves; five in a hundred lie beyond by chance. A curve is named where more than a quarter of it lies beyond."
    )
    notes = (f"{note[:1].upper()}{note[1:]}." for note in result.sure.notes)
    return Changes(a, b, " ".join((words, *notes)), tuple(_change_rows(result)))


def _change_rows(result: Comparison) -> Iterator[Change]:
    """Curves where they differ most beside the limit, then features: each by how often its limit it differs."""
    assert result.sure is not None
    for m, share, _, at in changed(result):
        side, _, column = m.column.partition("_")
        both, limit = result.aligned.curves[m.column], float(result.sure.limits[m.column][at])
        kind = "moment" if "_moment_" in column else "power" if "_power_" in column else ""
        where = f"at {result.aligned.place(at)}, beyond over {percent(share)} of the cycle"
        words = f"{curve_name(column)} {kind}".strip() + f", curve: {where}"
        apart = float(difference(both, m.quantity)[at])
        yield _change_row(side, words, unit_of(m.quantity), float(both.a[at]), float(both.b[at]), apart, limit)
    for f in sorted(result.sure.features, key=lambda f: -abs(f.b - f.a) / f.detectable if f.detectable else 0.0):
        if f.beyond:
            yield _change_row(f.side, f.feature.replace("_", " "), f.unit, f.a, f.b, f.b - f.a, f.detectable)


def _change_row(side: str, words: str, unit: str, *values: float) -> Change:
    shown = unit.replace("_per_", "/").replace("Nm", "N·m").replace("deg", "°")
    return Change(side, words[:1].upper() + words[1:], shown, *map(number, values))
