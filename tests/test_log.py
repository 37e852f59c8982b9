"""`--log FILE.jsonl`: whole lines of JSON, whoever writes and whatever a message holds; no log, no work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gaitid.errors import TrialError, WriteError
from gaitid.log import ERROR, Log

WALK = Path(__file__).resolve().parents[1] / "sample_data" / "walk" / "walk.c3d"
KEYS = ["time", "level", "pid", "trial", "event", "message", "duration_s"]


def lines(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_bytes().decode("utf-8").split("\n")[:-1]]
    assert all(list(one) == KEYS for one in found)
    return found


def test_a_command_from_start_to_end(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with Log(path, "run", 2) as log:
        log.watch("a.c3d", lambda: None)
        log.warn("a gap\n of 3 frames")
        log.done()
        with pytest.raises(TrialError):
            log.watch("b.c3d", refuse)
    found = lines(path)
    assert [(one["event"], one["level"], one["trial"]) for one in found] == [
        ("start", "info", None),
        ("begin", "info", "a.c3d"),
        ("warning", "warning", "a.c3d"),
        ("done", "info", "a.c3d"),
        ("begin", "info", "b.c3d"),
        ("refused", "error", "b.c3d"),
        ("end", "error", None),
    ]
    assert re.fullmatch(r"gaitid \S+ run: 2 trials", found[0]["message"])
    assert found[2]["message"] == "a gap of 3 frames"
    assert found[5]["message"] == "no markers; expected some"
    assert found[6]["message"] == "1 error"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["time"]) for one in found)
    # a minute: long after anything that this test does
    assert all(0 <= one["duration_s"] < 60 for one in found if one["event"] in ("done", "refused", "end"))
    assert {one["pid"] for one in found} == {os.getpid()}


def refuse() -> None:
    raise TrialError("no markers", expected="some")


def test_a_log_is_appended_to_and_a_cut_line_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for _ in range(2):
        with Log(path, "check", 1):
            pass
    assert [one["event"] for one in lines(path)] == ["start", "end"] * 2
    path.write_bytes(path.read_bytes() + b'{"time": "2026-')
    with Log(path, "check", 1):
        pass
    *_, cut, start, end, nothing = path.read_bytes().split(b"\n")
    assert cut == b'{"time": "2026-'
    assert [json.loads(start)["event"], json.loads(end)["event"], nothing] == ["start", "end", b""]


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
    (found,) = [one for one in lines(path) if one["event"] == "done"]
    assert found["trial"] == text
    assert found["message"] == " ".join(text.split())


def test_an_interruption_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with pytest.raises(KeyboardInterrupt), Log(path, "run", 1) as log:
        log.watch("a.c3d", interrupt)
    assert [one["event"] for one in lines(path)] == ["start", "begin", "interrupted"]


def interrupt() -> None:
    raise KeyboardInterrupt


# --- a log that cannot be written ---------------------------------------------------------------------------


def test_what_is_no_log_is_left_as_it_is(tmp_path: Path) -> None:
    trial = tmp_path / "walk.c3d"
    trial.write_bytes(b"\x02P" + bytes(510))
    with pytest.raises(WriteError, match=r"walk\.c3d: cannot write the log .*no log.*--log"):
        Log(trial, "run", 1)
    assert trial.read_bytes() == b"\x02P" + bytes(510)


def test_a_folder_and_a_path_without_one_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "log.jsonl"):
        with pytest.raises(WriteError, match="cannot write the log"):
            Log(path, "run", 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_that_nobody_reads_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="cannot write the log"):
        Log(tmp_path / "pipe", "run", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_refused_before_any_work() -> None:
    with pytest.raises(WriteError, match="No space left"):
        Log(Path("/dev/full"), "run", 1)


def test_a_log_that_fails_later_stops_no_work_and_is_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []
    write = os.write

    def full(number: int, data: bytes) -> int:
        return write(number, data) if b"start" in data else 0

    monkeypatch.setattr("gaitid.log.os.write", full)
    with pytest.raises(WriteError, match="No space left"), Log(tmp_path / "log.jsonl", "run", 2) as log:
        for trial in ("a.c3d", "b.c3d"):
            log.watch(trial, lambda: done.append(1))
            log.done()
    assert len(done) == 2


def test_lines_of_many_processes_stay_whole(tmp_path: Path) -> None:
    """Four processes, 200 lines each of up to 20 kB: none is cut, none is lost."""
    path = tmp_path / "log.jsonl"
    code = (
        "import sys\nfrom pathlib import Path\nfrom gaitid.log import Log\n"
        "with Log(Path(sys.argv[1]), 'run', 200) as log:\n"
        "    for i in range(200):\n"
        "        log.add('done', sys.argv[2] * (i * 100 + 1), trial=f'{sys.argv[2]}{i}')\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), letter]) for letter in "abcd"]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    found = lines(path)
    assert len(found) == 4 * 202
    for letter in "abcd":
        own = [one for one in found if (one["trial"] or "").startswith(letter)]
        assert [one["message"] for one in own] == [letter * (i * 100 + 1) for i in range(200)]


def test_a_log_costs_no_import() -> None:
    """Beyond what Python itself and a path need: json only."""
    code = (
        "from __future__ import annotations; import sys, pathlib, time, typing, json; "
        "before = set(sys.modules); import gaitid.log; print(*sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["gaitid", "gaitid.errors", "gaitid.log"]


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
    ends = {Path(str(one["trial"])).name: one["event"] for one in lines(log) if one["event"] in ("done", "refused")}
    assert ends == {"bad.c3d": "refused", "good.c3d": "done"}
    nowhere = ["-q", "--log", str(tmp_path / "no" / "log.jsonl")]
    refused = subprocess.run([*words, *nowhere], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
