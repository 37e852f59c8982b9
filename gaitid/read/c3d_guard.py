"""A bounded look at a C3D file's header and parameter blocks, before a library is trusted with it.

A parameter section whose links loop makes some readers (ezc3d 1.7 among them) search for ever. The walk below
visits every entry once, goes forward only, and stays inside the file. Layout after the C3D format user guide
(Motion Lab Systems, 2008 and later; chapters "The header section" and "The parameter section").
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from gaitid.errors import ReadError

BLOCK = 512
PROCESSORS = {84: "little-endian (Intel)", 85: "DEC (VAX)", 86: "big-endian (SGI/MIPS)"}
# The header holds frame numbers in 16 bits; longer trials keep their count in parameters.
MAX_HEADER_FRAME = 65535


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
    """

    processor: str
    n_points: int
    n_analog: int
    first_frame: int
    last_frame: int
    floats: bool


def check_c3d(path: Path) -> C3DHeader:
    """Read the header, walk the parameters, compare the file's length with what they promise.

    Raises
    ------
    ReadError
        Absent, empty, not C3D, in a number format that cannot be read, with a parameter section that leaves
        the file or does not end, or shorter than its frames.
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
    _walk_parameters(data, start)
    _check_length(data, header)
    return header


def _header(data: bytes, code: int) -> C3DHeader:
    words = struct.unpack("<10H", data[:20])
    if code == 85:
        # A VAX real is a little-endian pair of words, high word first, with a bias of 128 and a hidden bit.
        negative = bool(words[6] & 0x8000)
    else:
        negative = struct.unpack("<f", data[12:16])[0] < 0
    return C3DHeader(PROCESSORS[code], words[1], words[2], words[3], words[4], negative)


def _walk_parameters(data: bytes, start: int) -> None:
    """Follow the chain of groups and parameters: forward only, inside the file, to its end."""
    position = start + 4
    for _ in range(len(data)):
        if position + 2 > len(data):
            raise _damaged("runs past the end of the file")
        n_name = struct.unpack_from("<b", data, position)[0]
        if n_name == 0:
            return
        offset_at = position + 2 + abs(n_name)
        if offset_at + 2 > len(data):
            raise _damaged("has a name that runs past the end of the file")
        offset = struct.unpack_from("<h", data, offset_at)[0]
        group = struct.unpack_from("<b", data, position + 1)[0]
        if offset == 0:
            return
        following = offset_at + offset
        if offset < 0 or following > len(data):
            way = "back" if offset < 0 else "past the end of the file"
            raise _damaged(f"points {way} (from byte {offset_at} to {following})")
        if group > 0:
            _check_parameter(data, offset_at + 2, following)
        else:
            _check_group(data, offset_at + 2, following)
        position = following
    raise _damaged("does not end")


def _check_group(data: bytes, at: int, following: int) -> None:
    """A group's entry ends with its description; what is left before the next is padding, or it is no group.

    A parameter whose group number was damaged looks like a group with something behind it, and crashes ezc3d 1.7.
    """
    end = at + 1 + data[at] if at < len(data) else len(data) + 1
    if end > following or any(data[end:following]):
        raise _damaged(f"has a group that does not end with its description (at byte {at})")


def _check_parameter(data: bytes, at: int, following: int) -> None:
    """One parameter's dimensions must fit between its header and the next entry."""
    if at + 2 > len(data):
        raise _damaged("has a parameter that runs past the end of the file")
    size = abs(struct.unpack_from("<b", data, at)[0])
    n_dims = data[at + 1]
    text = data[at] == 0xFF  # element size −1; without a dimension it crashes ezc3d 1.7
    if size not in (1, 2, 4) or (text and n_dims == 0) or n_dims > 7 or at + 2 + n_dims > len(data):
        raise _damaged(f"has a parameter of element size {size} and {n_dims} dimensions")
    count = 1
    for k in range(n_dims):
        count *= data[at + 2 + k]
    if at + 2 + n_dims + count * size > following:
        raise _damaged(f"has a parameter of {count * size} bytes in a place for {following - at - 2 - n_dims}")


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
