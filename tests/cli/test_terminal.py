"""What a terminal does to a program: full and closed streams, Ctrl-C, other encodings, links that loop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid

from gaitid.model.load import bundled_models

ROOT = Path(__file__).resolve().parents[2]


def shell(line: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A line of sh in which `gaitid` is this one."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    own = f'gaitid() {{ {quote(sys.executable)} -m gaitid "$@"; }}; '
    return subprocess.run(
        ["sh", "-c", own + line], cwd=folder, env=env, capture_output=True, text=True, errors="replace"
    )


@pytest.mark.parametrize("words", ["models list", "inspect {}", "check {} --model pig", "run {} --model pig -o -"])
@pytest.mark.parametrize("to", [">/dev/full", ">&-"])
def test_stdout_that_takes_nothing(walk: Path, tmp_path: Path, words: str, to: str) -> None:
    done = shell(f"gaitid {words.format(quote(str(walk)))} -q {to}", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("gaitid: cannot write to the standard output (")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name != "posix", reason="limits are set by the shell")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["inspect --json {}", "run {} --model pig -o - -q"])
def test_stdout_that_takes_a_part(walk: Path, tmp_path: Path, words: str, unbuffered: str) -> None:
    """A disk that fills up, with PYTHONUNBUFFERED too, as containers have it: not half a table and exit code 0."""
    line = f"ulimit -f 8; gaitid {words.format(quote(str(walk)))} > taken"
    done = shell(line, tmp_path, PYTHONUNBUFFERED=unbuffered)
    assert 0 < (tmp_path / "taken").stat().st_size < 20_000
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("gaitid: cannot write to the standard output (")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_an_encoding_that_lacks_characters(walk: Path, tmp_path: Path, encoding: str) -> None:
    for words in ("models schema", f"check {quote(str(walk))} --model pig", f"inspect {quote(str(walk))}"):
        done = shell(f"gaitid {words}", tmp_path, PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
    done = shell(f"gaitid check {quote(str(walk))} --model pig --json", tmp_path, PYTHONIOENCODING=encoding)
    assert json.loads(done.stdout)["passed"]


@pytest.mark.parametrize("n", [0, 1])
def test_ctrl_c(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    import gaitid.run as module

    real, calls = module.run_file, []

    def interrupted(*args: object) -> object:
        calls.append(1)
        if len(calls) > n:
            raise KeyboardInterrupt
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run_file", interrupted)
    other = tmp_path / "other.c3d"
    other.write_bytes(walk.read_bytes())
    done = gaitid("run", walk, other, "--model", "pig", "-o", tmp_path)
    assert done.code == 130
    assert done.lines[-1] == f"gaitid: interrupted; {n} of 2 trials written"


@pytest.mark.parametrize("words", ["", "run", "check", "inspect", "simulate", "report", "models", "models list"])
def test_version_everywhere(words: str) -> None:
    done = gaitid(*words.split(), "--version")
    assert done.code == 0
    assert done.out.startswith("gaitid, version ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-o", "{parnet}"), "unknown placeholder {parnet}; expected {parent}"),
        (("-o", ""), "-o: expected a folder"),
        (("-o", "-", "--write", "segments"), "-o - writes the wrenches only"),
        (("--cutoff", "abc"), "none or auto"),
    ],
)
def test_wrong_usage_of_run(walk: Path, options: tuple[str, ...], words: str) -> None:
    done = gaitid("run", walk, "--model", "pig", *options)
    assert_wrong_usage(done, words)
    assert ".;" not in done.err


def test_a_local_file_that_hides_a_bundled_model(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    local, text = tmp_path / "pig.yaml", bundled_models()["pig"].read_text(encoding="utf-8")
    local.write_text("")
    assert gaitid("models", "show", "pig").out == text
    assert_refused(gaitid("run", walk, "--model", "pig"), "not a gaitid model", "./pig.yaml hides the bundled pig")
    assert_refused(gaitid("models", "validate", "pig"), "./pig.yaml hides the bundled pig")
    local.write_text(text, encoding="utf-8")
    done = gaitid("run", walk, "--model", "pig", "-o", "out")
    assert done.lines[0] == "gaitid: using ./pig.yaml, not the bundled pig"
    assert done.err.count("not the bundled") == 1
    record = json.loads((tmp_path / "out" / "walk.run.json").read_text())
    note = {"severity": "info", "code": "model_hidden", "text": "using ./pig.yaml, not the bundled pig"}
    assert note in record["warnings"]
    assert "using ./pig.yaml" in gaitid("check", walk, "--model", "pig").err
