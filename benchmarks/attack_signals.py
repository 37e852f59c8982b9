"""What can go wrong between a plate's transducers and the file: amplifiers, cables, converters, exports; in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from attack_plates import Spoil, channels_changed, transducers_at, with_plates
from attack_trials import Case, Spoilt

from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.rotation import cross
from gaitid.trial import Array, ForcePlate

FX, FY, FZ, MX, MY, MZ = range(6)


# --- transducers and amplifiers -------------------------------------------------------------------------------


def clipped_on_one_side(share: float, channel: int) -> Spoil:
    """A channel that goes no farther than a share of its greatest value, on the side where it goes farthest."""

    def change(values: Array) -> None:
        column = values[:, channel]
        high, low = np.nanmax(column), np.nanmin(column)
        values[:, channel] = np.minimum(column, share * high) if high > -low else np.maximum(column, share * low)

    return channels_changed(change)


def without_sign(channel: int) -> Spoil:
    """A channel of which only the size was stored."""

    def change(values: Array) -> None:
        values[:, channel] = np.abs(values[:, channel])

    return channels_changed(change)


def high_passed(seconds: float, *channels: int) -> Spoil:
    """A charge amplifier with a short time constant: what is steady leaks away (y' = x' - y / T)."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        # exact for a charge that is held between two samples
        kept = np.exp(-1 / (seconds * plate.rate_hz))

        def change(values: Array) -> None:
            for channel in channels or range(6):
                x = values[:, channel]
                steps = np.concatenate([x[:1] * 0, np.diff(x)])
                y, leaks = 0.0, np.empty(len(x))
                for i, step in enumerate(np.nan_to_num(steps).tolist()):
                    y = kept * (y + step)
                    leaks[i] = y
                values[:, channel] = leaks + x[0] * kept ** np.arange(len(x))

        return channels_changed(change)(plate)

    return spoil


def two_of_four_exchanged(a: int, b: int) -> Spoil:
    """The cables of two of four vertical transducers exchanged, numbered 0 to 3 around the plate as its corners."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        half_x, half_y = transducers_at(plate)
        # corners 1 to 4 lie at (+, +), (-, +), (-, -), (+, -); Mx = Σ y F, My = −Σ x F
        x, y = half_x * np.array([1, -1, -1, 1]), half_y * np.array([1, 1, -1, -1])
        fz, mx, my = plate.force_p[:, 2], plate.moment_p[:, 0], plate.moment_p[:, 1]
        each = fz[:, None] / 4 + mx[:, None] * y / (4 * half_y**2) - my[:, None] * x / (4 * half_x**2)
        each[:, [a, b]] = each[:, [b, a]]
        moment = plate.moment_p.copy()
        moment[:, 0], moment[:, 1] = each @ y, -each @ x
        return replace(plate, moment_p=moment)

    return spoil


def in_steps(newtons: float) -> Spoil:
    """All channels in coarse steps of a converter: so many N, and N·m at a lever of a fifth of a metre."""

    def change(values: Array) -> None:
        values[:, :3] = np.round(values[:, :3] / newtons) * newtons
        values[:, 3:] = np.round(values[:, 3:] / (0.2 * newtons)) * 0.2 * newtons

    return channels_changed(change)


def noisy(newtons: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """White noise on all channels of a plate."""
    size = newtons * np.array([1, 1, 1, 0.2, 0.2, 0.2])
    for number in case.plates_used[:2]:

        def change(values: Array) -> None:
            values += size * draw.standard_normal(values.shape)

        yield Spoilt(f"plate {number}", with_plates(case.trial, channels_changed(change), [number]))


def shaken(newtons: float, hz: float, *channels: int) -> Spoil:
    """A treadmill or floor that vibrates under the plate."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        wave = newtons * np.sin(2 * np.pi * hz * np.arange(len(plate.force_p)) / plate.rate_hz)

        def change(values: Array) -> None:
            values[:, list(channels)] += wave[:, None]

        return channels_changed(change)(plate)

    return spoil


def dragged(newtons: float, *channels: int) -> Spoil:
    """A force that is read only while something presses: a belt that drags, a hinge that sticks."""

    def change(values: Array) -> None:
        loaded = np.abs(values[:, 2]) > 0.05 * np.nanmax(np.abs(values[:, 2]))
        values[np.ix_(loaded, list(channels))] += newtons

    return channels_changed(change)


def tared_under_load(*channels: int) -> Spoil:
    """Zeroed while somebody stood on it: what it then carried is taken off everywhere."""

    def change(values: Array) -> None:
        loaded = np.abs(values[:, 2]) > 0.5 * np.nanmax(np.abs(values[:, 2]))
        for channel in channels or range(6):
            values[:, channel] -= np.nanmean(values[loaded, channel])

    return channels_changed(change)


# --- exports --------------------------------------------------------------------------------------------------


def smoothed(hz: float) -> Spoil:
    """Low-passed before export, forwards and backwards."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        def change(values: Array) -> None:
            values[:] = lowpass(values, hz, plate.rate_hz)

        return channels_changed(change)(plate)

    return spoil


def smoothed_one_way(hz: float) -> Spoil:
    """Behind an analog low-pass of first order, which delays."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        share = 1 - np.exp(-2 * np.pi * hz / plate.rate_hz)

        def change(values: Array) -> None:
            now = np.nan_to_num(values[0]).copy()
            for i in range(len(values)):
                now += share * (np.nan_to_num(values[i]) - now)
                values[i] = now

        return channels_changed(change)(plate)

    return spoil


def cut_below(newtons: float) -> Spoil:
    """Everything zero while the vertical force is small, as some exports do."""

    def change(values: Array) -> None:
        values[np.abs(values[:, 2]) < newtons] = 0.0

    return channels_changed(change)


def held_at(hz: float) -> Spoil:
    """Taken at a lower rate, each sample repeated until the next."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        each = max(round(plate.rate_hz / hz), 1)
        at = np.arange(len(plate.force_p)) // each * each
        return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])

    return spoil


def free_moment_as_Mz(plate: ForcePlate) -> ForcePlate:
    """The free moment about the pressure stored as Mz about the sensor."""
    force, moment = plate.force_p, plate.moment_p.copy()
    m = moment + cross(plate.sensor_p, force)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = -m[:, 1] / force[:, 2], m[:, 0] / force[:, 2]
        free = m[:, 2] - (x * force[:, 1] - y * force[:, 0])
    loaded = np.abs(force[:, 2]) > 0.02 * np.nanmax(np.abs(force[:, 2]))
    moment[loaded, 2] = free[loaded]
    return replace(plate, moment_p=moment)


def moved_to_the_surface_twice(plate: ForcePlate) -> ForcePlate:
    """Moments that are about the surface's centre already, with the sensor's place declared besides."""
    return replace(plate, moment_p=plate.moment_p + cross(plate.sensor_p, plate.force_p))


def gain_from_the_middle(gain: float, *channels: int) -> Callable[[Array], None]:
    """Channels with another gain from there on."""

    def change(values: Array) -> None:
        values[:, list(channels) or slice(None)] *= gain

    return change


# --- clocks ---------------------------------------------------------------------------------------------------


def samples_lost(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Some samples of all plates lost in the middle of the trial: what comes after is early."""
    yield from _of_all(partial(_skipped, seconds), case)


def samples_twice(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Some samples of all plates stored twice in the middle of the trial: what comes after is late."""
    yield from _of_all(partial(_skipped, -seconds), case)


def _of_all(spoil: Spoil, case: Case) -> Iterator[Spoilt]:
    if case.trial.plates:
        yield Spoilt("all plates", with_plates(case.trial, spoil))


def _skipped(seconds: float, plate: ForcePlate) -> ForcePlate:
    n = len(plate.force_p)
    at = np.arange(n) + np.where(np.arange(n) > n // 2, round(seconds * plate.rate_hz), 0)
    at = np.clip(at, 0, n - 1)
    return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])


# --- two plates -----------------------------------------------------------------------------------------------


def channels_of_two_exchanged(*channels: int) -> Callable[[Case, np.random.Generator], Iterator[Spoilt]]:
    """Some channels of two plates exchanged, throughout."""

    def make(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
        def change(a: Array, b: Array) -> None:
            a[:, list(channels)], b[:, list(channels)] = b[:, list(channels)].copy(), a[:, list(channels)].copy()

        yield from _of_two(change, case)

    return make


def exchanged_for_a_while(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All channels of two plates exchanged from the middle of a contact on, for a while."""
    if len(case.plates_used) < 2:
        return
    contact = next(c for c in case.result.contacts if case.plates_used[0] in c.plates)
    plate = next(p for p in case.trial.plates if p.number == case.plates_used[0])
    first = round(((contact.first + contact.last) / 2 / case.trial.rate_hz - plate.start_s) * plate.rate_hz)
    part = slice(first, first + round(seconds * plate.rate_hz))

    def change(a: Array, b: Array) -> None:
        a[part], b[part] = b[part].copy(), a[part].copy()

    yield from _of_two(change, case)


def neighbour_felt(share: float, *channels: int) -> Callable[[Case, np.random.Generator], Iterator[Spoilt]]:
    """A share of what presses on one plate is felt by the other: one frame carries both."""

    def make(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
        def change(a: Array, b: Array) -> None:
            a[:, list(channels)] += share * b[:, list(channels)]

        yield from _of_two(change, case)

    return make


def _of_two(change: Callable[[Array, Array], None], case: Case) -> Iterator[Spoilt]:
    used = case.plates_used[:2]
    if len(used) < 2:
        return
    a, b = (next(p for p in case.trial.plates if p.number == number) for number in used)
    if len(a.force_p) != len(b.force_p):
        return
    both = [np.concatenate([p.force_p, p.moment_p], axis=1) for p in (a, b)]
    change(*both)
    new = {p.number: values for p, values in zip((a, b), both, strict=True)}

    def spoil(plate: ForcePlate) -> ForcePlate:
        values = new[plate.number]
        return replace(plate, force_p=values[:, :3], moment_p=values[:, 3:])

    yield Spoilt(f"plates {used[0]} and {used[1]}", with_plates(case.trial, spoil, used))
