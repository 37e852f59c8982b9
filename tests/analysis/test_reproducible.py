"""The same input, model and version give the same bytes, whatever surrounds the process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRIAL = ROOT / "sample_data" / "walk_noisy" / "walk.c3d"
WORDS = (
    "--model",
    "pig",
    "-o",
    "out",
    "--write",
    "segments",
    "--write",
    "base",
    "--contributions",
    "--observer",
    "thigh",
    "--quiet",
)
# One of each kind in a row, so that ten runs try every value. A locale that the system lacks is the C locale: it is
# then tried as a name only, which is what a user's shell on such a system gives too.
SURROUNDINGS: dict[str, Mapping[str, str]] = {
    "C locale, west": {"LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONHASHSEED": "0"},
    "German, two threads": {
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "de_DE.UTF-8",
        "LC_NUMERIC": "de_DE.UTF-8",
        "OPENBLAS_NUM_THREADS": "2",
        "OMP_NUM_THREADS": "2",
        "PYTHONHASHSEED": "1",
    },
    "Turkish, four threads": {
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "TZ": "Asia/Kathmandu",
        "OPENBLAS_NUM_THREADS": "4",
        "OMP_NUM_THREADS": "4",
        "PYTHONHASHSEED": "random",
    },
    "Latin 1, no UTF-8 mode": {"LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "UTF-8 mode, C locale": {"LC_ALL": "C", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
    "optimised, far in the east": {"PYTHONOPTIMIZE": "2", "TZ": "Pacific/Kiritimati"},
    "no name of a time zone, no home": {"TZ": ":/none", "HOME": "/none", "COLUMNS": "20", "NO_COLOR": "1"},
}
# Variables that a machine may have set, and that are tried here.
TRIED = ("LANG", "LC_", "TZ", "OPENBLAS_", "OMP_", "PYTHONHASHSEED", "PYTHONUTF8", "NPY_")


def run(folder: Path, extra: Mapping[str, str], trial: Path | str = TRIAL, umask: int = -1) -> dict[str, bytes]:
    """All files of `gaitid run` in a process of its own, in a current folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(TRIED)}
    environment |= {"PYTHONPATH": str(ROOT), **extra}
    done = subprocess.run(
        [sys.executable, "-m", "gaitid", "run", str(trial), *WORDS],
        cwd=folder,
        env=environment,
        umask=umask,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir())}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    files = run(tmp_path_factory.mktemp("plain") / "here", {})
    assert len(files) == 10  # seven tables and the record
    return files


def assert_same(files: dict[str, bytes], plain: dict[str, bytes]) -> None:
    assert list(files) == list(plain)
    assert [name for name in files if files[name] != plain[name]] == []


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_no_byte_depends_on_the_surroundings(name: str, plain: dict[str, bytes], tmp_path: Path) -> None:
    """run.json too: the command names trial and folder as given, which are the same here."""
    assert_same(run(tmp_path / "elsewhere" / "Größe und Länge", SURROUNDINGS[name]), plain)


@pytest.mark.parametrize(
    "extra",
    [
        {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512_SKX"},
        {"OPENBLAS_CORETYPE": "Haswell"},
        {"OPENBLAS_CORETYPE": "Prescott"},
    ],
    ids=["numpy without AVX-512", "OpenBLAS for Haswell", "OpenBLAS for Prescott"],
)
def test_another_processor_moves_at_most_the_last_digits(
    extra: Mapping[str, str], plain: dict[str, bytes], tmp_path: Path
) -> None:
    """numpy and OpenBLAS sum in another order on another processor, which is not promised away (docs/ci.md).

    Tables keep ten digits: what is left is 1e-8 of the largest value of a column, ten times what was seen.
    """
    import numpy as np

    files = run(tmp_path / "here", extra)
    assert list(files) == list(plain)
    for name in ("walk.wrenches.csv", "walk.joints.csv", "walk.base.csv"):
        tables = [
            np.genfromtxt(text.decode().splitlines(), delimiter=",", names=True) for text in (files[name], plain[name])
        ]
        assert tables[0].dtype == tables[1].dtype
        for column in tables[0].dtype.names:
            a, b = (table[column] for table in tables)
            assert np.array_equal(np.isnan(a), np.isnan(b)), column
            if np.isfinite(a).any():
                assert np.nanmax(np.abs(a - b)) <= 1e-8 * np.nanmax(np.abs(b)) + 1e-9, column
