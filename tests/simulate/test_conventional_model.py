"""The simulated markers against the formulas of the conventional gait model, written anew here."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gaitid.simulate.walk import Walk
from gaitid.simulate.walk_setup import simulate_walk

Array = NDArray[np.float64]
SIDES = ("left", "right")
SIGN = {"left": 1.0, "right": -1.0}


@pytest.fixture(scope="module")
def walk() -> Walk:
    return simulate_walk()


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def frame(z: Array, y_hint: Array) -> Array:
    """Axes as columns: z kept, x = y × z, y = z × x."""
    z = unit(z)
    x = unit(np.cross(y_hint, z))
    return np.stack([x, np.cross(z, x), z], axis=-1)


def rot(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3)
    r[i, i] = r[j, j] = c
    r[i, j], r[j, i] = -s, s
    return r


def chord(proximal: Array, wand: Array, marker: Array, r: float, dihedral: float) -> Array:
    """The centre C at distance r from the marker, (marker − C) ⟂ (proximal − C), wand at the dihedral angle.

    Solved by bisection on the direction of C about the line from the proximal centre to the marker, so that
    no closed form is shared with anything.
    """
    out = np.empty_like(marker)
    for i, (p, w, m) in enumerate(zip(proximal, wand, marker, strict=True)):
        u = unit(m - p)
        # All C at a right angle over the chord p–m: a circle about u.
        distance = float(np.linalg.norm(m - p))
        along = r * r / distance
        radius = np.sqrt(r * r - along * along)
        e1 = unit(np.cross(u, w - p))
        e2 = np.cross(u, e1)

        def centre(
            phi: float,
            m: Array = m,
            u: Array = u,
            e1: Array = e1,
            e2: Array = e2,
            a: float = along,
            q: float = float(radius),
        ) -> Array:
            return np.asarray(m - a * u + q * (np.cos(phi) * e1 + np.sin(phi) * e2))

        def miss(phi: float, p: Array = p, w: Array = w, m: Array = m) -> float:
            c = centre(phi)
            z = unit(p - c)
            to_marker = m - c
            to_wand = (w - c) - ((w - c) @ z) * z
            angle = np.arctan2(np.cross(to_marker, to_wand) @ z, to_marker @ to_wand)
            return float(np.angle(np.exp(1j * (angle - dihedral))))

        grid = np.linspace(-np.pi, np.pi, 25)
        values = [miss(phi) for phi in grid]
        brackets = [
            (grid[k], grid[k + 1])
            for k in range(24)
            if values[k] * values[k + 1] <= 0 and abs(values[k] - values[k + 1]) < np.pi
        ]
        assert len(brackets) == 1
        low, high = brackets[0]
        sign = np.sign(miss(low))
        for _ in range(60):
            mid = 0.5 * (low + high)
            if np.sign(miss(mid)) == sign:
                low = mid
            else:
                high = mid
        out[i] = centre(0.5 * (low + high))
    return out


def model_centres(walk: Walk, marker: dict[str, Array], side: str) -> tuple[dict[str, Array], dict[str, Array]]:
    """Joint centres and rotations by the formulas of the conventional gait model, foot uncorrected."""
    subject, sg, letter = walk.subject, SIGN[side], side[0].upper()
    leg = subject.legs[side]
    half = 0.5 * subject.marker_diameter_m
    origin = 0.5 * (marker["LASI"] + marker["RASI"])
    y = unit(marker["LASI"] - marker["RASI"])
    back = origin - 0.5 * (marker["LPSI"] + marker["RPSI"])
    x = unit(back - np.sum(back * y, axis=1, keepdims=True) * y)
    pelvis = np.stack([x, y, np.cross(x, y)], axis=-1)
    c = 0.115 * 0.5 * (subject.legs["left"].leg_length_m + subject.legs["right"].leg_length_m) - 0.0153
    at = leg.asis_trocanter_distance_m + half
    hip_p = [
        c * np.cos(0.5) * np.sin(0.314) - at * np.cos(0.314),
        sg * (subject.inter_asis_distance_m / 2 - c * np.sin(0.5)),
        -c * np.cos(0.5) * np.cos(0.314) - at * np.sin(0.314),
    ]
    hip = origin + pelvis @ np.array(hip_p)
    kne, ank = marker[f"{letter}KNE"], marker[f"{letter}ANK"]
    knee = chord(hip, marker[f"{letter}THI"], kne, 0.5 * leg.knee_width_m + half, sg * leg.thigh_rotation_rad)
    ankle = chord(knee, marker[f"{letter}TIB"], ank, 0.5 * leg.ankle_width_m + half, sg * leg.shank_rotation_rad)
    axis = unit(np.cross(knee - ankle, ank - ankle))
    d, v = leg.ankle_abduction_rad, ankle - ank
    ankle = (
        ank
        + v * np.cos(d)
        + np.cross(axis, v) * np.sin(d)
        + axis * np.sum(axis * v, axis=1, keepdims=True) * (1 - np.cos(d))
    )
    thigh = frame(hip - knee, sg * (kne - knee))
    torsioned = frame(knee - ankle, sg * (ank - ankle))
    shank = torsioned @ rot(2, sg * leg.tibial_torsion_rad)
    uncorrected = frame(ankle - marker[f"{letter}TOE"], shank[:, :, 1])
    centres = {"hip": hip, "knee": knee, "ankle": ankle}
    return centres, {
        "pelvis": pelvis,
        "thigh": thigh,
        "torsioned_shank": torsioned,
        "shank": shank,
        "uncorrected": uncorrected,
    }


@pytest.mark.parametrize("side", SIDES)
def test_the_models_formulas_give_back_centres_and_frames(walk: Walk, side: str) -> None:
    state = walk.at(walk.settings.times_s[::16])
    centres, rotation = model_centres(walk, dict(state.marker_g), side)
    for joint, p in centres.items():
        np.testing.assert_allclose(p, state.joint_g[f"{side}_{joint}"], atol=1e-12)  # m
    leg, sg = walk.subject.legs[side], SIGN[side]
    foot = (
        rotation["uncorrected"] @ rot(1, -leg.static_plantar_flexion_rad) @ rot(0, -sg * leg.static_rotation_offset_rad)
    )
    np.testing.assert_allclose(rotation["pelvis"], state.rotation["pelvis"], atol=1e-12)
    for name in ("thigh", "shank", "torsioned_shank"):
        np.testing.assert_allclose(rotation[name], state.rotation[f"{side}_{name}"], atol=1e-11)
    np.testing.assert_allclose(foot, state.rotation[f"{side}_foot"], atol=1e-11)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("flatten", [True, False])
def test_the_static_gives_back_its_offsets(walk: Walk, side: str, flatten: bool) -> None:
    marker, letter = walk.static_markers(3), side[0].upper()
    _, rotation = model_centres(walk, marker, side)
    toe, heel = marker[f"{letter}TOE"], marker[f"{letter}HEE"].copy()
    assert np.ptp([toe[0, 2], heel[0, 2]]) < 1e-12  # m: flat already
    if flatten:
        heel[:, 2] = toe[:, 2]
    d = np.swapaxes(rotation["uncorrected"], 1, 2) @ frame(heel - toe, rotation["shank"][:, :, 1])
    a, b = np.arctan2(d[:, 0, 2], d[:, 2, 2]), np.arcsin(-d[:, 1, 2])
    leg = walk.subject.legs[side]
    np.testing.assert_allclose(-a, leg.static_plantar_flexion_rad, atol=1e-12)  # rad
    np.testing.assert_allclose(-SIGN[side] * b, leg.static_rotation_offset_rad, atol=1e-12)
    assert 0.04 < heel[0, 2] < 0.05
