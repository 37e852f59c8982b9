"""What trials can be used for: of few the verdict, its reasons and what was assumed; of many a line each, and what
they have in common at the end.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.analysis.wording import by_code, level_words
from gaitid.cli.common import print_detail, print_info
from gaitid.errors import first_few

if TYPE_CHECKING:
    from gaitid.analysis.result import Result
    from gaitid.analysis.verdict import Verdict
    from gaitid.notes import Notes

# With more trials than these, a line each.
FEW = 4
# Characters of a reason in a line, and kinds of notes that are named in the summary.
_REASON, _KINDS = 100, 8

#: What a line of a note begins with, by its severity.
HEADS = {"error": "warning", "doubt": "warning", "assumption": "assumed", "info": "note"}


def print_verdict(path: Path | str, verdict: Verdict, before: Notes = (), lacking: str = "") -> None:
    """Print a verdict: first itself, then a line for each reason, then one for each kind of other note.

    Parameters
    ----------
    path : Path or str
        The trial, as given.
    verdict : Verdict
    before : Notes
        Notes that were printed before.
    lacking : str
        What a model with all angles and moments lacks, and nothing else.
    """
    print_info(f"{path}: verdict: {'; '.join(filter(None, (verdict.words, lacking)))}")
    for reason in verdict.reasons:
        print_info(f"{path}: warning: {reason.words}")
    for note, text in by_code(note for note in verdict.others if note not in before):
        told = note.severity != "info" or bool(note.message.cure)
        (print_info if told else print_detail)(f"{path}: {HEADS[note.severity]}: {text}")


def trial_line(path: Path, result: Result, written: Path) -> str:
    """What a trial can be used for, in one line; its first reason cut short: the record has all."""
    known = [f"{c.side} on {'+'.join(map(str, c.plates))}" for c in result.contacts if c.plates]
    words = [
        level_words(result.verdict.as_dict()),
        f"model {result.model.name}",
        first_few(known, 4) if known else "no known load",
        f"{written}.*",
    ]
    if result.verdict.reasons:
        reason = result.verdict.reasons[0].words
        words.insert(1, reason if len(reason) <= _REASON else f"{reason[: _REASON - 1]}…")
    return f"{path}: {'; '.join(words)}"


class Summary:
    """Counts the verdicts and the kinds of notes of many trials."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()

    def add(self, result: Result, notes: Notes) -> None:
        """Count a trial; its notes are those that are not of all trials."""
        self._verdicts[level_words(result.verdict.as_dict())] += 1
        self._codes.update({note.code for note in notes if note.severity != "info"})

    def lines(self, total: int, refused: int) -> list[str]:
        """Of all trials: the verdicts, then how many trials have a note of each kind."""
        verdicts = [f"{n} {verdict}" for verdict, n in self._verdicts.most_common()]
        lines = [f"{total} trials: {', '.join([*verdicts, *([f'{refused} refused'] if refused else [])])}"]
        if self._codes:
            kinds = [f"{code} in {n}" for code, n in self._codes.most_common()]
            lines.append(f"notes: {first_few(kinds, _KINDS)}; each run.json has them, and --verbose prints them")
        return lines
