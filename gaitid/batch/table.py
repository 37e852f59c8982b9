"""``batch.csv``: what became of every trial, in the order of the plan."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.plan import Planned

# `figures_of` explains them.
FIGURES = ("frames", "contacts", "wrenches_filled", "gaps", "label_faults", "warnings")
# The time is last: all before it is the same whenever and however the work was done.
COLUMNS = ("trial", "subject", "static", "status", "reason", "doubt", *FIGURES, "sha256", "fingerprint", "run_time_s")


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
    for one in planned:
        outcome = outcomes.get(str(one.trial))
        if outcome is not None:
            static = one.static.path if one.static else ""
            figures = [_cell(outcome.figures.get(name)) for name in FIGURES]
            seconds = "" if outcome.run_time_s is None else f"{outcome.run_time_s:.3f}"
            words = (one.trial, one.subject, static, outcome.status, outcome.reason, outcome.doubt)
            # bytes of a name that are no UTF-8 come as lone surrogates, which cannot be written
            cells = [str(word).encode("utf-8", "replace").decode() for word in words]
            writer.writerow((*cells, *figures, outcome.trial_sha256, outcome.fingerprint, seconds))
    return text.getvalue()


def results_in(table: str) -> list[tuple[str, ...]]:
    """Of a table, what its results are: trial, subject and fingerprint of each that is done."""
    rows = csv.DictReader(io.StringIO(table))
    return [(row["trial"], row["subject"], row["fingerprint"]) for row in rows if row.get("status") == DONE]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"
