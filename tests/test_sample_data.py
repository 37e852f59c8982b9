"""sample_data/ is what its script makes, byte for byte."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from make_sample_data import SAMPLES, make  # noqa: E402

# Sines differ in their last bit between processors. A cell that lies on the edge between two last digits may then fall
# to either side: measured one cell of 4 MB, with numpy, BLAS and libm held to older instruction sets.
MOST_CELLS = 20


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    make(folder)
    return folder


def test_there_is_nothing_else(remade: Path) -> None:
    def names(folder: Path) -> set[str]:
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert names(remade) == names(ROOT / "sample_data")


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_script_makes_the_same_bytes(sample: str, remade: Path) -> None:
    moved = 0
    for path in sorted((remade / sample).iterdir()):
        stored = (ROOT / "sample_data" / sample / path.name).read_bytes()
        if path.read_bytes() != stored:
            assert path.suffix == ".csv", path.name
            moved += last_digits(path.read_text(encoding="utf-8"), stored.decode("utf-8"), path.name)
    assert moved <= MOST_CELLS


def last_digits(made: str, stored: str, name: str) -> int:
    """How many cells differ; each only in the last of ten digits."""
    rows, old = ([line.split(",") for line in text.split("\n")] for text in (made, stored))
    assert [len(row) for row in rows] == [len(row) for row in old], name
    pairs = [(a, b) for row, other in zip(rows, old, strict=True) for a, b in zip(row, other, strict=True) if a != b]
    for a, b in pairs:
        assert float(a) == pytest.approx(float(b), rel=1.1e-9, abs=1.1e-10), f"{name}: {a} for {b}"
    return len(pairs)
