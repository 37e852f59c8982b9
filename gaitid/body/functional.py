"""Two clusters of markers that move at a joint -> its centre or its axis, with how well it is known; or why it is not.

It knows markers as arrays and segments by their names. Which labels a segment has, and what becomes of the result, is
decided above (`gaitid.analysis.functional`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from gaitid.errors import TrialError, counted
from gaitid.notes import Notes, note
from gaitid.numerics.functional import Axis, Centre, ClusterMotion, cluster_motion, rotation_vectors, sara, score
from gaitid.numerics.masks import known_rows, median, quantile
from gaitid.numerics.rigid_fit import FEWEST, rigid_fit, second_extent
from gaitid.numerics.rotation import apply
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

T = TypeVar("T", Centre, Axis)
# Frames in which both clusters are seen: with fewer a circumduction of one second decides alone.
FEWEST_FRAMES = 100
# deg, from the 2.5th to the 97.5th percentile, in the second plane: with 2 mm of noise, 1,000 frames and a plate of 60
# by 80 mm the centre is off by less than 4 mm in 95 of 100 trials at 20° (±10°), by less than 2.6 mm at 30°
# (docs/functional.md); but what skin does to it grows as the motion shrinks, and nothing takes that off.
LEAST_HIP_DEG, LITTLE_HIP_DEG = 20.0, 30.0
# deg, about the axis itself.
LEAST_KNEE_DEG, LITTLE_KNEE_DEG = 25.0, 40.0
# m. Both images of the centre (or of the axis) lie apart by 5 to 12 mm where markers sit on skin.
DOUBTFUL_RESIDUAL_M, LARGEST_RESIDUAL_M = 0.015, 0.030
# m and rad. By leaving out one tenth of the frames after the other.
LARGEST_ERROR_M, LARGEST_ERROR_RAD = 0.010, np.radians(5)
# m. Markers of one segment that lie nearer to one line (root mean square) tell too little of how it turns about that.
LEAST_EXTENT_M = 0.015
# A marker that is seen in fewer of the frames in which the others of its segment are would cost more than it tells.
_OFTEN = 0.8
# m. A frame whose cluster fits worse than half of them by so much holds a label that is another's for a moment.
_MISLABELLED_M = 0.010
# m. The arrangement of a segment's markers in another trial: beyond that they were put on again.
MOVED_M = 0.012

PLANES = ("flexion", "adduction", "rotation")


@frozen_dataclass(eq=False)
class Cluster:
    """The markers of one segment in a functional trial.

    Attributes
    ----------
    segment : str
        In words: ``right thigh``.
    labels : tuple of str
    points : (frames, markers, 3) array, m
    """

    segment: str
    labels: tuple[str, ...]
    points: Array


@frozen_dataclass(eq=False)
class Moved:
    """A joint whose two segments were seen in a functional trial.

    Attributes
    ----------
    proximal, distal : Cluster
        In the frames that count.
    first, second : ClusterMotion
        Of both.
    turns : (frames, 3) array, rad
        Turns of the distal segment away from the mean, in the axes of the proximal cluster.
    left_out : int
        Frames in which markers did not fit their segment.
    """

    proximal: Cluster
    distal: Cluster
    first: ClusterMotion
    second: ClusterMotion
    turns: Array
    left_out: int

    @property
    def n_frames(self) -> int:
        return len(self.turns)

    @property
    def largest_deg(self) -> float:
        """The range about the axis that it turned about most."""
        return float(_range_deg(self.turns @ self._principal[:, 0]))

    @property
    def second_deg(self) -> float:
        """The range about the axis square to it that it turned about most."""
        return float(_range_deg(self.turns @ self._principal[:, 1]))

    @property
    def _principal(self) -> Array:
        """(3, 3) axes of the proximal cluster that it turned about, as columns, most first."""
        values, vectors = np.linalg.eigh(np.cov(self.turns.T))
        return np.asarray(vectors[:, np.argsort(values)[::-1]])


def choose_cluster(segment: str, markers: Mapping[str, Array], reserve: Mapping[str, Array]) -> Cluster:
    """The markers that tell a segment's pose: all of `markers`, those of `reserve` while they lie too near to one line.

    Parameters
    ----------
    segment : str
    markers, reserve : mapping of label to (frames, 3) array, m
        In the order in which they count; `reserve` holds those on joints, where skin slides.

    Raises
    ------
    TrialError
        Fewer than three, or all in one line.
    """
    chosen: dict[str, Array] = {}
    most = max((int(known_rows(track).sum()) for track in (*markers.values(), *reserve.values())), default=0)
    for group in (markers, reserve):
        for label, track in group.items():
            if group is reserve and _extent(chosen) >= LEAST_EXTENT_M:
                break
            if most and known_rows(track).sum() >= _OFTEN * most:
                chosen[label] = track
    if len(chosen) < FEWEST or _extent(chosen) < LEAST_EXTENT_M:
        few = len(chosen) < FEWEST
        raise TrialError(
            f"the {segment} has too few markers for a functional joint"
            if few
            else f"the {segment}'s markers lie in line",
            expected=f"{FEWEST} markers that move with the bone, {LEAST_EXTENT_M * 1e3:.0f} mm and more from one line",
            found=", ".join(chosen) or "none",
            todo="leave medial markers on in functional trials, or wear a cluster, and name it with --markers",
        )
    return Cluster(segment, tuple(chosen), np.stack(list(chosen.values()), axis=1))


def _extent(tracks: Mapping[str, Array]) -> float:
    """How far from one line markers lie in the middle frame in which all are seen."""
    if len(tracks) < FEWEST:
        return 0.0
    points = np.stack(list(tracks.values()), axis=1)
    seen = np.flatnonzero(np.isfinite(points).all(axis=(1, 2)))
    return second_extent(points[seen[len(seen) // 2]]) if len(seen) else 0.0


def moved(proximal: Cluster, distal: Cluster) -> Moved | None:
    """How two segments moved on each other; None where they are not seen together in two frames."""
    seen: Mask = np.asarray(np.isfinite(proximal.points).all(axis=(1, 2)) & np.isfinite(distal.points).all(axis=(1, 2)))
    if seen.sum() < FEWEST:
        return None
    before = int(seen.sum())
    frames = np.flatnonzero(seen)
    for points in (proximal.points, distal.points):
        fit = rigid_fit(cluster_motion(points[seen]).template, points[frames])
        frames = frames[fit.residual <= float(median(fit.residual)) + _MISLABELLED_M]
    first, second = (Cluster(c.segment, c.labels, c.points[frames]) for c in (proximal, distal))
    motions = cluster_motion(first.points), cluster_motion(second.points)
    return Moved(first, second, *motions, rotation_vectors(*motions), before - len(frames))


@frozen_dataclass(eq=False)
class FunctionalJoint(Generic[T]):
    """A hip centre by SCoRE on the pelvis' markers, or a knee axis by SARA on the thigh's.

    Attributes
    ----------
    moved : Moved
    joint : Centre or Axis
    range_deg : mapping of str to float
        Of a hip in each of `PLANES`, about the axes of the pelvis; of a knee about its axis (``flexion``).
    notes : Notes
    """

    moved: Moved
    joint: T
    range_deg: Mapping[str, float]
    notes: Notes


def functional_hip(name: str, motion: Moved, R_cp: Array) -> FunctionalJoint[Centre]:
    """The centre of a hip.

    Parameters
    ----------
    name : str
        In words: ``right hip``.
    motion : Moved
        Of the thigh on the pelvis.
    R_cp : (3, 3) array
        The axes of the pelvis (x forward, y left, z up) as columns in the axes of its cluster.

    Raises
    ------
    TrialError
        Too few frames, too little motion in a plane, both images too far apart, or frames that do not agree.
    """
    _check_frames(name, motion)
    turns = motion.turns @ R_cp
    ranges = dict(zip(PLANES, (_range_deg(turns[:, i]) for i in (1, 0, 2)), strict=True))
    words = ", ".join(f"{plane} {range_:.0f}°" for plane, range_ in ranges.items())
    second = motion.second_deg
    if second < LEAST_HIP_DEG:
        raise TrialError(
            f"the {name} moves too little {_in_which(ranges)}",
            expected=f"{LEAST_HIP_DEG:.0f}° or more in two planes that do not go together",
            found=f"{words}, and {second:.0f}° square to the largest of its movements",
            todo="leave it out, or record it again: flex, extend, abduct, adduct by 30° and more, then circle",
        )
    centre = score(motion.first, motion.second)
    _check_fit(name, "centre", centre.residual, centre.standard_error, LARGEST_ERROR_M)
    notes: Notes = ()
    if second < LITTLE_HIP_DEG:
        drawn_mm, error_mm = centre.correction * 1e3, centre.standard_error * 1e3
        notes += (
            note("functional_doubtful/hip", joint=name, deg=second, ranges=words, drawn_mm=drawn_mm, error_mm=error_mm),
        )
    notes += _residual_note(name, centre.residual)
    return FunctionalJoint(motion, centre, ranges, notes)


def functional_knee(name: str, motion: Moved) -> FunctionalJoint[Axis]:
    """The axis of a knee; parameters as of `functional_hip`.

    Raises
    ------
    TrialError
        Too few frames, too little flexion, both images too far apart, or frames that do not agree.
    """
    _check_frames(name, motion)
    axis = sara(motion.first, motion.second)
    about = _range_deg(motion.turns @ axis.proximal)
    if about < LEAST_KNEE_DEG:
        raise TrialError(
            f"the {name} moves too little in flexion",
            expected=f"{LEAST_KNEE_DEG:.0f}° or more",
            found=f"{about:.0f}°",
            todo="leave it out, or record it again: flex and extend the knee several times by 60° and more",
        )
    _check_fit(name, "axis", axis.residual, axis.standard_error, LARGEST_ERROR_RAD)
    notes: Notes = ()
    if about < LITTLE_KNEE_DEG:
        error_deg = np.degrees(axis.standard_error)
        notes += (note("functional_doubtful/knee", joint=name, deg=about, error_deg=error_deg),)
    notes += _residual_note(name, axis.residual)
    return FunctionalJoint(motion, axis, {"flexion": about}, notes)


def carried_pose(motion: Moved, labels: Sequence[str], points: Array, what: str) -> tuple[Array, Array]:
    """Where the proximal cluster of a functional trial lies in another trial: (frames, 3, 3) axes, (frames, 3) m.

    Parameters
    ----------
    motion : Moved
    labels : sequence of str
        Of the cluster's markers that the other trial holds.
    points : (frames, markers, 3) array, m
        These.
    what : str
        The other trial, for words.

    Raises
    ------
    TrialError
        The markers lie in another arrangement.
    """
    known = [motion.proximal.labels.index(label) for label in labels]
    fit = rigid_fit(motion.first.template[known], points, LEAST_EXTENT_M / 2)
    residual = fit.residual[np.isfinite(fit.residual)]
    if residual.size and (off := float(median(residual))) > MOVED_M:
        raise TrialError(
            f"the markers of the {motion.proximal.segment} lie otherwise in the functional trial than in {what}",
            expected=f"the same arrangement to {MOVED_M * 1e3:.0f} mm (root mean square)",
            found=f"{off * 1e3:.0f} mm",
            todo="give the functional trial of this person and session",
        )
    return fit.R, fit.t


def _in_which(ranges: Mapping[str, float]) -> str:
    """The planes that lack motion."""
    lacking = [plane for plane in PLANES[:2] if ranges[plane] < LEAST_HIP_DEG]
    return f"in {' and '.join(lacking)}" if lacking else "in a second plane: its movements in both planes go together"


def _check_frames(name: str, motion: Moved) -> None:
    if motion.n_frames < FEWEST_FRAMES:
        raise TrialError(
            f"too few frames show both segments of the {name}",
            expected=f"{FEWEST_FRAMES} or more in which {', '.join((*motion.proximal.labels, *motion.distal.labels))} "
            "are seen",
            found=counted(motion.n_frames, "frame"),
            todo="leave it out, or record it again for ten seconds or more, where the cameras see these markers",
        )


def _check_fit(name: str, what: str, residual: float, error: float, largest: float) -> None:
    if residual > LARGEST_RESIDUAL_M:
        raise TrialError(
            f"no {what} of the {name} fits: its images on both segments lie too far apart",
            expected=f"{LARGEST_RESIDUAL_M * 1e3:.0f} mm or less (root mean square)",
            found=f"{residual * 1e3:.0f} mm",
            todo="look at the labels and for markers that slip; move slowly",
        )
    if not error <= largest:
        unit, factor = ("mm", 1e3) if what == "centre" else ("°", 180 / np.pi)
        raise TrialError(
            f"the frames do not agree on the {what} of the {name}",
            expected=f"a standard error of {largest * factor:.0f} {unit} or less (one tenth of them left out in turn)",
            found=f"{error * factor:.0f} {unit}",
            todo="leave it out, or record it again: the whole movement several times over, in two planes",
        )


def _residual_note(name: str, residual: float) -> Notes:
    if residual <= DOUBTFUL_RESIDUAL_M:
        return ()
    return (note("functional_doubtful/apart", joint=name, mm=residual * 1e3),)


def _range_deg(angles: Array) -> float:
    return float(np.degrees(quantile(angles, 0.975) - quantile(angles, 0.025)))


def images_g(motion: ClusterMotion, place: Array) -> Array:
    """(frames, 3) where a place on a cluster lies, m, laboratory axes."""
    return apply(motion.R, place) + motion.t
