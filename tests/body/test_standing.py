"""A static of another person, of exchanged sides, or in which the subject moves is refused; the right one is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import cluster_walk
import numpy as np
import pytest
from cluster_walk import moved

from gaitid.analysis.pipeline import Pipeline, analyse
from gaitid.analysis.recorded import bind_trial
from gaitid.analysis.result import Result
from gaitid.body.against_static import compare, other_person, other_size
from gaitid.body.frames import Geometry
from gaitid.body.standing import check_stands, reading_notes
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.markers.clean import clean_markers
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.read import read_trial
from gaitid.trial import Array, Trial

WILD = Path(__file__).resolve().parents[3] / "shared" / "trials" / "wild"
PERSON = SubjectFile({"mass": 70.0, "height": 1.7})
needs_trials = pytest.mark.skipif(not WILD.is_dir(), reason="the shared trials are not beside this checkout")

# Each laboratory's static and trial; file of the static, file of the trial.
OWN = {
    "isb_bone_names": ("static.c3d", "walk.c3d"),
    "gait2392": ("static.trc", "walk.trc"),
    "rajagopal": ("static.trc", "run.trc"),
    "wisconsin": ("static.trc", "walk.trc"),  # the person lies
    "opencap": ("static.trc", "walk.trc"),
    "opencap/drop_jump": ("static.trc", "drop_jump.trc"),
    "latrobe": ("static.trc", "sprint.trc"),
    "biobuddy_functional/hip": ("static.c3d", "hip_right.c3d"),
    "biobuddy_functional/knee": ("static.c3d", "knee_right.c3d"),
    "rbds_running": ("static.c3d", "run.c3d"),
    "visual3d_hybrid": ("static.c3d", "walk.c3d"),
}


def analysed(static: Trial, trial: Trial | None = None) -> Result:
    return analyse(cluster_walk.walk() if trial is None else trial, load_model("cast"), PERSON, static)


def differing(result: Result) -> list[str]:
    return [note.text for note in result.notes if note.code == "static_differs"]


def test_ones_own_static_raises_no_alarm() -> None:
    assert differing(analysed(cluster_walk.static())) == []


def test_a_static_of_somebody_else_is_refused_with_the_distances_that_differ() -> None:
    with pytest.raises(TrialError) as refused:
        analysed(cluster_walk.static(1.1))
    line = refused.value.line()
    assert "another person's" in line and "--static" in line
    # the knee's centre is 420 mm from the ankle's
    assert "left knee to left ankle 462 mm in the static" in line and "L_ASIS to R_ASIS" not in line.split("found")[0]


@pytest.mark.parametrize("size", [0.85, 0.96, 1.04, 1.15])
def test_a_smaller_or_larger_persons_static_is_refused(size: float) -> None:
    with pytest.raises(TrialError, match="another person's"):
        analysed(cluster_walk.static(size))


@pytest.mark.parametrize("size", [0.99, 1.01])
def test_cameras_calibrated_anew_are_no_other_person(size: float) -> None:
    analysed(cluster_walk.static(size))


def test_a_marker_that_was_moved_is_said_and_not_refused() -> None:
    (text,) = differing(analysed(moved(cluster_walk.static(), "L_MT_5", (0.0, 0.03, 0.0))))
    assert text.startswith("left foot: L_") and "L_MT_5" in text


def test_skin_that_moves_raises_no_alarm() -> None:
    """1 cm on every marker of the thigh, in turn."""
    static = cluster_walk.static()
    for i in range(1, 5):
        static = moved(static, f"R_THIGH_{i}", (0.01 * np.sin(i), 0.01 * np.cos(i), 0.0))
    assert differing(analysed(static)) == []


def test_plates_that_fit_everybody_do_not_outvote_the_person() -> None:
    """The same rigid plates on thigh and shank of a person who is larger by a tenth."""
    own, other = cluster_walk.static(), cluster_walk.static(1.1)
    points = other.points_g.copy()
    for letter in "LR":
        for plate in ("THIGH", "SHANK"):
            columns = [own.labels.index(f"{letter}_{plate}_{i}") for i in range(1, 5)]
            shape = own.points_g[:, columns] - own.points_g[:, columns].mean(axis=1, keepdims=True)
            points[:, columns] = other.points_g[:, columns].mean(axis=1, keepdims=True) + shape
    with pytest.raises(TrialError, match="another person's"):
        analysed(replace(other, points_g=points))


@pytest.mark.parametrize("lies", [False, True])
def test_left_and_right_exchanged_in_the_static_is_refused(lies: bool) -> None:
    static = cluster_walk.static()
    other = {"L": "R", "R": "L"}
    static = replace(static, labels=tuple(other[label[0]] + label[1:] for label in static.labels))
    points = static.points_g[..., [2, 1, 0]] * (-1, 1, 1) if lies else static.points_g
    with pytest.raises(TrialError, match="exchanged in the static"):
        analysed(replace(static, points_g=points))


def test_a_person_who_lies_is_a_static() -> None:
    static = cluster_walk.static()
    lying = replace(static, points_g=static.points_g[..., [2, 1, 0]] * (-1, 1, 1), up_hint=None)
    result = analysed(lying)
    np.testing.assert_allclose(  # degrees: the same calibration but for the foot, which is not flat
        result.sides["left"].angles["knee"]["flexion"],
        analysed(static).sides["left"].angles["knee"]["flexion"],
        atol=0.5,
    )


def test_a_static_in_which_the_subject_walks_is_refused() -> None:
    static = cluster_walk.static(frames=300)
    walking = replace(static, points_g=static.points_g + np.linspace(0, 0.5, 300)[:, None, None] * [1.0, 0.0, 0.0])
    with pytest.raises(TrialError, match="the subject moves in it.*markers that stay within 80 mm.*by 480 mm"):
        analysed(walking)


def test_a_static_in_which_one_leg_moves_is_refused() -> None:
    static = cluster_walk.static(frames=200)
    points = static.points_g.copy()
    leg = [i for i, label in enumerate(static.labels) if label.startswith(("L_SHANK", "L_ANKLE"))]
    points[:, leg] += (0.06 * np.sin(np.arange(200) / 10))[:, None, None] * np.array([1.0, 0.0, 0.0])
    with pytest.raises(TrialError, match="the subject moves in it"):
        analysed(replace(static, points_g=points))


def test_sway_and_a_label_that_jumps_are_no_movement() -> None:
    still = {label: cluster_walk.static(frames=500).marker(label) for label in cluster_walk.static().labels}
    sway = 0.03 * np.sin(np.arange(500) / 80)[:, None] * np.array([1.0, 0.0, 0.0])
    swaying = {label: p + p[:, 2:] * sway for label, p in still.items()}  # 3 cm to each side, at 1 m
    swaying["L_HEEL"] = swaying["L_HEEL"] + np.where(np.arange(500) < 200, 0.5, 0.0)[:, None]
    check_stands(swaying)


def test_a_static_in_which_the_subject_walks_is_refused_for_the_conventional_model_too(
    simulated: Callable[..., object],
) -> None:
    sim = simulated()
    with pytest.raises(TrialError, match="the subject moves in it"):
        analyse(sim.trial, load_model("pig"), SubjectFile(), sim.trial)  # type: ignore[attr-defined]


# --- recorded trials ----------------------------------------------------------------------------------------


@cache
def recorded(file: str) -> Trial:
    """A trial of one label a marker, without what it stores of its subject, and 600 frames at most: whole ones are run
    in tests/cli/test_any_lab_page.py."""
    trial = read_trial(WILD / file)
    trial = replace(trial, points_g=trial.points_g[:600])
    labels = list(dict.fromkeys(trial.labels))
    points = np.full((trial.n_frames, len(labels), 3), np.nan)
    for i, label in reversed(list(enumerate(trial.labels))):
        known = np.isfinite(trial.points_g[:, i]).all(axis=1)
        points[known, labels.index(label)] = trial.points_g[known, i]
    return replace(trial, labels=tuple(labels), points_g=points, parameters={}, plates=())


def pair(name: str) -> tuple[Trial, Trial]:
    folder = name.partition("/")[0]
    static, trial = (recorded(f"{folder}/{file}") for file in OWN[name])
    return static, trial


def settings_of(trial: Trial) -> dict[str, str]:
    return {"cutoff_hz": "none"} if trial.rate_hz < 20 else {}


def run_with(static: Trial, trial: Trial) -> Result:
    return analyse(trial, load_model("cast", settings_of(trial)), PERSON, static)


@needs_trials
@pytest.mark.parametrize("name", OWN)
def test_every_laboratorys_own_static_is_taken(name: str) -> None:
    run_with(*pair(name))


@needs_trials
@pytest.mark.parametrize("size", [0.96, 1.04])
@pytest.mark.parametrize("name", OWN)
def test_every_laboratorys_static_of_another_size_is_refused(name: str, size: float) -> None:
    static, trial = pair(name)
    with pytest.raises(TrialError, match="another person's"):
        run_with(replace(static, points_g=static.points_g * size), trial)


@needs_trials
def test_the_static_of_another_person_in_the_shared_trials_is_refused() -> None:
    with pytest.raises(TrialError) as refused:
        run_with(recorded("rajagopal_wrong_static/static.trc"), recorded("rajagopal_wrong_static/run.trc"))
    line = refused.value.line()
    # of the pelvis the distance that differs most, and the legs
    assert "LPSI to RPSI 114 mm in the static and 81 mm in the trial" in line
    assert "right knee to right ankle 427 mm in the static" in line or "left knee to left ankle" in line


@needs_trials
@pytest.mark.parametrize("name", OWN)
def test_a_trial_given_as_its_own_static_is_refused(name: str) -> None:
    static, trial = pair(name)
    bound = bind_trial(static, load_model("cast"), trial, None)
    assert bound.static_model is not None
    labels = [label for labels in bound.static_model.spelled.values() for label in labels if trial.has(label)]
    with pytest.raises(TrialError, match="the subject moves in it"):
        check_stands({label: trial.marker(label) for label in labels})


@needs_trials
@pytest.mark.parametrize(
    "other", ["wisconsin", "rbds_running", "latrobe", "visual3d_hybrid", "biobuddy_functional/hip"]
)
@pytest.mark.parametrize("name", [name for name in OWN if "/" not in name])
def test_the_static_of_another_laboratory_is_refused(name: str, other: str) -> None:
    """Its landmarks and clusters under the labels of this one; where too few are shared, for lack of markers."""
    if name == other:
        pytest.skip("its own")
    _, trial = pair(name)
    static = pair(other)[0]
    own = bind_trial(trial, load_model("cast"), pair(name)[0], None).static_model
    foreign = bind_trial(pair(other)[1], load_model("cast"), static, None).static_model
    assert own is not None and foreign is not None
    new = {
        labels[0]: own.spelled[role][0]
        for role, labels in foreign.spelled.items()
        if labels and static.has(labels[0]) and own.spelled.get(role)
    }
    kept = [i for i, label in enumerate(static.labels) if label in new]
    renamed = replace(static, labels=tuple(new[static.labels[i]] for i in kept), points_g=static.points_g[:, kept])
    with pytest.raises(TrialError, match="another person's|cannot be computed"):
        run_with(renamed, trial)


@cache
def cleaned(name: str) -> Mapping[str, Array]:
    """The trial's markers, whatever the size of its static: by the model's settings and the labels of both."""
    static, trial = pair(name)
    model = load_model("cast", settings_of(trial))
    pipeline = Pipeline(trial=trial, model=model, subject_file=PERSON, static=static)
    return clean_markers(trial, pipeline.found.model).filtered


@cache
def odds(name: str, size: float = 1.0) -> float:
    """The larger of the logarithms of odds for another person or size, of a static so many times as large."""
    static, trial = pair(name)
    larger = replace(static, points_g=static.points_g * size)
    pipeline = Pipeline(trial=trial, model=load_model("cast", settings_of(trial)), subject_file=PERSON, static=larger)
    found, calibration = pipeline.found, pipeline.calibration
    geometry = Geometry(
        found.model, cleaned(name), found.subject.numbers, trial.n_frames, found.up_g, calibration=calibration
    )
    segments = compare(geometry, pipeline.legs)
    return max(other_person(segments), other_size(segments)[1])


@needs_trials
@pytest.mark.parametrize("name", OWN)
def test_limits_drawn_without_a_laboratory_judge_it_rightly(name: str) -> None:
    """Half way between own statics of the others and those made 4 % smaller or larger."""
    rest = [other for other in OWN if other.partition("/")[0] != name.partition("/")[0]]
    own = max(odds(other) for other in rest)
    foreign = min(odds(other, size) for other in rest for size in (0.96, 1.04))
    limit = (own + foreign) / 2
    assert odds(name) < limit < min(odds(name, size) for size in (0.96, 1.04))


@needs_trials
@pytest.mark.parametrize("name", OWN)
def test_a_mirrored_static_is_refused(name: str) -> None:
    static, trial = pair(name)
    with pytest.raises(TrialError, match="exchanged in the static"):
        run_with(replace(static, points_g=static.points_g * (1.0, -1.0, 1.0)), trial)


def test_what_was_repaired_of_a_static_is_said(simulated) -> None:  # type: ignore[no-untyped-def]
    """Of its markers; what was assumed of its plates bears on nothing that the static is for."""
    static = replace(
        simulated().trial,
        notes=(
            Note("file_repaired", "Units says 'm'; lengths are taken in mm"),
            Note("reading_assumed", "plate 1: its channels are labelled V", plates=(1,)),
            Note("gap_filled", "a gap"),
        ),
    )
    assert reading_notes(static) == (Note("reading_info", "static: Units says 'm'; lengths are taken in mm"),)
    assert reading_notes(None) == ()
