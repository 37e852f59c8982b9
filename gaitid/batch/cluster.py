"""Trials that a Dask cluster works on: `run_cluster`. Needs the extra ``distributed``; only --scheduler loads it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from multiprocessing import current_process
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, Future, KilledWorker, Security, WorkerPlugin, as_completed, get_worker, rpc

from gaitid.batch.job import CRASHED, Job, Outcome, run_job
from gaitid.batch.local import Worker, wait_for
from gaitid.batch.results_folder import FOLDER, writing
from gaitid.disk.atomic import put_all
from gaitid.errors import GaitidError
from gaitid.version import __version__

# What a scheduler on a network that works needs to answer, s; and a worker, to join.
ANSWER_S = 10.0


def check_cluster(address: str) -> None:
    """Refuse a cluster that cannot make the same bytes as this process, before anything is written.

    Parameters
    ----------
    address : str
        Of a Dask scheduler, for example ``tcp://10.0.0.5:8786``.

    Raises
    ------
    GaitidError
        No scheduler answers or no worker joins within `ANSWER_S`; gaitid or numpy of a worker is absent or another.
    """
    with _connected(address) as client:
        try:
            client.wait_for_workers(1, timeout=ANSWER_S)
        except TimeoutError:
            todo = "start workers first (dask worker ADDRESS)"
            raise GaitidError(f"{address}: no worker within {ANSWER_S:g} s", todo=todo) from None
        try:
            versions = client.run(_versions)
        except Exception as error:  # what a worker that lacks gaitid, or its distributed, makes of the question
            todo = f"install {_versions()} for the workers"
            raise GaitidError(f"{address}: a worker cannot load gaitid ({_line(error)})", todo=todo) from None
    for worker, version in sorted(versions.items()):
        if version != _versions():
            raise _other_version(worker, version, _versions())


def run_cluster(
    jobs: Sequence[Job], address: str, output: Path, *, time_limit_s: float = 120.0, memory_bytes: int = 0
) -> Generator[Outcome, None, None]:
    """Work on jobs in a Dask cluster whose workers see the same folders under the same names.

    Each thread of a Dask worker has one process of its own for trials, watched as `run_local` watches: what crashes
    it or takes too long costs one trial, and the worker lives on. Dask gives the trials of a lost worker to another.
    One that was on more lost workers than ``distributed.scheduler.allowed-failures`` (3) is tried alone at the end,
    and has crashed if that happens again.

    Parameters
    ----------
    jobs : sequence of Job
    address : str
    output : Path
        Folder of all results, which exists.
    time_limit_s, memory_bytes
        Of each trial's process, as for `run_local`. Waiting for a worker does not count.

    Yields
    ------
    Outcome
        One for each job, as they come.

    Raises
    ------
    GaitidError
        The scheduler is lost, or a worker has other versions or does not see `output`.
    """
    # Named like a file aside: the next batch takes it away if this process is killed.
    mark = output.absolute() / FOLDER / f".cluster.{os.getpid()}.{time.time_ns()}.part"
    with writing(output):
        put_all(mark.parent, {mark.name: ""})
    try:
        with _connected(address) as client:
            yield from _run(client, jobs, Trials(mark, Path.cwd(), time_limit_s, memory_bytes))
    finally:
        mark.unlink(missing_ok=True)


def _run(client: Client, jobs: Sequence[Job], trials: Trials) -> Generator[Outcome, None, None]:
    """The outcomes as they come; jobs that Dask gave up are tried again at the end, each alone."""
    client.register_plugin(trials, name=trials.name)
    try:
        suspects = []
        with contextlib.closing(_round(client, jobs, trials)) as coming:
            for job, outcome in coming:
                if outcome is None:
                    suspects.append(job)
                else:
                    yield outcome
        # alone, so that a trial that only waited on a worker which another one ended is not blamed
        for suspect in suspects:
            with contextlib.closing(_round(client, [suspect], trials)) as coming:
                for job, outcome in coming:
                    yield outcome or Outcome(job.name, CRASHED, "every Dask worker that worked on it was lost")
    finally:
        with contextlib.suppress(Exception):  # of a scheduler that is gone
            client.unregister_worker_plugin(trials.name)


def _round(client: Client, jobs: Sequence[Job], trials: Trials) -> Generator[tuple[Job, Outcome | None], None, None]:
    """Each job with its outcome; None where Dask gave it up, because it lost too many workers that held it."""
    futures = client.map(partial(_work, trials.name), jobs, key=trials.name, pure=False)
    waiting = dict(zip(futures, jobs, strict=True))
    try:
        for future in as_completed(futures, loop=client.loop):
            outcome = _outcome_of(future, waiting[future], client.scheduler.address)
            job = waiting.pop(future)
            # at once: an outcome that is still wanted is made again when the worker that keeps it is lost
            future.release()
            yield job, outcome
    finally:
        with contextlib.suppress(Exception):
            client.cancel(list(waiting), force=True)


def _outcome_of(future: Future, job: Job, address: str) -> Outcome | None:
    """The outcome of a job; None where too many workers that held it were lost."""
    try:
        outcome: Outcome = future.result()
        return outcome
    except KilledWorker:
        return None
    except GaitidError:
        raise
    except Exception as error:
        if future.cancelled():
            raise GaitidError(f"{address}: the scheduler was lost", todo="go on with --resume") from None
        return Outcome(job.name, CRASHED, f"its Dask worker failed ({_line(error)})")


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Client]:
    for name in ("distributed", "distributed.client"):  # what matters of their logs becomes one line of an error
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # asked first: a client that meets something else than a scheduler waits for it without end
        kind = asyncio.run(_kind(address))
        if kind != "Scheduler":
            raise ValueError(f"a {kind.lower()} does")
        client = Client(address, timeout=ANSWER_S, set_as_default=False, name="gaitid")
    except Exception as error:  # of addresses, networks and protocols
        reason = f" ({error})" if str(error) else ""
        wrong = f"--scheduler {address}: no Dask scheduler answers within {ANSWER_S:g} s{reason}"
        raise GaitidError(wrong, todo="check the address") from None
    with client:
        yield client


async def _kind(address: str) -> str:
    """What the server at an address is: ``Scheduler``, ``Worker``, …"""
    async with asyncio.timeout(ANSWER_S):
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=ANSWER_S, connection_args=arguments) as server:
            return str((await server.identity())["type"])


def _versions() -> str:
    """The versions that decide the last digit of a result."""
    return f"gaitid {__version__} and numpy {np.__version__}"


def _other_version(worker: str, version: str, expected: str) -> GaitidError:
    todo = "install the same for all"
    return GaitidError(f"Dask worker {worker}: another version", expected=expected, found=version, todo=todo)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


# --- on the workers of the cluster --------------------------------------------------------------------------


def _work(name: str, job: Job) -> Outcome:
    """A task of Dask: one trial."""
    worker = get_worker()
    trials: Trials = worker.plugins[name]
    return trials.outcome(worker.address, worker.get_current_task(), job)


class Trials(WorkerPlugin):  # type: ignore[misc]
    """One batch on one Dask worker: the processes that its trials are worked on in.

    Parameters
    ----------
    mark : Path
        A file that the batch has put into its folder: who sees it sees the folder.
    folder : Path
        In which relative paths begin.
    time_limit_s, memory_bytes
        See `run_cluster`.
    """

    def __init__(self, mark: Path, folder: Path, time_limit_s: float, memory_bytes: int) -> None:
        self.name = f"gaitid{mark.suffixes[-2]}"
        self.mark, self.folder, self.time_limit_s, self.memory_bytes = mark, folder, time_limit_s, memory_bytes
        self.versions = _versions()

    def setup(self, worker: Any) -> None:
        # a Dask nanny starts its worker as a daemon, which could not have processes of its own
        current_process().daemon = False
        # as `gaitid.cli` does: one thread gives the same last digit on every machine
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        self.checked = False
        self.idle: list[Worker] = []
        self.busy: dict[Any, Worker] = {}

    def teardown(self, worker: Any) -> None:
        workers = [*self.idle, *self.busy.values()]
        for each in workers:
            each.stop()
        for each in workers:
            each.join()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """A trial that nobody waits for any more (Ctrl-C, or the batch was killed) is not worked on any longer."""
        if (start, finish) == ("executing", "released") and key in self.busy:
            self.busy[key].stop()

    def outcome(self, address: str, key: Any, job: Job) -> Outcome:
        """The outcome of one trial, from a process that has done others before if there is one."""
        self.check(address)
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = Worker(partial(_in_folder, self.folder), self.time_limit_s, self.memory_bytes)
        self.busy[key] = worker
        try:
            worker.start(job)
            outcome = None
            while outcome is None:
                wait_for([worker])
                outcome = worker.poll()
        finally:
            del self.busy[key]
        if worker.ended:
            worker.kill()
        else:
            self.idle.append(worker)
        return outcome

    def check(self, address: str) -> None:
        """Refuse, once, a worker that has other versions (one that joined late) or does not see the batch's folder."""
        if self.checked:
            return
        if self.versions != _versions():
            raise _other_version(address, _versions(), self.versions)
        if not self.mark.is_file() or not self.folder.is_dir():
            unseen = self.folder if self.mark.is_file() else self.mark.parent.parent
            todo = "use a file system that all workers share, under the same name"
            raise GaitidError(f"Dask worker {address}: does not see {unseen}", todo=todo)
        self.checked = True


def _in_folder(folder: Path, job: Job) -> Outcome:
    """The outcome of a job in the folder where its relative paths begin, so that records name files as the user did."""
    os.chdir(folder)
    return run_job(job)
