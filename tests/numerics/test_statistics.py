"""Medians and quantiles against numpy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaitid.numerics.masks import _MANY, median, median_of_known, quantile, quantile_of_known


@given(seed=st.integers(0, 10_000), n=st.integers(1, 9), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_the_median_of_what_is_known_is_that_of_numpy(seed: int, n: int, share: float) -> None:
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(n, 4, 3))
    values[draw.uniform(size=values.shape) < share] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns in which nothing is known
        expected = np.nanmedian(values, axis=0)
    assert median_of_known(values) == pytest.approx(expected, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("n", [1, 2, 5, _MANY, _MANY + 1, _MANY + 2])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 0.99, 1.0])
def test_quantiles_are_those_of_all_values_sorted_however_many(n: int, share: float) -> None:
    values = np.random.default_rng(n).normal(size=(n, 3))
    ordered, at = np.sort(values, axis=0), share * (n - 1)
    low, high = ordered[int(at)], ordered[min(int(at) + 1, n - 1)]
    assert (quantile(values, share) == low + (at - int(at)) * (high - low)).all()
    assert (quantile_of_known(values, share) == ordered[int(np.rint(at))]).all()
    assert median(values) == pytest.approx(np.median(values, axis=0), abs=1e-15)
    seldom = np.concatenate([values, np.full((4, 3), np.nan)])  # what is unknown counts for nothing
    assert (quantile_of_known(seldom, share) == quantile_of_known(values, share)).all()
