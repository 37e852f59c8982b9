"""Faults besides those of `mistake_list.py`, by their names, in groups: what `attacks.py` does to each trial."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import attack_fills as fills
import attack_markers as markers
import attack_plates as plates
import attack_signals as signals
import numpy as np
from mistake_list import FX, FY, FZ, MX, MY, MZ, NAMES, Make, Mistake


def Attack(group: str, name: str, make: Make) -> Mistake:
    """A fault whose cause nobody is asked for."""
    return Mistake(group, name, make, frozenset())


def _clocks() -> Iterator[Mistake]:
    for ms in (50, 100, -50, -100):
        yield Attack("clocks", f"forces and events {ms:+d} ms", partial(plates.late_markers_and_events, ms * 1e-3))
    for ms in (20, 50):
        yield Attack("clocks", f"{ms} ms of samples lost", partial(signals.samples_lost, ms * 1e-3))
        yield Attack("clocks", f"{ms} ms of samples stored twice", partial(signals.samples_twice, ms * 1e-3))


def _channels() -> Iterator[tuple[str, plates.Spoil]]:
    """What is wrong with single channels: of one plate."""
    for channel, factors in ((FX, (0.5, 2, 1000)), (FY, (0.5, 2)), (FZ, (0.9, 1000)), (MY, (1000,)), (MZ, (3, 10))):
        for factor in factors:
            yield f"{NAMES[channel]} × {factor:g}", plates.scaled(factor, channel)
    for channel in (FX, FY, MX, MY):
        yield f"{NAMES[channel]} clipped at 60 % on one side", signals.clipped_on_one_side(0.6, channel)
    for channel in (FX, FY, MX):
        yield f"{NAMES[channel]} without its sign", signals.without_sign(channel)
    for channel, ms in ((FX, 20), (FZ, 20), (FZ, 5), (MX, 20), (MY, 20)):
        yield f"{NAMES[channel]} alone {ms} ms late", plates.one_channel_late(ms * 1e-3, channel)
    for into in (MX, MY):
        yield f"{NAMES[into]} off by 5 cm times Fz", plates.crosstalk(0.05, FZ, into)
    for channel in (FX, FY, FZ):
        yield f"50 N in {NAMES[channel]} under load", signals.dragged(50.0, channel)
    for channels, words in (((FZ,), "Fz"), ((FX, FY), "Fx and Fy")):
        yield f"{words} signals.shaken by 50 N at 12 Hz", signals.shaken(50.0, 12.0, *channels)
    for channels, words in (((), "all channels"), ((FX, FY), "Fx and Fy")):
        yield f"{words} zeroed under a foot", signals.tared_under_load(*channels)
    for factor in (0.7, 1.3):
        yield f"gain {factor:g} of Mx and My", plates.scaled(factor, MX, MY)
    yield "one of four transducers at 80 %", plates.corner(0.8)
    for which, words in (((0, 1), "side by side"), ((0, 2), "diagonal")):
        yield f"two of four transducers exchanged, {words}", signals.two_of_four_exchanged(*which)
    yield "Fz drifts by 50 N", plates.over_time(lambda s: 50.0 * s, FZ)
    hum = plates.over_time(lambda s: 20.0 * np.sin(2 * np.pi * 50.0 * s * 3.0), FX, FY, FZ)
    yield "hum of 20 N", hum
    yield "all channels in steps of 20 N", signals.in_steps(20.0)


def _amplifiers() -> Iterator[tuple[str, plates.Spoil]]:
    """What is wrong with whole plates: of one, and of all."""
    for factor in (0.85, 1.15, 8.0):
        yield f"gain {factor:g}", plates.scaled(factor)
    for factor in (1000.0, 1e-3):
        yield f"torques × {factor:g}", plates.scaled(factor, MX, MY, MZ)
    yield "gain drifts by 25 %", plates.gain_over_time(lambda s: 0.875 + 0.25 * s)
    yield "Fx drifts by 100 N", plates.over_time(lambda s: 100.0 * s, FX)
    yield "5 % of Fy read in Fx", plates.crosstalk(0.05, FY, FX)
    for hz in (5.0, 10.0):
        yield f"behind a low-pass of {hz:g} Hz that delays", signals.smoothed_one_way(hz)
        yield f"low-passed at {hz:g} Hz", signals.smoothed(hz)
    for seconds in (1.0, 5.0):
        yield f"charge that leaks with {seconds:g} s", signals.high_passed(seconds)
    yield "zero below 150 N", signals.cut_below(150.0)
    yield "taken at 50 Hz and held", signals.held_at(50.0)
    yield "moments moved to the surface twice", signals.moved_to_the_surface_twice


def _in_a_stance() -> Iterator[tuple[str, Make]]:
    """What happens to a plate while a foot stands on it."""
    yield "Fz off by 50 N from mid-stance on", partial(plates.in_a_stance, plates.spike(50.0, FZ, 10**9))
    yield "Fz off by 1000 N in one sample", partial(plates.in_a_stance, plates.spike(1000.0, FZ, 1))
    yield "nothing read for 30 samples", partial(plates.in_a_stance, partial(plates.dropped, 30))
    for channel in (FX, FY, MX, MY):
        yield f"{NAMES[channel]} held for 0.1 s in mid-stance", partial(plates.held_in_a_stance, 0.1, channel)
    for gain, channels, words in ((0.8, (), "all channels"), (0, (FY,), "Fy"), (0, (MY,), "My"), (-1, (FX,), "Fx")):
        change = signals.gain_from_the_middle(gain, *channels)
        yield f"gain {gain:g} of {words} from mid-stance on", partial(plates.in_a_stance, change)


def _plates() -> Iterator[Mistake]:
    for name, spoil in (*_channels(), *_amplifiers()):
        yield Attack("plates", f"{name}, one plate", partial(plates.each_plate, spoil))
    for name, spoil in _amplifiers():
        yield Attack("plates", f"{name}, all plates", partial(plates.all_plates, spoil))
    for name, make in _in_a_stance():
        yield Attack("plates", name, make)
    yield Attack("plates", "noise of 10 N on all channels", partial(signals.noisy, 10.0))
    for channels in ((FX, FY), (FZ,), (MX, MY), (MZ,)):
        words = " and ".join(NAMES[channel] for channel in channels)
        yield Attack("plates", f"{words} of two plates exchanged", signals.channels_of_two_exchanged(*channels))
    yield Attack("plates", "two plates exchanged for 0.2 s", partial(signals.exchanged_for_a_while, 0.2))
    yield Attack("plates", "5 % of Fz felt by the neighbour", signals.neighbour_felt(0.05, FZ))
    yield Attack("places", "plates 10 cm too low", partial(plates.raised, -0.1))
    yield Attack("places", "sensor above the surface", partial(plates.deep, lambda o: o * [1, 1, -1]))
    yield Attack("places", "sensor in the surface", partial(plates.deep, lambda o: o * [1, 1, 0]))


def _subject() -> Iterator[Mistake]:
    yield Attack("subject", "mass × 0.45", partial(markers.measured_times, 1 / 2.2046, ["mass"]))
    legs = ["left.leg_length", "right.leg_length"]
    yield Attack("subject", "one leg's length × 1.1", partial(markers.measured_times, 1.1, legs))
    widths = ["left.knee_width", "right.knee_width", "left.ankle_width", "right.ankle_width"]
    yield Attack("subject", "one joint's width × 2", partial(markers.measured_times, 2.0, widths))
    distances = ["left.asis_trocanter_distance", "right.asis_trocanter_distance"]
    yield Attack("subject", "ASIS-trochanter distance 40 mm", partial(markers.measured_as, 0.04, distances))
    yield Attack("subject", "measurements of left and right exchanged", markers.measured_sides_exchanged)
    yield Attack("subject", "another person's measurements", markers.others_measurements)
    yield Attack("static", "stored calibration angles zero", markers.stored_zero)
    for name in ("thigh_rotation", "tibial_torsion"):
        yield Attack(
            "static", f"stored {name.replace('_', ' ')} off by 30°", partial(markers.stored_offset, name, 30.0)
        )
    yield Attack("static", "another person's static", markers.other_person)
    yield Attack("static", "a wand marker medial in the static", markers.wand_medial)
    yield Attack("static", "one marker off by 20 mm in the static", partial(markers.static_marker_off, 20.0))
    yield Attack("static", "left and right exchanged in the static", markers.static_sides_exchanged)


def _of_segment(segment: str, n: int) -> Mistake:
    when = f"off by 15 mm in {n} frame{'s' * (n > 1)}" if n else "moved by 15 mm from a frame on"
    return Attack("markers", f"a {segment}'s markers {when}", partial(markers.segment_off, segment, 15.0, n))


def _one_marker() -> Iterator[tuple[str, markers.OneMarker]]:
    for mm in (5.0, 10.0, 15.0, 40.0):
        for n in (1, 5):
            yield f"off by {mm:g} mm in {n} frame{'s' * (n > 1)}", markers.off(mm, n)
    yield "off by 20 mm throughout", markers.off(20.0, None)
    yield "moved by 15 mm from a frame on", markers.off(15.0, 0)
    yield "slips by 30 mm over the trial", partial(markers.marker_drifts, 30.0)
    yield "5 frames late", partial(markers.marker_late, 5)
    yield "held for 5 frames", partial(markers.marker_stands_still, 5)
    yield "with noise of 3 mm", partial(markers.marker_noisy, 3.0)
    for n in (5, 20):
        yield f"not seen in {n} frames", partial(markers.marker_gap, n)


def _all_markers() -> Iterator[tuple[str, markers.AllMarkers]]:
    yield "with noise of 3 mm", partial(markers.markers_noisy, 3.0)
    yield "in steps of 5 mm", partial(markers.markers_rounded, 5.0)
    yield "low-passed at 4 Hz", partial(markers.markers_smoothed, 4.0)
    yield "of the left × 1.03 in height", partial(markers.left_higher, 1.03)
    for factors in ((1.03, 1.03, 1.03), (1.05, 1, 1), (1, 1.05, 1), (1, 1, 1.05)):
        yield f"× {', '.join(map(str, factors))} along x, y, z", partial(markers.axes_scaled, factors)


def _at_frames() -> Iterator[tuple[str, markers.OneMarker]]:
    for n in (1, 3):
        yield f"{n} camera frame{'s' * (n > 1)} lost", partial(markers.frame_lost, n)
        yield f"a camera frame repeated {n} time{'s' * (n > 1)}", partial(markers.frame_repeated, n)
    for n, words in ((1, "1 frame"), (10, "10 frames"), (0, "all frames from one on")):
        yield f"all markers off by 10 mm in {words}", markers.off(10.0, n)


def _segments() -> Iterator[tuple[str, Make]]:
    segments = {"foot": (1, 5, 20, 0), "shank": (5, 0), "thigh": (5, 0), "pelvis": (5, 0)}
    for segment, several in segments.items():
        for n in several:
            when = f"in {n} frame{'s' * (n > 1)}" if n else "from a frame on"
            yield f"a {segment}'s markers off by 15 mm {when}", partial(markers.segment_off, segment, 15.0, n)
    for segment, n in (("foot", 5), ("foot", 0), ("shank", 1), ("thigh", 0)):
        when = f"in {n} frame{'s' * (n > 1)}" if n else "from a frame on"
        yield f"a {segment}'s markers turned by 8° {when}", partial(markers.segment_turned, segment, 8.0, n)


def _gaps() -> Iterator[tuple[str, Make]]:
    yield "a gap of 20 frames filled by another's pattern", partial(fills.gap_filled_by_pattern, 20)
    for n in (20, 40):
        for degree, name in ((3, "cubic"), (5, "quintic")):
            yield f"a gap of {n} frames filled by a {name}", partial(fills.gap_filled_by_polynomial, degree, n)
        yield f"a gap of {n} frames filled by a rigid body", partial(fills.gap_filled_by_body, n)


def _labels() -> Iterator[tuple[str, Make]]:
    for pair, words in (("near", "neighbours"), ("mirrored", "the same marker of both sides")):
        for n, when in ((15, "in 15 frames"), (0, "throughout")):
            yield f"two labels exchanged {when}: {words}", partial(markers.labels_exchanged, pair, n)
    yield "left and right exchanged", markers.sides_exchanged
    yield "events of left and right exchanged", markers.events_of_the_other_foot


def _markers() -> Iterator[Mistake]:
    for name, change in _one_marker():
        yield Attack("markers", f"one marker {name}", partial(markers.one_marker, change))
    for name, of_all in _all_markers():
        yield Attack("cameras", f"markers {name}", partial(markers.all_markers, of_all))
    for name, change in _at_frames():
        yield Attack("cameras", name, partial(markers.at_frames, change))
    for name, make in (*_segments(), *_gaps()):
        yield Attack("markers", name, make)
    for name, make in _labels():
        yield Attack("labels", name, make)


ATTACKS: tuple[Mistake, ...] = (*_clocks(), *_plates(), *_subject(), *_markers())
