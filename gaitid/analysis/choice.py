"""Which bundled model fits what trials and their static hold: `--model auto`, and what `inspect` says of each model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.recorded import MarkersLackError, bind_trial, recorded_sides
from gaitid.body.resolve import MeasurementFault, MeasurementsLackError
from gaitid.body.subject import SubjectFile
from gaitid.errors import GaitidError, SubjectError, TrialError, counted, first_few
from gaitid.ground.vertical import AxesError
from gaitid.model import AUTO, specs
from gaitid.model.choices import ChoiceError
from gaitid.model.load import as_bundled, bundled_models, load_model
from gaitid.model.marker_sets import MarkerSet, Spellings, sets_of
from gaitid.notes import Notes, note, phrase
from gaitid.read.subjects import share_a_beginning
from gaitid.records import NamedTuple
from gaitid.trial import Trial, seen_labels

#: The order in which `auto` tries models; the first that fits is taken (docs/any_lab.md). First what a laboratory that
#: records just these markers works with, then what is calibrated in a static, then what the trial alone gives; the
#: models that leave most empty come last. Who labels the places of Plug-in Gait in another way, and has medial markers
#: in the static, computes with these: there `pig` steps behind `helen_hayes`.
PRECEDENCE = ("pig", "ior", "helen_hayes", "cast", "landmarks", "segments", "keypoints", "lateral")
#: Before them, where a static shows its own markers: models that put the segments by more markers than Plug-in Gait has
#: (and of which TOE lies elsewhere), by their labels after the letter of the side.
WITH_TRACKING: Mapping[str, tuple[str, ...]] = {
    "cgm24": ("THAP", "THAD", "TIAP", "TIAD", "FMH", "VMH"),
    "cgm23": ("THAP", "THAD", "TIAP", "TIAD"),
    "oxford_foot": ("LCA", "STL", "P1M", "P5M", "D5M"),
}
#: Of these, markers that the static alone has to show.
OF_STATIC: Mapping[str, tuple[str, ...]] = {"oxford_foot": ("PCA", "D1M")}
_OTHER_LABELS = ("ior", "helen_hayes", "pig", "cast", "landmarks", "segments", "keypoints", "lateral")

# More markers than any model asks for.
_FAR = 1000


class Recording(NamedTuple):
    """A trial of a session, as far as the choice of its model needs it."""

    trial: Trial
    static: Trial | None


class Choice(NamedTuple):
    """The model of a session.

    Attributes
    ----------
    model : Model
    because : str
        In words, for the record.
    pipelines : tuple of Pipeline or None
        Of each recording, where the model fits it; empty where the subject file names the model.
    lacking, cure : str
        Which measurements of the subject, or static, a better model lacks, and lacks nothing else, and what to do; else
        empty.
    static : Trial or None
        One that nobody named, with which the model was chosen.
    notes : Notes
        Of a static that lies beside the trials and does not serve.
    """

    model: specs.Model
    because: str
    pipelines: tuple[Pipeline | None, ...] = ()
    lacking: str = ""
    cure: str = ""
    static: Trial | None = None
    notes: Notes = ()

    def with_cure(self, notes: Notes) -> Notes:
        """The notes of a result, in which that of the model's limits says what a better model lacks."""
        if not self.cure:
            return notes
        return tuple(
            note("model_limits/lacking", lacking=self.lacking, limits=said.text, cure=self.cure)
            if said.code == "model_limits"
            else said
            for said in notes
        )


def by_osim(
    trials: Sequence[Trial],
    static: Trial,
    overrides: Mapping[str, Any] | None = None,
    subject: Path | Mapping[str, Any] | None = None,
) -> Choice:
    """The choice of trials beside which a scaled OpenSim model lies, that nobody named.

    Raises
    ------
    MarkersLackError
        It does not name the markers of a leg of one of the trials.
    TrialError
        It does not fit one of them.
    """
    model = load_model(_bundled("opensim"), overrides)
    file = subject_of(subject, model)
    pipelines = tuple(Pipeline(trial=trial, model=model, subject_file=file, static=static) for trial in trials)
    for pipeline in pipelines:
        pipeline.checked  # noqa: B018 - it refuses the static
    return Choice(model, phrase("choice/beside", file=static.path.name), pipelines, static=static)


def family(trial: Trial) -> str:
    """The marker set whose labels a trial has: trials of a session that share it get one model. Empty for none."""
    sets = sets_of(Spellings(seen_labels(trial)))
    return sets[0].name if sets else ""


def choose_model(
    recordings: Sequence[Recording],
    overrides: Mapping[str, Any] | None = None,
    marker_set: MarkerSet | None = None,
    subject: Path | Mapping[str, Any] | None = None,
) -> Choice:
    """The first model of `PRECEDENCE` that fits all recordings of a session; else the first that fits most of the legs.

    A leg that lacks some of a model's markers does not fit, and does not refuse the other leg; one without any marker
    was not recorded.

    Parameters
    ----------
    recordings : sequence of Recording
    overrides : mapping, optional
        Settings that replace the models', and options of their choices; a model that has no such choice does not fit.
    marker_set : MarkerSet, optional
        What the user says of labels.
    subject : Path or mapping, optional
        The subject file or its content, which each model reads in its own words.

    Raises
    ------
    TrialError
        None fits any; what each lacks in the first recording.
    """
    models: dict[str, specs.Model] = {}
    faults: dict[str, list[GaitidError | None]] = {}
    fitting: dict[str, tuple[Pipeline | None, ...]] = {}
    if subject is not None:
        from gaitid.body.subject_file import calibrated_model

        if calibrated := calibrated_model(subject):  # what was measured in its static serves no other model
            return Choice(load_model(calibrated, overrides), phrase("choice/calibrated", model=calibrated))
    if any(r.static is not None and r.static.scaled is not None for r in recordings):
        return Choice(load_model(_bundled("opensim"), overrides), phrase("choice/opensim"))
    pig = _loaded("pig", overrides)
    order = _order(recordings, as_bundled("pig") if isinstance(pig, ChoiceError) else pig)
    for name in order:
        model = pig if name == "pig" else _loaded(name, overrides)
        if isinstance(model, ChoiceError):  # another may declare it
            faults[name], fitting[name] = [model] * len(recordings), (None,) * len(recordings)
            continue
        models[name] = model
        file = subject_of(subject, model)
        tried = [
            Pipeline(trial=trial, model=model, subject_file=file, static=static, marker_set=marker_set, both_legs=True)
            for trial, static in recordings
        ]
        faults[name] = [refusal(of) for of in tried]
        fitting[name] = tuple(map(_fitting, tried, faults[name]))
        # its markers are there, and something is wrong with them, a measurement or the axes
        wrong = [isinstance(f, MeasurementFault | AxesError) or _exchanged(f) for f in faults[name]]
        for fault, fits, known_wrong in zip(faults[name], fitting[name], wrong, strict=True):
            if fault is not None and fits is None and known_wrong:
                raise fault
        if any(wrong) or not any(faults[name]):
            break
    if not models:
        raise next(fault for fault in faults["pig"] if fault)
    best = max(models, key=lambda name: (*_legs(fitting[name]), -order.index(name)))
    if any(fitting[best]):
        better = _better(models, faults, order[: order.index(best)]) if models[best].caution else ("", "")
        return Choice(models[best], _because(best, faults, fitting, order), fitting[best], *better)
    if not seen_labels(recordings[0].trial):
        raise _nothing_seen(recordings[0].trial)
    lacking = {name: of_model[0] for name, of_model in faults.items() if of_model[0] is not None}
    raise _none_fits(lacking, recordings[0].trial)


def _better(
    models: Mapping[str, specs.Model], faults: Mapping[str, Sequence[GaitidError | None]], before: Sequence[str]
) -> tuple[str, str]:
    """Of the first model without limits of its own that lacks measurements of the subject only, or a static: what, and
    the cure."""
    for name in before:
        lacking = [fault for fault in faults[name] if fault]
        if name not in models or models[name].caution:
            continue
        clauses = [clause for fault in lacking for clause in _clauses(fault).items()]
        if all(isinstance(fault, SubjectError) for fault in lacking):
            why, todo = _lack_words(lacking[0]), lacking[0].todo
        elif clauses and all(kind == "static" for kind, _ in clauses):
            why, todo = clauses[0][1], ""
        else:
            continue
        return phrase("choice/better", model=name, why=why), phrase("cure/better", model=name, todo=todo)
    return "", ""


def subject_of(given: Path | Mapping[str, Any] | None, model: specs.Model) -> SubjectFile:
    """What a subject file, or its content, says in a model's words; nothing without one."""
    if given is None:
        return SubjectFile()
    from gaitid.body.subject_file import read_subject

    return read_subject(given, model)


def check_settings(model: str, overrides: Mapping[str, Any]) -> None:
    """Raise where a model takes none of these settings and choices; of the models that `auto` may take, where all do.

    Raises
    ------
    ModelError
    """
    if model != AUTO:
        load_model(model, overrides)
        return
    answers = [_loaded(name, overrides) for name in PRECEDENCE]
    if all(isinstance(answer, ChoiceError) for answer in answers):
        raise next(answer for answer in answers if isinstance(answer, ChoiceError))


def _loaded(name: str, overrides: Mapping[str, Any] | None) -> specs.Model | ChoiceError:
    """The bundled model, or that it does not declare a choice that was made."""
    if not overrides:
        return as_bundled(name)
    try:
        return load_model(_bundled(name), overrides)
    except ChoiceError as error:
        return error


def _bundled(name: str) -> Path:
    """The bundled model's own file: one of the same name in the current folder is another model."""
    return bundled_models()[name]


def _order(recordings: Sequence[Recording], pig: specs.Model) -> tuple[str, ...]:
    """`PRECEDENCE`, with the models before it whose markers all trials have, or the order for other labels."""
    for trial, static in recordings:
        with suppress(TrialError):
            try:
                recorded_sides(trial, bind_trial(trial, pig, static, None))
            except MarkersLackError as error:
                if error.others is None:
                    continue
            return (*(name for name in WITH_TRACKING if _tracks(name, recordings)), *PRECEDENCE)
    return _OTHER_LABELS


def _tracks(model: str, recordings: Sequence[Recording]) -> bool:
    """Whether all recordings have a static, and the markers of a model that tracks by more than Plug-in Gait's.

    Those of one leg will do.
    """
    legs = [[{f"{x}{name}" for name in of.get(model, ())} for of in (WITH_TRACKING, OF_STATIC)] for x in "LR"]
    labels = [({*r.trial.labels}, set() if r.static is None else {*r.static.labels}) for r in recordings]
    return all(any(both <= trial & static and own <= static for both, own in legs) for trial, static in labels)


def _exchanged(fault: GaitidError | None) -> bool:
    """Whether markers are lacking because labels are exchanged."""
    return isinstance(fault, MarkersLackError) and fault.exchanged


def refusal(pipeline: Pipeline) -> GaitidError | None:
    """Why a model does not fit a recording; None where it has the markers and measurements that it needs."""
    try:
        pipeline.found  # noqa: B018 - it refuses the trial
    except GaitidError as error:
        return error
    return None


def _fitting(both_legs: Pipeline, fault: GaitidError | None) -> Pipeline | None:
    """Of both legs, or of one where the other lacks something; None where the model fits neither."""
    if fault is None:
        return both_legs.with_("recorded", "found", both_legs=False)
    one_leg = both_legs.with_(both_legs=False)
    if isinstance(fault, MeasurementsLackError) or (isinstance(fault, MarkersLackError) and fault.others):
        return None if refusal(one_leg) else one_leg
    return None


def _legs(fitting: Iterable[Pipeline | None]) -> tuple[int, int, int]:
    """How many recordings a model fits, how many legs get wrenches from it in all of them, and how many it fits."""
    legs = [(of.found.model, len(of.found.needs)) for of in fitting if of is not None]
    return len(legs), sum(n for model, n in legs if not model.no_wrenches_because), sum(n for _, n in legs)


def _because(
    name: str,
    faults: Mapping[str, Sequence[GaitidError | None]],
    fitting: Mapping[str, Sequence[Pipeline | None]],
    order: tuple[str, ...],
) -> str:
    """Why a model was taken: what the models before it lack."""
    n_trials, fits = len(faults[name]), faults[name].count(None)
    one_leg = sum(of is not None for of in fitting[name]) - fits
    before = [
        phrase("choice/before", model=other, why=_lack_words(next(fault for fault in faults[other] if fault)))
        for other in order[: order.index(name)]
    ]
    return phrase(
        "choice/first" if n_trials == 1 else "choice/first_of_trials",
        model=name,
        order=order,
        fits=fits,
        all=fits == n_trials,
        n=n_trials,
        one_leg=one_leg,
        before=before,
    )


def _lack_words(error: GaitidError) -> str:
    """What a model lacks."""
    clauses = [*_clauses(error).values()]
    found = error.found if isinstance(error, SubjectError) else ""
    return phrase("choice/lacks", clauses=clauses, wrong="" if clauses else error.wrong, found=found)


def _clauses(error: GaitidError) -> Mapping[str, str]:
    return error.clauses if isinstance(error, MarkersLackError) else {}


def _nothing_seen(trial: Trial) -> TrialError:
    """The refusal of a trial without coordinates, with what its reader said of them."""
    what = "pose of a segment" if trial.segments else "marker"
    n_labels = len(trial.segments or trial.labels)
    if not n_labels:
        return TrialError("the trial holds no markers", todo="export it with its trajectories")
    lost = [note.text for note in trial.notes if note.code in ("values_lost", "file_incomplete")]
    found = first_few(lost, 3) or f"{counted(n_labels, 'label')}, and no coordinates that count as seen"
    return TrialError(f"no {what} was seen in any frame", found=found, todo="look at it in the program that made it")


def _none_fits(faults: Mapping[str, GaitidError], trial: Trial) -> TrialError:
    """The refusal: what the model lacks that comes nearest, the others by `gaitid inspect`.

    Nearest is the model that such files are made for, and one that lacks a measurement only; of markers none comes near
    the model of stored segments.
    """
    of_segments = "segments"
    cure = "give a static with --static, or name labels with --markers; `gaitid inspect -v` says what each model lacks"
    if share_a_beginning(trial.labels):
        cure = f"all labels begin with one name and an underscore: take it off with --subject-prefix NAME; {cure}"

    # what no marker is missing for has its own cure
    others = [e for e in faults.values() if isinstance(e, TrialError) and not isinstance(e, MarkersLackError)]
    cure = "; ".join([*dict.fromkeys(error.todo for error in others if error.todo), cure])

    def far(name: str) -> int:
        error = faults[name]
        if isinstance(error, SubjectError) or (name == of_segments and trial.segments):
            return -1
        if isinstance(error, ChoiceError) or name == of_segments:
            return _FAR  # what it lacks of the markers nobody looked at
        return error.count if isinstance(error, MarkersLackError) else 0

    nearest = min(faults, key=far)
    words = _lack_words(faults[nearest])
    names = [nearest, *(name for name in faults if name != nearest and _lack_words(faults[name]) == words)]
    return TrialError(
        f"no bundled model fits; nearest {', '.join(names)}: {words}",
        found=next((error.found for error in faults.values() if error.found), ""),
        todo=cure,
    )
