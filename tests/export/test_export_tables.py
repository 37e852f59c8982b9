"""Tables for other programs, read back by scipy, openpyxl, pandas and pyarrow: the same numbers, the same gaps."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaitid.errors import GaitidError
from gaitid.export.export import export_result
from gaitid.export.source import WORDS, Column, read_source
from gaitid.export.to_long import COLUMNS
from gaitid.export.to_mat import LONGEST, field_names
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


def test_names_that_matlab_takes() -> None:
    long = "left_" + "very_" * 14
    assert field_names(["a b", "a-b", "1st", "_x", long + "x", long + "y"]) == [
        *("a_b", "a_b_2", "x1st", "x_x"),
        long[:63],
        long[:61] + "_2",
    ]


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


def test_a_text_is_never_a_formula(record: Path, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    for file in record.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    contacts = tmp_path / "walk.contacts.csv"
    header, *rows = contacts.read_text("utf-8").splitlines()
    rows[0] = rows[0].rpartition(",")[0] + ",=1+1\x1b"
    contacts.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    (path,) = export_result(tmp_path / record.name, "xlsx", tmp_path / "out").files
    cell = openpyxl.load_workbook(path)["contacts"].cell(2, len(header.split(",")))
    assert (cell.value, cell.data_type) == ("=1+1\\x1b", "s")


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
    assert tuple(long.columns) == COLUMNS
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


@pytest.mark.parametrize(
    ("column", "meaning"),
    [
        ("left_hip_flexion_deg", ("left", "hip", "angle", "flexion", "deg")),
        (
            "right_foot_progression_internal_rotation_deg",
            ("right", "foot_progression", "angle", "internal_rotation", "deg"),
        ),
        ("left_pelvis_anterior_tilt_deg", ("left", "pelvis", "angle", "anterior_tilt", "deg")),
        ("right_knee_external_rotation_moment_Nm_per_kg", ("right", "knee", "moment", "external_rotation", "N.m/kg")),
        ("left_ankle_power_W_per_kg", ("left", "ankle", "power", "", "W/kg")),
        ("left_ankle_moment_distal_x_Nm", ("left", "ankle", "moment", "distal_x", "N.m")),
        ("right_hip_force_global_z_N", ("right", "hip", "force", "global_z", "N")),
        ("left_ground_force_y_N", ("left", "ground", "force", "y", "N")),
        ("left_ground_cop_y_m", ("left", "ground", "cop", "y", "m")),
        ("right_ground_free_moment_Nm", ("right", "ground", "free_moment", "", "N.m")),
        ("pelvis_com_x_m", ("", "pelvis", "com", "x", "m")),
        ("left_thigh_qw", ("left", "thigh", "q", "w", "")),
        ("left_shank_omega_x_rad_per_s", ("left", "shank", "omega", "x", "rad/s")),
        ("right_foot_acc_z_m_per_s2", ("right", "foot", "acc", "z", "m/s2")),
        ("left_hip_x_m", ("left", "hip", "position", "x", "m")),
    ],
)
def test_each_column_says_what_it_is(long: pd.DataFrame, column: str, meaning: tuple[str, ...]) -> None:
    part = long.query("column == @column")
    assert {tuple(row) for row in part[["side", "joint", "quantity", "component", "unit"]].to_numpy()} == {meaning}


@pytest.mark.parametrize("to", ["mat", "xlsx", "parquet", "long", "trc", "mot", "sto"])
def test_equal_results_have_equal_bytes(
    record: Path, exported: Callable[[str], Sequence[Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    one = exported(to)
    monkeypatch.setattr("time.time", lambda: 2e9)
    other = export_result(record, to, tmp_path / "b").files
    assert [file.name for file in one] == [file.name for file in other]
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in other]


@pytest.mark.parametrize(("to", "library"), [("xlsx", "openpyxl"), ("parquet", "pyarrow")])
def test_a_library_that_is_absent(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(GaitidError, match=rf"needs the library {library}; pip install 'gaitid\[{to}\]'"):
        export_result(record, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_words_stay_words() -> None:
    assert Column("plates", ("1", "2")).numbers is None
    numbers = Column("peak_vertical_N", ("1.5", "")).numbers
    assert numbers is not None
    np.testing.assert_array_equal(numbers, [1.5, np.nan])


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


def test_a_table_that_is_missing_or_damaged(record: Path, tmp_path: Path) -> None:
    for file in record.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    joints = tmp_path / "walk.joints.csv"
    joints.write_text(joints.read_text("utf-8") + "1,2\n", "utf-8")
    with pytest.raises(GaitidError, match=r"walk\.joints\.csv: line \d+ is not whole"):
        export_result(tmp_path / record.name, "long", tmp_path / "out")
    joints.unlink()
    with pytest.raises(GaitidError, match=r"walk\.joints\.csv missing beside it"):
        export_result(tmp_path / record.name, "long", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_folder_of_temporary_files_is_named(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """openpyxl writes its sheets there first; the result that is read has nothing to do with it."""
    pytest.importorskip("openpyxl")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gaitid.export.to_xlsx._saved", full)
    with pytest.raises(GaitidError, match=r"the sheets cannot be written to .* \(No space left on device\); .* TMPDIR"):
        export_result(record, "xlsx", tmp_path)
