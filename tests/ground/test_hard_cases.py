"""Cases that once gave a wrong known load, lost a whole one, or ended in an internal error."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from simulated_trials import simulated_walk

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_trials import RECORDED, SimulatedCase, recorded_case, simulated_case

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.ground.by_hand import ByHand
from gaitid.ground.contacts import AIR
from gaitid.model.load import load_model
from gaitid.notes import texts
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
# N. The noise of a contact's edges; a wrong foot, a lost part or a bias is more.
WRONG_N = 20.0


def run(trial: Trial, by_hand: tuple[ByHand, ...] = (), **settings: object) -> Result:
    return analyse(trial, load_model("pig", settings), SubjectFile(), by_hand=tuple(by_hand))


recorded = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


@pytest.mark.parametrize("scenario", ["split_belt", "treadmill"])
def test_a_belts_bias_is_found_while_the_foot_flies_or_not_trusted(scenario: str, tmp_path: Path) -> None:
    simulate(scenario, tmp_path, plate_bias_N=13.0, force_noise_N=1.0, seed=2)
    result = run(read_trial(tmp_path / f"{scenario}.c3d"))
    truth = pd.read_csv(tmp_path / f"{scenario}.truth.wrenches.csv")
    for side, leg in result.sides.items():
        true = truth[[f"{side}_ground_force_{axis}_N" for axis in "xyz"]].to_numpy()
        off = np.linalg.norm(leg.load.wrench.f_g - true, axis=1)
        assert np.nanmax(off) < WRONG_N
    if scenario == "split_belt":
        assert all(p["bias_removed"] for p in result.quality["plates"])
    else:  # one foot is always on a single belt
        assert all("nothing tells what the plate reads" in c.reason for c in result.contacts if c.plates)


@recorded
def test_nothing_is_known_from_a_plate_whose_corners_do_not_fit() -> None:
    trial = read_trial(SHARED / "sydney/walk04.c3d")
    one, *others = trial.plates
    rolled = replace(one, corners_g=np.roll(one.corners_g, 1, axis=0))
    result = run(replace(trial, plates=(rolled, *others)))
    assert not any(1 in c.plates for c in result.contacts)
    assert any("its corners are turned by 90°" in c.reason for c in result.contacts)


def test_a_plate_slower_than_the_cameras_is_refused() -> None:
    trial = simulated_walk().trial
    slow = tuple(replace(p, rate_hz=25.0, force_p=p.force_p[::40], moment_p=p.moment_p[::40]) for p in trial.plates)
    result = run(replace(trial, plates=slow))
    assert sum("more slowly than the cameras" in w for w in texts(result.notes)) == 2
    assert not any(c.plates for c in result.contacts)


@recorded
@pytest.mark.parametrize(
    "name", ["children/HC030A/walk", "children/HC002D/walk", "nexus_flatfoot/walk", "sydney/walk04"]
)
@pytest.mark.parametrize("with_events", [True, False])
def test_no_foot_flies_where_a_hidden_plate_feels_it(name: str, with_events: bool) -> None:
    """As if a step had been on the floor: what the markers and the file's events say of the air, held to the plate."""
    trial = read_trial(SHARED / f"{name}.c3d")
    seen = run(trial)
    stances = [c for c in seen.contacts if c.plates]
    assert stances
    for contact in stances:
        rest = tuple(p for p in trial.plates if p.number not in contact.plates)
        hidden = run(replace(trial, plates=rest, events=trial.events if with_events else ()))
        vertical = seen.sides[contact.side].load.wrench.f_g[:, 2]
        flies = hidden.sides[contact.side].load.state == AIR
        assert not (flies & (vertical > WRONG_N)).any()
        # so many frames before the strike are not sure: 0.04 s with events, 0.09 s without (100 Hz)
        before = contact.first - np.flatnonzero(flies[: contact.first])[-1]
        assert before <= (4 if with_events else 9)


@recorded
@pytest.mark.parametrize("firsts", [(74, 105), (69, 170), (18, 75), (91, 164), (61, 91), (58, 102)])
def test_gaps_of_all_markers_raise_no_doubt_of_a_gain_a_rate_or_the_weight(firsts: tuple[int, ...]) -> None:
    """While the other foot is not seen, nobody knows when it left the ground or landed."""
    trial = read_trial(SHARED / "sydney/walk03.c3d")
    points = trial.points_g.copy()
    for first in firsts:  # 150 ms each
        points[first : first + 15] = np.nan
    result = run(replace(trial, points_g=points))
    doubts = ("plate_doubtful", "rate_doubtful", "weight_doubtful")
    assert not [note.text for note in result.notes if note.code in doubts]


def played_backward(trial: Trial) -> Trial:
    """The same motion and forces in reverse: mechanics runs both ways, so this is a walk backward with true loads."""
    plates = []
    for plate in trial.plates:
        a_frame = round(plate.rate_hz / trial.rate_hz)
        last = (trial.n_frames - 1) * a_frame
        channels = [
            np.concatenate([values[last::-1], np.repeat(values[:1], a_frame - 1, axis=0)])
            for values in (plate.force_p, plate.moment_p)
        ]
        plates.append(replace(plate, force_p=channels[0], moment_p=channels[1]))
    return replace(trial, points_g=trial.points_g[::-1].copy(), plates=tuple(plates), events=(), stored={})


@recorded
@pytest.mark.parametrize("name", ["HC030A/walk", "HC030A/turn", "nexus_flatfoot/walk", "gait2392/walk"])
def test_a_walk_played_backward_has_the_same_loads_and_moments(name: str) -> None:
    """Who walks backward lands on the ball and leaves from the heel; a belt carries a standing foot forward."""
    case = recorded_case(next(one for one in RECORDED if one.name == name))
    forward = analyse(replace(case.trial, events=()), case.model, case.subject, case.static)
    backward = analyse(played_backward(case.trial), case.model, case.subject, case.static)
    last = case.trial.n_frames - 1
    found = [(c.side, c.plates) for c in forward.contacts if c.plates]
    assert sorted(found) == sorted((c.side, c.plates) for c in backward.contacts if c.plates)
    assert not [n for n in backward.notes if n.code.startswith("plate_") and n.severity in ("error", "doubt")]
    for side, leg in forward.sides.items():
        there, back = leg.moments["knee"]["extension"], backward.sides[side].moments["knee"]["extension"][last::-1]
        assert np.isfinite(there + back).sum() > 0.95 * np.isfinite(there).sum()
        assert np.nanmax(np.abs(there - back)) < 1e-3


@pytest.mark.parametrize(("share", "told"), [(1.0, False), (0.4, True), (1.2, True)])
def test_who_stands_on_plates_and_does_not_weigh_as_much_is_told(share: float, told: bool) -> None:
    """Of a trial without a step; a chair may carry the rest."""
    trial = simulated_case(SimulatedCase("stop")).trial
    first, stop = 130, 280  # he has come to a stand on two plates
    plates = []
    for plate in trial.plates:
        samples = slice(*(round(frame / trial.rate_hz * plate.rate_hz) for frame in (first, stop)))
        force, moment = share * plate.force_p[samples], share * plate.moment_p[samples]
        plates.append(replace(plate, force_p=force, moment_p=moment))
    result = run(replace(trial, points_g=trial.points_g[first:stop], plates=tuple(plates), events=(), stored={}))
    said = [note.text for note in result.notes if note.code.startswith("weight_")]
    assert len(said) == told
    assert not told or f"carry {share:.2f} body weights" in said[0]
    assert not told or "something else carries the body" in said[0]
