"""Courses over time: their derivatives are those of their values, and pulses begin and end without a kink."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gaitid.simulate.chain import Course, Pulse, Sine

number = st.floats(-3.0, 3.0)
sines = st.builds(Sine, number, st.floats(0.1, 6.0), number)
pulses = st.builds(
    lambda height, start, length: Pulse(height, start, start + length), number, number, st.floats(0.3, 2)
)
courses = st.builds(
    Course, number, number, st.lists(sines, max_size=3).map(tuple), st.lists(pulses, max_size=2).map(tuple)
)


@given(courses, st.lists(st.floats(-4.0, 4.0), min_size=1, max_size=5))
def test_derivatives_are_those_of_the_value(course: Course, times: list[float]) -> None:
    h, t = 1e-5, np.array(times)
    value, rate, acceleration = course.at(t)
    before, after = course.at(t - h), course.at(t + h)
    # Error of a central difference: h²/6 = 2e-11 s² of the third derivative, up to 3·3·38³ = 5e5 per s³; at the ends
    # of a pulse the third derivative jumps by 3·6·(4/0.3)³ = 4e4, which costs h/2 of it. Rounding: 1e-11.
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), rate, atol=1e-4)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), acceleration, atol=0.5)
    for at_one, at_many in zip(course.at(float(t[0])), (value, rate, acceleration), strict=True):
        np.testing.assert_array_equal(at_one, at_many[0])
