"""A real Dask scheduler with two workers on loopback: the same bytes as here, whoever is killed."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import works
from recordings import BROKEN, SUBJECTS, WALKS

from gaitid.errors import GaitidError

pytest.importorskip("distributed", reason="the optional library distributed is not installed")

ROOT = Path(__file__).resolve().parents[2]
TESTS = Path(__file__).resolve().parent
# Two workers may be lost with a trial before it is suspected.
# Everything runs in processes of its own, so that no warning or log of Dask is ours here.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), str(TESTS), os.environ.get("PYTHONPATH")))),
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
}
# What every process of a worker does first: with a trial named "deadly", the Dask worker ends at once; with one named
# "endless", its process says which it is and hangs.
DEADLY = """
import os, signal, time
import gaitid.batch.job as job

def run_job(one, before=job.run_job):
    if one.trial.stem == "deadly":
        os.kill(os.getppid(), signal.SIGKILL)
    if one.trial.stem == "endless":
        one.trial.with_suffix(".process").write_text(f"{os.getpid()}.")
        time.sleep(600)
    return before(one)

job.run_job = run_job
"""
ALL_DONE = f"{SUBJECTS * WALKS - len(BROKEN)} done"


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """60 s: a hundred times what it takes on a machine that does nothing else."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


class Cluster:
    """A scheduler, and workers of one thread each, in process groups of their own."""

    def __init__(self, folder: Path) -> None:
        (folder / "sitecustomize.py").write_text(DEADLY)
        self.folder, self.file = folder, folder / "scheduler.json"
        self.address = ""
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0")
        try:
            # it is there before it is written
            wait_until(lambda: self.file.exists() and self.file.read_text().rstrip().endswith("}"))
        except BaseException:
            self.close()
            raise
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, what: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(self.file)]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*words, "--no-dashboard", *options],
                env={**ENVIRONMENT, **environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=self.folder,
            )

    def add(self, *options: str, custom: Path | None = None) -> subprocess.Popen[bytes]:
        """`custom` is a folder with another ``sitecustomize.py``."""
        path = os.pathsep.join((str(custom or self.folder), ENVIRONMENT["PYTHONPATH"]))
        local = ("--local-directory", str(self.folder / "scratch"))
        worker = self.start("worker", "--nworkers", "1", "--nthreads", "1", *local, *options, PYTHONPATH=path)
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """With all that it started, at once, as a node that loses its power."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One for all tests, with two workers at the beginning of each."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(autouse=True)
def two_workers(cluster: Cluster) -> None:
    cluster.workers = [worker for worker in cluster.workers if worker.poll() is None]
    while len(cluster.workers) < 2:
        cluster.add()


def started(dataset: Path, folder: Path, *options: str) -> subprocess.Popen[str]:
    """`gaitid batch` into ``out`` of a folder, so that every record says the same path."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "gaitid", "batch", str(dataset), "--model", "pig", "-o", "out", *options],
        cwd=folder,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a shell that runs tests in the background ignores Ctrl-C for them
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


def batch(dataset: Path, folder: Path, *options: str) -> tuple[int, list[str]]:
    """Exit code, and the lines on stderr."""
    process = started(dataset, folder, *options)
    _, err = process.communicate(timeout=100)
    return process.returncode, err.splitlines()


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of ``out``, hidden ones too, with its bytes; of batch.csv all but the time, its last column."""
    top = folder / "out"
    found = {p.relative_to(top).as_posix(): p.read_bytes() for p in top.rglob("*") if p.is_file()}
    found["batch.csv"] = b"\n".join(line.rpartition(b",")[0] for line in found["batch.csv"].splitlines())
    return found


def wait_until_noted(process: subprocess.Popen[str], folder: Path, number: int) -> None:
    """So many trials are done, the batch is still at work."""
    journal = folder / "out" / ".gaitid" / "batch.jsonl"
    wait_until(lambda: process.poll() is not None or (journal.exists() and journal.read_bytes().count(b"\n") >= number))
    assert process.poll() is None, process.communicate()


@pytest.fixture(scope="module")
def undisturbed(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What processes of this machine make of the data set."""
    folder = tmp_path_factory.mktemp("undisturbed")
    code, lines = batch(dataset, folder, "-j", "2")
    assert code == 1, lines  # three are broken
    assert ALL_DONE in lines[-1]
    return folder


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_trial_only(
    cluster: Cluster, undisturbed: Path, dataset: Path, tmp_path: Path
) -> None:
    """The other one does it again, and all others: the same bytes, the three broken ones named."""
    process = started(dataset, tmp_path, "--scheduler", cluster.address)
    wait_until_noted(process, tmp_path, 8)
    kill(cluster.workers[0])
    _, err = process.communicate(timeout=100)
    lines = err.splitlines()
    assert process.returncode == 1, err
    assert tree(tmp_path) == tree(undisturbed)
    assert sum(any(f"{name}: " in line for name in BROKEN) for line in lines) == 3
    assert ALL_DONE in lines[-1]


def test_ctrl_c_and_resume(cluster: Cluster, undisturbed: Path, dataset: Path, tmp_path: Path) -> None:
    """What is done stays, nothing is half, the cluster is free for others at once."""
    process = started(dataset, tmp_path, "--scheduler", cluster.address)
    wait_until_noted(process, tmp_path, 5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert len([line for line in err.splitlines() if "interrupted; " in line]) == 1
    assert "Traceback" not in err
    assert not list((tmp_path / "out").rglob("*.part*"))
    code, lines = batch(dataset, tmp_path, "--scheduler", cluster.address, "--resume")
    assert code == 1
    assert "done before" in lines[-1]
    assert tree(tmp_path) == tree(undisturbed)


def test_a_client_that_is_killed(cluster: Cluster, dataset: Path, tmp_path: Path) -> None:
    """What it had in work ends, so that the cluster is free for the next and nobody writes into its folder."""
    trials = tmp_path / "trials"
    trials.mkdir()
    shutil.copy(dataset / "P1" / "walk1.c3d", trials / "endless.c3d")
    shutil.copy(dataset / "P1" / "static.c3d", trials)
    process, said = started(trials, tmp_path, "--scheduler", cluster.address), trials / "endless.process"
    wait_until(lambda: said.exists() and said.read_text().endswith("."))
    process.kill()
    process.communicate()
    number = int(said.read_text().removesuffix("."))
    wait_until(partial(works.is_gone, number))
    (trials / "endless.c3d").rename(trials / "walk.c3d")
    code, lines = batch(trials, tmp_path, "--scheduler", cluster.address, "-q")
    assert code == 0, lines
    assert not list((tmp_path / "out").rglob("*.part*"))


@pytest.mark.slow
def test_a_trial_that_ends_every_worker(cluster: Cluster, dataset: Path, tmp_path: Path) -> None:
    """It alone has crashed: those that waited on the same workers are done."""
    trials = tmp_path / "trials"
    shutil.copytree(dataset / "P1", trials)
    (trials / "walk1.c3d").rename(trials / "deadly.c3d")
    code, lines = batch(trials, tmp_path, "--scheduler", cluster.address)
    assert code == 1, lines
    with (tmp_path / "out" / "batch.csv").open() as file:
        rows = {Path(row["trial"]).stem: row for row in csv.DictReader(file)}
    assert {name for name, row in rows.items() if row["status"] != "done"} == {"deadly"}
    assert len(rows) == WALKS
    assert rows["deadly"]["status"] == "crashed"
    assert rows["deadly"]["reason"] == "every Dask worker that worked on it was lost"


def test_a_worker_that_does_not_see_the_folder(tmp_path: Path) -> None:
    """A mark that is in no folder is as good as one in a folder that is not shared."""
    from gaitid.batch.cluster import Trials

    trials = Trials(tmp_path / "out" / ".gaitid" / ".cluster.1.2.part", tmp_path, 1.0, 0)
    trials.checked = False
    with pytest.raises(GaitidError, match=rf"Dask worker tcp://here: does not see {tmp_path}/out; use a file system"):
        trials.check("tcp://here")
    trials.mark.parent.mkdir(parents=True)
    trials.mark.touch()
    trials.check("tcp://here")
    assert trials.checked
