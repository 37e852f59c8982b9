"""Savitzky–Golay against scipy, polynomials, sines and the paper's own table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import savgol_filter

from gaitid.numerics.lowpass import savitzky_golay, savitzky_golay_cutoff, savitzky_golay_window

RATE = 100.0


@settings(max_examples=40, deadline=None)
@given(
    half=st.integers(1, 15),
    degree=st.integers(0, 6),
    derivative=st.integers(0, 2),
    extra=st.integers(0, 60),
    seed=st.integers(0, 2**32 - 1),
)
def test_it_is_scipys_with_interpolated_ends(half: int, degree: int, derivative: int, extra: int, seed: int) -> None:
    window = 2 * half + 1
    degree = min(degree, window - 1)
    derivative = min(derivative, degree)
    values = np.random.default_rng(seed).normal(size=(window + extra, 3))
    theirs = savgol_filter(values, window, degree, deriv=derivative, delta=1 / RATE, axis=0, mode="interp")
    ours = savitzky_golay(values, window, degree, derivative=derivative, rate_hz=RATE)
    # Values of order one times the rate: 1e-12 of that; scipy's powers of whole frames cost it digits at high degrees
    # (15⁶ against 1: 1e-16 · 1e7).
    tolerance = 1e-12 if degree <= 3 else 1e-8
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * RATE**derivative)


@pytest.mark.parametrize(("window", "degree"), [(5, 2), (15, 3), (31, 3), (31, 5), (101, 2)])
def test_a_sine_at_the_cutoff_loses_3_db(window: int, degree: int) -> None:
    cutoff = savitzky_golay_cutoff(window, degree, RATE)
    sine = np.sin(2 * np.pi * cutoff * np.arange(600) / RATE)
    found = savitzky_golay(sine, window, degree)[window:-window]
    np.testing.assert_allclose(found, sine[window:-window] / np.sqrt(2), rtol=0, atol=1e-12)  # bisected to rounding


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
@pytest.mark.parametrize("cutoff_hz", [2.0, 6.0, 12.0, 20.0])
def test_the_window_is_the_nearest(degree: int, cutoff_hz: float) -> None:
    window, real = savitzky_golay_window(cutoff_hz, RATE, degree)
    assert real == savitzky_golay_cutoff(window, degree, RATE)
    for other in (window - 2, window + 2):
        if other > degree + 1:  # one frame more than the degree is no filter
            assert abs(savitzky_golay_cutoff(other, degree, RATE) - cutoff_hz) >= abs(real - cutoff_hz)


@pytest.mark.parametrize(("window", "degree", "derivative"), [(10, 2, 0), (5, 5, 0), (5, 2, 3), (-5, 2, 0)])
def test_nonsense_is_refused(window: int, degree: int, derivative: int) -> None:
    with pytest.raises(ValueError, match="Savitzky–Golay|no derivative"):
        savitzky_golay(np.ones(50), window, degree, derivative=derivative)
    with pytest.raises(ValueError, match="not between"):
        savitzky_golay_window(60.0, RATE, 3)
