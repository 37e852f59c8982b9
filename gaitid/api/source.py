"""Where an `Analysis` has its tables from, and these as pandas DataFrames."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gaitid import run
from gaitid.analysis.cycle_curves import curves_of, stance_curves
from gaitid.analysis.features import features
from gaitid.analysis.result import Result
from gaitid.disk.atomic import write_all
from gaitid.disk.regular import read_record, read_text_back
from gaitid.errors import GaitidError, ReadError
from gaitid.gait.feature_list import FEATURES
from gaitid.inputs import refuse_to_overwrite
from gaitid.records import frozen_dataclass
from gaitid.results.result import Result as OnDisk
from gaitid.results.result import refuse_no_record
from gaitid.write import (
    BANDS,
    CONTACT_COLUMNS,
    FEATURE_COLUMNS,
    TABLES,
    TEXT_COLUMNS,
    TRIAL_COLUMNS,
    UNCERTAINTY,
    UNCERTAINTY_COLUMNS,
    UNCERTAINTY_CYCLES,
)
from gaitid.write.cycles import (
    SPATIOTEMPORAL_COLUMNS,
    LongTable,
    cycles_table,
    feature_frames,
    spatiotemporal_rows,
    stances_table,
)
from gaitid.write.tables import columns_of, contact_row

if TYPE_CHECKING:
    from gaitid.analysis.contributions import Parts
    from gaitid.compare.mixture import Made as MadeFrom
    from gaitid.uncertainty.estimate import Estimate


@frozen_dataclass(eq=False)
class Made:
    """A result that was computed here.

    Attributes
    ----------
    stem : str
        That the names of its files begin with.
    result : Result
    setup : Setup
        How, with the model.
    inputs : tuple of mappings
        What it was made from, as a record names it: hashed when it was read.
    files : tuple of Path
        The files that it was made from, which nothing is written over.
    """

    stem: str
    result: Result
    setup: run.Setup
    inputs: tuple[Mapping[str, str], ...]
    files: tuple[Path, ...]

    def record(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(run.record_of(self.result, self.setup, self.inputs))
        return content

    def frame(self, table: str) -> pd.DataFrame:
        if table in BANDS:
            result = run.estimate_of(self.result, self.setup)
            if result is None:
                raise GaitidError("nobody asked how sure the numbers are", todo="give uncertainty=True to analyse")
            return bands_frame(result, table)
        options = self.setup.options
        frame = frame_of(table, self.result, options.express_in, run.parts_of(self.result, options))
        return with_uncertainty(frame, run.estimate_of(self.result, self.setup)) if table == "features" else frame

    def write(self, folder: Path) -> list[Path]:
        assert self.setup.model is not None  # settled
        names = (*(f"{table}.csv" for table in (*TABLES, *BANDS)), "run.json")
        refuse_to_overwrite([folder / f"{self.stem}.{name}" for name in names], [*self.files, *self.setup.model.files])
        contents = run.file_contents(self.stem, self.result, self.setup, self.inputs)
        return run.put_in_place(folder, contents, self.setup.options)

    def placed(self, folder: Path) -> tuple[Path, MadeFrom | None]:
        """Its record in files of their own, and what it was made from."""
        from gaitid.compare.sources import made_of

        return self.write(folder)[-1], made_of(self.result, self.setup)


@frozen_dataclass(eq=False)
class Stored:
    """A result that lies in files.

    Attributes
    ----------
    result : Result
        Whose tables are read when they are asked for.
    """

    result: OnDisk

    @classmethod
    def read(cls, path: Path) -> Stored:
        refuse_no_record(path)
        return cls(OnDisk(path, read_record(path)))

    @property
    def stem(self) -> str:
        return self.result.stem

    def record(self) -> dict[str, Any]:
        return dict(self.result.record)

    def frame(self, table: str) -> pd.DataFrame:
        return frame_from(self.result.file(table), table)

    def write(self, folder: Path) -> list[Path]:
        record, *tables = self.result.files
        files = [*filter(Path.is_file, tables), record]
        texts = {path.name: read_text_back(path, "result") for path in files}
        refuse_to_overwrite([folder / name for name in texts], files)
        return write_all(folder, texts)

    def placed(self, folder: Path) -> tuple[Path, MadeFrom | None]:
        """Its record where it is."""
        return self.result.path, None


#: Where an `Analysis` has its tables and its record from.
Source = Made | Stored


_WORDS = {"column", *TEXT_COLUMNS, *TRIAL_COLUMNS, "plates", "method", "reason"} - {"cycle"}
_COUNTS = ("frame", "first_frame", "last_frame", "contact", "cycle")
# Of these tables a row may have no frame: a mean of strides, an integral.
_WITHOUT_FRAMES = ("spatiotemporal", "features")


def frame_of(table: str, result: Result, express_in: Sequence[str], parts: Parts | None) -> pd.DataFrame:
    """One table of a result; parameters as of `gaitid.write.tables.table_text`."""
    if table in _MAKERS:
        return _typed(table, _MAKERS[table](result))
    names, values = columns_of(table, result, express_in, parts)
    return _typed(table, pd.DataFrame(values, columns=names))


def frame_from(path: Path, table: str) -> pd.DataFrame:
    """One table from its file.

    Raises
    ------
    ReadError
        Absent, or not a table, in one line that begins with the file.
    """
    import io

    text = read_text_back(path, "CSV")
    try:
        header = text.partition("\n")[0].split(",")
        words = {name: str for name in header if name in _words(table)}
        numbers = {name: [""] for name in header if name not in words}
        read: Any = pd.read_csv
        frame = read(io.StringIO(text), dtype=words, keep_default_na=False, na_values=numbers)
        return _typed(table, frame)
    except (ValueError, TypeError) as error:
        raise ReadError(f"{path}: not a table", expected="what gaitid run wrote", found=str(error)) from None


def _words(table: str) -> set[str]:
    """The columns that hold words; a row of a summary has ``mean`` where others have a cycle's number."""
    return _WORDS | {"cycle"} if table == "spatiotemporal" else _WORDS


def _typed(table: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The same with the type that each column has, however the table was made."""
    words = _words(table)
    types: dict[Any, Any] = {}
    for name in frame.columns:
        if name in words:
            types[name] = str
        elif name in _COUNTS:
            types[name] = "Int64" if table in _WITHOUT_FRAMES and name.endswith("frame") else np.int64
        else:
            types[name] = np.float64
    return frame.astype(types)


# --- from arrays ----------------------------------------------------------------------------------------------


def bands_frame(result: Estimate, table: str) -> pd.DataFrame:
    """The table of `gaitid.uncertainty.estimate.Estimate.table`, or of its `cycles_table`."""
    if table == UNCERTAINTY_CYCLES:
        import io

        return _typed(table, pd.read_csv(io.StringIO("".join(result.cycles_table()))))
    names, n_frames = result.names, len(result.values)
    columns = {
        "frame": np.repeat(result.first_frame + np.arange(n_frames), len(names)),
        "column": np.tile(names, n_frames),
    } | dict(zip(UNCERTAINTY_COLUMNS, result.bands().reshape(-1, len(UNCERTAINTY_COLUMNS)).T, strict=True))
    return _typed(UNCERTAINTY, pd.DataFrame(columns))


def with_uncertainty(features: pd.DataFrame, result: Estimate | None) -> pd.DataFrame:
    """The table of features with three more columns, where it is known how sure they are."""
    if result is None:
        return features
    bands, place = result.of_features(), {feature.name: i for i, feature in enumerate(FEATURES)}
    listed = features["feature"].map(place).to_numpy(dtype=np.intp).reshape(len(bands), -1)
    bands = np.take_along_axis(bands, listed[:, :, None], axis=1).reshape(-1, len(UNCERTAINTY_COLUMNS))
    return features.assign(**dict(zip(UNCERTAINTY_COLUMNS, bands.T, strict=True)))


def _contacts(result: Result) -> pd.DataFrame:
    rows = [contact_row(contact, result.trial.first_frame) for contact in result.contacts]
    return pd.DataFrame(rows, columns=list(CONTACT_COLUMNS))


def _long(table: LongTable) -> pd.DataFrame:
    """Curves one below the other: what names each, its percents, what marks it, its values."""
    columns = table.columns
    head = pd.DataFrame(table.heads, columns=[name for name in columns if name != "percent"])
    head = head.loc[head.index.repeat(len(table.percent))].reset_index(drop=True)
    head.insert(columns.index("percent"), "percent", np.tile(table.percent, len(table.heads)))
    curves = pd.DataFrame(table.values.reshape(-1, len(table.names)), columns=list(table.names))
    return pd.concat([head, curves], axis=1)


def _spatiotemporal(result: Result) -> pd.DataFrame:
    rows = spatiotemporal_rows(result, result.gait)
    frames = [name.endswith("frame") for name in SPATIOTEMPORAL_COLUMNS]
    known = [[None if cell == "" and frame else cell for frame, cell in zip(frames, row, strict=True)] for row in rows]
    return pd.DataFrame(known, columns=list(SPATIOTEMPORAL_COLUMNS))


def _features(result: Result) -> pd.DataFrame:
    outcome = features(result, curves_of(result))
    listed = [FEATURES[i] for i in outcome.listed]
    n_cycles, n_features = len(outcome.cycles), len(listed)
    columns = {
        "side": np.repeat([c.side for c in outcome.cycles], n_features),
        "cycle": np.repeat([c.number for c in outcome.cycles], n_features),
        "feature": np.tile([f.name for f in listed], n_cycles),
        "value": outcome.value[:, outcome.listed].ravel(),
        "unit": np.tile([f.unit for f in listed], n_cycles),
        "percent": outcome.percent[:, outcome.listed].ravel(),
        "frame": feature_frames(outcome, result.trial)[:, outcome.listed].ravel(),
    }
    return pd.DataFrame(columns, columns=list(FEATURE_COLUMNS))


_MAKERS: Mapping[str, Callable[[Result], pd.DataFrame]] = {
    "contacts": _contacts,
    "cycles": lambda result: _long(cycles_table(curves_of(result), result.trial, result.emg)),
    "spatiotemporal": _spatiotemporal,
    "features": _features,
    "stances": lambda result: _long(stances_table(stance_curves(result), result.trial.first_frame)),
}
