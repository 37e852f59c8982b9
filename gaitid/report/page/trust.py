"""Can I trust it? For each joint and side in plain words: what is known, from what, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.limits import WHOLE_STANCE
from gaitid.records import NamedTuple
from gaitid.report.page.pool import CYCLE, Basis, known_contacts
from gaitid.report.page.told import LEVELS, names_of, notes, verdicts
from gaitid.report.result import Contact, Result

_ANGLE = {"hip": "hip_flexion_deg", "knee": "knee_flexion_deg", "ankle": "ankle_dorsiflexion_deg"}
_MOMENT = {"hip": "hip_extension", "knee": "knee_extension", "ankle": "ankle_plantarflexion"}
_SPOKEN = {
    "length_varies",
    "length_jump",
    "calibration_impossible",
    "pose_jumps",
    "moment_impossible",
    "uncalibrated",
    "calibration_doubtful",
    "knee_axis_turned",
}


class Trust(NamedTuple):
    """What can be said of one joint of one side.

    Attributes
    ----------
    level : str
        ``good``, ``care``, or ``no``: as it stands, with what is said beside it, or not at all.
    angles, moments : str
    doubts : tuple of str
        What speaks against it.
    remarks : tuple of str
        What is to be left out whatever the trust.
    """

    level: str
    angles: str
    moments: str
    doubts: tuple[str, ...]
    remarks: tuple[str, ...]


def trust(results: Sequence[Result], basis: Basis, joint: str, side: str) -> Trust:
    """How far one joint of one side can be trusted."""
    angles = _angles(basis, joint, side)
    moments, whole = _moments(results, joint, side)
    doubts = _doubts(results, joint, side)
    verdict = verdicts(results).get(side, LEVELS[0])
    if verdict == LEVELS[2] or not (angles or whole):
        level = "no"
    else:
        level = "good" if whole and verdict == LEVELS[0] and not doubts else "care"
    remarks = _impact(basis, joint, side) if whole else ()
    return Trust(level, angles or _no_cycle(results, basis, joint, side), moments, doubts, remarks)


def _angles(basis: Basis, joint: str, side: str) -> str:
    pooled = basis.sides.get(side)
    if pooled is None:
        return ""
    mean = pooled.mean(_ANGLE[joint])
    if not mean.n:
        return ""
    return f"angles from {mean.n} {basis.kind}{'' if mean.n == 1 else 's'}"


def _no_cycle(results: Sequence[Result], basis: Basis, joint: str, side: str) -> str:
    """Angles that are known in the trials, but drawn nowhere."""
    columns = [result.columns.get(f"{side}_{_ANGLE[joint]}") for result in results]
    known = any(column is not None and np.isfinite(column).any() for column in columns)
    return f"angles known, but in no whole {basis.kind}" if known else "angles not known"


def _moments(results: Sequence[Result], joint: str, side: str) -> tuple[str, int]:
    """In words from which stances the joint's moments are known, and how many are whole."""
    whole, part, loaded = [], [], 0
    several = len(results) > 1
    column = f"{side}_{_MOMENT[joint]}_moment_Nm_per_kg"
    for name, result in zip(names_of(results), results, strict=True):
        for contact in known_contacts(result, side):
            loaded += 1
            share = known_share(result, contact, column)
            words = f"{name + ', ' if several else ''}plate {contact.plates}"
            if share >= WHOLE_STANCE and _is_whole(result, contact):
                whole.append(words)
            elif share > 0:
                part.append(f"{words}, {100 * share:.0f} % of {'it' if share < WHOLE_STANCE else 'what was recorded'}")
    if whole:
        count = f"{len(whole)} whole stance{'' if len(whole) == 1 else 's'}"
        return f"moments and power from {count} ({_where(whole)})", len(whole)
    if part:
        return f"moments and power in part of a stance only ({'; '.join(part[:3])})", 0
    if loaded:
        return "moments and power not known, though a load is: the reasons above say why", 0
    return "moments and power not known: no stance with a known load", 0


def _is_whole(result: Result, contact: Contact) -> bool:
    """Whether the verdict takes a stance as whole; of a record that does not say it, by its reasons."""
    if contact.whole is not None:
        return contact.whole
    of_side = (r for r in result.reasons() if r.get("side") in ("", None, contact.side))
    return all(reason.get("code") != "no_whole_stance" for reason in of_side)


def _where(places: Sequence[str]) -> str:
    """Places with how often each occurs, at most six."""
    counted = [f"{place} × {n}" if (n := places.count(place)) > 1 else place for place in dict.fromkeys(places)]
    return "; ".join(counted[:6]) + (" …" if len(counted) > 6 else "")


def known_share(result: Result, contact: Contact, column: str) -> float:
    """The share of a contact's frames in which a column has a value."""
    values = result.columns.get(column)
    inside = (result.frame >= contact.first_frame) & (result.frame <= contact.last_frame)
    return float(np.isfinite(values[inside]).mean()) if values is not None and inside.any() else 0.0


def _impact(basis: Basis, joint: str, side: str) -> tuple[str, ...]:
    """Up to where in the cycle the impact of the foot strike is no moment of the joint."""
    pooled = basis.sides.get(side)
    if joint == "ankle" or basis.kind != CYCLE or pooled is None:
        return ()
    struck = np.flatnonzero(pooled.mean_impact[:50])
    return (f"not its moment in the first {struck[-1]} %: the impact of the foot strike",) if len(struck) else ()


def _doubts(results: Sequence[Result], joint: str, side: str) -> tuple[str, ...]:
    of_joint = (n for n in notes(results) if n.code in _SPOKEN and _is_about(n.text, joint, side))
    return tuple(note.words for note in of_joint if note.code != "knee_axis_turned" or joint == "knee")


def _is_about(text: str, joint: str, side: str) -> bool:
    """Whether a note names the joint or a segment at it, and no other side."""
    segments = {"hip": ("hip", "thigh", "pelvis"), "knee": ("knee", "thigh", "shank"), "ankle": ("ankle", "foot")}
    words = text.lower()
    other = "right" if side == "left" else "left"
    return any(name in words for name in segments[joint]) and not (other in words and side not in words)
