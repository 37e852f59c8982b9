"""A trial with what it stores and with a static that was found -> which calibration is better, and why, in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gaitid.analysis.conflict import largest_differences, says_the_same
from gaitid.analysis.off_outputs import off_outputs
from gaitid.analysis.pipeline import pipeline_of
from gaitid.analysis.result import Result
from gaitid.analysis.stored_alike import stores_the_same
from gaitid.errors import GaitidError
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note
from gaitid.records import NamedTuple
from gaitid.trial import Trial


class Better(NamedTuple):
    """Which of a trial's two calibrations is used, and why.

    Attributes
    ----------
    is_static : bool
    words : str
        The static or ``none``, and why, in one line, with how far both differ in degrees.
    notes : Notes
        What the result has to say of it and does not say by itself.
    """

    is_static: bool
    words: str
    notes: Notes = ()


def better_calibration(
    stored: Result | GaitidError,
    static: Trial | None,
    try_static: Callable[[], Result],
    given: Path,
    settings: ReaderSettings | None = None,
) -> Better:
    """Which is better for a trial, the calibration that it stores or a static that was found.

    The one whose angles lie nearer to those that another program stored in the trial, else in the static. Where
    neither stores any, the static, if it fits, and does not store itself what the trial stores.

    Parameters
    ----------
    stored : Result or GaitidError
        The trial with what it stores, or why it is refused.
    static : Trial or None
        None where it cannot be read.
    try_static : callable
        The trial with the static, called where the two calibrations differ; it may refuse it.
    given : Path
        The static, as people know it.
    settings : ReaderSettings, optional
        How the files are read.

    Raises
    ------
    GaitidError
        `stored`, where the trial is refused with the static too.
    """
    if isinstance(stored, Result) and static is not None and says_the_same(stored, static):
        return Better(False, f"none: {given} says the same as the calibration stored in the trial")
    try:
        by_static = try_static()
    except GaitidError as error:
        if isinstance(stored, GaitidError):
            raise stored from None
        return _better(False, given, f"the static cannot be used: {error.wrong}", stored)
    if isinstance(stored, GaitidError):
        why = f"with the calibration stored in the trial it is refused: {stored.wrong}"
        return _better(True, given, why, by_static)
    trial, model = stored.trial, stored.model
    off = off_outputs(trial, (stored.sides, pipeline_of(stored)), (by_static.sides, pipeline_of(by_static)), settings)
    if off is None:
        is_static = static is None or not stores_the_same(static.path, model, trial.parameters)
        why = "the static fits the trial" if is_static else "the static stores the same calibration as the trial"
        why = f"no file stores angles that show which is better, and {why}"
    else:
        is_static, why = off.static_deg <= off.stored_deg, off.words
    effect = largest_differences(stored.sides, by_static.sides)
    why = f"{why}; they differ by up to {effect.angle_deg:.1f}° ({effect.angle})"
    return _better(is_static, given, why, by_static if is_static else stored)


def _better(is_static: bool, static: Path, why: str, result: Result) -> Better:
    """The choice in words, and as a note where `result`, which is used, has none of it."""
    codes = {said.code for said in result.notes}
    if is_static:
        said = note("calibration_conflict/better", why=why)
        return Better(True, f"{static}: {why}", () if codes & {said.code, "measurements_differ"} else (said,))
    said = note("file_beside/worse", path=static, why=why)
    return Better(
        False, f"none: {why}; {static} is not used", () if codes & {said.code, "calibration_conflict"} else (said,)
    )
