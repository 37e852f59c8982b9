"""Results read back by session: folders, tables of a batch, and bodies that cannot be one person's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from gaitid.errors import GaitidError
from gaitid.report import write_report
from gaitid.report.gathering import load_results
from gaitid.report.result import load_result

RELEASE = Path(__file__).resolve().parents[1] / "records" / "0.1.0"


@pytest.fixture
def copy(tmp_path: Path):
    """Copy the recorded result into a folder below `tmp_path`, with a mass of its own."""

    def make(folder: str, stem: str = "walk", mass_kg: float | None = None) -> Path:
        target = tmp_path / folder
        target.mkdir(parents=True, exist_ok=True)
        for file in RELEASE.iterdir():
            shutil.copy(file, target / file.name.replace("walk", stem, 1))
        path = target / f"{stem}.run.json"
        if mass_kg is not None:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["subject"] = {"mass": {"value": mass_kg, "unit": "kg", "source": "scales"}}
            path.write_text(json.dumps(record), encoding="utf-8")
        return path

    return make


def test_cycles_are_those_of_the_file() -> None:
    result = load_result(RELEASE / "walk.run.json")
    lines = [line.split(",") for line in (RELEASE / "walk.cycles.csv").read_text().splitlines()]
    header, rows = lines[0], lines[1:]
    for side, curves in result.cycles.items():
        of_side = [row for row in rows if row[0] == side]
        assert len(of_side) == len(curves) * len(curves.percent)
        at = header.index("knee_flexion_deg")
        written = [float(row[at]) if row[at] else np.nan for row in of_side]
        assert np.array_equal(curves.columns["knee_flexion_deg"].ravel(), written, equal_nan=True)
        assert set(curves.off_percent) == {float(row[header.index("foot_off_percent")]) for row in of_side}
    assert result.spatiotemporal[0]["side"] in ("left", "right")
    assert result.features == ()


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


def test_the_table_of_a_batch_says_whose(copy, tmp_path: Path) -> None:
    one, two = copy("out/P1/pre"), copy("out/P1/post")
    (tmp_path / "out" / "batch.csv").write_text(
        "trial,subject,session,condition\n/data/P1/pre/walk.c3d,Ann,before,shod\n/data/P1/post/walk.c3d,Ann,after,\n"
    )
    sessions = load_results([one, two])
    assert [(s.subject, s.session, s.condition) for s in sessions] == [("Ann", "before", "shod"), ("Ann", "after", "")]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match="no result in this folder"):
        load_results([tmp_path])


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("left,1,0,", "left,1,x,", "line 2, column percent: not a number; found 'x'"),
        ("left,1,20,", "left,1,60,", "its rows are no cycles"),
        ("left,1,0,", "both,1,0,", "cycles of no side; expected left or right; found both"),
        ("left,1,0,", "left,1,,", "a cycle without its number"),
        ("left,1,0,", "left,1,0,,", "line 2 is not whole"),
    ],
)
def test_damaged_cycles_are_named(copy, old: str, new: str, words: str) -> None:
    path = copy("a").with_name("walk.cycles.csv")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(GaitidError) as caught:
        load_result(path.with_name("walk.run.json"))
    assert caught.value.line().startswith(f"{path}: ") and words in caught.value.line()


def test_people_of_one_folder_are_told_apart(copy, tmp_path: Path) -> None:
    copy("lab", "a", mass_kg=40.0), copy("lab", "b", mass_kg=57.5), copy("lab", "c", mass_kg=41.0)
    assert [(s.subject, s.session, [r.stem for r in s.results]) for s in load_results([tmp_path])] == [
        ("lab, person 1 (40.0 kg)", "", ["a", "c"]),
        ("lab, person 2 (57.5 kg)", "", ["b"]),
    ]


def test_people_with_one_label_are_warned_about(copy, tmp_path: Path) -> None:
    copy("lab", "a", mass_kg=40.0), copy("lab", "b", mass_kg=57.5)
    rows = ["trial,subject,session,condition", "lab/a.c3d,S,,", "lab/b.c3d,S,,"]
    (tmp_path / "batch.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    html = write_report([tmp_path / "lab"], tmp_path / "a.html").read_text(encoding="utf-8")
    assert "These trials may be of several people" in html
    assert "a: 40.0 kg; b: 57.5 kg" in html
