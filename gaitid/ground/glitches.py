"""Samples of a plate that no load can have: those that jump and jump back, lost readings, channels that hold still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gaitid.notes import Notes, note
from gaitid.numerics.masks import spans
from gaitid.trial import Array, ForcePlate, IntArray, Mask

# Of the greatest vertical force, N, and s: no load changes by more than the first two from one sample to the next, and
# back within the third. The steepest foot strikes of the shared trials change by 0.24 of it in 1 ms, and do not fall
# back so fast.
JUMP, LEAST, LASTS = 0.4, 100.0, 0.06
# Hz. In slower plates only a single sample is judged: a foot strike takes a few. On 45 plates of the shared trials
# taken at 60 to 500 Hz a sample stands out by 0.29 of the greatest force at most (a child's heel at 100 to 200 Hz).
FAST = 500.0
# s, samples. So long no channel but the vertical force reads exactly the same while a foot presses: at 500 Hz and more
# for 3 ms at most, in slower plates for two samples (61 plates of 24 trials). Of the greatest vertical force: a foot
# presses above the first, and the vertical force moves by more than the second (else somebody stands still, or all
# channels do). Of the samples under load: a channel that holds still in more has no signal. Of its range under load: a
# converter of larger steps holds a slow channel still by itself (rounded to 10 bits clean ones for up to 45 ms).
HELD, HELD_SAMPLES, PRESSES, MOVES, NO_SIGNAL, FINE = 0.02, 3, 0.1, 0.01, 0.95, 5e-4
# Steps of the converter by which a channel must have changed from as long before a plateau as it lasts, and until as
# long after. The top of a smooth force that a converter rounds is a parabola: over a plateau of one step it falls by 8
# steps (9 − 1). A force that is flat and then turns steep changes on one side alone: by both sides 3 in 10640 plates,
# rounded to 10 to 16 bits and taken or filtered at other rates, seem held, by either 7; of channels that are held for
# 30 to 120 ms 66 in 100 are found, by either 68.
STEPS = 24
# s, of the greatest vertical force: a channel that holds still for so long until the foot no longer presses (or from
# when it does), while the vertical force changes by so much, and changed at the other end of that by more than the
# steps, has died. None of 123 plates of 50 trials does so for 0.03 s, as recorded, rounded to 8 to 16 bits, and with
# every second, fourth and eighth sample (2556 in all).
DIES, UNLOADS = 0.06, 0.3
MOMENTS = ("Mx", "My", "Mz")

NONE: IntArray = np.zeros(0, dtype=np.intp)


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
    peak = _largest(vertical) if len(vertical) > HELD_SAMPLES else 0.0
    if not peak > LEAST:
        return held, found
    least, names = max(round(HELD * plate.rate_hz), HELD_SAMPLES), (*plate.force_names[0][:2], *MOMENTS)
    loaded = np.abs(vertical) > PRESSES * peak
    steps = np.flatnonzero(loaded[1:] & loaded[:-1])  # under load, from these samples to the next
    same_of = (values[steps + 1] == values[steps] for values in (plate.force_p[:, :2], plate.moment_p))
    channels = (plate.force_p[:, 0], plate.force_p[:, 1], *plate.moment_p.T)
    for name, channel, still in zip(names, channels, np.concatenate([*same_of], axis=1).T, strict=True):
        if not least - 1 <= np.count_nonzero(still) <= NO_SIGNAL * np.count_nonzero(loaded):
            continue
        same = np.zeros(len(vertical) - 1, dtype=bool)
        same[steps[still]] = True
        values = np.sort(channel[loaded])
        rises, span = values[1:] - values[:-1], float(values[-1] - values[0])
        step = float(rises[rises > 1e-9 * span].min(initial=np.inf))
        if step > FINE * span:
            continue
        runs = [(first, last + 1) for first, last in spans(same) if last + 1 - first >= least]
        moves = {run: float(np.ptp(vertical[slice(*run)])) / peak for run in runs}
        runs = [
            run
            for run in runs
            if (moves[run] > MOVES and _stopped(channel, run, step))
            or (
                moves[run] > UNLOADS
                and run[1] - run[0] >= DIES * plate.rate_hz
                and _at_an_end(loaded, run)
                and _stopped(channel, run, step, np.any)
            )
        ]
        for first, stop in runs:
            held[first:stop] = True
        if runs:
            found.append((name, *max(runs, key=lambda run: run[1] - run[0])))
    return held, found


def _stopped(channel: Array, plateau: tuple[int, int], step: float, of_ends: Callable[[Mask], object] = np.all) -> bool:
    """Whether a channel comes to a plateau, and goes on from it, by more than the steps of a converter round off."""
    first, stop = plateau
    beside = channel[[max(2 * first - stop, 0), min(2 * stop - first, len(channel)) - 1]]
    return bool(of_ends(np.abs(beside - channel[first]) > STEPS * step))


def _at_an_end(loaded: Mask, plateau: tuple[int, int]) -> bool:
    """Whether a plateau begins as the foot begins to press, or lasts until it no longer presses."""
    first, stop = plateau
    return bool(first == 0 or stop == len(loaded) or not loaded[first - 1] or not loaded[stop])


def without_glitches(plate: ForcePlate) -> tuple[ForcePlate, IntArray]:
    """The plate with such samples unknown, and their indices."""
    vertical = np.ascontiguousarray(plate.force_p[:, 2])
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
