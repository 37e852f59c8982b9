"""What one command asks of its trials, and what is read once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.body.subject import SubjectFile
from gaitid.disk.large_arrays import keep_freed
from gaitid.inputs import found_trial, input_record, named
from gaitid.model import AUTO
from gaitid.model.choices import ChoiceError
from gaitid.model.find import about_hidden, hidden_model
from gaitid.model.load import as_bundled, bundled_models, find_model, load_model
from gaitid.model.specs import Model
from gaitid.notes import Notes, note
from gaitid.read import as_static, read_trial
from gaitid.read.settings import SETTINGS, ReaderSettings
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.settings import INPUT_FILES
from gaitid.trial import Trial
from gaitid.write import DEFAULT_FRAMES

if TYPE_CHECKING:
    from gaitid.analysis.choice import Choice
    from gaitid.analysis.functional import Functional
    from gaitid.analysis.pipeline import Pipeline
    from gaitid.ground.claims import ByHand
    from gaitid.model.marker_sets import MarkerSet
    from gaitid.uncertainty.sources import Sources


# Files that `prepare` reads; the others are read with each trial.
_READ_HERE = ("markers", "static", "subject")


@frozen_dataclass()
class RunOptions:
    """Everything that is the same for all trials of one command: what its options (`gaitid.settings`) mean."""

    model: str = AUTO
    static: Path | None = None
    markers: Path | None = None
    subject: Path | None = None
    forces: Path | None = None
    plates: Path | None = None
    events: Path | None = None
    express_in: tuple[str, ...] = DEFAULT_FRAMES
    overrides: Mapping[str, Any] = field(default_factory=dict)
    solver: str = "block"
    require_forces: bool = False
    write: tuple[str, ...] = ()
    keep_names: bool = False
    by_hand: tuple[ByHand, ...] = ()
    command: tuple[str, ...] = ()
    functional: tuple[str, ...] = ()  # FILE, or JOINT=FILE
    contributions: bool = False
    observer: str | None = None
    uncertainty: str | None = None  # the name or file of standard uncertainties
    reader: ReaderSettings = field(default_factory=ReaderSettings)
    loads: tuple[tuple[str, Path], ...] = ()  # segment, as --load names it, and its force file
    postures_only: bool = False  # no load is asked for: of what needs no wrenches
    beside: Path | None = None  # a static that `batch` found and does not use; `run` looks beside the trial


def nobody(words: str) -> None:
    """Whom progress is told where nobody looks."""


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
    choice : Choice or None
        What was chosen, where nobody named the model.
    read : ReadBefore or None
        A trial that was read to choose its model: not read again.
    measurements : mapping or None
        What a caller says of the subject, in the keys of a subject file.
    sources : Sources or None
        Of uncertainty, where it was asked for.
    functional : Functional or None
        What functional trials gave; `static` shows the knees' axes then.
    chosen_by_joints : tuple of str
        Choices of the model that follow from joints that were measured, as nobody chose otherwise.
    progress : callable
        Told in words how far a long computation of a trial is.
    """

    options: RunOptions
    model: Model | None
    subject: SubjectFile
    static: Trial | None
    inputs: tuple[Mapping[str, str], ...]
    notes: Notes = ()
    marker_set: MarkerSet | None = None
    choice: Choice | None = None
    read: ReadBefore | None = None
    measurements: Mapping[str, Any] | None = None
    sources: Sources | None = None
    functional: Functional | None = None
    chosen_by_joints: tuple[str, ...] = ()
    progress: Callable[[str], object] = nobody

    @property
    def chosen_because(self) -> str:
        """Why the model was chosen; empty where somebody named it."""
        return "" if self.choice is None else self.choice.because

    @property
    def subject_given(self) -> Path | Mapping[str, Any] | None:
        """The subject file, or what a caller says in its place."""
        return self.options.subject if self.measurements is None else self.measurements

    @property
    def subject_content(self) -> Path | Mapping[str, Any] | None:
        """`subject_given` with what functional trials gave."""
        if self.functional is None:
            return self.subject_given
        from gaitid.run.functional import content_with

        return content_with(self.subject_given, self.functional)


class ReadBefore(NamedTuple):
    """A trial, the state of its file when it was read, and its pipeline with the model that was chosen."""

    path: Path
    state: tuple[int, ...] | None
    trial: Trial
    pipeline: Pipeline | None


def prepare(
    options: RunOptions, static: Trial | None = None, measurements: Mapping[str, Any] | None = None
) -> Prepared:
    """Read the model, unless it is to be chosen, the subject, the static and functional trials.

    Parameters
    ----------
    options : RunOptions
    static : Trial, optional
        One that is in memory.
    measurements : mapping, optional
        What stands in a subject file, from memory.

    Raises
    ------
    GaitidError
        Any of them cannot be used; the message begins with its file.
    """
    keep_freed()
    inputs: list[Mapping[str, str]] = []
    marker_set = None
    if options.markers is not None:
        from gaitid.model.marker_sets import find_marker_set, load_marker_set

        file = find_marker_set(str(options.markers))
        marker_set = load_marker_set(file)
        inputs.append(input_record("markers", file))
    if options.subject is not None:
        inputs.append(named(options.subject, partial(input_record, "subject", options.subject)))
    if options.static is not None:
        path = options.static
        static = named(path, lambda: read_trial(found_trial(path), settings=options.reader))
        inputs.append(input_record("static", path, found_trial(path)))
    if static is not None:
        static = as_static(static, options.reader)
    functional = None
    if options.functional:
        from gaitid.run.functional import measure

        functional = measure(options.functional, static, marker_set, options.reader)
        static = functional.static
        inputs += [input_record("functional", file, found_trial(file)) for file in functional_paths(options)]
    sources = None
    if options.uncertainty is not None:
        from gaitid.uncertainty.sources import read_sources

        sources = read_sources(options.uncertainty)
        inputs.append(input_record("uncertainty", sources.path))
    for role in INPUT_FILES:
        extra = getattr(options, role)
        if extra is not None and role not in _READ_HERE:
            inputs.append(named(extra, partial(input_record, role, extra)))
    inputs += [named(file, partial(input_record, "load", file)) for _, file in options.loads]
    read = Prepared(
        options,
        None,
        SubjectFile(),
        static,
        tuple(inputs),
        marker_set=marker_set,
        measurements=measurements,
        sources=sources,
        functional=functional,
    )
    return _with_named_model(_with_choices(read))


def _with_choices(prepared: Prepared) -> Prepared:
    """The same, with what was measured in functional trials chosen in the model, where the user chose nothing."""
    if prepared.functional is None and prepared.subject_given is None:
        return prepared
    from gaitid.run.functional import choices_for

    options = prepared.options
    chosen = choices_for(prepared.subject_content)
    by_joints = tuple(name for name in chosen if name not in options.overrides)
    settled = replace(options, overrides={**chosen, **options.overrides})
    return replace(prepared, options=settled, chosen_by_joints=by_joints)


def _with_named_model(prepared: Prepared) -> Prepared:
    """The same with the model that the options name, if any, and what the subject file says in its words."""
    options, marker_set = prepared.options, prepared.marker_set
    model = None
    notes: Notes = ()
    inputs: tuple[Mapping[str, str], ...] = ()
    if options.model != AUTO:
        hidden = hidden_model(options.model)
        model = about_hidden(options.model, partial(_loaded, prepared))
        if hidden:
            notes = (note("model_hidden", file=find_model(options.model), bundled=hidden),)
        if model.paths[0] not in bundled_models().values():
            from gaitid.model.unused import unused_markers

            notes += unused_markers(model)
        inputs = tuple(model_inputs(model))
    if marker_set is not None:
        from gaitid.model.unused import unknown_landmarks

        notes += unknown_landmarks(marker_set, model)
    subject = SubjectFile()
    if model is not None and (content := prepared.subject_content) is not None:
        from gaitid.body.subject_file import read_subject

        subject = read_subject(content, model)
    if options.observer is not None and model is not None:
        from gaitid.analysis.contributions import check_observer

        check_observer(options.observer, model)
    return replace(prepared, model=model, subject=subject, inputs=(*inputs, *prepared.inputs), notes=notes)


def _loaded(prepared: Prepared) -> Model:
    """The model that is named; refused in words of the command where it has no measured hip or knee."""
    options, because = prepared.options, prepared.chosen_by_joints
    path = find_model(options.model)
    if not options.overrides and path == bundled_models().get(path.stem):
        return as_bundled(path.stem)
    try:
        return load_model(options.model, options.overrides, SETTINGS)
    except ChoiceError as error:
        lacking = [choice for choice in because if error.wrong.startswith(f"--set {choice}:")]
        if not lacking:
            raise
        what = {"hip_centre": "hip centre", "knee_axis": "knee axis"}[lacking[0]]
        raise ChoiceError(
            f"the model {options.model} takes no measured {what} (from a functional trial, or the subject file)",
            todo="leave it out, or take cast, ior, helen_hayes or pig",
        ) from None


def functional_paths(options: RunOptions) -> list[Path]:
    """The files of functional trials."""
    if not options.functional:
        return []
    from gaitid.run.functional import functional_file

    return [functional_file(text).path for text in options.functional]


def model_inputs(model: Model) -> list[Mapping[str, str]]:
    *files, table = model.paths
    roles = [
        *(("model", file) for file in files),
        ("table", table),
        *(("table", file) for file in model.table.files),
        *(("options", file) for file in model.option_files),
    ]
    return [input_record(role, file) for role, file in roles]
