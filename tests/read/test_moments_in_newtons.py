"""Moments labelled N, by mistake for N·m or N·mm: taken in the unit that puts the loads on the plate, with a doubt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plates_in_files import Filed, walk_over_plates, write

import gaitid
from gaitid.simulate.walk import Walk
from gaitid.trial import Trial


@pytest.fixture(scope="module")
def made() -> tuple[Walk, list[Filed]]:
    return walk_over_plates()


def in_newtons(plate: Filed, stored: float, *moments: int) -> Filed:
    """The plate with these moments (all three) labelled N, and stored in so many times N·m."""
    units = list(plate.units)
    for i in moments or (0, 1, 2):
        units[3 + i] = "N"
    return replace(plate, units=units, stored_in={**plate.stored_in, "N": stored})


def assert_same_moments(trial: Trial, plates: list[Filed]) -> None:
    for read, plate in zip(trial.plates, plates, strict=True):
        np.testing.assert_allclose(read.moment_p, plate.channels[:, 3:], atol=1e-3)


@pytest.mark.parametrize(("stored", "unit"), [(1.0, "N·m"), (1e3, "N·mm")])
@pytest.mark.parametrize("share", [1.0, 0.15, 0.05])
def test_the_loads_tell_the_unit(
    stored: float, unit: str, share: float, made: tuple[Walk, list[Filed]], tmp_path: Path
) -> None:
    """Also on a plate that carries 115 N at most; on one of 38 N, before the plate that tells it, that plate does."""
    walk, (first, second) = made
    plates = [replace(first, channels=share * first.channels), second]
    path = write(tmp_path / "walk.c3d", walk, [in_newtons(plate, stored) for plate in plates])
    trial = gaitid.read_trial(path)
    assert_same_moments(trial, plates)
    doubts = [note for note in trial.notes if note.code == "plate_doubtful"]
    assert [note.plates for note in doubts] == [(1,), (2,)]
    for note in doubts:
        assert f"labelled N, a unit of force; taken as {unit}" in note.text
        assert note.cure == f"write {unit.replace('·', '')} in ANALOG:UNITS of its moments"


def test_the_verdict_doubts_it_and_the_cure_ends_the_doubt(made: tuple[Walk, list[Filed]], tmp_path: Path) -> None:
    walk, plates = made
    doubted = gaitid.analyse(write(tmp_path / "walk.c3d", walk, [in_newtons(plate, 1e3) for plate in plates]))
    cured = gaitid.analyse(write(tmp_path / "cured.c3d", walk, plates))
    assert (doubted.verdict["trial"], cured.verdict["trial"]) == ("usable", "good")
    assert doubted.moments.equals(cured.moments)
