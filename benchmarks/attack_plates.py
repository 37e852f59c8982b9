"""What can be wrong with force plates, their clock, and where they are declared to be: done to a trial in memory.

A fault changes what it changes in a laboratory and nothing else: a dead channel leaves the others as they are, a late
plate keeps its samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from attack_trials import Case, Spoilt, replace_fields

from gaitid.trial import Array, ForcePlate, Trial

Spoil = Callable[[ForcePlate], ForcePlate]


def with_plates(trial: Trial, change: Spoil, numbers: Sequence[int] | None = None) -> Trial:
    """The trial with plates changed, all or those of these numbers."""
    plates = tuple(change(p) if numbers is None or p.number in numbers else p for p in trial.plates)
    return replace_fields(trial, plates=plates)


def each_plate(change: Spoil, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate that carries a foot, each in turn; at most two."""
    for number in case.plates_used[:2]:
        yield Spoilt(f"plate {number}", with_plates(case.trial, change, [number]))


def all_plates(change: Spoil, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates, also in a static that the trial is analysed with."""
    static = None if case.static is None else with_plates(case.static, change)
    yield Spoilt("all plates", with_plates(case.trial, change), static)


def channels_changed(change: Callable[[Array], None]) -> Spoil:
    """Change the six channels Fx Fy Fz Mx My Mz of a plate's samples in place."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        channels = np.concatenate([plate.force_p, plate.moment_p], axis=1)
        change(channels)
        return replace(plate, force_p=channels[:, :3], moment_p=channels[:, 3:])

    return spoil


def scaled(factor: float, *channels: int) -> Spoil:
    """Channels (0 to 5; none: all) multiplied."""

    def change(values: Array) -> None:
        values[:, list(channels) or slice(None)] *= factor

    return channels_changed(change)


def exchanged(a: int, b: int) -> Spoil:
    """Two channels exchanged."""

    def change(values: Array) -> None:
        values[:, [a, b]] = values[:, [b, a]]

    return channels_changed(change)


def offset(size: float, *channels: int) -> Spoil:
    """Something added to channels all the time."""

    def change(values: Array) -> None:
        values[:, list(channels)] += size

    return channels_changed(change)


def clipped(share: float) -> Spoil:
    """Fz held at a share of its greatest size."""

    def change(values: Array) -> None:
        most = share * float(np.nanmax(np.abs(values[:, 2])))
        values[:, 2] = np.clip(values[:, 2], -most, most)

    return channels_changed(change)


def held(seconds: float, rate_hz: float, channel: int, values: Array) -> None:
    """A channel that holds still from the first of the samples on."""
    values[: round(seconds * rate_hz), channel] = values[0, channel]


def transducers_at(plate: ForcePlate) -> tuple[float, float]:
    """How far from its middle, m along x and y, the four vertical transducers of a plate stand."""
    if not plate.outlined:
        return 0.2, 0.2
    c1, c2, _, c4 = plate.corners_g
    return 0.4 * float(np.linalg.norm(c1 - c2)), 0.4 * float(np.linalg.norm(c1 - c4))


def corner(factor: float) -> Spoil:
    """One of four vertical transducers under the corners with another gain; they share the load as stiff springs do."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        a, b = transducers_at(plate)
        # Mx = Σ y F, My = −Σ x F at the corners (±a, ±b)
        fz, mx, my = plate.force_p[:, 2], plate.moment_p[:, 0], plate.moment_p[:, 1]
        lost = (1 - factor) * (fz / 4 + mx / (4 * b) - my / (4 * a))
        force, moment = plate.force_p.copy(), plate.moment_p.copy()
        force[:, 2] -= lost
        moment[:, 0] -= b * lost
        moment[:, 1] += a * lost
        return replace(plate, force_p=force, moment_p=moment)

    return spoil


def biased(newtons: float, channel: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate with a steady bias, drawn of either sign."""
    for number in case.plates_used[:2]:
        sign = float(draw.choice([-1.0, 1.0]))
        trial = with_plates(case.trial, offset(sign * newtons, channel), [number])
        yield Spoilt(f"plate {number} {sign:+.0f}", trial)


def over_time(size: Callable[[Array], Array], *channels: int) -> Spoil:
    """Something added to channels, by the share of the recording that has gone by."""

    def change(values: Array) -> None:
        values[:, list(channels)] += size(np.linspace(0.0, 1.0, len(values)))[:, None]

    return channels_changed(change)


def gain_over_time(gain: Callable[[Array], Array]) -> Spoil:
    """All channels multiplied, by the share of the recording that has gone by."""

    def change(values: Array) -> None:
        values *= gain(np.linspace(0.0, 1.0, len(values)))[:, None]

    return channels_changed(change)


def held_in_a_stance(seconds: float, channel: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One channel of a plate holds still in the middle of a known contact."""
    rate_hz = case.trial.plates[0].rate_hz if case.trial.plates else 0.0
    yield from in_a_stance(partial(held, seconds, rate_hz, channel), case, draw)


def in_a_stance(change: Callable[[Array], None], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Something that happens to one plate's channels for a while, in the middle of a known contact.

    `change` is given the channels from there on.
    """
    for number in case.plates_used[:2]:
        contact = next(c for c in case.result.contacts if number in c.plates)
        middle_s = (contact.first + contact.last) / 2 / case.trial.rate_hz

        def spoil(plate: ForcePlate, at_s: float = middle_s) -> ForcePlate:
            start = round((at_s - plate.start_s) * plate.rate_hz)
            return channels_changed(lambda values: change(values[start:]))(plate)

        yield Spoilt(f"plate {number}", with_plates(case.trial, spoil, [number]))


def spike(newtons: float, channel: int, samples: int) -> Callable[[Array], None]:
    """Some samples of a channel off."""

    def change(values: Array) -> None:
        values[:samples, channel] += newtons

    return change


def dropped(samples: int, values: Array) -> None:
    """All channels read nothing for some samples."""
    values[:samples] = 0.0


# --- clocks ---------------------------------------------------------------------------------------------------


def late(seconds: float) -> Spoil:
    """Samples that come later (or earlier) by this; at the end that lacks samples the outermost one stays."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        at = np.clip(np.arange(len(plate.force_p)) - round(seconds * plate.rate_hz), 0, len(plate.force_p) - 1)
        return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])

    return spoil


def stretched(factor: float) -> Spoil:
    """A clock that runs fast: samples are taken `factor` times as often as is declared."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        n = len(plate.force_p)
        at = np.clip(np.round(np.arange(n) / factor).astype(int), 0, n - 1)
        return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])

    return spoil


def one_channel_late(seconds: float, *channels: int) -> Spoil:
    """Some channels of a plate that come later than the others, as behind a filter of their own."""

    def spoil(plate: ForcePlate) -> ForcePlate:
        at = np.clip(np.arange(len(plate.force_p)) - round(seconds * plate.rate_hz), 0, len(plate.force_p) - 1)

        def change(values: Array) -> None:
            values[:, list(channels)] = values[at][:, list(channels)]

        return channels_changed(change)(plate)

    return spoil


def crosstalk(share: float, of: int, into: int) -> Spoil:
    """A share of one channel that is read in another."""

    def change(values: Array) -> None:
        values[:, into] += share * values[:, of]

    return channels_changed(change)


def late_forces(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates late, with the events of the file."""
    if case.trial.events:
        yield Spoilt("events kept", with_plates(case.trial, late(seconds)))


def late_without_events(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates late, without events."""
    trial = with_plates(replace_fields(case.trial, events=()), late(seconds))
    yield Spoilt("no events", trial, base="without events")


def late_markers_and_events(seconds: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates late, and events found on them, which are late too."""
    if case.trial.events:
        events = tuple(replace(e, time_s=e.time_s + seconds) for e in case.trial.events)
        yield Spoilt("events with the plates", with_plates(replace_fields(case.trial, events=events), late(seconds)))


def rate_wrong(factor: float, events: bool, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Cameras, and plates with them, declared at another rate; events keep their frames."""
    kept = tuple(replace(e, time_s=e.time_s / factor) for e in case.trial.events) if events else ()
    if events and not kept:
        return
    trial = with_plates(
        replace_fields(case.trial, rate_hz=case.trial.rate_hz * factor, events=kept),
        lambda plate: replace(plate, rate_hz=plate.rate_hz * factor, start_s=plate.start_s / factor),
    )
    yield Spoilt("", trial, base="as it is" if events else "without events")


# --- places ---------------------------------------------------------------------------------------------------


def moved(shift_g: Array, plate: ForcePlate) -> ForcePlate:
    """The plate declared elsewhere."""
    if plate.outlined:
        return replace(plate, corners_g=plate.corners_g + shift_g)
    assert plate.centre_g is not None
    return replace(plate, centre_g=plate.centre_g + shift_g)


def _sides(plate: ForcePlate) -> tuple[Array, Array]:
    """Unit vectors along the plate's sides."""
    if not plate.outlined:
        assert plate.R_gp is not None
        return plate.R_gp[:, 0], plate.R_gp[:, 1]
    c1, c2, _, c4 = plate.corners_g
    x, y = c1 - c2, c1 - c4
    return x / np.linalg.norm(x), y / np.linalg.norm(y)


def shifted(metres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate declared beside where it is, along each of its sides, and all of them; the sign is drawn."""
    by_number = {plate.number: plate for plate in case.trial.plates}
    for numbers in (*([number] for number in case.plates_used[:2]), None):
        plate = case.trial.plates[0] if numbers is None else by_number[numbers[0]]
        words = "all plates" if numbers is None else f"plate {numbers[0]}"
        for axis, unit_g in zip("xy", _sides(plate)):
            sign = float(draw.choice([-1.0, 1.0]))
            change = partial(moved, sign * metres * unit_g)
            yield Spoilt(f"{words}, {'+' if sign > 0 else '-'}{axis}", with_plates(case.trial, change, numbers))


def raised(metres: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """All plates declared too high."""
    up = case.result.body.geometry.up_g
    yield Spoilt("all plates", with_plates(case.trial, partial(moved, metres * up)))


def corners_in_order(order: Sequence[int], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Corners of one plate in another order."""
    yield from each_plate(
        lambda plate: replace(plate, corners_g=plate.corners_g[list(order)]) if plate.outlined else plate, case, draw
    )


def about(axis: Array, degrees: float) -> Array:
    """(3, 3) the rotation about an axis (Rodrigues)."""
    a = np.radians(degrees)
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(a) * K + (1 - np.cos(a)) * K @ K)


def turned(degrees: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """One plate declared turned about its centre."""
    R = about(case.result.body.geometry.up_g, degrees)

    def spoil(plate: ForcePlate) -> ForcePlate:
        if not plate.outlined:
            return replace(plate, R_gp=R @ plate.R_gp)
        centre = plate.corners_g.mean(axis=0)
        return replace(plate, corners_g=(plate.corners_g - centre) @ R.T + centre)

    yield from each_plate(spoil, case, draw)


def plates_exchanged(case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """The cables of two plates exchanged: each reports what the other felt."""
    used = case.plates_used[:2]
    if len(used) < 2:
        return
    a, b = (next(p for p in case.trial.plates if p.number == number) for number in used)
    if len(a.force_p) != len(b.force_p):
        return
    swap = {a.number: b, b.number: a}

    def spoil(plate: ForcePlate) -> ForcePlate:
        other = swap[plate.number]
        return replace(plate, force_p=other.force_p, moment_p=other.moment_p)

    yield Spoilt(f"plates {used[0]} and {used[1]}", with_plates(case.trial, spoil, used))


def deep(change: Callable[[Array], Array], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """The sensor's place under the surface declared otherwise."""
    trial = with_plates(case.trial, lambda plate: replace(plate, sensor_p=change(plate.sensor_p)))
    if any(np.abs(a.sensor_p - b.sensor_p).max() > 1e-3 for a, b in zip(trial.plates, case.trial.plates)):
        yield Spoilt("all plates", trial)
