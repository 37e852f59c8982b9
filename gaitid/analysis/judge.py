"""A result -> what it can be used for: a verdict on the trial and on each leg, with its reasons and their cures.

One model of quality for `run`, `batch`, `check`, `inspect` and the report (docs/quality.md). It computes nothing of the
body: it reads the notes, the contacts and what of their stances is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.analysis.figures import any_angle, missing_load
from gaitid.analysis.limb import IMPOSSIBLE
from gaitid.analysis.limits import STANCE_EMPTIED, STANDS_S, WHOLE_STANCE
from gaitid.analysis.result import Reason, Result, SideResult, Verdict
from gaitid.analysis.wording import alike, in_one
from gaitid.body.sanity import is_still
from gaitid.ground.contacts import AIR, BY_HAND, Contact
from gaitid.notes import CODES, Note, Notes, note, phrase, ranked
from gaitid.notes.message import GOOD, LEVELS, SEVERITIES, USABLE
from gaitid.notes.result import REASONS
from gaitid.numerics.masks import known_rows

# That wrenches or loads are not known follows from any of these, and says nothing more.
_FOLLOWS = {"no_known_wrench", "no_known_load"}
_SAID_BY = {"mass_unknown", "model_limits", "segment_absent", *REASONS}
# What leaves all moments, or all angles, of a trial empty stands before what spoils some.
_EMPTIES_ALL = {"no_angles", "no_plates", "standing", "leg_absent", "mass_unknown", "no_known_wrench"}
# What is lost in some frames alone stands behind what holds throughout.
_IN_FRAMES = {
    "label_fault",
    "marker_moved",
    "markers_jump",
    "frames_repeated",
    "pose_unsure",
    "pose_jumps",
    "length_jump",
}
# By the code of a note what follows from it.
_CONSEQUENCES = {
    "no_known_wrench": ("filters_differ", "impact", "no_known_load"),  # nothing that is written depends on forces
    "impact": ("filters_differ",),  # which says the same without frames
    "mass_unknown": ("no_known_wrench",),
    "markers_lost": ("rate_doubtful",),  # the accelerations are of the noise
}


def without_consequences(notes: Iterable[Note]) -> Notes:
    """Notes in their rank, without those that follow from another: of wrenches that are not there at all."""
    notes = ranked(notes)
    follows = {code for note in notes for code in _CONSEQUENCES.get(note.code, ())}
    return tuple(note for note in notes if note.code not in follows)


def judged(result: Result, notes: Iterable[Note]) -> Result:
    """The result with these notes, ranked, and the verdict that follows from them."""
    noted = replace(result, notes=ranked(notes))
    return replace(noted, verdict=judge(noted))


def judge(result: Result) -> Verdict:
    """The verdict on a result."""
    measured = [side for side in result.sides if side in result.body.sides]
    lacking = _without_stance(result, measured)
    still = bool(lacking) and len(lacking) == len(measured) and _stands(result)
    reasons = [*_own_reasons(result, measured, {} if still else lacking, still)]
    known = {reason.code for reason in reasons} | {said.code for said in result.notes}
    others: list[Note] = []
    for said in result.notes:
        if said.code in _FOLLOWS and known & _SAID_BY:
            continue
        of_note = _of_note(said, result, measured, lacking) if _counts(said, result, lacking, known) else []
        reasons += of_note
        others += [] if of_note else [said]
    if _withheld_together(result):  # its own note says it, with the cure
        reasons = [reason for reason in reasons if reason.code != "no_whole_stance"]
    grouped = _grouped(reasons, measured)
    sides = {side: _worst(r.lowers_to for r in grouped if r.side in ("", side)) for side in result.sides}
    trial = _worst(sides[side] for side in measured)
    only = []
    if trial == USABLE and not any(_any_load(result, side) for side in measured):
        only = ["trial", *(side for side in measured if sides[side] == USABLE)]
    return Verdict(trial, sides, grouped, tuple(others), tuple(only), whole_stances(result), result.verdict.not_seen)


def _any_load(result: Result, side: str) -> bool:
    """Whether anything is known of a load that acts on a leg: of the ground's in any frame, else of any wrench."""
    leg = result.sides[side]
    if not result.model.touches_ground or result.carried_by_file(side):
        return any(known_rows(wrench.f_g).any() for wrench in leg.wrenches.values())
    force_g = leg.load.wrench.f_g
    return bool((known_rows(force_g) & force_g.any(axis=1)).any())


def _worst(levels: Iterable[str]) -> str:
    return max(levels, key=LEVELS.index, default=GOOD)


# --- what the notes do --------------------------------------------------------------------------------------


def _counts(note: Note, result: Result, lacking: Mapping[str, Note], known: set[str]) -> bool:
    """Whether a note may be a reason in this trial."""
    consequence, still = note.message, "standing" in known
    if consequence.lowers_to == GOOD:
        return False
    if note.code == "mass_unknown":  # it takes nothing where there are no moments to give
        return not (still or "no_plates" in known or result.model.no_wrenches_because)
    if note.code == "measurements_differ" and "calibration_conflict" in known:  # which says what hangs on it
        return False
    return bool(lacking) and not still if consequence.explains else True


def _of_note(note: Note, result: Result, measured: Sequence[str], lacking: Mapping[str, Note]) -> list[Reason]:
    """The reasons that a note is: one, or one for each leg whose plate it is about, or none."""
    sides = [note.side or next((side for side in result.sides if _is_of(side, note.text)), "")]
    if note.plates:
        on_it = {c.side for c in result.contacts if {*note.plates} & {*c.plates}}
        sides = [side for side in measured if side in on_it or (note.message.explains and side in lacking)]
        sides = [""] if sides == [*measured] else sides
    return [_reason(note, side) for side in sides]


def _reason(note: Note, side: str = "") -> Reason:
    return Reason(note.message.lowers_to, note.code, side, note.text, note.cure or note.message.cure)


def _is_of(side: str, text: str) -> bool:
    """Whether a note is on one leg alone: it begins with its name."""
    text = text.removeprefix("length of the ")
    behind = text.removeprefix(side)
    return text.startswith(side) and not (behind[:1].isalnum() or behind.startswith(("_", " and ")))


def _grouped(reasons: Iterable[Reason], measured: Sequence[str]) -> tuple[Reason, ...]:
    """Reasons with one code as one, where they concern one leg or all of them; the most serious first."""
    groups: dict[tuple[str, str], list[Reason]] = {}
    for reason in reasons:
        groups.setdefault((reason.lowers_to, reason.code), []).append(reason)
    merged = []
    for of_code in groups.values():
        for group in alike(of_code, lambda reason: reason.text):
            sides = {reason.side for reason in group}
            of_all = "" in sides or (len(sides) > 1 and sides == {*measured})
            for side in [""] if of_all else sorted(sides):
                these = [reason for reason in group if of_all or reason.side == side]
                text = in_one(_with_side(reason) if of_all else reason.text for reason in these)
                merged.append(replace(these[0], side=side, text=text, cure=_cure(these), count=len(these)))
    return tuple(sorted(merged, key=_rank))


def _cure(reasons: Sequence[Reason]) -> str:
    """The cure of several reasons with one code: theirs where it is one, else that of the code; of `REASONS`, all."""
    cures = dict.fromkeys(reason.cure for reason in reasons)
    if len(cures) == 1 or reasons[0].code in REASONS:
        return "; ".join(cures)
    return CODES[reasons[0].code].cure


def _with_side(reason: Reason) -> str:
    return f"{reason.side}: {reason.text}" if reason.side and reason.code in REASONS else reason.text


def _rank(reason: Reason) -> tuple[int, int, int, int]:
    """First what lowers most; of these what leaves all moments or angles empty, then what holds throughout, then by
    severity.
    """
    severity = SEVERITIES.index(CODES[reason.code].severity)
    return -LEVELS.index(reason.lowers_to), reason.code not in _EMPTIES_ALL, reason.code in _IN_FRAMES, severity


# --- what the verdict finds itself --------------------------------------------------------------------------


def _own_reasons(result: Result, measured: Sequence[str], lacking: Mapping[str, Note], still: bool) -> Iterator[Reason]:
    for side in measured:
        if result.model.angles and not any_angle(result, side):
            yield _reason(note("no_angles"), side)
        if emptied := _emptied_stance(result, side):
            yield _reason(emptied, side)
    if still:
        yield _reason(note("standing"))
    elif lacking and not result.ground.plates:
        # the note on plates that are refused, or not declared, says what would make them good
        none = _reason(note("no_plates"))
        said = result.trial.refused_plates or any(note.code == "plates_undeclared" for note in result.notes)
        yield replace(none, cure="") if said else none
    else:
        yield from (_reason(lacks, side) for side, lacks in lacking.items())


def _emptied_stance(result: Result, side: str) -> Note | None:
    """The stance of which most is emptied as no body does what was there; None where of none too much is."""
    emptied, first = result.sides[side].emptied, result.trial.first_frame
    if emptied is None:
        return None
    lost = {(c.first, c.last): int(emptied[c.first : c.last + 1].sum()) for c in result.contacts if c.side == side}
    a, b = max(lost, key=lambda frames: lost[frames] / (frames[1] - frames[0] + 1), default=(0, 0))
    share = lost.get((a, b), 0) / (b - a + 1)
    return note("stance_emptied", share=share, frames=(a + first, b + first)) if share > STANCE_EMPTIED else None


def _without_stance(result: Result, measured: Sequence[str]) -> dict[str, Note]:
    """What each leg without a whole stance lacks; nothing where the model asks for no loads, or gives no wrenches."""
    if not result.model.touches_ground or result.model.no_wrenches_because:
        return {}
    by_plates = [side for side in measured if not result.carried_by_file(side)]
    why = {side: lacks for side in by_plates if (lacks := _why_no_stance(result, side, result.sides[side]))}
    unclaimed = sorted({plate for note in result.notes if note.code == "load_unclaimed" for plate in note.plates})
    for side, lacks in why.items():
        if unclaimed and not lacks.cure:
            why[side] = lacks._replace(cure=phrase("cure/assign", options=[f"--assign {side}={n}" for n in unclaimed]))
    return why


def _withheld_together(result: Result) -> bool:
    """Whether one fault that is of no plate by itself, as of the clocks, keeps all plates from telling anything."""
    common = {note.text for note in result.notes if not note.plates}
    ground = result.ground
    return bool(ground.plates) and all(ground.withheld.get(plate.number) in common for plate in ground.plates)


def whole_stances(result: Result) -> tuple[int, ...]:
    """Places of the contacts whose load and wrenches are known throughout, from the air before to the air after."""
    return tuple(
        place
        for place, contact in enumerate(result.contacts)
        if contact.plates and contact.side in result.body.sides
        if _is_whole(result, result.sides[contact.side], contact)
    )


def _is_whole(result: Result, leg: SideResult, contact: Contact) -> bool:
    known = min(_known_shares(result, leg, contact)) >= WHOLE_STANCE
    return known and _ends_recorded(leg, contact) and _in_the_air_beside(leg, contact)


def _why_no_stance(result: Result, side: str, leg: SideResult) -> Note | None:
    """What keeps a leg from having a whole stance; None where it has one."""
    contacts = [c for c in result.contacts if c.side == side]
    first, last = result.trial.first_frame, result.trial.n_frames - 1
    nearest: tuple[bool, float, Note] | None = None
    for contact in contacts:
        if not contact.plates:
            continue
        if _is_whole(result, leg, contact):
            return None
        at: dict[str, Any] = {"plates": contact.plates, "frames": (contact.first + first, contact.last + first)}
        load, wrench = _known_shares(result, leg, contact)
        ended = _ends_recorded(leg, contact)
        if not ended:
            lacks = note("no_whole_stance/unrecorded", **at)
        elif load < WHOLE_STANCE:
            lacks = note("no_whole_stance/load", share=load, why=contact.reason, **at)
        elif _in_the_air_beside(leg, contact):
            here = np.zeros(last + 1, dtype=bool)
            here[contact.first : contact.last + 1] = True
            why = missing_load(result, side, here)
            if leg.emptied is not None and leg.emptied[here].any():
                why = why or IMPOSSIBLE
            lacks = note("no_whole_stance/wrenches", share=wrench, why=why, **at)
        elif cut := _cut_by_forces(result, contact):
            lacks = note("no_whole_stance/cut", **cut, **at)
        else:
            lacks = note("no_whole_stance/load_beside", **at)
        if nearest is None or (ended, min(load, wrench)) > nearest[:2]:
            nearest = ended, min(load, wrench), lacks
    if nearest is not None:
        return nearest[2]
    if not contacts:
        return note("no_whole_stance/never")
    if beside := [c.reason for c in contacts if c.reason.startswith("plate ")]:
        return note("no_whole_stance/beside", why=beside[0])
    if by_hand := [c for c in contacts if c.method == BY_HAND]:
        return note("no_whole_stance/on_none", frames=(by_hand[0].first + first, by_hand[0].last + first))
    covered = result.ground.covered
    frames = [frame + first for frame in covered] if covered and covered != (0, last) else []
    # it may have stood on a plate of which nothing is known: where a plate that was refused lies, or one whose corners
    # do not fit, nobody knows
    unused = sorted({*result.trial.refused_plates, *result.ground.refused, *result.ground.withheld})
    return note("no_whole_stance/no_plate", unused=unused, covered=frames)


def _cut_by_forces(result: Result, contact: Contact) -> dict[str, Any]:
    """Whether the forces of the file end within a contact, or begin, and in which frame; empty where they do not."""
    covered, loaded, first = result.ground.covered, contact.loaded, result.trial.first_frame
    if covered and covered[1] <= loaded.stop < result.trial.n_frames:
        return {"end": True, "frame": covered[1] + first}
    if covered and 0 < loaded.start <= covered[0] + 1:
        return {"end": False, "frame": covered[0] + first}
    return {}


def _known_shares(result: Result, leg: SideResult, contact: Contact) -> tuple[float, float]:
    """Shares of the frames of a contact in which its load and all wrenches of the leg are known.

    Where nobody knows the mass the joint centres stand for the wrenches, which wait for nothing else.
    """
    part = slice(contact.first, contact.last + 1)
    load = known_rows(leg.load.wrench.f_g[part])
    weighed = bool(np.isfinite(result.subject.mass_kg))
    values = [w.m_g for w in leg.wrenches.values()] if weighed else [*leg.joints_g.values()]
    all_known = np.logical_and.reduce([known_rows(v[part]) for v in values])
    return float(load.mean()), float((all_known & load).mean()) if not weighed else float(all_known.mean())


def _ends_recorded(leg: SideResult, contact: Contact) -> bool:
    """Whether a contact begins and ends within the trial."""
    return bool(contact.loaded.start > 0 and contact.loaded.stop < len(leg.load.state))


def _in_the_air_beside(leg: SideResult, contact: Contact) -> bool:
    """Whether the foot is known to be in the air right before and after a contact within the trial."""
    state, loaded = leg.load.state, contact.loaded
    return bool(state[max(loaded.start - 1, 0)] == AIR and state[min(loaded.stop, len(state) - 1)] == AIR)


def _stands(result: Result) -> bool:
    """Whether the subject stands still throughout."""
    long_enough = result.trial.n_frames >= STANDS_S * result.trial.rate_hz
    return long_enough and is_still(result.markers.seen)
