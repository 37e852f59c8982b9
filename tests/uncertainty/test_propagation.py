"""First order against finite errors, drawn errors and physics that needs no computation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from any_markers import FAMILY_OF, NO_FILTER, marked
from simulated_trials import simulated_walk
from slow import slow_but

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.trial import Array
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.estimate import Estimate, estimate
from gaitid.uncertainty.first_order import propagate
from gaitid.uncertainty.monte_carlo import Draws, monte_carlo
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.sources import Sources, read_sources

HIP = "left_hip_extension_moment_Nm_per_kg"


@pytest.fixture(scope="module")
def computation() -> Perturbed:
    trial = simulated_walk(duration=3.0).trial
    noise = 0.3e-3 * np.random.default_rng(3).standard_normal(trial.points_g.shape)
    noisy = replace(trial, points_g=trial.points_g + noise)
    return Perturbed(analyse(noisy, load_model("pig"), SubjectFile()))


@pytest.fixture(scope="module")
def sources() -> Sources:
    return read_sources("default")


@pytest.fixture(scope="module")
def found(computation: Perturbed, sources: Sources) -> Estimate:
    return estimate(computation.result, sources)


def column(computation: Perturbed | Estimate, values: Array, name: str) -> Array:
    """(frames,) of one column."""
    return np.asarray(values[..., computation.names.index(name)])


# --- the computation that is repeated ---------------------------------------------------------------------------


def test_a_moved_centre_of_pressure_moves_the_ankle_by_force_times_lever(computation: Perturbed) -> None:
    """Physics: moving the force by d adds d × F to the moment about every joint, and to no force."""
    d = np.array([0.004, -0.007, 0.0])
    moved = next(computation.columns([Shift(load={"cop": d})]))
    result = computation.result
    for joint in ("ankle", "knee", "hip"):
        names = [f"left_{joint}_moment_global_{axis}_Nm" for axis in "xyz"]
        change = np.stack([column(computation, moved - computation.unshifted, name) for name in names], axis=1)
        expected = -np.cross(d, result.sides["left"].load.wrench.f_g)
        known = np.isfinite(change).all(axis=1) & np.isfinite(expected).all(axis=1)
        assert known.sum() > 50
        np.testing.assert_allclose(change[known], expected[known], atol=1e-9)  # N·m, of 700 N · 7 mm


def test_a_heavier_body_has_moments_in_proportion_in_swing(computation: Perturbed) -> None:
    """In the air everything is segments: their masses are fractions of the body's, moments per kg stay."""
    mass = computation.result.subject.mass_kg
    heavier = next(computation.columns([Shift(numbers={"mass": 0.1 * mass})]))
    in_air = computation.result.sides["left"].load.state == 0
    before, after = (column(computation, values, HIP)[in_air] for values in (computation.unshifted, heavier))
    known = np.isfinite(before)
    assert known.sum() > 30
    np.testing.assert_allclose(after[known], before[known], atol=1e-12)  # N·m/kg


def test_all_errors_of_a_plate_leave_the_swing_alone(computation: Perturbed) -> None:
    shift = Shift(load={"gain": np.array(0.05), "force": np.array([3.0, 3, 3]), "turn": np.array(0.1),
                        "cop": np.array([0.01, 0, 0]), "free_moment": np.array(2.0)})  # fmt: skip
    change = column(computation, next(computation.columns([shift])) - computation.unshifted, HIP)
    in_air = computation.result.sides["left"].load.state == 0
    assert np.nanmax(np.abs(change[in_air])) == 0.0
    assert np.nanmax(np.abs(change)) > 0.05


# --- derivatives ------------------------------------------------------------------------------------------------


def test_a_marker_that_carries_more_noise_has_wider_bands(computation: Perturbed) -> None:
    trial = computation.result.trial
    points, at = trial.points_g.copy(), trial.labels.index("LKNE")
    points[:, at] += 0.02 * np.random.default_rng(8).standard_normal(points[:, at].shape)
    rough = analyse(replace(trial, points_g=points), computation.result.model, SubjectFile())
    sources = read_sources("default")
    errors = errors_of(sources, Perturbed(rough))
    assert list(errors.rough) == ["LKNE"] and errors.rough["LKNE"].raw_m == pytest.approx(0.02, rel=0.2)
    before, now = (estimate(of, sources, features=False) for of in (computation.result, rough))
    column = now.names.index("left_knee_flexion_deg")
    assert np.nanmedian(now.standard[:, column]) > 1.2 * np.nanmedian(before.standard[:, column])


# --- both ways --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [80, pytest.param(250, marks=pytest.mark.slow)])
def test_drawn_errors_give_what_first_order_says(computation: Perturbed, sources: Sources, samples: int) -> None:
    """As the median over all columns and frames within 5 %, and what so few draws do not tell."""
    errors = errors_of(sources, computation)
    first = propagate(computation, errors)
    drawn = monte_carlo(computation, errors, Draws(samples, 7), first)
    known = np.isfinite(first.standard) & (first.standard > 0)
    ratio = drawn.standard[known] / first.standard[known]
    assert abs(np.median(ratio) - 1) < 0.05 + 1 / np.sqrt(2 * samples)
    assert float(drawn.figures["standard_error_percent"]) == pytest.approx(100 / np.sqrt(2 * (samples - 1)))
    of_features = np.isfinite(drawn.of_features) & (first.of_features > 0)
    assert of_features.sum() > 100
    assert abs(np.median(drawn.of_features[of_features] / first.of_features[of_features]) - 1) < 0.1 + 1 / np.sqrt(
        samples
    )


# --- what comes out ---------------------------------------------------------------------------------------------


def test_unknown_stays_unknown_and_known_gets_a_band(found: Estimate) -> None:
    np.testing.assert_array_equal(np.isfinite(found.standard), np.isfinite(found.values))
    bands = found.bands()
    known = np.isfinite(found.values)
    assert np.all(bands[known][:, 1] <= found.values[known]) and np.all(found.values[known] <= bands[known][:, 2])


def test_twice_the_errors_are_twice_the_uncertainty(computation: Perturbed, sources: Sources, found: Estimate) -> None:
    """Where the trial tells nothing of its plates; but for a delay, as an impact is no straight line of it."""
    sources = sources._replace(sizes={**sources.sizes, "timing": dict.fromkeys(sources.sizes["timing"], 0.0)})
    result = replace(computation.result, laboratory=(None, ""))
    double = sources._replace(
        sizes={source: {key: 2 * size for key, size in of.items()} for source, of in sources.sizes.items()},
        placement_m=2 * sources.placement_m,
        noise_m=2 * 0.3e-3,
        soft_tissue={k: type(v)(2 * v.together_m, 2 * v.each_m) for k, v in sources.soft_tissue.items()},
        hip_m={k: 2 * v for k, v in sources.hip_m.items()},
        measurements={k: 2 * v for k, v in sources.measurements.items()},
    )  # fmt: skip
    once = estimate(result, sources._replace(noise_m=0.3e-3), features=False)
    twice = estimate(result, double, features=False)
    known = np.isfinite(once.standard) & (once.standard > 0)
    # forward differences are not quite linear: steps are twice as large too
    np.testing.assert_allclose(twice.standard[known] / once.standard[known], 2.0, rtol=2e-3)


def test_turning_the_laboratory_changes_no_joint_angle_moment_or_power() -> None:
    """Of the sizes themselves: they are in axes of the body, of the vertical and of nothing else."""
    sources = read_sources("default")._replace(noise_m=0.0)
    stated = []
    for turn in (0.0, 73.0):
        walk = simulated_walk(duration=2.6, turn_deg=turn)
        result = analyse(walk.trial, load_model("pig"), SubjectFile())
        stated.append(estimate(result, sources, features=False))
    for i, name in enumerate(stated[0].names):
        if name.endswith(("_deg", "_per_kg")):
            a, b = (one.standard[:, i] for one in stated)
            known = np.isfinite(a) & np.isfinite(b)
            size = max(1e-9, float(np.max(a[known], initial=0.0)))
            assert np.abs(a - b)[known].max(initial=0.0) < 2e-3 * size, name


def test_the_bundled_file_names_the_source_of_every_figure() -> None:
    sources = read_sources("default")
    for name, content in sources.content["sources"].items():
        assert content.get("source"), name
    assert sum(sources.harmonics) == pytest.approx(1)


@pytest.mark.parametrize("model", slow_but(["ior"], ["cast", "ior", "helen_hayes"]))
def test_what_a_static_gave_is_shifted_in_the_static(model: str) -> None:
    """Hip and landmarks are carried over from the static, and so are the axes that they make."""
    recorded = marked(FAMILY_OF[model])
    subject_file, loaded = SubjectFile(), load_model(model, NO_FILTER)
    result = analyse(recorded.trial, loaded, subject_file, recorded.static)
    computation = Perturbed(result)
    known = np.isfinite(computation.values)
    np.testing.assert_array_equal(computation.unshifted[known], computation.values[known])
    errors = errors_of(read_sources("default"), computation)
    assert not errors.left_out or "noise" in errors.left_out[0]
    changes = {
        error.words: next(computation.columns([error.shift])) - computation.unshifted for error in errors.constant
    }
    knee = next(words for words in changes if words.startswith("knee_medial") and words.endswith(", x"))
    rotation = column(computation, changes[knee], "left_knee_internal_rotation_deg")
    other = column(computation, changes[knee], "right_knee_internal_rotation_deg")
    assert max(np.nanmax(np.abs(rotation)), np.nanmax(np.abs(other))) > 0.5  # °: 6 mm at a knee of 0.1 m
    hip = np.nanmax(np.abs(column(computation, changes["hip, y of the pelvis"], "left_hip_adduction_deg")))
    assert 0.3 < hip < 4  # °: 8 to 15 mm at a thigh of 0.4 m
