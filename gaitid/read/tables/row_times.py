"""When the rows of a table were taken: frames that count by 1, times that are even, forces beside camera frames."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.numerics.masks import median
from gaitid.trial import Array

Integers = NDArray[np.int64]

# A row's time may differ from an even grid by this much of the sampling interval: printed times are rounded.
UNEVEN = 0.1
# Of a unit of the last digit: what computing leaves of a time.
_EXACT = 1e-3
_HALVINGS = 60
# More digits than any time has.
_POWER = 99
# Cameras and plates run between these; a time in milliseconds or in frames would not.
_RATES_HZ = (1.0, 1e6)


def whole_numbers(values: Array, first_row: int, column: str) -> Integers:
    """(rows,) integers from a column; ReadError at the first cell that is empty or not whole."""
    bad = ~((values == np.rint(values)) & (np.abs(values) < 2**53))  # NaN is never equal
    if bad.any():
        row = int(np.argmax(bad))
        found = "an empty cell" if np.isnan(values[row]) else f"{values[row]:g}"
        raise ReadError(
            f"row {first_row + row}, column {column!r}: not a whole number",
            expected="frames that count by 1",
            found=found,
        )
    return values.astype(np.int64)


def check_counts_by_one(frames: Integers, first_row: int, column: str) -> None:
    """ReadError at the first frame that does not follow the one before it."""
    wrong = np.flatnonzero(np.diff(frames) != 1)
    if wrong.size:
        row = int(wrong[0]) + 1
        raise ReadError(
            f"row {first_row + row}, column {column!r}: frames do not count by 1",
            expected=str(frames[row - 1] + 1),
            found=str(frames[row]),
            todo="keep a row for every frame, with empty cells where nothing was seen",
        )


def even_rate(
    times: Array, first_row: int, column: str = "time_s", *, resolution_s: float = 0.0, near_hz: float = math.nan
) -> float:
    """Rate, Hz, of rows with these times, s, which must be even to `UNEVEN` of the interval, or as they are printed.

    A whole number of Hz where the times, rounded as they are printed, say it as well as the fitted rate.

    Parameters
    ----------
    times : (rows,) array
    first_row : int
        Number of the first of them in the file, for errors.
    column : str
        Its name, for errors.
    resolution_s : float
        Of the last digit that is printed: times that are even but for their rounding to it are even. 0: not looked at.
    near_hz : float
        What the file says; NaN where it says nothing.

    Raises
    ------
    ReadError
        Fewer than two rows, an empty time, or the first row that is off the grid.
    """
    if np.isnan(times).any():
        row = first_row + int(np.argmax(np.isnan(times)))
        raise ReadError(f"row {row}, column {column!r}: empty", expected="a time for every row")
    if times.size < 2:
        raise ReadError("only one row", expected="at least two, for the rate")
    if (rate := _rounded_rate(times, resolution_s, near_hz)) is not None:
        return rate
    i = np.arange(times.size)
    steps = np.diff(times)
    if (back := steps < 0).any() and not back.all():
        row = int(np.argmax(back)) + 1
        raise ReadError(
            f"row {first_row + row}, column {column!r}: time goes back",
            expected=f"more than {times[row - 1]:.6g} s",
            found=f"{times[row]:.6g} s",
            todo="sort the rows by time",
        )
    step = float(median(steps))
    if not step > 0:
        row = int(np.argmin(steps > 0)) + 1
        raise ReadError(
            f"row {first_row + row}, column {column!r}: time does not go on",
            expected=f"more than {times[row - 1]:.6g} s",
            found=f"{times[row]:.6g} s",
        )
    # A time rounded to 1 ms moves a step by up to 1 ms; a lost row moves it by a whole interval.
    off = np.flatnonzero(np.abs(steps - step) > 2 * UNEVEN * step) + 1
    if off.size == 0:
        step, start = (float(value) for value in np.polyfit(i, times, 1))
        off = np.flatnonzero(np.abs(times - start - i * step) > UNEVEN * step)
    if off.size:
        row = max(int(off[0]), 1)
        if steps[row - 1] == 0:
            what = f"row {first_row + row}, column {column!r}: the same time as in the row before"
            raise ReadError(what, found=f"{times[row]:.6g} s twice", todo="leave out rows that stand twice")
        raise ReadError(
            f"row {first_row + row}, column {column!r}: not evenly sampled",
            expected=f"{times[row - 1] + step:.6g} s within {UNEVEN:.0%} of the interval",
            found=f"{times[row]:.6g} s",
            todo="keep a row for every sample, and write times with enough digits",
        )

    def spread(interval: float) -> float:
        return float(np.ptp(times - i * interval))

    if not _RATES_HZ[0] <= 1 / step <= _RATES_HZ[1]:
        found = f"an interval of {step:.3g} s"
        raise ReadError(
            f"column {column!r} is not in seconds", expected=f"1 to {_RATES_HZ[1]:,.0f} rows a second", found=found
        )
    rounded = float(np.rint(1 / step))
    printed = 1e-9 * float(np.abs(times).max())  # what %.10g leaves
    return rounded if rounded > 0 and spread(1 / rounded) <= 1.2 * spread(step) + printed else 1 / step


def decimals_of(text: str) -> int:
    """Digits behind the decimal point of a number; as many as any has where it is written with a power of ten."""
    text = text.strip().lower()
    return _POWER if "e" in text else len(text.partition(".")[2])


def _rounded_rate(times: Array, resolution_s: float, near_hz: float) -> float | None:
    """The rate, Hz, of times that are even but for their rounding, where that is coarse; None where they are not.

    The errors of rounding lie within one unit of the last digit, wherever that begins; a lost row moves all times that
    follow by a whole interval on top of them.
    """
    n = times.size
    step = (times[-1] - times[0]) / (n - 1)
    if not UNEVEN * step < resolution_s < 3 * step or n * step < 20 * resolution_s or (np.diff(times) < 0).any():
        return None
    i = np.arange(n)
    low, high = step - 2 * resolution_s / n, step + 2 * resolution_s / n
    for _ in range(_HALVINGS):  # the interval with the least spread, which is convex in it
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if np.ptp(times - i * a) < np.ptp(times - i * b) else (a, high)
    for rate in (near_hz, float(np.rint(1 / low)), 1 / low):
        if not _RATES_HZ[0] <= rate <= _RATES_HZ[1]:
            continue
        off = times - i / rate
        share = (off - off.min()) / resolution_s
        # all at both ends: times that are exact, and a row that is lost
        if share.max() <= 1 + _EXACT and ((share > _EXACT) & (share < 1 - _EXACT)).any():
            return rate
    return None


def start_after(seconds: Array, cameras_s: tuple[float, float], where: str) -> tuple[float, Notes]:
    """How long after the first camera frame a force file's first sample was taken; both have one clock.

    Parameters
    ----------
    seconds : (n,) array
        Times of the force samples.
    cameras_s : (float, float)
        Times of the first and the last camera frame.
    where : str
        The force file, put before notes.

    Returns
    -------
    late_s : float
        Negative where the forces begin first.
    notes : Notes
        Of frames without forces.

    Raises
    ------
    ReadError
        The two files have no moment in common.
    """
    first, last = float(seconds[0]), float(seconds[-1])
    if last < cameras_s[0] or first > cameras_s[1]:
        early = last < cameras_s[0]
        apart_s, when = (cameras_s[0] - last, "ends") if early else (first - cameras_s[1], "begins")
        raise ReadError(
            f"{when} {apart_s:.4g} s {'before the first' if early else 'after the last'} camera frame",
            expected=f"samples between {cameras_s[0]:.6g} and {cameras_s[1]:.6g} s",
            found=f"{first:.6g} to {last:.6g} s",
            todo="give both files the same clock",
        )
    interval = (last - first) / max(len(seconds) - 1, 1)
    late_s, early_s = first - cameras_s[0], cameras_s[1] - last
    notes: Notes = ()
    if late_s > interval:
        notes += (note("forces_partial/late", where=where, late_s=late_s),)
    if early_s > interval:
        notes += (note("forces_partial/early", where=where, early_s=early_s),)
    return late_s, notes


def shifted(samples: Array, late_samples: int) -> Array:
    """(n, k) samples of which the first was taken `late_samples` after time 0: filled with NaN, or cut."""
    if late_samples <= 0:
        return samples[-late_samples:]
    return np.concatenate([np.full((late_samples, samples.shape[1]), np.nan), samples])
