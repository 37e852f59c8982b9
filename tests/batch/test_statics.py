"""Which files are statics, and which of them belongs to which trial."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from click.testing import CliRunner
from recordings import pairs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

from gaitid import analyse
from gaitid.batch.plan import make_plan
from gaitid.batch.statics import choose, read_name, stands
from gaitid.batch.types import Static
from gaitid.cli.batch import batch_command
from gaitid.errors import GaitidError
from gaitid.read import read_trial
from gaitid.trial import Array


@pytest.mark.parametrize(
    "name",
    ["static", "Static_trial", "HC030AStatic01", "STATIC1", "cal 01", "Cal01", "statics", "walk_cal", "p1static"]
    + ["T-Pose", "T_Pose 2", "TPose", "T pose", "NPose01", "n-pose", "Änne_TPose"],
)
def test_names_of_statics(name: str) -> None:
    assert read_name(name).static


def test_content_tells_a_static_from_a_walk(one_walk: Path, tmp_path: Path) -> None:
    assert stands(one_walk / "static.c3d") is True
    assert stands(one_walk / "walk.c3d") is False
    (tmp_path / "broken.c3d").write_bytes((one_walk / "static.c3d").read_bytes()[:1500])
    assert stands(tmp_path / "broken.c3d") is None
    assert stands(tmp_path / "absent.c3d") is None


def test_length_is_no_movement(one_walk: Path, tmp_path: Path) -> None:
    """A walk of some frames stands as still as a static, and a static of minutes does not move."""
    for name, seconds in (("walk", 0.2), ("static", 40.0)):
        read = read_trial(one_walk / f"{name}.c3d")
        n = round(seconds * read.rate_hz)
        points = np.resize(read.points_g, (n, *read.points_g.shape[1:]))
        write_csv(tmp_path / f"{name}.csv", read.labels, points, read.rate_hz)
    assert stands(tmp_path / "walk.csv") is None
    assert stands(tmp_path / "static.csv") is True
    assert stands(tmp_path / "static.csv", longest_s=30.0) is False


def write_csv(target: Path, labels: Sequence[str], points_g: Array, rate_hz: float, delimiter: str = ",") -> None:
    lines = [["time_s", *(f"{label}_{axis}_mm" for axis in "xyz" for label in labels)]]
    for i, points in enumerate(points_g):
        lines.append([f"{i / rate_hz:.3f}", *(f"{1000 * v:.2f}" for v in points.T.ravel())])
    text = "\n".join(delimiter.join(line) for line in lines).replace("nan", "")
    target.write_text(text.replace(".", ",") if delimiter == ";" else text)


def test_content_of_recorded_trials(shared_trials: Path) -> None:
    """All statics and walks of many laboratories, floats and integers, with and without computed points."""
    paths = [p for suffix in ("c3d", "trc") for p in shared_trials.rglob(f"*.{suffix}")]
    still = {p.relative_to(shared_trials): stands(p) for p in paths if "zoo" not in p.parts}
    judged = {path: stood for path, stood in still.items() if stood is not None}
    assert len(judged) >= 15
    assert judged == {path: "static" in path.stem.lower() for path in judged}
    # a static of 0.4 s, and poses of segments without markers
    assert {path.parent.name for path in still.keys() - judged} <= {"keypoints", "theia_segments"}


def test_by_content_where_no_name_says_so(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/a.c3d=static", "P1/b.c3d", "P2/cal.c3d=static", "P2/quiet.c3d=static", "P2/b.c3d")
    plan = make_plan([str(top)], top / "out")
    assert pairs(plan, top) == {"P1/b.c3d": "P1/a.c3d", "P2/b.c3d": "P2/cal.c3d", "P2/quiet.c3d": "P2/cal.c3d"}
    assert {p.static.how for p in plan.trials if p.static} == {"by content", "by name"}


@pytest.mark.parametrize(  # not formatted: a line for the files, a line for the pairs
    ("files", "expected"),
    [
        # most words in common
        ("shod static 2, static1, barefoot static, barefoot walk 3", {"barefoot walk 3": "barefoot static"}),
        ("static P1, static P10, walk P1 10, walk P10 1", {"walk P1 10": "static P1", "walk P10 1": "static P10"}),
        # numbers do not choose: the last by name
        ("Cal 01, Cal 02, Gait 01, Gait 04", {"Gait 01": "Cal 02", "Gait 04": "Cal 02"}),
        ("static9, static10, walk", {"walk": "static10"}),
        ("static, static2, walk", {"walk": "static2"}),
        ("static, static 2, walk", {"walk": "static 2"}),
        ("Static, Static (2), walk", {"walk": "Static (2)"}),
        ("Static, Static-2, walk", {"walk": "Static-2"}),
        ("Static, Static repeat, walk", {"walk": "Static repeat"}),
        # each of several belongs to others, or one belongs to nobody
        (
            "A1 static, A2 static, A1 walk, A2 walk, A3 walk",
            {"A1 walk": "A1 static", "A2 walk": "A2 static", "A3 walk": None},
        ),
        ("A1 static, static, A1 walk, A3 walk", {"A1 walk": "A1 static", "A3 walk": "static"}),
        # one is taken, or the last of one person's
        ("A1 static, A1 walk, A3 walk", {"A1 walk": "A1 static", "A3 walk": "A1 static"}),
        ("P1_Static_1, P1_Static_2, P1_1, P1_3", {"P1_1": "P1_Static_2", "P1_3": "P1_Static_2"}),
        # a number after the same words, or first, tells people apart
        (
            "Subject_1_Static, Subject_1_Walk01, Subject_2_Static, Subject_2_Walk01, Subject_3_Walk01",
            {"Subject_1_Walk01": "Subject_1_Static", "Subject_2_Walk01": "Subject_2_Static", "Subject_3_Walk01": None},
        ),
        (
            "sub-01_task-static, sub-02_task-static, sub-01_task-walk, sub-02_task-walk_run-1",
            {"sub-01_task-walk": "sub-01_task-static", "sub-02_task-walk_run-1": "sub-02_task-static"},
        ),
        (
            "001_static, 002_static, 001_walk, 002_walk, 003_walk",
            {"001_walk": "001_static", "002_walk": "002_static", "003_walk": None},
        ),
        (
            "P7_visit_1_static, P7_visit_2_static, P7_visit_1_walk1, P7_visit_2_walk1",
            {"P7_visit_1_walk1": "P7_visit_1_static", "P7_visit_2_walk1": "P7_visit_2_static"},
        ),
        (
            "Subject_1_Static, Subject_2_Static_AFO, Subject_1_AFO_walk, Subject_2_AFO_walk",
            {"Subject_1_AFO_walk": "Subject_1_Static", "Subject_2_AFO_walk": "Subject_2_Static_AFO"},
        ),
        # but not one that files were numbered with in their order
        ("01 Cal, 02 walk, 03 walk, 08 Cal", {"02 walk": "08 Cal", "03 walk": "08 Cal"}),
        ("Trial_01_static, Trial_02_walk, Trial_05_static", {"Trial_02_walk": "Trial_05_static"}),
        # a number glued to a word, where the other name has it without
        ("Static_AFO, Static_Barefoot, AFO1, Barefoot1", {"AFO1": "Static_AFO", "Barefoot1": "Static_Barefoot"}),
        (
            "AFO_static2, BarefootStatic1, AFO_walk, Barefoot_1",
            {"AFO_walk": "AFO_static2", "Barefoot_1": "BarefootStatic1"},
        ),
        ("static_post, static_pre, walk_post1, walk_pre1", {"walk_post1": "static_post", "walk_pre1": "static_pre"}),
        (
            "P1_static_AFO, P1_static_shod, P1_AFO1, P1_shod1, P1_walk",
            {"P1_AFO1": "P1_static_AFO", "P1_shod1": "P1_static_shod", "P1_walk": None},
        ),
        (
            "static, static_left_wand, walk_left1, walk_right1",
            {"walk_left1": "static_left_wand", "walk_right1": "static"},
        ),
        (
            "static P1, static P2, static C1, walk P1, walk P2, walk C1, walk P3",
            {"walk P1": "static P1", "walk P2": "static P2", "walk C1": "static C1", "walk P3": None},
        ),
        # of one person's, the one that nothing else claims
        (
            "S_1_static, S_1_static_AFO, S_2_static, S_1_walk, S_1_AFO_walk, S_2_walk",
            {"S_1_walk": "S_1_static", "S_1_AFO_walk": "S_1_static_AFO", "S_2_walk": "S_2_static"},
        ),
    ],
)
def test_of_several_in_a_folder(make, files: str, expected: dict[str, str | None]) -> None:  # type: ignore[no-untyped-def]
    names = [f"{name}.c3d" for name in files.split(", ")]
    top = make(*(f"{n}=static" if "static" in n.lower() or "Cal" in n else n for n in names))
    plan = make_plan([str(top)], top / "out")
    assert pairs(plan, top) == {f"{t}.c3d": s and f"{s}.c3d" for t, s in expected.items()}


def test_statics_that_are_to_be_compared_are_counted(make) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    plan = make_plan([str(make("P1/walk.c3d", "P1/static.c3d=static"))], None)
    assert next(iter(plan.lines())) == "1 trial in 1 folder, 1 static"
    (planned,) = plan.trials
    stored = replace(planned, static=None, beside=planned.static.path)
    said = "1 trial in 1 folder, 0 statics taken, 1 to be compared with what the trials store"
    assert next(iter(replace(plan, trials=(stored,)).lines())) == said


# --- a static that was found and does not fit ------------------------------------------------------------------


def batch_of(folder: Path, out: Path) -> tuple[str, list[str]]:
    """The cell `static` of the only trial of a batch, and its notes of statics."""
    done = CliRunner().invoke(batch_command, [str(folder), "-o", str(out), "-j", "1"])
    assert done.exit_code == 0, done.output
    with (out / "batch.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    warnings = json.loads((out / "walk.run.json").read_text(encoding="utf-8"))["warnings"]
    return row["static"], [w["text"] for w in warnings if w["code"] == "file_beside"]


def test_a_static_that_was_found_and_does_not_fit_is_left_out(shared_trials: Path, tmp_path: Path) -> None:
    """Of somebody else, or damaged: the trial is analysed without, or with the next one; one that is given refuses."""
    wild = shared_trials / "wild"
    folder = tmp_path / "in"
    folder.mkdir()
    copy(wild / "opencap" / "walk.trc", folder / "walk.trc")
    (folder / "static2.trc").write_text("PathFileType\t4\n", encoding="utf-8")
    static, notes = batch_of(folder, tmp_path / "one")
    assert static == f"none: {folder / 'static2.trc'} was found and does not fit: not a TRC file"
    assert notes == [f"{folder / 'static2.trc'} was found and not used: not a TRC file"]
    copy(wild / "rajagopal" / "static.trc", folder / "static2.trc")
    static, notes = batch_of(folder, tmp_path / "another")
    assert static.startswith(f"none: {folder / 'static2.trc'} was found and does not fit: ")
    copy(wild / "opencap" / "static.trc", folder / "static1.trc")
    static, _ = batch_of(folder, tmp_path / "two")
    assert static.startswith(str(folder / "static1.trc"))
    with pytest.raises(GaitidError):
        analyse(folder / "walk.trc", static=folder / "static2.trc")


def test_of_two_statics_the_one_with_medial_markers_is_taken(shared_trials: Path, tmp_path: Path) -> None:
    """It is not the last by its name."""
    lines = (shared_trials / "wild" / "opencap" / "static.trc").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "static1.trc").write_text("".join(lines), encoding="utf-8")
    lines[3] = re.sub(r"\w_m(knee|ankle)", lambda found: f"spot{found.start()}", lines[3])
    (tmp_path / "static2.trc").write_text("".join(lines), encoding="utf-8")
    ranked = choose([Static(tmp_path / f"static{n}.trc", "by name") for n in (1, 2)], frozenset(), frozenset())
    assert [static.path.stem for static in ranked] == ["static1", "static2"]
