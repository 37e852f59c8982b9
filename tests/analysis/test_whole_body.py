"""Trunk angles and the whole body's centre of mass of recordings: against what Plug-in Gait stored, and free bodies.

Plug-in Gait's thorax and spine are the same frames and sequences: what differs is rounding of 32-bit floats, and the
laboratory axis that it takes for the direction of walking.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import ezc3d
import numpy as np
import pytest

import gaitid
from gaitid.api.result import Analysis
from gaitid.trial import Array

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
CHILDREN = ("children/HC002D/walk.c3d", "children/HC030A/walk.c3d", "children/HC031A/walk.c3d")
STAIRS = "stairs/Movement_trial.c3d"
THORAX = ("anterior_tilt", "upward_obliquity", "internal_rotation")


@cache
def analysed(trial: str, model: str = "pig") -> Analysis:
    return gaitid.analyse(SHARED / trial, model=model)


def stored(trial: str, label: str) -> Array:
    """(frames, 3) what the file stores; NaN where it stores nothing."""
    content = ezc3d.c3d(str(SHARED / trial))
    group = content["parameters"]["POINT"]
    labels = [name for key in ("LABELS", "LABELS2") if key in group for name in group[key]["value"]]
    values = content["data"]["points"][:3, labels.index(label)].T
    return np.where(np.abs(values).sum(axis=1, keepdims=True) == 0, np.nan, values)


@recorded
@pytest.mark.parametrize("trial", [*CHILDREN, STAIRS])
def test_the_thorax_is_what_plug_in_gait_stored_but_for_the_way_of_walking(trial: str) -> None:
    angles = analysed(trial).angles
    theirs = stored(trial, "LThoraxAngles")
    ours = np.column_stack([angles[f"left_thorax_{name}_deg"] for name in THORAX])
    both = np.isfinite(ours).all(axis=1) & np.isfinite(theirs).all(axis=1)
    # who walks at an angle to the laboratory's axis is turned by it against theirs, and a leaning trunk tilts aside by
    # a part of it: less than 5 degrees of heading, of 10 degrees of tilt
    heading = float(np.median(ours[both, 2] - theirs[both, 2]))
    assert abs(heading) < 5
    np.testing.assert_allclose(ours[both, 2] - heading, theirs[both, 2], atol=0.2)
    np.testing.assert_allclose(ours[both, :2], theirs[both, :2], atol=10 * np.radians(abs(heading)) + 0.02)


@recorded
@pytest.mark.parametrize("trial", CHILDREN)
def test_the_centre_of_mass_is_near_where_plug_in_gait_stored_it(trial: str) -> None:
    analysis = analysed(trial)
    ours = analysis.com[[f"com_{axis}_m" for axis in "xyz"]].to_numpy()
    apart = 1e3 * ours - stored(trial, "CentreOfMass")
    apart = apart[np.isfinite(apart).all(axis=1)]
    assert len(apart) > 150
    # mm: its trunk is of other parts and its joints of other points; what moves must move alike
    assert np.abs(apart.mean(axis=0)).max() < 45
    assert apart.std(axis=0).max() < 5
    assert sum(s["mass_fraction"] for s in analysis.record["whole_body"]["segments"].values()) == pytest.approx(1.0)


@recorded
def test_inertia_is_in_the_axes_of_the_legs_and_mirrored_on_the_left() -> None:
    """z along each: nothing about it in Dempster's table; Dumas' products of a left arm are a right one's, mirrored."""
    record = analysed(CHILDREN[1]).record
    segments = record["whole_body"]["segments"]
    for tensor in (record["segments"]["left_thigh"]["inertia_kg_m2"], segments["trunk"]["inertia_kg_m2"]):
        assert tensor[0][0] > 0 and tensor[1][1] > 0 and tensor[2][2] == 0
    assert "z along it" in record["whole_body"]["segment_axes"]
    record = gaitid.analyse(SHARED / CHILDREN[1], model="pig", settings={"table": "dumas_2018_female"}).record
    segments = record["whole_body"]["segments"]
    units = {}
    for name in ("trunk", *(f"{side}_{arm}" for side in ("left", "right") for arm in ("upper_arm", "forearm", "hand"))):
        one = segments[name]
        units[name] = np.array(one["inertia_kg_m2"]) / (one["mass_kg"] * one["length_m"] ** 2)
    np.testing.assert_allclose(units["trunk"], np.diag([0.379, 0.361, 0.182]) ** 2, atol=1e-12)  # de Leva 1996, table 4
    # Dumas & Wojtusch 2018: r_xx 27, r_yy 14, r_zz 25, r_xy 10, r_xz 3, r_yz 13i of X forward, Y up, Z to the right
    forearm = [[0.27**2, -(0.03**2), 0.10**2], [-(0.03**2), 0.25**2, 0.13**2], [0.10**2, 0.13**2, 0.14**2]]
    np.testing.assert_allclose(units["right_forearm"], forearm, atol=1e-12)
    mirror = np.diag([1.0, -1.0, 1.0])
    for arm in ("upper_arm", "forearm", "hand"):
        np.testing.assert_allclose(units[f"left_{arm}"], mirror @ units[f"right_{arm}"] @ mirror, atol=1e-12)
        assert np.abs(units[f"left_{arm}"] - units[f"right_{arm}"]).max() > 1e-3


@recorded
def test_nothing_of_the_legs_depends_on_it() -> None:
    """A run without the upper body's markers has the same wrenches, and no column of a trunk."""
    trial = gaitid.read_trial(SHARED / CHILDREN[1])
    whole = analysed(CHILDREN[1])
    used = set(whole.record["model"]["markers"].values())
    keep = [label for label in trial.labels if label in used]
    assert "C7" not in keep
    alone = gaitid.analyse(_only(trial, keep), model="pig")
    np.testing.assert_array_equal(whole.wrenches.to_numpy(), alone.wrenches.to_numpy())
    legs = [name for name in whole.angles.columns if "thorax" not in name and "spine" not in name]
    assert list(alone.angles.columns) == legs
    assert "whole_body" not in alone.record
    assert alone.com.filter(like="com_").isna().to_numpy().all()


def _only(trial: gaitid.Trial, labels: list[str]) -> gaitid.Trial:
    from dataclasses import replace

    at = [trial.labels.index(label) for label in labels]
    return replace(trial, labels=tuple(labels), points_g=trial.points_g[:, at])


@recorded
@pytest.mark.parametrize(
    ("trial", "beside"),
    [("wild/gait2392/walk.trc", {"forces": "wild/gait2392/walk_grf.mot"}), ("wild/isb_bone_names/walk.c3d", {})],
)
def test_an_open_gap_of_an_arm_or_a_head_costs_the_centre_of_mass_there(trial: str, beside: dict[str, str]) -> None:
    from dataclasses import replace

    static = next((SHARED / trial).parent.glob("static.*"))
    given = {name: SHARED / file for name, file in beside.items()}
    whole = gaitid.read_trial(SHARED / trial, **given)
    label = gaitid.analyse(whole, model="auto", static=static).record["whole_body"]["markers"]["left.wrist_ulnar"]
    points_g = whole.points_g.copy()
    points_g[60:115, whole.labels.index(label)] = np.nan  # most roles of the model have no marker at all here
    found = gaitid.analyse(replace(whole, points_g=points_g), model="auto", static=static)
    known = np.isfinite(found.com["com_x_m"].to_numpy())
    assert not known[65:105].any()
    assert known[:60].any()
