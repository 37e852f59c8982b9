"""Numbers that no camera measured are found in their frames: held, repeated, drawn, copied, or cut at both ends."""

from __future__ import annotations

import numpy as np
import pytest
from test_labels import RATE, SHARED, needs_trials, only, walk

from gaitid.markers.clean import model_markers
from gaitid.markers.labels import check_labels
from gaitid.model.load import load_model
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array


def filled(points: Array, first: int, n: int, degree: int) -> Array:
    """The polynomial through half of (degree + 1) frames at each end of a gap, in its place."""
    beside, points = (degree + 1) // 2, points.copy()
    at = np.r_[first - beside : first, first + n : first + n + beside]
    t = (np.arange(len(points)) - first - n / 2) / (n / 2 + beside)
    points[first : first + n] = np.vander(t[first : first + n], degree + 1) @ np.linalg.solve(
        np.vander(t[at], degree + 1), points[at]
    )
    return points


@pytest.mark.parametrize("noise_mm", [0.1, 0.5])
@pytest.mark.parametrize(("degree", "frames"), [(1, 20), (3, 20), (5, 40)])
def test_a_polynomial_in_a_raw_trial_is_found(noise_mm: float, frames: int, degree: int) -> None:
    """As a program stores it, with 32 bits."""
    for label in ("LKNE", "RTOE"):
        points = filled(walk(noise_mm)[label], 160, frames, degree).astype(np.float32).astype(float)
        fault = next(f for f in check_labels({**walk(noise_mm), label: points}, RATE).faults if f.labels == (label,))
        assert fault.kind == ("straight" if degree == 1 else "splined")
        ((first, last),) = fault.frames
        assert abs(first - 160) <= 3 and abs(last - 159 - frames) <= 3  # what it rests on is a part of it


@pytest.mark.parametrize("label", ["LKNE", "RANK", "LTOE"])
def test_a_stretch_that_was_changed_after_smoothing_is_found(label: str) -> None:
    points = filled(walk()[label], 160, 30, 3)
    fault = only(check_labels({**walk(), label: points}, RATE).faults)
    assert (fault.kind, fault.labels) == ("kinked", (label,))
    ((first, last),) = fault.frames
    assert abs(first - 160) <= 2 and abs(last - 189) <= 4


def test_cuts_of_noisy_markers_and_of_many_at_once_are_no_fill() -> None:
    many = {label: filled(points, 160, 30, 3) for label, points in walk().items()}
    assert not [fault for fault in check_labels(many, RATE).faults if fault.kind == "kinked"]


@needs_trials
@pytest.mark.parametrize("file", ["labs/drop_jump/jump.c3d", "labs/turn/turn.c3d", "stairs/Movement_trial.c3d"])
def test_landings_turns_and_stairs_were_not_filled(file: str) -> None:
    """Real markers of a landing count as seen from its first frame to its last."""
    trial = read_c3d(SHARED / file)
    markers = model_markers(trial, load_model("pig", {}))
    if "jump" in file:  # but for what a program computed of the plates
        markers = {x: trial.marker(x) for x in trial.labels if not x.startswith(("CofP", "Vector", "P", "*"))}
    assert [fault for fault in check_labels(markers, trial.rate_hz).faults if fault.kind != "same"] == []


def swinging(noise_m: float) -> dict[str, Array]:
    """Three markers on curves of their own, m."""
    draw, t = np.random.default_rng(1), np.arange(200) / RATE
    ways = {"A": (0.10, 5.0), "B": (0.25, 6.0), "C": (0.15, 9.0)}
    return {
        name: np.stack([1.2 * t + a * np.sin(w * t), a * np.cos(w * t), a * np.sin(2 * w * t)], axis=1)
        + noise_m * draw.standard_normal((200, 3))
        for name, (a, w) in ways.items()
    }


@pytest.mark.parametrize("noise_m", [0.0, 3e-4])
@pytest.mark.parametrize("n", [12, 30])
def test_the_copy_is_told_from_its_donor(n: int, noise_m: float) -> None:
    """Bent to fit at both ends, as programs fill a gap with another marker's movement."""
    markers, stop = swinging(noise_m), 80 + n
    points, donor = markers["B"].copy(), markers["C"]
    share = (np.arange(1, n + 1) / (n + 1))[:, None]
    ends = points[79] - donor[79], points[stop] - donor[stop]
    points[80:stop] = donor[80:stop] + (1 - share) * ends[0] + share * ends[1]
    fault = next(f for f in check_labels({**markers, "B": points}, RATE).faults if f.kind == "copied")
    assert (fault.labels, fault.frames) == (("B",), ((80, stop - 1),))
    assert "another marker's movement" in fault.note(1).text


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("first", "n"), [(120, 12), (200, 100)])
def test_a_coordinate_that_stands_still_while_the_marker_moves(axis: int, first: int, n: int) -> None:
    points = walk(0.3)["LHEE"].copy()
    points[first : first + n, axis] = points[first, axis]
    faults = check_labels({**walk(0.3), "LHEE": points}, RATE).faults
    fault = next(fault for fault in faults if fault.kind.startswith("held"))
    assert (fault.kind, fault.labels, fault.frames) == (f"held_{'xyz'[axis]}", ("LHEE",), ((first, first + n - 1),))


def repeating(markers: dict[str, Array], first: int, frames: int) -> dict[str, Array]:
    changed = {label: x.copy() for label, x in markers.items()}
    for points in changed.values():
        points[first : first + frames] = points[first - 1]
    return changed


@pytest.mark.parametrize("noise_mm", [0.0, 0.5])
@pytest.mark.parametrize(("first", "frames"), [(1, 1), (200, 1), (200, 3), (120, 10), (399, 1)])
def test_frames_that_repeat_the_one_before_are_found(first: int, frames: int, noise_mm: float) -> None:
    fault = check_labels(repeating(walk(noise_mm), first, frames), RATE).faults[0]
    assert (fault.kind, fault.frames) == ("repeated", ((first, first + frames - 1),))
    assert fault.note(1).code == "frames_repeated"


@pytest.mark.parametrize("step_mm", [0.01, 1.0])
def test_a_person_who_stands_in_a_file_of_whole_steps_repeats_no_frame(step_mm: float) -> None:
    """He sways by 5 mm at 0.5 Hz; in whole millimetres many frames are the one before."""
    sway = 0.005 * np.sin(np.pi * np.arange(300) / RATE)[:, None] * [1.0, 0.4, 0.0]
    standing = {label: np.round((x[0] + sway) * 1e3 / step_mm) * step_mm / 1e3 for label, x in walk().items()}
    still = np.all([(np.diff(x, axis=0) == 0).all(axis=1) for x in standing.values()], axis=0)
    assert step_mm < 1 or still.sum() > 30
    assert check_labels(standing, RATE).faults == ()


def test_one_marker_that_repeats_itself_is_no_repeated_frame() -> None:
    faults = check_labels({**repeating(walk(), 200, 1), "LASI": walk()["LASI"]}, RATE).faults
    assert not [fault for fault in faults if fault.kind == "repeated"]
