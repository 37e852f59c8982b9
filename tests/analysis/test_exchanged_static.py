"""Two labels of a leg that are exchanged in a static: found by trying, named, and taken the other way round or left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.recorded import bind_trial
from gaitid.body.subject import SubjectFile
from gaitid.model.load import as_bundled
from gaitid.read import as_static, read_trial
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
WHERE = {
    "pig": ("children/HC002D/walk.c3d", "children/HC002D/static.c3d"),
    "ior": ("qualisys/walk.c3d", "qualisys/static.c3d"),
    "cast": ("wild/opencap/walk.trc", "wild/opencap/static.trc"),
}


@cache
def of(model: str) -> tuple[Trial, Trial]:
    walk, static = (read_trial(SHARED / path) for path in WHERE[model])
    return walk, as_static(static)


def exchanged(trial: Trial, one: str, other: str) -> Trial:
    names = {one: other, other: one}
    return replace(trial, labels=tuple(names.get(label, label) for label in trial.labels))


def notes_of(trial: Trial, model: str, static: Trial) -> Sequence[str]:
    of_exchange = ("static_exchanged", "labels_unused/static")
    notes = bind_trial(trial, as_bundled(model), static, None).notes
    return [n.code for n in notes if n.code in of_exchange or "in the static or in the trial" in n.text]


@needs_trials
@pytest.mark.parametrize("model", ["pig", "ior"])
def test_heel_and_ankle_exchanged_in_the_static_change_nothing(model: str) -> None:
    walk, static = of(model)
    expected = analyse(walk, as_bundled(model), SubjectFile(), static=static)
    found = analyse(walk, as_bundled(model), SubjectFile(), static=exchanged(static, "LANK", "LHEE"))
    (note,) = [n for n in found.notes if n.code == "static_exchanged"]
    assert note.side == "left" and note.text.startswith("LANK and LHEE are exchanged in the static")
    for side, of_side in expected.sides.items():
        for name, columns in of_side.angles.items():
            for column, values in columns.items():
                np.testing.assert_array_equal(found.sides[side].angles[name][column], values)


@needs_trials
@pytest.mark.parametrize("model", ["pig", "ior"])
def test_two_labels_of_one_segment_are_not_guessed(model: str) -> None:
    walk, static = of(model)
    toe = "LTOE" if model == "pig" else "LLA_TOE"
    for files in ((walk, exchanged(static, "LHEE", toe)), (exchanged(walk, "LHEE", toe), static)):
        assert notes_of(files[0], model, files[1]) == ["labels_unused"]


@needs_trials
def test_a_static_of_who_lies_on_a_plate_is_that_of_who_stands() -> None:
    """The same posture, turned to the floor over the plates as they were; only the mass is not weighed then."""
    walk, static = of("ior")
    lies = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    results = [
        analyse(walk, as_bundled("ior"), SubjectFile(), static=one)
        for one in (static, replace(static, points_g=static.points_g @ lies.T))
    ]
    for side, of_side in results[0].sides.items():
        for joint, column in (("knee", "flexion"), ("ankle", "dorsiflexion")):
            found = results[1].sides[side].angles[joint][column]
            np.testing.assert_allclose(found, of_side.angles[joint][column], atol=1e-9)
