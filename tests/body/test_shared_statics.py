"""Calibration angles of real statics from their markers alone, against what Plug-in Gait stored in the same files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
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
