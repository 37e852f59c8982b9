"""Standing and flying from foot markers whose motion is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from gait_walks import floor_under

from gaitid.body.feet import FootTrack
from gaitid.ground.belt import Floor, slow_feet, velocity
from gaitid.ground.stance import AFTER_OFF, BEFORE_STRIKE, Stance, detect_stance, find_landings, with_events
from gaitid.trial import Event

RATE = 100.0
UP = np.array([0.0, 0.0, 1.0])
FLOOR = Floor(UP, RATE, np.zeros(3))


def steps(stances: list[tuple[int, int]], n: int, speed: float = 4.0) -> FootTrack:
    """A foot that rests in these frames (both included) and else flies at `speed`, m/s, between smooth ends."""
    velocity = np.full(n, speed)
    for first, last in stances:
        velocity[first : last + 1] = 0.0
    x = np.concatenate([[0.0], np.cumsum((velocity[1:] + velocity[:-1]) / 2)]) / RATE
    heel = np.stack([x, np.full(n, 0.1), np.full(n, 0.04)], axis=1)
    return FootTrack(heel, heel + [0.2, 0.0, 0.0])


def walked(n: int) -> dict[str, FootTrack]:
    """Two feet that step in turn, and are lifted while they fly."""
    stances = {"left": [(50, 110), (160, 220)], "right": [(0, 60), (105, 165), (215, 270)]}
    feet = {}
    for side, of_foot in stances.items():
        foot = steps(of_foot, n)
        up = np.full((n, 1), 0.1) * UP
        for first, last in of_foot:
            up[first : last + 1] = 0.0
        feet[side] = FootTrack(foot.heel_g + up, foot.toe_g + up)
    return feet


def test_standing_and_flying_of_a_plain_foot() -> None:
    stance = detect_stance(steps([(50, 110), (160, 220)], 280), FLOOR)
    standing = np.flatnonzero(stance.standing)
    # Central differences see half the speed in the frames beside a change: one frame to and fro.
    np.testing.assert_allclose([standing[0], standing[-1]], [50, 220], atol=1)
    flying = np.flatnonzero(stance.airborne)
    assert not (stance.standing & stance.airborne).any()
    assert flying[0] == 0
    between = flying[(flying > 110) & (flying < 160)]
    # frames near a change are neither: so long after the foot left, so long before it strikes
    after, before = round(AFTER_OFF * RATE), round(BEFORE_STRIKE * RATE)
    assert after >= 2
    assert before >= 1
    np.testing.assert_allclose([between[0], between[-1]], [111 + after, 159 - before], atol=1)
    assert stance.method == "foot speed"


def sharpened(foot: FootTrack, events: Sequence[Event]) -> Stance:
    """Of a left foot."""
    return with_events({"left": detect_stance(foot, FLOOR)}, slow_feet([foot], UP, RATE), RATE, events)["left"]


def test_events_that_agree_with_the_markers_sharpen_the_ends_of_flight() -> None:
    foot = steps([(50, 110), (160, 220)], 280)
    without = detect_stance(foot, FLOOR).airborne
    events = (Event("Foot Off", "left", 1.115), Event("Foot Strike", "left", 1.595))
    stance = sharpened(foot, events)
    between = np.flatnonzero(stance.airborne[111:160]) + 111
    # 2 frames after the frame in which the foot left (111.5), 1 before that in which it struck (159.5)
    assert (between[0], between[-1]) == (113, 158)
    assert stance.method == "foot speed and events of the file"
    by_label = sharpened(foot, (Event("LTO", "general", 1.115), Event("Left Heel Strike", "general", 1.595)))
    np.testing.assert_array_equal(by_label.airborne, stance.airborne)
    wrong = (Event("Foot Off", "left", 1.4), Event("Foot Off", "right", 1.115), Event("Toe", "left", 1.115))
    np.testing.assert_array_equal(sharpened(foot, wrong).airborne, without)


def landing(first: int, sinks: float, n: int = 280) -> FootTrack:
    """A foot that rests before frame 110 and from `first` on, and sinks fastest at `sinks`, by 6 cm in all."""
    foot = steps([(50, 110), (first, n - 1)], n)
    height = 0.06 / (1 + np.exp((np.arange(n) - sinks) / 3))[:, None] * UP
    return FootTrack(foot.heel_g + height, foot.toe_g + height)


@pytest.mark.parametrize(
    ("strike", "last"),
    [
        (1.64, 161),  # after the foot sank fastest, at 1.624: until 0.01 s before that
        (1.62, 161),  # before it: until 0.01 s before the event
        (1.615, 160),
        (1.66, 159),  # 0.035 s later than the markers say, as somebody put it: until 0.025 s before these
        (1.68, 159),
        (1.70, 158),  # too far from the change of speed
        (None, 158),
    ],
)
def test_a_foot_flies_until_the_earlier_of_event_and_landing(strike: float | None, last: int) -> None:
    """Its slower marker stops at frame 161; events that were put beside plates lie up to 0.07 s late."""
    events = () if strike is None else (Event("Foot Strike", "left", strike),)
    foot = landing(160, 162.4)
    stance = sharpened(foot, events)
    rise = velocity(slow_feet([foot], UP, RATE).height, RATE)[:, 0]
    landings = find_landings(rise, stance, RATE)
    assert landings == {161: pytest.approx(162.4, abs=0.3)}  # frames; a low-pass of 7 Hz
    assert np.flatnonzero(stance.airborne).max() == last


@pytest.mark.parametrize("options", [{}, {"rate_hz": 200.0, "analog_rate_hz": 1000.0}, {"turn_deg": 90.0}])
def test_on_the_simulated_walk_nothing_flies_while_it_is_loaded(
    simulated: Callable[..., object], options: dict[str, float]
) -> None:
    sim = simulated(**options)
    trial, rate = sim.trial, sim.trial.rate_hz
    for side, letter in (("left", "L"), ("right", "R")):
        foot = FootTrack(trial.marker(f"{letter}HEE"), trial.marker(f"{letter}TOE"))
        stance = detect_stance(foot, Floor(UP, rate, np.zeros(3)))
        load = sim.truth.load[side]
        pressing = load.force_g[:, 2] > 20  # N
        assert not (stance.airborne & pressing).any()
        loaded = load.stance >= 0
        # Swing lasts 0.4 s of each 1.1 s; margins of 40 ms on both sides of it, at rates of speed, cost a third.
        assert stance.airborne.sum() > 0.4 * (~loaded).sum()
        # standing is never more than 60 ms beyond the true contact, away from the ends
        edge = round(0.06 * rate)
        near = np.convolve(loaded, np.ones(2 * edge + 1), mode="same") > 0
        assert not (stance.standing & ~near)[edge:-edge].any()


def test_a_belt_is_the_ground_and_a_walkway_stands() -> None:
    feet = walked(280)
    np.testing.assert_allclose(floor_under(feet, UP, RATE).velocity_g, 0.0)
    # the same steps, seen by somebody who walks along at the mean speed of both feet
    v = np.mean([(foot.heel_g[-1] - foot.heel_g[0])[0] / (279 / RATE) for foot in feet.values()])
    way = np.outer(np.arange(280) / RATE, [v, 0.0, 0.0])
    carried = {side: FootTrack(foot.heel_g - way, foot.toe_g - way) for side, foot in feet.items()}
    belt = floor_under(carried, UP, RATE)
    # m/s. The low-pass leaves traces of these steps' sudden starts in the stances.
    np.testing.assert_allclose(belt.velocity_g, [-v, 0.0, 0.0], atol=1e-3)
    assert [note.code for note in belt.notes] == ["treadmill"]
    for side, foot in feet.items():
        still, moved = detect_stance(foot, FLOOR), detect_stance(carried[side], belt)
        assert (still.standing != moved.standing).mean() < 0.02
    unseen = FootTrack(np.full((280, 3), np.nan), np.full((280, 3), np.nan))
    np.testing.assert_allclose(floor_under({"left": unseen}, UP, RATE).velocity_g, 0.0)


def test_a_foot_without_markers_is_unknown() -> None:
    nothing = np.full((30, 3), np.nan)
    stance = detect_stance(FootTrack(nothing, nothing), FLOOR)
    assert not stance.standing.any()
    assert not stance.airborne.any()
    assert stance.method == "no foot markers"
