"""``batch.csv``: what became of every trial, in the order of the plan."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.types import Planned
from gaitid.write.table import cell

# `figures_of` explains them.
FIGURES = (
    "frames",
    "contacts",
    "wrenches_filled",
    "gaps",
    "label_faults",
    "warnings",
    "corrected",
    "cycles_used",
    "cycles_there",
)
# `verdict_of` explains them.
VERDICT = ("verdict", "left", "right", "worst_reason")
# The time is last: all before it is the same whenever and however the work was done.
_OF_RESULT = ("sha256", "fingerprint", "run_time_s")
COLUMNS = (
    *("trial", "subject", "static", "status", "reason", "doubt", "session", "condition"),
    *VERDICT,
    *FIGURES,
    *_OF_RESULT,
)
#: What says which trial a row of a table across trials is of, with the cells of that trial's row in ``batch.csv``.
TABLE_KEY = ("subject", "session", "condition", "trial", "verdict")


def batch_csv(planned: Sequence[Planned], outcomes: Mapping[str, Outcome]) -> str:
    """The table as text; a trial that was not worked on has no row.

    Parameters
    ----------
    planned : sequence of Planned
    outcomes : mapping of str to Outcome
        By the trial's path.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for trial in planned:
        outcome = outcomes.get(str(trial.trial))
        if outcome is not None:
            static = outcome.static or trial.static_words
            figures = [cell(outcome.figures.get(name, "")) for name in FIGURES]
            seconds = "" if outcome.run_time_s is None else f"{outcome.run_time_s:.3f}"
            found = {"verdict": outcome.verdict.get("trial", ""), **outcome.verdict}
            verdict = [found.get(name, "") for name in VERDICT]
            about = (trial.trial, trial.subject, static)
            words = (*about, outcome.status, outcome.reason, outcome.doubt, trial.session, trial.condition, *verdict)
            writer.writerow((*map(in_cell, words), *figures, outcome.trial_sha256, outcome.fingerprint, seconds))
    return text.getvalue()


def key_cells(trial: Planned, outcome: Outcome) -> list[str]:
    """The cells of `TABLE_KEY`."""
    words = (trial.subject, trial.session, trial.condition, trial.trial, outcome.verdict.get("trial", ""))
    return [in_cell(word) for word in words]


def results_in(table: str) -> list[tuple[str, ...]]:
    """The key of each result that a table lists as done, with its fingerprint."""
    try:
        rows = [row for row in csv.DictReader(io.StringIO(table)) if row.get("status") == DONE]
    except csv.Error:  # of a table that was damaged
        return []
    return [tuple(row.get(name) or "" for name in (*TABLE_KEY, "fingerprint")) for row in rows]


def in_cell(word: object) -> str:
    """Text as it is, but control characters and bytes that are no UTF-8, which become ``\\x1b`` and ``\\udcff``.

    Unlike `gaitid.errors.in_print`, which is for people: a path with two blanks or a rare letter is still that path.
    """
    text = str(word)
    if text.isprintable():
        return text
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
