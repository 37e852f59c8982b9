"""What sound recordings leave of what plates and motion must share, over the spreads of `gaitid.faults.spread`.

    python benchmarks/fault_spreads.py [--trials PATTERN]

Of each recorded trial of `clean_trials.py` with nothing wrong: residuals beyond what the body's own parameters explain,
over their spread: their root mean square in each laboratory (1: as the spread says), then by how much the root mean
square over all laboratories, one weight each, would change without this one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from attack_trials import Case
from clean_trials import FAULTY, clean_trials
from common import head, parser_of, row

from gaitid.analysis.mass import mover_of
from gaitid.analysis.pipeline import pipeline_of
from gaitid.errors import GaitidError
from gaitid.faults.evidence import Evidence
from gaitid.faults.gathering import gather
from gaitid.faults.judge import Court
from gaitid.faults.spread import ENOUGH_STEPS, share_of
from gaitid.trial import Array

MOMENTUM = tuple(f"{what} {way}" for what in ("force", "moment") for way in ("forward", "left", "up"))
FEET = ("pressure forward", "pressure left", "free moment", "floor")
ON_FEET = "Pressure under feet, and height of feet that stand"

Squares = tuple[Array, Array]


def evidence_of(case: Case) -> Evidence:
    """What faults of its plates are judged by."""
    pipeline = pipeline_of(case.result)
    weighed = pipeline.weighed_as_filed
    mover = mover_of(pipeline.found.subject, weighed, pipeline.stand, pipeline.body, pipeline.whole_body)
    return gather(pipeline.ground, weighed.loads, mover)


def kind_of(evidence: Evidence) -> str:
    """Which spreads of forces and moments are its own."""
    if evidence.flies:
        return "Forces and moments, runs"
    return f"Forces and moments, {'trunk and arms measured' if evidence.whole else 'pelvis and legs alone'}"


def left(evidence: Evidence) -> Squares:
    """Sums of squares and numbers of residuals, in spreads, (columns,), first of `MOMENTUM`, then of `FEET`."""
    court, n_columns = Court(evidence), len(MOMENTUM) + len(FEET)
    of, white = court.likelihood, court.white(evidence.filed)
    beyond = white - of.body @ (of.inverse @ (of.body.T @ white))
    squares, counts, at = np.zeros(n_columns), np.zeros(n_columns), 0
    steps = share_of(len(evidence.pressing), ENOUGH_STEPS)
    for whiten in of.whiten:
        components, n = whiten.shape[:2]
        first, share = {6: (0, of.share), 3: (6, steps), 1: (9, 1.0)}[components]
        for column in range(first, first + components):
            squares[column] += beyond[at : at + n] @ beyond[at : at + n] / share
            # who runs need not roll over: the pressure has to lie between heel and toes only
            counts[column] += 0 if components == 3 and evidence.flies else n
            at += n
    return squares, counts


def table(columns: Sequence[str], trials: Mapping[str, list[Squares]]) -> list[str]:
    """Markdown, a line for each laboratory in which any of some columns was measured."""
    sums = {name: np.sum(of, axis=0) for name, of in trials.items()}
    sums = {name: of for name, of in sums.items() if of[1].any()}
    means = np.array([np.divide(a, b, out=np.full(len(a), np.nan), where=b > 0) for a, b in sums.values()])
    lines = head("laboratory (trials)", *columns)
    for i, name in enumerate(sums):
        cells = []
        for j, mean in enumerate(means[i]):
            others = np.delete(means[:, j], i)
            words = f"{np.sqrt(mean):.2f}" if np.isfinite(mean) else ""
            if words and np.isfinite(others).any():
                words += f" ({round(100 * (np.sqrt(np.nanmean(others) / np.nanmean(means[:, j])) - 1)):+d} %)"
            cells.append(words)
        lines.append(row(f"{name} ({len(trials[name])})", *cells))
    return lines


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--trials", default="", metavar="PATTERN")
    options = parser.parse_args()
    tables = dict[str, dict[str, list[Squares]]]()
    for name, make in clean_trials(0, options.trials):
        if name in FAULTY or name.startswith("simulated"):
            continue
        try:
            case = make()
            evidence = evidence_of(case)
        except GaitidError as error:
            print(f"{name}: {error.line()}", file=sys.stderr)
            continue
        squares, counts = left(evidence)
        n = len(MOMENTUM)
        for kind, part in ((kind_of(evidence), slice(n)), (ON_FEET, slice(n, None))):
            if counts[part].any():
                tables.setdefault(kind, {}).setdefault(case.laboratory, []).append((squares[part], counts[part]))
    lines = list[str]()
    for kind in sorted(tables):
        lines += [f"**{kind}**", "", *table(FEET if kind == ON_FEET else MOMENTUM, tables[kind]), ""]
    print(*lines[:-1], sep="\n")


if __name__ == "__main__":
    main()
