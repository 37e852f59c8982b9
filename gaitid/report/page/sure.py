"""How sure is each number, and where does a mean curve leave the norms: bands over the curves, words beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.drawing import Scale, area, path, scale_for
from gaitid.norms import Band, Norms
from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple
from gaitid.report.page import CYCLE, PERCENT, Basis, Pooled
from gaitid.report.page.messages import named
from gaitid.report.panels import AT_A_GLANCE, PANELS, SIDES, CyclePanel
from gaitid.report.text import fixed
from gaitid.results.result import Result
from gaitid.trial import Array
from gaitid.uncertainty.sources import SOURCES
from gaitid.uncertainty.usable import COVERAGE_FACTOR, UsableFor, from_records

_LABELS = [source.label for source in SOURCES.values()]
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
# As they are shown, and decimals.
_UNITS = {"Nm_per_kg": ("N·m/kg", 2), "W_per_kg": ("W/kg", 2), "deg": ("°", 1)}


def _numbers(given: object) -> Array:
    """Numbers and nulls of a record, NaN for these; none of anything else, as of a record that somebody edited."""
    if not isinstance(given, list) or not all(of is None or isinstance(of, int | float) for of in given):
        return np.empty(0)
    return np.array(given, dtype=np.float64)


def standard_over_cycle(results: Sequence[Result], side: str, column: str, points: int) -> Array | None:
    """(points,) standard uncertainty over the cycle, root mean square of the trials that have one; None without any."""
    given = [_numbers(result.record_at("uncertainty", "cycle", side, column)) for result in results]
    outcome = np.array([of for of in given if len(of) == points])
    if not len(outcome):
        return None
    count = np.isfinite(outcome).sum(axis=0)
    return np.asarray(np.sqrt(np.nan_to_num(outcome**2).sum(axis=0) / np.where(count > 0, count, np.nan)))


class PeakRow(NamedTuple):
    """A peak with its uncertainty.

    Attributes
    ----------
    trial, side, quantity, unit : str
    value, standard, band : str
    shares : list of (number of the colour, percent)
    in_words : list of str
        The shares of a percent or more, the largest first.
    would_help : str
    """

    trial: str
    side: str
    quantity: str
    unit: str
    value: str
    standard: str
    band: str
    shares: list[tuple[int, float]]
    in_words: list[str]
    would_help: str


class Budget(NamedTuple):
    """The standard uncertainty of a curve over the cycle, stacked by source: areas by their colour, and their edge."""

    title: str
    unit: str
    scale: Scale
    areas: list[tuple[int, str]]
    edge: str


class Sure(NamedTuple):
    """How sure the numbers are.

    Attributes
    ----------
    labels : sequence of str
        Of the sources, by the numbers of their colours.
    left_out : list of str
    usable : mapping of (joint, motion, quantity) to mapping of side to UsableFor
    usable_sides : list of str
    budgets : list of Budget
    peaks : list of PeakRow
    """

    labels: Sequence[str]
    left_out: list[str]
    usable: Mapping[tuple[str, str, str], Mapping[str, UsableFor]]
    usable_sides: list[str]
    budgets: list[Budget]
    peaks: list[PeakRow]


def sure(results: Sequence[Result]) -> Sure | None:
    """Peaks with their bands and budgets; None where no trial was run with ``--uncertainty``."""
    given = [(name, about) for name, result in named(results) if (about := result.mapping("uncertainty"))]
    if not given:
        return None
    rows = [
        _row(peak, name)
        for name, about in given
        for peak in about.get("peaks", [])
        if isinstance(peak, Mapping)
        and all(isinstance(peak.get(of), int | float) for of in ("value", "standard_uncertainty"))
    ]
    left_out = dict.fromkeys(str(text) for _, about in given for text in about.get("left_out", []))
    usable: dict[tuple[str, str, str], dict[str, UsableFor]] = {}
    for one in from_records((entry for result in results for entry in result.mappings("verdict", "usable_for")), {}):
        usable.setdefault((one.joint, one.motion, one.quantity), {})[one.side] = one
    sides = [side for side in SIDES if any(side in by_side for by_side in usable.values())]
    return Sure(_LABELS, list(left_out), usable, sides, budgets(results), rows)


def _row(peak: Mapping[str, Any], name: str) -> PeakRow:
    value, u, key = float(peak["value"]), float(peak["standard_uncertainty"]), str(peak.get("unit", ""))
    unit, decimals = _UNITS.get(key, (key, 2))
    shares = peak.get("shares_percent", {})
    given = [shares.get(source) if isinstance(shares, Mapping) else None for source in SOURCES]
    known = [(i, float(share)) for i, share in enumerate(given) if isinstance(share, int | float)]
    in_words = [(share, f"{_LABELS[i]} {share:.0f} %") for i, share in known if share >= 1]
    side = str(peak.get("side", ""))
    return PeakRow(
        name,
        side if side in SIDES else "",
        str(peak.get("feature", "")).replace("_", " "),
        unit,
        fixed(value, decimals),
        fixed(u, decimals),
        " to ".join(fixed(value + way * COVERAGE_FACTOR * u, decimals) for way in (-1, 1)),
        [(i, share) for i, share in known if share > 0],
        [text for _, text in sorted(in_words, reverse=True)],
        str(peak.get("would_help", "")),
    )


# --- the budget over the cycle ----------------------------------------------------------------------------------------


def variance_over_cycle(results: Sequence[Result], side: str, column: str) -> dict[str, Array]:
    """By source, (101,): the mean over the trials that hold it; empty without any.

    What is wrong in a session is wrong in all its trials: a mean over them is no surer.
    """
    collected = [of for result in results if (of := _of_one(result, side, column))]
    sources = dict.fromkeys(source for of in collected for source in of)
    return {
        source: np.asarray(sum(of.get(source, np.zeros(len(PERCENT))) for of in collected) / len(collected))
        for source in sources
    }


def _of_one(result: Result, side: str, column: str) -> dict[str, Array]:
    u = _numbers(result.record_at("uncertainty", "cycle", side, column))
    if side not in result.cycles or len(u) != len(PERCENT):
        return {}
    squared = u**2
    results = {}
    for source, shares in result.mapping("uncertainty", "cycle_shares_percent", side, column).items():
        values = _numbers(shares)
        at = np.linspace(PERCENT[0], PERCENT[-1], len(values))
        # a share that stands beside an unknown one counts for what lies between
        known = np.isfinite(values)
        results[source] = squared * np.interp(PERCENT, at[known], values[known]) / 100 if known.any() else 0 * squared
    return results


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
    results = []
    low = np.where(np.isfinite(total), 0.0, np.nan)
    for i, source in enumerate(SOURCES):
        if source in variance and np.nanmax(variance[source], initial=0.0) > 0:
            high = low + np.nan_to_num(variance[source] * height)
            results.append((i, low, high))
            low = high
    return results


def budgets(results: Sequence[Result]) -> list[Budget]:
    """Of each side; none where no record holds a budget over the cycle."""
    collected = []
    for column, side in ((column, side) for column in COLUMNS for side in SIDES):
        of = layers(variance_over_cycle(results, side, column))
        if not of:
            continue
        _, _, top = of[-1]
        scale = scale_for(0.0, 1.15 * float(np.nanmax(top)), top)
        title, areas = (
            f"{side.capitalize()}: {PANELS[column].title}",
            [(i, area(scale, PERCENT, *ends)) for i, *ends in of],
        )
        collected.append(Budget(title, PANELS[column].unit, scale, areas, path(scale, PERCENT, top)))
    return collected


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
    words = f"; “above” and “below” are beyond mean ± {NORMAL_SD:g} SD" if norms.judges else ""
    return f"norm, mean ± 1 SD: {norms.legend}{words}"


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
    results = [
        (first, f"{way} at ", f"{first}–{after - 1} %")
        for way, beyond in (("above", apart > NORMAL_SD), ("below", apart < -NORMAL_SD))
        for first, after in spans(beyond)
        if after - first >= SHORTEST_PERCENT
    ]
    if not results:
        share = asked.mean()
        return Compared("within", "within" if share > 0.9 else f"within, where known ({100 * share:.0f} %)")
    words, before = [], ""
    for _, way, at in sorted(results)[:4]:
        words.append(at if way == before else way + at)
        before = way
    return Compared("outside", ", ".join(words) + (f" and {len(results) - 4} more" if len(results) > 4 else ""))


class Glance(NamedTuple):
    """Where the mean curves lie beside the norms.

    Attributes
    ----------
    why : str
        Which norms, or why none.
    rows : list of (title, left and right)
        Of the sagittal plane, and powers; none where nothing is held against norms.
    outside : list of str
        Other curves that leave them.
    looked_at : int
        How many other curves there are.
    """

    why: str
    rows: Sequence[tuple[str, Sequence[Compared]]] = ()
    outside: Sequence[str] = ()
    looked_at: int = 0
    normal_sd: float = NORMAL_SD


def glance(basis: Basis, norms: Norms | None, why: str) -> Glance:
    """Where the mean curves of the sagittal plane lie beside the norms, in words."""
    if norms is None or not norms.judges or basis.kind != CYCLE:
        return Glance(why)
    rows, outside, looked_at = [], [], 0
    for column, panel in PANELS.items():
        if (band := norms.bands.get(column)) is None or band.borrowed:
            continue
        results = {side: against(panel, basis.sides.get(side), band) for side in SIDES}
        if column not in AT_A_GLANCE:  # frontal and transverse plane, ground reaction
            looked_at += sum(of.level != "unknown" for of in results.values())
            if beyond := [side for side, of in results.items() if of.level == "outside"]:
                which = "both" if len(beyond) == len(SIDES) else beyond[0]
                outside.append(f"{panel.title[:1].lower()}{panel.title[1:]} ({which})")
        elif any(column in pooled.curves.columns for pooled in basis.sides.values()):
            rows.append((panel.title, list(results.values())))
    return Glance(why, rows, outside, looked_at)
