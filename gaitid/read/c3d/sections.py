"""A C3D file's header and parameter section, in each of its three number formats.

The walk through the parameters visits every entry once, goes forward only and stays before the data: links that loop,
overlap or leave the file are refused. Layout after the C3D format user guide (Motion Lab Systems, 2008 and later;
chapters "The header section" and "The parameter section").
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.subjects import SHOWN_CHARACTERS, printable
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 512
#: What a parameter holds: numbers in the shape that the file gives them, or texts.
Value = Array | list[str]
Parameters = Mapping[str, Mapping[str, Value]]
#: Events that a header has room for, and the word before their number that says that labels have four characters.
HEADER_EVENTS = 18
_FOUR_CHARACTERS = 12345
# Entries of a parameter section: real ones have some hundreds.
MAX_ENTRIES = 20_000
# Bytes of one: its own count of blocks ends at 130 kB; programs that go beyond stay far below this.
MAX_SECTION_BYTES = 4 << 20
# Groups whose numbers decide what the data mean: an entry given twice is refused, nothing says which is meant.
_DECISIVE = ("POINT", "ANALOG", "FORCE_PLATFORM")
# Groups of measurements, whose names are kept as they are written (``Bodymass``), to be shown and looked for.
_AS_WRITTEN = ("PROCESSING", "SUBJECTS")


@frozen_dataclass()
class NumberFormat:
    """How one kind of processor stores numbers.

    Attributes
    ----------
    name : str
    order : str
        Of the bytes in a whole number: ``<`` or ``>``.
    vax : bool
        Whether reals are those of a VAX.
    """

    name: str
    order: str
    vax: bool = False

    def integers(self, raw: bytes, size: int = 2) -> NDArray[np.signedinteger]:
        """Signed whole numbers of `size` bytes."""
        return np.frombuffer(raw, f"{self.order}i{size}")

    def reals(self, raw: bytes) -> NDArray[np.floating]:
        """Reals of four bytes, exactly: a view of them, but for a VAX.

        Its F_floating (VAX Architecture Reference Manual) has its two words swapped, and a bias and a hidden bit that
        together are a factor of 4 against IEEE 754.
        """
        if not self.vax:
            return np.frombuffer(raw, f"{self.order}f4")
        swapped = np.frombuffer(raw, "<u4")
        return as_float64((swapped << 16 | swapped >> 16).view(np.float32)) / 4

    def words(self, raw: bytes) -> tuple[int, ...]:
        """Unsigned whole numbers of two bytes."""
        return struct.unpack(f"{self.order}{len(raw) // 2}H", raw)


FORMATS = {
    84: NumberFormat("little-endian (Intel)", "<"),
    85: NumberFormat("DEC (VAX)", "<", vax=True),
    86: NumberFormat("big-endian (SGI/MIPS)", ">"),
}


@frozen_dataclass()
class Header:
    """What the first block of a file says.

    Attributes
    ----------
    n_points, n_analog : int
        Points a frame; analog samples a frame (all channels).
    first_frame, last_frame : int
        Sixteen bits of the numbers of these frames.
    scale : float
        Of the points; negative where data are stored as reals.
    data_start : int
        First byte of the data.
    n_subframes : int
        Analog samples a frame of one channel.
    rate_hz : float
        Of the cameras.
    n_events : int
        As counted in the header, whatever the number; 0 where labels are not of four characters.
    events : tuple of (str, float)
        Label and time, s, of so many events.
    """

    n_points: int
    n_analog: int
    first_frame: int
    last_frame: int
    scale: float
    data_start: int
    n_subframes: int
    rate_hz: float
    n_events: int = 0
    events: tuple[tuple[str, float], ...] = ()

    @property
    def floats(self) -> bool:
        """Whether data are stored as reals."""
        return self.scale < 0

    @property
    def frame_bytes(self) -> int:
        """Of one frame: four numbers a point, one an analog sample."""
        return (4 * self.n_points + self.n_analog) * (4 if self.floats else 2)


@frozen_dataclass(eq=False)
class Section:
    """What the parameter section says.

    Attributes
    ----------
    parameters : mapping of group to mapping of parameter to value
        Names in capitals, those of measurements as written; entries of groups that are not declared under ``""``.
        Numbers are in Fortran order, one without dimensions as (1,).
    two_byte_integers : frozenset of (group, parameter)
        What is stored so: some programs mean these without a sign.
    start, end : int
        First byte of the section, and behind the last entry.
    """

    parameters: Parameters
    two_byte_integers: frozenset[tuple[str, str]]
    start: int
    end: int

    def room(self, data_start: int, size: int) -> tuple[int, int]:
        """First byte of what a file of `size` bytes leaves to data that begin there, and the first behind it.

        They lie behind the parameters, or between these and the header: the format fixes no order.
        """
        return (BLOCK, self.start) if BLOCK <= data_start < self.start else (self.end, size)


def number_format(head: bytes) -> tuple[NumberFormat, int]:
    """How the file stores numbers, and the first byte of its parameter section.

    Parameters
    ----------
    head : bytes
        The file's beginning.

    Raises
    ------
    ReadError
        Not C3D, or without a parameter section of a known processor.
    """
    if len(head) < 2 * BLOCK or head[1] != 0x50:
        found = f"{len(head)} bytes that begin with {head[:4]!r}" if head else "an empty file"
        raise ReadError("not a C3D file", expected="a header block with the key 0x50", found=found)
    start = (head[0] - 1) * BLOCK
    if head[0] < 2 or start + 4 > len(head):
        wanted = "a parameter block inside the file"
        raise ReadError("not a readable C3D file", expected=wanted, found=f"block {head[0]}")
    code = head[start + 3]
    if code not in FORMATS:
        what, wanted = "damaged C3D parameter section", "a processor code of 84, 85 or 86"
        raise ReadError(what, expected=wanted, found=str(code), todo="export the trial again")
    return FORMATS[code], start


def read_header(block: bytes, numbers: NumberFormat) -> Header:
    """The numbers of the first block."""
    words = numbers.words(block[2:20])
    scale, rate = float(numbers.reals(block[12:16])[0]), float(numbers.reals(block[20:24])[0])
    events = _header_events(block, numbers)
    return Header(words[0], words[1], words[2], words[3], scale, (words[7] - 1) * BLOCK, words[8], rate, *events)


def _header_events(block: bytes, numbers: NumberFormat) -> tuple[int, tuple[tuple[str, float], ...]]:
    """Words 150 and 151, 153 to 188 and 199 to 234 (C3D User Guide, Header events)."""
    key, n_events = numbers.integers(block[298:302]).tolist()
    if key != _FOUR_CHARACTERS or not n_events:
        return 0, ()
    times = as_float64(numbers.reals(block[304:376])).tolist()
    labels = [_text(block[at : at + 4]) for at in range(396, 468, 4)]
    return n_events, tuple(zip(labels, times, strict=True))[: max(n_events, 0)]


def read_head(file: BinaryIO) -> tuple[bytes, NumberFormat, int, Header]:
    """A file's bytes to the first block of its parameters, how it stores numbers, where these begin, and its header.

    Raises
    ------
    ReadError
        See `number_format`.
    """
    head = file.read(2 * BLOCK)
    head += file.read(max(head[0] * BLOCK - len(head), 0) if head else 0)
    numbers, start = number_format(head)
    return head, numbers, start, read_header(head[:BLOCK], numbers)


class Entry(NamedTuple):
    """One link of the chain: of group `number`, or (≤ 0) the group itself. `size` is that of the value's elements.

    It ends at byte `end`; the next begins at `following`, 0 where it is the last.
    """

    number: int
    name: str
    value: Value
    size: int
    end: int
    following: int


@lru_cache(maxsize=2)  # a trial's and its static's: of several trials beside one static it is read once
def read_parameters(data: bytes, start: int, numbers: NumberFormat) -> Section:
    """Follow the chain of groups and parameters, forward only, inside `data`, to its end.

    Parameters
    ----------
    data : bytes
        The file up to its data.
    start : int
        First byte of the parameter section.
    numbers : NumberFormat

    Returns
    -------
    Section

    Raises
    ------
    ReadError
        A chain that leaves the section, turns back, does not end or contradicts itself, or a section too long.
    """
    if (n_bytes := len(data) - start) > MAX_SECTION_BYTES:
        raise damaged(f"has {n_bytes} bytes, more than {MAX_SECTION_BYTES}")
    groups: dict[int, str] = {}
    entries: list[Entry] = []
    at = start + 4
    for _ in range(MAX_ENTRIES):
        entry = read_entry(data, at, numbers)
        if entry is None:
            break
        if entry.number > 0:
            entries.append(entry)
        elif groups.setdefault(-entry.number, entry.name.upper()) != entry.name.upper():
            raise damaged(f"has two groups of number {-entry.number}")
        at = entry.following or entry.end
        if not entry.following:
            break
    else:
        raise damaged(f"does not end within {MAX_ENTRIES} entries")
    parameters: dict[str, dict[str, Value]] = {}
    two_byte_integers: set[tuple[str, str]] = set()
    for entry in entries:
        group = groups.get(entry.number, "")
        in_group = parameters.setdefault(group, {})
        name = entry.name if group in _AS_WRITTEN else entry.name.upper()
        if group in _DECISIVE and name in in_group:
            raise damaged(f"has {group}:{printable(name)} twice")
        in_group[name] = entry.value
        if entry.size == 2:
            two_byte_integers.add((group, name))
    return Section(parameters, frozenset(two_byte_integers), start, at)


def lost_entries(data: bytes, end: int, numbers: NumberFormat) -> list[str]:
    """Names of entries between the `end` of the chain and that of `data`: a link before them was lost.

    Other bytes there are what some program left, and mean nothing.
    """
    at = len(data) - len(data[end:].lstrip(b"\0"))
    names: list[str] = []
    try:
        while len(names) < MAX_ENTRIES and at and (entry := read_entry(data, at, numbers)) is not None:
            if not (entry.name.isascii() and entry.name.isidentifier()):
                break
            names.append(entry.name)
            at = entry.following
    except ReadError:
        pass  # no entry
    return names


def as_float64(values: NDArray[np.number]) -> Array:
    """A copy of the same numbers; a signalling NaN is one more that is unknown, no reason to warn."""
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)


def damaged(what: str) -> ReadError:
    """A refusal of the parameter section."""
    return ReadError(
        f"damaged C3D parameter section: it {what}",
        expected="a chain of groups and parameters before the data",
        todo="open and save the file again in the program that made it",
    )


def read_entry(data: bytes, at: int, numbers: NumberFormat) -> Entry | None:
    """The entry at a byte; None where the chain ends: with a name of no length, or where the data begin."""
    n_name = abs(_signed(data, at)) if at < len(data) else 0
    if n_name == 0:
        return None
    number = _signed(data, at + 1)
    name = _text(data[at + 2 : at + 2 + n_name])
    link = at + 2 + n_name
    if link + 2 > len(data):
        raise damaged("runs into the data or past the end of the file")
    # Offset 0 marks the last entry: nothing says where it ends, but it must end before the data.
    offset = _offset(data, link, number > 0, numbers)
    following = link + offset if offset else len(data)
    if offset < 0 or following > len(data):
        way = "back" if offset < 0 else "into the data or past the end of the file"
        raise damaged(f"points {way} (from byte {link} to {following})")
    value: Value = []
    size, end = 0, link + 2
    if number > 0:
        value, size, end = _value(data, end, following, numbers)
    # An entry ends with its description. What is left before the next is zero padding, or the entry is damaged: a
    # parameter whose group number was damaged looks like a group with something behind it.
    end += 1 + data[end] if end < len(data) else len(data)
    if end > following or (offset and any(data[end:following])):
        raise damaged(f"has an entry (at byte {link}) that does not end with its description")
    return Entry(number, name, value, size, end, following if offset else 0)


def _signed(data: bytes, at: int) -> int:
    if at >= len(data):
        raise damaged("runs into the data or past the end of the file")
    return data[at] - 256 if data[at] > 127 else data[at]


def _text(raw: bytes) -> str:
    """Text of a file, which says nothing of its encoding: UTF-8, or else as old Windows programs write it."""
    raw = raw.partition(b"\0")[0].strip(b" ")
    try:
        return printable(raw.decode())
    except UnicodeDecodeError:
        return printable(raw.decode("latin-1"))


def _value(data: bytes, at: int, following: int, numbers: NumberFormat) -> tuple[Value, int, int]:
    """What a parameter holds, its elements' size (−1: text) and the first byte behind it, not beyond the next entry."""
    if at + 2 > following:
        raise damaged(f"has a parameter without a kind (at byte {at})")
    size, n_dims = _signed(data, at), data[at + 1]
    values = at + 2 + n_dims
    if size not in (-1, 1, 2, 4) or n_dims > 7 or values > following or (size == -1 and n_dims == 0):
        raise damaged(f"has a parameter of element size {abs(size)} and {n_dims} dimensions (at byte {at})")
    shape = tuple(data[at + 2 : values])
    end = values + math.prod(shape) * abs(size)
    if end > following:
        raise damaged(f"has a parameter of {end - values} bytes in a place for {following - values} (at byte {at})")
    raw = data[values:end]
    if size == -1:
        # Without a width there is no text, however many are said to be there.
        width, places = shape[0], range(0, len(raw), shape[0] or 1)
        # nearly all are short and printable: no need to look at each
        if width <= SHOWN_CHARACTERS and raw.isascii() and (text := raw.decode()).isprintable():
            return [text[i : i + width].strip(" ") for i in places], size, end
        return [_text(raw[i : i + width]) for i in places], size, end
    plain = as_float64(numbers.reals(raw) if size == 4 else numbers.integers(raw, size))
    return plain.reshape(shape or (1,), order="F"), size, end


def _offset(data: bytes, link: int, is_parameter: bool, numbers: NumberFormat) -> int:
    """From the link to the next entry; 0 for the last.

    Converters forgot to turn the bytes of some links (c3d.org's sgi_real.c3d): one that leaves the section is turned
    where the entry ends exactly there.
    """
    form, raw = f"{numbers.order}h", data[link : link + 2]
    offset: int = struct.unpack(form, raw)[0]
    if not is_parameter or 0 <= offset <= len(data) - link:
        return offset
    turned: int = struct.unpack(form, raw[::-1])[0]
    if not 0 < turned <= len(data) - link:
        return offset
    try:
        *_, end = _value(data, link + 2, link + turned, numbers)
    except ReadError:
        return offset
    return turned if end < len(data) and end + 1 + data[end] == link + turned else offset
