"""What trials can be used for: of few trials some lines each, the most important first; of many a line each, and what
they have in common at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.analysis.wording import WIDTH, by_code, fitted, level_words
from gaitid.cli.common import flag, print_info
from gaitid.errors import counted, first_few

if TYPE_CHECKING:
    from gaitid.analysis.result import Result, Verdict
    from gaitid.notes import Notes

# With more trials than these, a line each.
FEW = 4
#: Lines of a trial that are read at a glance.
LINES = 6
# Characters of a path before each line; of a longer one its end is enough.
_PATH = 32
# Characters of a reason in a line, and kinds of notes that are named in the summary.
_REASON, _KINDS = 100, 8

#: What a line of a note begins with, by its severity.
HEADS = {"error": "warning", "doubt": "warning", "assumption": "assumed", "info": "note"}


def print_trial(
    path: Path | str,
    verdict: Verdict,
    result_line: str,
    extra: Sequence[str] = (),
    before: Notes = (),
    lacking: str = "",
) -> None:
    """Print a trial in `LINES` lines of `WIDTH` characters: its verdict, what matters most, and what was written.

    With --verbose all lines are printed, each as long as it is.

    Parameters
    ----------
    path : Path or str
        The trial, as given.
    verdict : Verdict
    result_line : str
        The last line; none where it is empty.
    extra : sequence of str
        Lines that the user asked for, after the warnings.
    before : Notes
        Notes that were printed before.
    lacking : str
        What a model with all angles and moments lacks, and nothing else.
    """
    verbose = flag("verbose")
    head = f"{path if verbose else short_path(path)}: "
    first = f"verdict: {'; '.join(filter(None, (verdict.words, lacking)))}"
    last = [result_line] if result_line else []
    notes = list(_note_lines(verdict, before, verbose))
    if verbose:
        for line in (first, *("; cure: ".join(filter(None, line)) for line in notes), *extra, *last):
            print_info(head + line)
        return
    room = WIDTH - len(f"gaitid: {head}")
    shown = max(LINES - 1 - len(extra) - len(last), 1)
    if len(notes) > shown:
        more = len(notes) - shown + 1
        record = f"{Path(path).stem}.run.json" if result_line else "run.json"
        notes[shown - 1 :] = [(f"{counted(more, 'more note')}: --verbose prints them, and {record} has them", "")]
    for text, cure in ((first, ""), *notes, *((line, "") for line in (*extra, *last))):
        print_info(head + fitted(text, cure, room))


def _note_lines(verdict: Verdict, before: Notes, verbose: bool) -> Iterator[tuple[str, str]]:
    """What a verdict and its notes say, the most important first, each with its cure; a cause once."""
    said: list[str] = []
    for reason in verdict.reasons:
        text = (
            f"{reason.side}: {reason.text}" if reason.side and not reason.text.startswith(reason.side) else reason.text
        )
        repeated = next((one for one in said if one in text), None)
        if repeated is not None and not verbose:
            text = text.replace(repeated, "").rstrip(" :;") + ": as above"
        said.append(reason.text)
        yield f"warning: {text}", "" if reason.cure in text else reason.cure
    for note, text in by_code(note for note in verdict.others if note not in before):
        if verbose or note.severity != "info":
            yield f"{HEADS[note.severity]}: {text}", ""


def short_path(path: Path | str) -> str:
    """A path as given, or, of a long one, its end."""
    parts = Path(path).parts
    return str(path) if len(str(path)) <= _PATH else str(Path("…", *parts[-2:]))


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
