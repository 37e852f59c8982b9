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


def test_noise_of_an_empty_plate_in_millivolts_is_nobody() -> None:
    """A thousand times larger it has a person's size: it is named, and left as it is."""
    plate = plate_of(4)
    plate.signals[:] = np.random.default_rng(0).normal(size=plate.signals.shape) * np.abs(plate.signals).max() / 3
    (found,), _, warnings = read([(plate, ["mV"] * len(plate.signals))])
    assert np.abs(found.force_p).max() < 10  # N
    assert any("were they volts" in w for w in warnings)


def test_moments_of_a_load_that_acts_nowhere_are_refused() -> None:
    plate = plate_of(2)
    plate.signals[3:] *= 1e6
    plates, refused, _ = read([(plate, ["N"] * 3 + ["V"] * 3)])
    assert plates == () and refused[1].startswith("plate 1 moment channel: unit not known")


@pytest.mark.parametrize(("step", "taken"), [(200.0, True), (0.005, False)])
def test_a_scale_that_makes_no_volts_of_a_converter_s_number(step: float, taken: bool, tmp_path: Path) -> None:
    plate = plate_of(3)
    stored = np.full_like(plate.signals, 0.01)
    group = parameters([plate], [CORNERS], "m", [list(range(1, 9))])
    path = write_c3d(tmp_path / "a.c3d", stored, group, units=["V"] * 8, scale=np.full(8, step), unit="m")
    trial = read_c3d(path)
    assert bool(trial.plates) == taken
    assert any("each step of the converter 200" in w for w in texts(trial)) == taken


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


# --- dimensions ---------------------------------------------------------------------------------------------


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
