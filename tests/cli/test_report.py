"""`gaitid report` whatever a user has set up for matplotlib, and where its output cannot be a file."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from slow import slow_but
from terminal import assert_refused, gaitid

ROOT = Path(__file__).resolve().parents[2]
KEPT = re.compile("knee_(flexion|extension|power)")


def report(record: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """`gaitid report` in a process and a folder of its own."""
    words = [sys.executable, "-m", "gaitid", "report", str(record), "-o", "walk.png"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True)


@pytest.fixture(scope="module")
def record(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a result with a panel or two of each kind instead of 24: what is drawn does not matter here."""
    few = shutil.copytree(results, tmp_path_factory.mktemp("few") / "results")
    for table in ("joints", "cycles", "stances"):
        path = few / f"walk.{table}.csv"
        header, *rows = (line.split(",") for line in path.read_text().splitlines())
        curves = [name.endswith(("_deg", "_Nm_per_kg", "_W_per_kg")) for name in header]
        kept = [i for i, name in enumerate(header) if not curves[i] or KEPT.search(name)]
        path.write_text("".join(",".join(row[i] for i in kept) + "\n" for row in [header, *rows]))
    return few / "walk.run.json"


@pytest.fixture(scope="module")
def usual(record: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The sheet where nothing is set up."""
    folder = tmp_path_factory.mktemp("usual")
    done = gaitid("report", record, "-o", folder / "walk.png")
    assert done.code == 0, done.err
    return (folder / "walk.png").read_bytes()


@pytest.mark.parametrize("name", slow_but(["nonsense"], ["module://matplotlib_inline.backend_inline", "nonsense"]))
def test_no_backend_is_asked_for(record: Path, usual: bytes, tmp_path: Path, name: str) -> None:
    done = report(record, tmp_path, MPLBACKEND=name)
    assert (done.returncode, done.stderr) == (0, b"gaitid: wrote walk.png\n")
    assert (tmp_path / "walk.png").read_bytes() == usual


def test_what_is_no_file_keeps_its_place(record: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    (tmp_path / "link.html").symlink_to("pipe.html")
    for name in ("pipe.html", "link.html"):
        done = gaitid("report", record, "-o", tmp_path / name)
        assert_refused(done, f"{name}: cannot be written; found {name} is a device, a pipe or a socket")
    assert stat.S_ISFIFO((tmp_path / "pipe.html").stat().st_mode)
    assert (tmp_path / "link.html").is_symlink()
