"""What an earlier release wrote can still be read: a page made of it, and today's results held against it.

`tests/records/VERSION` holds what that release wrote of the noisy sample walk, with `--model pig`: its record, and of
its tables the frames 140 to 169, where both feet are loaded, and every 20th percent of one cycle. A release adds a
folder and leaves the others as they are.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

import pytest
from terminal import gaitid

ROOT = Path(__file__).resolve().parents[2]
RELEASES = sorted(path.name for path in (ROOT / "tests" / "records").iterdir())
WALK = ROOT / "sample_data" / "walk_noisy" / "walk.c3d"

every_release = pytest.mark.parametrize("release", RELEASES)


@pytest.fixture
def recorded(release: str, tmp_path: Path) -> Path:
    """A copy, to spoil."""
    return shutil.copytree(ROOT / "tests" / "records" / release, tmp_path / "recorded")


def test_every_release_has_its_record() -> None:
    """But the one that is being made, which its heading calls unreleased."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\d[\w.]*)$", changelog, re.MULTILINE)) == set(RELEASES)


@every_release
def test_report_takes_it(recorded: Path, release: str, tmp_path: Path) -> None:
    path = recorded / "walk.run.json"
    done = gaitid("report", path, "-o", tmp_path / "page.html")
    assert (done.code, done.out) == (0, ""), done.err
    page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert release in page
    for warning in json.loads(path.read_text(encoding="utf-8"))["warnings"]:
        assert (warning if isinstance(warning, str) else warning["text"]) in page
    done = gaitid("report", path, "-o", tmp_path / "sheet.png")
    assert done.code == 0, done.err


@every_release
def test_check_compares_with_it(recorded: Path) -> None:
    """Every table is read, and of what was cut away it says so; a cell that moved is seen in each."""
    spoiled = {
        "wrenches": "left_knee_force_global_z_N",
        "joints": "left_knee_flexion_deg",
        "cycles": "knee_extension_moment_Nm_per_kg",
        "spatiotemporal": "stride_length_m",
    }
    for table, column in spoiled.items():
        path = recorded / f"walk.{table}.csv"
        header, first, *rows = path.read_text().splitlines()
        cells, i = first.split(","), header.split(",").index(column)
        cells[i] = f"{float(cells[i]) + 1000}"
        path.write_text("\n".join([header, ",".join(cells), *rows]) + "\n")
    done = gaitid("check", WALK, "--model", "pig", "--against", recorded)
    assert done.code == 1, done.err
    assert "cannot be read" not in done.out
    for table in ("wrenches", "joints"):
        assert f"{table}: frames 1 to 300 where golden has 140 to 169: 270 frames are new" in done.out
    for column in spoiled.values():
        assert re.search(rf"{column} \(.*\) moved by \d", done.out)
