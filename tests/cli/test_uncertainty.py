"""`gaitid run --uncertainty`: its files, its record, its refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from terminal import NOISY, Done, assert_refused
from terminal import gaitid as command


def gaitid_run(*words: object) -> Done:
    return command("run", *words)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_has_a_row_for_every_frame_and_column(sure: Path) -> None:
    table = rows(sure / "walk.uncertainty.csv")
    assert list(table[0]) == ["frame", "column", "standard_uncertainty", "low_95", "high_95"]
    wide = {name: rows(sure / f"walk.{name}.csv") for name in ("wrenches", "joints")}
    names = [n for of in wide.values() for n in of[0] if n not in ("frame", "time_s")]
    assert len(table) == len(names) * len(wide["joints"])
    values = {row["frame"]: row | other for row, other in zip(wide["wrenches"], wide["joints"], strict=True)}
    for row in table:
        value = values[row["frame"]][row["column"]]
        assert bool(value) == bool(row["standard_uncertainty"]), row
        if value:
            assert float(row["low_95"]) - 1e-6 <= float(value) <= float(row["high_95"]) + 1e-6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gaitid_uncertainty: 1\nsources:\n  hip_center: {coordinate_mm: {davis: 3}}\n", "did you mean 'hip_centre'"),
        ("gaitid_uncertainty: 1\nsources:\n  timing: {frames: 1}\n", "sources.timing.source: missing"),
        ("gaitid_uncertainty: 1\nsources:\n  timing: {frames: -1, source: us}\n", "from 0 to 20"),
        ("gaitid_uncertainty: 1\nmethod: bootstrap\nsources: {}\n", "expected first_order or monte_carlo"),
        ("gaitid_uncertainty: 1\nsources:\n  measurements: {leg_length: 10, source: us}\n", "with its unit"),
        ("gaitid_uncertainty: 1\nsources:\n  soft_tissue: {harmonics: [0.7, 0.7], source: us}\n", "whose sum is 1"),
        ("gaitid_model: 1\n", "gaitid_uncertainty: 1"),
        ("gaitid_uncertainty: 1\nsources: {}\n", "no error is stated"),
        ("gaitid_uncertainty: 1\nsources:\n  timing: {frames: 0, source: us}\n", "no error is stated"),
        ("gaitid_uncertainty: 1\nsources:\n  measurements: {mass_kg: 900, source: us}\n", "from 0 to 50"),
        (
            "gaitid_uncertainty: 1\nsources:\n  measurements: {leg_lenght_mm: 9, source: us}\n",
            "did you mean 'leg_length_mm'",
        ),
        ("gaitid_uncertainty: 1\nsources:\n  hip_centre: {coordinate_mm: {davies: 9}, source: us}\n", "'davis'"),
        (
            "gaitid_uncertainty: 1\nsources:\n  marker_placement: {coordinate_mm: 6, except: [none], source: us}\n",
            "sources.marker_placement.except: 'none' is known neither to model pig",
        ),
    ],
)
def test_a_wrong_file_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    done = gaitid_run(NOISY, "--model", "pig", "-o", tmp_path / "out", "--uncertainty", own)
    assert_refused(done, says)
    assert not (tmp_path / "out").exists()


def usable(folder: Path) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    record = json.loads((folder / "walk.run.json").read_text(encoding="utf-8"))
    entries = record["verdict"]["usable_for"]
    assert all(entry["side"] and entry["joint"] and entry["half_width"] > 0 for entry in entries)
    return {(entry["side"], entry["joint"], entry["plane"], entry["kind"]): entry for entry in entries}


def test_the_verdict_says_for_what_it_is_sure_enough(sure: Path) -> None:
    """Half widths are 1.96 times the root mean square, over the cycles, of what the table holds."""
    found = usable(sure)
    assert found["left", "knee", "transverse", "angle"]["class"] == "do not use"
    assert found["left", "hip", "sagittal", "moment"]["class"] is None
    entry = found["right", "knee", "sagittal", "angle"]
    assert entry["unit"] == "deg" and entry["coverage_percent"] == 95
    of_column = [row["standard_uncertainty"] for row in rows(sure / "walk.uncertainty.csv")
                 if row["column"] == "right_knee_flexion_deg" and row["standard_uncertainty"]]  # fmt: skip
    mean_square = sum(float(u) ** 2 for u in of_column) / len(of_column)  # of all frames, in most of which it walks
    assert entry["half_width"] == pytest.approx(1.96 * mean_square**0.5, rel=0.05)


def test_limits_of_the_user_take_the_place_of_published_ones(sure: Path, tmp_path: Path) -> None:
    words = ("--max-uncertainty", "angle_deg=30", "--max-uncertainty", "moment_Nm_per_kg=0.001")
    done = gaitid_run(NOISY, "--model", "pig", "-o", tmp_path, *words)  # which implies --uncertainty
    assert done.code == 0, done.err
    found = usable(tmp_path)
    classes = {(kind, entry["class"]) for (*_, kind), entry in found.items() if kind != "power"}
    assert classes == {("angle", "acceptable"), ("moment", "do not use")}
    assert "do not use (± 95 %): " in done.err and "knee extension moment " in done.err
    before = usable(sure)
    assert {key: entry["half_width"] for key, entry in found.items()} == {
        key: entry["half_width"] for key, entry in before.items()
    }
    page = tmp_path / "page.html"
    assert command("report", sure / "walk.run.json", "-o", page, "--max-uncertainty", "angle_deg=30").code == 0
    table = page.read_text(encoding="utf-8").partition("Sure enough for what")[2].partition("</table>")[0]
    assert "acceptable" in table and "do not use" not in table
    assert gaitid_run(NOISY, "--max-uncertainty", "force_N=3").code == 2
