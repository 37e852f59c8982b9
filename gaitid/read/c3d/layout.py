"""Where a C3D file's frames lie: header and parameters, which say it twice, and the file's length.

Where the two differ, the file's length decides between them, with a warning. Where it does not, the file is refused,
because its data are one run of numbers and every value would be read as another's (docs/c3d.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import BinaryIO

import numpy as np

from gaitid.disk.regular import CUT_TRIAL
from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.read.c3d.frame_layout import (
    TODO,
    WRAPS,
    count_of,
    disagreement,
    first_number,
    rate_of,
    scale_of,
    subframes_of,
)
from gaitid.read.c3d.sections import BLOCK, Header, Parameters, Section
from gaitid.records import NamedTuple, frozen_dataclass

_LARGEST = WRAPS - 1
# Bytes looked at in one piece: a damaged file may hold a gigabyte behind its frames.
_PIECE = 1 << 20
# One rate in two places is the same to within this: programs round rates.
_SAME_RATE = 1e-3


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
        return n == self.frames or (self.wraps and (n - self.frames) % WRAPS == 0)

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
    n_points = count_of(parameters, "POINT", "USED", header.n_points)
    if n_points != header.n_points:
        raise disagreement("points a frame", header.n_points, "POINT:USED", n_points)
    scale, notes = scale_of(header, parameters)
    poses = pose_section(section, size)
    first_byte, end = section.room(header.data_start, size)
    if poses is not None and poses[0] >= header.data_start:
        end = min(end, poses[0])  # what lies behind the frames then is no fault of theirs
    data_start, n_frames, frame_notes = _frames(file, header, section, first_byte, end)
    notes += frame_notes
    rate = rate_of("POINT", parameters, header.rate_hz)
    if first_number(parameters, "POINT", "RATE") == 0:
        notes += (note("file_repaired/rate_0", rate_hz=rate),)
    if poses is not None and header.frame_bytes == 0:
        rate = rate_of("ROTATION", parameters, rate)
    if 0 < header.rate_hz < math.inf and abs(header.rate_hz / rate - 1) > _SAME_RATE:
        notes += (note("file_repaired/rates", header_hz=header.rate_hz, rate_hz=rate),)
    fills = _fills(end, data_start + n_frames * header.frame_bytes)
    n_subframes, subframe_notes = subframes_of(header, parameters, rate, fills)
    first_frame, first_notes = _first_frame(header, _trial(header, section), n_frames)
    notes += (*subframe_notes, *first_notes)
    return Layout(data_start, first_frame, n_frames, rate, n_subframes, scale, notes)


# --- where the data begin, and how many frames there are ---------------------------------------------------------


def _frames(file: BinaryIO, header: Header, section: Section, first: int, size: int) -> tuple[int, int, Notes]:
    """First byte of the data, and the number of frames, all of them between `first` and `size`."""
    notes: Notes = ()
    counts, places = _counts(header, section), _starts(header, section.parameters)
    if header.frame_bytes:
        start, n_frames = _decided(file, header, first, size, counts, places)
    elif count_of(section.parameters, "ROTATION", "USED", 0.0) > 0:
        return section.end, _pose_frames(section.parameters, counts), notes
    else:
        n_frames = 0
    if n_frames < 1:
        found = f"{', '.join(map(str, counts))}, {header.frame_bytes} bytes each"
        raise ReadError("no frames", expected="at least one frame with points or analog samples", found=found)
    if len(set(places.values())) > 1:
        notes += (note("file_repaired/data_start", places=_in_words(places), start=start),)
    need = start + n_frames * header.frame_bytes
    if not all(count.allows(n_frames) for count in counts):
        notes += (note("file_repaired/frames", counts=counts, fills=_fills(size, need), n_frames=n_frames),)
    wanted, found, todo = f"{need} bytes for {n_frames} frames", f"{size} bytes", "copy or export the trial again"
    if size < need:
        raise ReadError("truncated C3D file", expected=wanted, found=found, todo=todo)
    if (behind := size - need) > BLOCK:
        certain = any(count.exact and count.frames == n_frames for count in counts)
        if behind >= header.frame_bytes and not certain and not _is_empty(file, need, size):
            more = "the C3D file holds more than its frames, whose count of 16 bits may be a longer trial's"
            raise ReadError(more, expected=wanted, found=found, todo=todo)
        notes += (note("file_incomplete/bytes_behind", n_bytes=behind),)
    elif 0 < header.frame_bytes <= behind < BLOCK and all(count.at_least for count in counts):
        room = behind // header.frame_bytes
        notes += (note("reading_assumed/padding", n_zeros=behind, room=room, n_frames=n_frames),)
    return start, n_frames, notes


def pose_section(section: Section, size: int) -> tuple[int, int] | None:
    """First byte of the stored poses of segments and how many segments; None where there are none inside the file."""
    used = int(max(count_of(section.parameters, "ROTATION", "USED", 0.0), 0))
    block = first_number(section.parameters, "ROTATION", "DATA_START") % WRAPS
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
    file: BinaryIO, header: Header, first: int, size: int, counts: list[_Count], places: Mapping[str, int]
) -> tuple[int, int]:
    """The one start and the one count of frames with which the data fill the file, else those that all places say."""
    starts = [start for start in dict.fromkeys(places.values()) if first <= start <= size]
    if not starts:
        outside, wanted = "its data lie outside it or inside its parameters", f"from byte {first} to {size}"
        raise ReadError(f"damaged C3D file: {outside}", expected=wanted, found=_in_words(places), todo=TODO)
    filling = [
        (start, n)
        for start in starts
        for n in _possible(counts, (size - start) // header.frame_bytes)
        if _fills(size, start + n * header.frame_bytes) and (len(starts) == 1 or _is_empty(file, first, start))
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
    block = first_number(parameters, "POINT", "DATA_START") % WRAPS
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
        # programs that copy the header's last frame stay there in two words too
        at_end = _is_word(section, "ACTUAL_END_FIELD") or trial[1] == _LARGEST
        counts.append(_of_words("TRIAL", *trial) if at_end else _Count("TRIAL", trial[1] + 1 - trial[0]))
    if "FRAMES" in parameters.get("POINT", {}):
        stored = int(count_of(parameters, "POINT", "FRAMES", 0.0))
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
    return _Count(place, frames, at_least=True) if last == _LARGEST else _Count(place, frames % WRAPS, wraps=True)


def _in_words(places: Mapping[str, int]) -> str:
    return ", ".join(f"byte {at} in {place}" for place, at in places.items())


def _possible(counts: Iterable[_Count], room: int) -> list[int]:
    """Numbers of frames that the counts may mean in a file with room for so many."""
    possible: dict[int, None] = {}
    for count in counts:
        if not count.at_least:
            possible[count.frames] = None
            if count.wraps and room > count.frames:
                possible[room - (room - count.frames) % WRAPS] = None
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
    """Frames of a file whose counters all stand at their end: those that fill it, up to its last byte that is not 0.

    ezc3d 1.7 is one program that stores no other count; it leaves a block of padding at most.
    """
    behind = start + least * frame_bytes
    if size % BLOCK and (size - start) % frame_bytes == 0:  # without padding
        return (size - start) // frame_bytes
    if behind > size or _is_empty(file, behind, size):
        return least
    tail = max(behind, size - BLOCK - frame_bytes)
    file.seek(tail)
    used = tail + len(file.read(size - tail).rstrip(b"\0")) - start
    n = -(-used // frame_bytes)
    end = start + n * frame_bytes
    if end <= size and not _fills(size, end):  # a part of a frame at the end was cut
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
        value = stored.item() % WRAPS if _is_word(section, name) else stored.item()
        return int(value) if 0 <= value < WRAPS**2 and value % 1 == 0 else None
    low, high = (int(word) % WRAPS for word in stored.flat)
    return low + high * WRAPS


def _is_word(section: Section, name: str) -> bool:
    """Whether a number of TRIAL is one word, and so may lack whole 65536s."""
    return ("TRIAL", name) in section.two_byte_integers and np.size(section.parameters["TRIAL"][name]) == 1


def _first_frame(header: Header, trial: tuple[int, int] | None, n_frames: int) -> tuple[int, Notes]:
    """The number of the first frame: TRIAL's, if it is the header's in more bits, and TRIAL is as long as the file."""
    if trial is None:
        return header.first_frame, ()
    first, last = trial
    if last + 1 - first == n_frames and header.first_frame in (first % WRAPS, _LARGEST):
        return first, ()
    if first in (0, header.first_frame):  # 0 where nobody filled it in
        return header.first_frame, ()
    # Programs that cut a trial may forget TRIAL.
    return header.first_frame, (note("file_repaired/first_frame", header=header.first_frame, trial=first),)


def _undecided(what: str, expected: str, statements: Iterable[object]) -> ReadError:
    return ReadError(
        f"damaged C3D file: header and parameters disagree about {what}",
        expected=expected,
        found=", ".join(map(str, statements)),
        todo=TODO,
    )
