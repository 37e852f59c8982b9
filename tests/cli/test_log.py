"""`--log FILE.jsonl`: whole lines of JSON, whoever writes and whatever a message holds; no log, no work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from gaitid.cli.log import ERROR, Log
from gaitid.errors import TrialError, WriteError

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
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


LINE = b'{"time": "2026", "level": "info", "pid": 1, "trial": null, "event": "x", "message": "", "duration_s": 1}\n'


@pytest.mark.parametrize(
    "held",
    [
        b"{mass_kg: 60, height_m: 1.7}\n",  # YAML in the flow style
        b'{"mass_kg": 60}\n',
        b'{"time": 1}\n' + LINE,
        LINE.replace(b"null", b"[" * 100_000),
        LINE.replace(b"}", b"}, 1"),
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


@pytest.mark.parametrize("name", ["walk.run.json", "batch.csv", "subject.yaml", "WALK.C3D", ".gaitid/batch.jsonl"])
def test_what_gaitid_reads_or_writes_is_not_the_log_as_well(tmp_path: Path, name: str) -> None:
    """Absent or empty, its content does not tell."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    with pytest.raises(WriteError, match="of this name"):
        Log(path, "run", 1)
    assert not path.exists()


def test_a_lock_that_somebody_keeps_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the work: refused. Later: no work is lost, and it is told at the end."""
    fcntl = pytest.importorskip("fcntl", reason="the system has no flock")
    monkeypatch.setattr("gaitid.cli.log.PATIENCE_S", 0.05)
    path = tmp_path / "log.jsonl"
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(WriteError, match=r"log.jsonl: cannot write the log \(another process holds its lock"):
            Log(path, "run", 1)
        fcntl.flock(other, fcntl.LOCK_UN)
        with pytest.raises(WriteError, match="another process holds its lock"), Log(path, "run", 1) as log:
            fcntl.flock(other, fcntl.LOCK_EX)
            assert log.watch("a.c3d", lambda: 3) == 3
    assert [one["event"] for one in lines(path)] == ["start"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_that_is_not_read_is_not_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaitid.cli.log.PATIENCE_S", 0.05)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(WriteError, match="nobody reads the pipe"), Log(tmp_path / "pipe", "run", 1) as log:
        for _ in range(100):
            log.add("done", "x" * 10_000)
    assert json.loads(os.read(reader, 1000).split(b"\n")[0])["event"] == "start"
    os.close(reader)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_slow_reader_of_a_pipe_gets_whole_lines(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as cat:
        found: list[bytes] = []
        assert cat.stdout is not None
        reader = threading.Thread(target=lambda: found.append(cat.stdout.read()))  # type: ignore[union-attr]
        waited = os.open(tmp_path / "pipe", os.O_WRONLY)  # until cat has it open
        reader.start()
        with Log(tmp_path / "pipe", "run", 1) as log:
            for _ in range(20):
                log.add("done", "x" * 100_000)
        os.close(waited)
        reader.join()
    (tmp_path / "copy").write_bytes(found[0])
    assert [len(one["message"]) for one in lines(tmp_path / "copy")][1:-1] == [100_000] * 20


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

    monkeypatch.setattr("gaitid.cli.log.os.write", full)
    with pytest.raises(WriteError, match="No space left"), Log(tmp_path / "log.jsonl", "run", 2) as log:
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
    found = lines(path)
    assert len(found) == 4 * 202
    for letter in "abcd":
        own = [one for one in found if (one["trial"] or "").startswith(letter)]
        assert [one["message"] for one in own] == [letter * (i * 100 + 1) for i in range(200)]


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
    ends = {Path(str(one["trial"])).name: one["event"] for one in lines(log) if one["event"] in ("done", "refused")}
    assert ends == {"bad.c3d": "refused", "good.c3d": "done"}
    nowhere = ["-q", "--log", str(tmp_path / "no" / "log.jsonl")]
    refused = subprocess.run([*words, *nowhere], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
