"""`gaitid batch --plan`: a plan that is kept, and what is refused before any work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import assert_refused, gaitid

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "batch"))
from recordings import WALKS, make_recordings


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_recordings(tmp_path_factory.mktemp("data")).parent


def test_a_plan_needs_no_folder_and_runs_as_it_was_made(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same files, byte for byte, from the data set and from its plan, and --resume believes either."""
    monkeypatch.chdir(tmp_path)
    data = os.path.relpath(top / "recordings" / "P1")
    planned = gaitid("batch", data, "--model", "pig", "--plan")
    assert planned.code == 0
    assert planned.lines[0] == f"gaitid: {WALKS} trials in 1 folder, 1 static"
    assert list(tmp_path.iterdir()) == []
    Path("plan.csv").write_text(planned.out, encoding="utf-8")
    again = gaitid("batch", "plan.csv", "--model", "pig", "--plan")
    assert again.out == planned.out
    assert gaitid("batch", data, "--model", "pig", "-o", "out", "-j", 1, "-q").code == 0
    assert f"{WALKS} done before" in gaitid("batch", "plan.csv", "--model", "pig", "-o", "out", "--resume").lines[-1]


def test_a_plan_is_utf8_whatever_the_locale(top: Path, tmp_path: Path) -> None:
    (tmp_path / "Änne").symlink_to(top / "recordings" / "P1")
    command = [sys.executable, "-m", "gaitid", "batch", "Änne/walk*.c3d", "--model", "pig", "--plan", "-q"]
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout.decode("utf-8").splitlines()[1].startswith("Änne/walk1.c3d,")
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("cutoff\n,fast", ("row 2", "--cutoff", "fast")),
        ("set\n,nonsense=3", ("row 2", "nonsense", "no such setting")),
        ("set\n,nonsense", ("row 2", "--set nonsense")),
        ("assign\n,both=1", ("row 2", "--assign both=1")),
        ("static\n,absent.c3d", ("row 2", "static", "absent.c3d")),
    ],
)
def test_a_row_is_named(top: Path, tmp_path: Path, row: str, words: tuple[str, ...]) -> None:
    (tmp_path / "plan.csv").write_text(f"trials,{row}\n".replace("\n,", f"\n{top}/recordings/P1/walk1.c3d,"))
    done = gaitid("batch", tmp_path / "plan.csv", "--model", "pig", "-q", "--plan")
    assert_refused(done, "plan.csv", *words)
