"""Bands hold what they promise where the command line works on files: some trials of `benchmarks/coverage.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from coverage import CASES, SPOILT, Case, coverage

FEW = 3
PIG = CASES[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "case"),
    # the benchmark asks each source alone of the other models too
    [
        pytest.param(what, case, id=f"{what}-{case.words}")
        for case in CASES
        for what in SPOILT
        if what == "all" or case.model == "pig"
    ],
)
def test_bands_hold_the_truth(case: Case, what: str, tmp_path: Path) -> None:
    """Of 8 trials: a mean coverage of 95 % has a standard error of some 3 %, a spread one of 15 %."""
    _judged(case, what, 8, tmp_path)


def test_bands_with_a_static_hold_the_truth(tmp_path: Path) -> None:
    """Of few trials wider limits: bands 2.6 times too wide, as without errors in the static, are beyond them."""
    _judged(PIG, "placement", FEW, tmp_path)


def _judged(case: Case, what: str, trials: int, folder: Path) -> None:
    for end, held in coverage(case, what, trials, folder).items():
        if end == "deg" and what == "plates":
            assert max(held.stated, default=0.0) < 1e-9  # no angle hangs on plates
            continue
        assert held.coverage > 0.85, end
        assert 0.6 < held.ratio < 1.7, end
