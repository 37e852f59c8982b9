"""`gaitid run --dry-run`: what it says is what the run does, and nothing is written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from terminal import SHARED, assert_wrong_usage, gaitid

from gaitid.run.plan import NOT_KNOWN_BEFORE


def topic(text: str, name: str) -> str:
    """The lines of a topic as one, without the spaces of the margin."""
    found = re.search(rf"^{name} +(.*(?:\n {{10}}.*)*)", text, re.MULTILINE)
    return "" if found is None else " ".join(found[1].split())


def everything(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def test_it_names_the_files_that_the_run_writes(walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "results"
    words = ("run", walk, "--model", "pig", "-o", out, "--write", "segments", "--uncertainty")
    planned = gaitid(*words, "--dry-run")
    assert (planned.code, planned.err) == (0, "")
    assert everything(tmp_path) == []
    assert gaitid(*words, "-q").code == 0
    written = sorted(path.name for path in out.iterdir())
    assert sorted(re.findall(r"walk\.\w+\.\w+", topic(planned.out, "writes"))) == written
    assert "(would be made)" in topic(planned.out, "writes")
    assert all(words in planned.out for words in NOT_KNOWN_BEFORE)


def test_what_is_there_already(walk: Path, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "out")
    (tmp_path / "out" / "walk.joints.csv").unlink()
    (tmp_path / "out" / "walk.uncertainty.csv").touch()
    before = everything(tmp_path)
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path / "out", "--dry-run")
    new, replaced = topic(done.out, "writes").split("in place of what is there: ")
    assert re.findall(r"walk\.\w+\.\w+", new) == ["walk.joints.csv"]
    replaced, removed = replaced.split("takes away")
    assert "walk.run.json" in replaced and "walk.joints.csv" not in replaced
    assert (
        "walk.segments.csv" in removed and "walk.uncertainty.csv" in removed
    )  # an earlier run's, and not asked for now
    assert everything(tmp_path) == before


def test_model_subject_settings_and_plates(walk: Path) -> None:
    done = gaitid("run", walk, "--cutoff", 6, "--set", "gravity_m_per_s2=9.8", "--dry-run")
    assert topic(done.out, "outcome") == "would be analysed"
    assert topic(done.out, "model").startswith("pig: ")
    assert "pig is the first of" in topic(done.out, "model")
    assert "gravity_m_per_s2 = 9.8 (given; default 9.81) cutoff_hz = 6 (given; default auto)" in done.out.replace(
        "\n          ", " "
    )
    assert "mass 70 kg" in topic(done.out, "subject")
    assert "asis LASI" in topic(done.out, "markers")
    assert topic(done.out, "plates").count("type 2") == 2
    assert re.search(r"walk\.c3d \d+\.\d [kM]B, C3D", topic(done.out, "reads"))
    assert "static.c3d lies beside it" in topic(done.out, "reads")


def test_files_that_are_given(walk: Path, tmp_path: Path) -> None:
    subject = walk.parent / "walk.subject.yaml"
    mine = tmp_path / "mine.yaml"
    mine.write_text("gaitid_model: 1\nextends: pig\nname: mine\nsettings: {end_frames: 6}\n")
    static = walk.parent / "static.c3d"
    done = gaitid("run", walk, "--model", mine, "--subject", subject, "--static", static, "--dry-run")
    assert done.code == 0, done.err
    reads = topic(done.out, "reads")
    for path, role in ((subject, "subject"), (static, "static"), (mine, "model")):
        assert re.search(rf"{re.escape(str(path))} [\d.]+ (bytes|kB|MB), {role}", reads), reads
    assert "pig.yaml" not in reads  # which comes with gaitid
    assert "end_frames = 6 (by the model; default 4)" in topic(done.out, "settings")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--static", "WALK"), "is no static: the subject moves in it"),
        (("--model", "cast"), "static"),
        (("--assign", "left=1@9000-9001"), "frame 9000 is not in the trial"),
        (("--set", "no_such_setting=1"), "no_such_setting"),
        (("--model", "pig", "-o", "WALK"), "File exists"),
        (("--observer", "tail", "--model", "pig"), "tail"),
    ],
)
def test_what_would_be_refused(words: tuple[str, ...], reason: str, walk: Path, tmp_path: Path) -> None:
    given = [str(walk) if word == "WALK" else word for word in words]
    done = gaitid("run", walk, "-o", tmp_path / "out", *given, "--dry-run")
    run = gaitid("run", walk, "-o", tmp_path / "out", *given)
    assert done.code == run.code == 1
    said = topic(done.out, "outcome") or done.err
    assert reason in said
    # in the words of the run
    assert run.lines[-1].removeprefix("gaitid: ").removeprefix(f"{walk}: ") in said.removeprefix(
        "would be refused: "
    ).removeprefix("gaitid: ")
    assert not (tmp_path / "out").exists()


def test_a_result_in_place_of_an_input_is_refused(walk: Path, tmp_path: Path) -> None:
    subject = tmp_path / "walk.joints.csv"
    shutil.copy(walk.parent / "walk.subject.yaml", subject)
    done = gaitid("run", walk, "--model", "pig", "--subject", subject, "-o", tmp_path, "--dry-run")
    assert done.code == 1
    assert "is an input and would be overwritten" in topic(done.out, "outcome")


def test_several_trials(walk: Path, tmp_path: Path) -> None:
    absent = tmp_path / "absent.c3d"
    done = gaitid("run", walk, absent, "--model", "pig", "-o", tmp_path / "out", "--dry-run")
    assert done.code == 1
    assert topic(done.out.split("absent.c3d\n")[1], "outcome").startswith("would be refused: no such file")
    assert "2 trials: 1 would be analysed, 1 refused" in done.out
    trials = []
    for i in range(5):
        (tmp_path / f"s{i}").mkdir()
        trials.append(shutil.copy(walk, tmp_path / f"s{i}"))
    done = gaitid("run", *trials, "-o", tmp_path / "out" / "{parent}", "--dry-run")
    assert done.code == 0, done.out
    lines = done.out.splitlines()
    assert len(lines) == 7  # one a trial, what is not known, the sum
    assert lines[0].startswith(f"{trials[0]}: would be analysed: model pig; left and right legs; 2 plates; ")
    assert gaitid("run", *trials, "-o", tmp_path / "o" / "{parent}", "--dry-run", "-v").out.count("settings") == 5
    assert_wrong_usage(gaitid("run", *trials, "-o", tmp_path / "out", "--dry-run"), "have the same files")


def test_to_stdout_and_with_a_log(walk: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    done = gaitid("run", walk, "--model", "pig", "-o", "-", "--log", log, "--dry-run")
    assert topic(done.out, "writes") == "wrenches to stdout"
    assert not log.exists()


@pytest.mark.skipif(not SHARED.is_dir(), reason="recorded trials (../shared/trials) are not here")
@pytest.mark.parametrize(
    ("trial", "static"),
    [
        ("children/HC002D/walk.c3d", ""),
        ("qualisys/walk.c3d", "static.c3d"),
        ("wild/theia_segments/trial.c3d", ""),
        ("zoo/Empty.c3d", ""),
        ("opensim_gait2354/subject01_walk1.trc", ""),
    ],
)
def test_recorded_trials_as_the_run(trial: str, static: str, tmp_path: Path) -> None:
    path = SHARED / trial
    words = ["run", path, "-o", tmp_path, *(["--static", path.parent / static] if static else [])]
    planned, run = gaitid(*words, "--dry-run"), gaitid(*words, "-q")
    assert planned.code == run.code
    written = {path.name for path in tmp_path.iterdir()}
    assert set(re.findall(rf"{path.stem}\.\w+\.\w+", topic(planned.out, "writes"))) == written
