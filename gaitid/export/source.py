"""A result as it lies on disk, whole, and its files for another program: all of one format, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np

from gaitid.analysis.result import Result as Analysed
from gaitid.disk.atomic import write_all
from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError
from gaitid.export import FORMATS
from gaitid.inputs import refuse_to_overwrite
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.results.one_run import read_result
from gaitid.results.record_checks import refuse_other_frames
from gaitid.results.result import Result, find_records
from gaitid.results.tables import read_rows
from gaitid.run.command import Recorded, places, read_recorded, refuse_other_numbers
from gaitid.trial import Array
from gaitid.write import TEXT_COLUMNS, TRIAL_COLUMNS

#: Columns that hold words, also where all of them look like numbers.
WORDS = frozenset((*TEXT_COLUMNS, *TRIAL_COLUMNS, *("plates", "method", "reason")))
#: Ends of columns' names and their units, the longer before the shorter.
UNITS = {
    "kg_m2_per_s": "kg.m2/s",
    "normalised": "1",
    "Nm_per_kg": "N.m/kg",
    "W_per_kg": "W/kg",
    "N_per_kg": "N/kg",
    "steps_per_min": "1/min",
    "rad_per_s2": "rad/s2",
    "rad_per_s": "rad/s",
    "m_per_s2": "m/s2",
    "m_per_s": "m/s",
    "percent": "%",
    "deg": "deg",
    "Nm": "N.m",
    "N": "N",
    "m": "m",
    "s": "s",
}
#: Without these a folder holds no result.
_NEEDED = ("wrenches", "joints")


class Made(NamedTuple):
    """The files of a result in one format, their content by their names, and what is worth saying of them."""

    contents: Mapping[str, str | bytes]
    remarks: tuple[str, ...] = ()


@frozen_dataclass(eq=False)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    cells : tuple of str
        As they stand.
    """

    name: str
    cells: tuple[str, ...]

    @property
    def end(self) -> str:
        """The unit with which the name ends; empty where it ends with none."""
        return next((end for end in UNITS if self.name.endswith(f"_{end}")), "")

    @property
    def unit(self) -> str:
        """That in usual signs."""
        return UNITS.get(self.end, "")

    @cached_property
    def numbers(self) -> Array | None:
        """(rows,) array, NaN where a cell is empty; None for words."""
        if self.name in WORDS:
            return None
        try:
            return np.array([float(cell) if cell else np.nan for cell in self.cells], dtype=np.float64)
        except ValueError:
            return None


@frozen_dataclass(eq=False)
class Source(Result):
    """A result with the cells of its tables as they stand."""

    @cached_property
    def text(self) -> str:
        """The record as it stands."""
        return read_text_back(self.path, "run.json")

    @cached_property
    def tables(self) -> Mapping[str, tuple[Column, ...]]:
        """The columns of each table that is there."""
        return {table: _columns(self.file(table)) for table in self.headers}

    @property
    def inputs(self) -> list[Path]:
        """Files that the result was made from, as far as they lie where they were or near the result."""
        paths = [entry["path"] for entry in self.record["inputs"]]
        return [place for path in paths if path for place in places(Path(path), self.path) if place.is_file()]

    @cached_property
    def recorded(self) -> Recorded:
        """What the record names, read again."""
        return read_recorded(self.record, self.path)

    @cached_property
    def analysed(self) -> Analysed:
        """The same result in memory, from the files that the record names.

        Raises
        ------
        GaitidError
            A file is gone or has changed, or other numbers come out.
        """
        if "(in memory)" in self.record.get("command", ()):
            raise GaitidError(
                "it was made from arrays in Python, and no file holds its trial",
                expected="a result of gaitid run",
                todo="export it --to mat, xlsx, parquet or long, which its tables are enough for",
            )
        again = self.recorded.analysed()
        refuse_other_numbers(again, self.record, self.columns)
        return again


def read_source(path: Path) -> Source:
    """Read a record and the tables beside it.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    source = Source(path, read_result(path, _NEEDED).record)
    for table in _NEEDED:
        by_frame = source.numbers(table, source.headers[table])
        refuse_other_frames(source.file(table), by_frame["frame"], source.record)
    return source


def _columns(path: Path) -> tuple[Column, ...]:
    header, rows = read_rows(path)
    cells = list(zip(*rows, strict=True)) or [()] * len(header)
    return tuple(Column(name, tuple(column)) for name, column in zip(header, cells, strict=True))


# Where a format is made, if not among the tables.
_MODULES = {"c3d": "c3d", "opensim": "opensim_setup", "trc": "opensim", "mot": "opensim", "sto": "opensim"}


class Exported(NamedTuple):
    """Files in place, and what is worth saying of them."""

    files: list[Path]
    remarks: tuple[str, ...]


def export_result(path: Path, to: str, folder: Path, keep_names: bool = False) -> Exported:
    """Write a result for another program.

    Parameters
    ----------
    path : Path
        ``walk.run.json``, with its tables beside it.
    to : str
        One of `FORMATS`.
    folder : Path
        Made if absent.
    keep_names : bool
        Whether a copy of the trial's C3D file keeps the names of people in it.

    Raises
    ------
    GaitidError
        One line; nothing is written then.
    """
    if to not in FORMATS:
        raise GaitidError(f"no format {to!r}", expected=" or ".join(FORMATS))
    source = read_source(path)
    room = import_module(f"gaitid.export.{_MODULES.get(to, 'tables')}")
    make: Callable[..., Made] = getattr(room, f"to_{to}")
    made = make(source, keep_names) if to == "c3d" else make(source)
    targets = [folder / name for name in made.contents]
    refuse_to_overwrite(targets, [*source.files, *source.inputs])
    return Exported(write_all(folder, made.contents), made.remarks)


def folders_of(given: Path, output: Path) -> list[tuple[Path, Path]]:
    """A result, or each below a folder, with the folder of its files: folders are mirrored below `output`.

    Raises
    ------
    GaitidError
        No result there.
    """
    result = find_records([given])
    return [(path, output / path.parent.relative_to(given) if given.is_dir() else output) for path in result]
