"""docs/tutorial.md: its commands run, and print what the page shows."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def comparable(text: str) -> str:
    """Rounding alone (as "solvers agree to 5e-15") differs between machines."""
    return re.sub(r"\d(\.\d+)?e-1\d", "ROUNDING", text)


@pytest.mark.slow
def test_what_the_page_shows_is_what_is_printed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    remade = runpy.run_path(str(ROOT / "docs" / "make_tutorial.py"))["remade"](PAGE, tmp_path)
    assert comparable(remade) == comparable(PAGE), "run `python docs/make_tutorial.py`, read the page, and commit it"
    assert (tmp_path / "walk.html").stat().st_size > 100_000
    assert "gaitid: sample_data/walk_noisy/walk.c3d: verdict: good" in remade
