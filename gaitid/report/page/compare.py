"""A side's mean curve beside the norms, in words: where it leaves the band of two standard deviations."""

from __future__ import annotations

import numpy as np

from gaitid.norms import Band, Norms
from gaitid.records import NamedTuple
from gaitid.report.page.panels import CyclePanel
from gaitid.report.page.pool import PERCENT, Pooled
from gaitid.report.stance import runs
from gaitid.trial import Array

# Two standard deviations of people without a pathology hold about 95 of 100 of them.
NORMAL_SD = 2.0
# Shorter stretches outside are not told: two curves that are a percent apart in time part by that much on a slope.
_SHORTEST_PERCENT = 3
# Nor are differences of less than this share of the panel's axis, which no eye sees: where the norms' SD is next to
# nothing, as of moments in swing, two SD are too.
_LEAST_OF_AXIS = 1 / 40


class Compared(NamedTuple):
    """A mean curve beside its norms.

    Attributes
    ----------
    level : str
        ``within``, ``outside``, or ``unknown``.
    words : str
    """

    level: str
    words: str


def band_at(band: Band) -> tuple[Array, Array]:
    """Mean and SD of a band at each percent."""
    return np.interp(PERCENT, band.percent, band.mean), np.interp(PERCENT, band.percent, band.sd)


def norm_words(norms: Norms) -> str:
    """For a legend: what the grey band is, of whom, and what the words beside the curves mean."""
    told = f"; “above” and “below” are beyond mean ± {NORMAL_SD:g} SD" if norms.judges else ""
    return f"norm, mean ± 1 SD: {norms.legend}{told}"


def against(panel: CyclePanel, pooled: Pooled | None, band: Band | None) -> Compared:
    """Where the mean curve of a side lies beyond two SD of the norms, but for impacts and the norms' own spike."""
    if pooled is None:
        return Compared("unknown", "no whole cycle")
    curve = pooled.mean(panel.column)
    if not curve.n:
        words = "known in part of a cycle only" if curve.partial else "load not known" if panel.loaded else "not known"
        return Compared("unknown", words)
    if band is None or not np.isfinite(band.sd).any():
        return Compared("unknown", "no norm")
    mean, sd = band_at(band)
    asked = np.isfinite(curve.mean) & (sd > 0) & (band.spike_until_percent <= PERCENT)
    if panel.of_joint_load:
        asked &= ~pooled.mean_impact
    apart = np.where(asked, (curve.mean - mean) / np.where(sd > 0, sd, 1), 0.0)
    seen = np.abs(curve.mean - mean) * panel.scale > _LEAST_OF_AXIS * (panel.high - panel.low)
    apart = np.where(seen, apart, 0.0)
    parts = []
    for above, way in ((True, "above"), (False, "below")):
        beyond = apart > NORMAL_SD if above else apart < -NORMAL_SD
        for first, last in runs(beyond):
            if last - first + 1 >= _SHORTEST_PERCENT:
                parts.append((first, f"{way} at {first}–{last} %"))
    if not parts:
        share = asked.mean()
        return Compared("within", "within" if share > 0.9 else f"within, where known ({100 * share:.0f} %)")
    words = _in_short([text for _, text in sorted(parts)])
    return Compared("outside", words)


def _in_short(parts: list[str]) -> str:
    """At most four stretches; further ones are counted."""
    more = f" and {len(parts) - 4} more" if len(parts) > 4 else ""
    shown, way = [], ""
    for part in parts[:4]:
        word, _, at = part.partition(" at ")
        shown.append(at if word == way else part)
        way = word
    return ", ".join(shown) + more
