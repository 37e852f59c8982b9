"""Tables as CSV text: decimal point, ten significant digits, an empty cell where a value is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

import numpy as np

from gaitid.numerics.rotation import apply_transposed
from gaitid.trial import Array, Trial
from gaitid.write.numbers import rows_blocks, rows_text

_TOGETHER = 4096  # frames put together at once
_QUOTED = frozenset(',"\n\r')  # a cell that holds one of these


class Columns:
    """A table of numbers with a row for every frame, put together some frames at a time: NaN where unknown.

    Parameters
    ----------
    trial : Trial
        Numbers the frames.

    Attributes
    ----------
    names : list of str
        ``frame``, ``time_s``, then the others, each with its unit.
    """

    def __init__(self, trial: Trial) -> None:
        self.names = ["frame", "time_s"]
        self._n_frames = trial.n_frames
        counted = np.column_stack([trial.first_frame + np.arange(trial.n_frames), trial.time_s])
        self._columns: list[tuple[Array, Array | None]] = [(counted, None)]

    def add(self, names: Sequence[str], values: Array, axes: Array | None = None) -> None:
        """Columns behind the others.

        Parameters
        ----------
        names : sequence of str
        values : (frames, columns) or (frames,) array
        axes : (frames, 3, 3) array, optional
            The table has components along these, its columns, where vectors are given.
        """
        self.names += names
        self._columns.append((values if values.ndim == 2 else values[:, None], axes))

    def rows(self, some: slice) -> Array:
        """(frames, columns) values of some frames."""
        parts = [v[some] if axes is None else apply_transposed(axes[some], v[some]) for v, axes in self._columns]
        return np.concatenate(parts, axis=1)

    @property
    def values(self) -> Array:
        """(frames, columns) all of them."""
        return self.rows(slice(None))

    def __iter__(self) -> Iterator[Any]:
        """The names, then the values."""
        return iter((self.names, self.values))

    def blocks(self) -> Iterator[str]:
        """The table as CSV, some lines at a time: a long trial's is never held as a whole, neither numbers nor text."""
        yield ",".join(self.names) + "\n"
        for start in range(0, self._n_frames, _TOGETHER):
            yield from rows_blocks(self.rows(slice(start, start + _TOGETHER)))


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
    if not _QUOTED.isdisjoint(text):
        return '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
    return text


def cell(value: object) -> str:
    """A cell of a CSV: numbers as in `csv_text`, unknown ones empty; text quoted where it must be."""
    if isinstance(value, float):
        return f"{value + 0.0:.10g}" if isfinite(value) else ""
    return quoted(str(value))
