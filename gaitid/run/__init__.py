"""One trial in, its files out: `gaitid run` as a function, and what a record was made from, found again (`recorded`).

It puts the rooms below in order and knows nothing of physics; it prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.body.joints import Calibration
from gaitid.disk.atomic import refuse_places, write_all
from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError, ReadError, SubjectError, TrialError
from gaitid.inputs import (
    found_trial,
    input_record,
    load_files_beside,
    loads_beside,
    named,
    osim_beside,
    refuse_to_overwrite,
    sha256,
    static_beside,
)
from gaitid.model.nexus_subject import mp_beside
from gaitid.notes import Note, Notes, note, phrase
from gaitid.read import read_trial
from gaitid.records import frozen_dataclass
from gaitid.run.files import (
    estimate_of,
    file_contents,
    files_read,
    inputs_of,
    parts_of,
    put_in_place,
    record_of,
    refuse_to_replace_inputs,
    result_names,
)
from gaitid.run.setup import Setup, TrialRead, model_inputs, prepare, with_files_beside, with_laboratory, with_model
from gaitid.settings import RunOptions
from gaitid.trial import Trial
from gaitid.version import __version__

if TYPE_CHECKING:
    from gaitid.analysis.choice import Choice
    from gaitid.analysis.pipeline import Pipeline
    from gaitid.analysis.result import Result
    from gaitid.read.tables.body_load import BodyLoad


__all__ = [
    "RunOptions",
    "Setup",
    "analyse_file",
    "analyse_trial",
    "calibrate_file",
    "estimate_of",
    "file_contents",
    "files_read",
    "inputs_of",
    "model_inputs",
    "notes_of_trial",
    "parts_of",
    "prepare",
    "put_in_place",
    "read_with",
    "record_of",
    "refuse_to_replace_inputs",
    "run_file",
    "sessions",
    "with_chosen_model",
    "with_files_beside",
    "with_laboratory",
    "with_model",
]


# --- the model of a session -----------------------------------------------------------------------------------


def sessions(paths: Iterable[Path]) -> dict[Path, tuple[Path, ...]]:
    """For each trial those of its session: the trials of one command that lie in one folder."""
    paths = list(paths)
    of_folder: dict[Path, list[Path]] = {}
    for path in paths:
        of_folder.setdefault(path.parent, []).append(path)
    return {path: tuple(of_folder[path.parent]) for path in paths}


def with_chosen_model(setup: Setup, path: Path, session: tuple[Path, ...] = ()) -> Setup:
    """The same with the model of a trial's session, where that is to be chosen.

    Parameters
    ----------
    setup : Setup
    path : Path
        The trial.
    session : tuple of Path
        All trials that are to have the same model; a trial that the session's model does not fit is refused then.

    Raises
    ------
    GaitidError
        No model fits, with what each lacks in this trial.
    """
    if setup.model is not None:
        return setup
    state = file_state(found_trial(path))
    trial = read_with(path, setup.options)
    settled, pipeline = _settled(setup, trial, session)
    return replace(settled, read=TrialRead(path, state, trial, pipeline))


def _settled(setup: Setup, trial: Trial, session: tuple[Path, ...] = ()) -> tuple[Setup, Pipeline | None]:
    """`with_chosen_model` for a trial that was read, and what the model finds in it, where that is known."""
    from gaitid.analysis.choice import family, refusal, subject_of
    from gaitid.analysis.pipeline import Pipeline

    options = setup.options
    choice = None
    if len(session) > 1:
        known = _choices(_Session(setup, replace(options, command=(), assign=(), corrections=None), session))
        choice = known.get(family(trial))
    alone = choice is None
    choice = choice or _chosen(setup, [trial])
    model = choice.model
    pipeline = choice.pipelines[0] if alone and choice.pipelines else None
    if not alone:
        subject, static = subject_of(setup.subject_content, model), choice.static or setup.static
        pipeline = Pipeline(trial=trial, model=model, subject_file=subject, static=static, marker_set=setup.marker_set)
        fault = refusal(pipeline)
        if fault is not None and not isinstance(fault, SubjectError):
            raise TrialError(
                f"the model of its session, {model.name}, does not fit: {fault.wrong}",
                todo="run this trial by itself, with another --model",
            )
    command = options.command
    if command:  # one that makes the same again has the model's name
        words = [word for i, word in enumerate(command) if word != "--model" and command[i - 1 : i] != ("--model",)]
        command = (*words, "--model", model.name)
        if choice.static is not None:
            command = (*command, "--static", str(choice.static.path))
    options = replace(options, command=command)
    if choice.static is not None:
        path = choice.static.path
        setup = replace(setup, static=choice.static, inputs=(*setup.inputs, input_record("static", path)))
        options = replace(options, static=path)
    setup = replace(setup, notes=(*setup.notes, *choice.notes))
    named_model = replace(setup, options=options, choice=choice._replace(pipelines=()))
    return with_model(named_model, model), pipeline


@frozen_dataclass(eq=False)
class _Session:
    """A session as one command sees it; equal where the answer of `_choices` is the same."""

    setup: Setup
    options: RunOptions
    trials: tuple[Path, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Session) and (self.options, self.trials) == (other.options, other.trials)

    def __hash__(self) -> int:
        return hash((self.options.static, self.options.subject, self.trials))


@lru_cache(maxsize=64)
def _choices(session: _Session) -> dict[str, Choice]:
    """The model of the trials with labels of each marker set; none where no model fits any of them."""
    from gaitid.analysis.choice import family

    # forces and plates belong to one trial; which model fits depends on markers
    options = replace(session.options, forces=None, plates=None, events=None)
    families: dict[str, list[Trial]] = {}
    for path in session.trials:
        with suppress(GaitidError):  # refused by name when it is its turn
            trial = read_with(path, options)
            families.setdefault(family(trial), []).append(trial)
    choices: dict[str, Choice] = {}
    for name, trials in families.items():
        with suppress(GaitidError):
            choices[name] = _chosen(session.setup, trials)._replace(pipelines=())  # as large as the trials
    return choices


def _chosen(setup: Setup, trials: Sequence[Trial]) -> Choice:
    from gaitid.analysis.choice import Recording, choose_model

    options = setup.options
    recordings = [Recording(trial, setup.static) for trial in trials]
    path = trials[0].path
    if setup.static is None and static_beside(path) is None and (osim := osim_beside(path)):
        return _with_osim(setup, trials, osim)
    try:
        return choose_model(recordings, options.overrides, setup.marker_set, setup.subject_content)
    except TrialError as error:
        lies = None if options.static is not None else static_beside(trials[0].path)
        hints = [] if lies is None else [note("file_beside/static", name=lies.name, path=lies).text]
        if not hints or setup.subject_given:
            raise
        todo = "; ".join([*hints, error.todo])
        raise TrialError(error.wrong, expected=error.expected, found=error.found, todo=todo) from None


def _with_osim(setup: Setup, trials: Sequence[Trial], osim: Path) -> Choice:
    """As `_chosen`, with an OpenSim model that lies beside the trials where no model gives all without it."""
    from gaitid.analysis.choice import Recording, by_osim, choose_model
    from gaitid.analysis.recorded import MarkersLackError

    overrides, content, choice, refused = setup.options.overrides, setup.subject_content, None, TrialError("")
    try:
        choice = choose_model([Recording(trial, None) for trial in trials], overrides, setup.marker_set, content)
        if not choice.model.caution:
            return choice
    except TrialError as error:
        refused = error
    try:
        return by_osim(trials, named(osim, partial(read_trial, osim)), overrides, content)
    except MarkersLackError:  # another recording's
        unfit: Notes = ()
    except GaitidError as error:
        unfit = (note("file_beside/worse", path=osim, why=error.line()),)
    if choice is not None:
        return choice._replace(notes=unfit)
    todo = "; ".join([*(said.text for said in unfit), refused.todo])
    raise TrialError(refused.wrong, expected=refused.expected, found=refused.found, todo=todo)


def read_with(path: Path, options: RunOptions) -> Trial:
    """A trial read as the options say."""
    path = found_trial(path)
    trial = read_trial(
        path, forces=options.forces, plates=options.plates, events=options.events, settings=options.reader
    )
    if trial.scaled is not None:
        raise ReadError("an OpenSim model, no trial", todo="give it as --static of a trial with its markers")
    # a table has no place to say so: the files that lie beside it do
    if path.suffix.lower() != ".c3d" and (beside := load_files_beside(path)):
        trial = replace(trial, loaded=tuple((segment, file.name) for segment, file in beside))
    corrections = options.input_files.get("corrections")
    if corrections is None:
        return trial
    from gaitid.analysis.corrections import read_corrections

    return read_corrections(corrections, trial, sha256(path))


def analyse_file(path: Path, setup: Setup) -> Result:
    """Read and analyse one trial."""
    setup = with_chosen_model(setup, path)
    before = file_state(found_trial(path))
    read, pipeline = setup.read, None
    if read is not None and (read.path, read.state) == (path, before):
        trial, pipeline = read.trial, read.pipeline
    else:
        trial = read_with(path, setup.options)
    result = _analysed(trial, setup, pipeline)
    if file_state(found_trial(path)) != before:  # else the record's hash would be of other bytes than were read
        raise ReadError("the file changed while it was read", todo="run again when nothing writes to it any more")
    return _with_notes(path, result, setup)


def analyse_trial(trial: Trial, setup: Setup) -> tuple[Result, Setup]:
    """Analyse a trial that is in memory already, with the model chosen for it where none is named."""
    pipeline = None
    if setup.model is None:
        setup, pipeline = _settled(setup, trial)
    return _with_notes(trial.path, _analysed(trial, setup, pipeline), setup), setup


def _analysed(trial: Trial, setup: Setup, pipeline: Pipeline | None) -> Result:
    from gaitid.analysis.corrections import contacts_by_hand
    from gaitid.analysis.pipeline import Pipeline

    options = setup.options
    assert setup.model is not None  # settled
    if setup.functional is not None:
        from gaitid.analysis.functional import refuse_other_pelvis

        refuse_other_pelvis(setup.functional, trial, setup.marker_set)
    loads = loads_of(trial, options)
    if pipeline is None:
        pipeline = Pipeline(
            trial=trial, model=setup.model, subject_file=setup.subject, static=setup.static, marker_set=setup.marker_set
        )
    if options.postures_only and trial.loaded:
        pipeline = pipeline.with_("recorded", "found", trial=replace(trial, loaded=()))
    by_hand = (*options.assign, *contacts_by_hand(trial))
    how = {"solver": options.solver, "require_forces": options.require_forces, "by_hand": by_hand}
    how |= {"laboratory": setup.laboratory, "emg_reference": setup.emg_reference}
    how |= {"stability": "stability" in options.write}
    how |= {"estimate_loads": options.estimate_loads or options.estimated_too, "estimated_too": options.estimated_too}
    return pipeline.with_(given_loads=loads, **how).make_all().result


def loads_of(trial: Trial, options: RunOptions) -> tuple[tuple[str, BodyLoad], ...]:
    """The measured loads on segments that were given, by the word that names the segment."""
    if not options.loads:
        return ()
    from gaitid.read.tables.body_load import read_body_load

    last_s = (trial.n_frames - 1) / trial.rate_hz
    return tuple((segment, read_body_load(file, last_s)) for segment, file in options.loads)


def _with_notes(path: Path, result: Result, setup: Setup) -> Result:
    """The result with what its command, its statics and what lies beside it give to say."""
    from gaitid.analysis.judge import judged
    from gaitid.statics import notes_of_statics

    options = setup.options
    assert setup.model is not None  # settled
    subject_given = setup.subject_given
    of_statics = notes_of_statics(path, result, options.reader, subject_given, options.beside)
    notes = (*setup.notes, *of_statics)
    if not subject_given and not result.trial.parameters and result.trial.measured_in is None:
        n_files = len(mp_beside(path, result.trial.names))
        notes += (note("file_beside/subjects", n=n_files),) if n_files > 1 else ()
    if setup.chosen_because and not subject_given:
        notes = (*notes, *loads_beside(found_trial(path), options.forces))
    of_result = result.notes if setup.choice is None else setup.choice.with_cure(result.notes)
    if setup.chosen_because and any(note.code == "file_beside" for note in notes):
        of_result = tuple(map(partial(_cured_by_static, static=static_beside(found_trial(path))), of_result))
    return judged(result, (*notes, *of_result)) if notes or of_result is not result.notes else result


def _cured_by_static(note: Note, static: Path | None) -> Note:
    """What the model that was chosen without a static lacks may be had with the one beside the trial."""
    if note.code != "model_limits" or static is None:
        return note
    return note._replace(cure=phrase("cure/beside", path=static, other=note.cure))


def notes_of_trial(result: Result, setup: Setup) -> Notes:
    """What is worth saying of the trial itself: not what was said of the command as a whole."""
    return tuple(note for note in result.notes if note not in setup.notes)


def calibrate_file(static: Path, output: Path, options: RunOptions) -> Result:
    """Analyse a static trial as its own calibration, and write what its session needs as a subject file.

    Raises
    ------
    GaitidError
        No model fits, the static cannot be used, or the file cannot be written; nothing is written then.
    """
    from gaitid.body.subject_file import subject_text

    refuse_to_overwrite([output], files_read(static, options))
    if static.suffix.lower() == ".osim":
        raise ReadError("an OpenSim model is a calibration already", todo="give it as --static of each trial")
    setup = with_chosen_model(prepare(options), static)
    result = analyse_file(static, setup)
    made_by = {
        "made_by": f"gaitid {__version__}",
        "static": input_record("static", static, found_trial(static)) | {"model_chosen": setup.chosen_because},
    }
    calibration = result.body.geometry.calibration or Calibration()
    text = subject_text(result.model, result.subject, calibration, made_by)
    write_all(output.parent, {output.name: text})
    return result


def run_file(
    path: Path,
    folder: Path,
    setup: Setup,
    placed: Callable[[], object] = lambda: None,
    accept: Callable[[Result], Result] = lambda result: result,
) -> tuple[Result, list[Path]]:
    """Analyse one trial and write its files.

    `accept` may add notes to a result, or refuse it by an error, before anything is written; `placed` is called when
    all is in place.

    Returns
    -------
    result : Result
    files : list of Path

    Raises
    ------
    GaitidError
        What the trial or the folder refuses; nothing is written then.
    """
    setup = with_chosen_model(setup, path)
    refuse_to_replace_inputs(folder, path, setup)
    refuse_places(folder, result_names(path.stem, setup.options))
    result = accept(analyse_file(path, setup))
    contents = file_contents(path.stem, result, setup, inputs_of(path, result, setup))
    return result, put_in_place(folder, contents, setup.options, placed)
