"""``walk.cycles.csv`` and ``walk.spatiotemporal.csv``: long tables that a plotting program groups by side and cycle."""

from __future__ import annotations

import numpy as np

from gaitid.analysis.cycle_curves import cycle_curves
from gaitid.analysis.result import Result
from gaitid.gait.curves import CycleCurves
from gaitid.gait.cycles import CYCLE_POINTS
from gaitid.gait.marker_events import GaitEvent
from gaitid.gait.spatiotemporal import FIGURES, Gait, summary
from gaitid.trial import Trial
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
SOURCES = ("strike", "off", "next_strike", "opposite_off", "opposite_strike")


def cycles_csv(result: Result, gait: Gait, points: int = CYCLE_POINTS) -> str:
    """``walk.cycles.csv``: joint angles, moments, powers and ground reaction over 0 to 100 % of each cycle.

    Parameters
    ----------
    result : Result
    gait : Gait
    points : int
        Rows of a cycle.
    """
    return cycles_text(cycle_curves(result, gait, points), result.trial)


def cycles_text(curves: CycleCurves, trial: Trial) -> str:
    """``walk.cycles.csv`` from its curves.

    Parameters
    ----------
    curves : CycleCurves
    trial : Trial
        Numbers the frames.
    """
    lines = [",".join([*CYCLE_COLUMNS, *curves.names])]
    percent = rows_text(curves.percent[:, None]).splitlines()
    rows = iter(rows_text(curves.values.reshape(-1, len(curves.names))).splitlines())
    for cycle in curves.cycles:
        marks = ",".join(
            [
                *(str(_frame(e, trial)) for e in (cycle.strike, cycle.next_strike)),
                *(_cell(cycle.percent(e)) for e in (cycle.off, cycle.opposite_off, cycle.opposite_strike)),
            ]
        )
        lines += [f"{cycle.side},{cycle.number},{at},{marks},{next(rows)}" for at in percent]
    return "\n".join(lines) + "\n"


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
