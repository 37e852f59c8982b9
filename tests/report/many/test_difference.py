"""The band of a difference: what it holds and how often, where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gaitid.report.difference import critical_t, difference, loaded_only, paired_difference

Array = NDArray[np.float64]


def smooth(rng: np.random.Generator, n: int, sd: float = 1.0) -> Array:
    """(n, 101) of independent smooth curves of unit variance."""
    kernel = np.exp(-((np.arange(-40, 41) / 9.0) ** 2) / 2)
    kernel /= np.sqrt((kernel**2).sum())
    return sd * np.array([np.convolve(row, kernel, "valid") for row in rng.normal(size=(n, 181))])


def holds(found_mean: Array, half: Array) -> bool:
    return bool((np.abs(found_mean) <= half).all())


@pytest.mark.parametrize(("cycles", "sds"), [((5, 5), (1, 1)), ((4, 8), (3, 1)), ((3, 6), (1, 1)), ((10, 10), (1, 3))])
def test_the_band_holds_whole_curves(cycles: tuple[int, int], sds: tuple[float, float]) -> None:
    rng = np.random.default_rng(4)
    held = pointwise = 0
    for _ in range(250):
        a, b = (smooth(rng, n, sd) for n, sd in zip(cycles, sds, strict=True))
        found = difference(a, b)
        held += holds(found.mean, found.half_width)
        se = np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b))
        pointwise += holds(found.mean, critical_t(sum(cycles) - 2.0, 0.0) * se)
    assert held / 250 > 0.92  # 0.95 less two standard errors of 250 trials
    assert pointwise / 250 < 0.75  # what a band for single instants does


def test_paired_bands_hold_and_know_no_level_of_a_subject() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(250):
        level = rng.normal(0, 20, (6, 1))
        found = paired_difference(level + smooth(rng, 6), level + smooth(rng, 6))
        held += holds(found.mean, found.half_width)
    assert 0.92 < held / 250 < 1.0
    assert np.median(found.half_width) < 6


def test_a_difference_is_b_less_a_and_found_where_it_is() -> None:
    rng = np.random.default_rng(6)
    rise = np.where((np.arange(101) > 40) & (np.arange(101) < 60), 10.0, 0.0)
    found = difference(smooth(rng, 6), smooth(rng, 6) + rise)
    assert found.mean[50] == pytest.approx(10, abs=2)
    assert found.apart[45:56].all() and not found.apart[:38].any()
    assert found.cycles == (6, 6)


@pytest.mark.parametrize("counts", [(2, 8), (8, 2), (1, 1)])
def test_few_cycles_give_no_band(counts: tuple[int, int]) -> None:
    rng = np.random.default_rng(7)
    found = difference(*(smooth(rng, n) for n in counts))
    assert np.isfinite(found.mean).all() and np.isnan(found.half_width).all() and not found.apart.any()


def test_a_foot_in_the_air_is_not_compared() -> None:
    a, b = np.ones((3, 101)), np.ones((4, 101))
    a[1, 60:] = 0
    b[:, 70:] = 0
    for values in loaded_only(a, b):
        assert np.isfinite(values[:, :60]).all() and np.isnan(values[:, 60:]).all()
    assert a[1, 60] == 0  # what was handed in is as it was
