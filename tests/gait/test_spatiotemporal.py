"""Lengths, times and phases of strides: of the simulated walk, and of footprints drawn on the floor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gait_walks import UP, floor_under, known_walk, treadmill
from simulated_trials import walk_of

from gaitid.body.feet import FootTrack
from gaitid.gait.cycles import find_cycles
from gaitid.gait.marker_events import GaitEvent, Heading, heading
from gaitid.gait.spatiotemporal import Stride, analyse_gait, measure_strides
from gaitid.ground.belt import Floor
from gaitid.trial import Array

RATE = 100.0

FLOOR = Floor(UP, RATE, np.zeros(3))


@pytest.fixture
def walk(simulated: Callable[..., object]):  # type: ignore[no-untyped-def]
    return simulated().walk


def figures_of(known) -> tuple[Stride, ...]:  # type: ignore[no-untyped-def]
    """With the true events, so that only lengths are measured."""
    walked = heading(known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    return measure_strides(find_cycles(known.events)[0], known.feet, walked)


def of(strides: tuple[Stride, ...], name: str) -> Array:
    return np.array([s.figures[name] for s in strides])


def places(walk) -> dict[str, float]:  # type: ignore[no-untyped-def]
    """The simulated walk in figures: 1.25 m/s, strides of 1.1 s with 62 % stance, both sides half a stride apart."""
    return {
        "speed_m_per_s": 1.25,
        "cadence_steps_per_min": 120 / 1.1,
        "stride_length_m": 1.375,
        "stride_time_s": 1.1,
        "step_length_m": 0.6875,
        "step_time_s": 0.55,
        "stance_percent": 62.0,
        "swing_percent": 38.0,
        "single_support_percent": 38.0,
        "double_support_percent": 24.0,
        "initial_double_support_percent": 12.0,
        "terminal_double_support_percent": 12.0,
        "flight_percent": 0.0,
        "opposite_off_percent": 12.0,
        "opposite_strike_percent": 50.0,
    }


def test_the_simulated_walk_has_its_figures(walk) -> None:  # type: ignore[no-untyped-def]
    strides = figures_of(known_walk(walk))
    assert len(strides) == 5
    for name, value in places(walk).items():
        # m: both legs' calibrations differ by up to 2 mm at the heel; the rest to rounding of cubics between frames
        atol = 5e-3 if name == "step_length_m" else 2e-5
        np.testing.assert_allclose(of(strides, name), value, atol=atol, err_msg=name)
    heels = walk.at(np.array([s.cycle.strike.time_s for s in strides])).marker_g
    width = np.mean([s.figures["step_width_m"] for s in strides])
    # m: the lateral distance of the heels when they strike, 0.55 s apart
    assert width == pytest.approx(
        abs(np.mean(heels["LHEE"][[s.cycle.side == "left" for s in strides], 1]))
        + abs(np.mean(heels["RHEE"][[s.cycle.side == "right" for s in strides], 1])),
        abs=1e-3,
    )


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("belt", [False, True], ids=["floor", "treadmill"])
def test_figures_do_not_depend_on_way_or_floor(walk, reverse: bool, belt: bool) -> None:  # type: ignore[no-untyped-def]
    place = treadmill(1.25) if belt else (lambda points, times: points)
    strides = figures_of(known_walk(walk, place, reverse=reverse))
    straight = figures_of(known_walk(walk))
    for name in ("speed_m_per_s", "stride_length_m", "step_length_m", "step_width_m"):
        measured = np.sort(of(strides, name))
        # m, m/s: the simulated feet slip by 0.01 m/s, the belt's speed is known to that; in reverse the heel is where
        # it was at the off
        atol = 0.15 if reverse and "step" in name else 0.012
        np.testing.assert_allclose(measured, np.sort(of(straight, name))[: len(measured)], atol=atol, err_msg=name)
    assert (of(strides, "step_width_m") > 0).all()


def test_a_run_has_flight_and_single_support_only() -> None:
    """The simulated run: the true events in its phases, and the markers' near them."""
    run = walk_of("run")
    stride = run.stances[2].on_s - run.stances[0].on_s
    contact = 100 * (run.stances[2].off_s - run.stances[2].on_s) / stride
    known = known_walk(run)
    exact = figures_of(known)
    assert contact < 50
    for name, value in (("flight_percent", 100 - 2 * contact), ("single_support_percent", contact)):
        np.testing.assert_allclose(of(exact, name), value, atol=1e-6)  # %: rounding
    np.testing.assert_array_equal(of(exact, "double_support_percent"), 0.0)
    measured = analyse_gait((), {}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE)).strides
    assert len(measured) == len(exact)
    assert (of(measured, "flight_percent") > 10).all()
    np.testing.assert_allclose(of(measured, "stride_time_s"), stride, atol=1e-3)  # s: a tenth of a frame


# --- footprints ----------------------------------------------------------------------------------------------


def drawn(prints: list[tuple[str, float, float, float]], sense: float = 1.0) -> tuple[Stride, ...]:
    """Strides over footprints (side, time of strike, x, y): heels rest where they strike, offs 0.6 s later."""
    n = round((max(t for _, t, _, _ in prints) + 1) * RATE)
    feet, events = {}, []
    for side in ("left", "right"):
        own = [p for p in prints if p[0] == side]
        at = np.searchsorted([t for _, t, _, _ in own], np.arange(n) / RATE + 1e-9, side="right") - 1
        heel = np.array([[x, y, 0.0] for _, _, x, y in own])[np.maximum(at, 0)]
        feet[side] = FootTrack(heel, heel + [0.2, 0.0, 0.0])
        events += [
            GaitEvent(side, kind, t + d, "force") for _, t, _, _ in own for kind, d in (("strike", 0), ("off", 0.6))
        ]
    walk = Heading(FLOOR, np.tile([1.0, 0.0, 0.0], (n, 1)), np.full(n, sense), np.zeros(n, dtype=bool))
    cycles, _ = find_cycles(sorted(events, key=lambda e: e.time_s))
    return measure_strides(cycles, feet, walk)


def test_crossing_feet_have_a_negative_width_and_a_trailing_foot_a_negative_step() -> None:
    (left,) = drawn([("left", 0.2, 0.0, -0.04), ("right", 0.7, 0.9, 0.04), ("left", 1.2, 0.8, -0.04)])
    assert left.figures["step_width_m"] == pytest.approx(-0.08)
    assert left.figures["step_length_m"] == pytest.approx(-0.1)


def test_walking_backward_the_left_foot_is_still_on_the_left() -> None:
    # facing +x, going to −x: the left foot at +y
    (left,) = drawn([("left", 0.2, 0.0, 0.05), ("right", 0.7, -0.5, -0.05), ("left", 1.2, -1.0, 0.05)], sense=-1.0)
    assert left.figures["step_width_m"] == pytest.approx(0.1)
    np.testing.assert_allclose(left.axes_g[:2], [[-1, 0, 0], [0, 1, 0]], atol=1e-12)


def phases(**times: float) -> dict[str, float]:
    events = [
        GaitEvent("left", "strike", 0.0, "force"),
        GaitEvent("left", "strike", 1.0, "force"),
        GaitEvent("left", "off", times["off"], "force"),
        GaitEvent("right", "off", times["other_off"], "force"),
        GaitEvent("right", "strike", times["other_strike"], "force"),
    ]
    cycles, _ = find_cycles(sorted(events, key=lambda e: e.time_s))
    heel = np.zeros((200, 3))
    walk = Heading(FLOOR, np.zeros((200, 3)), np.ones(200), np.zeros(200, dtype=bool))
    (stride,) = measure_strides([c for c in cycles if c.side == "left"], {"left": FootTrack(heel, heel)}, walk)
    return {k.removesuffix("_percent"): v for k, v in stride.figures.items() if k.endswith("_percent")}


def test_phases_of_walking_add_up() -> None:
    found = phases(off=0.62, other_off=0.13, other_strike=0.51)
    expected = {"stance": 62, "swing": 38, "initial_double_support": 13, "terminal_double_support": 11}
    expected |= {"single_support": 38, "double_support": 24, "flight": 0}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value), name
