"""Cycles between strikes, and what a quantity is between frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gait_walks import known_walk
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from gaitid.gait.cycles import find_cycles, over_cycles, sample
from gaitid.gait.marker_events import GaitEvent
from gaitid.trial import Array


def events(side: str, **times: list[float]) -> list[GaitEvent]:
    return [GaitEvent(side, kind, time, "force") for kind, at in times.items() for time in at]


def in_order(*lists: list[GaitEvent]) -> list[GaitEvent]:
    return sorted((e for one in lists for e in one), key=lambda e: e.time_s)


WALK = in_order(
    events("left", strike=[0.0, 1.0, 2.1], off=[0.6, 1.65]), events("right", strike=[0.5, 1.55], off=[0.1, 1.12])
)


def test_a_cycle_runs_from_strike_to_strike_with_the_other_foot_in_it() -> None:
    cycles, refused = find_cycles(WALK)
    assert refused == ()
    assert [(c.side, c.number) for c in cycles] == [("left", 1), ("left", 2), ("right", 1)]
    first, _, right = cycles
    assert first.duration_s == 1.0
    percents = [first.percent(e) for e in (first.off, first.opposite_off, first.opposite_strike)]
    np.testing.assert_allclose(percents, [60.0, 10.0, 50.0])
    # the right foot: from 0.5 to 1.55 s, off at 1.12; the left leaves at 0.6 and strikes at 1.0
    percents = [right.percent(e) for e in (right.off, right.opposite_off, right.opposite_strike)]
    np.testing.assert_allclose(percents, [62 / 1.05, 10 / 1.05, 50 / 1.05])


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (events("left", strike=[0.0, 1.0]), "leaves the ground 0 times"),
        (events("left", strike=[0.0, 1.0], off=[0.2, 0.6]), "leaves the ground 2 times"),
        (events("left", strike=[0.0, 0.3], off=[0.2]), "lasts 0.30 s"),
        (events("left", strike=[0.0, 4.5], off=[0.6]), "lasts 4.50 s"),
        (
            in_order(events("left", strike=[0.0, 2.0], off=[0.6]), events("right", strike=[0.5, 1.5])),
            "a strike is missing",
        ),
    ],
    ids=["no off", "two offs", "short", "long", "strike missed"],
)
def test_a_broken_cycle_is_refused_with_its_reason(found: list[GaitEvent], reason: str) -> None:
    cycles, refused = find_cycles(in_order(found))
    assert [c for c in cycles if c.side == "left"] == []
    assert reason in refused[0].reason


coefficient = st.floats(-10, 10)


@given(st.tuples(coefficient, coefficient, coefficient, coefficient), st.floats(1, 18))
def test_a_cubic_is_met_exactly(c: tuple[float, ...], at: float) -> None:
    frames = np.arange(20.0)
    cubic = np.polynomial.Polynomial(c)
    value = sample(cubic(frames)[:, None], np.array([at]))[0, 0]
    assert value == pytest.approx(cubic(at), abs=1e-9)  # rounding of values up to 1e5


def test_no_gap_is_bridged() -> None:
    values = np.arange(10.0)[:, None] ** 2
    values[5] = np.nan
    at = np.array([0.0, 0.5, 2.5, 3.5, 4.0, 4.001, 4.5, 5.0, 5.5, 5.999, 6.0, 6.5, 8.5, 9.0, 9.1, -0.1])
    found = sample(values, at)[:, 0]
    known = [True, True, True, True, True, False, False, False, False, False, True, True, True, True, False, False]
    np.testing.assert_array_equal(np.isfinite(found), known)
    # the square is met by the cubic; beside the gap and at the ends the straight line lies 1/4 higher
    np.testing.assert_allclose(found[[1, 2, 3, 11, 12]], [0.5, 6.25, 12.5, 42.5, 72.5])
    np.testing.assert_allclose(found[[0, 4, 10, 13]], [0, 16, 36, 81])


def test_an_angle_that_jumps_by_a_turn_goes_the_short_way() -> None:
    frames = np.arange(20.0)
    angle = 170 + 3 * frames + 0.1 * frames**2
    wrapped = (angle + 180) % 360 - 180
    at = np.linspace(1, 18, 101)
    found = sample(wrapped[:, None], at, period=360.0)[:, 0]
    turns = (found - (170 + 3 * at + 0.1 * at**2)) / 360
    np.testing.assert_allclose(turns, np.rint(turns), atol=1e-12)


@pytest.fixture
def walked(simulated: Callable[..., object]) -> tuple[object, Array, list[str]]:
    sim = simulated()
    names = [name for name in sim.truth.clinical if name.startswith("left")]  # type: ignore[attr-defined]
    return sim, np.stack([sim.truth.clinical[name] for name in names], axis=1), names  # type: ignore[attr-defined]


@pytest.mark.parametrize(("unit", "better"), [("_deg", 30.0), ("_moment_Nm_per_kg", 4.0), ("_power_W_per_kg", 4.0)])
def test_a_cycle_of_the_simulated_walk_against_its_truth(walked, unit: str, better: float) -> None:  # type: ignore[no-untyped-def]
    """Against the exact values at the same instants: far nearer than straight lines, and as a spline is."""
    sim, values, names = walked
    columns = [i for i, name in enumerate(names) if name.endswith(unit)]
    cycles, _ = find_cycles(known_walk(sim.walk).events)
    cycle = next(c for c in cycles if c.side == "left")
    found = over_cycles([cycle], values[:, columns], 100.0)[0]
    times = cycle.strike.time_s + np.linspace(0, 1, 101) * cycle.duration_s
    exact = sim.walk.at(times).clinical
    truth = np.stack([exact[names[i]] for i in columns], axis=1)
    frames = sim.walk.settings.times_s
    line = np.stack([np.interp(times, frames, values[:, i]) for i in columns], axis=1)
    spline = CubicSpline(frames, values[:, columns])(times)
    error, of_line, of_spline = (np.sqrt(((v - truth) ** 2).mean()) for v in (found, line, spline))
    assert error < of_line / better
    assert of_spline < error < 15 * of_spline
    # deg, N·m/kg, W/kg: a hundredth of what an instrumented walk is known to
    assert np.abs(found - truth).max() < {"_deg": 1e-3, "_moment_Nm_per_kg": 3e-3, "_power_W_per_kg": 1e-2}[unit]
