"""A result written back into its trial's C3D file: numbers of the tables, labels and signs of Nexus."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import ezc3d
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gaitid.cli.results import export_command as command
from gaitid.export.source import export_result
from gaitid.read import read_trial

#: Of each point: the columns of its components in `joints.csv` and what multiplies them.
COLUMNS = {
    "LHipAngles": ("left_hip_{}_deg", ("flexion", "adduction", "internal_rotation"), 1.0),
    "RKneeAngles": ("right_knee_{}_deg", ("flexion", "adduction", "internal_rotation"), 1.0),
    "LAnkleAngles": ("left_ankle_{}_deg", ("dorsiflexion", "eversion", "internal_rotation"), 1.0),
    "RPelvisAngles": ("right_pelvis_{}_deg", ("anterior_tilt", "upward_obliquity", "internal_rotation"), 1.0),
    "RHipMoment": ("right_hip_{}_moment_Nm_per_kg", ("extension", "abduction", "external_rotation"), 1e3),
    "LKneeMoment": ("left_knee_{}_moment_Nm_per_kg", ("extension", "abduction", "external_rotation"), 1e3),
    "LAnkleMoment": ("left_ankle_{}_moment_Nm_per_kg", ("plantarflexion", "eversion", "external_rotation"), 1e3),
}


def points_in(path: Path) -> dict[str, np.ndarray]:
    """(frames, 3) by label, NaN where the residual says unknown; as ezc3d reads them."""
    c = ezc3d.c3d(str(path))
    group = c["parameters"]["POINT"]
    labels = [label for name in ("LABELS", "LABELS2") if name in group for label in group[name]["value"]]
    seen = c["data"]["meta_points"]["residuals"][0] >= 0
    xyz = np.where(seen, c["data"]["points"][:3], np.nan)
    return {label: xyz[:, i].T for i, label in enumerate(labels)}


def assert_near(values: np.ndarray, expected: np.ndarray) -> None:
    """Within what four bytes hold, and what ten digits do; unknown where unknown."""
    np.testing.assert_allclose(values, expected, rtol=2e-7, atol=1e-9)


def test_the_points_are_the_numbers_of_the_tables(record: Path, tmp_path: Path) -> None:
    done = export_result(record, "c3d", tmp_path)
    assert [path.name for path in done.files] == ["walk.c3d"]
    points, joints = points_in(done.files[0]), pd.read_csv(record.with_name("walk.joints.csv"))
    for label, (pattern, names, scale) in COLUMNS.items():
        assert_near(points[label], scale * joints[[pattern.format(name) for name in names]].to_numpy())
        assert np.isfinite(points[label]).any()
    assert_near(points["LFootProgressAngles"][:, 2], joints["left_foot_progression_internal_rotation_deg"].to_numpy())
    assert_near(points["LHipPower"][:, 2], joints["left_hip_power_W_per_kg"].to_numpy())
    segments = pd.read_csv(record.with_name("walk.segments.csv"))
    for label, joint in {"LHJC": "left_hip", "RKJC": "right_knee", "LAJC": "left_ankle"}.items():
        assert_near(points[label], 1e3 * segments[[f"{joint}_{axis}_m" for axis in "xyz"]].to_numpy())
    wrenches = pd.read_csv(record.with_name("walk.wrenches.csv"))
    mass = json.loads(record.read_text("utf-8"))["subject"]["mass"]["value"]
    for label, joint, signs in (("LHipForce", "left_hip", (1, 1, 1)), ("RAnkleForce", "right_ankle", (-1, 1, -1))):
        force = wrenches[[f"{joint}_force_distal_{axis}_N" for axis in "xyz"]].to_numpy() / mass
        assert_near(points[label], force * np.array(signs))


def test_the_file_is_the_same_trial(record: Path, made: Path, tmp_path: Path) -> None:
    """Read again it gives the same markers, plates and events, and the same bytes when exported again."""
    (path,) = export_result(record, "c3d", tmp_path / "a").files
    (other,) = export_result(record, "c3d", tmp_path / "b").files
    assert path.read_bytes() == other.read_bytes()
    before, after = read_trial(made / "walk.c3d"), read_trial(path)
    for label in before.labels:
        np.testing.assert_array_equal(before.marker(label), after.marker(label))
    for one, two in zip(before.plates, after.plates, strict=True):
        np.testing.assert_array_equal(one.force_p, two.force_p)
    assert [e.time_s for e in before.events] == [e.time_s for e in after.events]


def test_what_vicon_stores_is_met_to_its_last_digit(recorded: Callable[..., tuple[Path, Path]], tmp_path: Path) -> None:
    """With Plug-in Gait's arithmetic: signs, axes and units of every kind are those of Nexus."""
    static = "children/HC030A/static.c3d"
    trial, record = recorded("children/HC030A/walk.c3d", "--static", static, "--model", "pig_vicon")
    done = export_result(record, "c3d", tmp_path)
    assert any("suffix _gaitid" in remark for remark in done.remarks)
    points = points_in(done.files[0])
    ours = [label for label in points if label.endswith("_gaitid") and not label.endswith("JC_gaitid")]
    assert len(ours) == 28  # what the file's JC are is another model's
    for label in ours:
        theirs = points[label.removesuffix("_gaitid")]
        known = np.isfinite(points[label]).all(axis=1) & np.isfinite(theirs).all(axis=1)
        assert known.sum() > 60
        assert np.median(np.abs(points[label][known] - theirs[known])) < 1e-4, label
    assert points_in(trial).keys() < points.keys()


def typed(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(command, [str(word) for word in words], standalone_mode=False)
    return int(done.return_value or 0) if done.exception is None else -1, done.output


@pytest.mark.parametrize(("spoil", "why"), [("gone", "is not where it was"), ("changed", "is no longer the file")])
def test_a_trial_that_is_gone_or_has_changed(made: Path, tmp_path: Path, spoil: str, why: str) -> None:
    folder = tmp_path / "copied"
    shutil.copytree(made, folder)
    record = folder / "results" / "walk.run.json"
    record.write_text(record.read_text("utf-8").replace(str(made), "/gone/session"), "utf-8")
    if spoil == "gone":
        (folder / "walk.c3d").unlink()
    else:
        with (folder / "walk.c3d").open("ab") as file:
            file.write(b"\0")
    code, text = typed(record, "--to", "c3d", "-o", tmp_path / "out")
    assert code == 1
    assert why in text
    assert text.count("\n") == 1
    assert not (tmp_path / "out").exists()
