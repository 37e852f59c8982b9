"""What a trial stores and a static that say otherwise: which is used, and how large the difference is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis import pipeline
from gaitid.analysis.conflict import given_static_notes, static_beside_notes
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.stored_outputs import stores_the_same
from gaitid.body import static_angles
from gaitid.body.subject import SubjectFile
from gaitid.ground import vertical
from gaitid.model.load import load_model
from gaitid.model.specs import Model
from gaitid.notes import Notes
from gaitid.read.c3d.trial import read_c3d
from gaitid.simulate.files import simulate
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


def test_what_is_known_of_a_trial_is_not_asked_again(
    simulated: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial's vertical; and of a static that stores no angles whether these deny that its feet stood flat."""
    sim = simulated()
    walk: Trial = sim.trial  # type: ignore[attr-defined]
    static: Trial = replace(sim.static, parameters={})  # type: ignore[attr-defined]
    result = analyse(walk, PIG, SubjectFile())
    of_trials, of_angles = list[Trial](), list[str]()
    laboratory, angle = vertical._vertical, static_angles.static_angle
    monkeypatch.setattr(vertical, "_vertical", lambda t, *more: of_trials.append(t) or laboratory(t, *more))
    monkeypatch.setattr(static_angles, "static_angle", lambda *a: of_angles.append(a[1].name) or angle(*a))
    static_beside_notes(result, static)
    assert len(of_trials) == 1 and of_trials[0] is not walk and of_angles == []


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


def test_what_a_static_said_of_one_trial_is_not_said_of_another(simulated: Callable[..., object]) -> None:
    """It is kept for trials that store the same, and asked again for those that do not."""
    sim = simulated()
    walk, static = sim.trial, sim.static  # type: ignore[attr-defined]
    off = changed(walk, LStaticPlantFlex=walk.parameters["LStaticPlantFlex"] + np.radians(6.0))
    for trial, codes in ((walk, []), (off, ["calibration_conflict"]), (changed(walk), []), (walk, [])):
        assert [note.code for note in beside(trial, static)] == codes


def test_a_trial_like_the_one_before_is_not_prepared_again(
    simulated: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = simulated()
    walk, static = sim.trial, sim.static  # type: ignore[attr-defined]
    result = analyse(walk, PIG, SubjectFile())
    assert static_beside_notes(result, static) == ()
    monkeypatch.setattr(pipeline, "find", None)
    assert static_beside_notes(result, static) == ()


def test_a_small_difference_is_no_doubt(simulated: Callable[..., object]) -> None:
    sim = simulated()
    walk: Trial = sim.trial  # type: ignore[attr-defined]
    off = changed(walk, LStaticPlantFlex=walk.parameters["LStaticPlantFlex"] + np.radians(1.0))
    (note,) = beside(off, sim.static)  # type: ignore[attr-defined]
    assert note.code == "file_beside" and "would change angles by up to 1.1°" in note.text


@recorded
@pytest.mark.parametrize("trial", ["walk03", "walk04", "walk05"])
def test_sydneys_static_says_otherwise(trial: str) -> None:
    """Thigh rotation -1.1° against 2.0°, torsion -13.7° against -18.7°."""
    walk, static = read_c3d(SHARED / f"sydney/{trial}.c3d"), read_c3d(SHARED / "sydney/static.c3d")
    (note,) = beside(walk, static)
    assert note.code == "calibration_conflict" and "right hip internal rotation" in note.text
    (note,) = given(walk, static)
    assert note.code == "calibration_conflict" and "N·m/kg" in note.text


@recorded
@pytest.mark.parametrize(
    ("walk", "static"),
    [(f"children/{c}/walk.c3d", f"children/{c}/static.c3d") for c in ("HC002D", "HC030A", "HC031A", "HC036A")]
    + [
        ("nexus_flatfoot/walk.c3d", "nexus_flatfoot/static.c3d"),
        ("stairs/Movement_trial.c3d", "stairs/Static_trial.c3d"),
    ],
)
def test_others_do_not(walk: str, static: str) -> None:
    trial = read_c3d(SHARED / walk)
    assert stores_the_same(SHARED / static, PIG, trial.parameters)
    if not static.startswith("stairs"):  # it stores angles of feet that were not levelled
        assert beside(trial, read_c3d(SHARED / static)) == ()


def test_other_lengths_are_another_calibration(tmp_path: Path) -> None:
    simulate("walk", tmp_path, duration=1.5)
    static, stored = tmp_path / "walk.c3d", read_c3d(tmp_path / "walk.c3d").parameters
    assert stores_the_same(static, PIG, stored)
    assert not stores_the_same(static, PIG, {**stored, "LKneeWidth": stored["LKneeWidth"] + 5.0})
    assert stores_the_same(static, PIG, {**stored, "Bodymass": 80.0})


@recorded
def test_another_childs_static_beside_a_trial_would_not_serve() -> None:
    walk, static = read_c3d(SHARED / "children/HC030A/walk.c3d"), read_c3d(SHARED / "children/HC036A/static.c3d")
    (note,) = beside(walk, static)
    assert note.code == "file_beside" and "another person's" in note.text


@recorded
def test_a_static_that_denies_to_be_foot_flat_is_named() -> None:
    """What the stairs' static stores is the angle of feet that were not levelled: 1.3° and 2.3° apart."""
    walk, static = (read_c3d(SHARED / "stairs" / f"{name}.c3d") for name in ("Movement_trial", "Static_trial"))
    notes = [n for n in analyse(walk, PIG, SubjectFile(), static).notes if n.code == "foot_flat_doubtful"]
    (note,) = notes
    assert "left by 1.3°, right by 2.3°" in note.text and "foot_flat: false" in note.cure
    told = analyse(walk, PIG, SubjectFile(foot_flat=False), static)
    assert not [n for n in told.notes if n.code == "foot_flat_doubtful"]
    for name in ("children/HC002D", "sydney", "nexus_flatfoot"):
        trial = read_c3d(SHARED / name / ("walk03.c3d" if name == "sydney" else "walk.c3d"))
        flat = analyse(trial, PIG, SubjectFile(), read_c3d(SHARED / name / "static.c3d"))
        assert not [n for n in flat.notes if n.code == "foot_flat_doubtful"], name


@pytest.mark.parametrize("static", [False, True])
def test_what_compares_is_loaded_only_where_a_static_is_there(tmp_path: Path, static: bool) -> None:
    simulate("walk", tmp_path, duration=1.5)
    if not static:
        (tmp_path / "static.c3d").unlink()
    code = (
        "import sys; from pathlib import Path; from gaitid.run import RunOptions, analyse_file, prepare; "
        f"analyse_file(Path({str(tmp_path / 'walk.c3d')!r}), prepare(RunOptions('pig'))); "
        "print('gaitid.analysis.conflict' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(static)
