"""What is drawn of a trial -> what the page's script reads: names as they are, tracks as short text."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.ground.contacts import LOADED, Contact
from gaitid.numerics.masks import known_rows, spans
from gaitid.records import frozen_dataclass
from gaitid.report.scene.attach import MARKER_NOTES, SEGMENT_NOTES, joints_in_notes, other_length, segments_in_notes
from gaitid.report.scene.moving import Moving, Track, unknown_frames, view_of
from gaitid.report.text import plain
from gaitid.trial import Array, Mask

#: m, of positions: a quarter of a millimetre at most is lost.
POSITION = 5e-4
#: Of directions (components of unit quaternions), forces (N), moments (N·m/kg).
TURN, FORCE, MOMENT = 1 / 4096, 1.0, 2e-3
# Beyond this a number is damage, and counts as unknown: four bytes hold so many steps of second differences.
_MOST = 2**25


def pack(values: Array, step: float) -> dict[str, Any]:
    """Several tracks as JSON can hold them.

    Parameters
    ----------
    values : (frames, tracks, components) array
        A track is unknown in a frame where any of its components is.
    step : float
        The unit in which they are written.

    Returns
    -------
    dict
        ``d``: base64 of the numbers, component by component of each track, frame by frame: second differences (of
        zeros before the first frame), zigzag, seven bits a byte, the lowest first. ``k``: for each track the runs of
        known frames, first and last, one after the other; 0 where all are. ``s``: the step. ``c``: components a track.
    """
    n, tracks, components = values.shape
    if not tracks or not n:
        return {"d": "", "k": [[]] * tracks, "s": step, "c": components}
    steps = np.asarray(values, dtype=float) / step
    with np.errstate(invalid="ignore"):
        known: Mask = np.asarray((np.isfinite(steps) & (np.abs(steps) < _MOST)).all(axis=2))
    held = np.where(known[:, :, None], steps, 0.0)
    # an unknown frame repeats the last known one, or the first: its differences cost one byte each
    index = np.where(known, np.arange(n)[:, None], -1)
    index = np.maximum.accumulate(index, axis=0)
    first = known.argmax(axis=0)
    index = np.where(index < 0, first, index)
    whole = np.rint(np.take_along_axis(held, index[:, :, None], axis=0)).astype(np.int64)
    columns = whole.reshape(n, tracks * components).T
    second = np.diff(columns, n=2, axis=1, prepend=np.zeros((tracks * components, 2), dtype=np.int64))
    zigzag = ((second << 1) ^ (second >> 63)).astype(np.uint64).ravel()
    return {
        "d": base64.b64encode(_seven_bits(zigzag)).decode("ascii"),
        "k": [0 if mask.all() else [int(end) for a, b in spans(mask) for end in (a, b - 1)] for mask in known.T],
        "s": step,
        "c": components,
    }


def _seven_bits(numbers: np.ndarray[Any, np.dtype[np.uint64]]) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that another follows."""
    groups = 5
    parts = np.empty((len(numbers), groups), dtype=np.uint8)
    used = np.empty((len(numbers), groups), dtype=bool)
    rest = numbers
    for i in range(groups):
        used[:, i] = rest > 0 if i else True
        more = rest >> np.uint64(7)
        parts[:, i] = (rest & np.uint64(0x7F)) | ((more > 0).astype(np.uint64) << np.uint64(7))
        rest = more
    return parts[used].tobytes()


# Hz. No screen needs more: between two pictures the script draws the straight way.
DISPLAY_HZ = 50.0
# So often less where the pictures do not fit into their bytes, and how many seconds are kept at last.
_THINNER = (1, 2, 3, 4)
_SECONDS = (120.0, 60.0, 30.0, 15.0, 6.0, 3.0)
# Below it a known contact is shown as doubtful.
_SURE = 0.75
_ROUND = 4
# Body weights up to which an arrow is as long as the weight and the leg say.
_HIGHEST = 1.2


@frozen_dataclass()
class Cut:
    """Which of a trial's frames are shown.

    Attributes
    ----------
    first, last : int
        Indices, both included.
    step : int
        Every so many frames.
    others : bool
        Whether markers that the model does not use are shown.
    """

    first: int
    last: int
    step: int
    others: bool

    @property
    def frames(self) -> slice:
        return slice(self.first, self.last + 1, self.step)


def described(seen: Moving, key: str, name: str, budget_bytes: int) -> str:
    """JSON of a trial in at most so many bytes, where three seconds of it fit at all.

    Parameters
    ----------
    seen : Moving
    key : str
        Of the trial on its page, for ``gaitid:time``.
    name : str
    budget_bytes : int
        Fewer pictures a second come first, then the model's markers only, then a part of the trial.
    """
    text = ""
    cuts = list(_cuts(seen.result))
    for cut in cuts:
        if cut is not cuts[-1] and _fewest_bytes(seen, cut) > budget_bytes:
            continue
        text = json.dumps(description(seen, key, name, cut), ensure_ascii=False, separators=(",", ":"))
        if len(text.encode("utf-8")) <= budget_bytes:
            break
    return text


def _fewest_bytes(seen: Moving, cut: Cut) -> int:
    """That the numbers of a part of a trial take at least: one byte each, in base64."""
    points = sum(track.used or cut.others for track in seen.tracks) + 2 * len(seen.bones)
    return len(range(seen.result.trial.n_frames)[cut.frames]) * 3 * points * 4 // 3


def _cuts(result: Result) -> Iterable[Cut]:
    rate, n = result.trial.rate_hz, result.trial.n_frames
    least = max(1, int(np.ceil(rate / DISPLAY_HZ - 1e-9)))
    for others in (True, False):
        for thinner in _THINNER[: None if others else 2]:
            yield Cut(0, n - 1, least * thinner, others)
    known = [contact for contact in result.contacts if contact.plates]
    middle = (known[0].first + known[0].last) // 2 if known else n // 2
    for seconds in _SECONDS:
        half = round(seconds * rate / 2)
        if 2 * half < n:
            first = min(max(0, middle - half), n - 2 * half)
            yield Cut(first, first + 2 * half - 1, 2 * least, False)


def description(seen: Moving, key: str, name: str, cut: Cut) -> dict[str, Any]:
    """A trial as the script reads it; frames and runs of frames count the pictures, from 0."""
    result, view = seen.result, seen.view
    trial = result.trial
    tracks = [track for track in seen.tracks if track.used or cut.others or track.doubt]
    recorded = [(i, track.recorded_g) for i, track in enumerate(tracks) if track.recorded_g is not None]
    shown = [bone for bone in seen.bones if bone.axes_known]
    return {
        "key": key,
        "name": plain(name),
        "n": len(range(trial.n_frames)[cut.frames]),
        "step": cut.step,
        "first": trial.first_frame + cut.first,
        "start_s": round(cut.first / trial.rate_hz, 6),
        "rate": trial.rate_hz,
        "still": _still(result, cut),
        "whole": cut.first == 0 and cut.last == trial.n_frames - 1,
        "lab": {"at": _rounded(view.points(np.zeros(3))), "axes": _rounded(view.R_dg.T)},
        "tracks": [_track(track, cut) for track in tracks],
        "markers": _points(seen, [track.points_g for track in tracks], cut),
        "recordedOf": [i for i, _ in recorded],
        "recorded": _points(seen, [points for _, points in recorded if points is not None], cut),
        **_bones(seen, cut),
        "axesOf": [seen.bones.index(bone) for bone in shown],
        "turns": _packed([view.quaternions(bone.R_gs) for bone in shown], 4, cut, TURN),
        "com": _points(seen, [seen.body_com_g], cut),
        "comWords": "centre of mass of the body by its legs and pelvis; trunk, head and arms are taken to lie there",
        "newtonPerMetre": _newton_per_metre(result),
        "plates": [*_plates(seen, cut)],
        "feet": [*_feet(seen, cut)],
        "contacts": [_contact(seen, contact, i, cut) for i, contact in enumerate(result.contacts)],
        "moments": [*_moments(seen, cut)],
        "events": [
            {"side": e.side, "kind": e.kind, "t": round(e.time_s, 4), "by": e.source} for e in result.gait.events.used
        ],
        "doubts": _doubts(result),
        "centres": not result.model.no_wrenches_because,
    }


def _doubts(result: Result) -> list[str]:
    """What notes say of markers and segments, each once."""
    codes = MARKER_NOTES | SEGMENT_NOTES
    return [plain(note.text) for note in result.notes if note.code in codes]


def _newton_per_metre(result: Result) -> float:
    """How long forces are drawn: the body's weight as long as a leg, so that children's are as long as adults'.

    Shorter where a foot carries more than 1.2 times the weight, so that an arrow stays by its body.
    """
    weight = result.subject.mass_kg * result.settings.gravity_m_per_s2
    up = result.ground.floor.up_g
    height = (result.base.com_g - view_of(result).origin_g) @ up
    known = height[np.isfinite(height)]
    leg = max(float(np.median(known)), 0.2) if known.size else 0.9
    peaks = [c.peak_vertical_N for c in result.contacts if np.isfinite(c.peak_vertical_N)]
    usual = weight if np.isfinite(weight) else 800.0 * leg
    return round(max(usual, max(peaks, default=0.0) / _HIGHEST) / leg, 1)


def _still(result: Result, cut: Cut) -> int:
    """The picture to begin with: the middle of the first contact whose load is surely known, or as near to such.

    Without any the middle of the trial, or of its longest pass.
    """
    best = sorted((c for c in result.contacts if c.plates), key=lambda c: (verdict_of(c) != "known", c.first))
    for contact in best:
        state = result.sides[contact.side].load.state
        frames = np.arange(max(contact.first, cut.first), min(contact.last, cut.last) + 1)
        frames = frames[state[frames] == LOADED]
        if len(frames):
            middle = (contact.first + contact.last) / 2
            return int(frames[np.abs(frames - middle).argmin()] - cut.first) // cut.step
    middle = (cut.last - cut.first) // 2
    passes = result.markers.passes
    if not any(walk.start <= cut.first + middle < walk.stop for walk in passes):  # nobody is seen there
        longest = max(passes, key=lambda walk: walk.stop - walk.start)
        middle = min(max((longest.start + longest.stop) // 2, cut.first), cut.last) - cut.first
    return middle // cut.step


# --- tracks -------------------------------------------------------------------------------------------------


def _packed(values: Sequence[Array], components: int, cut: Cut, step: float) -> dict[str, Any]:
    n = len(values[0][cut.frames]) if values else 0
    stacked = np.stack([v[cut.frames] for v in values], axis=1) if values else np.zeros((n, 0, components))
    return pack(stacked, step)


def _points(seen: Moving, points: Sequence[Array], cut: Cut) -> dict[str, Any]:
    return _packed([seen.view.points(p) for p in points], 3, cut, POSITION)


def _rounded(values: Array) -> Any:
    return np.round(values, _ROUND).tolist()


def _runs(mask: Mask, cut: Cut) -> list[int]:
    return [int(end) for a, b in spans(_shown(mask, cut)) for end in (a, b - 1)]


def _shown(mask: Mask, cut: Cut) -> Mask:
    """(pictures,) whether any of a picture's frames is among them: a fault of one frame is to be seen."""
    part = mask[cut.first : cut.last + 1]
    padded = np.concatenate([part, np.zeros(-len(part) % cut.step, dtype=bool)])
    return np.asarray(padded.reshape(-1, cut.step).any(axis=1))


def _track(track: Track, cut: Cut) -> dict[str, Any]:
    content: dict[str, Any] = {"label": plain(track.label), "role": track.role, "side": track.side}
    content |= {"used": int(track.used), "bone": -1}
    if track.attached is not None:
        content |= {"bone": track.attached.bone, "share": round(track.attached.share, 3)}
        if off := _runs(track.attached.off, cut):
            content["off"] = off
    if filled := _runs(track.filled, cut):
        content["filled"] = filled
    if track.doubt:
        content["doubt"] = plain(track.doubt)
    return content


def _bones(seen: Moving, cut: Cut) -> dict[str, Any]:
    """Bones by the ends between which they lie; an end that two share is written once."""
    ends: dict[tuple[str, str, str], Array] = {}
    bones = []
    doubts, joints = segments_in_notes(seen.result, seen.bones), joints_in_notes(seen.result)
    for bone in seen.bones:
        side, segment = bone.key
        at = []
        for name, points in zip(bone.ends, (bone.proximal_g, bone.distal_g), strict=True):
            key = (side, name, segment if name == "end" else "")  # a tree has several free ends
            ends.setdefault(key, points)
            at.append(list(ends).index(key))
        content: dict[str, Any] = {"side": side, "name": segment.replace("_", " "), "ends": at}
        if off := _runs(other_length(bone), cut):
            content["off"] = off
        if bone.key in doubts:
            content["doubt"] = plain(doubts[bone.key])
        bones.append(content)
    return {
        "bones": bones,
        "ends": [
            {"side": side, "name": name, **({"doubt": plain(joints[side, name])} if (side, name) in joints else {})}
            for side, name, _ in ends
        ],
        "endsAt": _points(seen, list(ends.values()), cut),
        "middles": _points(seen, [bone.middle_g for bone in seen.bones], cut),
    }


# --- the ground ---------------------------------------------------------------------------------------------


def _plates(seen: Moving, cut: Cut) -> Iterable[dict[str, Any]]:
    """Plates with their edges, and what each feels while it is loaded."""
    result, view = seen.result, seen.view
    loads = {load.number: load for load in result.ground.plates}
    faults = {**result.ground.refused, **result.ground.withheld}
    for plate in result.trial.plates:
        content: dict[str, Any] = {"number": plate.number, "fault": plain(faults.get(plate.number, ""))}
        if plate.outlined:
            content["corners"] = _rounded(view.points(plate.corners_g))
        if (load := loads.get(plate.number)) is not None:
            with np.errstate(invalid="ignore"):
                is_loaded = np.asarray(load.vertical > result.settings.contact_threshold_N)
            content |= _force(seen, np.where(is_loaded[:, None], load.wrench.f_g, np.nan), load.cop_g, cut)
        yield content
    for number, why in result.trial.refused_plates.items():
        yield {"number": number, "fault": plain(why)}


def _force(seen: Moving, force_g: Array, cop_g: Array, cut: Cut) -> dict[str, Any]:
    known = known_rows(force_g) & known_rows(cop_g)
    force = np.where(known[:, None], seen.view.directions(force_g), np.nan)
    cop = np.where(known[:, None], cop_g, np.nan)
    return {"force": _packed([force], 3, cut, FORCE), "cop": _points(seen, [cop], cut)}


def _feet(seen: Moving, cut: Cut) -> Iterable[dict[str, Any]]:
    """The known load on each foot, and the frames in which it is unknown."""
    result = seen.result
    if not result.model.touches_ground:
        return
    for side, leg in result.sides.items():
        unknown = np.zeros(result.trial.n_frames, dtype=bool)
        for first, last in unknown_frames(result, side):
            unknown[first : last + 1] = True
        at_work = np.linalg.norm(leg.load.wrench.f_g, axis=1) > 0
        force = np.where(at_work[:, None], leg.load.wrench.f_g, np.nan)
        yield {"side": side, "unknown": _runs(unknown, cut), **_force(seen, force, leg.load.cop_g, cut)}


def _contact(seen: Moving, contact: Contact, i: int, cut: Cut) -> dict[str, Any]:
    on = list(contact.plates) or plates_under(seen, contact)
    return {
        "number": i + 1,
        "side": contact.side,
        "plates": on,
        "first": round((contact.first - cut.first) / cut.step, 3),
        "last": round((contact.last - cut.first) / cut.step, 3),
        "verdict": verdict_of(contact),
        "text": contact_words(contact),
    }


def verdict_of(contact: Contact) -> str:
    """``known``, ``doubtful`` (known, with little confidence) or ``unknown``."""
    if not contact.plates:
        return "unknown"
    return "known" if contact.confidence >= _SURE else "doubtful"


def contact_words(contact: Contact) -> str:
    """Who stood where, and why the load is not known, or not surely."""
    reason = plain(contact.reason)
    if not contact.plates:
        return f"{contact.side} foot: load unknown: {reason}"
    words = f"{contact.side} foot on plate {contact.plate_names}: load known"
    return f"{words}, but {reason}" if verdict_of(contact) == "doubtful" and reason else words


def plates_under(seen: Moving, contact: Contact) -> list[int]:
    """Plates that a foot's sole reaches onto during most of a contact."""
    during = slice(contact.first, contact.last + 1)
    over = seen.soles_over_plates.items()
    return [number for (side, number), mask in over if side == contact.side and mask[during].mean() > 0.5]


# --- moments ------------------------------------------------------------------------------------------------


def _moments(seen: Moving, cut: Cut) -> Iterable[dict[str, Any]]:
    """The internal moment at each joint, N·m/kg, and the name of its first clinical component."""
    result = seen.result
    mass = result.subject.mass_kg
    for side, leg in result.sides.items():
        impact = _runs(result.impact_frames(side), cut)
        for joint, wrench in leg.wrenches.items():
            vector = seen.view.directions(wrench.m_g) / mass
            columns = leg.moments.get(joint, {})
            if not np.isfinite(vector).all(axis=1).any() or not columns:
                continue
            name, values = next(iter(columns.items()))
            yield {
                "side": side,
                "joint": joint,
                "name": name.replace("_", " "),
                "impact": impact,
                "moment": _packed([vector], 3, cut, MOMENT),
                "value": _packed([np.asarray(values, dtype=float)[:, None]], 1, cut, MOMENT),
            }
