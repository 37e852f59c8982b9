"""The table of docs/smoothing.md about cut-offs and how fast a movement is.

python benchmarks/cutoffs.py [--write]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from simulated_trials import Simulated, simulated  # noqa: E402 - the tests' walk as a trial in memory

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.simulate.scenarios import SCENARIOS, Clock  # noqa: E402

BEGIN, END = "<!-- cut-offs: begin -->", "<!-- cut-offs: end -->"
CUTOFFS = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 17.0, "auto")
NOISES_MM = (0.1, 0.3, 1.0)
MOVEMENTS = {
    "slow walk, 0.88 m/s": replace(SCENARIOS["walk"], clock=Clock(0.7)),
    "walk, 1.25 m/s": SCENARIOS["walk"],
    "turn": SCENARIOS["turn"],
    "fast walk, 1.75 m/s": replace(SCENARIOS["walk"], clock=Clock(1.4)),
    "run, 3.2 m/s": SCENARIOS["run"],
}


def worst_rms(walk: Simulated, noise_mm: float, cutoff_hz: object) -> tuple[float, dict[str, object]]:
    """Largest RMS error of a component of a moment, N·m/kg, and the record's figures of the markers."""
    noise = np.random.default_rng(1).normal(0, noise_mm * 1e-3, walk.trial.points_g.shape)
    trial = replace(walk.trial, points_g=walk.trial.points_g + noise)
    result = analyse(trial, load_model("pig", {"cutoff_hz": cutoff_hz}), SubjectFile())
    errors = [
        np.sqrt(np.nanmean((wrench.m_g - walk.truth.wrench[side, joint][1]) ** 2, axis=0)).max()
        for side, leg in result.sides.items()
        for joint, wrench in leg.wrenches.items()
    ]
    figures = {**result.markers.quality, "cutoff_hz": result.settings.cutoff_hz}
    return float(max(errors)) / walk.walk.subject.mass_kg, figures


def table() -> str:
    heads = [c if c == "auto" else f"{c:g} Hz" for c in CUTOFFS]
    lines = [f"| movement, noise | frequency | {' | '.join(heads)} |", "|---|---|" + "---|" * len(CUTOFFS)]
    for name, scenario in MOVEMENTS.items():
        walk = simulated(scenario)
        for noise_mm in NOISES_MM:
            found = [worst_rms(walk, noise_mm, cutoff) for cutoff in CUTOFFS]
            least = min(value for value, _ in found[:-1])
            cells = [f"**{v:.3f}**" if v == least else f"{v:.3f}" for v, _ in found[:-1]]
            value, figures = found[-1]
            chosen = f"{value:.3f} ({figures['cutoff_hz']:g} Hz)"
            frequency = f"{figures['movement_frequency_hz']:.2f} Hz"
            lines.append(f"| {name}; {noise_mm:g} mm | {frequency} | {' | '.join([*cells, chosen])} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/smoothing.md")
    text = table()
    print(text)
    if parser.parse_args().write:
        page = ROOT / "docs" / "smoothing.md"
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
