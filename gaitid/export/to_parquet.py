"""A result -> one Parquet file a table, with the record in the metadata of each."""

from __future__ import annotations

import io

import numpy as np

from gaitid.errors import GaitidError
from gaitid.export.source import Column, Made, Source

_WHOLE_NUMBERS = ("frame",)


def make(source: Source) -> Made:
    """``walk.wrenches.parquet`` and so on: numbers as doubles, null where unknown.

    Raises
    ------
    GaitidError
        The library pyarrow is absent.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise GaitidError("--to parquet needs the library pyarrow", todo="pip install 'gaitid[parquet]'") from None

    def array(column: Column) -> pa.Array:
        if column.numbers is None:
            return pa.array([cell or None for cell in column.cells], pa.string())
        values = np.asarray(column.numbers)
        if column.name in _WHOLE_NUMBERS and np.isfinite(values).all():
            return pa.array(values.astype(np.int64))
        return pa.array(values, from_pandas=True)

    contents: dict[str, str | bytes] = {}
    for name, columns in source.tables.items():
        table = pa.table([array(column) for column in columns], names=[column.name for column in columns])
        table = table.replace_schema_metadata({"gaitid_record": source.text})
        sink = io.BytesIO()
        parquet.write_table(table, sink, compression="zstd")
        contents[f"{source.stem}.{name}.parquet"] = sink.getvalue()
    return Made(contents)
