"""Monte Carlo: the computation many times with all errors drawn at random (JCGM 101:2008), in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gaitid.numerics.masks import nearest_known
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask
from gaitid.uncertainty.errors import Errors
from gaitid.uncertainty.features import FeatureSpread
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift, summed
from gaitid.uncertainty.variances import Spread

#: Computations whose features are measured at once.
_TOGETHER = 50
#: Computations between two words of progress.
_TOLD_EVERY = 50


class Running:
    """Mean and variance of arrays that come one after the other (Welford 1962, Technometrics 4:419-420)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count = np.zeros(shape)
        self.mean = np.zeros(shape)
        self._squares = np.zeros(shape)

    def add(self, values: Array) -> None:
        """One more array; what is not finite in it does not count."""
        known = np.isfinite(values)
        self.count += known
        apart = np.where(known, values - self.mean, 0.0)
        self.mean += apart / np.maximum(self.count, 1)
        self._squares += apart * np.where(known, values - self.mean, 0.0)

    def joined(self, other: Running) -> Running:
        """Of the arrays of both (Chan, Golub & LeVeque 1983, Am Stat 37:242-247)."""
        both = Running(self.mean.shape)
        both.count = self.count + other.count
        safe, apart = np.maximum(both.count, 1), other.mean - self.mean
        both.mean = self.mean + apart * other.count / safe
        both._squares = self._squares + other._squares + apart**2 * self.count * other.count / safe
        return both

    @property
    def standard(self) -> Array:
        """Standard deviations; NaN where fewer than half of the arrays had a value."""
        enough = self.count > max(1, self.count.max(initial=0) / 2)
        return np.asarray(np.sqrt(np.where(enough, self._squares / np.maximum(self.count - 1, 1), np.nan)))


@frozen_dataclass(eq=False)
class Draws:
    """How often, from which seed, and whom to tell."""

    samples: int
    seed: int
    progress: Callable[[str], object] = lambda words: None


def drawn_shift(errors: Errors, random: np.random.Generator, n_frames: int, rate_hz: float) -> Shift:
    """All errors of a result at once, drawn at random as they are stated.

    Parameters
    ----------
    errors : Errors
    random : Generator
    n_frames : int
    rate_hz : float
        Of the cameras.
    """
    parts = list(zip(random.standard_normal(len(errors.constant)), (error.shift for error in errors.constant)))
    moved: dict[str, Array] = {}
    for wave in errors.waves:
        size = random.standard_normal(len(wave.tracks_g))
        track = nearest_known(np.tensordot(wave.size_m * size, wave.tracks_g, axes=1))
        for label in wave.labels:
            moved[label] = moved[label] + track if label in moved else track
    for label in errors.segment_of:
        noise = errors.rough.get(label, errors.noise)
        if noise is not None:
            (track,) = noise.drawn(random, (1, n_frames, 3), rate_hz)
            moved[label] = moved[label] + track if label in moved else track
    return summed([*((float(factor), shift) for factor, shift in parts), (1.0, Shift(markers=moved))])


def monte_carlo(perturbed: Perturbed, errors: Errors, draws: Draws, first_order: Spread) -> Spread:
    """Standard uncertainties by computations with drawn errors.

    Parameters
    ----------
    perturbed : Perturbed
    errors : Errors
    draws : Draws
    first_order : Spread
        Of the same errors: what each source makes of the variance comes from it.
    """
    random = np.random.default_rng(draws.seed)
    rate_hz, features = perturbed.result.trial.rate_hz, FeatureSpread(perturbed)
    halves = Running(perturbed.unshifted.shape), Running(perturbed.unshifted.shape)
    of_features = Running(features.of_result.shape)
    known = np.isfinite(perturbed.values)
    waiting: list[Array] = []
    for start in range(0, draws.samples, perturbed.together):
        count = min(perturbed.together, draws.samples - start)
        shifts = [drawn_shift(errors, random, perturbed.n_frames, rate_hz) for _ in range(count)]
        for i, columns in enumerate(perturbed.columns(shifts, drawn=True), start=start):
            change = columns - perturbed.unshifted
            halves[i % 2].add(change)
            if features.of_result.size:
                waiting.append(features.over_cycles(change))
            if len(waiting) == _TOGETHER or (waiting and i == draws.samples - 1):
                for measured in features.stacked(waiting, 1.0):
                    of_features.add(measured)
                waiting = []
            if (i + 1) % _TOLD_EVERY == 0:
                apart = _apart(halves[0].standard, halves[1].standard, known)
                draws.progress(f"{i + 1} of {draws.samples} samples, halves differ by {apart:.1f} %")
    whole = halves[0].joined(halves[1])
    standard = np.where(known, whole.standard, np.nan)
    figures = {
        "method": "monte_carlo",
        "samples": draws.samples,
        "seed": draws.seed,
        # of a standard deviation from so many draws of a normal variate
        "standard_error_percent": float(100 / np.sqrt(2 * (draws.samples - 1))),
        "halves_differ_by_percent": _apart(halves[0].standard, halves[1].standard, known),
        "first_order_differs_by_percent": _apart(first_order.standard, standard, known),
    }
    spread_of_features = np.where(np.isfinite(features.of_result), of_features.standard, np.nan)
    return replace(first_order, figures=figures, standard=standard, of_features=spread_of_features)


def _apart(a: Array, b: Array, known: Mask) -> float:
    """Median over all columns and frames of how far two standard uncertainties are apart, %."""
    both = known & (a > 0) & (b > 0)
    return float(100 * np.median(np.abs(a[both] / b[both] - 1))) if both.any() else float("nan")
