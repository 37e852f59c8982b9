"""``walk.cycles.csv`` and ``walk.spatiotemporal.csv``: long tables that a plotting program groups by side and cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gaitid.analysis.result import Result, SideResult
from gaitid.analysis.swing_end import swing_end, unloaded
from gaitid.gait.cycles import CYCLE_POINTS, over_cycles, sample
from gaitid.gait.marker_events import GaitEvent
from gaitid.gait.spatiotemporal import FIGURES, Gait, Stride, summary
from gaitid.trial import Array, Trial
from gaitid.write import TRIAL_COLUMNS
from gaitid.write.numbers import rows_text
from gaitid.write.table import quoted

CYCLE_COLUMNS = (
    "side",
    "cycle",
    "percent",
    "first_frame",
    "last_frame",
    "foot_off_percent",
    "opposite_off_percent",
    "opposite_strike_percent",
)
#: In this order the rows of `Stride.axes_g`: positive the way that the body walks, to the foot's own side, up.
GROUND_COLUMNS = tuple(f"ground_reaction_{way}_N_per_kg" for way in ("forward", "lateral", "upward"))
SOURCES = ("strike", "off", "next_strike", "opposite_off", "opposite_strike")


def side_columns(leg: SideResult) -> dict[str, Array]:
    """The columns of ``walk.joints.csv`` of one side, each (frames,), under their names without the side."""
    columns = {f"{n}_{c}_deg": values for n, angles in leg.angles.items() for c, values in angles.items()}
    columns |= {
        f"{n}_{c}_moment_Nm_per_kg": values for n, moments in leg.moments.items() for c, values in moments.items()
    }
    return columns | {f"{joint}_power_W_per_kg": leg.powers[joint] for joint in leg.moments}


def cycles_csv(result: Result, gait: Gait, points: int = CYCLE_POINTS) -> str:
    """``walk.cycles.csv``: joint angles, moments, powers and ground reaction over 0 to 100 % of each cycle.

    Parameters
    ----------
    result : Result
    gait : Gait
    points : int
        Rows of a cycle.
    """
    trial, mass = result.trial, result.subject.mass_kg
    named = {side: side_columns(leg) for side, leg in result.sides.items()}
    names = list(next(iter(named.values()), {}))
    columns = {side: np.stack([of_side[name] for name in names], axis=1) for side, of_side in named.items() if names}
    angles = sum(name.endswith("_deg") for name in names)  # they come first
    lines = [",".join([*CYCLE_COLUMNS, *names, *GROUND_COLUMNS])]
    percent = rows_text(np.linspace(0, 100, points)[:, None]).splitlines()
    for side, values in columns.items():
        strides = [s for s in gait.strides if s.cycle.side == side]
        cycles = [s.cycle for s in strides]
        over = partial(over_cycles, cycles, rate_hz=trial.rate_hz, points=points)
        axes_g = np.array([s.axes_g for s in strides]).reshape(-1, 3, 3)
        reactions = over(result.sides[side].load.wrench.f_g / mass) @ axes_g.swapaxes(1, 2)
        kinetics = np.concatenate([over(values[:, angles:]), reactions], axis=2)
        _end_in_swing(result, side, strides, kinetics)
        table = np.concatenate([over(values[:, :angles], period=360.0), kinetics], axis=2)
        rows = iter(rows_text(table.reshape(-1, table.shape[2])).splitlines())
        for cycle in cycles:
            marks = ",".join(
                [
                    *(str(_frame(e, trial)) for e in (cycle.strike, cycle.next_strike)),
                    *(_cell(cycle.percent(e)) for e in (cycle.off, cycle.opposite_off, cycle.opposite_strike)),
                ]
            )
            lines += [f"{side},{cycle.number},{at},{marks},{next(rows)}" for at in percent]
    return "\n".join(lines) + "\n"


def _end_in_swing(result: Result, side: str, strides: Sequence[Stride], kinetics: Array) -> None:
    """Write the ends of cycles up to strikes beside plates into their moments, powers and reactions.

    `kinetics` has the shape (cycles, points, columns).
    """
    ends = [swing_end(result, stride.cycle) for stride in strides]
    if not any(ends):
        return
    leg = result.sides[side]
    moments, powers = unloaded(result, side, np.concatenate([np.array(end, dtype=int) for end in ends]))
    free_columns = side_columns(replace(leg, angles={}, moments=moments, powers=powers))
    known_columns = side_columns(replace(leg, angles={}))
    free, known = (np.stack(list(columns.values()), axis=1) for columns in (free_columns, known_columns))
    force, rate_hz, done = leg.load.wrench.f_g / result.subject.mass_kg, result.trial.rate_hz, 0
    for of_cycle, stride, end in zip(kinetics, strides, ends, strict=True):
        if end:
            first = max(end.start - 3, 0)  # so far back reaches a cubic
            before = np.concatenate([known[first : end.start], force[first : end.start] @ stride.axes_g.T], axis=1)
            of_end = np.concatenate([free[done : done + len(end)], np.zeros((len(end), 3))], axis=1)
            at = np.linspace(stride.cycle.strike.time_s, stride.cycle.next_strike.time_s, len(of_cycle)) * rate_hz
            late = at > end.start - 1
            filled = sample(np.concatenate([before, of_end]), at[late] - first)
            of_cycle[late] = np.where(np.isfinite(of_cycle[late]), of_cycle[late], filled)
            done += len(end)


def spatiotemporal_csv(result: Result, gait: Gait) -> str:
    """``walk.spatiotemporal.csv``: a row a cycle, then mean, standard deviation and number for each side and both.

    Parameters
    ----------
    result : Result
    gait : Gait
    """
    sources = [f"{name}_source" for name in SOURCES]
    lines = [",".join(["side", "cycle", "first_frame", "last_frame", *FIGURES, *sources, *TRIAL_COLUMNS])]
    of_trial = ["", "", quoted(result.trial.path.stem), result.verdict.trial]
    for stride in gait.strides:
        cycle = stride.cycle
        events = [getattr(cycle, name) for name in SOURCES]
        frames = [str(_frame(e, result.trial)) for e in (cycle.strike, cycle.next_strike)]
        figures = [_cell(stride.figures[name]) for name in FIGURES]
        cells = [cycle.side, str(cycle.number), *frames, *figures, *(e.source if e else "" for e in events), *of_trial]
        lines.append(",".join(cells))
    for side in (*result.sides, None) if gait.strides else ():
        for name, figures_of in summary(gait.strides, side).items():
            cells = [
                side or "both",
                name,
                "",
                "",
                *(_cell(v) for v in figures_of.values()),
                *[""] * len(SOURCES),
                *of_trial,
            ]
            lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def _frame(event: GaitEvent, trial: Trial) -> int:
    """The frame nearest to an event, as the file numbers it."""
    return trial.first_frame + round(event.time_s * trial.rate_hz)


def _cell(value: float) -> str:
    return f"{value + 0.0:.10g}" if np.isfinite(value) else ""
