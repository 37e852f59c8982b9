"""Measurements from Vicon's subject files (.mp): beside a trial, and given with --subject."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from terminal import SHARED, gaitid

from gaitid.read.c3d.trial import read_stored_subject

BESIDE = "subject file of Nexus beside the trial"


def stored_in(trial: Path) -> dict[str, float]:
    """What the simulated walk stores, in the units of a .mp: its angles in degrees."""
    stored = dict(read_stored_subject(trial)[1])
    angles = {name for name in stored if name[1:].startswith(("Thigh", "Shank", "Tibial", "AnkleAb", "Static"))}
    return {name: float(np.degrees(value)) if name in angles else value for name, value in stored.items()}


def write_mp(path: Path, numbers: Mapping[str, float]) -> Path:
    path.write_text("".join(f"${name} = {value!r}\r\n" for name, value in numbers.items()), encoding="cp1252")
    return path


def record_of(folder: Path, name: str = "walk") -> dict[str, Any]:
    return dict(json.loads((folder / f"{name}.run.json").read_text(encoding="utf-8")))


def joints(folder: Path) -> np.ndarray:
    return np.genfromtxt(folder / "walk.joints.csv", delimiter=",", skip_header=1)


@pytest.fixture
def table(simulated: Path, tmp_path: Path) -> list[str | Path]:
    """A walk as tables, which hold no measurements, and its options."""
    for name in ("walk.csv", "walk.forces.csv", "walk.plates.yaml"):
        shutil.copy(simulated / name, tmp_path / name)
    forces, plates = tmp_path / "walk.forces.csv", tmp_path / "walk.plates.yaml"
    return [tmp_path / "walk.csv", "--forces", forces, "--plates", plates, "--model", "pig"]


def test_a_file_beside_the_trial_is_as_good_as_a_subject_file(
    simulated: Path, tmp_path: Path, table: list[str | Path]
) -> None:
    gaitid("run", *table, "--subject", simulated / "walk.subject.yaml", "-o", tmp_path / "yaml")
    mp = write_mp(tmp_path / "Anna.mp", stored_in(simulated / "walk.c3d"))
    assert gaitid("run", *table, "-o", tmp_path / "beside").code == 0
    record = record_of(tmp_path / "beside")
    assert {record["subject"][name]["source"] for name in ("mass", "left.leg_length", "right.thigh_rotation")} == {
        BESIDE
    }
    (entry,) = [entry for entry in record["inputs"] if entry["role"] == "measurements"]
    assert entry["path"] == str(mp) and len(entry["sha256"]) == 64
    given = mp.rename(tmp_path / "yaml" / "Anna.mp")
    assert gaitid("run", *table, "--subject", given, "-o", tmp_path / "given").code == 0
    assert record_of(tmp_path / "given")["subject"]["mass"]["source"] == "subject file"
    for other in ("beside", "given"):
        np.testing.assert_allclose(joints(tmp_path / other), joints(tmp_path / "yaml"), atol=1e-6)


def test_what_the_trial_stores_wins(walk: Path, tmp_path: Path) -> None:
    """What differs is said; what a trial lacks is filled; another person's file is left out."""
    shutil.copy(walk, tmp_path / "walk.c3d")
    numbers = stored_in(walk)
    gaitid("run", tmp_path / "walk.c3d", "--model", "pig", "-o", tmp_path / "alone")
    for change, words in (
        ({}, ""),
        ({"LKneeWidth": 99.0}, f"knee_width: 104 mm (trial, stored) is used; another value is there: 99 mm ({BESIDE})"),
        ({"LLegLength": 600.0}, f"{BESIDE} is of another person, whose left leg_length is 600 mm, not 920 mm"),
        ({"Bodymass": 50.0}, f"{BESIDE} is of another person, whose mass is 50 kg, not 70 kg"),
    ):
        write_mp(tmp_path / "Anna.mp", numbers | change)
        done = gaitid("-v", "run", tmp_path / "walk.c3d", "--model", "pig", "-o", tmp_path / "o")
        assert (words in done.err) if words else (BESIDE not in done.err), done.err
        np.testing.assert_array_equal(joints(tmp_path / "o"), joints(tmp_path / "alone"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "found an empty file; save the subject in Nexus again"),
        ("$LLegLength = 1.04\n", "left_leg_length_mm: expected 150 to 1500 mm, found 1.04 (metres, it seems: 1040 mm)"),
        ("pelvis_LASI_x = 3.2\n", "none of its parameters is a measurement that the model knows"),
    ],
)
def test_a_file_that_is_given_and_wrong_is_refused_in_one_line(
    walk: Path, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "Anna.mp").write_text(text)
    done = gaitid("run", walk, "--model", "pig", "--subject", tmp_path / "Anna.mp", "-o", tmp_path)
    assert (done.code, len(done.lines)) == (1, 1) and words in done.err


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are absent")
def test_a_real_file_gives_a_whole_model(tmp_path: Path) -> None:
    """c3d.org's sample 09: a C3D without measurements, its name in SUBJECTS:NAMES not among the results."""
    shutil.copytree(SHARED / "labs" / "nexus_mp", tmp_path / "data")
    done = gaitid("run", tmp_path / "data" / "VER4C3D.c3d", "-o", tmp_path)
    record = record_of(tmp_path, "VER4C3D")
    assert done.code == 0 and record["model"]["name"] == "pig"
    assert record["subject"]["left.tibial_torsion"]["value"] == pytest.approx(np.radians(-19))
    assert "42798" not in json.dumps(record)
