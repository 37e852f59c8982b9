"""Strikes and offs from markers: none missed, none made up, whichever way and wherever somebody walks."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from gait_walks import RATE, SOFT, UP, assert_same, bent, events_of, kinematic, known_walk, treadmill
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_trials import walk_of

from gaitid.body.feet import FootTrack
from gaitid.gait.cycles import find_cycles
from gaitid.gait.events import Steps, find_events
from gaitid.gait.marker_events import KINDS, GaitEvent
from gaitid.ground.belt import Floor, floor_under
from gaitid.notes import texts
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.trial import Array

FLOOR = Floor(UP, RATE, np.zeros(3))


@pytest.fixture
def walk(simulated: Callable[..., object]):  # type: ignore[no-untyped-def]
    return simulated().walk


@pytest.mark.parametrize("method", ["zeni", "oconnor", "kinematics"])
def test_every_event_of_the_simulated_walk_is_found_once(walk, method: str) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    found = kinematic(known, method)
    assert len(known.events) == 14
    assert_same(found, known.events, SOFT)
    for kind in KINDS:
        late = [f.time_s - k.time_s for f, k in zip(found, known.events, strict=True) if f.kind == kind]
        assert np.std(late) < 0.001  # s: every step is the same; a tenth of a frame


@pytest.mark.parametrize(
    "options",
    [{"turn_deg": 30.0}, {"turn_deg": 90.0}, {"turn_deg": 180.0}, {"mirror": True}, {"rate_hz": 200.0}],
    ids=str,
)
def test_events_do_not_depend_on_direction_side_or_rate(walk, simulated, options) -> None:  # type: ignore[no-untyped-def]
    plain_walk = kinematic(known_walk(walk))
    other = kinematic(known_walk(simulated(**options).walk))
    swap = {"left": "right", "right": "left"} if options.get("mirror") else {"left": "left", "right": "right"}
    expected = [e._replace(side=swap[e.side]) for e in plain_walk]
    # s: turned, the sums are others; a finer rate has another parabola at the extreme
    assert_same(other, expected, 1e-3 if "rate_hz" in options else 1e-6)


def test_a_walk_in_reverse_is_one_backward(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk, reverse=True)
    found = events_of(known)
    assert (found.heading.sense == -1).all()
    assert_same(list(found.by_method["kinematics"]), known.events, SOFT)
    forward = kinematic(known_walk(walk))[::-1]
    last = walk.settings.times_s[-1]
    assert [e.side for e in found.used] == [e.side for e in forward]
    # s: heel and toe change places, so that each time is the mirror image but for the filter's two ends
    np.testing.assert_allclose([e.time_s for e in found.used], [last - e.time_s for e in forward], atol=1e-3)


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "backward"])
def test_a_treadmill_changes_nothing_but_is_named(walk, reverse: bool) -> None:  # type: ignore[no-untyped-def]
    belt = events_of(known_walk(walk, treadmill(1.25), reverse=reverse))
    floor = events_of(known_walk(walk, reverse=reverse))
    assert_same(list(belt.used), list(floor.used), 1e-3)  # s: the belt's speed is known to 1 %
    # m/s: a flat foot of the simulation slips by up to 0.01 m/s
    np.testing.assert_allclose(belt.heading.floor.velocity_g, [1.25 if reverse else -1.25, 0, 0], atol=0.01)
    assert "treadmill" in belt.heading.floor.notes[0].text
    assert not floor.heading.floor.notes
    np.testing.assert_array_equal(floor.heading.floor.velocity_g, 0.0)


def test_belts_of_two_speeds_are_named(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk, treadmill(1.25))
    drift = np.outer(walk.settings.times_s, [0.2, 0.0, 0.0])
    left = FootTrack(known.feet["left"].heel_g - drift, known.feet["left"].toe_g - drift)
    notes = floor_under({**known.feet, "left": left}, UP, RATE).notes
    assert [note.code for note in notes] == ["treadmill", "belts_differ"]
    # m/s: 1.45 and 1.25; a flat foot of the simulation slips by up to 0.01 m/s, and the words have two digits
    speeds = [float(speed) for text in texts(notes) for speed in re.findall(r"([\d.]+) m/s", text)]
    np.testing.assert_allclose(speeds, [1.35, 1.45, 1.25], atol=0.02)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_in_every_scenario_no_step_is_missed_and_none_made_up(scenario: str) -> None:
    known = known_walk(walk_of(scenario))
    found = events_of(known).used
    last = (len(known.pelvis) - 1) / known.rate_hz
    for event in known.events:
        if 0.1 < event.time_s < last - 0.1:  # s: what is cut by the trial's ends shows no turn
            assert Steps(found).nearest(event, SOFT + 0.005) is not None, event
    for event in found:
        assert Steps(known.events).nearest(event, SOFT + 0.005) is not None, event


@pytest.mark.parametrize("radius", [1.0, 2.0])
def test_in_a_turn_the_direction_is_that_of_each_step(walk, radius: float) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk, bent(radius))
    # 4.9 m on a radius of 1 m is three quarters of a circle
    assert_same(kinematic(known), known.events, SOFT)


def test_noise_of_a_millimetre_moves_events_by_less_than_a_frame(walk) -> None:  # type: ignore[no-untyped-def]
    clean, noisy = (kinematic(known_walk(walk, noise_m=n)) for n in (0.0, 0.001))
    assert_same(noisy, clean, 1 / RATE)


def test_who_stands_or_sways_makes_no_event(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    still = {
        side: FootTrack(*(np.repeat(p[200:201], 400, axis=0) for p in (foot.heel_g, foot.toe_g)))
        for side, foot in known.feet.items()
    }
    sway = known.pelvis[200] + np.outer(0.03 * np.sin(np.arange(400) / RATE * 2 * np.pi * 0.3), [1.0, 0.0, 0.0])
    assert find_events((), {}, still, sway, floor_under(still, UP, RATE)).used == ()


@pytest.mark.parametrize("how", ["stands first", "stops", "then backward", "backward first"])
def test_standing_stopping_and_turning_back_neither_hide_nor_make_events(walk, how: str) -> None:  # type: ignore[no-untyped-def]
    known, back = known_walk(walk), known_walk(walk, reverse=True)

    def joined(points: Array) -> Array:
        wait = 150
        parts = {
            "stands first": (np.repeat(points[:1], wait, axis=0), points),
            "stops": (points, np.repeat(points[-1:], wait, axis=0)),
            "then backward": (points, points[::-1]),
            "backward first": (points[::-1], points),
        }
        return np.concatenate(parts[how])

    def later(events: list[GaitEvent], by_s: float) -> list[GaitEvent]:
        return [e._replace(time_s=e.time_s + by_s) for e in events]

    expected = {
        "stands first": later(known.events, 1.5),
        "stops": known.events,
        "then backward": known.events + later(back.events, 4.0),
        "backward first": back.events + later(known.events, 4.0),
    }[how]
    feet = {side: FootTrack(joined(f.heel_g), joined(f.toe_g)) for side, f in known.feet.items()}
    found = find_events((), {}, feet, joined(known.pelvis), floor_under(feet, UP, RATE))
    assert_same(list(found.used), expected, SOFT)
    _, refused = find_cycles(found.used, found.heading)
    turned = ["the walk changes between forward and backward in it"] * 2  # one of each foot
    assert [r.reason for r in refused] == (turned if "backward" in how else [])


def test_no_event_is_made_up_in_a_gap(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    strike = next(e for e in known.events if e.side == "left" and e.kind == "strike" and e.time_s > 1)
    hidden = known.feet["left"].heel_g.copy()
    gap = slice(round(strike.time_s * RATE) - 15, round(strike.time_s * RATE) + 15)
    hidden[gap] = np.nan
    feet = {**known.feet, "left": FootTrack(hidden, known.feet["left"].toe_g)}
    found = find_events((), {}, feet, known.pelvis, floor_under(feet, UP, RATE)).used
    assert not [e for e in found if e.side == "left" and gap.start <= e.time_s * RATE < gap.stop]
    whole = events_of(known).used
    right = [e for e in found if e.side == "right"]
    assert_same(right, [e for e in whole if e.side == "right"], 0.005)  # s: the facing is of one foot in the gap
    assert len(found) >= len(whole) - 2


def test_zeni_on_a_foot_in_closed_form() -> None:
    """A foot rests for 60 % of the stride and swings with the speed (D/T)(1 − cos 2πs), s from 0 to 1.

    It is farthest before and behind a pelvis at constant speed v where that equals v: cos 2πs = 1 − v T/D.
    """
    stride, swing, speed = 1.1, 0.44, 1.2
    length = speed * stride
    t = np.arange(600) / RATE
    k, part = np.divmod(t, stride)
    s = np.clip((part - (stride - swing)) / swing, 0, 1)
    x = length * (k + s - np.sin(2 * np.pi * s) / (2 * np.pi))
    height = 0.05 + 0.1 * np.sin(np.pi * s) ** 2
    feet = {"left": FootTrack(*(np.stack([x + a, 0 * t, height], axis=1) for a in (0.0, 0.2)))}
    pelvis = np.stack([speed * t, 0 * t, 1 + 0 * t], axis=1)
    share = np.arccos(1 - speed * swing / length) / (2 * np.pi)
    found = find_events((), {}, feet, pelvis, floor_under(feet, UP, RATE)).by_method["zeni"]
    for kind, phase in (("off", share), ("strike", 1 - share)):
        expected = np.arange(5) * stride + stride - swing + phase * swing
        measured = [e.time_s for e in found if e.kind == kind]
        # s: a 7 Hz low-pass rounds the corner between rest and swing, by about a fifth of its period at most
        np.testing.assert_allclose(measured, expected, atol=0.015)


@settings(max_examples=10, deadline=None)
@given(yaw=st.floats(-np.pi, np.pi), x=st.floats(-50, 50), y=st.floats(-50, 50))
def test_turning_and_shifting_the_laboratory_changes_no_event(yaw: float, x: float, y: float) -> None:
    one = walk_of(duration=2.5)
    turn = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    moved = known_walk(one, lambda points, _: points @ turn + [x, y, 0.0])
    assert_same(kinematic(moved), kinematic(known_walk(one)), 1e-6)  # s: rounding


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_a_trial_of_a_few_frames_has_no_events_and_is_no_error(n: int) -> None:
    points = np.zeros((n, 3))
    assert find_events((), {}, {"left": FootTrack(points, points + 0.1)}, points, FLOOR).used == ()


def test_without_markers_there_is_nothing() -> None:
    nothing = np.full((50, 3), np.nan)
    found = find_events((), {}, {"left": FootTrack(nothing, nothing)}, nothing, FLOOR)
    assert found.used == ()
    assert (found.heading.sense == 0).all()
