"""Errors that no command foresees: each is one line that says what the system said."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest
from terminal import Done, assert_refused, gaitid

from gaitid.cli.common import group

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="limits are set by the shell")


def shell(line: str, folder: Path) -> Done:
    """A line of sh in which `gaitid` is this one."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    own = f'gaitid() {{ {quote(sys.executable)} -m gaitid "$@"; }}; '
    done = subprocess.run(["sh", "-c", own + line], cwd=folder, env=env, capture_output=True, text=True)
    return Done(done.returncode, done.stdout, done.stderr)


def fails(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Done:
    """The entry point where the command ends with an error."""

    def fail(**options: object) -> int:
        raise error

    monkeypatch.setattr(group, "main", fail)
    return gaitid("models", "list")


def test_an_error_of_the_system_in_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    assert_refused(fails(monkeypatch, error), "gaitid: the system refused (Too many open files)")
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert_refused(fails(monkeypatch, error), "gaitid: the system refused (No space left on device)")
    error = OSError(errno.EACCES, os.strerror(errno.EACCES), "some.file")
    assert_refused(fails(monkeypatch, error), "gaitid: some.file: cannot be used (Permission denied)")


@posix
def test_a_pipe_that_is_full_is_stdout(tmp_path: Path) -> None:
    """A reader that lets go of nothing, and a stdout that does not wait."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    try:
        while True:
            os.write(theirs, b" " * 4096)
    except BlockingIOError:
        pass
    words = [sys.executable, "-m", "gaitid", "models", "schema"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=env, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 1
    assert done.stderr.startswith("gaitid: cannot write to the standard output (")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "offered"),
    [("gaitid run --model pig", {"pig", "pig_vicon"}), ("gaitid cal", {"calibrate"}), ("gaitid run walk", {"walk"})],
)
def test_a_shell_is_offered_commands_models_and_files(line: str, offered: set[str]) -> None:
    words = line.split()
    asked = {"_GAITID_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    code = "import gaitid.cli; gaitid.cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **asked}
    )
    assert {answer.partition(",")[2] for answer in done.stdout.split()} == offered
