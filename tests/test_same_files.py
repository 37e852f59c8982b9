"""`benchmarks/same_files.py`: what may differ is left out, anything else is found, with its place and size."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
from same_files import compare_folders, difference

TABLE = "frame,time_s,left_knee_flexion_deg,note\n1,0,12.5,\n2,0.01,13.5,a\n3,0.02,,a\n"
RECORD: dict[str, Any] = {
    "gaitid": "0.1.0",
    "command": ["gaitid", "run", "walk.c3d"],
    "subject": {"mass": {"value": 70.0, "unit": "kg"}},
    "warnings": ["plate 1 drifts", "the foot is assumed flat"],
}


def page(version: str, *warnings: str) -> str:
    items = "".join(f"<li>{warning}</li>" for warning in warnings)
    section = f'<section class="warnings" aria-label="Warnings"><h2>x</h2><ul>{items}</ul></section>'
    return f"<p><span>gaitid {version}</span></p>{section}<p>70 kg</p>"


def folder(path: Path, files: dict[str, str | bytes]) -> Path:
    """With files, by their paths in it."""
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_texts_of_messages_may_not_differ(tmp_path: Path) -> None:
    after = {**RECORD, "gaitid": "0.2.0", "warnings": ["plate 1 drifts", "the foot is flat"]}
    files = ({"walk.run.json": json.dumps(RECORD), "run.stderr": "gaitid 0.1.0: a\n", "w.html": page("0.1.0", "a")},)
    files += ({"walk.run.json": json.dumps(after), "run.stderr": "gaitid 0.2.0: b\n", "w.html": page("0.2.0", "b")},)
    found = compare_folders(*(folder(tmp_path / name, of) for name, of in zip("ab", files, strict=True)))
    assert sorted(found.faults) == ["run", "w", "walk"]
    same = compare_folders(tmp_path / "a", folder(tmp_path / "c", {**files[0], "w.html": page("0.3.0", "a")}))
    assert (same.faults, same.files) == ({}, 3)


KNEE = "left_knee_flexion_deg in 1 rows, "
TIME = "time_s in 1 rows, at most 0.01: 0.02 -> 0.03 at frame 3, line 4"
MOVED = f"{KNEE}at most 0.25: 13.5 -> 13.75 at frame 2, line 3; {TIME}"
DIFFERENCES = [
    ("t.csv", TABLE, TABLE.replace("13.5", "13.75").replace("0.02", "0.03"), MOVED),
    ("t.csv", TABLE, TABLE.replace("13.5", ""), f"{KNEE}13.5 -> empty at frame 2, line 3"),
    ("t.csv", TABLE, TABLE.replace("note", "notes"), "column note is gone; column notes is new"),
    ("t.csv", TABLE, TABLE[:-10], "3 -> 2 rows"),
    ("t.csv", TABLE, TABLE.replace("\n", "\r\n"), "ends of lines"),
    ("t.json", '{"a": [1.5, "x"], "c": 2}', '{"a": [1.25, "x"], "c": 4}', "c: 2 -> 4 (2); a[0]: 1.5 -> 1.25 (0.25)"),
    ("t.json", '{"a": 1}', '{"a": 1, "b": null}', "b is new"),
    ("t.json", '{"a": 1.0}', '{"a": 1.00}', 'line 1: {"a": 1.0} -> {"a": 1.00}; largest numeric difference 0'),
    ("t.html", "<p>1.5</p>", "<p>1.7</p>", "line 1: <p>1.5</p> -> <p>1.7</p>; largest numeric difference 0.2"),
    ("t.yaml", "a\nb\n", "a\n", "2 -> 1 lines"),
]


@pytest.mark.parametrize(("name", "before", "after", "words"), DIFFERENCES)
def test_a_difference_has_its_place_and_size(name: str, before: str, after: str, words: str) -> None:
    assert difference(name, before, after) == words
    assert difference(name, before, before) == ""
