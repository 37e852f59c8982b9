"""A simulated walk with trunk, head and arms: its ground's load is exactly what the whole body's motion asks for.

It is the only walk here of which Newton's law holds for the whole body, so the only one that can tell whether a centre
of mass that is computed from markers is right.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import Simulated, simulated

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.errors import GaitidError
from gaitid.model.load import load_model
from gaitid.simulate.body_parts import UPPER_COM_FRACTION, mass_fractions
from gaitid.simulate.files import simulate
from gaitid.simulate.loads import GRAVITY
from gaitid.trial import Array
from gaitid.write.tables import segments_columns, upper_motions


@cache
def walked(turn_deg: float = 0.0, mirror: bool = False, scenario: str = "walk") -> tuple[Simulated, Result]:
    one = simulated(scenario, full_body=True, turn_deg=turn_deg, mirror=mirror)
    return one, analyse(one.trial, load_model("pig"), SubjectFile())


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


@pytest.mark.parametrize(
    ("scenario", "options"), [("run", {}), ("turn", {}), ("walk", {"impact_bw": 0.5}), ("walk", {"segments": True})]
)
def test_what_it_cannot_be_true_of_is_refused(scenario: str, options: dict[str, float | bool], tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match="full_body"):
        simulate(scenario, tmp_path, full_body=True, **options)
