"""``--estimate-loads``: beside what was measured, marked, and in nothing else unless it is asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated

import gaitid
from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.compare.sources import result_curves
from gaitid.export.source import read_source
from gaitid.ground.contacts import UNKNOWN
from gaitid.model.load import load_model
from gaitid.simulate.files import simulate
from gaitid.write.record import record
from gaitid.write.tables import columns_of, table_text


@cache
def analysed(scenario: str = "walk", **how: object) -> Result:
    one = simulated(scenario)
    return Pipeline(trial=one.trial, model=load_model("pig"), **how).make_all().result


@cache
def column(result: Result, table: str, name: str) -> np.ndarray:
    columns = columns_of(table, result)
    return np.asarray(columns.rows(slice(None)))[:, list(columns.names).index(name)]


ESTIMATED = {"estimate_loads": True}
TOO = {"estimate_loads": True, "estimated_too": True}


def test_estimated_frames_are_marked_and_all_others_are_as_measured() -> None:
    plain, with_estimates = analysed(), analysed(**ESTIMATED)
    for side in plain.sides:
        marked = column(with_estimates, "wrenches", f"{side}_ground_estimated") > 0
        assert 100 < marked.sum() < len(marked)
        assert (plain.sides[side].load.state[marked] == UNKNOWN).all()
        for table in ("wrenches", "joints"):
            for name in columns_of(table, plain).names[2:]:
                if name.startswith(side):
                    was, now = column(plain, table, name), column(with_estimates, table, name)
                    np.testing.assert_array_equal(was[~marked], now[~marked])
        upward = column(with_estimates, "wrenches", f"{side}_ground_force_z_N")
        assert np.isnan(column(plain, "wrenches", f"{side}_ground_force_z_N")[marked]).all()
        assert upward[marked].max() > 0.9 * plain.subject.mass_kg * 9.81
        assert (upward[marked] >= 0).all()


def test_cycles_features_and_contacts_with_plates_are_as_without_it() -> None:
    plain, with_estimates = analysed(), analysed(**ESTIMATED)
    for table in ("cycles", "features", "stances", "spatiotemporal"):
        assert table_text(table, plain) == table_text(table, with_estimates)
    ways = {contact.method for contact in with_estimates.contacts if not contact.plates}
    assert "from the body's motion" in ways
    assert all(np.isnan(contact.peak_vertical_N) for contact in with_estimates.contacts if not contact.plates)
    assert plain.verdict.as_dict() == with_estimates.verdict.as_dict()


def test_without_the_option_nothing_is_there_of_it() -> None:
    plain = analysed()
    assert plain.estimate is None
    assert "estimated" not in table_text("wrenches", plain).partition("\n")[0]
    assert "estimated_loads" not in record(plain, ["run"], [], ["global"], False)


def test_asked_for_features_have_them_too() -> None:
    plain, too = analysed(), analysed(**TOO)
    assert table_text("features", plain) != table_text("features", too)
    assert table_text("wrenches", too) == table_text("wrenches", analysed(**ESTIMATED))


@pytest.mark.parametrize("how", [ESTIMATED, TOO])
def test_what_the_motion_tells_too_little_of_stays_empty(how: dict[str, bool]) -> None:
    result = analysed(**how)
    for side in result.sides:
        stands = column(result, "wrenches", f"{side}_ground_force_z_N") > 0
        marked = (column(result, "wrenches", f"{side}_ground_estimated") > 0) & stands
        assert marked.sum() > 50
        sagittal = column(result, "joints", f"{side}_knee_extension_moment_Nm_per_kg")
        assert np.isfinite(sagittal[marked]).all()
        for name in (
            "knee_abduction_moment_Nm_per_kg",
            "hip_external_rotation_moment_Nm_per_kg",
            "ankle_power_W_per_kg",
        ):
            assert np.isnan(column(result, "joints", f"{side}_{name}")[marked]).all()
        assert np.isnan(column(result, "wrenches", f"{side}_knee_moment_distal_x_Nm")[marked]).all()
        assert np.isnan(column(result, "wrenches", f"{side}_ground_free_moment_Nm")[marked]).all()


def test_two_feet_on_a_belt_share_what_it_measured() -> None:
    result = analysed("treadmill", **ESTIMATED)
    assert {c.method for c in result.contacts if not c.plates} >= {"share of plate 1"}
    both = np.logical_and(*(column(result, "wrenches", f"{side}_ground_estimated") > 0 for side in ("left", "right")))
    total = sum(column(result, "wrenches", f"{side}_ground_force_z_N") for side in ("left", "right"))
    plate = result.ground.plates[0].wrench.f_g[:, 2]
    assert both.sum() > 50
    assert np.abs(total - plate)[both].max() < 0.02 * result.subject.mass_kg * 9.81


def test_coverage_counts_what_was_measured() -> None:
    plain, with_estimates = (record(analysed(**how), ["run"], [], ["global"], False) for how in ({}, ESTIMATED))
    for side, joints in plain["coverage"].items():
        for joint, counts in joints.items():
            now = dict(with_estimates["coverage"][side][joint])
            assert now.pop("estimated") > 50
            assert now == counts
    assert with_estimates["estimated_loads"]["stances"] == 4
    assert not with_estimates["estimated_loads"]["in_features"]


def _refused(result: Result) -> str:
    assert result.estimate is not None
    assert result.estimate.loads is None
    assert not record(result, ["run"], [], ["global"], False)["estimated_loads"]["in_features"]
    assert table_text("joints", result) == table_text("joints", replace(result, estimate=None))
    return str(result.estimate.notes[0].text)


def test_it_says_no_where_something_else_carries_the_body() -> None:
    model = load_model("pig", {"external_support": True})
    supported = Pipeline(trial=simulated("walk").trial, model=model, estimate_loads=True).make_all().result
    assert "carries the body too" in _refused(supported)


def test_it_says_no_where_plates_carry_another_weight_than_the_motion_asks_for() -> None:
    heavier = SubjectFile(values={"mass": 1.3 * analysed().subject.mass_kg})
    how = {"trial": simulated("walk").trial, "model": load_model("pig"), "subject_file": heavier}
    loaded = Pipeline(**how, estimate_loads=True).make_all().result
    assert "a hand, a load or a wrong mass" in _refused(loaded)


def test_it_says_no_where_the_body_flies() -> None:
    assert "flies" in _refused(analysed("run", **ESTIMATED))


def test_a_comparison_has_none_of_it(tmp_path: Path) -> None:
    simulate("walk", tmp_path)
    for name, how in (("plain", {}), ("estimated", ESTIMATED), ("too", TOO)):
        gaitid.analyse(tmp_path / "walk.c3d", model="pig", **how).write(tmp_path / name)
    plain, estimated, too = (
        result_curves(read_source(tmp_path / name / "walk.run.json")).columns for name in ("plain", "estimated", "too")
    )
    assert plain.keys() == estimated.keys() == too.keys()
    for name, values in plain.items():
        np.testing.assert_array_equal(values, estimated[name])
    moment = "left_ankle_plantarflexion_moment_Nm_per_kg"
    assert np.isfinite(too[moment]).sum() > np.isfinite(plain[moment]).sum()
