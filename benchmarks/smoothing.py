"""The tables of docs/smoothing.md: second derivatives of each filter, and moments by cut-off, against the truth.

python benchmarks/smoothing.py [--write]

A test after Pezzack, Norman & Winter (1977, J Biomech 10:377-382), who compared the accelerations that differentiation
gives with a measured one; here the movements are known in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from common import head, parser_of, row, show
from scipy.interpolate import CubicSpline
from simulated_trials import Simulated, simulated

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.numerics.bandwidth import residual_cutoff
from gaitid.numerics.gcv_spline import smoothing_spline
from gaitid.numerics.lowpass import lowpass, savitzky_golay, savitzky_golay_window
from gaitid.numerics.spline import spline_derivatives
from gaitid.simulate.scenarios import SCENARIOS, Clock
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array

RATE = 100.0  # Hz
NOISES = (0.1, 0.3, 1.0)
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


MOVEMENTS = {"limb": limb, "walk": walk}


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


def measured(movement: str, rate: float, noise: float) -> tuple[Array, dict[str, Array]]:
    """Times, and for each method the errors of acceleration, (frames, columns), m/s²; `noise` in mm."""
    t = np.arange(round(4 * rate)) / rate
    position, true = MOVEMENTS[movement](t)
    noisy = position + noise * np.random.default_rng(0).normal(size=position.shape)
    return t, {name: method(noisy, rate, noise) / 1e3 - true for name, method in METHODS.items()}


def rms(errors: Array) -> float:
    """NaN where a method gave nothing for some column."""
    return float(np.sqrt(np.mean(errors**2)))


def error_table() -> list[str]:
    """Every movement with every noise."""
    lines = head("movement, RMS acceleration; noise", *METHODS)
    for movement in MOVEMENTS:
        size = rms(MOVEMENTS[movement](np.arange(400) / 100)[1])
        for noise in NOISES:
            lines.append(accelerations(f"{movement}, {size:.3g} m/s²; {noise:g} mm", *measured(movement, RATE, noise)))
    return lines


def accelerations(first: str, t: Array, errors: dict[str, Array]) -> str:
    """RMS of each method's errors away from the ends; the least is bold."""
    inner = (t > LEFT_OUT_S) & (t < t[-1] - LEFT_OUT_S)
    found = [rms(error[inner]) for error in errors.values()]
    best = min(value for value in found if np.isfinite(value))
    return row(first, *("–" if np.isnan(v) else f"**{v:.3g}**" if v == best else f"{v:.3g}" for v in found))


# --- moments by cut-off -----------------------------------------------------------------------------------------

CUTOFFS: tuple[float | str, ...] = (5.0, 7.0, 10.0, 12.0, 17.0, "auto")
NOISE_MM = 0.3
WALKED = {
    "slow walk, 0.88 m/s": replace(SCENARIOS["walk"], clock=Clock(0.7)),
    "walk, 1.25 m/s": SCENARIOS["walk"],
    "turn": SCENARIOS["turn"],
    "fast walk, 1.75 m/s": replace(SCENARIOS["walk"], clock=Clock(1.4)),
    "run, 3.2 m/s": SCENARIOS["run"],
}


def worst_rms(walk: Simulated, noise_mm: float, cutoff_hz: object) -> tuple[float, dict[str, object]]:
    """Largest RMS error of a component of a moment, N·m/kg, and the record's figures of the markers."""
    noise = np.random.default_rng(1).normal(0, noise_mm * 1e-3, walk.trial.points_g.shape)
    trial = replace(walk.trial, points_g=walk.trial.points_g + noise)
    result = analyse(trial, load_model("pig", {"cutoff_hz": cutoff_hz}), SubjectFile())
    errors = [
        np.sqrt(np.nanmean((wrench.m_g - walk.truth.wrench[side, joint][1]) ** 2, axis=0)).max()
        for side, leg in result.sides.items()
        for joint, wrench in leg.wrenches.items()
    ]
    figures = {**result.markers.quality, "cutoff_hz": result.settings.cutoff_hz}
    return float(max(errors)) / walk.walk.subject.mass_kg, figures


def cutoff_table() -> list[str]:
    lines = head("movement", "frequency", *(c if c == "auto" else f"{c:g} Hz" for c in CUTOFFS))
    for name, scenario in WALKED.items():
        walk = simulated(scenario)
        found = [worst_rms(walk, NOISE_MM, cutoff) for cutoff in CUTOFFS]
        least = min(value for value, _ in found[:-1])
        cells = [f"**{v:.3f}**" if v == least else f"{v:.3f}" for v, _ in found[:-1]]
        value, figures = found[-1]
        chosen = f"{value:.3f} ({figures['cutoff_hz']:g} Hz)"
        lines.append(row(name, f"{figures['movement_frequency_hz']:.2f} Hz", *cells, chosen))
    return lines


def main() -> None:
    given = parser_of(__doc__, "smoothing").parse_args()
    show(error_table(), given.write, "smoothing", "measured")
    show(cutoff_table(), given.write, "smoothing", "cut-offs")


if __name__ == "__main__":
    main()
