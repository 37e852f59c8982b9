"""walk.features.csv as pandas reads it: its columns, its rows, and whose they are."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.gait.feature_list import FEATURES, OPTIONAL
from gaitid.model.load import load_model
from gaitid.write.tables import table_text


def table(result: Result, name: str = "features") -> pd.DataFrame:
    return pd.read_csv(io.StringIO(table_text(name, result)))


@pytest.fixture(scope="module")
def result(simulated: Callable[..., object]) -> Result:
    walk = simulated(impact_bw=0.4, impact_absorbed=1.0)
    return analyse(walk.trial, load_model("pig", {"cutoff_hz": 7.0}), SubjectFile())  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def features(result: Result) -> pd.DataFrame:
    return table(result)


def test_the_whole_list_stands_there_for_every_cycle_in_one_order(result: Result, features: pd.DataFrame) -> None:
    assert list(features.columns) == ["side", "cycle", "feature", "value", "unit", "percent", "frame"]
    groups = features.groupby(["side", "cycle"], sort=False)
    listed = [f for f in FEATURES if f.column not in OPTIONAL]
    assert len(groups) == len(result.gait.strides) == 5
    for _, rows in groups:
        assert list(rows["feature"]) == [f.name for f in listed]
        assert list(rows["unit"]) == [f.unit for f in listed]
    assert not features.duplicated(["side", "cycle", "feature"]).any()


def test_a_peak_is_the_row_of_the_cycle_that_it_names(result: Result, features: pd.DataFrame) -> None:
    """`value` stands in cycles.csv at `percent`, and `frame` is the nearest there."""
    cycles = table(result, "cycles").set_index(["side", "cycle", "percent"])
    of = {f.name: f for f in FEATURES}
    seen = 0
    for row in features.dropna().itertuples():
        feature = of[row.feature]
        if feature.kind not in ("max", "min", "generation_max", "absorption_max"):
            continue
        cell = cycles.loc[(row.side, row.cycle, row.percent)]
        sign = -1 if feature.kind == "absorption_max" else 1
        scale = 1 / 9.81 if feature.unit == "BW" else 1
        assert row.value == pytest.approx(sign * scale * cell[feature.column], rel=1e-9), row
        ends = cell["first_frame"], cell["last_frame"]
        assert row.frame == pytest.approx(np.interp(row.percent, [0, 100], ends), abs=1.5)
        seen += 1
    assert seen > 250


def test_no_figure_of_a_joint_comes_from_an_impact(result: Result, features: pd.DataFrame) -> None:
    assert result.impacts
    units = ("Nm_per_kg", "W_per_kg")
    of_joints = features[features["unit"].isin(units) & features["frame"].notna()]
    assert len(of_joints) > 50
    for side, rows in of_joints.groupby("side"):
        mask = result.impact_frames(str(side))
        frames = rows["frame"].to_numpy(int) - result.trial.first_frame
        assert not mask[frames].any()
        # and beside it nothing is a peak
        assert not mask[np.minimum(frames + 1, len(mask) - 1)].any()


def test_an_unknown_row_of_its_phase_makes_a_figure_unknown(result: Result, features: pd.DataFrame) -> None:
    """Three of five cycles have a stance beside the plates: no moment of stance, no impulse, no work, but angles."""
    curves = curves_of(result)
    knee = curves.names.index("knee_extension_moment_Nm_per_kg")
    empty = 0
    for cycle, values in zip(curves.cycles, curves.values, strict=True):
        rows = features[(features["side"] == cycle.side) & (features["cycle"] == cycle.number)].set_index("feature")
        stance = curves.percent <= cycle.percent(cycle.off)
        if np.isfinite(values[stance, knee]).all():
            assert np.isfinite(rows.loc["knee_extension_moment_max_early_stance", "value"])
            continue
        empty += 1
        for name in (
            "knee_extension_moment_max",
            "knee_external_rotation_moment_max_stance",
            "knee_extension_moment_impulse_positive_stance",
            "knee_power_work_positive",
            "ground_reaction_upward_force_max",
            "ground_reaction_forward_impulse_negative_stance",
            "ground_reaction_upward_loading_rate_mean",
        ):
            assert np.isnan(rows.loc[name, "value"]), name
        assert np.isfinite(rows.loc["knee_flexion_angle_max", "value"])
    assert empty == 3
