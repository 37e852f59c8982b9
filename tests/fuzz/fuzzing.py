"""Broken inputs by the thousand, each read in a watched process: nothing may hang, crash, eat the memory or trace back.

Coverage guides it: an input that makes a reader run a line that no input before made it run is kept, and broken
further.
"""

from __future__ import annotations

import hashlib
import json
import random
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from inputs import broken, kinds

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
# s. A sound input takes some milliseconds under the tracer, the largest broken one below a second.
TIME_LIMIT_S = 10.0
# MB of address space, of which an interpreter with numpy takes some 400.
MEMORY_MB = 1500


@dataclass(frozen=True)
class Answer:
    """How one input ended: ``read``, ``refused``, ``fault``, ``hang`` or ``crash``; in which words; new lines run."""

    outcome: str
    words: str = ""
    new: int = 0

    @property
    def bad(self) -> bool:
        return self.outcome not in ("read", "refused")


class Worker:
    """A process that reads inputs, started anew after each that ended it."""

    def __init__(self, target: str = "", time_limit_s: float = TIME_LIMIT_S) -> None:
        self._command = [sys.executable, str(HERE / "worker.py"), str(MEMORY_MB), *([target] if target else [])]
        self._limit = time_limit_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def answer(self, kind: str, data: bytes) -> Answer:
        """What becomes of one input."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{kind} {len(data)}\n".encode() + data)
            process.stdin.flush()
        except BrokenPipeError:
            return Answer("crash", f"ended with {self._end()}")
        if not select.select([process.stdout], [], [], self._limit)[0]:
            self._end()
            return Answer("hang", f"no answer within {self._limit:g} s")
        line = process.stdout.readline()
        return Answer(**json.loads(line)) if line else Answer("crash", f"ended with {self._end()}")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            environment = {"PYTHONPATH": f"{ROOT}:{HERE}", "PATH": "", "OPENBLAS_NUM_THREADS": "1"}
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
            )
            assert self._process.stdout is not None
            # the time limit is of an answer, not of loading the interpreter from a cold disk
            assert self._process.stdout.readline() == b"ready\n", "the worker did not start"
        return self._process

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.close()
            code = process.wait(timeout=1)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            process.kill()
            code = process.wait()
        process.stdout.close()
        return code


@dataclass
class Report:
    """What came of many inputs: counts by kind and outcome, and the faults by what they say."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    @property
    def outcomes(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for (_, outcome), n in self.counts.items():
            total[outcome] += n
        return total


def inputs_of(seed: int, kept: dict[str, list[bytes]]) -> Iterator[tuple[str, bytes]]:
    """Broken inputs without end, every kind in turn (half of them C3D), the same for the same seed."""
    rng = random.Random(seed)
    others = [kind for kind in kinds() if kind != "c3d"]
    while True:
        for other in others:
            for kind in ("c3d", other):
                pool = kept[kind]
                # the sound ones, or one that found something new
                source = rng.choice(pool if rng.random() < 0.5 else kinds()[kind].seeds)
                yield kind, broken(kind, source, rng)


def fuzz(count: int, seed: int, worker: Worker) -> Report:
    """Read `count` broken inputs."""
    kept = {name: list(kind.seeds) for name, kind in kinds().items()}
    report = Report()
    for (kind, data), _ in zip(inputs_of(seed, kept), range(count), strict=False):
        answer = worker.answer(kind, data)
        report.counts[kind, answer.outcome] += 1
        if answer.bad:
            report.faults.setdefault(f"{kind} {answer.outcome}: {answer.words}", (kind, data))
        elif answer.new and len(data) < 100_000:
            kept[kind].append(data)
    return report


def minimised(kind: str, data: bytes, worker: Worker, tries: int = 300) -> bytes:
    """A smaller input with the same fault: pieces are taken out, or set back to a sound file's, while it stays."""
    wanted = _essence(worker.answer(kind, data))
    sound = next((s for s in kinds()[kind].seeds if len(s) == len(data)), None)
    size = len(data) // 2
    while size and tries > 0:
        at = 0
        while at < len(data) and tries > 0:
            piece = b"" if sound is None else sound[at : at + size]
            smaller = data[:at] + piece + data[at + size :]
            if smaller != data:
                tries -= 1
                if _essence(worker.answer(kind, smaller)) == wanted:
                    data = smaller
                    if not piece:
                        continue
            at += size
        size //= 2
    return data


def _essence(answer: Answer) -> tuple[str, str]:
    """What makes two faults the same: their kind, and the place that they come from."""
    return answer.outcome, answer.words.partition(":")[0] + answer.words.rpartition(" at ")[2][:40]


def keep(kind: str, data: bytes) -> Path:
    """Put an input into the corpus."""
    path = CORPUS / f"{kind}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path
