"""What the channels of a trial's file hold: points, poses of segments, analog channels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gaitid.inspect.kinds import kinds_of
from gaitid.numerics.masks import known_rows, spans
from gaitid.trial import Trial


def points_of(trial: Trial) -> dict[str, Any]:
    """The markers, each with its gaps, frames as the file numbers them."""
    first, kinds = trial.first_frame, kinds_of(trial)
    markers: list[dict[str, Any]] = []
    gaps: dict[str, list[dict[str, int]]] = {}
    labels = trial.marker_labels  # what stands for poses comes after them
    for i, (label, kind) in enumerate(zip(labels, kinds)):
        known = known_rows(trial.points_g[:, i])
        missing = [
            {"first_frame": first + a, "last_frame": first + b - 1, "frames": b - a}
            for a, b in spans(np.logical_not(known))
        ]
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


def segments_of(trial: Trial) -> dict[str, Any]:
    """The segments whose poses the file stores, at the rate of `points_of`, with their gaps."""
    first, gaps, seen = trial.first_frame, {}, {}
    for label in trial.segments:
        known = known_rows(trial.marker(f"{label}#origin"))
        seen[label] = int(known.sum())
        if not known.all():
            gaps[label] = [
                {"first_frame": first + a, "last_frame": first + b - 1, "frames": b - a} for a, b in spans(~known)
            ]
    return {"labels": list(trial.segments), "seen_frames": seen, "gaps": gaps}


def analog_of(path: Path, trial: Trial) -> dict[str, Any]:
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
        parted = [subject_and_name(label) for label in labels]
        labels = [name if subject in trial.names else label for label, (subject, name) in zip(labels, parted)]
    count = int(trial.origin.get("analog_channels", len(labels)))
    pairs = [
        {"label": labels[i] if i < len(labels) else "", "unit": units[i] if i < len(units) else ""}
        for i in range(count)
    ]
    return {"rate": rate_hz, "rate_hz": rate_hz, "channels": pairs, "labels": [p["label"] for p in pairs]}
