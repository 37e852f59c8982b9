"""``walk.features.csv``: one row a cycle and feature, in the order of the list."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import numpy as np

from gaitid.gait.feature_list import FEATURES
from gaitid.gait.features import FeatureValues
from gaitid.trial import Array, Trial
from gaitid.write import FEATURE_COLUMNS, UNCERTAINTY_COLUMNS
from gaitid.write.table import row_lines

_TOGETHER = 64  # cycles made text at once


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
