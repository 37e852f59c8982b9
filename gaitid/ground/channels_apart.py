"""The channels of one plate begin and end together: no horizontal force and no moment without a vertical force.

A horizontal force larger than the vertical one is beyond any friction, and a moment larger than the vertical force
times half the plate puts the pressure beside it. Where a foot lands and leaves every channel passes through 0, so that
one that is late by some ms shows there first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from gaitid.notes import Note, note, phrase
from gaitid.numerics.masks import spans
from gaitid.numerics.statistics import mean, median
from gaitid.trial import Array, ForcePlate, Mask

# Of the greatest vertical force: less on a channel is noise; and samples in which the plate is empty.
TELLS, EMPTY = 0.03, 0.02
# s. Looked at is so long beside a load; samples that tell what the empty plate reads.
BESIDE, LEAST_EMPTY = 0.06, 0.05
# s. The longest run of such samples: at most 0.003 on 39 plates of the shared trials (stairs whose plates were not
# zeroed 0.005); a vertical force that alone is 20 ms late or early gives 0.012 to 0.12.
APART = 0.01
# s. So long no channel is late: in spoilt recordings one that is 20 ms late gives 0.12 at most, torques in another unit
# 0.42 to 1.7. A plate that reads below 0 N for as long as an empty one tells was zeroed under a load.
THROUGHOUT = 0.25
# Hz. Slower records were filtered and sampled anew: 0.016 at most on 45 plates of the shared trials taken at 200 to
# 300 Hz, runs and a sprint among them; so longer runs, of the horizontal force alone, only make them doubtful. Fx that
# alone is 20 ms late gives 0.023 and 0.036 in a run and a sprint.
FAST, SLOWEST = 500.0, 200.0
TELLS_SLOW, APART_SLOW = 0.015, 0.02
# s. One horizontal channel begins, and ends, so much later than the other: at most 0.010 on 35 clean plates
# (one at 600 Hz whose forces were smoothed; 0.004 on the others); Fx or Fy 20 ms late 0.015 to 0.021 in most.
LATER = 0.013
# s. A load so long tells, with the plate empty from the second to the third before it, and for the fourth after it; a
# channel begins within the fifth. Times what it shows while empty, and of the greatest vertical force: it has begun.
LOAD, CLEAR, BEFORE, AFTER, WITHIN = 0.2, 0.03, 0.1, 0.06, 0.1
TIMES_EMPTY, BEGUN = 1.5, 0.002
_TOGETHER = 1 << 13  # samples looked at at once


def channels_apart(raw: ForcePlate, half: Array) -> Iterator[Note]:
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
    empty = np.abs(upward) < EMPTY * peak
    n_empty, zero = np.count_nonzero(empty), np.zeros((4, 1))
    if n_empty > LEAST_EMPTY * raw.rate_hz:
        zero = _channels(raw, _mean_of_rows(raw.force_p, empty), _mean_of_rows(raw.moment_p, empty))
        upward = upward - mean(upward[empty])
    pulled = n_empty <= LEAST_EMPTY * raw.rate_hz < np.count_nonzero(upward < -EMPTY * peak)
    carried, least = np.maximum(upward, 0.0), tells * peak
    del upward, empty  # of a long trial they are large
    found: dict[str, Callable[[Array], Array]] = {"plate/too_horizontal": _horizontal}
    if raw.outlined and fast:  # My = -x Fz, Mx = y Fz: as a force at the plate's edge
        found["plate/pressure_beside"] = partial(_at_the_edge, half=half)
    loaded = carried > least
    beyond_of = {name: np.zeros(len(carried), dtype=bool) for name in found}
    near = spans(_widened(loaded, round(BESIDE * raw.rate_hz)))
    for some in (block for first, stop in near for block in _blocks(first, stop)):
        channels = _channels(raw, raw.force_p[some], raw.moment_p[some]) - zero
        for name, size_of in found.items():
            size = size_of(channels)
            beyond_of[name][some] = (size > carried[some]) & (size > least)
    lasting = {}
    for name, beyond in beyond_of.items():
        if np.count_nonzero(beyond) > apart * raw.rate_hz:
            lasting[name] = max((b - a for a, b in spans(beyond)), default=0) / raw.rate_hz
    if not lasting:
        if fast:
            yield from _one_later(raw.force_p[:, :2].T, loaded, raw, BEGUN * peak)
        return
    what = max(lasting, key=lambda name: lasting[name])
    if lasting[what] > apart:
        wrong = note(
            "plate_channel/zeroed"
            if pulled
            else "plate_channel/other_channel"
            if lasting[what] > THROUGHOUT
            else "plate_channel/late",
            plates=raw.number,
            what=phrase(what),
            ms=lasting[what] * 1e3,
        )
        yield wrong if fast else wrong._replace(code="plate_doubtful")


def _blocks(first: int, stop: int) -> Iterator[slice]:
    """Samples that are looked at together: what is computed of them stays small."""
    return (slice(start, min(start + _TOGETHER, stop)) for start in range(first, stop, _TOGETHER))


def _mean_of_rows(values: Array, rows: Mask) -> Array:
    """(1, columns) mean of some rows; by a product: numpy's sum of some rows of few columns takes ten times as long."""
    total = rows.astype(float) @ values
    if not np.isfinite(total).all():  # other rows are not known
        total = np.add.reduce(values[rows])
    return np.asarray(total[None] / np.count_nonzero(rows))


def _channels(raw: ForcePlate, force_p: Array, moment_p: Array) -> Array:
    """(4, samples) Fx, Fy, and about the centre of the surface Mx - y Fz_up - z Fy, and My + z Fx + x Fz_up."""
    x, y, z = raw.sensor_p
    channels: Array = np.array([[1, 0, 0], [0, 1, 0], [0, -z, y], [z, 0, -x]]) @ force_p.T
    channels[2:] += moment_p[:, :2].T
    return channels


def _horizontal(channels: Array) -> Array:
    """(samples,) size of the horizontal force, N, of (4, samples) Fx, Fy, Mx, My."""
    fx, fy = channels[:2]
    return np.asarray(np.sqrt(fx * fx + fy * fy))


def _at_the_edge(channels: Array, half: Array) -> Array:
    """(samples,) vertical force, N, that would make the moments at the plate's edge, of the same channels."""
    mx, my = channels[2:]
    return np.asarray(np.maximum(np.abs(my) / half[0], np.abs(mx) / half[1]))


def _one_later(channels: Array, loaded: Mask, raw: ForcePlate, least_N: float) -> Iterator[Note]:
    """One horizontal channel, of (2, samples), that begins and ends later than the other in the loads of a plate."""
    load, clear, before, after, within = (round(s * raw.rate_hz) for s in (LOAD, CLEAR, BEFORE, AFTER, WITHIN))
    later = []
    for first, stop in spans(loaded):
        if stop - first < load or first < clear + before or stop + after > len(loaded):
            continue
        if loaded[first - clear - before : first].any() or loaded[stop : stop + after].any():
            continue
        empty = channels[:, first - clear - before : first - clear]
        zero = empty.mean(axis=1, keepdims=True)
        begun = np.maximum(TIMES_EMPTY * np.abs(empty - zero).max(axis=1, keepdims=True), least_N)
        on = np.abs(channels[:, first : first + within] - zero) > begun
        off = np.abs(channels[:, stop : stop + after] - zero)[:, ::-1] > begun
        if not on.any(axis=1).all():
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


def _widened(mask: Mask, n: int) -> Mask:
    """(samples,) true within n samples of a true one."""
    summed = np.zeros(len(mask) + 2 * n + 1, dtype=np.int32)
    np.cumsum(mask, out=summed[n + 1 : n + 1 + len(mask)])
    summed[n + 1 + len(mask) :] = summed[n + len(mask)]
    return np.asarray(summed[2 * n + 1 :] > summed[: len(mask)])
