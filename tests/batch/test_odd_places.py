"""Batches where the current folder holds modules' names, and over names with blanks or bytes that are no UTF-8."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WALK = ROOT / "sample_data" / "walk_noisy"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def batch(*words: object, cwd: Path) -> str:
    """Last line on stderr of a batch that must do all its trials."""
    # -P, as the installed command has it: the current folder is not on the path of the first process
    command = [sys.executable, "-P", "-m", "gaitid", "batch", *map(str, words), "--model", "pig", "-j", "1"]
    done = subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, timeout=120, check=False)
    err = done.stderr.decode(errors="replace")
    assert done.returncode == 0, err
    return err.splitlines()[-1]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "my data"
    shutil.copytree(WALK, folder)
    return folder


def test_modules_of_the_current_folder_are_not_loaded(data: Path, tmp_path: Path) -> None:
    for name in ("signal", "types", "struct", "socket", "selectors"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)")
    assert ": 1 done; " in batch(data, "-o", "out", cwd=tmp_path)


def test_parquet_of_a_trial_whose_name_is_no_utf8(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    try:
        shutil.copy(data / "walk.c3d", os.fsencode(data) + b"/w\xff.c3d")
    except OSError as error:
        pytest.skip(f"this file system takes no such name: {error}")
    assert ": 2 done; " in batch(data, "-o", "out", "--parquet", cwd=tmp_path)
    trials = pandas.read_parquet(tmp_path / "out" / "frames.parquet").trial.unique()
    assert sorted(Path(trial).name for trial in trials) == ["w\\udcff.c3d", "walk.c3d"]


def test_a_file_url_with_a_blank(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    assert "%20" in data.as_uri()
    assert ": 1 done; " in batch(data.as_uri(), "-o", "out", cwd=tmp_path)
