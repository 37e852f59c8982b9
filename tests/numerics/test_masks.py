"""Rows of a few columns looked at column by column are what numpy says of them."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.numerics.masks import all_columns, known_rows, largest_column

VALUES = np.random.default_rng(3).normal(size=(40, 5, 3))
VALUES[4, 2, 1], VALUES[7, 0, 2], VALUES[9] = np.nan, np.inf, 0.0


@pytest.mark.parametrize("values", [VALUES, VALUES[:, 0], VALUES[:, :, :1], VALUES[:0], VALUES[20:]])
def test_column_by_column_as_numpy(values: np.ndarray) -> None:
    before = values.copy()
    np.testing.assert_array_equal(all_columns(values == 0), (values == 0).all(axis=-1))
    np.testing.assert_array_equal(largest_column(values), values.max(axis=-1))
    np.testing.assert_array_equal(known_rows(values), np.isfinite(values).all(axis=tuple(range(1, values.ndim))))
    np.testing.assert_array_equal(values, before)
