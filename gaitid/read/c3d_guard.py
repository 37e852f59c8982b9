"""A bounded look at a C3D file's header and parameter blocks, before a library is trusted with it.

A parameter section whose links loop makes some readers (ezc3d 1.7 among them) search for ever. The walk below
visits every entry once, goes forward only, and stays inside the file. Layout after the C3D format user guide
(Motion Lab Systems, 2008 and later; chapters "The header section" and "The parameter section").
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gaitid.errors import ReadError

BLOCK = 512
PROCESSORS = {84: "little-endian (Intel)", 85: "DEC (VAX)", 86: "big-endian (SGI/MIPS)"}
# The header holds frame numbers in 16 bits; longer trials keep their count in parameters.
MAX_HEADER_FRAME = 65535
# Counts from here on are stored wrapped, negative or as reals, depending on the program: they are not compared.
_WRAPS = 32768
# Cameras and analog converters run between these, Hz; anything else is damage.
RATES_HZ = (1.0, 1e5)
# Parameters looked at here; SCALE2, OFFSET2, … go on beyond 255 channels.
_NUMBERS = {"POINT": ("USED", "RATE", "FRAMES", "SCALE"), "ANALOG": ("USED", "RATE", "GEN_SCALE")}
_PER_CHANNEL = ("SCALE", "OFFSET")


@dataclass(frozen=True)
class C3DHeader:
    """What the header and the first parameter block say.

    Attributes
    ----------
    processor : str
        Number format of the file.
    n_points, n_analog : int
        Points a frame; analog samples a frame (all channels).
    first_frame, last_frame : int
        As numbered in the header.
    floats : bool
        Whether data are stored as reals.
    n_subframes : int
        Analog samples a frame of one channel, from the two rates; 0 without analog data.
    """

    processor: str
    n_points: int
    n_analog: int
    first_frame: int
    last_frame: int
    floats: bool
    n_subframes: int = 0


@dataclass(frozen=True)
class _Parameter:
    """One entry of the parameter section: its element size (−1: text), number of elements, and its first value."""

    size: int
    count: int
    first: float


def check_c3d(path: Path) -> C3DHeader:
    """Read the header, walk the parameters, compare the file's length with what they promise.

    Raises
    ------
    ReadError
        Absent, empty, not C3D, in a number format that cannot be read, with a parameter section that leaves
        the file or does not end, one that lacks what the data need or contradicts the header, or shorter than its
        frames.
    """
    try:
        if not path.is_file():
            if path.exists():
                raise ReadError("not a file", expected="a C3D file", found="a folder or a device")
            raise ReadError("no such file", todo="check the path")
        data = path.read_bytes()
    except OSError as error:
        raise ReadError(f"cannot be read ({error.strerror})") from None
    if len(data) < 2 * BLOCK or data[1] != 0x50:
        found = "an empty file" if not data else f"{len(data)} bytes that begin with {data[:4]!r}"
        raise ReadError("not a C3D file", expected="a header block with the key 0x50", found=found)
    start = (data[0] - 1) * BLOCK
    if data[0] < 2 or start + 4 > len(data):
        raise ReadError(
            "not a readable C3D file",
            expected="a parameter block inside the file",
            found=f"block {data[0]} of a file with {len(data) // BLOCK} blocks",
        )
    code = data[start + 3]
    if code not in PROCESSORS:
        raise ReadError(
            "damaged C3D parameter section",
            expected="a processor code of 84, 85 or 86",
            found=str(code),
            todo="export the trial again",
        )
    if code == 86:
        raise ReadError(
            "a big-endian (SGI/MIPS) C3D file",
            expected="Intel or DEC number format",
            found="processor code 86",
            todo="convert it, for example with Mokka or the C3D editor of your motion system",
        )
    header = _header(data, code)
    parameters = _walk_parameters(data, start, code)
    _check_length(data, header)
    return replace(header, n_subframes=_check_agreement(header, parameters))


def _header(data: bytes, code: int) -> C3DHeader:
    words = struct.unpack("<10H", data[:20])
    if code == 85:
        # A VAX real is a little-endian pair of words, high word first, with a bias of 128 and a hidden bit.
        negative = bool(words[6] & 0x8000)
    else:
        negative = struct.unpack("<f", data[12:16])[0] < 0
    return C3DHeader(PROCESSORS[code], words[1], words[2], words[3], words[4], negative)


def _walk_parameters(data: bytes, start: int, code: int) -> dict[tuple[str, str], _Parameter]:
    """Follow the chain of groups and parameters, forward only, inside the file, to its end.

    Returns
    -------
    dict of (group, name) to _Parameter
        The entries of POINT and ANALOG.
    """
    groups: dict[int, bytes] = {}
    entries: list[tuple[int, bytes, _Parameter]] = []
    position = start + 4
    for _ in range(len(data)):
        if position + 2 > len(data):
            raise _damaged("runs past the end of the file")
        n_name = abs(struct.unpack_from("<b", data, position)[0])
        if n_name == 0:
            break
        offset_at = position + 2 + n_name
        if offset_at + 2 > len(data):
            raise _damaged("has a name that runs past the end of the file")
        offset = struct.unpack_from("<h", data, offset_at)[0]
        group = struct.unpack_from("<b", data, position + 1)[0]
        # Offset 0 marks the last entry: nothing says where it ends, but it must end inside the file.
        following = offset_at + offset if offset else len(data)
        if offset < 0 or following > len(data):
            way = "back" if offset < 0 else "past the end of the file"
            raise _damaged(f"points {way} (from byte {offset_at} to {following})")
        name = data[position + 2 : offset_at]
        if group > 0:
            entries.append((group, name, _parameter(data, offset_at + 2, following, code, last=not offset)))
        else:
            if groups.setdefault(-group, name) != name:
                raise _damaged(f"has two groups of number {-group}")
            _check_description(data, offset_at + 2, following, f"a group (at byte {offset_at})", last=not offset)
        if not offset:
            break
        position = following
    else:
        raise _damaged("does not end")
    found: dict[tuple[str, str], _Parameter] = {}
    for number, raw, parameter in entries:
        key = (_plain(groups.get(number, b"")), _plain(raw))
        if key[0] not in _NUMBERS:
            continue
        # Which of the two a library takes is its own affair: what was checked might not be what is used.
        if key in found:
            raise _damaged(f"has {key[0]}:{key[1][:30]!r} twice")
        found[key] = parameter
    return found


def _plain(name: bytes) -> str:
    return name.decode("latin-1").upper()


def _check_description(data: bytes, at: int, following: int, what: str, *, last: bool) -> None:
    """An entry ends with its description; what is left before the next is zero padding, or the entry is damaged.

    A parameter whose group number was damaged looks like a group with something behind it, and a description that
    runs into the next entry leads ezc3d 1.7 astray: it crashes or does not end.
    """
    end = at + 1 + data[at] if at < len(data) else len(data) + 1
    if end > following or (not last and any(data[end:following])):
        raise _damaged(f"has {what} that does not end with its description")


def _parameter(data: bytes, at: int, following: int, code: int, *, last: bool) -> _Parameter:
    """One parameter, whose dimensions, data and description must fit between its header and the next entry."""
    if at + 2 > len(data):
        raise _damaged("has a parameter that runs past the end of the file")
    size = struct.unpack_from("<b", data, at)[0]
    n_dims = data[at + 1]
    # text without a dimension crashes ezc3d 1.7
    if size not in (-4, -2, -1, 1, 2, 4) or (size == -1 and n_dims == 0) or n_dims > 7 or at + 2 + n_dims > len(data):
        raise _damaged(f"has a parameter of element size {abs(size)} and {n_dims} dimensions")
    count = math.prod(data[at + 2 : at + 2 + n_dims])
    values = at + 2 + n_dims
    n_bytes = count * abs(size)
    if values + n_bytes > following:
        raise _damaged(f"has a parameter of {n_bytes} bytes in a place for {following - values}")
    _check_description(data, values + n_bytes, following, f"a parameter (at byte {at})", last=last)
    return _Parameter(size, count, _number(data[values : values + n_bytes], size, code))


def _number(values: bytes, size: int, code: int) -> float:
    """The first value; NaN where there is none or it is text. Whole numbers are taken as unsigned counts."""
    if size not in (1, 2, 4) or len(values) < size:
        return math.nan
    if size < 4:
        return float(int.from_bytes(values[:size], "little"))
    if code == 85:
        # A VAX real has its words swapped, and a bias and a hidden bit that together are a factor of 4.
        return float(struct.unpack("<f", values[2:4] + values[:2])[0]) / 4
    return float(struct.unpack_from("<f", values)[0])


def _check_agreement(header: C3DHeader, parameters: Mapping[tuple[str, str], _Parameter]) -> int:
    """Whether the parameters describe the frames that the header describes; analog samples a frame of one channel.

    Data are one run of numbers: where the two disagree, every value would be read as another's.
    """
    value = {
        (group, name): parameters[group, name].first
        for group, names in _NUMBERS.items()
        for name in names
        if (group, name) in parameters
    }
    for key, found in value.items():
        if not math.isfinite(found):
            raise _damaged(f"gives {':'.join(key)} no number")
    n_points = value.get(("POINT", "USED"), header.n_points)
    if n_points != header.n_points:
        raise _disagree("points a frame", header.n_points, "POINT:USED", n_points)
    scale = value.get(("POINT", "SCALE"), -1.0 if header.floats else 1.0)
    # A negative scale says that data are reals: the two places must say the same.
    if n_points and (scale == 0 or (scale < 0) != header.floats):
        raise ReadError(
            "damaged C3D file: header and parameters disagree about the number format",
            expected="a negative POINT:SCALE (reals)" if header.floats else "a positive POINT:SCALE (integers)",
            found=f"{scale:g}",
            todo="open and save the file again in the program that made it",
        )
    frames = header.last_frame - header.first_frame + 1
    stored = value.get(("POINT", "FRAMES"), frames)
    if stored != frames and max(stored, frames) < _WRAPS:
        raise _disagree("frames", frames, "POINT:FRAMES", stored)
    rate = value.get(("POINT", "RATE"), math.nan)
    if ("POINT", "RATE") in value:
        _check_rate("POINT:RATE", rate)
    if header.n_analog == 0:
        used, analog_rate = value.get(("ANALOG", "USED"), 0.0), value.get(("ANALOG", "RATE"), 0.0)
        if used > 0 and analog_rate > 0:
            raise _disagree("analog samples a frame", 0, "ANALOG:USED", used)
        return 0
    for name in (*_NUMBERS["ANALOG"], *_PER_CHANNEL):
        # Without one of them ezc3d 1.7 crashes.
        if ("ANALOG", name) not in parameters:
            raise _damaged(f"lacks ANALOG:{name}, which the analog data need")
    _check_rate("POINT:RATE", rate)
    _check_rate("ANALOG:RATE", value["ANALOG", "RATE"])
    used, n_subframes = value["ANALOG", "USED"], round(value["ANALOG", "RATE"] / rate)
    if used * n_subframes != header.n_analog:
        raise _disagree("analog samples a frame", header.n_analog, "ANALOG:USED × ANALOG:RATE / POINT:RATE",
                        used * n_subframes)  # fmt: skip
    for name in _PER_CHANNEL:
        lists = [parameters.get(("ANALOG", f"{name}{k}")) for k in ("", *range(2, 258))]
        sizes = [entry for entry in lists if entry is not None]
        if any(entry.size < 0 for entry in sizes) or sum(entry.count for entry in sizes) < used:
            raise _damaged(f"has no number in ANALOG:{name} for each of {used:g} channels")
    return n_subframes


def _check_rate(name: str, rate: float) -> None:
    low, high = RATES_HZ
    if not low <= rate <= high:
        raise ReadError(
            f"no usable rate in {name}",
            expected=f"{low:g} to {high:g} Hz",
            found=f"{rate:g}" if math.isfinite(rate) else "none",
            todo="export the trial again",
        )


def _disagree(what: str, header: float, name: str, found: float) -> ReadError:
    return ReadError(
        f"damaged C3D file: header and parameters disagree about the {what}",
        expected=f"{header:g} as in the header",
        found=f"{found:g} in {name}",
        todo="open and save the file again in the program that made it",
    )


def _check_length(data: bytes, header: C3DHeader) -> None:
    frames = header.last_frame - header.first_frame + 1
    if frames < 1:
        raise ReadError(
            "no frames", expected="at least one frame", found=f"{header.first_frame} to {header.last_frame}"
        )
    if header.last_frame == MAX_HEADER_FRAME:
        return  # the true count stands in the parameters; the reader checks it
    first_block = struct.unpack_from("<H", data, 16)[0]
    frame_bytes = (4 * header.n_points + header.n_analog) * (4 if header.floats else 2)
    need = max(first_block - 1, 0) * BLOCK + frames * frame_bytes
    if len(data) < need:
        raise ReadError(
            "truncated C3D file",
            expected=f"{need} bytes for {frames} frames",
            found=f"{len(data)} bytes",
            todo="copy or export the trial again",
        )


def _damaged(what: str) -> ReadError:
    return ReadError(
        f"damaged C3D parameter section: it {what}",
        expected="a chain of groups and parameters inside the file",
        todo="open and save the file again in the program that made it",
    )
