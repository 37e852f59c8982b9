"""The way from the feet to the head, by places alone, where no label tells them."""

from __future__ import annotations

import numpy as np

from gaitid.body.standing import stands_still
from gaitid.numerics.masks import known_part
from gaitid.numerics.statistics import deviation, mean, median, median_of_known
from gaitid.trial import Array, Trial

# Frames that are looked at, over the whole trial; fewer points show no body.
LOOKED_AT, FEWEST_POINTS = 200, 6
# Correlation of ranks from which the ends of a body differ. In 98 shared recordings of some 30 laboratories the end is
# right in each of 91 from here on, one with z down among them, and wrong in one of 0.25 (a jump).
ENDS_DIFFER = 0.5
# m. What moves less is no living body: quiet stance sways by some millimetres (a phantom, or a mean of frames).
MOVES_M = 0.0005


def long_axis(trial: Trial) -> Array | None:
    """The way from a body's feet to its head by the places of its labelled points.

    They lie farthest apart along it. Legs move most, seen from the middle of a body that walks, runs or turns; who
    stands sways about the feet, which move least.

    Returns
    -------
    (3,) array or None
        Of length 1, laboratory axes; None where both ends move as much.
    """
    named = [i for i, label in enumerate(trial.labels) if label[:1] not in ("", "*")]
    points = trial.points_g[:: max(1, trial.n_frames // LOOKED_AT), named]
    points = points[np.isfinite(points[..., 0]).sum(axis=1) >= FEWEST_POINTS]
    by_point = np.swapaxes(points[:, 2 * np.isfinite(points[..., 0]).sum(axis=0) > len(points)], 0, 1)
    by_point = by_point[:, np.isfinite(by_point[..., 0]).sum(axis=0) >= FEWEST_POINTS]
    if not by_point.size:
        return None
    away = by_point - median_of_known(by_point)
    axis = np.linalg.eigh(median(np.array([np.cov(known_part(one).T) for one in np.swapaxes(away, 0, 1)])))[1][:, -1]
    still = stands_still({str(i): one for i, one in enumerate(by_point)})
    height = [mean(known_part(one) @ axis) for one in away]
    moves = [np.linalg.norm(deviation(known_part(one))) for one in (by_point if still else away)]
    ranks = [np.argsort(np.argsort(values)) for values in (height, moves)]
    upward = float(np.corrcoef(ranks[0], ranks[1])[0, 1]) * (1 if still else -1)
    return axis * np.sign(upward) if max(moves) > MOVES_M and abs(upward) >= ENDS_DIFFER else None
