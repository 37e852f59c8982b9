"""The error of loads that were estimated from the motion is a source: in their frames, and in no other number."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from simulated_trials import simulated

from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.result import Result
from gaitid.ground.contacts import AIR
from gaitid.model.load import load_model
from gaitid.trial import Array, Mask
from gaitid.uncertainty.estimate import Estimate, estimate
from gaitid.uncertainty.sources import read_sources

PLAIN, ESTIMATED, TOO = {}, {"estimate_loads": True}, {"estimate_loads": True, "estimated_too": True}


@cache
def analysed(**how: bool) -> Result:
    return Pipeline(trial=simulated("walk").trial, model=load_model("pig"), **how).make_all().result


@cache
def sure(times: float = 1.0, method: str = "first_order", **how: bool) -> Estimate:
    bundled = read_sources("default")
    sizes = {**bundled.sizes, "estimated_loads": {"times": times}}
    return estimate(analysed(**how), bundled._replace(sizes=sizes, method=method, samples=200))


def band(of: Estimate, name: str) -> Array:
    return np.asarray(of.standard[:, of.names.index(name)])


def marked(side: str) -> Mask:
    result = analysed(**ESTIMATED)
    assert result.estimate is not None
    return np.asarray(result.estimate.frames(side) & (result.by_frame[side].load.state != AIR))


@pytest.mark.parametrize("joint", ["ankle_plantarflexion", "knee_extension", "hip_extension"])
def test_sagittal_moments_of_estimated_frames_have_wider_bands(joint: str) -> None:
    for side in ("left", "right"):
        name, here = f"{side}_{joint}_moment_Nm_per_kg", marked(side)
        with_error, without = (band(sure(times, **ESTIMATED), name) for times in (1.0, 0.0))
        known = np.isfinite(sure(**ESTIMATED).values[:, sure().names.index(name)])
        assert known[here].sum() > 100
        assert np.isfinite(with_error[known]).all()
        assert np.sqrt(np.mean(with_error[here] ** 2)) > 1.5 * np.sqrt(np.mean(without[here] ** 2))
        np.testing.assert_allclose(with_error[~here], without[~here], rtol=1e-9)


def test_pressure_and_force_have_bands_too() -> None:
    here, names = marked("left"), ("left_ground_force_z_N", "left_ground_cop_x_m")
    for name, least in zip(names, (0.03 * analysed().subject.mass_kg * 9.81, 0.01), strict=True):
        of = band(sure(**ESTIMATED), name)[here]
        assert np.nanmedian(of) > least


def test_features_cycles_and_budgets_have_none_of_it() -> None:
    plain, estimated, too = sure(**PLAIN), sure(**ESTIMATED), sure(**TOO)
    np.testing.assert_allclose(estimated.of_features(), plain.of_features(), rtol=1e-9)
    for side, of in plain.cycles.items():
        assert estimated.cycles[side].names == of.names
        np.testing.assert_allclose(estimated.cycles[side].standard, of.standard, rtol=1e-9)
    name = "left_knee_extension_moment_Nm_per_kg"
    shares = [one.record()["columns"][name]["shares_percent"] for one in (plain, estimated, too)]
    assert shares[0].keys() == shares[1].keys()
    assert shares[2]["estimated_loads"] > 30


def test_a_file_that_states_no_such_error_is_said_to() -> None:
    words = [" ".join(sure(times, **ESTIMATED).left_out) for times in (0.0, 1.0)]
    assert ["estimated from the motion" in of for of in words] == [True, False]
    assert "estimated from the motion" not in " ".join(sure(0.0, **PLAIN).left_out)


def test_drawn_errors_say_the_same() -> None:
    name, here = "left_knee_extension_moment_Nm_per_kg", marked("left")
    first, drawn = (band(sure(method=method, **ESTIMATED), name)[here] for method in ("first_order", "monte_carlo"))
    assert np.median(np.abs(drawn / first - 1)) < 0.1


def test_an_error_is_one_of_all_frames_of_a_stance() -> None:
    estimate_of = analysed(**ESTIMATED).estimate
    assert estimate_of is not None
    assert estimate_of.loads is not None
    for one in estimate_of.loads.stances:
        forces = np.array([error.f_g @ one.ways[0] for error in one.errors()])
        apart = np.abs(forces.T @ forces - one.covariance[0]).max()
        assert apart < 0.03 * one.covariance[0].max()


def test_where_the_foot_presses_turns_the_load_and_no_more() -> None:
    estimate_of = analysed(**ESTIMATED).estimate
    assert estimate_of is not None
    assert estimate_of.loads is not None
    one = estimate_of.loads.stances[0]
    sure_of_force = one._replace(covariance=np.zeros_like(one.covariance))
    assert max(np.abs(error.f_g).max() for error in sure_of_force.errors()) < 1e-6
    sizes = np.sqrt(np.sum([error.m_g**2 for error in sure_of_force.errors()], axis=0))
    upward = one.force_g @ one.ways[0]
    most = int(np.argmax(upward))
    assert 0.015 * upward[most] < sizes[most].max() < 0.03 * upward[most]


def test_measured_frames_are_as_sure_as_without_the_option() -> None:
    plain, estimated = sure(**PLAIN), sure(**ESTIMATED)
    estimate_of = analysed(**ESTIMATED).estimate
    assert estimate_of is not None
    for side in ("left", "right"):
        elsewhere = ~estimate_of.frames(side)
        for name in plain.names:
            if name.startswith(side) and "moment" in name:
                np.testing.assert_allclose(band(estimated, name)[elsewhere], band(plain, name)[elsewhere], rtol=1e-6)
