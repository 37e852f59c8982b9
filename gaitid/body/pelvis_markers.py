"""Markers of the pelvis that move against all the others of it: late, loose or of another label.

Where a static shows the markers on the pelvis, how they fit it tells more (`sanity.fit_notes`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.model import specs
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_part
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import deviation
from gaitid.trial import Array

# The roles of markers on the bone, whichever of them a model knows; of each side, and of the middle.
ROLES, MIDDLE = ("asis", "psis"), ("sacrum", "sacrum_marker")
# m. The standard deviation of the steadiest of a marker's distances to the others: at most 1.9 mm in 16 walks of 11
# laboratories, 3.2 in runs and 5.3 in a sprint (skin and belts move); of one that is 5 frames late 5 to 15 mm at 60 to
# 120 Hz. Without the sprint the limit would lie lower.
MOVES_M = 0.006
# Markers, and frames in which a pair must be seen: fewer tell nothing.
FEWEST, LEAST = 3, 20


def pelvis_notes(model: specs.Model, markers: Mapping[str, Array]) -> Notes:
    """Markers of the pelvis none of whose distances to the others is constant.

    Parameters
    ----------
    model : Model
        Bound to the trial's labels.
    markers : mapping of label to (frames, 3) array, m
        Not filtered.
    """
    wanted = [label for role in ROLES for side in model.sides for label in _labels(model, role, side.name)]
    wanted += [label for role in MIDDLE for label in _labels(model, role, "")]
    labels = [label for label in dict.fromkeys(wanted) if label in markers]
    if len(labels) < FEWEST:
        return ()
    tracks = [markers[label] for label in labels]
    steadiest = [np.inf] * len(labels)
    for i in range(len(labels)):
        for j in range(i):
            apart = known_part(tracks[i] - tracks[j])
            if len(apart) >= LEAST:
                varies = float(deviation(norm(apart)))
                steadiest[i], steadiest[j] = min(steadiest[i], varies), min(steadiest[j], varies)
    moving = [(size, label) for size, label in zip(steadiest, labels) if MOVES_M < size < np.inf]
    if not moving:
        return ()
    size, label = max(moving)
    return (note("length_varies/pelvis", label=label, mm=size * 1e3),)


def _labels(model: specs.Model, role: str, side: str) -> tuple[str, ...]:
    known = model.each_side.markers if side else model.middle.markers
    return tuple(model.labels(role, side)) if role in known else ()
