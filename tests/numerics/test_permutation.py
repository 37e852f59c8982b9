"""The permutation test of the maximum statistic: its error under the null, its power, and Student's t."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp, ttest_ind

from gaitid.numerics.permutation import Sample, compare_curves
from gaitid.trial import Array

X = np.linspace(0, 2 * np.pi, 51)
STUDIES = 400


def smooth(rng: np.random.Generator, n: int) -> Array:
    """Curves as joints have them: four harmonics, and an offset of each subject."""
    k = np.arange(1, 5)
    amplitudes = rng.normal(size=(2, n, 4)) / k
    waves = amplitudes[0] @ np.cos(np.outer(k, X)) + amplitudes[1] @ np.sin(np.outer(k, X))
    return np.asarray(waves + rng.normal(size=(n, 1)))


def numbers(n_a: int, n_b: int, paired: bool) -> Array:
    return np.arange(n_a if paired else n_a + n_b)


@pytest.mark.parametrize(("n_a", "n_b", "paired"), [(8, 8, False), (5, 12, False), (9, 9, True)])
def test_five_percent_of_studies_without_an_effect_find_one(n_a: int, n_b: int, paired: bool) -> None:
    """For one curve, and for three curves together: the family-wise error is what was asked for."""
    rng, one, any_of = np.random.default_rng(7), 0, 0
    for study in range(STUDIES):
        samples = [Sample(smooth(rng, n_a), smooth(rng, n_b), numbers(n_a, n_b, paired)) for _ in range(3)]
        found = compare_curves(samples, paired, permutations=200, seed=study)
        one += found[0].p <= 0.05
        any_of += min(test.p_of_all for test in found) <= 0.05
    low, high = binom.interval(0.999, STUDIES, 0.05)
    assert low <= one <= high and low <= any_of <= high


@pytest.mark.parametrize("paired", [False, True])
def test_a_known_difference_is_found_where_it_is(paired: bool) -> None:
    rng = np.random.default_rng(1)
    a, bump = smooth(rng, 12), 4 * np.exp(-(((X - 4) / 0.4) ** 2))
    b = a + 0.3 * smooth(rng, 12) + bump if paired else smooth(rng, 12) + bump
    (found,) = compare_curves([Sample(a, b, numbers(12, 12, paired))], paired, 1000)
    beyond = np.abs(found.t) > found.critical
    assert found.p < 0.01 and abs(X[np.argmax(np.abs(found.t))] - 4) < 0.5
    assert (bump[beyond] > 0.2).all()
    # the band holds the whole course of the true difference
    apart = b.mean(axis=0) - a.mean(axis=0)
    assert (np.abs(apart - bump) <= found.critical * found.standard_error).all()


def test_t_is_students_and_what_is_unknown_of_one_is_unknown() -> None:
    rng = np.random.default_rng(2)
    a, b = smooth(rng, 7), smooth(rng, 7)
    a[3, 10], a[:, 20], b[:, 20] = np.nan, 1.0, 1.0  # not known of one subject; nothing varies
    for paired in (False, True):
        (found,) = compare_curves([Sample(a, b, numbers(7, 7, paired))], paired, 100)
        assert np.flatnonzero(np.isnan(found.t)).tolist() == [10, 20]
        known = np.isfinite(found.t)
        of_a, of_b = a[:, known], b[:, known]
        expected = ttest_1samp(of_b - of_a, 0) if paired else ttest_ind(of_b, of_a)
        np.testing.assert_allclose(found.t[known], expected.statistic, rtol=1e-9)


def test_the_same_seed_gives_the_same_answer_and_no_p_is_zero() -> None:
    rng = np.random.default_rng(3)
    sample = Sample(smooth(rng, 8), smooth(rng, 8) + 50, numbers(8, 8, False))
    first, second = (compare_curves([sample], False, 300)[0] for _ in range(2))
    assert first.p == second.p and first.critical == second.critical
    assert first.p >= 1 / 300
