"""What the pages say of Python runs: docs/python.md, the docstrings, the notebook."""

from __future__ import annotations

import doctest
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import gaitid

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty one with the sample data, so that examples may write."""
    shutil.copytree(ROOT / "sample_data" / "walk", tmp_path / "sample_data" / "walk")
    monkeypatch.chdir(tmp_path)


def test_the_page() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, encoding="utf-8")
    assert tried > 20
    assert not failed


def test_the_page_names_every_keyword_and_attribute() -> None:
    import inspect

    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in inspect.signature(gaitid.analyse).parameters:
        assert f"`{name}`" in page, name
    for name in ("angles", "moments", "powers", "result", "record", "verdict", "warnings"):
        assert f"`{name}`" in page, name
    assert set(re.findall(r"gaitid\.(\w+)\(", page)) <= set(gaitid.__all__)


def test_the_notebook_runs_from_top_to_bottom() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    cells = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    for i, cell in enumerate(cells):
        exec(compile(cell, f"cell {i + 1}", "exec"), space)
    assert space["r"].verdict["trial"] == "good"
    assert 0.001 < space["change_deg"].abs().max().max() < 5
    assert Path("results/walk.run.json").is_file()
