"""Cleaned markers and a subject -> where every segment of the model is, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaitid.body.direction import progression
from gaitid.body.frames import Calibration, Geometry, Pose
from gaitid.body.kinematics import SegmentMotion, only, segment_motions
from gaitid.body.later_motion import Derivatives, Filled, FilledPose, Placed
from gaitid.body.mass_properties import centre_names
from gaitid.body.sanity import check_body, length_notes, line_notes
from gaitid.body.standing import check_fits, compare_with_static
from gaitid.body.subject import Subject
from gaitid.markers.clean import Markers
from gaitid.model import shapes, specs
from gaitid.notes import Notes
from gaitid.numerics.blocks import blocks, is_long, joined
from gaitid.numerics.masks import known_rows
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask, frozen, read_only

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
    """

    pose: Pose
    com_g: Array
    known: Mask
    length_m: Array


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
    """

    geometry: Geometry
    sides: tuple[str, ...]
    segments: Mapping[Key, SegmentPose]
    R_gp: Array
    progression_words: str
    settings: specs.Settings
    notes: Notes
    passes: tuple[slice, ...]

    @property
    def model(self) -> specs.Model:
        return self.geometry.model

    @property
    def base(self) -> Key:
        return "", self.model.base.segment


@frozen_dataclass(eq=False)
class Motion:
    """How every segment moves.

    Attributes
    ----------
    base : SegmentMotion
        Of the segment that the limbs of all sides hang from.
    by_side : mapping of side to mapping of segment to SegmentMotion
    during : callable or None
        Of a long trial: the motion in some frames, made when it is asked for.
    """

    base: SegmentMotion
    by_side: Mapping[str, Mapping[str, SegmentMotion]]
    during: Callable[[slice], Motion] | None = None

    def parts(self) -> Iterator[tuple[slice, Motion]]:
        """The motion some frames at a time, with these frames; that of a short trial at once."""
        if self.during is None:
            yield slice(None), self
        else:
            for frames in blocks(len(self.base.com_g)):
                yield frames, self.during(frames)

    def of_parts(self, made: Callable[[Motion], Array]) -> Array:
        """(frames, …) what is made of the motion frame by frame."""
        return joined([made(part) for _, part in self.parts()])


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
    if model.progression is not None:
        R_gp, words = progression(geometry, model.progression, markers.passes)
    return Body(geometry, tuple(sides), segments, frozen(R_gp), words, markers.settings, notes, markers.passes)


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
    if is_long(geometry.n_frames):
        return FilledPose(Filled.of(own.R_gs, other.R_gs), Filled.of(own.origin_g, other.origin_g))
    return Pose(_seen_or(own.R_gs, other.R_gs), _seen_or(own.origin_g, other.origin_g))


def _seen_or(own: Array, through: Array) -> Array:
    """Frame by frame the first where it is known, else the second."""
    known = known_rows(own)
    if known.all():
        return read_only(own)
    return read_only(frozen(np.where(known.reshape(-1, *[1] * (own.ndim - 1)), own, through)))


def _own_axes(body: Body, key: Key) -> Array:
    """(frames, 3, 3) axes of a segment by the markers that were seen."""
    side, name = key
    model = body.model
    frame = model.base.frame if key == body.base else next(b.frame for b in model.chain if b.segment == name)
    return body.geometry.frame(frame, side).R_gs


def differentiate(body: Body, rate_hz: float) -> Motion:
    """Velocities and accelerations of all segments; the frames of gaps that stay open are empty.

    Those of a long trial are made some frames at a time (`Motion.parts`); where somebody asks a segment for them, those
    of all segments and frames are made, and held from then on.
    """
    n_frames = len(body.segments[body.base].com_g)
    if not is_long(n_frames):
        parts = {key: (segment.pose, segment.com_g) for key, segment in body.segments.items()}
        motions = segment_motions(parts, rate_hz, body.settings)
        for key, of in body.segments.items():
            if not of.known.all():
                motions[key] = motions[key].only(of.known, _own_axes(body, key))
        return _of_body(body, motions)
    places = {}
    for key, of in body.segments.items():
        own, pose = _own_axes(body, key), of.pose
        axes = pose.axes if isinstance(pose, FilledPose) else pose.R_gs
        places[key] = Placed(axes, of.com_g, of.known, only(own, of.known, own))
    whole = Derivatives(places, rate_hz, body.settings, tuple(blocks(n_frames)))
    return _of_body(body, whole.motions(), lambda frames: _of_body(body, whole.during(frames).motions()))


def _of_body(
    body: Body, motions: Mapping[Key, SegmentMotion], during: Callable[[slice], Motion] | None = None
) -> Motion:
    by_side = {side: {b.segment: motions[side, b.segment] for b in body.model.chain} for side in body.sides}
    return Motion(motions[body.base], by_side, during)
