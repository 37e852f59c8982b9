"""A `Result` -> its features, as far as these need more than curves over the cycle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.result import Result
from gaitid.gait.cycles import Cycle
from gaitid.gait.features import CycleCurves, FeatureValues, measure
from gaitid.gait.impact import Onset, loading_of
from gaitid.ground.contacts import Contact
from gaitid.trial import IntArray

# s. The strike of a cycle and the beginning of its contact with plates are one.
SAME = 0.03


def features(result: Result, curves: CycleCurves) -> FeatureValues:
    """The features of all cycles of a result.

    Parameters
    ----------
    result : Result
    curves : CycleCurves
        Its own.
    """
    if result.stability:
        from gaitid.analysis.stability import with_stability  # of few runs

        curves = with_stability(curves, result)
    gravity = result.settings.gravity_m_per_s2
    on_plates = {side: [c for c in result.contacts if c.side == side and c.plates] for side in result.sides}
    starts = {side: np.array([c.first for c in contacts]) for side, contacts in on_plates.items()}
    loading = np.array(
        [
            _loading(result, cycle, _contact(result, cycle, on_plates[cycle.side], starts[cycle.side]))
            for cycle in curves.cycles
        ]
    ).reshape(-1, 3, 2)
    return measure(curves, gravity, loading)


def _loading(result: Result, cycle: Cycle, contact: Contact | None) -> list[tuple[float, float]]:
    """Value and percent of impact peak, mean and greatest loading rate of the strike that begins a cycle."""
    unknown = (np.nan, np.nan)
    if contact is None:
        return [unknown] * 3
    plates = [p for p in result.ground.plates if p.number in contact.plates]
    weight_N = result.subject.mass_kg * result.settings.gravity_m_per_s2
    up_g, threshold_N = result.ground.floor.up_g, result.settings.contact_threshold_N
    times = (contact.first / result.trial.rate_hz, contact.last / result.trial.rate_hz)
    found = loading_of(plates, Onset(*times, weight_N, threshold_N, up_g))
    if found is None:
        return [unknown] * 3
    peak, rate = (100 * (t - cycle.strike.time_s) / cycle.duration_s for t in (found.peak_s, found.steepest_s))
    impact = (found.peak_BW, peak) if found.is_impact else unknown
    return [impact, (found.mean_BW_per_s, np.nan), (found.greatest_BW_per_s, rate)]


def _contact(result: Result, cycle: Cycle, contacts: Sequence[Contact], first: IntArray) -> Contact | None:
    """The contact with plates that a cycle begins with, of those of its side, whose first frames are given."""
    away = np.abs(first - cycle.strike.time_s * result.trial.rate_hz)
    nearest = int(np.argmin(away)) if len(away) else -1
    return contacts[nearest] if nearest >= 0 and away[nearest] <= SAME * result.trial.rate_hz else None
