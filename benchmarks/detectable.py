"""Is the minimal detectable change of `gaitid compare` what it promises? The table of docs/compare.md.

Pairs of simulated trials of one and the same walk, so that their difference is 0 in truth, are spoilt with all errors
as they are stated (benchmarks/uncertainty.py): some drawn once for both, as two sessions of a person or two trials of a
session have them in common, the others twice. Beyond the minimal detectable change should lie 5 of 100 points.

python benchmarks/detectable.py [--pairs 150] [--write]
"""

from __future__ import annotations

import argparse
from functools import cache

import numpy as np
from pages import write_between
from uncertainty import ROOT, numbers_of, spoilt, walk_of

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.compare.detectable import CHANGED_FROM, limit_of, stated_variance, strike_variance, variance_of_cycle
from gaitid.compare.in_common import NOTHING, SAME, SESSION, SUBJECT, InCommon
from gaitid.gait.cycles import over_cycles
from gaitid.trial import Array
from gaitid.uncertainty.errors import errors_of, over_trial
from gaitid.uncertainty.first_order import propagate
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.signed import Signed, signed
from gaitid.uncertainty.sources import SOURCES, read_sources

COMMON = {
    SESSION: ("soft_tissue", "marker_placement", "hip_centre", "measurements", "segment_parameters", "force_plates",
              "cutoff"),
    SUBJECT: ("soft_tissue", "hip_centre", "segment_parameters"),
    NOTHING: (),
}  # fmt: skip
WORDS = {SESSION: "two trials of a session", SUBJECT: "two sessions of a person, all measured anew",
         NOTHING: "all errors independent"}  # fmt: skip
SIDES = ("left", "right")


class Side:
    """Mean curves of one spoilt trial over the cycle, (points, columns), and the spread of its cycles."""

    def __init__(self, result: Result, side: str) -> None:
        curves = curves_of(result)
        rows = [k for k, cycle in enumerate(curves.cycles) if cycle.side == side]
        values = curves.values[rows]
        known = np.isfinite(values).mean(axis=1) >= 0.9
        values = np.where(known[:, None], values, np.nan)
        self.n = known.sum(axis=0)
        self.lasts_s = float(np.mean([curves.cycles[k].duration_s for k in rows]))
        with np.errstate(all="ignore"):
            self.mean = np.nansum(values, axis=0) / self.n
            squares = np.nansum((values - self.mean) ** 2, axis=0)
            self.mean[~np.isfinite(values).any(axis=0)] = np.nan
            self.variance = np.where(self.n > 1, squares / (self.n - 1), np.nan)


@cache
def reference(walk: int) -> tuple[dict[str, dict[str, Array]], Signed, tuple[str, ...]]:
    """Variances by side and source, (points, columns), and signs, of one spoilt trial of a walk."""
    sources = read_sources("default")
    trial, model, subject = spoilt(walk_of(walk), sources, 1.0, 10_000 + walk)
    result = analyse(trial, model, subject)
    perturbed, curves = Perturbed(result), curves_of(result)
    found = propagate(perturbed, errors_of(sources, perturbed, over_trial(perturbed)), features=False)
    place = {name: i for i, name in enumerate(perturbed.names)}
    variances: dict[str, dict[str, Array]] = {}
    names = [name for name in curves.names if f"left_{name}" in place]
    for side in SIDES:
        cycles = [stride.cycle for stride in result.gait.strides if stride.cycle.side == side]
        at = [place[f"{side}_{name}"] for name in names]
        variances[side] = {
            source: over_cycles(cycles, np.sqrt(of[:, at]), result.trial.rate_hz).mean(axis=0) ** 2
            for source, of in found.variance.items()
        }
    return variances, signed(result, sources, SOURCES), tuple(names)


def pairs(same: str, count: int) -> tuple[list[float], list[bool], list[float]]:
    """Of each pair and curve: share of points beyond, whether it counts as changed, and the limit's median."""
    sources = read_sources("default")
    beyond: list[float] = []
    changed: list[bool] = []
    sizes: list[float] = []
    for i in range(count):
        walk = i % 4
        variances, signs, names = reference(walk)
        results = []
        # the clocks of a laboratory are late alike in a session, of which `gaitid compare` makes no use
        drawn_once = (*COMMON[same], "timing") if same == SESSION else COMMON[same]
        for of in range(2):
            trial, model, subject = spoilt(walk_of(walk), sources, 1.0, 20_000 + 2 * i + of, drawn_once, 30_000 + i)
            results.append(analyse(trial, model, subject))
        measured = tuple(name.replace(".", " ") for name in numbers_of(walk_of(walk)))
        common = InCommon(same, "", COMMON[same], measured)
        for side in SIDES:
            a, b = (Side(result, side) for result in results)
            rows = [k for k, (of_side, _) in enumerate(signs.cycles) if of_side == side]
            by_error = {e: signs.curves[j, rows].mean(axis=0) for j, e in enumerate(signs.errors)}
            for c, name in enumerate(names):
                of_error = {e: of[:, c] for e, of in by_error.items() if e[0] in COMMON[same]}
                of_source = {source: of[:, c] for source, of in variances[side].items()}
                stated = stated_variance(of_source, of_source, of_error, of_error, common)
                timing, rate_hz = sources.sizes["timing"], results[0].trial.rate_hz
                late_s = np.hypot(timing["frames"] / rate_hz, 0.0 if same == SESSION else timing["laboratory_ms"])
                for of in (a, b):
                    stated = stated + strike_variance(of.mean[:, c], late_s / of.lasts_s)
                n_a, n_b = int(a.n[c]), int(b.n[c])
                between = variance_of_cycle(a.variance[:, c], n_a, b.variance[:, c], n_b)
                limit = limit_of(stated, between, n_a, n_b)
                ratio = np.abs(b.mean[:, c] - a.mean[:, c]) / limit
                known = np.isfinite(ratio)
                if known.any():
                    share = float((ratio[known] > 1).mean())
                    beyond.append(share)
                    changed.append(share > CHANGED_FROM)
                    if name == "hip_extension_moment_Nm_per_kg":
                        sizes.append(float(np.nanmedian(limit)))
    return beyond, changed, sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--write", action="store_true", help="put the table into docs/compare.md")
    given = parser.parse_args()
    lines = [
        f"{given.pairs} pairs each:",
        "",
        "| errors in common | points beyond, % | curves of which more than a quarter lies beyond, % | minimal "
        "detectable change of the hip extension moment, N·m/kg (median of the cycle) |",
        "|---|---|---|---|",
    ]
    for same in SAME:
        beyond, changed, sizes = pairs(same, given.pairs)
        cells = f"{100 * np.mean(beyond):.1f} | {100 * np.mean(changed):.1f} | {np.median(sizes):.2f}"
        lines.append(f"| {WORDS[same]}: {', '.join(COMMON[same]).replace('_', ' ') or 'none'} | {cells} |")
    print("\n".join(lines))
    if given.write:
        write_between(ROOT / "docs" / "compare.md", "detectable", lines)


if __name__ == "__main__":
    main()
