"""Force plates of every C3D type: a known load, through transducers made from their physics, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plate_layout import IN_UNIT, Felt, Made, made, parameters, step_on, write_c3d
from scipy.spatial.transform import Rotation

from gaitid.ground.plate_load import plate_axes
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import ForcePlate

KINDS = (1, 2, 3, 4, 5, 6, 7)
SAMPLES, PER_FRAME, RATE = 400, 10, 1000.0
# x to the right and y towards the back of the plate seen from above, so that z points down
DOWN = np.diag([1.0, -1.0, -1.0])
seeds = st.integers(0, 2**32 - 1)


def placed(rng: np.random.Generator, slope: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axes, centre and corners (in the C3D order) of a plate anywhere, tilted by `slope`; and half its sides, m."""
    axes = Rotation.from_euler("ZX", [rng.uniform(-np.pi, np.pi), slope]).as_matrix() @ DOWN
    half = rng.uniform(0.2, 0.5, 2)
    centre = rng.normal(0, 1, 3)
    corners = centre + (np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * half) @ axes[:, :2].T
    return axes, corners, half


def about_centre_g(felt: Felt, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return felt.force @ axes.T, felt.about(np.zeros(3)) @ axes.T


def read_about_centre_g(plate: ForcePlate) -> tuple[np.ndarray, np.ndarray]:
    axes, _, _ = plate_axes(plate)
    return plate.force_p @ axes.T, (plate.moment_p + np.cross(plate.sensor_p, plate.force_p)) @ axes.T


def unit_of(held: str, rng: np.random.Generator) -> str:
    choices = {"force": ["N", "kN"], "moment": ["Nmm", "Nm", "N.mm"], "place": ["mm", "m"], "volt": ["V", "mV"]}
    return str(rng.choice(choices[held]))


def wired(plates: list[Made], rng: np.random.Generator) -> tuple[np.ndarray, list[str], list[list[int]]]:
    """All signals in declared units, in any order, among channels of something else; and who has which, from 1."""
    count = sum(len(p.signals) for p in plates)
    places = rng.permutation(count + 3)[:count]
    signals, units, order = rng.normal(0, 1, (count + 3, SAMPLES)), ["V"] * (count + 3), []
    used = 0
    for plate in plates:
        own = places[used : used + len(plate.signals)]
        used += len(own)
        for at, signal, held in zip(own, plate.signals, plate.holds, strict=True):
            units[at] = unit_of(held, rng)
            signals[at] = signal * IN_UNIT[units[at]]
        order.append([int(at) + 1 for at in own])
    return signals, units, order


@pytest.mark.parametrize("form", ["reals", "signed", "unsigned", "unsigned reals"])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=seeds)
def test_a_known_load_comes_back_from_a_file(kind: int, form: str, seed: int, tmp_path: Path) -> None:
    """Each channel by its own SCALE and OFFSET, all by GEN_SCALE, as reals and as both kinds of 16-bit integers.

    Reals may hold unsigned words, whose OFFSET of 32768 and more is stored as a negative word.
    """
    rng = np.random.default_rng(seed)
    axes, corners, half = placed(rng, 0.1)
    felt = step_on(rng, SAMPLES, half)
    plate = made(kind, felt, half, rng)
    signals, units, order = wired([plate], rng)
    step = np.abs(signals).max(axis=1) / 25000  # an integer has room for 32767 of them
    gen_scale = 0.5
    offset = rng.integers(-5000, 5000, len(signals)) + (32768 if form.startswith("unsigned") else 0)
    stored = signals / step[:, None] + offset[:, None]
    path = write_c3d(
        tmp_path / "a.c3d",
        stored,
        parameters([plate], [corners], "mm", order),
        units=units,
        scale=step / gen_scale,
        offset=offset,
        gen_scale=gen_scale,
        form="UNSIGNED" if form.startswith("unsigned") else "SIGNED",
        floats=form.endswith("reals"),
    )
    trial = read_c3d(path)
    assert trial.refused_plates == {}
    force_g, moment_g = read_about_centre_g(trial.plates[0])
    true_force_g, true_moment_g = about_centre_g(felt, axes)
    # Reals: 32-bit floats keep 6e-8 of numbers up to 2 kN, a few of which are summed, and ten times less of words on
    # an offset of 32768. Integers: half a step is 1/50000 of the largest, likewise. The arms are shorter than a metre.
    atol = {"reals": 1e-3, "unsigned reals": 0.01}.get(form, 0.1)
    np.testing.assert_allclose(force_g, true_force_g, atol=atol)  # N
    np.testing.assert_allclose(moment_g, true_moment_g, atol=atol)  # N·m


def several(seed: int, kinds: tuple[int, ...]) -> tuple[np.ndarray, list[str], dict[str, Any], list[Felt]]:
    """A file's worth of plates side by side on the floor."""
    rng = np.random.default_rng(seed)
    plates, corners, felts = [], [], []
    for i, kind in enumerate(kinds):
        half = np.array([0.2, 0.3])
        at = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * half
        corners.append(np.column_stack([at[:, 0] + i, -at[:, 1], np.zeros(4)]))
        felts.append(step_on(rng, SAMPLES, half))
        plates.append(made(kind, felts[-1], half, rng))
    signals, units, order = wired(plates, rng)
    return signals, units, parameters(plates, corners, "mm", order), felts


def wrong_channel(group: dict[str, Any]) -> None:
    group["CHANNEL"][2, 1] = 99


def twice_the_channel(group: dict[str, Any]) -> None:
    group["CHANNEL"][2, 1] = group["CHANNEL"][1, 1]


def no_matrix(group: dict[str, Any]) -> None:
    group["CAL_MATRIX"][:, :, 1] = 0


def small_matrix(group: dict[str, Any]) -> None:
    group["CAL_MATRIX"] = group["CAL_MATRIX"][:5, :5]


def matrix_of_a_larger_plate(group: dict[str, Any]) -> None:
    group["CAL_MATRIX"] = np.pad(group["CAL_MATRIX"], ((0, 2), (0, 2), (0, 0)), constant_values=1.0)


def no_corners(group: dict[str, Any]) -> None:
    group["CORNERS"][:, :, 1] = 0


def metres(group: dict[str, Any]) -> None:
    group["CORNERS"][:, :, 1] /= 1e3


def sensors_outside(group: dict[str, Any]) -> None:
    group["ORIGIN"][:, 1] = [250.0, 100.0, -50.0]


def sensors_in_one_line(group: dict[str, Any]) -> None:
    group["ORIGIN"][0, 1] = 0.0


@pytest.mark.parametrize(
    ("kind", "fault", "message"),
    [
        (2, wrong_channel, "channel out of range; expected 6 channels between 1 and 23; found "),
        (3, twice_the_channel, "a channel is given twice; expected 8 different channels"),
        (4, no_matrix, "CAL_MATRIX has a row of zeros"),
        (4, small_matrix, "CAL_MATRIX does not fit the plate's type; expected 6 × 6; found 5 × 5"),
        (4, matrix_of_a_larger_plate, "CAL_MATRIX does not fit the plate's type; expected zeros outside 6 × 6"),
        (2, no_corners, "corners do not bound a plate"),
        (1, metres, "found 2.4e-07 m² (they look like m, POINT:UNITS says mm)"),
        (3, sensors_outside, "ORIGIN does not place four sensors under the plate"),
        (3, sensors_in_one_line, "ORIGIN does not place four sensors under the plate"),
    ],
)
def test_one_plate_at_fault_leaves_the_others(kind: int, fault: Any, message: str, tmp_path: Path) -> None:
    signals, units, group, felts = several(2, (2, kind, 3))
    fault(group)
    trial = read_c3d(write_c3d(tmp_path / "a.c3d", signals, group, units=units))
    assert [p.number for p in trial.plates] == [1, 3]
    assert message in trial.refused_plates[2] and "\n" not in trial.refused_plates[2]
    for plate in trial.plates:
        np.testing.assert_allclose(plate.force_p, felts[plate.number - 1].force, atol=5e-3)  # N


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (11, "plate type 11 (Kistler split-belt treadmill) cannot be read"),
        (12, "plate type 12 (Gaitway treadmill) cannot be read"),
        (21, "plate type 21 (AMTI stairs) cannot be read"),
        (0, "plate type 0 cannot be read: nothing public defines its channels"),
    ],
)
def test_a_type_without_a_public_definition_is_refused_by_name(kind: int, message: str, tmp_path: Path) -> None:
    signals, units, group, _ = several(3, (2, 2))
    group["TYPE"][0] = kind
    trial = read_c3d(write_c3d(tmp_path / "a.c3d", signals, group, units=units))
    assert [p.number for p in trial.plates] == [2]
    assert trial.refused_plates[1].startswith(message)
