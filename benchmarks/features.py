"""The tables of docs/features.md: the list of features, and integrals of simulated walks with impacts over the truth.

python benchmarks/features.py [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from simulated_trials import simulated_walk  # noqa: E402 - the tests' walk as a trial in memory

from gaitid.analysis.cycle_curves import curves_of  # noqa: E402
from gaitid.analysis.features import features  # noqa: E402
from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.gait.feature_list import FEATURES, KINDS, PHASE_WORDS, PHASES, REACHES, WHOLE  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.simulate.truth import joint_table  # noqa: E402
from gaitid.trial import Array  # noqa: E402

PAGE = ROOT / "docs" / "features.md"
INTEGRALS = (
    "hip_power_work_positive",
    "hip_power_work_negative",
    "knee_power_work_positive",
    "knee_power_work_negative",
    "ankle_power_work_positive",
    "ankle_power_work_negative",
    "hip_extension_moment_impulse_positive_stance",
    "knee_extension_moment_impulse_positive_stance",
    "knee_abduction_moment_impulse_positive_stance",
)


def lists() -> Iterator[str]:
    """Kinds, phases and features as tables."""
    yield from ("| kind | what |", "|---|---|")
    yield from (f"| `{kind}` | {words} |" for kind, words in KINDS.items())
    yield ""
    yield from ("| phase | from … to | what | an extreme in it |", "|---|---|---|---|")
    for name, (first, last) in PHASES.items():
        reach = f", the burst from {REACHES[name][0]:g} to {REACHES[name][1]:g}" if name in REACHES else ""
        how = "greatest or smallest value" if name in WHOLE else "a peak"
        yield f"| `{name or '–'}` | {first:g} to {last:g} | {PHASE_WORDS[name]} | {how}{reach} |"
    yield ""
    yield from ("| feature | unit | source | in words |", "|---|---|---|---|")
    yield from (f"| `{f.name}` | {f.unit} | {f.source} | {f.words} |" for f in FEATURES)


def integrals() -> Iterator[str]:
    """Works and impulses of a walk with impacts: as written, without the impacts' rows, with all as measured."""
    trial = simulated_walk("split_belt", impact_bw=0.4, impact_absorbed=1.0)
    result = analyse(trial.trial, load_model("pig", {"cutoff_hz": 7.0}), SubjectFile())
    curves = curves_of(result)
    as_they_are = replace(curves, settled=curves.values)
    left_out = replace(curves, settled=np.where(curves.impact[:, :, None], 0.0, curves.values))
    found = {name: features(result, c).value for name, c in (("a", curves), ("b", left_out), ("c", as_they_are))}
    yield "| integral | truth | written | without the impacts' rows | with these as they are |"
    yield "|---|---|---|---|---|"
    for name in INTEGRALS:
        i = next(k for k, f in enumerate(FEATURES) if f.name == name)
        true = np.mean([_true(trial.walk, c, FEATURES[i].column, name) for c in curves.cycles])
        cells = [f"{v[:, i].mean():.3f} ({100 * (v[:, i].mean() / true - 1):+.0f} %)" for v in found.values()]
        yield f"| `{name}` | {true:.3f} | {' | '.join(cells)} |"


def _true(walk: object, cycle: object, column: str, name: str) -> float:
    times = np.linspace(cycle.strike.time_s, cycle.next_strike.time_s, 2001)  # type: ignore[attr-defined]
    curve: Array = np.asarray(joint_table(walk.at(times))[f"{cycle.side}_{column}"], float)  # type: ignore[attr-defined]
    curve = np.maximum(curve, 0) if "positive" in name else np.minimum(curve, 0)
    inside = times <= cycle.off.time_s if "stance" in name else np.full(len(times), True)  # type: ignore[attr-defined]
    return float(np.trapezoid(curve * inside, times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/features.md")
    write = parser.parse_args().write
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in (("list", lists()), ("integrals", integrals())):
        text = "\n".join(lines)
        print(text)
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    if write:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
