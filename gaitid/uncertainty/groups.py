"""Which markers and errors go into one computation: those of both legs that no column depends on together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gaitid.body.poses import Key
from gaitid.records import NamedTuple
from gaitid.trial import IntArray
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Error, Shift, summed

#: m. Steps of markers: their square is lost against them, and rounding against that.
STEP_M = 3e-6
#: N, N·m and deg. What rounding changes is 1e-11, and a step of a marker 1e-4.
_ROUNDING = 1e-8


class Group(NamedTuple):
    """Markers that are displaced in one computation because no column depends on two of them.

    Attributes
    ----------
    parts : tuple of (label, side)
        The columns of which sides each is asked for.
    """

    parts: tuple[tuple[str, str], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Of its markers."""
        return tuple(dict.fromkeys(label for label, _ in self.parts))


def groups_of(perturbed: Perturbed, segment_of: Mapping[str, Key]) -> Iterator[Group]:
    """Markers of left and right legs in pairs where neither leg's columns depend on the other's marker.

    Parameters
    ----------
    perturbed : Perturbed
    segment_of : mapping of label to (side, segment)
        Of all markers the segment that each moves with.
    """
    result, labels, sides = perturbed.result, list(segment_of), perturbed.sides
    by_role: dict[str, dict[str, str]] = {}
    for side, role in result.model.roles:
        for label in result.model.labels(role, side) if side in sides else ():
            if label in labels and segment_of[label][0]:  # the base moves both legs
                by_role.setdefault(role, {}).setdefault(side, label)
    paired: set[str] = set()
    pairs = [tuple(pair.items()) for pair in by_role.values() if len(pair) == 2 and len(sides) == 2]
    if result.model.pose is not None:  # both legs hang from one pelvis, and each marker moves all of it
        pairs = []
    by_side = {side: list(dict.fromkeys(dict(pair)[side] for pair in pairs)) for side in sides if pairs}
    reached = _reached(perturbed, by_side)
    for (first, a), (second, b) in pairs:
        if not paired & {a, b} and second not in reached[a] and first not in reached[b]:
            paired |= {a, b}
            yield Group(((a, first), (b, second)))
    for label in labels:
        if label not in paired:
            yield Group(tuple((label, side) for side in sides))


class Job(NamedTuple):
    """Errors that one computation tells: no column depends on two of them.

    Attributes
    ----------
    shift : Shift
        Of one standard deviation of each.
    parts : tuple of (Error, columns)
        Which columns each is asked for.
    """

    shift: Shift
    parts: tuple[tuple[Error, IntArray], ...]


def jobs_of(perturbed: Perturbed, errors: Sequence[Error], segment_of: Mapping[str, Key], step: float) -> Iterator[Job]:
    """Errors of a static's markers of both legs in pairs where no leg's columns follow the other's; all others alone.

    Parameters
    ----------
    perturbed : Perturbed
    errors : sequence of Error
    segment_of : mapping of label to (side, segment)
        Of the markers of the walk.
    step : float
        Of a standard deviation, with which it is tried.
    """
    names = perturbed.names
    by_place: dict[tuple[str, str], dict[str, Error]] = {}
    if perturbed.static is not None and len(perturbed.sides) == 2 and perturbed.result.model.pose is None:
        model = perturbed.static.model
        place_of = {label: (side, role) for side, role in model.roles if side for label in model.labels(role, side)}
        for error in errors:
            label = next(iter(error.shift.static), "")
            if len(error.shift.static) == 1 and label in place_of and segment_of.get(label, ("leg", ""))[0]:
                side, role = place_of[label]
                by_place.setdefault((role, error.words[-1]), {})[side] = error
    pairs = [pair for pair in by_place.values() if len(pair) == 2]
    mine = perturbed.of_side
    for side in perturbed.sides if pairs else ():
        shift = summed((step * (i + 1) / len(pairs), of[side].shift) for i, of in enumerate(pairs))
        (moved,) = perturbed.columns([shift])
        others = np.setdiff1d(np.arange(len(names)), mine[side])
        if not np.array_equal(moved[:, others], perturbed.unshifted[:, others], equal_nan=True):
            pairs = []
            break
    paired = {id(error) for pair in pairs for error in pair.values()}
    for pair in pairs:
        shift = summed((1.0, error.shift) for error in pair.values())
        yield Job(shift, tuple((error, mine[side]) for side, error in pair.items()))
    for error in errors:
        if id(error) not in paired:
            yield Job(error.shift, ((error, np.arange(len(names))),))


def _reached(perturbed: Perturbed, by_side: Mapping[str, list[str]]) -> dict[str, set[str]]:
    """For each marker of a side the sides whose columns change with it."""
    random, same = np.random.default_rng(0), perturbed.unshifted
    n = perturbed.n_frames
    along = {label: STEP_M * random.standard_normal(3) for labels in by_side.values() for label in labels}

    def changed(some: Sequence[Sequence[str]]) -> list[set[str]]:
        shifts = [Shift(markers={label: np.tile(along[label], (n, 1)) for label in labels}) for labels in some]
        sides = perturbed.of_side.items()
        return [
            {side for side, at in sides if not np.allclose(moved[:, at], same[:, at], 0.0, _ROUNDING, equal_nan=True)}
            for moved in perturbed.columns(shifts)
        ]

    # each its own way, so that no two undo each other: mostly none of a leg's moves the other one
    if all(of <= {side} for side, of in zip(by_side, changed([*by_side.values()]), strict=True)):
        return {label: {side} for side, labels in by_side.items() for label in labels}
    return dict(zip(along, changed([[label] for label in along]), strict=True))
