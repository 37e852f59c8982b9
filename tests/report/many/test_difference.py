"""The band of a difference: what it holds and how often, where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from gaitid.report.difference import (
    _resels,
    critical_t,
    difference,
    excursion,
    half_of_difference,
    half_of_mean,
    loaded_only,
    paired_difference,
)

Array = NDArray[np.float64]


def smooth(rng: np.random.Generator, n: int, sd: float = 1.0) -> Array:
    """(n, 101) of independent smooth curves of unit variance."""
    kernel = np.exp(-((np.arange(-40, 41) / 9.0) ** 2) / 2)
    kernel /= np.sqrt((kernel**2).sum())
    return sd * np.array([np.convolve(row, kernel, "valid") for row in rng.normal(size=(n, 181))])


def holds(found_mean: Array, half: Array) -> bool:
    return bool((np.abs(found_mean) <= half).all())


@pytest.mark.parametrize("freedom", [2.0, 3.5, 8.0, 40.0])
def test_t_of_a_single_figure_is_student_s(freedom: float) -> None:
    assert critical_t(freedom, 0.0) == pytest.approx(special.stdtrit(freedom, 0.975), rel=1e-5)


def test_t_of_a_curve_is_greater_and_grows_with_its_roughness() -> None:
    found = [critical_t(8.0, resels) for resels in (0.0, 1.0, 3.0, 10.0)]
    assert found == sorted(found)
    # Worsley et al. 1996, table II: 2 [P(T > t) + 3 sqrt(4 ln 2) / (2 pi) (1 + t^2 / 8)^-3.5] = 0.05
    t = found[2]
    expected = 2 * (special.stdtr(8, -t) + 3 * np.sqrt(4 * np.log(2)) / (2 * np.pi) * (1 + t * t / 8) ** -3.5)
    assert expected == pytest.approx(0.05, rel=1e-4)


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


def test_what_is_unknown_stays_so() -> None:
    rng = np.random.default_rng(8)
    a, b = smooth(rng, 5), smooth(rng, 5)
    a[:, :20] = np.nan
    b[3:, 80:] = np.nan  # two of five: three are left
    b[2:, 90:] = np.nan
    found = difference(a, b)
    assert np.isnan(found.mean[:20]).all() and np.isfinite(found.mean[20:]).all()
    assert np.isfinite(found.half_width[20:90]).all() and np.isnan(found.half_width[90:]).all()


def test_alike_cycles_give_no_band_and_no_warning() -> None:
    same = np.tile(np.linspace(0, 1, 101), (4, 1))
    assert np.isnan(difference(same, same + 1).half_width).all()


def test_a_foot_in_the_air_is_not_compared() -> None:
    a, b = np.ones((3, 101)), np.ones((4, 101))
    a[1, 60:] = 0
    b[:, 70:] = 0
    for values in loaded_only(a, b):
        assert np.isfinite(values[:, :60]).all() and np.isnan(values[:, 60:]).all()
    assert a[1, 60] == 0  # what was handed in is as it was


def test_an_excursion_is_as_rare_as_asked() -> None:
    rng = np.random.default_rng(9)
    named = sum(excursion(smooth(rng, 1)[0], smooth(rng, 8)).chance < 0.05 for _ in range(400))
    assert 0.01 < named / 400 < 0.08
    others = smooth(rng, 8)
    far = excursion(others.mean(axis=0) + 15 * np.eye(101)[33], others)
    assert far.chance < 0.01 and far.percent == 33


def test_an_excursion_is_rare_from_the_critical_t_on() -> None:
    rng = np.random.default_rng(10)
    curve, others = smooth(rng, 1)[0], smooth(rng, 8)
    far = excursion(curve, others)
    limit = critical_t(7, _resels(others - others.mean(axis=0)), 1 - far.chance) * np.sqrt(1 + 1 / 8)
    assert far.distance == pytest.approx(limit, rel=1e-9)


def test_nothing_known_is_no_excursion() -> None:
    far = excursion(np.full(101, np.nan), np.zeros((8, 101)))
    assert np.isnan(far.distance) and np.isnan(far.chance)


def test_intervals_of_figures() -> None:
    a, b = [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 9.0]
    # Welch by hand: s² / n = 0.41667 and 4.3333; freedom 2.388
    shares = np.array([1.25 * 4 / 3 / 4, 13 / 3])
    freedom = shares.sum() ** 2 / (shares[0] ** 2 / 3 + shares[1] ** 2 / 2)
    expected = special.stdtrit(freedom, 0.975) * np.sqrt(shares.sum())
    assert half_of_difference(a, b) == pytest.approx(expected, rel=1e-4)
    assert half_of_mean([1.0, 2.0, 3.0]) == pytest.approx(special.stdtrit(2, 0.975) / np.sqrt(3), rel=1e-4)
    assert np.isnan(half_of_difference(a, [1.0, 2.0])) and np.isnan(half_of_mean([2.0, 2.0, 2.0]))
