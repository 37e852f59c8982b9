"""Cleaned markers and a subject -> where every segment of the model is, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaitid.body.against_static import check_fits, compare_with_static
from gaitid.body.direction import progression
from gaitid.body.frames import Geometry
from gaitid.body.joints import Calibration, Pose
from gaitid.body.kinematics import SegmentMotion, joined_motion, only, segment_motions, with_margin
from gaitid.body.mass_properties import centre_names
from gaitid.body.sanity import check_body, check_sides, length_notes, line_notes
from gaitid.body.subject import Subject
from gaitid.markers.clean import Markers
from gaitid.model import shapes, specs
from gaitid.notes import Notes
from gaitid.numerics.masks import blocks, is_long, known_rows, rows
from gaitid.numerics.rotation import apply_transposed
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, frozen, read_only

if TYPE_CHECKING:
    from gaitid.body.multibody import FittedChain

#: A segment's side and name; the side of the base is empty.
Key = tuple[str, str]


@frozen_dataclass(eq=False)
class SegmentPose:
    """Where one segment is.

    Attributes
    ----------
    pose : Pose
        Also through gaps of markers, so that derivatives beside them have support.
    com_g : (frames, 3) array, m
        Centre of mass, likewise; of a base without mass its origin.
    known : (frames,) bool array
        The frames that count.
    length_m : (frames,) array
        From the proximal joint; empty for a base without mass.
    moves : (frames,) bool array or None
        The frames whose derivatives count, where not all of `known` do.
    """

    pose: Pose
    com_g: Array
    known: Mask
    length_m: Array
    moves: Mask | None = None

    def during(self, frames: slice) -> SegmentPose:
        """The same in some frames."""
        pose = Pose(rows(self.pose.R_gs, frames), rows(self.pose.origin_g, frames))
        length = self.length_m[frames] if len(self.length_m) else self.length_m
        moves = None if self.moves is None else self.moves[frames]
        return SegmentPose(pose, rows(self.com_g, frames), self.known[frames], length, moves)


@frozen_dataclass(eq=False)
class Body:
    """Where every segment of the model is.

    Attributes
    ----------
    geometry : Geometry
        Points and frames of the model on the filtered markers; NaN in gaps that stay open.
    sides : tuple of str
        Those that were recorded.
    segments : mapping of (side, segment) to SegmentPose
        The base stands under an empty side.
    R_gp : (3, 3) array, or (frames, 3, 3) of a walk that turns, or of several
        Progression frame; NaN where the model has none or it is not known.
    progression_words : str
        How that was found.
    settings : Settings
        As resolved with the markers.
    notes : Notes
    passes : tuple of slice
        The frames of each walk.
    rate_hz : float
        Of the frames.
    """

    geometry: Geometry
    sides: tuple[str, ...]
    segments: Mapping[Key, SegmentPose]
    R_gp: Array
    progression_words: str
    settings: specs.Settings
    notes: Notes
    passes: tuple[slice, ...]
    rate_hz: float

    @property
    def model(self) -> specs.Model:
        return self.geometry.model

    @property
    def base(self) -> Key:
        return "", self.model.base.segment

    def axes(self, key: Key) -> Array:
        """(frames, 3, 3) axes of a segment where it is known, by the markers that were seen."""
        return only(self.geometry.axes(key), self.segments[key].known)

    @property
    def base_g(self) -> Array:
        """(frames, 3) centre of mass of the base, of one without mass its origin, where it is known."""
        base = self.segments[self.base]
        return only(base.com_g, base.known)

    def motion(self, frames: slice | None = None) -> Motion:
        """How it moves, in some frames or in all (`differentiate`); kept until others are asked for."""
        last: tuple[slice | None, Motion] | None = self.__dict__.get("_last")
        if last is None or last[0] != frames:
            last = self.__dict__["_last"] = frames, differentiate(self, frames)
        return last[1]

    def motion_at(self, frames: IntArray) -> Motion:
        """How it moves in some frames, their indices in order."""
        n_frames = self.geometry.n_frames
        if not is_long(n_frames):
            return self.motion().at(frames)
        some = ((block, frames[(frames >= block.start) & (frames < block.stop)]) for block in blocks(n_frames))
        return _of_each(joined_motion, *(self.motion(block).at(of - block.start) for block, of in some if len(of)))

    def motions(self) -> Iterator[tuple[slice, Motion]]:
        """How it moves, some frames at a time, with these frames; in a short trial in all at once."""
        n_frames = self.geometry.n_frames
        if not is_long(n_frames) or self.geometry.draws > 1:
            yield slice(0, n_frames), self.motion()
        else:
            for frames in blocks(n_frames):
                yield frames, self.motion(frames)


@frozen_dataclass(eq=False)
class Motion:
    """How every segment moves.

    Attributes
    ----------
    base : SegmentMotion
        Of the segment that the limbs of all sides hang from.
    by_side : mapping of side to mapping of segment to SegmentMotion
    """

    base: SegmentMotion
    by_side: Mapping[str, Mapping[str, SegmentMotion]]

    def at(self, frames: IntArray) -> Motion:
        """The same in some frames."""
        return _of_each(lambda motion: motion.at(frames), self)


def _of_each(made: Callable[..., SegmentMotion], first: Motion, *others: Motion) -> Motion:
    """What is made of each segment's motion in each of these."""
    by_side = {
        side: {name: made(*(motion.by_side[side][name] for motion in (first, *others))) for name in segments}
        for side, segments in first.by_side.items()
    }
    return Motion(made(*(motion.base for motion in (first, *others))), by_side)


def geometry_of(
    model: specs.Model,
    markers: Markers,
    subject: Subject,
    up_g: Array,
    calibration: Calibration = Calibration(),  # noqa: B008 - it cannot be changed
) -> Geometry:
    """Points and frames of a model on the filtered markers, of which none is computed yet.

    Parameters
    ----------
    model : Model
    markers : Markers
    subject : Subject
    up_g : (3,) array
    calibration : Calibration, optional
        What a model carries over from a static.
    """
    n_frames = len(next(iter(markers.filtered.values())))
    return Geometry(model, markers.filtered, subject.numbers, n_frames, up_g, calibration=calibration)


def centres_need_segments(model: specs.Model) -> bool:
    """Whether joint centres are told by segments, of which each may be refused by name: a chain, or rigid clusters."""
    frames = (frame for scope in (model.middle, model.each_side) for frame in scope.frames.values())
    return model.pose is not None or any(isinstance(frame, shapes.RigidFrame) for frame in frames)


class Checked(NamedTuple):
    """A geometry whose segments are where the model has them put, and what is said of it."""

    geometry: Geometry
    notes: Notes


def check_pose(geometry: Geometry, markers: Markers, sides: Sequence[str]) -> Checked:
    """Put the segments of the recorded sides and of the base, and refuse what is no body.

    Parameters
    ----------
    geometry : Geometry
        As `geometry_of` gives it.
    markers : Markers
    sides : sequence of str
        Those that were recorded.

    Raises
    ------
    TrialError
        The static is another person's (`compare_with_static`), no body can be like that (`check_body`), or a segment's
        markers lie in one line.
    """
    notes = line_notes(geometry, sides)
    check_sides(geometry, sides)  # before the static, which of such a trial would be another person's
    notes += compare_with_static(geometry, sides)
    check_fits(geometry)
    geometry, of_chain = put_segments(geometry, sides)
    notes += of_chain
    notes += check_body(geometry, sides, markers.doubted)
    return Checked(geometry, notes + length_notes(geometry, sides, markers.first_frame))


def pose_segments(
    geometry: Geometry, markers: Markers, sides: Sequence[str], notes: Notes = (), through: Geometry | None = None
) -> Body:
    """Poses of all segments of the recorded sides and of the base, by a geometry on filtered markers (`check_pose`).

    `through` is the same geometry on the markers' support, where it does not follow from the model and these alone.
    """
    geometry, _ = put_segments(geometry, sides)
    model = geometry.model
    if through is None:
        through = geometry
        if markers.support is not markers.filtered:
            through, _ = put_segments(geometry.with_markers(markers.support), sides, geometry.fitted)
    base = model.base
    if base.body is None:
        known = known_rows(geometry.frame(base.frame).R_gs)
        pose, origin = _pose(geometry, through, base.frame, ""), geometry.point(base.origin)
        of_base = SegmentPose(pose, _seen_or(origin, through.point(base.origin)), known, np.zeros(0))
    else:
        of_base = _segment(geometry, through, base.body, "")
    segments = {("", base.segment): of_base}
    segments |= {
        (side, body.segment): _segment(geometry, through, body, side) for side in sides for body in model.chain
    }
    R_gp, words = np.full((3, 3), np.nan), ""
    if model.progression is not None and geometry.held is None:
        R_gp, words = progression(geometry, model.progression, markers.passes)
    return Body(
        geometry, tuple(sides), segments, frozen(R_gp), words, markers.settings, notes, markers.passes, markers.rate_hz
    )


def put_segments(geometry: Geometry, sides: Sequence[str], near: FittedChain | None = None) -> tuple[Geometry, Notes]:
    """The geometry with its segments where the model has them put; as it is where their frames say it.

    `near` is a chain that was fitted to about the same markers.
    """
    if geometry.model.pose is None or geometry.fitted is not None:
        return geometry, ()
    from gaitid.body.chain import put_by_chain  # of few models

    return put_by_chain(geometry, sides, near)


def _segment(geometry: Geometry, through: Geometry, body: specs.Segment, side: str) -> SegmentPose:
    length = np.asarray(geometry.value(body.length, side), dtype=float)
    # a mean over the trial is that of the frames that were seen
    local = length if length.ndim == 0 else through.value(body.length, side)
    com = through.point(body.com, side, **centre_names(geometry.model.table, body, side, np.asarray(local)))
    if through is not geometry:
        com = _seen_or(geometry.point(body.com, side, **centre_names(geometry.model.table, body, side, length)), com)
    length = np.broadcast_to(length, (geometry.n_frames,))
    known = known_rows(geometry.frame(body.frame, side).R_gs) & np.isfinite(length)
    return SegmentPose(_pose(geometry, through, body.frame, side), read_only(com), known, length)


def _pose(geometry: Geometry, through: Geometry, frame: str, side: str) -> Pose:
    """A frame's pose, also through gaps: what fills a gap counts only where the markers that were seen do not suffice.

    Of four markers on a segment one may be missing, and the others tell its pose better than a guess of the fourth.
    """
    own = geometry.frame(frame, side)
    if through is geometry:
        return own
    other = through.frame(frame, side)
    return Pose(_seen_or(own.R_gs, other.R_gs), _seen_or(own.origin_g, other.origin_g))


def _seen_or(own: Array, through: Array) -> Array:
    """Frame by frame the first where it is known, else the second."""
    known = known_rows(own)
    if known.all():
        return read_only(own)
    return read_only(frozen(np.where(known.reshape(-1, *[1] * (own.ndim - 1)), own, through)))


def differentiate(body: Body, frames: slice | None = None) -> Motion:
    """Velocities and accelerations of all segments, in some frames or in all; the frames of gaps that stay open are
    empty. A long trial's are made block by block.
    """
    n_frames = body.geometry.n_frames
    frames = frames or slice(0, n_frames)
    if is_long(frames.stop - frames.start) and body.geometry.draws == 1:
        return _of_each(joined_motion, *(differentiate(body, block) for block in blocks(n_frames)))
    wide, inner = with_margin(frames, n_frames)
    each = n_frames // body.geometry.draws  # of a walk: nothing is known from one to the next
    walks = [wide] if each == n_frames else [slice(start, start + each) for start in range(0, n_frames, each)]
    poses = {(key, walk.start): of.during(walk) for key, of in body.segments.items() for walk in walks}
    made = segment_motions({key: (of.pose, of.com_g) for key, of in poses.items()}, body.rate_hz, body.settings)
    for at, of in poses.items():
        made[at] = made[at].only(of.known, of.moves)
        if len(walks) == 1 and inner.stop - inner.start < wide.stop - wide.start:
            made[at] = made[at].during(inner)
    motions = {key: joined_motion(*(made[key, walk.start] for walk in walks)) for key in body.segments}
    by_side = {side: {b.segment: motions[side, b.segment] for b in body.model.chain} for side in body.sides}
    return Motion(motions[body.base], by_side)


def segments_of_markers(body: Body, tracks: Mapping[str, Array]) -> dict[str, Key]:
    """For each marker the segment in whose axes it moves least."""
    spreads: dict[str, tuple[float, Key]] = {}
    for place, segment in body.segments.items():
        pose = segment.pose
        for label, track in tracks.items():
            local = apply_transposed(pose.R_gs, track - pose.origin_g)
            known = local[known_rows(local)]
            if len(known) < 2:
                continue
            spread = float(np.sqrt(known.var(axis=0).sum()))
            if label not in spreads or spread < spreads[label][0]:
                spreads[label] = spread, place
    return {label: place for label, (_, place) in spreads.items()}
