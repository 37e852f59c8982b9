"""Files that take the place of others: of files only."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.disk.atomic import place_all, put_all


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(os.path.relpath(path))  # a socket's name is short


def link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


@pytest.mark.skipif(os.name != "posix", reason="pipes and sockets in folders are of POSIX")
@pytest.mark.parametrize("make", [os.mkfifo, bind, link_to_a_pipe, Path.mkdir])
def test_what_is_no_file_keeps_its_place(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "a").write_text("old")
    make(tmp_path / "b")
    before = {path.name: path.lstat().st_mode for path in tmp_path.iterdir()}
    with pytest.raises(OSError, match="b is a (folder|device, a pipe or a socket)"):
        put_all(tmp_path, {"a": "new", "b": "new"})
    (tmp_path / "aside").write_text("new")
    with pytest.raises(OSError, match="b is a (folder|device, a pipe or a socket)"):
        place_all([(tmp_path / "aside", tmp_path / "b")])
    (tmp_path / "aside").unlink()
    assert {path.name: path.lstat().st_mode for path in tmp_path.iterdir()} == before
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are links in /proc on Linux only")
def test_a_link_to_an_open_file_is_a_device(tmp_path: Path) -> None:
    """As /dev/stdout is, where the shell sends it to a file."""
    with (tmp_path / "open").open("w") as file:
        (tmp_path / "b").symlink_to(f"/proc/self/fd/{file.fileno()}")
        with pytest.raises(OSError, match="b is a device"):
            put_all(tmp_path, {"b": "new"})
    assert (tmp_path / "b").is_symlink()


@pytest.mark.parametrize("target", ["file", "nowhere", "b"])
def test_a_link_is_replaced_and_what_it_leads_to_is_not(tmp_path: Path, target: str) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "b").symlink_to(target)
    put_all(tmp_path, {"b": "new"})
    assert stat.S_ISREG((tmp_path / "b").lstat().st_mode)
    assert (tmp_path / "b").read_text() == "new"
    assert (tmp_path / "file").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "file"]
