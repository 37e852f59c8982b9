"""A plate's channels before its type matters: zero level, units, matrix order, sense; and what real plates say."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np
import pytest
from note_texts import texts
from plate_layout import Felt, Made, as_read, made, parameters, step_on

from gaitid.read.c3d.trial import read_c3d
from gaitid.read.plates.force_platform import plates_from_channels
from gaitid.trial import Array, ForcePlate

SHARED = Path(__file__).parents[2].parent / "shared" / "trials"
in_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the real trials of {SHARED} are not on this machine")

SAMPLES, PER_FRAME, RATE = 1000, 10, 1000.0
HALF = np.array([0.2, 0.3])
CORNERS = np.column_stack([np.array([[1, -1], [-1, -1], [-1, 1], [1, 1]]) * HALF, np.zeros(4)])
UNITS = {"force": "N", "moment": "Nm", "place": "m", "volt": "V"}


def felt(seed: int = 0) -> Felt:
    """300 samples of nothing, a foot, 300 samples of nothing."""
    step = step_on(np.random.default_rng(seed), SAMPLES - 600, HALF)
    empty = ((300, 300), (0, 0))
    return Felt(np.pad(step.force, empty), np.pad(step.place, empty, "edge"), np.pad(step.free, 300))


def read(plate: Made, *, bias: Any = None, units: dict[str, str] | None = None, **more: Any) -> Any:
    """(plates, refused, warnings) of one plate whose channels, in SI, carry a bias."""
    signals = plate.signals + (0.0 if bias is None else np.asarray(bias, float)[:, None])
    named = [(UNITS | (units or {}))[held] for held in plate.holds]
    group = parameters([plate], [CORNERS], "m", [list(range(1, len(signals) + 1))], **more)
    plates = plates_from_channels(as_read(group, named, "m"), signals, RATE, PER_FRAME)
    return plates.usable, plates.refused, list(texts(plates))


def about_centre(plate: ForcePlate) -> Array:
    moved: Array = plate.moment_p + np.cross(plate.sensor_p, plate.force_p)
    return moved


def assert_felt(plate: ForcePlate, load: Felt, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(plate.force_p, load.force, atol=tolerance)  # N
    np.testing.assert_allclose(about_centre(plate), load.about(np.zeros(3)), atol=tolerance)  # N·m


# --- FORCE_PLATFORM:ZERO -----------------------------------------------------------------------------------


@pytest.mark.parametrize("zero", [(1, 20), (0, 20), (5, 10), (85, 100)])
@pytest.mark.parametrize("kind", [1, 2, 3, 4, 7])
def test_the_zero_level_of_an_empty_window_is_taken_off(kind: int, zero: tuple[int, int]) -> None:
    plate = made(kind, felt(), HALF, np.random.default_rng(1))
    bias = np.random.default_rng(2).normal(0, 0.02 if kind in (4, 7) else 3, len(plate.signals))
    bias[[held == "place" for held in plate.holds]] = 0.0
    plates, _, warnings = read(plate, bias=bias, ZERO=np.array(zero))
    assert_felt(plates[0], felt())
    first, last = max(zero[0], 1), zero[1]
    # the mean of these frames and of no others: it is nothing afterwards, whatever the noise
    noisy = replace(plate, signals=plate.signals + np.random.default_rng(3).normal(0, 0.01, plate.signals.shape))
    window = read(noisy, ZERO=np.array(zero))[0][0].force_p[(first - 1) * PER_FRAME : last * PER_FRAME]
    np.testing.assert_allclose(window.mean(axis=0), 0.0, atol=1e-9)  # N
    said = f"plate 1: the mean of frames {first} to {last} (FORCE_PLATFORM:ZERO) was subtracted as its zero level"
    assert sum(w.startswith(said) for w in warnings) == 1


@pytest.mark.parametrize(
    ("zero", "reason"),
    [
        ((40, 60), "the plate may be loaded then: "),  # somebody stands there
        ((25, 45), "the plate may be loaded then: "),  # somebody steps on
        ((95, 101), "the trial ends with frame 100"),
        ((3, 3), "shorter than a period of the mains, 20 ms"),
    ],
)
@pytest.mark.parametrize("action", [False, True])
def test_a_window_that_gives_no_zero_level_is_not_used(zero: tuple[int, int], reason: str, action: bool) -> None:
    load = felt()
    plate = made(2, load.turned() if action else load, HALF, np.random.default_rng(1))
    plates, _, warnings = read(plate, ZERO=np.array(zero))
    assert_felt(plates[0], load)
    said = [w for w in warnings if "are not used as its zero level" in w]
    assert len(said) == 1 and reason in said[0]


@pytest.mark.parametrize(("weight", "then"), [(35.0, 0.0), *product((60.0, 350.0, 800.0), (1.0, 2.0, 0.0))])
def test_somebody_who_stands_on_the_plate_from_the_start_is_no_zero_level(weight: float, then: float) -> None:
    """And stays, takes the other foot's load too, or walks off."""
    down = -weight * np.where(np.arange(SAMPLES) < 500, 1.0, then)
    load = Felt(np.column_stack([np.zeros((SAMPLES, 2)), down]), np.zeros((SAMPLES, 2)), np.zeros(SAMPLES))
    plates, _, warnings = read(made(2, load, HALF, np.random.default_rng(1)), ZERO=np.array([1, 10]))
    assert_felt(plates[0], load)
    assert any("the plate may be loaded then" in w for w in warnings)


# --- units, matrices, ORIGIN -------------------------------------------------------------------------------


def test_a_matrix_stored_by_row() -> None:
    plate = made(4, felt(), HALF, np.random.default_rng(3))
    assert plate.matrix is not None
    by_row = plate.matrix.T[:, :, None]  # the elements in the order of rows, which a reader fills in by column
    plates, _, _ = read(plate, CAL_MATRIX=by_row, MATRIX_STORE=["BYROW"])
    assert_felt(plates[0], felt())
    plates, _, _ = read(plate, MATRIX_STORE=["BYCOLUMN"])
    assert_felt(plates[0], felt())


def test_a_plate_without_its_matrix() -> None:
    """Where the channels say N and N·m already they are believed, with a warning; voltages of its size are not."""
    plate = replace(made(2, felt(), HALF, np.random.default_rng(3)), kind=4)
    plates, _, warnings = read(plate)
    assert_felt(plates[0], felt())
    assert "plate 1: no CAL_MATRIX; its channels say N, N, N, Nm, Nm, Nm and are taken as they stand" in warnings
    volts = replace(plate, holds=("volt",) * 6, signals=plate.signals * 0.01)
    plates, refused, _ = read(volts)
    assert (plates, refused) == ((), {1: "FORCE_PLATFORM:CAL_MATRIX says nothing of plate 1"})


@pytest.mark.parametrize("wrong", [1e-3, 1e3])
@pytest.mark.parametrize("kind", [1, 2, 4])
def test_moments_or_places_in_another_unit_than_said_are_noticed(kind: int, wrong: float) -> None:
    """N·m where the file says N·mm, in channels or in the matrix: the CoP stands still, or lies in the next street."""
    plate = made(kind, felt(), HALF, np.random.default_rng(3))
    said = "may be in another unit than the file says"
    assert not any(said in w for w in read(plate)[2])
    if plate.matrix is not None:
        plate.matrix[3:] *= wrong
    else:
        plate.signals[[held in ("moment", "place") for held in plate.holds]] *= wrong
    assert sum(said in w for w in read(plate)[2]) == 1


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("kind", [1, 2, 3, 4, 7])
def test_samples_that_are_no_numbers_are_unknown_and_leave_the_others(kind: int, wrong: float) -> None:
    """In the zero window, under the foot and behind it: zero level, sense and loads are those of what is known."""
    zero, bias = np.array([1, 20]), np.full(len(made(kind, felt(), HALF, np.random.default_rng(1)).signals), 3.0)
    plate, lost = made(kind, felt(), HALF, np.random.default_rng(1)), [3, 4, 5, 480, 481, 990]
    bias[3:5] = 0.0 if kind == 1 else 3.0  # a place has no zero level
    (whole,), _, said = read(plate, bias=bias, ZERO=zero)
    plate.signals[1, lost] = wrong
    (found,), refused, warnings = read(plate, bias=bias, ZERO=zero)
    known = np.setdiff1d(np.arange(SAMPLES), lost)
    assert refused == {}
    assert warnings[0].startswith("plate 1: 6 of 1000 samples are not numbers")
    assert warnings[1:] == said
    np.testing.assert_allclose(found.force_p[known], whole.force_p[known], atol=1e-9)  # N
    np.testing.assert_allclose(found.moment_p[known], whole.moment_p[known], atol=1e-9)  # N·m
    assert np.isnan(found.force_p[lost]).all()
    assert np.isnan(found.moment_p[lost]).all()


@pytest.mark.parametrize("stored", [1.0, -1.0])
def test_a_sensor_level_with_the_surface_is_where_feet_stand_on_it(stored: float) -> None:
    """A treadmill's belt of 0.8 × 1.8 m whose sensor lies 0.5 m beside and 0.813 m behind its centre."""
    load, sensor = felt(), np.array([0.5, 0.813, 0.0])
    plate = Made(2, np.vstack([load.force.T, load.about(sensor).T]), ("force",) * 3 + ("moment",) * 3, stored * sensor)
    group = parameters([plate], [CORNERS * [2, 3, 1]], "m", [[1, 2, 3, 4, 5, 6]])
    parsed = as_read(group, [UNITS[h] for h in plate.holds], "m")
    plates = plates_from_channels(parsed, plate.signals, RATE, PER_FRAME)
    assert_felt(plates.usable[0], load)
    sense = "the surface to the sensor" if stored > 0 else "the sensor to the surface"
    assert any(f"ORIGIN has no z; it was taken to point from {sense}" in w for w in texts(plates))
    # as large as the room, both are on it: nothing says which
    parsed["FORCE_PLATFORM"]["CORNERS"] = parsed["FORCE_PLATFORM"]["CORNERS"] * 4
    plates = plates_from_channels(parsed, plate.signals, RATE, PER_FRAME)
    assert plates.usable == () and plates.refused[1].startswith("ORIGIN has no z, so its sense is not known")
    # nor does it matter where nobody stands on it
    plates = plates_from_channels(parsed, plate.signals * 0, RATE, PER_FRAME)
    assert len(plates.usable) == 1 and plates.refused == {}


# --- other readers, real plates ----------------------------------------------------------------------------


def other_reader(path: Path, plate: ForcePlate) -> tuple[Array, Array]:
    """Force, N, and moment about the centre, N·m, of ezc3d's own force plates, in the plate axes that it uses.

    It takes x along c1 − c2 alone, leaves ZERO out, and gives moments in N times POINT:UNITS.
    """
    found = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"][plate.number - 1]
    x, y = plate.corners_g[0] - plate.corners_g[1], plate.corners_g[0] - plate.corners_g[3]
    z = np.cross(x, y)
    axes = np.column_stack([v / np.linalg.norm(v) for v in (x, np.cross(z, x), z)])
    return found["force"].T @ axes, found["moment"].T @ axes / 1e3


@in_shared
@pytest.mark.parametrize(
    ("name", "frames"),
    [("qualisys/walk.c3d", 0), ("zoo/TYPE-2.C3D", 10), ("zoo/TYPE-3.c3d", 20), ("zoo/TYPE-4.C3D", 10)],
)
def test_types_2_3_and_4_agree_with_another_reader(name: str, frames: int) -> None:
    """Apart from the zero level, which ezc3d does not take off (and qualisys' window is too short for one)."""
    for plate in read_c3d(SHARED / name).plates:
        force, moment = other_reader(SHARED / name, plate)
        if frames:
            window = slice(0, frames * len(force) // read_c3d(SHARED / name).n_frames)
            force, moment = force - force[window].mean(axis=0), moment - moment[window].mean(axis=0)
        np.testing.assert_allclose(plate.force_p, force, atol=1e-8)  # N
        np.testing.assert_allclose(about_centre(plate), moment, atol=1e-8)  # N·m


def test_a_zero_window_of_which_nothing_is_known() -> None:
    plate = made(2, felt(), HALF, np.random.default_rng(1))
    plate.signals[2, :200] = np.nan
    (found,), _, warnings = read(plate, ZERO=np.array([1, 20]))
    assert "(the load is unknown then)" in warnings[1]
    np.testing.assert_allclose(found.force_p[200:], felt().force[200:], atol=1e-9)  # N
