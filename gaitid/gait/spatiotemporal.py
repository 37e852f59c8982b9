"""Speed, lengths, times and phases of each stride, with their mean and standard deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.gait import FIGURES
from gaitid.gait.cycles import Cycle, RefusedCycle, find_cycles, sample
from gaitid.gait.events import GaitEvents, find_events
from gaitid.gait.marker_events import Heading
from gaitid.ground.belt import Floor
from gaitid.ground.contacts import FootLoad
from gaitid.numerics.masks import columns_by_mask
from gaitid.numerics.rotation import cross
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Event, read_only


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
    """Events, strides and what was refused."""

    events: GaitEvents
    strides: tuple[Stride, ...]
    refused: tuple[RefusedCycle, ...]

    def record(self) -> dict[str, Any]:
        """For the run's record, under ``events``."""
        refused = [cycle._asdict() for cycle in self.refused]
        return {**self.events.record(), "cycles": len(self.strides), "refused_cycles": refused}


def analyse_gait(
    file_events: Sequence[Event],
    loads: Mapping[str, FootLoad],
    feet: Mapping[str, FootTrack],
    pelvis_g: Array,
    floor: Floor,
    threshold_N: float = 20.0,
) -> Gait:
    """Events, cycles and spatio-temporal figures of a trial; parameters as of `gaitid.gait.events.find_events`."""
    events = find_events(file_events, loads, feet, pelvis_g, floor, threshold_N)
    cycles, refused = find_cycles(events.used, events.heading)
    return Gait(events, measure_strides(cycles, feet, events.heading), refused)


def measure_strides(cycles: Sequence[Cycle], feet: Mapping[str, FootTrack], walk: Heading) -> tuple[Stride, ...]:
    """Figures of each cycle.

    Parameters
    ----------
    cycles : sequence of Cycle
    feet : mapping of side to FootTrack
    walk : Heading
    """
    strikes = [e for c in cycles for e in (c.strike, c.next_strike, c.opposite_strike) if e is not None]
    times = sorted({e.time_s for e in strikes})
    tracks_g = [walk.over_ground(foot.heel_g) for foot in feet.values()]
    if not cycles or not tracks_g:
        return ()
    places_g = sample(np.concatenate(tracks_g, axis=1), np.array(times) * walk.rate_hz)
    heels_g = {side: dict(zip(times, places_g[:, 3 * i : 3 * i + 3], strict=True)) for i, side in enumerate(feet)}
    return tuple(_stride(cycle, heels_g, walk) for cycle in cycles if cycle.side in feet)


def _stride(cycle: Cycle, heels_g: Mapping[str, Mapping[float, Array]], walk: Heading) -> Stride:
    """Figures of one cycle, from the places of the heel markers at the strikes, seen from above.

    The line of progression runs from a heel to the same heel at its next strike. The stride is its length; the step is
    the advance along it from the other heel at its strike, and the width the other heel's distance from it (Huxham et
    al. 2006, Gait Posture 23:159-163; on a straight way the same as Whittle 2007, Gait Analysis, 4th ed., ch. 2). The
    step is named by the foot that ends it. Width is negative where the feet cross.
    """
    up_g = walk.floor.up_g
    this, other = heels_g[cycle.side], [h for side, h in heels_g.items() if side != cycle.side]
    start, end = this[cycle.strike.time_s], this[cycle.next_strike.time_s]
    between = other[0][cycle.opposite_strike.time_s] if other and cycle.opposite_strike else np.full(3, np.nan)
    along = _flat(end - start, up_g)
    length = float(np.linalg.norm(along))
    forward = along / length if length > 0 else np.full(3, np.nan)
    frames = slice(round(cycle.strike.time_s * walk.rate_hz), round(cycle.next_strike.time_s * walk.rate_hz) + 1)
    # walking backward the body's left is on the right of its way
    facing = -1.0 if walk.sense[frames].sum() < 0 else 1.0
    outward = cross(up_g, forward) * facing * (1.0 if cycle.side == "left" else -1.0)

    time = cycle.duration_s
    opposite_strike = cycle.percent(cycle.opposite_strike)
    figures = {  # in the order of `FIGURES`
        "speed_m_per_s": length / time,
        "cadence_steps_per_min": 120 / time,
        "stride_length_m": length,
        "stride_time_s": time,
        "step_length_m": float((end - between) @ forward),
        "step_time_s": time * (1 - opposite_strike / 100),
        "step_width_m": float((start - between) @ outward),
        **_phases(cycle),
    }
    return Stride(cycle, np.array([forward, outward, up_g]), figures)


def _phases(cycle: Cycle) -> dict[str, float]:
    """Phases in % of the cycle (Perry & Burnfield 2010, Gait Analysis, 2nd ed., ch. 1).

    Walking, the other foot leaves and strikes again while this one stands. Running, it strikes and leaves while this
    one is in the air, and nobody stands in between.
    """
    off, opposite_off, opposite_strike = (
        cycle.percent(e) for e in (cycle.off, cycle.opposite_off, cycle.opposite_strike)
    )
    nan = float("nan")
    initial = terminal = single = flight = nan
    if opposite_off <= opposite_strike:
        initial, single = opposite_off, min(off, opposite_strike) - opposite_off
        terminal, flight = max(off - opposite_strike, 0.0), max(opposite_strike - off, 0.0)
    elif off <= opposite_strike:
        initial = terminal = 0.0
        single, flight = off, (opposite_strike - off) + (100 - opposite_off)
    return {
        "stance_percent": off,
        "swing_percent": 100 - off,
        "single_support_percent": single,
        "double_support_percent": initial + terminal,
        "initial_double_support_percent": initial,
        "terminal_double_support_percent": terminal,
        "flight_percent": flight,
        "opposite_off_percent": opposite_off,
        "opposite_strike_percent": opposite_strike,
    }


def _flat(vector: Array, up_g: Array) -> Array:
    return np.asarray(vector - (vector @ up_g) * up_g)


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
