"""`--set point_unit=` and `--subject-prefix`: settings of the reader, for every command that reads a trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from terminal import assert_refused, edited_c3d, gaitid

PIG = ("--model", "pig")


def record(folder: Path, stem: str = "walk") -> Any:
    return json.loads((folder / f"{stem}.run.json").read_text())


def without_unit(c: Any) -> None:
    c["parameters"]["POINT"]["UNITS"]["value"] = [""]


def test_the_unit_is_told_or_given_and_recorded(walk: Path, results: Path, tmp_path: Path) -> None:
    trial = edited_c3d(walk, tmp_path / "walk.c3d", without_unit)
    assert gaitid("run", trial, *PIG, "-o", tmp_path / "told").code == 0
    assert gaitid("run", trial, *PIG, "-o", tmp_path / "given", "--set", "point_unit=mm").code == 0
    told, given = record(tmp_path / "told"), record(tmp_path / "given")
    assert (told["settings"]["point_unit"], given["settings"]["point_unit"]) == (None, "mm")
    assert [w["code"] for w in told["warnings"] if "POINT:UNITS says no unit" in w["text"]] == ["reading_assumed"]
    assert [w["code"] for w in given["warnings"] if "POINT:UNITS says no unit" in w["text"]] == ["reading_info"]
    for folder in ("told", "given"):
        assert (tmp_path / folder / "walk.wrenches.csv").read_text() == (results / "walk.wrenches.csv").read_text()


def test_settings_that_are_not_known_are_refused_with_all_that_are(walk: Path, tmp_path: Path) -> None:
    done = gaitid("run", walk, *PIG, "--set", "points_unit=mm", "-o", tmp_path)
    assert_refused(
        done, "--set points_unit: no such setting (did you mean 'point_unit'", "gravity_m_per_s2", "point_unit"
    )
    done = gaitid("run", walk, *PIG, "--set", "point_unit=inch", "-o", tmp_path)
    assert_refused(done, "--set point_unit=inch: no such unit; expected one of mm, cm, m")
    done = gaitid("inspect", walk, "--set", "cutoff_hz=6")
    assert_refused(done, "--set cutoff_hz: no such setting of the reader; expected point_unit")


def test_the_vertical_that_is_given_is_used_and_recorded(walk: Path, results: Path, tmp_path: Path) -> None:
    assert gaitid("run", walk, *PIG, "-o", tmp_path, "--set", "vertical=z").code == 0
    of_run = record(tmp_path)
    assert (of_run["settings"]["vertical"], record(results)["settings"]["vertical"]) == ("z", None)
    assert of_run["conventions"]["vertical"] == "+Z, found from --set vertical=z"
    assert (tmp_path / "walk.wrenches.csv").read_text() == (results / "walk.wrenches.csv").read_text()
    assert_refused(
        gaitid("run", walk, *PIG, "--set", "vertical=up"), "no such axis; expected one of x, -x, y, -y, z, -z"
    )


@pytest.fixture(scope="module")
def couple(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The walk with every marker of Anna's once more as Ben's."""
    import numpy as np

    def doubled(c: Any) -> None:
        labels = list(c["parameters"]["POINT"]["LABELS"]["value"])
        c["parameters"]["POINT"]["LABELS"]["value"] = [f"{who}:{label}" for who in ("Anna", "Ben") for label in labels]
        points = c["data"]["points"]
        c["data"]["points"] = np.concatenate([points, points + [[[2000.0]], [[0]], [[0]], [[0]]]], axis=1)
        for name, values in c["data"]["meta_points"].items():
            c["data"]["meta_points"][name] = np.concatenate([values, values], axis=1)

    return edited_c3d(walk, tmp_path_factory.mktemp("couple") / "walk.c3d", doubled)


def test_one_of_two_people(couple: Path, walk: Path, tmp_path: Path) -> None:
    assert_refused(gaitid("run", couple, *PIG, "-o", tmp_path), "several subjects", "found Anna (16 markers seen), Ben")
    seen = gaitid("inspect", couple, "--json")  # looks at one of them, and says so
    assert seen.code == 0 and "found Anna (16 markers seen), Ben (16 markers seen); choose one with" in seen.err
    assert "Anna" not in seen.out and "several subjects" in json.loads(seen.out)["warnings"][0]
    run = (*PIG, "--subject", walk.with_name("walk.subject.yaml"), "-o")
    done = gaitid("run", couple, *run, tmp_path / "two", "--subject-prefix", "Anna")
    assert done.code == 0, done.err
    assert gaitid("run", walk, *run, tmp_path / "one").code == 0
    one, two = (tmp_path / folder / "walk.wrenches.csv" for folder in ("one", "two"))
    assert one.read_text() == two.read_text()
    texts = [warning["text"] for warning in record(tmp_path / "two")["warnings"]]
    assert any("nothing says whose these measurements are; not used: " in text for text in texts)
    assert gaitid("inspect", couple, "--subject-prefix", "Anna").code == 0
    assert_refused(
        gaitid("inspect", couple, "--subject-prefix", "Carl"), "no subject 'Carl' in the file", "Anna", "Ben"
    )
