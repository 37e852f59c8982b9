"""What is in a trial's file: markers, gaps, plates, contacts, events, subject, and what each model lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.choice import PRECEDENCE
from gaitid.analysis.conventions import axis_name
from gaitid.analysis.judge import judged
from gaitid.analysis.mass import ground_under
from gaitid.body.feet import foot_tracks
from gaitid.body.frames import Geometry
from gaitid.body.resolve import BESIDE_TRIAL, STORED_IN_TRIAL
from gaitid.body.subject import request
from gaitid.body.upper_body import found_segments
from gaitid.errors import GaitidError, UndecidedError
from gaitid.ground.contacts import Loads, loads_on_feet
from gaitid.ground.ground import Ground, find_ground
from gaitid.ground.vertical import vertical
from gaitid.inspect.models import Candidate, Read, analysed, candidate_of, chosen_model, readiness, resolved
from gaitid.inspect.signals import analog_of, plate_rows, points_of, segments_of
from gaitid.markers.clean import Markers, clean_markers, model_markers
from gaitid.model import AUTO, specs
from gaitid.model.load import as_bundled, bundled_models, load_model
from gaitid.model.marker_sets import find_marker_set, load_marker_set
from gaitid.model.settings import ReaderSettings
from gaitid.notes import texts
from gaitid.read import as_static, read_trial
from gaitid.read.event_names import foot_event, not_understood, unknown_notes
from gaitid.records import frozen_dataclass
from gaitid.statics import notes_of_statics
from gaitid.trial import Array, Trial
from gaitid.write.record import pass_rows, plain
from gaitid.write.tables import contact_row


@frozen_dataclass(eq=False)
class Stages:
    """What an analysis makes of a trial on its way, as far as that needs nothing of the subject.

    Attributes
    ----------
    markers : Markers or None
        None where no model fits.
    ground : Ground
    loads : Loads
    note : str
        What a person should know of the contacts.
    """

    markers: Markers | None
    ground: Ground
    loads: Loads
    note: str


@frozen_dataclass(eq=False)
class Beside:
    """What the user gives beside a trial.

    Attributes
    ----------
    forces, plates, events, static, subject, markers : Path or None
    models : tuple of str
        Models to look at besides the bundled ones.
    """

    forces: Path | None = None
    plates: Path | None = None
    events: Path | None = None
    static: Path | None = None
    subject: Path | None = None
    markers: Path | None = None
    models: tuple[str, ...] = ()


@frozen_dataclass(eq=False)
class Inspected:
    """What is in a trial, and what a picture of it needs.

    Attributes
    ----------
    content : dict
        As `inspected` describes it.
    trial : Trial
    up_g : (3,) array
        The vertical; z where nothing says it.
    ground : Ground
    undecided : tuple of GaitidError
        What a user has to say of the file before it can be analysed.
    """

    content: dict[str, Any]
    trial: Trial
    up_g: Array
    ground: Ground
    undecided: tuple[GaitidError, ...] = ()


def inspected(
    path: Path,
    beside: Beside = Beside(),  # noqa: B008 - it cannot be changed
    keep_names: bool = False,
    settings: ReaderSettings | None = None,
    with_each_model: bool = False,
) -> Inspected:
    """Everything that can be said of a trial without choosing a model, with what it is of.

    Parameters
    ----------
    path : Path
    beside : Beside
        Files that belong to it.
    keep_names : bool
        Whether names of people stored in the file are shown.
    settings : ReaderSettings, optional
        How the file is to be read.
    with_each_model : bool
        Whether the trial is analysed with each model whose markers and measurements are there; else with the one that
        `auto` takes, the one that tells where the feet are, and those that are given.

    Returns
    -------
    Inspected
        Its content in plain types, units in the names of the keys: ``file``, ``points``, ``analog``, ``plates``,
        ``contacts``, ``events``, ``subject``, ``stored_outputs``, ``models``, ``chosen`` and more.

    Raises
    ------
    GaitidError
        A file cannot be read.
    """
    given_files = {"forces": beside.forces, "plates": beside.plates, "events": beside.events}
    undecided: list[UndecidedError] = []
    while True:  # whatever the user would have to say, the file can be looked at
        try:
            trial = read_trial(path, **given_files, stored=True, settings=settings)
            break
        except UndecidedError as error:
            undecided.append(error)
            settings = replace(settings or ReaderSettings(), **error.instead)
    static = None if beside.static is None else as_static(read_trial(beside.static, settings=settings))
    marker_set = None if beside.markers is None else load_marker_set(find_marker_set(str(beside.markers)))
    models = {name: as_bundled(name) for name in bundled_models()}
    models |= {name: load_model(name) for name in beside.models if name != AUTO}
    read = Read(trial, static, marker_set, beside.subject)
    choice, because = chosen_model(read)
    chosen = "" if choice is None else choice.model.name
    candidates = {name: candidate_of(read, model, choice) for name, model in models.items()}
    name, foot_note = _model_for_feet(trial, candidates, [*beside.models, chosen])
    up, up_words = _vertical(trial, candidates[name].model if name else None)
    up_g = np.array([0.0, 0.0, 1.0]) if up is None else up
    given = [model for model in beside.models if model != AUTO]
    judged_with = given[0] if given else chosen
    for tried in candidates if with_each_model else filter(None, dict.fromkeys([*given, chosen, name])):
        candidates[tried] = analysed(candidates[tried])
    try:
        stages = _stages(trial, candidates[name], up_g) if name else None
    except GaitidError as error:
        stages, foot_note = None, error.line()
    if stages is None:  # the plates of a trial whose feet nobody knows
        stages = Stages(None, find_ground(trial, specs.Settings(), {}, up_g), Loads({}, ()), foot_note)
    first, cleaned = trial.first_frame, stages.markers
    of_feet = candidates[name].result if name else None
    taken = candidates[judged_with].result if judged_with else None
    if taken is not None:
        message = notes_of_statics(path, taken, settings, beside.subject is not None)
        of_result = choice.with_cure(taken.notes) if choice is not None and judged_with == chosen else taken.notes
        taken = judged(taken, (*message, *of_result))
    content = {
        "file": str(path),
        "verdict": taken.verdict.as_dict() if taken is not None else None,
        "verdict_with": judged_with or None,
        "format": trial.origin.get("format", ""),
        "software": trial.origin.get("software", ""),
        "points": points_of(trial),
        "segments": segments_of(trial),
        "vertical": {"up": None if up is None else axis_name(up), "found_from": up_words},
        "analog": analog_of(path, trial),
        "passes": [] if taken is None else plain(pass_rows(taken)),
        "plates": plate_rows(trial, stages.ground),
        "contacts": plain([contact_row(contact, first) for contact in stages.loads.contacts]),
        "contacts_note": stages.note,
        "labels_in_doubt": [] if cleaned is None else cleaned.quality["label_faults"],
        "gaps_of_the_model": [] if cleaned is None else cleaned.quality["gaps"],
        "events": [
            {
                "name": e.name,
                "side": e.side,
                "frame": first + round(e.time_s * trial.rate_hz),
                "time_s": e.time_s,
                "means": "" if not_understood(e) else " ".join(foot_event(e.name, e.side)),
            }
            for e in trial.events
        ],
        "subject": _subject(trial, models),
        **({"subject_names": list(trial.names)} if keep_names else {}),
        "stored_outputs": sorted(trial.stored),
        "chosen": {
            "model": chosen or None,
            "because": because,
            "markers": _role_labels(trial, candidates[judged_with].model) if judged_with else {},
        },
        "calibration": plain(of_feet.quality.get("calibration")) if of_feet is not None else None,
        "upper_body": found_segments(trial, candidates[judged_with].model) if judged_with else [],
        "models": {
            name: {"given": name in given, **readiness(trial, candidate)} for name, candidate in candidates.items()
        },
        "warnings": [error.line(keep_names) for error in undecided]
        + texts((*trial.notes, *unknown_notes(trial.events))),
    }
    return Inspected(content, trial, up_g, stages.ground, tuple(undecided))


def _role_labels(trial: Trial, model: specs.Model) -> dict[str, str]:
    """What each marker of a model is called in the trial, by side and role, as in a record."""
    return {
        f"{side}.{role}" if side else role: label
        for side, role in model.roles
        for label in model.labels(role, side)
        if trial.has(label)
    }


# --- plates and contacts ------------------------------------------------------------------------------------


def _model_for_feet(trial: Trial, candidates: Mapping[str, Candidate], first: Sequence[str]) -> tuple[str, str]:
    """The name of the first model whose heel and toe markers the trial holds; else why there is none."""
    wanted: list[str] = []
    order = [*(name for name in first if name in candidates), *PRECEDENCE, *candidates]
    for name in dict.fromkeys(order):
        model = candidates[name].model
        if _sides_seen(trial, model, model_markers(trial, model)):
            return name, ""
        for side in model.sides:
            for role in (model.heel, model.toe):
                if role in model.each_side.markers:
                    wanted.append(" or ".join(model.labels(role, side.name)))
    names = ", ".join(filter(None, dict.fromkeys(wanted)))
    return "", f"feet are not found: heel and toe markers of no bundled model were seen ({names})"


def _sides_seen(trial: Trial, model: specs.Model, markers: Mapping[str, Array]) -> list[str]:
    """The sides whose heel and toe were both seen."""
    if not markers:
        return []  # of a long recording of something else, tracks of nothing are large
    return [
        side
        for side, foot in foot_tracks(trial, model, markers).items()
        if np.isfinite(foot.heel_g).any() and np.isfinite(foot.toe_g).any()
    ]


def _vertical(trial: Trial, model: specs.Model | None) -> tuple[Array | None, str]:
    if model is not None and not model_markers(trial, model):
        model = None  # it has no posture to tell
    try:
        return vertical(trial, model)
    except GaitidError as error:
        return None, error.line()


def _stages(trial: Trial, candidate: Candidate, up_g: Array) -> Stages:
    """Those of an analysis; of one that is refused, as far as they need nothing of the subject."""
    model, result = candidate.model, candidate.result
    if result is not None:
        markers, ground, loads = result.markers, result.ground, result.loads
        seen = _sides_seen(trial, model, markers.seen)
    else:
        markers = clean_markers(trial, model._replace(settings=model.settings._replace(cutoff_hz=None)))
        seen = _sides_seen(trial, model, markers.seen)
        bare = Geometry(model, markers.seen, {}, trial.n_frames, up_g)
        ground = ground_under(trial, markers, seen, bare)
        mass, _ = resolved(model, ["mass"], trial)["mass"]
        weight = float("nan") if mass is None else mass.value * model.settings.gravity_m_per_s2
        loads = loads_on_feet(ground, weight)
    unseen = [side.name for side in model.sides if side.name not in seen]
    notes = [f"the {side} foot's heel and toe markers were not seen" for side in unseen]
    notes += texts((*loads.notes, *ground.events_note))
    if not ground.plates:
        notes.append("no usable force plate")
    return Stages(markers, ground, loads, "; ".join(notes))


# --- the subject and the models -----------------------------------------------------------------------------


def _subject(trial: Trial, models: Mapping[str, specs.Model]) -> dict[str, Any]:
    """Measurements stored in the trial, or beside it, under the names of the bundled models, SI."""
    stored: dict[str, Any] = {}
    for model in models.values():
        names = [
            name
            for bare, m in model.subject.items()
            for name in ([f"{side.name}.{bare}" for side in model.sides] if m.sided else [bare])
            if name not in stored
            and any(request(model, name).stored(model, of) is not None for of in (trial.parameters, trial.measured))
        ]
        for name, (value, _) in resolved(model, names, trial).items() if names else ():
            if value is not None and value.source in (STORED_IN_TRIAL, BESIDE_TRIAL):
                stored[name] = {"value": value.value, "unit": value.unit, "source": value.source}
    return stored
