"""Calibration angles of real statics from their markers alone, against what Plug-in Gait stored in the same files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from note_texts import texts

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import Sources, SubjectFile, recording, resolve_subject
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
