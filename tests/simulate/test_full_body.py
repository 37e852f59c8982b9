"""A simulated walk with trunk, head and arms: its ground's load is exactly what the whole body's motion asks for.

It is the only walk here of which Newton's law holds for the whole body, so the only one that can tell whether a centre
of mass that is computed from markers is right.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import Simulated, simulated

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.analysis.whole_body import balance_of, of_whole_body
from gaitid.body.subject import SubjectFile
from gaitid.errors import GaitidError
from gaitid.inspect.contents import inspected
from gaitid.model.load import load_model
from gaitid.simulate.files import simulate
from gaitid.simulate.loads import GRAVITY
from gaitid.simulate.upper_body import UPPER_COM_FRACTION, mass_fractions
from gaitid.trial import Array
from gaitid.write.tables import segments_columns, upper_motions


@cache
def walked(turn_deg: float = 0.0, mirror: bool = False, scenario: str = "walk") -> tuple[Simulated, Result]:
    one = simulated(scenario, full_body=True, turn_deg=turn_deg, mirror=mirror)
    return one, analyse(one.trial, load_model("pig"), SubjectFile())


def test_masses_sum_to_the_body() -> None:
    assert sum(mass_fractions().values()) == pytest.approx(1.0, abs=1e-12)


def test_the_feet_take_what_the_motion_asks_for() -> None:
    state, mass_kg = walked()[0].truth, walked()[0].walk.subject.mass_kg
    assert state.whole_com is not None
    # the sum over segments, written here: each with its own mass and acceleration
    asked = sum(
        share * mass_kg * (state.acceleration_g[name] + np.array([0, 0, GRAVITY]))
        for name, share in mass_fractions().items()
    )
    given = sum(load.force_g for load in state.load.values())
    np.testing.assert_allclose(given, asked, atol=1e-9)  # N: rounding
    vertical = np.asarray(given)[:, 2] / (mass_kg * GRAVITY)
    assert 0.6 < vertical.min() < 0.9 < 1.1 < vertical.max() < 1.4  # body weights, as people walk
    assert min(load.force_g[:, 2].min() for load in state.load.values()) >= 0


@pytest.mark.parametrize(("turn_deg", "mirror"), [(0.0, False), (130.0, False), (-40.0, True)])
def test_the_centre_of_mass_is_found(turn_deg: float, mirror: bool) -> None:
    one, result = walked(turn_deg, mirror)
    whole, truth = result.whole_body, one.truth.whole_com
    assert whole is not None and truth is not None and not whole.unknown_because
    np.testing.assert_allclose(whole.com_g, truth.d[0], atol=1e-9)  # m: rounding
    inner = slice(20, -20)  # a natural spline's ends bend; 0.2 s
    np.testing.assert_allclose(whole.vel_g[inner], truth.d[1][inner], atol=1e-5)  # m/s
    np.testing.assert_allclose(whole.acc_g[inner], truth.d[2][inner], atol=1e-3)  # m/s²: 1e-4 of gravity
    for side, leg in result.sides.items():
        for name, columns in leg.trunk_angles.items():
            for column, values in columns.items():
                # degrees; the direction of walking is that of the trial's two ends for both
                expected = one.truth.clinical[f"{side}_{name}_{column}_deg"]
                np.testing.assert_allclose(values, expected, atol=1e-6, err_msg=f"{side} {name} {column}")


def test_newtons_law_holds_for_what_is_computed_from_files_alone() -> None:
    """Plates, markers and masses as an analysis has them:  Σ F − m (a_com − g) = 0, where both feet are known."""
    _, result = walked()
    whole = result.whole_body
    assert whole is not None
    total = sum(load.wrench.f_g for load in result.loads.by_side.values())
    known = np.isfinite(np.asarray(total)).all(axis=1) & np.isfinite(whole.acc_g).all(axis=1)
    known &= np.linalg.norm(np.nan_to_num(np.asarray(total)), axis=1) > 100
    asked = result.subject.mass_kg * (whole.acc_g - result.gravity_g)
    left: Array = (np.asarray(total) - asked)[known]
    both = np.array([load.wrench.f_g[known, 2] > 0 for load in result.loads.by_side.values()]).all(axis=0)
    assert known.sum() > 80 and both.sum() > 10
    # N, of 687: a quintic spline's second derivative at 100 Hz, and plates at the camera's instants
    assert np.abs(left).max() < 2.0


def test_plates_are_held_against_the_whole_body() -> None:
    one, result = walked()
    body, rate_hz = result.body, result.trial.rate_hz
    up_g = -result.gravity_g / np.linalg.norm(result.gravity_g)
    legs = balance_of(body, up_g, rate_hz)
    assert legs is not None
    found = result.whole_body
    assert found is not None
    whole = of_whole_body(legs, body, found)
    assert whole is not None and whole.com_g is not None
    np.testing.assert_array_equal(whole.com_g, found.com_g)
    given = np.asarray(sum(load.force_g for load in one.truth.load.values())) / result.subject.mass_kg
    inner = slice(20, -20)
    off = [np.abs((balance.asked_g - given)[inner]).max(axis=0) for balance in (legs, whole)]
    # m/s²: pelvis and legs miss the arms and what the trunk does against the pelvis; the whole body a spline's error
    assert (off[0] > 0.1).all() and (off[1] < 1e-3).all()
    # without arms it is not used
    armless = {key: replace(part, stands_at="shoulder") for key, part in found.segments.items() if key[0]}
    without = replace(found, segments={**found.segments, **armless})
    assert of_whole_body(legs, body, without) is legs


def test_the_trunk_turns_as_it_does() -> None:
    one, result = walked()
    motions = upper_motions(result)
    assert set(motions) == {"trunk", "head", *(f"{s}_{n}" for s in ("left", "right") for n in UPPER_COM_FRACTION)}
    inner, trunk = slice(20, -20), motions["trunk"]
    np.testing.assert_allclose(trunk.R_gs, one.truth.rotation["thorax"], atol=1e-9)
    # rad/s and rad/s²: a spline of its quaternion at 100 Hz
    np.testing.assert_allclose(trunk.omega_g[inner], one.truth.omega_g["thorax"][inner], atol=1e-5)
    np.testing.assert_allclose(trunk.alpha_g[inner], one.truth.alpha_g["thorax"][inner], atol=1e-3)
    for name, motion in motions.items():
        np.testing.assert_allclose(motion.com_g, one.truth.com_g[name], atol=1e-9, err_msg=name)
        np.testing.assert_allclose(motion.acc_g[inner], one.truth.acceleration_g[name][inner], atol=1e-2, err_msg=name)
        assert name == "trunk" or np.isnan(motion.omega_g).all()  # nothing tells how they turn about their length
    names, values = segments_columns(result)
    assert values.shape[1] == len(names) and names[-1] == "right_hand_acc_z_m_per_s2"


def test_inspect_names_the_segments_that_are_there(tmp_path: Path) -> None:
    simulate("walk", tmp_path, full_body=True, duration=1.5)
    found = inspected(tmp_path / "walk.c3d").content["upper_body"]
    assert found[:3] == ["trunk", "head", "left upper arm"] and found[-1] == "right hand"
    simulate("walk", tmp_path / "legs", duration=1.5)
    assert inspected(tmp_path / "legs" / "walk.c3d").content["upper_body"] == []


def test_segments_and_stand_ins_are_said() -> None:
    one, _ = walked()
    labels = [label for label in one.trial.labels if label[1:] not in ("ELB", "WRA", "WRB", "FIN", "FHD", "BHD")]
    trial = replace(
        one.trial, labels=tuple(labels), points_g=one.trial.points_g[:, [*map(one.trial.labels.index, labels)]]
    )
    result = analyse(trial, load_model("pig"), SubjectFile())
    whole = result.whole_body
    assert whole is not None and not whole.complete
    stands = {key: segment.stands_at for key, segment in whole.segments.items()}
    assert stands["", "trunk"] == "" and stands["", "head"] == "upper_back"
    assert stands["left", "upper_arm"] == stands["right", "hand"] == "shoulder"
    shoulder = whole.segments["left", "hand"].com_g
    truth = one.truth.joint_g["left_shoulder"]
    np.testing.assert_allclose(shoulder, truth, atol=1e-9)


def test_without_a_trunk_nothing_stands_in() -> None:
    one, _ = walked()
    gone = ("C7", "CLAV", "T10", "STRN", "LSHO", "RSHO")
    labels = [label for label in one.trial.labels if label not in gone]
    trial = replace(
        one.trial, labels=tuple(labels), points_g=one.trial.points_g[:, [*map(one.trial.labels.index, labels)]]
    )
    whole = analyse(trial, load_model("pig"), SubjectFile()).whole_body
    assert whole is not None and not whole.known
    assert "shoulders" in whole.unknown_because
    assert not whole.angles


def test_its_files_hold_markers_and_truth(tmp_path: Path) -> None:
    simulate("walk", tmp_path, full_body=True, duration=1.5)
    with (tmp_path / "walk.truth.com.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 150
    assert float(rows[0]["com_z_m"]) == pytest.approx(0.97, abs=0.05)  # 0.55 of a height of 1.75 m
    with (tmp_path / "walk.csv").open(encoding="utf-8") as file:
        assert {"C7_x_mm", "LSHO_x_mm", "RFIN_z_mm"} <= set(csv.DictReader(file).fieldnames or ())


@pytest.mark.parametrize(
    ("scenario", "options"), [("run", {}), ("turn", {}), ("walk", {"impact_bw": 0.5}), ("walk", {"segments": True})]
)
def test_what_it_cannot_be_true_of_is_refused(scenario: str, options: dict[str, float | bool], tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match="full_body"):
        simulate(scenario, tmp_path, full_body=True, **options)
