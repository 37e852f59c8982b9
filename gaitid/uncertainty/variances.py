"""Standard uncertainties as sums of squares: what independent errors make of columns and features, by source."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np

from gaitid.numerics.masks import nearest_known
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.features import FeatureGradient, FeatureSpread
from gaitid.uncertainty.perturbed import Perturbed

#: Frames whose changes by all displacements of a marker are squared at once.
_ROWS = 64


@frozen_dataclass(eq=False)
class Spread:
    """How uncertain the columns and features are, and through what.

    Attributes
    ----------
    variance : mapping of source to (frames, columns) array
        In the square of the column's unit; NaN where the column is unknown.
    features : mapping of source to (cycles, features) array
    figures : mapping
        Of the method, for the record.
    standard : (frames, columns) array
        Standard uncertainties: the root of the sum of `variance`, or of the computations with drawn errors.
    of_features : (cycles, features) array
    """

    variance: Mapping[str, Array]
    features: Mapping[str, Array]
    figures: Mapping[str, object]
    standard: Array
    of_features: Array


class Variances:
    """Variances of columns and features as errors come in.

    Parameters
    ----------
    perturbed : Perturbed
    with_features : bool
    """

    def __init__(self, perturbed: Perturbed, with_features: bool) -> None:
        self.known = np.isfinite(perturbed.values)
        self.by_source: dict[str, Array] = {}
        features = FeatureSpread(perturbed)
        self._of_result = features.of_result
        self.gradient = FeatureGradient(features) if with_features else None
        self.of_features: dict[str, Array] = {}

    def add(self, source: str, change: Array) -> None:
        """One independent error: the change of all columns, (frames, columns), that one standard deviation makes."""
        total = self._total(source)
        total += change**2
        if self.gradient is not None:
            self.add_of_features(source, self.gradient.of_change(change)[None])

    def add_of_tracks(self, source: str, J: Array, columns: IntArray | slice, tracks: Array) -> None:
        """Variances of columns by independent displacements of one marker.

        Parameters
        ----------
        source : str
        J : (frames, 9, n) array
            Of the columns by them, of `derivatives`.
        columns : (n,) int array or slice
        tracks : (frames or 1, tracks, 9) array
            Each as large as one standard deviation.
        """
        total, n = self._total(source), len(J)
        for start in range(0, n, _ROWS):  # so many products stay within a processor's cache
            rows = slice(start, start + _ROWS)
            changes = tracks[rows if len(tracks) == n else slice(None)] @ J[rows]
            total[rows, columns] += np.einsum("ftc,ftc->fc", changes, changes)

    def add_of_features(self, source: str, slopes: Array) -> None:
        """Independent errors: the changes of all features, (errors, cycles, features)."""
        total = self.of_features.setdefault(source, 0 * self._of_result)
        total += (slopes**2).sum(axis=0)

    def empty(self) -> Variances:
        """The same before any error came in."""
        other = copy(self)
        other.by_source, other.of_features = {}, {}
        return other

    def join(self, other: Variances) -> None:
        """Those of other errors."""
        for source, of in other.by_source.items():
            self._total(source)[:] += of
        for source, of_features in other.of_features.items():
            self.of_features[source] = self.of_features.get(source, 0.0) + of_features

    def _total(self, source: str) -> Array:
        return self.by_source.setdefault(source, np.where(self.known, 0.0, np.nan))

    def spread(self, figures: Mapping[str, object]) -> Spread:
        unknown = np.where(self.known, 0.0, np.nan)
        standard = np.asarray(np.sqrt(unknown + sum(self.by_source.values())))
        of_features = np.asarray(np.sqrt(0 * self._of_result + sum(self.of_features.values())))
        return Spread(self.by_source, self.of_features, figures, standard, of_features)


def moves_of(tracks: Array, rate_hz: float) -> Array:
    """(frames, tracks, 9) of (tracks, frames, 3) displacements: along each axis these and their two derivatives, m."""
    return _moves(_with_derivatives(tracks, rate_hz))


def _with_derivatives(tracks: Array, rate_hz: float) -> Array:
    """(tracks, 3 orders, frames, 3) displacements, m, with their first and second derivatives.

    Where they are unknown, as the nearest one that is known, without derivatives: only segments that take a marker of
    another one are known there.
    """
    over_time = np.moveaxis(tracks, 1, 0)
    first, second = (np.nan_to_num(of) for of in spline_derivatives(over_time, rate_hz))
    return np.stack([np.moveaxis(of, 0, 1) for of in (nearest_known(over_time), first, second)], axis=1)


def _moves(tracks: Array) -> Array:
    """(frames, tracks, 9) of (tracks, 3 orders, frames, 3 axes) displacements, as `derivatives` take them."""
    count, orders, frames, axes = tracks.shape
    return np.ascontiguousarray(tracks.transpose(2, 0, 3, 1)).reshape(frames, count, axes * orders)
