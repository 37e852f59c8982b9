"""Tables as pandas DataFrames: the columns of the files, from the arrays of a result or from its files.

Frames, cycles and contacts are whole numbers (``Int64`` where a row may have none), words are text (empty where nothing
belongs), all else are floats, NaN where unknown. The index counts the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.features import features
from gaitid.analysis.result import Result
from gaitid.analysis.stance_curves import stance_curves
from gaitid.disk.read_back import read_text_back
from gaitid.errors import ReadError
from gaitid.gait.feature_list import FEATURES
from gaitid.write import (
    CONTACT_COLUMNS,
    DEFAULT_FRAMES,
    FEATURE_COLUMNS,
    TEXT_COLUMNS,
    TRIAL_COLUMNS,
    UNCERTAINTY,
    UNCERTAINTY_COLUMNS,
    UNCERTAINTY_CYCLES,
)
from gaitid.write.cycles import SPATIOTEMPORAL_COLUMNS, LongTable, cycles_table, spatiotemporal_rows, stances_table
from gaitid.write.features import feature_frames
from gaitid.write.tables import columns_of, contact_row

if TYPE_CHECKING:
    from gaitid.analysis.contributions import Parts
    from gaitid.uncertainty.estimate import Estimate

_WORDS = {"column", *TEXT_COLUMNS, *TRIAL_COLUMNS, "plates", "method", "reason"} - {"cycle"}
_COUNTS = ("frame", "first_frame", "last_frame", "contact", "cycle")
# Of these tables a row may have no frame: a mean of strides, an integral.
_WITHOUT_FRAMES = ("spatiotemporal", "features")


def frame_of(
    table: str, result: Result, express_in: Sequence[str] = DEFAULT_FRAMES, parts: Parts | None = None
) -> pd.DataFrame:
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


def bands_frame(found: Estimate, table: str) -> pd.DataFrame:
    """The table of `gaitid.uncertainty.estimate.Estimate.table`, or of its `cycles_table`."""
    if table == UNCERTAINTY_CYCLES:
        import io

        return _typed(table, pd.read_csv(io.StringIO("".join(found.cycles_table()))))
    names, n_frames = found.names, len(found.values)
    columns = {
        "frame": np.repeat(found.first_frame + np.arange(n_frames), len(names)),
        "column": np.tile(names, n_frames),
    } | dict(zip(UNCERTAINTY_COLUMNS, found.bands().reshape(-1, len(UNCERTAINTY_COLUMNS)).T, strict=True))
    return _typed(UNCERTAINTY, pd.DataFrame(columns))


def with_uncertainty(features: pd.DataFrame, found: Estimate | None) -> pd.DataFrame:
    """The table of features with three more columns, where it is known how sure they are."""
    if found is None:
        return features
    bands = found.of_features().reshape(-1, len(UNCERTAINTY_COLUMNS))
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
    found = features(result, curves_of(result))
    n_cycles, n_features = len(found.cycles), len(FEATURES)
    columns = {
        "side": np.repeat([c.side for c in found.cycles], n_features),
        "cycle": np.repeat([c.number for c in found.cycles], n_features),
        "feature": np.tile([f.name for f in FEATURES], n_cycles),
        "value": found.value.ravel(),
        "unit": np.tile([f.unit for f in FEATURES], n_cycles),
        "percent": found.percent.ravel(),
        "frame": feature_frames(found, result.trial).ravel(),
    }
    return pd.DataFrame(columns, columns=list(FEATURE_COLUMNS))


_MAKERS: Mapping[str, Callable[[Result], pd.DataFrame]] = {
    "contacts": _contacts,
    "cycles": lambda result: _long(cycles_table(curves_of(result), result.trial)),
    "spatiotemporal": _spatiotemporal,
    "features": _features,
    "stances": lambda result: _long(stances_table(stance_curves(result), result.trial.first_frame)),
}
