"""Tables as CSV text: decimal point, ten significant digits, an empty cell where a value is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gaitid.records import NamedTuple
from gaitid.trial import Array
from gaitid.write.numbers import rows_blocks

_QUOTED = frozenset(',"\n\r')  # a cell that holds one of these


class Columns(NamedTuple):
    """A table of numbers with a row for every frame.

    Attributes
    ----------
    names : list of str
        ``frame``, ``time_s``, then the others, each with its unit.
    values : (frames, columns) array
        NaN where unknown.
    """

    names: list[str]
    values: Array


def csv_text(names: Sequence[str], values: Array) -> str:
    """All of `csv_blocks` as one text."""
    return "".join(csv_blocks(names, values))


def csv_blocks(names: Sequence[str], values: Array) -> Iterator[str]:
    """A CSV with one header line, some lines at a time: a long trial's table is never held as a whole.

    Parameters
    ----------
    names : sequence of str
        One a column.
    values : (rows, columns) array
        What is not finite becomes an empty cell.
    """
    if values.shape[1] != len(names):
        raise ValueError(f"{values.shape[1]} columns of values for {len(names)} names")
    return chain((",".join(names) + "\n",), rows_blocks(values))


def quoted(text: str) -> str:
    """A text cell of a CSV, quoted where it must be."""
    if not _QUOTED.isdisjoint(text):
        return '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
    return text
