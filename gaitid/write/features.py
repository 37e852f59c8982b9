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
        values = rows_text(found.value.reshape(-1, 1)).splitlines()
        places = _places(found, trial)
        if uncertainty is not None:
            bands = rows_text(uncertainty.reshape(-1, len(UNCERTAINTY_COLUMNS))).splitlines(keepends=True)
            places = [f"{place[:-1]},{band}" for place, band in zip(places, bands, strict=True)]
        for i, cycle in enumerate(found.cycles):
            head, rows = f"{cycle.side},{cycle.number}", slice(i * len(FEATURES), (i + 1) * len(FEATURES))
            cells = zip(_NAMES, values[rows], _UNITS, places[rows], strict=True)
            lines += [f"{head}{name}{value}{unit}{place}" for name, value, unit, place in cells]
    return "".join(lines)


def feature_frames(found: FeatureValues, trial: Trial) -> Array:
    """(cycles, features) the frames nearest to where values lie, as the file numbers them; NaN for none."""
    of_cycles = [(cycle.strike.time_s, cycle.duration_s) for cycle in found.cycles]
    start, length = np.array(of_cycles).reshape(-1, 2).T[:, :, None]
    return np.asarray(trial.first_frame + np.rint((start + found.percent / 100 * length) * trial.rate_hz))


def _places(found: FeatureValues, trial: Trial) -> list[str]:
    """The ends of all lines: percent and frame; most are empty."""
    cycle, feature = np.nonzero(np.isfinite(found.percent))
    ends = np.stack([found.percent, feature_frames(found, trial)], axis=2)[cycle, feature]
    places = [",\n"] * found.percent.size
    texts = rows_text(ends).splitlines(keepends=True)
    for at, text in zip((cycle * found.percent.shape[1] + feature).tolist(), texts, strict=True):
        places[at] = text
    return places
