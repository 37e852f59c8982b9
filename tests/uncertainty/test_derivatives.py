"""Derivatives by markers and of features, against displacements that are computed with, and features as measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from any_markers import FAMILY_OF, NO_FILTER, marked
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.trial import Array
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.features import FeatureGradient, FeatureSpread
from gaitid.uncertainty.first_order import derivatives, derivatives_by_waves, motion_gradient, propagate
from gaitid.uncertainty.groups import Group
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.sources import read_sources
from gaitid.uncertainty.variances import moves_of


def walking(model: str = "pig") -> Perturbed:
    trial = simulated_walk(duration=2.6).trial
    noise = 0.3e-3 * np.random.default_rng(3).standard_normal(trial.points_g.shape)
    return Perturbed(analyse(replace(trial, points_g=trial.points_g + noise), load_model(model), SubjectFile()))


def of_family(model: str) -> Perturbed:
    recorded, loaded = marked(FAMILY_OF[model]), load_model(model, NO_FILTER)
    result = analyse(recorded.trial, loaded, SubjectFile(), recorded.static)
    return Perturbed(result)


def whole(computation: Perturbed, label: str) -> Group:
    return Group(tuple((label, side) for side in computation.sides))


@pytest.fixture(scope="module")
def computation() -> Perturbed:
    return walking()


def of_kind(computation: Perturbed, end: str) -> Array:
    return np.flatnonzero([name.endswith(end) for name in computation.names])


@pytest.mark.parametrize("label", ["LTHI", "RANK", "LASI"])
def test_derivatives_by_motions_are_those_by_waves(computation: Perturbed, label: str) -> None:
    """J0, J1 and J2 of each kind of column, to 3e-3 of their largest: splines of waves of 16 frames err by 1e-3."""
    group = whole(computation, label)
    found, plain = (
        derivatives(computation, group, motion_gradient(computation)),
        derivatives_by_waves(computation, group),
    )
    known = np.isfinite(computation.values)[:, None]
    assert np.array_equal(np.isfinite(found) & known, np.isfinite(plain) & known)
    for order in range(3):
        for end in ("_force_global_x_N", "_Nm_per_kg", "_W_per_kg"):
            at = of_kind(computation, end)
            a, b = (np.where(known, of, 0.0)[:, order::3][:, :, at] for of in (found, plain))
            assert np.abs(b).max() > 1e-3, (order, end)
            assert np.abs(a - b).max() < 3e-3 * np.abs(b).max(), (order, end)
    # angles follow where markers are, not how they move
    at = of_kind(computation, "flexion_deg")
    assert np.nanmax(np.abs(found[:, 0::3][:, :, at])) > 100  # deg/m
    assert np.nanmax(np.abs(found[:, 1::3][:, :, at])) == 0 == np.nanmax(np.abs(found[:, 2::3][:, :, at]))


def with_segmented_foot(folder: Path) -> Perturbed:
    simulate("walk", folder, segmented_foot=True, duration=2.6)
    trial, static = (read_trial(folder / f"{name}.c3d") for name in ("walk", "static"))
    return Perturbed(analyse(trial, load_model("oxford_foot", NO_FILTER), SubjectFile(), static))


@pytest.mark.parametrize(
    ("model", "label"), [("cgm22", "LKNE"), ("cgm22", "RASI"), ("cast", ""), ("oxford_foot", "LTOE")]
)
def test_derivatives_tell_a_displacement_of_chains_and_clusters(model: str, label: str, tmp_path: Path) -> None:
    """What 3 um that come and go make of each kind of column, to 1 % of its largest."""
    foot = model == "oxford_foot"
    computation = with_segmented_foot(tmp_path) if foot else of_family(model)
    labels = list(computation.result.markers.support)
    label = label or next(of for of in labels if of not in ("LASI", "RASI", "LPSI", "RPSI"))
    n, rate_hz = computation.result.trial.n_frames, computation.result.trial.rate_hz
    time = np.arange(n) / rate_hz
    track = 3e-6 * np.stack([np.sin(9 * time), np.cos(17 * time + 1), np.sin(25 * time)], axis=1)
    track -= track.mean(axis=0)  # means over the trial stay
    J = derivatives(computation, whole(computation, label), motion_gradient(computation))
    predicted = (moves_of(track[None], rate_hz) @ J)[:, 0]
    happened = next(computation.columns([Shift(markers={label: track})])) - computation.unshifted
    known = np.isfinite(computation.values)
    for end in ("flexion_deg", "_force_global_x_N", "_Nm_per_kg", "_W_per_kg", *["distal_foot_power_W_per_kg"] * foot):
        at = of_kind(computation, end)
        off = np.abs(np.where(known, predicted - happened, 0.0)[:, at]).max()
        largest = np.abs(np.where(known, happened, 0.0)[:, at]).max()
        assert largest > 1e-8 and off < 0.01 * largest, end


def test_features_by_weights_are_those_that_are_measured(computation: Perturbed) -> None:
    """Differences with changes of a hundred-thousandth, of every fifth error: to 1e-3 of themselves."""
    spread = FeatureSpread(computation, step=1e-5)
    gradient = FeatureGradient(spread)
    constant = errors_of(read_sources("default"), computation).constant
    seen = np.zeros(spread.of_result.shape, dtype=bool)
    for error in constant[::5]:
        change = next(computation.columns([error.shift])) - computation.unshifted
        found, measured = gradient.of_change(change), spread.slopes([spread.over_cycles(change)])[0]
        known = np.isfinite(measured)
        assert np.array_equal(known, np.isfinite(spread.of_result))
        size = np.abs(measured[known])
        assert np.all(np.abs(found[known] - measured[known]) < 1e-3 * size + 1e-5), error.words
        seen |= known & (np.abs(found) > 1e-4)
    assert seen.any(axis=0).sum() > 150  # of 201 features


@pytest.mark.parametrize(
    "scenario", ["walk", "treadmill"]
)  # where nobody goes anywhere the pelvis turns the progression
def test_constant_errors_are_what_a_computation_of_each_makes(scenario: str) -> None:
    """Sums of derivatives and closed forms against displaced trials, root mean squares over the trial.

    To a twentieth of the standard uncertainty by all sources: derivatives leave lengths of segments alone.
    """
    trial = simulated_walk(scenario, duration=2.6).trial
    computation = Perturbed(analyse(trial, load_model("pig"), SubjectFile()))
    errors = errors_of(read_sources("default"), computation)
    spread = propagate(computation, errors, features=False)
    for source in ("marker_placement", "measurements", "segment_parameters"):
        mine = [error for error in errors.constant if error.source == source]
        moved = computation.columns([error.shift.times(1e-4) for error in mine])
        variance = sum(((of - computation.unshifted) / 1e-4) ** 2 for of in moved)
        known = np.isfinite(spread.standard)
        found, expected, every = (
            np.sqrt((np.where(known, of, 0.0)).mean(axis=0))[computation.budgeted]
            for of in (spread.variance[source], variance, spread.standard**2)
        )
        assert expected.max() > 1e-3 and np.all(np.abs(found - expected) < 0.05 * every), source
