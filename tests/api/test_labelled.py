"""`to_xarray`: each number stands where its column says, with its unit."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import gaitid

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
needs_xarray = pytest.mark.skipif(find_spec("xarray") is None, reason="xarray is not installed (pip install xarray)")


@needs_xarray
def test_every_number_of_joints_and_wrenches_stands_under_its_side_joint_and_plane() -> None:
    r = gaitid.analyse(WALK)
    d = r.to_xarray()
    assert d.angle.dims == d.moment.dims == ("time", "side", "joint", "plane")
    assert d.joint_force_global.dims == ("time", "side", "joint", "axis")
    np.testing.assert_array_equal(d.time, r.joints["time_s"])
    np.testing.assert_array_equal(d.frame, r.joints["frame"])
    units = {name: d[name].attrs["units"] for name in ("angle", "moment", "power", "joint_force_global", "ground_cop")}
    assert list(units.values()) == ["deg", "N.m/kg", "W/kg", "N", "m"]
    numbers = sum(int(np.isfinite(values).sum()) for values in d.data_vars.values())
    assert numbers == sum(int(np.isfinite(t.iloc[:, 2:].to_numpy()).sum()) for t in (r.joints, r.wrenches))
    for kind, end in (("angle", "deg"), ("moment", "moment_Nm_per_kg")):
        for joint in ("hip", "knee", "ankle"):
            for plane in ("sagittal", "frontal", "transverse"):
                cell = d[kind].sel(side="right", joint=joint, plane=plane)
                column = f"right_{joint}_{cell[f'{kind}_positive'].item()}_{end}"
                np.testing.assert_array_equal(cell, r.joints[column])
    knee = d.joint_moment_distal.sel(side="left", joint="knee", axis="y")
    np.testing.assert_array_equal(knee, r.wrenches["left_knee_moment_distal_y_Nm"])
    assert np.isnan(d.moment.sel(joint="pelvis")).all()


@needs_xarray
def test_cycles_stand_one_below_the_other() -> None:
    r = gaitid.analyse(WALK)
    d = r.to_xarray("percent")
    assert d.angle.dims == ("cycle", "percent", "side", "joint", "plane")
    for (side, cycle), of in r.cycles.groupby(["side", "cycle"]):
        knee = d.angle.sel(side=side, cycle=cycle, joint="knee", plane="sagittal")
        np.testing.assert_array_equal(knee, of["knee_flexion_deg"])
        assert d.first_frame.sel(side=side, cycle=cycle) == of["first_frame"].iloc[0]
    assert np.isnan(d.angle.sel(side="left", cycle=2)).all()
    with pytest.raises(gaitid.GaitidError, match="over: 'cycle'; expected time or percent"):
        r.to_xarray("cycle")


def test_without_the_library_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(gaitid.GaitidError, match=r"needs the library xarray; pip install 'gaitid\[xarray\]'"):
        gaitid.analyse(WALK).to_xarray()
