"""A simulated foot of several segments judges the Oxford Foot Model, and leaves the legs what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gaitid
from gaitid.simulate.files import simulate

FOOT = ("hindfoot", "forefoot", "hallux", "arch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("foot")
    simulate("walk", path / "plain")
    simulate("walk", path / "foot", segmented_foot=True)
    return path


def truth_of(folder: Path, table: str) -> pd.DataFrame:
    (file,) = folder.glob(f"*.truth.{table}.csv")
    return pd.read_csv(file)


def test_the_model_finds_the_true_angles(folder: Path) -> None:
    of = folder / "foot"
    truth = truth_of(of, "joints")
    found = gaitid.analyse(of / "walk.c3d", static=of / "static.c3d", cutoff="none")
    assert found.record["model"]["name"] == "oxford_foot"
    columns = [c for c in truth.columns if c.partition("_")[2].startswith(FOOT)]
    assert len(columns) == 24
    for column in columns:
        # to the tibia as Vicon has it, with the mean widths of both legs, which are 1 mm apart
        near = 0.08 if "_tibia_" in column else 2e-3
        assert np.abs(found.joints[column] - truth[column]).max() < near, column
        assert column.startswith(("left_arch", "right_arch")) or np.ptp(truth[column]) > 4


def test_the_forefoot_turns_as_the_foot_that_it_is_fixed_to(folder: Path) -> None:
    truth = truth_of(folder / "foot", "joints")
    for side in ("left", "right"):
        for ankle, forefoot in (("dorsiflexion", "dorsiflexion"), ("internal_rotation", "adduction")):
            of_ankle, of_forefoot = truth[f"{side}_ankle_{ankle}_deg"], truth[f"{side}_forefoot_tibia_{forefoot}_deg"]
            assert np.corrcoef(of_ankle, of_forefoot)[0, 1] > 0.97


def test_legs_and_loads_are_those_of_the_walk_without_it(folder: Path) -> None:
    for table in ("wrenches", "joints"):
        plain, foot = truth_of(folder / "plain", table), truth_of(folder / "foot", table)
        pd.testing.assert_frame_equal(foot[plain.columns], plain, check_exact=True)


def test_the_power_below_the_foot_is_that_against_the_belt(tmp_path: Path) -> None:
    """On a treadmill that moves with a foot the ground gives it no power that the walk on the floor has not."""
    simulate("treadmill", tmp_path, segmented_foot=True)
    truth = truth_of(tmp_path, "joints")
    found = gaitid.analyse(tmp_path / "treadmill.c3d", static=tmp_path / "static.c3d", cutoff="none")
    for side in ("left", "right"):
        column = f"{side}_distal_foot_power_W_per_kg"
        known = found.joints[column].notna()
        assert known.sum() > 200
        assert np.abs(found.joints[column] - truth[column])[known].max() < 0.02 * np.ptp(truth[column])
