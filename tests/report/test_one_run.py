"""A result whose files were cut, emptied, edited or exchanged is refused in one line; nothing is drawn of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gaitid.cli.run import run_command as command
from gaitid.errors import GaitidError
from gaitid.report import write_report
from gaitid.report.gathering import load_result
from gaitid.simulate.files import simulate

Lines = Callable[[list[str]], list[str]]


def ran(folder: Path, scenario: str) -> Path:
    simulate(scenario, folder, duration=2.5)
    (folder / f"{scenario}.c3d").replace(folder / "walk.c3d")
    words = [folder / "walk.c3d", "--static", folder / "static.c3d", "--model", "pig", "-o", folder / "results"]
    assert command.main([*map(str, words), "--quiet"], standalone_mode=False) == 0
    return folder / "results"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ran(tmp_path_factory.mktemp("made"), "walk")


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run, as long as the walk."""
    return ran(tmp_path_factory.mktemp("others"), "run")


@pytest.fixture
def record(made: Path, tmp_path: Path) -> Path:
    """The run.json of a copy, to be spoiled."""
    return shutil.copytree(made, tmp_path / "results") / "walk.run.json"


def beside(record: Path, table: str) -> Path:
    return record.with_name(f"walk.{table}.csv")


def refused(record: Path) -> str:
    page = record.with_name("page.html")
    with pytest.raises(GaitidError) as caught:
        write_report([record], page)
    line = caught.value.line()
    assert "\n" not in line and len(line) < 600 and not page.exists()
    return line


def edit(path: Path, change: Lines) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(change(lines)) + "\n", encoding="utf-8")


def test_what_run_wrote_is_read(record: Path) -> None:
    assert {side: len(cycles) for side, cycles in load_result(record).cycles.items()} == {"left": 1, "right": 2}


@pytest.mark.parametrize("table", ["cycles", "features", "spatiotemporal", "joints", "run"])
def test_files_of_another_walk(record: Path, others: Path, table: str) -> None:
    name = "walk.run.json" if table == "run" else f"walk.{table}.csv"
    shutil.copy(others / name, record.with_name(name))
    if table == "joints":
        shutil.copy(others / "walk.wrenches.csv", beside(record, "wrenches"))
    assert "not whole, or of another run" in refused(record)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[:50] + lines[150:], "expected the same features of each cycle; found 1"),
        (lambda lines: lines[:1], "found left 1 in one of them"),
        (lambda lines: [line.replace("left,1,", "left,2,") for line in lines], "in one of them"),
        (
            lambda lines: [
                ",".join([*line.split(",")[:3], "99.5", *line.split(",")[4:]]) if "_at_strike" in line else line
                for line in lines
            ],
            "is not of it",
        ),
    ],
)
def test_damaged_features(record: Path, change: Lines, words: str) -> None:
    edit(beside(record, "features"), change)
    assert words in refused(record)


def change_of(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Put a value in place of what stands at `a.b`; the end of a name is its own key."""

    def change(content: dict[str, Any]) -> None:
        *above, last = key.split(".")
        for name in above:
            content = content[name]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("quality", 7, "quality: not an object"),
        ("verdict", 1, "verdict: not an object"),
        ("verdict.left", None, "verdict.left: unknown"),
        ("schema", "2", "schema: not one of gaitid"),
        ("schema", 1, "schema: not one of gaitid"),
        ("schema", 10**4000, "written by a newer gaitid"),
        ("subject.mass.value", 1e308, "subject.mass: impossible"),
        ("subject.mass.value", "heavy", "subject.mass: not a number"),
        ("trial.frames", 10**40, "as its run.json says"),
        ("warnings", ["a text"], "warnings, entry 1: not an object"),
        (
            "impacts",
            [{"side": "left", "first_frame": "x", "last_frame": 3}],
            "entry 1, first_frame: not a whole number",
        ),
    ],
)
def test_a_record_that_run_does_not_write(record: Path, key: str, value: object, words: str) -> None:
    content = json.loads(record.read_text(encoding="utf-8"))
    change_of(key, value)(content)
    record.write_text(json.dumps(content), encoding="utf-8")
    assert words in refused(record)
