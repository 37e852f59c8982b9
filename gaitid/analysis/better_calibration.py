"""A trial with what it stores and with a static that was found -> which calibration is better, and why, in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gaitid.analysis.conflict import largest_differences, says_the_same
from gaitid.analysis.off_outputs import off_outputs
from gaitid.analysis.origin import Origin
from gaitid.analysis.result import Result
from gaitid.analysis.stored_alike import stores_the_same
from gaitid.errors import GaitidError
from gaitid.notes import Note, Notes, as_option
from gaitid.read.settings import ReaderSettings
from gaitid.records import NamedTuple
from gaitid.trial import Trial


class Tried(NamedTuple):
    """A trial's result with one of its two calibrations, and what it was made from."""

    result: Result
    origin: Origin


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
    stored: Tried | GaitidError,
    static: Trial | None,
    try_static: Callable[[], Tried | GaitidError],
    given: Path,
    settings: ReaderSettings | None = None,
) -> Better:
    """Which is better for a trial, the calibration that it stores or a static that was found.

    The one whose angles lie nearer to those that another program stored in the trial, else in the static. Where
    neither stores any, the static, if it fits, and does not store itself what the trial stores.

    Parameters
    ----------
    stored : Tried or GaitidError
        The trial with what it stores, or why it is refused.
    static : Trial or None
        None where it cannot be read.
    try_static : callable
        The trial with the static, or why it is refused: called where the two calibrations differ.
    given : Path
        The static, as people know it.
    settings : ReaderSettings, optional
        How the files are read.

    Raises
    ------
    GaitidError
        `stored`, where the trial is refused with the static too.
    """
    if isinstance(stored, Tried) and static is not None and says_the_same(*stored, static):
        return Better(False, f"none: {given} says the same as the calibration stored in the trial")
    by_static = try_static()
    if isinstance(by_static, GaitidError):
        if isinstance(stored, GaitidError):
            raise stored
        return _better(False, given, f"the static cannot be used: {by_static.wrong}", stored.result)
    if isinstance(stored, GaitidError):
        why = f"with the calibration stored in the trial it is refused: {stored.wrong}"
        return _better(True, given, why, by_static.result)
    trial, model = stored.result.trial, stored.result.model
    off = off_outputs(trial, (stored.result.sides, stored.origin), (by_static.result.sides, by_static.origin), settings)
    if off is None:
        is_static = static is None or not stores_the_same(static.path, model, trial.parameters)
        why = "the static fits the trial" if is_static else "the static stores the same calibration as the trial"
        why = f"no file stores angles that show which is better, and {why}"
    else:
        is_static, why = off.static_deg <= off.stored_deg, off.words
    effect = largest_differences(stored.result.sides, by_static.result.sides)
    why = f"{why}; they differ by up to {effect.angle_deg:.1f}° ({effect.angle})"
    return _better(is_static, given, why, (by_static if is_static else stored).result)


def _better(is_static: bool, static: Path, why: str, result: Result) -> Better:
    """The choice in words, and as a note where `result`, which is used, has none of it."""
    codes = {note.code for note in result.notes}
    if is_static:
        note = Note("calibration_conflict", f"the static is used, not the calibration that the trial stores: {why}")
        return Better(True, f"{static}: {why}", () if codes & {note.code, "measurements_differ"} else (note,))
    note = Note("file_beside", f"{static} was found and not used: {why}", cure=as_option("--static", static))
    return Better(
        False, f"none: {why}; {static} is not used", () if codes & {note.code, "calibration_conflict"} else (note,)
    )
