"""Functional trials -> hip centres in the pelvis and knee axes on the thigh, by the words of a subject file.

In: trials in which a subject moves a hip or a knee, and the static of the session. Out: measurements that every model
with markers of the pelvis takes, and a static that shows the knee's axis as two markers more. Which joint a trial is
for is told by its motion, unless the user says it. Segments are the markers that `cast` tracks them with, whichever
model is computed with afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from gaitid.analysis.recorded import bind_trial
from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.functional import (
    FEWEST_FRAMES,
    LEAST_HIP_DEG,
    LEAST_KNEE_DEG,
    Cluster,
    FunctionalJoint,
    Moved,
    carried_pose,
    choose_cluster,
    functional_hip,
    functional_knee,
    images_g,
    moved,
)
from gaitid.body.joints import Pose
from gaitid.errors import TrialError, counted
from gaitid.markers.clean import model_markers
from gaitid.model import specs
from gaitid.model.load import bundled_models, load_model
from gaitid.model.marker_sets import MarkerSet
from gaitid.model.shapes import RigidFrame
from gaitid.notes import Notes
from gaitid.numerics.functional import Axis, Centre
from gaitid.numerics.masks import median
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import apply_transposed, norm, unit
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial

#: The joints that a functional trial may be for, as ``--functional`` and a record name them.
JOINTS = ("left_hip", "right_hip", "left_knee", "right_knee")
#: The model whose segments say which markers move together.
_TRACKED_BY = "cast"
#: In a static that was given a functional axis: two points of it for each knee (``{S}``: L or R), as models name them.
INNER, OUTER = "{S}_FUNCTIONAL_KNEE_INNER", "{S}_FUNCTIONAL_KNEE_OUTER"
# m. So far apart they lie.
_BESIDE_M = 0.1
# A joint that turns by less than this share of the one that turns most is not what a trial is for.
_LESS = 0.75
# m. From the middle of the ASIS forward, outward and up: no hip lies elsewhere (what regressions give for persons of 1
# to 2 m stays within half of it).
_HIP_WITHIN_M = ((-0.2, 0.05), (0.02, 0.2), (-0.22, 0.02))
# m. Distances between landmarks of the pelvis differ by more only on another one: skin does 10 mm.
OTHER_PELVIS_M = 0.015
# rad. A knee's axis that is turned by more from the pelvis' own in quiet standing is none.
_KNEE_TURNED = np.radians(50)

Segment = tuple[str, str]


class FunctionalTrial(NamedTuple):
    """A functional trial.

    Attributes
    ----------
    name : str
        Of its file, as given.
    trial : Trial
    joints : tuple of str
        Of `JOINTS`, where the user says it; empty where its motion is to tell.
    """

    name: str
    trial: Trial
    joints: tuple[str, ...] = ()


@frozen_dataclass(eq=False)
class Functional:
    """What functional trials gave.

    Attributes
    ----------
    measured : mapping of str to float
        In the keys of a subject file, mm.
    joints : mapping of str to mapping
        For each joint how it was found: for records and subject files.
    static : Trial or None
        That of the session, with the axes of the knees as markers where there are any.
    """

    measured: Mapping[str, float]
    joints: Mapping[str, Mapping[str, Any]]
    static: Trial | None


def measure_functional(
    trials: Sequence[FunctionalTrial], static: Trial | None, marker_set: MarkerSet | None = None
) -> Functional:
    """Measure every joint that functional trials are for.

    Parameters
    ----------
    trials : sequence of FunctionalTrial
    static : Trial, optional
        Of the session. A knee needs one; without it a hip is measured in the pelvis of its functional trial.
    marker_set : MarkerSet, optional
        What the user says of labels.

    Raises
    ------
    TrialError
        A trial in which no joint moves, or too little, or that has too few markers; a joint given twice. The message
        begins with the file.
    """
    measured: dict[str, float] = {}
    joints: dict[str, dict[str, Any]] = {}
    for of_file in trials:
        try:
            model = bind_trial(of_file.trial, _tracking(), None, marker_set).model
            for joint, motion in _chosen(of_file, model).items():
                if joint in joints:
                    raise TrialError(
                        f"the {_words(joint)} was measured in {joints[joint]['file']} already",
                        todo="give one functional trial for each joint, or say which one this is for: "
                        f"--functional JOINT={of_file.name}",
                    )
                side, _, kind = joint.partition("_")
                if kind == "hip":
                    hip, values = _hip(side, motion, of_file, model, static, marker_set)
                    measured |= values
                    joints[joint] = hip_record(hip, of_file.name, values, static is not None)
                    joints[joint]["pelvis_distances_mm"] = _pelvis_distances(of_file.trial, model)
                else:
                    static, knee, figures = _knee(side, motion, of_file.trial, model, static, marker_set)
                    joints[joint] = knee_record(knee, of_file.name, figures)
        except TrialError as error:
            wrong = f"{of_file.name}: {error.wrong}"
            raise TrialError(wrong, expected=error.expected, found=error.found, todo=error.todo) from None
    return Functional(measured, joints, static)


def refuse_other_pelvis(functional: Functional, trial: Trial, marker_set: MarkerSet | None) -> None:
    """Raise where a hip was measured on another pelvis than a trial's.

    A distance between two landmarks of the pelvis differs by more than skin does (`OTHER_PELVIS_M`). Two
    people whose pelves are alike are not told apart so.

    Raises
    ------
    TrialError
    """
    here = _pelvis_distances(trial, bind_trial(trial, _tracking(), None, marker_set).model)
    for joint, about in functional.joints.items():
        there: Mapping[str, float] = about.get("pelvis_distances_mm", {})
        both = [name for name in there if name in here]
        apart = [abs(here[name] - there[name]) for name in both]
        if both and max(apart) > 1e3 * OTHER_PELVIS_M:
            worst = both[int(np.argmax(apart))]
            raise TrialError(
                f"the functional trial {about['file']} is of another person, or the pelvis' markers were put on again",
                expected=f"{worst} {there[worst]:.0f} mm apart, as there",
                found=f"{here[worst]:.0f} mm",
                todo=f"give the {_words(joint)}'s functional trial of this session, or leave out --functional",
            )


def _pelvis_distances(trial: Trial, model: specs.Model) -> dict[str, float]:
    """Median distances between the landmarks of the pelvis that a trial shows, mm."""
    places = [("left", "asis"), ("right", "asis"), ("left", "psis"), ("right", "psis"), ("", "sacrum")]
    tracks = {f"{side} {role}".strip(): _landmark(trial, model, role, side) for side, role in places}
    seen = {name: track for name, track in tracks.items() if track is not None}
    found = {}
    for a, b in combinations(seen, 2):
        apart = norm(seen[a] - seen[b])
        known = apart[np.isfinite(apart)]
        if known.size:
            found[f"{a} and {b}"] = round(1e3 * float(median(known)), 1)
    return found


# --- which joint ----------------------------------------------------------------------------------------------


@cache
def _tracking() -> specs.Model:
    return load_model(bundled_models()[_TRACKED_BY])


def _words(joint: str) -> str:
    return joint.replace("_", " ")


def _chosen(of_file: FunctionalTrial, model: specs.Model) -> dict[str, Moved]:
    """The joints that a trial is for, and how they moved."""
    motions: dict[str, Moved] = {}
    faults: dict[str, TrialError] = {}
    for joint in of_file.joints or JOINTS:
        side, _, kind = joint.partition("_")
        try:
            motion = moved(*(_cluster(of_file.trial, model, segment) for segment in _segments(model, side, kind)))
        except TrialError as error:
            faults[joint] = error
            continue
        if motion is not None:
            motions[joint] = motion
        elif of_file.joints:
            faults[joint] = TrialError(
                f"both segments of the {_words(joint)} are hardly ever seen together",
                expected=f"{FEWEST_FRAMES} frames or more that show both",
                found="fewer than 3 such frames",
            )
    if of_file.joints and faults:
        raise next(iter(faults.values()))
    if of_file.joints:
        return motions
    if not motions:
        raise next(iter(faults.values()), None) or TrialError(
            "no hip and no knee has both of its segments in view",
            expected=f"{FEWEST_FRAMES} frames or more that show both",
            found=f"{counted(of_file.trial.n_frames, 'frame')} in all",
        )
    most = max(motion.largest_deg for motion in motions.values())
    ranges = ", ".join(f"{_words(joint)} {motion.largest_deg:.0f}°" for joint, motion in motions.items())
    if most < min(LEAST_HIP_DEG, LEAST_KNEE_DEG):
        raise TrialError(
            "no hip and no knee moves in it",
            expected=f"{LEAST_HIP_DEG:.0f}° and more in two planes of a hip, or {LEAST_KNEE_DEG:.0f}° of a knee",
            found=ranges,
            todo="give the functional trial, not the static or a pause",
        )
    told = {joint: motion for joint, motion in motions.items() if motion.largest_deg >= _LESS * most}
    kinds = {joint.partition("_")[2] for joint in told}
    if len(kinds) > 1:
        raise TrialError(
            "its motion does not tell which joint it is for: hip and knee move alike",
            found=ranges,
            todo=f"say it, as --functional {next(iter(told))}={of_file.name}",
        )
    return told


def _segments(model: specs.Model, side: str, joint: str) -> tuple[Segment, Segment]:
    """The segments on both sides of a joint, the proximal one first."""
    body = next(body for body in model.chain if body.joint == joint)
    above = model.base.segment if body.on == model.base.segment else body.on
    return ("" if above == model.base.segment else side, above), (side, body.segment)


def _cluster(trial: Trial, model: specs.Model, segment: Segment) -> Cluster:
    side, name = segment
    frame = model.base.frame if not side else next(body.frame for body in model.chain if body.segment == name)
    definition = model.scope(bool(side)).frames[frame]
    assert isinstance(definition, RigidFrame)  # of `cast`
    groups = [
        {label: trial.marker(label) for label in _labels(trial, model, points, side)}
        for points in (definition.points, definition.reserve)
    ]
    return choose_cluster(f"{side} {name}".strip(), *groups)


def _labels(trial: Trial, model: specs.Model, points: Iterable[str], side: str) -> list[str]:
    labels = (marker_label(model, point, side) for point in points)
    return [label for label in labels if label and trial.has(label)]


# --- a hip ----------------------------------------------------------------------------------------------------


def _hip(
    side: str,
    motion: Moved,
    of_file: FunctionalTrial,
    model: specs.Model,
    static: Trial | None,
    marker_set: MarkerSet | None,
) -> tuple[FunctionalJoint[Centre], dict[str, float]]:
    """A hip, and its place in the pelvis by the keys of a subject file, mm."""
    pelvis, R_gc, t_g = _pelvis(motion, of_file.trial, model, static, marker_set)
    known = np.isfinite(pelvis.R_gs).all(axis=(1, 2)) & np.isfinite(R_gc).all(axis=(1, 2))
    if not known.any():
        raise TrialError(
            "the pelvis is not known in any frame",
            expected="markers of both ASIS, and of the PSIS or the sacrum, in the static or the functional trial",
        )
    R_cp = np.einsum("fji,fjk->fik", R_gc[known], pelvis.R_gs[known]).mean(axis=0)
    u, _, vt = np.linalg.svd(R_cp)
    hip = functional_hip(f"{side} hip", motion, u @ vt)
    centre_g = R_gc[known] @ hip.joint.proximal + t_g[known]
    place = apply_transposed(pelvis.R_gs[known], centre_g - pelvis.origin_g[known]).mean(axis=0)
    sign = next(s.sign for s in model.sides if s.name == side)
    place = place * [1, sign, 1]
    if any(not low <= x <= high for x, (low, high) in zip(place, _HIP_WITHIN_M, strict=True)):
        found = ", ".join(f"{1e3 * x:.0f}" for x in place)
        raise TrialError(
            f"the centre of the {side} hip lies where no hip is",
            expected="a few centimetres behind, outside and below the middle of the ASIS",
            found=f"{found} mm forward, outward and up from there",
            todo="look at the labels of pelvis and thigh in the functional trial and the static",
        )
    names = ("forward", "outward", "up")
    return hip, {f"{side}_hip_centre_{name}_mm": 1e3 * float(x) for name, x in zip(names, place, strict=True)}


def _pelvis(
    motion: Moved, trial: Trial, model: specs.Model, static: Trial | None, marker_set: MarkerSet | None
) -> tuple[Pose, Array, Array]:
    """The pelvis and its cluster in the static; in the functional trial where the static does not show the cluster."""
    if static is not None:
        of_static = bind_trial(static, model, None, marker_set).model
        seen = [label for label in motion.proximal.labels if static.has(label)]
        if len(seen) >= FEWEST:
            points = np.stack([static.marker(label) for label in seen], axis=1)
            R, t = carried_pose(motion, seen, points, "the static")
            return _standing(static, of_static), R, t
    points = np.stack([trial.marker(label) for label in motion.proximal.labels], axis=1)
    R, t = carried_pose(motion, motion.proximal.labels, points, "itself")
    return _standing(trial, model), R, t


def _standing(trial: Trial, model: specs.Model) -> Pose:
    """The pelvis by the landmarks of a trial, as in a static."""
    geometry = Geometry(model, model_markers(trial, model), {}, trial.n_frames, np.full(3, np.nan))
    return geometry.frame(model.base.frame)


# --- a knee ---------------------------------------------------------------------------------------------------


def _knee(
    side: str, motion: Moved, trial: Trial, model: specs.Model, static: Trial | None, marker_set: MarkerSet | None
) -> tuple[Trial, FunctionalJoint[Axis], dict[str, float]]:
    """The static with two points of a knee's axis more, the knee, and figures of where its axis lies."""
    if static is None:
        raise TrialError(
            f"the axis of the {side} knee needs a static, which shows how it lies in standing",
            todo="give --static FILE",
        )
    knee = functional_knee(f"{side} knee", motion)
    seen = [label for label in motion.proximal.labels if static.has(label)]
    if len(seen) < FEWEST:
        raise TrialError(
            f"the static lacks markers of the {motion.proximal.segment}",
            expected=f"{FEWEST} of {', '.join(motion.proximal.labels)}",
            found=", ".join(seen) or "none",
        )
    R, t = carried_pose(motion, seen, np.stack([static.marker(label) for label in seen], axis=1), "the static")
    of_static = bind_trial(static, model, None, marker_set).model
    outward = _standing(static, of_static).R_gs[..., 1] * next(s.sign for s in model.sides if s.name == side)
    axis_g = R @ knee.joint.proximal
    turn = float(np.nanmean(np.einsum("fi,fi->f", axis_g, outward)))
    if not abs(turn) >= np.cos(_KNEE_TURNED):
        raise TrialError(
            f"the axis of the {side} knee lies across the pelvis' own axis in the static",
            expected=f"within {np.degrees(_KNEE_TURNED):.0f}° of the line between both ASIS",
            found=f"{np.degrees(np.arccos(min(abs(turn), 1.0))):.0f}°",
            todo="look at the labels of thigh and shank",
        )
    axis_g = axis_g * np.sign(turn)
    origin = R @ knee.joint.point_proximal + t
    middle, figures = _beside(static, of_static, side, origin, axis_g)
    letter = next(s.letter for s in model.sides if s.name == side)
    points = {INNER: middle - _BESIDE_M / 2 * axis_g, OUTER: middle + _BESIDE_M / 2 * axis_g}
    labels = (*static.labels, *(name.replace("{S}", letter) for name in points))
    shown = np.concatenate([static.points_g, *(track[:, None] for track in points.values())], axis=1)
    return replace(static, labels=labels, points_g=shown), knee, figures


def _beside(
    static: Trial, model: specs.Model, side: str, origin: Array, axis_g: Array
) -> tuple[Array, dict[str, float]]:
    """The point of an axis that is nearest to the knee's landmarks, and how these lie to it."""
    tracks = {name: _landmark(static, model, name, side) for name in ("knee_lateral", "knee_medial")}
    there = [track for track in tracks.values() if track is not None]
    if not there:
        return origin, {}
    knee = np.mean(there, axis=0)
    along = np.einsum("fi,fi->f", knee - origin, axis_g)[:, None]
    nearest = origin + along * axis_g
    figures: dict[str, float] = {}
    if len(there) == 2:
        figures["from_epicondyles_mm"] = round(1e3 * float(np.nanmean(norm(knee - nearest))), 2)
        line = unit(there[0] - there[1])
        cosine = float(np.nanmean(np.einsum("fi,fi->f", line, axis_g)))
        figures["from_epicondylar_line_deg"] = round(float(np.degrees(np.arccos(min(cosine, 1.0)))), 2)
    return nearest, figures


def _landmark(trial: Trial, model: specs.Model, role: str, side: str) -> Array | None:
    """A landmark's track in a trial; None where it is not there."""
    label = marker_label(model, role, side)
    return trial.marker(label) if label and trial.has(label) else None


def _common(motion: Moved, name: str, ranges: Mapping[str, float]) -> dict[str, Any]:
    both = (motion.proximal, motion.first), (motion.distal, motion.second)
    return {
        "file": name,
        "frames": motion.n_frames,
        "frames_left_out": motion.left_out,
        "markers": {cluster.segment: list(cluster.labels) for cluster, _ in both},
        "noise_mm": {cluster.segment: round(1e3 * seen.noise, 3) for cluster, seen in both},
        "range_deg": {plane: round(value, 1) for plane, value in ranges.items()},
    }


def hip_record(hip: FunctionalJoint[Centre], name: str, values: Mapping[str, float], in_static: bool) -> dict[str, Any]:
    centre = hip.joint
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


def knee_record(knee: FunctionalJoint[Axis], name: str, figures: Mapping[str, float]) -> dict[str, Any]:
    axis = knee.joint
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
