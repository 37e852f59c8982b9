"""Whether a static shows somebody at rest, its left and right where they belong; else it is refused by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.sanity import exchanged_sides, mirror_option
from gaitid.errors import TrialError
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_rows, quantile
from gaitid.trial import Array, Trial

# m. So far at most a marker goes while its subject stands or lies still, and the fewest markers that must go farther
# to tell movement from labels that jump. Quiet stance sways by up to 22 mm; in a walk, a functional trial of the hip
# or a drop jump markers go 240 mm and more.
TRAVEL_M, TRAVELLERS = 0.08, 3

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
