"""Sessions that a reader names -> what of their differences is more than the smallest detectable change, for a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from gaitid.check.findings import unit_of
from gaitid.compare.align import CYCLE
from gaitid.compare.comparison import Comparison, compare_curves
from gaitid.compare.measures import difference
from gaitid.compare.sources import session_curves
from gaitid.compare.text import changed
from gaitid.compare.words import curve_name, number, percent
from gaitid.errors import GaitidError
from gaitid.report.sessions import Change, Changes
from gaitid.results.one_run import find_records

_UNKNOWN = (
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
        found = compare_curves(first, other, way=CYCLE, same=same, sessions=sessions)
    except GaitidError as error:
        if sessions is not None and str(sessions) in error.line():
            raise
        return Changes(a, b, f"They are not compared: {error.line()}.", known=False)
    if found.sure is None:
        return Changes(a, b, _UNKNOWN, known=False)
    known = sum(found.beyond(m) is not None for m in found.compared)
    words = (
        f"The limit is the {found.sure.words}. It is known of {len(found.sure.features)} features and {known} curves; "
        "five in a hundred lie beyond by chance. A curve is named where more than a quarter of it lies beyond."
    )
    notes = (f"{note[:1].upper()}{note[1:]}." for note in found.sure.notes)
    return Changes(a, b, " ".join((words, *notes)), tuple(_rows(found)))


def _rows(found: Comparison) -> Iterator[Change]:
    """Curves where they differ most beside the limit, then features: each by how often its limit it differs."""
    assert found.sure is not None
    for m, share, _, at in changed(found):
        side, _, column = m.column.partition("_")
        both, limit = found.aligned.curves[m.column], float(found.sure.limits[m.column][at])
        kind = "moment" if "_moment_" in column else "power" if "_power_" in column else ""
        where = f"at {found.aligned.place(at)}, beyond over {percent(share)} of the cycle"
        words = f"{curve_name(column)} {kind}".strip() + f", curve: {where}"
        apart = float(difference(both, m.quantity)[at])
        yield _change(side, words, unit_of(m.quantity), float(both.a[at]), float(both.b[at]), apart, limit)
    for f in sorted(found.sure.features, key=lambda f: -abs(f.b - f.a) / f.detectable if f.detectable else 0.0):
        if f.beyond:
            yield _change(f.side, f.feature.replace("_", " "), f.unit, f.a, f.b, f.b - f.a, f.detectable)


def _change(side: str, words: str, unit: str, *values: float) -> Change:
    shown = unit.replace("_per_", "/").replace("Nm", "N·m").replace("deg", "°")
    return Change(side, words[:1].upper() + words[1:], shown, *map(number, values))
