"""What a trial prints: few lines, the most important first, each short and with its cure; all of it with --verbose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from terminal import NOISY, gaitid

from gaitid.analysis.wording import WIDTH
from gaitid.cli.summary import LINES
from gaitid.notes import CODES, PHRASES, WORDS

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
#: Trials with many notes, of laboratories and of files that say little.
NOTED = ("zoo/TYPE-3.c3d", "wild/padua_clusters/walk.c3d", "wild/cgm24/walk.c3d", "models/ja1_gait/original.c3d")
#: Words of a sentence for readers who learned English.
WORDS_OF_A_SENTENCE = 25


def assert_screen(*words: object) -> list[str]:
    """A trial has at most six lines of 200 characters: the verdict first, what was written last."""
    done = gaitid("run", *words)
    assert done.code == 0, done.err
    lines = done.lines
    assert len(lines) <= LINES and [line for line in lines if len(line) > WIDTH] == []
    assert ": verdict: " in lines[0] and ": wrote " in lines[-1]
    every = gaitid("-v", "run", *words).lines
    if any("more note" in line for line in lines):
        assert len(every) > LINES
    return lines


def test_with_uncertainty_the_screen_has_six_lines_too(tmp_path: Path) -> None:
    lines = assert_screen(
        NOISY, "--model", "pig", "--uncertainty", "--max-uncertainty", "angle_deg=0.5", "-o", tmp_path
    )
    assert any("do not use (± 95 %): " in line and "; knee flexion " in line for line in lines), lines


@pytest.mark.parametrize("name", NOTED)
def test_trials_of_laboratories_have_six_lines(name: str, tmp_path: Path) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("the shared trials are not here")
    assert_screen(SHARED / name, "-o", tmp_path)


@pytest.mark.parametrize("command", [("check",), ("calibrate", "-o", "subject.yaml")])
@pytest.mark.parametrize("name", ("labs/unipd/static.c3d", "opensim_gait2354/subject01_static.trc"))
def test_check_and_calibrate_have_six_lines_of_a_trial_too(
    name: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (SHARED / name).is_file():
        pytest.skip("the shared trials are not here")
    monkeypatch.chdir(tmp_path)
    lines = gaitid(*command, SHARED / name).lines
    assert 1 < len(lines) <= LINES and [line for line in lines if len(line) > WIDTH] == []
    assert len(gaitid("-v", *command, SHARED / name).lines) > len(lines)


TEMPLATES = [
    *((name, text) for name, words in WORDS.items() for text in words),
    *PHRASES.items(),
    *((code, text) for code, message in CODES.items() for text in (message.meaning, message.cure)),
]


@pytest.mark.parametrize("name, template", TEMPLATES)
def test_no_sentence_has_more_than_25_words(name: str, template: str) -> None:
    """A value counts as a word, and what stands where a value is there as none."""
    text = template.replace("{{", "").replace("}}", "")
    while (filled := re.sub(r"\{[^{}]*\}", "X", text)) != text:
        text = filled
    assert [s for s in re.split(r"[.;:?!] ", text) if len(s.split()) > WORDS_OF_A_SENTENCE] == []
