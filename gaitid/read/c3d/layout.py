"""Where a C3D file's frames lie and what one holds: header and parameters, which say it twice, and the file's length.

Where the two differ, the file's length decides between them, with a warning. Where it does not, the file is refused,
because its data are one run of numbers and every value would be read as another's (docs/c3d.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import BinaryIO

import numpy as np

from gaitid.disk.regular import CUT_TRIAL
from gaitid.errors import ReadError, counted
from gaitid.notes import Note, Notes
from gaitid.read.c3d.sections import BLOCK, Header, Parameters, Section, damaged
from gaitid.records import NamedTuple, frozen_dataclass

# The header and whole numbers in parameters have 16 bits: counts wrap there, or stay at the largest.
_WRAPS = 1 << 16
_LARGEST = _WRAPS - 1
# Bytes looked at in one piece: a damaged file may hold a gigabyte behind its frames.
_PIECE = 1 << 20
# Cameras and analog converters run between these, Hz; anything else is damage.
_RATES_HZ = (1.0, 1e5)
# One rate or scale in two places is the same to within this: programs round rates; scales are 32-bit reals.
_SAME_RATE = 1e-3
_SAME_SCALE = 1e-5
_TODO = "open and save the file again in the program that made it"


@frozen_dataclass()
class Layout:
    """Where the data are and what they mean.

    Attributes
    ----------
    data_start : int
        First byte of the data.
    first_frame, n_frames : int
    rate_hz : float
        Of the cameras.
    n_subframes : int
        Analog samples a frame of one channel; 0 without analog data.
    scale : float
        Of the points; 1 where they are stored as reals.
    notes : Notes
        What header and parameters say differently, and what was settled.
    """

    data_start: int
    first_frame: int
    n_frames: int
    rate_hz: float
    n_subframes: int
    scale: float
    notes: Notes


class _Count(NamedTuple):
    """Frames as one place of the file says them."""

    place: str
    frames: int
    wraps: bool = False
    at_least: bool = False

    @property
    def exact(self) -> bool:
        return not (self.wraps or self.at_least)

    def allows(self, n: int) -> bool:
        if self.at_least:
            return n >= self.frames
        return n == self.frames or (self.wraps and (n - self.frames) % _WRAPS == 0)

    def __str__(self) -> str:
        return f"{self.frames}{' or more' if self.at_least else ''} in {self.place}"


def find_layout(file: BinaryIO, header: Header, section: Section, size: int) -> Layout:
    """Hold header, parameters and the file's length against each other.

    Parameters
    ----------
    file : binary file
    header : Header
    section : Section
    size : int
        Of the file, bytes.

    Returns
    -------
    Layout

    Raises
    ------
    ReadError
        They contradict each other and nothing decides, or the file is shorter than its frames.
    """
    parameters = section.parameters
    n_points = _count(parameters, "POINT", "USED", header.n_points)
    if n_points != header.n_points:
        raise _disagree("points a frame", header.n_points, "POINT:USED", n_points)
    scale, notes = _scale(header, parameters)
    poses = pose_section(section, size)
    # what lies behind the frames then is no fault of theirs
    end = poses[0] if poses is not None and poses[0] >= header.data_start else size
    data_start, n_frames, frame_notes = _frames(file, header, section, end)
    notes += frame_notes
    rate = _rate("POINT", parameters, header.rate_hz)
    if poses is not None and header.frame_bytes == 0:
        rate = _rate("ROTATION", parameters, rate)
    if 0 < header.rate_hz < math.inf and abs(header.rate_hz / rate - 1) > _SAME_RATE:
        rates = f"{header.rate_hz:g} Hz in the header, {rate:g} Hz in POINT:RATE, which is taken"
        notes += _settled(f"the camera rate: {rates}")
    fills = _fills(end, data_start + n_frames * header.frame_bytes)
    n_subframes, subframe_notes = _subframes(header, parameters, rate, fills)
    first_frame, first_notes = _first_frame(header, _trial(header, section), n_frames)
    notes += (*subframe_notes, *first_notes)
    return Layout(data_start, first_frame, n_frames, rate, n_subframes, scale, notes)


def _settled(what: str) -> Notes:
    """That header and parameters disagree, and what was taken."""
    return (Note("file_repaired", f"header and parameters disagree about {what}"),)


# --- where the data begin, and how many frames there are ---------------------------------------------------------


def _frames(file: BinaryIO, header: Header, section: Section, size: int) -> tuple[int, int, Notes]:
    """First byte of the data, and the number of frames, all of them inside the file."""
    notes: Notes = ()
    counts, places = _counts(header, section), _starts(header, section.parameters)
    if header.frame_bytes:
        start, n_frames = _decided(file, header, section, size, counts, places)
    elif _count(section.parameters, "ROTATION", "USED", 0.0) > 0:
        return section.end, _pose_frames(section.parameters, counts), notes
    else:
        n_frames = 0
    if n_frames < 1:
        found = f"{', '.join(map(str, counts))}, {header.frame_bytes} bytes each"
        raise ReadError("no frames", expected="at least one frame with points or analog samples", found=found)
    if len(set(places.values())) > 1:
        by = f"by the parameters' end and the file's length they begin at byte {start}"
        notes += _settled(f"where the data begin ({_in_words(places)}); {by}")
    need = start + n_frames * header.frame_bytes
    if not all(count.allows(n_frames) for count in counts):
        by = "by the file's length there are" if _fills(size, need) else "header and POINT:FRAMES are believed:"
        notes += _settled(f"the frames ({', '.join(map(str, counts))}); {by} {n_frames}")
    wanted, found, todo = f"{need} bytes for {n_frames} frames", f"{size} bytes", "copy or export the trial again"
    if size < need:
        raise ReadError("truncated C3D file", expected=wanted, found=found, todo=todo)
    if (behind := size - need) > BLOCK:
        certain = any(count.exact and count.frames == n_frames for count in counts)
        if behind >= header.frame_bytes and not certain and not _is_empty(file, need, size):
            more = "the C3D file holds more than its frames, whose count of 16 bits may be a longer trial's"
            raise ReadError(more, expected=wanted, found=found, todo=todo)
        notes += (Note("file_incomplete", f"{behind} bytes behind the last frame are not read"),)
    return start, n_frames, notes


def pose_section(section: Section, size: int) -> tuple[int, int] | None:
    """First byte of the stored poses of segments and how many segments; None where there are none inside the file."""
    used = int(max(_count(section.parameters, "ROTATION", "USED", 0.0), 0))
    block = first_number(section.parameters, "ROTATION", "DATA_START") % _WRAPS
    if not used or not block > 1:  # NaN where there is none
        return None
    start = (int(block) - 1) * BLOCK
    return (start, used) if section.end <= start < size else None


def _pose_frames(parameters: Parameters, counts: Sequence[_Count]) -> int:
    """Frames of a file that holds poses of segments and nothing else: their own count, else that of its frames."""
    own = first_number(parameters, "ROTATION", "FRAMES")
    if own >= 1:
        return int(own)
    frames = _agreed(counts, _LARGEST)
    ratio = first_number(parameters, "ROTATION", "RATIO", 1.0)
    if frames is None or not (ratio >= 1 and ratio % 1 == 0):
        raise _undecided("the frames", "one count of the segments' poses", counts)
    return frames * int(ratio)


def _decided(
    file: BinaryIO, header: Header, section: Section, size: int, counts: list[_Count], places: Mapping[str, int]
) -> tuple[int, int]:
    """The one start and the one count of frames with which the data fill the file, else those that all places say."""
    starts = [start for start in dict.fromkeys(places.values()) if section.end <= start <= size]
    if not starts:
        outside, wanted = "its data lie outside it or inside its parameters", f"from byte {section.end} to {size}"
        raise ReadError(f"damaged C3D file: {outside}", expected=wanted, found=_in_words(places), todo=_TODO)
    filling = [
        (start, n)
        for start in starts
        for n in _possible(counts, (size - start) // header.frame_bytes)
        if _fills(size, start + n * header.frame_bytes) and (len(starts) == 1 or _is_empty(file, section.end, start))
    ]
    if len(filling) == 1:
        return filling[0]
    if len(starts) > 1:
        wanted = "one place from which the frames fill the file"
        raise _undecided("where the data begin", wanted, [_in_words(places), *counts])
    if all(count.at_least for count in counts):
        return starts[0], _counted(file, starts[0], size, max(count.frames for count in counts), header.frame_bytes)
    agreed = _agreed(counts, (size - starts[0]) // header.frame_bytes)
    if agreed is None:
        raise _undecided("the frames", "one count that fills the file", counts)
    return starts[0], agreed


def _starts(header: Header, parameters: Parameters) -> Mapping[str, int]:
    """First byte of the data by the header and, where it names a block, by the parameter."""
    block = first_number(parameters, "POINT", "DATA_START") % _WRAPS
    places = {"the header": header.data_start}
    if block > 1:  # NaN where there is none
        places["POINT:DATA_START"] = (int(block) - 1) * BLOCK
    return places


def _counts(header: Header, section: Section) -> list[_Count]:
    """What each place says of the number of frames.

    Of 16 bits, 65535 says that there are as many or more; the header says so of the last frame's number. Longer trials
    keep their count in POINT:LONG_FRAMES, in POINT:FRAMES as a real or in TRIAL (C3D User Guide).
    """
    parameters = section.parameters
    counts = [_of_words("the header", header.first_frame, header.last_frame)]
    if (trial := _trial(header, section)) is not None:
        is_word = _is_word(section, "ACTUAL_END_FIELD")
        counts.append(_of_words("TRIAL", *trial) if is_word else _Count("TRIAL", trial[1] + 1 - trial[0]))
    if "FRAMES" in parameters.get("POINT", {}):
        stored = int(_count(parameters, "POINT", "FRAMES", 0.0))
        wraps = stored < _LARGEST and ("POINT", "FRAMES") in section.two_byte_integers
        counts.append(_Count("POINT:FRAMES", stored, wraps, at_least=stored == _LARGEST))
    long = first_number(parameters, "POINT", "LONG_FRAMES")
    if math.isfinite(long):
        counts.append(_Count("POINT:LONG_FRAMES", int(long)))
    # Programs leave a longer count that they do not use at 0.
    return [count for count in counts if count.wraps or count.frames > 0]


def _of_words(place: str, first: int, last: int) -> _Count:
    """Frames by the number of the last, of which there are 16 bits."""
    frames = last + 1 - first
    return _Count(place, frames, at_least=True) if last == _LARGEST else _Count(place, frames % _WRAPS, wraps=True)


def _in_words(places: Mapping[str, int]) -> str:
    return ", ".join(f"byte {at} in {place}" for place, at in places.items())


def _possible(counts: Iterable[_Count], room: int) -> list[int]:
    """Numbers of frames that the counts may mean in a file with room for so many."""
    possible: dict[int, None] = {}
    for count in counts:
        if not count.at_least:
            possible[count.frames] = None
            if count.wraps and room > count.frames:
                possible[room - (room - count.frames) % _WRAPS] = None
    return [n for n in possible if n > 0]


def _agreed(counts: Sequence[_Count], room: int) -> int | None:
    """The count that all places say, else all but TRIAL, if there is room: programs that cut a trial may forget it."""
    others = [count for count in counts if count.place != "TRIAL"]
    for agreeing, most in ((counts, math.inf), (others if len(others) > 1 else [], room)):
        for n in dict.fromkeys(count.frames for count in agreeing if not count.at_least):
            if n <= most and all(count.allows(n) for count in agreeing):
                return n
    return None


def _fills(size: int, end: int) -> bool:
    """Whether data that end there fill the file: to its last byte, or to a block at most if it is whole blocks."""
    return size == end or (size % BLOCK == 0 and 0 < size - end <= BLOCK)


def _is_empty(file: BinaryIO, start: int, end: int) -> bool:
    """Whether nothing but zeros lies there: what parameters and data leave between them, or padding."""
    file.seek(start)
    return not any(file.read(min(_PIECE, end - at)).strip(b"\0") for at in range(start, end, _PIECE))


def _counted(file: BinaryIO, start: int, size: int, least: int, frame_bytes: int) -> int:
    """Frames of a file whose counters all stand at their end: up to its last byte that is no padding.

    ezc3d 1.7 is one program that stores no other count; it leaves a block of padding at most.
    """
    behind = start + least * frame_bytes
    if behind > size or _is_empty(file, behind, size):
        return least
    tail = max(behind, size - BLOCK - frame_bytes)
    file.seek(tail)
    used = tail + len(file.read(size - tail).rstrip(b"\0")) - start
    n = -(-used // frame_bytes)
    end = start + n * frame_bytes
    # Padding is told from a frame only if it is shorter; a part of a frame at the end was cut.
    if frame_bytes < BLOCK or (end <= size and not _fills(size, end)):
        uncounted = f"more frames than the file can count: nothing says how many beyond {least}"
        raise ReadError(uncounted, expected="POINT:LONG_FRAMES", todo=CUT_TRIAL)
    return n


def _trial(header: Header, section: Section) -> tuple[int, int] | None:
    """Numbers of the first and the last frame in TRIAL; None where nobody filled the last in."""
    first, last = (_field(section, f"ACTUAL_{which}_FIELD") for which in ("START", "END"))
    if not last:
        return None
    return header.first_frame if first is None else first, last


def _field(section: Section, name: str) -> int | None:
    """A frame's number: TRIAL has two words of it, low and high, where 16 bits may not do (C3D User Guide, TRIAL).

    Some programs write a single whole number, as a real or as one word.
    """
    stored = section.parameters.get("TRIAL", {}).get(name)
    if not isinstance(stored, np.ndarray) or stored.size not in (1, 2) or not np.isfinite(stored).all():
        return None
    if stored.size == 1:
        value = stored.item() % _WRAPS if _is_word(section, name) else stored.item()
        return int(value) if 0 <= value < _WRAPS**2 and value % 1 == 0 else None
    low, high = (int(word) % _WRAPS for word in stored.flat)
    return low + high * _WRAPS


def _is_word(section: Section, name: str) -> bool:
    """Whether a number of TRIAL is one word, and so may lack whole 65536s."""
    return ("TRIAL", name) in section.two_byte_integers and np.size(section.parameters["TRIAL"][name]) == 1


def _first_frame(header: Header, trial: tuple[int, int] | None, n_frames: int) -> tuple[int, Notes]:
    """The number of the first frame: TRIAL's, if it is the header's in more bits, and TRIAL is as long as the file."""
    if trial is None:
        return header.first_frame, ()
    first, last = trial
    if last + 1 - first == n_frames and header.first_frame in (first % _WRAPS, _LARGEST):
        return first, ()
    if first in (0, header.first_frame):  # 0 where nobody filled it in
        return header.first_frame, ()
    # Programs that cut a trial may forget TRIAL.
    both = f"{header.first_frame} in the header, which is taken, {first} in TRIAL"
    return header.first_frame, _settled(f"the first frame's number: {both}")


# --- what a frame holds --------------------------------------------------------------------------------------------


def _scale(header: Header, parameters: Parameters) -> tuple[float, Notes]:
    """The scale of points. Its sign says whether data are reals, and header and parameters must say the same."""
    stored = first_number(parameters, "POINT", "SCALE", -1.0 if header.floats else math.nan)
    scales = {"POINT:SCALE": stored, "the header": header.scale}
    usable = {place: scale for place, scale in scales.items() if 0 < scale < math.inf}
    opposite = stored > 0 if header.floats else stored < 0
    if opposite or (header.n_points and not (stored < 0 if header.floats else usable)):
        raise ReadError(
            "damaged C3D file: header and parameters disagree about the number format",
            expected="a negative POINT:SCALE (reals)" if header.floats else "a positive POINT:SCALE (integers)",
            found=f"{stored:g}",
            todo=_TODO,
        )
    if header.n_points == 0 or header.floats:
        return 1.0, ()
    if len(usable) == 2 and abs(header.scale / stored - 1) > _SAME_SCALE:
        raise _disagree("scale of the points", header.scale, "POINT:SCALE", stored)
    place, scale = next(iter(usable.items()))
    text = f"only {place} gives a usable scale of the points: {scale:g}"
    return scale, (Note("file_repaired", text),) if len(usable) == 1 else ()


def _subframes(header: Header, parameters: Parameters, rate_hz: float, fills: bool) -> tuple[int, Notes]:
    """Analog samples a frame of one channel."""
    used = _count(parameters, "ANALOG", "USED", 0.0)
    if header.n_analog == 0:
        if used > 0 and first_number(parameters, "ANALOG", "RATE") > 0:
            if not fills:
                raise _disagree("analog samples a frame", 0, "ANALOG:USED", used)
            text = f"ANALOG:USED says {used:g} channels, the header that there are none; so does the file's length"
            return 0, (Note("file_repaired", text),)
        return 0, ()
    for name in ("SCALE", "OFFSET"):
        if name not in parameters.get("ANALOG", {}):
            raise damaged(f"lacks ANALOG:{name}, which the analog data need")
    ratio = "ANALOG:RATE / POINT:RATE"
    lacking = _analog_lacking(parameters)
    known = "RATE" not in lacking
    n_subframes = round(_rate("ANALOG", parameters) / rate_hz) if known else header.n_subframes
    if n_subframes == 0 and "RATE" in lacking and used > 0 and header.n_analog % used == 0:
        n_subframes = round(header.n_analog / used)
    if lacking and (n_subframes == 0 or header.n_analog % n_subframes):
        raise damaged(f"lacks ANALOG:{lacking[0]}, which the analog data need")
    if "USED" in lacking:
        used = header.n_analog // n_subframes
    if used * n_subframes != header.n_analog:
        raise _disagree("analog samples a frame", header.n_analog, f"ANALOG:USED × {ratio}", used * n_subframes)
    if header.n_subframes not in (0, n_subframes):
        raise _disagree("analog samples a frame of one channel", header.n_subframes, ratio, n_subframes)
    notes: Notes = ()
    if "GEN_SCALE" not in parameters["ANALOG"]:
        notes = (Note("reading_assumed", "ANALOG:GEN_SCALE is missing, and taken as 1"),)
    if not lacking:
        return n_subframes, notes
    settled = (
        f"{counted(int(used), 'channel')} of {counted(n_subframes, 'sample')} a frame ({n_subframes * rate_hz:g} Hz)"
    )
    text = f"{' and '.join(f'ANALOG:{name}' for name in lacking)} missing; by the header there are {settled}"
    return n_subframes, (*notes, Note("reading_assumed", text))


def _analog_lacking(parameters: Parameters) -> list[str]:
    """Which of the numbers that the header has too ANALOG does not give."""
    group = parameters.get("ANALOG", {})
    no_rate = "RATE" not in group or first_number(parameters, "ANALOG", "RATE") == 0
    return ["USED"] * ("USED" not in group) + ["RATE"] * no_rate


def _rate(group: str, parameters: Parameters, default: float = math.nan) -> float:
    rate = first_number(parameters, group, "RATE", default)
    if not _RATES_HZ[0] <= rate <= _RATES_HZ[1]:
        raise ReadError(
            f"no usable rate in {group}:RATE",
            expected=f"{_RATES_HZ[0]:g} to {_RATES_HZ[1]:g} Hz",
            found=f"{rate:g}" if math.isfinite(rate) else "none",
            todo="export the trial again",
        )
    return rate


def first_number(parameters: Parameters, group: str, name: str, default: float = math.nan) -> float:
    """The first number of a parameter; NaN for text."""
    value = parameters.get(group, {}).get(name)
    if value is None:
        return default
    return float(value.flat[0]) if isinstance(value, np.ndarray) and value.size else math.nan


def _count(parameters: Parameters, group: str, name: str, default: float) -> float:
    """A count, which signed words of two bytes hold up to 65535."""
    value = first_number(parameters, group, name, default)
    if not math.isfinite(value) or value % 1:
        raise damaged(f"gives {group}:{name} no whole number")
    return value + _WRAPS if -_WRAPS // 2 <= value < 0 else value


def _disagree(what: str, header: float, name: str, stored: float) -> ReadError:
    return ReadError(
        f"damaged C3D file: header and parameters disagree about the {what}",
        expected=f"{header:g} as in the header",
        found=f"{stored:g} in {name}",
        todo=_TODO,
    )


def _undecided(what: str, expected: str, statements: Iterable[object]) -> ReadError:
    return ReadError(
        f"damaged C3D file: header and parameters disagree about {what}",
        expected=expected,
        found=", ".join(map(str, statements)),
        todo=_TODO,
    )
