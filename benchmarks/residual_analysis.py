"""Winter's residual analysis on the markers of the shared trials: which cut-off does each marker ask for?

    python benchmarks/residual_analysis.py

Winter DA (2009) Biomechanics and Motor Control of Human Movement, 4th ed., section 3.4.4.3: the RMS of what a
low-pass removes is drawn over its cut-off; noise alone gives a straight line toward high cut-offs, and the cut-off
asked for is where the residual equals that line's value at 0 Hz.

That needs noise: on trajectories that were smoothed before, the residual falls as f⁻⁴, a line from 12 to 20 Hz crosses
that at 10.5 Hz whatever the signal, and the answer means nothing. So it is printed for raw trajectories only; the
noise itself is measured by eighth differences (`gaitid.numerics.masks.noise_levels`).
"""

from __future__ import annotations

import numpy as np
from shared_trials import SHARED, TRIALS

from gaitid.markers.filtering import SMOOTHED_BELOW_MM
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import noise_levels
from gaitid.read.c3d.trial import read_c3d
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
    head = ("trial", "noise, mm", *MARKERS, "removed from TOE at 6 Hz, mm", "at 10 Hz")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for file in (*(known.file for known in TRIALS), "qualisys/walk.c3d"):
        trial = read_c3d(SHARED / file)
        cells, noises, toe = [], [], np.full(len(CUTOFFS), np.nan)
        for marker in MARKERS:
            found = []
            for label in (f"L{marker}", f"R{marker}", f"LLA_{marker}", f"RLA_{marker}"):
                if not trial.has(label) or not np.isfinite(trial.marker(label)).all():
                    continue
                points = trial.marker(label)
                residual = residuals(points, trial.rate_hz)
                found.append(asked(residual)[0])
                noises.append(float(noise_levels(1e3 * points[None])[0]))
                toe = residual if marker == "TOE" else toe
            cells.append(f"{np.nanmean(found):.1f}" if found else "–")
        noise = float(np.median(noises))
        if noise < SMOOTHED_BELOW_MM:
            cells = ["–"] * len(cells)
        row = (
            file.removesuffix(".c3d"),
            f"{noise:.5f}",
            *cells,
            f"{toe[CUTOFFS == 6][0]:.2f}",
            f"{toe[CUTOFFS == 10][0]:.2f}",
        )
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
