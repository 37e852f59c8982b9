"""Readers that fail in each way that a watched process must survive."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from worker import check_line


def hangs(kind: str, folder: Path) -> None:
    while True:
        time.sleep(1)


def crashes(kind: str, folder: Path) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def eats(kind: str, folder: Path) -> None:
    len([bytes(100_000_000) for _ in range(1000)])


def traces_back(kind: str, folder: Path) -> None:
    raise KeyError("a fault of ours")


def garbles(kind: str, folder: Path) -> None:
    check_line("a name with \x1b[2J in it")


def fails_on_a_byte(kind: str, folder: Path) -> None:
    if b"Q" in (folder / "a.csv").read_bytes():
        raise KeyError("Q")
