"""The content of a C3D file of any maker as numbers and texts: Intel, DEC and SGI/MIPS, integers and reals.

Every size that the header and the parameters claim is held against the file's length, and the two against each other,
before memory is asked for. Nothing is corrected: a file that contradicts itself is refused, because its data are one
run of numbers and every value would be read as another's. Values equal those of ezc3d to the last bit (tests).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import ReadError
from gaitid.frozen import frozen_dataclass
from gaitid.read.c3d_sections import (
    BLOCK,
    Header,
    Parameters,
    Value,
    as_float64,
    damaged,
    number_format,
    read_header,
    read_parameters,
)
from gaitid.read.source import file_size, unreadable
from gaitid.trial import Array, Mask

#: Bytes of a file; reading takes up to four times as much memory.
MAX_BYTES = 1 << 30
# The header holds frame numbers in 16 bits; longer trials keep their count in parameters.
_LONG = 65535
# Counts from here on are stored wrapped, negative or as reals, depending on the program: they are not compared.
_WRAPS = 32768
# Cameras and analog converters run between these, Hz; anything else is damage.
_RATES_HZ = (1.0, 1e5)
_TODO = "open and save the file again in the program that made it"


@frozen_dataclass(eq=False)
class Analog:
    """The analog channels of a file: rows of (channels, samples), each scaled when it is asked for.

    Attributes
    ----------
    stored : (samples, channels) array
        As the file holds them.
    parameters : mapping of group to mapping of name to value
    """

    stored: NDArray[np.number]
    parameters: Parameters

    @property
    def shape(self) -> tuple[int, int]:
        n_samples, n_channels = self.stored.shape
        return n_channels, n_samples

    def __getitem__(self, channels: Sequence[int]) -> Array:
        """(channels, samples) values by the format's rule: (stored − OFFSET) · SCALE · GEN_SCALE.

        Integers are signed unless ``ANALOG:FORMAT`` says UNSIGNED (C3D User Guide). A channel without a scale has no
        values: NaN.
        """
        wanted = list(channels)
        offset, scale = (channel_numbers(self.parameters, name)[wanted, None] for name in ("OFFSET", "SCALE"))
        step = scale * _number(self.parameters, "ANALOG", "GEN_SCALE", 1.0)
        step[~np.isfinite(step) | (step == 0)] = np.nan
        stored = self.stored[:, wanted]
        if "UNSIGNED" in (text.upper() for text in texts(self.parameters, "ANALOG", "FORMAT")):
            offset = offset % (1 << 16)
            stored = stored.astype(np.uint16) if stored.dtype.kind == "i" else stored
        values = np.ascontiguousarray(as_float64(stored).T)
        with np.errstate(invalid="ignore", over="ignore"):
            values -= offset
            values *= step
        return values


@frozen_dataclass(eq=False)
class C3DFile:
    """What is stored in one file, in its own units.

    Attributes
    ----------
    encoding : str
        Processor and number format, in words.
    rate_hz : float
        Of the cameras.
    first_frame : int
        As the file numbers its first frame.
    n_subframes : int
        Analog samples a frame of one channel; 0 without analog data.
    parameters : mapping of group to mapping of name to value
    points : (frames, points, 3) array
    seen : (frames, points) array of bool
        Where the residual is not negative.
    analog : Analog
    """

    encoding: str
    rate_hz: float
    first_frame: int
    n_subframes: int
    parameters: Parameters
    points: Array
    seen: Mask
    analog: Analog


def read_c3d_file(path: Path) -> C3DFile:
    """Read everything that a file stores.

    Raises
    ------
    ReadError
        Absent, not C3D, too large, with a parameter section that leaves its place, turns back or lacks what the data
        need, with parameters that contradict the header, or shorter than its frames.
    """
    size = file_size(path, MAX_BYTES, "C3D")
    try:
        with path.open("rb") as file:
            return _read(file, size)
    except OSError as error:
        raise unreadable(error) from None


def _read(file: BinaryIO, size: int) -> C3DFile:
    head = file.read(2 * BLOCK)
    head += file.read(max(head[0] * BLOCK - len(head), 0) if head else 0)
    numbers, start = number_format(head)
    header = read_header(head[:BLOCK], numbers)
    if not start < header.data_start <= size:
        raise ReadError("damaged C3D file: its data lie outside it", expected=f"from byte {start} to {size}",
                        found=f"byte {header.data_start}", todo=_TODO)  # fmt: skip
    head += file.read(max(header.data_start - len(head), 0))
    parameters = read_parameters(head[: header.data_start], start, numbers)
    first, n_frames = _frames(header, parameters, size)
    rate, n_subframes = _check_agreement(header, parameters)
    file.seek(header.data_start)
    raw = file.read(n_frames * header.frame_bytes)
    if len(raw) < n_frames * header.frame_bytes:
        raise ReadError("the file was cut while it was read", todo="wait until it is written, and run again")
    data = (numbers.reals(raw) if header.floats else numbers.integers(raw)).reshape(n_frames, -1)
    # Each frame: x, y, z and a word with the residual for every point, then its analog samples, channel by channel.
    four = data[:, : 4 * header.n_points].reshape(n_frames, header.n_points, 4)
    points = as_float64(four[..., :3])
    if not header.floats:
        points *= _number(parameters, "POINT", "SCALE")
    n_channels = header.n_analog // n_subframes if n_subframes else 0
    return C3DFile(
        encoding=f"{numbers.name}, {'real' if header.floats else 'integer'}",
        rate_hz=rate,
        first_frame=first,
        n_subframes=n_subframes,
        parameters=parameters,
        points=points,
        seen=four[..., 3] >= 0,
        analog=Analog(data[:, 4 * header.n_points :].reshape(n_frames * n_subframes, n_channels), parameters),
    )


def _frames(header: Header, parameters: Parameters, size: int) -> tuple[int, int]:
    """The first frame's number and how many frames there are, all of them inside the file."""
    first = _long(parameters, "ACTUAL_START_FIELD", header.first_frame)
    last = _long(parameters, "ACTUAL_END_FIELD", header.last_frame)
    n_frames, frame_bytes = last - first + 1, header.frame_bytes
    if header.last_frame == _LONG and last == _LONG:
        # Counts of programs that do not write TRIAL: POINT:LONG_FRAMES, or POINT:FRAMES as a real (C3D User Guide).
        counts = [_number(parameters, "POINT", name) for name in ("LONG_FRAMES", "FRAMES")]
        n_frames = next((int(n) for n in counts if _LONG < n < size), n_frames)
        if n_frames <= _LONG == _count(parameters, "POINT", "FRAMES", _LONG) and frame_bytes:
            n_frames = _counted(size - header.data_start, n_frames, frame_bytes)
    if n_frames < 1 or frame_bytes == 0:
        raise ReadError("no frames", expected="at least one frame with points or analog samples",
                        found=f"{first} to {last}, {frame_bytes} bytes each")  # fmt: skip
    need = header.data_start + n_frames * frame_bytes
    if size < need:
        raise ReadError("truncated C3D file", expected=f"{need} bytes for {n_frames} frames", found=f"{size} bytes",
                        todo="copy or export the trial again")  # fmt: skip
    return first, n_frames


def _counted(n_bytes: int, least: int, frame_bytes: int) -> int:
    """Frames of a file whose counters all stand at their end: as many as there are, if padding can be told from them.

    ezc3d 1.7 is one program that stores no other count.
    """
    found = n_bytes // frame_bytes
    if found > least and n_bytes - least * frame_bytes >= BLOCK:
        if frame_bytes < BLOCK:
            raise ReadError(f"more frames than the file can count: nothing says how many beyond {least}",
                            expected="POINT:LONG_FRAMES", todo="cut the trial into pieces")  # fmt: skip
        return found
    return least


def _long(parameters: Parameters, name: str, bits: int) -> int:
    """A frame's number: TRIAL has two words of it, low and high, where 16 bits may not do (C3D User Guide, TRIAL)."""
    stored = parameters.get("TRIAL", {}).get(name, ())
    if not isinstance(stored, np.ndarray) or stored.size != 2 or not np.isfinite(stored).all():
        return bits
    low, high = (int(word) % (1 << 16) for word in stored)
    # Programs that cut a trial may forget one of the two places; the header then counts.
    return low + (high << 16) if bits in (low, _LONG) else bits


def _number(parameters: Parameters, group: str, name: str, default: float = math.nan) -> float:
    """The first number of a parameter; NaN for text."""
    value = parameters.get(group, {}).get(name)
    if value is None:
        return default
    return float(value.flat[0]) if isinstance(value, np.ndarray) and value.size else math.nan


def _count(parameters: Parameters, group: str, name: str, default: float) -> float:
    """A count, which signed words of two bytes hold up to 65535."""
    number = _number(parameters, group, name, default)
    if not math.isfinite(number):
        raise damaged(f"gives {group}:{name} no number")
    return number + 2 * _WRAPS if -_WRAPS <= number < 0 else number


def _check_agreement(header: Header, parameters: Parameters) -> tuple[float, int]:
    """Whether the parameters describe the frames that the header describes.

    Returns
    -------
    rate : float
        Of the cameras, Hz.
    n_subframes : int
        Analog samples a frame of one channel.
    """
    n_points = _count(parameters, "POINT", "USED", header.n_points)
    if n_points != header.n_points:
        raise _disagree("points a frame", header.n_points, "POINT:USED", n_points)
    # A negative scale says that data are reals: the two places must say the same.
    scale = _number(parameters, "POINT", "SCALE", -1.0 if header.floats else math.nan)
    if n_points and not (scale < 0 if header.floats else 0 < scale < math.inf):
        raise ReadError(
            "damaged C3D file: header and parameters disagree about the number format",
            expected="a negative POINT:SCALE (reals)" if header.floats else "a positive POINT:SCALE (integers)",
            found=f"{scale:g}",
            todo=_TODO,
        )
    frames = header.last_frame - header.first_frame + 1
    stored = _count(parameters, "POINT", "FRAMES", frames)
    if stored != frames and max(stored, frames) < _WRAPS:
        raise _disagree("frames", frames, "POINT:FRAMES", stored)
    rate = _rate("POINT", parameters, header.rate_hz)
    if header.n_analog == 0:
        used = _count(parameters, "ANALOG", "USED", 0.0)
        if used > 0 and _number(parameters, "ANALOG", "RATE") > 0:
            raise _disagree("analog samples a frame", 0, "ANALOG:USED", used)
        return rate, 0
    for name in ("USED", "RATE", "GEN_SCALE", "SCALE", "OFFSET"):
        if name not in parameters.get("ANALOG", {}):
            raise damaged(f"lacks ANALOG:{name}, which the analog data need")
    used, n_subframes = _count(parameters, "ANALOG", "USED", 0.0), round(_rate("ANALOG", parameters) / rate)
    if used * n_subframes != header.n_analog:
        raise _disagree("analog samples a frame", header.n_analog, "ANALOG:USED × ANALOG:RATE / POINT:RATE",
                        used * n_subframes)  # fmt: skip
    for name in ("SCALE", "OFFSET"):
        if channel_numbers(parameters, name).size < used:
            raise damaged(f"has no number in ANALOG:{name} for each of {used:g} channels")
    return rate, n_subframes


def _rate(group: str, parameters: Parameters, default: float = math.nan) -> float:
    rate = _number(parameters, group, "RATE", default)
    if not _RATES_HZ[0] <= rate <= _RATES_HZ[1]:
        raise ReadError(
            f"no usable rate in {group}:RATE",
            expected=f"{_RATES_HZ[0]:g} to {_RATES_HZ[1]:g} Hz",
            found=f"{rate:g}" if math.isfinite(rate) else "none",
            todo="export the trial again",
        )
    return rate


def _disagree(what: str, header: float, name: str, found: float) -> ReadError:
    return ReadError(
        f"damaged C3D file: header and parameters disagree about the {what}",
        expected=f"{header:g} as in the header",
        found=f"{found:g} in {name}",
        todo=_TODO,
    )


def continued(parameters: Parameters, group: str, name: str) -> list[Value]:
    """A parameter and what follows it in NAME2, NAME3, …: one holds up to 255 entries."""
    entries = parameters.get(group, {})
    found: list[Value] = []
    while (each := f"{name}{len(found) + 1}" if found else name) in entries:
        found.append(entries[each])
    return found


def texts(parameters: Parameters, group: str, name: str) -> list[str]:
    """A list of texts with its continuation; empty for numbers."""
    return [text for part in continued(parameters, group, name) if isinstance(part, list) for text in part]


def channel_numbers(parameters: Parameters, name: str) -> Array:
    """Numbers of ANALOG, one a channel, with their continuation."""
    parts: Sequence[Array] = [p.ravel() for p in continued(parameters, "ANALOG", name) if isinstance(p, np.ndarray)]
    return np.concatenate([np.empty(0), *parts])
