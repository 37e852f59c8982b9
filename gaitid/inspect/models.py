"""What each model finds in a trial, what it lacks, and which of them `auto` takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.choice import Choice, Recording, choose_model, refusal, subject_of
from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.recorded import Bound, MarkersLackError, bind_trial, label_words, what_lacks
from gaitid.analysis.result import Result
from gaitid.body.resolve import faultless, resolve_subject
from gaitid.body.subject import Measured, Sources, key_of, recording
from gaitid.errors import GaitidError, SubjectError
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet
from gaitid.model.needs import Needs, Reference, side_needs
from gaitid.notes import Notes, texts
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Trial


@frozen_dataclass(eq=False)
class Candidate:
    """A model and what it makes of the trial.

    Attributes
    ----------
    bound : Bound
        To the labels of the trial and its static.
    pipeline : Pipeline or None
        With the markers and measurements that it needs; None where the trial is refused.
    refusal : GaitidError or None
        Why it is refused.
    result : Result or None
        Of the analysis; None where it was refused, or not made.
    """

    bound: Bound
    pipeline: Pipeline | None = None
    refusal: GaitidError | None = None
    result: Result | None = None

    @property
    def model(self) -> specs.Model:
        return self.bound.model


class Read(NamedTuple):
    """A trial, and what was read beside it."""

    trial: Trial
    static: Trial | None
    marker_set: MarkerSet | None
    subject: Path | None


def candidate_of(read: Read, model: specs.Model, choice: Choice | None) -> Candidate:
    """The markers and measurements that `gaitid run` would find for a model, or why it would refuse the trial.

    What the model that was chosen finds is known already.
    """
    trial, static, marker_set, subject = read
    pipeline = Pipeline(trial=trial, model=model, static=static, marker_set=marker_set)
    try:
        bound = pipeline.recorded.bound
    except GaitidError as error:
        known_labels = error.bound if isinstance(error, MarkersLackError) else None
        bound = known_labels or _bound(read, model)
        if subject is None:  # else it may name labels, or bring places of its own
            return Candidate(bound, refusal=error)
    if choice is not None and choice.model is model and choice.pipelines and choice.pipelines[0] is not None:
        return Candidate(bound, choice.pipelines[0])
    try:
        if subject is not None:
            pipeline = pipeline.with_(subject_file=subject_of(subject, model))
        refused = refusal(pipeline)
    except GaitidError as error:
        refused = error
    return Candidate(bound, None if refused else pipeline, refused)


def _bound(read: Read, model: specs.Model) -> Bound:
    """The model bound to what labels there are; to none where no marker set knows them."""
    try:
        return bind_trial(read.trial, model, read.static, read.marker_set if model.by_landmarks else None)
    except GaitidError:
        return Bound(model, None, Reference(model))


def analysed(candidate: Candidate) -> Candidate:
    """The same with what `gaitid run` would make of the trial."""
    if candidate.pipeline is None:
        return candidate
    try:
        return replace(candidate, result=candidate.pipeline.make_all().result)
    except GaitidError as error:
        return replace(candidate, pipeline=None, refusal=error)


def chosen_model(read: Read) -> tuple[Choice | None, str]:
    """The model that `auto` takes, or None where none fits; and why."""
    try:
        choice = choose_model([Recording(read.trial, read.static)], None, read.marker_set, read.subject)
    except GaitidError as error:
        return None, error.line()
    return choice, choice.because


def resolved(model: specs.Model, names: Collection[str], trial: Trial) -> dict[str, tuple[Measured | None, str]]:
    """Measurements as `run` would find them in this trial alone, or the fault of the value it finds."""
    # where measurements come from that are found in this trial alone
    recorded = recording(trial, model, np.zeros(3))
    sources = Sources(trial=trial.parameters, recorded=recorded, beside=trial.measured)
    known = faultless(model, set(names), sources)
    if known is None:
        return {name: _resolved(model, name, sources) for name in names}
    return {name: (known.get(name), "") for name in names}


def _resolved(model: specs.Model, name: str, sources: Sources) -> tuple[Measured | None, str]:
    try:
        subject = resolve_subject(model, {name}, sources)
    except SubjectError as error:
        # resolve_subject also looks at what is optional: a fault is this one's if it names it
        return None, error.wrong if error.wrong.startswith(name.replace(".", " ") + " = ") else ""
    return subject.measured.get(name), ""


def readiness(trial: Trial, candidate: Candidate) -> dict[str, Any]:
    """What one model lacks in this trial, and whether `gaitid run` would take it as it stands."""
    model, pipeline, result = candidate.model, candidate.pipeline, candidate.result
    markers: dict[str, list[str]] = {}
    segments: dict[str, list[str]] = {}
    of_sides: list[Needs] = []
    wanted = {"mass"} if "mass" in model.subject else set()
    for side in model.sides:
        needs, computable = side_needs(model, side.name, trial.seen, candidate.bound.reference)
        of_sides.append(needs)
        segments[side.name] = list(computable)
        markers[side.name] = sorted({label_words(model, *missing) for missing in needs.missing.items()})
        if segments[side.name]:
            wanted |= needs.measurements
    missing: list[str] = []
    faults: list[str] = []
    assumed: dict[str, str] = {}
    notes: Notes = ()  # what `gaitid run` would say; without an analysis, of labels and measurements alone
    if pipeline is None:
        measured = resolved(model, sorted(wanted), trial)
    else:
        outcome = pipeline.found
        subject = (outcome if result is None else result).subject
        measured = {name: (subject.measured.get(name), "") for name in sorted(wanted)}
        notes = (*outcome.notes, *outcome.subject.notes) if result is None else result.notes
    for name, (value, fault) in measured.items():
        side_name, _, bare = name.rpartition(".")
        m = model.subject[bare]
        if fault:
            faults.append(fault)
        elif value is None and not m.optional and m.otherwise is None:
            missing.append(key_of(m, side_name))
        elif value is not None and value.source.startswith("assumed"):
            assumed[name] = value.source.removeprefix("assumed: ")
    refused = candidate.refusal
    return {
        "title": model.title,
        "runs": refused is None,
        "analysed": result is not None,
        "reason": refused.line() if refused else "",
        "marker_set": model.marker_set or None,
        "lacks": [f"{refused.wrong} ({refused.todo})"]
        if refused is not None and model.by_landmarks and not model.marker_set
        else [*what_lacks(candidate.bound, of_sides).values()],
        "missing_markers": markers,
        "missing_measurements": missing,
        "faults": faults,
        "assumed": assumed,
        "segments": segments,
        "warnings": texts(notes),
    }
