"""Medians and quantiles against numpy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaitid.numerics.statistics import median_of_known


@given(seed=st.integers(0, 10_000), n=st.integers(1, 9), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_the_median_of_what_is_known_is_that_of_numpy(seed: int, n: int, share: float) -> None:
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(n, 4, 3))
    values[draw.uniform(size=values.shape) < share] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns in which nothing is known
        expected = np.nanmedian(values, axis=0)
    assert median_of_known(values) == pytest.approx(expected, abs=1e-15, nan_ok=True)
