"""Which files are statics, and which of them belongs to which trial."""

from __future__ import annotations

import csv
import json
import re
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from click.testing import CliRunner
from recordings import pairs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import DEC, INTEL, SGI, STEP_MM, real_of, word_of, write

from gaitid import analyse
from gaitid.batch.files import by_name
from gaitid.batch.plan import make_plan
from gaitid.batch.statics import choose, read_name, stands
from gaitid.batch.types import Static
from gaitid.cli.batch import command as batch_command
from gaitid.errors import GaitidError
from gaitid.read import read_trial
from gaitid.read.c3d.file import read_c3d_file, texts
from gaitid.trial import Array


@pytest.mark.parametrize(
    "name",
    ["static", "Static_trial", "HC030AStatic01", "STATIC1", "cal 01", "Cal01", "statics", "walk_cal", "p1static"]
    + ["T-Pose", "T_Pose 2", "TPose", "T pose", "NPose01", "n-pose", "Änne_TPose"],
)
def test_names_of_statics(name: str) -> None:
    assert read_name(name).static


@pytest.mark.parametrize(
    "name", ["walk", "medical_walk", "local", "vertical jump", "quasistatic", "callisto", "standard", "pose", "at pose"]
)
def test_names_of_trials(name: str) -> None:
    assert not read_name(name).static


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("walk P1 10", {"walk", "p1"}),
        ("HC031AStatic01", {"hc031a"}),
        ("BarefootWalk03", {"barefoot", "walk03"}),
        ("p1static2", {"p12"}),
        ("S2_T-Pose 3", {"s2"}),
        ("Gehen barfuß 01", {"gehen", "barfuss"}),
        ("A\u0308nne", {"änne"}),
    ],
)
def test_words_that_names_may_share(name: str, words: set[str]) -> None:
    """Letters and digits together are one word; bare numbers and what says static are none."""
    assert read_name(name).words == words


def test_names_in_the_order_that_people_count() -> None:
    assert sorted(map(Path, ["walk10", "walk2", "P10/a", "P9/b"]), key=by_name) == [
        Path(p) for p in ("P9/b", "P10/a", "walk2", "walk10")
    ]


def test_content_tells_a_static_from_a_walk(one_walk: Path, tmp_path: Path) -> None:
    assert stands(one_walk / "static.c3d") is True
    assert stands(one_walk / "walk.c3d") is False
    (tmp_path / "broken.c3d").write_bytes((one_walk / "static.c3d").read_bytes()[:1500])
    assert stands(tmp_path / "broken.c3d") is None
    assert stands(tmp_path / "absent.c3d") is None


def in_encoding(source: Path, code: int, floats: bool) -> bytes:
    """The points of a trial as a file of another processor or number format, without its plates."""
    file = read_c3d_file(source)
    n_frames, n_points = file.seen.shape
    point = {"USED": n_points, "FRAMES": n_frames, "LABELS": texts(file.parameters, "POINT", "LABELS")}
    fields = {"ACTUAL_START_FIELD": None, "ACTUAL_END_FIELD": None}
    written = write(code, floats, {"POINT": point, "ANALOG": {"USED": 0}, "TRIAL": fields})
    head = bytearray(written.data[: next(at for name, at, _ in written.places if name == "data")])
    struct.pack_into(">4H" if code == SGI else "<4H", head, 2, n_points, 0, 1, n_frames)
    words = np.dstack([file.points / (1 if floats else STEP_MM), np.where(file.seen, 0, -1)]).round(2).ravel().tolist()
    number = real_of(code) if floats else lambda value: word_of(code)(round(value))
    return bytes(head) + b"".join(map(number, words))


@pytest.mark.parametrize("floats", [True, False])
@pytest.mark.parametrize("code", [INTEL, DEC, SGI])
def test_content_whatever_the_processor(one_walk: Path, tmp_path: Path, code: int, floats: bool) -> None:
    """A static of a VAX, as old laboratories have them, is found beside its trial too."""
    for name in ("quiet", "walk"):
        source = one_walk / f"{'static' if name == 'quiet' else name}.c3d"
        (tmp_path / f"{name}.c3d").write_bytes(in_encoding(source, code, floats))
        points = read_trial(tmp_path / f"{name}.c3d").points_g
        np.testing.assert_allclose(points, read_trial(source).points_g, atol=1e-4)  # m: of the steps of integers
    assert stands(tmp_path / "quiet.c3d") is True
    assert stands(tmp_path / "walk.c3d") is False
    (planned,) = make_plan([str(tmp_path)], None).trials
    assert planned.static
    assert (planned.static.path, planned.static.how) == (tmp_path / "quiet.c3d", "by content")


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


def as_csv(trial: Path, target: Path, delimiter: str = ",") -> None:
    read = read_trial(trial)
    write_csv(target, read.labels, read.points_g, read.rate_hz, delimiter)


def write_csv(target: Path, labels: Sequence[str], points_g: Array, rate_hz: float, delimiter: str = ",") -> None:
    lines = [["time_s", *(f"{label}_{axis}_mm" for axis in "xyz" for label in labels)]]
    for i, points in enumerate(points_g):
        lines.append([f"{i / rate_hz:.3f}", *(f"{1000 * v:.2f}" for v in points.T.ravel())])
    text = "\n".join(delimiter.join(line) for line in lines).replace("nan", "")
    target.write_text(text.replace(".", ",") if delimiter == ";" else text)


def as_trc(trial: Path, target: Path) -> None:
    read = read_trial(trial)
    rows = [
        ["PathFileType", "4", "(X/Y/Z)", target.name],
        ["DataRate", "NumFrames", "NumMarkers", "Units"],
        [f"{read.rate_hz:g}", str(read.n_frames), str(len(read.labels)), "mm"],
        ["Frame#", "Time", *(cell for label in read.labels for cell in (label, "", ""))],
        ["", "", *(f"{axis}{i}" for i in range(1, len(read.labels) + 1) for axis in "XYZ")],
        [],
    ]
    for i, points in enumerate(read.points_g):
        rows.append([str(i + 1), f"{i / read.rate_hz:.3f}", *(f"{1000 * v:.2f}" for v in points.ravel())])
    target.write_text("\n".join("\t".join(row) for row in rows))


def test_content_of_trc(one_walk: Path, tmp_path: Path) -> None:
    for name, still in (("static", True), ("walk", False)):
        as_trc(one_walk / f"{name}.c3d", tmp_path / f"{name}.trc")
        assert read_trial(tmp_path / f"{name}.trc").n_frames > 1
        assert stands(tmp_path / f"{name}.trc") is still


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_content_of_text(one_walk: Path, tmp_path: Path, delimiter: str) -> None:
    for name in ("static", "walk"):
        as_csv(one_walk / f"{name}.c3d", tmp_path / f"{name}.csv", delimiter)
    assert stands(tmp_path / "static.csv") is True
    assert stands(tmp_path / "walk.csv") is False
    (tmp_path / "few.csv").write_text("time_s,A_x_mm,A_y_mm,A_z_mm\n0,1,2,3\n1,1,2,3\n")
    assert stands(tmp_path / "few.csv") is None


def test_content_of_recorded_trials(shared_trials: Path) -> None:
    """All statics and walks of many laboratories, floats and integers, with and without computed points."""
    paths = [p for suffix in ("c3d", "trc") for p in shared_trials.rglob(f"*.{suffix}")]
    still = {p.relative_to(shared_trials): stands(p) for p in paths if "zoo" not in p.parts}
    judged = {path: stood for path, stood in still.items() if stood is not None}
    assert len(judged) >= 15
    assert judged == {path: "static" in path.stem.lower() for path in judged}
    # a static of 0.4 s, and poses of segments without markers
    assert {path.parent.name for path in still.keys() - judged} <= {"keypoints", "theia_segments"}


def test_by_name_in_the_same_folder_then_above(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/static.c3d=static", "P1/walk.c3d", "P1/later/walk.c3d", "P2/walk.c3d")
    plan = make_plan([str(top)], top / "out")
    beside = "P1/static.c3d"
    assert pairs(plan, top) == {"P1/walk.c3d": beside, "P1/later/walk.c3d": beside, "P2/walk.c3d": None}


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


def test_why_a_trial_has_none_of_several(make) -> None:  # type: ignore[no-untyped-def]
    top = make("A1 static.c3d=static", "A2 static.c3d=static", "A1 walk.c3d", "A2 walk.c3d", "A3 walk.c3d")
    plan = make_plan([str(top)], top / "out")
    assert any("A3 walk.c3d: subject data; no static (2 there, none of them by name" in line for line in plan.lines())


def test_folders_between_a_static_and_a_trial_count(make) -> None:  # type: ignore[no-untyped-def]
    top = make("P1/shod static.c3d=static", "P1/barefoot static.c3d=static", "P1/barefoot/1.c3d", "P1/shod/1.c3d")
    expected = {"P1/barefoot/1.c3d": "P1/barefoot static.c3d", "P1/shod/1.c3d": "P1/shod static.c3d"}
    assert pairs(make_plan([str(top)], top / "out"), top) == expected


@pytest.mark.parametrize("walks", ["", "Walks/", "data/Walks/"])
@pytest.mark.parametrize(("static", "walk"), [("Static/{}", "{}/walk"), ("Statics/{}_static", "{}_walk1")])
def test_numbers_tell_people_apart_in_folders_too(make, static: str, walk: str, walks: str) -> None:  # type: ignore[no-untyped-def]
    expected = {f"{walks}{walk.format(n)}.c3d": f"{static.format(n)}.c3d" for n in ("01", "02", "10")}
    top = make(*expected, *(f"{name}=static" for name in expected.values()))
    assert pairs(make_plan([str(top)], top / "out"), top) == expected


def test_distance_before_kind(make) -> None:  # type: ignore[no-untyped-def]
    """What stands still beside the trial wins over a static by name above it: that may be another person's."""
    top = make("Static old.c3d=static", "P1/ref.c3d=static", "P1/walk.c3d", "P2/walk.c3d")
    expected = {"P1/walk.c3d": "P1/ref.c3d", "P2/walk.c3d": "Static old.c3d"}
    assert pairs(make_plan([str(top)], top / "out"), top) == expected


@pytest.mark.parametrize("folder", ["Static", "statics", "Calibration", "T-Pose trials"])
def test_a_folder_of_statics_belongs_to_its_parent(make, folder: str) -> None:  # type: ignore[no-untyped-def]
    top = make(f"P1/{folder}/01.c3d=static", f"P1/{folder}/02.c3d", "P1/walk.c3d", "P1/day/walk.c3d", "P2/walk.c3d")
    plan = make_plan([str(top)], top / "out")
    of_P1 = dict.fromkeys([f"P1/{folder}/02.c3d", "P1/walk.c3d", "P1/day/walk.c3d"], f"P1/{folder}/01.c3d")
    assert pairs(plan, top) == {**of_P1, "P2/walk.c3d": None}
    assert any("02.c3d: named like a static, but its markers move" in line for line in plan.lines())


def test_what_stands_still_beside_a_static_is_a_trial(make) -> None:  # type: ignore[no-untyped-def]
    """Quiet standing is measured too, even where its name has the word."""
    standing = ("P1/T-Pose", "P1/Standing balance", "P1/quiet", "P2/a", "P2/b", "P3/standing")
    top = make(*(f"{name}.c3d=static" for name in standing), "P1/walk.c3d", "P2/walk.c3d", "P3/walk.c3d")
    plan = make_plan([str(top)], top / "out")
    of_P1 = dict.fromkeys(["P1/Standing balance.c3d", "P1/quiet.c3d", "P1/walk.c3d"], "P1/T-Pose.c3d")
    others = {"P2/a.c3d": "P2/b.c3d", "P2/walk.c3d": "P2/b.c3d", "P3/walk.c3d": "P3/standing.c3d"}
    assert pairs(plan, top) == of_P1 | others
    assert any("P2/a.c3d: stands still, but no trial takes it: a trial" in line for line in plan.lines())


def test_the_folder_of_a_trial_as_it_was_given(make, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Statics above a trial are found through ``..`` too."""
    top = make("static.c3d=static", "P1/walk.c3d", "P2/walk.c3d")
    monkeypatch.chdir(top / "P1")
    plan = make_plan([".", "../P2"], None)
    paths = [(str(p.trial), p.static and str(p.static.path)) for p in plan.trials]
    assert paths == [("../P2/walk.c3d", "../static.c3d"), ("walk.c3d", "../static.c3d")]


def test_other_words_for_statics(make) -> None:  # type: ignore[no-untyped-def]
    top = make("ref.c3d=static", "walk.c3d", "b.c3d")
    plan = make_plan([str(top)], top / "out", names=["REF"])
    assert {p.static.how for p in plan.trials if p.static} == {"by name"}


def test_a_word_that_no_file_has(make) -> None:  # type: ignore[no-untyped-def]
    top = make("T-Pose.c3d=static", "walk.c3d")
    assert pairs(make_plan([str(top)], top / "out", names=["t pose"]), top) == {"walk.c3d": "T-Pose.c3d"}
    with pytest.raises(GaitidError, match="--static-name ref: no file of the data set is named so"):
        make_plan([str(top)], top / "out", names=["T-Pose", "ref"])


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
