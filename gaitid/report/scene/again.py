"""A result of a report -> the same trial analysed again, or one line that says why not (`gaitid.run.recorded`)."""

from __future__ import annotations

from gaitid.analysis.result import Result
from gaitid.errors import GaitidError, in_print
from gaitid.records import frozen_dataclass
from gaitid.report import result as written
from gaitid.run.recorded import read_recorded, refuse_other_numbers


@frozen_dataclass(eq=False)
class Again:
    """A trial that was analysed again.

    Attributes
    ----------
    result : Result or None
        None where that was not possible.
    why_not : str
        In one line, then.
    """

    result: Result | None
    why_not: str = ""


def analyse_again(result: written.Result) -> Again:
    """Analyse the trial of a result again, from the files that its record names.

    Parameters
    ----------
    result : Result
        As it was read from disk.

    Returns
    -------
    Again
        Without a result where a file is gone or has changed, or where other numbers came out; nothing is raised.
    """
    try:
        again = read_recorded(result.record, result.path).analysed()
        refuse_other_numbers(again, result.record, {**result.columns, "frame": result.frame.astype(float)})
        return Again(again)
    except (GaitidError, OSError, ValueError) as error:
        line = error.line() if isinstance(error, GaitidError) else in_print(str(error))
        return Again(None, line)
