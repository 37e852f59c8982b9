"""Channels whose labels are wrong or missing: told from the loads, said, and refused where these do not tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from note_texts import texts
from plate_layout import Made, as_read, made, parameters, write_c3d
from test_plate_signals import CORNERS, HALF, PER_FRAME, RATE, SHARED, assert_felt, felt, in_shared

from gaitid.read.c3d.trial import read_c3d
from gaitid.read.plates.channel_units import lasting_extremes
from gaitid.read.plates.force_platform import plates_from_channels
from gaitid.trial import ForcePlate


def plate_of(kind: int) -> Made:
    return made(kind, felt(), HALF, np.random.default_rng(3))


def read(plates: list[tuple[Made, list[str]]], **more: Any) -> Any:
    """(plates, refused, warnings) of plates beside each other, their channels in SI with these labels; in metres."""
    signals = np.vstack([plate.signals for plate, _ in plates])
    ends = np.cumsum([len(plate.signals) for plate, _ in plates])
    order = [list(range(end - len(plate.signals) + 1, end + 1)) for end, (plate, _) in zip(ends, plates, strict=True)]
    corners = [CORNERS + np.array([2.0 * i, 0, 0]) for i in range(len(plates))]
    group = parameters([plate for plate, _ in plates], corners, "m", order) | more
    units = [unit for _, labels in plates for unit in labels]
    found = plates_from_channels(as_read(group, units, "m"), signals, RATE, PER_FRAME)
    return found.usable, found.refused, list(texts(found))


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        (3, ["V"] * 8),
        (3, [""] * 8),
        (2, ["V"] * 6),
        (2, ["N"] * 3 + [""] * 3),
        (1, ["V"] * 6),
        (1, ["N"] * 5 + ["Nm"]),
        (2, ["mm"] * 6),
        (2, ["ADC"] * 6),
    ],
)
def test_newtons_labelled_otherwise_are_told_by_the_person_who_stands_there(kind: int, labels: list[str]) -> None:
    plate = plate_of(kind)
    (found,), refused, warnings = read([(plate, labels)])
    assert refused == {}
    assert_felt(found, felt())
    (said,) = (w for w in warnings if "labelled" in w)
    peak = -found.force_p[:, 2].min()
    assert f"up to {peak:.0f} N lasts and acts on its surface" in said


@pytest.mark.parametrize("kind", [4, 5])
def test_volts_that_are_labelled_millivolts_are_told_by_the_person_who_steps_on_them(kind: int) -> None:
    """By their labels the foot would press with a thousandth of its load, and nobody would say so."""
    plate = plate_of(kind)
    (found,), refused, warnings = read([(plate, ["mV"] * len(plate.signals))])
    assert refused == {}
    assert_felt(found, felt())
    (said,) = warnings
    assert "labelled mV" in said and f"taken as volts: so up to {-found.force_p[:, 2].min():.0f} N lasts" in said


def test_millivolts_stay_millivolts() -> None:
    plate = plate_of(4)
    plate.signals[:] *= 1e3
    (found,), _, warnings = read([(plate, ["mV"] * len(plate.signals))])
    assert_felt(found, felt())
    assert warnings == []


def test_noise_of_an_empty_plate_in_millivolts_is_nobody() -> None:
    """A thousand times larger it has a person's size: it is named, and left as it is."""
    plate = plate_of(4)
    plate.signals[:] = np.random.default_rng(0).normal(size=plate.signals.shape) * np.abs(plate.signals).max() / 3
    (found,), _, warnings = read([(plate, ["mV"] * len(plate.signals))])
    assert np.abs(found.force_p).max() < 10  # N
    assert any("were they volts" in w for w in warnings)


@pytest.mark.parametrize(
    ("force", "moment", "newtons", "newton_metres"),
    [("lbf", "in-lb", 4.4482216152605, 0.1129848290), ("LB", "ft-lbs", 4.4482216152605, 1.3558179483)],
)
def test_pounds_are_those_of_the_tables(force: str, moment: str, newtons: float, newton_metres: float) -> None:
    """NIST Special Publication 811 (2008), appendix B.8."""
    plate = plate_of(2)
    (true,), _, _ = read([(plate, ["N"] * 3 + ["Nm"] * 3)])
    plate.signals[:3] /= newtons
    plate.signals[3:] /= newton_metres
    (found,), _, _ = read([(plate, [force] * 3 + [moment] * 3)])
    np.testing.assert_allclose(found.force_p, true.force_p, rtol=1e-6)
    np.testing.assert_allclose(found.moment_p, true.moment_p, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("kind", "label"), [(2, "kip"), (3, "kgf"), (4, "bits"), (5, "bits")])
def test_a_unit_that_nobody_here_knows_is_refused(kind: int, label: str) -> None:
    """Other units have a person's size too."""
    plate = plate_of(kind)
    plates, refused, _ = read([(plate, [label] * len(plate.signals))])
    assert plates == () and refused[1].startswith("plate 1 force channel: unit not known") and label in refused[1]


@pytest.mark.parametrize("factor", [1.0, 1e3])
def test_moments_without_a_unit_are_in_the_one_that_puts_the_load_on_the_plate(factor: float) -> None:
    plate = plate_of(2)
    plate.signals[3:] *= factor
    (found,), _, _ = read([(plate, ["N"] * 3 + ["V"] * 3)])
    assert_felt(found, felt())


@pytest.mark.parametrize("size", [1e-2, 1e3])
@pytest.mark.parametrize("kind", [2, 3])
def test_voltages_and_nobody_s_loads_are_refused(kind: int, size: float) -> None:
    """Of volts up to 10, and of newtons that no person presses with."""
    plate = plate_of(kind)
    plate.signals[:] *= size
    plates, refused, warnings = read([(plate, ["V"] * len(plate.signals))])
    assert plates == () and refused[1].startswith("plate 1 force channel: unit not known")
    assert sum("plate 1 is not used" in w for w in warnings) == 1


def test_moments_of_a_load_that_acts_nowhere_are_refused() -> None:
    plate = plate_of(2)
    plate.signals[3:] *= 1e6
    plates, refused, _ = read([(plate, ["N"] * 3 + ["V"] * 3)])
    assert plates == () and refused[1].startswith("plate 1 moment channel: unit not known")


def test_an_empty_plate_is_read_as_its_neighbour_with_the_same_labels() -> None:
    loaded, empty = plate_of(3), plate_of(3)
    empty.signals[:] *= 1e-3
    plates, refused, warnings = read([(empty, ["V"] * 8), (loaded, ["V"] * 8)])
    assert [plate.number for plate in plates] == [1, 2] and refused == {}
    assert any(w.startswith("plate 1: ") and "another plate of the file with these labels" in w for w in warnings)
    plates, refused, _ = read([(empty, ["mV"] * 8), (loaded, ["V"] * 8)])
    assert [plate.number for plate in plates] == [2] and "unit not known" in refused[1]


def test_no_voltage_is_larger_than_a_converter_takes() -> None:
    """20 V or 20 N: nobody stands there, but it cannot be volts."""
    plate = plate_of(3)
    plate.signals[:] = 0.0
    plate.signals[4] = 20.0
    (found,), _, warnings = read([(plate, ["V"] * 8)])
    assert found.force_p[0, 2] == 20.0
    assert any("taken as newtons: they reach 20, and no converter 12 V" in w for w in warnings)
    plate.signals[4] = 9.0
    assert read([(plate, ["V"] * 8)])[0] == ()


@pytest.mark.parametrize(("step", "taken"), [(200.0, True), (0.005, False)])
def test_a_scale_that_makes_no_volts_of_a_converter_s_number(step: float, taken: bool, tmp_path: Path) -> None:
    plate = plate_of(3)
    stored = np.full_like(plate.signals, 0.01)
    group = parameters([plate], [CORNERS], "m", [list(range(1, 9))])
    path = write_c3d(tmp_path / "a.c3d", stored, group, units=["V"] * 8, scale=np.full(8, step), unit="m")
    trial = read_c3d(path)
    assert bool(trial.plates) == taken
    assert any("each step of the converter 200" in w for w in texts(trial)) == taken


def test_counts_of_a_converter_are_no_newtons(tmp_path: Path) -> None:
    plate = plate_of(3)
    group = parameters([plate], [CORNERS], "m", [list(range(1, 9))])
    for scale, taken in ((1.0, False), (0.5, True)):
        stored = np.rint(plate.signals / scale)
        path = write_c3d(
            tmp_path / "a.c3d", stored, group, units=["V"] * 8, scale=np.full(8, scale), unit="m", floats=False
        )
        assert bool(read_c3d(path).plates) == taken


@pytest.mark.parametrize("unit", ["mm", "cm", "m"])
def test_lengths_of_a_file_without_points_are_in_the_unit_of_its_plates(unit: str, tmp_path: Path) -> None:
    plate = plate_of(2)
    group = parameters([plate], [CORNERS], unit, [list(range(1, 7))])
    units = ["N"] * 3 + ["Nm"] * 3
    stored = {
        said: read_c3d(write_c3d(tmp_path / "a.c3d", plate.signals, group, units=units, unit=said, markers=0))
        for said in (unit, "")
    }
    assert stored[""].labels == () and stored[""].origin["length_unit"] == unit
    assert any(f"by the size of the plates lengths are taken in {unit}" in text for text in texts(stored[""]))
    for name in ("corners_g", "sensor_p", "force_p", "moment_p"):
        one, other = (getattr(stored[said].plates[0], name) for said in ("", unit))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("off_mm", "words"), [(9.0, ""), (18.0, "18 mm off a flat rectangle"), (25.0, "refused")])
def test_corners_a_little_off_a_rectangle_are_doubted(off_mm: float, words: str) -> None:
    corners = CORNERS.copy()
    corners[2, 0] += off_mm / 1e3
    group = parameters([plate_of(2)], [corners], "m", [list(range(1, 7))])
    (plates, refused, said) = read([(plate_of(2), ["N"] * 3 + ["Nm"] * 3)], CORNERS=group["CORNERS"])
    assert bool(refused) == (words == "refused")
    if words != "refused":
        assert_felt(plates[0], felt())
        assert [text for text in said if "rectangle" in text] == [text for text in said if words and words in text]
        assert bool(words) == any("rectangle" in text for text in said)


# --- with a calibration matrix ------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [["V"] * 6, ["N"] * 3 + ["Nm"] * 3, [""] * 6, ["ADC"] * 6])
def test_volts_go_through_the_matrix_whatever_their_labels(labels: list[str]) -> None:
    (found,), _, warnings = read([(plate_of(4), labels)])
    assert_felt(found, felt())
    assert any("taken as volts, through CAL_MATRIX: so up to" in w for w in warnings) == (labels[0] != "V")


@pytest.mark.parametrize("labels", [["V"] * 6, ["N"] * 3 + ["Nm"] * 3, [""] * 6, ["ADC"] * 6])
def test_newtons_do_not_go_through_the_matrix_whatever_their_labels(labels: list[str]) -> None:
    volts, newtons = plate_of(4), plate_of(2)
    (found,), _, warnings = read([(replace(newtons, kind=4, matrix=volts.matrix), labels)])
    assert_felt(found, felt())
    assert any("taken as newtons, not through CAL_MATRIX: so up to" in w for w in warnings)


def test_eight_channels_labelled_as_forces_go_through_the_matrix_of_type_5() -> None:
    (found,), _, _ = read([(plate_of(5), ["N"] * 8)])
    assert_felt(found, felt())
    plate = plate_of(5)
    plate.signals[:] *= 1e-3
    assert "its channels are not in volts" in read([(plate, ["N"] * 8)])[1][1]


def test_newtons_without_a_usable_matrix() -> None:
    plate = replace(plate_of(2), kind=4)
    (found,), _, warnings = read([(plate, ["V"] * 6)], CAL_MATRIX=np.zeros((6, 6, 1)))
    assert_felt(found, felt())
    assert any("taken as newtons" in w for w in warnings)
    plate.signals[:] *= 0.01
    _, refused, _ = read([(plate, ["V"] * 6)], CAL_MATRIX=np.zeros((6, 6, 1)))
    assert "CAL_MATRIX has a row of zeros" in refused[1]


# --- dimensions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 1), (1, 2)])
def test_types_in_two_dimensions(shape: tuple[int, int]) -> None:
    labels = [["N"] * 3 + ["Nm"] * 3, ["N"] * 8]
    plates, refused, _ = read([(plate_of(2), labels[0]), (plate_of(3), labels[1])], TYPE=np.reshape([2, 3], shape))
    assert [plate.kind for plate in plates] == [2, 3] and refused == {}


def test_a_last_dimension_that_holds_nothing() -> None:
    plate, labels = plate_of(2), ["N"] * 3 + ["Nm"] * 3
    group = parameters([plate, plate], [CORNERS, CORNERS + [2.0, 0, 0]], "m", [list(range(1, 7)), list(range(7, 13))])
    more = {name: group[name][..., None] for name in ("CORNERS", "ORIGIN", "CHANNEL")}
    plates, refused, _ = read([(plate, labels), (plate, labels)], **more)
    assert len(plates) == 2 and refused == {}


# --- real files ---------------------------------------------------------------------------------------------


def peaks(path: Path) -> list[float]:
    return [float(-np.nanmin(plate.force_p[:, 2])) for plate in read_c3d(path).plates]


def arms(plate: ForcePlate) -> np.ndarray:
    """How far from its sensor's axis loads above 100 N act, m."""
    loaded = plate.force_p[:, 2] < -100
    found: np.ndarray = np.hypot(*plate.moment_p[loaded, :2].T) / -plate.force_p[loaded, 2]
    return found


@in_shared
@pytest.mark.parametrize(
    ("name", "loads"),
    [
        ("isb_bone_names/walk", [692, 596]),
        ("visual3d_hybrid/walk", [628, 586]),
        ("rbds_running/run", [1607]),
        ("davis_bars/walk", [662, 0, 0, 637, 590, 0]),
        ("padua_clusters/walk", [677, 696]),
        ("codamotion/walk", [656]),
    ],
)
def test_plates_of_other_laboratories(name: str, loads: list[float]) -> None:
    """N: what one person presses with, walking, and two to three times that running."""
    path = SHARED / "wild" / f"{name}.c3d"
    np.testing.assert_allclose(peaks(path), loads, atol=0.5)
    trial = read_c3d(path)
    assert trial.refused_plates == {}
    for plate, load in zip(trial.plates, loads, strict=True):
        if load:
            assert 0.002 < np.median(arms(plate)) < 1.2


@in_shared
def test_what_is_assumed_of_real_labels_is_said() -> None:
    walk = texts(read_c3d(SHARED / "wild/isb_bone_names/walk.c3d"))
    assert "plate 1: its channels are labelled V; taken as newtons: up to 682 N lasts and acts on its surface" in walk
    run = texts(read_c3d(SHARED / "wild/rbds_running/run.c3d"))
    assert any("labelled N, Nmm; taken as volts, through CAL_MATRIX: so up to 1578 N" in w for w in run)


@pytest.mark.parametrize("n", [1, 2, 30, 41, 5000])
def test_a_spike_is_no_extreme_that_lasts(n: int) -> None:
    """Of the samples in order, those are left out at both ends that 20 ms hold, or as many as there are."""
    vertical = np.random.default_rng(n).normal(size=n)
    vertical[n // 3] = -1e4
    ordered = np.sort(vertical)
    spike = min(20, (n - 1) // 2)
    gaps = np.insert(vertical, n // 2, [np.nan, np.nan])
    assert lasting_extremes(gaps, 1000.0) == (ordered[spike], ordered[-1 - spike])
