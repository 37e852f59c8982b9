"""The formula language: what it computes, and that it is no Python."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaitid.errors import ModelError
from gaitid.model.expression import MAX_LENGTH, parse_expression


def evaluate(text: object, **names: object) -> object:
    def number(name: str) -> object:
        return names[name.replace(".", "_")]

    def distance(a: str, b: str) -> np.ndarray:
        return np.array([1.0, 2.0, np.nan, 6.0]) * (2.0 if "left" in a + b else 1.0)

    return parse_expression(text, "here").evaluate(number, distance)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (3, 3.0),
        (-2.5, -2.5),
        ("1.5e-3", 0.0015),
        ("2 + 3 * 4", 14.0),
        ("(2 + 3) * 4", 20.0),
        ("-2 ** 2", -4.0),
        ("2 ** -1", 0.5),
        ("+a - -b", 5.0),
        ("a / b", 2 / 3),
        ("left.leg_length / 2", 0.45),
        ("radians(180) - pi", 0.0),
        ("degrees(pi / 2)", 90.0),
        ("sin(pi / 6) + cos(pi / 3) + tan(pi / 4)", 2.0),
        ("asin(1) + acos(1) + atan2(1, -1)", 1.25 * math.pi),
        ("sqrt(16) + abs(-2) + min(1, 2) + max(1, 2)", 9.0),
        ("mean(distance(heel, toe))", 3.0),
        ("mean(distance(left.heel, toe)) - a", 4.0),
        ("first(a, b)", 2.0),
        ("first(sqrt(-a), unknown, b, a)", 3.0),
        ("first(mean(distance(heel, toe)), a)", 3.0),
        ("round(a * 1.26 * 10) / 10", 2.5),
        ("steady(distance(heel, toe), 3)", 3.0),
        ("first(steady(distance(heel, toe), 2.9), -1)", -1.0),
        ("agreed(a, b, 1)", 2.0),
        ("first(agreed(a, b, 0.9), -1)", -1.0),
        ("agreed(a, sqrt(-a), 0.1) + agreed(sqrt(-a), b, 0.1)", 5.0),
    ],
)
def test_values(text: object, value: float) -> None:
    found = evaluate(text, a=2.0, b=3.0, left_leg_length=0.9)
    assert abs(float(found) - value) < 1e-14  # some operations on numbers of order 1


def test_formulas_work_frame_by_frame() -> None:
    length = np.array([0.4, 0.5])
    np.testing.assert_allclose(evaluate("-0.433 * length", length=length), -0.433 * length, atol=1e-16)
    np.testing.assert_array_equal(evaluate("distance(a, b) * 2"), [2.0, 4.0, np.nan, 12.0])


@settings(max_examples=100, deadline=None)
@given(a=st.floats(-1e3, 1e3), b=st.floats(-1e3, 1e3), c=st.floats(0.1, 1e3))
def test_arithmetic_is_that_of_python(a: float, b: float, c: float) -> None:
    assert evaluate("(a - 2 * b) / c + a ** 2", a=a, b=b, c=c) == pytest.approx((a - 2 * b) / c + a**2)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "__import__('os')",
        "open('/etc/passwd')",
        "exec('1')",
        "getattr(a, b)",
        "a.b.c",
        "a.__class__.__bases__",
        "().__class__",
        "(1).real",
        "lambda: 1",
        "(lambda: 1)()",
        "[x for x in a]",
        "[1, 2]",
        "{'a': 1}",
        "a[0]",
        "'text'",
        "f'{a}'",
        "b'1'",
        "1j",
        "True",
        "None",
        "...",
        "a if b else c",
        "a < b",
        "a and b",
        "not a",
        "~a",
        "a @ b",
        "a // b",
        "a % b",
        "a << 9",
        "a | b",
        "a := 1",
        "*a",
        "yield",
        "await a",
        "sin(x=1)",
        "sin(*a)",
        "a = 1",
        "a; b",
        "import os",
        "distance(a)",
        "distance(a, b, c)",
        "distance(a, 1)",
        "distance('a', 'b')",
        "distance(a.b.c, d)",
        "sin(distance)(1)",
        "a.sin(1)",
        "exp(1)",
        "",
        " ",
        "1 +",
        ")(",
        "\x00",
        "1" + "0" * MAX_LENGTH,
        "(" * 150 + "1" + ")" * 300,
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(ModelError, match=r"^chain\[0\]\.length: "):
        parse_expression(text, "chain[0].length")


def test_deep_and_long_formulas_are_refused_or_computed_but_never_crash() -> None:
    for text in ("-" * (MAX_LENGTH - 1) + "1", "(" * 90 + "1" + ")" * 90, "+".join(["1"] * 250)):
        assert abs(float(evaluate(text))) in (1.0, 250.0)
    with pytest.raises(ModelError, match="formula too long"):
        parse_expression("+".join(["1"] * 300), "here")


# --- found wanting -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1 / 0", "a / 0", "0 / 0", "a / (2 - 2)", "1 / (a - 2)", "1 / (c - c)"])
def test_a_formula_that_divides_by_nothing_is_named(text: str) -> None:
    """Else the markers would be blamed for what it leaves unknown."""
    with pytest.raises(ModelError, match=re.escape(f"the formula {text!r} divides by 0; correct the formula")):
        evaluate(text, a=2.0, c=np.array([1.0, 2.0]))
