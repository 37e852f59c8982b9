"""The parameter section of a C3D file with some of its entries changed, all others as they were, byte for byte."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.read.c3d.sections import BLOCK, MAX_ENTRIES, NumberFormat, read_entry
from gaitid.records import NamedTuple

#: Texts that one parameter holds: a dimension is one byte.
MOST_TEXTS = 255
_WIDEST = 255
# Bytes from an entry's link to the next: two bytes with a sign. Left for the name of the entry and its description.
_LONGEST_ENTRY, _LEFT = 32767, 600


class RawEntry(NamedTuple):
    """An entry of the chain as it is stored: its name's length with its sign (a lock), group and name in `head`;
    in `body` what follows its link.
    """

    number: int
    name: str
    head: bytes
    body: bytes


class Texts(NamedTuple):
    """Cells of a parameter of texts, each of `width` characters as they are stored."""

    cells: tuple[bytes, ...]
    width: int

    def widened(self, cells: Sequence[bytes]) -> Texts:
        """The same and more; cells are padded where they must be."""
        width = max([self.width, *map(len, cells)])
        old = self.cells if width == self.width else tuple(cell.rstrip(b" \0") for cell in self.cells)
        return Texts((*old, *cells), width)


class ParameterSection:
    """Entries of a parameter section, to be changed.

    Parameters
    ----------
    data : bytes
        The file up to its data.
    start : int
        First byte of the section.
    numbers : NumberFormat
        Of the file.
    """

    def __init__(self, data: bytes, start: int, numbers: NumberFormat) -> None:
        self._lead = data[start : start + 4]
        self._numbers = numbers
        self._entries: list[RawEntry] = []
        at = start + 4
        while len(self._entries) < MAX_ENTRIES and (entry := read_entry(data, at, numbers)) is not None:
            link = at + 2 + abs(struct.unpack("b", data[at : at + 1])[0])
            self._entries.append(RawEntry(entry.number, entry.name.upper(), data[at:link], data[link + 2 : entry.end]))
            if not entry.following:
                break
            at = entry.following
        groups = [-e.number for e in self._entries if e.number <= 0 and e.name == "POINT"]
        self._group = groups[0]  # a file whose layout could be read has one

    def all_texts(self) -> Iterator[tuple[str, str, tuple[bytes, ...]]]:
        """Group, name and cells, as they are stored, of every list of texts."""
        for i in self._lists():
            yield self._group_of(self._entries[i]), self._entries[i].name, self._cells(self._entries[i]).cells

    def change_texts(self, changed: Callable[[str, str, Sequence[bytes]], Sequence[bytes]]) -> None:
        """Other cells in place of those of `all_texts`, as many; a list becomes wider where one needs it."""
        for i in self._lists():
            entry = self._entries[i]
            before, shape = self._cells(entry), self._shape(entry)
            cells = changed(self._group_of(entry), entry.name, before.cells)
            if tuple(cells) != before.cells:
                bare = [cell if len(cell) == before.width else cell.rstrip(b" \0") for cell in cells]
                width = max([before.width, *map(len, bare)])
                kept = [cell.ljust(width) for cell in bare]
                body = bytes([0xFF, len(shape), width, *shape[1:]]) + b"".join(kept)
                self._entries[i] = self._with_value(entry, body)

    def rename(self, changed: Callable[[bytes], bytes]) -> None:
        """Other names of parameters."""
        for i, entry in enumerate(self._entries):
            name = changed(entry.head[2:])
            if name != entry.head[2:]:
                locked = -1 if entry.head[0] > 127 else 1
                head = struct.pack("b", locked * len(name)) + entry.head[1:2] + name
                self._entries[i] = entry._replace(head=head, name=name.decode("latin-1").upper())

    def _lists(self) -> list[int]:
        return [i for i, e in enumerate(self._entries) if e.number > 0 and e.body[0] == 0xFF and self._shape(e)]

    def _group_of(self, entry: RawEntry) -> str:
        return next((e.name for e in self._entries if e.number == -entry.number), "")

    def _cells(self, entry: RawEntry) -> Texts:
        shape = self._shape(entry)
        width, count = shape[0], math.prod(shape[1:])
        raw = entry.body[2 + len(shape) :]
        return Texts(tuple(raw[i * width : (i + 1) * width] for i in range(count)), width)

    def has(self, name: str) -> bool:
        """Whether POINT has a parameter."""
        return any(self._is(entry, name) for entry in self._entries)

    def texts(self, name: str) -> Texts:
        """The cells of one of POINT's lists of texts, one a text; empty where there is none."""
        for entry in self._entries:
            if self._is(entry, name) and entry.body[0] == 0xFF:
                return self._cells(entry) if self._shape(entry) else Texts((), 0)
        return Texts((), 0)

    def set_texts(self, name: str, texts: Texts, pairs: bool = False) -> None:
        """Change one of POINT's lists of texts, or add it; `pairs`: of two texts each.

        Raises
        ------
        GaitidError
            It would be larger than the format allows.
        """
        room = (_LONGEST_ENTRY - _LEFT) // max(len(texts.cells), 1)
        width = min(max(texts.width, 1), _WIDEST)
        if width > room or max(map(len, texts.cells), default=0) > width or len(texts.cells) > 2 * MOST_TEXTS:
            raise GaitidError(
                f"POINT:{name} would not fit into a C3D file",
                expected=f"at most {_LONGEST_ENTRY} bytes",
                found=f"{len(texts.cells)} texts of {texts.width} characters",
            )
        shape = (width, 2, len(texts.cells) // 2) if pairs else (width, len(texts.cells))
        value = b"".join(cell.ljust(width) for cell in texts.cells)
        self._set(name, bytes([0xFF, len(shape), *shape]) + value)

    def set_number(self, name: str, value: float, group: str = "POINT") -> None:
        """Change a number of POINT, or of another group, in the type that it has; nothing where there is none."""
        numbers = {-entry.number for entry in self._entries if entry.number <= 0 and entry.name == group}
        for i, entry in enumerate(self._entries):
            if entry.number in numbers and entry.name == name:
                shape, size = self._shape(entry), entry.body[0]
                if size == 4:
                    raw = real_bytes(np.array([value]), self._numbers)
                elif size == 2:
                    raw = struct.pack(f"{self._numbers.order}H", int(value))
                else:
                    raise GaitidError(f"{group}:{name} is neither a whole number of two bytes nor a real")
                head = entry.body[: 2 + len(shape)]
                rest = self._value(entry)[size:]  # a second number, where somebody wrote one
                self._entries[i] = self._with_value(entry, head + raw + rest)
                return

    def content(self) -> bytes:
        """The section, not padded: a byte of a name without length ends it."""
        parts = [self._lead]
        for entry in self._entries:
            offset = struct.pack(f"{self._numbers.order}h", 2 + len(entry.body))
            parts += [entry.head, offset, entry.body]
        return b"".join(parts) + b"\0\0"

    def _is(self, entry: RawEntry, name: str) -> bool:
        return entry.number == self._group and entry.name == name

    @staticmethod
    def _shape(entry: RawEntry) -> tuple[int, ...]:
        return tuple(entry.body[2 : 2 + entry.body[1]])

    def _value(self, entry: RawEntry) -> bytes:
        shape = self._shape(entry)
        size = 1 if entry.body[0] == 0xFF else entry.body[0]
        return entry.body[2 + len(shape) :][: size * math.prod(shape)]

    def _with_value(self, entry: RawEntry, value: bytes) -> RawEntry:
        """The entry with another value and the description that it has."""
        return entry._replace(body=value + entry.body[2 + len(self._shape(entry)) + len(self._value(entry)) :])

    def _set(self, name: str, value: bytes) -> None:
        """An entry of POINT with another value and the description that it has, or a new one behind the last."""
        last = 0
        for i, entry in enumerate(self._entries):
            if self._is(entry, name):
                self._entries[i] = self._with_value(entry, value)
                return
            if entry.number in (self._group, -self._group):
                last = i
        head = struct.pack("bb", len(name), self._group) + name.encode("ascii")
        self._entries.insert(last + 1, RawEntry(self._group, name, head, value + b"\0"))


def whole_blocks(n_bytes: int) -> int:
    """Blocks that so many bytes take."""
    return -(-n_bytes // BLOCK)


def real_bits(values: NDArray[np.floating], numbers: NumberFormat) -> NDArray[np.uint32]:
    """Reals of four bytes as the file's processor stores them, as unsigned words in the order of `numbers`.

    A VAX's F_floating (VAX Architecture Reference Manual) has its two words swapped, and a bias and a hidden bit that
    together are a factor of 4 against IEEE 754; it knows neither infinity nor NaN, nor numbers below 2.9e-39.
    """
    if not numbers.vax:
        return np.asarray(values, f"{numbers.order}f4").view(f"{numbers.order}u4")
    single = np.asarray(values, np.float32)
    single = np.where(np.abs(single) < 1e-37, np.float32(0), single * np.float32(4))
    bits = single.astype("<f4").view("<u4")
    return (bits << 16 | bits >> 16).astype("<u4")


def real_bytes(values: NDArray[np.floating], numbers: NumberFormat) -> bytes:
    """The same as bytes."""
    return real_bits(values, numbers).tobytes()
