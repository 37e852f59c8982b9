"""CSV text: ten digits, empty for unknown, no negative zero, cells quoted where they must be."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaitid.write.table import csv_text, quoted


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
    for value, cell in zip(values, row[1:], strict=True):
        assert cell == "" if np.isnan(value) else float(cell) == pytest.approx(value, rel=1e-9, abs=1e-300)


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from(',"\n\r')))
def test_quoted_text_is_one_cell(text: str) -> None:
    (row,) = csv.reader(io.StringIO(f"a,{quoted(text)},b\n", newline=""))
    assert row == ["a", text.replace("\n", " ").replace("\r", " "), "b"]
