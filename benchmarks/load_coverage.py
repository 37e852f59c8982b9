"""How much of clean stances is known, which notes are false alarms, and limits of contacts chosen elsewhere.

    python benchmarks/load_coverage.py [--trials PATTERN] [--leave-one-out] [-v]

Clean are the stances that the shared trials' README lists, and those of simulated walks that lie wholly on plates.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from attack_trials import RECORDED, Case, SimulatedCase, recorded_case, simulated_case  # noqa: E402
from contact_figures import FIGURES, Clean, Measured, chosen, judging, limits_without, measure  # noqa: E402
from contacts import VARIANTS  # noqa: E402
from shared_trials import SHARED, TRIALS  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.ground.contacts import UNKNOWN  # noqa: E402
from gaitid.notes import Note  # noqa: E402
from gaitid.simulate.scenarios import SCENARIOS  # noqa: E402
from gaitid.simulate.truth import attribute  # noqa: E402
from gaitid.trial import Array, Mask  # noqa: E402

# N. A foot is loaded from here on.
LOADED_N = 20.0
# Of the frames of a clean stance.
TARGET = 0.97
#: In these the recording is at fault, and no stance is clean.
FAULTY = ("swapped_plates",)
#: Beginnings of trials' names and parts of notes about plates, clocks and markers that are no false alarm, and why.
TRUE_ALARMS = {
    ("qualisys/walk", "(FORCE_PLATFORM:ZERO) are not used"): "two frames are too few for a zero level",
    ("isb_bone_names/walk", "(FPCOPPOLY) is not applied"): "its maker's plates have it, and it is not applied",
    ("cgm24/walk", "without finite coordinates"): "they are so in the file",
    ("cgm24/walk", "RTOE"): "the marker jumps by 21 mm",
    ("simulated second_person", "no foot was found on it"): "somebody else is on the plates",
}
#: Notes of a model or of a filter that was chosen; nothing is said against plates, clocks or markers.
OF_SETTINGS = ("filters_differ", "model_limits", "static_differs")


@dataclass(frozen=True, eq=False)
class Stance:
    """A clean stance of a trial, and where its load must be known."""

    clean: Clean
    plates: tuple[int, ...]
    frames: Mask

    @property
    def name(self) -> str:
        """Trial, side, plates and frames."""
        clean, plates = self.clean, "+".join(map(str, self.plates))
        return f"{clean.case.name}: {clean.side}, plate {plates}, {clean.first}–{clean.last}"

    def known(self, state: Array) -> float:
        """Share of its frames in which the foot's load is known."""
        return float((state[self.frames] != UNKNOWN).mean())


def recorded_stances() -> Iterator[Stance]:
    """Those of the shared trials' README."""
    by_file = {recorded.file: recorded for recorded in RECORDED}
    for known in TRIALS:
        if (SHARED / known.file).exists():
            case = recorded_case(by_file[known.file])
            for stance in known.clean:
                frames = np.zeros(case.trial.n_frames, dtype=bool)
                frames[stance.first : stance.last + 1] = True
                yield Stance(Clean(case, stance.side, stance.first, stance.last), stance.plates, frames)


def stances_of(case: Case) -> Iterator[Stance]:
    """Those of a simulated trial that lie wholly on plates, where no other foot is on these."""
    assert case.walk is not None
    feet = attribute(case.walk, case.walk.settings.times_s)
    for k, stance in enumerate(case.walk.stances):
        foot = feet[stance.side]
        loaded = (foot.load.stance == k) & (foot.load.force_g[:, 2] > LOADED_N)
        frames = loaded & foot.known
        if stance.all_on_plates and frames.any():
            at = np.flatnonzero(frames)
            yield Stance(Clean(case, stance.side, int(at[0]), int(at[-1])), stance.plates, frames)


def simulated_stances() -> Iterator[Stance]:
    """Those of all scenarios and kinds of recordings."""
    for scenario in SCENARIOS:
        for words, settings in VARIANTS.items() if scenario not in FAULTY else ():
            yield from stances_of(
                simulated_case(SimulatedCase(scenario, "" if words == "as it is" else words, settings))
            )


def share_known(stance: Stance) -> float:
    """Of a clean stance's frames, with the limits as they are."""
    return stance.known(stance.clean.case.result.sides[stance.clean.side].load.state)


# --- tables ---------------------------------------------------------------------------------------------------


def coverage_table(stances: Sequence[Stance]) -> list[str]:
    """A row for each trial recorded, and for each scenario simulated."""
    lines = ["| trial | clean stances | known | the least |", "|---|---|---|---|"]
    groups: dict[str, list[Stance]] = {}
    for stance in stances:
        case = stance.clean.case
        name = case.name if case.walk is None else f"simulated {case.walk.scenario.name}"
        groups.setdefault(name, []).append(stance)
    for name, of_trial in groups.items():
        shares = [share_known(stance) for stance in of_trial]
        worst = of_trial[int(np.argmin(shares))]
        words = f"{min(shares):.1%}"
        if min(shares) < TARGET:
            words += f" ({worst.name})"
        lines.append(f"| {name} | {len(of_trial)} | {np.mean(shares):.1%} | {words} |")
    every = [share_known(stance) for stance in stances]
    short = sum(share < TARGET for share in every)
    lines += ["", f"{len(every)} clean stances, {short} of them known in less than {TARGET:.0%} of their frames."]
    return lines


def alarms(case: Case) -> list[Note]:
    """Notes of an error or a doubt about plates, clocks and markers that the trial does not deserve."""
    return [
        note
        for note in case.result.notes
        if note.severity in ("error", "doubt")
        and note.code not in OF_SETTINGS
        and not any(case.name.startswith(name) and words in note.text for name, words in TRUE_ALARMS)
    ]


def alarm_table(cases: Sequence[Case]) -> list[str]:
    """The false alarms, by trial."""
    lines = [f"| {case.name} | `{note.code}` | {note.text} |" for case in cases for note in alarms(case)]
    if not lines:
        return [f"No note of severity `error` or `doubt` about plates, clocks or markers on {len(cases)} clean trials."]
    return ["| trial | code | note |", "|---|---|---|", *lines]


# --- limits chosen without a laboratory -----------------------------------------------------------------------


def left_out(stances: Sequence[Stance], measured: Mapping[str, Measured]) -> list[str]:
    """For each figure and laboratory: its values, the limit by the others, and whether it is judged right by it."""
    lines: list[str] = []
    for figure in FIGURES:
        by = figure.spoilt_by.replace("|", ", ")
        lines += [f"**{figure.name}** (`{figure.limit}`, now {figure.now:g}; spoilt by: {by})", ""]
        lines += ["| left out | its clean stances | its spoilt ones | limit by the others | kept | found |"]
        lines += ["|---|---|---|---|---|---|"]
        of_figure = measured[figure.name]
        for laboratory in of_figure.clean:
            clean, spoilt = of_figure.clean[laboratory], of_figure.spoilt.get(laboratory, [])
            limit = chosen(figure, *of_figure.without(laboratory))
            words = f"{limit:.3g}"
            if not np.isfinite(limit):
                limit, words = figure.now, f"none: {figure.now:g} stays"
            kept = sum(not figure.beyond(value, limit) for value in clean)
            found = sum(figure.beyond(value, limit) for value in spoilt)
            cells = [laboratory, _range(clean), _range(spoilt), words]
            cells += [f"{kept} of {len(clean)}", f"{found} of {len(spoilt)}"]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += ["| laboratory | least coverage, limits as they are | with limits chosen on all others |", "|---|---|---|"]
    for laboratory in dict.fromkeys(stance.clean.case.laboratory for stance in stances):
        of_laboratory = [stance for stance in stances if stance.clean.case.laboratory == laboratory]
        limits = limits_without(laboratory, measured)
        now, then = (
            f"{min(shares):.1%}" for shares in (map(share_known, of_laboratory), _known_with(of_laboratory, limits))
        )
        lines.append(f"| {laboratory} | {now} | {then} |")
    return lines


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.3g} to {max(values):.3g}" if values else "none"


def _known_with(stances: Sequence[Stance], limits: Mapping[str, float]) -> list[float]:
    """Shares of frames known with other limits."""
    states: dict[int, Mapping[str, Array]] = {}
    shares = []
    for stance in stances:
        case = stance.clean.case
        if id(case) not in states:
            with judging([], limits):
                result = analyse(case.trial, case.model, case.subject, case.static)
            states[id(case)] = {side: leg.load.state for side, leg in result.sides.items()}
        shares.append(stance.known(states[id(case)][stance.clean.side]))
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", default="", metavar="PATTERN")
    parser.add_argument("--leave-one-out", action="store_true", help="limits chosen without each laboratory")
    parser.add_argument("-v", "--verbose", action="store_true", help="each clean stance")
    options = parser.parse_args()
    start = time.perf_counter()
    every = [*recorded_stances(), *simulated_stances()]
    stances = [stance for stance in every if re.search(options.trials, stance.clean.case.name)]
    if options.verbose:
        for stance in stances:
            print(f"{share_known(stance):7.1%} {stance.name}")
    clean_cases = list({id(s.clean.case): s.clean.case for s in stances}.values())
    others = [recorded_case(r) for r in RECORDED if (SHARED / r.file).exists()]
    listed = [c for c in others if re.search(options.trials, c.name) and c not in clean_cases]
    lines = ["### Clean stances", "", *coverage_table(stances), "", "### False alarms", ""]
    lines += [*alarm_table(clean_cases), "", "Of the other recorded trials, which are not known to be clean:", ""]
    lines += [*alarm_table(listed), ""]
    if options.leave_one_out:
        # one scenario as it is stands for the simulated ones
        few = [
            s for s in stances if s.clean.case.walk is None or s.clean.case.name in ("simulated walk", "simulated ramp")
        ]
        measured = {figure.name: measure(figure, [s.clean for s in few]) for figure in FIGURES}
        lines += ["### Limits chosen without a laboratory", "", *left_out(stances, measured), ""]
    print(*lines, f"{time.perf_counter() - start:.0f} s", sep="\n")


if __name__ == "__main__":
    main()
