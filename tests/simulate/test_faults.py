"""What a laboratory adds: it is in what is recorded, as large as asked for, and nowhere in the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid.errors import GaitidError
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.trial import Trial

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
