"""Movement Analysis Profile and Gait Profile Score.

Baker R, McGinley JL, Schwartz MH, et al. (2009) The Gait Profile Score and Movement Analysis Profile. Gait Posture
30:265-269: the root mean square of the difference between a subject's curve and the mean of people without a
pathology, over the cycle in steps of 2 %, is the Gait Variable Score of a variable; the nine (or fifteen) variables'
root mean square is the Gait Profile Score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from gaitid.norms.types import Array, Norms
from gaitid.records import frozen_dataclass

#: The nine variables of a side, columns of ``cycles.csv`` without side.
VARIABLES = (
    "pelvis_anterior_tilt_deg",
    "pelvis_upward_obliquity_deg",
    "pelvis_internal_rotation_deg",
    "hip_flexion_deg",
    "hip_adduction_deg",
    "hip_internal_rotation_deg",
    "knee_flexion_deg",
    "ankle_dorsiflexion_deg",
    "foot_progression_internal_rotation_deg",
)
#: Those that both sides share: in the overall score they count once, from the left.
PELVIS = VARIABLES[:3]
#: Why no Gait Deviation Index stands beside them.
NO_GDI = (
    "The Gait Deviation Index (Schwartz & Rozumalski 2008) is not given: its 15 features are in an addendum of the "
    "publisher's, of which no copy with a licence was found, and features of people without a pathology alone do not "
    "span what it measures."
)
#: % of the cycle.
STEPS = np.arange(0.0, 101.0, 2.0)


@frozen_dataclass()
class GaitProfile:
    """Gait Variable Scores (degrees) by side and variable, and Gait Profile Scores (degrees).

    Attributes
    ----------
    scores : mapping of str to mapping of str to float
        ``scores["left"]["hip_flexion_deg"]``: the Movement Analysis Profile. A side without every variable is left out.
    left, right, overall : float
        NaN where a side is left out.
    band_scores : mapping of str to float
        Of each variable, the root mean square of the scores of the people whom the band is of: it follows from the
        band's own standard deviation. NaN where that is not known.
    band_side, band_overall : float
        The same of their Gait Profile Scores.
    norms : str
        Name of the norms.
    """

    scores: Mapping[str, Mapping[str, float]]
    left: float
    right: float
    overall: float
    band_scores: Mapping[str, float]
    band_side: float
    band_overall: float
    norms: str


def gait_profile(left: Mapping[str, Array], right: Mapping[str, Array], norms: Norms) -> GaitProfile | None:
    """Movement Analysis Profile and Gait Profile Score of curves against the means of `norms`.

    Parameters
    ----------
    left, right : mapping of str to (101,) or (cycles, 101) array
        Columns of ``cycles.csv`` at 0, 1, ..., 100 %. Of several cycles the squares are averaged over all; a cycle
        with an unknown value in any variable is left out.
    norms : Norms

    Returns
    -------
    GaitProfile or None
        None where the norms lack one of the nine variables, or neither side has a cycle with all of them.
    """
    if any(variable not in norms.bands for variable in VARIABLES):
        return None
    sides = {"left": _scores(left, norms), "right": _scores(right, norms)}
    if not any(sides.values()):
        return None
    whole = {side: scores for side, scores in sides.items() if scores}
    of_band = {v: _root_mean_square(np.interp(STEPS, norms.bands[v].percent, norms.bands[v].sd)) for v in VARIABLES}
    return GaitProfile(
        scores=whole,
        left=_root_mean_square(sides["left"].values()),
        right=_root_mean_square(sides["right"].values()),
        overall=_overall(sides["left"], sides["right"]),
        band_scores=of_band,
        band_side=_root_mean_square(of_band.values()),
        band_overall=_overall(of_band, of_band),
        norms=norms.name,
    )


def _scores(curves: Mapping[str, Array], norms: Norms) -> dict[str, float]:
    """The Gait Variable Score of each variable; empty where no cycle has all."""
    if any(variable not in curves for variable in VARIABLES):
        return {}
    differences = np.stack([_difference(curves[variable], norms, variable) for variable in VARIABLES])
    differences = differences[:, np.isfinite(differences).all(axis=(0, 2))]
    if differences.shape[1] == 0:
        return {}
    return dict(zip(VARIABLES, np.sqrt((differences**2).mean(axis=(1, 2))).tolist(), strict=True))


def _difference(curves: Array, norms: Norms, variable: str) -> Array:
    """(cycles, 51) difference from the mean of the norms at 0, 2, ..., 100 %."""
    band = norms.bands[variable]
    cycles = np.atleast_2d(np.asarray(curves, dtype=float))
    at = np.linspace(0.0, 100.0, cycles.shape[1])
    sampled = np.stack([np.interp(STEPS, at, cycle) for cycle in cycles]) if len(cycles) else np.empty((0, len(STEPS)))
    return np.asarray(sampled - np.interp(STEPS, band.percent, band.mean))


def _overall(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """Of the nine variables of the left and the right's six but for the pelvis; NaN where one is missing."""
    scores = [left.get(v, np.nan) for v in VARIABLES] + [right.get(v, np.nan) for v in VARIABLES if v not in PELVIS]
    return _root_mean_square(scores)


def _root_mean_square(values: Iterable[float]) -> float:
    numbers = np.fromiter(values, dtype=np.float64)
    return float(np.sqrt((numbers**2).mean())) if len(numbers) else float("nan")
