"""Remake the numbers of the simulated run (configs/gaits/run.yaml) by least squares.

    python benchmarks/fit_running.py [FILE]

Joint angles are drawn toward the textbook curves of running at 3.2 m/s (Novacheck 1998, Gait & Posture 7:77-95, figs.
7-9: knee near 45 degrees in mid-stance and 100 in swing, no heel lift before mid-stance), while a foot on the ground
keeps its place and height, a foot in the air clears the ground, and the pelvis is lowest in mid-stance.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.interpolate import CubicSpline
from scipy.optimize import least_squares

from gaitid.simulate.body import Subject
from gaitid.simulate.motion import Gait
from gaitid.simulate.scenarios import Pattern, Series, gait

ROOT = Path(__file__).resolve().parents[1]
NORMAL_WALK, NORMAL_LOAD = gait("walk")
STRIDE_S, SPEED, STANCE, FLAT = 0.72, 3.2, 0.36, 0.14
TIMES = np.arange(72) / 72 * STRIDE_S
PHASE = TIMES / STRIDE_S
DEGREES = np.pi / 180

# Textbook courses: part of the stride -> degrees.
TARGET = {
    "hip_flexion": {0.0: 32, 0.12: 26, 0.25: 4, 0.38: -8, 0.50: 8, 0.65: 34, 0.80: 44, 0.90: 40, 1.0: 32},
    "knee_flexion": {0.0: 16, 0.07: 30, 0.15: 42, 0.26: 30, 0.37: 18, 0.50: 58, 0.65: 100, 0.80: 68, 0.93: 16, 1.0: 16},
    "ankle_dorsiflexion": {0.0: 5, 0.06: 6, 0.18: 24, 0.26: 14, 0.37: -22, 0.48: -10, 0.70: 2, 0.90: 6, 1.0: 5},
}
# name -> (harmonics, a free mean), weight of the pull toward the target or the walk's own course
LEG = {name: tuple(range(1, 7)) for name in NORMAL_WALK.leg}
PELVIS = {name: (series.harmonics, name in ("up", "tilt")) for name, series in NORMAL_WALK.pelvis.items()}


def pattern_of(x: np.ndarray) -> Pattern:
    """The pattern that a vector of parameters stands for."""
    values = iter(x)

    def series(harmonics: tuple[int, ...], mean: bool) -> Series:
        first = float(next(values)) if mean else 0.0
        pairs = [(float(next(values)), float(next(values))) for _ in harmonics]
        return Series(first, harmonics, tuple(a for a, _ in pairs), tuple(b for _, b in pairs))

    pelvis = {name: series(*shape) for name, shape in PELVIS.items()}
    leg = {name: series(harmonics, True) for name, harmonics in LEG.items()}
    return Pattern(STRIDE_S, SPEED, STANCE, FLAT, pelvis, leg)


def values_of(series: Series) -> np.ndarray:
    """(times,) course of a series over one stride."""
    angle = 2 * np.pi * PHASE
    return series.mean + sum(
        a * np.cos(h * angle) + b * np.sin(h * angle)
        for h, a, b in zip(series.harmonics, series.cosine, series.sine, strict=True)
    )


def fitted(harmonics: tuple[int, ...], mean: bool, course: np.ndarray) -> list[float]:
    """Fourier coefficients of a course (times,), in the order of `pattern_of`."""
    angle = 2 * np.pi * PHASE
    x = [float(course.mean())] if mean else []
    for h in harmonics:
        x += [2 * float(np.mean(course * np.cos(h * angle))), 2 * float(np.mean(course * np.sin(h * angle)))]
    return x


def courses() -> dict[str, np.ndarray]:
    """What each series is drawn toward, (times,), m or rad."""
    out = {}
    for name, series in NORMAL_WALK.leg.items():
        if name in TARGET:
            knots = TARGET[name]
            out[name] = CubicSpline(list(knots), list(knots.values()), bc_type="periodic")(PHASE) * DEGREES
        else:
            # the same course, drawn together: what the walk does in stance and swing, at the run's stance fraction
            walk_phase = np.interp(PHASE, [0, STANCE, 1], [0, NORMAL_WALK.stance_fraction, 1])
            turn = 2 * np.pi * walk_phase
            out[name] = 0.7 * (
                series.mean
                + sum(
                    a * np.cos(h * turn) + b * np.sin(h * turn)
                    for h, a, b in zip(series.harmonics, series.cosine, series.sine, strict=True)
                )
            )
    for name, series in NORMAL_WALK.pelvis.items():
        out[f"pelvis {name}"] = 0.5 * values_of(series)
    out["pelvis tilt"] = np.full(PHASE.size, 14 * DEGREES)
    # lowest in mid-stance of either foot
    out["pelvis up"] = 0.945 - 0.040 * np.cos(4 * np.pi * (PHASE - 0.45 * STANCE))
    return out


def residuals(x: np.ndarray, aim: dict[str, np.ndarray]) -> np.ndarray:
    """What least squares makes small, each in units of its tolerance."""
    pattern = pattern_of(x)
    gait = Gait(Subject(), pattern, "left", 0.0, 0.0)
    skeleton = gait.walking(TIMES, order=0)
    heel, toe = skeleton.marker["LHEE"].value, skeleton.marker["LTOE"].value
    r = []
    on_ball = (PHASE > 0.04) & (PHASE < 0.88 * STANCE)
    on_heel = (PHASE > 0.04) & (PHASE < 0.50 * STANCE)
    for p, stands in ((toe, on_ball), (heel, on_heel)):
        here = p[stands]
        r.append((here - here.mean(axis=0))[:, :2].ravel() / 0.003)  # m: keeps its place
        r.append((here[:, 2] - 0.045) / 0.003)  # and its height
    swing = (PHASE > STANCE + 0.03) & (PHASE < 0.97)
    near = (PHASE >= 0.97) | (PHASE < 0.04)
    tip = toe + 0.3 * (toe - heel)
    for p in (toe, heel, tip):
        r.append(np.minimum(p[swing, 2] - 0.075, 0) / 0.005)  # clears the ground
        r.append(np.minimum(p[near, 2] - 0.050, 0) / 0.005)
    r.append(np.array([(toe[on_ball, 1].mean() - 0.055) / 0.010]))
    for p in (toe, heel):
        r.append((p[swing, 1] - 0.055) / 0.030)  # swings straight ahead
    for name, series in pattern.leg.items():
        tolerance = 4 * DEGREES if name in TARGET else 6 * DEGREES
        r.append((values_of(series) - aim[name]) / tolerance)
    for name, series in pattern.pelvis.items():
        tolerance = 0.02 if name in ("forward", "lead", "up") else 4 * DEGREES
        r.append((values_of(series) - aim[f"pelvis {name}"]) / tolerance)
    for name, series in pattern.leg.items():  # not restless, least of all sideways
        h = np.array(series.harmonics)
        weight = 0.4 if name in TARGET else 1.5
        r += [weight * h**2 * np.array(series.cosine), weight * h**2 * np.array(series.sine)]
    return np.concatenate(r)


def loads() -> dict[str, np.ndarray]:
    """Forces of running, body weights: over a stride both feet carry the weight, and neither speed up nor brake."""
    n = len(NORMAL_LOAD.vertical)
    s = (np.arange(n) + 0.5) / n
    vertical = np.sin(np.pi * s)
    # The integral of one B-spline over the stance is 1/(n + 3) of it.
    vertical *= 0.5 / STANCE / (vertical.sum() / (n + 3))
    return {
        "vertical": vertical,
        "forward": -0.36 * np.sin(2 * np.pi * s),
        "medial": 0.06 * np.sin(np.pi * s),
        "free_moment_internal": 0.12 * np.sin(np.pi * s) * (2 * s - 0.8),
        "along": np.array([0.045, 0.075, 0.110, 0.145, 0.175, 0.195, 0.215]),
        "lateral": np.array([0.012, 0.012, 0.010, 0.004, 0.002, -0.004, -0.008]),
    }


def yaml_of(pattern: Pattern) -> str:
    """The text of the file that holds the numbers."""

    def series(one: Series) -> dict[str, object]:
        pairs = {"cosine": one.cosine, "sine": one.sine}
        amplitudes = {key: [round(a, 6) for a in values] for key, values in pairs.items()}
        return {"mean": round(one.mean, 6), "harmonics": list(one.harmonics), **amplitudes}

    content: dict[str, object] = {
        "stride_s": STRIDE_S,
        "speed_m_per_s": SPEED,
        "stance_fraction": STANCE,
        "flat_fraction": FLAT,
    }
    for group, members in (("pelvis", pattern.pelvis), ("leg", pattern.leg)):
        content[group] = {name: series(one) for name, one in members.items()}
    content["load"] = {name: np.round(values, 5).tolist() for name, values in loads().items()}
    head = "# The numbers of the simulated run: an adult's stride at 3.2 m/s, made by benchmarks/fit_running.py.\n"
    return head + yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=118)


def main(file: Path) -> None:
    """Fit, and write the file."""
    aim = courses()
    x0: list[float] = []
    for name, (harmonics, mean) in PELVIS.items():
        x0 += fitted(harmonics, mean, aim[f"pelvis {name}"])
    for name, harmonics in LEG.items():
        x0 += fitted(harmonics, True, aim[name])
    found = least_squares(residuals, np.array(x0), args=(aim,), method="trf", max_nfev=60)
    print(f"cost {found.cost:.1f} after {found.nfev} evaluations")
    file.write_text(yaml_of(pattern_of(found.x)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "configs/gaits/run.yaml")
