"""What records of `run --uncertainty` hold of the variance over the cycle, by source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.report.page.pool import PERCENT
from gaitid.report.result import Result
from gaitid.trial import Array

#: Sources in the order of a budget, each with what it is called; its place is the class of its colour.
SOURCES = (
    ("marker_noise", "marker noise"),
    ("soft_tissue", "soft tissue"),
    ("marker_placement", "marker placement"),
    ("hip_centre", "hip centre"),
    ("measurements", "measurements"),
    ("segment_parameters", "segment masses and inertia"),
    ("force_plates", "force plates"),
    ("timing", "timing"),
    ("cutoff", "low-pass"),
    ("markerless", "markerless estimates"),
)


def about_uncertainty(result: Result) -> Mapping[str, Any]:
    """What a record holds under ``uncertainty``; empty of a result that was run without."""
    about = result.record.get("uncertainty")
    return about if isinstance(about, Mapping) else {}


def variance_over_cycle(results: Sequence[Result], side: str, column: str) -> dict[str, Array]:
    """By source, (101,): the mean over the trials that hold it; empty without any.

    What is wrong in a session is wrong in all its trials: a mean over them is no surer.
    """
    found = [of for result in results if (of := _of_one(result, side, column))]
    sources = dict.fromkeys(source for of in found for source in of)
    return {
        source: np.asarray(sum(of.get(source, np.zeros(len(PERCENT))) for of in found) / len(found))
        for source in sources
    }


def _of_one(result: Result, side: str, column: str) -> dict[str, Array]:
    about = about_uncertainty(result)
    u = about.get("cycle", {}).get(side, {}).get(column)
    of_sources = about.get("cycle_shares_percent", {}).get(side, {}).get(column)
    if side not in result.cycles or not isinstance(u, list) or not isinstance(of_sources, Mapping):
        return {}
    if len(u) != len(PERCENT):
        return {}
    squared = np.array(u, dtype=np.float64) ** 2
    found = {}
    for source, shares in of_sources.items():
        values = np.array(shares, dtype=np.float64)
        at = np.linspace(PERCENT[0], PERCENT[-1], len(values))
        # a share that stands beside an unknown one counts for what lies between
        known = np.isfinite(values)
        found[source] = squared * np.interp(PERCENT, at[known], values[known]) / 100 if known.any() else 0 * squared
    return found
