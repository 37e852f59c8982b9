"""Numbers as text, against C's own ``%.10g``: the same bytes for every number that a double can hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gaitid.trial import Array
from gaitid.write.table import rows_text


def expected(values: Array) -> str:
    rows = [",".join("%.10g" % (v + 0.0) if math.isfinite(v) else "" for v in row) for row in values.tolist()]
    return "".join(row + "\n" for row in rows)


@given(st.floats())
@example(0.0)
@example(-0.0)
@example(9.99999999995)
@example(9.99999999994999)
@example(999999999.95)
@example(9999999999.5)
@example(0.000099999999995)
@example(0.0001)
@example(-0.0001234567891)
@example(9999.9999999)
@example(10000.0)
@example(-9.9999999995e-17)
@example(1e-99)
@example(1e-100)
@example(100.0)
@example(5e-324)
@example(-1.7976931348623157e308)
def test_any_number(value: float) -> None:
    assert rows_text(np.array([[value]])) == expected(np.array([[value]]))


RNG = np.random.default_rng(0)
SHAPE = (400, 50)
SIGN = RNG.choice([-1, 1], SHAPE)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(RNG.normal(size=SHAPE) * 10.0 ** RNG.integers(-12, 14, SHAPE), id="any size"),
        pytest.param(RNG.integers(-(10**6), 10**6, SHAPE) / 2.0 ** RNG.integers(0, 30, SHAPE), id="exact ties"),
        pytest.param(SIGN * 10.0 ** RNG.integers(-6, 12, SHAPE) * (1 + RNG.integers(-3, 4, SHAPE) / 2**52), id="tens"),
        pytest.param(SIGN * RNG.integers(10**9, 10**10, SHAPE) * 10.0 ** RNG.integers(-120, -12, SHAPE), id="small"),
    ],
)
def test_hard_cases(values: Array) -> None:
    assert rows_text(values) == expected(values)
