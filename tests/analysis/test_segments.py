"""The model `segments` on simulated poses: exact wrenches and angles, gaps empty, plates in the file and beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gaitid
from gaitid.simulate.files import simulate
from gaitid.trial import Trial

MOMENTS = [
    f"{side}_{joint}_moment_global_{axis}_Nm"
    for side in ("left", "right")
    for joint in ("ankle", "knee", "hip")
    for axis in "xyz"
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("segments")
    simulate("walk", made, segments=True)
    return made


def truth(folder: Path, table: str) -> pd.DataFrame:
    return pd.read_csv(folder / f"walk.truth.{table}.csv")


def largest(off: Any) -> float:
    return float(np.nanmax(np.abs(off.to_numpy())))


def test_moments_are_those_of_the_truth(folder: Path) -> None:
    r = gaitid.analyse(folder / "walk.c3d", cutoff="none")
    assert r.record["model"]["name"] == "segments"  # chosen: no model with markers fits
    off = r.wrenches[MOMENTS] - truth(folder, "wrenches")[MOMENTS]
    # two plates, 100 Hz, reals of four bytes: splines of positions to 1e-6 m
    assert largest(off) < 0.05  # N·m, of 94
    for side in ("left", "right"):
        known = np.isfinite(r.wrenches[f"{side}_ankle_moment_global_y_Nm"])
        assert known.mean() > 0.5  # swing, and the stance on a plate


def test_angles_are_those_of_the_truth(folder: Path) -> None:
    r = gaitid.analyse(folder / "walk.c3d", cutoff="none")
    planes = {
        "pelvis": ("anterior_tilt", "upward_obliquity", "internal_rotation"),
        "hip": ("flexion", "adduction", "internal_rotation"),
        "knee": ("flexion", "adduction", "internal_rotation"),
    }
    # deg; forward is the way of the middle of the hips here, of the ASIS in the truth
    for joint, limit in (("pelvis", 0.1), ("hip", 1e-3), ("knee", 1e-3)):
        columns = [f"{side}_{joint}_{plane}_deg" for side in ("left", "right") for plane in planes[joint]]
        assert largest(r.angles[columns] - truth(folder, "joints")[columns]) < limit


def test_forces_beside_a_file_without_plates_are_the_same(folder: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"forces": folder / "walk.forces.csv", "plates": folder / "walk.plates.yaml"}
    with pytest.raises(gaitid.GaitidError, match="holds its own forces"):
        gaitid.analyse(folder / "walk.c3d", **given)
    # no group of plates under its name: a file of poses, and analog channels that nothing explains
    content = (folder / "walk.c3d").read_bytes()
    without = tmp_path / "walk.c3d"
    without.write_bytes(content.replace(b"FORCE_PLATFORM", b"FORCE_PLATFXXX", 1))
    assert gaitid.read_trial(without).plates == ()
    subject = {"mass_kg": 70}
    beside = gaitid.analyse(without, subject=subject, cutoff="none", **given)
    inside = gaitid.analyse(folder / "walk.c3d", subject=subject, cutoff="none")
    assert largest(beside.wrenches[MOMENTS] - inside.wrenches[MOMENTS]) < 0.01  # N·m: the table has ten digits


def test_a_gap_is_empty_and_the_rest_is_known(tmp_path: Path) -> None:
    simulate("walk", tmp_path, segments=True, gap_count=1, gap_frames=60, seed=3)
    r = gaitid.analyse(tmp_path / "walk.c3d", cutoff="none")
    flexion = r.angles["left_knee_flexion_deg"]
    assert 60 <= flexion.isna().sum() <= 60 + 20  # the gap, and the frames at its edges and the trial's ends
    off = r.angles[["left_knee_flexion_deg"]] - truth(tmp_path, "joints")[["left_knee_flexion_deg"]]
    assert largest(off) < 1e-2


def test_noise_on_poses_is_filtered(tmp_path: Path) -> None:
    simulate("walk", tmp_path, segments=True, marker_noise_mm=1.0, seed=1)
    r = gaitid.analyse(tmp_path / "walk.c3d")
    assert r.record["settings"]["cutoff_hz"] < 15
    off = r.wrenches[MOMENTS] - truth(tmp_path, "wrenches")[MOMENTS]
    assert float(np.sqrt(np.nanmean(off.to_numpy() ** 2))) < 3


def test_markers_come_before_poses(folder: Path) -> None:
    """A file that holds both is computed from its markers."""
    poses = gaitid.read_trial(folder / "walk.c3d")
    table = pd.read_csv(folder / "walk.csv")
    labels = [name[:-5] for name in table if name.endswith("_x_mm")]
    markers = np.stack([table[[f"{label}_{x}_mm" for x in "xyz"]].to_numpy() / 1e3 for label in labels], axis=1)
    both = Trial(
        path=Path("both.c3d"), rate_hz=poses.rate_hz, first_frame=1, labels=(*labels, *poses.labels),
        points_g=np.concatenate([markers, poses.points_g], axis=1), plates=poses.plates, segments=poses.segments,
    )  # fmt: skip
    assert both.marker_labels == tuple(labels)
    subject = {"mass_kg": 70, **{f"{s}_{k}": v for s in ("left", "right") for k, v in
               (("leg_length_mm", 920), ("knee_width_mm", 104), ("ankle_width_mm", 72),
                ("static_plantar_flexion_rad", 0.25), ("static_rotation_offset_rad", 0.05))}}  # fmt: skip
    assert gaitid.analyse(both, subject=subject).record["model"]["name"] == "pig"
    assert gaitid.analyse(both, model="segments", subject=subject).record["model"]["name"] == "segments"
