"""What points and channels of a file are: markers or computed points, poses of segments, analog channels, plates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.numerics.masks import known_rows, spans
from gaitid.read.plates.surface import repeated_plates
from gaitid.trial import Array, ForcePlate, Mask, Trial

MARKER = "marker"
AXES = "segment axes"
CENTRE = "joint centre"
MASS = "centre of mass"
VIRTUAL = "virtual point"
UNNAMED = "unnamed"
#: Every kind, and what many of it are called.
KINDS = {
    MARKER: "markers",
    AXES: "axes of segments",
    CENTRE: "joint centres",
    MASS: "centres of mass",
    VIRTUAL: "virtual points",
    UNNAMED: "without a name",
}

# How the four points of a segment's axes end: Plug-in Gait's origin, anterior, lateral and proximal, and the Oxford
# Foot Model's.
_FRAMES = ("OALP", "0123")
# Plug-in Gait, CGM 2, OpenSim: hip, knee, ankle, foot, shoulder, elbow, wrist joint centre.
_CENTRE = re.compile(r"[lr]?[._ ]?[hkafsew]jc([._A-Z0-9].*)?", re.IGNORECASE)
_MASS = re.compile(r"(cent(re|er)ofmass|com|cog)(floor)?", re.IGNORECASE)
_UNNAMED = re.compile(r"[*?]\d+|[cu]_\d+|uname.*|unlabell?ed.*|unidentified.*|x\d\d+", re.IGNORECASE)
# What is projected, in the middle of two others, or a length stored as a point.
_VIRTUAL = re.compile(r"proj[lr].*|mid[._ ].*|.*(leglength|archheight)", re.IGNORECASE)
# Beside axes of the Oxford Foot Model: what else it writes, as <marker><digit>, and by these names.
_OXFORD = re.compile(r"[lr]?(hfplantar|proxff|kax|[a-z0-9]+[0-3])", re.IGNORECASE)
# Cosine between two axes, and frames that are looked at.
_SQUARE, _LOOKED_AT = 0.02, 20


def kinds_of(trial: Trial) -> list[str]:
    """The kind of each point of a trial, one of `KINDS`, in the file's order."""
    labels = trial.labels
    known = set(labels)
    axes = frozenset(_axes(trial, known))
    oxford = any(f"{label[:-1]}0" in axes for label in axes)
    return [_kind(label, axes, known, oxford) for label in labels]


def _kind(label: str, axes: frozenset[str], known: set[str], oxford: bool) -> str:
    if not label or _UNNAMED.fullmatch(label):
        return UNNAMED
    if label in axes:
        return AXES
    if _CENTRE.fullmatch(label):
        return CENTRE
    if _MASS.fullmatch(label):
        return MASS
    if _VIRTUAL.fullmatch(label) or (label.endswith("v") and label[:-1] in known):
        return VIRTUAL
    if oxford and _OXFORD.fullmatch(label) and (label[-1:] not in "0123" or _of_a_marker(label, known)):
        return VIRTUAL
    return MARKER


def _of_a_marker(label: str, known: set[str]) -> bool:
    """Whether a label with a digit names what was computed from a marker: LTIB1 of LTIB, LHE1 of LHEE; LD1M0."""
    stem = label[:-1]
    zero = label[-1] == "0" and not stem[-1:].isdigit()
    return zero or stem in known or any(other[:-1] == stem and not other[-1:].isdigit() for other in known)


def _axes(trial: Trial, known: Iterable[str]) -> Iterator[str]:
    """The labels of segments' axes: four of one stem, of which three are square to each other about the first."""
    index = {label: i for i, label in reversed(list(enumerate(trial.labels)))}
    for ends in _FRAMES:
        for stem in sorted({label[:-1] for label in known if label.endswith(ends[0]) and len(label) > 1}):
            four = [f"{stem}{end}" for end in ends]
            if all(label in index for label in four) and _square(trial.points_g[:, [index[label] for label in four]]):
                yield from four


def _square(points: Array) -> bool:
    """Whether the last three of (frames, 4, 3) points lie square to each other about the first, where all are known."""
    frames = np.flatnonzero(known_rows(points.reshape(len(points), -1)))
    if not len(frames):
        return True  # by their names alone
    chosen = points[frames[np.linspace(0, len(frames) - 1, min(len(frames), _LOOKED_AT)).astype(int)]]
    arms = chosen[:, 1:] - chosen[:, :1]
    length = np.linalg.norm(arms, axis=2, keepdims=True)
    if not (length > 0).all():
        return False
    cosines = np.einsum("fik,fjk->fij", arms / length, arms / length)
    return bool(np.abs(cosines[:, [0, 0, 1], [1, 2, 2]]).max() < _SQUARE)


def points_of(trial: Trial) -> dict[str, Any]:
    """The markers, each with its gaps, frames as the file numbers them."""
    first, kinds = trial.first_frame, kinds_of(trial)
    markers: list[dict[str, Any]] = []
    gaps: dict[str, list[dict[str, int]]] = {}
    labels = trial.marker_labels  # what stands for poses comes after them
    for i, (label, kind) in enumerate(zip(labels, kinds)):
        known = known_rows(trial.points_g[:, i])
        missing = _gaps(known, first)
        markers.append(
            {
                "label": label,
                "kind": kind,
                "seen_frames": int(known.sum()),
                "missing_frames": len(known) - int(known.sum()),
                "longest_gap_frames": max((g["frames"] for g in missing), default=0),
                "gaps": missing,
            }
        )
        if missing:  # of a label that several points have, each with the number of its point
            gaps[label if labels.count(label) == 1 else f"{label} (point {i + 1})"] = missing
    return {
        "rate": trial.rate_hz,
        "rate_hz": trial.rate_hz,
        "frames": trial.n_frames,
        "first_frame": first,
        "last_frame": first + trial.n_frames - 1,
        "duration_s": trial.n_frames / trial.rate_hz,
        "units": trial.origin.get("length_unit") or None,
        "labels": list(labels),
        "markers": markers,
        "gaps": gaps,
    }


def _gaps(known: Mask, first: int) -> list[dict[str, int]]:
    return [{"first_frame": first + a, "last_frame": first + b - 1, "frames": b - a} for a, b in spans(~known)]


def segments_of(trial: Trial) -> dict[str, Any]:
    """The segments whose poses the file stores, at the rate of `points_of`, with their gaps."""
    first, gaps, seen = trial.first_frame, {}, {}
    for label in trial.segments:
        known = known_rows(trial.marker(f"{label}#origin"))
        seen[label] = int(known.sum())
        if missing := _gaps(known, first):
            gaps[label] = missing
    return {"labels": list(trial.segments), "seen_frames": seen, "gaps": gaps}


def analog_of(path: Path, trial: Trial) -> dict[str, Any]:
    """Analog channels by name and unit, as the file gives them; of a CSV the voltages."""
    rate = trial.origin.get("analog_rate_hz")
    rate_hz = float(rate) if rate else (trial.plates[0].rate_hz if trial.plates else None)
    labels: list[str] = []
    units: list[str] = []
    if path.suffix.lower() == ".c3d":
        from gaitid.read.c3d.file import read_c3d_file, texts
        from gaitid.read.subjects import subject_and_name

        parameters = read_c3d_file(path).parameters
        labels, units = texts(parameters, "ANALOG", "LABELS"), texts(parameters, "ANALOG", "UNITS")
        parted = [subject_and_name(label) for label in labels]
        labels = [name if subject in trial.names else label for label, (subject, name) in zip(labels, parted)]
    elif trial.emg is not None:
        rate_hz, labels = trial.emg.rate_hz, [*trial.emg.labels]
        units = [{1.0: "V", 1e-3: "mV", 1e-6: "µV"}[volts] for volts in trial.emg.volts.tolist()]
    count = int(trial.origin.get("analog_channels", len(labels)))
    pairs = [
        {"label": labels[i] if i < len(labels) else "", "unit": units[i] if i < len(units) else ""}
        for i in range(count)
    ]
    return {"rate": rate_hz, "rate_hz": rate_hz, "channels": pairs, "labels": [p["label"] for p in pairs]}


def plate_rows(trial: Trial, ground: Ground) -> list[dict[str, Any]]:
    """Every plate of the file, by its number, whether it is used or not."""
    loads = {load.number: load for load in ground.plates}
    recorded = {plate.number: plate for plate in trial.plates}
    refused = {**trial.refused_plates, **repeated_plates(trial.notes), **ground.refused}
    return [
        {
            "plate": number,
            "used": number in loads,
            "reason": refused.get(number, ""),
            **_plate(recorded.get(number), loads.get(number)),
        }
        for number in sorted({*recorded, *refused})
    ]


def _plate(plate: ForcePlate | None, load: PlateLoad | None) -> dict[str, Any]:
    """What is known of one plate; None for what is not."""
    corners = plate.corners_g.tolist() if plate is not None and plate.outlined else None
    peak = None if load is None else load.recorded_peak_N
    empty = load if load is not None and np.isfinite(load.bias_g).all() else None
    bias = None if empty is None else empty.bias_g.tolist()
    return {
        "type": None if plate is None else plate.kind,
        "outlined": None if plate is None else plate.outlined,
        "rate_hz": None if plate is None else plate.rate_hz,
        "corners": corners,
        "corners_m": corners,
        "size_m": (2 * load.half).tolist() if load is not None and load.outlined else None,
        "sensor_below_surface_m": None if plate is None else float(plate.sensor_p[2]),
        "peak_vertical_force": peak,
        "peak_vertical_N": peak,
        "bias": bias,
        "bias_N": bias,
        "bias_moment_Nm": None if empty is None else empty.bias_moment_g.tolist(),
        "drift_N_per_s": None if empty is None else empty.drift_g.tolist(),
        "bias_removed": None if plate is None else load is not None and load.removed,
        "noise_N": None if empty is None else empty.noise_N,
    }
