"""Loading rates of forces whose slope is known, from the plates' own samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.features import features
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.dynamics.chain import Wrench
from gaitid.gait.feature_list import FEATURES
from gaitid.gait.impact import Loading, Onset, loading_of
from gaitid.ground.plate_load import PlateLoad, UpwardForce
from gaitid.model.load import load_model
from gaitid.trial import Array

RATE, WEIGHT = 1000.0, 700.0
UP = np.array([0.0, 0.0, 1.0])
DOWN = np.diag([1.0, -1.0, -1.0])  # plate axes: z into the plate
TIMES = np.arange(1000) / RATE


def loading(
    force: Array, rate_hz: float = RATE, bias: float = 0.0, last_s: float = 0.8, **changes: object
) -> Loading | None:
    """Of a contact from 0.2 s on, to 0.8 s where not said, under an upward force, N, sampled on one plate."""
    zero = np.zeros((100, 3))
    at_camera = PlateLoad(
        1,
        Wrench(zero, zero, np.zeros(3)),
        np.zeros(3),
        UP,
        DOWN,
        np.array([0.3, 0.3]),
        np.array([0.0, 0.0, bias]),
        removed=bias != 0,
        recorded=UpwardForce(rate_hz, 0.0, force + bias),
    )
    return loading_of([replace(at_camera, **changes)], Onset(0.2, last_s, WEIGHT, 20.0, UP))


def ramp(to_BW: float, in_s: float) -> Array:
    """Rises evenly from 0.2 s on, then falls until 0.8 s."""
    return WEIGHT * to_BW * np.interp(TIMES, [0.2, 0.2 + in_s, 0.8], [0, 1, 0])


def test_a_transient_is_the_first_peak() -> None:
    force = ramp(1.1, 0.15) + WEIGHT * 0.9 * np.exp(-0.5 * ((TIMES - 0.225) / 0.008) ** 2)
    found = loading(force)
    assert found is not None and found.is_impact
    assert found.peak_s == pytest.approx(0.225, abs=0.003)
    assert found.peak_BW == pytest.approx(0.9 + 1.1 * 25 / 150, rel=0.1)
    assert found.greatest_BW_per_s > found.mean_BW_per_s > 20


def test_without_an_impact_peak_an_eighth_of_a_run_stands_for_it_and_none_of_a_walk() -> None:
    run = loading(WEIGHT * 2.0 * np.interp(TIMES, [0.2, 0.4, 0.5], [0, 1, 0]), last_s=0.5)
    assert run is not None and not run.is_impact
    assert run.mean_BW_per_s == pytest.approx(10.0, rel=0.01)
    walk = loading(WEIGHT * 2.0 * np.interp(TIMES, [0.2, 0.7, 0.8], [0, 1, 0]))
    assert walk is not None and np.isnan(walk.mean_BW_per_s) and np.isnan(walk.peak_s)
    assert walk.greatest_BW_per_s == pytest.approx(4.0, rel=0.05)


def test_a_peak_and_a_shoulder_have_a_greatest_rate_of_one_window() -> None:
    """A shoulder in one foot and a peak in the other are one event."""
    rates = []
    for size in (0.17, 0.24):
        bump = WEIGHT * size * np.exp(-0.5 * ((TIMES - 0.22) / 0.01) ** 2)
        found = loading(ramp(1.1, 0.11) + bump)
        assert found is not None
        rates.append(found)
    shoulder, peak = rates
    assert (shoulder.is_impact, peak.is_impact) == (False, True)
    assert np.isnan(shoulder.mean_BW_per_s) and peak.mean_BW_per_s > 10
    assert peak.greatest_BW_per_s == pytest.approx(shoulder.greatest_BW_per_s, rel=0.3)  # a larger bump is steeper


def rates(result: Result) -> Array:
    """(cycles, 2) the mean and the greatest rate."""
    found = features(result, curves_of(result))
    names = ("ground_reaction_upward_loading_rate_mean", "ground_reaction_upward_loading_rate_max")
    return found.value[:, [next(i for i, f in enumerate(FEATURES) if f.name == name) for name in names]]


def test_the_cutoff_of_the_forces_does_not_change_them(simulated: Callable[..., object]) -> None:
    """The filter of loading rates is their own; at 10 Hz the force itself would rise at half the rate."""
    walk = simulated(impact_bw=0.4)
    both = [
        rates(analyse(walk.trial, load_model("pig", {"cutoff_hz": "none", "force_cutoff_hz": hz}), SubjectFile()))  # type: ignore[attr-defined]
        for hz in ("none", 10.0)
    ]
    known = np.isfinite(both[0]).all(axis=1) & np.isfinite(both[1]).all(axis=1)
    assert known.sum() == 2
    np.testing.assert_allclose(both[0][known], both[1][known], rtol=0.1)
    assert (both[0][known] > 10).all()
