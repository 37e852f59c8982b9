"""A trial that was analysed again -> what is drawn of it over time, and the axes in which a viewer turns it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from gaitid.analysis.result import Result
from gaitid.body.upper_body import centre_of_body
from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError, in_print
from gaitid.ground.contacts import UNKNOWN
from gaitid.ground.sole import reaches_onto
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import quaternions, unit
from gaitid.records import frozen_dataclass
from gaitid.report.scene.attach import Attached, Bone, attach, bones_of, named_in_notes
from gaitid.results.result import Result as Written
from gaitid.run.command import read_recorded, refuse_other_numbers
from gaitid.trial import Array, Mask

# m. What is recorded farther from the body is not of it: a camera's ghost, a calibration wand.
_NEAR = 2.0
# m. A way shorter than this has no direction.
_WAY = 0.5
_VIRTUAL = "OALP"


@frozen_dataclass(eq=False)
class View:
    """The axes in which a trial is shown.

    Attributes
    ----------
    R_dg : (3, 3) array
        Rows are the directions forward, left and up, laboratory axes: the body's own, by its hips, or where one was
        not recorded those of its way.
    origin_g : (3,) array, m
        On the floor below the middle of where the body was.
    """

    R_dg: Array
    origin_g: Array

    def points(self, points_g: Array) -> Array:
        """(…, 3) points in these axes, m."""
        return np.asarray((points_g - self.origin_g) @ self.R_dg.T)

    def directions(self, vectors_g: Array) -> Array:
        """(…, 3) vectors in these axes."""
        return np.asarray(vectors_g @ self.R_dg.T)

    def quaternions(self, R_gs: Array) -> Array:
        """(frames, 4) orientations as quaternions, w first, in these axes."""
        return quaternions(self.R_dg @ R_gs)


@frozen_dataclass(eq=False)
class Track:
    """One marker.

    Attributes
    ----------
    label, role : str
        The role in the model, in words; empty for a marker that the model does not use.
    side : str
    points_g : (frames, 3) array, m
        As the analysis used it; of one that the model does not use as recorded.
    recorded_g : (frames, 3) array or None, m
        Where the file has it in frames in which the analysis did not believe it; NaN elsewhere.
    attached : Attached or None
    filled : (frames,) bool array
        Frames in which it was not seen, and a gap was filled.
    doubt : str
        What notes say of it; empty without any.
    used : bool
        Whether the model uses it.
    """

    label: str
    role: str
    side: str
    points_g: Array
    recorded_g: Array | None
    attached: Attached | None
    filled: Mask
    doubt: str
    used: bool


@frozen_dataclass(eq=False)
class Moving:
    """Everything that is drawn of one trial, laboratory axes, at the camera's rate.

    Attributes
    ----------
    result : Result
    view : View
    bones : tuple of Bone
    tracks : tuple of Track
        Those that the model uses first.
    body_com_g : (frames, 3) array, m
    """

    result: Result
    view: View
    bones: tuple[Bone, ...]
    tracks: tuple[Track, ...]
    body_com_g: Array

    @cached_property
    def soles_over_plates(self) -> Mapping[tuple[str, int], Mask]:
        """(frames,) of each side and plate: whether a part of the foot's sole is over the plate."""
        ground = self.result.ground
        return {
            (side, plate.number): reaches_onto(plate, foot)
            for side, foot in ground.feet.items()
            for plate in ground.plates
            if plate.outlined
        }


def moving(result: Result) -> Moving:
    """What is drawn of a trial."""
    bones = bones_of(result)
    return Moving(result, view_of(result), tuple(bones), tuple(_tracks(result, bones)), _centre(result))


def _centre(result: Result) -> Array:
    """(frames, 3), m: the whole body's centre of mass where the trunk was measured, else of pelvis and legs."""
    whole = result.whole_body
    return whole.com_g if whole is not None and whole.known else centre_of_body(result.body)


# --- the view -----------------------------------------------------------------------------------------------


def view_of(result: Result) -> View:
    """Forward as the body faces, up, and the floor below it."""
    up = unit(result.ground.floor.up_g)
    forward = _facing(result, up)
    left = np.cross(up, forward)
    R_dg = np.stack([forward, left, up])
    middle = _middle(result.base.com_g)
    return View(R_dg, middle - up * (up @ middle - _floor_height(result, up)))


def _facing(result: Result, up: Array) -> Array:
    sides = {side.name: side.sign for side in result.model.sides}
    hips = [(sides[side], list(leg.joints_g.values())[-1]) for side, leg in result.sides.items() if leg.joints_g]
    ways: list[Array] = []
    if len(hips) == 2:
        leftward = sum(sign * centre for sign, centre in hips)
        ways.append(np.cross(_middle(np.asarray(leftward)), up))
    known = result.base.com_g[known_rows(result.base.com_g)]
    if len(known) > 1 and np.linalg.norm(known[-1] - known[0]) > _WAY:
        ways.append(known[-1] - known[0])
    ways += list(np.eye(3))
    level = (way - up * (up @ way) for way in ways)
    return unit(next(way for way in level if np.linalg.norm(way) > 0.05))


def _middle(points: Array) -> Array:
    known = points[known_rows(points)]
    return np.median(known, axis=0) if len(known) else np.zeros(3)


def _floor_height(result: Result, up: Array) -> float:
    """Of the lowest plate, or where there is none just below the lowest foot."""
    corners = [plate.corners_g for plate in result.trial.plates if plate.outlined]
    if corners:
        return float(min((c @ up).mean() for c in corners))
    feet = [point @ up for foot in result.ground.feet.values() for point in (foot.heel_g, foot.toe_g)]
    known = np.concatenate([height[np.isfinite(height)] for height in feet]) if feet else np.zeros(0)
    return float(np.percentile(known, 1)) - 0.03 if known.size else 0.0


# --- the markers --------------------------------------------------------------------------------------------


def _tracks(result: Result, bones: Sequence[Bone]) -> list[Track]:
    trial, markers = result.trial, result.markers
    notes = named_in_notes(result)
    roles = {label: (side, role) for side, role in [*result.model.roles] for label in result.model.labels(role, side)}
    used = dict(markers.filtered)
    others = {label: trial.marker(label) for label in _others(trial.marker_labels, used) if trial.has(label)}
    others = {label: points for label, points in others.items() if _is_near(points, result.base.com_g)}
    attached = attach(result, {**used, **others}, bones, notes)
    filled = {label: np.zeros(trial.n_frames, dtype=bool) for label in used}
    for gap in markers.quality["gaps"]:
        if gap["filled_by"]:
            first, last = (gap[name] - trial.first_frame for name in ("first_frame", "last_frame"))
            filled[gap["marker"]][first : last + 1] = True
    doubted = _doubted_frames(result)
    tracks = []
    for label, points in {**used, **others}.items():
        side, role = roles.get(label, ("", ""))
        recorded = None
        if label in doubted:
            recorded = np.where(doubted[label][:, None], trial.marker(label), np.nan)
        tracks.append(
            Track(
                label,
                f"{side} {role.replace('_', ' ')}".strip(),
                side or _side_of(attached.get(label), bones),
                points,
                recorded,
                attached.get(label),
                filled.get(label, np.zeros(trial.n_frames, dtype=bool)),
                notes.get(label, ""),
                label in used,
            )
        )
    return tracks


def _side_of(attached: Attached | None, bones: Sequence[Bone]) -> str:
    return "" if attached is None else bones[attached.bone].key[0]


def _doubted_frames(result: Result) -> dict[str, Mask]:
    """By label the frames in which the analysis did not believe it."""
    doubted: dict[str, Mask] = {}
    for fault in result.markers.quality["label_faults"]:
        for label in (*fault["labels"], *fault["or_labels"]):
            mask = doubted.setdefault(label, np.zeros(result.trial.n_frames, dtype=bool))
            for first, last in fault["frames"]:
                mask[first - result.trial.first_frame : last - result.trial.first_frame + 1] = True
    return {label: mask for label, mask in doubted.items() if mask.any() and result.trial.has(label)}


def _others(labels: Sequence[str], used: Mapping[str, object]) -> list[str]:
    """Labels that the model does not use, without the axes of bones that Plug-in Gait stores as four points each."""
    known = set(labels)
    return [
        label
        for label in dict.fromkeys(labels)
        if label and label not in used and not all(label[:-1] + letter in known for letter in _VIRTUAL)
    ]


def _is_near(points: Array, base_g: Array) -> bool:
    away = np.linalg.norm(points - base_g, axis=1)
    known = away[np.isfinite(away)]
    return bool(known.size and np.median(known) < _NEAR)


# --- loads ----------------------------------------------------------------------------------------------------


def unknown_frames(result: Result, side: str) -> list[tuple[int, int]]:
    """Runs of frames, first and last, in which a foot's load is neither known from plates nor known to be none."""
    state = result.sides[side].load.state
    return [(a, b - 1) for a, b in spans(state == UNKNOWN)]


# Trials kept, and their frames, of some 6 kB each: a page asks for the view of all, then for the plan of each.
_KEPT, _KEPT_FRAMES = 32, 30_000
_seen: dict[tuple[Path, tuple[int, ...] | None], Seen] = {}


@frozen_dataclass(eq=False)
class Seen:
    """What is drawn of a trial, or why nothing is.

    Attributes
    ----------
    moving : Moving or None
    why_not : str
        In one line, where there is none.
    """

    moving: Moving | None
    why_not: str = ""


def seen_of(result: Written) -> Seen:
    """The same answer for the same record, as long as nobody writes to it."""
    key = (result.path.absolute(), file_state(result.path))
    if key not in _seen:
        outcome = analyse_again(result)
        while _seen and (len(_seen) >= _KEPT or sum(map(_frames, [outcome, *_seen.values()])) > _KEPT_FRAMES):
            del _seen[next(iter(_seen))]
        _seen[key] = outcome
    return _seen[key]


def analyse_again(result: Written) -> Seen:
    """The trial of a result, analysed again from the files that its record names (`gaitid.run.command`).

    Nothing is raised where a file is gone or has changed, or where other numbers come out.
    """
    try:
        again = read_recorded(result.record, result.path).analysed()
        refuse_other_numbers(again, result.record, result.columns)
    except (GaitidError, OSError, ValueError) as error:
        return Seen(None, error.line() if isinstance(error, GaitidError) else in_print(str(error)))
    return Seen(moving(again))


def _frames(seen: Seen) -> int:
    return 0 if seen.moving is None else seen.moving.result.trial.n_frames
