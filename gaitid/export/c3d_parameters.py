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
# The kind of texts, and their greatest width.
_TEXT, _WIDEST = 0xFF, 255
# Bytes from an entry's link to the next: two bytes with a sign. Left for the name of the entry and its description.
_LONGEST_ENTRY, _LEFT = 32767, 600


class RawEntry(NamedTuple):
    """An entry of the chain as it is stored.

    Attributes
    ----------
    number : int
        Of its group; of a group itself its own, not above 0.
    name : str
    head : bytes
        The length of its name with its sign (a lock), its number and its name.
    kind : int
        What its value holds: the bytes of an element, 255 for text; 0 of a group, which has none.
    shape : tuple of int
    value : bytes
    rest : bytes
        Its description.
    """

    number: int
    name: str
    head: bytes
    kind: int
    shape: tuple[int, ...]
    value: bytes
    rest: bytes

    @property
    def texts(self) -> Texts | None:
        """The cells of a list of texts; None of another entry."""
        if self.kind != _TEXT or not self.shape:
            return None
        width = self.shape[0]
        return Texts(tuple(self.value[i * width :][:width] for i in range(math.prod(self.shape[1:]))), width)


class Texts(NamedTuple):
    """Cells of a parameter of texts, each of `width` characters as they are stored."""

    cells: tuple[bytes, ...]
    width: int

    def widened(self, cells: Sequence[bytes]) -> Texts:
        """The same and more; cells are padded where they must be."""
        width = max([self.width, *map(len, cells)])
        old = self.cells if width == self.width else tuple(cell.rstrip(b" \0") for cell in self.cells)
        return Texts((*old, *cells), width)

    def with_others(self, cells: Sequence[bytes]) -> Texts:
        """Other cells in place of these, without padding where they come from a wider list."""
        fitted = [cell if len(cell) == self.width else cell.rstrip(b" \0") for cell in cells]
        return Texts((), self.width).widened(fitted)

    def padded(self, width: int) -> bytes:
        return b"".join(cell.ljust(width) for cell in self.cells)


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
            head, rest, kind, value = data[at:link], data[link + 2 : entry.end], 0, b""
            shape: tuple[int, ...] = ()
            if entry.number > 0:
                kind, shape = rest[0], tuple(rest[2 : 2 + rest[1]])
                end = 2 + len(shape) + (1 if kind == _TEXT else kind) * math.prod(shape)
                value, rest = rest[2 + len(shape) : end], rest[end:]
            self._entries.append(RawEntry(entry.number, entry.name.upper(), head, kind, shape, value, rest))
            if not entry.following:
                break
            at = entry.following

    def all_texts(self) -> Iterator[tuple[int, str, str, Texts]]:
        """Place, group, name and cells, as they are stored, of every list of texts."""
        groups = {-entry.number: entry.name for entry in reversed(self._entries) if entry.number <= 0}
        for i, entry in enumerate(self._entries):
            if (texts := entry.texts) is not None:
                yield i, groups.get(entry.number, ""), entry.name, texts

    def change_texts(self, changed: Callable[[str, str, Sequence[bytes]], Sequence[bytes]]) -> None:
        """Other cells in place of those of `all_texts`, as many; a list becomes wider where one needs it."""
        for i, group, name, before in self.all_texts():
            cells = changed(group, name, before.cells)
            if tuple(cells) != before.cells:
                texts, entry = before.with_others(cells), self._entries[i]
                shape = (texts.width, *entry.shape[1:])
                self._entries[i] = entry._replace(shape=shape, value=texts.padded(texts.width))

    def rename(self, changed: Callable[[bytes], bytes]) -> None:
        """Other names of parameters."""
        for i, entry in enumerate(self._entries):
            name = changed(entry.head[2:])
            if name != entry.head[2:]:
                locked = -1 if entry.head[0] > 127 else 1
                head = struct.pack("b", locked * len(name)) + entry.head[1:2] + name
                self._entries[i] = entry._replace(head=head, name=name.decode("latin-1").upper())

    def _place(self, name: str, group: str = "POINT") -> int | None:
        numbers = {-entry.number for entry in self._entries if entry.number <= 0 and entry.name == group}
        places = (i for i, e in enumerate(self._entries) if e.number in numbers and e.name == name)
        return next(places, None)

    def has(self, name: str) -> bool:
        """Whether POINT has a parameter."""
        return self._place(name) is not None

    def texts(self, name: str) -> Texts:
        """The cells of one of POINT's lists of texts, one a text; empty where there is none."""
        i = self._place(name)
        return Texts((), 0) if i is None else self._entries[i].texts or Texts((), 0)

    def set_texts(self, name: str, texts: Texts, pairs: bool = False) -> None:
        """Change one of POINT's lists of texts, or add it behind the last entry; `pairs`: of two texts each.

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
        value = texts.padded(width)
        if (i := self._place(name)) is not None:
            self._entries[i] = self._entries[i]._replace(kind=_TEXT, shape=shape, value=value)
            return
        # a file whose layout could be read has that group
        group = next(-e.number for e in self._entries if e.number <= 0 and e.name == "POINT")
        last = max(i for i, e in enumerate(self._entries) if abs(e.number) == group)
        head = struct.pack("bb", len(name), group) + name.encode("ascii")
        self._entries.insert(last + 1, RawEntry(group, name, head, _TEXT, shape, value, b"\0"))

    def set_number(self, name: str, value: float, group: str = "POINT") -> None:
        """Change a number of POINT, or of another group, in the type that it has; nothing where there is none."""
        if (i := self._place(name, group)) is None:
            return
        entry = self._entries[i]
        if entry.kind == 4:
            raw = real_bytes(np.array([value]), self._numbers)
        elif entry.kind == 2:
            raw = struct.pack(f"{self._numbers.order}H", int(value))
        else:
            raise GaitidError(f"{group}:{name} is neither a whole number of two bytes nor a real")
        # a second number stays, where somebody wrote one
        self._entries[i] = entry._replace(value=raw + entry.value[entry.kind :])

    def content(self) -> bytes:
        """The section, not padded: a byte of a name without length ends it."""
        parts = [self._lead]
        for entry in self._entries:
            form = bytes([entry.kind, len(entry.shape), *entry.shape]) if entry.number > 0 else b""
            body = form + entry.value + entry.rest
            parts += [entry.head, struct.pack(f"{self._numbers.order}h", 2 + len(body)), body]
        return b"".join(parts) + b"\0\0"


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
