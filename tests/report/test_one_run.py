"""A result whose files were cut, emptied, edited or exchanged is refused in one line; nothing is drawn of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gaitid.cli.run import command
from gaitid.errors import GaitidError
from gaitid.report import write_report
from gaitid.report.result import load_result
from gaitid.simulate.files import simulate
from gaitid.write import TABLES, WRITE

RELEASE = Path(__file__).resolve().parents[1] / "records" / "0.1.0"
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


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a walk with the same frames and cycles, on crossing feet."""
    return ran(tmp_path_factory.mktemp("alike"), "crossing")


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
    assert load_result(RELEASE / "walk.run.json").features == ()  # 0.1.0 wrote none


@pytest.mark.parametrize("table", [table for table in TABLES if table not in WRITE])
def test_every_table_is_there(record: Path, table: str) -> None:
    beside(record, table).unlink()
    assert f"walk.run.json: walk.{table}.csv missing beside it" in refused(record)


def test_every_column_is_there(record: Path) -> None:
    edit(beside(record, "joints"), lambda lines: [line.rpartition(",")[0] for line in lines])
    assert "walk.joints.csv: columns missing: right_ankle_power_W_per_kg; expected every column" in refused(record)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda lines: lines[:60],
            "its cycles are not whole; expected rows from 0 to 100 % in equal steps; found 59 rows",
        ),
        (lambda lines: lines[:1], "expected the cycles of walk.spatiotemporal.csv; found left 1, frames"),
        (lambda lines: lines[:102], "expected the cycles of walk.spatiotemporal.csv; found right 1, frames"),
        (lambda lines: [lines[0], *lines[1:102:2], *lines[102:]], "left and right have not the same rows"),
    ],
)
def test_cut_cycles(record: Path, change: Lines, words: str) -> None:
    edit(beside(record, "cycles"), change)
    line = refused(record)
    assert line.startswith(str(beside(record, "cycles"))) and words in line


@pytest.mark.parametrize("table", ["cycles", "features", "spatiotemporal", "joints", "run"])
def test_files_of_another_walk(record: Path, others: Path, table: str) -> None:
    name = "walk.run.json" if table == "run" else f"walk.{table}.csv"
    shutil.copy(others / name, record.with_name(name))
    if table == "joints":
        shutil.copy(others / "walk.wrenches.csv", beside(record, "wrenches"))
    assert "not whole, or of another run" in refused(record)


@pytest.mark.parametrize("table", ["cycles", "features", "joints"])
def test_files_of_a_walk_with_the_same_cycles(record: Path, alike: Path, table: str) -> None:
    strides = [path.with_name("walk.spatiotemporal.csv").read_text().splitlines() for path in (record, alike / "x")]
    ours, theirs = ([line.split(",")[:4] for line in lines] for lines in strides)
    assert ours == theirs
    shutil.copy(alike / f"walk.{table}.csv", record.parent)
    line = refused(record)
    words = "features of the cycles" if table == "features" else "expected the angles of walk.joints.csv; found left 1,"
    assert words in line


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


def test_frames_that_are_missing_at_the_end(record: Path) -> None:
    for table in ("joints", "wrenches"):
        edit(beside(record, table), lambda lines: lines[:-20])
    assert "as its run.json says" in refused(record)


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
        ("impacts", 5, "impacts: not a list"),
        ("verdict", 1, "verdict: not an object"),
        (
            "verdict.trial",
            "splendid",
            "verdict.trial: unknown; expected good or usable or do not use; found 'splendid'",
        ),
        ("verdict.left", None, "verdict.left: unknown"),
        ("schema", 99, "written by a newer gaitid; expected schema 2 or before; found schema 99"),
        ("schema", "2", "schema: not one of gaitid"),
        ("schema", True, "schema: not one of gaitid"),
        ("schema", 10**4000, "written by a newer gaitid"),
        ("subject.mass.value", -5, "subject.mass: impossible"),
        ("subject.mass.value", 1e308, "subject.mass: impossible"),
        ("subject.mass.value", float("nan"), "subject.mass.value: not a number"),
        ("subject.mass.value", "heavy", "subject.mass: not a number"),
        ("subject.mass", 70, "subject.mass: not an object"),
        ("trial.frames", 10**40, "as its run.json says"),
        ("trial.camera_rate_hz", 0, "trial: impossible"),
        ("warnings", ["a text"], "warnings, entry 1: not an object"),
        ("warnings", [{"severity": "doubt", "code": "c"}], "warnings, entry 1, text: not a text"),
        (
            "impacts",
            [{"side": "left", "first_frame": "x", "last_frame": 3}],
            "entry 1, first_frame: not a whole number",
        ),
        ("events.used", [{"time_s": None}], "events.used, entry 1, time_s: not a number"),
    ],
)
def test_a_record_that_run_does_not_write(record: Path, key: str, value: object, words: str) -> None:
    content = json.loads(record.read_text(encoding="utf-8"))
    change_of(key, value)(content)
    record.write_text(json.dumps(content), encoding="utf-8")
    assert words in refused(record)


@pytest.mark.parametrize("key", ["warnings", "schema", "impacts", "verdict", "quality", "trial"])
def test_a_key_that_is_gone(record: Path, key: str) -> None:
    content = json.loads(record.read_text(encoding="utf-8"))
    del content[key]
    record.write_text(json.dumps(content), encoding="utf-8")
    assert f"walk.run.json: without {key};" in refused(record)


def test_what_is_not_known_of_the_subject_is_not_said(record: Path) -> None:
    content = json.loads(record.read_text(encoding="utf-8"))
    for name in content["subject"]:
        content["subject"][name]["value"] = None
    record.write_text(json.dumps(content), encoding="utf-8")
    page = write_report([record], record.with_name("page.html")).read_text(encoding="utf-8")
    assert ">None" not in page and "None kg" not in page and "None m" not in page
    assert "mass" not in load_result(record).record["subject"]  # type: ignore[operator]


def test_keys_that_came_later_are_skipped(record: Path) -> None:
    content = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**content, "brand_new": [1]}), encoding="utf-8")
    assert np.isfinite(load_result(record).time_s).all()


def test_stances_that_are_cut_or_not_of_the_contacts(others: Path, tmp_path: Path) -> None:
    record = shutil.copytree(others, tmp_path / "results") / "walk.run.json"
    stances = beside(record, "stances")
    whole = stances.read_text(encoding="utf-8")
    assert set(load_result(record).stances) == {"left", "right"}
    edit(stances, lambda lines: lines[:60])
    assert "walk.stances.csv: its cycles are not whole" in refused(record)
    stances.write_text(whole.replace("\nleft,1,", "\nleft,2,"), encoding="utf-8")
    assert "expected stances of walk.contacts.csv; found left 2" in refused(record)
