"""Poses and markers -> where a segment is told by fewer of its markers, and these do not tell its movement as well.

Skin carries each marker of a cluster by itself. Where one is lost the pose stays known, but its acceleration is that of
the other markers' skin, and beside such frames the filter of the markers blends both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.poses import Body
from gaitid.markers.faults import frame_words
from gaitid.model import specs
from gaitid.notes import Note, Notes, note
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rigid_fit import FEWEST, rigid_fit, second_extent
from gaitid.numerics.rotation import quaternions
from gaitid.trial import Array, Mask

if TYPE_CHECKING:
    from gaitid.body.multibody import FittedChain

# N·m/kg. What no moment may be wrong by unsaid: the uncertainty of a hip moment by its joint centre alone is larger.
LIMIT_NM_PER_KG = 0.1
# Frames in which all points are seen, at least, that tell what one of them is worth.
FEWEST_FRAMES = 20
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
