"""Text of CSV files: what is no file and what is no number."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from gaitid.errors import ReadError
from gaitid.read.tables.text_table import Dialect, numbers_of, read_lines


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", tmp_path):
        with pytest.raises(ReadError, match="not a file; expected a CSV file; found a folder or a device"):
            read_lines(path)


@pytest.mark.parametrize("cell", ["\u0661\u0662", "\uff11", "1_0", "1\u00b2"])
def test_digits_of_other_scripts_are_no_numbers(cell: str) -> None:
    with pytest.raises(ReadError, match="row 3, column 'x': not a number"):
        numbers_of([f"{cell},2"], 3, ["x", "y"], Dialect())


def test_a_space_of_another_script_is_a_space() -> None:
    np.testing.assert_array_equal(numbers_of(["\u00a01.5,2"], 3, ["x", "y"], Dialect()), [[1.5, 2.0]])
