"""A person of rigid segments with tracking clusters (labels of the `visual3d` set): exact statics and walks in memory.

The trial moves each segment about its joint centres in the sagittal plane; nothing else in it is like a gait.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from gaitid.trial import Array, Trial

RATE_HZ = 100.0
# m; standing, x forward, y left, z up; of the left side, the right one is its mirror image
_PELVIS = {"ASIS": (0.10, 0.12, 0.98), "PSIS": (-0.08, 0.05, 1.00)}
_LEFT = {
    "thigh": {
        **{"THIGH_1": (0.06, 0.15, 0.78), "THIGH_2": (0.02, 0.18, 0.70), "THIGH_3": (-0.03, 0.17, 0.76)},
        **{"THIGH_4": (0.03, 0.16, 0.64), "KNEE_LAT": (0.0, 0.15, 0.50), "KNEE_MED": (0.0, 0.05, 0.50)},
    },
    "shank": {
        **{"SHANK_1": (0.04, 0.13, 0.38), "SHANK_2": (0.01, 0.16, 0.30), "SHANK_3": (-0.04, 0.14, 0.36)},
        **{"SHANK_4": (0.02, 0.14, 0.24), "ANKLE_LAT": (0.0, 0.135, 0.08), "ANKLE_MED": (0.0, 0.065, 0.08)},
    },
    "foot": {
        **{"HEEL": (-0.06, 0.10, 0.03), "MT_1": (0.13, 0.07, 0.02), "MT_5": (0.11, 0.15, 0.02)},
        **{"FOOT_1": (0.05, 0.10, 0.07)},
    },
}
_JOINTS = {"hip": (0.02, 0.09, 0.92), "knee": (0.0, 0.10, 0.50), "ankle": (0.0, 0.10, 0.08)}
_IN_STATIC_ONLY = ("KNEE_LAT", "KNEE_MED", "ANKLE_LAT", "ANKLE_MED")


def static(size: float = 1.0, frames: int = 50) -> Trial:
    """The person, so many times as large, standing still."""
    still = {
        f"{letter}_{name}": np.tile(np.array(p) * (1, sign, 1) * size, (frames, 1))
        for letter, sign in (("L", 1), ("R", -1))
        for name, p in {**_PELVIS, **{n: p for part in _LEFT.values() for n, p in part.items()}}.items()
    }
    return _trial("static.c3d", still)


def walk(frames: int = 300) -> Trial:
    """The person of size 1 in motion, without landmarks of knee and ankle; knees flex by 0 to 60 degrees."""
    t = np.arange(frames) / RATE_HZ
    forward = np.stack([1.2 * t, 0.0 * t, 0.02 * np.sin(4 * np.pi * t)], axis=1)
    tracks: dict[str, Array] = {}
    for letter, sign, phase in (("L", 1, 0.0), ("R", -1, np.pi)):
        mirror = np.array([1, sign, 1])
        tracks |= {f"{letter}_{name}": np.array(p) * mirror + forward for name, p in _PELVIS.items()}
        hip = np.radians(25) * np.sin(2 * np.pi * t + phase)
        knee = np.radians(30) * (1 - np.cos(2 * np.pi * t + phase))
        ankle = np.radians(10) * np.sin(2 * np.pi * t + phase + 1)
        turn, centre = -hip, np.array(_JOINTS["hip"]) * mirror + forward
        at = np.array(_JOINTS["hip"]) * mirror
        for segment, flexed, distal in (("thigh", knee, "knee"), ("shank", -ankle, "ankle"), ("foot", 0 * t, "")):
            for name, p in _LEFT[segment].items():
                tracks[f"{letter}_{name}"] = centre + _pitched(np.array(p) * mirror - at, turn)
            if distal:
                joint = np.array(_JOINTS[distal]) * mirror
                centre = centre + _pitched(joint - at, turn)
                at, turn = joint, turn + flexed
    return _trial("walk.c3d", {name: p for name, p in tracks.items() if name[2:] not in _IN_STATIC_ONLY})


def exchanged(trial: Trial, a: str, b: str, frames: slice = slice(None)) -> Trial:
    """The trial with two labels exchanged in some frames."""
    points = trial.points_g.copy()
    i, j = trial.labels.index(a), trial.labels.index(b)
    points[frames, i], points[frames, j] = trial.points_g[frames, j], trial.points_g[frames, i]
    return replace(trial, points_g=points)


def moved(trial: Trial, label: str, by_m: tuple[float, float, float], frames: slice = slice(None)) -> Trial:
    """The trial with a marker elsewhere in some frames."""
    points = trial.points_g.copy()
    points[frames, trial.labels.index(label)] += by_m
    return replace(trial, points_g=points)


def _pitched(place: Array, angle: Array) -> Array:
    """A place turned about the axis to the left, positive with the upper end forward."""
    x, y, z = place
    return np.stack(
        [x * np.cos(angle) + z * np.sin(angle), y + 0 * angle, z * np.cos(angle) - x * np.sin(angle)], axis=1
    )


def _trial(name: str, tracks: dict[str, Array]) -> Trial:
    points = np.stack(list(tracks.values()), axis=1)
    return Trial(Path(name), RATE_HZ, 1, tuple(tracks), points, up_hint=np.array([0.0, 0.0, 1.0]))
