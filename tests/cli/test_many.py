"""Many trials in one command: a line each and a sum, and a line of progress on a terminal."""

from __future__ import annotations

import io
import shutil
import sys
import time
from pathlib import Path

import click
import pytest
from terminal import gaitid

from gaitid.cli import common
from gaitid.cli.streams import print_stderr
from gaitid.cli.summary import FEW


@pytest.fixture
def many(walk: Path, tmp_path: Path) -> list[Path]:
    trials = []
    for i in range(FEW + 1):
        (tmp_path / f"s{i}").mkdir()
        trials.append(Path(shutil.copy(walk, tmp_path / f"s{i}")))
    return trials


def test_run_says_a_line_of_each_and_a_sum(many: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out" / "{parent}"
    done = gaitid("run", *many, tmp_path / "absent.c3d", "--model", "pig", "-o", out)
    assert done.code == 1
    of_trials = [line for line in done.lines if f"{many[0].parent.parent}/s" in line]
    assert len(of_trials) == len(many)
    assert of_trials[0].startswith(f"gaitid: {many[0]}: ")
    assert "; model pig; " in of_trials[0] and of_trials[0].endswith("/s0/walk.*")
    assert f"{len(many) + 1} trials: " in done.err and "1 refused" in done.err
    assert len(done.lines) <= len(many) + 3
    whole = gaitid("run", *many, "--model", "pig", "-o", out, "-v")
    assert len(whole.lines) > 3 * len(many)
    assert gaitid("run", *many, "--model", "pig", "-o", out, "-q").err == ""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_line_that_other_lines_replace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "AFTER_S", 0.02)
    monkeypatch.setattr(common, "EVERY_S", 0.02)
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with click.Context(click.Command("run")), common.Progress(40) as shown:
        shown.at("a/walk.c3d")
        end = time.monotonic() + 10
        while "walk" not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        print_stderr("gaitid: a line")
    text = terminal.getvalue()
    assert "\r[1/40] a/walk.c3d, 0 s\x1b[K" in text
    assert "\r\x1b[Kgaitid: a line\n" in text
    assert text.endswith("\r\x1b[K") or text.endswith("a line\n")
