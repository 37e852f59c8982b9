"""``walk.cycles.csv`` and ``walk.spatiotemporal.csv``: long tables that a plotting program groups by side and cycle."""

from __future__ import annotations

from collections.abc import Iterator

from gaitid.analysis.cycle_curves import cycle_curves
from gaitid.analysis.result import Result
from gaitid.gait import FIGURES
from gaitid.gait.curves import CycleCurves
from gaitid.gait.cycles import CYCLE_POINTS, Cycle
from gaitid.gait.marker_events import GaitEvent
from gaitid.gait.spatiotemporal import Gait, summary
from gaitid.trial import Trial
from gaitid.write import CYCLE_COLUMNS, SOURCES, STRIDE_COLUMNS, STRIDE_END_COLUMNS
from gaitid.write.numbers import row_lines
from gaitid.write.table import cell

SPATIOTEMPORAL_COLUMNS = (*STRIDE_COLUMNS, *FIGURES, *STRIDE_END_COLUMNS)
_TOGETHER = 32  # cycles made text at once


def cycles_csv(result: Result, gait: Gait, points: int = CYCLE_POINTS) -> str:
    """``walk.cycles.csv``: joint angles, moments, powers and ground reaction over 0 to 100 % of each cycle.

    Parameters
    ----------
    result : Result
    gait : Gait
    points : int
        Rows of a cycle.
    """
    return "".join(cycles_blocks(cycle_curves(result, gait, points), result.trial))


def cycles_blocks(curves: CycleCurves, trial: Trial) -> Iterator[str]:
    """``walk.cycles.csv`` from its curves, some cycles at a time.

    Parameters
    ----------
    curves : CycleCurves
    trial : Trial
        Numbers the frames.
    """
    yield ",".join([*CYCLE_COLUMNS, *curves.names])
    percent = [f",{at}," for at in row_lines(curves.percent[:, None])]
    n = len(percent)
    for start in range(0, len(curves.cycles), _TOGETHER):
        some = slice(start, start + _TOGETHER)
        rows = row_lines(curves.values[some].reshape(-1, len(curves.names)))
        for i, cycle in enumerate(curves.cycles[some]):
            marks = ",".join(map(cell, cycle_marks(cycle, trial)))
            # of all lines: the end of the one before with side and cycle, percent, marks, curves
            cells = [""] * (4 * n)
            cells[::4], cells[1::4] = [f"\n{cycle.side},{cycle.number}"] * n, percent
            cells[2::4], cells[3::4] = [f"{marks},"] * n, rows[i * n : (i + 1) * n]
            yield "".join(cells)
    yield "\n"


def cycle_marks(cycle: Cycle, trial: Trial) -> tuple[int | float, ...]:
    """Of each row of a cycle, what stands behind its percent: its frames, and when what happens, in % of it."""
    frames = (_frame(e, trial) for e in (cycle.strike, cycle.next_strike))
    return *frames, *(cycle.percent(e) for e in (cycle.off, cycle.opposite_off, cycle.opposite_strike))


def spatiotemporal_csv(result: Result, gait: Gait) -> str:
    """``walk.spatiotemporal.csv``: a row a cycle, then mean, standard deviation and number for each side and both.

    Parameters
    ----------
    result : Result
    gait : Gait
    """
    rows = [SPATIOTEMPORAL_COLUMNS, *spatiotemporal_rows(result, gait)]
    return "".join(",".join(map(cell, row)) + "\n" for row in rows)


def spatiotemporal_rows(result: Result, gait: Gait) -> list[list[str | int | float]]:
    """The rows of ``walk.spatiotemporal.csv`` under `SPATIOTEMPORAL_COLUMNS`; empty text where nothing belongs."""
    rows: list[list[str | int | float]] = []
    of_trial = ["", "", result.trial.path.stem, result.verdict.trial]
    for stride in gait.strides:
        cycle = stride.cycle
        events = [getattr(cycle, name) for name in SOURCES]
        frames = [_frame(e, result.trial) for e in (cycle.strike, cycle.next_strike)]
        figures = [stride.figures[name] for name in FIGURES]
        sources = [e.source if e else "" for e in events]
        rows.append([cycle.side, str(cycle.number), *frames, *figures, *sources, *of_trial])
    for side in (*result.sides, None) if gait.strides else ():
        for name, figures_of in summary(gait.strides, side).items():
            rows.append([side or "both", name, "", "", *figures_of.values(), *[""] * len(SOURCES), *of_trial])
    return rows


def _frame(event: GaitEvent, trial: Trial) -> int:
    """The frame nearest to an event, as the file numbers it."""
    return trial.first_frame + round(event.time_s * trial.rate_hz)
