"""Measurements of the subject: files, sources and their order, what is missing, what is impossible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts

from gaitid.body.resolve import resolve_subject
from gaitid.body.subject import Sources, Static, Subject, SubjectFile, recording
from gaitid.body.subject_file import read_subject
from gaitid.errors import ModelError, SubjectError
from gaitid.model import specs
from gaitid.model.load import load_model
from gaitid.trial import Trial

UP = np.array([0.0, 0.0, 1.0])
EVERYTHING = {
    "mass",
    "inter_asis_distance",
    "marker_diameter",
    *(
        f"{side}.{name}"
        for side in ("left", "right")
        for name in ("leg_length", "knee_width", "ankle_width", "static_plantar_flexion", "static_rotation_offset")
    ),
}


@pytest.fixture(scope="module")
def pig() -> specs.Model:
    return load_model("pig")


@pytest.fixture
def read(tmp_path: Path, pig: specs.Model) -> Callable[[str], SubjectFile]:
    def reading(text: str) -> SubjectFile:
        path = tmp_path / "subject.yaml"
        path.write_text(text, encoding="utf-8")
        return read_subject(path, pig)

    return reading


def resolve(
    pig: specs.Model,
    wanted: set[str],
    file: SubjectFile | None = None,
    trial: dict[str, float] | None = None,
    static: Trial | None = None,
) -> Subject:
    calibration = None
    if static is not None:
        markers = {label: static.marker(label) for label in static.labels}
        calibration = Static(static.parameters, markers, static.n_frames, UP, pig)
    return resolve_subject(pig, wanted, Sources(file or SubjectFile(), trial or {}, calibration))


# --- subject files -----------------------------------------------------------------------------------------


def test_a_subject_file_is_read_into_si(read: Callable[[str], SubjectFile]) -> None:
    found = read(
        "mass_kg: 45.8\nheight_m: 1.48\nleft_leg_length_mm: 830\nright_leg_length_cm: 82.5\nright_knee_width_m: 0.09\n"
        "marker_diameter_mm: 14\nleft_thigh_rotation_deg: 9\nright_thigh_rotation_rad: -0.1\n"
        "static: {foot_flat: false}\n"
    )
    expected = {
        "mass": 45.8,
        "height": 1.48,
        "left.leg_length": 0.830,
        "right.leg_length": 0.825,
        "right.knee_width": 0.09,
        "marker_diameter": 0.014,
        "left.thigh_rotation": np.radians(9.0),
        "right.thigh_rotation": -0.1,
    }
    assert found.values.keys() == expected.keys()
    for name, value in expected.items():
        assert found.values[name] == pytest.approx(value, rel=1e-15)  # a unit's factor, no more
    assert found.foot_flat is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mass_kg: 70000", "mass_kg: expected 1 to 400 kg, found 70000 (grams, it seems: 70 kg)"),
        ("mass_kg: 687", "found 687 (newtons, it seems: 70.05 kg)"),
        ("sex: female\n\nheight_m: 1750", "line 3: height_m: expected 0.3 to 2.6 m, found 1750 (millimetres, it seems"),
        ("mass_kg: 1.48\nheight_m: 45.8", "found 45.8 (mass_kg and height_m exchanged, it seems)"),
        ("mass_kg: 45,8", "mass_kg: expected a number, found '45,8': write 45.8"),
        ("gender: female", "gender: unknown key (did you mean 'sex'?)"),
        ("left_leg_length_mm: 92", "found 92 (centimetres, it seems: 920 mm)"),
        ("sex: f", "sex: expected female or male, found 'f'"),
        ("height_m: 175", "height_m: expected 0.3 to 2.6 m, found 175 (centimetres, it seems: 1.75 m)"),
        ("left_leg_length_cm: 830", "left_leg_length_cm: expected 15 to 150 cm, found 830"),
        ("mass_kg: heavy", "mass_kg: expected a number, found 'heavy'"),
        ("mass_kg: .nan", "mass_kg: expected a number, found nan"),
        ("mass_kg:", "mass_kg: expected a number, found None"),
        ("leg_length_mm: 830", "leg_length_mm: unknown key (did you mean 'left_leg_length_mm'?)"),
        ("left_leg_length_inch: 33", "left_leg_length_inch: unknown key"),
        ("static: {foot_flatt: true}", "static.foot_flatt: unknown key"),
        ("static: yes please", "static: expected keys and values"),
        ("mass_kg: 70\nmass_kg: 71", "the key 'mass_kg' is given twice"),
    ],
)
def test_what_a_subject_file_cannot_say(read: Callable[[str], SubjectFile], text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text + "\n")
    assert message in caught.value.line()
    assert "\n" not in caught.value.line()


# --- where a value comes from ------------------------------------------------------------------------------


def test_everything_that_is_missing_is_named_at_once_by_its_key(pig: specs.Model) -> None:
    with pytest.raises(SubjectError) as caught:
        resolve(pig, EVERYTHING, SubjectFile({"left.leg_length": 0.9}))
    line = caught.value.line()
    for key in (
        "mass_kg",
        "inter_asis_distance_mm",
        "right_leg_length_mm",
        "left_knee_width_mm",
        "right_knee_width_mm",
        "left_ankle_width_mm",
        "left_static_plantar_flexion_rad",
        "right_static_rotation_offset_rad",
    ):
        assert key in line
    assert "left_leg_length_mm" not in line
    assert "marker_diameter" not in line  # it may be assumed
    assert "--subject FILE or --static FILE" in line


def test_everything_that_is_impossible_is_named_at_once_with_its_source(pig: specs.Model) -> None:
    with pytest.raises(SubjectError) as caught:
        resolve(pig, {"mass", "left.knee_width"}, None, {"Bodymass": 70000.0, "LKneeWidth": 5.0})
    assert "mass = 7e+04 kg (trial, stored) is outside 1 kg to 400 kg" in caught.value.line()
    assert "left knee_width = 5 mm (trial, stored) is outside 20 mm to 300 mm" in caught.value.line()


@pytest.mark.parametrize(("stored", "unit"), [(1750.0, "mm"), (175.0, "cm"), (1.75, "m")])
def test_a_height_is_read_in_the_unit_in_which_it_can_be(pig: specs.Model, stored: float, unit: str) -> None:
    subject = resolve(pig, {"mass"}, None, {"Bodymass": 70.0, "Height": stored})
    assert subject.measured["height"].value == pytest.approx(1.75, rel=1e-15)
    said = [note for note in subject.notes if "height" in note.text]
    if unit == "mm":
        assert said == []
    else:
        (note,) = said
        assert note.code == "measurement_assumed"
        assert note.text.startswith(
            f"height = 1.75 m (trial, stored): stored as {stored:g}, which by its size is in {unit}"
        )


def test_the_subject_file_wins_over_the_static_and_the_static_over_the_trial(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    static = simulated().static  # type: ignore[attr-defined]
    stored = replace(static, parameters={**static.parameters, "LKneeWidth": 104.0, "Bodymass": 71.0})
    trial = {"LKneeWidth": 110.0, "Bodymass": 70.0}
    file = SubjectFile({"left.knee_width": 0.100})
    for args, value, source in (
        ((file, trial, stored), 0.100, "subject file"),
        ((None, trial, stored), 0.104, "static trial, stored"),
        ((None, trial, None), 0.110, "trial, stored"),
    ):
        subject = resolve(pig, {"left.knee_width", "mass"}, *args)
        assert subject.measured["left.knee_width"].value == pytest.approx(value, rel=1e-15)
        assert subject.measured["left.knee_width"].source == source
    subject = resolve(pig, {"left.knee_width", "mass"}, file, trial, stored)
    differing = [w for w in texts(subject) if "left knee_width" in w]
    assert len(differing) == 2
    assert "100 mm (subject file) is used; another value is there: 104 mm (static trial, stored)" in differing[0]
    assert "110 mm (trial, stored)" in differing[1]
    # 71 against 70 kg is 1.4 %, below the 5 % by which a body differs from day to day
    assert not any("mass" in w for w in texts(subject))
    heavy = resolve(pig, {"mass"}, None, {"Bodymass": 60.0}, stored)
    assert any(w.startswith("mass: 71 kg (static trial, stored) is used") for w in texts(heavy))


def test_offsets_come_from_the_markers_of_a_static_before_any_stored_value(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    sim = simulated()
    trial = {**sim.trial.parameters, "LStaticPlantFlex": 0.30}
    subject = resolve(pig, {"left.static_plantar_flexion"}, SubjectFile(foot_flat=True), trial, sim.static)
    measured = subject.measured["left.static_plantar_flexion"]
    assert measured.value == pytest.approx(sim.walk.subject.legs["left"].static_plantar_flexion_rad, abs=1e-9)  # rad
    assert measured.source == "static trial, computed from its markers (foot-flat)"
    assert any("left static_plantar_flexion" in w and "17.19°" in w for w in texts(subject))
    # without a static the stored value is used
    subject = resolve(pig, {"left.static_plantar_flexion"}, None, trial)
    assert subject.measured["left.static_plantar_flexion"].value == 0.30


def raised_heel(static: object, side: str, by_m: float) -> object:
    """The same static with one heel marker higher, as in a shoe."""
    points = static.points_g.copy()  # type: ignore[attr-defined]
    points[:, static.labels.index(f"{side}HEE"), 2] += by_m  # type: ignore[attr-defined]
    return replace(static, points_g=points)  # type: ignore[type-var]


def test_foot_flat_is_a_choice_that_the_result_states(pig: specs.Model, simulated: Callable[..., object]) -> None:
    sim = simulated()
    static = raised_heel(sim.static, "L", 0.010)
    wanted, trial = {"left.static_plantar_flexion"}, sim.trial.parameters
    true = sim.walk.subject.legs["left"]
    flat = resolve(pig, wanted, SubjectFile(foot_flat=True), trial, static)
    as_it_is = resolve(pig, wanted, SubjectFile(foot_flat=False), trial, static)
    silent = resolve(pig, wanted, SubjectFile(), trial, static)
    # levelled, 10 mm of heel height change nothing
    assert flat.numbers["left.static_plantar_flexion"] == pytest.approx(true.static_plantar_flexion_rad, abs=1e-9)
    # as it is, the foot points down by asin(10/192) more; its axis and the flexion axis are not quite square: 1 %
    drop = np.arctan2(0.010, np.hypot(true.heel_toe_m, 0.0))
    change = as_it_is.numbers["left.static_plantar_flexion"] - true.static_plantar_flexion_rad
    assert abs(abs(change) - drop) < 0.01 * drop  # rad
    assert (flat.foot_flat, as_it_is.foot_flat, silent.foot_flat) == (True, False, True)
    assert not any("foot-flat" in w for w in (*texts(flat), *texts(as_it_is)))
    assert any("taken as foot-flat" in n.text and "foot_flat: false" in n.text for n in silent.notes)
    assert resolve(pig, wanted, None, trial).foot_flat is None  # no static was used


def test_lengths_come_from_a_static_where_nobody_gives_them(pig: specs.Model, simulated: Callable[..., object]) -> None:
    sim = simulated()
    without = {k: v for k, v in sim.static.parameters.items() if k not in ("InterAsisDistance", "LLegLength")}
    static = replace(sim.static, parameters=without)
    subject = resolve(pig, {"inter_asis_distance", "left.leg_length"}, SubjectFile(foot_flat=True), {}, static)
    assert subject.numbers["inter_asis_distance"] == pytest.approx(0.250, abs=1e-12)  # m
    expected = np.linalg.norm(sim.static.marker("LASI") - sim.static.marker("LANK"), axis=1).mean()
    assert subject.numbers["left.leg_length"] == pytest.approx(expected, abs=1e-12)
    assert subject.measured["left.leg_length"].source == "static trial, estimated from its markers"


def test_what_no_source_says_follows_from_the_markers_of_the_trial(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    trial = simulated().trial  # type: ignore[attr-defined]
    recorded = recording(trial, pig, UP)
    expected = np.linalg.norm(trial.marker("LASI") - trial.marker("RASI"), axis=1).mean()  # 250 mm apart
    for stored in ({}, {"InterAsisDistance": 0.0}):
        subject = resolve_subject(pig, {"inter_asis_distance"}, Sources(trial=stored, recorded=recorded))
        measured = subject.measured["inter_asis_distance"]
        assert measured.value == pytest.approx(expected, abs=1e-12)  # m
        assert measured.source == "trial, estimated from its markers"
        assert any("inter_asis_distance = 250 mm, estimated from the trial's markers" in w for w in texts(subject))
    # whatever says it wins
    subject = resolve_subject(
        pig, {"inter_asis_distance"}, Sources(trial={"InterAsisDistance": 240.0}, recorded=recorded)
    )
    assert subject.measured["inter_asis_distance"].source == "trial, stored"
    assert subject.numbers["inter_asis_distance"] == 0.240


def test_zero_means_absent_only_where_the_model_says_so(pig: specs.Model) -> None:
    trial = {
        "LKneeWidth": 0.0,
        "LSoleDelta": 0.0,
        "LThighRotation": 0.0,
        "LLegLength": 900.0,
        "LAsisTrocanterDistance": 0.0,
    }
    subject = resolve(pig, {"left.sole_delta", "left.thigh_rotation", "left.asis_trocanter_distance"}, None, trial)
    assert subject.measured["left.thigh_rotation"].source == "trial, stored"
    assert subject.measured["left.asis_trocanter_distance"].source.startswith("assumed: regression on leg length")
    with pytest.raises(SubjectError, match="left_knee_width_mm"):
        resolve(pig, {"left.knee_width"}, None, trial)


# --- found wanting -----------------------------------------------------------------------------------------


def test_an_impossible_height_gives_way_to_the_next_source_but_not_in_the_subject_file(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    static = simulated().static  # type: ignore[attr-defined]
    stored = replace(static, parameters={**static.parameters, "Height": 99.0e3, "Bodymass": 70.0})
    subject = resolve(pig, {"mass"}, None, {"Bodymass": 70.0, "Height": 175.0}, stored)
    assert (subject.measured["height"].value, subject.measured["height"].source) == (1.75, "trial, stored")
    with pytest.raises(SubjectError, match=r"height = 17.5 m \(subject file\) is outside"):
        resolve(pig, {"mass"}, SubjectFile({"height": 17.5}), {"Bodymass": 70.0})
