"""Belts that change their speed, and belts of two speeds: lengths are in the ground's frame."""

from __future__ import annotations

import numpy as np
import pytest
from gait_walks import RATE, UP, KnownWalk, floor_under, known_walk
from simulated_trials import walk_of

from gaitid.body.feet import FootTrack
from gaitid.gait.spatiotemporal import Gait, analyse_gait
from gaitid.ground.belt import Floor
from gaitid.trial import Array

SPEED, STRIDE_M, STRIDE_S = 1.25, 1.375, 1.100


def carried(travel_m: Array, duration: float = 6.0, noise_m: float = 0.0) -> tuple[KnownWalk, Floor, Gait]:
    """The simulated walk on a belt that has moved so far, (frames,) m, along −x, the walker with it."""
    known = known_walk(
        walk_of("walk", duration=duration), lambda x, t: x - np.outer(travel_m, [1, 0, 0]), noise_m=noise_m
    )
    floor = floor_under(known.feet, UP, RATE)
    return known, floor, analyse_gait((), {}, known.feet, known.pelvis, floor)


TIMES = np.arange(600) / RATE
TRAVELS = {
    "slows": SPEED * TIMES - 0.05 * (TIMES - 3.0) ** 2,
    "speeds up": SPEED * TIMES + 0.05 * (TIMES - 3.0) ** 2,
    "self-paced": SPEED * TIMES + 0.15 * np.sin(2 * np.pi * TIMES / 5.0),
}


@pytest.mark.parametrize("noise_m", [0.0, 0.0005])
@pytest.mark.parametrize("belt", TRAVELS)
def test_a_belt_that_changes_its_speed_is_integrated(belt: str, noise_m: float) -> None:
    """In the belt's frame nothing changes: every stride is as long as on the floor."""
    _, floor, gait = carried(TRAVELS[belt], noise_m=noise_m)
    assert [note.code for note in floor.notes] == ["treadmill", "belt_unsteady"]
    assert "integrated" in floor.notes[1].text
    assert len(gait.strides) >= 7
    for stride in gait.strides:
        assert stride.figures["stride_length_m"] == pytest.approx(STRIDE_M, abs=0.02)
        assert stride.figures["step_length_m"] == pytest.approx(STRIDE_M / 2, abs=0.015)
        assert stride.figures["speed_m_per_s"] == pytest.approx(SPEED, abs=0.02)


def test_on_two_belts_a_stride_is_by_its_own_belt_and_a_step_is_the_distance_of_the_feet() -> None:
    """Belts at 1.50 and 1.00 m/s: strides of 1.65 and 1.10 m, and steps as read off the heels at the strikes.

    Each foot's way about the pelvis is drawn out, or pressed together, along the belts.
    """
    known, _, _ = carried(SPEED * TIMES)
    for side, times in (("left", 1.2), ("right", 0.8)):
        for points in (known.feet[side].heel_g, known.feet[side].toe_g):
            points[:, 0] += (times - 1.0) * (points[:, 0] - known.pelvis[:, 0].mean())
    floor = floor_under(known.feet, UP, RATE)
    gait = analyse_gait((), {}, known.feet, known.pelvis, floor)
    assert floor.apart is not None and floor.apart.all()
    assert {stride.cycle.side for stride in gait.strides} == {"left", "right"}
    for stride in gait.strides:
        side, cycle = stride.cycle.side, stride.cycle
        other = "right" if side == "left" else "left"
        right_m = 1.65 if side == "left" else 1.10
        assert stride.figures["stride_length_m"] == pytest.approx(right_m, abs=0.03)
        at = round(cycle.next_strike.time_s * RATE)
        apart = known.feet[side].heel_g[at, 0] - known.feet[other].heel_g[at, 0]
        assert stride.figures["step_length_m"] == pytest.approx(apart, abs=0.015)
        assert stride.figures["step_width_m"] == pytest.approx(0.13, abs=0.02)


@pytest.mark.parametrize("rest", ["first", "last"])
def test_who_stands_on_a_belt_that_rests_makes_no_stride_there(rest: str) -> None:
    """The belt stands for five of eight seconds, and both feet on it; its strides are as long as on the floor."""
    known, _, _ = carried(SPEED * TIMES[:300], duration=3.0)
    held = {side: FootTrack(*(_held(p, rest) for p in (foot.heel_g, foot.toe_g))) for side, foot in known.feet.items()}
    pelvis = _held(known.pelvis, rest)
    floor = floor_under(held, UP, RATE)
    gait = analyse_gait((), {}, held, pelvis, floor)
    assert "belts_differ" not in {note.code for note in floor.notes}
    assert gait.strides
    for stride in gait.strides:
        assert stride.figures["stride_time_s"] == pytest.approx(STRIDE_S, abs=0.05)
        assert stride.figures["stride_length_m"] == pytest.approx(STRIDE_M, abs=0.07)


def _held(points_g: Array, rest: str) -> Array:
    """With its first or its last place held for five seconds."""
    held = np.repeat(points_g[[0 if rest == "first" else -1]], 500, axis=0)
    return np.concatenate([held, points_g] if rest == "first" else [points_g, held])


def scaled(known: KnownWalk, times: dict[str, Array | float]) -> KnownWalk:
    """Each foot's way about the pelvis drawn out, or pressed together, along the belts so many times."""
    for side, of in times.items():
        for points in (known.feet[side].heel_g, known.feet[side].toe_g):
            points[:, 0] += (of - 1.0) * (points[:, 0] - known.pelvis[:, 0].mean())
    return known


def measured(known: KnownWalk) -> tuple[Floor, Gait]:
    floor = floor_under(known.feet, UP, RATE)
    return floor, analyse_gait((), {}, known.feet, known.pelvis, floor)


def test_belts_that_part_for_some_time_are_two_then_alone() -> None:
    """The protocol of adaptation: tied at 1.25 m/s, then 0.75 and 1.50 m/s for a third of it, and tied again."""
    known, _, _ = carried(SPEED * np.arange(1800) / RATE, duration=18.0)
    t = np.arange(1800) / RATE
    share = np.clip(t - 6.0, 0, 1) * np.clip(12.0 - t, 0, 1)
    floor, gait = measured(scaled(known, {"left": 1 + (0.6 - 1) * share, "right": 1 + (1.2 - 1) * share}))
    assert "for part of the time" in floor.notes[1].text
    for stride in gait.strides:
        start, end = stride.cycle.strike.time_s, stride.cycle.next_strike.time_s
        if start > 7.2 and end < 10.8:
            right_m = {"left": 0.825, "right": 1.650}[stride.cycle.side]
            assert stride.figures["stride_length_m"] == pytest.approx(right_m, abs=0.02)
        elif end < 5.5 or start > 13.0:
            assert stride.figures["stride_length_m"] == pytest.approx(STRIDE_M, abs=0.02)
            assert stride.figures["step_length_m"] == pytest.approx(STRIDE_M / 2, abs=0.015)
