"""Bundled mechanisms against textbook closed forms, and every one of them against virtual work and Newton's law."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial.chebyshev import Chebyshev
from solved_mechanisms import Solved, solved_file

from gaitid.mechanism.dynamics import checks, newton_residuals, simultaneous, solve
from gaitid.mechanism.file import bundled_mechanisms

# Of positions, m and rad: rounding of numbers of size 1 through a matrix of condition up to 20.
EXACT = 1e-12
G = 9.81
H = 1e-30
Bundled = Callable[[str], Solved]
Edited = Callable[[str, Mapping[str, Any]], Path]
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


def gas(theta: np.ndarray) -> np.ndarray:
    return -400 - 400 * np.cos(theta)


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


def test_slider_crank_forces(bundled: Bundled) -> None:
    one = bundled("slider_crank")
    theta = 20 * np.pi * one.solution.time_s
    pin, _, _ = one.load("piston_pin", 1)
    close(pin[:, 0], 0.5 * one.qdd("piston")[:, 0] - gas(theta), 1e-12)
    # the cylinder bears what the pin and the weight leave, at the piston pin: nothing for `upright` to do
    wall, about_own_point, at = one.load("cylinder", 1)
    close(wall[:, 1], 0.5 * G - pin[:, 1], 1e-12)
    close(wall[:, 0], 0 * theta, 1e-12)
    close(about_own_point, 0 * theta, 1e-12)
    close(at, one.q("piston")[:, :2], EXACT)
    assert np.abs(one.load("upright", 1)[1]).max() < 1e-10  # N·m


def slider_crank_energy(theta: np.ndarray, w: float) -> np.ndarray:
    """Kinetic and of gravity; the crank's is constant. Rates by closed forms, so that θ may be complex."""
    phi = rod_angle(theta)
    phi_rate = -R * np.cos(theta) / (L * np.cos(phi)) * w
    x_rate = w * (-R * np.sin(theta) - R**2 * np.sin(theta) * np.cos(theta) / np.sqrt(L**2 - (R * np.sin(theta)) ** 2))
    vx = -R * w * np.sin(theta) - 0.05 * phi_rate * np.sin(phi)
    vy = R * w * np.cos(theta) + 0.05 * phi_rate * np.cos(phi)
    kinetic = 0.5 * (0.4 * (vx**2 + vy**2) + 0.4 * L**2 / 12 * phi_rate**2 + 0.5 * x_rate**2)
    return kinetic + 0.4 * G * (R * np.sin(theta) + 0.05 * np.sin(phi))


def test_slider_crank_torque_by_virtual_work(bundled: Bundled) -> None:
    one = bundled("slider_crank")
    w = 20 * np.pi
    theta = w * one.solution.time_s
    expected = derivative(lambda x: slider_crank_energy(x, w), theta) - gas(theta) * derivative(piston, theta)
    close(one.effort("crank_drive"), expected, 1e-12)


def test_statics_is_the_case_of_no_acceleration(edited: Edited) -> None:
    one = solved_file(edited("slider_crank", {"statics": True}))
    theta = 20 * np.pi * one.solution.time_s
    expected = derivative(lambda x: slider_crank_energy(x, 0.0), theta) - gas(theta) * derivative(piston, theta)
    close(one.effort("crank_drive"), expected, 1e-12)
    assert not one.solution.qd.any() and not one.solution.qdd.any()
    assert not one.solution.driver_powers().any()


# --- the geared five-bar -----------------------------------------------------------------------------------


def test_geared_five_bar(bundled: Bundled) -> None:
    """Where two circles about the cranks' pins meet, above the line between them."""
    one = bundled("geared_five_bar")
    w = 2 * np.pi
    slow = w * one.solution.time_s

    def apex(slow: np.ndarray) -> np.ndarray:
        fast = np.pi / 3 - 2 * slow
        ax, ay = 0.07 * np.cos(slow), 0.07 * np.sin(slow)
        bx, by = 0.2 + 0.05 * np.cos(fast), 0.05 * np.sin(fast)
        dx, dy = (bx - ax) / 2, (by - ay) / 2
        half = dx**2 + dy**2
        height = np.sqrt(0.2**2 / half - 1)
        return np.stack([ax + dx - height * dy, ay + dy + height * dx], axis=-1)

    close(one.q("fast_crank")[:, 2], np.pi / 3 - 2 * slow, EXACT)
    close(one.point("left_link", "C"), apex(slow), EXACT)
    # half of a link's two pins' velocities is its centre's
    pin = 0.07 * w * np.stack([-np.sin(slow), np.cos(slow)], axis=-1)
    close(one.qd("left_link")[:, :2], (pin + w * derivative(apex, slow)) / 2, 10 * EXACT)


def test_gears_hand_their_torque_on(bundled: Bundled) -> None:
    """The fast crank has no drive but its gear: T ω of the gear on it is what its side of the linkage takes."""
    one = bundled("geared_five_bar")
    (_, on_slow, _), (_, on_fast, _) = one.load("gears", 0), one.load("gears", 1)
    close(on_slow, 2 * on_fast, 1e-12)  # K = −2: T on i = K λ, on j −λ
    assert np.abs(on_slow * one.qd("slow_crank")[:, 2] + on_fast * one.qd("fast_crank")[:, 2]).max() < 1e-11  # W


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


def test_cycling_leg_torque_by_virtual_work(bundled: Bundled) -> None:
    """T ω of the crank is what moving and lifting the segments takes, less what hip, knee and ankle supply."""
    one = bundled("cycling_leg")
    t, work = one.solution.time_s, 0.0
    for body in one.source.mechanism.bodies:
        v, a = one.qd(body.name), one.qdd(body.name)
        work = work + body.mass * ((a[:, :2] + [0, G]) * v[:, :2]).sum(axis=1) + body.inertia * a[:, 2] * v[:, 2]
    hip = -20 - 30 * np.sin(3 * np.pi * t)
    knee = 5 + 30 * np.sin(3 * np.pi * t + np.pi / 4)
    rate = {name: one.qd(name)[:, 2] for name in ("thigh", "shank", "foot")}
    supplied = hip * rate["thigh"] + knee * (rate["shank"] - rate["thigh"])
    supplied += one.effort("ankle_drive") * (rate["foot"] - rate["shank"])
    close(one.effort("crank_drive") * -3 * np.pi, work - supplied, 1e-12)


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
def test_every_body_obeys_newton_under_the_loads_reported(name: str, bundled: Bundled) -> None:
    one = bundled(name)
    largest = np.abs(one.solution.multipliers).max()
    assert np.abs(newton_residuals(one.solution)).max() < 1e-12 * max(1.0, largest)


@all_mechanisms
def test_simultaneous_form_agrees(name: str, bundled: Bundled) -> None:
    one = bundled(name)
    qdd, multipliers = simultaneous(one.solution)
    close(qdd, one.solution.qdd, 1e-11)
    close(multipliers, one.solution.multipliers, 1e-11)


@all_mechanisms
def test_drivers_supply_what_the_energy_gains(name: str, bundled: Bundled) -> None:
    found = checks(bundled(name).solution)
    assert found["power_residual_W"] is not None and found["power_max_W"] is not None
    # the spline's derivative at 100 Hz in the gait leg, whose load sets in with a corner; a smooth 360 rows elsewhere
    tolerance = 1e-4 if name == "gait_leg" else 1e-8
    assert found["power_residual_W"] < tolerance * found["power_max_W"]
