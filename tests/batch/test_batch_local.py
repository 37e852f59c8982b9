"""Processes that die, hang or eat memory cost one trial each."""

from __future__ import annotations

import fcntl
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import works

from gaitid.batch import job as jobs
from gaitid.batch import local
from gaitid.batch.job import CRASHED, DONE, TIMEOUT, Outcome
from gaitid.batch.local import run_local


def outcomes(names: Sequence[str], n: int = 2, **options: Any) -> dict[str, Outcome]:
    return {o.trial: o for o in run_local([works.job(name) for name in names], n, **{"work": works.by_name} | options)}


def test_every_job_has_one_outcome() -> None:
    names = [f"walk{i}" for i in range(30)]
    found = [o.trial for o in run_local([works.job(name) for name in names], 2, work=works.by_name)]
    assert sorted(found) == sorted(names)


def test_no_jobs() -> None:
    assert outcomes([]) == {}


@pytest.mark.parametrize("n", [1, 2])
def test_a_crash_costs_one_trial(n: int) -> None:
    """Another process takes its place, with one worker too."""
    found = outcomes(["a", "crash1", "b", "exit1", "c"], n)
    expected = {"a": DONE, "crash1": CRASHED, "b": DONE, "exit1": CRASHED, "c": DONE}
    assert {name: o.status for name, o in found.items()} == expected
    assert found["crash1"].reason == "its process was ended by SIGSEGV"
    assert found["exit1"].reason == "its process ended (exit code 3)"


def test_a_trial_that_hangs_is_given_up() -> None:
    start = time.monotonic()
    found = outcomes(["hang1", "a", "b"], 1, time_limit_s=1.0)
    assert {name: o.status for name, o in found.items()} == {"hang1": TIMEOUT, "a": DONE, "b": DONE}
    assert found["hang1"].reason == "given up after 1 s"
    assert time.monotonic() - start < 60  # s: of 600 that it would have slept, on a busy machine


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only Linux holds a process to its address space")
def test_memory_is_limited() -> None:
    """8 GiB in 2 GiB: by `MemoryError` here, which `run_job` turns into a refusal; the process ends, others go on."""
    found = outcomes(["memory1", "a"], 1, memory_bytes=2 * 2**30)
    assert found["memory1"].status == CRASHED
    assert found["a"].status == DONE


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ImportError("lib.so: failed to map segment from shared object"), "not enough memory"),
        (MemoryError(), "not enough memory"),
        (ImportError("No module named 'x'"), "internal error (ImportError: No module named 'x')"),
    ],
)
def test_a_library_without_room(error: Exception, reason: str, one_walk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loaded only when it is needed meets the limit of memory too."""

    def no_room(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(jobs, "run_file", no_room)
    outcome = jobs.run_job(replace(works.job("walk"), trial=one_walk / "walk.c3d"))
    assert outcome.status == jobs.REFUSED
    assert outcome.reason.startswith(reason)


def test_windows_waits_for_so_many_processes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"walk{i}" for i in range(6)]
    monkeypatch.setattr(local, "_MOST_ON_WINDOWS", 1)
    assert len({o.figures["process"] for o in outcomes(names, 3).values()}) > 1
    monkeypatch.setattr(local, "sys", SimpleNamespace(platform="win32"))
    assert len({o.figures["process"] for o in outcomes(names, 3).values()}) == 1


def test_stopping_early_ends_the_processes(tmp_path: Path) -> None:
    names = [str(tmp_path / "first"), str(tmp_path / "second")]
    coming = run_local([works.job(name) for name in names], 2, work=works.lasting, time_limit_s=1.5)
    assert next(coming).status == TIMEOUT
    processes = [int(Path(name).read_text()) for name in names if Path(name).exists()]
    coming.close()
    assert processes
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_what_a_process_inherits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It imports nothing from the current folder; what the user says of memory stays."""
    names = ["PYTHONSAFEPATH", "MALLOC_MMAP_THRESHOLD_"]
    monkeypatch.delenv(names[0], raising=False)
    monkeypatch.setenv(names[1], "1000000")
    before = dict(os.environ)
    (outcome,) = outcomes(["+".join(names)], work=works.environment).values()
    assert outcome.warnings == ("1", "1000000")
    assert dict(os.environ) == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_what_a_process_does_not_inherit(tmp_path: Path) -> None:
    """No open file, of two workers none of the other's connection, no handler; of signals it blocks Ctrl-C."""
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with (tmp_path / "lock").open("w"):
            found = outcomes(["a", "b"], work=works.surroundings)
    finally:
        signal.signal(signal.SIGUSR1, before)
    pipes = ["pipe"] * 3  # to and from the parent, and to what Python watches new processes with
    expected = (str(["/dev/null", *pipes, "socket"]), "['SIGTERM']", "['SIGINT']")
    assert {o.warnings for o in found.values()} == {expected}


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are told nothing")
def test_memory_that_a_trial_leaves_is_kept_for_the_next() -> None:
    """Else 30 MB are asked for again in 7,680 pages of 4 kB."""
    assert outcomes(["a"], work=works.faults_of_pages)["a"].figures["faults"] < 800


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no kill")
def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    """Both of two: neither keeps the other's connection, nor a file that the parent has locked."""
    names = [str(tmp_path / "first"), str(tmp_path / "second")]
    code = (
        "import fcntl, works; from gaitid.batch.local import run_local\n"
        "if __name__ == '__main__':\n"
        f"    lock = open({str(tmp_path / 'lock')!r}, 'w'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
        f"    list(run_local([works.job(name) for name in {names!r}], 2, work=works.lasting))"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, "-c", code], env=environment)
    while not all(Path(name).exists() and Path(name).read_text() for name in names):
        assert parent.poll() is None
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    end = time.monotonic() + 30
    for process in (int(Path(name).read_text()) for name in names):
        while not works.is_gone(process):
            assert time.monotonic() < end
            time.sleep(0.01)
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
