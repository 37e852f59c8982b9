"""Gaps that somebody filled with another marker's movement before the file was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.markers.unmeasured import COPIED_FRAMES, find_copied
from gaitid.model.load import load_model

TIME = np.arange(200) / 100.0


def swinging() -> dict[str, np.ndarray]:
    """Three markers on curves of their own, m."""
    ways = {"A": (0.10, 5.0), "B": (0.25, 6.0), "C": (0.15, 9.0)}
    return {
        name: np.stack([1.2 * TIME + a * np.sin(w * TIME), a * np.cos(w * TIME), a * np.sin(2 * w * TIME)], axis=1)
        for name, (a, w) in ways.items()
    }


def filled(points: np.ndarray, donor: np.ndarray, first: int, last: int) -> np.ndarray:
    """With the donor's movement in the frames from first to last, bent to fit at both ends."""
    result, n = points.copy(), last - first + 1
    share = (np.arange(1, n + 1) / (n + 1))[:, None]
    ends = [points[at] - donor[at] for at in (first - 1, last + 1)]
    result[first : last + 1] = donor[first : last + 1] + (1 - share) * ends[0] + share * ends[1]
    return result


@pytest.mark.parametrize("noise_m", [0.0, 0.0003])
@pytest.mark.parametrize("n", [COPIED_FRAMES, 20, 60])
def test_the_copy_is_told_from_its_donor_to_the_frame(n: int, noise_m: float) -> None:
    draw = np.random.default_rng(1)
    markers = {name: points + noise_m * draw.standard_normal(points.shape) for name, points in swinging().items()}
    assert not find_copied(markers)
    markers["B"] = filled(markers["B"], markers["C"], 80, 79 + n)
    (fault,) = find_copied(markers)
    assert (fault.kind, fault.labels, fault.frames) == ("copied", ("B",), ((80, 79 + n),))
    assert "another marker's movement" in fault.note(1).text


def test_two_gaps_of_one_marker_are_one_fault() -> None:
    markers = swinging()
    markers["B"] = filled(filled(markers["B"], markers["C"], 40, 59), markers["A"], 120, 139)
    (fault,) = find_copied(markers)
    assert fault.frames == ((40, 59), (120, 139))


def test_markers_of_one_body_that_does_not_turn_are_no_copies() -> None:
    one = swinging()["A"]
    markers = {name: one + [0.1 * i, 0.0, 0.0] for i, name in enumerate("ABC")}
    assert not find_copied(markers)
    markers["B"][100] += 0.02  # a spike of one of them
    markers["C"][150:160] = np.nan
    assert not find_copied(markers)


def test_a_filled_knee_no_longer_gives_a_hip_moment_of_its_own(simulated: Callable[..., object]) -> None:
    sim = simulated()
    trial, model = sim.trial, load_model("pig")  # type: ignore[attr-defined]
    points = trial.points_g.copy()
    knee, pelvis = (trial.labels.index(label) for label in ("LKNE", "LPSI"))
    points[:, knee] = filled(points[:, knee], points[:, pelvis], 225, 244)
    true = analyse(trial, model, SubjectFile())
    result = analyse(replace(trial, points_g=points), model, SubjectFile())
    assert any("another marker's movement" in note.text and "LKNE" in note.text for note in result.notes)
    hip, said = (r.sides["left"].moments["hip"]["extension"] for r in (true, result))
    assert np.nanmax(np.abs(said - hip)) < 0.1  # N·m/kg: what is filled anew, or empty
