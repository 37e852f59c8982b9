"""docs/choices.md: its tables have the options that the models declare today."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import choices

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "choices.md").read_text(encoding="utf-8")


def part(name: str) -> str:
    return PAGE.split(f"<!-- {name} -->")[1].split(f"<!-- /{name} -->")[0]


def test_each_walk_has_its_tables_with_each_option() -> None:
    for walk in choices.WALKS:
        table = part("hips").split(f"`{walk.trial}`")[1].split("\n`")[0]
        rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", table, re.MULTILINE)
        assert [label for label, _ in rows[1:]] == [label for label, _, _ in choices.options_of(walk, "hip_centre")]
        assert all(re.search(r"[+-]\d+\.\d{3}", cells) for _, cells in rows[1:])
