"""The part of a static in which the subject stands (or lies) still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gaitid.notes import note
from gaitid.trial import Array, Trial

# m. Quiet stance sways by up to 22 mm; who goes no farther than the second may be taken to stand (docs/static.md).
SWAY_M, STANDS_M = 0.03, 0.08
# s. So long a stretch is no pause of a step, which lasts a second or less.
LEAST_S = 1.0
# Share of the markers: so many stay within `SWAY_M`; the others may jump, or be on a hand.
_STAYING = 0.9


def standing_part(static: Trial) -> Trial:
    """The static with its markers seen only while the subject stands still, as where he steps into place first.

    Where they go farther than `STANDS_M`, the longest stretch in which nearly all stay within `SWAY_M`, if it lasts
    `LEAST_S`; else the static as it is.
    """
    step = max(1, round(0.1 * static.rate_hz))
    places = static.points_g[::step]
    if _stay(places, STANDS_M):
        return static
    best, first = (0, 0), 0
    for stop in range(2, len(places) + 1):
        while stop - first > 1 and not _stay(places[first:stop], SWAY_M):
            first += 1
        best = max(best, (first, stop), key=lambda part: part[1] - part[0])
    start, stop = best[0] * step, min((best[1] - 1) * step + 1, static.n_frames)
    if stop - start < LEAST_S * static.rate_hz:
        return static
    points_g = np.full_like(static.points_g, np.nan)
    points_g[start:stop] = static.points_g[start:stop]
    frames = start + static.first_frame, stop - 1 + static.first_frame
    said = note("static_part", first=frames[0], last=frames[1])
    return replace(static, points_g=points_g, notes=(*static.notes, said))


def _stay(places: Array, within_m: float) -> bool:
    """Whether nearly all markers stay where they are."""
    known = places[:, np.isfinite(places).all(axis=(0, 2))]
    if not known.size:
        return False
    extent = np.linalg.norm(np.ptp(known, axis=0), axis=1)
    return bool(np.mean(extent < within_m) >= _STAYING)
