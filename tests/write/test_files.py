"""Files are whole or absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gaitid.errors import WriteError
from gaitid.write.files import write_all


def test_writes_into_a_folder_that_it_makes(tmp_path: Path) -> None:
    paths = write_all(tmp_path / "a" / "b", {"one.csv": "µ\n", "two.csv": ""})
    assert [p.name for p in paths] == ["one.csv", "two.csv"]
    assert (tmp_path / "a" / "b" / "one.csv").read_bytes() == "µ\n".encode()
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == ["one.csv", "two.csv"]


def test_replaces_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("old and longer")
    write_all(tmp_path, {"one.csv": "new"})
    assert (tmp_path / "one.csv").read_text() == "new"


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(WriteError, match="cannot write to"):
        write_all(tmp_path / "taken", {"one.csv": "1"})
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_failure_leaves_no_part_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.csv").write_text("old")
    real = Path.write_text

    def full_disk(self: Path, text: str, **options: str) -> int:
        if "two" in self.name:
            real(self, text[:1], **options)
            raise OSError(28, "No space left on device")
        return real(self, text, **options)

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(WriteError, match="No space left"):
        write_all(tmp_path, {"one.csv": "new", "two.csv": "new"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"one.csv": "old"}


def test_an_interruption_leaves_no_part_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: object, target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_all(tmp_path, {"one.csv": "new"})
    assert list(tmp_path.iterdir()) == []
