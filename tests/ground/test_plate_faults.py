"""Faults of plates and clocks: each is done to a simulated walk and to recorded ones, and found by its name."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from shared_trials import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.read import read_trial
from gaitid.simulate.c3d_file import stored_parameters
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array, ForcePlate, Trial

CODES = {
    "plate_channel",
    "plate_doubtful",
    "plate_gain",
    "body_not_carried",
    "clocks_apart",
    "clocks_near",
    "rate_doubtful",
    "laboratory_askew",
}
RECORDED = ("children/HC030A/walk.c3d", "sydney/walk04.c3d", "nexus_flatfoot/walk.c3d")
Change = Callable[[ForcePlate], ForcePlate]


@cache
def trial_of(name: str) -> Trial:
    """The simulated walk, or a recorded one; skipped where that is absent."""
    if name == "simulated":
        return simulated_walk().trial
    if not (SHARED / name).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    return read_trial(SHARED / name)


def result_of(trial: Trial, **settings: object) -> Result:
    return analyse(trial, load_model("pig", settings), SubjectFile())


def found(result: Result) -> list[Note]:
    return [note for note in result.notes if note.code in CODES and note.severity != "info"]


def known_plates(result: Result) -> set[int]:
    return {number for contact in result.contacts for number in contact.plates}


@cache
def plates_of_clean(name: str) -> frozenset[int]:
    return frozenset(known_plates(result_of(trial_of(name))))


def changed(trial: Trial, change: Change, *numbers: int) -> Trial:
    """The trial with plates changed, of these numbers or all."""
    return replace(trial, plates=tuple(change(p) if not numbers or p.number in numbers else p for p in trial.plates))


def channels(spoil: Callable[[Array], None]) -> Change:
    """Fx Fy Fz Mx My Mz of a plate, (samples, 6), changed in place."""

    def change(plate: ForcePlate) -> ForcePlate:
        values = np.concatenate([plate.force_p, plate.moment_p], axis=1)
        spoil(values)
        return replace(plate, force_p=values[:, :3], moment_p=values[:, 3:])

    return change


def times(factor: float, *columns: int) -> Change:
    def spoil(values: Array) -> None:
        values[:, list(columns) or slice(None)] *= factor

    return channels(spoil)


def exchanged(values: Array) -> None:
    values[:, [0, 1]] = values[:, [1, 0]]


def clipped(values: Array) -> None:
    top = 0.9 * np.nanmax(-values[:, 2])
    values[:, 2] = np.maximum(values[:, 2], -top)


def late(seconds: float) -> Change:
    def change(plate: ForcePlate) -> ForcePlate:
        at = np.clip(np.arange(len(plate.force_p)) - round(seconds * plate.rate_hz), 0, len(plate.force_p) - 1)
        return replace(plate, force_p=plate.force_p[at], moment_p=plate.moment_p[at])

    return change


def without_events(trial: Trial) -> Trial:
    return replace(trial, events=())


EVERYWHERE = pytest.mark.parametrize("name", ["simulated", *RECORDED])


# --- no false alarms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *(f"children/{child}/walk.c3d" for child in ("HC002D", "HC030A", "HC031A", "HC036A")),
        "children/HC030A/turn.c3d",
        *(f"sydney/walk0{i}.c3d" for i in (3, 4, 5)),
        "nexus_flatfoot/walk.c3d",
        "stairs/Movement_trial.c3d",
    ],
)
def test_recorded_walks_have_none(name: str) -> None:
    assert found(result_of(trial_of(name))) == []


@pytest.mark.parametrize(
    "scenario",
    ["walk", "crossing", "shared_plate", "across_plates", "over_edge", "stop", "stumble", "backward", "turn"]
    + ["treadmill", "split_belt", "ramp", "run", "swapped_plates", "second_person"],
)
def test_simulated_walks_have_none(scenario: str) -> None:
    settings = WalkSettings()
    walk = simulate_walk(settings, scenario)
    values = walk.plate_channels(settings.analog_times_s)
    markers = walk.at(settings.times_s).marker_g
    trial = Trial(
        Path(f"{scenario}.c3d"),
        settings.rate_hz,
        1,
        tuple(markers),
        np.stack(list(markers.values()), axis=1),
        tuple(
            ForcePlate(p.number, 2, p.corners_g, p.sensor_p, settings.analog_rate_hz, *values[p.number])
            for p in walk.plates
        ),
        parameters=stored_parameters(walk.subject, with_offsets=True),
        up_hint=np.array([0.0, 0.0, 1.0]),
    )
    assert found(result_of(trial)) == []


# --- channels -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (times(0.0, 0), "Fx does not change"),
        (times(0.0, 1), "Fy does not change"),
        (times(0.0, 3), "Mx does not change"),
        (times(0.0, 5), "Mz does not change"),
        (times(1000.0, 0), "its horizontal force is larger than the vertical one for [0-9]+ ms"),
        (times(1000.0, 1), "its horizontal force is larger than the vertical one for [0-9]+ ms"),
        (times(1000.0, 3, 4, 5), "its pressure lies [0-9]+ m away, .* its moments seem to be in N·mm"),
        (times(100.0, 3, 4, 5), "its pressure lies .*(its moments seem to be in N·cm|in another unit)"),
        (times(10.0, 3, 4, 5), "its pressure lies beside it for [0-9]+ ms: .*in another unit"),
        (times(0.001, 3, 4, 5), "Mx and My move its pressure by 0.[0-9] mm only"),
        (channels(exchanged), "Fx and Fy are exchanged"),
        (channels(clipped), "its vertical force is clipped at"),
    ],
)
@EVERYWHERE
def test_a_channel_that_cannot_be_withholds_the_plate(name: str, change: Change, words: str) -> None:
    trial, usual = trial_of(name), plates_of_clean(name)
    number = min(usual)
    result = result_of(changed(trial, change, number))
    notes = [note for note in found(result) if note.code == "plate_channel"]
    assert len(notes) == 1
    assert re.match(f"plate {number}: (probably )?{words}", notes[0].text)
    assert notes[0].cure or notes[0].message.cure
    assert known_plates(result) == usual - {number}
    # the contact says so too, where geometry did not speak first
    reasons = [contact.reason for contact in result.contacts if f"plate {number}: " in contact.reason]
    assert reasons


@pytest.mark.parametrize(("column", "channel"), [(0, "Fx"), (1, "Fy")])
@EVERYWHERE
def test_a_sign_is_named_with_its_channel_and_withheld(name: str, column: int, channel: str) -> None:
    """Along the way and across it: which of Fx and Fy is which depends on how the plate lies."""
    trial, usual = trial_of(name), plates_of_clean(name)
    result = result_of(changed(trial, times(-1.0, column), min(usual)))
    (note,) = found(result)
    assert note.code == "plate_channel"
    assert f"plate {min(usual)}: probably {channel} has the wrong sign" in note.text
    assert known_plates(result) == usual - {min(usual)}


# --- gains ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.5, 0.85, 1.15, 2.0])
@EVERYWHERE
def test_one_plate_with_another_gain_is_named_with_its_ratio(name: str, factor: float) -> None:
    trial, usual = trial_of(name), plates_of_clean(name)
    result = result_of(changed(trial, times(factor), max(usual)))
    (note,) = found(result)
    assert note.code == "plate_gain" and note.plates == (max(usual),)
    ratio, error = map(float, re.search(r"gives? ([0-9.]+) ± ([0-9.]+) times", note.text).groups())  # type: ignore[union-attr]
    assert ratio == pytest.approx(factor, abs=3 * error + 0.005)
    # what it does to joint moments decides whether its loads are believed
    assert known_plates(result) == (usual - {max(usual)} if factor == 2.0 else usual) or factor == 0.5


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1 / 4.4482, "forces in pounds read as newtons"),
        (4.4482, "forces in newtons read as pounds"),
        (0.85, "mass or gain is wrong"),
        (1.15, "mass or gain is wrong"),
    ],
)
@EVERYWHERE
def test_a_gain_of_all_plates_empties_nothing_and_is_said_once(name: str, factor: float, words: str) -> None:
    trial = trial_of(name)
    result = result_of(changed(trial, times(factor)))
    notes = [note for note in found(result) if note.severity != "info"]
    assert [note.code for note in notes] == ["body_not_carried"]
    assert words in notes[0].text
    assert float(re.search(r"gives? ([0-9.]+) ± ", notes[0].text)[1]) == pytest.approx(factor, rel=0.06)  # type: ignore[index]
    # a foot at an edge that carries a fifth of the body may have been partly beside it, whatever the cause
    clean, known = plates_of_clean(name), known_plates(result)
    assert known == clean if factor > 0.5 else known and known <= clean


@pytest.mark.parametrize(
    ("factor", "words", "one"),
    [
        (2.2046, "a mass in pounds read as kilograms", False),
        (2.2046, "a mass in pounds read as kilograms", True),
        (0.9, "mass or gain", False),
    ],
)
@EVERYWHERE
def test_a_wrong_mass_is_said(name: str, factor: float, words: str, one: bool) -> None:
    """Of one plate alone too, which cannot tell its gain from the mass: it is not accused."""
    trial = trial_of(name)
    if one:
        trial = replace(trial, plates=tuple(p for p in trial.plates if p.number == min(plates_of_clean(name))))
    keys = [key for key in trial.parameters if key.lower().replace(" ", "") in ("bodymass", "mass")]
    assert keys
    heavy = replace(trial, parameters={**trial.parameters, **{k: trial.parameters[k] * factor for k in keys}})
    notes = [note for note in found(result_of(heavy)) if note.code == "body_not_carried"]
    assert len(notes) == 1
    assert words in notes[0].text


# --- clocks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ms", [-50, 50])
@EVERYWHERE
def test_forces_apart_from_markers_by_50_ms_are_not_believed(name: str, ms: int) -> None:
    """Clean walks differ by 0 to 8 ms, and a trial's own delay is seen within some 8 more."""
    result = result_of(changed(without_events(trial_of(name)), late(ms / 1000)))
    (note,) = (note for note in found(result) if note.code == "clocks_apart")
    size, way = re.search(r"are (\d+) ± \d+ ms (earlier|later)", note.text).groups()  # type: ignore[union-attr]
    assert way == ("later" if ms > 0 else "earlier")
    assert float(size) == pytest.approx(abs(ms), abs=16)
    assert not known_plates(result)


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.4, 2.0])
@EVERYWHERE
def test_a_rate_that_is_wrong(name: str, factor: float) -> None:
    """A body that walks is accelerated as the forces say. Of markers and forces together, and of the markers alone."""
    trial = without_events(trial_of(name))
    plates = tuple(replace(p, rate_hz=p.rate_hz * factor) for p in trial.plates)
    (note,) = found(result_of(replace(trial, rate_hz=trial.rate_hz * factor, plates=plates)))
    assert note.code == "rate_doubtful"
    times, way = re.search(r"declared about ([0-9.]+) times too (high|low)", note.text).groups()  # type: ignore[union-attr]
    assert way == ("high" if factor > 1 else "low")
    assert float(times) == pytest.approx(max(factor, 1 / factor), rel=0.12)
    if factor in (0.5, 2.0) and trial.rate_hz * factor > 60:  # more slowly the filters' own limits refuse it
        alone = found(result_of(replace(trial, rate_hz=trial.rate_hz * factor)))
        assert "rate_doubtful" in {note.code for note in alone}


@pytest.mark.parametrize("factor", [0.0, 1e-3], ids=["dead", "kN"])
def test_a_plate_that_feels_nothing_of_a_foot_on_it_is_named(simulated, factor: float) -> None:  # type: ignore[no-untyped-def]
    sim = simulated()
    trial = sim.trial
    one = trial.plates[0]
    dead = replace(one, force_p=factor * one.force_p, moment_p=factor * one.moment_p)
    result = analyse(replace(trial, plates=(dead, *trial.plates[1:])), load_model("pig"), SubjectFile())
    assert any(n.code == "plate_channel" and "while a foot stands on it" in n.text for n in result.notes)
    assert not any("stands on it" in n.text for n in analyse(trial, load_model("pig"), SubjectFile()).notes)


@pytest.mark.parametrize("name", ["sydney/walk03", "nexus_flatfoot/walk"])
def test_a_channel_that_lost_its_sign_is_withheld(name: str) -> None:
    """Fx of the last plate that carries one foot, without its sign: 1.2 and 2.7 N·m/kg at the hip before."""
    path = SHARED / f"{name}.c3d"
    if not path.is_file():
        pytest.skip("recorded trials (../shared/trials) are not here")
    trial = read_trial(path)
    number = 3 if name.startswith("sydney") else 2
    plates = tuple(
        replace(p, force_p=np.abs(p.force_p) * [1, 0, 0] + p.force_p * [0, 1, 1]) if p.number == number else p
        for p in trial.plates
    )
    result = analyse(replace(trial, plates=plates), load_model("pig"), SubjectFile())
    assert any(n.code == "plate_channel" and "Fx turns back at zero" in n.text for n in result.notes)
    assert not any(number in c.plates for c in result.contacts)
    sound = analyse(trial, load_model("pig"), SubjectFile())
    assert not any("turns back" in n.text for n in sound.notes)
