"""docs/choices.md: its list of choices is what the models declare today, and its numbers are there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import choices

PAGE = Path(choices.PAGE).read_text(encoding="utf-8")


def part(name: str) -> str:
    begin, end = choices.marked(name)
    return PAGE.split(begin)[1].split(end)[0]


def test_the_list_is_of_these_models() -> None:
    assert part("list").strip() == choices.list_of_choices().strip(), (
        "run `python benchmarks/choices.py --write --only list`"
    )


def test_each_walk_has_its_tables_with_each_option() -> None:
    for choice, name in (("hip_centre", "hips"), ("table", "tables")):
        text = part(name)
        for walk in choices.WALKS:
            table = text.split(f"`{walk.trial}`")[1].split("\n`")[0]
            rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", table, re.MULTILINE)
            assert [label for label, _ in rows[1:]] == [label for label, _, _ in choices.options_of(walk, choice)]
            assert all(re.search(r"[+-]\d+\.\d{3}", cells) for _, cells in rows[1:])


def test_a_part_is_put_in_its_place_only() -> None:
    changed = choices.put(PAGE, "list", "new")
    assert part("list") not in changed
    assert part("hips") in changed
    assert choices.put(changed, "list", part("list").strip("\n") + "\n") == PAGE
