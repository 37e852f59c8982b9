"""Tables as CSV text: decimal point, ten significant digits, an empty cell where a value is not known."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.trial import Array
from gaitid.write.numbers import rows_text


def csv_text(names: Sequence[str], values: Array) -> str:
    """A CSV with one header line.

    Parameters
    ----------
    names : sequence of str
        One a column.
    values : (rows, columns) array
        What is not finite becomes an empty cell.
    """
    if values.shape[1] != len(names):
        raise ValueError(f"{values.shape[1]} columns of values for {len(names)} names")
    return ",".join(names) + "\n" + rows_text(values)


def quoted(text: str) -> str:
    """A text cell of a CSV, quoted where it must be."""
    if any(c in text for c in ',"\n\r'):
        return '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
    return text
