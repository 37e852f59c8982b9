"""The smoothing spline against Woltring's GCVSPL, scipy, exact arithmetic and its own definition."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline
from simulated_trials import simulated_walk
from slow import slow_but

from gaitid.numerics.gcv_spline import smoothing_for_cutoff, smoothing_spline, spline_cutoff
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.spline import spline_derivatives

RATE = 100.0


def wave(n: int, seed: int = 0, noise: float = 0.1, columns: int = 1) -> np.ndarray:
    """A slow wave with white noise, (n, columns)."""
    t = np.arange(n)[:, None] / RATE
    rng = np.random.default_rng(seed)
    phase = rng.uniform(0, 6, columns)
    return np.sin(9 * t + phase) + 0.3 * np.sin(23 * t - phase) + noise * rng.normal(size=(n, columns))


# --- against others ----------------------------------------------------------------------------------------------

# What GCVSPL itself gave (Woltring's Fortran of 1986-05-12 as in the package gcvspline 0.5, compiled as it is) for the
# 60 samples of `gcvspl_samples` at 100 Hz. By half-order and mode: the mode's value; then GCV, mean squared residual,
# degrees of freedom of the residual and p; then the spline in frames 0, 1, 5, 30 and 59 and, quintic, its first and
# second derivative there.
FRAMES = [0, 1, 5, 30, 59]
GCVSPL = {
    (2, "p"): (
        1e-4,
        (0.026098024519417829, 0.01982959329144092, 52.300318829878272, 1e-4),
        [0.3944878380737341, 0.4445683764423946, 0.6345208772705435, -0.9348213244499383, 0.080897968332703],
    ),
    (2, "gcv"): (
        None,
        (0.00079016206215212358, 0.00014982381428852587, 26.126641613650868, 1.5710367005002187e-07),
        [0.3349921137604652, 0.4461639184975806, 0.6013199162913107, -0.9997927710271356, -0.11762960411843329],
    ),
    (2, "variance"): (
        0.01 / 12,
        (0.00088450169042459173, 0.00031453444891314802, 35.779644870196002, 6.7400645120206186e-07),
        [0.3449899332358333, 0.4414752848496005, 0.6102519415024157, -0.9909239349985546, -0.13287031027606666],
    ),
    (3, "p"): (
        1e-9,
        (0.0013273981771543489, 0.00074422882311367953, 44.926634336862939, 1e-9),
        [0.34761085469945424, 0.44178297656758425, 0.6125239987749194, -0.9742393560794356, -0.16219351877533095],
    ),
    (3, "gcv"): (
        None,
        (0.00075203902382481281, 0.0002490668400051962, 34.529398835369953, 3.2287836337201227e-11),
        [0.3315143037178029, 0.45065642802736444, 0.6092564027198257, -0.9962820706954998, -0.11471063548073598],
    ),
    (3, "variance"): (
        0.01 / 12,
        (0.00079052558248694698, 0.0003115453888711525, 37.666385751400732, 7.5430161081850944e-11),
        [0.33436635653657726, 0.4478159366376044, 0.6127410767787952, -0.9901157471205893, -0.12041599946872515],
    ),
}
# of (3, "p")
FIRST = [10.624625754605063, 8.214330173131867, 1.6621831230158497, 10.998729256107552, -20.32755808013006]
SECOND = [-241.7848171658095, -238.76378109184986, -49.51949443648034, 233.00728200416873, 155.19633854748548]


def gcvspl_samples() -> np.ndarray:
    """Two sines and a noise made of whole numbers, which is the same everywhere."""
    i = np.arange(60)
    noise = ((i * 7919 + 104729) % 1009) / 1009 - 0.5
    return np.sin(2 * np.pi * i / 40) + 0.3 * np.cos(2 * np.pi * i / 17) + 0.1 * noise


@pytest.mark.parametrize(("half_order", "mode"), GCVSPL)
def test_at_equal_smoothing_it_is_gcvspl(half_order: int, mode: str) -> None:
    _, (gcv, mean_square, degrees, p), values = GCVSPL[half_order, mode]
    found = smoothing_spline(gcvspl_samples(), RATE, half_order=half_order, smoothing=p)
    # Both are accurate to rounding here: values of order one, 1e-12; figures relative to themselves.
    np.testing.assert_allclose(found.values[FRAMES], values, rtol=0, atol=1e-12)
    np.testing.assert_allclose([found.gcv, found.mean_square, 60 - found.dof], [gcv, mean_square, degrees], rtol=1e-11)


@pytest.mark.parametrize(("half_order", "mode"), [key for key in GCVSPL if key[1] != "p"])
def test_the_smoothing_found_is_gcvspls(half_order: int, mode: str) -> None:
    value, (gcv, mean_square, degrees, p), _ = GCVSPL[half_order, mode]
    found = smoothing_spline(gcvspl_samples(), RATE, half_order=half_order, mse=value)
    assert found.smoothing == pytest.approx(p, rel=1e-3)  # the score is flat there: λ is no better known

    def score(gcv: float, mean_square: float, degrees: float) -> float:
        return gcv if value is None else mean_square - 2 * value * degrees / 60 + value

    ours = score(float(found.gcv), float(found.mean_square), float(60 - found.dof))
    assert ours <= score(gcv, mean_square, degrees) * (
        1 + 1e-8
    )  # no worse, to how finely GCVSPL itself searches (1e-6)


def test_derivatives_of_the_quintic_are_gcvspls() -> None:
    # The quintic through smoothed samples is the smoothing spline itself, so `spline_derivatives` is its derivative.
    found = smoothing_spline(gcvspl_samples(), RATE, smoothing=1e-9)
    first, second = spline_derivatives(found.values[:, None], RATE)
    np.testing.assert_allclose(first[FRAMES, 0], FIRST, rtol=1e-10)  # rounding of values 1e-16, times rate 1e2
    np.testing.assert_allclose(second[FRAMES, 0], SECOND, rtol=1e-9)  # and rate² 1e4


@pytest.mark.parametrize("cutoff_hz", [0.5, 2.0, 6.0, 20.0, 45.0])
def test_the_cubic_is_scipys(cutoff_hz: float) -> None:
    y = wave(400, columns=2)
    smoothing = smoothing_for_cutoff(cutoff_hz, RATE, half_order=2)
    theirs = make_smoothing_spline(np.arange(400) / RATE, y, lam=smoothing)(np.arange(400) / RATE)
    found = smoothing_spline(y, RATE, half_order=2, smoothing=smoothing)
    np.testing.assert_allclose(found.values, theirs, rtol=0, atol=1e-9)  # scipy's own rounding at 0.5 Hz is 1e-10


# --- against its definition --------------------------------------------------------------------------------------


def exact_spline(y: np.ndarray, smoothing: int, m: int) -> np.ndarray:
    """y − λ Q (R + λ QᵀQ)⁻¹ Qᵀ y in whole fractions, so without rounding."""
    size = len(y) - m
    differences = [
        [Fraction((-1) ** (m - k) * comb(m, k)) if 0 <= k <= m else Fraction(0) for k in range(-row, len(y) - row)]
        for row in range(size)
    ]
    gram = {2: [4, 1, 0], 3: [66, 26, 1]}[m]
    scale = {2: 6, 3: 120}[m]
    samples = [Fraction(float(v)) for v in y]
    rows = [
        [Fraction(gram[abs(i - j)], scale) if abs(i - j) < m else Fraction(0) for j in range(size)] for i in range(size)
    ]
    for i in range(size):
        for j in range(max(0, i - m), min(size, i + m + 1)):
            rows[i][j] += smoothing * sum(a * b for a, b in zip(differences[i], differences[j]))
    right = [sum(a * v for a, v in zip(row, samples)) for row in differences]
    for i in range(size):  # elimination within the band
        for k in range(i + 1, min(size, i + m + 1)):
            factor = rows[k][i] / rows[i][i]
            for j in range(i, min(size, i + m + 1)):
                rows[k][j] -= factor * rows[i][j]
            right[k] -= factor * right[i]
    for i in range(size - 1, -1, -1):
        right[i] = (right[i] - sum(rows[i][j] * right[j] for j in range(i + 1, min(size, i + m + 1)))) / rows[i][i]
    removed = [sum(differences[row][k] * right[row] for row in range(size)) for k in range(len(y))]
    return np.array([float(v - smoothing * r) for v, r in zip(samples, removed)])


HEAVY = [(2, 10**4), (2, 10**8), (2, 10**12), (3, 10**6), (3, 10**10), (3, 10**12)]


@pytest.mark.parametrize("heavy", slow_but([(2, 10**8), (3, 10**12)], HEAVY), ids=str)
def test_heavy_smoothing_keeps_its_digits(heavy: tuple[int, int]) -> None:
    half_order, smoothing = heavy
    y = wave(150)[:, 0]
    found = smoothing_spline(y, 1.0, half_order=half_order, smoothing=smoothing).values
    # Values of order one. Without its refinement the quintic is off by 6e-10, 1e-8 and 8e-8 here, with it by 2e-14.
    np.testing.assert_allclose(found, exact_spline(y, smoothing, half_order), rtol=0, atol=1e-12)


@pytest.mark.parametrize("half_order", [2, 3])
@pytest.mark.parametrize("cutoff_hz", [1.0, 6.0, 20.0, 48.0])
def test_a_sine_at_the_cutoff_loses_3_db(half_order: int, cutoff_hz: float) -> None:
    t = np.arange(3000) / RATE
    smoothing = smoothing_for_cutoff(cutoff_hz, RATE, half_order=half_order)
    assert float(spline_cutoff(smoothing, RATE, half_order=half_order)) == pytest.approx(cutoff_hz, rel=1e-9)
    sine = np.sin(2 * np.pi * cutoff_hz * t)
    smooth = smoothing_spline(sine, RATE, half_order=half_order, smoothing=smoothing).values
    inner = slice(1000, 2000)  # ten periods and more from the ends, where their reach (e^(−ω/2) a sample) is below 1e-9
    np.testing.assert_allclose(smooth[inner], sine[inner] / np.sqrt(2), rtol=0, atol=1e-9)


# --- what it does to data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half_order", [2, 3])
def test_the_known_noise_is_found(half_order: int) -> None:
    y = wave(1000, columns=20, noise=0.2)
    by_validation = smoothing_spline(y, RATE, half_order=half_order)
    by_variance = smoothing_spline(y, RATE, half_order=half_order, mse=0.2**2)
    for found in (by_validation, by_variance):
        variance = found.mean_square / (1 - found.dof / 1000)
        # 1000 frames know a variance to √(2/1000) = 4.5 %: four of that in a column, and in the mean of 20 columns
        np.testing.assert_allclose(variance, 0.04, rtol=0.18)
        assert variance.mean() == pytest.approx(0.04, rel=0.04)
        truth = wave(1000, columns=20, noise=0.0)
        error = ((found.values - truth) ** 2).mean(axis=0)
        # noise alone leaves dof/frames of its variance; the least error has a little lost signal beside it
        assert (error < 2 * 0.04 * found.dof / 1000).all()


def test_each_gap_free_span_is_a_spline_and_a_column_has_one_smoothing() -> None:
    y = wave(300, columns=3)
    y[100:110, 1] = np.nan
    y[115:120, 1] = np.nan  # leaves five frames, one too few
    found = smoothing_spline(y, RATE)
    assert np.isnan(found.values[100:120, 1]).all()
    assert np.isfinite(np.delete(found.values, 1, axis=1)).all()
    for span in (slice(0, 100), slice(120, 300)):
        alone = smoothing_spline(y[span, 1], RATE, smoothing=found.smoothing[1])
        np.testing.assert_allclose(
            found.values[span, 1], alone.values, rtol=0, atol=1e-13
        )  # rounding, in another order
    whole = smoothing_spline(y[:, [0, 2]], RATE)
    np.testing.assert_allclose(found.values[:, [0, 2]], whole.values, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"half_order": 4}, "neither 2"),
        ({"smoothing": 1.0, "mse": 1.0}, "not both"),
        ({"smoothing": 0.0}, "not positive"),
        ({"mse": -1.0}, "not positive"),
        ({"smoothing": 1e4}, "at most"),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        smoothing_spline(wave(50), RATE, **wrong)
    with pytest.raises(ValueError, match="not between"):
        smoothing_for_cutoff(50.0, RATE)


def test_accelerations_of_the_walk_against_the_truth() -> None:
    # After Pezzack, Norman & Winter (1977): 0.3 mm of white noise at 100 Hz, accelerations of 5.4 m/s² RMS.
    walk = simulated_walk()
    markers = walk.walk.gait.walking(walk.truth.time_s).marker.values()
    position, true = (np.hstack([marker.d[order] for marker in markers]) for order in (0, 2))
    noisy = position + 3e-4 * np.random.default_rng(6).normal(size=position.shape)

    def error(smoothed: np.ndarray) -> float:
        return float(np.sqrt(np.mean((spline_derivatives(smoothed, RATE)[1] - true)[30:-30] ** 2)))

    quintic, butterworth = error(smoothing_spline(noisy, RATE).values), error(lowpass(noisy, 7.0, RATE))
    assert quintic < 0.25  # m/s²: 0.22 in docs/smoothing.md, 2 % apart by the seed
    assert quintic < 0.85 * butterworth  # 0.22 against 0.30
