"""Lines on stderr that say what a trial can be used for: the verdict, its reasons, then what was assumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.cli.common import print_detail, print_info

if TYPE_CHECKING:
    from gaitid.analysis.verdict import Verdict
    from gaitid.notes import Notes

#: What a line of a note begins with, by its severity.
HEADS = {"error": "warning", "doubt": "warning", "assumption": "assumed", "info": "note"}


def print_verdict(path: Path | str, verdict: Verdict, before: Notes = ()) -> None:
    """Print a verdict: first itself, then a line for each reason, then one for each kind of other note.

    Parameters
    ----------
    path : Path or str
        The trial, as given.
    verdict : Verdict
    before : Notes
        Notes that were printed before.
    """
    from gaitid.analysis.wording import by_code

    print_info(f"{path}: verdict: {verdict.words}")
    for reason in verdict.reasons:
        print_info(f"{path}: warning: {reason.words}")
    for note, text in by_code(note for note in verdict.others if note not in before):
        told = note.severity != "info" or bool(note.message.cure)
        (print_info if told else print_detail)(f"{path}: {HEADS[note.severity]}: {text}")
