"""``walk.features.csv``: one row a cycle and feature, in the order of the list."""

from __future__ import annotations

import numpy as np

from gaitid.gait.feature_list import FEATURES
from gaitid.gait.features import FeatureValues
from gaitid.trial import Array, Trial
from gaitid.write import FEATURE_COLUMNS, UNCERTAINTY_COLUMNS
from gaitid.write.numbers import rows_text

_NAMES = [f",{feature.name}," for feature in FEATURES]
_UNITS = [f",{feature.unit}," for feature in FEATURES]


def features_text(found: FeatureValues, trial: Trial, uncertainty: Array | None = None) -> str:
    """The text of the table.

    Parameters
    ----------
    found : FeatureValues
    trial : Trial
        Numbers the frames.
    uncertainty : (cycles, features, 3) array, optional
        Standard uncertainties and the ends of the 95 % band: three more columns.
    """
    lines = [",".join(FEATURE_COLUMNS if uncertainty is None else FEATURE_COLUMNS + UNCERTAINTY_COLUMNS) + "\n"]
    if found.cycles:
        behind = [found.percent, feature_frames(found, trial)]
        if uncertainty is not None:
            behind += [uncertainty[..., i] for i in range(len(UNCERTAINTY_COLUMNS))]
        n, whole = len(FEATURES), len(found.cycles)
        # of all lines: side and cycle, name, value, unit, what stands behind it
        cells = [""] * (5 * n * whole)
        cells[::5] = [cycle for c in found.cycles for cycle in (f"{c.side},{c.number}",) * n]
        cells[1::5], cells[3::5] = _NAMES * whole, _UNITS * whole
        cells[2::5] = rows_text(found.value.reshape(-1, 1)).splitlines()
        ends = np.stack([column.ravel() for column in behind], axis=1)
        cells[4::5] = rows_text(ends).splitlines(keepends=True)
        lines += cells
    return "".join(lines)


def feature_frames(found: FeatureValues, trial: Trial) -> Array:
    """(cycles, features) the frames nearest to where values lie, as the file numbers them; NaN for none."""
    of_cycles = [(cycle.strike.time_s, cycle.duration_s) for cycle in found.cycles]
    start, length = np.array(of_cycles).reshape(-1, 2).T[:, :, None]
    return np.asarray(trial.first_frame + np.rint((start + found.percent / 100 * length) * trial.rate_hz))
