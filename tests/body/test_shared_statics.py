"""Calibration angles of real statics from their markers alone, against what Plug-in Gait stored in the same files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts

from gaitid.analysis.pipeline import Pipeline, analyse
from gaitid.body.resolve import resolve_subject
from gaitid.body.subject import Sources, SubjectFile, recording
from gaitid.ground.vertical import vertical
from gaitid.model.load import load_model
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")

SIDES = {"left": "L", "right": "R"}
OFFSETS = {"static_plantar_flexion": "StaticPlantFlex", "static_rotation_offset": "StaticRotOff"}
BY_AXES = {
    "thigh_rotation": "ThighRotation",
    "shank_rotation": "ShankRotation",
    "tibial_torsion": "TibialTorsion",
    "ankle_abduction": "AnkleAbAdd",
}
# Whether it was taken foot-flat is stored nowhere: only one of both gives what is stored (reference/plug_in_gait.md).
STATICS = {
    "sydney/static.c3d": True,
    "nexus_flatfoot/static.c3d": True,
    "stairs/Static_trial.c3d": False,
    **{f"children/{child}/static.c3d": True for child in ("HC002D", "HC030A", "HC031A", "HC036A")},
}
# rad: stored as 32-bit floats, of markers stored to 1e-4 mm
TOLERANCE = 1e-6


@pytest.mark.parametrize("file", STATICS)
@pytest.mark.parametrize("name", ["pig", "pig_vicon"])
def test_statics_give_what_they_store_from_their_markers_alone(name: str, file: str) -> None:
    model, trial = load_model(name), read_c3d(SHARED / file)
    static = replace(recording(trial, model, vertical(trial, model)[0]), parameters={})
    widths = {k: v for k, v in trial.parameters.items() if k not in {s + a for s in "LR" for a in BY_AXES.values()}}
    with_axes = trial.has("LKD1")
    names = OFFSETS | (BY_AXES if with_axes else {})
    wanted = {f"{side}.{name}" for side in SIDES for name in names}
    subject = resolve_subject(model, wanted, Sources(SubjectFile(foot_flat=STATICS[file]), widths, static))
    for side, letter in SIDES.items():
        for key, stored in names.items():
            measured = subject.measured[f"{side}.{key}"]
            assert measured.source.startswith("static trial, computed from its markers")
            assert measured.value == pytest.approx(trial.parameters[letter + stored], abs=TOLERANCE), (side, key)


def test_the_childrens_medial_ankle_markers_measure_no_torsion() -> None:
    """Their statics hold LMMA, but no device: Plug-in Gait stored a torsion of 0, and so it stays."""
    model, folder = load_model("pig"), SHARED / "children/HC002D"
    result = analyse(read_c3d(folder / "walk.c3d"), model, SubjectFile(), read_c3d(folder / "static.c3d"))
    assert result.subject.measured["left.tibial_torsion"].source == "static trial, stored"
    assert result.subject.numbers["left.tibial_torsion"] == 0.0


def test_a_torsion_that_a_walk_does_not_store_comes_from_the_static() -> None:
    model, folder = load_model("pig_vicon"), SHARED / "sydney"
    static, walk = read_c3d(folder / "static.c3d"), read_c3d(folder / "walk03.c3d")

    def without(trial: Trial) -> Trial:
        return replace(trial, parameters={k: v for k, v in trial.parameters.items() if "TibialTorsion" not in k})

    result = analyse(without(walk), model, SubjectFile(foot_flat=True), without(static))
    for side, letter in SIDES.items():
        assert result.subject.numbers[f"{side}.tibial_torsion"] == pytest.approx(
            static.parameters[f"{letter}TibialTorsion"], abs=TOLERANCE
        )
    alone = analyse(without(walk), model, SubjectFile())
    assert alone.subject.measured["left.tibial_torsion"].source.startswith("assumed")


@pytest.mark.parametrize("name", ["pig", "pig_vicon"])
@pytest.mark.parametrize("file", ["nexus_flatfoot/walk.c3d", "sydney/walk03.c3d", "stairs/Movement_trial.c3d"])
def test_diameters_that_are_not_stored_are_inferred(name: str, file: str) -> None:
    result = analyse(read_c3d(SHARED / file), load_model(name), SubjectFile())
    measured = result.subject.measured["marker_diameter"]
    assert measured.value == 0.014
    assert measured.source == "inferred from the stored knee centres"
    assert "marker_diameter = 14 mm (inferred from the stored knee centres)" in texts(result.subject)


def test_a_diameter_that_is_stored_is_used() -> None:
    """10 mm, of children; the stored centres say the same, and are not asked."""
    trial, model = read_c3d(SHARED / "children/HC002D/walk.c3d"), load_model("pig")
    assert analyse(trial, model, SubjectFile()).subject.measured["marker_diameter"].source == "trial, stored"
    parameters = {k: v for k, v in trial.parameters.items() if k != "MarkerDiameter"}
    inferred = analyse(replace(trial, parameters=parameters), model, SubjectFile()).subject
    assert inferred.numbers["marker_diameter"] == 0.010


# --- walks without heel markers ------------------------------------------------------------------------------

HEELS = {"LHEE", "RHEE"}


def without_heels(trial: Trial) -> Trial:
    kept = [i for i, label in enumerate(trial.labels) if label not in HEELS]
    return replace(trial, labels=tuple(trial.labels[i] for i in kept), points_g=trial.points_g[:, kept])


@pytest.mark.parametrize("file", ["children/HC031A/walk.c3d", "nexus_flatfoot/walk.c3d", "sydney/walk04.c3d"])
@pytest.mark.parametrize("with_static", [True, False])
def test_a_walk_without_heel_markers(file: str, with_static: bool) -> None:
    """Every angle as with them, the same feet on the same plates, moments that differ by the foot's inertia alone."""
    model, walk = load_model("pig"), read_c3d(SHARED / file)
    static = read_c3d((SHARED / file).parent / "static.c3d") if with_static else None
    full = analyse(walk, model, SubjectFile(foot_flat=True), static)
    result = analyse(without_heels(walk), model, SubjectFile(foot_flat=True), static)
    assert [c for c in full.contacts if c.plates]
    assert [(c.side, c.plates, c.first, c.last) for c in result.contacts if c.plates] == [
        (c.side, c.plates, c.first, c.last) for c in full.contacts if c.plates
    ]
    for side in SIDES:
        source = result.subject.measured[f"{side}.heel_to_toe"].source
        assert source.startswith("static trial, estimated" if with_static else "assumed: 1.3 times the distance")
        assert f"{side}.heel_to_toe" not in full.subject.measured
        for joint, angles in full.sides[side].angles.items():
            for column, values in angles.items():
                np.testing.assert_array_equal(result.sides[side].angles[joint][column], values, err_msg=column)
        moment, expected = (r.sides[side].moments["ankle"]["plantarflexion"] for r in (result, full))
        both = np.isfinite(moment) & np.isfinite(expected)
        assert both.sum() > 0.9 * np.isfinite(expected).sum()
        # N·m/kg: 2 cm of the foot's length move its centre of mass by 1 cm, 0.0145 · 9.81 · 0.01 = 0.0014, and more
        # where it is swung
        assert np.abs(moment - expected)[both].max() < 0.02
    assert [n.text for n in result.notes if n.code == "heel_absent"] == [
        "left and right foot: no heel marker; the ankle marker is used instead to judge plates and contacts"
    ]
    assert not [n for n in full.notes if n.code == "heel_absent"]


def test_an_old_walk_without_heels_and_parameters_gives_its_angles() -> None:
    """Vicon's older software (``wild/pig_old``): no heel markers, no measurements; these from a subject file."""
    legs = {
        f"{side}.{name}": value
        for side in SIDES
        for name, value in (
            ("leg_length", 0.82),
            ("knee_width", 0.095),
            ("ankle_width", 0.065),
            ("static_plantar_flexion", 0.26),
            ("static_rotation_offset", 0.03),
        )
    }
    file = SubjectFile({"mass": 60.0, **legs})
    result = analyse(read_c3d(SHARED / "wild/pig_old/walk.c3d"), load_model("pig"), file)
    for side in SIDES:
        flexion = result.sides[side].angles["knee"]["flexion"]
        assert np.isfinite(flexion).mean() > 0.9
        assert 40 < np.nanmax(flexion) < 80  # degrees, of a swing
    # measured where neither file nor subject says it, from the trial's own markers
    assert result.subject.measured["inter_asis_distance"].source == "trial, estimated from its markers"
    # the widths are made up: knee and ankle disagree, and nothing is inferred
    assert result.subject.measured["marker_diameter"].source.startswith("assumed: 14 mm")


def test_without_a_medial_ankle_the_torsion_is_nothing_at_all() -> None:
    """The ankle's axis is taken parallel to the knee's: nothing is measured between them, as Plug-in Gait stores it."""
    static = read_c3d(SHARED / "sydney" / "static.c3d")
    trial = read_c3d(SHARED / "sydney" / "walk04.c3d")  # which stores a torsion: the static wins
    for name in ("pig", "pig_vicon"):
        for gone, values in (((), (-0.239105, -0.283244)), (("LMED", "RMED"), (0.0, 0.0))):
            kept = [i for i, label in enumerate(static.labels) if label not in gone]
            labels = tuple(static.labels[i] for i in kept)
            less = replace(static, labels=labels, points_g=static.points_g[:, kept])
            measured = Pipeline(trial=trial, model=load_model(name), static=less).found.subject.measured
            torsion = [measured[f"{side}.tibial_torsion"] for side in ("left", "right")]
            assert {m.source for m in torsion} == {"static trial, computed from its markers"}
            found = tuple(m.value for m in torsion)
            assert found == values if gone else found == pytest.approx(values, abs=1e-6)  # rad
