"""The mass of trials from which the stored one was taken away: what docs/method.md claims, held to its limits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import Simulated

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from shared_trials import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.trial import Trial

recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


def without_mass(trial: Trial) -> Trial:
    return replace(trial, parameters={k: v for k, v in trial.parameters.items() if k != "Bodymass"})


def analysed(trial: Trial, static: Trial | None = None, mass_kg: float = np.nan) -> Result:
    subject = SubjectFile({"mass": mass_kg} if np.isfinite(mass_kg) else {})
    return analyse(without_mass(trial), load_model("pig"), subject, static and without_mass(static))


# --- simulated ----------------------------------------------------------------------------------------------


def test_a_mass_that_is_given_wins(simulated: Callable[..., Simulated]) -> None:
    result = analyse(simulated().trial, load_model("pig"), SubjectFile())
    assert result.subject.measured["mass"].source == "trial, stored"
    assert not {"mass_estimated", "mass_unknown"} & {note.code for note in result.notes}


def test_contacts_are_those_of_a_body_of_the_estimated_mass(simulated: Callable[..., Simulated]) -> None:
    trial = simulated().trial
    result = analysed(trial)
    given = analysed(trial, mass_kg=result.subject.mass_kg)
    assert [vars(c) for c in result.contacts] == [vars(c) for c in given.contacts]
    for side, leg in result.sides.items():
        np.testing.assert_array_equal(leg.wrenches["hip"].m_g, given.sides[side].wrenches["hip"].m_g)


def test_who_is_held_by_something_else_is_not_weighed(simulated: Callable[..., Simulated]) -> None:
    """Crutches, a handrail or a harness carry a part that no plate sees: the mass is asked for, never estimated."""
    trial = without_mass(simulated().trial)
    assert "mass_estimated" in {note.code for note in analysed(trial).notes}
    supported = load_model("pig", {"external_support": True})
    result = analyse(trial, supported, SubjectFile())
    assert np.isnan(result.subject.mass_kg)
    (note,) = [note for note in result.notes if note.code == "mass_unknown"]
    assert "external_support=yes" in note.text and "give mass_kg with --subject" in note.text
    assert all(np.isnan(wrench.m_g).all() for leg in result.sides.values() for wrench in leg.wrenches.values())
    given = analyse(trial, supported, SubjectFile({"mass": 60.0}))
    assert given.subject.mass_kg == 60.0 and "mass_unknown" not in {note.code for note in given.notes}


@pytest.mark.parametrize(
    ("scenario", "evidence"),
    [
        ("run", "1 whole step of the trial"),
        ("split_belt", "5 whole strides of the trial"),
        ("stop", "quiet standing in the trial"),
        ("across_plates", "1 whole step of the trial"),
        ("over_edge", ""),  # a heel and half a sole beside the plates
        ("second_person", ""),  # somebody else on another plate
        ("swapped_plates", ""),
    ],
)
def test_scenarios(scenario: str, evidence: str, tmp_path: Path) -> None:
    simulate(scenario, tmp_path)
    trial = read_trial(tmp_path / f"{scenario}.c3d")
    result = analysed(trial)
    if not evidence:
        assert not np.isfinite(result.subject.mass_kg)
        return
    mass = result.subject.measured["mass"]
    assert mass.source.startswith(f"plates, {evidence}: ")
    assert mass.value == pytest.approx(70, rel=0.015)  # kg: as far as the reaction is from the weight
    given = analysed(trial, mass_kg=70.0)
    assert [(c.side, c.plates, c.loaded) for c in result.contacts] == [
        (c.side, c.plates, c.loaded) for c in given.contacts
    ]


# --- recorded -----------------------------------------------------------------------------------------------
