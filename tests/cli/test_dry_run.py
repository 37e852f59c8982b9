"""`gaitid run --dry-run`: what it says is what the run does, and nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from terminal import SHARED, gaitid

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
