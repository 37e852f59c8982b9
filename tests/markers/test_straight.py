"""Gaps that somebody filled by a straight line before the file was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.markers.unmeasured import find_drawn
from gaitid.model.load import load_model

RATE = 100.0


def moving() -> dict[str, np.ndarray]:
    """Three markers on curves, as a file of 32 bits holds them, m."""
    time = np.arange(200) / RATE
    curve = np.stack([1.2 * time, 0.05 * np.sin(7 * time), 0.5 + 0.1 * np.cos(5 * time)], axis=1)
    return {name: (curve + [0.0, 0.1 * i, 0.0]).astype(np.float32).astype(float) for i, name in enumerate("ABC")}


def straightened(points: np.ndarray, first: int, last: int) -> np.ndarray:
    """The same with the frames between two filled by a line."""
    filled = points.copy()
    share = np.arange(last - first + 1)[:, None] / (last - first)
    filled[first : last + 1] = points[first] + share * (points[last] - points[first])
    return filled.astype(np.float32).astype(float)


def test_a_line_of_twenty_frames_is_found_and_its_ends_are_kept() -> None:
    markers = moving()
    assert not find_drawn(markers, RATE)
    markers["B"] = straightened(markers["B"], 80, 101)
    (fault,) = find_drawn(markers, RATE)
    assert (fault.kind, fault.labels, fault.frames) == ("straight", ("B",), ((81, 100),))


def test_what_moves_evenly_with_all_others_is_a_made_recording() -> None:
    line = np.outer(np.arange(200) * 0.01, [1.0, 0.2, 0.0])
    assert not find_drawn({name: line + i for i, name in enumerate("ABC")}, RATE)


def test_a_filled_knee_no_longer_gives_a_hip_moment_of_its_own(simulated: Callable[..., object]) -> None:
    sim = simulated()
    trial, model = sim.trial, load_model("pig")  # type: ignore[attr-defined]
    knee = trial.labels.index("LKNE")
    points = trial.points_g.astype(np.float32).astype(float)
    true = analyse(replace(trial, points_g=points), model, SubjectFile())
    points[:, knee] = straightened(points[:, knee], 225, 256)
    result = analyse(replace(trial, points_g=points), model, SubjectFile())
    assert any("straight line" in note.text and "LKNE" in note.text for note in result.notes)
    hip, said = (r.sides["left"].moments["hip"]["extension"] for r in (true, result))
    assert np.nanmax(np.abs(said - hip)) < 0.1  # N·m/kg: what is filled anew, or empty


# --- cubics -------------------------------------------------------------------------------------------------


def cubic(points: np.ndarray, first: int, last: int) -> np.ndarray:
    """The same with the frames between two filled by the cubic through two frames on each side."""
    filled = points.copy()
    at = np.array([first - 1, first, last, last + 1])
    terms = np.vander((at - first) / (last - first), 4)
    inner = np.vander((np.arange(first, last + 1) - first) / (last - first), 4)
    filled[first : last + 1] = inner @ np.linalg.solve(terms, points[at])
    return filled.astype(np.float32).astype(float)


def noisy(noise_mm: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    return {name: points + rng.normal(0, noise_mm * 1e-3, points.shape) for name, points in moving().items()}


@pytest.mark.parametrize("noise_mm", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("frames", [12, 20, 40])
def test_a_cubic_in_a_raw_trial_is_found(noise_mm: float, frames: int) -> None:
    markers = noisy(noise_mm)
    assert not find_drawn(markers, RATE)
    markers["B"] = cubic(markers["B"], 80, 80 + frames + 1)
    (fault,) = find_drawn(markers, RATE)
    (run,) = fault.frames
    assert (fault.kind, fault.labels) == ("splined", ("B",))
    assert run in ((80, 80 + frames + 1), (81, 80 + frames))  # a frame beside it lies on the cubic as well
    assert "moves on an exact polynomial" in fault.note(1).text


def test_what_hardly_moves_or_was_smoothed_is_no_cubic() -> None:
    rng = np.random.default_rng(3)
    standing = {name: np.ones((200, 3)) + rng.normal(0, 3e-4, (200, 3)) for name in "ABC"}
    standing["B"] = cubic(standing["B"], 80, 110)
    assert not find_drawn(standing, RATE)
    assert not find_drawn(moving(), RATE)
