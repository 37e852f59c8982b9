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
from shared_trials import SHARED, TRIALS, SharedTrial

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.errors import SubjectError, TrialError
from gaitid.gait import body_mass
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.run import RunOptions, analyse_file, prepare
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


def test_a_stored_0_is_no_mass(simulated: Callable[..., Simulated]) -> None:
    trial = simulated().trial
    nobody_entered_it = replace(trial, parameters={**trial.parameters, "Bodymass": 0.0})
    result = analyse(nobody_entered_it, load_model("pig"), SubjectFile())
    assert result.subject.mass_kg == analysed(trial).subject.mass_kg


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


def test_without_plates_nothing_but_the_moments_is_lost(simulated: Callable[..., Simulated]) -> None:
    trial = replace(simulated().trial, plates=())
    result, given = analysed(trial), analyse(trial, load_model("pig"), SubjectFile())
    for side, leg in result.sides.items():
        np.testing.assert_array_equal(leg.angles["knee"]["flexion"], given.sides[side].angles["knee"]["flexion"])
        for wrench in leg.wrenches.values():
            assert np.isnan(wrench.f_g).all() and np.isnan(wrench.m_g).all()  # also in the air: never zeros
        assert leg.coverage["knee"]["body mass unknown"] > 0
    assert [note.severity for note in result.notes if note.code == "mass_unknown"] == ["error"]
    with pytest.raises(TrialError, match="no usable force plate"):
        analyse(without_mass(trial), load_model("pig"), SubjectFile(), require_forces=True)


def test_a_point_that_needs_the_mass_still_asks_for_it(simulated: Callable[..., Simulated], tmp_path: Path) -> None:
    model = tmp_path / "heavy.yaml"
    model.write_text(
        "gaitid_model: 1\nname: heavy\nextends: pig\nsubject_each_side:\n  knee_width: {key: knee_width_mm, c3d: none,"
        ' unit: mm, range: [0.001, 1], otherwise: "0.0015 * mass", because: a guess}\n'
    )
    with pytest.raises(SubjectError, match="missing: mass_kg"):
        analyse(without_mass(simulated().trial), load_model(str(model)), SubjectFile())


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

# Share of the stored mass by which that of the plates differs: 4.2 % and 3.2 % in HC002D (whose plates say 31.1 kg in
# the static and 30.8 in the walk, 32.1 is stored), 2.7 and 1.8 % in HC036A, 2.3 % and 2.9 % in two adults' walks, and
# below 1 % in the other seven. How well what is stored was measured is not known.
STORED = 0.045
# The same between the static and a walk or turn of one child: at most 1.0 %.
STATIC = 0.012


@pytest.fixture(scope="module")
def walks() -> dict[str, tuple[SharedTrial, Result]]:
    return {known.name: (known, analysed(read_trial(known.path))) for known in TRIALS}


@recorded
def test_strides_give_what_is_stored(walks: dict[str, tuple[SharedTrial, Result]]) -> None:
    differences = {}
    for name, (known, result) in walks.items():
        assert "mass_estimated" in [note.code for note in result.notes], name
        stored = read_trial(known.path).parameters["Bodymass"]
        differences[name] = result.subject.mass_kg / stored - 1
    assert len(differences) == 10
    assert max(map(abs, differences.values())) < STORED
    assert np.median(np.abs(list(differences.values()))) < 0.009
    assert abs(np.mean(list(differences.values()))) < 0.005  # too light as often as too heavy


@recorded
def test_the_static_and_the_walk_agree() -> None:
    children = [known for known in TRIALS if known.laboratory == "McGill"]
    for known in children:
        trial, static = read_trial(known.path), read_trial(known.path.with_name("static.c3d"))
        walk, stand = analysed(trial).subject.measured["mass"], analysed(trial, static).subject.measured["mass"]
        assert stand.source.startswith("plates, quiet standing in the static: "), stand
        assert walk.value == pytest.approx(stand.value, rel=STATIC), known.name


@recorded
def test_no_laboratory_needs_a_limit_of_its_own(walks: dict[str, tuple[SharedTrial, Result]]) -> None:
    """Twice the largest spread of the windows of the others holds for each laboratory, and the limit is that of all."""
    spread: dict[str, float] = {}
    for known, result in walks.values():
        mass = body_mass.walking_mass(
            result.ground, result.loads, result.base.vel_g @ result.ground.floor.up_g, result.settings.gravity_m_per_s2
        )
        share = mass.spread_kg / mass.mass_kg
        spread[known.laboratory] = max(spread.get(known.laboratory, 0.0), share)
    for laboratory, share in spread.items():
        assert share < 2 * max(s for other, s in spread.items() if other != laboratory)
    assert 2 * max(spread.values()) == pytest.approx(body_mass.SPREAD, rel=0.05)


@recorded
def test_two_doubtful_ways_that_agree_weigh_a_child(tmp_path: Path) -> None:
    """Qualisys: no mass is stored, feet reach over the plates' edges in static and walk, and 8 and 13 N of empty plates
    are in the static's 36.3 kg. Without these it is 34.2 kg, and the step says 34.5.
    """
    model, subject = tmp_path / "outer_toe.yaml", tmp_path / "subject.yaml"
    model.write_text('gaitid_model: 1\nextends: pig\nname: outer_toe\neach_side: {markers: {toe: "{S}LA_TOE"}}\n')
    widths = "".join(
        f"{s}_leg_length_mm: 700\n{s}_knee_width_mm: 80\n{s}_ankle_width_mm: 55\n" for s in ("left", "right")
    )
    subject.write_text(f"{widths}inter_asis_distance_mm: 190\n")
    chosen = prepare(RunOptions(str(model), static=SHARED / "qualisys/static.c3d", subject=subject))
    mass = analyse_file(SHARED / "qualisys/walk.c3d", chosen).subject.measured["mass"]
    assert "which agree" in mass.source
    assert mass.value == pytest.approx(34.35, abs=0.1)
