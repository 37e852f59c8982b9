"""Samples of a plate that no load can have: one that jumps from its neighbours and jumps back, and readings lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gaitid.trial import Array, ForcePlate, IntArray, Mask

# Of the greatest vertical force, N, and s: no load changes by more than the first two from one sample to the next, and
# back within the third. The steepest foot strikes of the shared trials change by 0.24 of it in 1 ms, and do not fall
# back so fast.
JUMP, LEAST, LASTS = 0.4, 100.0, 0.06
# Hz. In slower plates only a single sample is judged: a foot strike takes a few. On 45 plates of the shared trials
# taken at 60 to 500 Hz a sample stands out by 0.29 of the greatest force at most (a child's heel at 100 to 200 Hz).
FAST = 500.0

NONE: IntArray = np.zeros(0, dtype=np.intp)


def without_glitches(plate: ForcePlate) -> tuple[ForcePlate, IntArray]:
    """The plate with such samples unknown, and their indices."""
    vertical = plate.force_p[:, 2]
    if len(vertical) < 3:
        return plate, NONE
    steps = vertical[1:] - vertical[:-1]
    if not _largest(steps) > LEAST:
        return plate, NONE
    jumps = np.flatnonzero(np.abs(steps) > max(JUMP * _largest(vertical), LEAST))
    glitches = _between(jumps, steps, round(LASTS * plate.rate_hz) if plate.rate_hz >= FAST else 1)
    if not glitches.any():
        return plate, NONE
    force, moment = plate.force_p.copy(), plate.moment_p.copy()
    force[glitches], moment[glitches] = np.nan, np.nan
    return replace(plate, force_p=force, moment_p=moment), np.flatnonzero(glitches)


def _largest(values: Array) -> float:
    """The greatest size of what is known; NaN where nothing is."""
    return max(float(np.fmax.reduce(values)), -float(np.fmin.reduce(values)))


def _between(jumps: IntArray, steps: Array, most: int) -> Mask:
    """(samples,) those between a jump and the next one of the other sign, at most so many samples later."""
    result = np.zeros(len(steps) + 1, dtype=bool)
    at = 0
    while at + 1 < len(jumps):
        i, j = int(jumps[at]), int(jumps[at + 1])
        if j - i <= most and steps[i] * steps[j] < 0:
            result[i + 1 : j + 1] = True
            at += 1
        at += 1
    return result
