"""The tables of docs/smoothing.md: second derivatives of each filter against the truth, its ends, and its time.

python benchmarks/smoothing.py [--write]

A test after Pezzack, Norman & Winter (1977, J Biomech 10:377-382), who compared the accelerations that differentiation
gives with a measured one; here the movements are known in closed form.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline, make_smoothing_spline
from scipy.linalg import solveh_banded
from scipy.optimize import minimize_scalar
from scipy.signal import butter, sosfiltfilt
from shared_trials import SHARED

from gaitid.numerics.gcv_spline import smoothing_spline
from gaitid.numerics.lowpass import lowpass, savitzky_golay, savitzky_golay_cutoff, savitzky_golay_window
from gaitid.numerics.residual import residual_cutoff
from gaitid.numerics.spline import spline_derivatives
from gaitid.read.c3d.trial import read_c3d
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array

ROOT = Path(__file__).resolve().parents[1]
RATES = (50.0, 100.0, 200.0)
NOISES = (0.1, 0.3, 1.0, 2.0)
CUTOFF = 7.0  # Hz, why: docs/method.md
DEGREE = 4
LEFT_OUT_S = 0.3  # at each end of the inner part


# --- movements: time, s -> position, mm, and acceleration, m/s², (frames, columns) ---------------------------


def limb(t: Array) -> tuple[Array, Array]:
    """A marker 0.3 m from a joint that swings with harmonics to 5.4 Hz, in twenty phases."""
    angle, first, second = (np.zeros((len(t), 20)) for _ in range(3))
    for size, hertz in ((0.6, 0.9), (0.15, 2.7), (0.04, 5.4)):
        omega = 2 * np.pi * hertz
        phase = omega * t[:, None] + np.arange(20) * hertz
        angle += size * np.sin(phase)
        first += size * omega * np.cos(phase)
        second -= size * omega**2 * np.sin(phase)
    return 300 * np.sin(angle), 0.3 * (second * np.cos(angle) - first**2 * np.sin(angle))


def walk(t: Array) -> tuple[Array, Array]:
    """The simulated walk's markers, all axes, with their exact accelerations."""
    markers = simulate_walk(WalkSettings()).gait.walking(t).marker.values()
    return 1e3 * np.hstack([m.d[0] for m in markers]), np.hstack([m.d[2] for m in markers])


def impact(t: Array) -> tuple[Array, Array]:
    """A landing: 1 m/s lost in a pulse of 67 m/s² and 26 ms (half height), at twenty instants between two frames."""
    lost, width = 1.0, 0.015  # m/s, s
    u = (t[:, None] - t[len(t) // 2] - np.linspace(0, 0.02, 20)) / width
    log_cosh = np.abs(u) + np.log1p(np.exp(-2 * np.abs(u))) - np.log(2)
    return 1e3 * lost * width / 2 * (log_cosh - u), lost / (2 * width) / np.cosh(np.clip(u, -300, 300)) ** 2


MOVEMENTS = {"limb": limb, "walk": walk, "impact": impact}


# --- methods: noisy positions, mm -> accelerations, mm/s² -----------------------------------------------------


def of_quintic(values: Array, rate: float) -> Array:
    return spline_derivatives(values, rate)[1]


def central(values: Array, rate: float) -> Array:
    result = np.full_like(values, np.nan)
    result[1:-1] = np.diff(values, 2, axis=0) * rate**2
    return result


def of_cubic(values: Array, rate: float) -> Array:
    return np.asarray(
        CubicSpline(np.arange(len(values)) / rate, values, bc_type="natural")(np.arange(len(values)) / rate, 2)
    )


def golay(values: Array, rate: float, derivative: int) -> Array:
    window, _ = savitzky_golay_window(CUTOFF, rate, DEGREE)
    return savitzky_golay(values, window, DEGREE, derivative=derivative, rate_hz=rate)


def winter(values: Array, rate: float) -> Array:
    """Each column through the low-pass at the cut-off that its residual asks for."""
    asked = residual_cutoff(values, rate).cutoff_hz
    result = np.full_like(values, np.nan)
    for k in np.flatnonzero(np.isfinite(asked)):
        result[:, k] = of_quintic(lowpass(values[:, k : k + 1], float(asked[k]), rate), rate)[:, 0]
    return result


Method = Callable[[Array, float, float], Array]
METHODS: dict[str, Method] = {
    "none, quintic": lambda v, rate, s: of_quintic(v, rate),
    "Butterworth 7 Hz, quintic": lambda v, rate, s: of_quintic(lowpass(v, CUTOFF, rate), rate),
    "Butterworth 7 Hz, central": lambda v, rate, s: central(lowpass(v, CUTOFF, rate), rate),
    "Butterworth, Winter's cut-off": lambda v, rate, s: winter(v, rate),
    "Savitzky–Golay 7 Hz, quintic": lambda v, rate, s: of_quintic(golay(v, rate, 0), rate),
    "Savitzky–Golay 7 Hz, its own": lambda v, rate, s: golay(v, rate, 2),
    "cubic spline, GCV": lambda v, rate, s: of_cubic(smoothing_spline(v, rate, half_order=2).values, rate),
    "quintic spline, GCV": lambda v, rate, s: of_quintic(smoothing_spline(v, rate).values, rate),
    "quintic, true MSE": lambda v, rate, s: of_quintic(smoothing_spline(v, rate, mse=s**2).values, rate),
    "quintic, MSE 10 mm²": lambda v, rate, s: of_quintic(smoothing_spline(v, rate, mse=10.0).values, rate),
}


def measured(
    movement: str, rate: float, noise: float, *, seed: int = 0, shared: float = 0.0
) -> tuple[Array, dict[str, Array]]:
    """Times, and for each method the errors of acceleration, (frames, columns), m/s²; `noise` in mm.

    `shared` is the share of a frame's noise that the next frame has too (first-order autoregression).
    """
    t = np.arange(round(4 * rate)) / rate
    position, true = MOVEMENTS[movement](t)
    errors = np.random.default_rng(seed).normal(size=position.shape)
    for k in range(1, len(t)):
        errors[k] = shared * errors[k - 1] + np.sqrt(1 - shared**2) * errors[k]
    noisy = position + noise * errors
    return t, {name: method(noisy, rate, noise) / 1e3 - true for name, method in METHODS.items()}


def rms(errors: Array) -> float:
    """NaN where a method gave nothing for some column."""
    return float(np.sqrt(np.mean(errors**2)))


def error_table(movement: str) -> list[str]:
    size = rms(MOVEMENTS[movement](np.arange(400) / 100)[1])
    lines = [f"RMS of the true acceleration: {size:.3g} m/s².", "", *head("rate, noise")]
    for rate in RATES:
        lines += [row(f"{rate:g} Hz, {noise:g} mm", *measured(movement, rate, noise)) for noise in NOISES]
    return lines


def shared_noise_table() -> list[str]:
    """The walk at 100 Hz with noise that neighbouring frames share in part."""
    lines = head("share, noise")
    for shared in (0.3, 0.6, 0.9):
        for noise in (0.3, 1.0):
            lines.append(row(f"{shared:g}, {noise:g} mm", *measured("walk", 100.0, noise, shared=shared)))
    return lines


def head(first: str) -> list[str]:
    return [f"| {first} | " + " | ".join(METHODS) + " |", "|---|" + "---|" * len(METHODS)]


def row(first: str, t: Array, errors: dict[str, Array]) -> str:
    """RMS of each method's errors away from the ends; the least is bold."""
    inner = (t > LEFT_OUT_S) & (t < t[-1] - LEFT_OUT_S)
    found = [rms(error[inner]) for error in errors.values()]
    best = min(value for value in found if np.isfinite(value))
    cells = ["–" if np.isnan(v) else f"**{v:.3g}**" if v == best else f"{v:.3g}" for v in found]
    return f"| {first} | " + " | ".join(cells) + " |"


def end_table(noise: float = 0.3) -> list[str]:
    shown = (0, 1, 2, 4, 7, 10, 14, 20)
    lines = [
        "| method | inner RMS, m/s² | " + " | ".join(f"frame {k}" for k in shown) + " | unsure frames |",
        "|---|---|" + "---|" * len(shown) + "---|",
    ]
    runs = [measured("walk", 100.0, noise, seed=seed)[1] for seed in range(4)]
    for name in METHODS:
        errors = np.hstack([side for run in runs for side in (run[name], run[name][::-1])])  # both ends as one
        inner = rms(errors[30:-30])
        by_frame = np.sqrt(np.mean(errors[:60] ** 2, axis=1)) / inner
        unsure = np.flatnonzero(~(by_frame <= 1.5))
        cells = ["–" if np.isnan(by_frame[k]) else f"{by_frame[k]:.1f}" for k in shown]
        lines.append(f"| {name} | {inner:.2f} | " + " | ".join(cells) + f" | {unsure[-1] + 1 if unsure.size else 0} |")
    return lines


def cutoff_table() -> list[str]:
    """What the splines choose and what the analysis asks for: the walk at 100 Hz, and two recorded ones."""
    lines = [
        "| markers, noise | cubic, GCV | quintic, GCV | quintic, true MSE | quintic, MSE 10 mm² | Winter asks for | "
        "noise that GCV finds |",
        "|---|---|---|---|---|---|---|",
    ]
    position, _ = walk(np.arange(400) / 100)
    for noise in NOISES:
        noisy = position + noise * np.random.default_rng(0).normal(size=position.shape)
        lines.append(cutoff_row(f"simulated, {noise:g} mm", noisy.reshape(len(noisy), -1, 3), 100.0, noise))
    for file in ("qualisys/walk.c3d", "children/HC002D/walk.c3d"):
        if (SHARED / file).exists():
            trial = read_c3d(SHARED / file)
            points = 1e3 * trial.points_g[:, np.isfinite(trial.points_g).all(axis=(0, 2))]
            lines.append(cutoff_row(file.removesuffix(".c3d"), points, trial.rate_hz, None))
    return lines


def cutoff_row(name: str, points: Array, rate: float, noise: float | None) -> str:
    """From the tenth to the ninetieth of a hundred columns (of the markers, for the analysis)."""
    gcv = smoothing_spline(points, rate)
    level = np.nanmedian(np.sqrt(gcv.mean_square / (1 - gcv.dof / len(points))))
    cells = (
        smoothing_spline(points, rate, half_order=2).cutoff_hz,
        gcv.cutoff_hz,
        np.array(np.nan) if noise is None else smoothing_spline(points, rate, mse=noise**2).cutoff_hz,
        smoothing_spline(points, rate, mse=10.0).cutoff_hz,
        residual_cutoff(points, rate).cutoff_hz,
    )
    return f"| {name} | " + " | ".join(map(middle, cells)) + f" | {level:.2g} mm |"


def middle(cutoffs: Array) -> str:
    known = cutoffs[np.isfinite(cutoffs)]
    if known.size < cutoffs.size / 2:
        return "–"
    return f"{np.quantile(known, 0.1):.1f} – {np.quantile(known, 0.9):.1f} Hz"


# --- time -----------------------------------------------------------------------------------------------------


def seconds(job: Callable[[], object], repeats: int = 5) -> float:
    """Median of the times of a job."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def fast_channel(y: Array) -> float:
    """λ of one channel by cross-validation as a person in a hurry writes it: LAPACK's banded solver in a search."""
    n = len(y) - 3
    right = np.stack([np.diff(y, 3), np.eye(1, n)[0]], axis=1)
    gram = np.zeros((4, n)) + np.array([66, 26, 1, 0])[:, None] / 120
    differences = np.zeros((4, n)) + np.array([20, -15, 6, -1.0])[:, None]

    def score(log_smoothing: float) -> float:
        smoothing = np.exp(log_smoothing)
        u, x = solveh_banded(gram + smoothing * differences, right, lower=True).T
        rest = smoothing * np.diff(np.pad(u, 3), 3)
        trace = sum(
            (1 if k == 0 else 2) * gram[k, 0] * ((n - k - 2 * np.arange(n - k)) * x[: n - k] * x[k:]).sum() / x[0]
            for k in range(3)
        )
        return float(rest @ rest / (n - trace) ** 2)

    grid = np.linspace(-10, 27, 20)
    at = int(np.argmin([score(x) for x in grid]))
    return float(minimize_scalar(score, bounds=(grid[max(at - 1, 0)], grid[min(at + 1, 19)]), method="bounded").x)


def time_table() -> list[str]:
    t = np.arange(1000) / 100
    position, _ = walk(t[:400])
    tiled = np.tile(np.vstack([position, position[::-1]]), (2, 3))[:1000, :120]
    noisy = tiled + 0.3 * np.random.default_rng(0).normal(size=tiled.shape)
    cubic, quintic = (seconds(lambda m=m: smoothing_spline(noisy, 100.0, half_order=m)) for m in (2, 3))
    per_scipy = seconds(lambda: [make_smoothing_spline(t, noisy[:, k]) for k in (0, 40, 80)], 3) * 40
    per_fast = seconds(lambda: [fast_channel(noisy[:, k]) for k in range(12)], 3) * 10
    sections = butter(2, CUTOFF, fs=100.0, output="sos")
    ours = seconds(lambda: lowpass(noisy, CUTOFF, 100.0), 15)
    theirs = seconds(lambda: sosfiltfilt(sections, noisy, axis=0), 15)
    window = savitzky_golay_window(CUTOFF, 100.0, DEGREE)[0]
    golay_time = seconds(lambda: savitzky_golay(noisy, window, DEGREE), 15)
    analysis = seconds(lambda: residual_cutoff(noisy.reshape(1000, 40, 3), 100.0))
    rows = (
        ("cubic spline, GCV", "scipy's `make_smoothing_spline` channel by channel (3 of 120, × 40)", cubic, per_scipy),
        ("quintic spline, GCV", "the same (a cubic)", quintic, per_scipy),
        ("quintic spline, GCV", "LAPACK's banded solver channel by channel (12 of 120, × 10)", quintic, per_fast),
        ("Butterworth", "scipy's `sosfiltfilt`", ours, theirs),
        ("Savitzky–Golay", "scipy's `sosfiltfilt`", golay_time, theirs),
        ("residual analysis, 40 markers", "the Butterworth once", analysis, ours),
    )
    lines = ["| 120 channels × 1000 frames | against | ratio | s | s |", "|---|---|---|---|---|"]
    return lines + [f"| {what} | {other} | {a / b:.3g} | {a:.3g} | {b:.3g} |" for what, other, a, b in rows]


def tables() -> str:
    """All tables as Markdown."""
    window = {rate: savitzky_golay_window(CUTOFF, rate, DEGREE) for rate in RATES}
    windows = ", ".join(f"{w} frames at {rate:g} Hz ({c:.2f} Hz)" for rate, (w, c) in window.items())
    assert all(savitzky_golay_cutoff(w, DEGREE, rate) == c for rate, (w, c) in window.items())
    parts = ["### Accelerations", "", f"Savitzky–Golay, degree {DEGREE}: {windows}.", ""]
    for movement, job in MOVEMENTS.items():
        parts += [f"**{movement}** — {(job.__doc__ or '').strip()}", "", *error_table(movement), ""]
    parts += ["**walk**, noise that neighbouring frames share in part, 100 Hz", "", *shared_noise_table(), ""]
    parts += ["### Ends", "", *end_table(), "", "### Cut-offs", "", *cutoff_table(), "", "### Time", "", *time_table()]
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/smoothing.md")
    text = tables()
    print(text)
    if parser.parse_args().write:
        page = ROOT / "docs" / "smoothing.md"
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- measured: begin -->")
        _, _, after = rest.partition("<!-- measured: end -->")
        page.write_text(f"{before}<!-- measured: begin -->\n{text}\n<!-- measured: end -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
