"""Static against trial -> whether the static shows this person with these markers, at rest; else refused by name.

The rules compare distances between points of one segment, markers and joint centres: they need nothing of the
person. What they saw in recorded trials of eight laboratories stands in docs/static.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from gaitid.body.calibration import carried_definitions, marker_label
from gaitid.body.frames import Geometry
from gaitid.body.lengths import SOME_FRAMES, neighbours, ranges_of_segments, segment_lengths
from gaitid.body.sanity import exchanged_sides, mirror_option
from gaitid.errors import TrialError, first_few
from gaitid.model import specs
from gaitid.model.shapes import RigidFrame
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import median, quantile, quantile_of_known, quantiles_of_known
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial

# m. Half of the segments differ by more from those of a static of somebody else, or of one whose markers were put on
# again: the median is at most 6 mm with a person's own static (a sprint of 9.5 m/s), at least 19 mm with another's.
OFF_M = 0.012
# m. The same of a model without rigid frames, whose segments are compared by how far the static lies from what nine
# tenths of the trial show: at most 4 mm with a person's own static, at least 12 mm with another's (conventional model).
OFF_OF_RANGE_M = 0.010
# Share. Half of the segments are longer or shorter by more: a smaller or larger person, or another calibration of the
# cameras. At most 0.5 % with a person's own static.
SCALE_OFF = 0.02
# Of distances in two files of which one is in another unit of length; no two persons differ so. Within this share.
UNITS, OF_UNIT = (10.0, 100.0, 1000.0), 0.2
# Fewer segments than this say less: they must differ by twice as much.
FEWEST_SEGMENTS = 4
# m. A distance between two markers of one segment that differs by more: one of them was moved. Skin does 10 mm.
MOVED_M = 0.015
# m. The same of a model without rigid frames, beyond what the trial shows: at most 6.4 mm with a person's own static,
# and 7.2 mm with any half of a trial. Fewer frames than that show less: there `MOVED_M` holds.
MOVED_OF_RANGE_M, MANY_FRAMES = 0.009, 100
# m. Distances that vary by less over a walk (nine tenths of it) are those of a rigid plate. One that also fits
# (`PLATE_FITS_M`) says nothing of the person: it fits everybody.
PLATE_M, PLATE_FITS_M = 0.001, 0.002
# m. So far at most a marker goes while its subject stands or lies still, and the fewest markers that must go farther
# to tell movement from labels that jump. Quiet stance sways by up to 22 mm; in a walk, a functional trial of the hip
# or a drop jump markers go 240 mm and more.
TRAVEL_M, TRAVELLERS = 0.08, 3
# m. Half of the frames of a rigid fit are worse: not this arrangement of markers. Recorded segments fit to 1 to 7 mm,
# the feet of a sprint to 15; two exchanged labels give 40 mm and more.
MISFIT_M = 0.025
# So many distances are shown in an error.
SHOWN = 5


class Difference(NamedTuple):
    """A distance in the static and in the trial, m, between which points, and whether both are markers."""

    what: str
    static: float
    trial: float
    markers: bool = True

    @property
    def off(self) -> float:
        """How much they differ, m."""
        return abs(self.trial - self.static)

    @property
    def words(self) -> str:
        """For a person."""
        return phrase("body/distance", what=self.what, static=self.static * 1e3, trial=self.trial * 1e3)


@frozen_dataclass(eq=False)
class Compared:
    """One segment in the static and in the trial.

    Attributes
    ----------
    segment : str
        In words.
    largest : Difference
        Of its distances the one that differs most.
    scale : float
        Its size in the trial as a multiple of that in the static.
    markers : bool
        Whether the distances are those between its markers (some of them between its joint centres); else between its
        joint centres alone.
    says_nothing : bool
        Whether it is a rigid plate that fits.
    """

    segment: str
    largest: Difference
    scale: float
    markers: bool
    says_nothing: bool = False


# --- a static by itself --------------------------------------------------------------------------------------


def reading_notes(static: Trial | None) -> Notes:
    """What was repaired or assumed when the static was read; of its plates nothing, which weigh the body elsewhere.

    They lower no verdict: what is wrong for the markers shows in the distances that these rules compare.
    """
    told = ("file_repaired", "file_incomplete", "reading_assumed", "values_lost")
    notes = () if static is None else static.notes
    of_file = tuple(note("reading_info/static", text=n.text) for n in notes if n.code in told and not n.plates)
    return *of_file, *(n for n in notes if n.code in ("static_part", "static_marker_rare"))


def check_stands(markers: Mapping[str, Array]) -> None:
    """Refuse a static in which the subject moves: its means over the frames are those of no posture.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Of the model, laboratory axes.

    Raises
    ------
    TrialError
        Three markers or more go farther than `TRAVEL_M` (from the 2nd to the 98th percentile of each axis).
    """
    travel = {label: _travel(points) for label, points in markers.items()}
    if _still(travel):
        return
    farthest = sorted(travel, key=lambda label: -travel[label])
    most = ", ".join(f"{label} by {travel[label] * 1e3:.0f} mm" for label in farthest[:TRAVELLERS])
    moving = sum(length > TRAVEL_M for length in travel.values())
    raise TrialError(
        "what is given as the static is no static: the subject moves in it",
        expected=f"a subject who stands or lies still: markers that stay within {TRAVEL_M * 1e3:.0f} mm",
        found=f"{moving} of {len(travel)} markers that go farther ({most})",
        todo="give a static with --static, or cut this one to the part in which the subject stands still",
    )


def stands_still(markers: Mapping[str, Array]) -> bool:
    """Whether the subject stands (or lies) still: the rule of `check_stands`, for a trial that need not be a static."""
    return _still({label: _travel(points) for label, points in markers.items()})


def _still(travel: Mapping[str, float]) -> bool:
    return sorted(travel.values(), reverse=True)[TRAVELLERS - 1 : TRAVELLERS] <= [TRAVEL_M]


def _travel(points: Array) -> float:
    known = points[known_rows(points)]
    if len(known) < 2:
        return 0.0
    return float(np.linalg.norm(quantile(known, 0.98) - quantile(known, 0.02)))


def check_sides(static: Geometry, sides: Sequence[str]) -> None:
    """Refuse a static whose labels of left and right are exchanged, whether the subject stands or lies.

    Raises
    ------
    TrialError
    """
    if len(sides) < 2 or not static.model.touches_ground:
        return
    last, first = static.model.chain[-1].centre, static.model.chain[0].centre
    legs = [static.point(last, side) - static.point(first, side) for side in sides]
    mirror = mirror_option(static.point(last, "left") - static.point(last, "right"))
    if exchanged := exchanged_sides(static, sides, np.asarray(sum(legs))):
        raise TrialError(
            f"left and right are exchanged in the static: {exchanged}",
            expected="labels of the left side on the subject's left",
            todo=f"correct the labels of the static; if they are right, an axis is mirrored: give {mirror}",
        )


# --- a static against a trial --------------------------------------------------------------------------------


def compare_with_static(geometry: Geometry, sides: Sequence[str]) -> Notes:
    """Refuse a static of another person; say where single markers were moved.

    Parameters
    ----------
    geometry : Geometry
        Of the trial, with the calibration that the static gave.
    sides : sequence of str
        Those that were recorded.

    Returns
    -------
    Notes
        Of each segment in which a distance between markers differs by more than `MOVED_M` (`MOVED_OF_RANGE_M`).

    Raises
    ------
    TrialError
        Half of the segments differ by more than `OFF_M` (or `OFF_OF_RANGE_M`), or in size by more than `SCALE_OFF`.
    """
    templates = geometry.calibration is not None and bool(geometry.calibration.templates)
    limit = OFF_M if templates else OFF_OF_RANGE_M
    moved = MOVED_M if templates or geometry.n_frames < MANY_FRAMES else MOVED_OF_RANGE_M
    compared = compare(geometry, sides)
    telling = [one for one in compared if not one.says_nothing]
    if telling:
        off = float(median(np.array([one.largest.off for one in telling])))
        scale = float(median(np.array([one.scale for one in telling])))
        times = 1.0 if len(telling) >= FEWEST_SEGMENTS else 2.0
        if off > times * limit or abs(scale - 1) > times * SCALE_OFF:
            raise _another_person(telling, off, scale, limit, geometry.model)
    return tuple(
        note("static_differs", segment=one.segment, lies=one.largest.words, markers=one.largest.markers)
        for one in compared
        if one.markers and one.largest.off > moved
    )


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
            labels = ", ".join(_words(geometry.model, point, side) for point in points)
            segment = f"{side} {name}".strip().replace("_", " ")
            raise TrialError(
                f"the markers of the {segment} lie otherwise than in the static: {labels}",
                expected=f"a rigid fit to {MISFIT_M * 1e3:.0f} mm",
                found=f"{typical * 1e3:.0f} mm (root mean square, half of the frames)",
                todo="look whether labels are exchanged in the static or in the trial",
            )


def compare(geometry: Geometry, sides: Sequence[str]) -> list[Compared]:
    """Each segment in the static and in the trial, by its markers and by its joint centres; none without a static."""
    if geometry.calibration is None:
        return []
    if geometry.calibration.templates:
        return [*_templates(geometry, sides), *_lengths(geometry, sides)]
    return list(_segments(geometry))


def _another_person(
    telling: Sequence[Compared], off: float, scale: float, limit: float, model: specs.Model
) -> TrialError:
    # the pelvis first, where skin moves least, then what joint centres show of the person
    worst = sorted(telling, key=lambda one: (one.segment != model.base.frame, one.markers, -one.largest.off))
    shown = [one.largest.words for one in worst if one.largest.off >= min(limit, off)]
    times = max(scale, 1 / scale)
    if any(abs(times / factor - 1) < OF_UNIT for factor in UNITS):
        how = f"{times:.4g} times as {'long' if scale > 1 else 'short'} as"
        return TrialError(
            f"static and trial are in different units: distances between markers of the trial are {how} the static's",
            expected="both in the unit that their files declare",
            todo="correct it in the file where it is wrong",
        )
    wrong = "the static is another person's, or its markers were put on again before the trial"
    todo = "give the static of this person and session with --static"
    if model.pose is not None and model.pose.by_static:
        wrong = "the OpenSim model is not scaled to this person, or its markers lie elsewhere than the trial's"
        todo = "give the model that was scaled to this person and whose markers were put where these are"
    return TrialError(
        wrong,
        expected="the trial's distances between markers of a segment and between joint centres, half of them to "
        f"{limit * 1e3:.0f} mm, and on the whole to {SCALE_OFF:.0%}",
        found=f"half of {len(telling)} distances off by {off * 1e3:.0f} mm or more and the trial's {scale:.3f} times "
        f"as long: {first_few(shown, SHOWN)}",
        todo=todo,
    )


def _templates(geometry: Geometry, sides: Sequence[str]) -> Iterator[Compared]:
    """Each rigid frame's points: distances between them in the static and in the trial."""
    assert geometry.calibration is not None
    compared: set[tuple[str, tuple[str, ...]]] = set()
    for place, definition in carried_definitions(geometry.model, sides):
        if not isinstance(definition, RigidFrame) or (place[0], definition.points) in compared:
            continue  # a frame with the same markers says nothing new
        side, name = place
        compared.add((side, definition.points))
        geometry.frame(name, side)
        template = geometry.calibration.templates.get(place, {})
        points = geometry.fits[place][0] if place in geometry.fits else ()
        if len(points) < 2:
            continue
        step = max(1, geometry.n_frames // SOME_FRAMES)
        tracks = np.stack([geometry.point(point, side)[::step] for point in points], axis=1)
        pairs = list(combinations(range(len(points)), 2))
        a, b = np.array(pairs).T
        there = norm(np.array([template[points[i]] - template[points[j]] for i, j in pairs]))
        here = norm(tracks[:, a] - tracks[:, b])
        low, typical, high = quantiles_of_known(here, 0.05, 0.5, 0.95)
        known = np.isfinite(typical)
        if not known.any():
            continue
        off = np.where(known, np.abs(typical - there), -1.0)
        k = int(np.argmax(off))
        words = [_words(geometry.model, points[i], side) for i in pairs[k]]
        plate = bool((high - low)[known].max() < PLATE_M and off[k] < PLATE_FITS_M)
        scale = float(np.sqrt((typical[known] ** 2).sum() / (there[known] ** 2).sum()))
        largest = Difference(" to ".join(words), float(there[k]), float(typical[k]))
        yield Compared(f"{side} {name}".strip().replace("_", " "), largest, scale, True, plate)


def _segments(geometry: Geometry) -> Iterator[Compared]:
    """Each segment's points where the model has no rigid frames: how far from what the trial shows the static lies."""
    assert geometry.calibration is not None
    standing = geometry.calibration.distances_m
    moving = ranges_of_segments(geometry, {place: list(pairs) for place, pairs in standing.items()})
    for (side, segment), of_static in standing.items():
        found = {pair: _nearest(of_static[pair], between) for pair, between in moving[side, segment].items()}
        if found:
            scale = float(np.sqrt(sum(trial**2 for _, trial in found.values()) / sum(d**2 for d, _ in found.values())))
            pair = max(found, key=lambda pair: abs(found[pair][1] - found[pair][0]))
            words = [_words(geometry.model, name, place) for place, name in pair]
            markers = all(marker_label(geometry.model, name, place) for place, name in pair)
            largest = Difference(" to ".join(words), *found[pair], markers)
            yield Compared(f"{side} {segment}".strip().replace("_", " "), largest, scale, True)


def _nearest(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Of two ranges the ends that face each other; twice the same number where they overlap."""
    low, high = max(first[0], second[0]), min(first[1], second[1])
    if low <= high:
        return low, low
    return (high, low) if first[1] < second[0] else (low, high)


def _lengths(geometry: Geometry, sides: Sequence[str]) -> Iterator[Compared]:
    """Each segment between joint centres."""
    assert geometry.calibration is not None
    joints = {above.segment: f"{above.joint} to {below.joint}" for below, above in neighbours(geometry.model)}
    for (side, segment), length in segment_lengths(geometry, sides).items():
        standing, _ = geometry.calibration.lengths_m.get((side, segment), (np.nan, np.nan))
        trial = float(quantile_of_known(length, 0.5))
        if np.isfinite(standing) and np.isfinite(trial):
            largest = Difference(f"{side} {joints[segment]}", standing, trial)
            yield Compared(f"{side} {segment}", largest, trial / standing, False)


def _words(model: specs.Model, point: str, side: str) -> str:
    """A marker's label; of another point its name."""
    place, name = model.place("point", point, side)
    return marker_label(model, point, side) or f"{place} {name}".strip().replace("_", " ")
