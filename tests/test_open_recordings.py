"""The public recordings behind the tables of docs/accuracy.md: found by their hashes, fetched, and the tables again."""

from __future__ import annotations

import functools
import hashlib
import http.server
import re
import runpy
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "trials"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return runpy.run_path(str(ROOT / "benchmarks" / "open_recordings.py"), run_name="loaded")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder that is served on this machine, and its address."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(_Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_the_list_names_every_trial_of_the_tables(script: dict[str, Any]) -> None:
    listed = {recording.file: recording for recording in script["read_manifest"]()}
    compared = runpy.run_path(str(ROOT / "benchmarks" / "shared_trials.py"))["TRIALS"]
    assert {trial.file for trial in compared} <= set(listed)
    for recording in listed.values():
        assert re.fullmatch(r"[0-9a-f]{64}", recording.sha256)
        assert recording.licence.startswith(("MIT", "BSD-3-Clause", "Apache-2.0", "CC BY 4.0"))
        assert recording.addresses
        for address in recording.addresses:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}:\S.*\.\w+", address), address


def test_a_file_is_known_by_its_hash_alone(script: dict[str, Any], tmp_path: Path) -> None:
    content = b"a recording"
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "Any Name.C3D").write_bytes(content)
    (tmp_path / "walk.c3d").write_bytes(b"another")
    recording = script["Recording"]("a/walk.c3d", hashlib.sha256(content).hexdigest(), "MIT", ())
    assert script["find"](tmp_path, [recording]) == {"a/walk.c3d": tmp_path / "deep" / "er" / "Any Name.C3D"}
    (tmp_path / "deep" / "er" / "Any Name.C3D").write_bytes(content + b"!")
    assert script["find"](tmp_path, [recording]) == {}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
def test_the_tables_come_out_again(script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one child and of the running stride: the rows of the pages, but for figures of the last digits."""
    monkeypatch.setenv("GAITID_TRIALS", "")  # so that it is as before afterwards
    for module in ("accuracy", "common", "shared_trials", "running_2d"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    recordings = [r for r in script["read_manifest"]() if r.file.startswith(("children/HC002D", "running_2d"))]
    there = script["find"](SHARED, recordings)
    assert len(there) == len(recordings) == 4
    script["lay_out"](there, tmp_path)
    made = script["tables"](tmp_path)
    page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    rows = [row for row in page.splitlines() if row.startswith("| children/HC002D/walk |")]
    again = [row for row in made.splitlines() if row.startswith("| children/")]
    assert len(again) == len(rows) == 1
    for row, new in zip(rows, again, strict=True):
        assert row.split("|")[:4] == new.split("|")[:4]  # trial, frames filled in stance and swing
        for before, now in zip(row.split("|")[4:-1], new.split("|")[4:-1], strict=True):
            # differences of 1e-4 mm and less are rounding of the file's 32-bit numbers: their size is compared
            assert before == now or float(now) < 3 * float(before)
    assert "| RMS difference, N·m | 0.048 | 0.021 | 0.0039 |" in made
    assert "| 0.048 | 0.021 | 0.0039 |" in page
