"""Cases that once gave a wrong known load, lost a whole one, or ended in an internal error."""

from __future__ import annotations

import sys
from collections.abc import Callable
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
from gaitid.errors import TrialError
from gaitid.ground.by_hand import ByHand
from gaitid.ground.contacts import AIR, LOADED
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


def loaded(result: Result, side: str) -> int:
    return int((result.sides[side].load.state == LOADED).sum())


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
@pytest.mark.parametrize("factor", [0.86, 1.14])
def test_a_stored_mass_may_be_off_by_14_percent(factor: float) -> None:
    trial = read_trial(SHARED / "stairs/Movement_trial.c3d")
    wrong = replace(trial, parameters={**trial.parameters, "Bodymass": factor * trial.parameters["Bodymass"]})
    known = [c.plates for c in run(wrong).contacts if c.plates]
    assert known == [(4,), (3,), (2,), (1,)]


@recorded
@pytest.mark.parametrize("slower", [0.25, 0.5])
def test_a_very_slow_walk_keeps_its_stances(slower: float) -> None:
    """Every rate scaled: the same samples as if all had gone slower (forces are then not those of a slow walk)."""
    trial = read_trial(SHARED / "sydney/walk04.c3d")
    slow = replace(
        trial,
        rate_hz=trial.rate_hz * slower,
        plates=tuple(replace(p, rate_hz=p.rate_hz * slower) for p in trial.plates),
        events=tuple(replace(e, time_s=e.time_s / slower) for e in trial.events),
    )
    result = run(slow)
    assert {(c.side, c.plates) for c in result.contacts if c.plates} == {("right", (1,)), ("left", (2,))}


@recorded
def test_nothing_is_known_from_a_plate_whose_corners_do_not_fit() -> None:
    trial = read_trial(SHARED / "sydney/walk04.c3d")
    one, *others = trial.plates
    rolled = replace(one, corners_g=np.roll(one.corners_g, 1, axis=0))
    result = run(replace(trial, plates=(rolled, *others)))
    assert not any(1 in c.plates for c in result.contacts)
    assert any("its corners are turned by 90°" in c.reason for c in result.contacts)


def test_a_fragment_between_gaps_is_no_flight() -> None:
    sim = simulated_walk()
    trial, truth = sim.trial, sim.truth.load["left"].force_g
    points = trial.points_g.copy()
    for first, stop in ((150, 165), (170, 190)):
        points[first:stop, [trial.labels.index("LHEE"), trial.labels.index("LTOE")]] = np.nan
    result = run(replace(trial, points_g=points), gap_sure_s=0.0, gap_spline_s=0.0, gap_rigid_s=0.0)
    off = np.linalg.norm(result.sides["left"].load.wrench.f_g - truth, axis=1)
    assert np.nanmax(off) < WRONG_N


def test_missing_samples_or_a_hand_cut_a_contact_and_do_not_void_it() -> None:
    trial = simulated_walk().trial
    whole = loaded(run(trial), "left")
    one, other = trial.plates
    force = one.force_p.copy()
    force[1600:1650] = np.nan
    cut = run(replace(trial, plates=(replace(one, force_p=force), other)))
    # 5 frames of samples, and the window of one frame to either side
    assert whole - 10 <= loaded(cut, "left") < whole
    by_hand = run(trial, (ByHand("left", (1,), 160, 160),))
    assert loaded(by_hand, "left") == whole


def test_a_plate_slower_than_the_cameras_is_refused() -> None:
    trial = simulated_walk().trial
    slow = tuple(replace(p, rate_hz=25.0, force_p=p.force_p[::40], moment_p=p.moment_p[::40]) for p in trial.plates)
    result = run(replace(trial, plates=slow))
    assert sum("more slowly than the cameras" in w for w in texts(result.notes)) == 2
    assert not any(c.plates for c in result.contacts)


def test_a_channel_in_another_unit_is_not_believed() -> None:
    trial = simulated_walk().trial
    huge = tuple(replace(p, force_p=1e3 * p.force_p, moment_p=1e3 * p.moment_p) for p in trial.plates)
    result = run(replace(trial, plates=huge))
    assert not any(c.plates for c in result.contacts)
    assert any("body weights; check the mass, and the unit" in c.reason for c in result.contacts)


@pytest.mark.parametrize("n", [20, 30, 45, 60])
def test_short_trials_end_in_no_internal_error(n: int) -> None:
    trial = simulated_walk().trial
    for start in range(0, 300, 37):
        samples = slice(10 * start, 10 * (start + n))
        plates = tuple(replace(p, force_p=p.force_p[samples], moment_p=p.moment_p[samples]) for p in trial.plates)
        part = replace(trial, points_g=trial.points_g[start : start + n], plates=plates)
        try:
            result = run(part)
        except TrialError:
            continue
        assert result.trial.n_frames == n


@pytest.mark.parametrize("chosen", ["butterworth", "gcv_spline", "savitzky_golay"])
@pytest.mark.parametrize("cutoff", [0.01, 0.05, 0.2])
def test_a_cutoff_below_one_period_of_the_trial_is_refused_at_once(chosen: str, cutoff: float) -> None:
    with pytest.raises(TrialError, match="too short to be low-passed"):
        run(simulated_walk().trial, marker_filter=chosen, cutoff_hz=cutoff)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda p, i: p.__setitem__((slice(100, None), i("LTOE")), p[100, i("LTOE")]), "LTOE stands exactly still"),
        (lambda p, i: p.__setitem__((slice(None), i("LTHI")), p[:, i("RTHI")]), "have the same coordinates"),
    ],
    ids=["frozen to the end", "copied"],
)
def test_a_marker_that_is_none_is_not_believed(fault: Callable[..., None], words: str) -> None:
    trial = simulated_walk().trial
    points = trial.points_g + np.random.default_rng(0).normal(0, 3e-4, trial.points_g.shape)
    fault(points, trial.labels.index)
    try:
        result = run(replace(trial, points_g=points))
    except TrialError as refused:  # what is left is no body
        assert words == "have the same coordinates", refused
        return
    assert any(words in w for w in texts(result.notes))
    flexion = result.sides["left"].angles["ankle"]["dorsiflexion"]
    assert np.isnan(flexion[140:]).all()


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
