"""CSV text: ten digits, empty for unknown, no negative zero, cells quoted where they must be."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rotations import from_vector

from gaitid.numerics.rotation import apply_transposed
from gaitid.trial import Trial
from gaitid.write.table import Columns, csv_text


@given(st.lists(st.floats(-1e9, 1e9) | st.just(float("nan")), min_size=1, max_size=8))
def test_what_is_read_back_agrees_to_ten_digits(values: list[float]) -> None:
    names = ["frame", *(f"v{i}" for i in range(len(values)))]
    header, row = csv.reader(io.StringIO(csv_text(names, np.array([[1.0, *values]]))))
    assert header == names
    for value, text in zip(values, row[1:], strict=True):
        assert text == "" if np.isnan(value) else float(text) == pytest.approx(value, rel=1e-9, abs=1e-300)


def test_a_long_table_made_some_frames_at_a_time_is_the_same_as_at_once() -> None:
    """Put together as a whole, and components along axes computed for all frames together."""
    n, rng = 10_000, np.random.default_rng(1)
    vectors, axes = rng.normal(size=(n, 3)), from_vector(rng.normal(size=(n, 3)))
    vectors[5000:5010] = np.nan
    table = Columns(Trial(Path("walk.c3d"), 100.0, 7, (), np.empty((n, 0, 3))))
    table.add(["x_N", "y_N", "z_N"], vectors, axes)
    table.add(["a_deg"], vectors[:, 0])
    counted = np.column_stack([7 + np.arange(n), np.arange(n) / 100.0])
    whole = np.column_stack([counted, apply_transposed(axes, vectors), vectors[:, 0]])
    names, values = table
    np.testing.assert_array_equal(values, whole)
    blocks = list(table.blocks())
    assert "".join(blocks) == csv_text(names, whole)
    assert max(map(len, blocks)) < 0.3 * sum(map(len, blocks))
