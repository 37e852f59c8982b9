"""All markers of a trial side by side: laid so once, for every check that looks at them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

import numpy as np

from gaitid.numerics.masks import all_columns, by_blocks, largest_column, median, quantile_of_known
from gaitid.numerics.rotation import norm
from gaitid.trial import Array, IntArray, Mask, frozen

_Made = TypeVar("_Made", Array, Mask, IntArray)

# Order of the difference that shows a step: it spans six frames, and is next to nothing on a smooth track.
ORDER = 5
# The fifth difference across a step is so many times the step.
GAIN = 6.0
# Nine tenths of a marker's trial show no more than its usual step.
USUAL_SHARE = 0.9
# Share of the coordinates along an axis of half of the markers that are to the last digit where they were, in frames in
# which the marker moves by more than that, m, from so many frames before to as many after. 71 files of over 25
# laboratories have 0.034 at most along one axis, 0.02 along all; rounded to 1 mm they have 0.09 to 0.4 along all, to
# 2 mm 0.17 and more, to 10 mm 0.4 and more. And the share of the steps that are smaller than the finest.
COARSE, MOVING_M, NEAR, FINEST = 0.1, 0.01, 5, 0.01
# Numbers of a trial whose differences are held.
_HELD = 1_000_000
# Order of the difference that leaves nothing but noise, and the fewest of them that tell it.
_NOISY_ORDER, _FEWEST = 8, 16


def excess_of(steps: Array) -> Array:
    """By how much a step differs from both its neighbours, m; at the ends of a span from the one it has."""
    return _excess(by_blocks(lambda some: norm(np.diff(some, axis=0)), steps, 1))


def _excess(change: Array) -> Array:
    """`excess_of` by how much each step differs from the one before, m."""
    excess = np.full((len(change) + 1, *change.shape[1:]), np.nan)
    excess[:-1] = change
    np.fmin(excess[1:], change, out=excess[1:])
    return excess


def steps_shown(points: Array) -> Array:
    """(frames − 5, …) steps, m, that a track shows between frames i + 2 and i + 3, if they are steps; NaN if unknown.

    Parameters
    ----------
    points : (frames, …, 3) array, m
    """
    return by_blocks(lambda some: _shown(np.diff(some, ORDER, axis=0)), points, ORDER)


def _shown(differences: Array) -> Array:
    """`steps_shown` of the fifth differences."""
    sizes = norm(differences)
    sizes /= GAIN
    return sizes


def noise_of(points: Array) -> float:
    """Standard deviation of a marker's noise in each direction, m; 0 where too little is seen to tell: it is believed.

    Estimated as in `gaitid.numerics.statistics.noise_level`, but from the length of the eighth differences, so that
    turning the laboratory changes nothing; 1.538 is the median length of a standard normal vector (χ, 3 degrees of
    freedom).
    """
    return float(_noise(norm(np.diff(points, _NOISY_ORDER, axis=0))[:, None])[0])


def noises_of(points: Array) -> Array:
    """(markers,) `noise_of` of each of (frames, markers, 3) points, m."""
    return _noise(by_blocks(lambda some: norm(np.diff(some, _NOISY_ORDER, axis=0)), points, _NOISY_ORDER))


def _noise(differences: Array) -> Array:
    """`noise_of` by the lengths of eighth differences, (frames − 8, markers)."""
    if np.isfinite(differences).all() and len(differences) >= _FEWEST:
        return np.asarray(median(differences) / 1.538 / float(np.sqrt(12870)))
    known = [of[np.isfinite(of)] for of in differences.T]
    return np.array([float(median(of)) / 1.538 / float(np.sqrt(12870)) if of.size >= _FEWEST else 0.0 for of in known])


class Tracks(Mapping[str, Array]):
    """Markers by label, (frames, 3) each, as they were given; not to be changed.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    """

    def __init__(self, markers: Mapping[str, Array]) -> None:
        self._markers = dict(markers)
        self._held: dict[int, Array] = {}

    def __getitem__(self, label: str) -> Array:
        return self._markers[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._markers)

    def __len__(self) -> int:
        return len(self._markers)

    def forget(self) -> None:
        """Let go of what shows steps, until it is asked for again: of a long trial it is two thirds of the markers."""
        self._held.clear()
        for name in ("excess", "shown", "same"):
            self.__dict__.pop(name, None)

    @cached_property
    def points(self) -> Array:
        """(frames, markers, 3) m."""
        tracks = list(self._markers.values())
        return np.stack(tracks, axis=1) if tracks else np.empty((0, 0, 3))

    @cached_property
    def known(self) -> Mask:
        """(frames, markers) whether a marker was seen."""
        return by_blocks(lambda some: all_columns(np.isfinite(some)), self.points)

    @cached_property
    def whole(self) -> bool:
        """Whether every marker was seen in every frame."""
        return bool(self.known.all())

    def of_differences(self, order: int, of_rows: Callable[[Array], _Made], behind: int = 0) -> _Made:
        """`by_blocks` of the differences along the frames, (frames − order, markers, 3) m: steps, or how they change.

        Those of a short trial are held, as several checks ask for them; of a long one they are made some at a time.
        """
        if self.points.size > _HELD:
            return by_blocks(lambda some: of_rows(np.diff(some, order, axis=0)), self.points, order + behind)
        return by_blocks(of_rows, self._differences(order), behind)

    def _differences(self, order: int) -> Array:
        if not order:
            return self.points
        if order not in self._held:
            before = self._differences(order - 1)
            self._held[order] = before[1:] - before[:-1]
        return self._held[order]

    @cached_property
    def same(self) -> Mask:
        """(frames − 1, markers, 3) whether a coordinate stays what it is, to the last digit."""
        return self.of_differences(1, lambda some: some == 0)

    @cached_property
    def still(self) -> Mask:
        """(frames − 1, markers) whether a marker stays where it is, to the last digit."""
        return all_columns(self.same)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """(markers, 3) m, the least and the greatest that each coordinate is."""
        return np.fmin.reduce(self.points, axis=0), np.fmax.reduce(self.points, axis=0)

    @cached_property
    def digit(self) -> Array:
        """(markers,) m, the last digit (32 bits) of a marker's coordinates where it is farthest from the origin."""
        least, greatest = self.ends
        farthest = np.fmax(greatest, -least)
        return np.asarray(np.spacing(np.fmax.reduce(farthest, axis=1, initial=1e-3).astype(np.float32)).astype(float))

    @cached_property
    def least_step(self) -> Array:
        """(markers,) m, the least step along an axis that is more than a marker's `digit`; inf where there is none."""

        def least(steps: Array) -> Array:
            sizes = np.abs(steps)
            sizes[~(sizes > self.digit[:, None])] = np.inf
            return np.asarray(sizes.min(axis=(0, 2), keepdims=True, initial=np.inf))

        return np.asarray(self.of_differences(1, least).min(axis=(0, 2)))

    @property
    def coarse(self) -> float:
        """The coarsest of `coarse_along`."""
        return max(self.coarse_along)

    @cached_property
    def coarse_along(self) -> tuple[float, float, float]:
        """Steps in which the coordinates along each axis come, m, where these are so coarse that they show; else 0."""
        fine = (0.0, 0.0, 0.0)
        if len(self.points) <= 2 * NEAR:
            return fine
        same = self.same
        if not np.count_nonzero(same) > COARSE / 4 * same.size:  # some stand still for half of the time
            return fine
        ways = self.points[2 * NEAR :] - self.points[: -2 * NEAR]
        moving = largest_column(np.abs(ways)) > MOVING_M
        repeat = (same[NEAR:-NEAR] & moving[1:, :, None]).sum(axis=0)
        shares = median(repeat / np.maximum(moving[1:].sum(axis=0), 1)[:, None])
        # along an axis along which half of the markers never move nothing tells
        x, y, z = (self._finest(axis) if COARSE < share < 1 else 0.0 for axis, share in enumerate(shares))
        return x, y, z

    def _finest(self, axis: int) -> float:
        """The steps along an axis, m, than which one in a hundred is smaller; 0 where nothing moves."""
        sizes = np.abs(np.diff(self.points[..., axis], axis=0))
        sizes = sizes[sizes > 0]
        return float(quantile_of_known(sizes, FINEST)) if sizes.size else 0.0

    @cached_property
    def excess(self) -> Array:
        """(frames − 1, markers) by how much each step differs from both its neighbours, m (`excess_of`)."""
        return _excess(self.of_differences(2, norm))

    def excess_at(self, label: str) -> Array:
        """(frames − 1,) of `excess`, for one marker."""
        return self.excess[:, list(self._markers).index(label)]

    @cached_property
    def shown(self) -> Array:
        """(frames − 5, markers) m, `steps_shown`."""
        return self.of_differences(3, lambda some: _shown(np.diff(some, ORDER - 3, axis=0)), ORDER - 3)

    @cached_property
    def noise(self) -> Array:
        """(markers,) m, `noise_of` each."""
        return noises_of(self.points)

    @cached_property
    def usual_noise(self) -> float:
        """The noise that half of the markers carry, m; 0 where none is known."""
        known = self.noise[np.isfinite(self.noise)]
        return float(median(known)) if known.size else 0.0

    @cached_property
    def usual(self) -> Array:
        """(markers,) m, what nine tenths of a marker's trial show at most."""
        return quantile_of_known(self.shown, USUAL_SHARE)


def tracks_of(markers: Mapping[str, Array]) -> Tracks:
    """The markers as `Tracks`; those that are some already, with what was computed of them."""
    return markers if isinstance(markers, Tracks) else Tracks(markers)


def one_by_one(labels: Iterable[str], points: Array) -> dict[str, Array]:
    """Markers by label, (frames, 3) each, whose numbers lie together; of (frames, markers, 3) `points`.

    What follows takes one marker after the other, and would go through all of them for each.
    """
    return dict(zip(labels, frozen(np.ascontiguousarray(np.swapaxes(points, 0, 1))), strict=True))
