"""Any laboratory's markers on the simulated bones: which model is taken, and that it is exact where it can be."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from any_markers import CGM2, FAMILIES, FAMILY_OF, UNKNOWN, Marked, chosen, exact, marked, result_of, run, truth
from slow import slow_but

from gaitid.analysis.choice import Recording, choose_model, refusal
from gaitid.analysis.pipeline import Pipeline, analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.errors import GaitidError, TrialError
from gaitid.model.load import bundled_models, load_model
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
# Of each model one family, besides those that a change of a marker set or a cluster would break first.
FEW = ["isb_bone_names", "visual3d", "rtosim", "helen_hayes_cortex", "keypoints", "cmu"]


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


def test_other_labels_for_the_places_of_plug_in_gait() -> None:
    """With medial markers in the static they are Helen Hayes; with widths instead they are Plug-in Gait's."""
    recorded = marked("helen_hayes_cortex")
    assert recorded.static is not None
    without = hidden(recorded.static, {label for label, role in recorded.roles.items() if role[1].endswith("_medial")})
    widths = {
        f"{letter}{name}": value for letter in "LR" for name, value in (("KneeWidth", 104.0), ("AnkleWidth", 72.0))
    }
    trial = replace(recorded.trial, parameters={**recorded.trial.parameters, **widths})
    assert choose_model([Recording(trial, recorded.static)]).model.name == "helen_hayes"
    assert choose_model([Recording(trial, without)]).model.name == "pig"


@pytest.mark.parametrize("spell", [str.lower, lambda label: f"{label[0]}_{label[1:]}"])
def test_plug_in_gaits_own_labels_may_be_spelled_otherwise(spell: Callable[[str], str]) -> None:
    recorded = marked("plug_in_gait")
    trial, static = (
        replace(of, labels=tuple(spell(label) for label in of.labels)) for of in (recorded.trial, recorded.static) if of
    )
    assert choose_model([Recording(trial, static)]).model.name == "pig"


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
def test_what_a_model_calls_unknown_is_empty_in_its_files(model: str) -> None:
    """Every column is there; the cells of the unknown ones hold nothing, those of the others something."""
    names, *rows = (line.split(",") for line in table_text("joints", result_of(FAMILY_OF[model])).splitlines())
    empty = {name for i, name in enumerate(names) if not any(row[i] for row in rows)}
    words = [*UNKNOWN.get(model, ()), *UNKNOWN.get(f"{model} moments", ())]
    if model == "lateral":
        words += [f"{joint}_{what}" for joint in JOINTS for what in ("power", "ext", "abd", "ever", "plantar")]
    expected = {name for name in names for word in words if name.startswith((f"left_{word}", f"right_{word}"))}
    assert empty == expected
    assert bool(empty) == (model in ("keypoints", "lateral"))


def test_wrenches_of_key_points_are_written_in_laboratory_axes_only() -> None:
    """How a segment turns about its length is assumed: components in its axes would be as well."""
    frames_of_expression = ("global", "proximal", "distal", "jcs")
    names, *rows = (
        line.split(",") for line in table_text("wrenches", result_of("keypoints"), frames_of_expression).splitlines()
    )
    filled = {name for i, name in enumerate(names) if any(row[i] for row in rows)}
    for side in SIDES:
        for joint in JOINTS:
            of_joint = {name for name in names if name.startswith((f"{side}_{joint}_force", f"{side}_{joint}_moment"))}
            assert len(of_joint) == 24
            assert of_joint & filled == {name for name in of_joint if "_global_" in name}


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


def clusters_of(recorded: Marked, side: str, segment: str) -> list[str]:
    """Labels of a cluster in the walk."""
    return [
        label
        for label, role in recorded.roles.items()
        if role[0] == side and role[1].startswith(f"{segment}_cluster_") and label in recorded.trial.labels
    ]


@pytest.mark.parametrize("family", ["visual3d", "rajagopal"])
@pytest.mark.parametrize("segment", ["thigh", "shank"])
def test_any_marker_of_four_may_be_missing(family: str, segment: str) -> None:
    recorded = marked(family)
    labels = clusters_of(recorded, "left", segment)
    assert len(labels) == 4
    for label in labels:
        for frames in (slice(None), slice(60, 90)):
            # gaps are not to be filled from the others: the fit itself does without
            result = run(recorded, hidden(recorded.trial, {label}, frames), gap_sure_s=0, gap_spline_s=0, gap_rigid_s=0)
            for joint, p in joints(result).items():
                assert worst(p, recorded.bones.point[joint]) < EXACT, (label, joint)
            for name in ("thigh", "shank", "foot"):
                assert worst(result.body.segments["left", name].pose.R_gs, exact(recorded, "left").frames[name]) < EXACT


def test_two_markers_of_a_cluster_leave_their_segment_unknown() -> None:
    """In the frames in which two are seen; nothing is invented there, and elsewhere nothing changes."""
    recorded = marked("visual3d")
    gone, frames = set(clusters_of(recorded, "left", "shank")[:2]), slice(60, 90)
    unfilled = {"gap_sure_s": 0, "gap_spline_s": 0, "gap_rigid_s": 0}
    result = run(recorded, hidden(recorded.trial, gone, frames), **unfilled)
    within = np.zeros(recorded.trial.n_frames, dtype=bool)
    within[frames] = True
    shank = result.body.segments["left", "shank"]
    assert np.isnan(result.body.geometry.frame("shank", "left").R_gs[within]).all()
    assert not shank.known[within].any()
    assert shank.known[~within].all()
    found, true = clinical(result), truth(recorded)
    for name, values in found.items():
        if name.startswith("left_knee") or name.startswith("left_ankle"):
            assert np.isnan(values[within]).all(), name
        if name.endswith("_deg"):
            known = np.isfinite(values)
            assert np.abs(values - true[name])[known].max() < EXACT_DEG, name
    assert worst(found["left_hip_flexion_deg"], true["left_hip_flexion_deg"]) < EXACT_DEG


def in_line(trial: Trial, labels: list[str]) -> Trial:
    """The trial with markers moved into one line: the third and later ones between the first two."""
    points = np.array(trial.points_g)
    index = [trial.labels.index(label) for label in labels]
    for i, k in enumerate(index[2:]):
        points[:, k] = points[:, index[0]] + 0.3 * (i + 1) * (points[:, index[1]] - points[:, index[0]])
    return replace(trial, points_g=points)


def cluster_alone(recorded: Marked, gone: set[str]) -> tuple[Trial, Trial]:
    """Walk and static without other markers of a segment."""
    assert recorded.static is not None
    return hidden(recorded.trial, gone & set(recorded.trial.labels)), recorded.static


@pytest.mark.parametrize("n", [3, 4])
def test_a_cluster_in_one_line_is_refused_by_name(n: int) -> None:
    recorded = marked("visual3d")
    labels = clusters_of(recorded, "left", "shank")[:n]
    # nothing else is on the shank, and reserves may not stand in: the ankle's and knee's centres are its own
    gone = set(clusters_of(recorded, "left", "shank")[n:])
    trial, static = cluster_alone(recorded, gone)
    model = load_model("cast", {"cutoff_hz": "none"})
    frames = dict(model.each_side.frames)
    frames["shank"] = frames["shank"]._replace(reserve=())  # type: ignore[union-attr, call-arg]
    model = model._replace(each_side=model.each_side._replace(frames=frames))
    with pytest.raises(TrialError) as caught:
        analyse(in_line(trial, labels), model, SubjectFile(), in_line(static, labels))
    line = caught.value.line()
    assert f"the markers of the left shank lie in one line: {', '.join(labels)}; expected three or more" in line


def test_a_reserve_stands_in_for_a_cluster_in_one_line() -> None:
    """Of a thigh with its cluster in a line the hip's centre tells the rest, exactly; nothing is refused."""
    recorded = marked("visual3d")
    assert recorded.static is not None
    labels = clusters_of(recorded, "left", "thigh")
    result = run(recorded, in_line(recorded.trial, labels), in_line(recorded.static, labels))
    assert worst(result.body.segments["left", "thigh"].pose.R_gs, exact(recorded, "left").frames["thigh"]) < EXACT


def test_a_foot_in_one_line_is_left_out_with_a_note() -> None:
    """The model can do without a foot; nothing of it is invented, and the knee is as it was."""
    recorded = marked("visual3d")
    assert recorded.static is not None
    foot = [
        label for label, (side, role) in recorded.roles.items() if side == "left" and role in ("heel", "mt1", "mt5")
    ]
    gone = set(clusters_of(recorded, "left", "foot"))
    model = load_model("cast", {"cutoff_hz": "none"})
    frames = dict(model.each_side.frames)
    frames["foot"] = frames["foot"]._replace(reserve=())  # type: ignore[union-attr, call-arg]
    model = model._replace(each_side=model.each_side._replace(frames=frames))
    trial, static = in_line(hidden(recorded.trial, gone), foot), in_line(recorded.static, foot)
    result = analyse(trial, model, SubjectFile(), static)
    notes = [note.text for note in result.notes if note.code == "segment_absent"]
    assert len(notes) == 1
    assert "the markers of the left foot lie in one line: L_HEEL, L_MT_1, L_MT_5" in notes[0]
    found, true = clinical(result), truth(recorded)
    assert np.isnan(found["left_ankle_dorsiflexion_deg"]).all()
    assert np.isnan(found["left_knee_extension_Nm"]).all()
    assert worst(found["left_knee_flexion_deg"], true["left_knee_flexion_deg"]) < EXACT_DEG


def test_markers_that_are_left_in_one_line_are_no_pose() -> None:
    """Three of four lie in a line: while the fourth is out of sight, how they turn about it is not known."""
    recorded = marked("visual3d")
    labels = clusters_of(recorded, "left", "shank")
    assert recorded.static is not None
    trial, static = in_line(recorded.trial, labels[:3]), in_line(recorded.static, labels[:3])
    unfilled = {"gap_sure_s": 0, "gap_spline_s": 0, "gap_rigid_s": 0}
    result = run(recorded, hidden(trial, {labels[3]}, slice(60, 90)), static, **unfilled)
    known = result.body.segments["left", "shank"].known
    assert not known[60:90].any()
    assert known.sum() == trial.n_frames - 30


@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_cluster_of_two_markers_leaves_its_leg_out_by_name(left: int) -> None:
    recorded = marked("visual3d")
    assert recorded.static is not None
    gone = set(clusters_of(recorded, "left", "shank")[left:])
    model = load_model("cast", {"cutoff_hz": "none"})
    frames = dict(model.each_side.frames)
    frames["shank"] = frames["shank"]._replace(reserve=())  # type: ignore[union-attr, call-arg]
    model = model._replace(each_side=model.each_side._replace(frames=frames))
    result = analyse(hidden(recorded.trial, gone), model, SubjectFile(), recorded.static)
    (note,) = [note for note in result.notes if note.code == "leg_absent"]
    assert "left leg: trial and static share fewer than three markers of shank on the left" in note.text
    for label in gone:
        assert label in note.text


# --- another static -------------------------------------------------------------------------------------------


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

SPELLINGS: dict[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "other separators": lambda label: label.replace("_", ".") if "_" in label else label.replace(".", "_"),
    "no separators": lambda label: label.replace("_", "").replace(".", ""),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("family", slow_but(["visual3d", "gait2392"], [f for f in BY_LANDMARKS if f != "opencap"]))
def test_another_spelling_gives_the_same_bytes(family: str, spelling: str) -> None:
    recorded, spell = marked(family), SPELLINGS[spelling]

    def spelled(trial: Trial) -> Trial:
        return replace(trial, labels=tuple(spell(label) for label in trial.labels))

    static = None if recorded.static is None else spelled(recorded.static)
    plain, other = result_of(family), run(recorded, spelled(recorded.trial), static)
    assert table_text("joints", plain) == table_text("joints", other)
    for side, role in plain.model.roles:
        for label in plain.model.labels(role, side):
            if recorded.trial.has(label):
                assert other.model.labels(role, side) == (spell(label),)


def test_every_model_by_landmarks_is_judged() -> None:
    """And those of CGM 2, which name their labels themselves; `opensim` by an `.osim`, in test_osim_static.py."""
    assert {f.model for f in FAMILIES.values()} >= set(FAMILY_OF)
    by_landmarks = {name for name in bundled_models() if load_model(name).by_landmarks} - {"opensim"}
    assert by_landmarks.isdisjoint(CGM2) and by_landmarks | set(CGM2) == set(FAMILY_OF)
