"""Plates as the simulator's transducers make them, through the reader: two readings of the same definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.ground.plate_load import plate_load
from gaitid.model import specs
from gaitid.read.plates.force_platform import plates_from_channels
from gaitid.simulate.plates import ORIGIN_SIGNS, TYPES, Channels, encode

DOWN = np.diag([1.0, -1.0, -1.0])
RATE, PER_FRAME, FRAMES = 1000.0, 10, 30


def parameters_of(
    plates: list[Channels], corners_g: list[np.ndarray], per_metre: float
) -> dict[str, dict[str, object]]:
    """What a file holds beside the samples, as ezc3d gives it; lengths in mm or in m."""
    most = max(len(one.labels) for one in plates)
    wired, start = np.zeros((most, len(plates)), dtype=int), 1
    matrix = np.zeros((most, most, len(plates)))
    for k, one in enumerate(plates):
        n = len(one.labels)
        wired[:n, k] = np.arange(start, start + n)
        start += n
        if one.calibration is not None:
            # forces, then moments in N times the file's length
            to_file = np.array([1.0] * 3 + [per_metre / 1e3] * 3) if n == 6 else np.ones(n)
            matrix[:n, :n, k] = one.calibration * to_file[:, None]
    group: dict[str, object] = {
        "USED": np.array([len(plates)]),
        "TYPE": np.array([one.kind for one in plates]),
        "ZERO": np.array([0, 0]),
        "CORNERS": np.stack([c.T for c in corners_g], axis=-1) * per_metre,
        "ORIGIN": np.stack([one.origin_mm for one in plates], axis=-1) * per_metre / 1e3,
        "CHANNEL": wired,
        "CAL_MATRIX": matrix,
    }
    units = [unit for one in plates for unit in one.units]
    return {
        "FORCE_PLATFORM": dict(group),
        "POINT": {"UNITS": ["mm" if per_metre == 1e3 else "m"]},
        "ANALOG": {"UNITS": units},
    }


@settings(max_examples=60, deadline=None)
@given(
    kinds=st.lists(st.sampled_from(TYPES), min_size=1, max_size=3),
    sign=st.sampled_from(ORIGIN_SIGNS),
    seed=st.integers(0, 2**32 - 1),
    per_metre=st.sampled_from([1e3, 1.0]),
)
def test_every_type_gives_back_the_true_wrench(kinds: list[int], sign: str, seed: int, per_metre: float) -> None:
    """Mixed types, turned, sloped, raised, either sign of ORIGIN, in mm or m: 1e-6 N and 1e-6 N·m of 800 N."""
    rng = np.random.default_rng(seed)
    n = FRAMES * PER_FRAME
    made, corners, truth = [], [], []
    for k, kind in enumerate(kinds):
        R_gp = Rotation.from_euler("ZX", [rng.uniform(-3, 3), rng.uniform(-0.4, 0.4)]).as_matrix() @ DOWN
        size = rng.uniform(0.3, 0.9, 2)
        centre = np.array([2.0 * k, rng.uniform(-1, 1), rng.uniform(0, 0.6)])
        sensor_p = np.array([*rng.uniform(-0.005, 0.005, 2), rng.uniform(0.02, 0.06)])
        if kind in (3, 6, 7):
            sensor_p[:2] = 0.0  # these types have no other place for it
        force_p = np.column_stack([rng.uniform(-100, 100, (n, 2)), rng.uniform(-800, -100, n)])
        at_p = np.column_stack([rng.uniform(-0.3, 0.3, (n, 2)) * size, np.zeros(n)])
        moment_p = np.cross(at_p, force_p) + np.column_stack([np.zeros((n, 2)), rng.uniform(-10, 10, n)])
        made.append(encode(kind, force_p, moment_p, sensor_p, (size[0], size[1]), origin_sign=sign, seed=seed))
        x, y = R_gp[:, 0] * size[0] / 2, R_gp[:, 1] * size[1] / 2
        corners.append(np.stack([centre + x + y, centre - x + y, centre - x - y, centre + x - y]))
        truth.append((force_p, moment_p, at_p @ R_gp.T + centre, R_gp))
    analog = np.hstack([one.values for one in made]).T
    parameters = parameters_of(made, corners, per_metre)
    plates = plates_from_channels(parameters, analog, RATE, PER_FRAME)
    assert plates.refused == {}
    for plate, (force_p, moment_p, at_g, R_gp) in zip(plates.usable, truth, strict=True):
        np.testing.assert_allclose(plate.force_p, force_p, atol=1e-6)
        about_centre = plate.moment_p + np.cross(plate.sensor_p, plate.force_p)
        np.testing.assert_allclose(about_centre, moment_p, atol=1e-6)
        # through the plate's own corners, read at every sample: laboratory axes
        load = plate_load(plate, RATE, n, specs.Settings(plate_sampling="centred_mean"))
        np.testing.assert_allclose(load.wrench.f_g, force_p @ R_gp.T, atol=1e-6)
        np.testing.assert_allclose(load.cop_g, at_g, atol=1e-8)  # m
