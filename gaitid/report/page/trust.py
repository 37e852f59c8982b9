"""Can I trust it? For each joint and side in plain words: what is known, from what, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.limits import WHOLE_STANCE
from gaitid.notes.message import DO_NOT_USE, GOOD
from gaitid.report.page.pool import CYCLE, Basis, known_contacts, sides_of
from gaitid.report.page.told import InMean, named, notes, verdicts
from gaitid.report.result import Contact, Result
from gaitid.report.text import each, escape

# Of each joint: the columns that stand for its angles and moments, and the segments at it.
_JOINTS = {
    "hip": ("hip_flexion", "hip_extension", ("hip", "thigh", "pelvis")),
    "knee": ("knee_flexion", "knee_extension", ("knee", "thigh", "shank")),
    "ankle": ("ankle_dorsiflexion", "ankle_plantarflexion", ("ankle", "foot")),
}
# As it stands, with what is said beside it, or not at all.
_WORDS = {"good": "yes", "care": "with care", "no": "no"}
# Codes of notes that speak against a joint.
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


def trust_html(means: InMean, basis: Basis) -> str:
    """A row a joint, a column a side, of the trials that count; what all joints of a side share stands above them."""
    results = means.results
    sides = sides_of(results)
    joints = [j for j in _JOINTS if any(f"{side}_{j}" in name for side in sides for r in results for name in r.columns)]
    if not joints:
        return ""
    found = {(joint, side): _trust(means.of_side(side), basis, joint, side) for joint in joints for side in sides}
    shared = {s: found[joints[0], s][0] if len({found[j, s][0] for j in joints}) == 1 else "" for s in sides}
    rows = []
    if any(shared.values()):
        rows.append(f'<tr><th scope="row">Known</th>{each("<td>{}</td>", shared.values())}</tr>')
    for joint in joints:
        cells = ""
        for side in sides:
            known, level, listed = found[joint, side]
            badge = f'<span class="badge {level}">{_WORDS[level]}</span>'
            cells += f"<td>{badge} {'' if shared[side] else escape(known)}{listed}</td>"
        rows.append(f'<tr><th scope="row">{joint.capitalize()}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col" class="{side}">{side.capitalize()}</th>' for side in sides)
    return (
        '<section aria-label="Can I trust it?"><h2>Can I trust it?</h2><div class="scroll"><table class="trust"><thead>'
        f'<tr><th scope="col">Joint</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        '<p class="note">Yes: the side’s verdict is good, and a whole stance gives moments. With care: as the words '
        "beside it say, or for what lowers the verdict above, which holds for every joint of its side.</p></section>"
    )


def _trust(results: Sequence[Result], basis: Basis, joint: str, side: str) -> tuple[str, str, str]:
    """What is known of one joint of one side, how far it can be trusted, and a list of what speaks against it."""
    angle, moment, segments = _JOINTS[joint]
    pooled = basis.sides.get(side)
    n = pooled.mean(f"{angle}_deg").n if pooled is not None else 0
    angles = f"angles from {n} {basis.kind}{'' if n == 1 else 's'}"
    if not n:
        columns = [result.columns.get(f"{side}_{angle}_deg") for result in results]
        known = any(column is not None and np.isfinite(column).any() for column in columns)
        angles = f"angles known, but in no whole {basis.kind}" if known else "angles not known"
    moments, whole = _moments(results, f"{side}_{moment}_moment_Nm_per_kg", side)
    other = "right" if side == "left" else "left"
    doubts = [
        note.words
        for note in notes(results)
        if note.code in _SPOKEN
        and (note.code != "knee_axis_turned" or joint == "knee")
        and any(segment in note.text.lower() for segment in segments)
        and not (other in note.text.lower() and side not in note.text.lower())
    ]
    verdict = verdicts(results).get(side, GOOD)
    level = "good" if whole and verdict == GOOD and not doubts else "care"
    if verdict == DO_NOT_USE or not (n or whole):
        level = "no"
    listed = each('<li class="doubt">{}</li>', doubts)
    if whole and joint != "ankle" and basis.kind == CYCLE and pooled is not None:
        struck = np.flatnonzero(pooled.mean_impact[:50])
        if len(struck):
            listed += f"<li>not its moment in the first {struck[-1]} %: the impact of the foot strike</li>"
    return f"{angles}; {moments}", level, f"<ul>{listed}</ul>" if listed else ""


def _moments(results: Sequence[Result], column: str, side: str) -> tuple[str, int]:
    """In words from which stances the joint's moments are known, and how many are whole."""
    whole, part, loaded = [], [], 0
    for name, result in named(results):
        for contact in known_contacts(result, side):
            loaded += 1
            share = known_share(result, contact, column)
            words = f"{name + ', ' if len(results) > 1 else ''}plate {contact.plates}"
            if share >= WHOLE_STANCE and _is_whole(result, contact):
                whole.append(words)
            elif share > 0:
                part.append(f"{words}, {100 * share:.0f} % of {'it' if share < WHOLE_STANCE else 'what was recorded'}")
    if whole:  # places with how often each occurs, at most six
        counted = [f"{place} × {n}" if (n := whole.count(place)) > 1 else place for place in dict.fromkeys(whole)]
        where = "; ".join(counted[:6]) + (" …" if len(counted) > 6 else "")
        count = f"{len(whole)} whole stance{'' if len(whole) == 1 else 's'}"
        return f"moments and power from {count} ({where})", len(whole)
    if part:
        return f"moments and power in part of a stance only ({'; '.join(part[:3])})", 0
    if loaded:
        return "moments and power not known, though a load is: the reasons above say why", 0
    return "moments and power not known: no stance with a known load", 0


def _is_whole(result: Result, contact: Contact) -> bool:
    """Whether the verdict takes a stance as whole; of a record that does not say it, by its reasons."""
    if contact.whole is not None:
        return contact.whole
    of_side = (r for r in result.mappings("verdict", "reasons") if r.get("side") in ("", None, contact.side))
    return all(reason.get("code") != "no_whole_stance" for reason in of_side)


def known_share(result: Result, contact: Contact, column: str) -> float:
    """The share of a contact's frames in which a column has a value."""
    values = result.columns.get(column)
    inside = (result.frame >= contact.first_frame) & (result.frame <= contact.last_frame)
    return float(np.isfinite(values[inside]).mean()) if values is not None and inside.any() else 0.0
