"""Points and frames against the conditions that define them, and on the simulated walk against its truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from note_texts import texts
from scipy.spatial.transform import Rotation

from gaitid.body.direction import progression
from gaitid.body.frames import Geometry
from gaitid.body.joint_centres import chord
from gaitid.body.resolve import resolve_subject
from gaitid.body.subject import Sources, Static, SubjectFile
from gaitid.errors import TrialError
from gaitid.ground.vertical import Witness, laboratory_vertical, vertical_notes
from gaitid.model import shapes, specs
from gaitid.model.expression import parse_expression
from gaitid.model.load import load_model
from gaitid.numerics.rotation import unit
from gaitid.trial import Trial

UP = np.array([0.0, 0.0, 1.0])
SIDES = ("left", "right")
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def pig() -> specs.Model:
    return load_model("pig")


# --- the chord function ------------------------------------------------------------------------------------


def dihedral_angle(proximal: np.ndarray, centre: np.ndarray, lateral: np.ndarray, wand: np.ndarray) -> np.ndarray:
    """From the plane with the lateral marker to the plane with the wand, about proximal − centre."""
    axis = unit(proximal - centre)
    m, w = lateral - centre, wand - centre
    m = m - np.sum(m * axis, axis=-1, keepdims=True) * axis
    w = w - np.sum(w * axis, axis=-1, keepdims=True) * axis
    return np.arctan2(np.sum(np.cross(m, w) * axis, axis=-1), np.sum(m * w, axis=-1))


@settings(max_examples=200, deadline=None)
@given(
    seed=seeds,
    length=st.floats(0.15, 0.6),
    radius=st.floats(0.02, 0.09),
    dihedral=st.floats(-1.2, 1.2),
    height=st.floats(0.1, 0.9),
    wand_out=st.floats(0.05, 0.2),
)
def test_chord_meets_its_three_conditions(
    seed: int, length: float, radius: float, dihedral: float, height: float, wand_out: float
) -> None:
    # a leg made from its joint centre: the marker square to the bone, the wand at the dihedral angle
    rng = np.random.default_rng(seed)
    R = Rotation.random(None, rng).as_matrix()
    proximal = rng.normal(size=3)
    centre = proximal - length * R[:, 2]
    lateral = centre + radius * R[:, 1]
    wand = centre + height * length * R[:, 2] + wand_out * (np.cos(dihedral) * R[:, 1] - np.sin(dihedral) * R[:, 0])
    # Seen from the proximal joint the wand stands off farther than the marker, as wands do; else there are two
    # centres that meet the conditions, and the outer wand is meant.
    assume(wand_out / (1 - height) > 1.1 * radius)
    found = chord(proximal[None], wand[None], lateral[None], radius, dihedral)[0]
    # m and rad; rounding of 1e-16 through a triangle with sides of a few centimetres
    assert abs(np.linalg.norm(found - lateral) - radius) < 1e-12
    assert abs(np.dot(lateral - found, proximal - found)) < 1e-12
    assert abs(dihedral_angle(proximal, found, lateral, wand) - dihedral) < 1e-9
    np.testing.assert_allclose(found, centre, atol=1e-10)


@settings(max_examples=100, deadline=None)
@given(seed=seeds, radius=st.floats(0.01, 0.1), dihedral=st.floats(-1.0, 1.0))
def test_chord_meets_its_conditions_for_any_three_points_or_is_unknown(
    seed: int, radius: float, dihedral: float
) -> None:
    rng = np.random.default_rng(seed)
    proximal, wand, lateral = rng.uniform(-0.5, 0.5, (3, 1, 3))
    along = np.linalg.norm(lateral - proximal)
    assume(along > radius * 1.05)
    # the wand off the line of the other two by more than the centre is, or there are two centres or none
    off = np.linalg.norm(np.cross(unit(wand - proximal), unit(lateral - proximal)))
    assume(off > 0.1 + radius / along)
    centre = chord(proximal, wand, lateral, radius, dihedral)
    if not np.isfinite(centre).all():
        return
    assert abs(np.linalg.norm(centre - lateral) - radius) < 1e-10  # m
    assert abs(np.sum((lateral - centre) * (proximal - centre))) < 1e-10  # m²
    off = dihedral_angle(proximal, centre, lateral, wand)[0] - dihedral
    assert abs(np.arctan2(np.sin(off), np.cos(off))) < 1e-7  # rad


def test_chord_without_a_solution_is_unknown() -> None:
    proximal, wand = np.zeros((2, 3)), np.array([[0.1, 0.0, -0.2]] * 2)
    lateral = np.array([[0.0, 0.03, 0.0], [0.0, np.nan, -0.4]])  # nearer than the radius; not seen
    assert np.isnan(chord(proximal, wand, lateral, 0.05, 0.1)).all()


def test_chord_with_no_dihedral_angle_lies_in_the_plane_of_the_wand() -> None:
    proximal, lateral = np.zeros((1, 3)), np.array([[0.0, 0.05, -0.4]])
    wand = np.array([[0.0, 0.12, -0.2]])
    centre = chord(proximal, wand, lateral, 0.05, 0.0)
    assert abs(centre[0, 0]) < 1e-15  # m
    np.testing.assert_allclose(centre, [[0.0, 0.0, -0.4]], atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, dihedral=st.floats(-1, 1))
def test_chord_moves_with_the_body_and_mirrors_with_it(seed: int, dihedral: float) -> None:
    rng = np.random.default_rng(seed)
    R, shift = Rotation.random(None, rng).as_matrix(), rng.normal(size=3)
    proximal = np.array([[0.0, 0.0, 0.0]])
    lateral, wand = np.array([[0.01, 0.055, -0.41]]), np.array([[0.02, 0.11, -0.2]])
    here = chord(proximal, wand, lateral, 0.05, dihedral)
    moved = chord(*(p @ R.T + shift for p in (proximal, wand, lateral)), 0.05, dihedral)
    np.testing.assert_allclose(moved, here @ R.T + shift, atol=1e-12)  # m
    mirror = np.diag([1.0, -1.0, 1.0])
    mirrored = chord(*(p @ mirror for p in (proximal, wand, lateral)), 0.05, -dihedral)
    np.testing.assert_allclose(mirrored, here @ mirror, atol=1e-12)


def static_of(pig: specs.Model, trial: Trial) -> Static:
    return Static(trial.parameters, {label: trial.marker(label) for label in trial.labels}, trial.n_frames, UP, pig)


# --- the model on the simulated walk -----------------------------------------------------------------------


def geometry_of(pig: specs.Model, sim: object) -> Geometry:
    trial = sim.trial  # type: ignore[attr-defined]
    subject = resolve_subject(
        pig,
        {
            "mass",
            "inter_asis_distance",
            "marker_diameter",
            *(f"{s}.{n}" for s in SIDES for n, m in pig.subject.items() if m.sided),
        },
        Sources(trial=trial.parameters),
    )
    markers = {label: trial.marker(label) for label in trial.labels}
    return Geometry(pig, markers, subject.numbers, trial.n_frames, UP)


@pytest.mark.parametrize("options", [{}, {"turn_deg": 137.0}, {"mirror": True}])
def test_pig_finds_the_joints_and_segments_of_the_walk(
    pig: specs.Model, simulated: Callable[..., object], options: dict[str, float]
) -> None:
    sim = simulated(**options)
    geometry, truth = geometry_of(pig, sim), sim.truth
    # Both directions of the model are closed forms: 1e-9 m is a million times rounding and 1e-6 of a marker.
    np.testing.assert_allclose(geometry.frame("pelvis").R_gs, truth.rotation["pelvis"], atol=1e-9)
    np.testing.assert_allclose(geometry.frame("pelvis").origin_g, truth.com_g["pelvis"], atol=1e-9)
    for side in SIDES:
        for joint in ("hip", "knee", "ankle"):
            np.testing.assert_allclose(geometry.point(joint, side), truth.joint_g[f"{side}_{joint}"], atol=1e-9)
        for frame, segment in (
            ("thigh", "thigh"),
            ("shank", "shank"),
            ("foot", "foot"),
            ("shank_torsioned", "torsioned_shank"),
        ):
            np.testing.assert_allclose(geometry.frame(frame, side).R_gs, truth.rotation[f"{side}_{segment}"], atol=1e-9)
        for body in pig.chain:
            row = pig.table.rows[body.row]
            length = geometry.value(body.length, side)
            com = geometry.point(body.com, side, length=length, com_fraction=row.com_fraction)
            np.testing.assert_allclose(com, truth.com_g[f"{side}_{body.segment}"], atol=1e-9)


def test_the_hip_centre_is_that_of_davis(pig: specs.Model, simulated: Callable[..., object]) -> None:
    """Davis 1991 with the numbers of Plug-in Gait, written out here for one subject in millimetres."""
    sim = simulated()
    geometry = geometry_of(pig, sim)
    pelvis = geometry.frame("pelvis")
    subject = sim.walk.subject
    mean_leg = (subject.legs["left"].leg_length_m + subject.legs["right"].leg_length_m) / 2 * 1e3
    for side, sign in (("left", 1), ("right", -1)):
        c = 0.115 * mean_leg - 15.3
        depth = subject.legs[side].asis_trocanter_distance_m * 1e3 + 7.0
        expected = [
            c * np.cos(0.5) * np.sin(0.314) - depth * np.cos(0.314),
            sign * (subject.inter_asis_distance_m * 1e3 / 2 - c * np.sin(0.5)),
            -c * np.cos(0.5) * np.cos(0.314) - depth * np.sin(0.314),
        ]
        local = np.einsum("tji,tj->ti", pelvis.R_gs, geometry.point("hip", side) - pelvis.origin_g)
        np.testing.assert_allclose(local * 1e3, np.broadcast_to(expected, local.shape), atol=1e-9)  # mm


def test_trochanter_distance_follows_from_leg_length_where_nobody_measured_it(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    parameters = {**simulated().trial.parameters, "LAsisTrocanterDistance": 0.0}
    subject = resolve_subject(pig, {"left.asis_trocanter_distance", "left.leg_length"}, Sources(trial=parameters))
    # Davis: 0.1288 · 920 mm − 48.56 mm
    assert abs(subject.numbers["left.asis_trocanter_distance"] * 1e3 - (0.1288 * 920 - 48.56)) < 1e-9
    assert any("was assumed" in w and "regression" in w for w in texts(subject))


def test_a_static_gives_the_offsets_back(pig: specs.Model, simulated: Callable[..., object]) -> None:
    sim = simulated()
    parameters = {k: v for k, v in sim.trial.parameters.items() if "Static" not in k}
    subject = resolve_subject(
        pig,
        {f"{s}.{n}" for s in SIDES for n in ("static_plantar_flexion", "static_rotation_offset")},
        Sources(SubjectFile(foot_flat=True), parameters, static_of(pig, sim.static)),
    )
    for side, leg in sim.walk.subject.legs.items():
        # rad; the static stands exactly flat, so only rounding is left
        assert abs(subject.numbers[f"{side}.static_plantar_flexion"] - leg.static_plantar_flexion_rad) < 1e-9
        assert abs(subject.numbers[f"{side}.static_rotation_offset"] - leg.static_rotation_offset_rad) < 1e-9


def test_a_missing_marker_takes_away_what_needs_it_and_nothing_else(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    sim = simulated()
    whole = geometry_of(pig, sim)
    geometry = geometry_of(pig, sim)
    knee = geometry._markers["LKNE"].copy()
    knee[100:120] = np.nan
    geometry._markers = {**geometry._markers, "LKNE": knee}
    gone = np.zeros(len(knee), dtype=bool)
    gone[100:120] = True
    for name in ("knee", "ankle"):
        found = geometry.point(name, "left")
        np.testing.assert_array_equal(np.isnan(found).all(axis=1), gone)
        np.testing.assert_array_equal(found[~gone], whole.point(name, "left")[~gone])
    for name, side in (("hip", "left"), ("knee", "right"), ("ankle", "right")):
        np.testing.assert_array_equal(geometry.point(name, side), whole.point(name, side))


def test_the_sacrum_is_the_first_marker_that_the_trial_holds(
    pig: specs.Model, simulated: Callable[..., object]
) -> None:
    sim = simulated()
    geometry = geometry_of(pig, sim)
    middle = geometry.point("sacrum")
    np.testing.assert_array_equal(middle, (sim.trial.marker("LPSI") + sim.trial.marker("RPSI")) / 2)
    own = middle + [0.0, 0.0, 0.01]
    geometry = geometry_of(pig, sim)
    geometry._markers = {**geometry._markers, "SACR": own}
    np.testing.assert_array_equal(geometry.point("sacrum"), own)


# --- points that no joint of pig needs ---------------------------------------------------------------------


def free_geometry(foot_flat: bool = False) -> Geometry:
    model = load_model("pig")
    rng = np.random.default_rng(3)
    markers = {label: rng.normal(size=(5, 3)) for label in ("LASI", "RASI", "LPSI", "RPSI", "LHEE", "LTOE", "LKNE")}
    return Geometry(model, markers, {}, 5, UP, foot_flat)


def number(value: float) -> object:
    return parse_expression(value, "here")


def test_between_along_and_mean_are_what_they_say() -> None:
    g = free_geometry()
    a, b = g.point("heel", "left"), g.point("toe", "left")
    np.testing.assert_allclose(
        g.point(shapes.Between("heel", "toe", number(0.25)), "left"), 0.75 * a + 0.25 * b, atol=1e-15
    )
    along = shapes.Along(shapes.FromTo("heel", "toe"), "heel", number(0.1))
    np.testing.assert_allclose(np.linalg.norm(g.point(along, "left") - a, axis=1), 0.1, atol=1e-15)  # m
    np.testing.assert_allclose(np.cross(g.point(along, "left") - a, b - a), 0.0, atol=1e-15)
    np.testing.assert_allclose(g.point(shapes.Mean(("heel", "toe")), "left"), (a + b) / 2, atol=1e-15)


def test_a_level_point_takes_the_height_of_another_only_where_it_should() -> None:
    spec = shapes.Level("heel", "toe", number(0.012), "foot_flat")
    raised, plain = free_geometry(True), free_geometry(False)
    heel, toe = plain.point("heel", "left"), plain.point("toe", "left")
    np.testing.assert_array_equal(plain.point(spec, "left"), heel)
    found = raised.point(spec, "left")
    np.testing.assert_array_equal(found[:, :2], heel[:, :2])
    np.testing.assert_allclose(found[:, 2], toe[:, 2] + 0.012, atol=1e-15)  # m


def test_turning_a_point_keeps_its_distance() -> None:
    g = free_geometry()
    axis = shapes.CrossOf(shapes.FromTo("heel", "toe"), shapes.FromTo("heel", "knee_marker"))
    found = g.point(shapes.TurnPoint("toe", "heel", axis, number(0.4)), "left")
    arm, turned = g.point("toe", "left") - g.point("heel", "left"), found - g.point("heel", "left")
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(arm, axis=1), atol=1e-14)
    cosine = np.sum(unit(arm) * unit(turned), axis=1)
    np.testing.assert_allclose(np.arccos(cosine), 0.4, atol=1e-12)  # rad
    # toward the second vector of the cross product, as a right-handed turn about it goes
    assert (np.sum(np.cross(arm, turned) * g.vector(axis, "left"), axis=1) > 0).all()


AXIS = shapes.FromTo("heel", "toe")
POINTS = [
    shapes.Mean(("heel", "toe")),
    shapes.Chord("heel", "toe", "knee_marker", number(0.05), number(0.3)),
    shapes.Between("heel", "toe", number(0)),
    shapes.Along(AXIS, "knee_marker", number(0.1)),
    shapes.Along(shapes.FromTo("knee_marker", "toe"), "heel", number(0.1)),
    shapes.Corner(("heel", "toe", "knee_marker")),
    shapes.FirstOf((shapes.Between("heel", "toe", number(0)), "knee_marker")),
    shapes.TurnPoint("heel", "toe", shapes.FromTo("toe", "knee_marker"), number(0)),
    shapes.Level("heel", "toe", number(0), "foot_flat"),
]


@pytest.mark.parametrize("label", ["LHEE", "LTOE", "LKNE"])
@pytest.mark.parametrize("spec", POINTS, ids=lambda spec: type(spec).__name__)
def test_a_point_without_a_marker_is_what_it_is_with_one_that_was_never_seen(label: str, spec: shapes.Point) -> None:
    whole = free_geometry()
    unseen = whole.with_markers({**whole.tracks, label: np.full((5, 3), np.nan)})
    absent = whole.with_markers({name: track for name, track in whole.tracks.items() if name != label})
    np.testing.assert_array_equal(absent.point(spec, "left"), unseen.point(spec, "left"))


def test_a_point_without_a_marker_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    g = free_geometry()
    monkeypatch.setattr("gaitid.body.frames.chord", lambda *_: pytest.fail("computed"))
    assert np.isnan(g.point(shapes.Chord("heel", "toe", "ankle_marker", number(0.05), number(0.3)), "left")).all()


def test_a_kind_that_nobody_computes_is_refused() -> None:
    for ask in (Geometry.point, Geometry.vector):
        with pytest.raises(AssertionError, match="unreachable"):
            ask(free_geometry(), ("of a kind", "that is new"), "left")


# --- progression and the vertical --------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0.0, 30.0, -100.0, 180.0])
def test_the_frame_of_progression_follows_the_walk(
    pig: specs.Model, simulated: Callable[..., object], turn: float
) -> None:
    sim = simulated(turn_deg=turn)
    R, words = progression(geometry_of(pig, sim), pig.progression)
    heading = np.radians(turn)
    # The pelvis sways some centimetres in the 5 m of a trial: 1°.
    assert np.dot(R[:, 0], [np.cos(heading), np.sin(heading), 0.0]) > np.cos(np.radians(1.0))
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    np.testing.assert_array_equal(R[:, 2], UP)
    assert "displacement" in words
    R, words = progression(geometry_of(pig, sim), specs.Progression("asis_middle", "laboratory"))
    nearest = np.round(np.array([np.cos(heading), np.sin(heading), 0.0]))
    np.testing.assert_allclose(R[:, 0], nearest, atol=1e-14)
    assert words.startswith("laboratory axis")


def up_of(plates: Any = None, posture: Any = None, hint: Any = None, given: Any = None) -> tuple[np.ndarray, str]:
    """`laboratory_vertical` of these witnesses."""
    normals = None if plates is None else np.sum(plates, axis=0)
    named = ((given, "the model"), (normals, "plates"), (posture, "posture: the pelvis above the feet"), (hint, "file"))
    return laboratory_vertical((Witness(*one) for one in named), np.full(3, np.nan) if posture is None else posture)


def test_the_vertical_comes_from_plates_then_posture_then_the_file() -> None:
    pelvis = np.array([0.0, 0.9, 0.0])  # a laboratory with y up
    plates = np.array([[0.0, 0.999, 0.04], [0.0, 1.0, 0.0]])
    for args, words in (
        ((plates, pelvis), "plates"),
        ((None, pelvis, -np.eye(3)[2]), "posture"),
        ((None, None, np.eye(3)[1]), "file"),
    ):
        up, found = up_of(*args)
        np.testing.assert_array_equal(up, [0.0, 1.0, 0.0])
        assert found.startswith(words)
    with pytest.raises(TrialError, match="plates do not face up: .* -Y"):
        up_of(-plates, pelvis)
    with pytest.raises(TrialError, match="pelvis lies below the feet"):
        up_of(None, pelvis, None, -np.eye(3)[1])
    with pytest.raises(TrialError, match="vertical cannot be found"):
        up_of()


def tilted(degrees: float) -> np.ndarray:
    return np.array([np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees))])


def test_a_laboratory_whose_vertical_lies_between_two_axes_is_refused() -> None:
    """At 46° the nearest axis would be one that lies nearer to the floor."""
    for degrees in (36.0, 44.0, 46.0, 54.0):
        up = tilted(degrees)
        for plates, posture in ((up[None], None), (None, 0.9 * up), (up[None], up)):
            off = min(degrees, 90 - degrees)
            with pytest.raises(TrialError, match=f"no laboratory axis points up.*found {off:.0f}°"):
                up_of(plates, posture, np.eye(3)[2])
            found, words = up_of(plates, posture, None, np.eye(3)[2])
            assert words == "the model" and found[2] == 1
    # a plate on the floor and one on the wall: who stands tells
    found, words = up_of(np.eye(3)[[0, 2]], tilted(8.0))
    assert words.startswith("posture") and found[2] == 1


def test_plates_on_a_slope_are_named(pig: specs.Model, simulated: Callable[..., Any]) -> None:
    sim: Trial = simulated().trial
    assert vertical_notes(sim, pig, UP, "plates") == ()
    turn = np.array([[np.cos(0.1), 0, np.sin(0.1)], [0, 1, 0], [-np.sin(0.1), 0, np.cos(0.1)]])
    ramp = replace(sim, plates=tuple(replace(p, corners_g=p.corners_g @ turn.T) for p in sim.plates))
    (note,) = vertical_notes(ramp, pig, UP, "plates")
    assert note.code == "vertical_assumed" and "up to 5.7° from level" in note.text
    assert vertical_notes(ramp, pig._replace(vertical="z"), UP, "plates") == ()
