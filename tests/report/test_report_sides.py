"""A report of what a model gives: one side, no ground, few angles; nothing else is asked of a result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.report import write_report
from gaitid.report.gathering import load_result, load_results
from gaitid.report.panels import Request
from gaitid.report.pictures import compose
from gaitid.results.result import unknown_spans


def keep_columns(result: Path, table: str, wanted: Callable[[str], bool]) -> None:
    """Take all other columns of a table away, but frame and time."""
    path = result.with_name(f"walk.{table}.csv")
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [i for i, name in enumerate(rows[0]) if i < 2 or wanted(name)]
    path.write_text("\n".join(",".join(row[i] for i in kept) for row in rows) + "\n", encoding="utf-8")


@pytest.fixture
def right_only(result: Path) -> Path:
    for table in ("wrenches", "joints"):
        keep_columns(result, table, lambda name: name.startswith("right_"))
    for table in ("contacts", "stances"):
        path = result.with_name(f"walk.{table}.csv")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith("left,")), encoding="utf-8")
    record = json.loads(result.read_text(encoding="utf-8"))
    del record["coverage"]["left"]
    result.write_text(json.dumps(record), encoding="utf-8")
    return result


@pytest.mark.parametrize("suffix", ["html", "png"])
def test_one_side(right_only: Path, tmp_path: Path, suffix: str) -> None:
    output = write_report([right_only], tmp_path / f"walk.{suffix}")
    loaded = load_result(right_only)
    assert loaded.sides == ("right",)
    assert {span.side for span in unknown_spans(loaded)} == {"right"}
    if suffix == "html":
        text = output.read_text(encoding="utf-8")
        assert "Hip flexion over % of the stance. right: 1 curve" in text
        assert "Left" not in text[text.index("<h2>Curves") : text.index("<h2>Figures")]


def test_panels_without_columns_are_left_out(right_only: Path, tmp_path: Path) -> None:
    def kept(name: str) -> bool:
        return not name.endswith(("_deg", "_per_kg")) or "knee_flexion" in name or "knee_power" in name

    for table in ("joints", "cycles", "stances"):
        keep_columns(right_only, table, kept)
    rows = compose(load_results([right_only]), Request(), "none").rows
    assert [[panel.title for panel in row] for row in rows] == [["Knee flexion"], ["Knee power"]]
    text = write_report([right_only], tmp_path / "walk.html").read_text(encoding="utf-8")
    peaks = text.partition('<table class="peaks">')[2].partition("</table>")[0]
    assert "Knee<br>generation" in peaks and "Knee<br>absorption" in peaks and "Hip" not in peaks


def test_a_limb_that_the_ground_does_not_touch(right_only: Path, tmp_path: Path) -> None:
    keep_columns(right_only, "wrenches", lambda name: False)
    for table in ("contacts", "stances"):
        path = right_only.with_name(f"walk.{table}.csv")
        path.write_text(path.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    text = write_report([right_only], tmp_path / "walk.html").read_text(encoding="utf-8")
    assert '<h3 id="s0-ground"' not in text and "Which foot was on which plate" not in text and "Hip flexion" in text
