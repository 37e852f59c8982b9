"""Processes that die, hang or eat memory cost one trial each."""

from __future__ import annotations

import os
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
    return {o.trial: o for o in run_local([works.job(name) for name in names], n, work=works.by_name, **options)}


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
    found = outcomes(["hang1", "a", "b"], 1, time_limit_s=3.0)
    assert {name: o.status for name, o in found.items()} == {"hang1": TIMEOUT, "a": DONE, "b": DONE}
    assert found["hang1"].reason == "given up after 3 s"
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
    coming = run_local([works.job(name) for name in names], 2, work=works.lasting, time_limit_s=4.0)
    assert next(coming).status == TIMEOUT
    processes = [int(Path(name).read_text()) for name in names if Path(name).exists()]
    coming.close()
    assert processes
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_what_a_process_inherits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It imports nothing from the current folder and keeps freed memory; what the user says of memory stays."""
    names = ["PYTHONSAFEPATH", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"]
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "1000000")
    before = dict(os.environ)
    (outcome,) = run_local([works.job("+".join(names))], work=works.environment)
    assert outcome.warnings == ("1", str(64 * 2**20), "1000000")
    assert dict(os.environ) == before
