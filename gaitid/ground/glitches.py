"""Samples of a plate that no load can have: those that jump and jump back, lost readings, channels that hold still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gaitid.notes import Notes, note
from gaitid.numerics.masks import spans
from gaitid.trial import Array, ForcePlate, IntArray, Mask

# Of the greatest vertical force, N, and s: no load changes by more than the first two from one sample to the next, and
# back within the third. The steepest foot strikes of the shared trials change by 0.24 of it in 1 ms, and do not fall
# back so fast.
JUMP, LEAST, LASTS = 0.4, 100.0, 0.06
# Hz. Slower plates do not tell how a load begins and ends; in them only a single sample is judged: a foot strike takes
# a few. On 45 plates of the shared trials taken at 60 to 500 Hz a sample stands out by 0.29 of the greatest force at
# most (a child's heel at 100 to 200 Hz).
FAST = 500.0
# s. So long no channel but the vertical force reads exactly the same while a foot presses: a converter of 10 bits holds
# clean ones for up to 45 ms. Of the greatest vertical force: a foot presses above the first, and the vertical force
# moves by more than the second (else somebody stands still, or all channels do). Of the samples under load: a channel
# that holds still in more has no signal.
HELD, PRESSES, MOVES, NO_SIGNAL = 0.06, 0.1, 0.01, 0.95
MOMENTS = ("Mx", "My", "Mz")


def sound_samples(plate: ForcePlate) -> tuple[ForcePlate, int, Notes]:
    """The plate with samples that no load can have unknown, how many these are, and what is wrong with them."""
    sound, jumps = without_glitches(plate)
    held, names = _held(plate)
    if not (jumps.size or names):
        return plate, 0, ()
    notes = []
    if jumps.size:
        at_s = plate.start_s + float(jumps[0]) / plate.rate_hz
        notes.append(note("values_lost/jump", plates=plate.number, s=at_s, n=len(jumps)))
    for channel, first, stop in names:
        at_s, ms = plate.start_s + first / plate.rate_hz, (stop - first) / plate.rate_hz * 1e3
        notes.append(note("values_lost/held", plates=plate.number, s=at_s, channel=channel, ms=ms))
    if names:
        force, moment = sound.force_p.copy(), sound.moment_p.copy()
        force[held], moment[held] = np.nan, np.nan
        sound = replace(sound, force_p=force, moment_p=moment)
    held[jumps] = True
    return sound, int(np.count_nonzero(held)), tuple(notes)


def _held(plate: ForcePlate) -> tuple[Mask, list[tuple[str, int, int]]]:
    """(samples,) where a channel other than the vertical force holds still under load; its name and longest plateau."""
    vertical = np.ascontiguousarray(plate.force_p[:, 2])
    held = np.zeros(len(vertical), dtype=bool)
    found: list[tuple[str, int, int]] = []
    peak, least = _largest(vertical) if len(vertical) else 0.0, HELD * plate.rate_hz
    if not peak > LEAST:
        return held, found
    loaded = np.abs(vertical) > PRESSES * peak
    under = loaded[1:] & loaded[:-1]
    channels = (plate.force_p[:, 0], plate.force_p[:, 1], *plate.moment_p.T)
    for name, channel in zip((*plate.force_names[0][:2], *MOMENTS), channels, strict=True):
        same = under & (channel[1:] == channel[:-1])
        if not least - 1 <= np.count_nonzero(same) <= NO_SIGNAL * np.count_nonzero(loaded):
            continue
        runs = [(first, last + 1) for first, last in spans(same) if last + 1 - first >= least]
        runs = [run for run in runs if np.ptp(vertical[slice(*run)]) > MOVES * peak]
        for first, stop in runs:
            held[first:stop] = True
        if runs:
            found.append((name, *max(runs, key=lambda run: run[1] - run[0])))
    return held, found


def without_glitches(plate: ForcePlate) -> tuple[ForcePlate, IntArray]:
    """The plate with such samples unknown, and their indices."""
    vertical = np.ascontiguousarray(plate.force_p[:, 2])
    none = np.zeros(0, dtype=np.intp)
    if len(vertical) < 3:
        return plate, none
    steps = vertical[1:] - vertical[:-1]
    if not _largest(steps) > LEAST:
        return plate, none
    jumps = np.flatnonzero(np.abs(steps) > max(JUMP * _largest(vertical), LEAST))
    glitches = _between(jumps, steps, round(LASTS * plate.rate_hz) if plate.rate_hz >= FAST else 1)
    if not glitches.any():
        return plate, none
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
