"""``walk.features.csv``: one row a cycle and feature, in the order of the list."""

from __future__ import annotations

import numpy as np

from gaitid.gait.feature_list import FEATURES
from gaitid.gait.features import FeatureValues
from gaitid.trial import Array, Trial
from gaitid.write.numbers import rows_text

FEATURE_COLUMNS = ("side", "cycle", "feature", "value", "unit", "percent", "frame")
_NAMES = [f",{feature.name}," for feature in FEATURES]
_UNITS = [f",{feature.unit}," for feature in FEATURES]


def features_text(found: FeatureValues, trial: Trial) -> str:
    """The text of the table.

    Parameters
    ----------
    found : FeatureValues
    trial : Trial
        Numbers the frames.
    """
    lines = [",".join(FEATURE_COLUMNS) + "\n"]
    if found.cycles:
        frames = feature_frames(found, trial)
        values = rows_text(found.value.reshape(-1, 1)).splitlines()
        places = rows_text(np.stack([found.percent, frames], axis=2).reshape(-1, 2)).splitlines(keepends=True)
        heads = [f"{c.side},{c.number}" for c in found.cycles for _ in FEATURES]
        names, units = _NAMES * len(found.cycles), _UNITS * len(found.cycles)
        lines += ["".join(row) for row in zip(heads, names, values, units, places, strict=True)]
    return "".join(lines)


def feature_frames(found: FeatureValues, trial: Trial) -> Array:
    """(cycles, features) the frames nearest to where values lie, as the file numbers them; NaN for none."""
    of_cycles = [(cycle.strike.time_s, cycle.duration_s) for cycle in found.cycles]
    start, length = np.array(of_cycles).reshape(-1, 2).T[:, :, None]
    return np.asarray(trial.first_frame + np.rint((start + found.percent / 100 * length) * trial.rate_hz))
