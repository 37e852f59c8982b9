"""Strikes and offs from markers: none missed, none made up, whichever way and wherever somebody walks."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from gait_walks import RATE, SOFT, UP, assert_same, events_of, floor_under, kinematic, known_walk, treadmill
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_trials import walk_of

from gaitid.body.feet import FootTrack
from gaitid.gait.events import Steps, find_events
from gaitid.gait.marker_events import KINDS
from gaitid.notes import texts
from gaitid.simulate.scenarios import SCENARIOS


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


def test_who_stands_or_sways_makes_no_event(walk) -> None:  # type: ignore[no-untyped-def]
    known = known_walk(walk)
    still = {
        side: FootTrack(*(np.repeat(p[200:201], 400, axis=0) for p in (foot.heel_g, foot.toe_g)))
        for side, foot in known.feet.items()
    }
    sway = known.pelvis[200] + np.outer(0.03 * np.sin(np.arange(400) / RATE * 2 * np.pi * 0.3), [1.0, 0.0, 0.0])
    assert find_events((), {}, still, sway, floor_under(still, UP, RATE)).used == ()


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


@settings(max_examples=10, deadline=None)
@given(yaw=st.floats(-np.pi, np.pi), x=st.floats(-50, 50), y=st.floats(-50, 50))
def test_turning_and_shifting_the_laboratory_changes_no_event(yaw: float, x: float, y: float) -> None:
    one = walk_of(duration=2.5)
    turn = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    moved = known_walk(one, lambda points, _: points @ turn + [x, y, 0.0])
    assert_same(kinematic(moved), kinematic(known_walk(one)), 1e-6)  # s: rounding
