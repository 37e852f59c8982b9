"""Tables for other programs, read back by scipy, openpyxl, pandas and pyarrow: the same numbers, the same gaps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaitid.errors import GaitidError
from gaitid.export.source import WORDS, export_result, read_source
from gaitid.export.tables import LONG_COLUMNS, LONGEST
from gaitid.write import TABLES

NUMERIC = ("wrenches", "joints", "segments")


def csv(record: Path, table: str) -> pd.DataFrame:
    words = dict.fromkeys(WORDS, str)
    return pd.read_csv(record.with_name(f"walk.{table}.csv"), dtype=words, keep_default_na=False, na_values=[""])


def assert_same(values: pd.DataFrame, expected: pd.DataFrame) -> None:
    assert list(values.columns) == list(expected.columns)
    assert len(values) == len(expected)
    for name in expected.columns:
        if name in WORDS:
            assert values[name].fillna("").tolist() == expected[name].fillna("").tolist()
        else:
            np.testing.assert_array_equal(values[name].to_numpy(float), expected[name].to_numpy(float))


def there(record: Path) -> list[str]:
    return [table for table in TABLES if record.with_name(f"walk.{table}.csv").is_file()]


def test_matlab(record: Path, tmp_path: Path) -> None:
    from scipy.io import loadmat

    (path,) = export_result(record, "mat", tmp_path).files
    content = loadmat(path, simplify_cells=True, chars_as_strings=True)
    assert json.loads(content["record_json"]) == json.loads(record.read_text("utf-8"))
    assert len(there(record)) >= 8
    for table in there(record):
        expected, names = csv(record, table), content["column_names"][table]
        assert list(names.values()) == list(expected.columns)
        assert all(len(field) <= LONGEST and field.isidentifier() for field in names)
        for field, column in names.items():
            values = np.atleast_1d(content[table][field])
            assert len(values) == len(expected)
            if column in WORDS:
                texts = [value if isinstance(value, str) else "" for value in values]
                assert texts == expected[column].fillna("").tolist()
            else:
                np.testing.assert_array_equal(values, expected[column].to_numpy(float))
    units = content["column_units"]["joints"]
    assert units["left_knee_extension_moment_Nm_per_kg"] == "N.m/kg"
    assert units["left_knee_flexion_deg"] == "deg"
    assert units["left_hip_power_W_per_kg"] == "W/kg"


@pytest.fixture(scope="module")
def exported(record: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Sequence[Path]]:
    """`exported("xlsx")`: the files of the result in this format, made once and only read."""

    @cache
    def files(to: str) -> Sequence[Path]:
        return export_result(record, to, tmp_path_factory.mktemp(to)).files

    return files


@pytest.fixture(scope="module")
def long(exported: Callable[[str], Sequence[Path]]) -> pd.DataFrame:
    (path,) = exported("long")
    return pd.read_csv(path, keep_default_na=False, dtype=str)


def test_workbook(record: Path, exported: Callable[[str], Sequence[Path]]) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    (path,) = exported("xlsx")
    book = openpyxl.load_workbook(path, read_only=True)
    assert book.sheetnames == [*there(record), "record"]
    text = "\n".join(row[0] or "" for row in book["record"].iter_rows(values_only=True))
    assert json.loads(text) == json.loads(record.read_text("utf-8"))
    for table in there(record):
        sheet = pd.read_excel(
            path, sheet_name=table, dtype=dict.fromkeys(WORDS, str), keep_default_na=False, na_values=[""]
        )
        assert_same(sheet, csv(record, table))
    book.close()


def test_parquet(record: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = export_result(record, "parquet", tmp_path).files
    assert [file.name for file in files] == [f"walk.{table}.parquet" for table in there(record)]
    for file, table in zip(files, there(record), strict=True):
        assert_same(pd.read_parquet(file), csv(record, table))
        metadata = parquet.read_schema(file).metadata
        assert json.loads(metadata[b"gaitid_record"]) == json.loads(record.read_text("utf-8"))
    assert parquet.read_schema(files[0]).field("frame").type == "int64"
    unknown = parquet.read_table(files[0]).column("left_ground_cop_x_m")
    assert unknown.null_count == csv(record, "wrenches")["left_ground_cop_x_m"].isna().sum() > 0


def test_long_is_tidy_and_whole(record: Path, long: pd.DataFrame) -> None:
    assert tuple(long.columns) == LONG_COLUMNS
    assert set(long["trial"]) == {"walk"}
    assert set(long["side"]) == {"left", "right", ""}
    for table in NUMERIC:
        lines = record.with_name(f"walk.{table}.csv").read_text("utf-8").splitlines()
        names, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
        cells = dict(zip(names, zip(*rows, strict=True), strict=True))
        for name in names[2:]:
            part = long[long["column"] == name]
            assert tuple(part["value"]) == cells[name]  # to the digit; empty where not known
            assert tuple(part["frame"]) == cells["frame"]
            assert tuple(part["time_s"]) == cells["time_s"]


def test_tables_need_no_trial(record: Path, tmp_path: Path) -> None:
    """What stands in tables is exported from them alone."""
    for file in record.parent.iterdir():
        text = file.read_text("utf-8")
        (tmp_path / file.name).write_text(text.replace(str(record.parent.parent), "/gone"), "utf-8")
    assert read_source(tmp_path / record.name).inputs == []
    for to in ("mat", "xlsx", "parquet", "long"):
        assert export_result(tmp_path / record.name, to, tmp_path / "out").files
    with pytest.raises(GaitidError, match="is not where it was"):
        export_result(tmp_path / record.name, "trc", tmp_path / "out")
