"""The judge: sound evidence accuses nobody, one fault is named with its size, and what cannot be told apart is said."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_evidence import AS_RECORDED, read_again, walked, with_noise
from simulated_trials import simulated_walk
from test_evidence import Y_UP
from test_hypotheses import EVERY, spoilt

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from shared_trials import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.faults.evidence import Evidence
from gaitid.faults.hypotheses import hypotheses
from gaitid.faults.judge import Court, Fitted, judge
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.numerics.rotation import about_axis
from gaitid.read import read_trial
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.trial import Array, ForcePlate, Trial

ACCUSE = ("plate_channel", "plate_doubtful", "plate_gain", "plate_misplaced", "body_not_carried", "clocks_apart")
ACCUSE += ("rate_doubtful", "laboratory_askew")


def best_of(evidence: Evidence) -> Fitted:
    (finding,) = judge(Court(evidence)).findings
    return finding.best


# --- a point mass ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seconds", [1.5, 2.8, 6.0])
def test_sound_evidence_accuses_nobody(whole: bool, seconds: float) -> None:
    judgement = judge(Court(with_noise(walked(seconds, whole))))
    assert judgement.findings == () and judgement.misfit == judgement.left < 1


@pytest.mark.parametrize(
    ("cause", "channels", "plates", "size"),
    [
        ("late", (), (0, 1), (0.03,)),
        ("late", (), (0, 1), (-0.05,)),
        ("late", (), (1,), (0.04,)),
        ("gain", ("Fx", "Fy", "Fz", "Mx", "My", "Mz"), (0,), (0.25,)),
        ("gain", ("Fx", "Fy", "Fz", "Mx", "My", "Mz"), (0, 1), (-0.2,)),
        ("moved", (), (1,), (0.06, -0.04)),
        ("sign", ("Fx",), (0,), ()),
        ("sign", ("Mx", "My"), (1,), ()),
        ("exchanged", ("Mx", "My"), (0,), ()),
        ("turned", (), (0,), ()),
        ("plates_exchanged", (), (0, 1), ()),
        ("rate", (), (), (0.4,)),
        ("drift", (), (), (0.03, 0.0)),
    ],
)
def test_one_fault_is_named_with_its_size(cause: str, channels: tuple[str, ...], plates, size) -> None:  # type: ignore[no-untyped-def]
    fault = next(
        h for h in EVERY if (h.cause, h.plates) == (cause, plates) and (not channels or h.channels == channels)
    )
    best = best_of(with_noise(spoilt(fault, np.array(size))))
    assert (best.hypothesis.cause, best.hypothesis.plates) == (cause, plates)
    assert best.hypothesis.channels == fault.channels and best.hypothesis.degrees == fault.degrees
    assert best.misfit < 1
    assert (np.abs(best.size - size) < 3 * best.error).all(), (best.size, best.error)


@pytest.mark.parametrize("R_gl", [Y_UP, about_axis("z", 2.0)], ids=["y up", "another way"])
def test_turning_the_laboratory_changes_no_score(R_gl: Array) -> None:
    scores = []
    for R in (AS_RECORDED, R_gl):
        evidence = walked(R_gl=R)
        late = read_again(evidence, tuple(np.roll(samples, 3, axis=0) for samples in evidence.samples))
        court = Court(late)
        scores.append([one.score for one in court.compete(late.filed, hypotheses(late, weighed=True))])
    assert max(scores[0]) > 20
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-5, atol=1e-4)


# --- trials ---------------------------------------------------------------------------------------------------


def accused(result: Result) -> list[Note]:
    return [note for note in result.notes if note.code in ACCUSE]


def spoil(trial: Trial, scales: Array, late_s: float = 0.0, numbers: tuple[int, ...] = (1, 2)) -> list[Note]:
    """What is said when Fx Fy Fz Mx My Mz of some plates are scaled, or come late."""

    def read(plate: ForcePlate) -> ForcePlate:
        n = round(late_s * plate.rate_hz)
        force, moment = (np.roll(of, n, axis=0) for of in (plate.force_p, plate.moment_p))
        return replace(plate, force_p=force * scales[:3], moment_p=moment * scales[3:])

    plates = tuple(read(plate) if plate.number in numbers else plate for plate in trial.plates)
    spoilt = replace(trial, plates=plates, events=() if late_s else trial.events)
    return accused(analyse(spoilt, load_model("pig"), SubjectFile()))


def test_a_simulated_walk_names_delay_gain_and_sign() -> None:
    trial = simulated_walk().trial
    (late,) = spoil(trial, np.ones(6), 0.03)
    ms, error = map(float, re.search(r"are (\d+) ± (\d+) ms later", late.text).groups())  # type: ignore[union-attr]
    # a laboratory's own delay is 4 ms usually, and none in a simulated one
    assert late.code == "clocks_apart" and abs(ms + 3.6 - 30) < 3 * error
    (gain,) = spoil(trial, np.full(6, 1.3), numbers=(2,))
    times, error = map(float, re.search(r"([0-9.]+) ± ([0-9.]+) times", gain.text).groups())  # type: ignore[union-attr]
    assert gain.code == "plate_gain" and gain.plates == (2,) and abs(times - 1.3) < 3 * error
    (sign,) = spoil(trial, np.array([1, -1, 1, 1, 1, 1]), numbers=(1,))
    assert sign.code == "plate_channel" and sign.text.startswith("plate 1: probably Fy has the wrong sign")


def recorded(name: str) -> Trial:
    if not (SHARED / name).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    return read_trial(SHARED / name)


@pytest.mark.parametrize(("channel", "number"), [(0, 1), (1, 2)])
def test_a_sign_on_a_recorded_walk_is_named_with_its_plate(channel: int, number: int) -> None:
    senses = np.where(np.arange(6) == channel, -1.0, 1.0)
    (note,) = spoil(recorded("sydney/walk04.c3d"), senses, numbers=(number,))
    assert note.code == "plate_channel"
    assert note.text.startswith(f"plate {number}: probably {'Fx' if channel == 0 else 'Fy'} has the wrong sign")


def test_two_files_whose_clocks_begin_apart_are_named_with_the_cure() -> None:
    folder = SHARED / "cases" / "two_clocks_overlapping"
    if not folder.is_dir():
        pytest.skip("the shared trials are not beside this checkout")
    options = RunOptions("pig", forces=folder / "walk.mot", subject=folder / "subject.yaml")
    (note,) = accused(analyse_file(folder / "walk.trc", prepare(options)))
    assert note.code == "clocks_apart" and "1.50 s" in note.text and "2.00 s" in note.text
    assert "--set force_start_s=" in note.cure
    told = RunOptions("pig", forces=options.forces, subject=options.subject, settings={"force_start_s": 0.0})
    known = analyse_file(folder / "walk.trc", prepare(told))
    assert not accused(known) and {c.side for c in known.contacts if c.plates} == {"left", "right"}
