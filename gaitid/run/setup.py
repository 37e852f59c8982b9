"""What is read once for all trials of one command: `prepare(options) -> Setup`, with the model where one is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.body.subject import SubjectFile
from gaitid.disk.large_arrays import keep_freed
from gaitid.errors import GaitidError
from gaitid.inputs import corrections_beside, found_trial, input_record, laboratory_beside, named
from gaitid.model import AUTO
from gaitid.model.choices import ChoiceError
from gaitid.model.find import about_hidden, hidden_model
from gaitid.model.load import as_bundled, bundled_models, find_model, load_model
from gaitid.model.settings import ReaderSettings
from gaitid.model.specs import Model
from gaitid.notes import Notes, note
from gaitid.read import as_static, read_trial
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.settings import RunOptions
from gaitid.trial import Trial

if TYPE_CHECKING:
    from gaitid.analysis.choice import Choice
    from gaitid.analysis.functional import Functional
    from gaitid.analysis.pipeline import Pipeline
    from gaitid.faults.laboratory import Day
    from gaitid.model.marker_sets import MarkerSet
    from gaitid.uncertainty.sources import Sources


# Files that `prepare` reads; the others are read with each trial.
_READ_HERE = ("markers", "static", "subject")


class TrialRead(NamedTuple):
    """A trial, the state of its file when it was read, and its pipeline with the model that was chosen."""

    path: Path
    state: tuple[int, ...] | None
    trial: Trial
    pipeline: Pipeline | None


def no_progress(words: str) -> None:
    """Whom progress is reported to where nobody looks; with a name, so that it can be pickled."""


@frozen_dataclass()
class Setup:
    """What is read once for all trials of one command.

    Attributes
    ----------
    options : RunOptions
    model : Model or None
        None where it is to be chosen for each session (`with_chosen_model`).
    subject : SubjectFile
    static : Trial or None
    inputs : tuple of mappings
        Of every file but the trial, for the record.
    notes : Notes
    marker_set : MarkerSet or None
        What the user says of labels.
    choice : Choice or None
        What was chosen, where nobody named the model.
    read : TrialRead or None
        A trial that was read to choose its model: not read again.
    subject_given : bool
        Whether the user says something of the subject.
    subject_content : path, mapping or None
        The subject file, or what a caller says in its place, with what functional trials gave.
    sources : Sources or None
        Of uncertainty, where it was asked for.
    functional : Functional or None
        What functional trials gave; `static` shows the knees' axes then.
    chosen_by_joints : tuple of str
        Choices of the model that follow from joints that were measured, as nobody chose otherwise.
    laboratory : tuple of Day
        What is known of it.
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
    read: TrialRead | None = None
    subject_given: bool = False
    subject_content: Path | Mapping[str, Any] | None = None
    sources: Sources | None = None
    functional: Functional | None = None
    chosen_by_joints: tuple[str, ...] = ()
    laboratory: tuple[Day, ...] = ()
    emg_reference: Mapping[str, float] | None = None
    progress: Callable[[str], object] = no_progress

    @property
    def chosen_because(self) -> str:
        """Why the model was chosen; empty where somebody named it."""
        return "" if self.choice is None else self.choice.because


def prepare(options: RunOptions, static: Trial | None = None, measurements: Mapping[str, Any] | None = None) -> Setup:
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
    marker_set = functional = sources = None
    content = options.subject if measurements is None else measurements
    subject_given = content is not None
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
    if options.functional:
        functional = measure(options.functional, static, marker_set, options.reader)
        static, content = functional.static, content_with(content, functional)
        inputs += [
            input_record("functional", file, found_trial(file)) for file, _ in map(functional_file, options.functional)
        ]
    if options.uncertainty is not None:
        from gaitid.uncertainty.sources import read_sources

        sources = read_sources(options.uncertainty)
        inputs.append(input_record("uncertainty", sources.path))
        if options.repeatability is not None:
            from gaitid.uncertainty.repeatability import with_repeatability

            sources = with_repeatability(sources, options.repeatability)
    for role, extra in options.input_files.items():
        if role not in _READ_HERE:
            inputs.append(named(extra, partial(input_record, role, extra)))
    days: tuple[Day, ...] = ()
    if options.laboratory is not None:
        from gaitid.faults.laboratory_file import read_laboratory

        days = read_laboratory(options.laboratory)
    inputs += [named(file, partial(input_record, "load", file)) for _, file in options.loads]
    # what was measured in functional trials is chosen in the model, where the user chose nothing
    choices = choices_for(content)
    setup = Setup(
        replace(options, settings={**choices, **options.settings}) if choices else options,
        None,
        SubjectFile(),
        static,
        tuple(inputs),
        marker_set=marker_set,
        subject_given=subject_given,
        subject_content=content,
        sources=sources,
        functional=functional,
        chosen_by_joints=tuple(name for name in choices if name not in options.settings),
        laboratory=days,
        emg_reference=_emg_reference(options, content),
    )
    notes: Notes = ()
    model = None
    if options.model != AUTO:
        model = about_hidden(options.model, partial(_named_model, setup))
        if hidden := hidden_model(options.model):
            notes = (note("model_hidden", file=find_model(options.model), bundled=hidden),)
        if model.paths[0] not in bundled_models().values():
            from gaitid.model.load import unused_markers

            notes += unused_markers(model)
    if marker_set is not None:
        from gaitid.model.load import unknown_landmarks

        notes += unknown_landmarks(marker_set, model)
    setup = replace(setup, notes=notes)
    return setup if model is None else with_model(setup, model)


def _emg_reference(options: RunOptions, content: Path | Mapping[str, Any] | None) -> Mapping[str, float] | None:
    path = options.emg_reference
    if path is None:
        return None
    from gaitid.body.subject_file import content_of_subject
    from gaitid.gait.emg import greatest_of

    of_subject = {} if content is None else content_of_subject(content)
    emg = of_subject.get("emg") if isinstance(of_subject, Mapping) else None  # checked where the model reads it
    trial = named(path, lambda: read_trial(found_trial(path), settings=options.reader))
    return greatest_of(trial, emg if isinstance(emg, Mapping) else {})


def with_laboratory(setup: Setup, path: Path) -> Setup:
    """The same with the laboratory's file that lies beside a trial, where none was given."""
    options, file = setup.options, laboratory_beside(path)
    if options.laboratory is not None or file is None:
        return setup
    from gaitid.faults.laboratory_file import read_laboratory

    # the command makes the same again, wherever the file lies then
    command = (*options.command, "--laboratory", str(file)) if options.command else ()
    return replace(
        setup,
        options=replace(options, laboratory=file, command=command),
        laboratory=read_laboratory(file),
        inputs=(*setup.inputs, input_record("laboratory", file)),
    )


def with_files_beside(setup: Setup, path: Path) -> Setup:
    """`with_laboratory`, and with the trial's corrections that lie beside it, where none were given."""
    setup = with_laboratory(setup, path)
    options, file = setup.options, corrections_beside(path)
    if options.corrections is not None or file is None:
        return setup
    command = (*options.command, "--corrections", str(file)) if options.command else ()
    options = replace(options, corrections=file, command=command)
    return replace(setup, options=options, inputs=(*setup.inputs, input_record("corrections", file)))


def with_model(setup: Setup, model: Model) -> Setup:
    """The same with this model, what it reads of the subject, and its files among the inputs."""
    subject = SubjectFile()
    if setup.subject_content is not None:
        from gaitid.body.subject_file import read_subject

        subject = read_subject(setup.subject_content, model)
    if setup.options.observer is not None:
        from gaitid.analysis.contributions import check_observer

        check_observer(setup.options.observer, model)
    return replace(setup, model=model, subject=subject, inputs=(*model_inputs(model), *setup.inputs))


def _named_model(setup: Setup) -> Model:
    """The model that is named; refused in words of the command where it has no measured hip or knee."""
    name, overrides = setup.options.model, setup.options.overrides
    path = find_model(name)
    if not overrides and path == bundled_models().get(path.stem):
        return as_bundled(path.stem)
    try:
        return load_model(name, overrides)
    except ChoiceError as error:
        lacking = [choice for choice in setup.chosen_by_joints if error.wrong.startswith(f"--set {choice}:")]
        if not lacking:
            raise
        what = lacking[0].replace("_", " ")
        raise ChoiceError(
            f"the model {name} takes no measured {what} (from a functional trial, or the subject file)",
            todo="leave it out, or take cast, ior, helen_hayes or pig",
        ) from None


def model_inputs(model: Model) -> list[Mapping[str, str]]:
    """The files of a model and its table, as a record names them."""
    *files, table = model.paths
    roles = [
        *(("model", file) for file in files),
        ("table", table),
        *(("table", file) for file in model.table.files),
        *(("options", file) for file in model.option_files),
    ]
    return [input_record(role, file) for role, file in roles]


def given_files(options: RunOptions) -> list[Path]:
    """The files that the options of a command name, but its trials and the model's."""
    files = [*options.input_files.values()]
    if options.uncertainty is not None:
        from gaitid.uncertainty.sources import find_sources

        files.append(find_sources(options.uncertainty))
    functional = (functional_file(text).path for text in options.functional)
    return [*files, *functional, *(file for _, file in options.loads)]


# --- functional trials --------------------------------------------------------------------------------------

# What a functional joint chooses in a model (docs/choices.md), where the user did not.
_CHOICES = {"hip": "hip_centre", "knee": "knee_axis"}
_FUNCTIONAL = "functional"
_BY_HAND = "_hip_centre_"
_JOINTS = ("left_hip", "right_hip", "left_knee", "right_knee")


class FunctionalFile(NamedTuple):
    """A functional trial as given: its file, and for which joints where the user says it."""

    path: Path
    joints: tuple[str, ...]


def functional_file(text: str) -> FunctionalFile:
    """What stands behind ``--functional``: ``FILE``, or ``right_hip=FILE`` (several joints: ``left_hip+right_hip``).

    A file of that very name wins.

    Raises
    ------
    GaitidError
        Before the sign stands no joint.
    """
    joints, sign, file = text.partition("=")
    if not sign or Path(text).exists():
        return FunctionalFile(Path(text), ())
    names = tuple(joints.split("+"))
    if set(names) <= set(_JOINTS):
        return FunctionalFile(Path(file), names)
    if "/" in joints or not joints.replace("_", "").replace("+", "").isalpha():
        return FunctionalFile(Path(text), ())
    raise GaitidError(
        f"--functional {text}: {joints!r} is no joint", expected=f"FILE, or JOINT=FILE with one of {', '.join(_JOINTS)}"
    )


def measure(
    given: Sequence[str], static: Trial | None, marker_set: MarkerSet | None, reader: ReaderSettings
) -> Functional:
    """Read functional trials and measure what they are for.

    Raises
    ------
    GaitidError
        The message begins with the file.
    """
    from gaitid.analysis.functional import FunctionalTrial, measure_functional

    trials = [
        FunctionalTrial(str(path), named(path, partial(read_trial, found_trial(path), settings=reader)), joints)
        for path, joints in map(functional_file, given)
    ]
    return measure_functional(trials, static, marker_set)


def choices_for(given: Path | Mapping[str, Any] | None) -> dict[str, str]:
    """What a subject file, or its content, chooses in a model: what was measured in functional trials, or by hand."""
    if given is None or (isinstance(given, Path) and not _mentions(given)):
        return {}
    from gaitid.body.subject_file import content_of_subject

    content = content_of_subject(given)
    if not isinstance(content, Mapping):
        return {}  # refused where it is read
    calibration = content.get("calibration")
    joints = calibration.get(_FUNCTIONAL) if isinstance(calibration, Mapping) else None
    found = {_CHOICES[kind] for joint in joints or () if (kind := str(joint).rpartition("_")[2]) in _CHOICES}
    if any(_BY_HAND in str(key) for key in content):
        found.add(_CHOICES["hip"])
    return dict.fromkeys(sorted(found), _FUNCTIONAL)


def _mentions(file: Path) -> bool:
    """Whether a file may hold what `choices_for` looks for: to parse it twice would cost every run a millisecond."""
    text = found_trial(file).read_bytes() if file.is_file() else b""
    return any(word.encode() in text for word in (_FUNCTIONAL, _BY_HAND))


def content_with(given: Path | Mapping[str, Any] | None, functional: Functional) -> Mapping[str, Any]:
    """A subject file's content, or what stands for it, with what functional trials gave; what it says itself stays."""
    from gaitid.body.subject_file import SubjectContent, content_of_subject

    content = {} if given is None else content_of_subject(given)
    if not isinstance(content, Mapping):
        return SubjectContent({}, given if isinstance(given, Path) else None)  # refused where it is read
    section = content.get("calibration")
    section = dict(section) if isinstance(section, Mapping) else {}
    before = section.get(_FUNCTIONAL)
    section[_FUNCTIONAL] = {**functional.joints, **(before if isinstance(before, Mapping) else {})}
    merged = {**functional.measured, **content, "calibration": section}
    return SubjectContent(merged, given if isinstance(given, Path) else None)
