"""A laboratory whose axes are left-handed is called that, by two witnesses; one of them alone is another fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.choice import Recording, choose_model
from gaitid.errors import GaitidError, TrialError
from gaitid.ground.vertical import MirroredError, vertical
from gaitid.model.load import load_model
from gaitid.read import mirrored as mirror
from gaitid.read.c3d.trial import read_c3d
from gaitid.read.plates.surface import plate_axes
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


def mirrored(trial: Trial, axis: int, plates: bool = True) -> Trial:
    """The trial with the sign of one axis turned, of the markers and, as an export does it, of the plates' corners."""
    sign = np.ones(3)
    sign[axis] = -1
    corners = tuple(replace(p, corners_g=p.corners_g * sign) for p in trial.plates)
    return replace(trial, points_g=trial.points_g * sign, plates=corners if plates else trial.plates)


@pytest.fixture
def trial() -> Trial:
    return simulated_walk().trial


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_mirrored_laboratory_is_called_that(trial: Trial, axis: int) -> None:
    with pytest.raises(MirroredError, match="axes of the laboratory are left-handed") as refused:
        vertical(mirrored(trial, axis), load_model("pig"))
    line = refused.value.line()
    assert line.endswith("or give --set mirror=y") and "mm on the right of the other" in line
    with pytest.raises(MirroredError):  # also where the model is to be chosen
        choose_model([Recording(mirrored(trial, axis), None)])


def test_corners_in_the_wrong_order_are_not_that(trial: Trial) -> None:
    plates = tuple(replace(p, corners_g=p.corners_g[::-1]) for p in trial.plates)
    with pytest.raises(TrialError, match="the plates do not face up: by their corners they face -Z") as refused:
        vertical(replace(trial, plates=plates), load_model("pig"))
    assert "let the corners of each plate run the other way round" in refused.value.todo
    assert not isinstance(refused.value, MirroredError)


def test_two_axes_turned_are_another_right_handed_laboratory(trial: Trial) -> None:
    up_g, _ = vertical(mirrored(mirrored(trial, 0), 2), load_model("pig"))
    assert up_g[2] == -1


@pytest.mark.parametrize("outlined", [True, False])
@pytest.mark.parametrize(("axis", "by"), [(0, "x"), (1, "x"), (0, "z"), (2, "y")])
def test_mirror_gives_the_same_results(trial: Trial, axis: int, by: str, outlined: bool) -> None:
    """Of corners that an export mirrored, and of forces in laboratory axes; by another axis the body is turned."""
    from gaitid.analysis.pipeline import analyse
    from gaitid.body.subject import SubjectFile

    model = load_model("pig")
    if not outlined:
        axes = [plate_axes(plate) for plate in trial.plates]
        none = np.full((4, 3), np.nan)
        plates = [
            replace(p, corners_g=none, R_gp=R_gp, centre_g=centre_g)
            for p, (R_gp, centre_g, _) in zip(trial.plates, axes, strict=True)
        ]
        trial = replace(trial, plates=tuple(plates))
    of_laboratory = mirror(trial, "xyz"[axis]) if not outlined else mirrored(trial, axis)
    expected = analyse(trial, model, SubjectFile())
    found = analyse(mirror(of_laboratory, by), model, SubjectFile())
    for side, of_side in expected.sides.items():
        for quantity in ("angles", "moments"):
            for name, columns in getattr(of_side, quantity).items():
                for column, values in columns.items():
                    again = getattr(found.sides[side], quantity)[name][column]
                    np.testing.assert_allclose(again, values, atol=1e-6, err_msg=f"{side} {name} {column}")


@needs_trials
def test_a_recorded_laboratory_with_left_handed_axes() -> None:
    """Its subject walks along +x with +y up, the left leg at the larger z: by either way the cure gives one body."""
    from gaitid import analyse

    file = SHARED / "labs" / "motion_analysis" / "walk1.trc"
    with pytest.raises(GaitidError, match="left and right are exchanged.*--set mirror=z$"):
        analyse(file)
    flexion = [analyse(file, settings={"mirror": axis}).angles["left_knee_flexion_deg"] for axis in "xyz"]
    np.testing.assert_allclose(flexion[1], flexion[0], atol=1e-6)
    np.testing.assert_allclose(flexion[2], flexion[0], atol=1e-6)
    assert flexion[0].min() > -5 and 50 < flexion[0].max() < 75


@needs_trials
@pytest.mark.parametrize(
    "name", ["sydney/walk03", "children/HC030A/turn", "nexus_flatfoot/walk", "stairs/Movement_trial"]
)
def test_recorded_trials(name: str) -> None:
    trial, model = read_c3d(SHARED / f"{name}.c3d"), load_model("pig")
    assert vertical(trial, model)[0][2] == 1
    with pytest.raises(MirroredError):
        vertical(mirrored(trial, 0), model)


def test_forces_without_corners_that_push_down_are_not_that(trial: Trial) -> None:
    turned = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    plates = tuple(replace(p, corners_g=p.corners_g * np.nan, R_gp=-turned, centre_g=np.zeros(3)) for p in trial.plates)
    with pytest.raises(TrialError, match="the forces do not push up: they push along -Z, and the pelvis") as refused:
        vertical(replace(trial, plates=plates), load_model("pig"))
    assert "turn the sign of the forces" in refused.value.todo
