"""Which trials of a session count for its means: walks of one kind of way only, none that is not to be used.

What `gaitid norms build` leaves out for the same reasons stands in `gaitid.norms.build`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gaitid.norms.fit import way_words
from gaitid.records import frozen_dataclass
from gaitid.report.page.told import LEVELS, names_of, readable
from gaitid.report.panels import SIDES
from gaitid.report.result import Result

_NOT_TO_BE_USED = LEVELS[2]


@frozen_dataclass()
class InMean:
    """The trials of a session, without what does not count for its means.

    Attributes
    ----------
    results : tuple of Result
        All that were given, in their order; a side that does not count has no cycles, figures and curves left.
    out : tuple of (str, ...)
        Of each result the sides that do not count.
    told : tuple of str
        A sentence for each trial that is left out, in whole or of one side.
    not_straight : bool
        Whether what counts are walks that turn, go up or down, or backward: there was no other.
    """

    results: tuple[Result, ...]
    out: tuple[tuple[str, ...], ...]
    told: tuple[str, ...]
    not_straight: bool

    @property
    def counted(self) -> tuple[Result, ...]:
        """The results of which at least one side counts."""
        return tuple(r for r, out in zip(self.results, self.out, strict=True) if set(out) != {*SIDES})

    def of_side(self, side: str) -> tuple[Result, ...]:
        """The results that count for a side."""
        return tuple(r for r, out in zip(self.results, self.out, strict=True) if side not in out)


def in_mean(results: Sequence[Result]) -> InMean:
    """What of the trials counts, and in words what does not.

    Walks that turn, go up, down or backward are pooled neither with straight ones nor with each other: where any
    straight walk can be used, the means are of these, else of the kind of the first that can.
    A trial, or a side, with the verdict "do not use" does not count where another trial has curves of that side. Of
    several results of one recording the first counts.
    """
    names = names_of(results)
    why: list[dict[str, str]] = [_same_recording(results, names, i) for i in range(len(results))]
    first = [i for i in range(len(results)) if not why[i]]
    has = _has_curves(results)
    pooled = _kind_pooled([results[i] for i in first], [has[i] for i in first])
    for i in first:
        words = way_words(results[i].record)
        if _kind(words) != pooled and any(has[i].values()) and any(r.cycles for r in results):
            alone = f"see it by itself: gaitid report {results[i].path.name} -o {results[i].stem}.html"
            why[i] = dict.fromkeys(SIDES, f"{words}; {alone}" if words else _refused(results[i], SIDES[0]) or "")
    for side in SIDES:
        left = [i for i in first if side not in why[i]]
        used = [i for i in left if has[i][side] and not _refused(results[i], side)]
        for i in left if used else ():
            if refused := _refused(results[i], side):
                why[i][side] = refused
    out = tuple(tuple(of_one) for of_one in why)
    return InMean(
        tuple(_without(result, sides) for result, sides in zip(results, out, strict=True)),
        out,
        tuple(line for name, of_one in zip(names, why, strict=True) for line in _told(name, of_one)),
        bool(pooled),
    )


def _same_recording(results: Sequence[Result], names: Sequence[str], i: int) -> dict[str, str]:
    """Why a result does not count beside an earlier one of the same file; empty where there is none."""
    own = results[i].trial_sha256()
    for earlier, name in zip(results[:i], names, strict=False):
        if own and earlier.trial_sha256() == own:
            return dict.fromkeys(SIDES, f"the same recording as {name}, which counts once")
    return {}


def _has_curves(results: Sequence[Result]) -> list[dict[str, bool]]:
    """Of each result whether a side has curves of the kind that is drawn: cycles, else stances, else any."""
    if any(result.cycles for result in results):
        return [{side: side in result.cycles for side in SIDES} for result in results]
    if any(result.stances for result in results):
        return [{side: side in result.stances for side in SIDES} for result in results]
    return [{side: side in result.sides for side in SIDES} for result in results]


def _kind_pooled(results: Sequence[Result], has: Sequence[Mapping[str, bool]]) -> str:
    """Of which kind of way the means are: of those that can be used, of the straight ones, else of the first."""
    found = [
        (not any(there[side] and not _refused(result, side) for side in SIDES), kind != "", kind)
        for result, there in zip(results, has, strict=True)
        if any(there.values())
        for kind in (_kind(way_words(result.record)),)
    ]
    return min(found, key=lambda of: of[:2])[2] if found else ""


def _kind(words: str) -> str:
    """``the walk goes up`` of ``the walk goes up by 6°``."""
    return words.split(" by ")[0]


def _refused(result: Result, side: str) -> str:
    """The verdict's words where a side, or its trial, is not to be used, with its first reason."""
    if _NOT_TO_BE_USED not in [result.record_at("verdict", key) for key in ("trial", side)]:
        return ""
    of_side = (
        r for r in result.reasons() if r.get("side") in ("", None, side) and r.get("lowers_to") == _NOT_TO_BE_USED
    )
    why = readable(next(of_side, {}).get("text") or "")
    return f"its verdict is “{_NOT_TO_BE_USED}”" + (f": {why}" if why else "")


def _without(result: Result, sides: Sequence[str]) -> Result:
    """A result without the curves and figures of some sides."""
    if not sides:
        return result
    begins = tuple(f"{side}_" for side in sides)
    whole = set(sides) == {*SIDES}
    return replace(
        result,
        cycles={side: of for side, of in result.cycles.items() if side not in sides},
        stances={side: of for side, of in result.stances.items() if side not in sides},
        columns={name: of for name, of in result.columns.items() if not name.startswith(begins)},
        contacts=tuple(contact for contact in result.contacts if contact.side not in sides),
        spatiotemporal=tuple(row for row in result.spatiotemporal if not whole and row["side"] not in sides),
        features=tuple(feature for feature in result.features if not whole and feature.side not in sides),
    )


def _told(name: str, why: Mapping[str, str]) -> list[str]:
    """One sentence where both sides are out for one reason, else one a side."""
    if len(why) == len(SIDES) and len(set(why.values())) == 1:
        return [f"{name}: {why[SIDES[0]]}"]
    return [f"{name}, {side} leg: {words}" for side, words in why.items()]
