"""Constant errors of markers and measurements as sums of derivatives that are there, without computations of their own.

Derivatives by a marker leave means over the trial alone, as the length of a segment by which a table places its centre
of mass. One computation with all errors at once, each drawn at random, tells whether the sum holds all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

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
    shifts = [Shift(numbers={name: step * size}) for name, size in sizes.items()]
    moved = zip(sizes, perturbed.columns(shifts), strict=True)
    by_number = {name: np.nan_to_num((of - perturbed.unshifted) / (step * sizes[name])) for name, of in moved}
    parts = [part for group in errors.groups for part in group.parts]
    of_base = [any(not errors.segment_of[label][0] for label in error.shift.markers) for error in within]
    groups = ([error for error, base in zip(within, of_base, strict=True) if base is which] for which in (False, True))
    return [Superposed(perturbed, group, parts, by_number, variances.empty(), step) for group in groups if group]


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
    step : float
    """

    def __init__(
        self,
        perturbed: Perturbed,
        errors: Sequence[Error],
        parts: Sequence[tuple[str, str]],
        by_number: Mapping[str, Array],
        variances: Variances,
        step: float,
    ) -> None:
        self.errors, self.variances, self._perturbed, self._step = tuple(errors), variances, perturbed, step
        self._left = [{part for part in parts if part[0] in error.shift.markers} for error in errors]
        self._by_number = by_number
        self._changes: dict[int, Array] = {}
        self._drawn = np.random.default_rng(0).standard_normal(len(errors))
        self._sum = np.zeros(perturbed.unshifted.shape)
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
            self._changes.setdefault(i, np.zeros_like(self._sum))[:, columns] += of
            self._left[i].remove((label, side))
            if not self._left[i]:
                self._complete(i)

    def _complete(self, i: int) -> None:
        change = self._changes.pop(i, np.zeros_like(self._sum))
        for name, by in self.errors[i].shift.numbers.items():
            change = change + by * self._by_number[name]
        self.variances.add(self.errors[i].source, change)
        self._sum += self._drawn[i] * change

    def holds(self, others: Variances) -> bool:
        """Whether all errors at once change what the sum says, against these and other errors together."""
        perturbed, at = self._perturbed, self._perturbed.budgeted
        at_once = summed((self._step * size, error.shift) for size, error in zip(self._drawn, self.errors, strict=True))
        (moved,) = perturbed.columns([at_once])
        off = ((moved - perturbed.unshifted) / self._step - self._sum)[:, at]
        size = np.asarray(sum((*self.variances.by_source.values(), *others.by_source.values())))[:, at]
        known = np.isfinite(off) & np.isfinite(size)
        return bool(np.all((off**2).sum(axis=0, where=known) <= _OFF**2 * size.sum(axis=0, where=known)))
