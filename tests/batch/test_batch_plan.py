"""What a data set holds, and which static belongs to which trial."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gaitid.batch import plan as batch_plan
from gaitid.batch.files import list_folder
from gaitid.batch.plan import find, make_plan
from gaitid.errors import GaitidError


def test_a_static_given_for_all_is_not_looked_for(make) -> None:  # type: ignore[no-untyped-def]
    """Statics by name are none of the trials then either; what only stands still is one."""
    top = make("P1/static.c3d=static", "P1/walk.c3d", "P2/quiet.c3d=static", "P2/walk.c3d")
    plan = make_plan([str(top)], top / "out", given=["--require-forces", "--static", "elsewhere.c3d"])
    names = [f"{p.trial.parent.name}/{p.trial.name}" for p in plan.trials]
    assert names == ["P1/walk.c3d", "P2/quiet.c3d", "P2/walk.c3d"]
    assert all(p.static and (str(p.static.path), p.static.how) == ("elsewhere.c3d", "given") for p in plan.trials)
    assert all("--static" not in p.words for p in plan.trials)
    assert f"{top}/P1: static.c3d: not analysed: a static by name that no trial takes" in plan.lines(everything=True)


def test_the_static_given_for_all_is_no_trial(make, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """However its path is written."""
    top = make("ref.c3d=static", "quiet.c3d=static", "walk.c3d")
    monkeypatch.chdir(top)
    plan = make_plan([str(top)], None, given=["--static", "ref.c3d"])
    assert [p.trial.name for p in plan.trials] == ["quiet.c3d", "walk.c3d"]
    assert plan.left_out == ((top / "ref.c3d", "the static given for all trials"),)


def test_a_subject_file_beside_or_above(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/day/walk.c3d", "P1/day/own.c3d")
    (top / "P1" / "subject.yaml").write_text("mass_kg: 60\n")
    (top / "P1" / "day" / "own.subject.yaml").write_text("mass_kg: 61\n")
    plan = make_plan([str(top)], top / "out")
    assert {p.trial.stem: p.words for p in plan.trials} == {
        "walk": ("--subject", str(top / "P1/subject.yaml")),
        "own": ("--subject", str(top / "P1/day/own.subject.yaml")),
    }
    assert {p.trial.stem: p.subject for p in plan.trials} == {"walk": "P1/day", "own": "P1/day"}
    assert any("--subject" in line for line in plan.lines())


def test_outputs_mirror_the_folders(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/walk.c3d", "P2/day/walk.c3d", "walk.c3d")
    plan = make_plan([str(top)], Path("out"))
    assert {p.folder.as_posix() for p in plan.trials} == {"out", "out/P1", "out/P2/day"}
    several = make_plan([str(top / "P1"), str(top / "P2")], Path("out"))
    assert {p.folder.as_posix() for p in several.trials} == {"out/P1", "out/P2/day"}
    by_glob = make_plan([str(top / "P*" / "**" / "walk.c3d")], Path("out"))
    assert {p.folder.as_posix() for p in by_glob.trials} == {"out/P1", "out/P2/day"}
    one = make_plan([str(top / "P1" / "walk.c3d")], Path("out"))
    assert {p.folder.as_posix() for p in one.trials} == {"out"}


def test_results_and_text_twins_are_no_data(make) -> None:  # type: ignore[no-untyped-def]
    top = make("walk.c3d", "out/walk.c3d", ".hidden/walk.c3d")
    for name in ("walk.csv", "other.csv"):
        (top / name).write_text("frame,LASI_x_mm,LASI_y_mm,LASI_z_mm\n1,1,2,3\n")
    (top / "walk.wrenches.csv").write_text("frame,left_ground_cop_x_m\n")
    (top / "notes.csv").write_text("name,mass\n")
    plan = make_plan([str(top)], top / "out")
    assert [p.trial.name for p in plan.trials] == ["other.csv", "walk.c3d"]
    assert {path.name: why for path, why in plan.left_out} == {
        "walk.csv": "a C3D file of the same name is there",
        "walk.wrenches.csv": "forces, or a table that gaitid wrote",
        "notes.csv": "neither a trial (columns such as LASI_x_mm) nor a manifest (a column 'trials')",
    }
    assert "not analysed: 3 other files; --plan names them" in list(plan.lines())
    assert f"{top}: notes.csv: not analysed: neither a trial" in "\n".join(plan.lines(everything=True))


def test_forces_and_plates_beside_a_text_trial(make) -> None:  # type: ignore[no-untyped-def]
    top = make("static.c3d=static")
    (top / "walk.csv").write_text("frame,LASI_x_mm,LASI_y_mm,LASI_z_mm\n1,1,2,3\n")
    for name in ("walk.forces.csv", "plates.yaml"):
        (top / name).write_text("")
    plan = make_plan([str(top)], top / "out")
    forces, plates = top / "walk.forces.csv", top / "plates.yaml"
    assert plan.trials[0].words[2:] == ("--forces", str(forces), "--plates", str(plates))


def test_each_trial_once(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/walk.c3d")
    assert len(find([str(top), str(top / "P1" / "walk.c3d"), f"{top}/./P1"], top / "out").trials) == 1


def test_the_same_results_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    top = make("walk.c3d")
    shutil.copy(top / "walk.c3d", top / "walk.trc")
    with pytest.raises(GaitidError, match=r"walk\.c3d and .*walk\.trc would both write"):
        make_plan([str(top / "walk.c3d"), str(top / "walk.trc")], top / "out")


@pytest.mark.parametrize(
    ("name", "words"),
    [("absent", "no such file or folder"), ("empty", "no trial"), ("*.c3d", "no trial"), ("only", "only statics")],
)
def test_nothing_to_do(make, name: str, words: str) -> None:  # type: ignore[no-untyped-def]
    top = make("only/static.c3d=static", "only/cal.c3d=static")
    (top / "empty").mkdir()
    with pytest.raises(GaitidError, match=words):
        make_plan([str(top / name)], top / "out")


def test_broken_trials_stay_in_the_plan(make) -> None:  # type: ignore[no-untyped-def]
    """They are named when they are read; nothing here waits for a pipe or follows a loop."""
    top = make("walk.c3d")
    (top / "gone.c3d").symlink_to("nowhere.c3d")
    (top / "loop").symlink_to(top)
    os.mkfifo(top / "pipe.c3d")
    (top / "folder.c3d").mkdir()
    plan = make_plan([str(top)], top / "out")
    assert [p.trial.name for p in plan.trials] == ["gone.c3d", "pipe.c3d", "walk.c3d"]


def test_the_subject_is_the_folder(make) -> None:  # type: ignore[no-untyped-def]
    """Neither a subject file nor a static above several people makes one of them, nor a folder of a group."""
    top = make("static.c3d=static", "old/P1/walk.c3d", "old/P2/walk.c3d", "P2/walk.c3d", "walk.c3d")
    (top / "subject.yaml").write_text("mass_kg: 60\n")
    plan = make_plan([str(top)], None)
    assert [p.subject for p in plan.trials] == ["P2", "old/P1", "old/P2", "data"]
    assert f"{top}/P2: walk.c3d: subject P2; static {top}/static.c3d (by name); " in "\n".join(plan.lines())


@pytest.mark.parametrize("name", ["Subject.yaml", "subject.yml", "SUBJECT.YAML", "Walk.Subject.yml"])
def test_a_subject_file_in_other_letters(make, name: str) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/walk.c3d")
    (top / "P1" / name).write_text("mass_kg: 60\n")
    assert make_plan([str(top)], None).trials[0].words == ("--subject", str(top / "P1" / name))


def test_two_subject_files_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/walk.c3d")
    for name in ("subject.yaml", "subject.yml"):
        (top / "P1" / name).write_text("mass_kg: 60\n")
    with pytest.raises(GaitidError, match=r"P1: subject.yaml, subject.yml: which one is meant\?; keep one"):
        make_plan([str(top)], None)
    assert make_plan([str(top)], None, given=["--subject", "s.yaml"]).trials[0].words == ()


def test_signs_of_globs_in_names_of_folders(make) -> None:  # type: ignore[no-untyped-def]
    """The longest folder that exists is taken as it stands, on the command line and in manifests."""
    top = make("man [1]/P01/walk.c3d", "man [1]/P02/walk [2].c3d", "man 1/P01/walk.c3d")
    plan = make_plan([str(top / "man [1]" / "P0*" / "walk*.c3d")], Path("out"))
    assert [str(p.trial) for p in plan.trials] == [f"{top}/man [1]/P01/walk.c3d", f"{top}/man [1]/P02/walk [2].c3d"]
    assert [p.folder for p in plan.trials] == [Path("out/P01"), Path("out/P02")]
    (top / "man [1]" / "a.csv").write_text("trials\nP01/walk*.c3d\nP02/walk [2].c3d\n")
    assert len(make_plan([str(top / "man [1]" / "a.csv")], None).trials) == 2
    with pytest.raises(GaitidError, match=r"no such file or folder; check the path"):
        make_plan([str(top / "man [1]" / "absent.c3d")], None)


def test_a_glob_leaves_tables_out(make) -> None:  # type: ignore[no-untyped-def]
    top = make("walk.c3d")
    (top / "walk.wrenches.csv").write_text("frame\n")
    plan = make_plan([str(top / "walk*")], None)
    assert [p.trial.name for p in plan.trials] == ["walk.c3d"]
    assert [path.name for path, _ in plan.left_out] == ["walk.wrenches.csv"]


def test_markers_in_centimetres_and_utf16(make) -> None:  # type: ignore[no-untyped-def]
    top = make("static.c3d=static")
    (top / "cm.csv").write_text("time_s,LASI_x_cm,LASI_y_cm,LASI_z_cm\n0,1,2,3\n")
    (top / "wide.csv").write_text("time_s,LASI_x_mm,LASI_y_mm,LASI_z_mm\n0,1,2,3\n", encoding="utf-16")
    assert [p.trial.name for p in make_plan([str(top)], None).trials] == ["cm.csv", "wide.csv"]


def test_the_parent_of_a_batch_loads_what_plans_it_not_what_analyses() -> None:
    """No reader of exports, none of YAML, no result and what makes it, nothing of threads that wait."""
    code = (
        "import sys, gaitid.batch.plan, gaitid.batch.supervisor, gaitid.batch.local, gaitid.batch.files\n"
        "rooms = 'gaitid.ground', 'gaitid.gait', 'gaitid.analysis.result', 'gaitid.body.resolve'\n"
        "print(*({'yaml', 'concurrent', 'logging', 'gaitid.read.tables.csv_nexus', *rooms} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_lies_in_a_folder_is_looked_at_once(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once a trial: a folder of 400 would be listed 400 times, and each of its files looked at 160,000 times."""
    seen: dict[str, list[Path]] = {"listed": [], "read": [], "looked at": []}

    def noted(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda path, *others: (seen[what].append(path), function(path, *others))[1]

    data = make("P1/static.c3d=static", *(f"P1/walk{i}.c3d=calibrated" for i in range(8)))
    monkeypatch.setattr(batch_plan, "list_folder", noted("listed", batch_plan.list_folder))
    monkeypatch.setattr(batch_plan, "read_stored_subject", noted("read", batch_plan.read_stored_subject))
    monkeypatch.setattr(Path, "is_file", noted("looked at", Path.is_file))
    plan = make_plan([str(data)], tmp_path / "out")
    assert len(plan.trials) == 8
    assert sorted(seen["listed"]) == [data, data / "P1"]
    assert sorted(seen["read"]) == [planned.trial for planned in plan.trials]
    assert max(Counter(seen["looked at"]).values()) <= 2


def test_tables_of_markers_are_trials_and_those_of_forces_are_none(tmp_path: Path) -> None:
    heads = {
        "walk.tsv": "NO_OF_FRAMES\t2\nDATA_INCLUDED\t3D\nMARKER_NAMES\tA\n",
        "walk_f_1.tsv": "NO_OF_SAMPLES\t2\nDATA_INCLUDED\tForce\n",
        "walk_a.tsv": "TOT_NO_OF_CHAN\t2\nDATA_INCLUDED\tANALOG\n",
        "participants.tsv": "participant_id\tage\nsub-01\t34\n",
        "take.csv": "Format Version,1.23,Take Name,take\n",
        "walk.forces": "[Force Data]\n",
    }
    for name, head in heads.items():
        (tmp_path / name).write_text(head)
    listing = list_folder(tmp_path)
    assert [path.name for path in listing.trials] == ["take.csv", "walk.tsv"]
    assert {path.name for path, why in listing.left_out if "no markers of Qualisys" in why} == {
        "walk_f_1.tsv",
        "walk_a.tsv",
        "participants.tsv",
    }
