"""Which of the files given are of chains: truths of simulated trials, and results of what does not walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gaitid.errors import GaitidError
from gaitid.records import frozen_dataclass
from gaitid.report.chain.drawn import Drawn
from gaitid.report.chain.from_truth import SUFFIX, truth_drawn
from gaitid.report.result import Result
from gaitid.results.one_run import records_below


@frozen_dataclass()
class Chain:
    """A chain of a report.

    Attributes
    ----------
    drawn : Drawn
    result : Result or None
        None of the truth of a simulated trial.
    """

    drawn: Drawn
    result: Result | None = None


def chain_sources(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The truths of simulated trials among files and folders, and all else.

    A folder stands for the truths below it where no result is.
    """
    truths: list[Path] = []
    others: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(path.rglob(f"?*{SUFFIX}"))
            if found and not records_below(path):
                truths += found
                continue
        (truths if path.name.endswith(SUFFIX) else others).append(path)
    return list(dict.fromkeys(truths)), others


def gather(truths: Sequence[Path], results: Sequence[Result], say: Callable[[str], None]) -> list[Chain]:
    """What is drawn of each; `say` is told what is worked on.

    Raises
    ------
    GaitidError
        A file that is not whole, or of which nothing can be drawn.
    """
    from gaitid.report.chain.from_run import run_drawn  # it brings all that a run needs

    chains = []
    for path in truths:
        say(f"reading {path.name}")
        chains.append(Chain(truth_drawn(path)))
    for result in results:
        say(f"analysing {result.stem} again")
        drawn = run_drawn(result)
        if not drawn.names:
            raise GaitidError(
                f"{result.path.with_name(f'{result.stem}.joints.csv')}: nothing that a report draws",
                expected="ground reactions, angles, moments, powers, or wrenches of joints",
            )
        chains.append(Chain(drawn, result))
    return chains
