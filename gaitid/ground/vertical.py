"""Which way is up: what the user says, the model, plates, posture, the static, the body's long axis, the file's screen
axes, in this order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.body.feet import FootTrack, heel_and_toe
from gaitid.body.frames import Geometry
from gaitid.body.sanity import is_still, mirror_option
from gaitid.errors import GaitidError, TrialError
from gaitid.markers.clean import model_markers
from gaitid.model import specs
from gaitid.model.settings import VERTICALS
from gaitid.notes import Notes, note
from gaitid.numerics.masks import deviation, known_part, mean, mean_of_known, median, median_of_known
from gaitid.numerics.rotation import cross, norm
from gaitid.read.plates.surface import plate_axes
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial, read_only

# deg. What lies farther from every laboratory axis does not tell which one is up. Plates of the shared trials lie
# within 0.3 of it, ramps of studies up to 20; the pelvis above the feet within 10.2, in a sprint 26; long axes within
# 13.2.
OFF_DEG = 35.0
# m. Feet stand 85 to 370 mm apart in 28 shared trials, seen along the way they point: so far the left one is on the
# right of the other, as the median of a trial, where the axes are mirrored or the labels exchanged.
MIRRORED_M = 0.02
# deg. Plates that lie farther from it than this are on a ramp, or the laboratory is tilted.
SAID_DEG = 2.0
# deg. Plates do not face this far away from where the pelvis is above the feet.
CONTRADICT_DEG = 60.0
# Frames that are looked at, over the whole trial; fewer points show no body.
LOOKED_AT, FEWEST_POINTS = 200, 6
# Correlation of ranks from which the ends of a body differ. In 98 shared recordings of some 30 laboratories the end is
# right in each of 91 from here on, one with z down among them, and wrong in one of 0.25 (a jump).
ENDS_DIFFER = 0.5
# m. What moves less is no living body: quiet stance sways by some millimetres (a phantom, or a mean of frames).
MOVES_M = 0.0005


class AxesError(TrialError):
    """Plates in other axes than the markers, in whatever model these are seen."""


class MirroredError(AxesError):
    """A laboratory with left-handed axes, in whatever model its markers are seen."""


#: Of a trial, as long as it is there: the model that it was last asked with, and the answer. A static is asked again
#: for each trial of its session, a trial for what another calibration would change.
_ASKED: WeakKeyDictionary[Trial, tuple[specs.Model | None, tuple[Array, str]]] = WeakKeyDictionary()


class Witness(NamedTuple):
    """What says which way is up, and who says so in words; None, or of length 0, where nothing does."""

    direction: Array | None
    words: str


_PLATES, _POSTURE, _STATIC = "plates", "posture: the pelvis above the feet", "posture in the static"
#: How the vertical was found, where neither a plate nor a label says it.
BY_SHAPE = "the body's long axis, by places alone"
# What was measured; what else a file says does not decide between two axes.
_SEEN = (_PLATES, _POSTURE, _STATIC, BY_SHAPE)


def vertical(trial: Trial, model: specs.Model | None, in_static: Array | None = None) -> tuple[Array, str]:
    """Which laboratory axis points up, and how that was found (`laboratory_vertical`).

    Parameters
    ----------
    trial : Trial
    model : Model or None
        Which may say it, where the user does not, or whose markers tell the posture, if any.
    in_static : (3,) array, optional
        What points up in the static.

    Raises
    ------
    TrialError
        Nothing says, or the plates and the posture contradict each other.
    """
    asked = _ASKED.get(trial)
    if asked is None or asked[0] is not model:
        asked = _ASKED[trial] = model, _vertical(trial, model, in_static)
    return asked[1]


def _vertical(trial: Trial, model: specs.Model | None, in_static: Array | None) -> tuple[Array, str]:
    normals = _normals(trial)
    posture = np.full(3, np.nan)
    said = _said(trial, model)
    given = np.eye(3)["xyz".index(said[-1])] * (-1.0 if said[0] == "-" else 1.0) if said else None
    if model is not None and model.touches_ground:
        markers = model_markers(trial, model)
        geometry = Geometry(model, markers, {}, trial.n_frames, np.zeros(3))
        pelvis = geometry.point(model.base.origin)
        if not np.isfinite(pelvis).any():  # carried over from a static: the markers there tell as much
            pelvis = _middle([geometry.point(role) for role in model.middle.markers])
        tracks = {side.name: FootTrack(*heel_and_toe(geometry, side.name)) for side in model.sides}
        foot = _middle([p for track in tracks.values() for p in (track.heel_g, track.toe_g)])
        if (trial.up or (given is None and not len(normals))) and not np.isfinite(foot).any():
            # what is seen of the legs lies below the pelvis, too
            roles = [(role, side.name) for side in model.sides for role in model.each_side.markers]
            foot = _middle([geometry.point(*role) for role in roles])
        posture = mean_of_known(pelvis - foot)
        _refuse_mirrored(normals, posture, tracks)
        if trial.up:
            axis = posture if np.isfinite(posture).all() else long_axis(trial)
            _refuse_another_axis(trial.up, given, axis, markers)

    def witnesses() -> Iterator[Witness]:
        yield Witness(given, f"--set vertical={trial.up}" if trial.up else "the model")
        yield Witness(normals.sum(axis=0), _PLATES)
        yield Witness(posture, _POSTURE)
        yield Witness(in_static, _STATIC)
        yield Witness(long_axis(trial), BY_SHAPE)
        yield Witness(trial.up_hint, "screen axes of the file")

    outlined = any(np.isfinite(plate.corners_g).all() for plate in trial.plates)
    up_g, words = laboratory_vertical(witnesses(), posture, outlined)
    return read_only(up_g), words


def _refuse_another_axis(said: str, given: Array | None, posture: Array | None, markers: Mapping[str, Array]) -> None:
    """Refuse what the user says points up where the subject moves upright along another axis; who lies is still.

    Raises
    ------
    AxesError
    """
    if given is None or posture is None or not (off := _off_deg(posture, given)) > CONTRADICT_DEG:
        return
    if is_still(markers):
        return
    raise AxesError(
        f"--set vertical={said}: the pelvis of the subject, who moves, lies {off:.0f}° from that, seen from the legs",
        expected=f"the axis along which the pelvis lies above the legs, within {CONTRADICT_DEG:g}°",
        todo=f"leave it out, or give {_option(posture)}",
    )


def _said(trial: Trial, model: specs.Model | None) -> str:
    """The axis that the user says points up, or else the model; empty where neither does."""
    return trial.up or ("" if model is None else model.vertical)


def _middle(points_g: Sequence[Array]) -> Array:
    """(frames, 3) mean of those of several points that are known; NaN where none is."""
    points = np.array(points_g)
    seen = np.isfinite(points)
    if seen.all():
        return mean(points)
    total, count = np.where(seen, points, 0.0).sum(axis=0), seen.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _refuse_mirrored(plate_normals: Array, posture: Array, feet: Mapping[str, FootTrack]) -> None:
    """Refuse a laboratory whose axes are left-handed: two witnesses that know nothing of each other say so.

    The corners of a plate are numbered so that its surface faces up, and a left foot is on the left of the way that
    feet point, with the pelvis above them. In mirrored axes both are the other way round. Exchanged labels alone, or
    corners alone in the wrong order, leave the other witness right.

    Raises
    ------
    MirroredError
    """
    if {*feet} != {"left", "right"} or not posture @ plate_normals.sum(axis=0) < 0:
        return
    right_m = -_left_of_right(posture, feet["left"], feet["right"])
    if right_m > MIRRORED_M:
        apart = feet["left"].heel_g - feet["right"].heel_g
        raise MirroredError(
            "the axes of the laboratory are left-handed (one of them is mirrored): along the vertical that the "
            "plates' corners give the pelvis lies below the feet, and the left foot stands "
            f"{1e3 * right_m:.0f} mm on the right of the other, by the way that both point",
            expected="right-handed axes, as of every C3D, TRC and MOT file",
            todo=f"export the trial with right-handed axes, or give {mirror_option(apart)}",
        )


def _left_of_right(up: Array, left: FootTrack, right: FootTrack) -> float:
    """How far the left foot is on the left of the right one, by the way that both point, m; NaN where not seen."""
    forward = left.toe_g - left.heel_g + right.toe_g - right.heel_g
    leftward = cross(up, forward)
    apart = (left.heel_g + left.toe_g - right.heel_g - right.toe_g) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        across = (apart * leftward).sum(axis=1) / norm(leftward)
    known = across[np.isfinite(across)]
    return float(median(known)) if known.size else float("nan")


def vertical_notes(trial: Trial, model: specs.Model, up_g: Array, up_words: str) -> Notes:
    """That plates lie on a slope, or the laboratory is tilted, or places alone show it, where nobody says the axis."""
    if _said(trial, model):
        return ()
    if up_words in (_STATIC, BY_SHAPE):
        return (note("vertical_assumed/posture", by=up_words, axis=_axis_name(up_g), option=_option(up_g)),)
    off = [_off_deg(normal, up_g) for normal in _normals(trial)]
    if max(off, default=0.0) <= SAID_DEG:
        return ()
    return (note("vertical_assumed/plates", deg=max(off), axis=_axis_name(up_g), option=_option(up_g)),)


def _axis_name(up_g: Array) -> str:
    """``+Z`` of a vector along that axis."""
    return f"{'+-'[int(up_g.sum() < 0)]}{'XYZ'[int(np.argmax(np.abs(up_g)))]}"


def _option(up: Array) -> str:
    """What says on the command line that the axis nearest to a direction points up."""
    return f"--set vertical={_axis_name(_nearest_axis(up)).lower().removeprefix('+')}"


def _nearest_axis(direction: Array) -> Array:
    """The laboratory axis, with its sign, that is nearest to a direction."""
    largest = int(np.argmax(np.abs(direction)))
    return np.asarray(np.eye(3)[largest] * np.sign(direction[largest]))


def _plates_face_away(posture: Array, up: Array, off_deg: float, outlined: bool) -> AxesError:
    """That plates do not face to where the pelvis is above the feet; of forces without corners, that they do not push
    there."""
    turned = _off_deg(posture, -up) < CONTRADICT_DEG
    upright = _axis_name(np.where(np.abs(posture) == np.abs(posture).max(), posture, 0.0))
    away = f"the pelvis lies {off_deg:.0f}° from that, seen from the feet"
    if not outlined:
        sign = "turn the sign of the forces: they are to be those on the subject" if turned else ""
        return AxesError(
            f"the forces do not push up: they push along {_axis_name(up)}, and {away}",
            expected=f"forces of the ground on the feet, along {upright}",
            todo=sign or "write markers and forces in the same axes",
        )
    order = "let the corners of each plate run the other way round; where they are right, check the markers' labels"
    return AxesError(
        f"the plates do not face up: by their corners they face {_axis_name(up)}, and {away}",
        expected="corners 1 to 4 that run clockwise, seen from above the plate, in the axes of the markers",
        todo=order
        if turned
        else f"write the corners in the axes of the markers: the pelvis lies above the feet along {upright}",
    )


def _normals(trial: Trial) -> Array:
    """(plates, 3) outward normals of the surfaces."""
    normals = []
    for plate in trial.plates:
        try:
            normals.append(-plate_axes(plate)[0][:, 2])
        except GaitidError:
            continue  # refused by name where the plate is read
    return np.array(normals).reshape(-1, 3)


def _off_deg(direction: Array, axis: Array) -> float:
    """The angle between a direction and a unit vector, deg."""
    return float(np.degrees(np.arccos(np.clip(direction @ axis / np.linalg.norm(direction), -1.0, 1.0))))


def laboratory_vertical(witnesses: Iterable[Witness], posture: Array, outlined: bool = True) -> tuple[Array, str]:
    """Which laboratory axis points up, and how that was found: what the first witness says that is not between two.

    Parameters
    ----------
    witnesses : iterable of Witness
        First who decides it whatever the others say. Plates go before posture, as somebody may lie on them; the file's
        screen axes come last, as some makers write one that points down.
    posture : (3,) array, m
        From the feet to the pelvis; NaN where not seen.
    outlined : bool
        The normals are those of corners; else of what the forces push along.

    Raises
    ------
    TrialError
        Nothing says, the plates and the posture contradict each other, or what says it is between two axes.
    """
    upright = bool(np.isfinite(posture).all())
    between: dict[str, Array] = {}
    for n, (direction, words) in enumerate(witnesses):
        if direction is None or not np.linalg.norm(direction) > 0 or (between and words not in _SEEN):
            continue
        up = _nearest_axis(direction)
        if n and (off := _off_deg(direction, up)) > OFF_DEG:
            between[f"{off:.0f}° by {words}"] = up  # one of the plates may be on a wall: the posture tells
            continue
        if upright and words == _PLATES and (off := _off_deg(posture, up)) > CONTRADICT_DEG:
            raise _plates_face_away(posture, up, off, outlined)
        if upright and _off_deg(posture, -up) < CONTRADICT_DEG:  # not of who lies
            raise AxesError(
                f"the pelvis lies below the feet along the vertical found from {words}",
                expected="a standing or walking subject and plates that face up",
                found=f"vertical {_axis_name(up)}",
                todo=f"check the labels of the markers, or give {_option(posture)}",
            )
        return up, words
    if between:
        raise TrialError(
            "no laboratory axis points up",
            expected=f"one within {OFF_DEG:g}° of what tells it",
            found=", ".join(between),
            todo=f"turn the laboratory upright, or say the axis, as {_option(next(iter(between.values())))}",
        )
    raise TrialError(
        "the vertical cannot be found",
        expected="force plates, or markers of a body whose legs move more than its head",
        todo=f"say which axis points up, as --set vertical=z (one of {', '.join(VERTICALS)})",
    )


def long_axis(trial: Trial) -> Array | None:
    """The way from a body's feet to its head by the places of its labelled points.

    They lie farthest apart along it. Legs move most, seen from the middle of a body that walks, runs or turns; who
    stands sways about the feet, which move least.

    Returns
    -------
    (3,) array or None
        Of length 1, laboratory axes; None where both ends move as much.
    """
    named = [i for i, label in enumerate(trial.labels) if label[:1] not in ("", "*")]
    points = trial.points_g[:: max(1, trial.n_frames // LOOKED_AT), named]
    points = points[np.isfinite(points[..., 0]).sum(axis=1) >= FEWEST_POINTS]
    by_point = np.swapaxes(points[:, 2 * np.isfinite(points[..., 0]).sum(axis=0) > len(points)], 0, 1)
    by_point = by_point[:, np.isfinite(by_point[..., 0]).sum(axis=0) >= FEWEST_POINTS]
    if not by_point.size:
        return None
    away = by_point - median_of_known(by_point)
    axis = np.linalg.eigh(median(np.array([np.cov(known_part(one).T) for one in np.swapaxes(away, 0, 1)])))[1][:, -1]
    still = is_still({str(i): one for i, one in enumerate(by_point)})
    height = [mean(known_part(one) @ axis) for one in away]
    moves = [np.linalg.norm(deviation(known_part(one))) for one in (by_point if still else away)]
    ranks = [np.argsort(np.argsort(values)) for values in (height, moves)]
    upward = float(np.corrcoef(ranks[0], ranks[1])[0, 1]) * (1 if still else -1)
    return axis * np.sign(upward) if max(moves) > MOVES_M and abs(upward) >= ENDS_DIFFER else None
