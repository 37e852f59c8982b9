"""The house: few rooms, each says what it is for, and no file of one needs itself through others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "gaitid"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))

Imports = Mapping[str, frozenset[str]]


def name_of(path: Path) -> str:
    """The module's name: ``gaitid.read.length_unit``; a package's for its ``__init__``."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def room_of(name: str) -> str:
    """The room that a module stands in; empty where it stands directly under ``gaitid``."""
    _, *parts = name.split(".")
    return parts[0] if parts and parts[0] in ROOMS else ""


def imported(text: str, modules: frozenset[str]) -> Iterator[str]:
    """The modules of gaitid that a file names in an import, also one for types only or within a function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"relative import of {node.module}"
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules else node.module or "" for name in names)


@cache
def imports() -> Imports:
    """Of each module of gaitid, those that it imports."""
    files = {name_of(path): path for path in PACKAGE.rglob("*.py")}
    modules = frozenset(files)
    return {name: modules & frozenset(imported(path.read_text("utf-8"), modules)) for name, path in files.items()}


def circle(start: str, graph: Imports) -> list[str]:
    """A shortest way along imports from a module back to itself; empty where there is none."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for following in sorted(graph[way[-1]] - seen):
            if following == start:
                return [*way, start]
            seen.add(following)
            ways.append([*way, following])
    return []


@pytest.mark.parametrize("room", [*ROOMS, ""])
def test_no_circle_of_files(room: str) -> None:
    """Not within a room nor through others; without a room: the files directly under ``gaitid``."""
    inside = [name for name in imports() if room_of(name) == room]
    assert inside
    for name in inside:
        way = circle(name, imports())
        assert not way, " -> ".join(way)


def test_a_circle_is_seen() -> None:
    graph = {"a": frozenset({"b"}), "b": frozenset({"c", "d"}), "c": frozenset({"d"}), "d": frozenset({"b"})}
    assert [circle(name, graph) for name in graph] == [[], ["b", "d", "b"], ["c", "d", "b", "c"], ["d", "b", "d"]]
    modules = frozenset({"gaitid", "gaitid.disk", "gaitid.disk.atomic", "gaitid.errors"})
    text = "import numpy\nimport gaitid.errors\ndef f():\n    from gaitid.disk import atomic, other\n"
    assert list(imported(text, modules)) == ["gaitid.errors", "gaitid.disk.atomic", "gaitid.disk"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_what_it_does_not_know(room: str) -> None:
    text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8"))) or ""
    first, _, rest = text.partition("\n\n")
    assert re.match(r"[^.]+\.( |$)", first.replace("\n", " ")), "no first sentence: what comes in, what goes out"
    assert re.search(r"\b(nothing|no|not|never)\b", rest, re.IGNORECASE), "it does not say what it may not know"


def test_the_docs_name_files_that_are_there() -> None:
    root = PACKAGE.parent
    names = {path.name for folder in ("gaitid", "tests", "docs") for path in (root / folder).rglob("*.py")}
    gone = []
    for page in [root / "README.md", root / "CHANGELOG.md", *(root / "docs").rglob("*.md")]:
        text = page.read_text("utf-8")
        paths = re.findall(r"(?<![\w/.-])(?:gaitid|tests|benchmarks|configs|sample_data)/[\w/.-]*\w", text)
        gone += [f"{page.name}: {path}" for path in paths if not (root / path).exists()]
        gone += [f"{page.name}: {name}" for name in re.findall(r"`(\w+\.py)`", text) if name not in names]
    assert not gone
