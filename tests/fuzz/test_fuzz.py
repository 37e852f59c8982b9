"""Broken inputs: a short fuzz with fixed seeds, everything that ever failed, and proof that a failure would be seen.

`python benchmarks/fuzz.py --inputs 20000 --seed 1` runs it for longer (docs/faults.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fuzzing import CORPUS, Worker, fuzz
from inputs import kinds

# Inputs and seeds of the short run: some five seconds.
SHORT = (200, (101, 102))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One process for all inputs that it should outlive."""
    with Worker() as running:
        yield running


def test_what_is_sound_is_read(worker: Worker) -> None:
    for name, kind in kinds().items():
        for data in kind.seeds:
            assert worker.answer(name, data).outcome == "read", name


@pytest.mark.parametrize("seed", SHORT[1])
def test_nothing_broken_hangs_crashes_or_traces_back(seed: int) -> None:
    with Worker() as worker:
        report = fuzz(SHORT[0], seed, worker)
    assert not report.faults, "\n".join(report.faults)
    assert report.outcomes.total() == SHORT[0]
    # both ways are taken: a fuzzer whose inputs are all refused at the door tests the door alone
    assert report.outcomes["read"] > 0.1 * SHORT[0] and report.outcomes["refused"] > 0.3 * SHORT[0]


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda p: p.name)
def test_what_failed_once(path: Path, worker: Worker) -> None:
    answer = worker.answer(path.name.partition("-")[0], path.read_bytes())
    assert not answer.bad, answer


@pytest.mark.parametrize(
    ("target", "outcome", "words"),
    [
        ("hangs", "hang", "no answer within 3 s"),
        ("crashes", "crash", "ended with -11"),
        ("eats", "fault", "MemoryError"),
        ("traces_back", "fault", "KeyError"),
        ("garbles", "fault", "not printable"),
    ],
)
def test_a_reader_that_fails_is_seen_and_outlived(target: str, outcome: str, words: str) -> None:
    # s: an interpreter with numpy starts in less than one
    with Worker(f"targets:{target}", time_limit_s=3.0) as worker:
        for _ in range(2):
            answer = worker.answer("csv", b"anything")
            assert (answer.outcome, words in answer.words) == (outcome, True), answer
