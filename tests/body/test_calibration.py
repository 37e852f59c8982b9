"""Calibration angles from statics with a knee alignment device or medial markers: legs built from known angles.

The legs are built here from joint centres, axes and angles, with numpy alone, so that what the model finds from their
markers is known beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from gaitid.body.frames import Geometry
from gaitid.body.resolve import resolve_subject
from gaitid.body.subject import Sources, Static, Subject, SubjectFile, recording
from gaitid.model import specs
from gaitid.model.load import load_model
from gaitid.numerics.rotation import dihedral
from gaitid.trial import Array, Trial

UP = np.array([0.0, 0.0, 1.0])
SIGN = {"left": 1.0, "right": -1.0}
ANGLES = ("thigh_rotation", "shank_rotation", "tibial_torsion", "ankle_abduction")
OFFSETS = ("static_plantar_flexion", "static_rotation_offset")
NUMBERS = {"mass": 70.0, "inter_asis_distance": 0.25, "marker_diameter": 0.014}
LEG = {"leg_length": 0.85, "knee_width": 0.1, "ankle_width": 0.07, "asis_trocanter_distance": 0.06, "sole_delta": 0.0}
KNEE_RADIUS, ANKLE_RADIUS = 0.057, 0.042  # m: half of width and marker diameter
FRAMES = 5


@pytest.fixture(scope="module")
def pig() -> specs.Model:
    return load_model("pig")


class Known(NamedTuple):
    """What a leg is built from: angles in rad, as a trial would store them."""

    thigh_rotation: float
    shank_rotation: float
    tibial_torsion: float = 0.0
    ankle_abduction: float = 0.0


class Built(NamedTuple):
    """A standing person, over the frames: markers by label and the joint centres that they were built around."""

    markers: dict[str, Array]
    knee: dict[str, Array]
    ankle: dict[str, Array]


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def turned(v: Array, axis: Array, angle: float) -> Array:
    """`v` about a unit axis that is square to it."""
    return np.asarray(np.cos(angle) * v + np.sin(angle) * np.cross(axis, v))


def along(markers: Mapping[str, Array], names: str, model: str = "pig") -> Static:
    """A static with some of the markers only."""
    chosen = {label: points for label, points in markers.items() if label[1:] in names.split() or label[1:] in ALWAYS}
    return Static({}, chosen, FRAMES, UP, load_model(model))


ALWAYS = ("ASI", "PSI", "THI", "TIB", "ANK", "TOE", "HEE")


def stand(pig: specs.Model, known: Mapping[str, Known], sway: float = 0.01) -> Built:
    """Markers of a person who sways a little, every one where the angles want it."""
    t = np.linspace(0.0, 1.0, FRAMES)[:, None]
    drift = sway * np.hstack([t, t**2, 0 * t])
    markers: dict[str, Array] = {}
    for side, sg in SIGN.items():
        letter = side[0].upper()
        markers[f"{letter}ASI"] = drift + [0.0, sg * 0.125, 0.9]
        markers[f"{letter}PSI"] = drift + [-0.18, sg * 0.05, 0.93]
    numbers = NUMBERS | {f"{side}.{name}": value for side in SIGN for name, value in LEG.items()}
    pelvis = Geometry(pig, markers, numbers, FRAMES, UP)
    built = Built(markers, {}, {})
    for side, sg in SIGN.items():
        leg = known[side]
        letter = side[0].upper()
        hip = pelvis.point("hip", side)
        knee = np.array([0.02, sg * 0.08, 0.48]) + 0.5 * drift
        ankle = np.array([-0.02, sg * 0.09, 0.09]) + 0 * t
        z = unit(hip - knee)
        out = unit(np.cross(np.cross(z, [-0.1, sg, 0.05]), z))  # the knee's axis, to the outside
        shank = unit(knee - ankle)
        knee_axis = unit(out - np.sum(out * shank, axis=1, keepdims=True) * shank)
        square = turned(knee_axis, shank, -sg * leg.tibial_torsion)
        ankle_axis = np.cos(leg.ankle_abduction) * square - np.sin(leg.ankle_abduction) * shank
        f = unit(np.cross(out, [1.0, 0.3, 0.2]))
        g = sg * np.cross(out, f)  # out, f, g right-handed on the left, left-handed on the right
        lateral = knee + KNEE_RADIUS * out
        lateral_ankle = ankle + ANKLE_RADIUS * ankle_axis
        built.knee[side], built.ankle[side] = knee, ankle
        new = {
            "KNE": lateral,
            "KAX": lateral + 0.1 * out,
            "KD1": lateral + 0.1 * f,
            "KD2": lateral + 0.1 * g,
            "THI": knee + 0.2 * z + 0.12 * turned(out, z, sg * leg.thigh_rotation),
            "TIB": ankle + 0.2 * shank + 0.1 * turned(square, shank, sg * leg.shank_rotation),
            "ANK": lateral_ankle,
            "KNM": lateral - 0.12 * out,
            "MED": lateral_ankle - 0.09 * ankle_axis,
            "MMAL": lateral_ankle - 0.09 * ankle_axis,
            "TOE": ankle + [0.15, sg * 0.02, -0.05],
            "HEE": ankle + [-0.05, sg * 0.003, -0.06],
        }
        markers.update({letter + name: points for name, points in new.items()})
    return built


def resolved(pig: specs.Model, static: Static, stored: Mapping[str, float] | None = None, flat: bool = True) -> Subject:
    static = replace(static, model=pig)
    values = NUMBERS | {f"{side}.{name}": value for side in SIGN for name, value in LEG.items()}
    wanted = {f"{side}.{name}" for side in SIGN for name in (*ANGLES, *OFFSETS)}
    return resolve_subject(pig, wanted, Sources(SubjectFile(values, flat), stored or {}, static))


KNOWN = {
    "device and medial ankle": (
        "KAX KD1 KD2 MED",
        {"left": Known(0.3, -0.2, -0.35, 0.2), "right": Known(-0.15, 0.25, -0.1, -0.05)},
    ),
    "torsion without abduction": (
        "KAX KD1 KD2 MED",
        {"left": Known(0.3, -0.2, -0.35), "right": Known(-0.15, 0.25, -0.1)},
    ),
    "device alone": ("KAX KD1 KD2", {"left": Known(-0.4, 0.1), "right": Known(0.2, -0.3)}),
    "medial knee and ankle": (
        "KNE KNM MMAL",
        {"left": Known(0.1, 0.2, -0.3, 0.1), "right": Known(0.25, -0.1, -0.2, 0.15)},
    ),
    "medial knee alone": ("KNE KNM", {"left": Known(0.1, 0.2), "right": Known(0.25, -0.1)}),
    "wands beyond a right angle": (
        "KAX KD1 KD2 MED",
        {"left": Known(-1.75, 2.5, -0.3, 0.1), "right": Known(-1.74, -2.9, -0.5, 0.1)},
    ),
    "a thigh wand opposite to the axis": (
        "KAX KD1 KD2 MED",
        {"left": Known(np.pi - 1e-4, 0.0, -0.3, 0.1), "right": Known(1e-4 - np.pi, 0.0, -0.5, 0.1)},
    ),
}


@pytest.mark.parametrize("case", KNOWN)
def test_the_angles_that_a_leg_was_built_from_come_back(pig: specs.Model, case: str) -> None:
    names, known = KNOWN[case]
    subject = resolved(pig, along(stand(pig, known).markers, names))
    for side, leg in known.items():
        for name in ANGLES:
            measured = subject.measured[f"{side}.{name}"]
            assert measured.source == "static trial, computed from its markers"
            assert measured.value == pytest.approx(getattr(leg, name), abs=1e-9), (side, name)  # rad


@pytest.mark.parametrize("case", KNOWN)
def test_a_walk_with_these_angles_has_the_centres_of_the_static(pig: specs.Model, case: str) -> None:
    """Plug-in Gait's rules against each other: its static's angles in the chord construction of its dynamics.

    Exact but for the ankle whose axis is not square to the shank: its wand's angle is measured about the final centre
    and used about the one before it is turned. With 0.2 rad that moves the ankle by 0.08 mm, the shank by 0.001 rad.
    """
    names, known = KNOWN[case]
    built = stand(pig, known)
    numbers = resolved(pig, along(built.markers, names)).numbers
    numbers |= NUMBERS | {f"{side}.{name}": value for side in SIGN for name, value in LEG.items()}
    walk = Geometry(pig, built.markers, numbers, FRAMES, UP)
    for side, sg in SIGN.items():
        np.testing.assert_allclose(walk.point("knee", side), built.knee[side], rtol=0, atol=1e-9)  # m
        tolerance = 1e-9 if known[side].ankle_abduction == 0 else 1e-4  # m
        np.testing.assert_allclose(walk.point("ankle", side), built.ankle[side], rtol=0, atol=tolerance)
        # the shank's y, torsion taken off, lies in the plane of the bone and the knee's axis, to the left
        y = walk.frame("shank", side).R_gs[..., 1]
        across = sg * (walk.point("knee_marker", side) - built.knee[side])
        z = unit(built.knee[side] - built.ankle[side])
        assert np.abs(dihedral(across, y, z)).max() < 10 * tolerance  # rad


@pytest.mark.parametrize("flat", [True, False])
def test_the_foot_is_measured_with_the_ankles_axis(pig: specs.Model, flat: bool) -> None:
    """Rule 5 by numpy alone: Cardan angles of the foot as it stands in the foot before correction."""
    names, known = KNOWN["device and medial ankle"]
    built = stand(pig, known)
    subject = resolved(pig, along(built.markers, names), flat=flat)
    for side, sg in SIGN.items():
        letter = side[0].upper()
        ankle, toe, heel = built.ankle[side], built.markers[f"{letter}TOE"], built.markers[f"{letter}HEE"].copy()
        heel[:, 2] = toe[:, 2] if flat else heel[:, 2]
        left = sg * (built.markers[f"{letter}ANK"] - ankle)

        def frame(z: Array, y: Array) -> Array:
            z = unit(z)
            x = unit(np.cross(y, z))
            return np.stack([x, np.cross(z, x), z], axis=-1)

        shank_y = frame(built.knee[side] - ankle, left)[..., 1]
        D = np.swapaxes(frame(ankle - toe, shank_y), 1, 2) @ frame(heel - toe, shank_y)
        a, b = np.arctan2(D[:, 0, 2], D[:, 2, 2]), np.arcsin(-D[:, 1, 2])  # of R_y(a) R_x(b) R_z(c)
        assert subject.numbers[f"{side}.static_plantar_flexion"] == pytest.approx(-a.mean(), abs=1e-12)
        assert subject.numbers[f"{side}.static_rotation_offset"] == pytest.approx(-sg * b.mean(), abs=1e-12)


def test_a_static_without_axes_leaves_what_is_stored(pig: specs.Model) -> None:
    known = {"left": Known(0.3, -0.2, -0.35, 0.2), "right": Known(0.1, 0.1)}
    stored = {"LThighRotation": 0.11, "LTibialTorsion": -0.05}
    subject = resolved(pig, along(stand(pig, known).markers, "KNE"), stored)
    assert subject.measured["left.thigh_rotation"].source == "trial, stored"
    assert subject.numbers["left.tibial_torsion"] == -0.05
    assert subject.measured["left.shank_rotation"].source.startswith("assumed")


# --- the points and angles by themselves ---------------------------------------------------------------------


# --- what files say ------------------------------------------------------------------------------------------


def trial_of(parameters: Mapping[str, float], software: str) -> Trial:
    return Trial(
        Path("walk.c3d"), 100.0, 1, ("LASI",), np.zeros((2, 1, 3)), parameters=parameters, origin={"software": software}
    )


def stored_centres(diameter: float, wander: float = 0.0, ankle_off: float = 0.0) -> Trial:
    """A trial that stores the centres of the left knee and ankle, m, of widths 0.1 and 0.07."""
    t = np.linspace(0.0, 1.0, 20)[:, None]
    knee = np.hstack([t, 0 * t, 0 * t + 0.5])
    lateral = knee + [0.0, (0.1 + diameter) / 2, 0.0] + wander * np.hstack([0 * t, t, 0 * t])
    ankle = knee - [0.0, 0.0, 0.4]
    lateral_ankle = ankle + [0.0, (0.07 + diameter + ankle_off) / 2, 0.0]
    points = np.stack([knee, lateral, ankle, lateral_ankle], axis=1).astype(np.float32).astype(float)
    return replace(trial_of({}, "Vicon Nexus 2.12"), labels=("LFEO", "LKNE", "LTIO", "LANK"), points_g=points)


@pytest.mark.parametrize("model", ["pig", "pig_vicon"])
@pytest.mark.parametrize(
    ("trial", "stored", "value", "source"),
    [
        (stored_centres(0.0095), {}, 0.0095, "inferred from the stored knee centres"),
        (stored_centres(0.0095), {"MarkerDiameter": 16.0}, 0.016, "trial, stored"),
        # another model's centre, other widths than the centres were computed with, an impossible diameter
        (stored_centres(0.0095, wander=0.002), {"LAnkleWidth": 0.0}, 0.014, "assumed"),
        (stored_centres(0.0095, ankle_off=0.004), {}, 0.014, "assumed"),
        (stored_centres(0.080), {}, 0.014, "assumed"),
        # the ankle alone
        (stored_centres(0.0095, wander=0.002), {}, 0.0095, "inferred"),
        (stored_centres(0.0095), {"LKneeWidth": 0.0}, 0.0095, "inferred"),
    ],
)
def test_the_marker_diameter_follows_from_stored_centres(
    model: str, trial: Trial, stored: Mapping[str, float], value: float, source: str
) -> None:
    loaded = load_model(model)
    parameters = {"LKneeWidth": 100.0, "LAnkleWidth": 70.0} | stored
    subject = resolve_subject(
        loaded, {"marker_diameter"}, Sources(trial=parameters, recorded=recording(trial, loaded, UP))
    )
    assert subject.numbers["marker_diameter"] == value
    assert subject.measured["marker_diameter"].source.startswith(source)


# --- walks that lack a marker ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "software", "value", "said"),
    [
        ({"LThighRotation": 0.5}, "Vicon Nexus 2.12", 0.5, ""),
        ({"LThighRotation": 0.5}, "", 0.5, ""),
        ({"LThighRotation": 0.5}, "Vicon Workstation 5.2.4", np.radians(0.5), "so Vicon Workstation 5.2.4 stored them"),
        ({"LThighRotation": -88.7}, "Vicon Nexus 2.12", np.radians(-88.7), "LThighRotation = -88.7: radians end at π"),
        # one proves it for all
        ({"LThighRotation": 2.0, "RShankRotation": -85.5}, "", np.radians(2.0), "RShankRotation = -85.5"),
        ({"LThighRotation": 0.0}, "Vicon Workstation 5.2.4", 0.0, ""),
        ({"LThighRotation": 3.1}, "Vicon Nexus 2.12", 3.1, ""),
    ],
)
def test_degrees_are_told_from_radians(
    pig: specs.Model, parameters: Mapping[str, float], software: str, value: float, said: str
) -> None:
    recorded = recording(trial_of(parameters, software), pig, UP)
    subject = resolve_subject(pig, {"left.thigh_rotation"}, Sources(trial=parameters, recorded=recorded))
    assert subject.numbers["left.thigh_rotation"] == pytest.approx(value, rel=1e-14)
    notes = [note for note in subject.notes if note.code == "reading_assumed"]
    assert len(notes) == bool(said)
    if said:
        assert "are taken as degrees" in notes[0].text and said in notes[0].text
    # the same of a static
    subject = resolve_subject(pig, {"left.thigh_rotation"}, Sources(static=recorded))
    assert subject.numbers["left.thigh_rotation"] == pytest.approx(value, rel=1e-14)
