"""The pages point at what is there: every link to a file, and to a heading of it; each has its place on the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def headings(text: str) -> Iterator[str]:
    """Of a page, in order; what stands in a block of code is none."""
    in_code = False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        if not in_code and (found := re.match(r"#{1,6} (.*)", line)):
            yield found[1]


def anchors(text: str) -> set[str]:
    """By which a page's headings are found, as GitHub makes them: the second of one name ends in ``-1``."""
    found: list[str] = []
    for heading in headings(text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.append(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return {f"{name}-{n}" if (n := found[:i].count(name)) else name for i, name in enumerate(found)}


@cache
def anchors_of(path: Path) -> set[str]:
    return anchors(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), link
        assert not anchor or anchor in anchors_of(file), link


def in_navigation(entry: Any) -> Iterator[str]:
    """The pages of mkdocs.yml's navigation, in its order."""
    if isinstance(entry, str):
        yield entry
    else:
        for below in entry if isinstance(entry, list) else entry.values():
            yield from in_navigation(below)


def test_each_page_stands_once_in_the_navigation_of_the_site() -> None:
    pages = list(in_navigation(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    # made from other files by docs/site_hooks.py
    there = {page.name for page in (ROOT / "docs").glob("*.md")} | {"notebook.md", "CHANGELOG.md"}
    assert sorted(pages) == sorted(there), "give the new page of docs/ its place under `nav` in mkdocs.yml"
