"""Several shifted computations at once give what each by itself gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from any_markers import FAMILY_OF, NO_FILTER, marked
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse, pipeline_of
from gaitid.body.subject import SubjectFile
from gaitid.gait.cycles import over_cycles
from gaitid.model.load import load_model
from gaitid.trial import Array
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.features import FeatureSpread
from gaitid.uncertainty.monte_carlo import drawn_shift
from gaitid.uncertainty.perturbed import FRAMES_AT_ONCE, Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.sources import read_sources


def walking(model: str = "pig", **settings: float) -> Perturbed:
    trial = simulated_walk(duration=2.6, **settings).trial
    noise = 0.3e-3 * np.random.default_rng(3).standard_normal(trial.points_g.shape)
    return Perturbed(analyse(replace(trial, points_g=trial.points_g + noise), load_model(model), SubjectFile()))


def drawn(computation: Perturbed, count: int) -> list[Shift]:
    errors, random = errors_of(read_sources("default"), computation), np.random.default_rng(9)
    trial = computation.result.trial
    return [drawn_shift(errors, random, trial.n_frames, trial.rate_hz) for _ in range(count)]


def each_alone(computation: Perturbed, shifts: list[Shift]) -> list[Array]:
    return [next(computation.columns([shift])) for shift in shifts]


def assert_same(found: list[Array], expected: list[Array], atol: float) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=atol)


@pytest.mark.parametrize("settings", [{}, {"turn_deg": 175.0}])  # progression beside the jump of its angle
def test_drawn_errors_of_every_kind(settings: dict[str, float]) -> None:
    """Other markers, numbers, joint centres, masses and loads in each: equal to rounding, N, N·m, deg."""
    computation = walking(**settings)
    shifts = drawn(computation, 5)
    assert 5 <= computation.together <= FRAMES_AT_ONCE // computation.result.trial.n_frames
    assert_same(list(computation.columns(shifts)), each_alone(computation, shifts), 1e-8)


def test_a_measurement_of_one_leg_moves_the_other_one_where_that_needs_it() -> None:
    """Those of both legs are told by one computation where neither needs the other's."""
    computation = walking()
    needs = pipeline_of(computation.result).found.needs
    assert "left.leg_length" in needs["right"].measurements  # Davis's hip has the mean of both
    names = [name for name in computation.result.subject.numbers if name.startswith("left.")]
    shifts = [Shift(numbers={name: 1e-3}) for name in names]
    right, moved = computation.of_side["right"], []
    for name, columns in zip(names, computation.columns(shifts), strict=True):
        same = np.array_equal(columns[:, right], computation.unshifted[:, right], equal_nan=True)
        assert same or name in needs["right"].measurements
        moved += [name] if not same else []
    assert moved == ["left.leg_length"]


def test_a_chain_that_is_fitted_frame_by_frame() -> None:
    """Multibody optimisation: many walks at once, from where the result has them; N, N·m, deg."""
    recorded, loaded = marked(FAMILY_OF["cgm22"]), load_model("cgm22", NO_FILTER)
    result = analyse(recorded.trial, loaded, SubjectFile(), recorded.static)
    computation = Perturbed(result)
    assert computation.together > 2
    wave = np.sin(np.arange(result.trial.n_frames) / 7.0)[:, None] * np.ones(3)
    shifts = [Shift(markers={label: 1e-5 * wave}) for label in list(result.markers.support)[:2]]
    shifts.append(Shift(mass={"thigh": 0.05}))
    assert_same(list(computation.columns(shifts)), each_alone(computation, shifts), 1e-8)


@pytest.mark.parametrize(("model", "joints"), [("cast", ""), ("cgm22", ""), ("cgm22", "{knee: {type: hinge}}")])
def test_each_with_a_calibration_of_its_own(model: str, joints: str, tmp_path: Path) -> None:
    """Places of markers, points and joints that the static gives, angles that hinges hold among them."""
    recorded, file = marked(FAMILY_OF[model]), tmp_path / "mine.yaml"
    pose = f"pose: {{joints: {joints}}}\n" if joints else ""
    file.write_text(f"gaitid_model: 1\nextends: {model}.yaml\nname: mine\n{pose}", encoding="utf-8")
    loaded = load_model(file, NO_FILTER)
    computation = Perturbed(analyse(recorded.trial, loaded, SubjectFile(), recorded.static))
    assert computation.together > 2
    shifts = drawn(computation, 2)
    shifts = [*shifts, Shift(), Shift(static=shifts[0].static, numbers=shifts[0].numbers)]
    found = list(computation.columns(shifts))
    assert_same(found, each_alone(computation, shifts), 1e-8 if model == "cast" else 1e-6)
    angles = [name.endswith("_deg") for name in computation.names]
    assert np.nanmax(np.abs(found[3] - found[2])[:, angles]) > 1.0


def test_changes_over_cycles_are_those_of_the_curves() -> None:
    """The sampling of cycles as weights, against the sampling itself."""
    computation = walking()
    spread = FeatureSpread(computation)
    change = np.random.default_rng(2).standard_normal(computation.unshifted.shape)
    over = spread.over_cycles(change)
    strides = computation.result.gait.strides
    assert len(strides) == len(over) > 1
    name = "knee_flexion_deg"
    for stride, found in zip(sorted(strides, key=lambda s: s.cycle.side), over, strict=True):
        column = computation.names.index(f"{stride.cycle.side}_{name}")
        expected = over_cycles([stride.cycle], change[:, [column]], computation.result.trial.rate_hz)[0, :, 0]
        i = spread.names.index(name)
        np.testing.assert_allclose(found[:, i], expected, atol=1e-12)
