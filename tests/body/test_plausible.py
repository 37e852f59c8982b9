"""What no body has is withheld or refused by name, what hardly any has is doubted; patients are neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.anthropometry import people
from gaitid.body.joints import Calibration
from gaitid.body.plausible import body_faults
from gaitid.body.resolve import MeasurementFault
from gaitid.body.subject import Subject, SubjectFile
from gaitid.body.subject_file import read_subject, subject_text
from gaitid.errors import ModelError
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
PIG = load_model("pig")
CODES = ("calibration_doubtful", "calibration_impossible", "uncalibrated")


@pytest.fixture
def walk(simulated: Callable[..., object]) -> Trial:
    return simulated().trial  # type: ignore[attr-defined, no-any-return]


@pytest.fixture
def static(simulated: Callable[..., object]) -> Trial:
    return simulated().static  # type: ignore[attr-defined, no-any-return]


def changed(trial: Trial, **parameters: float) -> Trial:
    return replace(trial, parameters={**trial.parameters, **parameters})


def scaled(trial: Trial, factor: float, *names: str) -> Trial:
    return changed(trial, **{name: factor * trial.parameters[name] for name in names})


def moved(trial: Trial, label: str, by: tuple[float, float, float]) -> Trial:
    points = trial.points_g.copy()
    points[:, trial.labels.index(label)] += by
    return replace(trial, points_g=points)


def run(trial: Trial, static: Trial | None = None) -> Result:
    return analyse(trial, PIG, SubjectFile(), static)


def said(result: Result) -> list[Note]:
    return [note for note in result.notes if note.code in CODES]


def test_nothing_is_said_of_a_sound_walk(walk: Trial, static: Trial) -> None:
    assert said(run(walk)) == [] == said(run(walk, static))


# --- measurements --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda t: changed(t, LAsisTrocanterDistance=-50.0), "left_asis_trocanter_distance_mm"),
        (lambda t: scaled(t, 4.0, "LKneeWidth"), "left knee_width"),
        (lambda t: scaled(t, 2.5, "LAnkleWidth", "RAnkleWidth"), "right_ankle_width_mm"),
        (lambda t: changed(t, LKneeWidth=72.0, LAnkleWidth=104.0), "each is what the other should be"),
    ],
)
def test_what_no_body_has_is_refused_with_its_key(walk: Trial, change: Callable[[Trial], Trial], key: str) -> None:
    with pytest.raises(MeasurementFault, match=key):
        run(change(walk))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: changed(t, Height=t.parameters["LLegLength"] / 0.66), "height_m = 1.39"),
        (lambda t: changed(t, Height=1000.0, Bodymass=70.0), "0.57 times what all else"),
        (lambda t: scaled(t, 1.3, "LKneeWidth"), "left_knee_width_mm = 135.2 mm"),
        (lambda t: scaled(t, 1.1, "RLegLength"), "right_leg_length_mm = 1.01 m"),
        (lambda t: scaled(t, 0.7, "InterAsisDistance"), "ASIS markers"),
        (lambda t: scaled(t, 1.2, "InterAsisDistance"), "ASIS markers"),
        (lambda t: changed(t, LTibialTorsion=np.radians(30.0)), "left_tibial_torsion_rad"),
        (lambda t: changed(t, RThighRotation=np.radians(120.0)), "RTHI"),
        (lambda t: changed(t, MarkerDiameter=50.0), "marker_diameter_mm = 50"),
    ],
)
def test_what_hardly_anybody_has_is_doubted(walk: Trial, change: Callable[[Trial], Trial], words: str) -> None:
    notes = said(run(change(walk)))
    assert any(words in note.text and note.cure for note in notes), notes


def test_a_leg_length_that_the_markers_deny(walk: Trial) -> None:
    """Thigh and shank between joint centres, against what was measured from the ASIS to the malleolus."""
    both = ("LLegLength", "RLegLength")
    doubted = run(scaled(walk, 0.85, *both))
    assert {n.severity for n in said(doubted)} == {"doubt"} and "left_leg_length_mm" in said(doubted)[0].text
    empty = run(scaled(walk, 0.7, *both))
    assert any(n.code == "calibration_impossible" and "the hip is empty" in n.text for n in said(empty))
    left = empty.sides["left"]
    for values in (*left.angles["hip"].values(), *left.moments["hip"].values(), left.powers["hip"]):
        assert np.isnan(values).all()
    assert left.coverage["hip"]["filled"] == 0
    assert np.isfinite(left.moments["knee"]["extension"]).any()


# --- the foot ------------------------------------------------------------------------------------------------


# --- angles --------------------------------------------------------------------------------------------------


def columns(**values: float) -> Mapping[str, Mapping[str, Mapping[str, np.ndarray]]]:
    """Angles of one leg that are the same in all frames: ``knee_flexion=60``."""
    joints: dict[str, dict[str, np.ndarray]] = {"hip": {}, "knee": {}, "ankle": {}}
    for name, value in values.items():
        joint, _, column = name.partition("_")
        joints[joint][column] = np.full(100, value)
    return {"left": joints}


def angle_doubts(result: Result, angles: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]]) -> tuple[Note, ...]:
    geometry = result.body.geometry
    return body_faults(geometry, result.body.sides, result.subject, angles, geometry.thinned(60))[1]


ANGLES = [*people().dimensions][[*people().dimensions].index("hip_flexion") :]


@pytest.mark.parametrize("name", ANGLES)
def test_each_angle_has_its_ends_and_is_doubted_beyond_them(walk: Trial, name: str) -> None:
    """Five standard deviations are said, three are not; where both legs have it, it is the person's."""
    row = people().dimensions[name]
    for sign in (1, -1):
        for k, says in ((3, 0), (5, 1)):
            value = row.expected + sign * k * np.hypot(row.person, row.side)
            notes = angle_doubts(run(walk), columns(**{name: float(np.degrees(value))}))
            assert [(note.code, note.side) for note in notes] == says * [("calibration_doubtful", "left")]


def test_a_knee_axis_that_is_turned_a_little(walk: Trial) -> None:
    """A thigh wand 20° off is noted with the value that cures it, and lowers no verdict; one 5° off is not."""
    result = run(changed(walk, LThighRotation=walk.parameters["LThighRotation"] - np.radians(20.0)))
    (said,) = [note for note in result.notes if note.code == "knee_axis_turned"]
    assert (said.side, said.severity) == ("left", "info") and "outward by 24° ± 11°" in said.text
    (value,) = re.findall(r"left_thigh_rotation_rad: (-?[\d.]+)", said.cure)
    cured = run(changed(walk, LThighRotation=float(value)))
    assert abs(cured.quality["calibration"]["left"]["knee_axis"]["axis_turned_deg"]) < 0.5
    result = run(changed(walk, LThighRotation=walk.parameters["LThighRotation"] - np.radians(5.0)))
    assert "knee_axis_turned" not in [note.code for note in result.notes]


def without_calibration(trial: Trial) -> Trial:
    names = ("ThighRotation", "ShankRotation", "TibialTorsion", "AnkleAbAdd", "StaticPlantFlex", "StaticRotOff")
    return replace(trial, parameters={k: v for k, v in trial.parameters.items() if k[1:] not in names})


def medial(label: str) -> tuple[Trial, Trial]:
    """Sydney's walk and static, in which a marker lies 12 cm farther in; no angle is stored."""
    static, trial = (without_calibration(read_c3d(SHARED / f"sydney/{n}.c3d")) for n in ("static", "walk05"))
    inward = (static.points_g[:, static.labels.index("RASI")] - static.points_g[:, static.labels.index("LASI")]).mean(0)
    x, y, z = (0.12 * inward / np.linalg.norm(inward)).tolist()
    return trial, moved(static, label, (x, y, z))


@recorded
def test_a_shank_wand_on_the_medial_side_in_the_static() -> None:
    """Angles far beyond a body's, but smooth: a doubt that names the marker, and no cell is empty."""
    result = run(*medial("LTIB"))
    doubts = [note for note in said(result) if "LTIB" in note.cure]
    assert doubts and {(note.code, note.side) for note in doubts} == {("calibration_doubtful", "left")}
    sound = result.sides["right"].angles["knee"]["flexion"], result.sides["left"].angles["knee"]["flexion"]
    assert np.array_equal(*map(np.isfinite, sound))


@recorded
@pytest.mark.parametrize(
    "trial",
    [
        *(f"children/{c}/walk.c3d" for c in ("HC002D", "HC030A", "HC031A", "HC036A")),
        "children/HC030A/turn.c3d",
        *(f"sydney/walk0{i}.c3d" for i in (3, 4, 5)),
        "nexus_flatfoot/walk.c3d",
    ],
)
def test_no_false_alarms(trial: str) -> None:
    assert said(run(read_c3d(SHARED / trial))) == []


# --- a calibration that was changed by hand ------------------------------------------------------------------


def test_templates_that_were_changed_by_hand(tmp_path: Path) -> None:
    model = load_model("cast")
    places = {("left", "thigh"): {"a": np.array([0.0, 0.1, 0.2]), "b": np.array([0.1, 0.0, 0.0])}}
    calibration = Calibration(places, {("left", "knee"): np.zeros(3)}, lengths_m={("left", "thigh"): (0.4, 0.001)})
    text = subject_text(model, Subject({}, (), None), calibration, {})
    file = tmp_path / "subject.yaml"
    file.write_text(text)
    assert read_subject(file, model).calibration.points
    file.write_text(text.replace("[0.0, 100.0, 200.0]", "[50.0, 100.0, 200.0]"))
    with pytest.raises(ModelError, match=r"calibration\.digest: .*changed since"):
        read_subject(file, model)
    file.write_text("".join(line for line in text.splitlines(keepends=True) if "digest" not in line))
    assert read_subject(file, model).calibration.points  # as files of earlier versions
