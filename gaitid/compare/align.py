"""Two sets of curves -> the same curves on one axis: frames of one recording, time, or the gait cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.compare.curves import OPENSIM, SESSION, STORED, Curves
from gaitid.compare.mixture import Made
from gaitid.errors import GaitidError
from gaitid.gait import ENVELOPES
from gaitid.inputs import found_trial, sha256
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.gathering import load_result
from gaitid.report.page import PERCENT, Pooled, pool
from gaitid.report.page.messages import in_mean
from gaitid.results.result import Result
from gaitid.run.command import places
from gaitid.trial import Array

FRAMES, TIME, CYCLE = "frames", "time", "cycle"
WAYS = (FRAMES, TIME, CYCLE)
# Rates that differ by less than this share are one rate.
_SAME_RATE = 0.005
# m. Markers of one recording lie nearer to each other than this in both files (median), however they were smoothed.
_SAME_MARKERS_M = 0.05
_FEWEST_LABELS = 3


class Both(NamedTuple):
    """A curve of both sides on one axis, (rows,) each."""

    a: Array
    b: Array


class Means(NamedTuple):
    """What the means over the cycle of one side of a comparison are of.

    Attributes
    ----------
    results : tuple of Result
        That count.
    sides : mapping of side to Pooled
    """

    results: tuple[Result, ...]
    sides: Mapping[str, Pooled]


@frozen_dataclass(eq=False)
class Aligned:
    """Curves on one axis.

    Attributes
    ----------
    way : str
        ``frames``, ``time`` or ``cycle``.
    words : str
        How they were aligned, in a sentence.
    x : (rows,) array
        Frame numbers, seconds or percent.
    curves : mapping of str to Both
        Those that both sides have.
    only_a, only_b : tuple of str
        Columns that one side has alone.
    notes : tuple of str
    same_recording : bool
        Whether both are results of one recording, so that their ingredients can be exchanged.
    means : tuple of Means
        Over the cycle: those of A and of B.
    standard : mapping of str to (rows,) array
        Of one recording: standard uncertainties of A, or of B where A has none; empty where neither has.
    standard_of : str
        The name of the side that has them.
    """

    way: str
    words: str
    x: Array
    curves: Mapping[str, Both]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    notes: tuple[str, ...] = ()
    same_recording: bool = False
    means: tuple[Means, ...] = ()
    standard: Mapping[str, Array] = field(default_factory=dict)
    standard_of: str = ""

    def place(self, i: int) -> str:
        """A row in words."""
        x = self.x[i]
        return {FRAMES: f"frame {x:.0f}", TIME: f"{x:.3f} s", CYCLE: f"{x:.0f} %"}[self.way]


def align(a: Curves, b: Curves, way: str | None = None, start_s: float | None = None) -> Aligned:
    """Put both on one axis.

    Parameters
    ----------
    a, b : Curves
        At least one of them results.
    way : {"frames", "time", "cycle"}, optional
        By default frames of one recording; time where one has no frames; else the gait cycle.
    start_s : float, optional
        When the result's first frame was, by the clock of OpenSim's file.

    Raises
    ------
    GaitidError
        They have no instant in common, what one is has no such axis, or the start is no time.
    """
    if start_s is not None and not np.isfinite(start_s):
        raise GaitidError(f"--start {start_s}: no time", expected="seconds", todo="leave out --start")
    if start_s is not None and OPENSIM not in (a.kind, b.kind):
        what = "--start says when a result begins by the clock of OpenSim's file, and neither A nor B is one"
        raise GaitidError(what, todo="leave out --start")
    if SESSION in (a.kind, b.kind):
        if not (a.is_result and b.is_result):
            raise GaitidError("a session is compared with results alone", todo="give one result of it")
        if way not in (None, CYCLE):
            raise GaitidError(f"sessions have no common {way}", todo="leave out --align")
        return _over_cycle(a, b, ())
    notes: tuple[str, ...] = ()
    if STORED in (a.kind, b.kind):
        notes = _refuse_other_trial(a, b)
        if way not in (None, FRAMES):
            raise GaitidError("stored outputs are compared frame by frame", todo="leave out --align")
        return _by_frames(a, b, "frame by frame", notes)
    if OPENSIM in (a.kind, b.kind):
        if way not in (None, TIME):
            raise GaitidError("OpenSim's files are compared by time", todo="leave out --align")
        return _by_time(a, b, notes, start_s)
    same, why = _one_recording(a, b)
    if way is None:
        way = FRAMES if same else CYCLE
    if way == CYCLE:
        return _over_cycle(a, b, (why,) if not same else ())
    if way == TIME:
        return _by_time(a, b, () if same else (why,))
    aligned = _by_frames(a, b, "frame by frame", () if same else (why,))
    return replace(aligned, same_recording=same)


# --- frames -----------------------------------------------------------------------------------------------------


def _by_frames(a: Curves, b: Curves, words: str, notes: tuple[str, ...]) -> Aligned:
    assert a.frame is not None and b.frame is not None
    frames, rows_a, rows_b = np.intersect1d(a.frame, b.frame, return_indices=True)
    if not len(frames):
        raise GaitidError(
            f"{a.name} and {b.name} have no frame in common",
            found=f"{a.frame[0]:.0f} to {a.frame[-1]:.0f} and {b.frame[0]:.0f} to {b.frame[-1]:.0f}",
        )
    if _differ(_rate(a), _rate(b)):
        raise GaitidError(
            f"{a.name} and {b.name} have frames of other lengths",
            found=f"{_rate(a):g} and {_rate(b):g} Hz",
            todo="compare with --align time",
        )
    curves = {name: Both(a.columns[name][rows_a], b.columns[name][rows_b]) for name in a.columns if name in b.columns}
    if len(frames) < max(len(a.frame), len(b.frame)):
        notes += (f"{len(frames)} frames are in both of {len(a.frame)} and {len(b.frame)}",)
    aligned = _aligned(FRAMES, words, frames, curves, a.columns, b.columns, notes)
    of, rows = (a, rows_a) if a.standard else (b, rows_b)
    return replace(aligned, standard={name: u[rows] for name, u in of.standard.items()}, standard_of=of.name)


def _rate(curves: Curves) -> float:
    return float(1 / np.median(np.diff(curves.time_s))) if len(curves.time_s) > 1 else float("nan")


def _differ(rate: float, other: float) -> bool:
    return abs(rate / other - 1) > _SAME_RATE


def _refuse_other_trial(a: Curves, b: Curves) -> tuple[str, ...]:
    """Why outputs of a C3D may not be those of the trial that a result was made from.

    Raises
    ------
    GaitidError
        They cannot be.
    """
    result, stored = (a, b) if a.is_result else (b, a)
    if not result.is_result or stored.trial is None:
        raise GaitidError("stored outputs are compared with a result of their own trial")
    if sha256(found_trial(stored.trial)) == result.sha256:
        return ()
    assert result.frame is not None and stored.frame is not None
    span = stored.frame[0], stored.frame[-1], len(stored.frame)
    if span != (result.frame[0], result.frame[-1], len(result.frame)) or _differ(_rate(result), _rate(stored)):
        raise GaitidError(
            f"{stored.trial}: not the trial that {result.name} was made from",
            expected=f"frames {result.frame[0]:.0f} to {result.frame[-1]:.0f} at {_rate(result):g} Hz",
            found=f"frames {span[0]:.0f} to {span[1]:.0f} at {_rate(stored):g} Hz",
        )
    return (f"{stored.name} is another file than the one that {result.name} was made from, with the same frames",)


def _one_recording(a: Curves, b: Curves) -> tuple[bool, str]:
    """Whether two results are of one recording, and otherwise why not."""
    if a.sha256 and a.sha256 == b.sha256:
        return True, ""
    assert a.frame is not None and b.frame is not None
    if len(a.frame) != len(b.frame) or a.frame[0] != b.frame[0] or _differ(_rate(a), _rate(b)):
        return False, "they are of different trials"
    try:
        made = [curves.make() for curves in (a, b) if curves.make is not None]
    except GaitidError as error:
        return False, f"they are taken as different trials, for their files cannot be looked at: {error.line()}"
    return (True, "") if len(made) == 2 and _same_markers(*made) else (False, "they are of different trials")


def _same_markers(a: Made, b: Made) -> bool:
    trials = a.result.trial, b.result.trial
    labels = [label for label in trials[0].labels if all(trial.has(label) for trial in trials)]
    apart = [np.linalg.norm(trials[0].marker(label) - trials[1].marker(label), axis=1) for label in labels]
    known = np.concatenate([d[np.isfinite(d)] for d in apart]) if apart else np.empty(0)
    return len(labels) >= _FEWEST_LABELS and known.size > 0 and float(np.median(known)) < _SAME_MARKERS_M


# --- time -------------------------------------------------------------------------------------------------------


def _by_time(a: Curves, b: Curves, notes: tuple[str, ...], start_s: float | None = None) -> Aligned:
    starts, of_clock = _clocks(a, b, start_s)
    times = [curves.time_s + start for curves, start in zip((a, b), starts, strict=True)]
    notes += of_clock
    rates = _rate(a), _rate(b)
    # the instants of the slower one; of a result where both are alike, for its frames have numbers
    base = int(np.argmin(rates)) if _differ(*rates) else (0 if a.is_result else 1)
    other = 1 - base
    half = 0.5 / min(rates)
    inside = (times[base] >= times[other][0] - half) & (times[base] <= times[other][-1] + half)
    if not inside.any():
        raise GaitidError(
            f"{a.name} and {b.name} have no time in common",
            found=f"{times[0][0]:.3f} to {times[0][-1]:.3f} s and {times[1][0]:.3f} to {times[1][-1]:.3f} s",
        )
    at = times[base][inside]
    curves: dict[str, Both] = {}
    for name in a.columns:
        if name in b.columns:
            sampled: list[Array] = [np.empty(0), np.empty(0)]
            sampled[base] = (a, b)[base].columns[name][inside]
            sampled[other] = at_instants(times[other], (a, b)[other].columns[name], at)
            curves[name] = Both(*sampled)
    name = (a, b)[other].name
    on = int((np.abs(times[other][np.abs(times[other][:, None] - at).argmin(axis=0)] - at) < 1e-5).sum())
    how = f"{on} of {len(at)} instants are in both" if on else "no instant is in both"
    words = f"by time, at the instants of {(a, b)[base].name}; {name} read there by cubics through four rows ({how})"
    aligned = _aligned(TIME, words, at, curves, a.columns, b.columns, notes)
    i = 0 if a.standard else 1
    of = (a, b)[i]
    standard = {name: u[inside] if i == base else at_instants(times[i], u, at) for name, u in of.standard.items()}
    return replace(aligned, standard=standard, standard_of=of.name)


def _clocks(a: Curves, b: Curves, start_s: float | None) -> tuple[tuple[float, float], tuple[str, ...]]:
    """When the first row of each was, s, by one clock, and what was assumed of it."""
    if OPENSIM not in (a.kind, b.kind):
        return (_by_number(a), _by_number(b)), ()
    result, other = (a, b) if a.is_result else (b, a)
    start, note = (start_s, ()) if start_s is not None else _start(result, other)
    return ((start, 0.0) if a is result else (0.0, start)), note


def _by_number(curves: Curves) -> float:
    """By a clock that is 0 at frame 1."""
    assert curves.frame is not None
    return float((curves.frame[0] - 1) / _rate(curves))


def _start(result: Curves, other: Curves) -> tuple[float, tuple[str, ...]]:
    """When a result's first frame was by the clock of a file made elsewhere: as its TRC says, else 0 or by its number.

    Programs that convert a C3D begin its times with 0, or with the time of its first frame: the clock is taken by
    which the file lies within the recording.
    """
    path = _trial_of(result)
    if path is not None and path.suffix.lower() == ".trc":
        from gaitid.read.tables.text_table import read_lines
        from gaitid.read.tables.trc import take_apart

        return float(take_apart(read_lines(path, "TRC", any_encoding=True)).rows[0].split("\t")[1]), ()
    numbered, half = _by_number(result), 0.5 / _rate(result)
    if abs(numbered) < half:
        return 0.0, ()
    fits = [
        start
        for start in (0.0, numbered)
        if start - half <= other.time_s[0] and other.time_s[-1] <= start + result.time_s[-1] + half
    ]
    start = numbered if fits == [numbered] else 0.0
    why = "only so it lies within the recording" if len(fits) == 1 else "say otherwise with --start SECONDS"
    return start, (f"{other.name}: its clock is taken as {start:g} s at the first frame of {result.name} ({why})",)


def _trial_of(curves: Curves) -> Path | None:
    entries: list[Mapping[str, Any]] = [e for e in curves.record.get("inputs", []) if e.get("role") == "trial"]
    if not entries or not curves.files:
        return None
    result = (found_trial(path) for path in places(Path(str(entries[0]["path"])), curves.files[0]))
    return next((path for path in result if path.is_file()), None)


def at_instants(times: Array, values: Array, at: Array) -> Array:
    """A curve at other instants: the cubic through the two rows on either side (Lagrange).

    Where one of the four is unknown or beyond an end, the line between the two; unknown where one of these is. A row
    whose time is the instant itself, to 10 µs, is taken as it is.

    Parameters
    ----------
    times, values : (rows,) arrays
    at : (n,) array
    """
    n = len(times)
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(n - 2, 0))
    nearest = np.where(np.abs(times[low] - at) <= np.abs(times[np.minimum(low + 1, n - 1)] - at), low, low + 1)
    nearest = np.minimum(nearest, n - 1)
    inside = (at >= times[0]) & (at <= times[-1])
    high = np.minimum(low + 1, n - 1)
    width = np.where(high > low, times[high] - times[low], 1.0)
    share = (at - times[low]) / width
    line = (1 - share) * values[low] + share * values[high]
    index = low[:, None] + np.arange(-1, 3)
    four = (index >= 0) & (index < n)
    index = np.clip(index, 0, n - 1)
    t, v = times[index], values[index]
    cubic = np.zeros(len(at))
    for i in range(4):
        others = [j for j in range(4) if j != i]
        apart = t[:, [i]] - t[:, others]
        weight = np.prod((at[:, None] - t[:, others]) / np.where(apart == 0, 1.0, apart), axis=1)
        cubic += weight * v[:, i]
    result = np.where(four.all(axis=1) & np.isfinite(cubic), cubic, line)
    result = np.where(inside, result, np.nan)
    return np.where(np.abs(times[nearest] - at) < 1e-5, values[nearest], result)


# --- the cycle --------------------------------------------------------------------------------------------------


def _over_cycle(a: Curves, b: Curves, notes: tuple[str, ...]) -> Aligned:
    """Means over the cycles of the walks that count, as a report takes them."""
    columns: list[dict[str, Array]] = []
    counts, of_sides = [], []
    for curves in (a, b):
        results = [load_result(path) for path in curves.files]
        means = in_mean(results)
        basis = pool(means.results)
        if basis.kind != CYCLE:
            raise GaitidError(f"{curves.name}: no whole gait cycle to compare over", todo="see gaitid report for it")
        notes += means.left_out
        of_sides.append(Means(means.results, basis.sides))
        collected: dict[str, Array] = {}
        sides = []
        for side, pooled in basis.sides.items():
            n = 0
            for name in (*pooled.curves.columns, *pooled.muscles):
                mean = pooled.mean(name)
                n = max(n, mean.n)
                if mean.n:
                    collected[f"{side}_{name}"] = mean.mean
            sides.append(f"{n} {side}")
        columns.append(collected)
        counts.append(f"{curves.name}: {', '.join(sides)}")
    if words := _muscles_apart(a, b, columns):
        notes = (*notes, words)
        columns = [{name: of for name, of in some.items() if not name.endswith(ENVELOPES)} for some in columns]
    curves_of = {name: Both(columns[0][name], columns[1][name]) for name in columns[0] if name in columns[1]}
    if not curves_of:
        raise GaitidError(f"{a.name} and {b.name} have no curve in common")
    words = f"over the gait cycle, 0–100 %, means of whole cycles ({'; '.join(counts)})"
    aligned = _aligned(CYCLE, words, PERCENT, curves_of, columns[0], columns[1], notes)
    return replace(aligned, means=tuple(of_sides))


# Of a reference contraction: no muscle of a walk is ten times as active as in its own contraction against resistance.
_NO_CONTRACTION_PERCENT = 1000.0


def _muscles_apart(a: Curves, b: Curves, columns: Sequence[Mapping[str, Array]]) -> str:
    """Why the envelopes of muscles are not compared; empty where they are, or where both sides do not have any."""
    if not all(any(name.endswith(ENVELOPES) for name in some) for some in columns):
        return ""
    cure = "run both with --emg-reference FILE of a reference contraction"
    for curves, some in zip((a, b), columns, strict=True):
        if not any(name.endswith("_envelope_percent") for name in some):
            return (
                f"muscles are not compared: envelopes of {curves.name} are volts, which follow the electrodes; {cure}"
            )
        for result in map(load_result, curves.files):
            hashes = {entry.get("role"): entry.get("sha256") for entry in result.mappings("inputs")}
            if hashes.get("emg_reference") in (None, result.trial_sha256()):
                return f"muscles are not compared: 100 % is the own maximum of {curves.name}; {cure}"
        name, reach = max(
            ((name, float(np.nanmax(of, initial=0.0))) for name, of in some.items() if name.endswith(ENVELOPES)),
            key=lambda pair: pair[1],
        )
        if reach > _NO_CONTRACTION_PERCENT:
            message = (
                f"{name.removesuffix('_envelope_percent').replace('_', ' ')} of {curves.name} reaches {reach:.0f} %"
            )
            return f"muscles are not compared: {message} of its reference, which was no contraction of it; {cure}"
    return ""


def _aligned(
    way: str,
    words: str,
    x: Array,
    curves: Mapping[str, Both],
    a: Mapping[str, Array],
    b: Mapping[str, Array],
    notes: tuple[str, ...],
) -> Aligned:
    if not curves:
        raise GaitidError("they have no curve in common", found=f"{len(a)} and {len(b)} curves of other names")
    only_a, only_b = (tuple(n for n in first if n not in second) for first, second in ((a, b), (b, a)))
    return Aligned(way, words, np.asarray(x, dtype=np.float64), curves, only_a, only_b, notes)
