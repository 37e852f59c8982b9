"""Multibody optimisation: what it costs a frame, and what it is worth under soft-tissue motion.

    python benchmarks/multibody.py [--frames 250 1000] [--repeat N] [--seeds N] [--model cgm22] [TRIAL.c3d ...]

Cost: µs of processor time a frame for a pelvis and two legs of ball joints (24 coordinates, 26 markers) whose markers
are off by 5 mm, from starts that are 3° off, beside the least-squares poses of the same seven segments one by one
(Söderkvist & Wedin 1993); the best of the repeats, and their ratio. Then those of each trial in a run with a model
that has a chain: what all its fits take over the trial's frames.

Soft tissue: the simulated walker of tests/any_markers.py with landmarks and clusters on his bones. The markers of a
segment slide over it together, in the rhythm of the stride with random amplitudes and phases, and each a little by
itself; amplitudes after Leardini et al. (2005), Gait Posture 21:212-225, and Benoit et al. (2006), Gait Posture
24:152-164. The same markers are analysed five ways: `landmarks` (direct frames), `cast` (a rigid fit for each segment),
`cast` as a chain with ball joints and all markers alike, and both with `--set pose=multibody`, whose weights are those
of the models. Root mean square errors against the bones.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "body")]

import soft_tissue  # noqa: E402
from chains import astray, legs, walking  # noqa: E402

import gaitid  # noqa: E402
from gaitid.body.chain import fit_steadily  # noqa: E402
from gaitid.body.multibody import ChainFit, fit_chain  # noqa: E402
from gaitid.numerics.rigid_fit import rigid_fit  # noqa: E402

# --- cost ---------------------------------------------------------------------------------------------------------


def microseconds(job: Callable[[], object], n_frames: int, repeat: int) -> float:
    best = np.inf
    for _ in range(repeat):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best / n_frames * 1e6


def cost(n_frames: int, repeat: int) -> tuple[float, float]:
    """µs a frame of the chain, and of the segments one by one."""
    chain = legs()
    true = walking(chain, n_frames)
    rng = np.random.default_rng(0)
    points = [p + rng.normal(0.0, 0.005, p.shape) for p in true.markers]
    start = astray(true.R, 0.05)

    def by_segment() -> None:
        for segment, p in zip(chain, points, strict=True):
            rigid_fit(segment.places, p)

    return (
        microseconds(lambda: fit_chain(chain, points, start), n_frames, repeat),
        microseconds(by_segment, n_frames, repeat),
    )


def of_trial(trial: Path, model: str, repeat: int) -> tuple[int, float]:
    """Frames of a trial, and µs a frame that its chain takes in a run, fits of it through gaps included."""
    spent = [0.0]

    def timed(*given: Any) -> ChainFit:
        start = time.process_time()
        fit = fit_steadily(*given)
        spent[-1] += time.process_time() - start
        frames.append(len(fit.steps))
        return fit

    frames: list[int] = []
    with mock.patch("gaitid.body.chain.fit_steadily", timed):
        for _ in range(repeat):
            spent.append(0.0)
            gaitid.analyse(trial, model=model)
    return max(frames), min(spent[1:]) / max(frames) * 1e6


# --- soft tissue --------------------------------------------------------------------------------------------------


def compared(seeds: int) -> dict[str, dict[str, float]]:
    """Mean of the errors over so many walks, by way and by quantity."""
    walk = soft_tissue.recorded()
    with tempfile.TemporaryDirectory() as folder:
        alike = Path(folder) / "alike.yaml"
        alike.write_text(soft_tissue.CHAIN)
        chosen = {"pose": "multibody"}
        ways: dict[str, tuple[str, dict[str, str]]] = {
            "direct": ("landmarks", {}),
            "cluster": ("cast", {}),
            "alike": (str(alike), {}),
            "landmarks": ("landmarks", chosen),
            "cast": ("cast", chosen),
        }
        sums: dict[str, dict[str, float]] = {way: {} for way in ways}
        for seed in range(seeds):
            for way, (model, options) in ways.items():
                result = soft_tissue.analysed(walk, seed, model, **options)
                for name, value in soft_tissue.errors(walk, result).items():
                    sums[way][name] = sums[way].get(name, 0.0) + value / seeds
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, nargs="+", default=[250, 1000])
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--model", default="cgm22")
    parser.add_argument("trials", nargs="*", type=Path)
    given = parser.parse_args()
    print("frames   chain µs/frame   segments one by one   ratio")
    for n_frames in given.frames:
        chain, single = cost(n_frames, given.repeat)
        print(f"{n_frames:6}   {chain:14.0f}   {single:19.0f}   {chain / single:5.1f}")
    for trial in given.trials:
        n_frames, chain = of_trial(trial, given.model, given.repeat)
        print(f"{n_frames:6}   {chain:14.0f}   {given.model}, {'/'.join(trial.parts[-2:])}")
    if not given.seeds:
        return
    table = compared(given.seeds)
    print(f"\nsoft tissue, {given.seeds} walks       " + "".join(f"{way:>10}" for way in table))
    for name in table["direct"]:
        print(f"{name:32}" + "".join(f"{of_way[name]:10.2f}" for of_way in table.values()))


if __name__ == "__main__":
    main()
