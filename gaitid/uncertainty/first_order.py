"""First-order propagation: the derivative of every column by every error, squared and summed (JCGM 100:2008, eq. 10).

The derivatives are forward differences of the computation itself with steps of micrometres and the like, so that they
hold for any model: calibration, frames, derivatives and dynamics are those of `run`. For errors of markers that change
over time, a column depends at each instant on the displacement of a marker and on its first two derivatives there:

    δy(t) = J0(t) δm(t) + J1(t) δm'(t) + J2(t) δm''(t)

J0, J1 and J2 come from four computations, with displacements that go as sin ωt and cos ωt at two frequencies. Their
mean is none, as that of soft tissue and noise is: what depends on means over the trial (lengths) is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.numerics.masks import nearest_known
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import frozen_dataclass
from gaitid.trial import Array
from gaitid.uncertainty.computation import Computation
from gaitid.uncertainty.errors import Errors
from gaitid.uncertainty.features import FeatureSpread
from gaitid.uncertainty.groups import STEP_M, Group
from gaitid.uncertainty.stacked import Stacked

#: Of a standard deviation: steps of all other errors.
STEP = 1e-4
#: Periods of sine and cosine, frames.
PERIODS = (16, 40)
#: So many drawn tracks of noise stand for it where features are integrals: their spread is known to 13 %.
NOISE_TRACKS = 32


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


def propagate(computation: Computation, errors: Errors, features: bool = True) -> Spread:
    """Standard uncertainties by first order.

    Parameters
    ----------
    computation : Computation
    errors : Errors
        `gaitid.uncertainty.errors.errors_of` of the same result.
    features : bool
        Whether those of features are wanted too.
    """
    collected = _Collected(computation, features)
    stacked = Stacked(computation)
    # those that need the same stages behind one another
    constant = sorted(errors.constant, key=lambda error: error.shift.kind)
    columns = stacked.columns([error.shift.times(STEP) for error in constant])
    for error, shifted in zip(constant, columns, strict=True):
        collected.add(error.source, (shifted - computation.unshifted) / STEP)
    if errors.noise is not None or errors.waves:
        _of_markers(computation, stacked, errors, collected)
    return collected.spread({"method": "first_order", "computations": computation.count})


class _Collected:
    """Variances as directions come in."""

    def __init__(self, computation: Computation, with_features: bool) -> None:
        self.known = np.isfinite(computation.values)
        self.variance: dict[str, Array] = {}
        self.features = FeatureSpread(computation)
        self._with_features = with_features

    def add(self, source: str, change: Array, only_features: bool = False) -> None:
        """One independent error: the change of all columns, (frames, columns), that one standard deviation makes."""
        if not only_features:
            self.add_variance(source, change**2)
        if self._with_features:
            self.features.add(source, change)

    def add_variance(self, source: str, variance: Array) -> None:
        total = self.variance.setdefault(source, np.where(self.known, 0.0, np.nan))
        total += variance

    def spread(self, figures: Mapping[str, object]) -> Spread:
        features = self.features.variances()
        unknown = np.where(self.known, 0.0, np.nan)
        standard = np.asarray(np.sqrt(unknown + sum(self.variance.values())))
        of_features = np.asarray(np.sqrt(0 * self.features.of_result + sum(features.values())))
        return Spread(self.variance, features, figures, standard, of_features)


def _of_markers(computation: Computation, stacked: Stacked, errors: Errors, collected: _Collected) -> None:
    """Errors of markers that change over time, marker by marker: derivatives of none are kept longer than needed."""
    rate_hz, shape = computation.result.trial.rate_hz, computation.unshifted.shape
    tracks = [(wave, _with_derivatives(wave.tracks_g, rate_hz)) for wave in errors.waves]
    together = {i: np.zeros((len(wave.tracks_g), *shape)) for i, (wave, _) in enumerate(tracks) if len(wave.labels) > 1}
    noise = errors.noise
    drawn = np.zeros((0, *shape)) if noise is None else np.zeros((NOISE_TRACKS, *shape))
    random = np.random.default_rng(0)
    for group in errors.groups:
        J = derivatives(computation, group, stacked)
        for label, columns in group.parts:
            part = J[:, :, :, columns]
            if noise is not None:
                variance = np.zeros(shape)
                variance[:, columns] = np.einsum("aofc,op,apfc->fc", part, noise.covariance, part, optimize=True)
                collected.add_variance("marker_noise", variance)
                raw = noise.drawn(random, (NOISE_TRACKS, shape[0], 3), rate_hz)
                drawn[:, :, columns] += _response(part, _with_derivatives(raw, rate_hz))
            for i, (wave, of_wave) in enumerate(tracks):
                if label not in wave.labels:
                    continue
                change = np.zeros((len(wave.tracks_g), *shape))
                change[:, :, columns] = _response(part, of_wave)
                if i in together:
                    together[i] += change
                else:
                    for one in change:
                        collected.add("soft_tissue", one)
    for changes in together.values():
        for change in changes:
            collected.add("soft_tissue", change)
    for change in drawn:
        collected.add("marker_noise", change / np.sqrt(NOISE_TRACKS), only_features=True)


def derivatives(computation: Computation, group: Group, stacked: Stacked | None = None) -> Array:
    """(3 axes, 3 orders, frames, columns) J0, J1, J2 of the columns by the markers of a group."""
    result = computation.result
    n, rate_hz = result.trial.n_frames, result.trial.rate_hz
    J = np.empty((3, 3, *computation.unshifted.shape))
    fast, slow = (2 * np.pi / period * rate_hz for period in PERIODS)
    angles = [2 * np.pi / period * np.arange(n)[:, None] for period in PERIODS]
    waves = [wave for angle in angles for wave in (np.sin(angle), np.cos(angle))]
    labels = [label for label, _ in group.parts]
    shifted = (stacked or Stacked(computation)).waved(labels, STEP_M, waves)
    apart = fast**2 - slow**2
    for axis in range(3):
        in_phase, in_quadrature = [], []
        for s, c in (waves[:2], waves[2:]):
            sine, cosine = ((next(shifted) - computation.unshifted) / STEP_M for _ in range(2))
            in_phase.append(sine * s + cosine * c)  # J0 − J2 ω²
            in_quadrature.append(sine * c - cosine * s)  # J1 ω
        J[axis, 0] = (in_phase[1] * fast**2 - in_phase[0] * slow**2) / apart
        J[axis, 1] = in_quadrature[0] / fast
        J[axis, 2] = (in_phase[1] - in_phase[0]) / apart
    return J


def _with_derivatives(tracks: Array, rate_hz: float) -> Array:
    """(tracks, 3 orders, frames, 3) displacements, m, with their first and second derivatives.

    Where they are unknown, as the nearest one that is known, without derivatives: only segments that take a marker of
    another one are known there.
    """
    over_time = np.moveaxis(tracks, 1, 0)
    first, second = (np.nan_to_num(of) for of in spline_derivatives(over_time, rate_hz))
    return np.stack([np.moveaxis(of, 0, 1) for of in (nearest_known(over_time), first, second)], axis=1)


def _response(J: Array, tracks: Array) -> Array:
    """(tracks, frames, columns) of (axes, orders, frames, columns) derivatives and (tracks, orders, frames, axes)."""
    axes, orders, frames, columns = J.shape
    flat = np.moveaxis(J, 2, 0).reshape(frames, axes * orders, columns)
    moves = tracks.transpose(2, 0, 3, 1).reshape(frames, len(tracks), axes * orders)
    return np.moveaxis(moves @ flat, 0, 1)
