"""What a static says otherwise than the calibration that a trial stores: of one that was given, or lies beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gaitid.analysis.pipeline import pipeline_of
from gaitid.analysis.result import Result
from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError
from gaitid.inputs import found_trial, static_beside
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note
from gaitid.read import as_static, read_trial
from gaitid.trial import Trial


def notes_of_statics(
    path: Path, result: Result, settings: ReaderSettings | None, subject_given: bool, beside: Path | None = None
) -> Notes:
    """What is to be said of the static that was given, or of one beside the trial, whichever calibration is used.

    Parameters
    ----------
    path : Path
        The trial.
    result : Result
        Of the trial.
    settings : ReaderSettings, optional
        How a static is read.
    subject_given : bool
        Whether the user gave a subject file: then nobody looks for statics.
    beside : Path, optional
        A static that was found already.
    """
    # what compares two calibrations costs a millisecond to import: only where there is a static
    if pipeline_of(result).static is not None:
        from gaitid.analysis.conflict import given_static_notes

        return given_static_notes(result, settings)
    lies = beside if beside or subject_given else static_beside(found_trial(path))
    if lies is None:
        return ()
    from gaitid.analysis.stored_outputs import stores_the_same

    if stores_the_same(lies, result.model, result.trial.parameters):
        return ()
    from gaitid.analysis.conflict import static_beside_notes, stored_is_used

    if not stored_is_used(result.subject, result.model):
        return (note("file_beside/static", name=lies.name, path=lies),)
    try:
        static = _read_beside(lies, file_state(lies), settings)
    except GaitidError as error:
        return (note("file_beside/unreadable", name=lies.name, why=error.wrong),)
    return static_beside_notes(result, static, settings)


@lru_cache(maxsize=4)
def _read_beside(path: Path, state: tuple[int, ...] | None, settings: ReaderSettings | None) -> Trial:
    """A static that several trials lie beside, read once; `state` tells when it was written anew."""
    return as_static(read_trial(path, settings=settings))
