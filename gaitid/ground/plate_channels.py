"""What the channels of one plate cannot be, whoever stands on it: clipped, dead, in another unit, beyond friction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gaitid.ground.glitches import FAST, MOMENTS, PRESSES, without_glitches
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import MIN_PEAK, SHORTEST, PlateLoad, without_frames
from gaitid.ground.sole import MAY_STAND
from gaitid.notes import Note, note, phrase
from gaitid.numerics.masks import known_part, known_rows, mean, median, spans, widened
from gaitid.numerics.rotation import cross, norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, ForcePlate, Mask

# Of the greatest vertical force: a plate is loaded above it.
LOADED = 0.3
# s, samples. A plateau of exactly equal greatest samples at least this long.
PLATEAU, PLATEAU_SAMPLES = 0.008, 4
# Steps of the converter by which the force falls from as long before a plateau as it lasts, or until as long after: the
# top of a smooth force that a converter rounds is a parabola, which falls by 8 steps there (9 - 1).
STEPS = 24
# Of the greatest push on any plate of the trial: for as long as a step no foot pulls so much at a plate. Plates of the
# shared trials that nobody zeroed are pulled by 0.16 of it at most.
PULLED = 0.5
# s, of the load's peak: just before a load is over, a foot that leaves gives 0.10 of its peak at most (136 contacts of
# the shared trials); a plate whose cable or recording fails late in a stance 0.4 and more.
JUST_BEFORE, CUT = 0.002, 0.2
# s. A force is looked at so far beside its least value, and twice as far. Of the value beside: the least is below the
# first; twice as far it is 2 times as large on a line, 4 times on a parabola, and the second tells both apart. Of the
# vertical force: a smaller value beside tells nothing; so much of either sign shows that a channel has both.
BESIDE_ZERO, NEAR_ZERO, AS_A_LINE, LEAST_SLOPE, LEAST_SIGN = 0.01, 0.3, 3.0, 0.003, 0.005
# m, s. A foot whose markers are this far inside a plate's edges for this long stands on it.
WELL_INSIDE, TRODDEN = 0.05, 0.3
# Of the greatest vertical force: while a foot presses, a channel that changes by more than the first
# from one sample to the next has jumped if within so many samples before and after it changes by less than a share of
# that: what has a mass comes to a change and goes on from it. The share is 0.22 at least on 86 plates of 41 shared
# trials, as recorded and with every second, fourth and eighth sample (1800 to 60 Hz; 0.24 without the laboratory that
# shows least). m: so much lever makes a force of a moment. More jumps than the last are steps.
JUMP, JUMP_BESIDE, JUMP_SHARE, JUMP_LEVER, IN_STEPS = 0.02, 5, 0.125, 0.2, 10
# The vertical force the same where a load begins or ends, by more than the first of the peak, on plates of the second,
# Hz, and more: samples were lost there. The share is 0.177 at least where clean loads begin (61 plates of 14
# laboratories, as recorded and with every second to eighth sample; 0.52 without the one that shows least; at 125 Hz
# 0.11), none ends in such a step. 50 ms lost, 45 of them under load, are found so in 70 and more of 112 beginnings.
JUMP_AT_ENDS, JUMP_RATE = 0.2, 200.0
# Of the greatest vertical force: less on a channel is noise, and below the second a plate is empty. s: looked at is so
# long beside a load; so long no channel goes beyond what the vertical force allows: 0.003 at most on 39 plates of the
# shared trials (stairs whose plates were not zeroed 0.005); one that alone is 20 ms late or early gives 0.012 to 0.12.
TELLS, EMPTY, BESIDE, BEYOND = 0.03, 0.02, 0.06, 0.01
# s. One horizontal channel begins, and ends, so much later than the other: at most 0.010 on 35 clean plates
# (one at 600 Hz whose forces were smoothed; 0.004 on the others); Fx or Fy 20 ms late 0.015 to 0.021 in most.
LATER = 0.013
# s. A load so long tells, with the plate empty from the second to the third before it, and for the fourth after it; a
# channel begins within the fifth. Times what it shows while empty, and of the greatest vertical force: it has begun;
# one whose peak is no more than the last times that tells no beginning: half a sine of 0.5 s is there after 16 ms.
LOAD, CLEAR, BEFORE, AFTER, WITHIN = 0.2, 0.03, 0.1, 0.06, 0.1
TIMES_EMPTY, BEGUN, TIMES_BEGUN = 1.5, 0.002, 10.0
# Of its greatest size: a channel that varies by less has no signal.
DEAD = 1e-6
# m. A centre of pressure farther than this from the plate lies on no plate: the moments are in N·mm.
FAR = 5.0
# m. Mx and My that vary by less than this times the force belong to pressure that does not move; it does by 60 mm and
# more along the foot in every stance of the shared trials.
STILL = 0.002


@frozen_dataclass()
class Fault:
    """Something that is wrong with plates or clocks.

    Attributes
    ----------
    note : Note
        With an estimate; it names no plate where the clocks or the body's mass are wrong.
    withheld : bool
        Whether the loads of its plates are unknown because of it; else they are only doubtful.
    common : tuple of int
        The plates, where the note names none.
    ratio : float
        Of given to asked force, where that is what is wrong; else NaN.
    """

    note: Note
    withheld: bool = False
    common: tuple[int, ...] = ()
    ratio: float = float("nan")

    @property
    def plates(self) -> tuple[int, ...]:
        """Whose loads it spoils."""
        return self.note.plates or self.common


def channel_faults(plate: PlateLoad, raw: ForcePlate, ground: Ground) -> Iterator[Fault]:
    """Faults that the channels of one plate show by themselves.

    Parameters
    ----------
    plate : PlateLoad
    raw : ForcePlate
        The same with its samples.
    ground : Ground
    """
    peak = float(np.fmax.reduce(plate.vertical))
    runs = ground.loaded[plate.number]
    if pulled := _pulled(plate, ground):
        channel, described = raw.force_names[0][2], not raw.channels
        wrong = note("plate_channel/pulled", plates=raw.number, N=pulled, channel=channel, described=described)
        yield Fault(wrong, withheld=True)
    elif not runs and _trodden_on(plate, ground):
        yield Fault(note("plate_channel/plate_dead", plates=raw.number, N=max(peak, 0.0)), withheld=True)
    elif not runs and _pressed_by_nothing(raw):
        yield Fault(note("plate_channel/dead", plates=raw.number, channels=[raw.force_names[0][2]]), withheld=True)
    if not (peak > MIN_PEAK and runs):
        return
    loaded = np.zeros(len(plate.vertical), dtype=bool)
    for first, last in runs:
        loaded[first : last + 1] = True
    loaded &= plate.vertical > LOADED * peak
    sound = without_glitches(raw)[0] if plate.glitches else raw
    samples = _ends(loaded, raw, ground.rate_hz)
    # how a load begins or ends tells nothing where nobody is seen: the recording may have stopped there
    watched = without_frames(sound, _ends_unseen(ground), ground.rate_hz)
    found = [*_clipped(raw), *_cut_off(watched), *_jumps(watched)]
    if samples:
        ranges = _ranges(raw, samples)
        found += [*_dead(raw, ranges), *_rectified(raw, samples), *_moments(plate, loaded, raw, ranges)]
    for wrong in found or [*_beyond_vertical(sound, plate.half)] or _one_later(sound, peak):
        yield Fault(wrong, wrong.code == "plate_channel")


def _pressed_by_nothing(raw: ForcePlate) -> bool:
    """Whether the vertical force never changes while a horizontal one does as under a foot."""
    x, y, z = np.fmax.reduce(raw.force_p) - np.fmin.reduce(raw.force_p)
    return bool(max(x, y) > MIN_PEAK and z <= DEAD * max(x, y))


def _ends_unseen(ground: Ground) -> list[int]:
    """The first and the last frame of each time in which no foot is seen."""
    seen = np.zeros(ground.n_frames, dtype=bool)
    for foot in ground.feet.values():
        seen |= known_rows(foot.heel_g) | known_rows(foot.toe_g)
    return [frame for first, stop in spans(~seen) for frame in (first, stop - 1)] if seen.any() else []


def _pulled(plate: PlateLoad, ground: Ground) -> float:
    """N, with which a plate is pulled up for as long as a step lasts; 0 where it is not."""
    pull = -float(np.fmin.reduce(plate.vertical))
    if not pull > MIN_PEAK:
        return 0.0
    greatest = max(float(np.fmax.reduce(np.abs(other.vertical))) for other in ground.plates)
    pulled = plate.vertical < -max(MIN_PEAK, PULLED * greatest)
    return pull if any(stop - first >= SHORTEST * ground.rate_hz for first, stop in spans(pulled)) else 0.0


def _trodden_on(plate: PlateLoad, ground: Ground) -> bool:
    """Whether a foot stands on a plate, heel and toe well inside its edges, for longer than it may pass over it."""
    if not plate.outlined:
        return False
    for side, foot in ground.feet.items():
        on = ground.stances[side].standing & np.isfinite(plate.vertical)
        for point in (foot.heel_g, foot.toe_g):
            height = plate.height(point)
            on &= (plate.margin(point) > WELL_INSIDE) & (height > MAY_STAND[0]) & (height < MAY_STAND[1])
        if any(stop - first >= TRODDEN * ground.rate_hz for first, stop in spans(on)):
            return True
    return False


def _clipped(raw: ForcePlate) -> Iterator[Note]:
    """A vertical force that runs into a ceiling: its greatest samples are equal, and it enters them steeply."""
    upward = -raw.force_p[:, 2]
    top = float(np.fmax.reduce(upward))
    least = max(PLATEAU * raw.rate_hz, PLATEAU_SAMPLES)
    if not top > MIN_PEAK:
        return
    at_top = upward >= top * (1 - 1e-9)
    if np.count_nonzero(at_top) < least:
        return
    rises = np.diff(np.sort(upward[upward > top / 2]))
    steps = rises[rises > 1e-9 * top]
    step = float(steps.min()) if steps.size else 0.0
    held = 0
    for first, stop in spans(at_top):
        n = stop - first
        before, after = first - n, stop - 1 + n
        if n < least or before < 0 or after >= len(upward):
            continue
        if top - max(upward[before], upward[after]) > STEPS * step:
            held = max(held, n)
    if held:
        yield note("plate_channel/clipped", plates=raw.number, N=top, ms=held / raw.rate_hz * 1e3)


def _cut_off(raw: ForcePlate) -> Iterator[Note]:
    """A load that ends at once: a foot that leaves takes its force off within tens of milliseconds."""
    upward = -raw.force_p[:, 2]
    if raw.rate_hz < FAST:
        return
    back = max(round(JUST_BEFORE * raw.rate_hz), 1)
    loaded = upward > TELLS * float(np.fmax.reduce(upward))
    for first, stop in spans(loaded):
        if stop - first < SHORTEST * raw.rate_hz or stop >= len(upward) or not np.isfinite(upward[stop]):
            continue
        peak, last = float(upward[first:stop].max()), float(upward[stop - back])
        if peak > MIN_PEAK and last > CUT * peak:
            yield note("plate_channel/cut_off", plates=raw.number, N=last, s=raw.start_s + stop / raw.rate_hz)
            return


def _jumps(raw: ForcePlate) -> Iterator[Note]:
    """Channels that jump while a foot presses: a gain or a cable that changed, lost samples, too coarse a converter."""
    upward, n = -raw.force_p[:, 2], JUMP_BESIDE
    if len(upward) < 2 * n + 2:
        return
    peak = float(np.fmax.reduce(upward))
    pressed = upward > PRESSES * peak
    ends = (pressed[1:] != pressed[:-1]) & (raw.rate_hz >= JUMP_RATE)
    pressed = pressed[1:] & pressed[:-1]
    ends[:n] = ends[-n:] = pressed[:n] = pressed[-n:] = False
    asked = np.flatnonzero(pressed | ends)
    beside = np.concatenate([np.arange(-n, 0), np.arange(1, n + 1)])
    worst = (0.0, "", 0, 0, "")
    kinds = ((raw.force_p, raw.force_names[0], 1.0, "N"), (raw.moment_p, MOMENTS, JUMP_LEVER, "N·m"))
    for samples, names, lever, unit in kinds:
        sizes = np.abs(samples[asked + 1] - samples[asked])
        jumped = pressed[asked, None] & (sizes > JUMP * peak * lever)
        if samples is raw.force_p:
            jumped[:, 2] |= ends[asked] & (sizes[:, 2] > JUMP_AT_ENDS * peak)
        for axis in np.flatnonzero(jumped.any(axis=0)).tolist():
            large, steps = asked[jumped[:, axis]], np.abs(np.diff(samples[:, axis]))
            at = large[steps[large[:, None] + beside].max(axis=1) < JUMP_SHARE * steps[large]]
            if at.size:
                most = int(at[np.argmax(steps[at])])
                found = float(steps[most]) / lever, names[axis], most, len(at), f"{steps[most]:.2g} {unit}"
                worst = max(worst, found)
    size, channel, at_sample, count, by = worst
    if size:
        yield note(
            "plate_doubtful/steps" if count > IN_STEPS else "plate_doubtful/jump",
            plates=raw.number,
            channel=channel,
            by=by,
            s=raw.start_s + (at_sample + 1) / raw.rate_hz,
            pressed=pressed[at_sample],
        )


class _Ranges(NamedTuple):
    """What the channels of a plate do over its loads.

    Attributes
    ----------
    vertical : float
        Greatest size of the vertical force, N.
    spread : (6,) array
        Greatest less least value of each channel, force and moment, within one load.
    """

    vertical: float
    spread: Array


def _ranges(raw: ForcePlate, samples: Sequence[slice]) -> _Ranges:
    spreads, largest = [], 0.0
    for run in samples:
        channels = np.array([*raw.force_p[run].T, *raw.moment_p[run].T])
        high, low = channels.max(axis=1), channels.min(axis=1)
        spreads.append(high - low)
        largest = max(largest, float(high[2]), -float(low[2]))
    return _Ranges(largest, np.maximum.reduce(spreads))


def _dead(raw: ForcePlate, ranges: _Ranges) -> Iterator[Note]:
    """Channels without any variation over each loaded stance."""
    if not ranges.vertical > 0:
        return
    forces = raw.force_names[0]
    names = (*forces, *MOMENTS)
    dead = [name for name, s in zip(names, ranges.spread.tolist(), strict=True) if s <= DEAD * ranges.vertical]
    if dead:
        planar = bool(set(dead) & {*forces[:2]}) and "Mz" in dead and len(dead) == 3
        yield note("plate_doubtful/planar" if planar else "plate_channel/dead", plates=raw.number, channels=dead)


def _rectified(raw: ForcePlate, samples: Sequence[slice]) -> Iterator[Note]:
    """Horizontal forces that turn back at zero: a channel whose samples lost their sign.

    Near a zero that a force crosses, its size goes as the distance in time; where it only comes near, as its square.
    """
    n = round(BESIDE_ZERO * raw.rate_hz)
    if raw.rate_hz < FAST:
        return
    for axis, name in enumerate(raw.force_names[0][:2]):
        # a sign that is lost is lost in the whole file
        force, both = raw.force_p[:, axis], LEAST_SIGN * float(np.fmax.reduce(np.abs(raw.force_p[:, 2])))
        if np.fmin.reduce(force) < -both and np.fmax.reduce(force) > both:
            continue
        for run in samples:
            size = np.abs(raw.force_p[run, axis])
            inner = size[2 * n : len(size) - 2 * n]
            if not inner.size:
                continue
            at = int(np.argmin(inner)) + 2 * n
            least = LEAST_SLOPE * float(np.abs(raw.force_p[run, 2]).max())
            near, far = size[[at - n, at + n]], size[[at - 2 * n, at + 2 * n]]
            if size[at] < near.min() * NEAR_ZERO and near.min() > least and (far < AS_A_LINE * near).all():
                yield note("plate_channel/rectified", plates=raw.number, channel=name)
                break


def _moments(plate: PlateLoad, loaded: Mask, raw: ForcePlate, ranges: _Ranges) -> Iterator[Note]:
    """Moments in another unit: the pressure lies far away, or does not move."""
    away = known_part(plate.cop_g[loaded] - plate.centre_g)
    if not away.size:
        return
    far = float(median(norm(away)))
    if raw.outlined and far > FAR:
        units = ((1e2, "a hundredth", "N·cm"), (1e3, "a thousandth", "N·mm"))
        fits = [(share, unit) for times, share, unit in units if far < times * float(plate.half.max())]
        share, unit = fits[0] if fits else ("", "")
        yield note("plate_channel/far", plates=raw.number, m=far, share=share, unit=unit)
        return
    force, spread = ranges.vertical, ranges.spread[3:5]
    if (spread > DEAD * force).all() and (spread < STILL * force).all():
        yield note("plate_channel/still", plates=raw.number, mm=spread.max() / force * 1e3)


def _ends(loaded: Mask, raw: ForcePlate, camera_hz: float) -> list[slice]:
    """The samples of each run of loaded frames; those of which any is missing are left out."""
    result = []
    for first, stop in spans(loaded):
        a, b = (round((frame / camera_hz - raw.start_s) * raw.rate_hz) for frame in (first, stop - 1))
        run = slice(max(a, 0), min(b + 1, len(raw.force_p)))
        if run.stop - run.start > 1 and np.isfinite(raw.force_p[run, 2]).all():
            result.append(run)
    return result


def _beyond_vertical(raw: ForcePlate, half: Array) -> Iterator[Note]:
    """A channel that the vertical force does not allow: no foot holds on by more than it presses, or presses beside it.

    Where a foot lands and leaves every channel passes through 0, so that one that is late by some ms shows there first.
    """
    if raw.rate_hz < FAST:
        return
    upward = -raw.force_p[:, 2]
    least = TELLS * float(np.fmax.reduce(upward))
    empty, zero = np.abs(upward) < EMPTY / TELLS * least, np.zeros((2, 3))
    if np.count_nonzero(empty) > BESIDE * raw.rate_hz:
        zero = np.array([mean(raw.force_p[empty]), mean(raw.moment_p[empty])])
    carried = np.maximum(upward + zero[0, 2], 0.0)
    near = widened(carried > least, round(BESIDE * raw.rate_hz))
    force = raw.force_p[near] - zero[0]
    # about the centre of the surface Mx = y Fz, My = -x Fz
    moment = raw.moment_p[near] - zero[1] + cross(raw.sensor_p, force)
    sizes = {"plate/too_horizontal": norm(force[:, :2])}
    if raw.outlined:
        sizes["plate/pressure_beside"] = np.maximum(np.abs(moment[:, 1]) / half[0], np.abs(moment[:, 0]) / half[1])
    worst_s, what, beyond = 0.0, "", np.zeros(len(upward), dtype=bool)
    for name, size in sizes.items():
        beyond[near] = size > np.maximum(carried[near], least)
        worst_s, what = max((worst_s, what), (max((b - a for a, b in spans(beyond)), default=0) / raw.rate_hz, name))
    if worst_s > BEYOND:
        yield note("plate_channel/beyond", plates=raw.number, what=phrase(what), ms=worst_s * 1e3)


def _one_later(raw: ForcePlate, peak_N: float) -> Iterator[Note]:
    """One horizontal channel that begins and ends later than the other in the loads of a plate."""
    if raw.rate_hz < FAST:
        return
    channels, loaded = raw.force_p[:, :2].T, -raw.force_p[:, 2] > TELLS * peak_N
    load, clear, before, after, within = (round(s * raw.rate_hz) for s in (LOAD, CLEAR, BEFORE, AFTER, WITHIN))
    later = []
    for first, stop in spans(loaded):
        if stop - first < load or first < clear + before or stop + after > len(loaded):
            continue
        if loaded[first - clear - before : first].any() or loaded[stop : stop + after].any():
            continue
        empty = channels[:, first - clear - before : first - clear]
        zero = empty.mean(axis=1, keepdims=True)
        begun = np.maximum(TIMES_EMPTY * np.abs(empty - zero).max(axis=1, keepdims=True), BEGUN * peak_N)
        on = np.abs(channels[:, first : first + within] - zero) > begun
        off = np.abs(channels[:, stop : stop + after] - zero)[:, ::-1] > begun
        peaks = np.abs(channels[:, first:stop] - zero).max(axis=1, keepdims=True)
        if not (on.any(axis=1, keepdims=True) & (peaks > TIMES_BEGUN * begun)).all():
            continue
        begin = on.argmax(axis=1)
        end = np.where(off.any(axis=1), after - off.argmax(axis=1), 0)
        later.append([begin[0] - begin[1], end[0] - end[1]])
    if not later:
        return
    begin_s, end_s = median(np.array(later, dtype=float)) / raw.rate_hz
    if begin_s * end_s > 0 and min(abs(begin_s), abs(end_s)) > LATER:
        x, y, _ = raw.force_names[0]
        late, other = (x, y) if begin_s > 0 else (y, x)
        yield note(
            "plate_doubtful/one_later",
            plates=raw.number,
            channel=late,
            other=other,
            begin_ms=abs(begin_s) * 1e3,
            end_ms=abs(end_s) * 1e3,
        )
