"""What became of spoilt trials, and the tables of docs/attacks.md that say so."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from attack_list import ATTACKS, Attack  # noqa: E402
from attack_reasons import reason_of  # noqa: E402

# N·m/kg. A smaller difference matters to nobody: the uncertainty of a hip moment by its joint centre alone is larger.
HARMLESS = 0.1


@dataclass(frozen=True)
class Outcome:
    """What became of one spoilt trial.

    Attributes
    ----------
    case, words : str
        The trial, and what was done to it.
    kind : str
        ``refused``, ``withheld``, ``flagged``, ``contact`` (only the contact's reason or confidence tells),
        ``within`` (as silent, but no load changed by more than clean recordings differ by), ``silent`` or
        ``harmless``; ``crashed`` where the analysis ended with an error of its own.
    withheld : float
        Share of the values known before that are empty now.
    noted : str
        The first new note, or the refusal.
    worst : float
        N·m/kg. Largest difference among values that are still filled.
    silent : float
        N·m/kg. The same where nothing tells: 0 where a note does.
    where : str
        Of the larger of these two that counts: joint, component, frame.
    angle : float
        deg. Largest difference of a joint angle, where no note tells.
    figures : str
        Of one that is silent: by how much loads, or a marker, changed.
    """

    case: str
    words: str
    kind: str
    withheld: float
    noted: str
    worst: float
    silent: float
    where: str
    angle: float = 0.0
    figures: str = ""


COLUMNS = (
    "attack",
    "trials",
    "withheld",
    "refused",
    "flagged",
    "by contact",
    "harmless",
    "within spread",
    "silent",
    "largest flagged error",
    "largest silent error",
    "angle",
)
HEAD = f"| {' | '.join(COLUMNS)} |"


def row(attack: Attack, outcomes: Sequence[Outcome]) -> str:
    """The row of one attack: numbers of outcomes, the mean share of values withheld, the largest silent error."""
    if not outcomes:
        return ""
    n = {kind: sum(o.kind == kind for o in outcomes) for kind in KINDS}
    withheld = float(np.mean([o.withheld for o in outcomes]))
    worst = max(outcomes, key=lambda o: (o.kind == "silent", o.silent))
    words = f"{worst.silent:.2f}"
    if worst.silent >= HARMLESS:
        words += f" ({', '.join(filter(None, (worst.case, worst.words, worst.where)))})"
    mark = " †" if attack.invisible else ""
    cells = [f"{attack.name}{mark}", len(outcomes), f"{n['withheld']} ({withheld:.0%})"]
    cells += [n[kind] for kind in ("refused", "flagged", "contact", "harmless", "within", "silent")]
    flagged = max((o.worst for o in outcomes if o.kind in ("flagged", "contact")), default=0.0)
    cells += [f"{flagged:.2f}", words, f"{max(o.angle for o in outcomes):.0f}°"]
    return "| " + " | ".join(map(str, cells)) + " |"


IN_ROWS = ("withheld", "refused", "flagged", "contact", "harmless", "within", "silent")
KINDS = (*IN_ROWS, "crashed")
NO_REASON = "no reason: a limit of today"


def totals(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """How many spoilt trials there were, and what became of them."""
    rows = {attack.name: row(attack, outcomes.get(attack.name, ())) for attack in ATTACKS}
    told = [line for attack in ATTACKS for line in silent_lines(attack, outcomes.get(attack.name, ()))]
    return summed([line for line in rows.values() if line], told)


def summed(rows: Sequence[str], told: Sequence[str]) -> str:
    """What became of all spoilt trials, from rows of tables and lists of silent trials."""
    cells = [[cell.strip() for cell in line.strip("| ").split("|")] for line in rows]
    n = {"trials": 0, **dict.fromkeys(IN_ROWS, 0)}
    for kind, column in zip(n, range(1, len(n) + 1), strict=True):
        n[kind] = sum(int(of_row[column].split()[0]) for of_row in cells)
    crashed = n["trials"] - sum(n[kind] for kind in IN_ROWS)
    unmarked = sum(int(of_row[8]) for of_row in cells if not of_row[0].endswith("†"))
    worst = max((float(of_row[10].split()[0]) for of_row in cells if int(of_row[8])), default=0.0)
    return (
        f"{n['trials']} spoilt trials: "
        + ", ".join(f"{n[kind]} {kind}" for kind in IN_ROWS)
        + f", {crashed} crashed; {unmarked} silent in rows without a †, {sum(NO_REASON in line for line in told)} of "
        + f"them without a reason; largest silent error {worst:.2f} N·m/kg"
    )


def silent(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those that are silent, the largest error first."""
    return sorted((o for o in outcomes if o.kind == "silent"), key=lambda o: -o.silent)


def silent_lines(attack: Attack, outcomes: Sequence[Outcome]) -> list[str]:
    """Each silent trial of an attack with its error, what changed, and why nothing tells; none in rows with a †."""
    lines = []
    for o in silent(outcomes) if not attack.invisible else ():
        why = reason_of(attack.name, o.case, o.words) or NO_REASON
        figures = f" ({o.figures})" if o.figures else ""
        words = ", ".join(filter(None, (o.case, o.words)))
        lines.append(f"- {attack.name}: {words}, {o.silent:.2f} N·m/kg, {o.where}{figures}: {why}")
    return lines


def markdown(attacks: Sequence[Attack], outcomes: Mapping[str, Sequence[Outcome]], document: str = "") -> str:
    """The tables of the document, one a group of attacks.

    Attacks that were not done keep their rows of the document.
    """
    done = {attack.name for attack in attacks}
    kept = {line[2:].partition(" |")[0].removesuffix(" †"): line for line in document.splitlines() if line[:2] == "| "}
    rows: dict[str, str] = {}
    told: dict[str, list[str]] = {}
    for attack in ATTACKS:
        name, of_attack = attack.name, outcomes.get(attack.name, ())
        rows[name] = row(attack, of_attack) if name in done else kept.get(name, "")
        lines = [line for line in document.splitlines() if line.startswith(f"- {name}: ")]
        told[name] = silent_lines(attack, of_attack) if name in done else lines
    text = [summed([line for line in rows.values() if line], [x for lines in told.values() for x in lines]) + ".", ""]
    for group in dict.fromkeys(attack.group for attack in ATTACKS):
        of_group = [attack for attack in ATTACKS if attack.group == group and rows[attack.name]]
        text += [f"### {group.capitalize()}", "", HEAD, "|" + "---|" * len(COLUMNS)]
        text += [*(rows[attack.name] for attack in of_group), ""]
        reasons = [f"- † {attack.name}: {attack.invisible}" for attack in of_group if attack.invisible]
        text += [*reasons, ""] if reasons else []
        silent_ones = [line for attack in of_group for line in told[attack.name]]
        text += ["Silent in rows without a †:", "", *silent_ones, ""] if silent_ones else []
    return "\n".join(text)
