"""A function over all frames at once, and block by block."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.numerics import masks
from gaitid.numerics.spline import _eliminated, _spline_factors


@pytest.mark.parametrize("frames", [0, 1, 2, 3, 10, 11, 50])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_differences_block_by_block(frames: int, order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(frames).normal(size=(frames, 2, 3))
    whole = np.diff(values, order, axis=0)
    monkeypatch.setattr(masks, "_NUMBERS", 24)  # four rows at once
    asked: list[int] = []

    def differences(some: np.ndarray) -> np.ndarray:
        asked.append(len(some))
        return np.diff(some, order, axis=0)

    assert np.array_equal(masks.by_blocks(differences, values, order), whole)
    assert max(asked) <= 4 + order
    assert len(asked) >= (frames - order) // 4


@pytest.mark.parametrize("n", [6, 127, 128, 129, 200, 1000])
def test_the_factors_of_a_long_spline_are_those_row_by_row(n: int) -> None:
    assert _spline_factors(n) == _eliminated.__wrapped__(n)
