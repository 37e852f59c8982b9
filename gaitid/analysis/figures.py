"""Figures that tell whether a result can be trusted, each against its limits: how much is known, how much is carried.

`gaitid check` shows them all; what lies beyond a limit is also a note of the result (`figure_notes`), so that `run`,
`batch` and every verdict say the same. None of them judges how somebody walks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from gaitid.analysis.limb import IMPOSSIBLE
from gaitid.analysis.limits import (
    EMPTY_FAIL,
    EMPTY_WARN,
    FAIL,
    FLIGHT_S,
    LANDED_TOGETHER_S,
    MEAN_FAIL,
    MEAN_WARN,
    PASS,
    PEAK_FAIL,
    PEAK_FLYING_WARN,
    PEAK_WARN,
    TOGETHER_WARN,
    WARN,
)
from gaitid.analysis.result import Result, SideResult
from gaitid.body.late_markers import slipped_notes
from gaitid.faults.words import unit_of_ratio
from gaitid.ground.contacts import AIR, LOADED, UNKNOWN, Contact
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import known_rows, spans, widened
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# What was assumed or is worth knowing: no check, and no warning.
NOTE = "note"


@frozen_dataclass()
class Finding:
    """What one check found.

    Attributes
    ----------
    name : str
    status : str
        ``pass``, ``warn``, ``fail`` or ``note``.
    text : str
        For a person, with the number that was measured and the limit.
    value, limit : float or None
    unit : str
        Of both.
    side : str
        The only leg that it concerns; empty where it concerns the trial.
    detail : tuple of str
        More lines for who asks.
    code : str
        The note that says it in the result; empty where none does.
    severity : str
        Of the note that it repeats (`gaitid.notes.SEVERITIES`); a warning of a check's own is a doubt.
    """

    name: str
    status: str
    text: str
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    side: str = ""
    detail: tuple[str, ...] = ()
    code: str = ""
    severity: str = "doubt"


# A stance in walking lasts 0.6 s, in running 0.2 s and more (Novacheck 1998, Gait Posture 7:77-95).
SHORT_S = 0.2
# s. Both feet carry load for so long: the body stands (double support of walking lasts 0.1 to 0.3 s), and its vertical
# velocity changes by too little to change their mean by more than some percent.
STANDS_S = 1.0
# From the highest mountain of the tropics to the Arctic sea (Hirt et al. 2013, Geophys Res Lett 40:4279-4283).
GRAVITY_M_PER_S2 = (9.76, 9.84)

# s. So near to a gap of a foot's markers its flight ends or begins by the margins that hold there, not by the foot.
UNSURE_S = 0.1


def figure_notes(result: Result) -> Notes:
    """The figures that lie beyond their limits."""
    beyond = (figure for figure in (*vertical_force(result), coverage(result)) if figure.code)
    noted = (note(figure.code, figure.side, figure=figure.text) for figure in beyond)
    return *_setting_notes(result), *_slipped_notes(result), *noted


def _slipped_notes(result: Result) -> Notes:
    """That a marker lies elsewhere in one stride than in another, by the foot with the most strides."""
    rate_hz, last = result.trial.rate_hz, result.trial.n_frames - 1
    strides: dict[str, list[tuple[int, int]]] = {}
    for stride in result.gait.strides:
        ends = (round(event.time_s * rate_hz) for event in (stride.cycle.strike, stride.cycle.next_strike))
        first, stop = (min(max(frame, 0), last) for frame in ends)
        strides.setdefault(stride.cycle.side, []).append((first, stop))
    return slipped_notes(result.markers.seen, max(strides.values(), key=len, default=[]), result.notes)


def _setting_notes(result: Result) -> Iterator[Note]:
    """That a trial on the ground is over before a step could be, or weighed by a gravity that no laboratory has."""
    frames, rate_hz, g = result.trial.n_frames, result.trial.rate_hz, result.settings.gravity_m_per_s2
    least, most = GRAVITY_M_PER_S2
    if result.model.touches_ground and frames < SHORT_S * rate_hz:
        yield note("trial_short", n=frames, rate_hz=rate_hz, s=SHORT_S)
    if result.model.touches_ground and not least <= g <= most:
        yield note("gravity_unusual", gravity=g, least=least, most=most)


# --- how much is known --------------------------------------------------------------------------------------


def coverage(result: Result) -> Finding:
    """Share of the frames with a known load in which a joint's wrench is empty, worst joint."""
    any_filled, lacking = False, dict[tuple[str, str], tuple[float, Mask]]()
    for side, leg in result.sides.items():
        loaded = (leg.load.state == LOADED) | (leg.load.state == AIR)
        loaded[: result.settings.end_frames] = False
        loaded[len(loaded) - result.settings.end_frames :] = False
        for joint, wrench in leg.wrenches.items():
            filled = known_rows(wrench.m_g)
            any_filled |= bool(filled.any())
            if loaded.any():
                empty = loaded & ~filled
                lacking[side, joint] = float(empty.sum() / loaded.sum()), empty
    if not any_filled:  # another note says why
        return Finding("coverage", FAIL, phrase("figure/none", angles=any_angle(result)), 1.0, EMPTY_FAIL, "1")
    if not lacking:
        return Finding("coverage", WARN, phrase("figure/no_load"))
    (side, joint), (worst, emptied) = max(lacking.items(), key=lambda item: item[1][0])
    if worst <= EMPTY_WARN:
        return Finding("coverage", PASS, phrase("figure/empty", share=worst), worst, EMPTY_FAIL, "1")
    status, limit = (FAIL, EMPTY_FAIL) if worst > EMPTY_FAIL else (WARN, EMPTY_WARN)
    ours, by_load = result.sides[side].emptied, missing_load(result, side, emptied)
    impossible = IMPOSSIBLE if ours is not None and 2 * (ours & emptied).sum() > emptied.sum() else ""
    why = by_load or impossible
    text = phrase("figure/empty_doubtful", side=side, share=worst, joint=joint, limit=limit, why=why)
    code = "wrenches_partial/load" if by_load else "wrenches_partial/markers"
    return Finding("coverage", status, text, worst, EMPTY_FAIL, "1", side, code=code)


def missing_load(result: Result, side: str, frames: Mask) -> str:
    """Which load given with --load is not known in most of some frames, in words; empty where none."""
    for load in result.applied_loads:
        known = known_rows(load.wrench.f_g) & known_rows(load.wrench.m_g)
        if load.side in ("", side) and 2 * (frames & ~known).sum() > frames.sum():
            ends = np.flatnonzero(known)[[0, -1]] + result.trial.first_frame
            return phrase("figure/load_in_part", file=load.measured.path.name, first=ends[0], last=ends[1])
    return ""


def any_angle(result: Result, side: str = "") -> bool:
    """Whether an angle is known in any frame: of one side that of a joint, of all any."""
    joints = {spec.joint for spec in result.model.chain}
    legs = [leg for name, leg in result.sides.items() if side in ("", name)]
    angles = [a for leg in legs for name, a in leg.angles.items() if side == "" or name in joints]
    return any(np.isfinite(values).any() for columns in angles for values in columns.values())


# --- how much is carried ------------------------------------------------------------------------------------


def vertical_force(result: Result) -> list[Finding]:
    """Whether the plates carry the body weight that the mass says; nothing where something else may carry it."""
    gravity, mass = result.gravity_g, result.subject.mass_kg
    g = float(np.linalg.norm(gravity))
    if g == 0 or not np.isfinite(mass) or result.settings.external_support:
        return []
    weight = mass * g
    up = -gravity / g
    first = result.trial.first_frame
    figures = [*_peaks(result, weight)]
    unseen = np.zeros(result.trial.n_frames, dtype=bool)
    for stance in result.ground.stances.values():
        unseen |= stance.unseen
    unseen = widened(unseen, round(UNSURE_S * result.trial.rate_hz))
    for mean, start, stop in _mean_over_steps(result.sides, up, weight, unseen):
        status, limits = _judge(mean, (1 - MEAN_WARN, 1 + MEAN_WARN), (1 - MEAN_FAIL, 1 + MEAN_FAIL))
        text = phrase(
            "figure/mean" if status == PASS else "figure/mean_doubtful",
            share=mean,
            frames=(start + first, stop + first),
            limits=limits,
            units=unit_of_ratio(mean),
        )
        figures.append(_carried("mean force", status, text, mean, limits))
    if len(result.sides) == 2:
        one, other = (leg.load for leg in result.sides.values())
        total = np.asarray(sum(load.wrench.f_g @ up for load in (one, other))) / weight
        total[(one.state != LOADED) | (other.state != LOADED)] = np.nan
        if all(figure.name != "mean force" for figure in figures):
            figures += _standing(result, total)
        figures += _together(result, total)
    peaks = [c.peak_vertical_N / weight for c in result.contacts if c.plates]
    if peaks and all(f.name != "peak force" for f in figures):
        text = phrase("figure/peak", share=max(peaks))
        figures.append(Finding("peak force", PASS, text, max(peaks), PEAK_FAIL[1], "BW"))
    return figures


def _peaks(result: Result, weight: float) -> Iterator[Finding]:
    """Peaks of contacts between the trial's ends that lie beyond a limit."""
    last = result.trial.n_frames - 1
    for c in result.contacts:
        if not c.plates or c.first == 0 or c.last == last:
            continue
        share = c.peak_vertical_N / weight
        usual = (PEAK_WARN[0], PEAK_FLYING_WARN) if _flies_beside(result, c) else PEAK_WARN
        status, limits = _judge(share, usual, PEAK_FAIL)
        if status != PASS:
            text = phrase("figure/peak_doubtful", side=c.side, plates=c.plate_names, share=share, limits=limits)
            yield _carried("peak force", status, text, share, limits, c.side)


def _carried(name: str, status: str, text: str, share: float, limits: tuple[float, float], side: str = "") -> Finding:
    """A figure of so many body weights, and the note that it is beyond its limits."""
    code = "" if status == PASS else "weight_wrong" if status == FAIL else "weight_doubtful"
    return Finding(name, status, text, share, limits[0 if share < 1 else 1], "BW", side, code=code)


def _flies_beside(result: Result, contact: Contact) -> bool:
    """Whether no foot carries anything for a while before a contact, or after it."""
    in_air = np.logical_and.reduce([leg.load.state == AIR for leg in result.sides.values()])
    beside = contact.loaded.start, contact.loaded.stop
    flights = (span for span in spans(in_air) if span[1] - span[0] >= FLIGHT_S * result.trial.rate_hz)
    return any(first == beside[1] or stop == beside[0] for first, stop in flights)


def _standing(result: Result, total: Array) -> Iterator[Finding]:
    """What both feet carry while they stand on plates, body weights, where that is not the body's weight.

    No more than a doubt: who sits or leans on something gives less, and his moments are right.
    """
    rate, first = result.trial.rate_hz, result.trial.first_frame
    for start, stop in spans(np.isfinite(total)):
        share = float(total[start:stop].mean())
        limits = 1 - MEAN_WARN, 1 + MEAN_WARN
        if stop - start >= STANDS_S * rate and not limits[0] <= share <= limits[1]:
            frames = start + first, stop - 1 + first
            text = phrase("figure/standing", share=share, frames=frames, limits=limits)
            yield _carried("mean force", WARN, text, share, limits)


def _together(result: Result, total: Array) -> list[Finding]:
    """What both feet carry while both are on plates, body weights: a plate counted for both feet doubles it."""
    total = np.where(np.isfinite(total), total, -np.inf)
    at = int(np.argmax(total))
    if total[at] <= TOGETHER_WARN or _landed_together(result, at):
        return []
    frame = at + result.trial.first_frame
    text = phrase("figure/together", share=total[at], frame=frame, most=TOGETHER_WARN)
    return [_carried("both feet", WARN, text, float(total[at]), (0.0, TOGETHER_WARN))]


def _landed_together(result: Result, at: int) -> bool:
    """Whether the feet that are on plates in a frame came down together, or were down from the beginning."""
    begun = [c.first for c in result.contacts if c.plates and c.loaded.start <= at < c.loaded.stop]
    return len(begun) > 1 and max(begun) - min(begun) < LANDED_TOGETHER_S * result.trial.rate_hz


def _judge(value: float, warn: tuple[float, float], fail: tuple[float, float]) -> tuple[str, tuple[float, float]]:
    if not fail[0] <= value <= fail[1]:
        return FAIL, fail
    return (PASS, warn) if warn[0] <= value <= warn[1] else (WARN, warn)


def _mean_over_steps(
    sides: Mapping[str, SideResult], up: Array, weight: float, unseen: Mask
) -> list[tuple[float, int, int]]:
    """(mean vertical force in body weights, first, last) from mid single support to the other foot's; none of supports
    of which no one knows when they began or ended, beside frames in which a foot is not seen.
    """
    if len(sides) != 2:
        return []
    legs = list(sides.values())
    states = [np.asarray(leg.load.state) for leg in legs]
    alone = [(states[i] == LOADED) & (states[1 - i] == AIR) for i in (0, 1)]
    known = (states[0] != UNKNOWN) & (states[1] != UNKNOWN)
    vertical = np.asarray(sum(leg.load.wrench.f_g @ up for leg in legs))
    every = sorted((start, stop, i) for i in (0, 1) for start, stop in spans(alone[i]))
    supports = [(start, stop, i) for start, stop, i in every if not _broken(states[i], start, stop)]
    means = []
    for (a0, a1, side), (b0, b1, other) in pairwise(supports):
        start, stop = (a0 + a1) // 2, (b0 + b1) // 2
        if side == other or not known[start:stop].all() or unseen[a0:b1].any():
            continue
        middle = (vertical[start] + vertical[stop]) / 2
        mean = float((vertical[start + 1 : stop].sum() + middle) / (stop - start)) / weight
        means.append((mean, start, stop))
    return means


def _broken(state: IntArray, start: int, stop: int) -> bool:
    """Whether a foot's own load is not known right beside a span of single support: its middle is not that of all."""
    return start == 0 or stop == len(state) or bool(state[start - 1] == UNKNOWN or state[stop] == UNKNOWN)
