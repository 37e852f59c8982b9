"""``walk.features.csv``: one row a cycle and feature, in the order of the list."""

from __future__ import annotations

import numpy as np

from gaitid.gait.feature_list import FEATURES
from gaitid.gait.features import FeatureValues
from gaitid.trial import Trial
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
        values = rows_text(found.value.reshape(-1, 1)).splitlines()
        places = _places(found, trial)
        for i, cycle in enumerate(found.cycles):
            head, rows = f"{cycle.side},{cycle.number}", slice(i * len(FEATURES), (i + 1) * len(FEATURES))
            cells = zip(_NAMES, values[rows], _UNITS, places[rows], strict=True)
            lines += [f"{head}{name}{value}{unit}{place}" for name, value, unit, place in cells]
    return "".join(lines)


def _places(found: FeatureValues, trial: Trial) -> list[str]:
    """The ends of all lines: percent and frame; most are empty."""
    cycle, feature = np.nonzero(np.isfinite(found.percent))
    percent = found.percent[cycle, feature]
    start, length = np.array([(c.strike.time_s, c.duration_s) for c in found.cycles]).T
    frames = trial.first_frame + np.rint((start[cycle] + percent / 100 * length[cycle]) * trial.rate_hz)
    texts = rows_text(np.stack([percent, frames], axis=1)).splitlines(keepends=True)
    places = [",\n"] * found.percent.size
    for at, text in zip((cycle * found.percent.shape[1] + feature).tolist(), texts, strict=True):
        places[at] = text
    return places
