"""`gaitid export` as typed: folders, exit codes, lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gaitid.cli.export import command
from gaitid.export import FORMATS


def typed(*words: object) -> tuple[int, list[str]]:
    done = CliRunner().invoke(command, [str(word) for word in words], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value), done.output.splitlines()


def test_a_bad_result_does_not_stop_the_others(record: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(record.parent, results / "good")
    (results / "bad").mkdir(parents=True)
    (results / "bad" / "walk.run.json").write_text("{}", "utf-8")
    code, lines = typed(results, "--to", "long", "--to", "mat", "-o", tmp_path / "out")
    assert code == 1
    assert sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")) == [
        "good/walk.long.csv",
        "good/walk.mat",
    ]
    assert len(lines) == 5
    assert "not a run.json of gaitid" in lines[0]
    assert lines[-1] == "gaitid: 2 of 4 exports were refused"


def test_a_damaged_table_is_named_once(record: Path, tmp_path: Path) -> None:
    shutil.copytree(record.parent, tmp_path / "bad")
    table = tmp_path / "bad" / "walk.joints.csv"
    table.write_text(table.read_text(encoding="utf-8")[:9000], encoding="utf-8")
    code, lines = typed(tmp_path / "bad" / record.name, "--to", "long", "-o", tmp_path / "out")
    assert code == 1 and len(lines) == 1
    assert lines[0].startswith(f"gaitid: {table}: line ") and lines[0].count("bad") == 1


def test_two_results_of_one_name(record: Path, tmp_path: Path) -> None:
    shutil.copytree(record.parent, tmp_path / "other")
    with pytest.raises(click.UsageError, match="would be the same files"):
        typed(record, tmp_path / "other" / record.name, "--to", "long", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_quiet_is_quiet(record: Path, tmp_path: Path) -> None:
    assert typed(record, "--to", "long", "-o", tmp_path, "--quiet") == (0, [])


@pytest.mark.parametrize("words", [["--to", "doc"], [], ["--to", "long"]])
def test_wrong_usage(record: Path, words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        typed(record, *words)


def test_the_result_itself_is_never_overwritten(record: Path, tmp_path: Path) -> None:
    """Also by way of a link."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "walk.long.csv").symlink_to(record.with_name("walk.joints.csv"))
    before = record.with_name("walk.joints.csv").read_bytes()
    code, lines = typed(record, "--to", "long", "-o", tmp_path / "out")
    assert code == 1
    assert "would be overwritten" in lines[0]
    assert record.with_name("walk.joints.csv").read_bytes() == before


def test_what_is_not_there_does_not_stop_the_others(record: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    words = (tmp_path / "gone.run.json", tmp_path / "empty", record, record)
    code, lines = typed(*words, "--to", "long", "-o", tmp_path / "out")
    assert code == 1
    assert "gone.run.json: no such file or folder" in lines[0]
    assert "no result in this folder" in lines[1]
    assert len(lines) == 4  # a result given twice is exported once
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["walk.long.csv"]


def test_the_help_names_every_format() -> None:
    code = CliRunner().invoke(command, ["--help"])
    assert code.exit_code == 0
    for name, words in FORMATS.items():
        assert f"{name:9}{words}" in code.output
    assert "Example:" in code.output
