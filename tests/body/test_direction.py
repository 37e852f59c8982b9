"""The direction of a walk that turns: along its path, whatever the body does beside it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body import direction
from gaitid.body.direction import TURN_DEG, local_directions
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.read import read_trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
UP = np.array([0.0, 0.0, 1.0])
RATE = 100.0
# m and strides a second: how far a pelvis sways to each side, and how often.
SWAY_M, STRIDES_PER_S = 0.025, 0.9


def walked(heading: np.ndarray, speed: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    """The pelvis of a walk with this heading, rad a frame, which sways and bobs; and where it faces."""
    forward = np.stack([np.cos(heading), np.sin(heading), np.zeros(len(heading))], axis=1)
    aside = np.cross(UP, forward)
    phase = 2 * np.pi * STRIDES_PER_S * np.arange(len(heading)) / RATE
    track = np.cumsum(forward, axis=0) * speed / RATE + SWAY_M * np.sin(phase)[:, None] * aside
    track[:, 2] = 0.9 + 0.02 * np.sin(2 * phase)
    turned = heading + np.radians(6) * np.sin(phase)  # the pelvis turns to and fro under way
    return track, np.stack([np.cos(turned), np.sin(turned), np.zeros(len(heading))], axis=1)


def headings(found: tuple[np.ndarray, float] | None) -> np.ndarray:
    assert found is not None
    return np.unwrap(np.arctan2(found[0][:, 1], found[0][:, 0]))


@pytest.mark.parametrize("speed", [0.4, 0.8, 1.6])
@pytest.mark.parametrize("curve_deg", [0.0, 8.0])
def test_a_straight_walk_keeps_its_one_direction(speed: float, curve_deg: float) -> None:
    track, facing = walked(np.radians(np.linspace(0, curve_deg, 600)), speed)
    assert local_directions(track, facing, UP) is None


@pytest.mark.parametrize("radius", [1.0, 2.0])
@pytest.mark.parametrize("start_deg", [0.0, 170.0])
def test_a_circle_is_followed(radius: float, start_deg: float) -> None:
    """Through ±180° too; the sway of 25 mm turns a chord of 1.2 m by some degrees."""
    heading = np.radians(start_deg) + np.arange(500) * 1.2 / RATE / radius
    track, facing = walked(heading)
    found = local_directions(track, facing, UP)
    error = np.degrees(headings(found) - heading)
    error -= 360 * np.round(error.mean() / 360)
    # at the ends it is that of the last 0.6 m, and so of the place 0.3 m before
    assert np.abs(error).max() < np.degrees(0.3 / radius) + 6
    assert np.abs(error[60:-60]).max() < 4
    np.testing.assert_allclose(np.linalg.norm(found[0], axis=1), 1)  # type: ignore[index]
    np.testing.assert_allclose(found[0][:, 2], 0, atol=1e-15)  # type: ignore[index]


def test_who_walks_backward_has_his_front_in_front() -> None:
    heading = np.arange(500) * 1.2 / RATE
    track, facing = walked(heading)
    back = headings(local_directions(track, -facing, UP))
    forth = headings(local_directions(track, facing, UP))
    np.testing.assert_allclose(np.abs(np.angle(np.exp(1j * (back - forth)))), np.pi, atol=1e-9)


def test_who_walks_there_and_back_turns_by_half_a_turn() -> None:
    """The whole displacement is next to nothing, and says nothing."""
    heading = np.pi / (1 + np.exp(-(np.arange(800) - 400) / 20))
    track, facing = walked(heading)
    found = headings(local_directions(track, facing, UP))
    assert np.degrees(np.abs(np.angle(np.exp(1j * (found - heading))))[60:320]).max() < 8
    assert np.degrees(np.abs(np.angle(np.exp(1j * (found - heading))))[480:740]).max() < 8


@pytest.mark.parametrize("speed", [0.0, 0.02])
def test_who_stays_in_place_goes_nowhere(speed: float) -> None:
    track, facing = walked(np.zeros(2000), speed)
    assert local_directions(track, facing, UP) is None


@pytest.mark.parametrize("seen", [0, 1, 5])
def test_a_body_that_is_hardly_seen(seen: int) -> None:
    track = np.full((50, 3), np.nan)
    track[:seen] = np.arange(seen)[:, None]
    assert local_directions(track, np.full((50, 3), np.nan), UP) is None


def analysed(name: str, **settings: object) -> Result:
    return analyse(read_trial(SHARED / f"{name}.c3d"), load_model("pig", settings), SubjectFile())


@recorded
def test_a_turn_has_plausible_angles_and_a_straight_walk_one_direction() -> None:
    """By one direction this child's feet pointed from -72 to +67 degrees, and her pelvis leaned by up to 17."""
    turn = analysed("children/HC030A/turn")
    assert "the walk turns by" in turn.conventions["progression"]
    assert turn.body.R_gp.shape == (turn.trial.n_frames, 3, 3)
    for stride in turn.gait.strides:
        cycle, rate = stride.cycle, turn.trial.rate_hz
        leg = turn.sides[cycle.side]
        middle = slice(*(round((cycle.strike.time_s + share * cycle.duration_s) * rate) for share in (0.1, 0.3)))
        frames = slice(round(cycle.strike.time_s * rate), round(cycle.next_strike.time_s * rate))
        assert -45 < np.nanmean(leg.angles["foot_progression"]["internal_rotation"][middle]) < 5
        assert abs(np.nanmean(leg.angles["pelvis"]["upward_obliquity"][frames])) < 5
        assert abs(np.nanmean(leg.angles["pelvis"]["internal_rotation"][frames])) < 10
    straight = analysed("children/HC030A/walk")
    assert straight.body.R_gp.shape == (3, 3)
    assert "displacement" in straight.conventions["progression"]
    assert TURN_DEG == 20


@pytest.mark.parametrize(
    ("scenario", "words"), [("ramp", "goes up by 6°"), ("walk", ""), ("treadmill", ""), ("turn", "")]
)
def test_a_walk_up_a_ramp_is_said(scenario: str, words: str) -> None:
    result = analyse(simulated_walk(scenario).trial, load_model("pig"), SubjectFile())
    said = result.conventions["progression"]
    assert (f"the walk {words};" in said) if words else ("the walk goes" not in said)


@recorded
def test_stairs_go_down() -> None:
    assert ": the walk goes down by 37°;" in analysed("stairs/Movement_trial").conventions["progression"]


@recorded
def test_the_pelvis_may_be_turned_first() -> None:
    """Rotation, obliquity, tilt (Baker 2001): the same pose, about the same axes in the other order."""
    from scipy.spatial.transform import Rotation

    tilt, turn = (analysed("children/HC030A/walk", pelvis_sequence=s) for s in ("tilt_first", "rotation_first"))
    for result, letters in ((tilt, "YXZ"), (turn, "ZXY")):
        D = np.swapaxes(result.body.R_gp, -1, -2) @ result.body.geometry.frame("pelvis").R_gs
        angles = dict(zip(letters, Rotation.from_matrix(D).as_euler(letters, degrees=True).T, strict=True))
        for side, sign in (("left", 1), ("right", -1)):
            pelvis = result.sides[side].angles["pelvis"]
            np.testing.assert_allclose(pelvis["anterior_tilt"], angles["Y"], atol=1e-9)
            np.testing.assert_allclose(pelvis["upward_obliquity"], sign * angles["X"], atol=1e-9)
            np.testing.assert_allclose(pelvis["internal_rotation"], -sign * angles["Z"], atol=1e-9)
    assert "pelvis: zxy" in turn.conventions["angles"] and "pelvis: yxz" in tilt.conventions["angles"]
    written = analysed("children/HC030A/walk").sides["left"].angles["pelvis"]["anterior_tilt"]
    np.testing.assert_array_equal(written, tilt.sides["left"].angles["pelvis"]["anterior_tilt"])


@pytest.mark.parametrize("seed", range(40))
def test_a_path_that_is_seen_to_be_straight_at_once_does_not_turn_when_it_is_followed(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random walks, straight and winding, forward, backward and sideways, with gaps."""
    rng = np.random.default_rng(seed)
    bent = rng.choice([0.0, 0.05, 0.2]) * np.sin(np.linspace(0, rng.uniform(1, 15), 500))
    track, facing = walked(rng.uniform(0, 2 * np.pi) + bent, rng.uniform(0.3, 2.0))
    turned = rng.choice([0.0, 1.0, np.pi]) + rng.uniform(0, 1.5) * np.sin(np.linspace(0, 20, 500))
    facing = np.stack([facing[:, 0] * np.cos(turned), facing[:, 1] * np.cos(turned), np.zeros(500)], axis=1)
    track[rng.integers(0, 500, rng.integers(0, 60))] = np.nan
    found = local_directions(track, facing, UP)
    monkeypatch.setattr(direction, "_goes_straight", lambda level, front: False)
    followed = local_directions(track, facing, UP)
    assert (found is None) == (followed is None)
    if found is not None and followed is not None:
        np.testing.assert_array_equal(found[0], followed[0])


def test_places_of_a_path_are_the_first_that_lie_far_enough_from_the_one_before() -> None:
    level = np.cumsum(np.random.default_rng(6).normal(size=(500, 2), scale=0.015), axis=0)
    frames = direction._frames(level).tolist()
    assert frames[0] == 0
    for here, following in pairwise([*frames, len(level)]):
        away = np.linalg.norm(level[here + 1 : following + 1] - level[here], axis=1) >= direction.LEAST_MOVE_M
        assert away.tolist() == [False] * (following - here - 1) + [True] * (following < len(level))
