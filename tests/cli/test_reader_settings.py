"""`--set point_unit=` and `--subject-prefix`: settings of the reader, for every command that reads a trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from terminal import assert_refused, edited_c3d, gaitid

from gaitid.ground.vertical import vertical
from gaitid.model.settings import VERTICALS, ReaderSettings
from gaitid.read import read_trial

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


def test_check_batch_and_inspect_take_them_too(walk: Path, results: Path, tmp_path: Path) -> None:
    trial = edited_c3d(walk, tmp_path / "in" / "walk.c3d", without_unit)
    assert gaitid("check", trial, *PIG, "--set", "point_unit=mm", "--against", results).code == 0
    run = ("run", trial, *PIG, "--set", "point_unit=mm", "-o", tmp_path / "golden")
    assert gaitid(*run).code == 0
    done = gaitid("check", *run[1:-2], "--against", tmp_path / "golden")
    assert done.code == 0 and "settings.point_unit" not in done.err
    given = (*PIG, "--set", "point_unit=mm", "-o", tmp_path / "out", "-j", "1")
    assert gaitid("batch", tmp_path / "in", *given).code == 0
    assert record(tmp_path / "out")["settings"]["point_unit"] == "mm"
    said = json.loads(gaitid("inspect", trial, "--set", "point_unit=cm", "--json").out)
    assert said["points"]["units"] == "cm"


def test_the_vertical_that_is_given_is_used_and_recorded(walk: Path, results: Path, tmp_path: Path) -> None:
    assert gaitid("run", walk, *PIG, "-o", tmp_path, "--set", "vertical=z").code == 0
    of_run = record(tmp_path)
    assert (of_run["settings"]["vertical"], record(results)["settings"]["vertical"]) == ("z", None)
    assert of_run["conventions"]["vertical"] == "+Z, found from --set vertical=z"
    assert (tmp_path / "walk.wrenches.csv").read_text() == (results / "walk.wrenches.csv").read_text()
    assert_refused(
        gaitid("run", walk, *PIG, "--set", "vertical=up"), "no such axis; expected one of x, -x, y, -y, z, -z"
    )


@pytest.mark.parametrize("said", VERTICALS)
def test_the_vertical_that_is_given_counts_before_all_that_the_file_says(walk: Path, said: str) -> None:
    """Of the trial, and of its static and functional trials, which are read with the same settings."""
    for name in ("walk.c3d", "static.c3d"):
        trial = read_trial(walk.with_name(name), settings=ReaderSettings(vertical=said))
        up_g, words = vertical(trial, None)
        expected = {"x": 0, "y": 1, "z": 2}[said[-1]]
        assert up_g.tolist() == [(-1.0 if "-" in said else 1.0) * (i == expected) for i in range(3)]
        assert words == f"--set vertical={said}"


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


def test_people_of_a_refused_trial_are_named_on_the_terminal_alone(couple: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    done = gaitid("run", couple, *PIG, "-o", tmp_path, "--log", log)
    assert "found Anna (16 markers seen), Ben" in done.err
    assert "found 2 subjects" in log.read_text() and "Anna" not in log.read_text()
    assert gaitid("batch", couple, *PIG, "-j", "1", "-o", tmp_path / "b").code == 1
    files = [path.read_text() for path in (tmp_path / "b").rglob("*") if path.is_file()]
    assert any("found 2 subjects (gaitid inspect names them)" in text for text in files)
    assert not any("Anna" in text or "Ben" in text for text in files)
    assert gaitid("batch", couple, *PIG, "-j", "1", "-o", tmp_path / "c", "--keep-names").code == 1
    assert "found Anna (16 markers seen), Ben" in (tmp_path / "c" / "batch.csv").read_text()


def test_a_person_s_name_is_kept_only_where_that_is_asked_for(couple: Path, walk: Path, tmp_path: Path) -> None:
    run = ("run", couple, *PIG, "--subject", walk.with_name("walk.subject.yaml"), "--subject-prefix", "Anna")
    assert gaitid(*run, "-o", tmp_path / "a").code == 0
    text = (tmp_path / "a" / "walk.run.json").read_text()
    assert "Anna" not in text and "Ben" not in text
    assert record(tmp_path / "a")["settings"]["subject_prefix"] == "given"
    assert gaitid(*run, "--keep-names", "-o", tmp_path / "b").code == 0
    kept = record(tmp_path / "b")
    assert kept["settings"]["subject_prefix"] == "Anna"
    at = kept["command"].index("--subject-prefix")
    assert kept["command"][at + 1] == "Anna"
