"""Angular velocity and acceleration against rotations whose derivatives are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.body.joints import Pose
from gaitid.body.kinematics import SegmentMotion, clinical_angles, joint_axes, segment_motions, single_entry_derivatives
from gaitid.model import specs
from gaitid.model.expression import parse_expression
from gaitid.numerics.rotation import about_axis

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
seeds = st.integers(0, 2**32 - 1)


def segment_motion(R: np.ndarray, com: np.ndarray, rate_hz: float, end_frames: int = 4) -> SegmentMotion:
    """The pipeline's motion of one segment."""
    return segment_motions({"": (Pose(R, com), com)}, rate_hz, specs.Settings(end_frames=end_frames))[""]


def angular_derivatives(R: np.ndarray, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
    """ω and α in laboratory axes, in all frames."""
    motion = segment_motion(R, np.zeros((len(R), 3)), rate_hz, end_frames=0)
    return motion.omega_g, motion.alpha_g


def spin(omega_g: np.ndarray, t: np.ndarray, R0: np.ndarray) -> np.ndarray:
    """Rotations (frames, 3, 3) about a fixed axis of the laboratory at a constant rate."""
    return Rotation.from_rotvec(t[:, None] * omega_g).as_matrix() @ R0


def wobble(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rz(a) Ry(b) Rx(c) with smooth angles, its ω and α in laboratory axes, by hand.

    ω = ȧ e_z + ḃ Rz(a) e_y + ċ Rz(a) Ry(b) e_x, and α is its derivative, with (R e)˙ = ω_R × R e.
    """
    a, da, dda = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    b, db, ddb = 0.7 * np.cos(3 * t), -2.1 * np.sin(3 * t), -6.3 * np.cos(3 * t)
    c, dc, ddc = 1.5 * t + 0.2 * np.sin(4 * t), 1.5 + 0.8 * np.cos(4 * t), -3.2 * np.sin(4 * t)
    z = np.broadcast_to([0.0, 0.0, 1.0], (len(t), 3))
    Rz, Ry = about_axis("z", a), about_axis("y", b)
    y, x = Rz[:, :, 1], (Rz @ Ry)[:, :, 0]
    of_y = da[:, None] * z  # angular velocity of the y axis, and of the x axis below
    of_x = of_y + db[:, None] * y
    omega = of_x + dc[:, None] * x
    alpha = dda[:, None] * z + ddb[:, None] * y + db[:, None] * np.cross(of_y, y)
    alpha = alpha + ddc[:, None] * x + dc[:, None] * np.cross(of_x, x)
    return Rz @ Ry @ about_axis("x", c), omega, alpha


def test_a_body_at_rest_has_no_velocity() -> None:
    R = np.broadcast_to(Rotation.from_rotvec([0.3, -0.8, 1.2]).as_matrix(), (60, 3, 3))
    omega, alpha = angular_derivatives(R, 100.0)
    # rounding 1e-16 of the quaternion, times the rate and its square
    np.testing.assert_allclose(omega, 0.0, atol=1e-12)
    np.testing.assert_allclose(alpha, 0.0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_a_constant_spin_is_found_with_no_acceleration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.arange(160) / 200
    omega_g = rng.normal(size=3)
    omega_g *= 6.0 / np.linalg.norm(omega_g)  # rad/s: a fast shank
    R0 = Rotation.random(None, rng).as_matrix()
    omega, alpha = angular_derivatives(spin(omega_g, t, R0), 200.0)
    inner = slice(50, -50)  # beyond the spline's memory of its ends
    # The quaternion turns at ω/2 = 3 rad/s: (3/200)⁴ = 5e-8 of it and less.
    np.testing.assert_allclose(omega[inner], np.broadcast_to(omega_g, (60, 3)), atol=1e-9)
    np.testing.assert_allclose(alpha[inner], 0.0, atol=1e-7)


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_turning_the_laboratory_turns_velocity_and_acceleration(seed: int) -> None:
    turn = Rotation.random(None, np.random.default_rng(seed)).as_matrix()
    R, _, _ = wobble(np.arange(120) / 100)
    for derivatives in (lambda M: angular_derivatives(M, 100.0), lambda M: single_entry_derivatives(M, 100.0)):
        for one, turned in zip(derivatives(R), derivatives(turn @ R), strict=True):
            # rounding 1e-16 times the rate squared, in rad/s and rad/s²
            np.testing.assert_allclose(turned, one @ turn.T, atol=1e-9)


def test_segment_motion_leaves_the_ends_of_each_span_empty() -> None:
    t = np.arange(100) / 100
    R, omega_g, alpha_g = wobble(t)
    R[40:43] = np.nan
    com = np.stack([t**2, -t, 0 * t], axis=1)
    com[70] = np.nan
    motion = segment_motion(R, com, 100.0)
    turning = [*range(4, 36), *range(47, 96)]
    moving = [*range(4, 66), *range(75, 96)]
    for values, frames in ((motion.omega_g, turning), (motion.alpha_g, turning), (motion.acc_g, moving)):
        np.testing.assert_array_equal(np.flatnonzero(np.isfinite(values).all(axis=1)), frames)
    # m/s²; 1e-16 · rate² and rounding of the spline
    np.testing.assert_allclose(motion.acc_g[moving], np.broadcast_to([2.0, 0, 0], (len(moving), 3)), atol=1e-9)
    # Four frames from an end the end condition still shows: 1 % of 20 rad/s² and 0.1 % of 6 rad/s.
    np.testing.assert_allclose(motion.omega_g[turning], omega_g[turning], atol=6e-3)
    np.testing.assert_allclose(motion.alpha_g[turning], alpha_g[turning], atol=0.5)


# --- angles ------------------------------------------------------------------------------------------------


def angle(sequence: str, **columns: str) -> specs.Angle:
    formulas = {name: parse_expression(text, name) for name, text in columns.items()}
    return specs.Angle("a", "b", sequence, formulas)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_clinical_angles_are_formulas_of_the_cardan_angles_in_degrees(sequence: str) -> None:
    proximal = Rotation.from_rotvec([0.2, 0.5, -1.0]).as_matrix()[None]
    i, j, k = sequence
    distal = proximal @ about_axis(i, 0.3) @ about_axis(j, -0.2) @ about_axis(k, 0.1)
    for sign in (1.0, -1.0):
        found = clinical_angles(proximal, distal, angle(sequence, first="-90 - a", second="sign * b", third="c"), sign)
        # deg; rounding
        np.testing.assert_allclose(found["first"], [-90 - np.degrees(0.3)], atol=1e-11)
        np.testing.assert_allclose(found["second"], [sign * np.degrees(-0.2)], atol=1e-11)
        np.testing.assert_allclose(found["third"], [np.degrees(0.1)], atol=1e-11)


def test_relative_velocity_is_the_sum_of_angle_rates_about_the_joint_axes() -> None:
    """ω_distal − ω_proximal = ȧ e_first + ḃ e_floating + ċ e_last: what a power in clinical terms stands on."""
    rate = 400.0
    t = np.arange(400) / rate
    a, b, c = 0.5 * np.sin(3 * t), 0.3 * np.cos(2 * t), 0.2 * np.sin(5 * t)
    proximal, omega_proximal, _ = wobble(t)
    distal = proximal @ about_axis("y", a) @ about_axis("x", b) @ about_axis("z", c)
    omega, _ = angular_derivatives(distal, rate)
    axes = joint_axes(proximal, distal, "yxz")
    rates = {"y": 1.5 * np.cos(3 * t), "x": -0.6 * np.sin(2 * t), "z": np.cos(5 * t)}
    expected = sum(rates[letter][:, None] * axes[:, :, "xyz".index(letter)] for letter in "xyz")
    # rad/s; differentiation at 400 Hz, away from the ends
    np.testing.assert_allclose((omega - omega_proximal)[60:-60], expected[60:-60], atol=1e-6)
