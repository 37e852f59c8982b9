"""Broken inputs for as long as wanted, on as many processes as given; what they do to the readers.

    python benchmarks/fuzz.py --inputs 20000 --seed 1 [--jobs 2] [--keep]

Faults are minimised and shown; with --keep they are added to tests/fuzz/corpus. Exit code 1 where there are any.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "fuzz"))
from fuzzing import Report, Worker, fuzz, keep, minimised


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1, help="of the first job; the others count on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="add what fails to the corpus")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.jobs)
    start = time.perf_counter()

    def one(seed: int) -> Report:
        with Worker() as worker:
            return fuzz(options.inputs // options.jobs, seed, worker)

    with ThreadPoolExecutor(options.jobs) as pool:
        reports = list(pool.map(one, seeds))
    outcomes = sum((report.outcomes for report in reports), start=Report().outcomes)
    faults = {words: found for report in reports for words, found in report.faults.items()}
    print(f"{outcomes.total()} inputs, seeds {seeds[0]} to {seeds[-1]}, {time.perf_counter() - start:.0f} s")
    print("| kind | read | refused | fault | hang | crash |\n|---|---|---|---|---|---|")
    counts = sum((report.counts for report in reports), start=Report().counts)
    for kind in dict.fromkeys(kind for kind, _ in counts):
        cells = [str(counts[kind, outcome]) for outcome in ("read", "refused", "fault", "hang", "crash")]
        print(f"| {kind} | {' | '.join(cells)} |")
    with Worker() as worker:
        for words, (kind, data) in faults.items():
            small = minimised(kind, data, worker)
            print(f"{words} ({len(small)} bytes{f', {keep(kind, small).name}' if options.keep else ''})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
