"""A static tells which labels are right: throughout, in part of a trial, or beside a jump."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cluster_walk
import numpy as np
import pytest
from cluster_walk import exchanged, moved

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.markers.labels import check_labels
from gaitid.markers.templates import Template, find_exchanged_throughout
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Array, Trial

WILD = Path(__file__).resolve().parents[3] / "shared" / "trials" / "wild"
needs_trials = pytest.mark.skipif(not WILD.is_dir(), reason="the shared trials are not beside this checkout")
PERSON = SubjectFile({"mass": 70.0, "height": 1.7})
FOOT = ("HEEL", "MT_1", "MT_5", "FOOT_1")


@cache
def static() -> Trial:
    return cluster_walk.static()


@cache
def walk() -> Trial:
    return cluster_walk.walk()


def tracks(trial: Trial) -> dict[str, Array]:
    return {label: trial.marker(label) for label in trial.labels}


def foot(side: str) -> Template:
    return Template("foot", {f"{side}_{name}": static().marker(f"{side}_{name}")[0] for name in FOOT})


def analysed(trial: Trial) -> Result:
    return analyse(trial, load_model("cast"), PERSON, static())


def said(result: Result) -> list[str]:
    return [note.text for note in result.notes if note.code in ("label_fault", "labels_exchanged", "labels_unused")]


def test_labels_as_in_the_static_raise_no_alarm() -> None:
    assert find_exchanged_throughout(tracks(walk()), [foot("L"), foot("R")]) == []
    assert said(analysed(walk())) == []


@pytest.mark.parametrize("noise_mm", [0.0, 5.0])
@pytest.mark.parametrize(("a", "b"), [("R_MT_1", "R_MT_5"), ("R_HEEL", "R_FOOT_1"), ("L_HEEL", "R_HEEL")])
def test_labels_exchanged_throughout_are_named(a: str, b: str, noise_mm: float) -> None:
    rng = np.random.default_rng(5)
    markers = {n: p + rng.normal(0, noise_mm / 1e3, p.shape) for n, p in tracks(exchanged(walk(), a, b)).items()}
    (found,) = find_exchanged_throughout(markers, [foot("L"), foot("R")])
    assert found.labels == (a, b) and found.better_m > 0.01


def test_the_side_that_differs_from_the_static_is_blamed_and_its_frames_are_empty() -> None:
    """Without the static its mirror image is blamed as well as it; the other side's angles stay as they are."""
    wrong = analysed(exchanged(walk(), "R_MT_1", "R_MT_5"))
    (text,) = said(wrong)
    assert text.startswith("R_MT_5 and R_MT_1 are exchanged: the first lies ")  # on the wrong side of each other
    assert "R_MT_1" not in wrong.markers.seen and np.isfinite(wrong.markers.seen["L_MT_1"]).all()
    true = analysed(walk())
    for side in ("left", "right"):  # the rest of the foot carries it: rounding
        for column, angle in true.sides[side].angles["ankle"].items():
            if (side, column) == ("right", "eversion"):  # two markers of the foot are left: its roll is not known
                assert np.isnan(wrong.sides[side].angles["ankle"][column]).all()
                continue
            np.testing.assert_allclose(wrong.sides[side].angles["ankle"][column], angle, atol=1e-6)
    np.testing.assert_allclose(wrong.ground.feet["right"].toe_g, true.ground.feet["right"].toe_g, atol=1e-9)


def test_of_a_swap_in_the_middle_the_static_tells_the_right_half() -> None:
    half = exchanged(walk(), "R_MT_1", "R_MT_5", slice(0, 160))
    alone = check_labels(tracks(half), 100.0).faults
    assert any(fault.frames == ((0, 299),) for fault in alone)
    (fault,) = check_labels(tracks(half), 100.0, [foot("R")]).faults
    assert (fault.kind, fault.labels, fault.frames) == ("swap", ("R_MT_1", "R_MT_5"), ((0, 159),))


@pytest.mark.parametrize(("frames", "wrong"), [(slice(0, 140), ((0, 139),)), (slice(140, 300), ((140, 299),))])
def test_beside_a_jump_the_static_tells_the_right_half(frames: slice, wrong: tuple[tuple[int, int], ...]) -> None:
    """The same trial without a static loses the label throughout."""
    jumped = tracks(moved(walk(), "R_MT_5", (0.03, 0.0, 0.0), frames))
    (alone,) = check_labels(jumped, 100.0).faults
    assert alone.frames == ((0, 299),)
    (fault,) = check_labels(jumped, 100.0, [foot("R")]).faults
    assert fault.frames == wrong


# --- recorded trials ----------------------------------------------------------------------------------------


def recorded(static_file: str, trial_file: str) -> Result:
    return analyse(read_trial(WILD / trial_file), load_model("cast"), PERSON, read_trial(WILD / static_file))


@needs_trials
def test_exchanged_metatarsals_of_a_recorded_run_are_named() -> None:
    result = recorded("rbds_running/static.c3d", "rbds_running/run.c3d")
    assert [text for text in said(result) if text.startswith("R.MT5 and R.MT1 are exchanged")] == said(result)
    dorsiflexion = result.sides["right"].angles["ankle"]["dorsiflexion"]
    assert -40 < np.nanmin(dorsiflexion) < np.nanmax(dorsiflexion) < 40  # deg; −180 to 180 before
    assert {contact.side for contact in result.contacts if contact.plates} == {"left", "right"}


@needs_trials
def test_labels_that_change_places_in_every_third_frame_of_a_recorded_run() -> None:
    result = recorded("rajagopal/static.trc", "rajagopal/run.trc")
    (fault,) = result.quality["label_faults"]
    assert fault["labels"] == ["RTOE", "RMT5"]
    lost = sum(last - first + 1 for first, last in fault["frames"])
    assert 40 <= lost <= 48  # of 123
    assert np.isfinite(result.sides["right"].angles["ankle"]["dorsiflexion"]).sum() > 80
