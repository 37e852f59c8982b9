"""Results read back by session: folders, tables of a batch, and bodies that cannot be one person's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.report.gathering import load_result, load_results


@pytest.fixture
def copy(make_result: Callable[..., Path], tmp_path: Path):
    """Write a result into a folder below `tmp_path`, of a body of its own mass."""

    def make(folder: str, stem: str = "walk", mass_kg: float = 45.8) -> Path:
        path = make_result(tmp_path / folder, stem)
        record = json.loads(path.read_text(encoding="utf-8"))
        record["subject"] = {"mass": {"value": mass_kg, "unit": "kg", "source": "scales"}}
        path.write_text(json.dumps(record), encoding="utf-8")
        return path

    return make


def test_cycles_are_those_of_the_file(cycled: Path) -> None:
    result = load_result(cycled)
    lines = [line.split(",") for line in cycled.with_name("walk.cycles.csv").read_text().splitlines()]
    header, rows = lines[0], lines[1:]
    for side, curves in result.cycles.items():
        of_side = [row for row in rows if row[0] == side]
        assert len(of_side) == len(curves) * len(curves.percent)
        at = header.index("knee_flexion_deg")
        written = [float(row[at]) if row[at] else np.nan for row in of_side]
        assert np.array_equal(curves.columns["knee_flexion_deg"].ravel(), written, equal_nan=True)
        assert set(curves.off_percent) == {float(row[header.index("foot_off_percent")]) for row in of_side}
    assert result.spatiotemporal[0]["side"] in ("left", "right")


def test_a_folder_is_a_session(copy, tmp_path: Path) -> None:
    copy("pre", "walk1"), copy("pre", "walk2"), copy("post", "walk1")
    sessions = load_results([tmp_path])
    assert [(s.subject, s.session, [r.stem for r in s.results]) for s in sessions] == [
        ("", "post", ["walk1"]),
        ("", "pre", ["walk1", "walk2"]),
    ]


def test_bodies_that_differ_are_subjects(copy, tmp_path: Path) -> None:
    copy("a", mass_kg=40.0), copy("b", mass_kg=44.1)
    assert [(s.subject, s.session) for s in load_results([tmp_path])] == [("a", ""), ("b", "")]
    copy("b", mass_kg=43.9)
    assert [(s.subject, s.session) for s in load_results([tmp_path])] == [("", "a"), ("", "b")]


def test_models_are_not_pooled(copy, tmp_path: Path) -> None:
    copy("a", "one"), copy("a", "two")
    other = copy("a", "three")
    record = json.loads(other.read_text(encoding="utf-8"))
    record["model"]["name"] = "other"
    other.write_text(json.dumps(record), encoding="utf-8")
    sessions = load_results([tmp_path])
    assert [(s.session, s.condition, len(s.results)) for s in sessions] == [
        ("a", "model pig", 2),
        ("a", "model other", 1),
    ]


def test_people_of_one_folder_are_told_apart(copy, tmp_path: Path) -> None:
    copy("lab", "a", mass_kg=40.0), copy("lab", "b", mass_kg=57.5), copy("lab", "c", mass_kg=41.0)
    assert [(s.subject, s.session, [r.stem for r in s.results]) for s in load_results([tmp_path])] == [
        ("lab, person 1 (40.0 kg)", "", ["a", "c"]),
        ("lab, person 2 (57.5 kg)", "", ["b"]),
    ]
