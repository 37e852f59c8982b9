"""Where the time of `gaitid run` goes: imports, and each stage of the work, by trial. The tables of docs/speed.md.

    python benchmarks/profile.py [--repeat N] [--frames 1000 10000] [--model pig] [TRIAL.c3d ...]

Milliseconds of the processor, the least of N repetitions in one process, so that other work on the machine hardly
counts. What one stage calls of another is counted there and not here, so that a column adds up to its last row.
Without trials: a simulated walk, with its plates and without; and longer ones, which go there and back.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":  # `cProfile` imports a module of this file's name: the folder of scripts comes last
    sys.path.append(sys.path.pop(0))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it

import argparse
import functools
import importlib
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

#: Each stage: the functions, ``module:name``, that do it.
STAGES: Mapping[str, tuple[str, ...]] = {
    "reading the trial": ("gaitid.read:read_trial",),
    "model, subject, static": (
        "gaitid.run:with_chosen_model",
        "gaitid.analysis.found:find",
        "gaitid.analysis.recorded:recorded",
        "gaitid.body.calibration:calibrate",
    ),
    "markers: labels, gaps, filter": ("gaitid.markers.clean:clean_markers",),
    "poses": ("gaitid.body.poses:check_pose", "gaitid.body.poses:pose_segments"),
    "motions": ("gaitid.body.poses:differentiate",),
    "plates and their faults": ("gaitid.ground.ground:find_ground", "gaitid.faults.find:faults_of_channels"),
    "contacts, mass, balance": ("gaitid.analysis.mass:weigh", "gaitid.faults.find:find_faults"),
    "events": ("gaitid.gait.spatiotemporal:analyse_gait",),
    "impacts": ("gaitid.gait.impact:find_impacts", "gaitid.gait.impact:matched_load"),
    "dynamics, angles, powers": ("gaitid.analysis.limb:solve_limbs",),
    "what is withheld": ("gaitid.analysis.withheld:withhold",),
    "verdict": ("gaitid.analysis.judge:judged", "gaitid.analysis.figures:figure_notes"),
    "a static beside the trial": ("gaitid.statics:notes_of_statics",),
    "cycles and features": ("gaitid.analysis.cycle_curves:curves_of", "gaitid.analysis.features:features"),
    "record": ("gaitid.run.files:record_of", "gaitid.run.files:inputs_of"),
    "tables as text, and writing": ("gaitid.write.tables:table_blocks", "gaitid.run.files:put_in_place"),
}
REST, WHOLE = "the rest", "**whole run in process**"


class StageTimes:
    """Seconds of the processor in each stage, without the stages that it calls."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._under: list[float] = []

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._under.append(0.0)
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                taken = time.process_time() - start
                self.spent[stage] += taken - self._under.pop()
                if self._under:
                    self._under[-1] += taken

        return call

    def watch(self) -> None:
        """Put a clock around the functions of every stage, wherever gaitid's modules have taken them."""
        around: dict[int, Callable[..., Any]] = {}
        for stage, names in STAGES.items():
            for name in names:
                module, function = name.split(":")
                original = getattr(importlib.import_module(module), function)
                around[id(original)] = self.timed(stage, original)
        for module in [m for name, m in sys.modules.items() if name.partition(".")[0] == "gaitid"]:
            for name, value in list(vars(module).items()):
                if id(value) in around:
                    setattr(module, name, around[id(value)])


def profiled(trials: Mapping[str, Path], model: str, repeat: int, folder: Path) -> dict[str, dict[str, float]]:
    """Milliseconds of each stage of each trial, of the repetition that took least."""
    from gaitid import run

    times = StageTimes()
    times.watch()
    prepared = run.prepare(run.RunOptions(model))
    whole = times.timed(REST, run.run_file)
    found: dict[str, dict[str, float]] = {}
    for name, path in trials.items():
        repetitions = []
        for _ in range(repeat + 1):  # the first loads what is loaded late
            times.spent.clear()
            whole(path, folder, prepared)
            repetitions.append(dict(times.spent))
        least = min(repetitions[1:], key=lambda spent: sum(spent.values()))
        found[name] = {stage: 1e3 * s for stage, s in least.items()} | {WHOLE: 1e3 * sum(least.values())}
    return found


def stage_table(found: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield f"| ms of the processor | {' | '.join(found)} |"
    yield f"|---|{'---|' * len(found)}"
    for stage in (*STAGES, REST, WHOLE):
        cells = [f"{spent.get(stage, 0.0):.1f}" for spent in found.values()]
        if any(cell != "0.0" for cell in cells):
            yield f"| {stage} | {' | '.join(cells)} |"


def import_table(trial: Path, model: str, repeat: int, folder: Path) -> Iterator[str]:
    """What a whole command imports, by package: milliseconds, the least of each, and modules."""
    command = [sys.executable, "-X", "importtime", "-m", "gaitid", "run", str(trial), "--model", model, "-q"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(folder / "pyc"), "PYTHONPATH": str(ROOT)}
    least: dict[str, float] = {}
    modules: Counter[str] = Counter()
    for _ in range(repeat + 1):  # the first compiles
        printed = subprocess.run(
            [*command, "-o", str(folder)], env=environment, capture_output=True, text=True, cwd=folder, check=False
        ).stderr
        spent: Counter[str] = Counter()
        modules.clear()
        for us, name in re.findall(r"^import time:\s+(\d+) \|\s+\d+ \| +(\S+)$", printed, re.MULTILINE):
            package = name.partition(".")[0]
            package = package if package in ("gaitid", "numpy", "click", "yaml") else "Python's own"
            spent[package] += int(us) / 1e3
            modules[package] += 1
        least = {package: min(ms, least.get(package, ms)) for package, ms in spent.items()}
    yield "| imported | ms | modules |"
    yield "|---|---|---|"
    for package, ms in sorted(least.items(), key=lambda entry: -entry[1]):
        yield f"| {package} | {ms:.1f} | {modules[package]} |"


def simulated(folder: Path, frames: list[int]) -> dict[str, Path]:
    """A walk of 10 s with its plates and without, alone in their folders; and longer ones."""
    import ezc3d
    from reading import repeated
    from speed import _there_and_back

    def simulate(name: str, *options: str) -> Path:
        made = folder / name
        command = [sys.executable, "-m", "gaitid", "simulate", "walk", "--duration", "10", "-o", str(made), *options]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        return made / "walk.c3d"

    beside = simulate("beside")
    alone = folder / "alone" / "walk.c3d"
    alone.parent.mkdir()
    alone.write_bytes(beside.read_bytes())
    trials = {"10 s walk": alone, "with its static beside": beside}
    without = ezc3d.c3d(str(alone))
    without["parameters"]["FORCE_PLATFORM"]["USED"]["value"] = np.array([0])
    trials["without plates"] = folder / "without" / "walk.c3d"
    trials["without plates"].parent.mkdir()
    without.write(str(trials["without plates"]))
    back = _there_and_back(alone, folder / "back.c3d")
    for n in frames:
        long = folder / f"long{n}" / "walk.c3d"
        long.parent.mkdir()
        trials[f"{n} frames"] = repeated(back, long, n)
    return trials


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--frames", type=int, nargs="*", default=[10_000], help="longer walks")
    parser.add_argument("--model", default="pig")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        trials = {"/".join(t.parts[-2:]): t.absolute() for t in options.trials} or simulated(folder, options.frames)
        print("\n".join(stage_table(profiled(trials, options.model, options.repeat, folder))))
        print()
        print("\n".join(import_table(next(iter(trials.values())), options.model, options.repeat, folder)))


if __name__ == "__main__":
    main()
