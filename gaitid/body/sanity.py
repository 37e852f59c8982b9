"""Whether this can be a body: mistakes of labels and units that no later number would show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.feet import heel_and_toe
from gaitid.body.frames import Geometry
from gaitid.body.lengths import distance, neighbours
from gaitid.errors import TrialError
from gaitid.notes import Note, Notes
from gaitid.numerics.rotation import cross
from gaitid.numerics.statistics import median
from gaitid.trial import Array

# m. A leg whose joints all lie farther than this on the other leg's side is labelled as the other one.
CROSSED = 0.02
# m. A length that changes by more than this from one frame to the next: a label jumped to another marker.
JUMP = 0.03


def check_body(geometry: Geometry, sides: Sequence[str], doubted: Sequence[str] = ()) -> None:
    """Refuse a body that cannot be: left and right exchanged, or lengths in another unit.

    Parameters
    ----------
    geometry : Geometry
    sides : sequence of str
        Those that were recorded.
    doubted : sequence of str
        Labels that are not believed in some frames.

    Raises
    ------
    TrialError
    """
    for side in sides:
        for below, above in neighbours(geometry.model):
            length = _median_of_known(distance(geometry, side, below.centre, above.centre))
            if not above.low < length < above.high:
                what = f"is {length:.3g} m long" if np.isfinite(length) else "has no joint centres in any frame"
                raise TrialError(
                    f"the {side} {above.segment} {what}",
                    expected=f"{above.low:g} to {above.high:g} m",
                    found=f"labels that jump or change places: {', '.join(doubted)}" if doubted else "",
                    todo="check the unit of the markers, the widths, and that its markers are seen together",
                )
    if exchanged := exchanged_sides(geometry, sides, geometry.up_g):
        raise TrialError(
            f"left and right are exchanged: {exchanged}",
            expected="labels of the left side on the subject's left",
            todo="correct the labels",
        )


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
    model, notes, told = geometry.model, [], set[tuple[str, str]]()
    bodies = [(side, body) for side in sides for body in reversed(model.chain)]
    for side, segment, frame, optional in [
        ("", model.base.segment, model.base.frame, False),
        *((side, body.segment, body.frame, body.optional) for side, body in bodies),
    ]:
        geometry.frame(frame, side)
        for place in [place for place in geometry.in_line if place not in told]:
            told.add(place)
            points, extent = geometry.in_line[place]
            labels = ", ".join(_label(geometry, point, place[0]) for point in points)
            wrong = f"the markers of the {f'{side} {segment}'.strip()} lie in one line: {labels}"
            if not optional:
                raise TrialError(
                    wrong,
                    expected="three or more that do not",
                    found=f"{extent * 1e3:.1f} mm from the line (root mean square)",
                    todo="record another marker on it, or take a model that needs none",
                )
            text = f"{wrong}; it is not known how it turns about it: its angles and the leg's wrenches are empty"
            notes.append(Note("segment_absent", text))
    return tuple(notes)


def _label(geometry: Geometry, point: str, side: str) -> str:
    """A marker's label, or the name of a point that is none."""
    model = geometry.model
    place, name = model.place("point", point, side)
    scope = model.scope(bool(place))
    if name in scope.points or name not in scope.markers:
        return point
    return next(iter(model.labels(name, place)), point)


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
    ahead = _median_of_known(np.einsum("ij,ij->i", feet[0] + feet[1], forward))
    unit_left = leftward / np.linalg.norm(leftward, axis=1, keepdims=True)
    apart = [_median_of_known(np.einsum("ij,ij->i", d, unit_left)) for d in left_minus_right[:-1]]
    if ahead < 0:
        return "both feet point backward"
    return "each leg lies on the side of the other" if apart and max(apart) < -CROSSED else ""


def length_notes(geometry: Geometry, sides: Sequence[str], first_frame: int) -> Notes:
    """Segments whose length jumps."""
    notes = []
    for side in sides:
        for below, above in neighbours(geometry.model):
            length = distance(geometry, side, below.centre, above.centre)
            step = np.abs(np.diff(length))
            if (step > JUMP).any():
                at = int(np.nanargmax(step))
                text = (
                    f"the length of the {side} {above.segment} jumps by {step[at] * 1e3:.0f} mm at frame "
                    f"{at + 1 + first_frame}: a marker is mislabelled"
                )
                notes.append(Note("length_jump", text))
    return tuple(notes)


def _median_of_known(values: Array) -> float:
    """Median over the frames in which the value is known; NaN where it never is."""
    known = values[np.isfinite(values)]
    return float(median(known)) if known.size else float("nan")
