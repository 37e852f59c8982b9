"""``laboratory.yaml``: `gaitid batch` writes it, later runs take it as what is known; nothing is written over it."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from terminal import gaitid

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
