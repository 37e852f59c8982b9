"""Whether this can be a body, and stands: mistakes of labels and units that no later number would show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.feet import heel_and_toe
from gaitid.body.frames import Geometry
from gaitid.body.length_limits import LENGTH_JUMP_M, LENGTH_SD_WARN_M
from gaitid.body.lengths import constant_lengths, median_distance, neighbours
from gaitid.errors import TrialError
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import deviation, known_rows, mean_of_known, median_of_known, quantile
from gaitid.numerics.rotation import cross, dot, unit
from gaitid.trial import Array, Trial

# m. A leg whose joints all lie farther than this on the other leg's side is labelled as the other one.
CROSSED = 0.02
# m. Standard deviation over a trial of how well a segment's markers fit it: 3.7 mm at most in eight laboratories, a
# sprint among them (3.2 without that one); one marker of four that is 33 ms late in a run makes 5.6, of a foot 26.
FIT_SD_WARN_M = 0.0046

# A length beyond its limits by so many times is of another unit: that labels are not believed follows from it.
FAR_OFF = 4.0


def check_body(geometry: Geometry, sides: Sequence[str], doubted: Mapping[str, str] = MappingProxyType({})) -> Notes:
    """Refuse a body that cannot be, as of lengths in another unit.

    Parameters
    ----------
    geometry : Geometry
    sides : sequence of str
        Those that were recorded.
    doubted : mapping of str to str
        Labels that are not believed in many frames, and what is wrong with them.

    Returns
    -------
    Notes
        Of a leg whose joints are not known in any frame because labels are not believed, where the other leg's are.

    Raises
    ------
    TrialError
    """
    because = "; ".join(dict.fromkeys(doubted.values()))
    unknown: dict[str, str] = {}
    for side in sides:
        for below, above in neighbours(geometry.model):
            length = median_distance(geometry, side, below.centre, above.centre)
            if np.isnan(length):
                unknown.setdefault(side, above.segment)
            elif not above.low < length < above.high:
                raise TrialError(
                    f"the {side} {above.segment} is {length:.3g} m long",
                    expected=f"{above.low:g} to {above.high:g} m",
                    found=because if above.low / FAR_OFF < length < above.high * FAR_OFF else "",
                    todo="check the unit of the markers, and the widths",
                )
    for side, segment in unknown.items():
        if not doubted or len(unknown) == len(sides):
            raise TrialError(
                f"the {side} {segment} has no joint centres in any frame",
                expected="its markers seen together",
                found=because,
                todo=f"correct {', '.join(doubted)}" if doubted else "check its markers and the widths",
            )
    notes = [
        note("segment_absent/no_centres", side, segment=segment, why=because, labels=[*doubted])
        for side, segment in unknown.items()
    ]
    return tuple(notes)


def mirror_option(apart: Array) -> str:
    """What makes left-handed axes right-handed: by the one nearest to (frames, 3) ways across the body; each would."""
    return f"--set mirror={'xyz'[int(np.argmax(np.abs(mean_of_known(apart))))]}"


def line_notes(geometry: Geometry, sides: Sequence[str]) -> Notes:
    """Refuse a segment whose markers lie in one line, about which it may turn unseen.

    Returns
    -------
    Notes
        Of segments that the model can do without.

    Raises
    ------
    TrialError
    """
    model, notes, reported = geometry.model, [], set[tuple[str, str]]()
    bodies = [(side, body) for side in sides for body in reversed(model.chain)]
    for side, segment, frame, optional in [
        ("", model.base.segment, model.base.frame, False),
        *((side, body.segment, body.frame, body.optional) for side, body in bodies),
    ]:
        geometry.frame(frame, side)
        for place in [place for place in geometry.in_line if place not in reported]:
            reported.add(place)
            points, extent = geometry.in_line[place]
            labels = [marker_label(model, point, place[0]) or point for point in points]
            wrong = phrase("body/in_line", side=side, segment=segment, labels=labels)
            if not optional:
                raise TrialError(
                    wrong,
                    expected="three or more that do not",
                    found=f"{extent * 1e3:.1f} mm from the line (root mean square)",
                    todo="record another marker on it, or take a model that needs none",
                )
            notes.append(note("segment_absent/in_line", wrong=wrong))
    return tuple(notes)


def exchanged_sides(geometry: Geometry, sides: Sequence[str], up_g: Array) -> str:
    """In words what shows that left and right are exchanged; empty where nothing does.

    Parameters
    ----------
    geometry : Geometry
    sides : sequence of str
    up_g : (3,) or (frames, 3) array
        The way from the feet to the head, laboratory axes; of a person who lies it is not the vertical.
    """
    chain = geometry.model.chain
    if len(sides) < 2 or not geometry.model.touches_ground:
        return ""
    left_minus_right = [geometry.point(b.centre, "left") - geometry.point(b.centre, "right") for b in chain]
    leftward = left_minus_right[-1]  # the hips
    feet = [toe - heel for heel, toe in (heel_and_toe(geometry, side) for side in sides)]
    forward = cross(leftward, np.broadcast_to(up_g, leftward.shape))
    ahead = float(median_of_known(dot(feet[0] + feet[1], forward)))
    unit_left = unit(leftward)
    apart = [float(median_of_known(dot(d, unit_left))) for d in left_minus_right[:-1]]
    if ahead < 0:
        return "both feet point backward"
    return "each leg lies on the side of the other" if apart and max(apart) < -CROSSED else ""


def length_notes(geometry: Geometry, sides: Sequence[str], first_frame: int) -> Notes:
    """Lengths that jump, and of each leg the one that varies most, where it varies by more than skin makes it."""
    notes = []
    for side in sides:
        varies: dict[str, float] = {}
        for name, length in constant_lengths(geometry, side).items():
            step = np.abs(length[1:] - length[:-1])
            if (step > LENGTH_JUMP_M).any():
                at = int(np.nanargmax(step))
                notes.append(note("length_jump", side, segment=name, mm=step[at] * 1e3, frame=at + 1 + first_frame))
            known = length[np.isfinite(length)]
            if known.size > 1:
                varies[name] = float(deviation(known))
        name = max(varies, key=lambda x: varies[x], default="")
        if name and varies[name] > LENGTH_SD_WARN_M:
            mm, most_mm = varies[name] * 1e3, LENGTH_SD_WARN_M * 1e3
            notes.append(note("length_varies/segment", side, segment=name, mm=mm, most_mm=most_mm))
    return tuple(notes)


def fit_notes(geometry: Geometry) -> Notes:
    """Segments to which their markers fit now well and now badly: one of them moves by itself.

    A static that shows a marker elsewhere leaves the same in every frame, and skin little that changes.
    """
    notes: list[Note] = []
    for (side, frame), (points, fit) in geometry.fits.items():
        known = np.isfinite(fit.residual)
        varies = float(deviation(fit.residual[known])) if known.any() else 0.0
        if varies > FIT_SD_WARN_M:
            words = " ".join(filter(None, (side, frame.replace("_", " "))))
            labels = [marker_label(geometry.model, point, side) or point for point in points]
            notes.append(note("length_varies/fit", side, segment=words, mm=varies * 1e3, labels=labels))
    return tuple(notes)


# m. So far at most a marker goes while its subject stands or lies still, and the fewest markers that must go farther
# to tell movement from labels that jump. Quiet stance sways by up to 22 mm; in a walk, a functional trial of the hip
# or a drop jump markers go 240 mm and more.
TRAVEL_M, TRAVELLERS = 0.08, 3

# --- a static by itself --------------------------------------------------------------------------------------


def reading_notes(static: Trial | None) -> Notes:
    """What was repaired or assumed when the static was read; of its plates nothing, which weigh the body elsewhere.

    They lower no verdict: what is wrong for the markers shows in the distances that these rules compare.
    """
    codes = ("file_repaired", "file_incomplete", "reading_assumed", "values_lost")
    notes = () if static is None else static.notes
    of_file = tuple(note("reading_info/static", text=n.text) for n in notes if n.code in codes and not n.plates)
    return *of_file, *(n for n in notes if n.code in ("static_part", "static_marker_rare"))


def check_standing(markers: Mapping[str, Array]) -> None:
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


def is_still(markers: Mapping[str, Array]) -> bool:
    """Whether the subject stands (or lies) still, by the rule of `check_standing`, in any trial."""
    return _still({label: _travel(points) for label, points in markers.items()})


def _still(travel: Mapping[str, float]) -> bool:
    return sorted(travel.values(), reverse=True)[TRAVELLERS - 1 : TRAVELLERS] <= [TRAVEL_M]


def _travel(points: Array) -> float:
    known = points[known_rows(points)]
    if len(known) < 2:
        return 0.0
    return float(np.linalg.norm(quantile(known, 0.98) - quantile(known, 0.02)))


def check_sides(geometry: Geometry, sides: Sequence[str], of_static: bool = False) -> None:
    """Refuse labels of left and right that are exchanged; in a static the subject may lie: up is along the legs.

    Raises
    ------
    TrialError
    """
    if len(sides) < 2 or not geometry.model.touches_ground:
        return
    last, first = geometry.model.chain[-1].centre, geometry.model.chain[0].centre
    legs = [geometry.point(last, side) - geometry.point(first, side) for side in sides]
    up_g, where = (np.asarray(sum(legs)), " in the static") if of_static else (geometry.up_g, "")
    if exchanged := exchanged_sides(geometry, sides, up_g):
        mirror = mirror_option(geometry.point(last, "left") - geometry.point(last, "right"))
        raise TrialError(
            f"left and right are exchanged{where}: {exchanged}",
            expected="labels of the left side on the subject's left",
            todo=f"correct the labels{where}; if they are right, an axis is mirrored: give {mirror}",
        )
