"""Standard uncertainties over the gait cycle and of each feature, with what each source makes of the variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.result import Result
from gaitid.gait.cycles import Cycle, over_cycles
from gaitid.gait.feature_list import FEATURES
from gaitid.trial import Array
from gaitid.uncertainty.budget import shares
from gaitid.uncertainty.sources import SOURCES

#: Shares stand at 0, 2, ..., 100 % of the cycle, standard uncertainties at every percent.
SHARES_STEP_PERCENT = 2


def over_cycle(
    result: Result, names: Sequence[str], standard: Array, variance: Mapping[str, Array]
) -> dict[str, dict[str, Any]]:
    """By side and column of ``cycles.csv``, root mean square over the cycles of the side.

    Parameters
    ----------
    result : Result
    names : sequence of str
        Of the columns.
    standard : (frames, columns) array
    variance : mapping of source to (frames, columns) array

    Returns
    -------
    dict
        ``cycle``: standard uncertainties at 0 to 100 %; ``cycle_shares_percent``: by source, what it makes of the
        variance, in whole percents every `SHARES_STEP_PERCENT`; NaN where unknown.
    """
    found: dict[str, dict[str, Any]] = {"cycle": {}, "cycle_shares_percent": {}}
    for side in result.body.sides:
        cycles = [stride.cycle for stride in result.gait.strides if stride.cycle.side == side]
        named = {name.removeprefix(f"{side}_"): i for i, name in enumerate(names) if name.startswith(side)}
        columns = [
            name for name in curves_of(result).names if name in named and np.isfinite(standard[:, named[name]]).any()
        ]
        if not cycles or not columns:
            continue
        at, rate_hz = [named[name] for name in columns], result.trial.rate_hz
        u = np.sqrt(_mean_square(cycles, standard[:, at], rate_hz))
        found["cycle"][side] = {name: [float(f"{v:.4g}") for v in u[:, i]] for i, name in enumerate(columns)}
        parts = {
            source: _mean_square(cycles, np.sqrt(variance[source][:, at]), rate_hz)[::SHARES_STEP_PERCENT]
            for source in SOURCES
            if source in variance
        }
        found["cycle_shares_percent"][side] = _in_percent(columns, parts)
    return found


def _mean_square(cycles: Sequence[Cycle], values: Array, rate_hz: float) -> Array:
    """(points, columns) over the cycles in which each is known."""
    over = over_cycles(cycles, values, rate_hz)
    known = np.isfinite(over)
    squares = np.where(known, over, 0.0) ** 2
    return np.asarray(squares.sum(axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan))


def _in_percent(columns: Sequence[str], parts: Mapping[str, Array]) -> dict[str, dict[str, list[float | int]]]:
    total = np.asarray(sum(parts.values()))
    safe = np.where(total > 0, total, np.nan)
    found: dict[str, dict[str, list[float | int]]] = {name: {} for name in columns}
    for source, of in parts.items():
        percent = np.rint(100 * of / safe)
        for i, name in enumerate(columns):
            if (percent[:, i] > 0).any():
                found[name][source] = [int(v) if np.isfinite(v) else float("nan") for v in percent[:, i]]
    return found


def of_features(
    cycles: Sequence[tuple[str, int]], standard: Array, variance: Mapping[str, Array]
) -> dict[str, dict[str, Any]]:
    """By side and feature the standard uncertainty, root mean square of the side's cycles, and shares of its variance.

    Parameters
    ----------
    cycles : sequence of (side, number)
    standard : (cycles, features) array
    variance : mapping of source to (cycles, features) array
    """
    found: dict[str, dict[str, Any]] = {}
    for side in dict.fromkeys(side for side, _ in cycles):
        of_side = found.setdefault(side, {})
        for i, feature in enumerate(FEATURES):
            rows = [k for k, (of, _) in enumerate(cycles) if of == side and np.isfinite(standard[k, i])]
            if rows:
                u = float(np.sqrt((standard[rows, i] ** 2).mean()))
                parts = {source: round(share, 1) for source, share in shares(variance, (rows, i)).items()}
                of_side[feature.name] = {"standard_uncertainty": float(f"{u:.4g}"), "shares_percent": parts}
    return found
