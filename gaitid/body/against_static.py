"""Static against trial -> whether both show one person with markers in the same places.

What may be wrong competes by marginal likelihood (MacKay 2003, Information Theory, ch. 28) on distances between points
that one segment carries: a marker was moved, the static has another size or is another person's. A static is one more
posture of the trial, so a distance that varies there says less. docs/static.md, "It is the person of the trial".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from gaitid.body.calibration import carried_definitions, marker_label
from gaitid.body.frames import Geometry
from gaitid.body.joints import Pair, Place
from gaitid.body.lengths import SOME_FRAMES, neighbours, ranges_of_segments
from gaitid.errors import TrialError, first_few
from gaitid.model import specs
from gaitid.model.shapes import RigidFrame
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import mean_of_known, median
from gaitid.numerics.rotation import cross, unit
from gaitid.records import NamedTuple
from gaitid.trial import Array

# m, along each axis. So much skin carries a marker elsewhere in standing, beyond what varies in a gait cycle (fitted to
# own statics of 12 laboratories; Leardini 2005, Gait Posture 21:212-225, has 10 mm and more in all), and cameras see.
SKIN_M, CAMERAS_M = 0.002, 0.001
# m. A marker that is put on again (palpation by several people, Della Croce et al. 1999, Med Biol Eng Comput
# 37:155-161: 6 to 25 mm), or is another person's; share: the size of another person.
MOVED_M, SIZE = 0.02, 0.05
# Logarithm of the odds beforehand against another person, another size, or a marker that was moved; and how often a
# segment of another person has the same distances, as where it carries the same rigid plate.
RARE, PLATE = 6.0, 0.02
# Share. Two calibrations of cameras differ by less.
SCALE_OFF = 0.025
# Standard deviations, of where a static lies in what a distance does, between the 5th and the 95th percentile: 3.3 of a
# normal one, less as its knees are straight.
_NINE_TENTHS = 2.5
# m. Half of the frames of a rigid fit are worse: not this arrangement of markers. Recorded segments fit to 1 to 7 mm,
# the feet of a sprint to 15; two exchanged labels give 40 mm and more.
MISFIT_M = 0.025
# So many distances are shown in an error.
SHOWN = 5
#: Between which distances of two points, m, nine tenths of a recording lie.
Ranges = Mapping[Pair, tuple[float, float]]
#: Ways that a marker lies, by the axes forward, left and up, as -1 and 1.
_WAYS = (("backward", "forward"), ("right", "left"), ("down", "up"))


class Segment(NamedTuple):
    """Distances between the points of one segment.

    Attributes
    ----------
    name : str
        In words.
    pairs : tuple of Pair
    static, trial : (pairs,) arrays, m
        The middle of each range.
    by_place : mapping of Place to (pairs, 3) array
        How each distance grows with the place of each point: forward, to the left and up.
    covariance : (pairs, pairs) array, m²
        Of trial less static where nothing is wrong.
    """

    name: str
    pairs: tuple[Pair, ...]
    static: Array
    trial: Array
    by_place: Mapping[Place, Array]
    covariance: Array

    @property
    def off(self) -> Array:
        """(pairs,) m, trial less static."""
        return self.trial - self.static

    @property
    def placed(self) -> Array:
        """(pairs, pairs) covariance of distances whose points lie anywhere, to 1 m."""
        return np.asarray(sum((J @ J.T for J in self.by_place.values()), np.zeros(self.covariance.shape)))


class Moved(NamedTuple):
    """A marker that lies elsewhere: how much the odds speak for it, and where, m, with its covariance."""

    score: float
    by: Array
    covariance: Array
    place: Place


def compare_with_static(geometry: Geometry, sides: Sequence[str]) -> Notes:
    """Refuse a static of another person or unit; say which markers were moved.

    Parameters
    ----------
    geometry : Geometry
        Of the trial, with the calibration that the static gave.
    sides : sequence of str
        Those that were recorded.

    Raises
    ------
    TrialError
    """
    segments = compare(geometry, sides)
    if not segments:
        return ()
    times = float(np.exp(median(np.log(np.concatenate([s.trial / s.static for s in segments])))))
    if round(np.log10(times)) != 0:
        raise _another_unit(times)
    moved = moved_markers(geometry.model, segments)
    size, odds_of_size = other_size(segments)
    odds = {"moved": sum(one.score for one in moved), "person": other_person(segments), "size": odds_of_size}
    most = max(odds, key=lambda name: odds[name])
    if most == "moved" and 2 * sum(any(one.place in s.by_place for one in moved) for s in segments) > len(segments):
        most = "person"  # or all were put on again
    if odds[most] > 0 and (most == "person" or (most == "size" and abs(size) > SCALE_OFF)):
        raise _another_person(segments, times, geometry.model)
    if odds[most] > 0 and most == "size":
        return (note("static_differs/size", percent=100 * abs(size), larger=size > 0),)
    return tuple(_moved_note(geometry.model, segments, one) for one in moved)


def compare(geometry: Geometry, sides: Sequence[str]) -> list[Segment]:
    """Each segment's distances in the static and in the trial; none without a static."""
    if geometry.calibration is None:
        return []
    of_static = geometry.calibration.distances_m
    if geometry.calibration.templates:
        of_static = {**_of_templates(geometry, sides), **_between_joints(geometry, sides)}
    of_trial = ranges_of_segments(geometry, {place: list(pairs) for place, pairs in of_static.items()})
    axes = _axes(geometry)
    return [_segment(geometry, place, of_static[place], ranges, axes) for place, ranges in of_trial.items() if ranges]


def _of_templates(geometry: Geometry, sides: Sequence[str]) -> dict[Place, Ranges]:
    """The static's distances between the points of each rigid frame."""
    assert geometry.calibration is not None
    result, seen = dict[Place, Ranges](), set[tuple[str, tuple[str, ...]]]()
    for (side, name), definition in carried_definitions(geometry.model, sides):
        if not isinstance(definition, RigidFrame) or (side, definition.points) in seen:
            continue  # a frame with the same markers says nothing new
        seen.add((side, definition.points))
        geometry.frame(name, side)
        template = geometry.calibration.templates.get((side, name), {})
        points = geometry.fits[side, name][0] if (side, name) in geometry.fits else ()
        far = {(a, b): float(np.linalg.norm(template[a] - template[b])) for a, b in combinations(points, 2)}
        result[side, name] = {((side, a), (side, b)): (d, d) for (a, b), d in far.items()}
    return result


def _between_joints(geometry: Geometry, sides: Sequence[str]) -> dict[Place, Ranges]:
    """The static's lengths of thigh and shank."""
    assert geometry.calibration is not None
    lengths = geometry.calibration.lengths_m
    return {
        (side, f"{above.joint} to {below.joint}"): {((side, above.centre), (side, below.centre)): (length, length)}
        for side in sides
        for below, above in neighbours(geometry.model)
        if np.isfinite(length := lengths.get((side, above.segment), (np.nan, np.nan))[0])
    }


def _axes(geometry: Geometry) -> Array:
    """(some frames, 3, 3) the body's axes forward, left and up, as columns."""
    model, step = geometry.model, max(1, geometry.n_frames // SOME_FRAMES)
    hips = [geometry.point(model.chain[-1].centre, side.name)[::step] for side in model.sides]
    left = hips[0] - hips[-1]
    if len(hips) < 2 or not np.isfinite(left).any():  # one leg
        left = geometry.frame(model.base.frame).R_gs[::step, :, 1]
    left = np.where(np.isfinite(left), left, mean_of_known(left))
    up = np.broadcast_to(geometry.up_g, left.shape)
    left = unit(left - np.sum(left * up, axis=1, keepdims=True) * up)
    return np.stack([cross(left, up), left, up], axis=2)


def _segment(geometry: Geometry, place: Place, of_static: Ranges, of_trial: Ranges, axes: Array) -> Segment:
    pairs = tuple(of_trial)
    places = {place: i for i, place in enumerate(dict.fromkeys(place for pair in pairs for place in pair))}
    step = max(1, geometry.n_frames // SOME_FRAMES)
    tracks = np.stack([geometry.point(name, side)[::step] for side, name in places], axis=1)
    a, b = np.array([[places[end] for end in pair] for pair in pairs]).T
    # unit vectors between points, in the body's axes where it faces anywhere
    ways = np.einsum("fji,fnj->fni", axes, tracks[:, b] - tracks[:, a])
    along = unit(np.where(np.isfinite(ways), ways, 0.0).sum(axis=0))
    signs = (b == np.arange(len(places))[:, None]) * 1.0 - (a == np.arange(len(places))[:, None])
    by_place = {place: signs[i, :, None] * along for place, i in places.items()}
    static, trial = (np.array([of[pair] for pair in pairs]).reshape(-1, 2) for of in (of_static, of_trial))
    varies = (np.ptp(static, axis=1) + np.ptp(trial, axis=1)) / _NINE_TENTHS
    name = " ".join(filter(None, place)).replace("_", " ")
    segment = Segment(name, pairs, static.mean(axis=1), trial.mean(axis=1), by_place, np.diag(varies**2))
    return segment._replace(covariance=np.diag(varies**2 + CAMERAS_M**2) + SKIN_M**2 * segment.placed)


# --- what may be wrong ---------------------------------------------------------------------------------------


def other_person(segments: Sequence[Segment]) -> float:
    """Logarithm of the odds for another person, or for markers that were all put on again."""
    odds = -RARE
    for segment in segments:
        as_it_is = _log_density(segment.off, segment.covariance)
        again = _log_density(segment.off, segment.covariance + MOVED_M**2 * segment.placed)
        odds += float(np.logaddexp(again + np.log(1 - PLATE), as_it_is + np.log(PLATE))) - as_it_is
    return odds


def other_size(segments: Sequence[Segment]) -> tuple[float, float]:
    """By which share the trial is larger, and the logarithm of the odds for it."""
    odds, (size,), _ = _explained(segments, [_inverse(s.covariance) for s in segments], None)
    return float(size), odds


def moved_markers(model: specs.Model, segments: Sequence[Segment]) -> list[Moved]:
    """Markers that lie elsewhere than in the static, the surest first."""
    places = sorted({p for s in segments for p in s.by_place if marker_label(model, p[1], p[0])})
    covariances = [segment.covariance for segment in segments]
    result = list[Moved]()
    while places:
        precisions = [_inverse(covariance) for covariance in covariances]
        tried = [Moved(*_explained(segments, precisions, place), place) for place in places]
        best = max(tried, key=lambda one: one.score)
        if best.score <= 0:
            break
        result.append(best)
        places.remove(best.place)
        columns = [s.by_place.get(best.place, np.zeros((len(s.pairs), 1))) for s in segments]
        covariances = [C + MOVED_M**2 * J @ J.T for C, J in zip(covariances, columns, strict=True)]
    return result


def _explained(
    segments: Sequence[Segment], precisions: Sequence[Array], place: Place | None
) -> tuple[float, Array, Array]:
    """The odds for a marker that was moved, or where none is named for another size; its place, and its covariance."""
    sd = SIZE if place is None else MOVED_M
    n = 1 if place is None else 3
    information, leads = np.eye(n) / sd**2, np.zeros(n)
    for segment, precision in zip(segments, precisions, strict=True):
        columns = segment.static[:, None] if place is None else segment.by_place.get(place)
        if columns is not None:
            weighted = columns.T @ precision
            information += weighted @ columns
            leads += weighted @ segment.off
    covariance = _inverse(information)
    odds = 0.5 * leads @ covariance @ leads - 0.5 * np.linalg.slogdet(information * sd**2)[1] - RARE
    return float(odds), covariance @ leads, covariance


def _inverse(matrix: Array) -> Array:
    return np.asarray(np.linalg.inv(matrix), dtype=float)


def _log_density(values: Array, covariance: Array) -> float:
    """Of a normal distribution about 0, but for a constant."""
    return float(-0.5 * (values @ np.linalg.solve(covariance, values) + np.linalg.slogdet(covariance)[1]))


def check_fits(geometry: Geometry) -> None:
    """Refuse a segment whose markers lie in another arrangement than in the static: labels exchanged in one of the two.

    Distances alone do not show it where two exchanged markers are as far from the others as each other.

    Raises
    ------
    TrialError
    """
    for (side, name), (points, fit) in geometry.fits.items():
        known = fit.residual[np.isfinite(fit.residual)]
        if known.size and (typical := float(median(known))) > MISFIT_M:
            labels = ", ".join(_words(geometry.model, (side, point)) for point in points)
            segment = f"{side} {name}".strip().replace("_", " ")
            raise TrialError(
                f"the markers of the {segment} lie otherwise than in the static: {labels}",
                expected=f"a rigid fit to {MISFIT_M * 1e3:.0f} mm",
                found=f"{typical * 1e3:.0f} mm (root mean square, half of the frames)",
                todo="look whether labels are exchanged in the static or in the trial",
            )


# --- words ---------------------------------------------------------------------------------------------------


def _moved_note(model: specs.Model, segments: Sequence[Segment], moved: Moved) -> Note:
    """Told along the one of the three axes of the body that it is surest of."""
    errors = np.sqrt(np.diag(moved.covariance))
    k = int(np.argmax(np.abs(moved.by) / errors))
    return note(
        "static_differs/marker",
        label=_words(model, moved.place),
        segment=next(s.name for s in segments if moved.place in s.by_place),
        mm=abs(moved.by[k]) * 1e3,
        error=errors[k] * 1e3,
        way=_WAYS[k][int(moved.by[k] > 0)],
    )


def _another_unit(times: float) -> TrialError:
    how = f"{max(times, 1 / times):.4g} times as {'long' if times > 1 else 'short'} as"
    return TrialError(
        f"static and trial are in different units: distances between markers of the trial are {how} the static's",
        expected="both in the unit that their files declare",
        todo="correct it in the file where it is wrong",
    )


def _another_person(segments: Sequence[Segment], times: float, model: specs.Model) -> TrialError:
    shown = []
    for segment in segments:
        k = int(np.argmax(np.abs(segment.off)))
        what = " to ".join(_words(model, place) for place in segment.pairs[k])
        words = phrase("body/distance", what=what, static=segment.static[k] * 1e3, trial=segment.trial[k] * 1e3)
        # the pelvis first, where skin moves least, then what joint centres show of the person
        order = segment.name != model.base.frame, len(segment.pairs) > 1, -abs(segment.off[k])
        shown.append((order, words))
    wrong = "the static is another person's, or its markers were put on again before the trial"
    todo = "give the static of this person and session with --static"
    if model.pose is not None and model.pose.by_static:
        wrong = "the OpenSim model is not scaled to this person, or its markers lie elsewhere than the trial's"
        todo = "give the model that was scaled to this person and whose markers were put where these are"
    return TrialError(
        wrong,
        expected="the same distances between markers of a segment and between joint centres",
        found=f"the trial's {times:.3f} times as long: " + first_few([words for _, words in sorted(shown)], SHOWN),
        todo=todo,
    )


def _words(model: specs.Model, place: Place) -> str:
    """A marker's label; of another point its name."""
    side, name = model.place("point", place[1], place[0])
    return marker_label(model, place[1], place[0]) or f"{side} {name}".strip().replace("_", " ")
