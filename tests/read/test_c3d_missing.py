"""What a C3D file leaves out or writes in its own way: names, numbers of plates, samples."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from c3d_made import Changes, made
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

from gaitid.read.c3d.trial import read_c3d


def test_a_file_that_names_no_points(tmp_path: Path) -> None:
    trial = read_c3d(made(tmp_path / "a.c3d", {"POINT": {"LABELS": None}}))
    assert texts(trial)[0] == "the file names none of its 3 points (POINT:LABELS)"


def test_measurements_are_found_in_any_case(tmp_path: Path) -> None:
    changes: Changes = {"PROCESSING": {"Bodymass": None, "BODYMASS": 60.0, "LLegLength": 0.9, "llegLENGTH": 0.8}}
    stored = read_c3d(made(tmp_path / "a.c3d", changes)).parameters
    assert (stored["Bodymass"], stored.get("bodymass"), stored.get("Height")) == (60.0, 60.0, None)
    assert dict(stored) == {"BODYMASS": 60.0, "llegLENGTH": pytest.approx(0.8)}
    assert len(stored) == 2
