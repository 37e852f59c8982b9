"""The simulated walker with landmarks and clusters on skin that slides over the bones, and how far results are off."""

from __future__ import annotations

from dataclasses import replace

import any_markers
import numpy as np
from rotations import from_vector

from gaitid.analysis.result import Result
from gaitid.trial import Array, Trial

# m and rad, amplitudes of a segment's skin as a whole, and m of each marker besides.
SKIN = {"pelvis": (0.002, 0.008, 0.002), "thigh": (0.006, 0.03, 0.004), "shank": (0.0035, 0.02, 0.003)}
SKIN["foot"] = (0.0015, 0.008, 0.002)
CHAIN = "gaitid_model: 1\nname: chain\nextends: cast\npose: {by: multibody}\n"
COLUMNS = ("hip_flexion", "hip_adduction", "hip_internal_rotation", "knee_flexion", "knee_adduction")
COLUMNS += ("knee_internal_rotation", "ankle_dorsiflexion")


def recorded() -> any_markers.Marked:
    """Landmarks and clusters in the walk and the static."""
    family = replace(any_markers.FAMILIES["visual3d"], static_only=frozenset())
    any_markers.FAMILIES = {**any_markers.FAMILIES, "all": family}
    return any_markers.marked("all")


def segment_of(role: str) -> str:
    group = role.rpartition("_")[0]
    if group in any_markers.CLUSTERS:
        return any_markers.CLUSTERS[group]
    known = any_markers.places(any_markers.Subject(), "left", False)
    return "pelvis" if role == "sacrum" else known[role][0]


def with_skin(walk: any_markers.Marked, seed: int) -> Trial:
    """The walk with markers that slide over the bones."""
    rng = np.random.default_rng(seed)
    trial = walk.trial
    points, times = np.array(trial.points_g), np.arange(trial.n_frames) / trial.rate_hz
    stride_hz = 0.9

    def wave(amplitude: float) -> Array:
        """(frames, 3) first and second harmonic of the stride, root mean square `amplitude` along each axis."""
        size, phase = rng.normal(0.0, amplitude, (2, 3)), rng.uniform(0, 2 * np.pi, (2, 3))
        turns = 2 * np.pi * stride_hz * times[:, None, None] * np.array([1.0, 2.0])[:, None]
        return np.asarray((size * [[1.0], [0.6]] * np.sin(turns + phase)).sum(axis=1))

    groups: dict[tuple[str, str], list[int]] = {}
    for i, label in enumerate(trial.labels):
        side, role = walk.roles[label]
        segment = segment_of(role)
        groups.setdefault(("" if segment == "pelvis" else side, segment), []).append(i)
    for (side, segment), members in groups.items():
        shift, turn, own = SKIN[segment]
        bone = walk.bones.rotation["pelvis" if segment == "pelvis" else f"{side}_{segment}"]
        middle = points[:, members].mean(axis=1, keepdims=True)
        away = np.einsum(
            "fij,fnj->fni", bone @ from_vector(wave(turn)) @ np.swapaxes(bone, 1, 2), points[:, members] - middle
        )
        moved = middle + away + np.einsum("fij,fj->fi", bone, wave(shift))[:, None]
        for k in range(len(members)):
            moved[:, k] += np.einsum("fij,fj->fi", bone, wave(own))
        points[:, members] = moved
    return replace(trial, points_g=points)


def analysed(walk: any_markers.Marked, seed: int, model: str, **options: str) -> Result:
    """The walk with sliding skin, by a model; labels are right, though clusters are no mirror images of each other."""
    return any_markers.run(walk, with_skin(walk, seed), model=model, doubtful_labels="keep", **options)


def errors(walk: any_markers.Marked, result: Result) -> dict[str, float]:
    """Root mean square over both legs: mm of joint centres, deg of angles about the segments of the bones."""
    found: dict[str, list[Array]] = {}
    for side, leg in result.sides.items():
        true = any_markers.exact(walk, side).columns
        for joint in ("hip", "knee", "ankle"):
            off = leg.joints_g[joint] - walk.bones.point[f"{side}_{joint}"]
            found.setdefault(f"{joint} centre, mm", []).append(1e3 * np.linalg.norm(off, axis=1))
        for column in COLUMNS:
            joint, _, name = column.partition("_")
            off = leg.angles[joint][name] - true[f"{side}_{column}_deg"]
            # what an angle is off in every frame is how its axes are defined, and the same for all three
            found.setdefault(f"{column}, deg", []).append(off - np.nanmean(off))
    return {name: float(np.sqrt(np.nanmean(np.concatenate(parts) ** 2))) for name, parts in found.items()}
