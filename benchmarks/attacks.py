"""The table of docs/attacks.md: what `gaitid run` makes of recordings that are wrong in a known way.

    python benchmarks/attacks.py [--trials PATTERN] [--attacks PATTERN] [--quick] [--list] [-v] [--write]

Every attack of `attack_list.py` is done to every trial of `attack_trials.py` in memory, and the joint moments are held
against those of the unspoilt trial. PATTERN is a part of a name, or several with | between them.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from attack_list import ATTACKS, Attack, Spoilt  # noqa: E402
from attack_spread import NOTHING, Curves, bump, changes, curves_of, differences, within_spread  # noqa: E402
from attack_tables import HARMLESS, HEAD, Outcome, markdown, row, totals  # noqa: E402
from attack_trials import Case, cases, matches, names  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.errors import GaitidError  # noqa: E402
from gaitid.ground.contacts import Contact  # noqa: E402
from gaitid.markers.spikes import SURE_RATIO  # noqa: E402
from gaitid.notes import Note  # noqa: E402
from gaitid.trial import Mask  # noqa: E402

DOCUMENT = ROOT / "docs" / "attacks.md"
BEGIN, END = "<!-- benchmarks/attacks.py writes from here -->\n", "<!-- to here -->\n"

# Of the frames known before: fewer were not withheld because of the attack.
WITHHELD = 0.02
# A note with the same words whose figures moved by less than this share says nothing new.
SAME_FIGURES = 0.2
# A contact is less sure from this on.
LESS_SURE = 0.005
TELLING = ("error", "doubt")
NUMBER = re.compile(r"(?<![\w+])[-−+]?\d+(?:\.\d+)?")


# --- what is new ----------------------------------------------------------------------------------------------


def new_text(text: str, known: Iterable[str]) -> bool:
    """Whether nothing known says the same in the same words, with about the same figures."""
    words, figures = NUMBER.sub("#", text), NUMBER.findall(text)
    for other in known:
        if NUMBER.sub("#", other) != words:
            continue
        pairs = zip(map(_number, figures), map(_number, NUMBER.findall(other)))
        if all(abs(a - b) <= SAME_FIGURES * max(abs(a), abs(b)) for a, b in pairs):
            return False
    return True


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def new_notes(clean: Sequence[Note], spoilt: Sequence[Note]) -> list[Note]:
    """Notes of an error or a doubt that the unspoilt trial does not have."""
    return [
        note
        for note in spoilt
        if note.severity in TELLING and new_text(note.text, [n.text for n in clean if n.code == note.code])
    ]


def told_by_contacts(clean: Result, spoilt: Result) -> dict[str, Mask]:
    """For each side the frames of known contacts with a new reason, or a lower confidence than before."""
    masks = {}
    for side in spoilt.sides:
        mask = np.zeros(spoilt.trial.n_frames, dtype=bool)
        before = [c for c in clean.contacts if c.side == side]
        for contact in spoilt.contacts:
            if contact.side == side and contact.plates and _tells(contact, before):
                mask[contact.loaded] = True
        masks[side] = mask
    return masks


def _tells(contact: Contact, before: Sequence[Contact]) -> bool:
    same = [c for c in before if c.first <= contact.last and c.last >= contact.first]
    sure = max((c.confidence for c in same), default=1.0)
    parts = [part for part in contact.reason.split("; ") if part]
    known = [part for c in same for part in c.reason.split("; ")]
    return contact.confidence < sure - LESS_SURE or any(new_text(part, known) for part in parts)


# --- one spoilt trial -----------------------------------------------------------------------------------------


def judge(case: Case, spoilt: Spoilt) -> Outcome:
    """Analyse a spoilt trial and hold it against the unspoilt one."""
    clean = case.base(spoilt.base)
    static = spoilt.static
    if static is None:
        static = case.calibration if spoilt.base == "with the static" else case.static
    try:
        result = analyse(spoilt.trial, case.model, spoilt.subject or case.subject, static)
    except GaitidError as error:
        return Outcome(case.name, spoilt.words, "refused", 1.0, error.line(), 0.0, 0.0, "")
    except Exception as error:
        return Outcome(case.name, spoilt.words, "crashed", 1.0, f"{type(error).__name__}: {error}", 0.0, 0.0, "")
    outcome = compared(case.name, spoilt.words, clean, result, true_moments(case))
    if outcome.kind == "silent":
        times = bump(case.trial, spoilt.trial)
        if times <= SURE_RATIO:
            return replace(outcome, kind="within")
        figures = f"off by {times:.1f} times what a spline errs by" if np.isfinite(times) else changes(clean, result)
        outcome = replace(outcome, figures=figures)
    return outcome


def true_moments(case: Case) -> Curves:
    """The true joint moments of a simulated trial; none of a recorded one."""
    if case.walk is None:
        return {}
    true = case.walk.at(case.walk.settings.times_s).clinical
    keys = curves_of(case.result, "moments")
    return {key: true[f"{'_'.join(key)}_moment_Nm_per_kg"] for key in keys}


@dataclass(frozen=True)
class Largest:
    """The largest difference, and where it is."""

    size: float = 0.0
    where: str = ""


def largest(off: Curves, first_frame: int, told: Mapping[str, Mask] | None = None) -> Largest:
    """Of differences that are known; `told`: frames to leave out, by side."""
    worst = Largest()
    for (side, joint, column), values in off.items():
        known = np.nan_to_num(values, nan=0.0)
        if told is not None:
            known = np.where(told[side], 0.0, known)
        if known.max(initial=0.0) > worst.size:
            at = int(known.argmax())
            name = column.replace("_", " ")
            worst = Largest(float(known[at]), f"{side} {joint} {name}, frame {at + first_frame}")
    return worst


def compared(name: str, words: str, clean: Result, spoilt: Result, true: Curves = NOTHING) -> Outcome:
    """What became of a trial whose unspoilt analysis is known.

    Values that the unspoilt trial does not have are held against the true ones, where these are known.
    """
    notes = new_notes(clean.notes, spoilt.notes)
    off, first = differences(clean, spoilt, "moments"), clean.trial.first_frame
    before = curves_of(clean, "moments")
    known = sum(int(np.isfinite(values).sum()) for values in before.values())
    left = sum(int(np.isfinite(values).sum()) for values in off.values())
    withheld = 1 - left / max(known, 1)
    after = curves_of(spoilt, "moments")
    for key, values in true.items():
        off[key] = np.where(np.isfinite(before[key]), off[key], np.abs(after[key] - values))
    worst, silent, angle = largest(off, first), Largest(), Largest()
    if not notes:
        silent = largest(off, first, told_by_contacts(clean, spoilt))
        angle = largest(differences(clean, spoilt, "angles"), first)
    if worst.size < HARMLESS:
        kind = "withheld" if withheld > WITHHELD else "harmless"
    elif notes:
        kind = "flagged"
    elif silent.size < HARMLESS:
        kind = "contact"
    else:
        kind = "within" if within_spread(clean, spoilt) else "silent"
    where = silent.where if kind in ("silent", "within") else worst.where
    noted = notes[0].text if notes else ""
    return Outcome(name, words, kind, withheld, noted, worst.size, silent.size, where, angle.size)


# --- all of them ----------------------------------------------------------------------------------------------


def usable(case: Case, spoilt: Spoilt) -> bool:
    """Whether the unspoilt trial can be analysed as the spoilt one is; a line where not."""
    try:
        case.base(spoilt.base)
    except GaitidError as error:
        print(f"  {case.name}, unspoilt, {spoilt.base}: refused: {error.line()}", file=sys.stderr)
        return False
    return True


def run(attacks: Sequence[Attack], trials: Sequence[Case], options: argparse.Namespace) -> dict[str, list[Outcome]]:
    """All outcomes by the name of the attack."""
    outcomes: dict[str, list[Outcome]] = {attack.name: [] for attack in attacks}
    for attack in attacks:
        for case in trials:
            spoilt = [one for one in attack.on(case) if usable(case, one)]
            for one in spoilt[:1] if options.quick or case.slow else spoilt:
                outcome = judge(case, one)
                outcomes[attack.name].append(outcome)
                if options.verbose:
                    print(
                        f"  {outcome.kind:9}{outcome.case}: {outcome.words}: withheld {outcome.withheld:.0%}, "
                        f"worst {outcome.worst:.3g}, silent {outcome.silent:.3g} {outcome.where} {outcome.noted}"
                    )
        if line := row(attack, outcomes[attack.name]):
            print(line, flush=True)
    return outcomes


def write(text: str, begin: str, end: str) -> None:
    """Put tables into the document, between two lines of it."""
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    DOCUMENT.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", default="", metavar="PATTERN")
    parser.add_argument("--attacks", default="", metavar="PATTERN")
    parser.add_argument("--quick", action="store_true", help="one spoilt trial of each attack and trial")
    parser.add_argument("--list", action="store_true", help="names of attacks and trials")
    parser.add_argument("-v", "--verbose", action="store_true", help="each spoilt trial")
    parser.add_argument("--write", action="store_true", help="into docs/attacks.md")
    options = parser.parse_args()
    attacks = [attack for attack in ATTACKS if matches(f"{attack.group}: {attack.name}", options.attacks)]
    if options.list:
        print(*(f"{attack.group}: {attack.name}" for attack in attacks), "", *names(options.trials), sep="\n")
        return
    trials = cases(options.trials)
    start = time.perf_counter()
    print(HEAD)
    outcomes = run(attacks, trials, options)
    print(totals(outcomes))
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        document = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        write(markdown(attacks, outcomes, document), BEGIN, END)


if __name__ == "__main__":
    main()
