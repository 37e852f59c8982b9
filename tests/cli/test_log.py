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

from gaitid.cli.streams import Log
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


# --- a log that cannot be written ---------------------------------------------------------------------------


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
