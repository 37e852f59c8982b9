"""One plate's load against forces put on it, on plates turned, tilted and raised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.body.feet import FootTrack
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import GaitidError
from gaitid.ground.plate_load import plate_axes, plate_load
from gaitid.ground.plates_at_camera import MAX_NOISE, known_empty, presses_not, with_empty_reading
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


def test_axes_follow_from_corners_by_the_c3d_standard() -> None:
    R, centre, half = plate_axes(pressed(DOWN, np.array([1.0, 2.0, 0.5]), *np.zeros((3, 10, 3))))
    np.testing.assert_allclose(R, DOWN, atol=1e-15)
    np.testing.assert_allclose(centre, [1.0, 2.0, 0.5], atol=1e-15)
    np.testing.assert_allclose(half, [0.2, 0.3], atol=1e-15)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_surveyed_corners_still_give_right_angles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plate = pressed(DOWN, np.zeros(3), *np.zeros((3, 10, 3)))
    R, _, _ = plate_axes(replace(plate, corners_g=plate.corners_g + rng.normal(0, 0.003, (4, 3))))  # 3 mm
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) > 0
    # 3 mm of 0.4 m is less than 1°; three standard deviations of both ends
    np.testing.assert_allclose(R, DOWN, atol=0.04)


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


def emptied(load, feet: list[np.ndarray], **chosen: object):  # type: ignore[no-untyped-def]
    """The load with its empty reading, nothing taken off unless asked."""
    tracks = {str(i): FootTrack(foot, foot) for i, foot in enumerate(feet)}
    nowhere = dict.fromkeys(tracks, np.zeros(len(load.vertical), dtype=bool))
    empty = known_empty(load, tracks, nowhere, CAMERA)
    return with_empty_reading(load, empty, CAMERA, specs.Settings(**{"remove_bias": "never", **chosen}))  # type: ignore[arg-type]


def test_a_contact_is_found_above_the_threshold_and_reaches_out_to_the_edge() -> None:
    load, chosen = load_of(trapezoid(50, 120, 700.0), contact_threshold_N=200.0, contact_edge_N=100.0)
    # 140 N a frame at either side: the first frame has 140 N, above the edge
    assert load.contacts(CAMERA, chosen) == [(50, 120)]
    load, chosen = load_of(trapezoid(50, 120, 700.0), contact_threshold_N=200.0, contact_edge_N=150.0)
    assert load.contacts(CAMERA, chosen) == [(51, 119)]


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


def test_a_contact_cut_by_the_end_of_the_trial_is_kept() -> None:
    vertical = np.where(np.arange(200) < 40, 600.0, 0.0) + np.where(np.arange(200) > 150, 600.0, 0.0)
    load, chosen = load_of(vertical)
    assert load.contacts(CAMERA, chosen) == [(0, 39), (151, 199)]


def test_a_plate_that_was_not_zeroed_is_judged_by_what_exceeds_its_empty_reading() -> None:
    load, chosen = load_of(trapezoid(50, 120, 700.0) + 15.0)
    away = [np.full((200, 3), [2.0, 0.0, 0.0])]
    with_bias = emptied(load, away)
    # N; no marker is ever near it, and the plate is empty in most of the trial: the median is the bias
    np.testing.assert_allclose(with_bias.bias_g, [0, 0, 15.0], atol=1e-9)
    # Judged by the reading itself, every frame would lie above the edge: it reaches out 0.15 s on both sides.
    first, last = load.contacts(CAMERA, chosen)[0]
    assert first < 45
    assert last > 125
    assert replace(with_bias, noise_N=0.0).contacts(CAMERA, chosen) == [(50, 120)]
    # nothing was removed from the load itself
    np.testing.assert_allclose(with_bias.wrench.f_g[5], [0, 0, 15.0], atol=1e-9)


def test_the_empty_reading_is_taken_only_while_no_foot_is_near() -> None:
    load, _ = load_of(np.full(200, 12.0))
    near = np.full((200, 3), [0.25, 0.0, 0.1])  # 5 cm beside the plate
    assert np.isnan(emptied(load, [near]).bias_g).all()
    near[:30] = [2.0, 0.0, 0.1]
    found = emptied(load, [near])
    np.testing.assert_allclose(found.bias_g, [0, 0, 12.0], atol=1e-9)  # N
    assert found.noise_N < 1e-9
    near[:30] = np.nan  # not seen is not away
    assert np.isnan(emptied(load, [near]).bias_g).all()


def test_a_plate_that_presses_on_nobody_reads_its_own_horizontal_bias() -> None:
    load, chosen = load_of(trapezoid(50, 120, 700.0))
    assert not presses_not(load, CAMERA, chosen).any()  # nothing is read then
    for force, moment in (([50.0, 0, 0], [0, 0, 0]), ([0, 0, 0], [0, 20.0, 0])):  # N, N·m
        wrench = Wrench(load.wrench.f_g + force, load.wrench.m_g + moment, load.centre_g)
        biased = replace(load, wrench=wrench)
        empty = presses_not(biased, CAMERA, chosen)
        assert (empty == (np.abs(load.vertical) < 5.0)).all()
        found = with_empty_reading(biased, empty, CAMERA, chosen)
        assert found.removed
        np.testing.assert_allclose(found.wrench.f_g, load.wrench.f_g, atol=1e-9)
        np.testing.assert_allclose(found.wrench.m_g, load.wrench.m_g, atol=1e-9)
    somebody = replace(load, wrench=Wrench(load.wrench.f_g + [50.0, 0, 30.0], load.wrench.m_g, load.centre_g))
    assert not presses_not(somebody, CAMERA, chosen).any()


def test_no_edge_lies_below_the_noise_of_the_empty_plate() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 1.0, 200)
    load, chosen = load_of(trapezoid(50, 120, 700.0) + noise, contact_edge_N=0.1)
    feet = np.full((200, 3), [2.0, 0.0, 0.1])
    feet[45:126] = [0.0, 0.0, 0.04]
    found = emptied(load, [feet])
    assert 2.0 < found.noise_N < 3.5  # N: 99 % of a normal noise of 1 N lies within 2.6 N
    first, last = found.contacts(CAMERA, chosen)[0]
    # An edge below the noise would reach out to the limit of 15 frames.
    assert first >= 48
    assert last <= 122
    wild, _ = load_of(np.where(np.arange(200) % 2 == 0, 300.0, -300.0))
    assert emptied(wild, [feet]).noise_N == MAX_NOISE  # such a reading is no noise
