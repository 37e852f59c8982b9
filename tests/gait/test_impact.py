"""The frames of an impact hold what the inertia of the segments took, and what is beside them does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import Simulated, simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.gait.impact import find_impacts, smoothed_notes
from gaitid.ground.contacts import UNKNOWN
from gaitid.model.load import load_model
from gaitid.numerics.lowpass import lowpass
from gaitid.read import read_trial
from gaitid.trial import Array

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"


def analysed(walk: Simulated, cutoff_hz: float, scenario_cutoff: object = "none") -> Result:
    """As a trial whose markers were smoothed before it was stored."""
    smooth = lowpass(walk.trial.points_g, cutoff_hz, walk.trial.rate_hz)
    model = load_model("pig", {"cutoff_hz": scenario_cutoff})
    return analyse(replace(walk.trial, points_g=smooth), model, SubjectFile())


def worst_errors(walk: Simulated, result: Result, side: str) -> Array:
    """(frames,) the largest error of a moment of knee or hip, N·m/kg."""
    errors = [
        np.linalg.norm(result.sides[side].wrenches[joint].m_g - walk.truth.wrench[side, joint][1], axis=1)
        for joint in ("knee", "hip")
    ]
    return np.asarray(np.max(errors, axis=0) / walk.walk.subject.mass_kg)


@pytest.mark.parametrize("cutoff_hz", [6.0, 7.0, 10.0, 15.0])
def test_the_error_that_an_impact_makes_lies_in_its_frames(cutoff_hz: float) -> None:
    soft, hard = simulated_walk(), simulated_walk(impact_bw=0.4, impact_absorbed=1.0)
    plain, result = analysed(soft, cutoff_hz), analysed(hard, cutoff_hz)
    assert {impact.side for impact in result.impacts} == {"left", "right"}
    for impact in result.impacts:
        near = slice(impact.peak - 30, impact.peak + 31)
        of_impact = (worst_errors(hard, result, impact.side) - worst_errors(soft, plain, impact.side))[near]
        inside = result.impact_frames(impact.side)[near]
        assert np.nanmax(of_impact[inside]) > 0.3
        assert np.nanmax(of_impact[~inside]) < 0.1
        # s: no more than what the filter spreads, on either side
        assert (impact.last - impact.first) / 100 < 0.06 + 2 * 0.34 / (0.7 * cutoff_hz)


def test_at_foot_off_peaks_of_power_are_right_with_plates_as_they_are_and_not_under_matched_loads() -> None:
    """So no frame of foot off is left out (docs/smoothing.md): W/kg, markers at 6 Hz."""
    walk = simulated_walk()
    plain = analysed(walk, 6.0)
    smooth = replace(walk.trial, points_g=lowpass(walk.trial.points_g, 6.0, walk.trial.rate_hz))
    given = {"cutoff_hz": "none", "joint_loads": "matched"}
    matched = analyse(smooth, load_model("pig", given), SubjectFile())
    for contact in (c for c in plain.contacts if c.plates):
        off = contact.loaded.stop
        late = slice(off - 30, off + 12)
        for joint, sign, right in (("hip", 1, 0.02), ("knee", -1, 0.03), ("ankle", 1, 0.1)):
            true = (sign * walk.truth.clinical[f"{contact.side}_{joint}_power_W_per_kg"][late]).max()
            as_they_are, alike = ((sign * r.sides[contact.side].powers[joint][late]).max() for r in (plain, matched))
            assert abs(as_they_are - true) < right, (contact.side, joint)
            assert abs(alike - true) > 2 * right, (contact.side, joint)


@pytest.mark.parametrize("cutoff_hz", [6.0, 10.0])
def test_loads_that_match_the_markers_give_the_moments_of_an_impact(cutoff_hz: float) -> None:
    walk = simulated_walk(impact_bw=0.4, impact_absorbed=1.0)
    noise = np.random.default_rng(2).normal(0, 1e-4, walk.trial.points_g.shape)
    trial = replace(walk.trial, points_g=walk.trial.points_g + noise)

    def result_with(joint_loads: str) -> Result:
        model = load_model("pig", {"cutoff_hz": cutoff_hz, "joint_loads": joint_loads})
        return analyse(trial, model, SubjectFile())

    measured, matched = result_with("as_measured"), result_with("matched")
    assert measured.impacts and not matched.impacts
    for impact in measured.impacts:
        inside = slice(impact.first, impact.last + 1)
        before, after = (worst_errors(walk, result, impact.side)[inside].max() for result in (measured, matched))
        assert before > 0.4 and after < 0.15  # N·m/kg
    assert [(c.side, c.plates, c.loaded) for c in matched.contacts] == [
        (c.side, c.plates, c.loaded) for c in measured.contacts
    ]
    for side, leg in matched.sides.items():
        np.testing.assert_array_equal(leg.load.wrench.f_g, measured.sides[side].load.wrench.f_g)
        in_air = leg.load.state == 0
        assert (leg.load.wrench.f_g[in_air] == 0).all()


def test_without_a_weight_or_where_a_contact_does_not_begin_nothing_is_an_impact() -> None:
    result = analysed(simulated_walk(impact_bw=0.4, impact_absorbed=1.0), 7.0)
    loads, contacts = result.loads.by_side, result.contacts
    assert find_impacts(loads, contacts, 100.0, float("nan"), 7.0) == ()
    assert len(find_impacts(loads, contacts, 100.0, 686.7, float("nan"))) == len(result.impacts) >= 2
    unknown_before = {}
    for side, load in loads.items():
        state = np.array(load.state)
        for contact in contacts:
            if contact.side == side and contact.plates:
                state[contact.loaded.start - 3 : contact.loaded.start] = UNKNOWN
        unknown_before[side] = replace(load, state=state)
    assert find_impacts(unknown_before, contacts, 100.0, 686.7, 7.0) == ()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
def test_strikes_of_recorded_walks_have_impacts_and_steps_on_stairs_hardly_any() -> None:
    walks = [
        *SHARED.glob("children/HC*/walk.c3d"),
        *SHARED.glob("sydney/walk*.c3d"),
        SHARED / "nexus_flatfoot/walk.c3d",
    ]
    model, late = load_model("pig"), []
    for path in walks:
        result = analyse(read_trial(path), model, SubjectFile())
        for contact in (c for c in result.contacts if c.plates):
            moment = result.sides[contact.side].moments["hip"]["extension"][contact.loaded]
            mask = result.impact_frames(contact.side)[contact.loaded]
            assert mask[:3].all() and mask.sum() < 0.2 * len(mask), path
            late.append(np.nanmax(moment) > 1.3 * np.nanmax(moment[~mask]))
    assert len(late) == 17 and sum(late) >= 15  # the greatest hip extension was the impact's
    stairs = analyse(read_trial(SHARED / "stairs/Movement_trial.c3d"), model, SubjectFile())
    assert not any(abs(impact.peak - 42) < 10 or abs(impact.peak - 105) < 10 for impact in stairs.impacts)


@pytest.mark.parametrize("scenario", ["walk", "run", "turn", "stop", "backward", "ramp"])
def test_markers_that_are_slower_than_the_force_were_smoothed_too_much(scenario: str) -> None:
    walk = simulated_walk(scenario)
    result, rate_hz = analyse(walk.trial, load_model("pig"), SubjectFile()), walk.trial.rate_hz
    loads = {side: of.load for side, of in result.sides.items()}

    def said(cutoff_hz: float) -> bool:
        smooth = {label: lowpass(points, cutoff_hz, rate_hz) for label, points in result.markers.seen.items()}
        return bool(smoothed_notes(smooth, loads, rate_hz))

    assert not smoothed_notes(result.markers.seen, loads, rate_hz)
    assert [said(hz) for hz in (2.0, 3.0, 6.0, 10.0)] == [True, True, False, False]
