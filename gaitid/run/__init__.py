"""One trial in, its files out: `gaitid run` as a function, and the same trial again from a record (`again`).

It puts the rooms below in order and knows nothing of physics; it prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.analysis.result import Result
from gaitid.body.frames import Calibration
from gaitid.body.subject import SubjectFile
from gaitid.disk.atomic import write_all
from gaitid.errors import GaitidError, ReadError, SubjectError, TrialError
from gaitid.ground.claims import ByHand
from gaitid.inputs import (
    file_state,
    found_trial,
    input_record,
    loads_beside,
    named,
    refuse_to_overwrite,
    static_beside,
    static_unused,
)
from gaitid.model import AUTO
from gaitid.model.hidden import about_hidden, hidden_model
from gaitid.model.load import bundled_models, find_model, load_model
from gaitid.model.specs import Model
from gaitid.notes import Note, Notes, as_option
from gaitid.read import read_trial
from gaitid.read.assignments import enf_files
from gaitid.read.settings import SETTINGS, ReaderSettings
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Trial
from gaitid.version import __version__
from gaitid.write import DEFAULT_FRAMES, TABLES, WRITE

if TYPE_CHECKING:
    from gaitid.analysis import pipeline
    from gaitid.analysis.choice import Choice
    from gaitid.analysis.contributions import Parts
    from gaitid.model.marker_sets import MarkerSet


@frozen_dataclass()
class RunOptions:
    """Everything that is the same for all trials of one command."""

    model: str = AUTO
    static: Path | None = None
    markers: Path | None = None
    subject: Path | None = None
    forces: Path | None = None
    plates: Path | None = None
    express_in: tuple[str, ...] = DEFAULT_FRAMES
    overrides: Mapping[str, Any] = field(default_factory=dict)
    solver: str = "block"
    require_forces: bool = False
    write: tuple[str, ...] = ()
    keep_names: bool = False
    by_hand: tuple[ByHand, ...] = ()
    command: tuple[str, ...] = ()
    contributions: bool = False
    observer: str | None = None
    reader: ReaderSettings = field(default_factory=ReaderSettings)
    beside: Path | None = None  # a static that `batch` found and that is not used; `run` looks beside the trial


@frozen_dataclass()
class Prepared:
    """What is read once for all trials of one command.

    Attributes
    ----------
    options : RunOptions
    model : Model or None
        None where it is to be chosen for each session (`settle`).
    subject : SubjectFile
    static : Trial or None
    inputs : tuple of mappings
        Of every file but the trial, for the record.
    notes : Notes
    marker_set : MarkerSet or None
        What the user says of labels.
    chosen_because : str
        Why the model was chosen, where nobody named it.
    read : ReadBefore or None
        A trial that was read to choose its model: not read again.
    measurements : mapping or None
        What a caller says of the subject, in the keys of a subject file.
    """

    options: RunOptions
    model: Model | None
    subject: SubjectFile
    static: Trial | None
    inputs: tuple[Mapping[str, str], ...]
    notes: Notes = ()
    marker_set: MarkerSet | None = None
    chosen_because: str = ""
    read: ReadBefore | None = None
    measurements: Mapping[str, Any] | None = None

    @property
    def subject_given(self) -> Path | Mapping[str, Any] | None:
        """The subject file, or what a caller says in its place."""
        return self.options.subject if self.measurements is None else self.measurements


class ReadBefore(NamedTuple):
    """A trial, the state of its file when it was read, and what the model that was chosen finds in it."""

    path: Path
    state: tuple[int, ...] | None
    trial: Trial
    found: pipeline.Prepared | None


def prepare(options: RunOptions) -> Prepared:
    """Read the model, unless it is to be chosen, the subject and the static.

    Raises
    ------
    GaitidError
        Any of them cannot be used; the message begins with its file.
    """
    model = None
    notes: Notes = ()
    inputs: list[Mapping[str, str]] = []
    if options.model != AUTO:
        hidden = hidden_model(options.model)
        model = about_hidden(options.model, lambda: load_model(options.model, options.overrides, SETTINGS))
        if hidden:
            notes = (Note("model_hidden", f"using ./{find_model(options.model)}, not the bundled {hidden}"),)
        if model.paths[0] not in bundled_models().values():
            from gaitid.model.unused import unused_markers

            notes += unused_markers(model)
        inputs += _model_inputs(model)
    marker_set = None
    if options.markers is not None:
        from gaitid.model.marker_sets import find_marker_set, load_marker_set

        file = find_marker_set(str(options.markers))
        marker_set = load_marker_set(file)
        from gaitid.model.unused import unknown_landmarks

        notes += unknown_landmarks(marker_set, model)
        inputs.append(input_record("markers", file))
    subject = SubjectFile()
    if options.subject is not None:
        if model is not None:
            from gaitid.body.subject_file import read_subject

            subject = read_subject(options.subject, model)
        inputs.append(named(options.subject, partial(input_record, "subject", options.subject)))
    if options.observer is not None and model is not None:
        from gaitid.analysis.contributions import check_observer

        check_observer(options.observer, model)
    static = None
    if options.static is not None:
        path = options.static
        static = named(path, lambda: read_trial(found_trial(path), settings=options.reader))
        inputs.append(input_record("static", path, found_trial(path)))
    for role, extra in (("forces", options.forces), ("plates", options.plates)):
        if extra is not None:
            inputs.append(named(extra, partial(input_record, role, extra)))
    return Prepared(options, model, subject, static, tuple(inputs), notes, marker_set)


def _model_inputs(model: Model) -> list[Mapping[str, str]]:
    return [input_record("model" if i < len(model.paths) - 1 else "table", p) for i, p in enumerate(model.paths)]


# --- the model of a session -----------------------------------------------------------------------------------


def sessions(paths: Iterable[Path]) -> dict[Path, tuple[Path, ...]]:
    """For each trial those of its session: the trials of one command that lie in one folder."""
    paths = list(paths)
    of_folder: dict[Path, list[Path]] = {}
    for path in paths:
        of_folder.setdefault(path.parent, []).append(path)
    return {path: tuple(of_folder[path.parent]) for path in paths}


def settle(prepared: Prepared, path: Path, session: tuple[Path, ...] = ()) -> Prepared:
    """The same with the model of a trial's session, where that is to be chosen.

    Parameters
    ----------
    prepared : Prepared
    path : Path
        The trial.
    session : tuple of Path
        All trials that are to have the same model; a trial that the session's model does not fit is refused then.

    Raises
    ------
    GaitidError
        No model fits, with what each lacks in this trial.
    """
    if prepared.model is not None:
        return prepared
    state = file_state(found_trial(path))
    trial = _read(path, prepared.options)
    settled, found = _settled(prepared, trial, session)
    return replace(settled, read=ReadBefore(path, state, trial, found))


def _settled(
    prepared: Prepared, trial: Trial, session: tuple[Path, ...] = ()
) -> tuple[Prepared, pipeline.Prepared | None]:
    """`settle` for a trial that was read, and what the model finds in it, where that is known."""
    from gaitid.analysis.choice import family, subject_of
    from gaitid.analysis.pipeline import prepared_or_fault

    options = prepared.options
    choice = None
    if len(session) > 1:
        known = _choices(_Session(prepared, replace(options, command=(), by_hand=()), session))
        choice = known.get(family(trial))
    alone = choice is None
    choice = choice or _chosen(prepared, [trial])
    model, because = choice.model, choice.because
    found = choice.prepared[0] if alone and choice.prepared else None
    if not alone:
        subject = subject_of(prepared.subject_given, model)
        answer = prepared_or_fault(trial, model, subject, prepared.static, prepared.marker_set)
        if isinstance(answer, GaitidError) and not isinstance(answer, SubjectError):
            raise TrialError(
                f"the model of its session, {model.name}, does not fit: {answer.wrong}",
                todo="give this trial a model of its own with --model",
            )
        found = None if isinstance(answer, GaitidError) else answer
    command = options.command
    if command:  # one that makes the same again has the model's name
        words = [word for i, word in enumerate(command) if word != "--model" and command[i - 1 : i] != ("--model",)]
        command = (*words, "--model", model.name)
    named_model = replace(prepared, options=replace(options, command=command), chosen_because=because)
    return with_model(named_model, model), found


def with_model(prepared: Prepared, model: Model) -> Prepared:
    """The same with this model, what it reads of the subject, and its files among the inputs."""
    from gaitid.analysis.choice import subject_of

    if prepared.options.observer is not None:
        from gaitid.analysis.contributions import check_observer

        check_observer(prepared.options.observer, model)
    subject = subject_of(prepared.subject_given, model)
    return replace(prepared, model=model, subject=subject, inputs=(*_model_inputs(model), *prepared.inputs))


@frozen_dataclass(eq=False)
class _Session:
    """A session as one command sees it; equal where the answer of `_choice` is the same."""

    prepared: Prepared
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
    options = replace(session.options, forces=None, plates=None)
    families: dict[str, list[Trial]] = {}
    for path in session.trials:
        with suppress(GaitidError):  # refused by name when it is its turn
            trial = _read(path, options)
            families.setdefault(family(trial), []).append(trial)
    choices: dict[str, Choice] = {}
    for name, trials in families.items():
        with suppress(GaitidError):
            choices[name] = _chosen(session.prepared, trials)._replace(prepared=())  # as large as the trials
    return choices


def _chosen(prepared: Prepared, trials: Sequence[Trial]) -> Choice:
    from gaitid.analysis.choice import Recording, choose_model

    options = prepared.options
    recordings = [Recording(trial, prepared.static) for trial in trials]
    try:
        return choose_model(recordings, options.overrides, prepared.marker_set, prepared.subject_given)
    except TrialError as error:
        lies = None if options.static is not None else static_beside(trials[0].path)
        hints = [] if lies is None else [static_unused(lies).text]
        if not hints or prepared.subject_given is not None:
            raise
        todo = "; ".join([*hints, error.todo])
        raise TrialError(error.wrong, expected=error.expected, found=error.found, todo=todo) from None


def _read(path: Path, options: RunOptions) -> Trial:
    return read_trial(found_trial(path), forces=options.forces, plates=options.plates, settings=options.reader)


def analyse_file(path: Path, prepared: Prepared) -> Result:
    """Read and analyse one trial."""
    prepared = settle(prepared, path)
    before = file_state(found_trial(path))
    read, found = prepared.read, None
    if read is not None and (read.path, read.state) == (path, before):
        trial, found = read.trial, read.found
    else:
        trial = _read(path, prepared.options)
    result = _analysed(trial, prepared, found)
    if file_state(found_trial(path)) != before:  # else the record's hash would be of other bytes than were read
        raise ReadError("the file changed while it was read", todo="run again when nothing writes to it any more")
    return _with_notes(path, result, prepared)


def analyse_trial(trial: Trial, prepared: Prepared) -> tuple[Result, Prepared]:
    """Analyse a trial that is in memory already, with the model chosen for it where none is named."""
    found = None
    if prepared.model is None:
        prepared, found = _settled(prepared, trial)
    return _with_notes(trial.path, _analysed(trial, prepared, found), prepared), prepared


def _analysed(trial: Trial, prepared: Prepared, found: pipeline.Prepared | None) -> Result:
    from gaitid.analysis.pipeline import Options, analyse, analyse_prepared

    options = prepared.options
    assert prepared.model is not None  # settled
    how = Options(options.solver, options.require_forces, options.by_hand, prepared.marker_set)
    if found is not None:
        return analyse_prepared(trial, found, prepared.static, how)
    return analyse(trial, prepared.model, prepared.subject, prepared.static, how)


def _with_notes(path: Path, result: Result, prepared: Prepared) -> Result:
    """The result with what its command, its statics and what lies beside it give to say."""
    from gaitid.analysis.judge import judged
    from gaitid.analysis.origin import Origin
    from gaitid.statics import notes_of_statics

    options = prepared.options
    assert prepared.model is not None  # settled
    subject_given = prepared.subject_given is not None
    origin = Origin(prepared.model, prepared.subject, prepared.static, prepared.marker_set)
    of_statics = notes_of_statics(path, result, origin, options.reader, subject_given, options.beside)
    notes = (*prepared.notes, *of_statics)
    if prepared.chosen_because and not subject_given:
        notes = (*notes, *loads_beside(found_trial(path), options.forces))
    of_result = result.notes
    if prepared.chosen_because and any(note.code == "file_beside" for note in notes):
        of_result = tuple(map(partial(_cured_by_static, static=static_beside(found_trial(path))), of_result))
    return judged(result, (*notes, *of_result)) if notes else result


def _cured_by_static(note: Note, static: Path | None) -> Note:
    """What the model that was chosen without a static lacks may be had with the one beside the trial."""
    if note.code != "model_limits" or static is None:
        return note
    return note._replace(cure=f"{as_option('--static', static)}, if a model with all angles and moments fits it")


def notes_of_trial(result: Result, prepared: Prepared) -> Notes:
    """What is worth saying of the trial itself: not what was said of the command as a whole."""
    return tuple(note for note in result.notes if note not in prepared.notes)


def parts_of(result: Result, options: RunOptions) -> Parts | None:
    """What each cause contributes to each joint's wrench, where it was asked for."""
    if not options.contributions:
        return None
    from gaitid.analysis.contributions import contributed

    return contributed(result, options.observer)


def inputs_of(path: Path, result: Result, prepared: Prepared) -> list[Mapping[str, str]]:
    """Every file that a result was made from, as a record names it."""
    inputs = [input_record("trial", path, found_trial(path)), *prepared.inputs]
    sources = " ".join(assignment.source for assignment in result.trial.assignments)
    return inputs + [input_record("assignments", enf) for enf in enf_files(path) if sources and enf.name in sources]


def files_read(path: Path, options: RunOptions) -> list[Path]:
    """The files that the user gave for a trial, itself first; those that were found and the model's apart."""
    given = (options.static, options.subject, options.forces, options.plates, options.markers)
    return [found_trial(path), *(found_trial(file) for file in given if file is not None)]


def calibrate_file(static: Path, output: Path, options: RunOptions) -> Result:
    """Analyse a static trial as its own calibration, and write what its session needs as a subject file.

    Raises
    ------
    GaitidError
        No model fits, the static cannot be used, or the file cannot be written; nothing is written then.
    """
    from gaitid.body.subject_file import subject_text

    refuse_to_overwrite([output], files_read(static, options))
    prepared = settle(prepare(options), static)
    result = analyse_file(static, prepared)
    made_by = {
        "made_by": f"gaitid {__version__}",
        "static": input_record("static", static, found_trial(static)) | {"model_chosen": prepared.chosen_because},
    }
    calibration = result.body.geometry.calibration or Calibration()
    text = subject_text(result.model, result.subject, calibration, made_by)
    write_all(output.parent, {output.name: text})
    return result


def command_to_keep(options: RunOptions) -> tuple[str, ...]:
    """The command as a record has it: without the name of a subject, which is a person's, unless names are kept."""
    name = options.reader.subject_prefix
    if name is None or options.keep_names:
        return options.command
    given = [i for i, word in enumerate(options.command) if word == "--subject-prefix"]
    return tuple("(not kept)" if i - 1 in given else word for i, word in enumerate(options.command))


def reader_settings(options: RunOptions) -> dict[str, Any]:
    """What a record says of how the trial's file was read."""
    name = options.reader.subject_prefix
    kept = name if options.keep_names or name is None else "given"
    return {"point_unit": options.reader.point_unit, "subject_prefix": kept}


def run_file(
    path: Path,
    folder: Path,
    prepared: Prepared,
    placed: Callable[[], object] = lambda: None,
    accept: Callable[[Result], object] = lambda result: None,
) -> tuple[Result, list[Path]]:
    """Analyse one trial and write its files.

    `accept` may refuse a result by an error before anything is written; `placed` is called when all is in place.

    Raises
    ------
    GaitidError
        What the trial or the folder refuses; nothing is written then.
    """
    prepared = settle(prepared, path)
    refuse_to_replace_inputs(folder, path, prepared)
    result = analyse_file(path, prepared)
    accept(result)
    texts = file_texts(path.stem, result, prepared, inputs_of(path, result, prepared))
    return result, put_in_place(folder, texts, prepared.options, placed)


def refuse_to_replace_inputs(folder: Path, path: Path, prepared: Prepared) -> None:
    """Raise where a file of the result of a trial would take the place of one that it is made from.

    Raises
    ------
    WriteError
    """
    assert prepared.model is not None  # settled
    results = [folder / f"{path.stem}.{name}" for name in (*(f"{table}.csv" for table in TABLES), "run.json")]
    refuse_to_overwrite(results, [*files_read(path, prepared.options), *prepared.model.paths])


def file_texts(stem: str, result: Result, prepared: Prepared, inputs: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The files of a result by their names, the record last.

    Parameters
    ----------
    stem : str
        That the names begin with.
    result : Result
    prepared : Prepared
        With a model (`settle`).
    inputs : sequence of mappings
        As `inputs_of` gives them.
    """
    from gaitid.write.tables import table_text

    options, parts = prepared.options, parts_of(result, prepared.options)
    texts = {
        f"{stem}.{table}.csv": table_text(table, result, options.express_in, parts)
        for table in TABLES
        if table not in WRITE or table in options.write
    }
    return texts | {f"{stem}.run.json": record_of(result, prepared, inputs)}


def record_of(result: Result, prepared: Prepared, inputs: Sequence[Mapping[str, str]]) -> str:
    """The text of a result's ``run.json``; parameters as of `file_texts`."""
    from gaitid.write.record import record, record_text

    options = prepared.options
    content = record(result, command_to_keep(options), inputs, options.express_in, options.keep_names)
    content["settings"] |= reader_settings(options)
    if prepared.chosen_because:
        content["model"]["chosen_because"] = prepared.chosen_because
    if options.contributions:
        from gaitid.analysis.contributions import contributions_in_words

        content["settings"] |= {"contributions": True, "observer": options.observer}
        content["conventions"]["contributions"] = contributions_in_words(options.observer)
    return record_text(content)


def put_in_place(
    folder: Path, texts: Mapping[str, str], options: RunOptions, placed: Callable[[], object] = lambda: None
) -> list[Path]:
    """Write the files of a result, and take away those of an earlier one that this one does not have.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; it is as it was before.
    """
    record = list(texts)[-1]
    again = (folder / record).is_file()
    written = write_all(folder, texts, placed)
    for name in WRITE if again else ():
        if name not in options.write:  # of an earlier run, perhaps with other settings
            (folder / f"{record.removesuffix('run.json')}{name}.csv").unlink(missing_ok=True)
    return written
