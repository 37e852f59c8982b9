"""The top of a clinical page: who, what the trials can be used for, which foot was where, what was assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.analysis.limits import WHOLE_STANCE
from gaitid.norms import Norms
from gaitid.notes.message import DO_NOT_USE, GOOD, LEVELS
from gaitid.records import NamedTuple
from gaitid.report.gathering import Session, people
from gaitid.report.page import CYCLE, Basis, known_contacts, sides_of
from gaitid.report.page.messages import (
    LEVEL_CLASS,
    InMean,
    TrialText,
    agreed,
    agreed_at,
    each_note,
    in_words,
    measured,
    model_of,
    named,
    names_of,
    notes,
    reasons,
    verdicts,
)
from gaitid.report.panels import SIDES
from gaitid.report.text import UNKNOWN, fixed, mean_sd, number
from gaitid.results.result import Contact, Result

# Folders that programs and manuals call so name no session.
_NO_NAMES = ("results", "output", "out")
_METHODS = {
    "plate force, foot over plate, pressure under foot": "the plate was loaded while this foot stood, the foot lay "
    "over it, and the pressure was under the foot",
    "assigned in Nexus (.enf), pressure near that foot": "the plate is assigned to this foot in Nexus, and the "
    "pressure was near it",
}
# The words of a command with which a choice is no default: options of `gaitid run`, and what `--set` may say.
_MARKERS_ASKED = ("--cutoff", "cutoff_hz", "marker_filter", "spline_mse_mm2", "raw_cutoff_hz")
_FORCES_ASKED = ("--force-cutoff", "force_cutoff_hz")


def title_of(session: Session) -> str:
    """What a session is called on its page."""
    known = [part for part in (session.subject, _session_name(session), session.condition) if part]
    names = names_of(session.results)
    return " · ".join([*known, *names]) if len(names) == 1 else " · ".join(known) or ", ".join(names[:3])


def _session_name(session: Session) -> str:
    """Empty for a folder whose name says nothing."""
    return "" if session.session in _NO_NAMES else session.session


def facts(session: Session, speeds: Sequence[float]) -> dict[str, str]:
    """Who and what, as far as the records say: terms and what they are."""
    results = session.results
    people_named = [result.record_at("trial", "subject_names") for result in results]
    titles, model = agreed_at(results, "model", "title"), agreed(map(model_of, results))
    return {
        "Name": ", ".join(dict.fromkeys(str(name) for of in people_named if isinstance(of, list) for name in of)),
        "Subject": session.subject,
        "Session": _session_name(session),
        "Condition": session.condition,
        "Body": _body(results),
        "Speed": f"{mean_sd(speeds, 1, 2)} m/s" if speeds else "",
        "Model": f"{model} – {titles}" if titles else model,
        "Of the model": agreed_at(results, "model", "unchecked"),
        "Software": f"gaitid {agreed_at(results, 'gaitid')}",
    }


def used(means: InMean) -> str:
    """The trials that the means are of: ``3 of 4 trials: a, b, c``."""
    names = [name for name, out in zip(names_of(means.results), means.out, strict=True) if {*out} != {*SIDES}]
    shown = ", ".join(names if len(names) <= 8 else [*names[:7], f"and {len(names) - 7} more"])
    of_all = f" of {len(means.results)}" if len(names) < len(means.results) else ""
    return f"{len(names)}{of_all} trial{'' if len(means.results) == 1 else 's'}: {shown}"


def no_age(results: Sequence[Result], norms: Norms | None) -> str:
    """What an unknown age means for the norms; empty where it is known."""
    if measured(results, "age") is not None:
        return ""
    means = f": the grey band is of {norms.people}, and of no use for another age" if norms and norms.people else ""
    return f"The age of the subject is not known{means}. It is age_years of the subject file."


def _body(results: Sequence[Result]) -> str:
    sex = agreed_at(results, "subject", "sex", "value")
    parts = [sex] if sex else []
    if (age := measured(results, "age")) is not None:
        parts.append(f"{number(age[0], 3)} years")
    if (mass := measured(results, "mass")) is not None:
        parts.append(f"{fixed(mass[0], 1)} kg")
    if (height := measured(results, "height")) is not None:
        parts.append(f"{fixed(height[0], 2)} m tall")
    legs = [leg for side in SIDES if (leg := measured(results, f"{side}.leg_length")) is not None]
    if len(legs) == len(SIDES):
        parts.append(f"legs {' and '.join(fixed(1000 * leg, 0) for leg, _ in legs)} mm")
    return ", ".join(parts)


def bodies(results: Sequence[Result]) -> str:
    """The trials of each person, where they cannot be of one."""
    places, names = people(results), names_of(results)
    groups = (f"{', '.join(names[i] for i in of_one)}: {_body([results[of_one[0]]])}" for of_one in places)
    return "; ".join(groups) if len(places) > 1 else ""


# --- verdict --------------------------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What the trials that count can be used for.

    Attributes
    ----------
    cards : list of (class, label, words, more)
        Of the trial and of each side.
    each : str
        Which trial has which verdict, where they differ.
    reasons : list of (class, text, cure)
    known : list of (side, words)
        What can be used all the same, where not all is good.
    """

    cards: list[tuple[str, str, str, str]]
    each: str
    reasons: list[tuple[str, str, str]]
    known: Sequence[tuple[str, str]] = ()


def verdict(means: InMean, limb: str = "leg") -> Verdict:
    """Three words on the trials that count, and the reasons with what would cure them.

    `limb` is what a side has: a chain's is a side.
    """
    results, counted = means.results, means.counted
    used = {"trial": counted} | {side: means.of_side(side) or counted for side in SIDES}
    worst = {key: level for key, of in used.items() if (level := verdicts(of).get(key))}
    bad, only = [side for side in SIDES if worst.get(side) == DO_NOT_USE], ""
    if len(results) == 1 and len(bad) == 1 and worst["trial"] != DO_NOT_USE:
        only = f"{SIDES[1 - SIDES.index(bad[0])]} leg only"
    all_of = "All trials" if len(counted) == len(results) else f"{len(counted)} of {len(results)} trials"
    labels = {"trial": "Trial" if len(results) == 1 else all_of, "left": f"Left {limb}", "right": f"Right {limb}"}
    by_level: dict[str, list[str]] = {}
    for name, result in named(results):
        by_level.setdefault(in_words([result]), []).append(name)
    ordered = sorted(by_level, key=lambda words: LEVELS.index(words.partition(":")[0]))
    differ = (f"{words}: {', '.join(by_level[words])}" for words in ordered)
    return Verdict(
        [
            (LEVEL_CLASS[level], labels[key], in_words(used[key], key), only if key == "trial" else "")
            for key, level in worst.items()
        ],
        "; ".join(differ) if len(by_level) > 1 else "",
        [_reason(reason) for reason in reasons(results, means.out)],
    )


def _reason(reason: TrialText) -> tuple[str, str, str]:
    before = f"{reason.side}: " if reason.side and not reason.text.startswith(reason.side) else ""
    trials = f"{', '.join(reason.trials)}: " if reason.trials else ""
    text = trials + before + reason.text
    if text.split(" ", 1)[0].rstrip(":").isalpha():  # not the name of a file
        text = text[:1].upper() + text[1:]
    cure = reason.cure if reason.cure and reason.cure not in reason.text else ""
    return LEVEL_CLASS[reason.severity], text, cure


# --- who stood where ------------------------------------------------------------------------------------------


class PlateRow(NamedTuple):
    """A contact, or a plate that gave none; of contacts with an unknown load only why."""

    trial: str
    plate: str
    foot: str
    frames: str
    sure: str
    why: str


def plates(results: Sequence[Result]) -> list[PlateRow]:
    """Each plate of each trial with the foot that was on it, and why."""
    return [row for name, result in named(results) for row in _plates(name, result)]


def _plates(name: str, result: Result) -> list[PlateRow]:
    """Each contact with a known load, plates that gave none, and contacts without one."""
    rows, used = [], set()
    for contact in sorted((c for c in result.contacts if c.known), key=lambda c: (c.plates, c.first_frame)):
        used.update(contact.plates.split("+"))
        why = _METHODS.get(contact.method, contact.method) + (f"; but {contact.reason}" if contact.reason else "")
        try:
            sure = f"{100 * float(contact.confidence):.0f} %"
        except ValueError:
            sure = UNKNOWN
        frames = f"{contact.first_frame}–{contact.last_frame}"
        rows.append(PlateRow(name, contact.plates.replace("+", " and "), contact.side, frames, sure, why))
    unused: dict[str, list[str]] = {}
    for entry in result.mappings("quality", "plates"):
        peak, plate = entry.get("peak_vertical_N"), str(entry.get("plate", ""))
        carried = "what it carried is unknown"
        if isinstance(peak, int | float):
            carried = f"it carried {fixed(peak, 0)} N at most" if round(peak) else "it carried nothing"
        if plate and plate not in used:
            unused.setdefault(carried, []).append(plate)
    for carried, of_these in unused.items():
        why = f"no foot’s load is known from it; {carried}"
        rows.append(PlateRow(name, ", ".join(of_these), "none", UNKNOWN, UNKNOWN, why))
    by_reason: dict[str, list[str]] = {}
    for contact in result.contacts:
        if not contact.known:
            span = f"{contact.side} {contact.first_frame}–{contact.last_frame}"
            by_reason.setdefault(contact.reason or "no reason given", []).append(span)
    beside = "; ".join(
        f"{len(spans)} more contact{'' if len(spans) == 1 else 's'} with unknown load, frames "
        f"{', '.join(spans)}: {reason}"
        for reason, spans in by_reason.items()
    )
    return rows + ([PlateRow(name, "", "", "", "", beside)] if beside else [])


def plates_in_sum(results: Sequence[Result]) -> list[str]:
    """How many contacts of each side each plate measured."""
    contacts = [contact for result in results for contact in result.contacts]
    known = sorted((contact.plates.replace("+", " and "), contact.side) for contact in contacts if contact.known)
    lines = []
    for plate in dict.fromkeys(plate for plate, _ in known):
        counts = (f"{side} foot {n} times" for side in SIDES if (n := known.count((plate, side))))
        lines.append(f"Plate {plate}: {', '.join(counts)}")
    return [*lines, f"Unknown load: {len(contacts) - len(known)} contacts"]


# --- assumptions ----------------------------------------------------------------------------------------------


def taken_by_default(results: Sequence[Result], norms: Norms | None) -> tuple[str, ...]:
    """Short lines of what a run took by default, each once: nothing of what the command asked for, or no record says.

    Parameters
    ----------
    results : sequence of Result
    norms : Norms or None
        Those that are drawn.
    """
    lines = [line for result in results for line in _defaults(result)]
    if norms is not None and measured(results, "age") is None:
        lines.append(f"Norms: {norms.title}, though no file says the age of the subject.")
    return tuple(dict.fromkeys(lines))


def _defaults(result: Result) -> list[str]:
    """The table of inertia and the filters."""
    lines = []
    settings = result.record["settings"]
    given = {str(word).removeprefix("--set=").partition("=")[0] for word in result.record["command"]}
    if "table" not in given and (source := result.record_at("model", "table", "source")):
        lines.append(f"Segment masses and inertia: {str(source).rstrip('. ')}.")
    if "cutoff_hz" in settings and given.isdisjoint(_MARKERS_ASKED):
        cutoff = result.number("settings", "cutoff_hz")
        if any(code in ("marker_filter", "markers_rough") for _, code, _ in each_note(result)):
            treated = "how they were treated stands in the notes below."
            if cutoff is not None:
                treated = f"low-passed at {number(cutoff, 3)} Hz, chosen from their noise and movement."
            lines.append(f"Markers: {treated}")
        elif settings["cutoff_hz"] is None and result.number("quality", "marker_noise_mm") is not None:
            smoothed = "as they were smoothed before they were stored (next to no noise in them)"
            lines.append(f"Markers: no filter, {smoothed}.")
    if result.on_ground and settings.get("force_cutoff_hz", 0) is None and given.isdisjoint(_FORCES_ASKED):
        lines.append("Forces of the plates: not filtered.")
    return lines


# --- joints -------------------------------------------------------------------------------------------------------

# Of each joint: the columns that stand for its angles and moments, and the segments at it.
_JOINTS = {
    "hip": ("hip_flexion", "hip_extension", ("hip", "thigh", "pelvis")),
    "knee": ("knee_flexion", "knee_extension", ("knee", "thigh", "shank")),
    "ankle": ("ankle_dorsiflexion", "ankle_plantarflexion", ("ankle", "foot")),
}
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


class JointTrust(NamedTuple):
    """What is known of one joint of one side, how far it can be trusted, and what speaks against it.

    Attributes
    ----------
    known : str
    level : str
        The class of its badge.
    doubts : list of str
    struck_until : int
        Percent of the cycle up to which its moment is that of an impact; -1 for nowhere.
    """

    known: str
    level: str
    doubts: list[str]
    struck_until: int


def trust(means: InMean, basis: Basis) -> dict[str, dict[str, JointTrust]]:
    """By joint and side, of the trials that count."""
    results, sides = means.results, sides_of(means.results)
    joints = [j for j in _JOINTS if any(f"{side}_{j}" in name for side in sides for r in results for name in r.columns)]
    of_sides = {side: (of, notes(of)) for side in sides for of in [means.of_side(side)]}
    return {joint: {side: _trust(*of_sides[side], basis, joint, side) for side in sides} for joint in joints}


def known_words(means: InMean, trusted: Mapping[str, Mapping[str, JointTrust]]) -> list[tuple[str, str]]:
    """What is known of each side, the better one first, where one is not good: angles, stances, swing."""
    levels = {side: verdicts(means.of_side(side)).get(side, GOOD) for side in sides_of(means.results)}
    if all(level == GOOD for level in levels.values()):
        return []
    results = []
    for side, level in levels.items():
        joints: dict[str, list[str]] = {}
        for joint, by_side in trusted.items():
            joints.setdefault(_with_swing(means, side, joint, by_side[side].known), []).append(joint)
        each = (words if len(joints) == 1 else f"{', '.join(of)}: {words}" for words, of in joints.items())
        results.append((side, "nothing that may be used" if level == DO_NOT_USE else "; ".join(each)))
    return sorted(results, key=lambda of: (LEVELS.index(levels[of[0]]), "whole stance" not in of[1]))


def _with_swing(means: InMean, side: str, joint: str, known: str) -> str:
    """What is known of a joint, with swing where no stance gives its moments whole and swing does."""
    if "whole stance" in known:
        return known
    column = f"{side}_{_JOINTS[joint][1]}_moment_Nm_per_kg"
    for result in means.of_side(side):
        values, stands = result.columns.get(column), np.zeros(len(result.frame), dtype=bool)
        for contact in result.contacts:
            if contact.side == side:
                stands |= (result.frame >= contact.first_frame) & (result.frame <= contact.last_frame)
        if values is not None and stands.any() and np.isfinite(values[~stands]).any():
            none = "moments and power not known"
            return known.replace(none, "moments and power in swing only") if none in known else f"{known} and in swing"
    return known


def trust_line(trusted: Mapping[str, Mapping[str, JointTrust]]) -> str:
    """``Left: hip, knee yes; ankle with care. Right: …``: the levels of each side, in a line."""
    words = {"good": "yes", "care": "with care", "no": "no"}
    sides: dict[str, dict[str, list[str]]] = {}
    for joint, by_side in trusted.items():
        for side, of in by_side.items():
            sides.setdefault(side, {}).setdefault(words[of.level], []).append(joint)
    of_sides = {side: "; ".join(f"{', '.join(of)} {level}" for level, of in by.items()) for side, by in sides.items()}
    return " ".join(f"{side.capitalize()}: {levels}." for side, levels in of_sides.items())


def _trust(results: Sequence[Result], noted: Sequence[TrialText], basis: Basis, joint: str, side: str) -> JointTrust:
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
        for note in noted
        if note.code in _SPOKEN
        and (note.code != "knee_axis_turned" or joint == "knee")
        and any(segment in note.text.lower() for segment in segments)
        and not (other in note.text.lower() and side not in note.text.lower())
    ]
    verdict = verdicts(results).get(side, GOOD)
    level = "good" if whole and verdict == GOOD and not doubts else "care"
    if verdict == DO_NOT_USE or not (n or whole):
        level = "no"
    struck = -1
    if whole and joint != "ankle" and basis.kind == CYCLE and pooled is not None:
        struck = int(np.flatnonzero(pooled.mean_impact[:50]).max(initial=-1))
    return JointTrust(f"{angles}; {moments}", level, doubts, struck)


def _moments(results: Sequence[Result], column: str, side: str) -> tuple[str, int]:
    """In words from which stances the joint's moments are known, and how many are whole."""
    whole, part, loaded = [], [], 0
    for name, result in named(results):
        for contact in known_contacts(result, side):
            loaded += 1
            share = known_share(result, contact, column)
            words = f"{name + ', ' if len(results) > 1 else ''}plate {contact.plates}"
            if share >= WHOLE_STANCE and contact.whole:
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


def known_share(result: Result, contact: Contact, column: str) -> float:
    """The share of a contact's frames in which a column has a value."""
    values = result.columns.get(column)
    inside = (result.frame >= contact.first_frame) & (result.frame <= contact.last_frame)
    return float(np.isfinite(values[inside]).mean()) if values is not None and inside.any() else 0.0
