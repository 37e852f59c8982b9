"""What is in a trial's file: markers, gaps, plates, contacts, events, subject, and what each model lacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.body.feet import FootTrack, foot_tracks
from gaitid.body.subject import Measured, Sources, SubjectFile, key_of, resolve_subject
from gaitid.errors import GaitidError, SubjectError
from gaitid.ground.contacts import Contact, foot_loads
from gaitid.ground.plate_alignment import Alignment, alignments
from gaitid.ground.plate_load import PlateLoad, plates_at_camera
from gaitid.ground.stance import detect_stances
from gaitid.ground.vertical import vertical
from gaitid.markers.clean import Clean, clean, model_markers
from gaitid.model import specs
from gaitid.model.load import bundled_models, load_model
from gaitid.model.needs import side_needs
from gaitid.numerics.masks import known_rows, spans
from gaitid.read import read_trial
from gaitid.trial import Array, Trial


def inspect_trial(
    path: Path, forces: Path | None = None, plates: Path | None = None, keep_names: bool = False
) -> dict[str, Any]:
    """Everything that can be said of a trial without choosing a model.

    Parameters
    ----------
    path : Path
    forces, plates : Path, optional
        Files beside a CSV trial.
    keep_names : bool
        Whether names of people stored in the file are shown.

    Returns
    -------
    dict
        Plain types, units in the names of the keys: ``file``, ``points``, ``analog``, ``plates``,
        ``contacts``, ``events``, ``subject``, ``stored_outputs``, ``models`` and more.

    Raises
    ------
    GaitidError
        The file cannot be read.
    """
    trial = read_trial(path, forces=forces, plates=plates, stored=True)
    models = {name: load_model(file) for name, file in bundled_models().items()}
    model, foot_note = _model_for_feet(trial, models)
    up, up_words = _vertical(trial, model or next(iter(models.values()), None))
    up_g = np.array([0.0, 0.0, 1.0]) if up is None else up
    cleaned = None if model is None else _cleaned(trial, model)
    feet = {} if model is None or cleaned is None else _feet(trial, model, cleaned.seen)
    loads, refused = _plate_loads(trial, model, feet, up_g)
    told = {one.plate: one for one in _alignments(trial, model, feet, loads, up_g)}
    contacts, contact_note = _contacts(trial, model, feet, loads, told, up_g, foot_note)
    ready = {name: _readiness(trial, m) for name, m in models.items()}
    first = trial.first_frame
    return {
        "file": str(path),
        "format": trial.origin.get("format", ""),
        "software": trial.origin.get("software", ""),
        "points": _points(trial),
        "vertical": {"up": None if up is None else _axis_name(up), "found_from": up_words},
        "analog": _analog(path, trial),
        "plates": _plates(trial, loads, refused, told),
        "contacts": [_contact(c, first) for c in contacts],
        "contacts_note": contact_note,
        "labels_in_doubt": [] if cleaned is None else cleaned.quality["label_faults"],
        "gaps_of_the_model": [] if cleaned is None else cleaned.quality["gaps"],
        "events": [
            {
                "name": e.name,
                "side": e.side,
                "frame": first + round(e.time_s * trial.rate_hz),
                "time_s": e.time_s,
            }
            for e in trial.events
        ],
        "subject": _subject(trial, models),
        **({"subject_names": list(trial.names)} if keep_names else {}),
        "stored_outputs": sorted(trial.stored),
        "models": ready,
        "warnings": [note.text for note in trial.notes],
    }


# --- markers ------------------------------------------------------------------------------------------------


def _points(trial: Trial) -> dict[str, Any]:
    first = trial.first_frame
    markers: list[dict[str, Any]] = []
    gaps: dict[str, list[dict[str, int]]] = {}
    for i, label in enumerate(trial.labels):
        known = known_rows(trial.points_g[:, i])
        found = [
            {"first_frame": first + a, "last_frame": first + b - 1, "frames": b - a}
            for a, b in spans(np.logical_not(known))
        ]
        markers.append(
            {
                "label": label,
                "seen_frames": int(known.sum()),
                "missing_frames": len(known) - int(known.sum()),
                "longest_gap_frames": max((g["frames"] for g in found), default=0),
                "gaps": found,
            }
        )
        if found:  # of a label that several points have, each with the number of its point
            gaps[label if trial.labels.count(label) == 1 else f"{label} (point {i + 1})"] = found
    return {
        "rate": trial.rate_hz,
        "rate_hz": trial.rate_hz,
        "frames": trial.n_frames,
        "first_frame": first,
        "last_frame": first + trial.n_frames - 1,
        "duration_s": trial.n_frames / trial.rate_hz,
        "units": trial.origin.get("length_unit") or None,
        "labels": list(trial.labels),
        "markers": markers,
        "gaps": gaps,
    }


def _analog(path: Path, trial: Trial) -> dict[str, Any]:
    """Analog channels by name and unit, as the file gives them."""
    rate = trial.origin.get("analog_rate_hz")
    rate_hz = float(rate) if rate else (trial.plates[0].rate_hz if trial.plates else None)
    labels: list[str] = []
    units: list[str] = []
    if path.suffix.lower() == ".c3d":
        from gaitid.read.c3d.file import read_c3d_file, texts
        from gaitid.read.labels import subject_and_name

        parameters = read_c3d_file(path).parameters
        labels, units = texts(parameters, "ANALOG", "LABELS"), texts(parameters, "ANALOG", "UNITS")
        labels = [name if subject in trial.names else label
                  for label in labels for subject, name in [subject_and_name(label)]]  # fmt: skip
    count = int(trial.origin.get("analog_channels", len(labels)))
    pairs = [
        {"label": labels[i] if i < len(labels) else "", "unit": units[i] if i < len(units) else ""}
        for i in range(count)
    ]
    return {"rate": rate_hz, "rate_hz": rate_hz, "channels": pairs, "labels": [p["label"] for p in pairs]}


# --- plates and contacts ------------------------------------------------------------------------------------


def _cleaned(trial: Trial, model: specs.Model) -> Clean:
    """The model's markers as `run` takes them before it filters: labels checked, gaps filled."""
    letters = [side.letter for side in model.sides]
    unfiltered = model.settings._replace(cutoff_hz=None)
    return clean(model_markers(trial, model), unfiltered, trial.rate_hz, trial.first_frame, letters)


def _feet(trial: Trial, model: specs.Model, markers: Mapping[str, Array] | None = None) -> dict[str, FootTrack]:
    """Heel and toe of each side whose both markers were seen."""
    markers = model_markers(trial, model) if markers is None else markers
    if not markers:
        return {}  # of a long recording of something else, tracks of nothing are large
    return {
        side: foot
        for side, foot in foot_tracks(trial, model, markers).items()
        if np.isfinite(foot.heel_g).any() and np.isfinite(foot.toe_g).any()
    }


def _model_for_feet(trial: Trial, models: Mapping[str, specs.Model]) -> tuple[specs.Model | None, str]:
    """The first bundled model whose heel and toe markers the trial holds; else why there is none."""
    wanted: list[str] = []
    for model in models.values():
        if _feet(trial, model):
            return model, ""
        for side in model.sides:
            for role in (model.heel, model.toe):
                if role in model.each_side.markers:
                    wanted.append(" or ".join(model.labels(role, side.name)))
    names = ", ".join(dict.fromkeys(wanted))
    return None, f"feet are not found: heel and toe markers of no bundled model were seen ({names})"


def _vertical(trial: Trial, model: specs.Model | None) -> tuple[Array | None, str]:
    if model is not None and not model_markers(trial, model):
        model = None  # it has no posture to tell
    try:
        return vertical(trial, model)
    except GaitidError as error:
        return None, error.line()


def _axis_name(v: Array) -> str:
    i = int(np.argmax(np.abs(v)))
    return f"{'-' if v[i] < 0 else '+'}{'XYZ'[i]}"


def _plate_loads(
    trial: Trial, model: specs.Model | None, feet: Mapping[str, FootTrack], up_g: Array
) -> tuple[dict[int, PlateLoad], dict[int, str]]:
    """Each plate as `run` sees it, and why others are refused."""
    settings = specs.Settings() if model is None else model.settings
    loads, refused = plates_at_camera(trial, settings, feet, up_g)
    return {load.number: load for load in loads}, {**trial.refused_plates, **refused}


def _alignments(
    trial: Trial,
    model: specs.Model | None,
    feet: Mapping[str, FootTrack],
    loads: Mapping[int, PlateLoad],
    up_g: Array,
) -> list[Alignment]:
    if model is None:
        return []
    stances = detect_stances(feet, (), up_g, trial.rate_hz)
    return alignments(list(loads.values()), feet, stances, trial.rate_hz, model.settings)


def _plates(
    trial: Trial, loads: Mapping[int, PlateLoad], refused: Mapping[int, str], told: Mapping[int, Alignment]
) -> list[dict[str, Any]]:
    entries: dict[int, dict[str, Any]] = {}
    for plate in trial.plates:
        load = loads.get(plate.number)
        corners = plate.corners_g.tolist() if plate.outlined else None
        peak = None if load is None else load.recorded_peak_N
        bias = None
        if load is not None and np.isfinite(load.bias_g).all():
            bias = load.bias_g.tolist()
        entries[plate.number] = {
            "plate": plate.number,
            "used": load is not None,
            "reason": refused.get(plate.number, ""),
            "type": plate.kind,
            "outlined": plate.outlined,
            "rate_hz": plate.rate_hz,
            "corners": corners,
            "corners_m": corners,
            "size_m": (2 * load.half).tolist() if load is not None and load.outlined else None,
            "sensor_below_surface_m": float(plate.sensor_p[2]),
            "peak_vertical_force": peak,
            "peak_vertical_N": peak,
            "bias": bias,
            "bias_N": bias,
            "bias_moment_Nm": load.bias_moment_g.tolist() if bias is not None and load is not None else None,
            "drift_N_per_s": load.drift_g.tolist() if bias is not None and load is not None else None,
            "bias_removed": load is not None and load.removed,
            "noise_N": load.noise_N if bias is not None and load is not None else None,
            "alignment": _alignment(told.get(plate.number)),
        }
    for number, reason in refused.items():
        nothing = dict.fromkeys(
            ("type", "outlined", "rate_hz", "corners", "corners_m", "size_m", "sensor_below_surface_m",
             "peak_vertical_force", "peak_vertical_N", "bias", "bias_N", "bias_moment_Nm", "drift_N_per_s",
             "bias_removed", "noise_N", "alignment")
        )  # fmt: skip
        entries.setdefault(number, {"plate": number, "used": False, "reason": reason, **nothing})
    return [entries[number] for number in sorted(entries)]


def _alignment(told: Alignment | None) -> dict[str, Any] | None:
    """What the pressure says of a plate's corners; None where no stance tells."""
    if told is None:
        return None
    return {
        "contacts": told.contacts,
        "pressure_off_m": list(told.offset_g),
        "swing_m": told.swing_m,
        "corners_fit": not told.fault,
        "fault": told.fault,
    }


def _contacts(
    trial: Trial,
    model: specs.Model | None,
    feet: Mapping[str, FootTrack],
    loads: Mapping[int, PlateLoad],
    told: Mapping[int, Alignment],
    up_g: Array,
    note: str,
) -> tuple[list[Contact], str]:
    """What `run` finds, by the same code, as it needs feet and plates but nothing of the subject."""
    if model is None:
        return [], note
    mass, _ = _resolved(trial, model, "mass")
    weight = float("nan") if mass is None else mass.value * model.settings.gravity_m_per_s2
    faults = {number: one.fault for number, one in told.items() if one.fault}
    _, contacts, warnings = foot_loads(
        list(loads.values()), feet, trial.events, trial.rate_hz, model.settings, trial.n_frames, weight, up_g,
        faults=faults,
    )  # fmt: skip
    absent = [side.name for side in model.sides if side.name not in feet]
    notes = [f"the {side} foot's heel and toe markers were not seen" for side in absent] + warnings
    if not loads:
        notes.append("no usable force plate")
    return contacts, "; ".join(notes)


def _contact(c: Contact, first: int) -> dict[str, Any]:
    return {
        "side": c.side,
        "plates": "+".join(str(p) for p in c.plates),
        "first_frame": c.first + first,
        "last_frame": c.last + first,
        "peak_vertical_N": float(c.peak_vertical_N) if np.isfinite(c.peak_vertical_N) else None,
        "method": c.method,
        "confidence": c.confidence,
        "reason": c.reason,
    }


# --- the subject and the models -----------------------------------------------------------------------------


def _resolved(trial: Trial, model: specs.Model, name: str) -> tuple[Measured | None, str]:
    """A measurement as `run` would find it in this trial alone, or the fault of the value it finds."""
    try:
        subject = resolve_subject(model, {name}, Sources(trial=trial.parameters))
    except SubjectError as error:
        # resolve_subject also looks at what is optional: a fault is this one's if it names it
        return None, error.wrong if error.wrong.startswith(name.replace(".", " ") + " = ") else ""
    return subject.measured.get(name), ""


def _subject(trial: Trial, models: Mapping[str, specs.Model]) -> dict[str, Any]:
    """Measurements stored in the trial, under the names of the bundled models, SI."""
    found: dict[str, Any] = {}
    for model in models.values():
        for bare, m in model.subject.items():
            for name in [f"{side.name}.{bare}" for side in model.sides] if m.sided else [bare]:
                value, _ = _resolved(trial, model, name)
                if value is not None and value.source == "trial, stored" and name not in found:
                    found[name] = {"value": value.value, "unit": value.unit, "source": value.source}
    return found


def _readiness(trial: Trial, model: specs.Model) -> dict[str, Any]:
    """What one model lacks in this trial, and whether `gaitid run` would take it as it stands."""
    from gaitid.analysis.pipeline import analyse

    markers: dict[str, list[str]] = {}
    segments: dict[str, list[str]] = {}
    wanted = {"mass"} if "mass" in model.subject else set()
    for side in model.sides:
        needs, computable = side_needs(model, side.name, trial.has)
        segments[side.name] = list(computable)
        markers[side.name] = sorted({" or ".join(labels) for labels in needs.missing.values()})
        if segments[side.name]:
            wanted |= needs.measurements
    missing: list[str] = []
    faults: list[str] = []
    assumed: dict[str, str] = {}
    for name in sorted(wanted):
        side_name, _, bare = name.rpartition(".")
        m = model.subject[bare]
        value, fault = _resolved(trial, model, name)
        if fault:
            faults.append(fault)
        elif value is None and not m.optional and m.otherwise is None:
            missing.append(key_of(m, side_name))
        elif value is not None and value.source.startswith("assumed"):
            assumed[name] = value.source.removeprefix("assumed: ")
    why = ""
    warnings: list[str] = []
    try:
        warnings = list(analyse(trial, model, SubjectFile()).warnings)
    except GaitidError as error:
        why = error.line()
    return {
        "title": model.title,
        "runs": not why,
        "reason": why,
        "missing_markers": markers,
        "missing_measurements": missing,
        "faults": faults,
        "assumed": assumed,
        "segments": segments,
        "warnings": warnings,
    }
