"""Any laboratory's markers on the simulated bones: which model is taken, and that it is exact where it can be."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from any_markers import FAMILIES, FAMILY_OF, chosen, exact, marked, result_of, run, truth
from slow import slow_but

from gaitid.analysis.choice import Recording, choose_model, refusal
from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.result import Result
from gaitid.errors import GaitidError, TrialError
from gaitid.model.load import load_model
from gaitid.numerics.rotation import about_axis
from gaitid.simulate.body import SIDES
from gaitid.trial import Array, Trial
from gaitid.write.tables import table_text

#: m, and the entries of a rotation: rounding of positions of metres is 1e-15, of a fit to three markers some 1e-14.
EXACT = 1e-9
#: deg
EXACT_DEG = 1e-6
JOINTS = ("hip", "knee", "ankle")
BY_LANDMARKS = [name for name, family in FAMILIES.items() if family.model != "pig"]


def clinical(result: Result) -> dict[str, Array]:
    """Angles, moments and powers by side and name."""
    found = {}
    for side, leg in result.sides.items():
        for kind, groups in (("deg", leg.angles), ("Nm", leg.moments)):
            for name, columns in groups.items():
                found |= {f"{side}_{name}_{column}_{kind}": values for column, values in columns.items()}
        found |= {f"{side}_{joint}_power": values for joint, values in leg.powers.items()}
    return found


def joints(result: Result) -> dict[str, Array]:
    return {f"{side}_{joint}": p for side, leg in result.sides.items() for joint, p in leg.joints_g.items()}


def worst(found: Array, true: Array) -> float:
    """The largest difference; infinite where anything is unknown."""
    return float(np.abs(found - true).max()) if np.isfinite(found).all() else np.inf


def hidden(trial: Trial, labels: set[str], frames: slice = slice(None)) -> Trial:
    """The trial without some of its markers, in some frames."""
    points = np.array(trial.points_g)
    for label in labels:
        points[frames, trial.labels.index(label)] = np.nan
    return replace(trial, points_g=points)


# --- which model ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_auto_takes_the_model_of_the_markers(family: str) -> None:
    recorded = marked(family)
    assert chosen(recorded) == (recorded.family.auto or recorded.family.model)
    read_as = result_of(family).model.marker_set
    assert read_as == recorded.family.read_as if recorded.family.read_as is not None else read_as.endswith("words")


# --- exactness ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_joint_centres_are_those_of_the_bones(family: str) -> None:
    recorded = marked(family)
    result = result_of(family)
    known = ("hip",) if recorded.family.model == "lateral" else JOINTS  # its knee is a marker
    for side in SIDES:
        for joint in known:
            assert worst(result.sides[side].joints_g[joint], recorded.bones.point[f"{side}_{joint}"]) < EXACT


@pytest.mark.parametrize("family", BY_LANDMARKS)
def test_every_segment_lies_as_the_bones_do(family: str) -> None:
    recorded = marked(family)
    body = result_of(family).body
    if recorded.family.model != "keypoints":  # hips do not tell how a pelvis tilts
        assert worst(body.segments["", "pelvis"].pose.R_gs, recorded.bones.rotation["pelvis"]) < EXACT
        assert worst(body.segments["", "pelvis"].pose.origin_g, recorded.bones.point["pelvis"]) < EXACT
    for side in SIDES:
        for segment in ("thigh", "shank", "foot"):
            assert worst(body.segments[side, segment].pose.R_gs, exact(recorded, side).frames[segment]) < EXACT


@pytest.mark.parametrize("family", BY_LANDMARKS)
def test_every_angle_is_exact_and_what_is_not_determined_is_empty(family: str) -> None:
    recorded = marked(family)
    found, true = clinical(result_of(family)), truth(recorded)
    angles = [name for name in true if name.endswith("_deg")]
    assert {name for name in found if name.endswith("_deg")} == set(angles)
    for name in angles:
        if np.isnan(true[name]).all():
            assert np.isnan(found[name]).all(), name
        else:
            assert worst(found[name], true[name]) < EXACT_DEG, name


@pytest.mark.parametrize("family", ["rtosim", "visual3d", "isb_bone_names", "helen_hayes_cortex"])
def test_angles_of_bones_that_all_models_share_are_those_of_the_simulator(family: str) -> None:
    """An authority besides the helper's: `gaitid.simulate.walk`, where axes coincide."""
    recorded = marked(family)
    true = recorded.walk.at(recorded.walk.settings.times_s).clinical
    found = clinical(result_of(family))
    shared = [name for name in true if "_deg" in name and name.split("_")[1] in ("pelvis", "hip")]
    assert len(shared) == 12
    for name in shared:
        assert worst(found[name], true[name]) < EXACT_DEG, name
    for side in SIDES:  # other axes of shank and foot, hence other angles, but nobody bends the other way
        for name in (f"{side}_knee_flexion_deg", f"{side}_ankle_dorsiflexion_deg"):
            assert np.corrcoef(found[name], true[name])[0, 1] > 0.99


@pytest.mark.parametrize("family", slow_but(["rtosim", "isb_bone_names"], BY_LANDMARKS))
def test_moments_obey_the_momentum_principle(family: str) -> None:
    """Largest difference measured: 3.3e-4 N·m/kg and 1e-3 W/kg, of the spline's derivatives and the plates' samples."""
    recorded = marked(family)
    result = result_of(family)
    found = clinical(result)
    for name, values in truth(recorded).items():
        short = name.replace("_moment_Nm_per_kg", "_Nm").replace("_W_per_kg", "")
        if name.endswith("_deg"):
            continue
        known = np.isfinite(found[short])
        if np.isnan(values).all():
            assert not known.any(), name
        else:
            assert known.sum() > 150, name
            limit = 1e-3 if short.endswith("_Nm") else 3e-3
            if recorded.family.model == "cgm21":  # its foot is no body (test_signs.py)
                limit = 6e-3
            assert np.abs(found[short] - values)[known].max() < limit, name


@pytest.mark.parametrize("model", FAMILY_OF)
def test_poses_that_the_markers_do_not_tell_are_not_written(model: str) -> None:
    """Key points have places and no turns; lateral markers are no joints, but those of the pelvis tell its pose."""
    names, *rows = (line.split(",") for line in table_text("segments", result_of(FAMILY_OF[model])).splitlines())
    empty = {name for i, name in enumerate(names) if not any(row[i] for row in rows)}
    turns = {name for name in names if "_omega_" in name or "_alpha_" in name or name[-3:-1] == "_q"}
    assert len(turns) == 7 * 10  # the pelvis and three segments of each leg
    of_legs = {name for name in names if name.startswith(("left_", "right_"))}
    assert empty == {"keypoints": turns, "lateral": of_legs}.get(model, set())


# --- what must not matter -------------------------------------------------------------------------------------


def turned(trial: Trial, R: Array) -> Trial:
    plates = tuple(replace(plate, corners_g=plate.corners_g @ R.T) for plate in trial.plates)
    return replace(trial, points_g=trial.points_g @ R.T, plates=plates, up_hint=R @ trial.up_hint)


TURNS: dict[str, Array] = {
    "about the vertical": about_axis("z", np.radians(37.0)),
    "y up": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("family", slow_but(["isb_bone_names", "keypoints"], BY_LANDMARKS))
def test_the_laboratory_may_lie_as_it_likes(family: str, turn: str) -> None:
    """Walk and static each in axes of their own, as two sessions might have them."""
    recorded, R = marked(family), np.asarray(TURNS[turn])
    static = None if recorded.static is None else turned(recorded.static, R)
    plain, other = result_of(family), run(recorded, turned(recorded.trial, R), static)
    for name, values in clinical(plain).items():
        # deg, N·m/kg and W/kg: rounding, which derivatives at 100 Hz make up to 1e4 times as large
        np.testing.assert_allclose(clinical(other)[name], values, atol=1e-8, err_msg=name)
    for name, values in joints(plain).items():
        np.testing.assert_allclose(joints(other)[name], values @ R.T, atol=EXACT)


# --- another static -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["visual3d", "gait2392", "rbds", "helen_hayes_cortex"])
def test_a_static_without_medial_markers_is_refused_by_their_names(family: str) -> None:
    """Also by who chooses a model: none that needs them fits."""
    recorded = marked(family)
    assert recorded.static is not None
    medial = {label: role for label, role in recorded.roles.items() if role[1].endswith("_medial")}
    static = hidden(recorded.static, set(medial))
    with pytest.raises(TrialError) as caught:
        run(recorded, static=static)
    line = caught.value.line()
    assert "its static lacks" in line
    for label, (_, role) in medial.items():
        assert label in line or recorded.family.read_as is None  # words say no label that is not there
        assert f"{role} on both sides" in line
    fault = refusal(Pipeline(trial=recorded.trial, model=load_model(recorded.family.model), static=static))
    assert isinstance(fault, GaitidError)
    assert "its static lacks" in fault.line()


def test_a_static_of_another_person_is_doubted() -> None:
    """Stored leg lengths that differ by more than a tenth, as the file of a child would have them."""
    recorded = marked("visual3d")
    assert recorded.static is not None
    stored = {name: 0.7 * value if "LegLength" in name else value for name, value in recorded.static.parameters.items()}
    result = run(recorded, static=replace(recorded.static, parameters=stored))
    assert "other_person" in {note.code for note in result.notes}
    assert "other_person" not in {note.code for note in result_of("visual3d").notes}


# --- spelling -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "other"), [("visual3d", "gait2392"), ("gait2392", "rbds"), ("opencap", "rajagopal")]
)
def test_a_static_of_another_marker_set_is_refused_by_name(family: str, other: str) -> None:
    recorded = marked(family)
    with pytest.raises(TrialError) as caught:
        run(recorded, static=marked(other).static)
    line = caught.value.line()
    assert re.match(r"the static has other labels \(\S+, .* more\) than the trial \(.* more\); the model cast", line)
    assert "\n" not in line


def test_who_chooses_a_model_says_once_that_the_static_is_of_another_marker_set() -> None:
    """And of many markers that trial and static do not share, the first few."""
    with pytest.raises(TrialError) as caught:
        choose_model([Recording(marked("visual3d").trial, marked("gait2392").static)])
    line = caught.value.line()
    assert line.count("the static has other labels (") == 1
    assert " or " not in line.split("; found ")[0]
    assert len(line) < 1200
