"""Constant errors of markers and measurements as sums of derivatives that are there, without computations of their own.

Derivatives by a marker leave means over the trial alone, as the length of a segment by which a table places its centre
of mass. One computation with all errors at once, each drawn at random, tells whether the sum holds all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from gaitid.analysis.pipeline import pipeline_of
from gaitid.trial import Array
from gaitid.uncertainty.errors import Errors
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Error, Shift, summed
from gaitid.uncertainty.variances import Variances, moves_of

#: Of the standard uncertainty of every angle, moment and power, as root mean squares over the trial: the sum may be so
#: far off. Measured are 0.036 at most where only lengths of segments are left alone.
_OFF = 0.05


def sums_of(perturbed: Perturbed, errors: Errors, variances: Variances, step: float) -> list[Superposed]:
    """The errors that move markers of the walk and measurements alone; none where these are the more computations.

    Those of the base's markers by themselves: where nobody walks anywhere they turn the direction of walking as well.

    Parameters
    ----------
    perturbed : Perturbed
    errors : Errors
    variances : Variances
    step : float
        Of a standard deviation: of measurements, and of all errors at once.
    """
    within = [error for error in errors.constant if _is_sum(perturbed, error.shift, errors.segment_of)]
    sizes: dict[str, float] = {}
    for error in within:
        for name, by in error.shift.numbers.items():
            sizes[name] = max(sizes.get(name, 0.0), abs(by))
    if len(sizes) + 2 >= len(within):
        return []
    of_base = [any(not errors.segment_of[label][0] for label in error.shift.markers) for error in within]
    groups = ([error for error, base in zip(within, of_base, strict=True) if base is which] for which in (False, True))
    kept = [group for group in groups if group]
    random = [np.random.default_rng(0).standard_normal(len(group)) for group in kept]
    together = _together(perturbed, sizes)
    shifts = [Shift(numbers={name: step * sizes[name] for name in names}) for names in together]
    shifts += [
        summed((step * size, error.shift) for size, error in zip(drawn, group, strict=True))
        for drawn, group in zip(random, kept, strict=True)
    ]
    columns = (of - perturbed.unshifted for of in perturbed.columns(shifts))
    by_number: dict[str, Array] = {}
    for names, change in zip(together, columns):  # those of all errors at once follow
        for name in names:
            whose = perturbed.of_side[name.partition(".")[0]] if len(names) > 1 else slice(None)
            by_number[name] = np.zeros_like(change)
            by_number[name][:, whose] = np.nan_to_num(change[:, whose] / (step * sizes[name]))
    parts = [part for group in errors.groups for part in group.parts]
    return [
        Superposed(perturbed, group, parts, by_number, variances.empty(), (drawn, at_once / step))
        for group, drawn, at_once in zip(kept, random, columns, strict=True)
    ]


def _together(perturbed: Perturbed, names: Collection[str]) -> list[tuple[str, ...]]:
    """Measurements that one computation tells: of both legs where no segment or angle of the other one needs them."""
    needs = pipeline_of(perturbed.result).found.needs
    apart = len(perturbed.sides) == 2 and perturbed.result.model.pose is None
    by_name: dict[str, list[str]] = {}
    for name in names:
        side, _, bare = name.rpartition(".")
        alone = apart and side and not any(name in needs[of].measurements for of in perturbed.sides if of != side)
        by_name.setdefault(bare if alone else name, []).append(name)
    return [tuple(pair) for pair in by_name.values()]


def _is_sum(perturbed: Perturbed, shift: Shift, labels: Collection[str]) -> bool:
    else_moved = shift.centres or shift.load or shift.cutoff or shift.com or shift.mass or shift.inertia
    # a static that gives no places tells measurements alone
    calibrates = shift.static and perturbed.static is not None
    return not (else_moved or calibrates) and shift.markers.keys() <= {*labels}


class Superposed:
    """Variances by errors that are sums, as derivatives by markers come in.

    Parameters
    ----------
    perturbed : Perturbed
    errors : sequence of Error
    parts : sequence of (label, side)
        By whose markers the columns of which sides will be told.
    by_number : mapping of str to (frames, columns) array
        Changes by a unit of each measurement, SI.
    variances : Variances
        To which the errors are added.
    drawn : (errors,) and (frames, columns) array
        So many standard deviations of each at once, and what these change together.
    """

    def __init__(
        self,
        perturbed: Perturbed,
        errors: Sequence[Error],
        parts: Sequence[tuple[str, str]],
        by_number: Mapping[str, Array],
        variances: Variances,
        drawn: tuple[Array, Array],
    ) -> None:
        self.errors, self.variances, self._perturbed = tuple(errors), variances, perturbed
        self._left = [{part for part in parts if part[0] in error.shift.markers} for error in errors]
        self._by_number = by_number
        self._changes: dict[int, Array] = {}
        self._drawn, self._off = drawn
        for i, left in enumerate(self._left):
            if not left:
                self._complete(i)

    def add(self, label: str, side: str, J: Array) -> None:
        """What displacements of a marker change in the columns of a side; `J` is (frames, 9, columns)."""
        mine = [i for i, left in enumerate(self._left) if (label, side) in left]
        if not mine:
            return
        n, columns, known = len(J), self._perturbed.of_side[side], np.nan_to_num(J)
        tracks = [np.broadcast_to(self.errors[i].shift.markers[label], (n, 3)) for i in mine]
        moves = moves_of(np.stack(tracks), self._perturbed.result.trial.rate_hz)
        for i, of in zip(mine, np.moveaxis(moves @ known, 1, 0), strict=True):
            self._changes.setdefault(i, np.zeros_like(self._off))[:, columns] += of
            self._left[i].remove((label, side))
            if not self._left[i]:
                self._complete(i)

    def _complete(self, i: int) -> None:
        change = self._changes.pop(i, np.zeros_like(self._off))
        for name, by in self.errors[i].shift.numbers.items():
            change = change + by * self._by_number[name]
        self.variances.add(self.errors[i].source, change)
        self._off -= self._drawn[i] * change

    def holds(self, others: Variances) -> bool:
        """Whether all errors at once change what the sum says, against these and other errors together."""
        at = self._perturbed.budgeted
        off = self._off[:, at]
        size = np.asarray(sum((*self.variances.by_source.values(), *others.by_source.values())))[:, at]
        known = np.isfinite(off) & np.isfinite(size)
        return bool(np.all((off**2).sum(axis=0, where=known) <= _OFF**2 * size.sum(axis=0, where=known)))
