"""A wrench and the point it is about; centre of pressure and free moment on plates of any attitude."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.dynamics.wrench import Twist, Wrench, centre_of_pressure

seeds = st.integers(0, 2**32 - 1)


def random_wrench(rng: np.random.Generator, n: int = 6) -> Wrench:
    return Wrench(rng.normal(0, 300, (n, 3)), rng.normal(0, 50, (n, 3)), rng.normal(0, 1, (n, 3)))


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_moving_a_wrench_keeps_its_power_on_any_rigid_motion(seed: int) -> None:
    """The definition of the same action: equal power, f·v(p) + m·ω, whatever the body does."""
    rng = np.random.default_rng(seed)
    one, p = random_wrench(rng), rng.normal(size=(6, 3))
    moved = one.at(p)
    velocity, omega = rng.normal(size=(2, 6, 3))  # of the laboratory's origin in the body, m/s and rad/s

    def power(w: Wrench) -> np.ndarray:
        return np.sum(w.f_g * (velocity + np.cross(omega, w.p_g)) + w.m_g * omega, axis=1)

    # W, of some hundreds: rounding
    np.testing.assert_allclose(power(moved), power(one), atol=1e-10)
    np.testing.assert_array_equal(moved.f_g, one.f_g)
    np.testing.assert_array_equal(moved.p_g, p)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_moving_there_and_back_or_by_a_detour_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, p, q = random_wrench(rng), rng.normal(size=3), rng.normal(size=(6, 3))
    np.testing.assert_allclose(one.at(p).at(one.p_g).m_g, one.m_g, atol=1e-11)  # N·m
    np.testing.assert_allclose(one.at(p).at(q).m_g, one.at(q).m_g, atol=1e-11)


def test_a_force_on_a_lever() -> None:
    # 100 N up, 0.2 m in front (x): turns about −y, 20 N·m about the point behind it
    w = Wrench(np.array([[0.0, 0.0, 100.0]]), np.zeros((1, 3)), np.array([0.2, 0.0, 0.0]))
    np.testing.assert_allclose(w.at(np.zeros(3)).m_g, [[0.0, -20.0, 0.0]], atol=1e-15)


def test_wrenches_about_different_points_are_not_added() -> None:
    rng = np.random.default_rng(0)
    a, b = random_wrench(rng), random_wrench(rng)
    with pytest.raises(ValueError, match=r"different points.*\.at\(\)"):
        a.plus(b)
    total = a.plus(b.at(a.p_g))
    np.testing.assert_array_equal(total.f_g, a.f_g + b.f_g)
    np.testing.assert_array_equal(total.p_g, a.p_g)
    np.testing.assert_allclose(total.at(b.p_g).m_g, a.at(b.p_g).m_g + b.m_g, atol=1e-10)  # N·m


def test_a_frame_whose_point_is_unknown_can_still_be_added_at_the_same_point() -> None:
    p = np.array([[0.0, 0.0, 0.0], [np.nan, np.nan, np.nan]])
    w = Wrench(np.ones((2, 3)), np.ones((2, 3)), p)
    np.testing.assert_array_equal(w.plus(w).f_g, np.full((2, 3), 2.0))


def test_a_wrench_cannot_be_changed_and_keeps_its_own_memory() -> None:
    f, m = np.ones((3, 3)), np.ones((3, 3))
    w = Wrench(f, m, np.zeros(3))
    f[:] = 7
    np.testing.assert_array_equal(w.f_g, np.ones((3, 3)))
    assert w.p_g.shape == (3, 3)
    for array in (w.f_g, w.m_g, w.p_g):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0
    assert w.p_g.strides[0] == 0  # one point of all frames is held once


# --- frames of expression and twists -----------------------------------------------------------------------


def random_twist(rng: np.random.Generator, n: int = 6) -> Twist:
    return Twist(rng.normal(0, 5, (n, 3)), rng.normal(0, 2, (n, 3)), rng.normal(0, 1, (n, 3)))


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_power_does_not_depend_on_points_or_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, twist = random_wrench(rng), random_twist(rng)
    power = w.power(twist)
    # by hand at the wrench's point: v + ω × r
    v = twist.v_g + np.cross(twist.omega_g, w.p_g - twist.p_g)
    # W, of some thousands: rounding
    np.testing.assert_allclose(power, np.sum(w.f_g * v + w.m_g * twist.omega_g, axis=1), atol=1e-9)
    np.testing.assert_allclose(w.at(rng.normal(size=3)).power(twist), power, atol=1e-9)
    np.testing.assert_allclose(w.power(twist.at(rng.normal(size=(6, 3)))), power, atol=1e-9)
    R = Rotation.random(6, rng).as_matrix()
    np.testing.assert_allclose(w.turned(R, "shank").power(twist.turned(R, "shank")), power, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_turning_and_moving_commute_and_turning_back_restores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, p, R = random_wrench(rng), rng.normal(size=(6, 3)), Rotation.random(6, rng).as_matrix()
    p_s = np.einsum("tji,tj->ti", R, p)
    one, other = w.at(p).turned(R, "foot"), w.turned(R, "foot").at(p_s)
    assert one.frame == other.frame == "foot"
    np.testing.assert_allclose(one.m_g, other.m_g, atol=1e-10)  # N·m
    back = w.turned(R, "foot").turned(np.swapaxes(R, 1, 2), "laboratory")
    for name in ("f_g", "m_g", "p_g"):
        np.testing.assert_allclose(getattr(back, name), getattr(w, name), atol=1e-11)
    assert back.frame == w.frame


def test_turning_gives_components_along_the_columns() -> None:
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # x of s lies along y of the laboratory
    w = Wrench(np.array([[0.0, 7.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]), np.zeros(3)).turned(R, "s")
    np.testing.assert_allclose(w.f_g, [[7.0, 0.0, 0.0]])
    np.testing.assert_allclose(w.m_g, [[0.0, -1.0, 0.0]])


def test_different_frames_are_never_silently_mixed() -> None:
    rng = np.random.default_rng(0)
    w, twist, R = random_wrench(rng), random_twist(rng), np.eye(3)
    there = w.turned(R, "shank")
    with pytest.raises(ValueError, match=r"'laboratory' meets a wrench in axes of 'shank'.*\.turned\(\)"):
        w.plus(there)
    with pytest.raises(ValueError, match=r"'shank' meets a twist in axes of 'laboratory'"):
        there.power(twist)
    np.testing.assert_array_equal(there.plus(there).f_g, 2 * w.f_g)
    assert there.plus(there).frame == "shank"
    assert there.at(np.zeros(3)).frame == "shank"


def test_a_wheel_that_rolls_has_no_power_at_its_contact() -> None:
    radius, omega = 0.3, np.array([[0.0, 4.0, 0.0]])  # about y, rolling along x
    wheel = Twist(omega, np.array([[radius * 4.0, 0.0, 0.0]]), np.array([0.0, 0.0, radius]))
    np.testing.assert_allclose(wheel.at(np.zeros(3)).v_g, 0.0, atol=1e-15)
    ground = Wrench(np.array([[50.0, 0.0, 700.0]]), np.zeros((1, 3)), np.zeros(3))
    np.testing.assert_allclose(ground.power(wheel), 0.0, atol=1e-12)  # W
    np.testing.assert_allclose(ground.at(wheel.p_g).power(wheel), 0.0, atol=1e-12)


@pytest.mark.parametrize(("omega", "v"), [((3, 3), (4, 3)), ((3, 2), (3, 2))])
def test_a_twist_of_shapes_that_do_not_fit_is_refused(omega: tuple[int, int], v: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="Twist"):
        Twist(np.ones(omega), np.ones(v), np.zeros(3))


@pytest.mark.parametrize(("f", "m"), [((3, 3), (4, 3)), ((3, 2), (3, 2))])
def test_shapes_that_do_not_fit_are_refused(f: tuple[int, int], m: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="Wrench"):
        Wrench(np.ones(f), np.ones(m), np.zeros(3))


# --- centre of pressure ------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(seed=seeds, tilt=st.floats(0, 1.2), height=st.floats(-1, 1))
def test_cop_and_free_moment_make_the_wrench_again_on_any_plate(seed: int, tilt: float, height: float) -> None:
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    normal = Rotation.from_rotvec(tilt * axis / np.linalg.norm(axis)).apply([0.0, 0.0, 1.0])
    surface = np.array([*rng.normal(size=2), height])
    n = 8
    # a push into the plate of 20 to 1000 N with friction, at a point of the surface, and a free moment
    tangents = np.linalg.svd(normal[None])[2][1:]
    force = rng.uniform(20, 1000, (n, 1)) * (normal + rng.uniform(-0.6, 0.6, (n, 2)) @ tangents)
    at = surface + rng.uniform(-0.5, 0.5, (n, 2)) @ tangents
    free = rng.uniform(-10, 10, n)
    anywhere = Wrench(force, free[:, None] * normal, at).at(rng.normal(size=(n, 3)))
    cop, found = centre_of_pressure(anywhere, surface, normal)
    # m: moments of 1e3 N·m with 1e-13 rounding over at least 20 N
    np.testing.assert_allclose(cop, at, atol=1e-11)
    np.testing.assert_allclose(found, free, atol=1e-10)  # N·m
    np.testing.assert_allclose((cop - surface) @ normal, 0.0, atol=1e-12)  # in the surface, m
    again = Wrench(force, found[:, None] * normal, cop).at(anywhere.p_g)
    np.testing.assert_allclose(again.m_g, anywhere.m_g, atol=1e-9)  # N·m


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_any_point_of_the_surface_gives_the_same_cop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w = Wrench(rng.normal(0, 50, (5, 3)) + [0, 0, 400.0], rng.normal(0, 50, (5, 3)), rng.normal(size=(5, 3)))
    up = np.array([0.0, 0.0, 1.0])
    a = centre_of_pressure(w, np.array([0.3, -2.0, 0.1]), up)
    b = centre_of_pressure(w, np.array([-5.0, 1.0, 0.1]), up)
    np.testing.assert_allclose(a[0], b[0], atol=1e-11)
    np.testing.assert_allclose(a[1], b[1], atol=1e-10)


def test_no_pressing_force_means_no_cop() -> None:
    w = Wrench(np.array([[10.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 5.0]]), np.ones((3, 3)), np.zeros(3))
    cop, free = centre_of_pressure(w, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    assert np.isnan(cop[:2]).all()
    assert np.isnan(free[:2]).all()
    assert np.isfinite(cop[2]).all()


def test_free_moment_of_a_level_plate_is_the_textbook_one() -> None:
    # Fz 700 N, Fx 30, Fy −20, about the centre of the surface: M = (12, −35, 4) N·m
    f, m = np.array([[30.0, -20.0, 700.0]]), np.array([[12.0, -35.0, 4.0]])
    cop, free = centre_of_pressure(Wrench(f, m, np.zeros(3)), np.zeros(3), np.array([0.0, 0.0, 1.0]))
    x, y = 35.0 / 700, 12.0 / 700  # −My/Fz, Mx/Fz
    np.testing.assert_allclose(cop, [[x, y, 0.0]], atol=1e-15)
    np.testing.assert_allclose(free, [4.0 - (x * -20.0 - y * 30.0)], atol=1e-13)  # Tz = Mz − x Fy + y Fx
