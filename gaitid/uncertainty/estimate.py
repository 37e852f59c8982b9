"""How sure every number of a result is: the whole job, and what files and records say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.result import Result
from gaitid.body.frames import Geometry
from gaitid.records import frozen_dataclass
from gaitid.trial import Array
from gaitid.uncertainty.budget import budget_of_columns, peaks
from gaitid.uncertainty.computation import Computation
from gaitid.uncertainty.errors import Errors, errors_of, hip_method
from gaitid.uncertainty.features import FeatureSpread
from gaitid.uncertainty.first_order import Spread, propagate
from gaitid.uncertainty.over_cycle import of_features, over_cycle
from gaitid.uncertainty.sources import OTHERWISE, Sources, refuse_names_of_nothing
from gaitid.write import DEFAULT_FRAMES, UNCERTAINTY_COLUMNS
from gaitid.write.numbers import rows_text

#: Standard uncertainties on either side of a value within which its truth lies in 95 of 100 cases (normal errors).
COVERAGE_FACTOR = 1.959963984540054
#: Of ``walk.uncertainty.csv``.
COLUMNS = ("frame", "column", *UNCERTAINTY_COLUMNS)


@frozen_dataclass(eq=False)
class Estimate:
    """Standard uncertainties of one result.

    Attributes
    ----------
    computation : Computation
    sources : Sources
    errors : Errors
    spread : Spread
    """

    computation: Computation
    sources: Sources
    errors: Errors
    spread: Spread

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of ``wrenches.csv`` and ``joints.csv``."""
        return self.computation.names[: self.computation.written]

    @property
    def values(self) -> Array:
        """(frames, columns) of the result."""
        return self.computation.values[:, : self.computation.written]

    @property
    def standard(self) -> Array:
        """(frames, columns) standard uncertainties; NaN where the value is unknown."""
        return self.spread.standard[:, : self.computation.written]

    def table(self) -> str:
        """The text of ``walk.uncertainty.csv``."""
        trial, width = self.computation.result.trial, len(self.names)
        cells = self.bands().reshape(-1, len(UNCERTAINTY_COLUMNS))
        frames = np.repeat(trial.first_frame + np.arange(trial.n_frames), width).tolist()
        lines = rows_text(cells).splitlines()
        rows = (f"{frame},{name},{line}" for frame, name, line in zip(frames, self.names * trial.n_frames, lines))
        return "\n".join([",".join(COLUMNS), *rows]) + "\n"

    def bands(self) -> Array:
        """(frames, columns, 3) standard uncertainty and the ends of the 95 % band."""
        reach = COVERAGE_FACTOR * self.standard
        return np.stack([self.standard, self.values - reach, self.values + reach], axis=2)

    def of_features(self) -> Array:
        """(cycles, features, 3) standard uncertainty and the ends of the 95 % band."""
        value = FeatureSpread(self.computation).of_result
        u = self.spread.of_features
        return np.stack([u, value - COVERAGE_FACTOR * u, value + COVERAGE_FACTOR * u], axis=2)

    def record(self) -> dict[str, Any]:
        """What ``run.json`` says under ``uncertainty``."""
        names, written = self.names, self.computation.written
        variance = {source: of[:, :written] for source, of in self.spread.variance.items()}
        cycles = [(cycle.side, cycle.number) for cycle in curves_of(self.computation.result).cycles]
        of_result = FeatureSpread(self.computation).of_result
        return {
            "file": self.sources.name,
            "title": self.sources.title,
            **self.spread.figures,
            "coverage_factor": COVERAGE_FACTOR,
            "stride_hz": self.errors.stride_hz,
            "hip_centre": hip_method(self.computation) or OTHERWISE,
            "marker_noise_m": None if self.errors.noise is None else self.errors.noise.raw_m,
            "left_out": list(self.errors.left_out),
            "sources": self.sources.content.get("sources", {}),
            "peaks": peaks(cycles, of_result, self.spread.of_features, self.spread.features, self._hip_better()),
            "columns": budget_of_columns(names, variance, self.standard),
            "features": of_features(cycles, self.spread.of_features, self.spread.features),
            **over_cycle(self.computation.result, names, self.standard, variance),
        }

    def _hip_better(self) -> float | None:
        sizes = self.sources.hip_m
        now, then = sizes.get(hip_method(self.computation), sizes.get(OTHERWISE, 0.0)), sizes.get("functional", np.inf)
        return then / now if then < now else None


def estimate(
    result: Result,
    sources: Sources,
    static: Geometry | None = None,
    express_in: Sequence[str] = DEFAULT_FRAMES,
    progress: Callable[[str], object] = lambda words: None,
    features: bool = True,
) -> Estimate:
    """How sure every number of a result is.

    Parameters
    ----------
    result : Result
    sources : Sources
    static : Geometry, optional
        Of the static that its model was calibrated in.
    express_in : sequence of str
        Frames of expression of the wrenches.
    progress : callable
        Told how many drawn computations are done, and how far half of them is from the other half.
    features : bool
        Whether those of features are wanted too.
    """
    refuse_names_of_nothing(sources, result.model)
    computation = Computation(result, static, tuple(express_in))
    errors = errors_of(sources, computation)
    spread = propagate(computation, errors, features)
    if sources.method == "monte_carlo":
        from gaitid.uncertainty.monte_carlo import Draws, monte_carlo

        spread = monte_carlo(computation, errors, Draws(sources.samples, sources.seed, progress), spread)
    return Estimate(computation, sources, errors, spread)
