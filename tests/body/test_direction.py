"""The direction of a walk that turns: along its path, whatever the body does beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
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
