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
        (edited("wrenches", lambda lines: [line.split(",", 1)[1] for line in lines]), "columns missing: frame"),
        (edited("joints", with_cell("inf")), "line 4, column right_ankle_power_W_per_kg: not a number; found 'inf'"),
        (
            without("wrenches", "left_knee_force_global_y_N"),
            "wrenches.csv: columns missing: left_knee_force_global_y_N",
        ),
        (without("joints", "left_hip_flexion_deg"), "walk.joints.csv: columns missing: left_hip_flexion_deg;"),
        (without("cycles", "hip_flexion_deg"), "walk.cycles.csv: columns missing: hip_flexion_deg;"),
        (without("contacts", "reason"), "walk.contacts.csv: columns missing: reason"),
        (without("features", "unit"), "walk.features.csv: columns missing: unit"),
        (with_key("model", 3), "model: not an object"),
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
