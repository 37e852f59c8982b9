"""How often 95 % bands of a difference over the cycle hold its whole course, where it is known to be 0.

    python benchmarks/difference_bands.py [CYCLES.csv]

Curves are made up, smooth, with the number of cycles and the spread of each session varied; with the ``cycles.csv`` of
a recording of many cycles (a treadmill) sets are drawn from those of one side, without replacement. The figures stand
in docs/pictures.md. Three minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gaitid.report.difference import critical_t, difference

Array = NDArray[np.float64]
Curves = Callable[[int], Array]

PAIRS, DRAWS, RESAMPLES = 400, 200, 300
SETS = ((3, 3), (3, 6), (5, 5), (10, 10))
COLUMNS = (
    "hip_flexion_deg",
    "knee_flexion_deg",
    "ankle_dorsiflexion_deg",
    "pelvis_anterior_tilt_deg",
    "hip_adduction_deg",
    "knee_extension_moment_Nm_per_kg",
    "ankle_power_W_per_kg",
)
INVERSE_FREEDOM = np.linspace(1 / 40, 1, 400)
TABLE_T = [critical_t(1 / float(inverse), 0.0) for inverse in INVERSE_FREEDOM]
random = np.random.default_rng(0)


def smooth(cycles: int, width: float, level: float = 0.0) -> Array:
    """Independent noise of unit variance, smoothed over `width` percents (at half maximum), each with its own level."""
    at = np.arange(-100, 101)
    kernel = np.exp(-4 * np.log(2) * (at / width) ** 2)
    noise = random.standard_normal((cycles, 301))
    rows = [np.convolve(row, kernel / np.sqrt((kernel**2).sum()), "valid") for row in noise]
    return np.array(rows) + level * random.standard_normal((cycles, 1))


def gait(cycles: int) -> Array:
    """Curves as of a knee, shifted in time and bent by their first harmonics."""
    part = np.linspace(0, 1, 101)
    curves = []
    for _ in range(cycles):
        late = part + 0.012 * random.standard_normal() + 0.01 * random.standard_normal() * np.sin(2 * np.pi * part)
        curve = 21 * np.sin(2 * np.pi * late) + 10 * np.sin(4 * np.pi * late + 0.5) + 1.5 * random.standard_normal()
        for k in range(1, 5):
            sizes = random.standard_normal(2) / k
            curve = curve + sizes[0] * np.cos(2 * np.pi * k * part) + sizes[1] * np.sin(2 * np.pi * k * part)
        curves.append(curve)
    return np.array(curves)


def standard_error(a: Array, b: Array) -> Array:
    return np.asarray(np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b)))


def of_field(a: Array, b: Array) -> Array:
    """The band that pages draw."""
    return difference(a, b).half_width


def of_bootstrap(a: Array, b: Array) -> Array:
    """95th percentile of the greatest excursion when cycles are drawn again (Lenhoff et al. 1999)."""
    se, apart, greatest = standard_error(a, b), a.mean(axis=0) - b.mean(axis=0), []
    for _ in range(RESAMPLES):
        again = a[random.integers(0, len(a), len(a))].mean(axis=0) - b[random.integers(0, len(b), len(b))].mean(axis=0)
        greatest.append(np.max(np.abs(again - apart) / se))
    return np.asarray(np.quantile(greatest, 0.95) * se)


def point_by_point(a: Array, b: Array) -> Array:
    """Welch's t of a table."""
    shares = np.array([one.var(axis=0, ddof=1) / len(one) for one in (a, b)])
    freedom = shares.sum(axis=0) ** 2 / (shares**2 / np.array([[len(a) - 1], [len(b) - 1]])).sum(axis=0)
    t = np.interp(1 / freedom, INVERSE_FREEDOM, TABLE_T)
    return np.asarray(t * standard_error(a, b))


BANDS = {"this": of_field, "bootstrap": of_bootstrap, "point by point": point_by_point}


def held(pairs: Callable[[], tuple[Array, Array]], times: int) -> str:
    """How often each band holds 0 over the whole cycle, as words."""
    counts = dict.fromkeys(BANDS, 0)
    for _ in range(times):
        a, b = pairs()
        apart = np.abs(a.mean(axis=0) - b.mean(axis=0))
        for name, band in BANDS.items():
            counts[name] += bool((apart <= band(a, b)).all())
    return ", ".join(f"{name} {100 * count / times:.0f} %" for name, count in counts.items())


def made_up() -> None:
    kinds: dict[str, Curves] = {
        "smooth over 20 %": lambda n: smooth(n, 20),
        "smooth over 35 %, own levels": lambda n: smooth(n, 35, 1.0),
        "as of a knee": gait,
    }
    for name, make in kinds.items():
        for a, b in SETS:
            print(f"{name}, {a} and {b}: {held(lambda make=make, a=a, b=b: (make(a), make(b)), PAIRS)}")
    for a, b in ((3, 3), (3, 8), (8, 3), (5, 5)):
        words = held(lambda a=a, b=b: (smooth(a, 20), 3 * smooth(b, 20)), PAIRS)
        print(f"smooth over 20 %, {a} and {b} of three times the SD: {words}")


def recorded(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for side in ("left", "right"):
        for column in COLUMNS:
            cells = [float(row[column] or "nan") for row in rows if row["side"] == side]
            cycles = np.array(cells).reshape(-1, 101)
            cycles = cycles[np.isfinite(cycles).all(axis=1)]
            for n in (3, 5, 10):
                if len(cycles) >= 2 * n:

                    def draw(cycles: Array = cycles, n: int = n) -> tuple[Array, Array]:
                        chosen = random.permutation(len(cycles))
                        return cycles[chosen[:n]], cycles[chosen[n : 2 * n]]

                    print(f"{side} {column}, {n} and {n} of {len(cycles)}: {held(draw, DRAWS)}")


if __name__ == "__main__":
    made_up()
    if len(sys.argv) > 1:
        recorded(Path(sys.argv[1]))
