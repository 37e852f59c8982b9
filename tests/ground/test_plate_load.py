"""One plate's load against forces put on it, on plates turned, tilted and raised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.errors import GaitidError
from gaitid.ground.plate_load import plate_axes, plate_load
from gaitid.model import specs
from gaitid.trial import ForcePlate

seeds = st.integers(0, 2**32 - 1)
CAMERA, RATE, N = 100.0, 1000.0, 100
# x to the right and y back on the plate of this file seen from above, so that z points down
DOWN = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]).T
SENSOR = np.array([0.002, -0.001, 0.041])


def corners(R_gp: np.ndarray, centre: np.ndarray, size: tuple[float, float] = (0.4, 0.6)) -> np.ndarray:
    """C3D order: +x +y, −x +y, −x −y, +x −y of the plate."""
    x, y = R_gp[:, 0] * size[0] / 2, R_gp[:, 1] * size[1] / 2
    return np.stack([centre + x + y, centre - x + y, centre - x - y, centre + x - y])


def pressed(
    R_gp: np.ndarray, centre: np.ndarray, force_g: np.ndarray, at_g: np.ndarray, free_g: np.ndarray, rate: float = RATE
) -> ForcePlate:
    """A plate that felt these forces (samples, 3) at these points of its surface."""
    moment_g = np.cross(at_g - centre, force_g) + free_g  # about the centre of the surface
    f_p, m_p = force_g @ R_gp, moment_g @ R_gp
    return ForcePlate(3, 2, corners(R_gp, centre), SENSOR, rate, f_p, m_p - np.cross(SENSOR, f_p))


@settings(max_examples=40, deadline=None)
@given(seed=seeds, tilt=st.floats(0, 0.6))
def test_a_plate_gives_back_what_was_put_on_it(seed: int, tilt: float) -> None:
    rng = np.random.default_rng(seed)
    turn = Rotation.from_euler("ZX", [rng.uniform(-3, 3), tilt]).as_matrix()
    R, centre = turn @ DOWN, rng.normal(size=3)
    normal = -R[:, 2]
    n = int(N * RATE / CAMERA)
    one = np.ones((n, 1))
    force = one * (500 * normal + 60 * R[:, 0] - 30 * R[:, 1])
    at, free = one * (centre + 0.1 * R[:, 0] - 0.2 * R[:, 1]), one * (4.0 * normal)
    for sampling in ("local_quadratic", "centred_mean"):
        plate = pressed(R, centre, force, at, free)
        load = plate_load(plate, CAMERA, N, specs.Settings(plate_sampling=sampling))
        np.testing.assert_allclose(load.wrench.f_g, force[:N], atol=1e-9)  # N
        np.testing.assert_allclose(load.cop_g, at[:N], atol=1e-12)  # m
        np.testing.assert_allclose(load.vertical, 500.0, atol=1e-9)  # N, along the plate's own normal
        moved = load.wrench.at(at[:N])
        np.testing.assert_allclose(moved.m_g, free[:N], atol=1e-10)  # N·m
    np.testing.assert_allclose(load.normal_g, normal, atol=1e-14)
    np.testing.assert_allclose(load.half, [0.2, 0.3], atol=1e-14)  # m
    np.testing.assert_allclose(load.centre_g, centre, atol=1e-14)


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros((4, 3)),
        np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0.0]]),
        corners(DOWN, np.zeros(3))[[0, 2, 1, 3]],  # in the wrong order
        np.array([[0.2, 0.3, 0], [-0.2, 0.3, 0], [-0.5, -0.3, 0], [-0.1, -0.3, 0.0]]),  # sheared
    ],
    ids=["one point", "one line", "crossed", "sheared"],
)
def test_corners_of_no_rectangle_are_refused(bad: np.ndarray) -> None:
    plate = replace(pressed(DOWN, np.zeros(3), *np.zeros((3, 10, 3))), corners_g=bad)
    with pytest.raises(GaitidError, match="plate 3: its corners are not those of a rectangle"):
        plate_axes(plate)


def test_a_force_cutoff_filters_the_samples_and_none_does_not() -> None:
    t = np.arange(1000) / RATE
    force = np.stack([0 * t, 0 * t, 500 + 50 * np.sin(2 * np.pi * 40 * t)], axis=1)
    plate = pressed(DOWN, np.zeros(3), force, np.zeros((1000, 3)), np.zeros((1000, 3)))
    raw = plate_load(plate, CAMERA, N, specs.Settings()).vertical[20:80]
    smooth = plate_load(plate, CAMERA, N, specs.Settings(force_cutoff_hz=10.0)).vertical[20:80]
    assert np.ptp(raw) > 30  # N
    # Two passes of order 2 at 40 Hz, four times the cut-off: (√2 − 1)⁻¹ 4⁻⁴ and less, 1 N of 50
    np.testing.assert_allclose(smooth, 500, atol=1.0)


@pytest.mark.parametrize(("cutoff", "noted"), [(None, False), (3.0, True), (10.0, False)])
def test_a_low_pass_that_takes_load_away_is_noted_with_its_size(cutoff: float | None, noted: bool) -> None:
    """Half a second of load with the two humps of a walk."""
    t = (np.arange(1000) - 300) / 500
    vertical = 500 * (np.sin(np.pi * t) + 0.45 * np.sin(3 * np.pi * t)) * ((t > 0) & (t < 1))
    force = np.stack([0 * t, 0 * t, vertical], axis=1)
    chosen = specs.Settings(force_cutoff_hz=cutoff)
    plate = pressed(DOWN, np.zeros(3), force, np.zeros((1000, 3)), np.zeros((1000, 3)))
    notes = [*plate_load(plate, CAMERA, N, chosen).notes(chosen)]
    assert [(note.code, note.severity, note.plates) for note in notes] == [
        ("force_filter_strong", "doubt", (3,))
    ] * noted
    if noted:
        assert "low-pass of 3 Hz changes its greatest vertical force from" in notes[0].text
        assert "the loaded signal changes by" in notes[0].text and "(RMS)" in notes[0].text


# --- contacts ----------------------------------------------------------------------------------------------


def trapezoid(first: int, last: int, peak: float, n: int = 200) -> np.ndarray:
    """Vertical force at the camera's rate: a contact from `first` to `last`, sides of 5 frames."""
    frames = np.arange(n)
    return np.clip(np.minimum((frames - first + 1) / 5, (last + 1 - frames) / 5), 0, 1) * peak


def load_of(vertical: np.ndarray, **settings: object) -> tuple[object, specs.Settings]:
    chosen = specs.Settings(**settings)  # type: ignore[arg-type]
    force = np.stack([0 * vertical, 0 * vertical, vertical], axis=1)
    zero = np.zeros_like(force)
    plate = pressed(DOWN, np.zeros(3), force, zero, zero, CAMERA)
    return plate_load(plate, CAMERA, len(vertical), specs.Settings(plate_sampling="centred_mean")), chosen


def test_knocks_and_touches_are_no_contacts_and_short_pauses_do_not_part_one() -> None:
    knock = trapezoid(20, 25, 500.0)  # 6 frames: 60 ms
    touch = trapezoid(140, 190, 35.0)  # 35 N is no stance
    stance = trapezoid(50, 120, 700.0)
    stance[80:83] = 0.0  # 30 ms
    load, chosen = load_of(knock + touch + stance)
    assert load.contacts(CAMERA, chosen) == [(50, 120)]
    stance[80:90] = 0.0  # 100 ms is a pause
    load, chosen = load_of(stance)
    assert load.contacts(CAMERA, chosen) == [(50, 79), (90, 120)]
