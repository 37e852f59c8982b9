"""Derivatives, low-pass and sampling against scipy, closed forms and their own definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_interp_spline
from scipy.signal import sosfiltfilt

from gaitid.numerics.lowpass import butterworth_coefficients, lowpass, pad_length
from gaitid.numerics.masks import spans
from gaitid.numerics.sampling import sample_centred_mean, sample_local_quadratic
from gaitid.numerics.spline import SPLINE_MIN, spline_derivatives

seeds = st.integers(0, 2**32 - 1)
NATURAL = ([(3, 0.0), (4, 0.0)], [(3, 0.0), (4, 0.0)])


def natural_quintic(t: np.ndarray, values: np.ndarray, order: int) -> np.ndarray:
    bc = tuple([(d, np.zeros(values.shape[1:])) for d, _ in end] for end in NATURAL)
    return make_interp_spline(t, values, k=5, bc_type=bc)(t, order)


# --- derivatives -------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(n=st.integers(6, 200), rate=st.sampled_from([50.0, 100.0, 119.88, 1000.0]), seed=seeds)
def test_derivatives_are_those_of_the_natural_quintic_spline(n: int, rate: float, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(n, 4))  # white noise: the hardest signal
    first, second = spline_derivatives(values, rate)
    # On samples one unit apart, so that only rounding separates the two: 1e-9 of values of order 1.
    t = np.arange(n, dtype=float)
    np.testing.assert_allclose(first / rate, natural_quintic(t, values, 1), atol=1e-9)
    np.testing.assert_allclose(second / rate**2, natural_quintic(t, values, 2), atol=1e-9)


def test_the_error_falls_with_the_fourth_power_of_the_step() -> None:
    errors = []
    for rate in (50.0, 100.0, 200.0):
        t = np.arange(round(4 * rate) + 1) / rate
        _, second = spline_derivatives(np.sin(2 * np.pi * t)[:, None], rate)
        inner = (t > 1) & (t < 3)  # s: beyond the reach of the end conditions
        errors.append(np.abs(second[inner, 0] + (2 * np.pi) ** 2 * np.sin(2 * np.pi * t[inner])).max())
    # h⁴: 16 a halving; the next term of the series changes that by less than a tenth
    assert 14.5 < errors[0] / errors[1] < 17.5
    assert 14.5 < errors[1] / errors[2] < 17.5


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_gaps_stay_gaps_and_do_not_leak(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(120, 2, 3))
    gaps = np.zeros(120, dtype=bool)
    for start in rng.integers(0, 120, 3):
        gaps[start : start + rng.integers(1, 12)] = True
    values[gaps, 0] = np.nan  # the first marker; the second is whole
    first, second = spline_derivatives(values, 100.0)
    whole_first, whole_second = spline_derivatives(values[:, 1], 100.0)
    np.testing.assert_allclose(first[:, 1], whole_first, atol=1e-10)  # per s, of some hundreds
    np.testing.assert_allclose(second[:, 1], whole_second, atol=1e-8)  # per s², of some 1e5
    for start, stop in spans(~gaps):
        if stop - start < SPLINE_MIN:
            assert np.isnan(first[start:stop, 0]).all()
            assert np.isnan(second[start:stop, 0]).all()
            continue
        alone_first, alone_second = spline_derivatives(values[start:stop, 0], 100.0)
        np.testing.assert_allclose(first[start:stop, 0], alone_first, atol=1e-10)
        np.testing.assert_allclose(second[start:stop, 0], alone_second, atol=1e-8)
    assert np.isnan(first[gaps, 0]).all()
    assert np.isnan(second[gaps, 0]).all()


# --- low-pass ----------------------------------------------------------------------------------------------


def sos(cutoff_hz: float, rate_hz: float) -> np.ndarray:
    b, a = butterworth_coefficients(cutoff_hz, rate_hz)
    return np.concatenate([b, a])[None]


@pytest.mark.parametrize(
    ("cutoff", "rate", "n"),
    [
        (6.0, 100.0, 18),
        (6.0, 100.0, 64),
        (6.0, 100.0, 501),
        (10.0, 119.88, 333),
        (40.0, 100.0, 65),
        (20.0, 1000.0, 4000),
    ],
)
def test_lowpass_is_sosfiltfilt(cutoff: float, rate: float, n: int) -> None:
    # Values of order 1, as metres are: 1e-11 is what DESIGN.md asks of the vectorised filter.
    values = np.random.default_rng(n).normal(size=(n, 5)).cumsum(axis=0) * 0.1 + 1.0
    expected = sosfiltfilt(sos(cutoff, rate), values, axis=0, padtype="odd", padlen=pad_length(cutoff, rate))
    np.testing.assert_allclose(lowpass(values, cutoff, rate), expected, atol=1e-11 * max(1, np.abs(values).max()))


@pytest.mark.parametrize(("cutoff", "rate"), [(6.0, 100.0), (10.0, 250.0), (20.0, 1000.0), (45.0, 100.0)])
def test_both_passes_together_have_minus_3_db_at_the_cutoff(cutoff: float, rate: float) -> None:
    b, a = butterworth_coefficients(cutoff, rate)
    z = np.exp(-2j * np.pi * cutoff / rate)
    gain = abs(np.polyval(b[::-1], z) / np.polyval(a[::-1], z)) ** 2  # forward and backward
    np.testing.assert_allclose(gain, np.sqrt(0.5), rtol=1e-12)  # 3.01 dB by design, to rounding
    np.testing.assert_allclose(b.sum() / a.sum(), 1.0, rtol=1e-12)  # nothing lost at 0 Hz


def test_each_span_of_each_column_is_filtered_by_itself() -> None:
    values = np.random.default_rng(5).normal(size=(200, 3))
    values[80:90, 1] = np.nan
    values[:150, 2] = np.nan
    filtered = lowpass(values, 6.0, 100.0)
    for column, start, stop in ((0, 0, 200), (1, 0, 80), (1, 90, 200), (2, 150, 200)):
        alone = lowpass(values[start:stop, column : column + 1], 6.0, 100.0)[:, 0]
        np.testing.assert_allclose(filtered[start:stop, column], alone, atol=1e-13)
    np.testing.assert_array_equal(np.isnan(filtered), np.isnan(values))


@pytest.mark.parametrize("cutoff", [0.0, -1.0, 50.0, 80.0, np.nan])
def test_an_impossible_cutoff_is_refused(cutoff: float) -> None:
    with pytest.raises(ValueError, match="cut-off"):
        lowpass(np.ones((100, 1)), cutoff, 100.0)


# --- sampling ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "camera", "half"), [(1000.0, 100.0, 5), (1080.0, 120.0, 4), (1200.0, 120.0, 5)])
def test_centred_mean_takes_the_samples_within_half_a_frame(rate: float, camera: float, half: int) -> None:
    ratio, n = round(rate / camera), 30
    values = np.random.default_rng(ratio).normal(size=(n * ratio, 2))
    found = sample_centred_mean(values, rate, camera, n)
    for frame in range(n):
        centre = frame * ratio
        part = values[max(centre - half, 0) : centre + half + 1]  # 11 samples at 1000/100, 9 at 1080/120
        np.testing.assert_allclose(found[frame], part.mean(axis=0), atol=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    ratio=st.one_of(st.sampled_from([2.0, 2.4, 2.5, 9.0, 10.0, 10.01]), st.floats(2.0, 25.0)),
    coefficients=st.tuples(*[st.floats(-100, 100)] * 3),
)
def test_local_quadratic_is_exact_on_quadratics_at_any_ratio(
    ratio: float, coefficients: tuple[float, float, float]
) -> None:
    camera, n = 100.0, 20
    rate = ratio * camera
    c0, c1, c2 = coefficients

    def curve(t: np.ndarray) -> np.ndarray:
        return c0 + c1 * t + c2 * t**2

    samples = np.arange(int(np.ceil(n * ratio)) + 1) / rate
    found = sample_local_quadratic(curve(samples)[:, None], rate, camera, n)[:, 0]
    # N: values up to 100; a 3 × 3 normal matrix of powers of |u| ≤ 1, one-sided at the first frame with a
    # condition number up to some thousands
    np.testing.assert_allclose(found, curve(np.arange(n) / camera), atol=1e-9)


def test_local_quadratic_keeps_a_peak_that_a_mean_rounds_off() -> None:
    t = np.arange(2000) / 1000
    peak = np.cos(2 * np.pi * 8.0 * (t - 1.0))[:, None]  # 8 Hz, as sharp as a heel strike transient
    quadratic = sample_local_quadratic(peak, 1000.0, 100.0, 200)[100, 0]
    mean = sample_centred_mean(peak, 1000.0, 100.0, 200)[100, 0]
    # The mean over ±5 ms loses (2π 8)² · (0.0055² / 6 …) ≈ 1.3 %; the quadratic loses 3/35 (ω T)⁴/24 ≈ 0.02 %.
    assert 1 - mean > 0.01
    assert abs(1 - quadratic) < 5e-4


# --- spans -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [sample_local_quadratic, sample_centred_mean])
@pytest.mark.parametrize("start_s", [0.0123, -0.25, 0.4])
def test_samples_that_begin_at_their_own_time_are_read_at_the_cameras_instants(sample, start_s: float) -> None:  # type: ignore[no-untyped-def]
    rate, camera, n = 937.0, 120.0, 120
    times = start_s + np.arange(1500) / rate
    found = sample((3.0 + 2.0 * times)[:, None], rate, camera, n, start_s)[:, 0]
    wanted = 3.0 + 2.0 * np.arange(n) / camera
    inside = np.isfinite(found)
    # a frame before the first sample by more than the reach of the window is not known
    assert not inside[np.arange(n) / camera < start_s - 2 / camera].any()
    assert inside[np.arange(n) / camera > start_s + 1 / camera].all()
    deep = np.arange(n) / camera > start_s + 2 / camera
    # a straight line is met exactly by the parabola; the mean of samples off the instant by up to half a sample is not
    tolerance = 1e-9 if sample is sample_local_quadratic else 2.0 * 0.5 / rate + 1e-9
    np.testing.assert_allclose(found[deep], wanted[deep], atol=tolerance)


def test_a_long_span_is_differentiated_some_rows_at_a_time_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).normal(size=(20_000, 2))
    values[100:103] = np.nan
    some_at_a_time = spline_derivatives(values, 100.0)
    monkeypatch.setattr("gaitid.numerics.masks._NUMBERS", values.size * 16)
    np.testing.assert_array_equal(some_at_a_time, spline_derivatives(values, 100.0))


def test_a_long_span_is_filtered_some_blocks_at_a_time_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).normal(size=(3_000, 12))
    values[100:103, 2] = np.nan
    some_at_a_time = lowpass(values, 7.0, 100.0)
    monkeypatch.setattr("gaitid.numerics.lowpass._TOGETHER", 5)
    np.testing.assert_array_equal(some_at_a_time, lowpass(values, 7.0, 100.0))
