"""The channels of one plate begin and end together: no horizontal force and no moment without a vertical force.

A horizontal force larger than the vertical one is beyond any friction, and a moment larger than the vertical force
times half the plate puts the pressure beside it. Where a foot lands and leaves every channel passes through 0, so that
one that is late by some ms shows there first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.numerics.masks import spans
from gaitid.trial import Array, ForcePlate, Mask

# Of the greatest vertical force: less on a channel is noise; and samples in which the plate is empty.
TELLS, EMPTY = 0.03, 0.02
# s. Looked at is so long beside a load; samples that tell what the empty plate reads.
BESIDE, LEAST_EMPTY = 0.06, 0.05
# s. The longest run of such samples: at most 0.003 on 39 plates of the shared trials (stairs whose plates were not
# zeroed 0.005); a vertical force that alone is 20 ms late or early gives 0.012 to 0.12.
APART = 0.01
# Hz. Slower records were filtered and sampled anew: 0.016 at most on 45 plates of the shared trials taken at 200 to
# 300 Hz, runs and a sprint among them; so longer runs, of the horizontal force alone, only make them doubtful. Fx that
# alone is 20 ms late gives 0.023 and 0.036 in a run and a sprint.
FAST, SLOWEST = 500.0, 200.0
TELLS_SLOW, APART_SLOW = 0.015, 0.02


def channels_apart(raw: ForcePlate, half: Array) -> Iterator[tuple[str, bool]]:
    """What the channels of one plate say of each other where its loads begin and end.

    Parameters
    ----------
    raw : ForcePlate
    half : (2,) array, m
        Half the plate's size along its x and y.
    """
    if raw.rate_hz < SLOWEST:
        return
    fast = raw.rate_hz >= FAST
    tells, apart = (TELLS, APART) if fast else (TELLS_SLOW, APART_SLOW)
    upward = -raw.force_p[:, 2]
    peak = float(np.fmax.reduce(upward))
    fx, fy = raw.force_p[:, 0], raw.force_p[:, 1]
    # about the centre of the surface
    x, y, z = raw.sensor_p
    mx, my = raw.moment_p[:, 0] - y * upward - z * fy, raw.moment_p[:, 1] + z * fx + x * upward
    channels = np.stack([fx, fy, mx, my])
    with np.errstate(invalid="ignore"):
        empty = np.abs(upward) < EMPTY * peak
    if empty.sum() > LEAST_EMPTY * raw.rate_hz:
        channels -= channels[:, empty].mean(axis=1, keepdims=True)
        upward = upward - upward[empty].mean()
    carried, least = np.maximum(upward, 0.0), tells * peak
    found = {"its horizontal force is larger than the vertical one": np.hypot(channels[0], channels[1])}
    if raw.outlined and fast:  # My = -x Fz, Mx = y Fz: as a force at the plate's edge
        at_edge = np.maximum(np.abs(channels[3]) / half[0], np.abs(channels[2]) / half[1])
        found["its pressure lies beside it"] = at_edge
    lasting = {}
    for name, size in found.items():
        with np.errstate(invalid="ignore"):
            beyond = (size > carried) & (size > least)
        if beyond.sum() > apart * raw.rate_hz:
            beyond &= _widened(carried > least, round(BESIDE * raw.rate_hz))
            lasting[name] = max((b - a for a, b in spans(beyond)), default=0) / raw.rate_hz
    if not lasting:
        return
    words = max(lasting, key=lambda name: lasting[name])
    if lasting[words] > apart:
        text = f"where a foot lands or leaves, {words} for {lasting[words] * 1e3:.0f} ms: "
        yield text + "one of its channels is late or early beside the others, it seems", fast


def _widened(mask: Mask, n: int) -> Mask:
    """(samples,) true within n samples of a true one."""
    summed = np.concatenate([[0], np.cumsum(mask)])
    at = np.arange(len(mask))
    return np.asarray(summed[np.minimum(at + n + 1, len(mask))] > summed[np.maximum(at - n, 0)])
