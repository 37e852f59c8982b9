"""`gaitid export` as typed: folders, exit codes, lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gaitid.cli.results import export_command as command


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


def test_two_results_of_one_name(record: Path, tmp_path: Path) -> None:
    shutil.copytree(record.parent, tmp_path / "other")
    with pytest.raises(click.UsageError, match="would be the same files"):
        typed(record, tmp_path / "other" / record.name, "--to", "long", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


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
