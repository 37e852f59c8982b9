"""Gait Profile Scores, and both sides side by side, as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from gaitid.gait.asymmetry import Asymmetry, asymmetry
from gaitid.norms import profile_for


def scores_of(
    record: Mapping[str, Any], cycles: pd.DataFrame, strides: pd.DataFrame, norms: str | None
) -> pd.DataFrame:
    """Scores of one result by side and variable, as `gaitid.Analysis.scores` has them."""
    columns = [name for name in cycles.columns if name.endswith("_deg")]
    curves = {
        str(side): {name: of_side[name].to_numpy(float).reshape(of_side["cycle"].nunique(), -1) for name in columns}
        for side, of_side in cycles.groupby("side")
    }
    speed = strides.loc[(strides["side"] == "both") & (strides["cycle"] == "mean"), "speed_m_per_s"]
    profile, why = profile_for(norms, record, float(speed.iloc[0]) if len(speed) else float("nan"), curves)
    rows: list[tuple[str, str, float, float]] = []
    if profile is not None:
        for side, of in profile.scores.items():
            rows += [(side, name, score, profile.band_scores[name]) for name, score in of.items()]
        totals = {"left": profile.left, "right": profile.right, "both": profile.overall}
        for side, total in totals.items():
            of_norm = profile.band_overall if side == "both" else profile.band_side
            rows.append((side, "gait_profile_score", total, of_norm))
    found = pd.DataFrame(rows, columns=["side", "variable", "score_deg", "norm_deg"])
    found.attrs |= {"norms": "" if profile is None else profile.norms, "no_scores_because": why}
    return found


def asymmetries_of(features: pd.DataFrame) -> pd.DataFrame:
    """Both sides of each feature, as `gaitid.Analysis.asymmetry` has them."""
    means = features.pivot_table("value", ["feature", "unit"], "side", "mean", sort=False)
    both = means.reindex(columns=["left", "right"]).dropna().reset_index().rename_axis(columns=None)
    found = [asymmetry(row.left, row.right, row.feature, row.unit) for row in both.itertuples()]
    return both.join(pd.DataFrame(found, columns=list(Asymmetry._fields), index=both.index))
