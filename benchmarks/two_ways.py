"""Standard uncertainties by drawn errors over those by first order: a table of docs/uncertainty_method.md.

python benchmarks/two_ways.py [--samples 10000] [--write] [TRIAL.c3d]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from pages import write_between

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Array
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.first_order import propagate
from gaitid.uncertainty.monte_carlo import Draws, monte_carlo
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.sources import read_sources

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "uncertainty_method.md"
#: What a column is, by the end of its name.
KINDS = {"angles": "_deg", "moments": "_Nm_per_kg", "powers": "_W_per_kg", "forces": "_N"}


def row(kind: str, ratio: Array) -> str:
    low, middle, high = np.percentile(ratio, [5, 50, 95])
    apart = 100 * np.median(np.abs(ratio - 1))
    return f"| {kind} | {low:.3f} | {middle:.3f} | {high:.3f} | {apart:.1f} % |"


def table(trial: Path, samples: int) -> list[str]:
    computation = Perturbed(analyse(read_trial(trial), load_model("pig"), SubjectFile()))
    errors = errors_of(read_sources("default"), computation)
    first = propagate(computation, errors)
    draws = Draws(samples, 1, lambda words: print(words, end="\r", file=sys.stderr))
    drawn = monte_carlo(computation, errors, draws, first)
    known = np.isfinite(drawn.standard) & (first.standard > 0)
    lines = [
        f"{samples} samples: half of the draws lie {drawn.figures['halves_differ_by_percent']:.1f} % from the other "
        f"half, all {drawn.figures['first_order_differs_by_percent']:.1f} % from first order (medians; chance alone "
        f"{drawn.figures['standard_error_percent']:.1f} %).",
        "",
        "| Monte Carlo over first order | 5 % of the frames and columns below | median | 5 % above | median of how far "
        "apart |",
        "|---|---|---|---|---|",
    ]
    for kind, end in KINDS.items():
        mine = known & np.array([name.endswith(end) for name in computation.names])
        lines.append(row(kind, drawn.standard[mine] / first.standard[mine]))
    of_features = np.isfinite(drawn.of_features) & (first.of_features > 0)
    lines.append(row("features", drawn.of_features[of_features] / first.of_features[of_features]))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="put the table into docs/uncertainty_method.md")
    parser.add_argument("trial", nargs="?", type=Path, default=ROOT / "sample_data/walk_noisy/walk.c3d")
    given = parser.parse_args()
    lines = table(given.trial, given.samples)
    print("\n".join(lines))
    if given.write:
        write_between(PAGE, "two ways", lines)


if __name__ == "__main__":
    main()
