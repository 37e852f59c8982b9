"""The low-pass of markers: whether they need one, at which cut-off, what it does, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gaitid.errors import TrialError
from gaitid.markers.tracks import Tracks
from gaitid.model import specs
from gaitid.notes import Note, Notes, note
from gaitid.numerics.bandwidth import movement_frequency, signal_bandwidth
from gaitid.numerics.lowpass import lowpass, pad_length
from gaitid.numerics.masks import by_blocks, median, noise_levels, quantile
from gaitid.numerics.rotation import norm
from gaitid.trial import Array

# mm. Trajectories with less noise than this were smoothed before they were stored. On a simulated walk at 100 Hz
# unfiltered noise costs 223 N·m a millimetre at the hip and the 7 Hz filter 0.55 N·m: they break even at 0.0025 mm.
# Walks that Nexus smoothed have at most 0.00002 mm, raw trajectories 0.008 mm and more (docs/method.md).
SMOOTHED_BELOW_MM = 0.002
# mm. A single marker with more noise is rough, where no filter is used (22 N·m at the hip by the figure above) and
# where one is. Markers of eleven trials that were smoothed carry 0.0001 mm at most, those of toes that somebody filled
# by hand 0.07; of six raw ones 0.12, of a walk at 60 Hz 0.46. All
# markers together carry 0.61 mm at most (50 Hz; 71 files of over 25 laboratories); 1.3 mm leave 0.15 to 0.43 N·m/kg.
# Hz. In fewer frames movement counts as noise: of two sprints 0.44 and 0.55 mm at 80 Hz, 0.85 and 0.93 at 60, 1.33 at
# 50, of a walk without markers 0.24, 0.52 and 0.82, and 1.24 at 40: there twice as much is rough, at less nothing is.
ROUGH_UNFILTERED_MM, ROUGH_MM, ROUGH_FROM_HZ = 0.1, 1.0, 75.0
SLOW_ROUGH_MM, SLOW_FROM_HZ = 2.0, 40.0
# Times what most markers carry: that of any one lies up to 1.4 times above the others' where all carry the same.
ROUGHER = 5.0
# mm. More is no noise of cameras, and no marker is where it is said to be: 10 mm move joints as far as skin does
# (Leardini et al. 2005, Gait Posture 21:212-225), in every frame anew.
LOST_MM = 5.0
# Hz. `movement_frequency` of the simulated walk, for which `raw_cutoff_hz` was chosen. The cut-off with the least error
# of moments goes in proportion: slow walk, walk, fast walk and run of 0.97 to 2.39 Hz ask for 5 to 12 (docs/method.md).
WALK_HZ = 1.36
# Hz. Where cross-validation lets this much of a walk through, noise that neighbouring frames share misled it.
MISLED_HZ = 15.0
# m. Half of the markers are moved farther than this by 7 Hz at 9.5 m/s (21 mm); walks and runs stay below 6.2 mm. That
# is by how much a marker is moved in this share of the frames at most.
STRONG_M, MOST_SHARE = 0.01, 0.99
# Frames in which what an interpolating quintic spline carries of a step shrinks to 0.3 %.
SPLINE_REACH = 7
# Degree of the Savitzky-Golay filter's polynomials.
SAVITZKY_GOLAY_DEGREE = 3


def resolved(
    raw: Tracks, filled: Tracks, settings: specs.Settings, rate_hz: float
) -> tuple[specs.Settings, dict[str, Any], Notes]:
    """Settings with ``auto`` decided from noise and movement of the markers, both for the record, and what to say."""
    by_marker = noise_levels(1e3 * np.array([*raw.values()])) if raw else ()
    levels = dict(zip(raw, map(float, by_marker), strict=True))
    known = [level for level in levels.values() if np.isfinite(level)]
    noise = float(median(np.array(known))) if known else float("nan")
    figures: dict[str, Any] = {"marker_noise_mm": noise}
    if settings.cutoff_hz == "auto":
        smoothed = not noise > SMOOTHED_BELOW_MM
        rough = _rough_ones(levels, noise, ROUGH_UNFILTERED_MM if smoothed else ROUGH_MM)
        if rough:  # labels that change places in every third frame are none: what is believed tells
            of_seen = noise_levels(1e3 * np.array([filled[label] for label in rough]))
            left = {label: float(mm) for label, mm in zip(rough, of_seen, strict=True) if np.isfinite(mm)}
            rough = _rough_ones(left, noise, ROUGH_UNFILTERED_MM if smoothed else ROUGH_MM)
        if rough:
            figures["rough_markers_mm"] = rough
        if smoothed:
            return (
                settings._replace(cutoff_hz=None),
                figures,
                _rough_notes(rough, noise, "markers_rough/some_unfiltered", settings.raw_cutoff_hz),
            )
        if settings.marker_filter == "gcv_spline":
            return settings, figures, (note("marker_filter/spline", noise_mm=noise),)
        moving = filled.points[:, [label not in rough for label in filled]] if rough else filled.points
        frequency = movement_frequency(moving, rate_hz, noise * 1e-3)
        figures["movement_frequency_hz"] = _ten_digits(frequency)
        cutoff, n_frames = _cutoff_for(frequency, settings.raw_cutoff_hz, rate_hz), len(next(iter(raw.values())))
        if cutoff >= rate_hz / 2 or n_frames <= pad_length(cutoff, rate_hz):
            if cutoff >= rate_hz / 2:
                said = note("markers_rough/slow_cameras", noise_mm=noise, cutoff_hz=cutoff, half_hz=rate_hz / 2)
            else:
                said = note("markers_rough/few_frames", noise_mm=noise, cutoff_hz=cutoff, n_frames=n_frames)
            return settings._replace(cutoff_hz=None), figures, (said,)
        settings, faster = settings._replace(cutoff_hz=cutoff), cutoff > settings.raw_cutoff_hz
        filtered = note("marker_filter/low_pass", noise_mm=noise, cutoff_hz=cutoff, faster=faster)
        notes = (filtered, *_rough_notes(rough, noise, "markers_rough/some"))
        most = ROUGH_MM if rate_hz >= ROUGH_FROM_HZ else SLOW_ROUGH_MM
        if noise > most and rate_hz >= SLOW_FROM_HZ:
            code = "markers_lost/all" if noise > LOST_MM else "markers_rough/filtered"
            notes += (note(code, noise_mm=noise, most_mm=most),)
        return settings, figures, notes
    if settings.cutoff_hz is None and noise > SMOOTHED_BELOW_MM:
        return settings, figures, (note("markers_rough/unfiltered", noise_mm=noise),)
    return settings, figures, ()


def _rough_ones(levels: Mapping[str, float], noise_mm: float, limit_mm: float) -> dict[str, float]:
    """The markers that carry much more noise than the others, and how much, mm."""
    return {label: level for label, level in sorted(levels.items()) if level > max(limit_mm, ROUGHER * noise_mm)}


def lost_markers(quality: Mapping[str, Any]) -> set[str]:
    """Those that carry more noise than cameras leave (`LOST_MM`), by a record of the markers' quality."""
    if quality["marker_noise_mm"] > LOST_MM:
        return {*quality["marker_filter"].get("effective_cutoff_hz", ())}
    return {label for label, mm in quality.get("rough_markers_mm", {}).items() if mm > LOST_MM}


def _rough_notes(rough: Mapping[str, float], noise_mm: float, name: str, alone_hz: float | None = None) -> Notes:
    """That some markers do; more than cameras leave is said of those that carry it. `alone_hz`: where only they are
    low-passed.
    """
    notes = list[Note]()
    for code, least_mm, most_mm in (
        (name, 0.0, ROUGH_MM),
        ("markers_rough/some", ROUGH_MM, LOST_MM),
        ("markers_lost/some", LOST_MM, np.inf),
    ):
        some = {label: mm for label, mm in rough.items() if least_mm < mm <= most_mm}
        if some:
            words: dict[str, Any] = {"markers": [*some], "most_mm": max(some.values()), "noise_mm": noise_mm}
            notes.append(note(code, **words | ({"alone_hz": alone_hz} if most_mm > ROUGH_MM else {})))
    return tuple(notes)


def _cutoff_for(frequency_hz: float, of_walk_hz: float, rate_hz: float) -> float:
    """The cut-off of the low-pass, Hz: `of_walk_hz` for a walk, in proportion for what moves faster (whole Hz)."""
    if not frequency_hz > WALK_HZ:
        return of_walk_hz
    return max(of_walk_hz, min(float(round(of_walk_hz * frequency_hz / WALK_HZ)), rate_hz / 4))


def through_filter(
    markers: Tracks, settings: specs.Settings, rate_hz: float, rough_mm: Mapping[str, float]
) -> tuple[Array, dict[str, Any], specs.Settings]:
    """(frames, markers, 3) through the filter, what it is (effective −3 dB by marker), settings with the frames spoiled
    at ends. Where most markers need none, of those in `rough_mm` what they say of noise decides (`low_passed_alone`).
    """
    cutoff, points = settings.cutoff_hz, markers.points
    if cutoff is None or not markers:
        return _rough_smoothed(markers, rough_mm, settings, rate_hz), {"method": "none"}, settings
    if isinstance(cutoff, float) and not cutoff < rate_hz / 2:
        raise TrialError(
            f"the cut-off {cutoff:g} Hz is too high",
            expected=f"below half the rate, {rate_hz / 2:g} Hz",
            todo="give a lower --cutoff, or none",
        )
    n_frames = len(points)
    if isinstance(cutoff, float) and n_frames <= (needed := pad_length(cutoff, rate_hz)):
        near = cutoff > rate_hz / 4  # half the rate: what swings from frame to frame dies out slowly
        raise TrialError(
            f"the trial is too short to be low-passed at {cutoff:g} Hz",
            expected=f"more than {needed} frames, {needed / rate_hz:.3g} s",
            found=f"{n_frames} frames, {n_frames / rate_hz:.3g} s",
            todo=f"give a {'lower' if near else 'higher'} --cutoff, or none",
        )
    labels = list(markers)
    figures: dict[str, Any] = {"method": settings.marker_filter}
    effective: Array
    if settings.marker_filter == "gcv_spline":
        from gaitid.numerics.gcv_spline import smoothing_for_cutoff, smoothing_spline

        variance = None if settings.spline_mse_mm2 is None else settings.spline_mse_mm2 * 1e-6
        given = None if cutoff == "auto" else smoothing_for_cutoff(float(cutoff), rate_hz)
        try:
            spline = smoothing_spline(points, rate_hz, smoothing=given, mse=variance if given is None else None)
        except ValueError as error:
            raise TrialError(f"the markers cannot be smoothed so: {error}", todo="give a higher --cutoff") from None
        values = spline.values
        # one figure a marker: that of its axis which is smoothed least
        effective = np.fmax.reduce(np.where(np.isnan(spline.cutoff_hz), rate_hz / 2, spline.cutoff_hz), axis=1)
        figures["smoothing_parameter_s5"] = {label: spline.smoothing[i] for i, label in enumerate(labels)}
        figures["chosen_by"] = "cut-off" if given is not None else "GCV" if variance is None else "mean squared error"
        spoiled = int(np.ceil(rate_hz / np.fmin.reduce(effective) / 2))
    elif settings.marker_filter == "savitzky_golay":
        from gaitid.numerics.lowpass import savitzky_golay, savitzky_golay_window

        window, real_hz = savitzky_golay_window(float(cutoff), rate_hz, SAVITZKY_GOLAY_DEGREE)
        values = savitzky_golay(points, window, SAVITZKY_GOLAY_DEGREE)
        effective = np.full(len(labels), real_hz)
        figures |= {"window_frames": window, "degree": SAVITZKY_GOLAY_DEGREE}
        spoiled = window // 2
    else:
        values = lowpass(points, float(cutoff), rate_hz)
        effective = np.full(len(labels), float(cutoff))
        figures["order_and_passes"] = "second order, forward and backward"
        # the point reflection at the ends of a span bends the last half of what is reflected
        spoiled = int(np.ceil(pad_length(float(cutoff), rate_hz) / 2))
    figures["effective_cutoff_hz"] = {label: effective[i] for i, label in enumerate(labels)}
    settings = settings._replace(end_frames=max(settings.end_frames, spoiled))
    return values, figures, settings


def low_passed_alone(rough_mm: Mapping[str, float], settings: specs.Settings, rate_hz: float) -> set[str]:
    """Markers that are low-passed though the others were before they were stored: they carry what is no rest of noise.

    Parameters
    ----------
    rough_mm : mapping of label to float
        Of a record of the markers' quality, as there are any.
    settings : Settings
        As resolved.
    rate_hz : float
    """
    if settings.cutoff_hz is not None or not settings.raw_cutoff_hz < rate_hz / 2:
        return set()
    return {label for label, mm in rough_mm.items() if mm > ROUGH_MM}


def _rough_smoothed(markers: Tracks, rough_mm: Mapping[str, float], settings: specs.Settings, rate_hz: float) -> Array:
    """(frames, markers, 3) with those low-passed that need it alone; the same where none does."""
    alone = low_passed_alone(rough_mm, settings, rate_hz)
    if not alone or len(markers.points) <= pad_length(settings.raw_cutoff_hz, rate_hz):
        return markers.points
    points = markers.points.copy()
    some = [i for i, label in enumerate(markers) if label in alone]
    points[:, some] = lowpass(points[:, some], settings.raw_cutoff_hz, rate_hz)
    return points


def reach(figures: Mapping[str, Any], rate_hz: float) -> int:
    """Frames on each side to which filter and derivatives carry a step: there less than 0.4 % of it is left.

    Of a low-pass one period of its cut-off, as at the ends of a span (`pad_length`); of the quintic spline that
    derivatives are taken of (`gaitid.numerics.spline`) each frame leaves 0.4306.
    """
    effective = [float(v) for v in figures.get("effective_cutoff_hz", {}).values()]
    cutoff_hz = min(effective, default=rate_hz)
    if not cutoff_hz < rate_hz / 2:
        return SPLINE_REACH
    return max(SPLINE_REACH, pad_length(cutoff_hz, rate_hz))


def bandwidth(smooth: Array, figures: Mapping[str, Any], rate_hz: float) -> float:
    """Up to which frequency the markers hold the movement, Hz: by their filter here, or by what they look like."""
    effective = [float(v) for v in figures.get("effective_cutoff_hz", {}).values()]
    if effective:
        return float(median(np.array(effective)))
    return signal_bandwidth(smooth, rate_hz) if smooth.size else float("nan")


def strong_filter_notes(seen: Array, smooth: Array, settings: specs.Settings) -> Notes:
    """That the filter takes away movement: it moves most markers farther than their noise could be."""
    cutoff = settings.cutoff_hz
    if not isinstance(cutoff, float):
        return ()
    inside = slice(settings.end_frames, -settings.end_frames)
    rows = np.arange(len(seen))
    moved = by_blocks(lambda some: norm(seen[some] - smooth[some]), rows, times=max(seen[:1].size, 1))[inside]
    if np.isfinite(moved).all() and len(moved):
        most = quantile(moved, MOST_SHARE)
    else:
        known = [of[np.isfinite(of)] for of in moved.T]
        most = np.array([quantile(of, MOST_SHARE) for of in known if of.size])
    typical = float(median(most)) if most.size else 0.0
    if typical < STRONG_M:
        return ()
    return (note("filter_strong", cutoff_hz=cutoff, moved_mm=typical * 1e3),)


def filter_notes(settings: specs.Settings, figures: Mapping[str, Any], loaded: bool) -> Notes:
    notes = []
    effective = [float(v) for v in figures.get("effective_cutoff_hz", {}).values()]
    typical = float(median(np.array(effective))) if effective else float("nan")
    if figures.get("chosen_by") == "GCV" and typical > MISLED_HZ:
        notes.append(note("filter_misled", cutoff_hz=typical))
    wanted, force = settings.cutoff_hz, settings.force_cutoff_hz
    if effective and isinstance(wanted, float) and abs(typical / wanted - 1) > 0.1:
        notes.append(note("filter_inexact", wanted_hz=wanted, nearest_hz=typical))
    if loaded and effective and settings.joint_loads != "matched" and (force is None or abs(force - typical) > 0.5):
        notes.append(note("filters_differ", markers_hz=typical, plates_hz=force, unfiltered=force is None))
    return tuple(notes)


def _ten_digits(value: float) -> float:
    """As tables have them: behind these a sum over all markers depends on how many threads made it."""
    return float(f"{value:.10g}")


def residual_analysis(markers: Tracks, rate_hz: float) -> dict[str, Any]:
    """What Winter's residual analysis proposes for each marker; it needs a noise floor (docs/smoothing.md)."""
    from gaitid.numerics.bandwidth import residual_cutoff

    proposed = residual_cutoff(markers.points, rate_hz)
    return {
        "residual_analysis_hz": {label: _ten_digits(proposed.cutoff_hz[i]) for i, label in enumerate(markers)},
        "residual_analysis_refused": {
            label: str(proposed.reason[i]) for i, label in enumerate(markers) if proposed.reason[i]
        },
    }
