"""Tables as CSV text: decimal point, ten significant digits, an empty cell where a value is not known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.trial import Array


def csv_text(names: Sequence[str], values: Array, whole: int = 1) -> str:
    """A CSV with one header line.

    Parameters
    ----------
    names : sequence of str
        One a column.
    values : (rows, columns) array
        What is not finite becomes an empty cell.
    whole : int
        How many leading columns hold whole numbers.
    """
    if values.shape[1] != len(names):
        raise ValueError(f"{values.shape[1]} columns of values for {len(names)} names")
    row = ",".join(["%d"] * whole + ["%.10g"] * (len(names) - whole)) + "\n"
    # + 0.0 turns a negative zero into zero; one format for the whole table is much faster than one a cell.
    finite = np.isfinite(values)
    flat = (np.where(finite, values, np.nan) + 0.0).ravel().tolist()
    body = (row * len(values)) % tuple(flat)
    if not finite.all():
        body = body.replace("nan", "")
    return ",".join(names) + "\n" + body


def quoted(text: str) -> str:
    """A text cell of a CSV, quoted where it must be."""
    if any(c in text for c in ',"\n\r'):
        return '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
    return text
