"""Which source makes how much of the variance: over the cycle, at peaks, in a sentence, and what would help most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.result import Result
from gaitid.gait.cycles import Cycle, instants, sample_together
from gaitid.gait.feature_list import FEATURES
from gaitid.records import NamedTuple
from gaitid.trial import Array
from gaitid.uncertainty.peaks import PEAKS
from gaitid.uncertainty.sources import SOURCES

_UNITS: Mapping[str, str] = {"Nm_per_kg": "N·m/kg", "W_per_kg": "W/kg", "deg": "°"}
#: A source that makes less of the variance is not named.
_NAMED_PERCENT = 5.0


def shares(variance: Mapping[str, Array], at: Any = ...) -> dict[str, float]:
    """Each source's share of the variance, %, as the mean over what is known of some cycles and features."""
    total = sum(of[at] for of in variance.values())
    known = np.isfinite(total) & (np.asarray(total) > 0)
    return _shares({source: float(of[at][known].sum()) for source, of in variance.items()})


def _shares(sums: Mapping[str, float]) -> dict[str, float]:
    total = sum(sums.values())
    return {source: 100 * sums[source] / total for source in SOURCES if sums.get(source, 0.0) > 0}


def peaks(
    cycles: list[tuple[str, int]],
    values: Array,
    standard: Array,
    variance: Mapping[str, Array],
    hip_better: float | None,
) -> list[dict[str, Any]]:
    """The features of `PEAKS`, as means over the cycles of each side, with budget, sentence and cure.

    Parameters
    ----------
    cycles : list of (side, number)
    values, standard : (cycles, features) arrays
    variance : mapping of source to (cycles, features) array
    hip_better : float or None
        A functional hip centre's standard uncertainty over that of the model's; None where it would be no better.
    """
    found = []
    for name, words in PEAKS.items():
        i = next((k for k, feature in enumerate(FEATURES) if feature.name == name), None)
        if i is None:
            continue
        for side in dict.fromkeys(side for side, _ in cycles):
            rows = [k for k, (of, _) in enumerate(cycles) if of == side and np.isfinite(standard[k, i])]
            if not rows:
                continue
            # what is wrong in one cycle of a session is wrong in all: the mean over cycles is no surer
            value, u = float(values[rows, i].mean()), float(np.sqrt((standard[rows, i] ** 2).mean()))
            of_sources = shares(variance, (rows, i))
            if not of_sources:  # no error that the file states moves it
                continue
            unit = _UNITS.get(FEATURES[i].unit, FEATURES[i].unit)
            cure, better = _cure(of_sources, u, hip_better)
            found.append(
                {
                    "side": side,
                    "feature": name,
                    "cycles": len(rows),
                    "value": value,
                    "unit": FEATURES[i].unit,
                    "standard_uncertainty": u,
                    "shares_percent": of_sources,
                    "words": _sentence(f"{side} {words}", value, u, unit, of_sources),
                    "would_help": f"{cure} would take it to ± {better:.{_digits(u)}f} {unit} (standard)",
                }
            )
    return found


def _digits(u: float) -> int:
    """Behind the point, so that two figures of a standard uncertainty are told."""
    return max(0, 1 - int(np.floor(np.log10(u)))) if u > 0 else 2


def _sentence(words: str, value: float, u: float, unit: str, of_sources: Mapping[str, float]) -> str:
    digits = _digits(u)
    named = sorted(((share, SOURCES[source].words) for source, share in of_sources.items()), reverse=True)
    told = ", ".join(f"{share:.0f} % is from {what}" for share, what in named if share >= _NAMED_PERCENT)
    return f"{words} {value:.{digits}f} ± {u:.{digits}f} {unit} (standard); of the variance {told}"


def _cure(of_sources: Mapping[str, float], u: float, hip_better: float | None) -> tuple[str, float]:
    """What would help most, and the standard uncertainty then."""
    left = dict.fromkeys(of_sources, 0.25)  # of the variance, where an error is halved
    if hip_better is not None and "hip_centre" in left:
        left["hip_centre"] = hip_better**2
    best = max(of_sources, key=lambda source: of_sources[source] * (1 - left[source]))
    better = u * float(np.sqrt(1 - of_sources[best] / 100 * (1 - left[best])))
    if best == "hip_centre" and hip_better is not None:
        return "a functional hip centre", better
    return f"half as much error of {SOURCES[best].words}", better


# --- over the cycle ---------------------------------------------------------------------------------------------------

#: Shares stand at 0, 2, ..., 100 % of the cycle, standard uncertainties at every percent.
SHARES_STEP_PERCENT = 2


class CycleBands(NamedTuple):
    """Of one side, as means over its cycles.

    Attributes
    ----------
    names : tuple of str
        Columns of ``cycles.csv`` that are known in some frame.
    value, standard : (points, columns) arrays
        Mean, and standard uncertainty as root mean square; NaN where unknown.
    """

    names: tuple[str, ...]
    value: Array
    standard: Array


def bands_over_cycle(result: Result, names: Sequence[str], standard: Array) -> dict[str, CycleBands]:
    """By side that has a cycle the bands of its curves; parameters as of `over_cycle`."""
    curves, found = curves_of(result), {}
    for side in result.body.sides:
        rows = [k for k, cycle in enumerate(curves.cycles) if cycle.side == side]
        named = {name.removeprefix(f"{side}_"): i for i, name in enumerate(names) if name.startswith(side)}
        columns = [name for name in curves.names if name in named and np.isfinite(standard[:, named[name]]).any()]
        if not rows or not columns:
            continue
        cycles, at = [curves.cycles[k] for k in rows], [named[name] for name in columns]
        u = np.sqrt(_mean(*_squares(cycles, standard[:, at], result.trial.rate_hz)))
        values = curves.values[rows][:, :, [curves.names.index(name) for name in columns]]
        known = np.isfinite(values)
        mean = np.where(known, values, 0.0).sum(axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan)
        found[side] = CycleBands(tuple(columns), mean, u)
    return found


class Parts:
    """What each source makes of the variances of some columns: sums over frames, and mean squares over cycles.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    rate_hz : float
    """

    def __init__(self, names: Sequence[str], rate_hz: float) -> None:
        self._names, self._rate_hz = tuple(names), rate_hz
        self._over_frames: dict[str, Array] = {}
        self._over_cycles: dict[tuple[str, str], tuple[Array, Array]] = {}

    def add(self, source: str, variance: Array, rows: slice, cycles: Sequence[Cycle], first: int) -> None:
        """Of one source in some frames.

        Parameters
        ----------
        source : str
        variance : (frames, columns) array
            NaN where unknown.
        rows : slice
            Of these the frames that no other block has.
        cycles : sequence of Cycle
            Those that lie in these frames.
        first : int
            Of the trial's frames the first of these.
        """
        known = np.nan_to_num(variance[rows]).sum(axis=0)
        self._over_frames[source] = self._over_frames.get(source, 0.0) + known
        root = np.sqrt(variance)
        for side in dict.fromkeys(cycle.side for cycle in cycles):
            mine = [cycle for cycle in cycles if cycle.side == side]
            before, count = self._over_cycles.get((side, source), (np.zeros(()), np.zeros(())))
            squares, known_in = _squares(mine, root, self._rate_hz, first)
            self._over_cycles[side, source] = before + squares, count + known_in

    def of_columns(self, standard: Array) -> dict[str, Any]:
        """For every column typical and largest standard uncertainty, (frames, columns), and shares of its variance."""
        found = {}
        for i, name in enumerate(self._names):
            known = standard[:, i][np.isfinite(standard[:, i])]
            if known.size:
                found[name] = {
                    "median": float(np.median(known)),
                    "largest": float(known.max()),
                    "shares_percent": _shares({source: float(of[i]) for source, of in self._over_frames.items()}),
                }
        return found

    def over_cycle(self, bands: Mapping[str, CycleBands]) -> dict[str, dict[str, Any]]:
        """By side and column of ``cycles.csv``, root mean square over the cycles of the side.

        Returns
        -------
        dict
            ``cycle``: standard uncertainties at 0 to 100 %; ``cycle_shares_percent``: by source, what it makes of the
            variance, in whole percents every `SHARES_STEP_PERCENT`; NaN where unknown.
        """
        found: dict[str, dict[str, Any]] = {"cycle": {}, "cycle_shares_percent": {}}
        for side, of_side in bands.items():
            at = [self._names.index(f"{side}_{name}") for name in of_side.names]
            figures = [[float(f"{v:.4g}") for v in u] for u in of_side.standard.T]
            found["cycle"][side] = dict(zip(of_side.names, figures, strict=True))
            parts = {
                source: _mean(*self._over_cycles[side, source])[::SHARES_STEP_PERCENT, at]
                for source in SOURCES
                if (side, source) in self._over_cycles
            }
            found["cycle_shares_percent"][side] = _in_percent(of_side.names, parts)
        return found


def _squares(cycles: Sequence[Cycle], values: Array, rate_hz: float, first: int = 0) -> tuple[Array, Array]:
    """(points, columns) sums of squares over the cycles in which each is known, and how many these are."""
    over = sample_together(values, instants(cycles, rate_hz) - first)
    known = np.isfinite(over)
    return (np.where(known, over, 0.0) ** 2).sum(axis=0), known.sum(axis=0)


def _mean(squares: Array, count: Array) -> Array:
    """NaN where nothing is known."""
    return squares / np.where(count > 0, count, np.nan)


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
    sources = [source for source in SOURCES if source in variance]
    found: dict[str, dict[str, Any]] = {}
    for side in dict.fromkeys(side for side, _ in cycles):
        of_side = found.setdefault(side, {})
        rows = [k for k, (of, _) in enumerate(cycles) if of == side]
        known = np.isfinite(standard[rows])
        u = np.sqrt(_mean(np.where(known, standard[rows] ** 2, 0.0).sum(axis=0), known.sum(axis=0)))
        parts = np.array([np.where(known, variance[source][rows], 0.0).sum(axis=0) for source in sources])
        parts = parts.reshape(len(sources), len(u))
        percent = 100 * parts / np.where((total := parts.sum(axis=0)) > 0, total, np.nan)
        for i in np.flatnonzero(known.any(axis=0)):
            shares_of = {source: round(float(of), 1) for source, of in zip(sources, percent[:, i]) if of > 0}
            of_side[FEATURES[i].name] = {"standard_uncertainty": float(f"{u[i]:.4g}"), "shares_percent": shares_of}
    return found
