"""A static of another person, of exchanged sides, or in which the subject moves is refused; the right one is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import cluster_walk
import numpy as np
import pytest
from cluster_walk import moved

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.recorded import bind_trial
from gaitid.analysis.result import Result
from gaitid.body.sanity import check_standing
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Trial

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


def test_a_marker_that_was_moved_is_said_and_not_refused() -> None:
    (text,) = differing(analysed(moved(cluster_walk.static(), "L_MT_5", (0.0, 0.03, 0.0))))
    assert text.startswith("left foot: L_") and "L_MT_5" in text


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
        check_standing({label: trial.marker(label) for label in labels})


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
