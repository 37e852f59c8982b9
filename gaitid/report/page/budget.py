"""The budget over the cycle as a stacked picture: how unsure each joint is, and what makes it so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.report.page.panels import PANELS
from gaitid.report.page.pool import PERCENT
from gaitid.report.page.svg import HEIGHT, WIDTH, axes, band, line, scale_for
from gaitid.report.page.variance import SOURCES, variance_over_cycle
from gaitid.report.panels import SIDES
from gaitid.report.result import Result
from gaitid.report.text import escape
from gaitid.trial import Array

#: What the picture is drawn of, in the order of the panels.
COLUMNS = (
    "hip_extension_moment_Nm_per_kg",
    "knee_extension_moment_Nm_per_kg",
    "ankle_plantarflexion_moment_Nm_per_kg",
    "hip_abduction_moment_Nm_per_kg",
    "hip_flexion_deg",
    "knee_flexion_deg",
    "ankle_dorsiflexion_deg",
    "hip_internal_rotation_deg",
)
_UNITS = {"moment_Nm_per_kg": "N·m/kg", "deg": "°"}


def layers(variance: Mapping[str, Array]) -> list[tuple[int, Array, Array]]:
    """Of each source its place in `SOURCES`, and the lines between which it lies: together the standard uncertainty.

    Parameters
    ----------
    variance : mapping of source to (points,) array

    Returns
    -------
    list of (int, (points,) array, (points,) array)
        From below. A layer is as high as its share of the variance, times the standard uncertainty.
    """
    total = np.asarray(sum(variance.values()))
    height = np.sqrt(total) / np.where(total > 0, total, np.nan)
    found = []
    low = np.where(np.isfinite(total), 0.0, np.nan)
    for i, (source, _) in enumerate(SOURCES):
        if source in variance and np.nanmax(variance[source], initial=0.0) > 0:
            high = low + np.nan_to_num(variance[source] * height)
            found.append((i, low, high))
            low = high
    return found


def budget_html(results: Sequence[Result]) -> str:
    """Panels of each side; empty where no record holds a budget over the cycle."""
    panels = [_panel(results, side, column) for column in COLUMNS for side in SIDES]
    drawn = "".join(panel for panel in panels if panel)
    if not drawn:
        return ""
    return (
        "<details open><summary>The budget over the cycle</summary><p>The upper edge is the standard uncertainty; each "
        "colour is as high as its share of the variance. Colours as in the bars beneath.</p>"
        f'<div class="panels">{drawn}</div></details>'
    )


def _panel(results: Sequence[Result], side: str, column: str) -> str:
    variance = variance_over_cycle(results, side, column)
    if not variance or column not in PANELS:
        return ""
    found = layers(variance)
    if not found:
        return ""
    _, _, top = found[-1]
    scale = scale_for(0.0, 1.15 * float(np.nanmax(top)), top)
    title = f"{side.capitalize()}: {PANELS[column].title}"
    unit = next(unit for end, unit in _UNITS.items() if column.endswith(end))
    areas = "".join(f'<path class="src s{i}" d="{band(scale, PERCENT, low, high)}"/>' for i, low, high in found)
    label = escape(f"{title}: standard uncertainty over the cycle, stacked by source")
    return (
        f'<figure class="panel"><figcaption><b>{escape(title)}</b> <span class="unit">± {unit}</span></figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{axes(scale, range(0, 101, 20), "", "")}'
        f'{areas}<path class="sum" d="{line(scale, PERCENT, top)}"/></svg></figure>'
    )
