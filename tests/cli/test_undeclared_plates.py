"""Channels of plates that a C3D file does not declare: named, and read with `--plates`."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plates_in_files import Filed, walk_over_plates, write
from terminal import gaitid

from gaitid.read import read_trial
from gaitid.simulate.walk import Walk

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plates.md"
NAMES = [f"F{axis}{n}" for n in (1, 2) for axis in "xyz"] + [f"M{axis}{n}" for n in (1, 2) for axis in "xyz"]


@pytest.fixture(scope="module")
def made() -> tuple[Walk, list[Filed]]:
    return walk_over_plates()


@pytest.fixture(scope="module")
def undeclared(made: tuple[Walk, list[Filed]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The walk without FORCE_PLATFORM, and what describes its plates, in one folder."""
    folder = tmp_path_factory.mktemp("undeclared")
    described(folder / "plates.yaml", made[1])
    return write(folder / "walk.c3d", *made, group=False)


def described(path: Path, plates: Sequence[Filed], first: int = 1) -> Path:
    text = "plates:\n"
    for number, plate in enumerate(plates, start=first):
        text += f"  - number: {number}\n    corners_m: {plate.corners_g.tolist()}\n"
        text += f"    origin_m: {plate.sensor_p.tolist()}\n    force_sense: reaction\n"
    path.write_text(text, encoding="utf-8")
    return path


def assert_read(path: Path, yaml: Path, plates: Sequence[Filed]) -> None:
    read = read_trial(path, plates=yaml)
    assert [plate.number for plate in read.plates] == [1, 2]
    for plate, filed in zip(read.plates, plates, strict=True):
        np.testing.assert_allclose(np.hstack([plate.force_p, plate.moment_p]), filed.channels, atol=1e-3)
        np.testing.assert_allclose(plate.corners_g, filed.corners_g, atol=1e-9)
        np.testing.assert_allclose(plate.sensor_p, filed.sensor_p, atol=1e-9)
        assert plate.rate_hz == 200.0


@pytest.mark.parametrize(
    "labels",
    ["{what}{axis}{number}", "{what}{AXIS}{number}", "{what}{number}{AXIS}", "Force.{what}{axis}{number}",
     "plate{number}_{what}{axis}_N", "FP{number} {what}{axis}", "{word}_{axis}{number}", "{what}{axis}",
     "{what}{axis}_FP{number}"],
)  # fmt: skip
def test_the_channels_of_a_plate_are_known_by_their_names(
    labels: str, made: tuple[Walk, list[Filed]], tmp_path: Path
) -> None:
    yaml = described(tmp_path / "plates.yaml", made[1])
    assert_read(write(tmp_path / "walk.c3d", *made, group=False, labels=labels), yaml, made[1])


def test_they_are_named_with_a_cure_that_works(undeclared: Path, tmp_path: Path) -> None:
    (short,) = (line for line in gaitid("run", undeclared, "-o", tmp_path).lines if "look like" in line)
    assert all(name in short for name in NAMES[:4]) and short.endswith("--plates FILE.yaml")
    done = gaitid("-v", "run", undeclared, "-o", tmp_path)
    (line,) = (line for line in done.lines if "look like" in line)
    assert all(name in line for name in NAMES)
    cure = re.search(r"cure: describe the plates with --plates FILE.yaml; (gaitid inspect --plates-template)", line)
    assert cure is not None
    template = tmp_path / "template.yaml"
    template.write_text(gaitid(*cure[1].split()[1:]).out, encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    of_page = tmp_path / "page.yaml"
    of_page.write_text(block, encoding="utf-8")
    for yaml, numbers in ((template, [1, 2]), (of_page, [1])):
        assert [plate.number for plate in read_trial(undeclared, plates=yaml).plates] == numbers
        done = gaitid("run", undeclared, "--plates", yaml, "-o", tmp_path)
        assert "look like" not in done.err


def test_run_batch_and_inspect_read_them(undeclared: Path, tmp_path: Path) -> None:
    yaml, whole = undeclared.with_name("plates.yaml"), []
    assert gaitid("run", undeclared, "--plates", yaml, "-o", tmp_path / "run").code == 0
    assert gaitid("batch", undeclared, "--plates", yaml, "-o", tmp_path / "batch").code == 0
    for folder in ("run", "batch"):
        (contacts,) = (tmp_path / folder).rglob("walk.contacts.csv")
        with contacts.open(encoding="utf-8") as file:
            whole.append([(row["side"], row["plates"]) for row in csv.DictReader(file) if row["plates"]])
    assert whole == [[("left", "1"), ("right", "2")]] * 2
    seen = json.loads(gaitid("inspect", undeclared, "--plates", yaml, "--json").out)
    assert [(plate["plate"], plate["used"]) for plate in seen["plates"]] == [(1, True), (2, True)]


# --- plates that were dropped -----------------------------------------------------------------------------------


def clipped(plate: Filed) -> Filed:
    """Its vertical force ends at a ceiling: the plate is withheld."""
    channels = plate.channels.copy()
    channels[:, 2] = np.maximum(channels[:, 2], -500.0)
    return replace(plate, channels=channels)


def no_corners(plate: Filed) -> Filed:
    return replace(plate, corners_g=0 * plate.corners_g)


def moved(plate: Filed) -> Filed:
    return replace(plate, corners_g=plate.corners_g + [0.0, 1.5, 0.0])


@pytest.mark.parametrize("spoil", [clipped, no_corners, moved])
def test_a_foot_that_may_have_stood_on_a_dropped_plate_is_not_beside_the_plates(
    spoil: Callable[[Filed], Filed], made: tuple[Walk, list[Filed]], tmp_path: Path
) -> None:
    walk, (first, second) = made
    path = write(tmp_path / "walk.c3d", walk, [spoil(first), second])
    done = gaitid("run", path, "-o", tmp_path)
    assert "left: no whole stance on the plates" in done.err
    assert "stands beside" not in done.err
    assert "stands beside" not in gaitid("inspect", path).out
