"""`--log FILE.jsonl`: whole lines of JSON, whoever writes and whatever a message holds; no log, no work."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gaitid.cli.log import ERROR, Log
from gaitid.errors import TrialError, WriteError

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
KEYS = ["time", "level", "pid", "trial", "event", "message", "duration_s"]


def lines(path: Path) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in path.read_bytes().decode("utf-8").split("\n")[:-1]]
    assert all(list(entry) == KEYS for entry in entries)
    return entries


def test_a_command_from_start_to_end(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with Log(path, "run", 2) as log:
        log.watch("a.c3d", lambda: None)
        log.warn("a gap\n of 3 frames")
        log.done()
        with pytest.raises(TrialError):
            log.watch("b.c3d", refuse)
    entries = lines(path)
    assert [(entry["event"], entry["level"], entry["trial"]) for entry in entries] == [
        ("start", "info", None),
        ("begin", "info", "a.c3d"),
        ("warning", "warning", "a.c3d"),
        ("done", "info", "a.c3d"),
        ("begin", "info", "b.c3d"),
        ("refused", "error", "b.c3d"),
        ("end", "error", None),
    ]
    assert re.fullmatch(r"gaitid \S+ run: 2 trials", entries[0]["message"])
    assert entries[2]["message"] == "a gap of 3 frames"
    assert entries[5]["message"] == "no markers; expected some"
    assert entries[6]["message"] == "1 error"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"]) for entry in entries)
    # a minute: long after anything that this test does
    assert all(0 <= entry["duration_s"] < 60 for entry in entries if entry["event"] in ("done", "refused", "end"))
    assert {entry["pid"] for entry in entries} == {os.getpid()}


def refuse() -> None:
    raise TrialError("no markers", expected="some")


def test_a_log_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for _ in range(2):
        with Log(path, "check", 1):
            pass
    assert [entry["event"] for entry in lines(path)] == ["start", "end"] * 2


def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Log(None, "run", 1) as log:
        assert log.watch("a.c3d", lambda: 3) == 3
        log.warn("x")
        log.done()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["{}\n\x00\x1b[31m\u2028", "Größe µ 膝", os.fsdecode(b"\xff\xfe.c3d"), '"\\n', "x" * 100_000]
)
def test_any_text_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "log.jsonl"
    with Log(path, "run", 1) as log:
        log.add("done", text, trial=text)
    (done,) = [entry for entry in lines(path) if entry["event"] == "done"]
    assert done["trial"] == text
    assert done["message"] == " ".join(text.split())


def test_an_interruption_is_logged(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with pytest.raises(KeyboardInterrupt), Log(path, "run", 1) as log:
        log.watch("a.c3d", interrupt)
    assert [entry["event"] for entry in lines(path)] == ["start", "begin", "interrupted"]


def interrupt() -> None:
    raise KeyboardInterrupt


# --- a log that cannot be written ---------------------------------------------------------------------------


def test_what_is_no_log_is_left_as_it_is(tmp_path: Path) -> None:
    trial = tmp_path / "walk.c3d"
    trial.write_bytes(b"\x02P" + bytes(510))
    with pytest.raises(WriteError, match=r"walk\.c3d: cannot write the log .*no log.*--log"):
        Log(trial, "run", 1)
    assert trial.read_bytes() == b"\x02P" + bytes(510)


LINE = b'{"time": "2026", "level": "info", "pid": 1, "trial": null, "event": "x", "message": "", "duration_s": 1}\n'


@pytest.mark.parametrize(
    "held",
    [
        b"{mass_kg: 60, height_m: 1.7}\n",  # YAML in the flow style
        b'{"mass_kg": 60}\n',
        b'{"time": 1}\n' + LINE,
        b"\n" + LINE,
        b"[1]\n",
        b"{mass_kg: 60}",
        b'{"place": "cut',
    ],
)
def test_a_file_whose_first_line_is_not_of_a_log_is_left_as_it_is(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "mine"
    path.write_bytes(held)
    with pytest.raises(WriteError, match="no log"):
        Log(path, "run", 1)
    assert path.read_bytes() == held


@pytest.mark.parametrize("held", [b"", LINE, LINE[:40], LINE[:5], LINE * 3 + LINE[:40]])
def test_a_log_that_was_cut_anywhere_is_a_log(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(held)
    with Log(path, "run", 1):
        pass
    assert path.read_bytes().startswith(held)


def test_a_folder_and_a_path_without_one_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "log.jsonl"):
        with pytest.raises(WriteError, match="cannot write the log"):
            Log(path, "run", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_refused_before_any_work() -> None:
    with pytest.raises(WriteError, match="No space left"):
        Log(Path("/dev/full"), "run", 1)


def test_a_log_that_fails_later_stops_no_work_and_is_reported_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def full(handler: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(WriteError, match="No space left"), Log(tmp_path / "log.jsonl", "run", 2) as log:
        monkeypatch.setattr("logging.StreamHandler.flush", full)
        for trial in ("a.c3d", "b.c3d"):
            log.watch(trial, lambda: done.append(1))
            log.done()
    assert len(done) == 2


def test_lines_of_many_processes_stay_whole(tmp_path: Path) -> None:
    """Four processes, 200 lines each of up to 20 kB: none is cut, none is lost."""
    path = tmp_path / "log.jsonl"
    code = (
        "import sys\nfrom pathlib import Path\nfrom gaitid.cli.log import Log\n"
        "with Log(Path(sys.argv[1]), 'run', 200) as log:\n"
        "    for i in range(200):\n"
        "        log.add('done', sys.argv[2] * (i * 100 + 1), trial=f'{sys.argv[2]}{i}')\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), letter]) for letter in "abcd"]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    entries = lines(path)
    assert len(entries) == 4 * 202
    for letter in "abcd":
        of_one = [entry for entry in entries if (entry["trial"] or "").startswith(letter)]
        assert [entry["message"] for entry in of_one] == [letter * (i * 100 + 1) for i in range(200)]


def test_a_log_costs_no_import() -> None:
    """Nothing but json beyond what Python itself, a path and the entry point need."""
    code = (
        "import sys, contextlib, functools, gc, json, pathlib, signal, threading, typing, warnings; "
        "before = set(sys.modules); import gaitid.cli.log; print(*set(sys.modules) - before)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    ours = {"gaitid", "gaitid.version", "gaitid.errors", "gaitid.cli", "gaitid.cli.log"}
    assert set(out.split()) - {"__future__"} == ours


def test_levels_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with Log(path, "batch", 3) as log:
        log.add("refused", "x", ERROR, trial="a.c3d", duration_s=0.5)
        log.add("crashed", "y", ERROR, trial="b.c3d", duration_s=0.12345)
    assert lines(path)[-1]["message"] == "2 errors"
    assert lines(path)[2]["duration_s"] == 0.123


@pytest.mark.parametrize("command", ["run", "batch"])
def test_run_and_batch_log_what_each_trial_came_to(command: str, tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "log.jsonl"
    data.mkdir()
    (data / "good.c3d").write_bytes(WALK.read_bytes())
    (data / "bad.c3d").write_bytes(b"This was a trial.")
    trials = [data / "bad.c3d", data / "good.c3d"] if command == "run" else [data]
    words = [sys.executable, "-m", "gaitid", command, *map(str, trials), "--model", "pig", "-o", str(tmp_path / "out")]
    done = subprocess.run([*words, "--log", str(log)], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    ends = {
        Path(str(entry["trial"])).name: entry["event"] for entry in lines(log) if entry["event"] in ("done", "refused")
    }
    assert ends == {"bad.c3d": "refused", "good.c3d": "done"}
    nowhere = ["-q", "--log", str(tmp_path / "no" / "log.jsonl")]
    refused = subprocess.run([*words, *nowhere], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
