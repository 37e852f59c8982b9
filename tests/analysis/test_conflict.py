"""What a trial stores and a static that say otherwise: which is used, and how large the difference is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.conflict import given_static_notes, static_beside_notes
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.model.specs import Model
from gaitid.notes import Notes
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
PIG = load_model("pig")


def beside(walk: Trial, static: Trial, model: Model = PIG) -> Notes:
    result = analyse(walk, model, SubjectFile())
    return static_beside_notes(result, static)


def given(walk: Trial, static: Trial, model: Model = PIG) -> Notes:
    result = analyse(walk, model, SubjectFile(), static)
    return given_static_notes(result)


def changed(trial: Trial, **parameters: float) -> Trial:
    return replace(trial, parameters={**trial.parameters, **parameters})


def test_the_same_calibration_is_no_conflict(simulated: Callable[..., object]) -> None:
    sim = simulated()
    assert beside(sim.trial, sim.static) == ()  # type: ignore[attr-defined]
    assert given(sim.trial, sim.static) == ()  # type: ignore[attr-defined]


@pytest.mark.parametrize("joint_loads", ["as_measured", "matched"])
def test_the_effect_is_that_of_both_analyses(simulated: Callable[..., object], joint_loads: str) -> None:
    """A stored plantar flexion that is 6° off turns the foot by 6°, and no moment about the ankle's axis."""
    model = load_model("pig", {"joint_loads": joint_loads, "cutoff_hz": 6.0})
    sim = simulated(impact_bw=0.4, impact_absorbed=1.0)
    walk: Trial = sim.trial  # type: ignore[attr-defined]
    static: Trial = sim.static  # type: ignore[attr-defined]
    off = changed(walk, LStaticPlantFlex=walk.parameters["LStaticPlantFlex"] + np.radians(6.0))
    (note,) = beside(off, static, model)
    assert note.code == "calibration_conflict" and "left ankle dorsiflexion" in note.text
    assert "static_plantar_flexion" in note.text
    beside_text = note.text
    assert f"--static {static.path}" in note.cure
    (note,) = given(off, static, model)
    assert note.code == "calibration_conflict"
    both = [analyse(off, model, SubjectFile(), s).sides["left"] for s in (None, static)]
    first, second = (side.angles["ankle"]["dorsiflexion"] for side in both)
    largest = np.nanmax(np.abs(first - second))
    assert largest == pytest.approx(6.0, abs=0.5)  # an Euler angle of a foot that also turns
    moments = [
        abs(a - b)[np.isfinite(a)].max()
        for joint in ("ankle", "knee", "hip")
        for a, b in zip(both[0].moments[joint].values(), both[1].moments[joint].values(), strict=True)
    ]
    for text in (beside_text, note.text):
        assert f"angles by up to {largest:.1f}° (left ankle dorsiflexion)" in text
        assert f"moments by up to {max(moments):.2f} N·m/kg" in text


@recorded
@pytest.mark.parametrize("trial", ["walk03", "walk04", "walk05"])
def test_sydneys_static_says_otherwise(trial: str) -> None:
    """Thigh rotation -1.1° against 2.0°, torsion -13.7° against -18.7°."""
    walk, static = read_c3d(SHARED / f"sydney/{trial}.c3d"), read_c3d(SHARED / "sydney/static.c3d")
    (note,) = beside(walk, static)
    assert note.code == "calibration_conflict" and "right hip internal rotation" in note.text
    (note,) = given(walk, static)
    assert note.code == "calibration_conflict" and "N·m/kg" in note.text
