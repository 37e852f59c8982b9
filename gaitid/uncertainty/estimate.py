"""How sure every number of a result is: the whole job, and what files and records say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.records import frozen_dataclass
from gaitid.trial import Array
from gaitid.uncertainty.blocks import Joined, joined
from gaitid.uncertainty.budget import CycleBands, bands_over_cycle, of_features, peaks
from gaitid.uncertainty.errors import Errors, errors_of, hip_method, over_trial
from gaitid.uncertainty.features import FeatureSpread
from gaitid.uncertainty.first_order import propagate
from gaitid.uncertainty.monte_carlo import Draws, monte_carlo
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.plates import errors_of_plates
from gaitid.uncertainty.sources import OTHERWISE, Sources, refuse_names_of_nothing
from gaitid.uncertainty.usable import COVERAGE_FACTOR
from gaitid.uncertainty.variances import Spread
from gaitid.write import DEFAULT_FRAMES, UNCERTAINTY_COLUMNS
from gaitid.write.table import row_lines

#: Of ``walk.uncertainty.csv`` and ``walk.uncertainty_cycles.csv``.
COLUMNS = ("frame", "column", *UNCERTAINTY_COLUMNS)
CYCLE_COLUMNS = ("side", "percent", "column", *UNCERTAINTY_COLUMNS)
_LINES = 1 << 14  # of it that are made at once


@frozen_dataclass(eq=False)
class Estimate:
    """Standard uncertainties of one result, of which it holds nothing but numbers.

    Attributes
    ----------
    names : tuple of str
        The columns of ``wrenches.csv`` and ``joints.csv``.
    first_frame : int
        As the file numbers it.
    values : (frames, columns) array
        Of the result.
    spread : Joined
    of_result : (cycles, features) array
        Features of the result.
    left_out : tuple of str
        What could not be taken into account, in words.
    about : mapping
        What a record says of it.
    cycles : mapping of side to CycleBands
    """

    names: tuple[str, ...]
    first_frame: int
    values: Array
    spread: Joined
    of_result: Array
    left_out: tuple[str, ...]
    about: Mapping[str, Any]
    cycles: Mapping[str, CycleBands]

    @property
    def standard(self) -> Array:
        """(frames, columns) standard uncertainties; NaN where the value is unknown."""
        return self.spread.standard

    def table(self) -> Iterator[str]:
        """The text of ``walk.uncertainty.csv``, some lines at a time."""
        yield ",".join(COLUMNS) + "\n"
        step = max(1, _LINES // max(len(self.names), 1))
        for start in range(0, len(self.values), step):
            frames = slice(start, start + step)
            lines = row_lines(self.bands(frames).reshape(-1, len(UNCERTAINTY_COLUMNS)))
            count = len(lines) // max(len(self.names), 1)
            numbers = np.repeat(self.first_frame + start + np.arange(count), len(self.names)).tolist()
            rows = zip(numbers, self.names * count, lines, strict=True)
            yield "".join(f"{frame},{name},{line}\n" for frame, name, line in rows)

    def cycles_table(self) -> Iterator[str]:
        """The text of ``walk.uncertainty_cycles.csv``, a side at a time."""
        yield ",".join(CYCLE_COLUMNS) + "\n"
        for side, of in self.cycles.items():
            u, value = of.standard, of.value
            bands = np.stack([u, value - COVERAGE_FACTOR * u, value + COVERAGE_FACTOR * u], axis=2)
            lines = iter(row_lines(bands.reshape(-1, len(UNCERTAINTY_COLUMNS))))
            percents = [f"{percent:g}" for percent in np.linspace(0, 100, len(u))]
            yield "".join(f"{side},{at},{name},{next(lines)}\n" for at in percents for name in of.names)

    def bands(self, frames: slice = slice(None)) -> Array:
        """(frames, columns, 3) standard uncertainty and the ends of the 95 % band, of some frames."""
        u, values = self.standard[frames], self.values[frames]
        return np.stack([u, values - COVERAGE_FACTOR * u, values + COVERAGE_FACTOR * u], axis=2)

    def of_features(self) -> Array:
        """(cycles, features, 3) standard uncertainty and the ends of the 95 % band."""
        value, u = self.of_result, self.spread.of_features
        return np.stack([u, value - COVERAGE_FACTOR * u, value + COVERAGE_FACTOR * u], axis=2)

    def record(self) -> Mapping[str, Any]:
        """What ``run.json`` says under ``uncertainty``."""
        return self.about


def estimate(
    result: Result,
    sources: Sources,
    express_in: Sequence[str] = DEFAULT_FRAMES,
    progress: Callable[[str], object] = lambda words: None,
    features: bool = True,
) -> Estimate:
    """How sure every number of a result is.

    Parameters
    ----------
    result : Result
    sources : Sources
    express_in : sequence of str
        Frames of expression of the wrenches.
    progress : callable
        Told how many drawn computations are done, and how far half of them is from the other half.
    features : bool
        Whether those of features are wanted too.
    """
    refuse_names_of_nothing(sources, result.model)
    perturbed = Perturbed(result, express_in)
    over, draws = over_trial(perturbed), Draws(sources.samples, sources.seed, progress)

    def in_block(block: Perturbed) -> tuple[Errors, Spread]:
        errors = errors_of(sources, block, over)
        spread = propagate(block, errors, features)
        if sources.method == "monte_carlo":
            spread = monte_carlo(block, errors, draws, spread)
        return errors, spread

    spread = joined(perturbed, in_block)
    names = perturbed.names[: perturbed.written]
    of_result = FeatureSpread(perturbed).of_result
    in_features = np.where(perturbed.by_motion[:, : len(names)], np.nan, spread.standard)
    cycles = bands_over_cycle(result, names, in_features)
    about = _record(perturbed, sources, spread, of_result, in_features) | spread.parts.over_cycle(cycles)
    values = perturbed.values[:, : len(names)]
    return Estimate(names, result.trial.first_frame, values, spread, of_result, spread.errors.left_out, about, cycles)


def _record(
    perturbed: Perturbed, sources: Sources, spread: Joined, of_result: Array, standard: Array
) -> dict[str, Any]:
    errors = spread.errors
    cycles = [(cycle.side, cycle.number) for cycle in perturbed.curves.cycles]
    sizes = sources.hip_m
    now, then = sizes.get(hip_method(perturbed), sizes.get(OTHERWISE, 0.0)), sizes.get("functional", np.inf)
    hip_better = then / now if then < now else None
    plates = errors_of_plates(sources.sizes, perturbed)
    return {
        "file": sources.name,
        "title": sources.title,
        **spread.figures,
        "coverage_factor": COVERAGE_FACTOR,
        "stride_hz": errors.stride_hz,
        "hip_centre": hip_method(perturbed) or OTHERWISE,
        "marker_noise_m": None if errors.noise is None else errors.noise.raw_m,
        "delay_ms": round(plates.delay_s * 1e3, 2),
        "turn_deg": round(float(np.degrees(plates.turn_rad)), 2),
        "plates": {
            str(number): {
                "cop_mm": (np.linalg.norm(of.cop_g, axis=1) * 1e3).round(2).tolist(),
                "gain_percent": round(of.gain * 100, 2),
                "horizontal_gain_percent": round(of.horizontal * 100, 2),
                "crosstalk_percent": (np.linalg.norm(of.crosstalk_g, axis=1) * 100).round(2).tolist(),
            }
            for number, of in plates.plates.items()
        },
        "left_out": list(errors.left_out),
        "sources": sources.content.get("sources", {}),
        "peaks": peaks(cycles, of_result, spread.of_features, spread.features, hip_better),
        "columns": spread.parts.of_columns(standard[:, perturbed.budgeted]),
        "features": of_features(cycles, spread.of_features, spread.features),
    }
