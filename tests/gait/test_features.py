"""Features against curves whose peaks and areas are known, and against the exact truth of simulated walks."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.features import features
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.gait.cycles import Cycle
from gaitid.gait.feature_list import FEATURES, KINDS, PHASES, REACHES, WHOLE
from gaitid.gait.features import CycleCurves, FeatureValues, measure, slopes
from gaitid.gait.marker_events import GaitEvent
from gaitid.gait.spatiotemporal import Stride
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.simulate.truth import joint_table
from gaitid.trial import Array

PAGE = Path(__file__).resolve().parents[2] / "docs" / "features.md"
SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
OFF, SECONDS, GRAVITY = 60.0, 1.2, 9.81
PLACE = {feature.name: i for i, feature in enumerate(FEATURES)}
COLUMNS = tuple(dict.fromkeys(feature.column for feature in FEATURES))
PERCENT = np.linspace(0, 100, 101)


def event(kind: str, time_s: float, side: str = "left") -> GaitEvent:
    return GaitEvent(side, kind, time_s, "force")


CYCLE = Cycle(
    "left",
    1,
    event("strike", 0.0),
    event("off", OFF / 100 * SECONDS),
    event("strike", SECONDS),
    event("off", 0.12, "right"),
    event("strike", 0.6, "right"),
)


def measured(
    impact: Array | None = None, settled: float | Array = np.nan, matched: Array | None = None, **curves: Array
) -> dict[str, tuple[float, float]]:
    """Value and percent of each feature of one cycle of 1.2 s with foot off at 60 %; all other columns are 0."""
    values = np.zeros((1, 101, len(COLUMNS)))
    for column, curve in curves.items():
        values[0, :, COLUMNS.index(column)] = curve
    mask = np.zeros((1, 101), dtype=bool) if impact is None else impact[None]
    stride = Stride(CYCLE, np.eye(3), {})
    calm = np.where(mask[:, :, None], np.broadcast_to(settled, 101)[:, None], values)
    held = values if matched is None else np.tile(matched[None, :, None], len(COLUMNS))
    curves_of_it = CycleCurves((stride,), COLUMNS, values, mask, calm, held, 100.0)
    found = measure(curves_of_it, GRAVITY, np.full((1, 3, 2), np.nan))
    return {name: (float(found.value[0, i]), float(found.percent[0, i])) for name, i in PLACE.items()}


def burst(start: float, stop: float, height: float) -> Array:
    """Half a sine between two percents, 0 elsewhere."""
    inside = (start <= PERCENT) & (stop >= PERCENT)
    return np.where(inside, height * np.sin(np.pi * (PERCENT - start) / (stop - start)), 0.0)


def area(start: float, stop: float, height: float) -> float:
    """Of half a sine over time."""
    return 2 / np.pi * height * (stop - start) / 100 * SECONDS


# --- the list --------------------------------------------------------------------------------------------------


def test_each_feature_is_named_once_by_its_column_kind_and_phase() -> None:
    assert len(PLACE) == len(FEATURES)
    assert {f.kind for f in FEATURES} <= set(KINDS)
    assert {f.phase for f in FEATURES} == set(PHASES)
    for feature in FEATURES:
        stem = feature.column.rsplit("_deg", 1)[0].split("_N")[0].split("_W")[0].removesuffix("_m")
        assert feature.name.startswith(stem.removesuffix("_normalised")), feature
        assert feature.phase == "" or feature.name.endswith(f"_{feature.phase}") or feature.unit.startswith("BW")
    assert {"hip_extension_moment_max", "knee_power_generation_max_K2"} <= set(PLACE)
    for name, (first, last) in REACHES.items():
        assert first <= PHASES[name][0] < PHASES[name][1] <= last + 0.11, name
    assert PHASES.keys() >= WHOLE


def test_the_page_holds_the_list() -> None:
    """A line has the stem of its features and their unit, then each ending."""
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"^- `(\w+_)…` \((\w+)\): (.*)$", text, re.MULTILINE)
    listed = [(stem + end, unit) for stem, unit, ends in lines for end in re.findall(r"`(\w+)`", ends)]
    assert sorted(listed) == sorted((f.name, f.unit) for f in FEATURES), "python benchmarks/features.py --write"
    for name, (first, last) in PHASES.items():
        assert f"- `{name or '–'}`, {first:g} to {last:g}: " in text


# --- curves with known peaks and areas ----------------------------------------------------------------------------


def test_bursts_of_power_have_their_peak_and_their_area() -> None:
    power = burst(10, 40, -0.8) + burst(40, 60, 3.0)
    found = measured(ankle_power_W_per_kg=power)
    assert found["ankle_power_generation_max_A2"] == (pytest.approx(3.0, abs=1e-12), 50.0)
    assert found["ankle_power_absorption_max_A1"] == (pytest.approx(0.8, abs=1e-12), 25.0)
    # trapezia of 1 % miss (π/20)²/12 = 0.2 % of half a sine over 20 %
    assert found["ankle_power_generation_work_A2"][0] == pytest.approx(area(40, 60, 3.0), rel=0.0025)
    assert found["ankle_power_absorption_work_A1"][0] == pytest.approx(area(10, 40, 0.8), rel=0.0025)
    assert found["ankle_power_work_positive"][0] == pytest.approx(area(40, 60, 3.0), rel=0.0025)
    assert found["ankle_power_work_negative"][0] == pytest.approx(-area(10, 40, 0.8), rel=0.0025)
    net = found["ankle_power_work_net"][0]
    assert net == pytest.approx(float(np.trapezoid(power, PERCENT / 100 * SECONDS)), abs=1e-12)
    assert math.isnan(found["ankle_power_generation_work_A2"][1])  # an area lies nowhere


def test_straight_lines_are_cut_where_they_cross_zero() -> None:
    """A power from −1 to 1 W/kg within one percent: half of it is positive, in half of the time."""
    power = np.where(PERCENT <= 50, -1.0, 1.0)
    found = measured(knee_power_W_per_kg=power)
    step = SECONDS / 100
    assert found["knee_power_work_positive"][0] == pytest.approx(50 * step - 0.75 * step + 0.0, abs=step)
    assert found["knee_power_work_positive"][0] == pytest.approx(49 * step + step / 4, abs=1e-12)
    assert found["knee_power_work_negative"][0] == pytest.approx(-50 * step - step / 4, abs=1e-12)


def test_peaks_in_their_phases() -> None:
    moment = burst(0, 30, 0.5) + burst(30, 60, -0.9) + burst(85, 100, 0.4)
    found = measured(hip_extension_moment_Nm_per_kg=moment)
    assert found["hip_extension_moment_max_early_stance"] == (pytest.approx(0.5), 15.0)
    assert found["hip_extension_moment_min_late_stance"] == (pytest.approx(-0.9), 45.0)
    assert found["hip_extension_moment_max_late_swing"][0] == pytest.approx(0.4, rel=0.01)
    assert found["hip_extension_moment_max"] == (pytest.approx(0.5), 15.0)
    assert found["hip_extension_moment_min"] == (pytest.approx(-0.9), 45.0)
    assert found["hip_extension_moment_impulse_positive_stance"][0] == pytest.approx(area(0, 30, 0.5), rel=0.002)
    assert found["hip_extension_moment_impulse_negative_stance"][0] == pytest.approx(-area(30, 60, 0.9), rel=0.002)


@pytest.mark.parametrize(("inside", "known"), [(0.5, False), (0.2, True), (-0.5, True), (np.nan, True)])
def test_a_bump_behind_an_impact_is_no_peak_where_matched_loads_have_a_greater_one_within_it(
    inside: float, known: bool
) -> None:
    """The hip's first extensor moment: what is left of a walk whose true peak the impact hides is no HM1."""
    moment = burst(15, 30, 0.3) + np.where(PERCENT <= 8, 1.5, 0.0)
    power = burst(15, 30, -0.3) + np.where(PERCENT <= 8, 2.0, 0.0)
    found = measured(
        PERCENT <= 8,
        settled=burst(0, 8, inside),
        hip_extension_moment_Nm_per_kg=moment,
        knee_power_W_per_kg=power,
        knee_flexion_deg=moment,
    )
    for name in ("hip_extension_moment_max", "hip_extension_moment_max_early_stance"):
        assert math.isfinite(found[name][0]) is known, name
    # it is held against what goes the same way
    assert math.isfinite(found["knee_power_absorption_max_K1"][0]) is not (inside == -0.5)
    assert found["knee_flexion_angle_max"][0] == pytest.approx(1.5)


def test_a_burst_whose_peak_an_impact_hides_has_the_area_under_matched_loads() -> None:
    power = burst(12, 24, -0.3) + np.where(PERCENT <= 8, 2.0, 0.0)
    found = measured(PERCENT <= 8, settled=burst(0, 8, -1.0), knee_power_W_per_kg=power)
    assert math.isnan(found["knee_power_absorption_max_K1"][0])
    assert found["knee_power_absorption_work_K1"][0] == pytest.approx(area(0, 8, 1.0), rel=0.02)
    power[3] = np.nan  # unknown is unknown
    found = measured(PERCENT <= 8, settled=burst(0, 8, -1.0), knee_power_W_per_kg=power)
    assert math.isnan(found["knee_power_absorption_work_K1"][0])


def test_unknown_rows_empty_what_needs_them_and_nothing_else() -> None:
    power = burst(40, 60, 3.0)
    power[90:] = np.nan
    found = measured(ankle_power_W_per_kg=power, knee_power_W_per_kg=burst(40, 60, -1.0))
    assert found["ankle_power_generation_max_A2"] == (pytest.approx(3.0), 50.0)
    assert np.isfinite(found["ankle_power_generation_work_A2"][0])
    for name in ("ankle_power_generation_max", "ankle_power_work_positive", "ankle_power_work_net"):
        assert math.isnan(found[name][0]), name
    assert np.isfinite(found["knee_power_work_net"][0])


def test_angles_at_events_and_their_ranges() -> None:
    angle = 10 + 30 * np.sin(2 * np.pi * PERCENT / 100)
    found = measured(knee_flexion_deg=angle)
    assert found["knee_flexion_angle_at_strike"] == (pytest.approx(10), 0.0)
    assert found["knee_flexion_angle_at_off"] == (pytest.approx(angle[60]), OFF)
    assert found["knee_flexion_angle_at_opposite_off"] == (pytest.approx(angle[10]), 10.0)
    assert found["knee_flexion_angle_range"][0] == pytest.approx(60)
    turning = measured(foot_progression_internal_rotation_deg=np.where(PERCENT < 50, 179.0, -179.0))
    assert turning["foot_progression_internal_rotation_angle_range"][0] == pytest.approx(2.0)


# --- simulated walks: the truth is exact ----------------------------------------------------------------------------


@cache
def analysed(scenario: str, cutoff: str | float = "none", **how: float) -> tuple[Result, CycleCurves, FeatureValues]:
    trial = simulated_walk(scenario, **how).trial
    result = analyse(trial, load_model("pig", {"cutoff_hz": cutoff}), SubjectFile())
    curves = curves_of(result)
    return result, curves, features(result, curves)


@pytest.mark.parametrize("joint", ["hip", "knee", "ankle"])
def test_work_is_the_integral_of_the_exact_power(joint: str) -> None:
    """Over five cycles of a walk on two belts whose loads are all known, at 2000 instants of each."""
    _, curves, found = analysed("split_belt")
    walk = simulated_walk("split_belt").walk
    assert len(curves.cycles) == 5
    for cycle, value in zip(curves.cycles, found.value, strict=True):
        times = np.linspace(cycle.strike.time_s, cycle.next_strike.time_s, 2001)
        power = np.asarray(joint_table(walk.at(times))[f"{cycle.side}_{joint}_power_W_per_kg"], dtype=float)
        for sign, name in ((1, "positive"), (-1, "negative")):
            exact = sign * float(np.trapezoid(np.maximum(sign * power, 0), times))
            assert value[PLACE[f"{joint}_power_work_{name}"]] == pytest.approx(exact, abs=0.004), name  # J/kg
        net = value[PLACE[f"{joint}_power_work_net"]]
        assert net == pytest.approx(float(np.trapezoid(power, times)), abs=0.003)


def test_integrals_of_a_walk_with_impacts_are_those_of_the_exact_joints() -> None:
    """Inertia takes an impact of 0.4 body weights, which markers at 7 Hz do not show: a tenth of each cycle."""
    how = {"impact_bw": 0.4, "impact_absorbed": 1.0}
    result, curves, found = analysed("split_belt", 7.0, **how)
    assert result.impacts
    assert 5 < 100 * curves.impact.mean() < 20
    walk = simulated_walk("split_belt", **how).walk
    limits = {"hip_power_work_positive": 0.01, "knee_power_work_negative": 0.012, "ankle_power_work_negative": 0.006}
    limits |= {f"{name}_moment_impulse_positive_stance": 0.004 for name in ("hip_extension", "knee_abduction")}
    for cycle, value in zip(curves.cycles, found.value, strict=True):
        times = np.linspace(cycle.strike.time_s, cycle.next_strike.time_s, 2001)
        truth = joint_table(walk.at(times))
        for name, limit in limits.items():  # J/kg and N·m·s/kg, of 0.12 to 0.25
            column = next(f.column for f in FEATURES if f.name == name)
            curve = np.asarray(truth[f"{cycle.side}_{column}"], dtype=float)
            curve = np.maximum(curve, 0) if "positive" in name else np.minimum(curve, 0)
            inside = times <= cycle.off.time_s if "stance" in name else np.full(len(times), True)
            assert value[PLACE[name]] == pytest.approx(float(np.trapezoid(curve * inside, times)), abs=limit), name


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
@pytest.mark.parametrize(("trial", "side", "value"), [("walk03", "right", math.nan), ("walk04", "left", 0.306)])
def test_of_recorded_walks_what_an_impact_left_over_is_empty_and_a_peak_stays(
    trial: str, side: str, value: float
) -> None:
    """Of walk03 a bump of 0.342 at 15 % was written, where matched loads fall from 0.317 at 9 %."""
    result = analyse(read_trial(SHARED / "sydney" / f"{trial}.c3d"), load_model("pig"), SubjectFile())
    curves = curves_of(result)
    found = features(result, curves).value[:, PLACE["hip_extension_moment_max_early_stance"]]
    mine = [v for cycle, v in zip(curves.cycles, found, strict=True) if cycle.side == side]
    assert mine == [pytest.approx(value, abs=0.001, nan_ok=True)]


def test_impulses_of_the_ground_carry_the_body() -> None:
    """Over a stride both feet give the weight times its duration: each stance gives half of it."""
    _, curves, found = analysed("split_belt")
    durations = np.array([cycle.duration_s for cycle in curves.cycles])
    support = found.value[:, PLACE["ground_reaction_upward_impulse_positive_stance"]]
    np.testing.assert_allclose(support, durations / 2, rtol=0.02)  # BW·s
    braking = found.value[:, PLACE["ground_reaction_forward_impulse_negative_stance"]]
    propulsion = found.value[:, PLACE["ground_reaction_forward_impulse_positive_stance"]]
    np.testing.assert_allclose(braking + propulsion, 0, atol=0.01)  # at a steady speed


def test_slopes_are_what_a_moved_row_changes() -> None:
    """Of all features of a simulated walk but the loading rates, row by row, by a millionth of the column's unit."""
    curves = curves_of(analyse(simulated_walk(duration=2.6).trial, load_model("pig"), SubjectFile()))
    unknown, step = np.full((len(curves.strides), 3, 2), np.nan), 1e-6
    value, found = measure(curves, GRAVITY, unknown).value, slopes(curves, GRAVITY)
    known = np.isfinite(value)
    assert known.sum() > 100
    for row in range(0, 101, 7):
        moved = np.zeros(curves.values.shape)
        moved[:, row] = step
        up, down = (
            measure(
                replace(curves, **{of: getattr(curves, of) + sign * moved for of in ("values", "settled", "matched")}),
                GRAVITY,
                unknown,
            ).value
            for sign in (1, -1)
        )
        # in the air a load is exactly 0: what lies above it follows upward only
        same = known & (np.abs(up + down - 2 * value) < 1e-9)
        assert same.sum() > 0.8 * known.sum()
        np.testing.assert_allclose(found[:, :, row][same], ((up - down) / (2 * step))[same], atol=2e-5)
