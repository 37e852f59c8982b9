"""Points and frames against the conditions that define them, and on the simulated walk against its truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.body.direction import progression
from gaitid.body.frames import Geometry
from gaitid.body.joint_centres import chord
from gaitid.body.resolve import resolve_subject
from gaitid.body.subject import Sources, Static, SubjectFile
from gaitid.errors import TrialError
from gaitid.ground.vertical import Witness, laboratory_vertical
from gaitid.model import specs
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


# --- points that no joint of pig needs ---------------------------------------------------------------------


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
