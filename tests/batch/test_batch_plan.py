"""What a data set holds, and which static belongs to which trial."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gaitid.batch.found import find
from gaitid.batch.plan import Plan, make_plan
from gaitid.batch.statics import Static, choose, named_static, natural, stands
from gaitid.errors import GaitidError


def pairs(plan: Plan, top: Path) -> dict[str, str | None]:
    """Trial -> static, below a folder."""
    return {
        p.trial.relative_to(top).as_posix(): p.static and p.static.path.relative_to(top).as_posix() for p in plan.trials
    }


@pytest.fixture
def make(one_walk: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """`make("P1/walk.c3d", "P1/s.c3d=static")`: files of those names that hold a walk, or a static."""

    def files(*names: str) -> Path:
        for name in names:
            place, _, kind = name.partition("=")
            target = tmp_path / "data" / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one_walk / f"{kind or 'walk'}.c3d", target)
        return tmp_path / "data"

    return files


@pytest.mark.parametrize(
    "name", ["static", "Static_trial", "HC030AStatic01", "STATIC1", "cal 01", "Cal01", "statics", "walk_cal", "N-Pose"]
)
def test_names_of_statics(name: str) -> None:
    assert named_static(Path(f"{name}.c3d")) == (name != "N-Pose")  # two words; --static-name can give one


@pytest.mark.parametrize("name", ["walk", "medical_walk", "local", "vertical jump", "ecstatic", "callisto", "standard"])
def test_names_of_trials(name: str) -> None:
    assert not named_static(Path(f"{name}.c3d"))


def test_names_in_the_order_that_people_count() -> None:
    assert sorted(map(Path, ["walk10", "walk2", "P10/a", "P9/b"]), key=natural) == [
        Path(p) for p in ("P9/b", "P10/a", "walk2", "walk10")
    ]


def test_content_tells_a_static_from_a_walk(one_walk: Path, tmp_path: Path) -> None:
    assert stands(one_walk / "static.c3d") is True
    assert stands(one_walk / "walk.c3d") is False
    (tmp_path / "broken.c3d").write_bytes((one_walk / "static.c3d").read_bytes()[:1500])
    assert stands(tmp_path / "broken.c3d") is None
    assert stands(tmp_path / "absent.c3d") is None


def test_content_of_recorded_trials(shared_trials: Path) -> None:
    """All statics and walks of five laboratories, floats and integers, with and without computed points."""
    found = {p.relative_to(shared_trials).as_posix(): stands(p) for p in shared_trials.rglob("*.c3d")}
    judged = {name: still for name, still in found.items() if not name.startswith("zoo")}
    assert len(judged) >= 15
    assert judged == {name: "static" in name.lower() for name in judged}


def test_by_name_in_the_same_folder_then_above(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/static.c3d=static", "P1/walk.c3d", "P1/later/walk.c3d", "P2/walk.c3d")
    plan = make_plan([str(top)], top / "out")
    assert pairs(plan, top) == {
        "P1/walk.c3d": "P1/static.c3d", "P1/later/walk.c3d": "P1/static.c3d", "P2/walk.c3d": None,
    }  # fmt: skip


def test_by_content_where_no_name_says_so(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/a.c3d=static", "P1/b.c3d", "P2/cal.c3d=static", "P2/quiet.c3d=static", "P2/b.c3d")
    plan = make_plan([str(top)], top / "out")
    assert pairs(plan, top) == {"P1/b.c3d": "P1/a.c3d", "P2/b.c3d": "P2/cal.c3d", "P2/quiet.c3d": "P2/cal.c3d"}
    assert {p.static.how for p in plan.trials if p.static} == {"by content", "by name"}


def test_where_all_stand_still_that_is_what_was_measured(make) -> None:  # type: ignore[no-untyped-def]
    top = make("a.c3d=static", "b.c3d=static")
    assert pairs(make_plan([str(top)], top / "out"), top) == {"a.c3d": None, "b.c3d": None}


def test_a_static_by_name_that_walks_is_a_trial(make) -> None:  # type: ignore[no-untyped-def]
    top = make("static walk.c3d", "static.c3d=static")
    plan = make_plan([str(top)], top / "out")
    assert pairs(plan, top) == {"static walk.c3d": "static.c3d"}
    assert any("static walk.c3d: named like a static" in line for line in plan.lines())


def test_of_several_the_one_with_more_common_words_then_the_last() -> None:
    statics = [Static(Path(f"{name}.c3d"), "by name") for name in ("shod static 2", "static1", "barefoot static")]
    assert choose(statics, Path("barefoot walk 3.c3d")).path.stem == "barefoot static"
    two = [Static(Path(f"{name}.c3d"), "by name") for name in ("static10", "static9")]
    assert choose(two, Path("walk.c3d")).path.stem == "static10"


def test_other_words_for_statics(make) -> None:  # type: ignore[no-untyped-def]
    top = make("ref.c3d=static", "walk.c3d", "b.c3d")
    plan = make_plan([str(top)], top / "out", names=["REF"])
    assert {p.static.how for p in plan.trials if p.static} == {"by name"}


def test_a_static_given_for_all_is_not_looked_for(make) -> None:  # type: ignore[no-untyped-def]
    top = make("static.c3d=static", "walk.c3d")
    plan = make_plan([str(top)], top / "out", given=["--static", "elsewhere.c3d"])
    assert pairs(plan, top) == {"static.c3d": None, "walk.c3d": None}
    assert all("--static" not in p.words for p in plan.trials)


def test_a_subject_file_beside_or_above(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/day/walk.c3d", "P1/day/own.c3d")
    (top / "P1" / "subject.yaml").write_text("mass_kg: 60\n")
    (top / "P1" / "day" / "own.subject.yaml").write_text("mass_kg: 61\n")
    plan = make_plan([str(top)], top / "out")
    assert {p.trial.stem: p.words for p in plan.trials} == {
        "walk": ("--subject", str(top / "P1/subject.yaml")),
        "own": ("--subject", str(top / "P1/day/own.subject.yaml")),
    }
    assert {p.trial.stem: p.subject for p in plan.trials} == {"walk": "P1", "own": "P1/day"}
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
    assert any(note.startswith("left out") and "1 text file" in note for note in plan.notes)


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


CSV = "subject,static,trials,cutoff,assign\nAnn,s.c3d,P1/*.c3d|b.c3d,8,left=1|right=2\n,none,c.c3d,,\n"
YAML = """
- {subject: Ann, static: s.c3d, trials: [P1/*.c3d, b.c3d], cutoff: 8, assign: [left=1, right=2]}
- {static: none, trials: c.c3d}
"""


@pytest.mark.parametrize(
    ("name", "text"), [("plan.csv", CSV), ("excel.csv", "\ufeff" + CSV.replace(",", ";")), ("plan.yaml", YAML)]
)
def test_a_manifest(make, name: str, text: str) -> None:  # type: ignore[no-untyped-def]
    top = make("s.c3d=static", "P1/a.c3d", "b.c3d", "c.c3d")
    (top / name).write_text(text, encoding="utf-8")
    plan = make_plan([str(top / name)], top / "out")
    assert pairs(plan, top) == {"P1/a.c3d": "s.c3d", "b.c3d": "s.c3d", "c.c3d": None}
    assert {p.trial.stem: p.subject for p in plan.trials} == {"a": "Ann", "b": "Ann", "c": "data"}
    own = ("--cutoff", "8", "--assign", "left=1", "--assign", "right=2", "--static", str(top / "s.c3d"))
    assert [p.words for p in plan.trials] == [own, own, ()]


def test_a_glob_of_a_manifest_leaves_statics_out(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/own.c3d=static", "P1/static.c3d=static", "P1/walk.c3d", "P2/static.c3d=static")
    (top / "plan.csv").write_text("static,trials\nP1/own.c3d,P1/*.c3d\n,P2/static.c3d\n")
    plan = make_plan([str(top / "plan.csv")], top / "out")
    assert pairs(plan, top) == {"P1/walk.c3d": "P1/own.c3d", "P2/static.c3d": "P2/static.c3d"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("trials,cutoff\na.c3d,6\na.c3d,8\n", "row 3: .*a.c3d is named twice"),
        ("trials,sujet\na.c3d,x\n", "row 2: unknown column 'sujet' .*did you mean 'subject'"),
        ("trials,subject\n,x\n", "row 2: no trials"),
        ("trials\n*.c3d\n", "row 2: .*no such trial"),
        ("trials,trials\na,b\n", "given twice"),
        ("trials\na.c3d,b\n", "more cells than columns"),
        ("trials,static\na.c3d,b|c\n", "static: expected one value"),
    ],
)
def test_a_manifest_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "plan.csv").write_text(text)
    with pytest.raises(GaitidError, match=words):
        make_plan([str(tmp_path / "plan.csv")], tmp_path / "out")


def test_a_yaml_that_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "subject.yaml").write_text("mass_kg: 60\n")
    with pytest.raises(GaitidError, match="no manifest; expected a list"):
        make_plan([str(tmp_path / "subject.yaml")], tmp_path / "out")
