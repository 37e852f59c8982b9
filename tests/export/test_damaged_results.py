"""Results whose files are damaged are refused in one line by all that read them whole: `compare` and `export`."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gaitid.errors import GaitidError
from gaitid.export.source import read_source
from gaitid.results.one_run import refuse_lost_columns

Damage = Callable[[Path], object]


def edited(table: str, change: Callable[[list[str]], list[str]]) -> Damage:
    def damage(record: Path) -> None:
        path = record.with_name(f"walk.{table}.csv")
        path.write_text("\n".join(change(path.read_text(encoding="utf-8").splitlines())) + "\n", encoding="utf-8")

    return damage


def with_cell(value: str) -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        cells = lines[3].split(",")
        return [*lines[:3], ",".join([*cells[:-1], value]), *lines[4:]]

    return change


def without(table: str, *columns: str) -> Damage:
    def damage(record: Path) -> None:
        path = record.with_name(f"walk.{table}.csv")
        header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        kept = [i for i, name in enumerate(header) if name not in columns]
        assert len(kept) == len(header) - len(columns)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([row[i] for i in kept] for row in (header, *rows))

    return damage


def with_key(key: str, value: object) -> Damage:
    def damage(record: Path) -> None:
        content = {**json.loads(record.read_text(encoding="utf-8")), key: value}
        record.write_text(json.dumps(content), encoding="utf-8")

    return damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (edited("joints", lambda lines: lines[:1]), "walk.joints.csv: no frames"),
        (edited("joints", lambda lines: lines[:2]), "walk.joints.csv: not whole, or of another run"),
        (edited("wrenches", lambda lines: [line.split(",", 1)[1] for line in lines]), "columns missing: frame"),
        (edited("joints", with_cell("abc")), "line 4, column right_ankle_power_W_per_kg: not a number; found 'abc'"),
        (edited("joints", with_cell("inf")), "line 4, column right_ankle_power_W_per_kg: not a number; found 'inf'"),
        (edited("wrenches", lambda lines: [*lines[:3], "", *lines[4:]]), "line 4 is not whole"),
        (
            without("wrenches", "left_knee_force_global_y_N"),
            "wrenches.csv: columns missing: left_knee_force_global_y_N",
        ),
        (without("wrenches", "right_ground_free_moment_Nm"), "columns missing: right_ground_free_moment_Nm"),
        (without("joints", "left_hip_flexion_deg"), "walk.joints.csv: columns missing: left_hip_flexion_deg;"),
        (
            without("joints", "left_hip_flexion_deg", "right_hip_flexion_deg"),
            "left_hip_flexion_deg, right_hip_flexion_deg",
        ),
        (without("cycles", "hip_flexion_deg"), "walk.cycles.csv: columns missing: hip_flexion_deg;"),
        (without("stances", "hip_flexion_deg"), "walk.stances.csv: columns missing: hip_flexion_deg;"),
        (without("contacts", "reason"), "walk.contacts.csv: columns missing: reason"),
        (without("spatiotemporal", "speed_m_per_s"), "walk.spatiotemporal.csv: columns missing: speed_m_per_s"),
        (without("features", "unit"), "walk.features.csv: columns missing: unit"),
        (with_key("subject", None), "subject: not an object"),
        (with_key("model", 3), "model: not an object"),
        (with_key("schema", 99), "written by a newer gaitid"),
    ],
)
def test_a_damaged_result_is_refused(record: Path, tmp_path: Path, damage: Damage, said: str) -> None:
    for file in record.parent.glob("walk.*"):
        shutil.copy(file, tmp_path)
    copied = tmp_path / "walk.run.json"
    assert read_source(copied).tables["joints"][0].cells
    damage(copied)
    with pytest.raises(GaitidError) as refused:
        read_source(copied)
    assert said in refused.value.line() and "\n" not in refused.value.line()


def test_any_column_that_is_lost_is_named(record: Path) -> None:
    source = read_source(record)
    headers = {table: [column.name for column in columns] for table, columns in source.tables.items()}
    for table, header in headers.items():
        for name in header:
            less = {**headers, table: [other for other in header if other != name]}
            with pytest.raises(GaitidError, match=rf"walk\.{table}\.csv: columns missing: {name}; "):
                refuse_lost_columns(record, less, source.record)


def test_a_result_of_another_version_may_have_other_columns_of_strides(record: Path) -> None:
    content = {**read_source(record).record, "gaitid": "0.0.2"}
    refuse_lost_columns(record, {"spatiotemporal": ("side", "cycle")}, content)
