"""Of stored poses and key points: their own errors, and none of markers on skin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from any_markers import marked

import gaitid
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.simulate.files import simulate
from gaitid.trial import Array
from gaitid.uncertainty.estimate import estimate
from gaitid.uncertainty.sources import read_sources

#: What is on skin, or stands for a centre that markers do not show.
SKIN = {"soft_tissue", "marker_placement", "hip_centre"}


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("poses")
    simulate("walk", made, segments=True)
    return made / "walk.c3d"


def own(folder: Path, sizes: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(f"gaitid_uncertainty: 1\nsources:\n  markerless: {{{sizes}, source: ours}}\n", encoding="utf-8")
    return path


def standard(r: gaitid.Analysis, column: str) -> Array:
    table = r.uncertainty
    return np.asarray(table[table["column"] == column]["standard_uncertainty"], dtype=float)


def test_poses_that_are_turned_turn_the_joints_between_them(walk: Path, tmp_path: Path) -> None:
    r = gaitid.analyse(walk, uncertainty=own(tmp_path, "pose_turn_deg: 2, pose_turn_about_length_deg: 6"))
    # deg: two segments about one axis; 5 %: the axes of a joint are not quite square to each other
    for column, expected in (("knee_flexion", np.hypot(2, 2)), ("hip_internal_rotation", np.hypot(2, 6))):
        found = standard(r, f"left_{column}_deg")
        assert np.nanmedian(found) == pytest.approx(expected, rel=0.05)
    assert np.nanmax(standard(r, "left_ankle_force_global_z_N")) < 2  # of 770: what the foot's own mass makes


def test_a_pose_that_is_shifted_is_a_lever_of_the_force(walk: Path, tmp_path: Path) -> None:
    r = gaitid.analyse(walk, uncertainty=own(tmp_path, "pose_origin_mm: 10"))
    u = standard(r, "left_ankle_moment_global_y_Nm")
    force = np.hypot(r.wrenches["left_ankle_force_global_x_N"], r.wrenches["left_ankle_force_global_z_N"])
    loaded = (force > 300) & np.isfinite(u)
    assert loaded.sum() > 30
    np.testing.assert_allclose(u[loaded], 0.01 * force[loaded], rtol=0.03)  # what the foot's weight moves with it


def test_what_is_estimated_has_no_skin(walk: Path) -> None:
    poses = gaitid.analyse(walk, uncertainty=True).record["uncertainty"]["columns"]
    recorded = marked("keypoints")
    result = analyse(recorded.trial, load_model("keypoints"), SubjectFile(), recorded.static)
    points = estimate(result, read_sources("default")).record()["columns"]
    for columns in (poses, points):
        shares = [about["shares_percent"] for about in columns.values()]
        assert shares and not any(SKIN & set(of) for of in shares)
        assert all(of["markerless"] > 0 for of in shares)
