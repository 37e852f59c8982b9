"""How often the 95 % band of a difference over the cycle holds its whole course, where it is known to be 0.

    python benchmarks/difference_bands.py

Curves are made up, smooth, with the number of cycles and the spread of each session varied. The figures stand in
docs/pictures.md.
"""

from __future__ import annotations

import numpy as np

from gaitid.report.difference import difference

PAIRS = 400
random = np.random.default_rng(0)


def smooth(cycles: int, width: float, level: float = 0.0) -> np.ndarray:
    """Independent noise of unit variance, smoothed over `width` percents (at half maximum), each with its own level."""
    kernel = np.exp(-4 * np.log(2) * (np.arange(-100, 101) / width) ** 2)
    noise = random.standard_normal((cycles, 301))
    rows = [np.convolve(row, kernel / np.sqrt((kernel**2).sum()), "valid") for row in noise]
    return np.array(rows) + level * random.standard_normal((cycles, 1))


def held(n_a: int, n_b: int, width: float, level: float = 0.0, times: float = 1.0) -> float:
    """Share of pairs whose band holds 0 over the whole cycle; the second has so many `times` the SD of the first."""
    count = 0
    for _ in range(PAIRS):
        a, b = smooth(n_a, width, level), times * smooth(n_b, width, level)
        count += bool((np.abs(a.mean(axis=0) - b.mean(axis=0)) <= difference(a, b).half_width).all())
    return count / PAIRS


if __name__ == "__main__":
    for n_a, n_b in ((3, 3), (3, 6), (5, 5), (10, 10)):
        print(f"{n_a} and {n_b}: {held(n_a, n_b, 20):.0%}; with levels of their own: {held(n_a, n_b, 35, 1.0):.0%}")
    for n_a, n_b in ((3, 8), (8, 3)):
        print(f"{n_a} and {n_b} of three times the SD: {held(n_a, n_b, 20, times=3.0):.0%}")
