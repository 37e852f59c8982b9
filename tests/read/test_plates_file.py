"""The plates file: what it says, and every way in which it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from plain_layout import plates_yaml, rotation_z_down, small_trial

from gaitid.errors import ModelError
from gaitid.read.plates.plates_file import (
    AXES,
    POINTS,
    SENSES,
    TEMPLATE,
    PlateGeometry,
    distinct_plates,
    plate_from,
    read_plates_file,
)
from gaitid.trial import ForcePlate

GOOD = """
plates:
  - number: 1
    corners_mm: [[250, 300, 0], [-250, 300, 0], [-250, -300, 0], [250, -300, 0]]
    origin_mm: [1, 2, 40]
    force_sense: reaction
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "plates.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_plate_axes_follow_the_corners() -> None:
    trial = small_trial()
    for plate, turn in zip(trial.plates, (0.3, 0.3 + np.pi / 2), strict=True):
        geometry = PlateGeometry(plate.number, plate.corners_g, plate.sensor_p, "reaction")
        assert np.allclose(geometry.R_gp, rotation_z_down(turn), atol=1e-12, rtol=0)


def test_an_origin_above_the_surface_is_turned_whole_and_said_so(tmp_path: Path) -> None:
    (geometry,) = read_plates_file(write(tmp_path, GOOD.replace("[1, 2, 40]", "[1, 2, -40]")))
    assert np.allclose(geometry.sensor_p, [-0.001, -0.002, 0.04], atol=1e-15, rtol=0)
    assert "turned" in geometry.notes[0].text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("number: 1", "number: true", "plates[0].number"),
        ("    force_sense: reaction\n", "", "plates[0].force_sense: missing"),
        ("origin_mm: [1, 2, 40]", "origin_mm: [1, 2]", "plates[0].origin_mm: expected 3 finite numbers"),
        ("origin_mm: [1, 2, 40]", "origin_mm: [1, 2, a]", "plates[0].origin_mm"),
        ("    origin_mm: [1, 2, 40]\n", "    origin_mm: [1, 2, 40]\n    origin_m: [0, 0, 0]\n", "given twice"),
        ("corners_mm", "corners_m", "found sides of 500 and 600 m: these are millimetres, it seems; write corners_mm"),
        (
            "[[250, 300, 0], [-250, 300, 0], [-250, -300, 0], [250, -300, 0]]",
            "[[20, 30, 0], [-20, 30, 0], [-20, -30, 0], [20, -30, 0]]",
            "found sides of 40 and 60 mm: these are centimetres, it seems; write millimetres",
        ),
        ("origin_mm: [1, 2, 40]", "origin_mm: [0.001, 0.002, 0.04]", "origin_mm: at most 0.04 mm: these are metres"),
        ("origin_mm: [1, 2, 40]", "origin_mm: [900, 800, 40]", "found a place 1204.82 mm away, beside the plate"),
        ("reaction", "reaction\n    axes: global", "plates[0].axes: expected plate or laboratory"),
        ("reaction", "reaction\nunits: mm", "units: unknown key"),
    ],
)
def test_every_fault_names_its_key(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    with pytest.raises(ModelError) as refused:
        read_plates_file(write(tmp_path, GOOD.replace(old, new)))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "plates: []", "plates: 3", "plates: [3]", "plates: {number: 1}"])
def test_no_plates_at_all(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError, match="expected"):
        read_plates_file(write(tmp_path, text))


def test_absent_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        read_plates_file(tmp_path / "none.yaml")


def test_corners_that_are_no_flat_rectangle(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"plates\[0\]\.corners_mm: expected those of a flat rectangle.* found 30 mm"):
        read_plates_file(write(tmp_path, GOOD.replace("[250, 300, 0]", "[250, 300, 30]")))


def read_distinct(path: Path) -> tuple[ForcePlate, ...]:
    """The plates of a file that differ, where nobody stands on them."""
    plates = [plate_from(geometry, 1000.0, *np.zeros((2, 9, 3)))[0] for geometry in read_plates_file(path)]
    return distinct_plates(path, plates)[0]


def test_two_plates_on_each_other(tmp_path: Path) -> None:
    second = GOOD.replace("plates:\n", "").replace("number: 1", "number: 2").lstrip("\n")
    with pytest.raises(ModelError, match="plates 1 and 2 lie on each other: 100% of the smaller surface"):
        read_distinct(write(tmp_path, GOOD + second))
    step = second.replace(", 0]", ", 200]")
    assert len(read_distinct(write(tmp_path, GOOD + step))) == 2


def test_numbers_that_are_too_large_and_long_values(tmp_path: Path) -> None:
    for old, new in (
        ("[1, 2, 40]", "[1, 2, 1.0e+300]"),
        ("[1, 2, 40]", f"[1, 2, {'9' * 400}]"),
        ("[1, 2, 40]", "x" * 9999),
    ):
        with pytest.raises(ModelError) as caught:
            read_plates_file(write(tmp_path, GOOD.replace(old, new)))
        assert len(caught.value.line()) < 400


def test_the_template_and_the_example_of_the_docs_are_plates_that_face_up(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "csv.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```yaml\n(plates:.*?)```", page, re.DOTALL)
    for text in (TEMPLATE, example):
        file = tmp_path / "plates.yaml"
        file.write_text(text, encoding="utf-8")
        for geometry in read_plates_file(file):
            np.testing.assert_allclose(geometry.R_gp[:, 2], [0.0, 0.0, -1.0], atol=1e-12)  # z points down
            assert geometry.sensor_p[2] > 0.0 and not geometry.notes
    known = ("number", "corners_mm", "corners_m", "origin_mm", "origin_m", *SENSES, *AXES, *POINTS)
    assert not [word for word in known if not re.search(rf"\b{word}\b", TEMPLATE)]


def test_two_plates_of_one_number(tmp_path: Path) -> None:
    text = plates_yaml(small_trial().plates).replace("number: 2", "number: 1")
    with pytest.raises(ModelError, match=r"plates\[1\].number: 1 is given twice"):
        read_plates_file(write(tmp_path, text))
