"""Every fault by its name, in groups: what `attacks.py` does to each trial."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from attack_fills import gap_filled_by_body, gap_filled_by_pattern, gap_filled_by_polynomial  # noqa: E402
from attack_markers import (  # noqa: E402
    axis_scaled,
    camera_rate_wrong,
    events_of_the_other_foot,
    frame_lost,
    frame_repeated,
    labels_exchanged,
    left_higher,
    marker_drifts,
    marker_gap,
    marker_late,
    marker_moved,
    marker_noisy,
    marker_off,
    marker_stands_still,
    markers_noisy,
    markers_off,
    markers_rounded,
    markers_smoothed,
    markers_tilted,
    markers_turned,
    measured_as,
    measured_sides_exchanged,
    measured_times,
    other_person,
    others_measurements,
    scale_wrong,
    segment_off,
    segment_turned,
    sides_exchanged,
    static_marker_off,
    static_sides_exchanged,
    stored_offset,
    stored_zero,
    wand_medial,
)
from attack_plates import (  # noqa: E402
    Spoil,
    all_plates,
    biased,
    clipped,
    corner,
    corners_in_order,
    crosstalk,
    deep,
    dropped,
    each_plate,
    exchanged,
    gain_over_time,
    held_in_a_stance,
    in_a_stance,
    late,
    late_forces,
    late_markers_and_events,
    late_without_events,
    one_channel_late,
    over_time,
    plates_exchanged,
    raised,
    rate_wrong,
    scaled,
    shifted,
    spike,
    stretched,
    turned,
)
from attack_signals import (  # noqa: E402
    channels_of_two_exchanged,
    clipped_on_one_side,
    cut_below,
    dragged,
    exchanged_for_a_while,
    free_moment_as_Mz,
    gain_from_the_middle,
    held_at,
    high_passed,
    in_steps,
    moved_to_the_surface_twice,
    neighbour_felt,
    noisy,
    samples_lost,
    samples_twice,
    shaken,
    smoothed,
    smoothed_one_way,
    tared_under_load,
    two_of_four_exchanged,
    without_sign,
)
from attack_trials import Case, Spoilt  # noqa: E402

Make = Callable[[Case, np.random.Generator], Iterator[Spoilt]]


@dataclass(frozen=True, eq=False)
class Attack:
    """A fault by its name; `invisible` says why nobody can see it, where that is so."""

    group: str
    name: str
    make: Make
    invisible: str = ""

    def on(self, case: Case) -> Iterator[Spoilt]:
        """The spoilt trials, the same ones each time."""
        return self.make(case, np.random.default_rng(zlib.crc32(f"{case.name}: {self.name}".encode())))


# --- all of them ----------------------------------------------------------------------------------------------

FX, FY, FZ, MX, MY, MZ = range(6)
ONE, ALL = "one plate", "all plates"
_NAMES = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")

#: Faults that no one can see in the recording, or not below the size that is named, and why. A row with a † is not held
#: to the target.
_SPREAD = "clean recordings are -2 to +14 ms apart by the same estimate (docs/balance.md)"
_PRESSURE = "where a foot presses is known to 3 cm; a plate that lies 4 cm elsewhere is doubted in some contacts only"
_FREE = "a foot turns the floor either way, by up to 21 mm times its force in walking and running"
_COMMON = "where no whole step is measured, mass and a common gain are told to 10 % in walking, 25 % in running"
_OF_SIZE = "feet, steps and loads of somebody a little larger, or who turns his feet, look the same"

_STEADY = (
    "0.05 of the vertical force; steady parts of single feet's lines of force lie between -0.04 and 0.04 across the "
    "way and between -0.10 and -0.02 along it in clean recordings, and only whole steps, or both feet, tell more"
)
_LEANS = "feet stand 0.1 to 0.2 m apart: to the side 3° raise one by 5 to 10 mm, and the lines of force err by as much"
_ALONE = (
    "where one plate measures alone, or a foot stands on two, no other one weighs it; mass and gain are told to 10 % "
    "in walking, 25 % in running"
)
_AXIS = "a foot is 8 mm longer than in the static and a leg that swings by 25° 4 mm: skin moves markers as far"

_SLOPE = (
    "the horizontal force over the vertical one grows with the body's way ahead of the pressure by 0.55 to 0.75 in "
    "clean walks, less and more in who limps; in runs and where somebody stops it does not go with it. The body's "
    "motion tells the gain as well where trunk and arms were measured; by pelvis and legs alone clean walks show 0.46 "
    "to 1.46 (docs/balance.md)"
)
_QUARTER = (
    "it makes accelerations 1.6 times as large; forces then vary by 0.57 to 0.75 of what the whole body asks for, or "
    "0.46 to 0.72 by pelvis and legs alone, which show 0.75 in a clean walk, and 0.73 to 1.7 in runs"
)
_MOMENTS = (
    "it moves the pressure by 3 to 5 cm, or by a third of its way from the plate's centre: where a foot presses is "
    "known to 3 cm, and what goes beyond is doubted in some contacts only"
)
_GAIN_ALONE = (
    "across the way the force is 0.02 to 0.06 of the vertical one, and lines of force err by 0.03 in walks and 0.05 in "
    "runs; along it the slopes of cut single supports, of feet over an edge and of runs are 0.41 to 1.19 by themselves"
)
_SHIFT_INSIDE = (
    "one contact tells the clock of its plate to 30 ms; where samples are lost shows as a jump only on a plate that is "
    "loaded then"
)
_SMOOTHED = (
    "the vertical force changes by 6 to 7 % (root mean square) and its direction by 0.04: the body's motion tells it "
    "to 6 % and 0.03, and files of others hold forces that were low-passed before"
)
_SMOOTH = "in mid-stance a foot's slowest marker moves at 7 to 44 mm/s so, at 8 to 47 as recorded (11 walks)"
_LEFT = "thighs of clean trials differ by up to 3 %, shanks by 5 % (16 trials; 1.7 and 3.2 without the stairs)"

#: What nobody can see in the recording, or what lies within the spread of clean ones, and why.
INVISIBLE = {
    "forces 10 ms late, with events": _SPREAD,
    "forces 10 ms late, without events": _SPREAD,
    "forces 10 ms early, with events": _SPREAD,
    "forces 10 ms early, without events": _SPREAD,
    "declared rate × 1.25, with events": _QUARTER,
    "declared rate × 1.25, without events": _QUARTER,
    **{f"gain {gain} of Fx and Fy, {which}": _SLOPE for gain in ("0.7", "1.4") for which in (ONE, ALL)},
    **{f"gain {gain} of {channel}, one plate": _GAIN_ALONE for gain in ("0.5", "2") for channel in ("Fx", "Fy")},
    **{f"gain {gain} of Mx and My, one plate": _MOMENTS for gain in ("0.7", "1.3")},
    **{f"{channel} off by 5 cm times Fz, one plate": _MOMENTS for channel in ("Mx", "My")},
    "20 ms of samples lost in the middle of the trial": _SHIFT_INSIDE,
    "20 ms of samples stored twice in the middle of the trial": _SHIFT_INSIDE,
    "behind a low-pass of 10 Hz that delays, one plate": "it delays by 16 ms; one contact tells the clock to 30 ms",
    "low-passed at 5 Hz, all plates": _SMOOTHED,
    "one plate 20 ms late": "one contact tells the clock of its plate to 30 ms",
    "all markers low-passed at 4 Hz": _SMOOTH,
    "left markers × 1.03 in height": _LEFT,
    "gain 0.9, all plates": _COMMON,
    "gain 1.1, all plates": _COMMON,
    "gain 0.9, one plate": _ALONE,
    "gain 1.1, one plate": _ALONE,
    "mass × 0.9": _COMMON,
    "mass × 1.1": _COMMON,
    "sign of Mz, one plate": _FREE,
    "sign of Mz, all plates": _FREE,
    "Mz × 3, one plate": _FREE,
    "one of four transducers at 80%, one plate": "it takes 5 % of the force and moves the pressure by 1 cm",
    "hum of 20 N, one plate": "what is left of it at the cameras' instants is within the noise of an empty plate",
    "Fz off by 50 N from mid-stance on": "it is 7 % of body weight in half of one stance; clean ones differ by 6 %",
    "plates shifted by 2 cm": _PRESSURE,
    "plates shifted by 4 cm": _PRESSURE,
    "plates 3 cm too high": "it moves the pressure by 3 cm times the slope of the force, less than 1 cm",
    "one plate turned by 5°": "it turns the horizontal force by 5°, 0.02 of the vertical one; the lines of force of "
    "clean walks err by 0.03",
    "sensor above the surface": "it moves the pressure by twice the sensor's depth times the slope of the force, 1 cm",
    "sensor in the surface": "it moves the pressure by the sensor's depth times the slope of the force, less than 1 cm",
    "markers 3 % too large": _OF_SIZE,
    "markers turned by 3° against the plates": _OF_SIZE,
    "markers turned by 5° against the plates": _OF_SIZE,
    "markers tilted by 3° against the plates": _LEANS,
    "one axis of the markers × 1.05": _AXIS,
    **{f"5 % of Fz read in {channel}, {which}": _STEADY for channel in ("Fx", "Fy") for which in (ONE, ALL)},
    "one marker off by 20 mm throughout": "a marker that is glued elsewhere gives the same recording; only a static "
    "with more markers on the segment contradicts it",
    "one marker slips by 30 mm over the trial": "its distances to the others of its segment drift by 1 to 29 mm, in 18 "
    "clean trials by up to 7 mm, on stairs by 19",
    "one marker off by 20 mm in the static": "drawn in any direction it changes distances to its "
    "neighbours by 0 to 14 mm; in clean trials these differ from their static's by up to 9 mm, in a sprint by 21",
    "stored tibial torsion off by 30°": "tibiae are turned by -60 to 15° in this sign; within that no distance between "
    "markers tells",
    "measurements of left and right exchanged": "the legs of one person are about as long and wide as each other",
}


def _of_plates(name: str, spoil: Spoil, which: Sequence[str] = (ONE, ALL)) -> Iterator[Attack]:
    for words in which:
        make = partial(each_plate if words == ONE else all_plates, spoil)
        yield Attack("plates", f"{name}, {words}", make)


def _timing() -> Iterator[Attack]:
    for ms in (10, 20, 50, 100):
        for sign, way in ((1, "late"), (-1, "early")):
            s = sign * ms * 1e-3
            yield Attack("clocks", f"forces {ms} ms {way}, with events", partial(late_forces, s))
            yield Attack("clocks", f"forces {ms} ms {way}, without events", partial(late_without_events, s))
            if ms >= 50:
                yield Attack("clocks", f"forces and events {ms} ms {way}", partial(late_markers_and_events, s))
    for ms in (20, 50):
        yield Attack("clocks", f"one plate {ms} ms late", partial(each_plate, late(ms * 1e-3)))
    yield Attack("clocks", "clock of the plates 2 % fast", partial(all_plates, stretched(1.02)))
    for factor in (2.0, 1.25, 0.8, 0.5):
        yield Attack("clocks", f"declared rate × {factor:g}, with events", partial(rate_wrong, factor, True))
        yield Attack("clocks", f"declared rate × {factor:g}, without events", partial(rate_wrong, factor, False))
        yield Attack("clocks", f"declared rate of the cameras × {factor:g}", partial(camera_rate_wrong, factor))
    for n in (1, 3):
        yield Attack("clocks", f"{n} camera frame{'s' * (n > 1)} lost", partial(frame_lost, n))


def _plates() -> Iterator[Attack]:
    for channel in (FX, FY, FZ, MX, MY, MZ):
        yield from _of_plates(f"sign of {_NAMES[channel]}", scaled(-1.0, channel))
    yield from _of_plates("sign of all channels", scaled(-1.0))
    yield from _of_plates("Fx and Fy exchanged", exchanged(FX, FY))
    yield from _of_plates("Mx and My exchanged", exchanged(MX, MY), [ONE])
    for channel in (FX, FY, FZ, MX, MY, MZ):
        yield from _of_plates(f"{_NAMES[channel]} dead", scaled(0.0, channel), [ONE])
    for share in (0.9, 0.7):
        yield from _of_plates(f"Fz clipped at {share:.0%} of its peak", clipped(share))
    for factor in (0.5, 0.85, 0.9, 1.1, 1.15, 2.0, 4.4482, 8.0):
        yield from _of_plates(f"gain {factor:g}", scaled(factor))
    for factor in (0.7, 1.4):
        yield from _of_plates(f"gain {factor:g} of Fx and Fy", scaled(factor, FX, FY))
    for channel in (FX, FZ, MY):
        yield from _of_plates(f"{_NAMES[channel]} × 1000", scaled(1000.0, channel), [ONE])
    yield from _of_plates("torques × 1000", scaled(1000.0, MX, MY, MZ))
    yield from _of_plates("torques / 1000", scaled(0.001, MX, MY, MZ))
    for factor in (0.8, 0.5, 0.0):
        yield from _of_plates(f"one of four transducers at {factor:.0%}", corner(factor), [ONE])
    for factor in (3.0, 10.0):
        yield from _of_plates(f"Mz × {factor:g}", scaled(factor, MZ), [ONE])
    for newtons in (10.0, 50.0, 200.0):
        for channel in (FZ, FX):
            name = f"steady bias of {newtons:g} N in {_NAMES[channel]}, one plate"
            yield Attack("plates", name, partial(biased, newtons, channel))
    yield Attack("plates", "steady bias of 20 N·m in My, one plate", partial(biased, 20.0, MY))
    yield from _of_plates("Fz drifts by 50 N over the trial", over_time(lambda s: 50.0 * s, FZ), [ONE])
    yield from _of_plates("gain drifts by 25 % over the trial", gain_over_time(lambda s: 0.875 + 0.25 * s))
    for channel in (FZ, FX, MX, MY):
        yield from _of_plates(f"{_NAMES[channel]} alone 20 ms late", one_channel_late(0.02, channel), [ONE])
    for into in (FX, FY):
        yield from _of_plates(f"5 % of Fz read in {_NAMES[into]}", crosstalk(0.05, FZ, into))
    yield from _of_plates("5 % of Fy read in Fx", crosstalk(0.05, FY, FX))
    hum = over_time(lambda s: 20.0 * np.sin(2 * np.pi * 50.0 * s * 3.0), FX, FY, FZ)
    yield from _of_plates("hum of 20 N", hum, [ONE])
    yield Attack("plates", "Fz off by 50 N from mid-stance on", partial(in_a_stance, spike(50.0, FZ, 10**9)))
    yield Attack("plates", "Fz off by 1000 N in one sample", partial(in_a_stance, spike(1000.0, FZ, 1)))
    for channel in (FX, FY, MX, MY):
        name = f"{_NAMES[channel]} held for 0.1 s in mid-stance"
        yield Attack("plates", name, partial(held_in_a_stance, 0.1, channel))
    yield Attack("plates", "nothing read for 30 samples", partial(in_a_stance, partial(dropped, 30)))


def _places() -> Iterator[Attack]:
    for cm in (2, 4, 6, 10):
        yield Attack("places", f"plates shifted by {cm} cm", partial(shifted, cm * 1e-2))
    for cm in (3, 10):
        yield Attack("places", f"plates {cm} cm too high", partial(raised, cm * 1e-2))
    yield Attack("places", "plates 10 cm too low", partial(raised, -0.1))
    for degrees in (5.0, 90.0, 180.0):
        yield Attack("places", f"one plate turned by {degrees:g}°", partial(turned, degrees))
    yield Attack("places", "corners of one plate mirrored", partial(corners_in_order, (1, 0, 3, 2)))
    yield Attack("places", "two plates exchanged", plates_exchanged)
    yield Attack("places", "sensor above the surface", partial(deep, lambda o: o * [1, 1, -1]))
    yield Attack("places", "sensor in the surface", partial(deep, lambda o: o * [1, 1, 0]))


def _transducers() -> Iterator[Attack]:
    for channel in (FX, FY, MX, MY):
        yield from _of_plates(f"{_NAMES[channel]} clipped at 60% on one side", clipped_on_one_side(0.6, channel), [ONE])
    for channel in (FX, FY, MX):
        yield from _of_plates(f"{_NAMES[channel]} without its sign", without_sign(channel), [ONE])
    for seconds in (1.0, 5.0):
        yield from _of_plates(f"charge that leaks with {seconds:g} s", high_passed(seconds), [ALL])
    for which, words in (((0, 1), "side by side"), ((0, 2), "diagonal")):
        yield from _of_plates(f"two of four transducers exchanged, {words}", two_of_four_exchanged(*which), [ONE])
    yield from _of_plates("all channels in steps of 20 N", in_steps(20.0), [ONE])
    yield Attack("plates", "noise of 10 N on all channels, one plate", partial(noisy, 10.0))
    for channels, words in (((FZ,), "Fz"), ((FX, FY), "Fx and Fy")):
        yield from _of_plates(f"{words} shaken by 50 N at 12 Hz", shaken(50.0, 12.0, *channels), [ONE])
    for channel in (FX, FY, FZ):
        yield from _of_plates(f"50 N in {_NAMES[channel]} under load", dragged(50.0, channel), [ONE])
    for channels, words in (((), "all channels"), ((FX, FY), "Fx and Fy")):
        yield from _of_plates(f"{words} zeroed under a foot", tared_under_load(*channels), [ONE])


def _exports() -> Iterator[Attack]:
    for hz in (5.0, 10.0):
        yield from _of_plates(f"low-passed at {hz:g} Hz", smoothed(hz), [ALL])
    for hz in (5.0, 10.0):
        yield from _of_plates(f"behind a low-pass of {hz:g} Hz that delays", smoothed_one_way(hz))
    yield from _of_plates("zero below 150 N", cut_below(150.0), [ALL])
    yield from _of_plates("taken at 50 Hz and held", held_at(50.0))
    yield from _of_plates("free moment stored as Mz", free_moment_as_Mz, [ONE])
    yield from _of_plates("moments moved to the surface twice", moved_to_the_surface_twice, [ALL])
    for gain, channels, words in (
        (0.8, (), "all channels"),
        (0.0, (FY,), "Fy"),
        (0.0, (MY,), "My"),
        (-1.0, (FX,), "Fx"),
    ):
        name = f"gain {gain:g} of {words} from mid-stance on"
        yield Attack("plates", name, partial(in_a_stance, gain_from_the_middle(gain, *channels)))
    for seconds in (0.02, 0.05):
        ms = f"{seconds * 1e3:.0f} ms of samples"
        yield Attack("clocks", f"{ms} lost in the middle of the trial", partial(samples_lost, seconds))
        yield Attack("clocks", f"{ms} stored twice in the middle of the trial", partial(samples_twice, seconds))
    for channels in ((FX, FY), (FZ,), (MX, MY), (MZ,)):
        words = " and ".join(_NAMES[channel] for channel in channels)
        yield Attack("plates", f"{words} of two plates exchanged", channels_of_two_exchanged(*channels))
    yield Attack("plates", "two plates exchanged for 0.2 s", partial(exchanged_for_a_while, 0.2))
    yield Attack("plates", "5 % of Fz felt by the neighbour", neighbour_felt(0.05, FZ))
    yield from _of_plates("Fz alone 5 ms late", one_channel_late(0.005, FZ), [ONE])
    for factor in (0.7, 1.3):
        yield from _of_plates(f"gain {factor:g} of Mx and My", scaled(factor, MX, MY), [ONE])
    for channel in (FX, FY):
        for factor in (0.5, 2.0):
            yield from _of_plates(f"gain {factor:g} of {_NAMES[channel]}", scaled(factor, channel), [ONE])
    yield from _of_plates("gain 0.9 of Fz", scaled(0.9, FZ), [ONE])
    for into in (MX, MY):
        yield from _of_plates(f"{_NAMES[into]} off by 5 cm times Fz", crosstalk(0.05, FZ, into), [ONE])
    yield from _of_plates("Fx drifts by 100 N over the trial", over_time(lambda s: 100.0 * s, FX))
    yield Attack("places", "one plate turned by 30°", partial(turned, 30.0))


def _subject() -> Iterator[Attack]:
    for factor in (2.2046, 1 / 2.2046, 1.1, 0.9):
        yield Attack("subject", f"mass × {factor:.3g}", partial(measured_times, factor, ["mass"]))
    legs = ["left.leg_length", "right.leg_length"]
    yield Attack("subject", "one leg's length × 1.1", partial(measured_times, 1.1, legs))
    widths = ["left.knee_width", "right.knee_width", "left.ankle_width", "right.ankle_width"]
    yield Attack("subject", "one joint's width × 2", partial(measured_times, 2.0, widths))
    distances = ["left.asis_trocanter_distance", "right.asis_trocanter_distance"]
    yield Attack("subject", "ASIS-trochanter distance 40 mm", partial(measured_as, 0.04, distances))
    yield Attack("subject", "measurements of left and right exchanged", measured_sides_exchanged)
    yield Attack("subject", "another person's measurements", others_measurements)
    yield Attack("static", "stored calibration angles zero", stored_zero)
    for name in ("thigh_rotation", "tibial_torsion"):
        yield Attack("static", f"stored {name.replace('_', ' ')} off by 30°", partial(stored_offset, name, 30.0))
    yield Attack("static", "another person's static", other_person)
    yield Attack("static", "a wand marker medial in the static", wand_medial)
    yield Attack("static", "one marker off by 20 mm in the static", partial(static_marker_off, 20.0))
    yield Attack("static", "left and right exchanged in the static", static_sides_exchanged)


def _of_segment(segment: str, n: int) -> Attack:
    when = f"off by 15 mm in {n} frame{'s' * (n > 1)}" if n else "moved by 15 mm from a frame on"
    return Attack("markers", f"a {segment}'s markers {when}", partial(segment_off, segment, 15.0, n))


def _markers() -> Iterator[Attack]:
    yield Attack("markers", "one frame repeated", partial(frame_repeated, 1))
    yield Attack("markers", "one frame repeated three times", partial(frame_repeated, 3))
    for mm in (5.0, 10.0, 15.0, 40.0):
        for n in (1, 5):
            name = f"one marker off by {mm:g} mm in {n} frame{'s' * (n > 1)}"
            yield Attack("markers", name, partial(marker_off, mm, n))
    yield Attack("markers", "one marker off by 20 mm throughout", partial(marker_off, 20.0, 0))
    yield Attack("markers", "one marker slips by 30 mm over the trial", partial(marker_drifts, 30.0))
    yield Attack("markers", "one marker moved by 15 mm from a frame on", partial(marker_moved, 15.0))
    for segment, n in (("foot", 1), ("foot", 5), ("foot", 20), ("foot", 0), ("shank", 5), ("shank", 0)):
        yield _of_segment(segment, n)
    for segment, n in (("thigh", 5), ("thigh", 0), ("pelvis", 5), ("pelvis", 0)):
        yield _of_segment(segment, n)
    for segment, n in (("foot", 5), ("foot", 0), ("shank", 1), ("thigh", 0)):
        when = f"turned by 8° in {n} frame{'s' * (n > 1)}" if n else "turned by 8° from a frame on"
        yield Attack("markers", f"a {segment}'s markers {when}", partial(segment_turned, segment, 8.0, n))
    for n, words in ((1, "1 frame"), (10, "10 frames"), (0, "all frames from one on")):
        yield Attack("markers", f"all markers off by 10 mm in {words}", partial(markers_off, 10.0, n))
    yield Attack("markers", "noise of 3 mm on all markers", partial(markers_noisy, 3.0))
    yield Attack("markers", "all coordinates in steps of 5 mm", partial(markers_rounded, 5.0))
    yield Attack("markers", "one marker 5 frames late", partial(marker_late, 5))
    yield Attack("markers", "one marker held for 5 frames", partial(marker_stands_still, 5))
    yield Attack("markers", "noise of 3 mm on one marker", partial(marker_noisy, 3.0))
    for n in (5, 20):
        yield Attack("markers", f"one marker not seen in {n} frames", partial(marker_gap, n))
    yield Attack("markers", "a gap of 20 frames filled by another's pattern", partial(gap_filled_by_pattern, 20))
    for n in (20, 40):
        for degree, name in ((3, "cubic"), (5, "quintic")):
            fill = partial(gap_filled_by_polynomial, degree, n)
            yield Attack("markers", f"a gap of {n} frames filled by a {name}", fill)
        yield Attack("markers", f"a gap of {n} frames filled by a rigid body", partial(gap_filled_by_body, n))
    yield Attack("markers", "all markers low-passed at 4 Hz", partial(markers_smoothed, 4.0))
    yield Attack("cameras", "left markers × 1.03 in height", partial(left_higher, 1.03))
    for pair, words in (("near", "neighbours"), ("mirrored", "the same marker of both sides")):
        yield Attack("labels", f"two labels exchanged in 15 frames: {words}", partial(labels_exchanged, pair, 15))
        yield Attack("labels", f"two labels exchanged throughout: {words}", partial(labels_exchanged, pair, 0))
    yield Attack("labels", "left and right exchanged", sides_exchanged)
    yield Attack("labels", "events of left and right exchanged", events_of_the_other_foot)
    yield Attack("cameras", "markers 3 % too large", partial(scale_wrong, 1.03))
    yield Attack("cameras", "one axis of the markers × 1.05", partial(axis_scaled, 1.05))
    for degrees in (3.0, 5.0):
        yield Attack("cameras", f"markers tilted by {degrees:g}° against the plates", partial(markers_tilted, degrees))
    for degrees in (3.0, 5.0, 90.0):
        yield Attack("cameras", f"markers turned by {degrees:g}° against the plates", partial(markers_turned, degrees))


ATTACKS: tuple[Attack, ...] = tuple(
    replace(attack, invisible=INVISIBLE.get(attack.name, ""))
    for attacks in (_timing(), _plates(), _transducers(), _exports(), _places(), _subject(), _markers())
    for attack in attacks
)
