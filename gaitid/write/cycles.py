"""Long tables that a plotting program groups by side and cycle, or contact: curves, figures of strides, features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np

from gaitid.analysis.cycle_curves import StanceCurves
from gaitid.analysis.result import Result
from gaitid.gait import FIGURES
from gaitid.gait.cycles import over_cycles
from gaitid.gait.emg import Envelopes
from gaitid.gait.feature_list import FEATURES
from gaitid.gait.features import CycleCurves, FeatureValues
from gaitid.gait.marker_events import GaitEvent
from gaitid.gait.spatiotemporal import Gait, summary
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial
from gaitid.write import (
    CYCLE_COLUMNS,
    FEATURE_COLUMNS,
    SOURCES,
    STANCE_COLUMNS,
    STRIDE_COLUMNS,
    STRIDE_END_COLUMNS,
    UNCERTAINTY_COLUMNS,
)
from gaitid.write.table import cell, row_lines

SPATIOTEMPORAL_COLUMNS = (*STRIDE_COLUMNS, *FIGURES, *STRIDE_END_COLUMNS)
_TOGETHER = 32  # curves, or cycles, made text at once


class LongTable(NamedTuple):
    """Curves below each other.

    Attributes
    ----------
    columns : tuple of str
        Before those of the curves: side and number, ``percent``, what marks all rows of one.
    heads : sequence of tuples
        Of each its side and number, and what stands behind its percent.
    names : sequence of str
        Of the curves' columns.
    values : (curves, points, columns) array
    percent : (points,) array
    """

    columns: tuple[str, ...]
    heads: Sequence[tuple[Any, ...]]
    names: Sequence[str]
    values: Array
    percent: Array

    def blocks(self) -> Iterator[str]:
        """The table as CSV, some curves at a time."""
        yield ",".join([*self.columns, *self.names])
        percent = [f",{at}," for at in row_lines(self.percent[:, None])]
        n = len(percent)
        for start in range(0, len(self.heads), _TOGETHER):
            some = slice(start, start + _TOGETHER)
            rows = row_lines(self.values[some].reshape(-1, len(self.names)))
            for i, (side, number, *marks) in enumerate(self.heads[some]):
                # of all lines: the end of the one before with side and number, percent, marks, curves
                cells = [""] * (4 * n)
                cells[::4], cells[1::4] = [f"\n{side},{number}"] * n, percent
                cells[2::4], cells[3::4] = [f"{','.join(map(cell, marks))},"] * n, rows[i * n : (i + 1) * n]
                yield "".join(cells)
        yield "\n"


def cycles_table(curves: CycleCurves, trial: Trial, emg: Envelopes | None = None) -> LongTable:
    """``walk.cycles.csv``: joint angles, moments, powers and ground reaction over 0 to 100 % of each cycle, with its
    frames, as `trial` numbers them, and when what happens, in % of it; then the envelopes of all muscles."""
    heads = [
        (
            *(c.side, c.number, _frame(c.strike, trial), _frame(c.next_strike, trial)),
            *(c.percent(event) for event in (c.off, c.opposite_off, c.opposite_strike)),
        )
        for c in curves.cycles
    ]
    names, values = list(curves.names), curves.values
    if emg is not None:
        of_emg, by_frame = emg.columns
        over = over_cycles(curves.cycles, by_frame, trial.rate_hz, len(curves.percent))
        names, values = names + of_emg, np.concatenate([values, over], axis=2)
    return LongTable(CYCLE_COLUMNS, heads, names, values, curves.percent)


def stances_table(curves: StanceCurves, first_frame: int) -> LongTable:
    """``walk.stances.csv``: the same over single stances, with their frames and plates."""
    heads = [
        (contact.side, number, first_frame + contact.first, first_frame + contact.last, contact.plate_names)
        for number, contact in curves.contacts
    ]
    return LongTable(STANCE_COLUMNS, heads, curves.names, curves.values, np.linspace(0, 100, curves.values.shape[1]))


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


def features_blocks(found: FeatureValues, trial: Trial, uncertainty: Array | None = None) -> Iterator[str]:
    """The text of the table, some cycles at a time.

    Parameters
    ----------
    found : FeatureValues
    trial : Trial
        Numbers the frames.
    uncertainty : (cycles, features, 3) array, optional
        Standard uncertainties and the ends of the 95 % band: three more columns.
    """
    yield ",".join(FEATURE_COLUMNS if uncertainty is None else FEATURE_COLUMNS + UNCERTAINTY_COLUMNS)
    behind = np.stack([found.percent, feature_frames(found, trial)], axis=-1)
    if uncertainty is not None:
        behind = np.concatenate([behind, uncertainty], axis=-1)
    listed = [FEATURES[i] for i in found.listed]
    names, units = [f",{feature.name}," for feature in listed], [f",{feature.unit}," for feature in listed]
    value, behind, n = found.value[:, found.listed], behind[:, found.listed], len(listed)
    for start in range(0, len(found.cycles), _TOGETHER):
        some = slice(start, start + _TOGETHER)
        cycles = found.cycles[some]
        # of all lines: the end of the one before with side and cycle, name, value, unit, what stands behind it
        cells = [""] * (5 * n * len(cycles))
        cells[::5] = chain.from_iterable(repeat(f"\n{c.side},{c.number}", n) for c in cycles)
        cells[1::5], cells[3::5] = names * len(cycles), units * len(cycles)
        cells[2::5] = row_lines(value[some].reshape(-1, 1))
        cells[4::5] = row_lines(behind[some].reshape(n * len(cycles), -1))
        yield "".join(cells)
    yield "\n"


def feature_frames(found: FeatureValues, trial: Trial) -> Array:
    """(cycles, features) the frames nearest to where values lie, as the file numbers them; NaN for none."""
    of_cycles = [(cycle.strike.time_s, cycle.duration_s) for cycle in found.cycles]
    start, length = np.array(of_cycles).reshape(-1, 2).T[:, :, None]
    return np.asarray(trial.first_frame + np.rint((start + found.percent / 100 * length) * trial.rate_hz))
