"""Lengths, times and phases of strides: of the simulated walk, and of footprints drawn on the floor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gait_walks import UP, bent, known_walk, treadmill
from hypothesis import given
from hypothesis import strategies as st
from simulated_trials import walk_of

from gaitid.body.feet import FootTrack
from gaitid.gait import FIGURES
from gaitid.gait.cycles import find_cycles
from gaitid.gait.marker_events import GaitEvent, Heading, heading
from gaitid.gait.spatiotemporal import Stride, analyse_gait, measure_strides, summary
from gaitid.ground.belt import Floor, floor_under
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


def test_with_events_of_the_plates_the_times_are_the_same(walk) -> None:  # type: ignore[no-untyped-def]
    """A 20 N threshold comes later than the first touch and goes before the last: only the phases feel it."""
    known = known_walk(walk)
    strides = analyse_gait((), known.loads, known.feet, known.pelvis, floor_under(known.feet, UP, RATE)).strides
    assert {e.source for s in strides for e in (s.cycle.strike, s.cycle.off, s.cycle.next_strike)} == {"force"}
    # s, m, m/s: every strike is late by the same time, but for the line between two frames
    for name, atol in (("stride_time_s", 1e-3), ("stride_length_m", 2e-3), ("speed_m_per_s", 2e-3)):
        np.testing.assert_allclose(of(strides, name), places(walk)[name], atol=atol)
    assert (of(strides, "stance_percent") < 62).all()
    assert (of(strides, "stance_percent") > 57).all()


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


def test_on_a_circle_the_inner_foot_walks_less(walk) -> None:  # type: ignore[no-untyped-def]
    """A stride turns by φ = 1.375 m / R: the heels' chords are 2 (R ∓ w/2) sin(φ/2), the way to the left inside."""
    radius = 4.0
    strides = figures_of(known_walk(walk, bent(radius)))
    straight = figures_of(known_walk(walk))
    heel = np.mean(of(straight, "step_width_m")) / 2
    for side, inner in (("left", heel), ("right", -heel)):
        length = [s.figures["stride_length_m"] for s in strides if s.cycle.side == side]
        # m: heels are not laid exactly beside the line
        np.testing.assert_allclose(length, 2 * (radius - inner) * np.sin(1.375 / radius / 2), atol=5e-3)
    # the other heel lies beside the chord by the arc's height too: outside for the left cycle, inside for the right
    sagitta = radius * (1 - np.cos(1.375 / radius / 2))
    for side, sign in (("left", 1), ("right", -1)):
        width = [s.figures["step_width_m"] for s in strides if s.cycle.side == side]
        np.testing.assert_allclose(width, 2 * heel + sign * sagitta, atol=5e-3)


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


def test_stopping_makes_no_cycle() -> None:
    known = known_walk(walk_of("stop"))
    gait = analyse_gait((), {}, known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    assert gait.strides == ()
    assert {r.reason for r in gait.refused} == {"the body stands still in it"}


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


def test_footprints_on_a_line() -> None:
    (left,) = drawn([("left", 0.2, 0.0, 0.05), ("right", 0.7, 0.5, -0.05), ("left", 1.2, 1.2, 0.05)])
    assert left.figures["stride_length_m"] == pytest.approx(1.2)
    assert left.figures["step_length_m"] == pytest.approx(0.7)  # the step that the left foot ends
    assert left.figures["step_width_m"] == pytest.approx(0.1)
    assert left.figures["step_time_s"] == pytest.approx(0.5)
    np.testing.assert_allclose(left.axes_g, np.eye(3), atol=1e-12)


def test_crossing_feet_have_a_negative_width_and_a_trailing_foot_a_negative_step() -> None:
    (left,) = drawn([("left", 0.2, 0.0, -0.04), ("right", 0.7, 0.9, 0.04), ("left", 1.2, 0.8, -0.04)])
    assert left.figures["step_width_m"] == pytest.approx(-0.08)
    assert left.figures["step_length_m"] == pytest.approx(-0.1)


def test_walking_backward_the_left_foot_is_still_on_the_left() -> None:
    # facing +x, going to −x: the left foot at +y
    (left,) = drawn([("left", 0.2, 0.0, 0.05), ("right", 0.7, -0.5, -0.05), ("left", 1.2, -1.0, 0.05)], sense=-1.0)
    assert left.figures["step_width_m"] == pytest.approx(0.1)
    np.testing.assert_allclose(left.axes_g[:2], [[-1, 0, 0], [0, 1, 0]], atol=1e-12)


@given(st.floats(-np.pi, np.pi))
def test_the_laboratorys_axes_do_not_matter(yaw: float) -> None:
    c, s = np.cos(yaw), np.sin(yaw)
    prints = [("left", 0.2, 0.0, 0.06), ("right", 0.7, 0.6, -0.05), ("left", 1.2, 1.3, 0.02)]
    (straight,) = drawn(prints)
    (turned,) = drawn([(side, t, c * x - s * y, s * x + c * y) for side, t, x, y in prints])
    for name in FIGURES:
        assert turned.figures[name] == pytest.approx(straight.figures[name], abs=1e-9, nan_ok=True), name  # rounding


def test_without_the_other_foot_its_figures_are_unknown() -> None:
    events = [GaitEvent("left", k, t, "force") for k, t in (("strike", 0.2), ("off", 0.8), ("strike", 1.2))]
    heel = np.zeros((200, 3))
    heel[100:, 0] = 1.0
    walk = Heading(FLOOR, np.zeros((200, 3)), np.ones(200), np.zeros(200, dtype=bool))
    (left,) = measure_strides(find_cycles(events)[0], {"left": FootTrack(heel, heel)}, walk)
    known = {name for name, value in left.figures.items() if np.isfinite(value)}
    assert known == {
        "speed_m_per_s",
        "cadence_steps_per_min",
        "stride_length_m",
        "stride_time_s",
        "stance_percent",
        "swing_percent",
    }


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


def test_phases_of_running_have_flight_and_no_double_support() -> None:
    # the left foot stands to 35 %, the right one from 50 to 85 %: in the air 15 + 15 %
    found = phases(off=0.35, other_strike=0.5, other_off=0.85)
    assert found["flight"] == pytest.approx(30)
    assert found["single_support"] == pytest.approx(35)
    assert found["double_support"] == 0


def test_standing_strides_have_no_direction_and_no_width() -> None:
    heel = np.zeros((200, 3))
    events = [GaitEvent("left", k, t, "force") for k, t in (("strike", 0.2), ("off", 0.8), ("strike", 1.2))]
    walk = Heading(FLOOR, np.zeros((200, 3)), np.zeros(200), np.ones(200, dtype=bool))
    (left,) = measure_strides(find_cycles(events)[0], {"left": FootTrack(heel, heel)}, walk)
    assert left.figures["stride_length_m"] == 0
    assert np.isnan(left.figures["step_width_m"])
    assert np.isnan(left.axes_g[0]).all()


def test_mean_and_deviation() -> None:
    strides = drawn(
        [
            ("left", 0.2, 0.0, 0.05),
            ("right", 0.7, 0.5, -0.05),
            ("left", 1.2, 1.0, 0.05),
            ("right", 1.7, 1.6, -0.05),
            ("left", 2.2, 2.3, 0.05),
        ]
    )
    left, both = summary(strides, "left"), summary(strides)
    assert left["n"]["stride_length_m"] == 2
    assert left["mean"]["stride_length_m"] == pytest.approx(1.15)
    assert left["sd"]["stride_length_m"] == pytest.approx(np.std([1.0, 1.3], ddof=1))
    assert both["n"]["stride_length_m"] == 3
    assert both["mean"]["stride_length_m"] == pytest.approx((1.0 + 1.3 + 1.1) / 3)
    right = summary(strides, "right")
    assert np.isnan(right["sd"]["stride_length_m"])  # one value has no deviation
    assert np.isnan(summary((), "left")["mean"]["speed_m_per_s"])


def test_strides_measured_together_are_those_measured_one_by_one(walk) -> None:  # type: ignore[no-untyped-def]
    """With other feet that never strike, and in both directions of walking."""
    known = known_walk(walk)
    cycles = [*find_cycles(known.events)[0]]
    cycles[1] = cycles[1]._replace(opposite_strike=None)
    cycles[2] = cycles[2]._replace(opposite_off=None)
    forward = heading(known.feet, known.pelvis, floor_under(known.feet, UP, RATE))
    sense = np.where(np.arange(len(forward.sense)) < len(forward.sense) / 2, 1.0, -1.0)
    walked = Heading(forward.floor, forward.direction_g, sense, forward.stands)
    together = measure_strides(cycles, known.feet, walked)
    alone = [one for cycle in cycles for one in measure_strides([cycle], known.feet, walked)]
    assert [s.cycle for s in together] == cycles
    for one, same in zip(together, alone, strict=True):
        assert tuple(one.figures) == FIGURES
        np.testing.assert_array_equal([*one.figures.values()], [*same.figures.values()])
        np.testing.assert_array_equal(one.axes_g, same.axes_g)
        facing = -1.0 if sense[round(one.cycle.strike.time_s * RATE) :][:110].sum() < 0 else 1.0
        outward = np.cross(UP, one.axes_g[0]) * facing * (1.0 if one.cycle.side == "left" else -1.0)
        np.testing.assert_allclose(one.axes_g[1:], [outward, UP], atol=1e-12)
    assert np.isnan(together[1].figures["step_length_m"])
    assert np.isnan(together[2].figures["double_support_percent"])
