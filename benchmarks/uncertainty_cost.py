"""What `gaitid run --uncertainty` costs, over `gaitid run` of the same trial as a process, in turn in the same minutes.

Targets: first order at most 5 runs, also of each trial of a batch; 1,000 samples of Monte Carlo at most 60.

python benchmarks/uncertainty_cost.py [--repeat 3] [--samples 1000] [TRIAL.c3d ...]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from speed import ROOT, SHARED, Processes, row

from gaitid.model.load import bundled_folder

TRIALS = (ROOT / "sample_data/walk_noisy/walk.c3d", SHARED / "sydney/walk03.c3d")


#: Trials of a batch.
COPIES = 8


def drawn(folder: Path, samples: int) -> Path:
    """The bundled magnitudes, propagated by so many samples."""
    text = (bundled_folder("configs") / "uncertainty/default.yaml").read_text(encoding="utf-8")
    text = text.replace("method: first_order", "method: monte_carlo").replace("samples: 1000", f"samples: {samples}")
    path = folder / "drawn.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--model", default="pig")
    parser.add_argument("--options", nargs="*", default=[], help="more of gaitid run, as --options=--static=FILE")
    parser.add_argument("trials", nargs="*", type=Path)
    given = parser.parse_args()
    trials = [path.resolve() for path in given.trials] or [path for path in TRIALS if path.is_file()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = Processes(folder)
        file = drawn(folder, given.samples)
        print("| what | median of ratios | target | own s | reference s | like for like? |")
        print("|---|---|---|---|---|---|")
        for trial in trials:

            def run(*words: object, trial: Path = trial) -> Callable[[], object]:
                options = ("--model", given.model, *given.options, "-o", folder, "--quiet")
                return process("-m", "gaitid", "run", trial, *options, *words)

            where = "/".join(trial.parts[-2:])
            first = f"`--uncertainty`, first order, `{given.model}`, {where}"
            row(first, "≤ 5", run("--uncertainty"), run(), given.repeat, "the same trial without it")
            data = folder / f"{trial.stem}_data"
            data.mkdir()
            for i in range(COPIES):
                (data / f"{trial.stem}{i}.c3d").write_bytes(trial.read_bytes())

            def batch(*words: object, data: Path = data) -> Callable[[], object]:
                options = ("--model", given.model, *given.options, "-o", folder / "batch", "-j", 1, "--quiet")
                return process("-m", "gaitid", "batch", data, *options, *words)

            words = f"`batch --uncertainty`, {COPIES} times {where}"
            row(words, "≤ 5", batch("--uncertainty"), batch(), 1, "the same batch without it, both with their start")
            if given.samples:
                words = f"the same by {given.samples} samples"
                row(words, "≤ 60", run("--uncertainty", file), run(), 1, "the same trial without it")


if __name__ == "__main__":
    main()
