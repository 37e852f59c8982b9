"""What belongs to a laboratory and a day: the sum over recorded trials names 2 cm and 10 ms, and nothing in sound ones.

Six walks and turns of five subjects over one pair of plates; spoilt in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import pipeline_of
from gaitid.faults.find import PlateFaults
from gaitid.faults.laboratory import KINDS, Day, Share, added
from gaitid.faults.laboratory_file import laboratory_text, read_laboratory, words_of
from gaitid.run import RunOptions, analyse_trial, prepare, read_with
from gaitid.trial import ForcePlate

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
TRIALS = (
    *((f"children/{child}", "walk") for child in ("HC002D", "HC030A", "HC031A", "HC036A")),
    *(("labs/turn", name) for name in ("straight", "turn")),
)
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="recorded trials (../shared/trials) are not here")

Spoil = Callable[[ForcePlate], ForcePlate]
FAR_M, EARLY_S = 0.02, 0.01


def as_filed(plate: ForcePlate) -> ForcePlate:
    return plate


def moved(plate: ForcePlate) -> ForcePlate:
    """Corners that say so much more along the laboratory's x."""
    return replace(plate, corners_g=plate.corners_g + np.array([FAR_M, 0.0, 0.0]))


def early(plate: ForcePlate) -> ForcePlate:
    n = round(EARLY_S * plate.rate_hz)
    return replace(plate, force_p=np.roll(plate.force_p, -n, axis=0), moment_p=np.roll(plate.moment_p, -n, axis=0))


def faults(folder: str, name: str, spoil: Spoil = as_filed, days: tuple[Day, ...] = ()) -> PlateFaults:
    options = RunOptions(model="pig", static=SHARED / folder / "static.c3d")
    trial = read_with(SHARED / folder / f"{name}.c3d", options)
    trial = replace(trial, plates=tuple(spoil(plate) for plate in trial.plates))
    result, _ = analyse_trial(trial, replace(prepare(options), laboratory=days))
    return pipeline_of(result).plate_faults


@cache
def shares(spoil: Spoil) -> list[tuple[str, Share]]:
    found = [(folder, faults(folder, name, spoil).laboratory) for folder, name in TRIALS]
    return [(subject, share) for subject, share in found if share is not None]


@cache
def day(spoil: Spoil, against: Spoil | None = None) -> Day:
    return added("a day", shares(spoil), None if against is None else day(against))


def test_sound_trials_show_nothing() -> None:
    sound = day(as_filed)
    assert (sound.trials, sound.subjects, sound.wrong) == (6, 5, ())
    for (_, kind), (error, value) in sound.values.items():
        if kind.startswith("shift"):
            assert abs(value) < 2 * error
            assert error < 0.008
        if kind == "delay":
            assert 0.005 < value < 0.012


def test_the_sum_names_two_centimetres() -> None:
    sound, spoilt = day(as_filed), day(moved)
    changes = {p: KINDS[p[1]].scale * (spoilt.values[p].mean - sound.values[p].mean) for p in sound.values}
    # x of one of both plates is that of the laboratory, x of the other its opposite
    assert changes[1, "shift_x"] == pytest.approx(-2.0, abs=0.2)
    assert changes[2, "shift_x"] == pytest.approx(2.0, abs=0.2)
    assert max(abs(changes[n, "shift_y"]) for n in (1, 2)) < 0.2
    assert max(abs(changes[n, "delay"]) for n in (1, 2)) < 1.0
    assert {kind for _, kind in spoilt.wrong} == {"shift_x"}
    assert "it lies elsewhere: pressure and motion fit after a shift by -" in " ".join(words_of(spoilt, None))


def test_a_later_day_names_ten_milliseconds() -> None:
    later = day(early, against=as_filed)
    assert later.wrong == ((1, "delay"), (2, "delay"))
    for parameter in later.wrong:
        change_s = later.values[parameter].mean - day(as_filed).values[parameter].mean
        assert change_s == pytest.approx(-EARLY_S, abs=0.001)
    (said,) = words_of(later, day(as_filed))
    assert said.startswith("plates 1 and 2: forces are")
    # without that day they lie within what sound laboratories show
    assert day(early).wrong == ()


def test_a_file_is_what_is_known_of_a_trial() -> None:
    """What it says is wrong is a note of each trial; of plates elsewhere it says nothing."""
    said = faults(*TRIALS[0], moved, (day(moved),))
    assert said.held_against == "a day"
    assert [note.code for note in said.notes] == ["plate_doubtful"] * len(day(moved).wrong)
    assert "N·m/kg (as laboratory.yaml says of a day)" in said.notes[0].text
    assert not said.withheld
    elsewhere = faults(*TRIALS[0], as_filed, (day(moved),))
    assert elsewhere.held_against == ""
    assert [note.code for note in elsewhere.notes] == ["file_beside"]


def test_one_trial_is_no_sum() -> None:
    (first, *others) = shares(moved)
    twice = added("", [first, first, *others], None)
    assert {*twice.wrong} >= {*day(moved).wrong}
    far = replace(first[1], score=first[1].score * 100)
    assert added("", [(first[0], far)] * 2, None).wrong
    assert added("", [(first[0], far)], None).wrong == ()


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "laboratory.yaml"
    file.write_text(laboratory_text([day(moved)]), encoding="utf-8")
    (again,) = read_laboratory(file)
    assert again.same_plates(day(moved).corners)
    assert not again.same_plates(day(as_filed).corners)
    assert {*again.wrong} == {*day(moved).wrong}
    for parameter, prior in day(moved).values.items():
        scale = abs(KINDS[parameter[1]].scale)
        assert again.values[parameter] == pytest.approx(prior, abs=0.001 / scale)
