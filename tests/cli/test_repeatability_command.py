"""`gaitid repeatability`: its file, its lines, its refusals."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from terminal import gaitid as command


@pytest.fixture(scope="module")
def twice(sure: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One result as two sessions: nothing differs between them."""
    folder = tmp_path_factory.mktemp("twice")
    for session in ("first", "second"):
        shutil.copytree(sure, folder / session)
    return folder


def test_sessions_that_do_not_differ(twice: Path, tmp_path: Path) -> None:
    """Sessions of the same cycles differ by nothing beyond them, and far less than 6 mm of placement let expect."""
    path = tmp_path / "ours.csv"
    done = command("repeatability", twice, "-o", path)
    assert done.code == 0 and not done.out, done.err
    with path.open(encoding="utf-8", newline="") as file:
        rows = {(row["name"], row["percent"]): row for row in csv.DictReader(file)}
    knee = rows["knee_flexion_deg", "50"]
    assert knee["sd_between_sessions"] == "0" and float(knee["predicted_by_marker_placement"]) > 0.5
    assert float(knee["predicted_standard_uncertainty"]) >= float(knee["predicted_by_marker_placement"])
    assert rows["knee_flexion_angle_max_swing", ""]["sessions"] == "2"
    assert "knee flexion: SEM " in done.err and "which does not fit this laboratory" in done.err
    compared = command("compare", twice / "first", twice / "second", "--align", "cycle", "--repeatability", path)
    assert compared.code == 0 and "2 sessions, 1 subject)" in compared.out


def test_named_sessions_are_overlaid_with_what_changed(twice: Path, tmp_path: Path) -> None:
    """Of the same cycles nothing is more than the smallest detectable change; without a source it is not known."""
    ours, page = tmp_path / "ours.csv", tmp_path / "page.html"
    command("repeatability", twice, "-o", ours)
    named = (f"pre={twice / 'first'}", f"post={twice / 'second'}")
    done = command("report", *named, "-o", page, "--repeatability", ours)
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "<h1>pre and post</h1>" in text and "pre 1 trial, post 1 trial</h2>" in text
    assert "smallest detectable change: post − pre</h3><p>Nothing.</p>" in text and "2 sessions, 1 subject)" in text
    assert command("report", f"only={twice}", "-o", page).code == 0
    assert "<dt>Session</dt><dd>only</dd>" in page.read_text(encoding="utf-8")


def test_one_result_is_not_in_two_sessions(twice: Path, tmp_path: Path) -> None:
    """A folder given twice by mistake, or one above another, would be compared with itself."""
    for other in ("first", "."):
        done = command("report", f"pre={twice / 'first'}", f"post={twice / other}", "-o", tmp_path / "page.html")
        assert done.code == 2 and "it is in two sessions, pre and post" in done.err
    blank = command("report", f" ={twice / 'first'}", f"post={twice / 'second'}", "-o", tmp_path / "page.html")
    assert blank.code == 2 and "expected NAME=RESULT" in blank.err
    assert not (tmp_path / "page.html").exists()
