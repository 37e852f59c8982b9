"""Gaps that somebody filled by a straight line before the file was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

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
