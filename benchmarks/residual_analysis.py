"""Winter's residual analysis on the markers of the shared trials: which cut-off does each marker ask for?

    python benchmarks/residual_analysis.py

Winter DA (2009) Biomechanics and Motor Control of Human Movement, 4th ed., section 3.4.4.3: the RMS of what a
low-pass removes is drawn over its cut-off; noise alone gives a straight line toward high cut-offs, and the cut-off
asked for is where the residual equals that line's value at 0 Hz. Walked on filtered data, the line is flat and
near zero, and the analysis says how much of the signal a further filter would take away.
"""

from __future__ import annotations

import numpy as np
from shared_trials import TRIALS

from gaitid.read.c3d import read_c3d
from gaitid.signals import lowpass
from gaitid.trial import Array

CUTOFFS = np.arange(1.0, 20.5, 0.5)
LINE = CUTOFFS >= 12  # Hz: above this, walking markers hold next to nothing but noise
MARKERS = ("ASI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")


def residuals(points: Array, rate_hz: float) -> Array:
    """(cut-offs,) RMS over frames and axes of what the low-pass removes, mm; the ends are left out."""
    out = []
    for cutoff in CUTOFFS:
        rest = 1e3 * (points - lowpass(points, float(cutoff), rate_hz))
        inner = rest[int(rate_hz // 5) : -int(rate_hz // 5)]
        out.append(np.sqrt(np.nanmean((inner**2).sum(axis=1) / 3)))
    return np.array(out)


def asked(residual: Array) -> tuple[float, float]:
    """The cut-off asked for, Hz, and the noise, mm, that the line gives at 0 Hz."""
    _, intercept = np.polyfit(CUTOFFS[LINE], residual[LINE], 1)
    below = np.flatnonzero(residual <= max(intercept, 0))
    cutoff = float(CUTOFFS[below[0]]) if below.size else float("nan")
    return cutoff, float(intercept)


def main() -> None:
    print("| trial | " + " | ".join(MARKERS) + " | noise, mm | removed at 6 Hz, mm (TOE) | at 10 Hz |")
    print("|---|" + "---|" * (len(MARKERS) + 3))
    for known in TRIALS:
        trial = read_c3d(known.path)
        cells, noises, toe6, toe10 = [], [], 0.0, 0.0
        for marker in MARKERS:
            found = []
            for side in "LR":
                points = trial.marker(side + marker)
                if not np.isfinite(points).all():
                    continue
                residual = residuals(points, trial.rate_hz)
                cutoff, noise = asked(residual)
                found.append(cutoff)
                noises.append(noise)
                if marker == "TOE":
                    toe6 = float(residual[CUTOFFS == 6][0])
                    toe10 = float(residual[CUTOFFS == 10][0])
            cells.append(f"{np.nanmean(found):.1f}" if found else "–")
        print(f"| {known.name} | " + " | ".join(cells) + f" | {np.median(noises):.3f} | {toe6:.2f} | {toe10:.2f} |")


if __name__ == "__main__":
    main()
