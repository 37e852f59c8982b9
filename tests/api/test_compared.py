"""`Analysis.compare`: the command's figures and reasons as tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import gaitid
from gaitid.cli.results import compare_command as command

WALK = "sample_data/walk/walk.c3d"


@pytest.fixture(scope="module")
def two() -> tuple[gaitid.Analysis, gaitid.Analysis]:
    return gaitid.analyse(WALK, model="pig"), gaitid.analyse(WALK, model="pig", cutoff=3)


def test_results_in_memory(two: tuple[gaitid.Analysis, gaitid.Analysis]) -> None:
    compared = two[0].compare(two[1])
    assert "marker filter and gaps first" in compared.verdict
    assert compared.why_not == ""
    curves = compared.curves.set_index("column")
    assert curves.loc["left_knee_flexion_deg", "rms"] > 0.1
    why = compared.why
    assert why.iloc[0][["ingredient", "quantity"]].tolist() == ["marker_filter", ""]
    sums = why.groupby("quantity")["share"].sum()
    assert sums.to_numpy() == pytest.approx(1.0)


def test_the_same_as_the_command(two: tuple[gaitid.Analysis, gaitid.Analysis], tmp_path: Path) -> None:
    for name, analysis in zip("ab", two, strict=True):
        analysis.write(tmp_path / name)
    words = [str(tmp_path / "a"), str(tmp_path / "b"), "--json"]
    printed = json.loads(CliRunner().invoke(command, words, standalone_mode=False).stdout)
    loaded = gaitid.load(tmp_path / "a" / "walk.run.json").compare(gaitid.load(tmp_path / "b" / "walk.run.json"))
    assert json.loads(json.dumps(loaded.content["why"])) == printed["why"]
    assert loaded.verdict == printed["verdict"]
    page = loaded.report(tmp_path / "why.html")
    assert "marker filter" in page.read_text(encoding="utf-8")
