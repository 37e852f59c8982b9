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
from gaitid.write.table import Columns, cell, csv_text, quoted


def test_header_rows_and_empty_cells() -> None:
    text = csv_text(["frame", "a_N", "b_m"], np.array([[7, 1.5, np.nan], [8, np.nan, -0.0]]))
    assert text == "frame,a_N,b_m\n7,1.5,\n8,,0\n"


def test_a_frame_is_a_whole_number_and_a_value_has_ten_digits() -> None:
    text = csv_text(["frame", "a"], np.array([[123456, 1 / 3], [123457, 1e-12], [123458, 123456789.123456]]))
    assert text.splitlines()[1:] == ["123456,0.3333333333", "123457,1e-12", "123458,123456789.1"]


def test_what_is_not_finite_is_empty() -> None:
    assert csv_text(["frame", "inf", "b"], np.array([[1, np.inf, -np.inf]])) == "frame,inf,b\n1,,\n"


def test_no_rows() -> None:
    assert csv_text(["frame", "a"], np.empty((0, 2))) == "frame,a\n"


def test_a_table_that_does_not_fit_its_header() -> None:
    with pytest.raises(ValueError, match="3 columns of values for 2 names"):
        csv_text(["frame", "a"], np.zeros((1, 3)))


def test_names_that_hold_nan_survive() -> None:
    assert csv_text(["frame", "nanometres"], np.array([[1, np.nan]])).startswith("frame,nanometres\n1,\n")


@given(st.lists(st.floats(-1e9, 1e9) | st.just(float("nan")), min_size=1, max_size=8))
def test_what_is_read_back_agrees_to_ten_digits(values: list[float]) -> None:
    names = ["frame", *(f"v{i}" for i in range(len(values)))]
    header, row = csv.reader(io.StringIO(csv_text(names, np.array([[1.0, *values]]))))
    assert header == names
    for value, text in zip(values, row[1:], strict=True):
        assert text == "" if np.isnan(value) else float(text) == pytest.approx(value, rel=1e-9, abs=1e-300)


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from(',"\n\r')))
def test_quoted_text_is_one_cell(text: str) -> None:
    (row,) = csv.reader(io.StringIO(f"a,{quoted(text)},b\n", newline=""))
    assert row == ["a", text.replace("\n", " ").replace("\r", " "), "b"]


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


def test_single_cells_are_as_those_of_whole_tables() -> None:
    values = [1 / 3, -0.0, float("nan"), float("inf"), -12345.678901234]
    assert [cell(v) for v in values] == csv_text(["x"], np.array(values)[:, None]).split("\n")[1:-1]
    assert cell(12) == "12"
    assert cell("a,b") == '"a,b"'
