"""What a C3D file leaves out or writes in its own way: names, numbers of plates, samples."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from c3d_made import Changes, long_trial, made
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import Value

from gaitid.read.c3d.trial import read_c3d


def test_a_number_of_plates_that_is_missing(tmp_path: Path) -> None:
    group: dict[str, Value | None] = {"USED": None}
    trial = read_c3d(made(tmp_path / "a.c3d", {"FORCE_PLATFORM": group}))
    whole = read_c3d(made(tmp_path / "b.c3d"))
    assert [plate.number for plate in trial.plates] == [plate.number for plate in whole.plates] == [1]
    assert texts(trial)[0] == "FORCE_PLATFORM:USED is missing; by TYPE the file has 1 plate"
    trial = read_c3d(made(tmp_path / "a.c3d", {"FORCE_PLATFORM": group | {"TYPE": None}}))
    assert (trial.plates, [note.code for note in trial.notes]) == ((), ["plates_undeclared"])


def test_a_plate_in_a_file_without_analog_data(tmp_path: Path) -> None:
    long_trial(tmp_path / "a.c3d", 20, 20, {"FRAMES": 20, "UNITS": ["mm"]})
    trial = read_c3d(tmp_path / "a.c3d")
    assert trial.refused_plates == {1: "the file holds no analog data; expected 6 channels of the plate"}


def test_a_file_that_names_no_points(tmp_path: Path) -> None:
    trial = read_c3d(made(tmp_path / "a.c3d", {"POINT": {"LABELS": None}}))
    assert texts(trial)[0] == "the file names none of its 3 points (POINT:LABELS)"


def test_measurements_are_found_in_any_case(tmp_path: Path) -> None:
    changes: Changes = {"PROCESSING": {"Bodymass": None, "BODYMASS": 60.0, "LLegLength": 0.9, "llegLENGTH": 0.8}}
    stored = read_c3d(made(tmp_path / "a.c3d", changes)).parameters
    assert (stored["Bodymass"], stored.get("bodymass"), stored.get("Height")) == (60.0, 60.0, None)
    assert dict(stored) == {"BODYMASS": 60.0, "llegLENGTH": pytest.approx(0.8)}
    assert len(stored) == 2


def test_a_measurement_of_processing_goes_before_one_of_subjects(tmp_path: Path) -> None:
    changes: Changes = {"PROCESSING": {"Bodymass": 61.0}, "SUBJECTS": {"Bodymass": 62.0, "BODYMASS": 63.0}}
    assert dict(read_c3d(made(tmp_path / "a.c3d", changes)).parameters) == {"Bodymass": 61.0}


def test_a_subject_with_a_colon_in_its_name(tmp_path: Path) -> None:
    trial = read_c3d(made(tmp_path / "a.c3d", {"POINT": {"LABELS": ["J: M:LASI", "J: M: RASI", "J: M:LKNE"]}}))
    assert (trial.labels, "J: M" in trial.names) == (("LASI", "RASI", "LKNE"), True)
