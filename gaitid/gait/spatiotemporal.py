"""Speed, lengths, times and phases of each stride, with their mean and standard deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.gait import FIGURES
from gaitid.gait.cycles import Cycle, GaitByHand, LeftOut, RefusedCycle, find_cycles, sample
from gaitid.gait.event_clock import SAME_STEP, Steps
from gaitid.gait.events import GaitEvents, find_events
from gaitid.gait.marker_events import KINDS, Heading, steps_taken
from gaitid.ground.belt import Floor
from gaitid.ground.contacts import FootLoad
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import columns_by_mask, median
from gaitid.numerics.rotation import cross, dot, norm
from gaitid.read.event_names import unknown_notes
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Event, Trial, read_only


@frozen_dataclass(eq=False)
class Stride:
    """One cycle with its figures.

    Attributes
    ----------
    cycle : Cycle
    axes_g : (3, 3) array
        Rows are unit vectors: the way of walking in this stride, to the foot's own side, up. NaN where a heel is
        not seen.
    figures : mapping of name to float
        Each of `FIGURES`; NaN where unknown.
    """

    cycle: Cycle
    axes_g: Array
    figures: Mapping[str, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes_g", read_only(self.axes_g))


@frozen_dataclass(eq=False)
class Gait:
    """Events, strides, what was refused, and the cycles that an analyst leaves out."""

    events: GaitEvents
    strides: tuple[Stride, ...]
    refused: tuple[RefusedCycle, ...]
    left_out: tuple[LeftOut, ...] = ()

    def record(self) -> dict[str, Any]:
        """For the run's record, under ``events``."""
        refused = [cycle._asdict() for cycle in self.refused]
        left_out = {"left_out_cycles": [cycle._asdict() for cycle in self.left_out]} if self.left_out else {}
        return {**self.events.record(), "cycles": len(self.strides), "refused_cycles": refused, **left_out}


def analyse_gait(
    file_events: Sequence[Event],
    loads: Mapping[str, FootLoad],
    feet: Mapping[str, FootTrack],
    pelvis_g: Array,
    floor: Floor,
    threshold_N: float = 20.0,
    by_hand: GaitByHand = GaitByHand(),  # noqa: B008 - it cannot be changed
) -> Gait:
    """Events, cycles and spatio-temporal figures of a trial; parameters as of `gaitid.gait.events.find_events`."""
    events = find_events(file_events, loads, feet, pelvis_g, floor, threshold_N, by_hand)
    there, refused = find_cycles(events.used, events.heading)
    cycles, left_out = by_hand.without(there)
    return Gait(events, measure_strides(cycles, feet, events.heading), refused, left_out)


def measure_strides(cycles: Sequence[Cycle], feet: Mapping[str, FootTrack], walk: Heading) -> tuple[Stride, ...]:
    """Figures of each cycle, from the places of the heel markers at the strikes, seen from above.

    The line of progression runs from a heel to the same heel at its next strike. The stride is its length; the step is
    the advance along it from the other heel at its strike, and the width the other heel's distance from it (Huxham et
    al. 2006, Gait Posture 23:159-163; on a straight way the same as Whittle 2007, Gait Analysis, 4th ed., ch. 2). The
    step is named by the foot that ends it. Width is negative where the feet cross.

    On two belts a stride's length is by the belt of its foot, and a step's is the distance between the heels, along the
    way, at the strike that ends it (Reisman, Block & Bastian 2005, J Neurophysiol 94:2403-2415, with ankles).

    Parameters
    ----------
    cycles : sequence of Cycle
    feet : mapping of side to FootTrack
    walk : Heading
    """
    cycles = [cycle for cycle in cycles if cycle.side in feet]
    if not cycles:
        return ()
    start_g, end_g, between_g = _heels_at_strikes(cycles, feet, walk)
    axes_g, length = _ways(cycles, end_g - start_g, walk)
    ahead_g = end_g - between_g
    if walk.floor.apart is not None:
        ends = np.rint([cycle.next_strike.time_s * walk.rate_hz for cycle in cycles]).astype(int)
        apart = walk.floor.apart[np.clip(ends, 0, len(walk.floor.apart) - 1)]
        ahead_g = np.where(apart[:, None], _apart_at_strikes(cycles, feet, walk), ahead_g)
    time = np.array([cycle.duration_s for cycle in cycles])
    events = [(cycle.off, cycle.opposite_off, cycle.opposite_strike) for cycle in cycles]
    off, opposite_off, opposite_strike = np.array([[*map(c.percent, e)] for c, e in zip(cycles, events, strict=True)]).T
    figures = {  # in the order of `FIGURES`
        "speed_m_per_s": length / time,
        "cadence_steps_per_min": 120 / time,
        "stride_length_m": length,
        "stride_time_s": time,
        "step_length_m": dot(ahead_g, axes_g[:, 0]),
        "step_time_s": time * (1 - opposite_strike / 100),
        "step_width_m": dot(start_g - between_g, axes_g[:, 1]),
        **_phases(off, opposite_off, opposite_strike),
    }
    rows = np.stack([*figures.values()], axis=1).tolist()
    return tuple(
        Stride(cycle, axes, dict(zip(figures, row, strict=True)))
        for cycle, axes, row in zip(cycles, axes_g, rows, strict=True)
    )


def _heels_at_strikes(cycles: Sequence[Cycle], feet: Mapping[str, FootTrack], walk: Heading) -> tuple[Array, ...]:
    """(cycles, 3) each over the ground: the heel at the strike and the next, and the other heel at its strike between.

    NaN where that is not known.
    """
    strikes = [e for c in cycles for e in (c.strike, c.next_strike, c.opposite_strike) if e is not None]
    times = sorted({e.time_s for e in strikes})
    # both heels over the belt of each foot; there are two only where the floor says so
    belts = list(feet) if walk.floor.travel_g else list(feet)[:1]
    tracks_g = [walk.floor.over_ground(foot.heel_g, belt) for belt in belts for foot in feet.values()]
    places_g = sample(np.concatenate(tracks_g, axis=1), np.array(times) * walk.rate_hz).reshape(len(times), -1, 3)
    row = {time: i for i, time in enumerate(times)}
    on_belt = {side: i * len(feet) % (len(belts) * len(feet)) for i, side in enumerate(feet)}
    heel = {side: i for i, side in enumerate(feet)}
    this = [on_belt[c.side] + heel[c.side] for c in cycles]
    start_g = places_g[[row[c.strike.time_s] for c in cycles], this]
    end_g = places_g[[row[c.next_strike.time_s] for c in cycles], this]
    between_g = np.full_like(start_g, np.nan)
    for i, cycle in enumerate(cycles):
        other = next((side for side in feet if side != cycle.side), None)
        if other is not None and cycle.opposite_strike is not None:
            between_g[i] = places_g[row[cycle.opposite_strike.time_s], on_belt[cycle.side] + heel[other]]
    return start_g, end_g, between_g


def _apart_at_strikes(cycles: Sequence[Cycle], feet: Mapping[str, FootTrack], walk: Heading) -> Array:
    """(cycles, 3) m, from the other heel to this one in the laboratory when this one strikes again."""
    times = np.array([cycle.next_strike.time_s for cycle in cycles]) * walk.rate_hz
    heels = {side: sample(foot.heel_g, times) for side, foot in feet.items()}
    apart_g = np.full((len(cycles), 3), np.nan)
    for i, cycle in enumerate(cycles):
        other = next((side for side in feet if side != cycle.side), None)
        if other is not None:
            apart_g[i] = heels[cycle.side][i] - heels[other][i]
    return apart_g


def _ways(cycles: Sequence[Cycle], stride_g: Array, walk: Heading) -> tuple[Array, Array]:
    """`Stride.axes_g` of each cycle, (cycles, 3, 3), and the length of its stride, (cycles,)."""
    up_g = walk.floor.up_g
    along_g = _flat(stride_g, up_g)
    length = norm(along_g)
    forward_g = along_g / np.where(length > 0, length, np.nan)[:, None]
    # walking backward the body's left is on the right of its way
    ends = np.array([(c.strike.time_s, c.next_strike.time_s) for c in cycles]) * walk.rate_hz
    first, last = np.clip(np.rint(ends).astype(int), 0, len(walk.sense) - 1).T
    steps = np.concatenate([[0.0], np.cumsum(walk.sense)])
    facing = np.where(steps[last + 1] - steps[first] < 0, -1.0, 1.0)
    facing *= [1.0 if cycle.side == "left" else -1.0 for cycle in cycles]
    outward_g = cross(up_g, forward_g) * facing[:, None]
    return np.stack([forward_g, outward_g, np.broadcast_to(up_g, forward_g.shape)], axis=1), length


def _phases(off: Array, opposite_off: Array, opposite_strike: Array) -> dict[str, Array]:
    """Phases in % of each cycle (Perry & Burnfield 2010, Gait Analysis, 2nd ed., ch. 1), from when events are in it.

    Walking, the other foot leaves and strikes again while this one stands. Running, it strikes and leaves while this
    one is in the air, and nobody stands in between.
    """
    walking = opposite_off <= opposite_strike
    running = ~walking & (off <= opposite_strike)

    def phase(of_walk: Array, of_run: Array | float) -> Array:
        return np.where(walking, of_walk, np.where(running, of_run, np.nan))

    initial = phase(opposite_off, 0.0)
    terminal = phase(np.maximum(off - opposite_strike, 0.0), 0.0)
    flight = phase(np.maximum(opposite_strike - off, 0.0), (opposite_strike - off) + (100 - opposite_off))
    return {
        "stance_percent": off,
        "swing_percent": 100 - off,
        "single_support_percent": phase(np.minimum(off, opposite_strike) - opposite_off, off),
        "double_support_percent": initial + terminal,
        "initial_double_support_percent": initial,
        "terminal_double_support_percent": terminal,
        "flight_percent": flight,
        "opposite_off_percent": opposite_off,
        "opposite_strike_percent": opposite_strike,
    }


def _flat(vectors: Array, up_g: Array) -> Array:
    return np.asarray(vectors - np.outer(vectors @ up_g, up_g))


def summary(strides: Sequence[Stride], side: str | None = None) -> dict[str, dict[str, float]]:
    """Mean, standard deviation (n - 1) and number of each figure, of one side or of both together.

    Returns
    -------
    dict of ``mean``, ``sd`` and ``n`` to dict of name to float
        NaN for a mean of none and a deviation of fewer than two.
    """
    of_strides = [list(s.figures.values()) for s in strides if side in (None, s.cycle.side)]
    table = np.array(of_strides).reshape(-1, len(FIGURES))
    mean, sd = np.full(len(FIGURES), np.nan), np.full(len(FIGURES), np.nan)
    count = np.zeros(len(FIGURES), dtype=int)
    for figures, known in columns_by_mask(table):
        values = np.ascontiguousarray(table[known][:, figures].T)
        n = count[figures] = values.shape[1]
        if n:
            mean[figures] = values.sum(axis=1) / n
        if n > 1:
            sd[figures] = np.sqrt(((values - mean[figures, None]) ** 2).sum(axis=1) / (n - 1))
    by_name = (dict(zip(FIGURES, of.tolist(), strict=True)) for of in (mean, sd, count))
    return dict(zip(("mean", "sd", "n"), by_name, strict=True))


# s. By which one foot's strikes and offs come after the other's, each against the markers' of its foot, the mean of
# both kinds: -0.014 to +0.016 in 17 shared trials, by plates or files. One kind alone may differ more, where the feet
# do not land alike (-0.057 in cgm24).
FEET_APART = 0.03
# A stride takes two steps: from one time at which the feet are farthest apart to the second one after it.
STEPS_OF_STRIDE = 2


def event_notes(gait: Gait, feet: Mapping[str, FootTrack], trial: Trial) -> Notes:
    """All that is worth saying of the events of a trial."""
    events = gait.events
    return (
        *unknown_notes(trial.events),
        *clock_notes(events),
        *feet_notes(events),
        *against_notes(events, trial.rate_hz, trial.first_frame),
        *no_cycles_notes(gait, feet),
    )


def ground_notes(notes: Notes, events: GaitEvents) -> Notes:
    """Those of the ground; that of the file's events names the nearest step, and goes where this is another one."""
    zero = events.zero
    same_step = not zero.words or (zero.used and abs(zero.lag_s) <= SAME_STEP)
    return tuple(message for message in notes if message.code != "events_off" or same_step)


def clock_notes(events: GaitEvents) -> Notes:
    """Of the times of the file's events as a whole."""
    notes: Notes = ()
    if events.zero.words:
        notes = (note("events_off/clock", seen=events.zero.words),)
    notes += _borrowed(events)
    clock = events.clock
    if not clock.by:
        return notes
    sides = sorted({side for side, _ in clock.late_s})
    late = []
    for kind in KINDS:
        of_kind = {side: round(1e3 * clock.late_s[side, kind]) for side in sides if (side, kind) in clock.late_s}
        if len(set(of_kind.values())) == 1:
            of_kind = {"": next(iter(of_kind.values()))}
        late += [phrase("event/late", side=side, kind=kind, ms=ms) for side, ms in of_kind.items()]
    return (*notes, note("events_moved/clock", late=late, file=clock.by == "file"))


def _borrowed(events: GaitEvents) -> Notes:
    """That one kind of the markers' events moved by what the other differs from other sources."""
    for kind, other in (KINDS, KINDS[::-1]):
        ms = round(1e3 * events.shift_s[kind])
        used = {e.source for e in events.used if e.kind == kind}
        if not ms or kind in events.compared or "kinematics" not in used:
            continue
        others = {e.source for e in events.used if e.kind == other}
        sources = [phrase(f"event/by_{name}") for name in ("force", "file", "given") if name in others]
        return (note("events_moved/markers", kind=kind, ms=ms, other=other, sources=sources),)
    return ()


def feet_notes(events: GaitEvents) -> Notes:
    """That the events of one foot are late, or those of the other early, by the markers of both."""
    markers = Steps(events.by_method["kinematics"])
    late_s: dict[tuple[str, str], list[float]] = {}
    for event in events.used:
        if event.source != "kinematics" and (shown := markers.nearest(event)) is not None:
            late_s.setdefault((event.side, event.kind), []).append(event.time_s - shown.time_s)
    sources = {event.source for event in events.used} & {"given", "file"}
    sides = sorted({side for side, _ in late_s})
    if not sources or len(sides) != 2 or len(late_s) < 2 * len(KINDS):
        return ()
    apart_s = [float(np.subtract(*(median(np.array(late_s[side, kind])) for side in sides))) for kind in KINDS]
    mean_s = float(np.mean(apart_s))
    # half of it by each kind: strikes that are late alone are no foot that is
    if abs(mean_s) <= FEET_APART or min(a / mean_s for a in apart_s) * abs(mean_s) <= FEET_APART / 2:
        return ()
    later, other = sides if mean_s > 0 else sides[::-1]
    return (note("events_against/feet", given="given" in sources, later=later, s=abs(mean_s), other=other),)


def against_notes(events: GaitEvents, rate_hz: float, first_frame: int) -> Notes:
    """Of each foot the events of the user and of the file that plates or markers speak against."""
    results: dict[tuple[str, str], list[str]] = {}
    for event, reason in events.against:
        text = phrase("event/in_frame", kind=event.kind, frame=round(event.time_s * rate_hz) + first_frame, why=reason)
        results.setdefault((event.side, event.source), []).append(text)
    return tuple(
        note("events_against/each", side, given=source == "given", events=texts)
        for (side, source), texts in results.items()
    )


def no_cycles_notes(gait: Gait, feet: Mapping[str, FootTrack]) -> Notes:
    """Why no foot has a cycle, in a trial whose feet take a stride or more."""
    events, walk = gait.events, gait.events.heading
    if gait.strides or steps_taken(feet, walk.floor.up_g) <= STEPS_OF_STRIDE:
        return ()
    strikes = [sum((e.side, e.kind) == (side, "strike") for e in events.used) for side in feet]
    stands, across = np.mean(walk.stands), np.mean((walk.sense == 0) & ~walk.stands)
    return (
        note(
            "no_cycles",
            strikes=[f"{side} {n}" for side, n in zip(feet, strikes, strict=True)],
            stands=100 * stands if stands > 0.5 else None,
            across=100 * across if across > 0.5 else None,
            refused=[phrase("event/cycle_at", side=c.side, s=c.start_s, why=c.reason) for c in gait.refused],
            dropped=[
                phrase("event/at_time", side=event.side, kind=event.kind, s=event.time_s, why=reason)
                for event, reason in events.dropped
            ],
        ),
    )
