"""The table of docs/any_lab.md is what `gaitid run` makes of the recordings today."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from slow import slow_but
from terminal import SHARED, gaitid

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "any_lab.md").read_text(encoding="utf-8")
WILD = SHARED / "wild"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    before = list(sys.path)
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return runpy.run_path(str(ROOT / "benchmarks" / "any_lab.py"), run_name="loaded")
    finally:
        sys.path[:] = before


def runs() -> list[str]:
    """Folder and command of each line, as the page has them."""
    lines = PAGE.partition("<!-- laboratories -->\n")[2].partition("<!-- /laboratories -->")[0].splitlines()
    found = [re.match(r"- `(.*?)`: `(.*?)`: ", line) for line in lines]
    return [f"{row[1]}: {row[2]}" for row in found if row]


def test_the_table_has_every_folder_of_the_recordings(script: dict[str, Any]) -> None:
    assert runs() == [f"{folder}: {words}" for folder, words in script["RUNS"]]
    if WILD.is_dir():
        assert {folder for folder, _ in script["RUNS"] if "/" not in folder} == {
            p.name for p in WILD.iterdir() if p.is_dir()
        }


@pytest.mark.skipif(not WILD.is_dir(), reason="recorded trials (../shared/trials/wild) are not here")
@pytest.mark.parametrize(
    "run",
    slow_but(
        [
            "gait2392: walk.trc --forces walk_grf.mot --static static.trc",
            "isb_bone_names: walk.c3d --static static.c3d",
            "grand_challenge: walk.trc",
        ],
        runs(),
    ),
)
def test_a_row_of_the_table_is_true(
    run: str, script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def here(words: Sequence[str], place: Path) -> tuple[int, str]:
        monkeypatch.chdir(place)
        done = gaitid(*words)
        return done.code, done.err

    folder, _, words = run.partition(": ")
    outcome = script["Outcome"](folder, words, tmp_path, here)
    assert script["outcome_row"](outcome) in PAGE.splitlines()
