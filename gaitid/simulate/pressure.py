"""How the load of a foot is spread over its sole, and what part of it each plate feels."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np

from gaitid.simulate.jet import Array
from gaitid.simulate.loads import FootLoad
from gaitid.simulate.plates import Plate

#: The sole reaches from under the HEE marker this far ahead, m (beyond the TOE marker by 0.30 of their distance), and
#: this far to either side.
SOLE_M, HALF_WIDTH_M = 0.249, 0.044
#: Points of pressure along the sole and across it, less one.
_ALONG, _ACROSS = 12, 6


def spread(load: FootLoad) -> tuple[Array, Array]:
    """Points of pressure under a foot: a grid that is fixed in the sole.

    The weights are binomial in both directions: the mean of a binomial distribution of n trials with probability x is
    n x, so the centre of pressure of all points together is exactly that of the load, and every weight is smooth in it.

    Returns
    -------
    weight : (times, points) array
        Sum 1; NaN in the air.
    point_g : (times, points, 3) array, m
    """
    weights, offsets = [], []
    for at, low, high, n in (
        (load.along_m, 0.0, SOLE_M, _ALONG),
        (load.lateral_m, -HALF_WIDTH_M, HALF_WIDTH_M, _ACROSS),
    ):
        x = ((at - low) / (high - low))[:, None]
        k = np.arange(n + 1)
        weights.append(np.array([comb(n, i) for i in k]) * x**k * (1.0 - x) ** (n - k))
        offsets.append(low + (high - low) * k / n - at[:, None])
    weight = weights[0][:, :, None] * weights[1][:, None, :]
    point = (
        load.cop_g[:, None, None]
        + offsets[0][:, :, None, None] * load.ahead_g[:, None, None]
        + offsets[1][:, None, :, None] * load.outward_g[:, None, None]
    )
    n_points = (_ALONG + 1) * (_ACROSS + 1)
    return weight.reshape(-1, n_points), point.reshape(-1, n_points, 3)


def felt(plate: Plate, load: FootLoad) -> tuple[FootLoad, Array]:
    """The part of a foot's load that lies on a plate, and its share of the vertical force.

    Returns
    -------
    part : FootLoad
        Its centre of pressure is NaN where the plate feels nothing.
    share : (times,) array
        0 in the air, and exactly 1 where the whole sole is on the plate.
    """
    share: Array = np.zeros(load.stance.size)
    cop = np.full_like(load.cop_g, np.nan)
    loaded = np.flatnonzero(load.stance >= 0)
    if loaded.size:
        weight, point = spread(_at(load, loaded))
        inside = plate.holds(point)
        touched, all_inside = np.asarray(inside.any(axis=1)), np.asarray(inside.all(axis=1))
        part = np.where(all_inside, 1.0, np.sum(weight * inside, axis=1))
        mean = np.einsum("tp,tpi->ti", weight * inside, point)
        mean = np.divide(mean, part[:, None], out=np.full_like(mean, np.nan), where=(part > 0.0)[:, None])
        share[loaded] = np.where(touched, part, 0.0)
        cop[loaded] = np.where(all_inside[:, None], load.cop_g[loaded], mean)
    return (
        replace(
            load, force_g=share[:, None] * load.force_g, cop_g=cop, free_moment_g=share[:, None] * load.free_moment_g
        ),
        share,
    )


def _at(load: FootLoad, index: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FootLoad:
    return FootLoad(**{name: getattr(load, name)[index] for name in FootLoad.__dataclass_fields__})
