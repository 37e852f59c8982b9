"""What one run costs, as ratios measured in turn in the same minutes (machines are noisy).

    python benchmarks/speed.py [--repeat N] [TRIAL.c3d ...]

Compiled files are used as an installed package has them. Without trials: the shared walks where they lie beside the
checkout, else the sample.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("trials", nargs="*")
    options = parser.parse_args()
    shared = ROOT.parent / "shared" / "trials"
    trials = options.trials or [
        str(p)
        for p in (shared / "children/HC030A/walk.c3d", shared / "sydney/walk03.c3d", shared / "nexus_flatfoot/walk.c3d",
                  ROOT / "sample_data/walk/walk.c3d")
        if p.is_file()
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": f"{folder}/pyc", "PYTHONPATH": str(ROOT)}
        bare = [sys.executable, "-c", "pass"]
        help_ = [sys.executable, "-m", "gaitid", "--help"]
        print("| what | median of ratios | own seconds | reference seconds |")
        print("|---|---|---|---|")
        for trial in trials:
            floor = [sys.executable, "-c", f"import numpy, ezc3d; ezc3d.c3d({trial!r})"]
            own = [sys.executable, "-m", "gaitid", "run", trial, "--model", "pig", "-o", folder, "--quiet"]
            name = "/".join(Path(trial).parts[-2:])
            _row(f"`gaitid run {name}` over reading it with ezc3d", own, floor, environment, options.repeat)
        _row("`gaitid --help` over `python -c pass`", help_, bare, environment, options.repeat)


def _row(what: str, own: list[str], reference: list[str], environment: dict[str, str], repeat: int) -> None:
    for command in (own, reference):
        seconds(command, environment)  # once, so that everything is compiled and in the file cache
    pairs = [(seconds(own, environment), seconds(reference, environment)) for _ in range(repeat)]
    ratio = statistics.median(a / b for a, b in pairs)
    a, b = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"| {what} | {ratio:.2f} | {a:.3f} | {b:.3f} |")


if __name__ == "__main__":
    main()
