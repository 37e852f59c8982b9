"""Channels of every type of plate against statics, and through a C3D file against the reader, written separately."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from slow import slow_but

from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.simulate.plates import ORIGIN_SIGNS, TYPES, Channels, encode
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk

Array = NDArray[np.float64]
SENSOR = np.array([0.002, -0.003, 0.045])
SIZE = (0.400, 0.600)
#: Analog samples at 200 Hz are enough to compare, and keep the files small.
SMALL = {"duration": 1.5, "analog_rate_hz": 200.0}
#: A C3D's 32-bit floats of up to 1600 N (6e-5 N), and of the levers that they are on; measured over all cases of this
#: file: 1.1e-4 N, 2.8e-5 N·m.
FORCE_N, MOMENT_NM = 2e-4, 5e-5


def wrenches(n: int = 50) -> tuple[Array, Array]:
    """Loads such as feet make (N, N·m), and none."""
    draw = np.random.default_rng(5)
    force = draw.normal(0.0, [80.0, 80.0, 200.0], (n, 3)) - [0.0, 0.0, 700.0]
    moment = draw.normal(0.0, [60.0, 60.0, 8.0], (n, 3))
    force[0], moment[0] = 0.0, 0.0
    return force, moment


def felt(one: Channels) -> dict[str, Array]:
    """What each transducer feels: channels with their calibration applied, N, mm and N·mm."""
    values = one.values if one.calibration is None else one.values @ one.calibration.T
    return {label.rstrip("_"): values[:, i] for i, label in enumerate(one.labels)}


def about_surface(one: Channels, sign: float) -> tuple[Array, Array]:
    """Force and moment about the surface's centre, N and N·m, by the statics of each type.

    C3D User Guide, FORCE_PLATFORM:TYPE: 1 force, place and free moment; 2 and 4 six components at the sensor; 3 and 7
    the sums and pairs of a piezoelectric plate with half distances a, b of its transducers; 6 three components in each
    of the quadrants (+x +y), (−x +y), (−x −y), (+x −y).
    """
    c, (a, b, z) = felt(one), one.origin_mm
    if one.kind == 1:
        force = np.stack([c["Fx"], c["Fy"], c["Fz"]], axis=1)
        at = np.stack([c["Px"], c["Py"], 0 * c["Px"]], axis=1)
        return force, (np.cross(at, force) + np.outer(c["Mz"], [0, 0, 1])) * 1e-3
    if one.kind in (2, 4):
        force = np.stack([c["Fx"], c["Fy"], c["Fz"]], axis=1)
        moment = np.stack([c["Mx"], c["My"], c["Mz"]], axis=1)
        return force, (moment + np.cross(sign * one.origin_mm, force)) * 1e-3
    if one.kind == 6:
        legs = np.stack([np.stack([c[f"F{x}{leg}"] for x in "xyz"], axis=1) for leg in "1234"])
        at = np.array([[a, b, 0], [-a, b, 0], [-a, -b, 0], [a, -b, 0]])
        force, moment = legs.sum(axis=0), np.cross(at[:, None], legs).sum(axis=0)
    else:
        z1, z2, z3, z4 = (c[f"Fz{leg}"] for leg in "1234")
        force = np.stack([c["Fx12"] + c["Fx34"], c["Fy14"] + c["Fy23"], z1 + z2 + z3 + z4], axis=1)
        turning = b * (c["Fx34"] - c["Fx12"]) + a * (c["Fy14"] - c["Fy23"])
        moment = np.stack([b * (z1 + z2 - z3 - z4), a * (z2 + z3 - z1 - z4), turning], axis=1)
    return force, (moment + np.cross([0.0, 0.0, sign * z], force)) * 1e-3


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("origin_sign", ORIGIN_SIGNS)
@pytest.mark.parametrize("seed", [0, 3])
def test_channels_obey_statics(kind: int, origin_sign: str, seed: int) -> None:
    force, moment = wrenches()
    one = encode(kind, force, moment, SENSOR, SIZE, origin_sign=origin_sign, seed=seed)
    assert one.values.shape == (len(force), len(one.labels)) and len(one.units) == len(one.labels)
    assert (one.origin_mm[2] > 0) == (origin_sign == "nexus")
    got_force, got_moment = about_surface(one, 1.0 if origin_sign == "nexus" else -1.0)
    np.testing.assert_allclose(got_force, force, atol=1e-9)  # N: rounding
    np.testing.assert_allclose(got_moment, moment, atol=1e-9)  # N·m


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("origin_sign", ORIGIN_SIGNS)
@pytest.mark.parametrize("plate_seed", slow_but([7], [0, 7]))
def test_the_reader_gives_back_what_was_on_the_plates(
    kind: int, origin_sign: str, plate_seed: int, tmp_path: Path
) -> None:
    assert_read_back("walk", tmp_path, plate_types=(kind,), origin_sign=origin_sign, plate_seed=plate_seed)


def assert_read_back(scenario: str, folder: Path, **options: object) -> None:
    settings = WalkSettings(**SMALL, **options)  # type: ignore[arg-type]
    walk = simulate_walk(settings, scenario)
    simulate(scenario, folder, **SMALL, **options)  # type: ignore[arg-type]
    trial = read_trial(folder / f"{scenario}.c3d")
    channels = walk.plate_channels(settings.analog_times_s)
    assert [plate.kind for plate in trial.plates] == [
        settings.plate_types[i % len(settings.plate_types)] for i in range(len(walk.plates))
    ]
    for read, plate in zip(trial.plates, walk.plates, strict=True):
        force, moment = channels[plate.number]
        np.testing.assert_allclose(read.corners_g, plate.corners_g, atol=1e-6)  # m: 32 bits of some metres
        np.testing.assert_allclose(read.force_p, force, atol=FORCE_N)
        np.testing.assert_allclose(
            read.moment_p + np.cross(read.sensor_p, read.force_p),
            moment + np.cross(plate.sensor_p, force),
            atol=MOMENT_NM,
        )
        assert force[:, 2].min() < -100  # N: there was something to read
