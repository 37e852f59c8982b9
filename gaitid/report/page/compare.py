"""A side's mean curve beside the norms, in words: where it leaves the band of two standard deviations."""

from __future__ import annotations

import numpy as np

from gaitid.norms import Band, Norms
from gaitid.records import NamedTuple
from gaitid.report.page.pool import CYCLE, PERCENT, Basis, Pooled
from gaitid.report.panels import AT_A_GLANCE, PANELS, SIDES, CyclePanel
from gaitid.report.stance import runs
from gaitid.report.text import escape
from gaitid.trial import Array

# Two standard deviations of people without a pathology hold about 95 of 100 of them.
NORMAL_SD = 2.0
#: Shorter stretches are not told: two curves that are a percent apart in time part by that much on a slope.
SHORTEST_PERCENT = 3
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
        unknown = "load not known" if panel.loaded else "not known"
        return Compared("unknown", "known in part of a cycle only" if curve.part.any() else unknown)
    if band is None or not np.isfinite(band.sd).any():
        return Compared("unknown", "no norm")
    mean, sd = band_at(band)
    asked = np.isfinite(curve.mean) & (sd > 0) & (band.spike_until_percent <= PERCENT)
    asked &= ~(pooled.mean_impact & panel.of_joint_load)
    apart = np.where(asked, (curve.mean - mean) / np.where(sd > 0, sd, 1), 0.0)
    seen = np.abs(curve.mean - mean) * panel.scale > _LEAST_OF_AXIS * (panel.high - panel.low)
    apart = np.where(seen, apart, 0.0)
    found = [
        (first, f"{way} at ", f"{first}–{last} %")
        for way, beyond in (("above", apart > NORMAL_SD), ("below", apart < -NORMAL_SD))
        for first, last in runs(beyond)
        if last - first + 1 >= SHORTEST_PERCENT
    ]
    if not found:
        share = asked.mean()
        return Compared("within", "within" if share > 0.9 else f"within, where known ({100 * share:.0f} %)")
    words, before = [], ""
    for _, way, at in sorted(found)[:4]:
        words.append(at if way == before else way + at)
        before = way
    return Compared("outside", ", ".join(words) + (f" and {len(found) - 4} more" if len(found) > 4 else ""))


def glance_html(basis: Basis, norms: Norms | None, why: str) -> str:
    """Where the mean curves of the sagittal plane lie beside the norms, in words."""
    sentence = f'<p class="note">{escape(why[:1].upper() + why[1:])}</p>' if why else ""
    heading = f'<section aria-label="Within normal?"><h2>Within normal?</h2>{sentence}'
    if norms is None or not norms.judges or basis.kind != CYCLE:
        return f"{heading}</section>"
    rows, outside, looked_at = [], [], 0
    for column, panel in PANELS.items():
        if (band := norms.bands.get(column)) is None:
            continue
        found = {side: against(panel, basis.sides.get(side), band) for side in SIDES}
        if column not in AT_A_GLANCE:  # frontal and transverse plane, ground reaction
            looked_at += sum(of.level != "unknown" for of in found.values())
            if beyond := [side for side, of in found.items() if of.level == "outside"]:
                which = "both" if len(beyond) == len(SIDES) else beyond[0]
                outside.append(f"{panel.title[:1].lower()}{panel.title[1:]} ({which})")
        elif any(column in pooled.curves.columns for pooled in basis.sides.values()):
            cells = "".join(f'<td class="{of.level}">{escape(of.words)}</td>' for of in found.values())
            rows.append(f'<tr><th scope="row">{escape(panel.title)}</th>{cells}</tr>')
    if not rows:
        return f"{heading}</section>"
    elsewhere = "Other planes: no curve is held against norms."
    if looked_at:
        elsewhere = f"Outside in other planes, of {looked_at} curves drawn over norms below: "
        elsewhere += f"{', '.join(outside) or 'none'}."
    return (
        f'{heading}<div class="scroll"><table class="glance"><thead><tr><th scope="col">Curve</th>'
        '<th scope="col" class="left">Left</th><th scope="col" class="right">Right</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div><p>{escape(elsewhere)}</p>"
        '<p class="note">The table is of the sagittal plane and of powers alone. Within: the mean curve stays inside '
        f"the norm’s mean ± {NORMAL_SD:g} SD, twice the grey band of the curves; else where in the cycle it is beyond, "
        "for 3 % of the cycle or more. At any one instant a person in twenty without a pathology is beyond, too: short "
        "stretches alone are no finding. Impacts of the foot strike are left out.</p></section>"
    )
