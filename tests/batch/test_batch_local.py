"""Processes that die, hang or eat memory cost one trial each."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import works

from gaitid.batch.job import CRASHED, DONE, TIMEOUT, Outcome
from gaitid.batch.local import run_local


def outcomes(names: Sequence[str], n: int = 2, **options: Any) -> dict[str, Outcome]:
    return {o.trial: o for o in run_local([works.job(name) for name in names], n, **{"work": works.by_name} | options)}


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
