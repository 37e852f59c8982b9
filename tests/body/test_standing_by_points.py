"""Statics of models without rigid frames: another person's and exchanged sides are refused, one's own never is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from gaitid.analysis.pipeline import Pipeline, analyse
from gaitid.body.against_static import compare_with_static
from gaitid.body.frames import Geometry
from gaitid.body.lengths import points_of_segments
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.markers.clean import clean_markers
from gaitid.model.load import load_model
from gaitid.notes import Notes
from gaitid.read import read_trial
from gaitid.trial import Trial

TRIALS = Path(__file__).resolve().parents[3] / "shared" / "trials"
needs_trials = pytest.mark.skipif(not TRIALS.is_dir(), reason="the shared trials are not beside this checkout")
PERSON = SubjectFile({"mass": 60.0, "height": 1.7})
MODELS = ["pig", "pig_vicon", "lateral"]


def exchanged(static: Trial) -> Trial:
    other = {"L": "R", "R": "L"}
    return replace(static, labels=tuple(other.get(label[:1], label[:1]) + label[1:] for label in static.labels))


def larger(static: Trial, size: float) -> Trial:
    return replace(static, points_g=static.points_g * size)


def moved(static: Trial, label: str, by: tuple[float, float, float]) -> Trial:
    points = static.points_g.copy()
    points[:, static.labels.index(label)] += by
    return replace(static, points_g=points)


@pytest.fixture
def recording(simulated: Callable[..., Any]) -> tuple[Trial, Trial]:
    sim = simulated()
    return sim.static, sim.trial


def notes_of(static: Trial, trial: Trial, model: str) -> list[str]:
    result = analyse(trial, load_model(model), SubjectFile(), static)
    return [note.text for note in result.notes if note.code == "static_differs"]


# --- which points move with a segment -----------------------------------------------------------------------


def test_what_only_turns_a_key_point_models_segments_is_none_of_theirs() -> None:
    """The line of the hips, along which the frames of thigh, shank and foot take one of their axes."""
    points = points_of_segments(load_model("keypoints"), ["left", "right"])
    assert points["", "pelvis"] == (("left", "hip_point"), ("right", "hip_point"))
    assert ("right", "hip_point") not in {
        p for (_, s), of_segment in points.items() if s != "pelvis" for p in of_segment
    }


# --- simulated trials ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_ones_own_static_raises_no_alarm(recording: tuple[Trial, Trial], model: str) -> None:
    assert notes_of(*recording, model) == []


def test_a_marker_that_was_moved_is_said_and_not_refused(recording: tuple[Trial, Trial]) -> None:
    static, trial = recording
    (text,) = notes_of(moved(static, "LTHI", (0.0, 0.0, 0.04)), trial, "pig")
    assert re.match(r"left thigh: LTHI lies 3\d ± \d mm farther down than in the static; it was moved", text)


# --- recorded trials ----------------------------------------------------------------------------------------

# By laboratory: each person's static, and trials.
PERSONS = {
    "children": {
        name: (f"children/{name}/static.c3d", [f"children/{name}/walk.c3d"])
        for name in ("HC002D", "HC030A", "HC031A", "HC036A")
    },
    "sydney": {"sydney": ("sydney/static.c3d", [f"sydney/walk0{k}.c3d" for k in (3, 4, 5)])},
    "nexus": {"nexus": ("nexus_flatfoot/static.c3d", ["nexus_flatfoot/walk.c3d"])},
    "stairs": {"stairs": ("stairs/Static_trial.c3d", ["stairs/Movement_trial.c3d"])},
    "biobuddy": {
        "biobuddy": (
            "wild/biobuddy_functional/static.c3d",
            ["wild/biobuddy_functional/hip_right.c3d", "wild/biobuddy_functional/knee_right.c3d"],
        )
    },
}
PERSON_OF = {person: files for persons in PERSONS.values() for person, files in persons.items()}
OWN = [(person, trial) for person, (_, trials) in PERSON_OF.items() for trial in trials]
# Plug-in Gait's markers and measurements in both files.
CROSSED = list(permutations([person for person in PERSON_OF if person != "biobuddy"], 2))


@cache
def recorded(file: str) -> Trial:
    return read_trial(TRIALS / file)


@cache
def geometry(
    model: str, static_file: str, trial_file: str, size: float = 1.0, other_sides: bool = False, half: int | None = None
) -> tuple[Geometry, list[str]]:
    """A trial's geometry with the calibration of a static, as it is, larger, or with its sides exchanged.

    Of the whole trial, or of its first, middle or last half (0, 1 or 2).
    """
    static, trial = larger(recorded(static_file), size), recorded(trial_file)
    if other_sides:
        static = exchanged(static)
    settings = {"cutoff_hz": "none"} if trial.rate_hz < 20 else {}
    subject = PERSON if "wild" in trial_file else SubjectFile()
    pipeline = Pipeline(trial=trial, model=load_model(model, settings), subject_file=subject, static=static)
    found, sides, calibration = pipeline.found, list(pipeline.legs), pipeline.calibration
    filtered = clean_markers(trial, found.model).filtered
    n_frames = trial.n_frames if half is None else trial.n_frames // 2
    start = 0 if half is None else half * n_frames // 2
    filtered = {label: points[start : start + n_frames] for label, points in filtered.items()}
    numbers, up_g = found.subject.numbers, found.up_g
    return Geometry(found.model, filtered, numbers, n_frames, up_g, calibration=calibration), sides


def compared(model: str, static: str, trial: str, size: float = 1.0) -> Notes:
    return compare_with_static(*geometry(model, static, trial, size))


@needs_trials
@pytest.mark.parametrize("size", [0.85, 1.04, 1.15])
@pytest.mark.parametrize(("person", "trial"), OWN)
def test_recorded_statics_of_another_size_are_refused(person: str, trial: str, size: float) -> None:
    with pytest.raises(TrialError, match="another person's"):
        compared("pig", PERSON_OF[person][0], trial, size)


@needs_trials
@pytest.mark.parametrize(("static_of", "trial_of"), CROSSED)
def test_another_recorded_persons_static_is_refused(static_of: str, trial_of: str) -> None:
    with pytest.raises(TrialError, match="another person's"):
        compared("pig", PERSON_OF[static_of][0], PERSON_OF[trial_of][1][0])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [0.9, 1.1])
def test_a_smaller_or_larger_persons_static_is_refused(recording: tuple[Trial, Trial], model: str, size: float) -> None:
    static, trial = recording
    with pytest.raises(TrialError, match="another person's") as refused:
        analyse(trial, load_model(model), SubjectFile(), larger(static, size))
    assert "--static" in refused.value.line() and "LASI to RASI" in refused.value.line()
