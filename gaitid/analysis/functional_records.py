"""How a hip or a knee was found by its motion: for `run.json` and subject files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gaitid.body.functional import FunctionalHip, FunctionalKnee, Moved, images_g
from gaitid.notes import Notes
from gaitid.numerics.rotation import norm


def _common(motion: Moved, name: str, ranges: Mapping[str, float]) -> dict[str, Any]:
    return {
        "file": name,
        "frames": motion.n_frames,
        "frames_left_out": motion.left_out,
        "markers": {c.segment: list(c.labels) for c in (motion.proximal, motion.distal)},
        "noise_mm": {
            c.segment: round(1e3 * m.noise, 3)
            for c, m in ((motion.proximal, motion.first), (motion.distal, motion.second))
        },
        "range_deg": {plane: round(value, 1) for plane, value in ranges.items()},
    }


def hip_record(hip: FunctionalHip, name: str, values: Mapping[str, float], in_static: bool) -> dict[str, Any]:
    centre = hip.centre
    apart = images_g(hip.moved.first, centre.proximal) - images_g(hip.moved.second, centre.distal)
    return {
        "method": "SCoRE (Ehrig 2006), the bias of noise taken off",
        **_common(hip.moved, name, hip.range_deg),
        "second_range_deg": round(hip.moved.second_deg, 1),
        "residual_mm": round(1e3 * centre.residual, 3),
        "largest_residual_mm": round(1e3 * float(norm(apart).max()), 3),
        "standard_error_mm": round(1e3 * centre.standard_error, 3),
        "noise_correction_mm": round(1e3 * centre.correction, 3),
        "weakest_direction": float(f"{centre.weakest:.4g}"),
        "centre_mm": {key.rpartition("_centre_")[2].removesuffix("_mm"): round(v, 3) for key, v in values.items()},
        "pelvis_of": "static" if in_static else "functional trial",
        **_doubts(hip.notes),
    }


def knee_record(knee: FunctionalKnee, name: str, figures: Mapping[str, float]) -> dict[str, Any]:
    axis = knee.axis
    return {
        "method": "SARA (Ehrig 2007), the bias of noise taken off",
        **_common(knee.moved, name, knee.range_deg),
        "residual_mm": round(1e3 * axis.residual, 3),
        "tilt_deg": round(float(np.degrees(axis.tilt)), 3),
        "standard_error_deg": round(float(np.degrees(axis.standard_error)), 3),
        **figures,
        **_doubts(knee.notes),
    }


def _doubts(notes: Notes) -> dict[str, list[str]]:
    return {"doubts": [note.text for note in notes]} if notes else {}
