"""``laboratory.yaml``: `gaitid batch` writes it, later runs take it as what is known; nothing is written over it."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from terminal import assert_refused, gaitid

from gaitid.faults.laboratory_file import read_laboratory
from gaitid.run.command import read_recorded
from gaitid.simulate.files import simulate


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects' folders, each with a static and a walk, and what a batch makes of them."""
    top = tmp_path_factory.mktemp("laboratory")
    simulate("walk", top / "data" / "Ann", duration=2.0)
    shutil.copytree(top / "data" / "Ann", top / "data" / "Bob")
    assert gaitid("batch", top / "data", "--model", "pig", "-o", top / "out", "-j", 1).code == 0
    return top


def record(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def test_a_batch_writes_what_its_trials_tell_together(data: Path) -> None:
    (day,) = read_laboratory(data / "out" / "laboratory.yaml")
    assert (day.name, day.wrong) == ("data", ())
    share = record(data / "out" / "Ann" / "walk.run.json")["laboratory"]
    assert {*share["plates"]} == {str(number) for number in day.corners}
    assert {f"{number} {kind}" for number, kind in day.values} == {*share["parameters"]}


def test_nothing_is_said_of_a_sound_laboratory_and_resume_gives_the_same(data: Path) -> None:
    before = (data / "out" / "laboratory.yaml").read_bytes()
    done = gaitid("batch", data / "data", "--model", "pig", "-o", data / "out", "-j", 1, "--resume")
    assert done.code == 0
    assert "2 done before" in done.err
    assert "together" not in done.err
    assert (data / "out" / "laboratory.yaml").read_bytes() == before


def test_a_session_is_a_day(data: Path, tmp_path: Path) -> None:
    manifest = data / "days.csv"
    manifest.write_text("subject,session,trial\nAnn,May,data/Ann/walk.c3d\nBob,June,data/Bob/walk.c3d\n")
    assert gaitid("batch", manifest, "--model", "pig", "-o", tmp_path, "-j", 1).code == 0
    assert [day.name for day in read_laboratory(tmp_path / "laboratory.yaml")] == ["May", "June"]


def test_a_run_finds_the_file_and_its_record_makes_the_same_again(data: Path, tmp_path: Path) -> None:
    trial, known = tmp_path / "Ann" / "walk.c3d", tmp_path / "laboratory.yaml"
    shutil.copytree(data / "data" / "Ann", trial.parent)
    shutil.copy(data / "out" / "laboratory.yaml", known)
    assert gaitid("run", trial, "--model", "pig", "-o", tmp_path / "out").code == 0
    made = record(tmp_path / "out" / "walk.run.json")
    (used,) = (entry for entry in made["inputs"] if entry["role"] == "laboratory")
    assert Path(used["path"]).resolve() == known.resolve()
    assert used["sha256"] == hashlib.sha256(known.read_bytes()).hexdigest()
    assert made["laboratory"]["judged_by"] == "data"
    again = read_recorded(made, tmp_path / "out" / "walk.run.json").analysed()
    assert again.laboratory[1] == "data"
    assert used["path"] in gaitid("run", trial, "--model", "pig", "--dry-run").out


def test_without_a_file_nothing_is_known(data: Path) -> None:
    made = record(data / "out" / "Ann" / "walk.run.json")
    assert "judged_by" not in made["laboratory"]
    assert "laboratory" not in {entry["role"] for entry in made["inputs"]}


def test_its_own_file_is_no_input_of_a_batch(data: Path, tmp_path: Path) -> None:
    there = tmp_path / "data"
    shutil.copytree(data / "data", there)
    for options in ((), ("--resume",)):
        assert gaitid("batch", there, "--model", "pig", "-o", there, "-j", 1, *options).code == 0
        assert "judged_by" not in record(there / "Ann" / "walk.run.json")["laboratory"]
    given = ("--laboratory", there / "laboratory.yaml")
    done = gaitid("batch", there, "--model", "pig", "-o", there, "-j", 1, *given)
    assert done.code == 1
    assert "laboratory.yaml is an input and would be overwritten" in done.err


def test_a_file_that_gaitid_did_not_write_stays(data: Path, tmp_path: Path) -> None:
    (tmp_path / "laboratory.yaml").write_text("mine: yes\n")
    done = gaitid("batch", data / "data", "--model", "pig", "-o", tmp_path, "-j", 1)
    assert done.code == 1
    assert "laboratory.yaml was not made by gaitid" in done.err
    assert (tmp_path / "laboratory.yaml").read_text() == "mine: yes\n"


def test_what_is_no_file_of_a_laboratory_is_refused(data: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "laboratory.yaml"
    wrong.write_text("days: 3\n")
    run = ("run", data / "data" / "Ann" / "walk.c3d", "--model", "pig", "-o", tmp_path, "--laboratory", wrong)
    assert_refused(gaitid(*run), "no file of a laboratory", "gaitid batch")
