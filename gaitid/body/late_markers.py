"""A marker that comes late, or early, beside its neighbours: its distances to them follow its own speed; what moments
lose where a marker is lost.

A point that is seen a time τ later than the others lies where it was: its distance to a neighbour changes by −τ times
its speed along the line between them. Skin moves markers too, but not in step with their speed, and not by the same
time against three neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.poses import Body
from gaitid.body.sanity import fit_notes
from gaitid.markers.faults import frame_words
from gaitid.model import specs
from gaitid.notes import Note, Notes, note
from gaitid.numerics.masks import by_blocks, deviation, known_part, known_rows, median, spans
from gaitid.numerics.rigid_fit import FEWEST, rigid_fit, second_extent
from gaitid.numerics.rotation import norm, quaternions
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

if TYPE_CHECKING:
    from gaitid.body.multibody import FittedChain


# The roles of markers on the bone, whichever of them a model knows; of each side, and of the middle.
ROLES, MIDDLE = ("asis", "psis"), ("sacrum", "sacrum_marker")
# m. The standard deviation of the steadiest of a marker's distances to the others: at most 1.9 mm in 16 walks of 11
# laboratories, 3.2 in runs and 5.3 in a sprint (skin and belts move); of one that is 5 frames late 5 to 15 mm at 60 to
# 120 Hz. Without the sprint the limit would lie lower.
MOVES_M = 0.006
# Markers, and frames in which a pair or all points must be seen: fewer tell nothing.
FEWEST_MARKERS, FEWEST_FRAMES = 3, 20


def pelvis_notes(model: specs.Model, markers: Mapping[str, Array]) -> Notes:
    """Markers of the pelvis none of whose distances to the others is constant.

    Parameters
    ----------
    model : Model
        Bound to the trial's labels.
    markers : mapping of label to (frames, 3) array, m
        Not filtered.
    """
    wanted = [label for role in ROLES for side in model.sides for label in _labels(model, role, side.name)]
    wanted += [label for role in MIDDLE for label in _labels(model, role, "")]
    labels = [label for label in dict.fromkeys(wanted) if label in markers]
    if len(labels) < FEWEST_MARKERS:
        return ()
    tracks = [markers[label] for label in labels]
    steadiest = [np.inf] * len(labels)
    for i in range(len(labels)):
        for j in range(i):
            apart = known_part(tracks[i] - tracks[j])
            if len(apart) >= FEWEST_FRAMES:
                varies = float(deviation(norm(apart)))
                steadiest[i], steadiest[j] = min(steadiest[i], varies), min(steadiest[j], varies)
    moving = [(size, label) for size, label in zip(steadiest, labels) if MOVES_M < size < np.inf]
    if not moving:
        return ()
    size, label = max(moving)
    return (note("length_varies/pelvis", label=label, mm=size * 1e3),)


def _labels(model: specs.Model, role: str, side: str) -> tuple[str, ...]:
    known = model.each_side.markers if side else model.middle.markers
    return tuple(model.labels(role, side)) if role in known else ()


# Neighbours that must agree: those whose distances vary least; and frames, spread over the trial, that tell.
NEIGHBOURS, FRAMES, LEAST = 3, 200, 30
# s, and shares of the variance of the distances, of all three together and of each, that one time explains. In 26 clean
# trials of 15 laboratories, walks, runs and a sprint, no marker shows more than 0.43 of the first with a time of more
# than 15 ms (wands on a thigh, by 20 ms), and more than 0.65 with none above 10 ms; of 23 that are 20 to 50 ms late and
# that three neighbours see, 14 show more than 0.6.
LATE_S, OF_ALL, OF_EACH = 0.015, 0.6, 0.5
_AT_ONCE = 512  # frames whose distances from each marker to each are held
# m, root mean square: distances of which less is explained tell nothing.
EXPLAINED_M = 0.003


# Phases of a stride that are compared, and m: by so much two of the three distances of a marker differ from stride to
# stride, as the median over the phases; and of what the distance changes by within a stride, where it changes least: a
# distance across a joint differs where the joint is bent otherwise. Recorded walks, a child's turn and stairs in 8
# laboratories have 2.3 mm at most (without the second 3.3, stairs 7.5, at 300 Hz 13.7); of markers that slide in 0.3
# s in any direction by 50, 30 and 20 mm 64, 45 and 20 in 100 have more (without it 71, 46 and 23), each by its name.
PHASES, SLIPPED_M, OF_STRIDE = 20, 0.012, 0.5


class Late(NamedTuple):
    """A marker that comes late (negative: early), s, and the share of its distances that this explains."""

    label: str
    late_s: float
    share: float


def loose_notes(geometry: Geometry, markers: Mapping[str, Array], rate_hz: float, earlier: Sequence[Note]) -> Notes:
    """Markers that move against the others of their segment, or later than these.

    Parameters
    ----------
    geometry : Geometry
    markers : mapping of label to (frames, 3) array, m
        Not filtered.
    rate_hz : float
    earlier : sequence of Note
        What was said before.
    """
    # what joints of an OpenSim model cannot follow is no marker's fault
    by_joints = geometry.model.pose is not None and geometry.model.pose.by_static
    notes = () if by_joints else fit_notes(geometry)
    notes = notes or pelvis_notes(geometry.model, markers)
    return (*notes, *late_notes(markers, rate_hz, (*earlier, *notes)))


def late_notes(markers: Mapping[str, Array], rate_hz: float, earlier: Sequence[Note] = ()) -> Notes:
    """The marker of a trial that is late or early beside its neighbours.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Not filtered.
    rate_hz : float
    earlier : sequence of Note
        What was said before: a marker that is named there is not named again.
    """
    result = [late for late in late_markers(markers, rate_hz) if not any(late.label in one.text for one in earlier)]
    if not result:
        return ()
    most = max(result, key=lambda late: late.share)  # its neighbours seem to be early
    ms, percent = abs(most.late_s) * 1e3, 100 * most.share
    return (note("length_varies/late", label=most.label, ms=ms, late=most.late_s > 0, percent=percent),)


def slipped_notes(
    markers: Mapping[str, Array], strides: Sequence[tuple[int, int]], earlier: Sequence[Note] = ()
) -> Notes:
    """The marker that lies elsewhere among its neighbours in one stride than at the same phase of another.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    strides : sequence of (int, int)
        First and last frames, from 0, of the strides of one foot.
    earlier : sequence of Note
        What was said before: a marker that is named there is not named again.
    """
    if len(strides) < 2:
        return ()
    firsts, lasts = np.array(strides).T
    at = np.linspace(firsts, lasts, PHASES, endpoint=False, axis=1).round().astype(int)
    places = _places(markers, at)
    whole = np.asarray(np.isfinite(places).all(axis=(0, 2, 3)))
    labels = [label for label, known in zip(markers, whole.tolist(), strict=True) if known]
    if len(labels) <= NEIGHBOURS:
        return ()
    places = places[:, whole]
    rows, _ = _steadiest(places.reshape(3, len(labels), -1))

    def varies(some: IntArray) -> Array:
        """(markers, 2, neighbours) m, by how much some markers' distances vary between strides, and within one."""
        away = places[:, some, None] - places.take(rows[some], axis=1)
        apart = np.moveaxis(np.sqrt(_product(away, away)), (2, 3), (0, 1))  # (strides, phases, markers, neighbours)
        off = median(np.moveaxis(apart - median(apart), 1, 0))
        return np.stack([np.ptp(off, axis=0), np.ptp(apart, axis=1).min(axis=0)], axis=1)

    between, within = np.swapaxes(by_blocks(varies, np.arange(len(labels)), times=3 * NEIGHBOURS * at.size), 0, 1)
    differ = np.sort(np.where(between > OF_STRIDE * within, between, 0.0), axis=1)[:, -2]
    most = int(np.argmax(differ))  # its neighbours see one of their distances change
    if not differ[most] > SLIPPED_M or any(labels[most] in one.text for one in earlier):
        return ()
    return (note("length_varies/slipped", label=labels[most], mm=1e3 * differ[most]),)


def late_markers(markers: Mapping[str, Array], rate_hz: float) -> list[Late]:
    """Every marker that three neighbours see late or early by the same time."""
    labels, places, velocity = _sampled(markers, rate_hz)
    if len(labels) <= NEIGHBOURS:
        return []
    rows, steady = _steadiest(places)
    away = places[:, :, None] - places.take(rows, axis=1)  # (3, markers, neighbours, frames)
    apart = np.sqrt(_product(away, away))
    with np.errstate(invalid="ignore", divide="ignore"):
        along = _product(velocity[:, :, None], away) / apart
        known = np.asarray(np.isfinite(along).all(axis=1))[:, None]
        count = known.sum(axis=2)
        x, y = (np.where(known, values, 0.0) for values in (apart, along))
        x, y = (known * (values - (values.sum(axis=2) / count)[..., None]) for values in (x, y))
        xx, xy, yy = (x * x).sum(axis=2), (x * y).sum(axis=2), (y * y).sum(axis=2)
        late_s = -xy.sum(axis=1) / yy.sum(axis=1)
        share, of_each = late_s**2 * yy.sum(axis=1) / xx.sum(axis=1), xy**2 / (xx * yy)
        explained = np.abs(late_s) * np.sqrt(yy.sum(axis=1) / (NEIGHBOURS * count[:, 0]))
        same_way = (np.sign(xy) == np.sign(xy[:, :1])).all(axis=1)
        late = steady & (count[:, 0] >= LEAST) & (np.abs(late_s) > LATE_S) & (share > OF_ALL)
        late &= (of_each > OF_EACH).all(axis=1) & same_way & (explained > EXPLAINED_M)
    return [Late(labels[i], float(late_s[i]), float(share[i])) for i in np.flatnonzero(late)]


def _sampled(markers: Mapping[str, Array], rate_hz: float) -> tuple[list[str], Array, Array]:
    """Labels that are seen mostly; their places, m, and velocities, m/s, (3, markers, some frames)."""
    n = len(next(iter(markers.values()), ()))
    if n < LEAST + 2:
        return [], np.empty((3, 0, 0)), np.empty((3, 0, 0))
    at = 1 + np.arange(min(FRAMES, n - 2)) * (n - 2) // min(FRAMES, n - 2)
    before, places, after = np.moveaxis(_places(markers, np.array([at - 1, at, at + 1])), 2, 0)
    velocity = (after - before) * (rate_hz / 2)
    seen = 2 * np.isfinite(velocity[0]).sum(axis=1) > len(at)
    labels = [label for label, known in zip(markers, seen.tolist(), strict=True) if known]
    return labels, places[:, seen], velocity[:, seen]


def _places(markers: Mapping[str, Array], at: IntArray) -> Array:
    """(3, markers, …) places of all markers in some frames, m: the numbers of a component lie together."""
    flat = at.ravel()
    of_each = np.array([track.take(flat, axis=0) for track in markers.values()])
    return np.ascontiguousarray(np.moveaxis(of_each, 2, 0)).reshape(3, len(of_each), *at.shape)


def _product(a: Array, b: Array) -> Array:
    """Scalar product of vectors whose components come first."""
    return np.asarray(np.einsum("i...,i...->...", a, b))


def _steadiest(places: Array) -> tuple[IntArray, Mask]:
    """Of each marker those whose distances to it vary least; whether enough are seen with it.

    `places` are (3, markers, frames).
    """
    n = places.shape[1]
    first, second = np.nonzero(np.tri(n, k=-1, dtype=bool))  # each pair once
    count, of_sizes, of_squares = (np.zeros(len(first)) for _ in range(3))
    for start in range(0, places.shape[2], _AT_ONCE):
        here = places[..., start : start + _AT_ONCE]
        away = here.take(first, axis=1) - here.take(second, axis=1)
        squares = _product(away, away)
        known = np.isfinite(squares)
        squares = np.where(known, squares, 0.0)
        count += known.sum(axis=1)
        of_squares += squares.sum(axis=1)
        of_sizes += np.sqrt(squares).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        varies = of_squares / count - (of_sizes / count) ** 2
    apart = np.full((n, n), np.inf)
    apart[first, second] = apart[second, first] = np.where(count < LEAST, np.inf, varies)
    order = np.argsort(apart, axis=1, kind="stable")[:, :NEIGHBOURS]
    return order, np.asarray(np.isfinite(apart).sum(axis=1) >= NEIGHBOURS)


# N·m/kg. What no moment may be wrong by unsaid: the uncertainty of a hip moment by its joint centre alone is larger.
LIMIT_NM_PER_KG = 0.1
# Frames, the first of the longest run in which all are seen, in which a chain is fitted once more without a point: a
# few steps of walking tell it, and a fit takes time.
CHAIN_FRAMES = 300
# Runs of frames that are named.


def lost_point_notes(body: Body, rate_hz: float, first_frame: int) -> Notes:
    """Segments whose movement rests on a marker that is lost for some frames, in which the segment counts as known.

    What the marker is worth is seen where all are: by how much the segment's angular acceleration changes without it
    (root mean square), times the segment's moment of inertia about its proximal joint. A segment of a chain with joints
    is told by the markers of all segments: there the whole chain is fitted without the marker.

    Parameters
    ----------
    body : Body
    rate_hz : float
    first_frame : int
        Number of the trial's first frame, for words.
    """
    return tuple(
        note
        for side in body.sides
        for segment in body.model.chain
        for note in _of_segment(body, segment, side, rate_hz, first_frame)
    )


def _of_segment(body: Body, segment: specs.Segment, side: str, rate_hz: float, first_frame: int) -> Iterator[Note]:
    geometry = body.geometry
    place = geometry.model.place("frame", segment.frame, side)
    if place not in geometry.fits or geometry.calibration is None:
        return
    points, fitted = geometry.fits[place][0], geometry.fitted
    if not points:
        return
    tracks = np.stack([geometry.point(point, place[0]) for point in points], axis=1)
    seen: Mask = np.asarray(np.isfinite(tracks).all(axis=2))
    if seen.all():
        return
    inertia = _inertia_per_kg(body, segment, side)
    for i, point in enumerate(points):
        lost = ~seen[:, i] & body.segments[side, segment.segment].known
        if not lost.any() or seen[:, i].sum() < seen.sum(axis=0).max() / 2:  # such a one is not taken (`steady_fit`)
            continue
        if fitted is not None:
            change = _change_of_chain_without(geometry, fitted, (side, segment.segment), i, rate_hz)
        else:
            template = np.array([geometry.calibration.templates[place][name] for name in points])
            change = _change_without(template, tracks, i, rate_hz)
        worth = inertia * change
        if worth > LIMIT_NM_PER_KG:
            label = marker_label(geometry.model, point, place[0]) or point
            yield note(
                "pose_unsure",
                segment=f"{side} {segment.segment}".replace("_", " "),
                marker=label,
                frames=[frame_words([(first, stop - 1)], first_frame) for first, stop in spans(lost)],
                joint=segment.joint,
                worth=worth,
            )


def _inertia_per_kg(body: Body, segment: specs.Segment, side: str) -> float:
    """Moment of inertia across the segment about its proximal joint over the mass of the body, m²; 0 if not known.

    By the parallel-axis theorem: μ L² (ρ² + c²), with the segment's share of the mass, its radius of gyration and the
    place of its centre of mass as shares of its length.
    """
    row = body.model.table.row(segment.row, side)
    length = body.segments[side, segment.segment].length_m
    if row.mass_fraction is None or row.gyration_fractions is None or not np.isfinite(length).any():
        return 0.0
    gyration, centre = max(row.gyration_fractions), float(np.nan_to_num(row.com_fraction))
    return float(row.mass_fraction * length[np.isfinite(length)].mean() ** 2 * (gyration**2 + centre**2))


def _change_without(template: Array, tracks: Array, i: int, rate_hz: float) -> float:
    """By how much the angular acceleration changes without point `i`, root mean square, rad/s²; 0 if nothing tells.

    The turn between the poses with and without the point is small: its second derivative is the difference.
    """
    others = np.arange(len(template)) != i
    if others.sum() < FEWEST or second_extent(template[others]) == 0.0:
        return 0.0
    whole = known_rows(tracks)
    complete = np.where(whole[:, None, None], tracks, np.nan)
    R, R_without = rigid_fit(template, complete).R, rigid_fit(template[others], complete[:, others]).R
    return _acceleration_between(R, R_without, rate_hz)


def _change_of_chain_without(
    geometry: Geometry, fitted: FittedChain, place: tuple[str, str], i: int, rate_hz: float
) -> float:
    """As `_change_without`, of a segment of a chain with joints, whose place other segments' markers tell too."""
    from gaitid.body.multibody import fit_chain  # of few models

    chain, fit, k = fitted.chain, fitted.fit, fitted.places.index(place)
    if chain[k].weights[i] == 0:  # it does not track
        return 0.0
    seen: Mask = np.isfinite(fitted.residuals[k])
    often = seen.sum(axis=0) >= seen.sum(axis=0).max() / 2  # others, as those of the static alone, have little part
    whole = seen[:, often & (chain[k].weights > 0)].all(axis=1) & fit.known(chain, k)
    runs = list(spans(np.asarray(whole)))
    if not runs:
        return 0.0
    start, stop = max(runs, key=lambda run: run[1] - run[0])
    frames = slice(start, min(stop, start + CHAIN_FRAMES))
    tracks = [
        np.stack([geometry.point(name, side)[frames] for name in names], axis=1)
        if names
        else np.zeros((frames.stop - start, 0, 3))
        for (side, _), names in zip(fitted.places, fitted.markers, strict=True)
    ]
    tracks[k][:, i] = np.nan
    without = fit_chain(chain, tracks, [R[frames] for R in fit.R])
    R_without = np.where(without.known(chain, k)[:, None, None], without.R[k], np.nan)
    return _acceleration_between(fit.R[k][frames], R_without, rate_hz)


def _acceleration_between(R: Array, R_without: Array, rate_hz: float) -> float:
    """Second derivative of the small turn between two tellings of a pose, root mean square, rad/s²; 0 if unknown."""
    whole: Mask = np.asarray(np.isfinite(R).all(axis=(1, 2)) & np.isfinite(R_without).all(axis=(1, 2)))
    turn = np.full((len(R), 3), np.nan)
    q = quaternions(R[whole] @ np.swapaxes(R_without[whole], 1, 2))
    turn[whole] = 2 * q[:, 1:] * np.sign(q[:, :1])
    change = np.diff(turn, 2, axis=0) * rate_hz**2
    change = change[known_rows(change)]
    return float(np.sqrt((change**2).sum(axis=1).mean())) if len(change) >= FEWEST_FRAMES else 0.0
