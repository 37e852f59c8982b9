"""Files are whole or absent."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaitid.disk.atomic import write_all
from gaitid.errors import WriteError


def test_a_failure_leaves_no_part_behind(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("old")

    def until_the_disk_is_full() -> Iterator[str]:
        yield "n"
        raise OSError(28, "No space left on device")

    with pytest.raises(WriteError, match="No space left"):
        write_all(tmp_path, {"one.csv": "new", "two.csv": until_the_disk_is_full()})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"one.csv": "old"}


def test_an_interruption_leaves_no_part_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: object, target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_all(tmp_path, {"one.csv": "new"})
    assert list(tmp_path.iterdir()) == []


def content(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in folder.iterdir() if p.is_file()}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("at", ["one.csv", "two.csv", "three.csv"])
def test_a_failure_while_renaming_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, links: bool, at: str
) -> None:
    (tmp_path / "one.csv").write_text("old")
    (tmp_path / "three.csv").write_text("old too")
    real = os.replace

    def fails(source: Path, target: Path) -> None:
        if target.name == at and source.suffix == ".part":
            raise error
        real(source, target)

    def no_link(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", fails)
    if not links:
        monkeypatch.setattr(os, "link", no_link)
    with pytest.raises((WriteError, KeyboardInterrupt)):
        write_all(tmp_path, {"one.csv": "new", "two.csv": "new", "three.csv": "new"})
    assert content(tmp_path) == {"one.csv": "old", "three.csv": "old too"}


def test_a_folder_of_a_files_name_is_refused_before_any_rename(tmp_path: Path) -> None:
    (tmp_path / "two.csv").mkdir()
    with pytest.raises(WriteError, match="two.csv is a folder"):
        write_all(tmp_path, {"one.csv": "1", "two.csv": "2"})
    assert [p.name for p in tmp_path.iterdir()] == ["two.csv"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_all_files_are_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    real, came, before = os.replace, [], signal.getsignal(number)
    signal.signal(number, lambda n, _: came.append((n, content(tmp_path))))

    def interrupted(source: Path, target: Path) -> None:
        signal.raise_signal(number)
        real(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    (tmp_path / "one.csv").write_text("old")
    try:
        write_all(tmp_path, {"one.csv": "1", "two.csv": "2"})
    finally:
        signal.signal(number, before)
    assert came == [(number, {"one.csv": "1", "two.csv": "2"})]
