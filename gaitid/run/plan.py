"""A trial and the options of a run -> what the run would read, assume and write, or why it would refuse: `--dry-run`.

It goes as far as markers and measurements suffice for the model and the static stands; it solves nothing, and writes
nothing. What only the run finds is in `NOT_KNOWN_BEFORE`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.body.subject import Measured
from gaitid.disk.atomic import refuse_places
from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError, TrialError
from gaitid.inputs import found_trial, loads_beside, static_beside
from gaitid.model import specs
from gaitid.notes import Notes
from gaitid.read.assignments import enf_files, forces_of
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.run import loads_of, read_with, with_chosen_model
from gaitid.run.files import refuse_to_replace_inputs, result_names
from gaitid.run.setup import Setup, with_files_beside
from gaitid.trial import Trial
from gaitid.write import BANDS, WRITE

if TYPE_CHECKING:
    from gaitid.analysis.found import Found

#: What no look at a trial tells, in words.
NOT_KNOWN_BEFORE = (
    "contacts, and which foot was on which plate",
    "gaps that can be filled and labels that are not believed",
    "the filter that auto takes",
    "plates that do not fit the feet",
    "whether the static is of the same person",
    "the body's mass where only plates say it",
    "the verdict",
)


class FileRead(NamedTuple):
    """A file that the run reads.

    Attributes
    ----------
    role : str
        As in a record: ``trial``, ``static``, ``model``, …
    path : Path
    size_bytes : int or None
        None where it cannot be had.
    why : str
        Where nobody named the file: what it is read for.
    """

    role: str
    path: Path
    size_bytes: int | None
    why: str = ""


class FileWritten(NamedTuple):
    """A file of the result: what becomes of it, and whether one of that name is there."""

    path: Path
    exists: bool


class Setting(NamedTuple):
    """A setting or a choice that is not the default's; `by`: who says so."""

    name: str
    value: object
    default: object
    by: str


@frozen_dataclass(eq=False)
class Plan:
    """What a run would do with a trial, as far as that is known without solving.

    Attributes
    ----------
    path : Path
    reads : tuple of FileRead
    trial : Trial or None
        None where it cannot be read.
    model : Model or None
        Bound to the trial's labels where they suffice; None where none is known.
    chosen_because : str
        Why this model, where it was chosen.
    measured : mapping of str to Measured
        Of the subject, SI.
    legs : tuple of str
        The sides with the markers that the model needs.
    vertical : str
        How it was found.
    settings : tuple of Setting
    notes : Notes
        What is assumed, and what is doubtful, so far.
    static_beside : Path or None
        A static that lies beside the trial, and that nobody gave.
    writes : tuple of FileWritten
    removes : tuple of Path
        Tables of an earlier run that this one does not make.
    refused : GaitidError or None
    """

    path: Path
    reads: tuple[FileRead, ...]
    trial: Trial | None = None
    model: specs.Model | None = None
    chosen_because: str = ""
    measured: Mapping[str, Measured] | None = None
    legs: tuple[str, ...] = ()
    vertical: str = ""
    settings: tuple[Setting, ...] = ()
    notes: Notes = ()
    static_beside: Path | None = None
    writes: tuple[FileWritten, ...] = ()
    removes: tuple[Path, ...] = ()
    refused: GaitidError | None = None


def plan_file(path: Path, folder: Path | None, setup: Setup, session: tuple[Path, ...] = ()) -> Plan:
    """What `run_file` would do, without doing it.

    Parameters
    ----------
    path : Path
        The trial.
    folder : Path or None
        Of the files; None where the wrenches go to stdout.
    setup : Setup
    session : tuple of Path
        Trials that get the same model (`with_chosen_model`).
    """
    setup = with_files_beside(setup, path)
    plan = Plan(path, (*_reads(path, setup),), writes=(*_writes(path, folder, setup),))
    try:
        trial = read_with(path, setup.options)
        plan = replace(plan, trial=trial, static_beside=_static_beside(path, setup))
        settled = with_chosen_model(setup, path, session)
        model = settled.model
        assert model is not None  # settled
        # the model that was chosen is among the files that are read
        beside = [_file("measurements", file, "the subject") for file in [trial.measured_in] if file is not None]
        plan = replace(plan, reads=(*_reads(path, settled), *beside), model=model)
        plan = replace(plan, chosen_because=settled.chosen_because)
        plan = replace(plan, settings=(*_settings(model, settled),), removes=(*_removes(path, folder, settled),))
        if folder is not None:
            refuse_to_replace_inputs(folder, path, settled)
            refuse_places(folder, [file.path.name for file in plan.writes])
        return _with_body(plan, trial, settled)
    except GaitidError as error:
        return replace(plan, refused=error)


def _with_body(plan: Plan, trial: Trial, settled: Setup) -> Plan:
    """The plan with what the model finds in the trial and its static.

    Raises
    ------
    GaitidError
        As the run would.
    """
    from gaitid.analysis.corrections import contacts_by_hand
    from gaitid.analysis.pipeline import Pipeline
    from gaitid.ground.by_hand import assigned_frames

    assert settled.model is not None
    options, read = settled.options, settled.read
    pipeline = read.pipeline if read is not None else None
    pipeline = pipeline or Pipeline(
        trial=trial,
        model=settled.model,
        subject_file=settled.subject,
        static=settled.static,
        marker_set=settled.marker_set,
    )
    found = pipeline.found
    notes = (*trial.notes, *found.notes, *found.subject.notes)
    if settled.chosen_because and settled.subject_given is None:
        notes = (*notes, *loads_beside(found_trial(plan.path), options.forces))
    plan = replace(
        plan,
        model=found.model,
        measured=found.subject.measured,
        legs=tuple(found.needs),
        vertical=found.up_words,
        notes=notes,
    )
    pipeline.with_(given_loads=loads_of(trial, options)).calibration  # noqa: B018 - which refuses loads and statics
    assigned_frames((*options.assign, *contacts_by_hand(trial)), trial, list(found.needs))
    _refuse_without_forces(trial, found, options.require_forces)
    return plan


def _refuse_without_forces(trial: Trial, found: Found, required: bool) -> None:
    if required and found.model.touches_ground and not trial.plates:
        raise TrialError(
            "no usable force plate in the trial",
            expected="at least one foot with a known load",
            todo="leave out --require-forces",
        )


# --- files --------------------------------------------------------------------------------------------------


def _reads(path: Path, setup: Setup) -> Iterator[FileRead]:
    options = setup.options
    yield _file("trial", path)
    yield from (_file(role, file) for role, file in options.input_files.items())
    yield from (_file("forces", file, "beside it") for file in forces_of(found_trial(path), options.forces))
    yield from (_file("load", file, f"on {segment}") for segment, file in options.loads)
    for i, file in enumerate(setup.model.paths if setup.model is not None else ()):
        last = setup.model is not None and i == len(setup.model.paths) - 1
        yield _file("table" if last else "model", file)
    yield from (_file("assignments", file, "which foot was on which plate") for file in enf_files(path))


def _file(role: str, path: Path, why: str = "") -> FileRead:
    state = file_state(found_trial(path))
    return FileRead(role, path, None if state is None else state[2], why)


def _static_beside(path: Path, setup: Setup) -> Path | None:
    if setup.options.static is not None or setup.subject_given:
        return None
    return static_beside(found_trial(path))


def _writes(path: Path, folder: Path | None, setup: Setup) -> Iterator[FileWritten]:
    for name in result_names(path.stem, setup.options) if folder is not None else ():
        assert folder is not None
        yield FileWritten(folder / name, os.path.lexists(folder / name))


def _removes(path: Path, folder: Path | None, setup: Setup) -> Iterator[Path]:
    """As `put_in_place` does it."""
    if folder is None or not (folder / f"{path.stem}.run.json").is_file():
        return
    asked = result_names(path.stem, setup.options)
    for name in (*WRITE, *BANDS):
        table = folder / f"{path.stem}.{name}.csv"
        if table.name not in asked and os.path.lexists(table):
            yield table


# --- settings -----------------------------------------------------------------------------------------------


def _settings(model: specs.Model, setup: Setup) -> Iterator[Setting]:
    defaults: Mapping[str, Any] = specs.Settings()._asdict()
    for name, value in model.settings._asdict().items():
        if value != defaults[name]:
            given = name in setup.options.overrides
            yield Setting(name, value, defaults[name], "given" if given else "by the model")
    for name, chosen in model.choices.items():
        if chosen.by == specs.BY_USER:
            yield Setting(name, chosen.option, "", "given")
