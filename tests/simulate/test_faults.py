"""What a laboratory adds: it is in what is recorded, as large as asked for, and nowhere in the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from slow import slow_but

from gaitid.errors import GaitidError
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Trial

Array = NDArray[np.float64]
SHORT = {"duration": 2.0, "analog_rate_hz": 200.0}


def trial_of(folder: Path, scenario: str = "walk", **options: float) -> Trial:
    simulate(scenario, folder, **SHORT, **options)
    return read_trial(folder / f"{scenario}.c3d")


@pytest.fixture(scope="module")
def clean_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clean")


@pytest.fixture(scope="module")
def clean(clean_folder: Path) -> Trial:
    return trial_of(clean_folder)


FAULTS = {
    "plate_bias_N": 8.0,
    "plate_drift_N_per_s": 3.0,
    "gap_count": 6,
    "event_shift_s": 0.03,
    "no_events": True,
    "marker_noise_mm": 1.0,
    "force_noise_N": 2.0,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_recorded_and_not_true(fault: str, clean_folder: Path, clean: Trial, tmp_path: Path) -> None:
    trial_of(tmp_path, **{fault: FAULTS[fault]})
    for path in sorted(clean_folder.iterdir()):
        same = path.read_bytes() == (tmp_path / path.name).read_bytes()
        if ".truth." in path.name or path.suffix == ".yaml":
            assert same, path.name
        elif path.name == "walk.c3d":
            assert not same


@pytest.mark.parametrize("scenario", slow_but(["walk", "ramp", "run", "second_person"], SCENARIOS))
def test_every_scenario_takes_every_fault(scenario: str, tmp_path: Path) -> None:
    trial = trial_of(tmp_path, scenario, **{**FAULTS, "no_events": False})
    assert np.isnan(trial.points_g).any()
    assert all(np.abs(plate.force_p[0]).max() > 1 for plate in trial.plates)  # N


def test_bias_is_as_large_as_asked_and_drift_grows_from_it(clean: Trial, tmp_path: Path) -> None:
    trial = trial_of(tmp_path, plate_bias_N=8.0, plate_drift_N_per_s=3.0)
    directions = []
    for plate, zeroed in zip(trial.plates, clean.plates, strict=True):
        f, m = plate.force_p - zeroed.force_p, plate.moment_p - zeroed.moment_p
        t = np.arange(len(f)) / plate.rate_hz
        # N, N·m: 32 bits of 800 N and 300 N·m
        assert np.linalg.norm(f[0]) == pytest.approx(8.0, abs=1e-4)
        assert np.linalg.norm(m[0]) == pytest.approx(0.8, abs=1e-4)
        np.testing.assert_allclose(np.linalg.norm(f - f[0], axis=1), 3.0 * t, atol=5e-4)
        np.testing.assert_allclose(np.linalg.norm(m - m[0], axis=1), 0.3 * t, atol=5e-4)
        directions += [f[0] / 8.0, (f[-1] - f[0]) / (3.0 * t[-1])]
    assert np.max(np.array(directions) @ np.array(directions).T - 2 * np.eye(4)) < 0.999  # all different


@pytest.mark.parametrize(("count", "length"), [(1, 1), (5, 17), (40, 3)])
def test_gaps_are_as_many_and_as_long_as_asked(clean: Trial, tmp_path: Path, count: int, length: int) -> None:
    trial = trial_of(tmp_path, gap_count=count, gap_frames=length)
    gone = np.isnan(trial.points_g).any(axis=2)
    per_marker = gone.sum(axis=0)
    # Every marker has one before any has two; those of one marker may run together.
    assert np.count_nonzero(per_marker) == min(count, len(trial.labels))
    assert gone.sum() <= count * length
    if count <= len(trial.labels):
        assert set(per_marker) == {0, length}
        edges = np.diff(gone.astype(int), axis=0, prepend=0) == 1
        assert edges.sum() == count  # each in one piece
    np.testing.assert_array_equal(trial.points_g[~gone], clean.points_g[~gone])
    assert np.isfinite(read_trial(tmp_path / "static.c3d").points_g).all()
    rows = (tmp_path / "walk.csv").read_text().splitlines()
    assert sum(row.split(",").count("") for row in rows) == 3 * gone.sum()


def test_gaps_and_bias_follow_the_seed(tmp_path: Path) -> None:
    options = {"gap_count": 4, "plate_bias_N": 5.0}
    one, again, other = (trial_of(tmp_path / str(i), seed=s, **options) for i, s in enumerate((1, 1, 2)))
    np.testing.assert_array_equal(one.points_g, again.points_g)
    np.testing.assert_array_equal(one.plates[0].force_p, again.plates[0].force_p)
    assert (np.isnan(one.points_g) != np.isnan(other.points_g)).any()
    assert np.linalg.norm(one.plates[0].force_p[0] - other.plates[0].force_p[0]) > 0.1  # N


def test_events_are_shifted_or_absent(clean: Trial, tmp_path: Path) -> None:
    shifted = trial_of(tmp_path / "shifted", event_shift_s=-0.04)
    walk = simulate_walk(WalkSettings(**SHORT))
    # s: events that the shift moves over an end of the trial come or go; 32 bits of 2 s
    wanted = sorted(t - 0.04 for s in walk.stances for t in (s.on_s, s.off_s) if 0 <= t - 0.04 <= 1.99)
    np.testing.assert_allclose([event.time_s for event in shifted.events], wanted, atol=1e-6)
    assert len(clean.events) >= 4
    assert trial_of(tmp_path / "none", no_events=True).events == ()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"plate_bias_N": -1.0}, "plate_bias_N -1 is negative"),
        ({"plate_drift_N_per_s": float("nan")}, "plate_drift_N_per_s nan is no number"),
        ({"gap_count": 1.5}, "gap_count 1.5 is no whole number"),
        ({"gap_count": 2, "gap_frames": 0}, "gap_frames 0 is not from 1 to the trial's 200 frames"),
        ({"gap_count": 2, "gap_frames": 201}, "gap_frames 201 is not from 1 to"),
        ({"plate_types": (2, 5)}, "plate type 5 is none of 1, 2, 3, 4, 6, 7"),
        ({"plate_types": ()}, "plate_types is empty"),
        ({"rate_hz": -1.0}, "cannot simulate: rate_hz -1 is not positive;"),
        ({"origin_sign": "up"}, "origin_sign 'up' is not nexus or c3d"),
    ],
)
def test_impossible_faults_are_refused(options: dict[str, object], words: str, tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match=words):
        simulate("walk", tmp_path, **{**SHORT, **options})  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
