"""Bundled mechanisms against textbook closed forms, and every one of them against virtual work and Newton's law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.polynomial.chebyshev import Chebyshev
from solved_mechanisms import Solved

from gaitid.mechanism.dynamics import checks, solve
from gaitid.mechanism.file import bundled_mechanisms

# Of positions, m and rad: rounding of numbers of size 1 through a matrix of condition up to 20.
EXACT = 1e-12
G = 9.81
H = 1e-30
Bundled = Callable[[str], Solved]
all_mechanisms = pytest.mark.parametrize("name", list(bundled_mechanisms()))


def derivative(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Exact to rounding: no difference is taken (Squire & Trapp 1998, SIAM Rev 40:110-112)."""
    return np.imag(function(x + 1j * H)) / H


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Within `tolerance` of the largest of what is expected."""
    assert np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


# --- the four-bar ------------------------------------------------------------------------------------------

A, B, C, D = 0.10, 0.25, 0.30, 0.35


def four_bar_angles(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coupler and rocker of the open four-bar, from Freudenstein's equation (1954, Trans ASME 76:853-861).

    K₁ cos θ₄ − K₂ cos θ₂ + K₃ = cos(θ₂ − θ₄), a quadratic in tan(θ₄/2).
    """
    K1, K2, K3 = D / A, D / C, (A**2 - B**2 + C**2 + D**2) / (2 * A * C)
    p, q, r = np.cos(theta) - K1 - K2 * np.cos(theta) + K3, -2 * np.sin(theta), K1 - (K2 + 1) * np.cos(theta) + K3
    rocker = 2 * np.arctan2(-q - np.sqrt(q**2 - 4 * p * r), 2 * p)
    b = np.stack([D + C * np.cos(rocker) - A * np.cos(theta), C * np.sin(rocker) - A * np.sin(theta)])
    return np.arctan2(b[1], b[0]), rocker


def test_four_bar_motion(bundled: Bundled) -> None:
    one = bundled("four_bar")
    w2 = 2 * np.pi
    t2 = np.pi / 6 + w2 * one.solution.time_s
    t3, t4 = four_bar_angles(t2)
    close(np.sin(one.q("coupler")[:, 2] - t3), 0 * t3, EXACT)
    close(np.sin(one.q("rocker")[:, 2] - t4), 0 * t4, EXACT)
    close(np.cos(one.q("rocker")[:, 2] - t4), 1 + 0 * t4, EXACT)
    # Norton, Design of Machinery, chapters 6 and 7
    w3 = A * w2 / B * np.sin(t4 - t2) / np.sin(t3 - t4)
    w4 = A * w2 / C * np.sin(t2 - t3) / np.sin(t4 - t3)
    close(one.qd("coupler")[:, 2], w3, EXACT)
    close(one.qd("rocker")[:, 2], w4, EXACT)
    a = A * w2**2 * np.cos(t2) + B * w3**2 * np.cos(t3) - C * w4**2 * np.cos(t4)
    b = A * w2**2 * np.sin(t2) + B * w3**2 * np.sin(t3) - C * w4**2 * np.sin(t4)
    # −B α₃ (sin, −cos)(θ₃) + C α₄ (sin, −cos)(θ₄) = (a, −b), by Cramer's rule
    alpha3 = (a * np.cos(t4) + b * np.sin(t4)) / (B * np.sin(t4 - t3))
    alpha4 = (a * np.cos(t3) + b * np.sin(t3)) / (C * np.sin(t4 - t3))
    close(one.qdd("coupler")[:, 2], alpha3, 10 * EXACT)
    close(one.qdd("rocker")[:, 2], alpha4, 10 * EXACT)


def test_four_bar_forces(bundled: Bundled) -> None:
    """The pin between coupler and rocker from the moments of the two about A and O4: two equations, two unknowns."""
    one = bundled("four_bar")
    g = np.array([0.0, -G])
    pin, other = one.point("coupler", "B"), one.point("coupler", "A")
    m3, I3, m4, I4 = 1.0, B**2 / 12, 1.2, 1.2 * C**2 / 12
    r3, r4 = one.q("coupler")[:, :2] - other, one.q("rocker")[:, :2] - np.array([D, 0.0])
    a3, a4 = one.qdd("coupler"), one.qdd("rocker")
    left = np.zeros((len(pin), 2, 2))
    for row, (arm, sign) in enumerate(((pin - other, 1.0), (pin - np.array([D, 0.0]), -1.0))):
        left[:, row, 0], left[:, row, 1] = -sign * arm[:, 1], sign * arm[:, 0]
    right = np.stack(
        [I3 * a3[:, 2] + cross(r3, m3 * (a3[:, :2] - g)), I4 * a4[:, 2] + cross(r4, m4 * (a4[:, :2] - g))], axis=1
    )
    expected = np.linalg.solve(left, right[..., None])[..., 0]
    force, torque, point = one.load("B", 0)
    close(force, expected, 1e-11)
    close(torque, 0 * torque, 1e-11)
    close(point, pin, EXACT)
    on_rocker, _, _ = one.load("B", 1)
    close(on_rocker, -expected, 1e-11)
    # the shaking force: what all pins on the ground bear is the weight and the inertia of everything
    shaking = one.load("O2", 0)[0] + one.load("O4", 0)[0]
    bodies = (("crank", 0.5), ("coupler", m3), ("rocker", m4))
    close(shaking, sum(m * (g - one.qdd(name)[:, :2]) for name, m in bodies), 1e-11)


def test_four_bar_torque_by_virtual_work(bundled: Bundled) -> None:
    """T ω₂ = d(kinetic + potential energy)/dt, both closed forms of the crank's angle."""
    one = bundled("four_bar")
    w = 2 * np.pi
    nodes = np.pi / 6 + np.pi * (1 + np.cos(np.pi * (np.arange(120) + 0.5) / 120))
    t3, t4 = four_bar_angles(nodes)
    w3 = A * w / B * np.sin(t4 - nodes) / np.sin(t3 - t4)
    w4 = A * w / C * np.sin(nodes - t3) / np.sin(t4 - t3)
    v3 = (A * w) ** 2 + (B / 2 * w3) ** 2 + A * w * B * w3 * np.cos(nodes - t3)
    kinetic = 0.5 * (1.0 * v3 + B**2 / 12 * w3**2 + 1.2 * C**2 / 3 * w4**2)
    y3, y4 = A * np.sin(nodes) + B / 2 * np.sin(t3), C / 2 * np.sin(t4)
    energy = kinetic + G * (0.5 * A / 2 * np.sin(nodes) + 1.0 * y3 + 1.2 * y4)
    series = Chebyshev.fit(nodes, energy, 110, domain=[np.pi / 6, np.pi / 6 + 2 * np.pi])
    # N·m: the series' derivative, whose rounding grows with the square of its degree
    close(one.effort("crank_drive"), series.deriv()(np.pi / 6 + w * one.solution.time_s), 1e-9)


# --- the slider–crank --------------------------------------------------------------------------------------

R, L = 0.04, 0.14


def piston(theta: np.ndarray) -> np.ndarray:
    return R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)


def rod_angle(theta: np.ndarray) -> np.ndarray:
    return -np.arcsin(R / L * np.sin(theta))


def test_slider_crank_motion(bundled: Bundled) -> None:
    one = bundled("slider_crank")
    w = 20 * np.pi
    theta = w * one.solution.time_s
    close(one.q("piston")[:, 0], piston(theta), EXACT)
    close(one.q("piston")[:, 1:], 0 * one.q("piston")[:, 1:], EXACT)
    close(one.q("rod")[:, 2], rod_angle(theta), EXACT)
    close(one.qd("piston")[:, 0], w * derivative(piston, theta), EXACT)
    s, c, root = np.sin(theta), np.cos(theta), np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
    # d²x/dθ² written out
    second = -R * c - R**2 * (c**2 - s**2) / root - R**4 * s**2 * c**2 / root**3
    close(one.qdd("piston")[:, 0], w**2 * second, EXACT)


# --- the geared five-bar -----------------------------------------------------------------------------------


# --- the cycling leg ---------------------------------------------------------------------------------------


def test_cycling_leg_is_a_closed_loop(bundled: Bundled) -> None:
    one = bundled("cycling_leg")
    phi = {name: one.q(name)[:, 2] for name in ("thigh", "shank", "foot", "crank")}
    lengths = {"thigh": 0.245 * 1.75, "shank": 0.246 * 1.75, "foot": 0.14, "crank": -0.17}
    loop = sum(length * np.stack([np.cos(phi[name]), np.sin(phi[name])], axis=-1) for name, length in lengths.items())
    close(loop, np.broadcast_to([0.2, -0.72], loop.shape), EXACT)
    t = one.solution.time_s
    close(phi["crank"], np.pi / 2 - 3 * np.pi * t, EXACT)
    ankle = np.radians(65 + 8 * np.sin(3 * np.pi * t + np.radians(200)))
    close(phi["foot"] - phi["shank"], ankle, EXACT)
    assert ((phi["shank"] - phi["thigh"]) % (2 * np.pi) > np.pi).all()  # the knee bends backwards throughout


# --- all of them -------------------------------------------------------------------------------------------


@all_mechanisms
def test_velocities_and_accelerations_are_derivatives_of_the_positions(name: str, bundled: Bundled) -> None:
    one = bundled(name)
    first, last = one.solution.time_s[[0, -1]]
    # a hundredth of the motion, within one interval of the tables
    middle, half = first + 0.4545 * (last - first), 0.004 * (last - first)
    times = middle - half * np.cos(np.pi * (np.arange(11) + 0.5) / 11)
    found = solve(one.source.mechanism, np.concatenate([[middle - half], times, [middle]]))
    for column in range(found.q.shape[1]):
        series = Chebyshev.fit(times, found.q[1:-1, column], 10, domain=[middle - half, middle + half])
        for order, rate, digits in ((1, found.qd, 1e-11), (2, found.qdd, 1e-8)):
            # a rounding of q (1e-16) over the half interval, times the square of the degree for each order
            size = one.source.mechanism.length + np.abs(found.q[:, column]).max()
            scale = size / half**order + np.abs(rate[:, column]).max()
            assert rate[-1, column] == pytest.approx(series.deriv(order)(middle), abs=digits * scale), (column, order)


@all_mechanisms
def test_drivers_supply_what_the_energy_gains(name: str, bundled: Bundled) -> None:
    found = checks(bundled(name).solution)
    assert found["power_residual_W"] is not None and found["power_max_W"] is not None
    # the spline's derivative at 100 Hz in the gait leg, whose load sets in with a corner; a smooth 360 rows elsewhere
    tolerance = 1e-4 if name == "gait_leg" else 1e-8
    assert found["power_residual_W"] < tolerance * found["power_max_W"]
