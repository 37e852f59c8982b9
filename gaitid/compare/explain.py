"""Two results of one recording -> how much of their difference each ingredient makes.

Ingredients of the second are taken into the first one after the other (`ORDER`), and each by itself. What a step
changes is the ingredient's part; what it changes by itself is the part alone; their difference, for it depends on the
ingredients taken before, is the interaction. The rest of the difference, which no ingredient makes, is the remainder:
so for every curve, frame by frame, B − A = Σ parts + remainder = Σ parts alone + Σ interactions + remainder, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from gaitid.analysis.result import Result
from gaitid.check.findings import quantity_of
from gaitid.compare.align import Both
from gaitid.compare.measures import SHOWN, Measured, wrapped
from gaitid.compare.mixture import ORDER, Ingredient, Mixtures
from gaitid.compare.sizes import BY_ANOTHER, sizes
from gaitid.errors import GaitidError
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask
from gaitid.write.tables import joints_columns, wrenches_columns

Columns = Mapping[str, Array]


@frozen_dataclass(eq=False)
class Part:
    """What one ingredient changes.

    Attributes
    ----------
    ingredient : Ingredient
    size : str
        How far both lie apart in the ingredient itself, in words.
    why_not : str
        Why it could not be exchanged; empty where it was.
    change, alone : mapping of column to (rows,) array
        In its place in the order, and by itself; without `why_not` only, and `alone` only where it can be exchanged
        by itself. NaN in rows that are not compared.
    """

    ingredient: Ingredient
    size: str
    why_not: str
    change: Columns
    alone: Columns


@frozen_dataclass(eq=False)
class Explanation:
    """Why two sets of curves differ.

    Attributes
    ----------
    towards : str
        What the ingredients were taken from, in words.
    parts : tuple of Part
        In the order of exchange, of the ingredients that differ.
    difference, remainder : mapping of column to (rows,) array
        B − A, and what no part explains of it; NaN in rows in which A, B or a mixture is not known.
    notes : tuple of str
    """

    towards: str
    parts: tuple[Part, ...]
    difference: Columns
    remainder: Columns
    notes: tuple[str, ...] = ()


def explain(mixtures: Mixtures, curves: Mapping[str, Both], rows: Array, towards: str, backward: bool) -> Explanation:
    """How much of a difference each ingredient makes.

    Parameters
    ----------
    mixtures : Mixtures
        Of the result that ingredients are taken into, and of the one that they come from.
    curves : mapping of column to Both
        What is compared; A is the first result unless `backward`.
    rows : (n,) int array
        Of each row of the curves the frame of the recording, from 0.
    towards : str
        What the ingredients come from, in words.
    backward : bool
        Whether the first result is B: the parts then are of the way from B to A, with the sign turned.
    """
    names = [name for name in curves if quantity_of(name)]
    apart = sizes(mixtures)
    exchanged = _exchange(mixtures, [i for i in ORDER if i.key in apart], names, rows, -1.0 if backward else 1.0)
    changes, alone, steps = exchanged
    known = _known_in_all(curves, [*changes.values(), *alone.values()], names)
    difference = {
        n: np.where(known[n], wrapped(curves[n].b - curves[n].a, quantity_of(n)), np.nan) for n in names if n in known
    }
    parts = []
    for ingredient, why_not in steps:
        change, by_itself = (
            {name: np.where(mask, of[name], np.nan) for name, mask in known.items() if name in of}
            for of in (changes.get(ingredient.key, {}), alone.get(ingredient.key, {}))
        )
        if apart[ingredient.key] == BY_ANOTHER and change and not (_differs(change) or _differs(by_itself)):
            continue
        parts.append(Part(ingredient, apart[ingredient.key], why_not, change, by_itself))
    remainder = {
        name: values - np.sum([part.change[name] for part in parts if part.change] or [np.zeros_like(values)], axis=0)
        for name, values in difference.items()
    }
    return Explanation(towards, tuple(parts), difference, remainder, _lost(curves, known))


class _Exchanged(NamedTuple):
    """What each ingredient changed, in its place and alone, by its key; and the ingredients, with why one was not."""

    changes: dict[str, Columns]
    alone: dict[str, Columns]
    steps: list[tuple[Ingredient, str]]


def _exchange(
    mixtures: Mixtures, ingredients: Sequence[Ingredient], names: Sequence[str], rows: Array, sign: float
) -> _Exchanged:
    """Take ingredients one after the other.

    One that is refused for want of another (a hip of functional trials, on a subject without any) is tried again when
    all others are there.
    """
    done = _Exchanged({}, {}, [])
    taken: frozenset[str] = frozenset()
    before = start = _columns(mixtures.result(taken), names, rows)
    refused = {i.key: mixtures.mixable for i in ingredients if mixtures.mixable and i.of_body}
    waiting, left = [i for i in ingredients if i.key not in refused], len(ingredients) + 1
    while waiting and len(waiting) < left:
        left = len(waiting)
        for ingredient in waiting:
            key = ingredient.key
            try:
                with_it = _columns(mixtures.result(taken | {key}), names, rows)
            except GaitidError as error:
                refused[key] = error.line()
                continue
            refused.pop(key, None)
            taken |= {key}
            done.changes[key], before = _minus(with_it, before, sign), with_it
            done.steps.append((ingredient, ""))
            with suppress(GaitidError):
                by_itself = with_it if taken == {key} else _columns(mixtures.result(frozenset([key])), names, rows)
                done.alone[key] = _minus(by_itself, start, sign)
        waiting = [ingredient for ingredient in waiting if ingredient.key in refused]
    done.steps.extend((ingredient, refused[ingredient.key]) for ingredient in ingredients if ingredient.key in refused)
    return done


def _differs(change: Columns) -> bool:
    return any(bool((np.abs(values[np.isfinite(values)]) > 0).any()) for values in change.values())


def _columns(result: Result, names: Sequence[str], rows: Array) -> Columns:
    """The curves of a result under the names of its tables."""
    express_in = [f for f in ("global", "proximal", "distal", "jcs") if any(f"_{f}_" in name for name in names)]
    tables = [joints_columns(result), wrenches_columns(result, express_in)]
    index = rows.astype(int)
    wanted = set(names)
    return {name: table.values[index, i] for table in tables for i, name in enumerate(table.names) if name in wanted}


def _minus(after: Columns, before: Columns, sign: float) -> Columns:
    return {n: sign * wrapped(after[n] - before[n], quantity_of(n)) for n in after if n in before}


def _known_in_all(curves: Mapping[str, Both], changes: Sequence[Columns], names: Sequence[str]) -> dict[str, Mask]:
    """Of each curve that all mixtures have, the rows in which both sides and they are known."""
    known: dict[str, Mask] = {}
    for name in names:
        if all(name in change for change in changes):
            both = curves[name]
            mask: Mask = np.isfinite(both.a) & np.isfinite(both.b)
            for change in changes:
                mask = mask & np.isfinite(change[name])
            known[name] = mask
    return known


def _lost(curves: Mapping[str, Both], known: Mapping[str, Mask]) -> tuple[str, ...]:
    """That some rows are compared and not explained."""
    compared = sum(int((np.isfinite(curves[n].a) & np.isfinite(curves[n].b)).sum()) for n in known)
    explained = sum(int(mask.sum()) for mask in known.values())
    if explained == compared:
        return ()
    share = 100 * (compared - explained) / compared
    return (f"{share:.1f} % of the values compared are not explained: a mixture of both results does not know them",)


# --- shares -----------------------------------------------------------------------------------------------------


@frozen_dataclass(eq=False)
class Share:
    """A part's weight in the difference of some curves.

    Attributes
    ----------
    rms : float
        Of what it changes, in the unit of the curves; where they have several, in shares of `scales`.
    share : float
        Signed, of 1: the projection on the difference, Σ part · difference / Σ difference². The shares of all parts
        and of the remainder add up to 1; a part that works against the others has a negative one.
    rms_alone, share_alone : float
        The same of the part by itself.
    """

    rms: float
    share: float
    rms_alone: float
    share_alone: float

    @property
    def interaction(self) -> float:
        """The signed share that it has only together with those exchanged before it."""
        return self.share - self.share_alone


def shares(explanation: Explanation, columns: Sequence[str], scales: Mapping[str, float]) -> dict[str, Share]:
    """Of each part, and of the ``remainder``, over some curves together.

    Parameters
    ----------
    explanation : Explanation
    columns : sequence of str
    scales : mapping of quantity to float
        By which each quantity is divided, that curves of several can be taken together.
    """
    difference = _joined(explanation.difference, columns, scales)
    results = {}
    for part in explanation.parts:
        if part.change:
            change = _joined(part.change, columns, scales)
            by_itself = float("nan"), float("nan")
            if part.alone:
                alone = _joined(part.alone, columns, scales)
                by_itself = _rms(alone), _projected(alone, difference)
            results[part.ingredient.key] = Share(_rms(change), _projected(change, difference), *by_itself)
    rest = _joined(explanation.remainder, columns, scales)
    share = _projected(rest, difference)
    results["remainder"] = Share(_rms(rest), share, _rms(rest), share)
    return results


def _joined(values: Columns, columns: Sequence[str], scales: Mapping[str, float]) -> Array:
    """What is known of some curves, one behind the other."""
    parts = [values[name] / scales[quantity_of(name)] for name in columns if name in values]
    whole = np.concatenate(parts) if parts else np.empty(0)
    return np.asarray(whole[np.isfinite(whole)])


def _rms(values: Array) -> float:
    return float(np.sqrt((values**2).mean())) if values.size else float("nan")


def _projected(part: Array, difference: Array) -> float:
    total = float((difference**2).sum())
    return float((part * difference).sum()) / total if total > 0 else float("nan")


def scales_of(measured: Sequence[Measured]) -> dict[str, float]:
    """Of each quantity that people look at the largest range of a curve of A, or of B where A's are constant."""
    scales: dict[str, float] = {}
    for quantity in SHOWN:
        ranges = [max(m.range_a, m.range_b) for m in measured if m.shown and m.quantity == quantity and m.n]
        if ranges and max(ranges) > 0:
            scales[quantity] = max(ranges)
    return scales
