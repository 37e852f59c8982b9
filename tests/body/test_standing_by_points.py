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
from gaitid.body.against_static import compare, compare_with_static, other_person
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


def test_points_of_the_conventional_models_segments() -> None:
    points = points_of_segments(load_model("pig"), ["left", "right"])
    names = {segment: {name for _, name in of_segment} for segment, of_segment in points.items()}
    assert names["", "pelvis"] == {"sacrum_marker", "asis", "psis"}
    assert names["left", "thigh"] == {"hip", "knee", "knee_marker", "thigh_wand"}
    assert names["right", "shank"] == {"knee", "ankle", "ankle_marker", "shank_wand"}
    assert names["right", "foot"] == {"ankle", "heel", "toe"}
    assert {side for side, _ in points["right", "shank"]} == {"right"}


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


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [0.9, 1.1])
def test_a_smaller_or_larger_persons_static_is_refused(recording: tuple[Trial, Trial], model: str, size: float) -> None:
    static, trial = recording
    with pytest.raises(TrialError, match="another person's") as refused:
        analyse(trial, load_model(model), SubjectFile(), larger(static, size))
    assert "--static" in refused.value.line() and "LASI to RASI" in refused.value.line()


@pytest.mark.parametrize("model", MODELS)
def test_left_and_right_exchanged_in_the_static_is_refused(recording: tuple[Trial, Trial], model: str) -> None:
    static, trial = recording
    with pytest.raises(TrialError, match="exchanged in the static"):
        analyse(trial, load_model(model), SubjectFile(), exchanged(static))


def test_a_marker_that_was_moved_is_said_and_not_refused(recording: tuple[Trial, Trial]) -> None:
    static, trial = recording
    (text,) = notes_of(moved(static, "LTHI", (0.0, 0.0, 0.04)), trial, "pig")
    assert re.match(r"left thigh: LTHI lies 3\d ± \d mm farther down than in the static; it was moved", text)


def test_cameras_that_were_calibrated_otherwise_are_said(recording: tuple[Trial, Trial]) -> None:
    static, trial = recording
    (text,) = notes_of(larger(static, 1.015), trial, "pig")
    assert re.match(r"markers lie 1\.\d % nearer to each other than in the static", text)


@pytest.mark.parametrize("model", MODELS)
def test_a_static_that_is_its_own_trial_is_taken(recording: tuple[Trial, Trial], model: str) -> None:
    static, _ = recording
    assert notes_of(static, static, model) == []


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
LABORATORY = {person: laboratory for laboratory, persons in PERSONS.items() for person in persons}
PERSON_OF = {person: files for persons in PERSONS.values() for person, files in persons.items()}
OWN = [(person, trial) for person, (_, trials) in PERSON_OF.items() for trial in trials]
OWN_OTHER_MODELS = [
    ("lateral", "children/HC030A/static.c3d", "children/HC030A/turn.c3d"),
    *(("lateral", static, trial) for static, trials in PERSON_OF.values() for trial in trials),
    ("lateral", "qualisys/static.c3d", "qualisys/walk.c3d"),
    ("lateral", "wild/isb_bone_names/static.c3d", "wild/isb_bone_names/walk.c3d"),
    ("lateral", "wild/wisconsin/static.trc", "wild/wisconsin/walk.trc"),
    ("lateral", "wild/opencap/static.trc", "wild/opencap/walk.trc"),
    ("lateral", "wild/opencap/static.trc", "wild/opencap/drop_jump.trc"),
    ("lateral", "wild/latrobe/static.trc", "wild/latrobe/sprint.trc"),
    ("landmarks", "wild/biobuddy_functional/static.c3d", "wild/biobuddy_functional/hip_right.c3d"),
    ("keypoints", "wild/keypoints/static.trc", "wild/keypoints/balance.trc"),
    ("pig", "children/HC030A/static.c3d", "children/HC030A/turn.c3d"),
    ("pig", "wild/hbm/static.c3d", "wild/hbm/static.c3d"),
]
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


def odds(*pair: str) -> float:
    """The logarithm of the odds for another person."""
    return other_person(compare(*geometry(*pair)))


@needs_trials
@pytest.mark.parametrize(("person", "trial"), OWN)
def test_every_recorded_persons_own_static_is_taken(person: str, trial: str) -> None:
    assert compared("pig", PERSON_OF[person][0], trial) == ()
    assert odds("pig", PERSON_OF[person][0], trial) < -10


@needs_trials
@pytest.mark.parametrize(("model", "static", "trial"), OWN_OTHER_MODELS)
def test_own_statics_of_other_models_are_taken(model: str, static: str, trial: str) -> None:
    notes = compared(model, static, trial)
    assert not notes or "latrobe" in trial  # whose feet change in a sprint of 9.5 m/s


@needs_trials
@pytest.mark.parametrize(("person", "trial"), OWN)
def test_ones_own_static_is_taken_with_half_of_a_trial(person: str, trial: str) -> None:
    for half in range(3):
        compare_with_static(*geometry("pig", PERSON_OF[person][0], trial, half=half))


def test_a_static_in_another_unit_is_called_that(recording: tuple[Trial, Trial]) -> None:
    """Not another person: centimetres that were read as millimetres."""
    static, trial = recording
    with pytest.raises(TrialError, match="in different units: distances between markers of the trial are .* as long"):
        analyse(trial, load_model(MODELS[0]), SubjectFile(), larger(static, 0.1))


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


@needs_trials
def test_the_whole_command_refuses_another_childs_static() -> None:
    with pytest.raises(TrialError, match="another person's"):
        analyse(
            recorded("children/HC036A/walk.c3d"),
            load_model("pig"),
            SubjectFile(),
            recorded("children/HC031A/static.c3d"),
        )


@needs_trials
@pytest.mark.parametrize("person", PERSON_OF)
@pytest.mark.parametrize("model", ["pig", "lateral"])
def test_recorded_sides_exchanged_are_refused(person: str, model: str) -> None:
    static, (trial, *_) = PERSON_OF[person]
    with pytest.raises(TrialError, match="exchanged in the static"):
        geometry(model, static, trial, other_sides=True)


@needs_trials
@pytest.mark.parametrize("laboratory", PERSONS)
def test_limits_drawn_without_a_laboratory_judge_it_rightly(laboratory: str) -> None:
    """Half way between the largest odds of the others' own statics and the smallest of their crossed ones."""
    own = {pair: odds("pig", PERSON_OF[pair[0]][0], pair[1]) for pair in OWN}
    crossed = {(a, b): odds("pig", PERSON_OF[a][0], PERSON_OF[b][1][0]) for a, b in CROSSED}
    without = max(value for (person, _), value in own.items() if LABORATORY[person] != laboratory)
    others = min(value for pair, value in crossed.items() if laboratory not in map(LABORATORY.get, pair))
    limit = (without + others) / 2
    assert all(value < limit for (person, _), value in own.items() if LABORATORY[person] == laboratory)
    assert all(value > 0 for value in crossed.values())
    if laboratory != "children":  # the only persons of like size: the others are told apart by much more
        assert all(value > limit for pair, value in crossed.items() if laboratory in map(LABORATORY.get, pair))
