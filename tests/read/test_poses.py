"""Stored poses of segments: what is read equals what was written, at its own rate, with its gaps; damage is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from gaitid.errors import ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.read import read_trial
from gaitid.simulate.c3d_file import stored_poses
from gaitid.simulate.files import simulate
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import POSE_ARM_M, Trial, pose_labels

THEIA = Path(__file__).resolve().parents[3] / "shared" / "trials" / "wild" / "theia_segments" / "trial.c3d"
SETTINGS = {"rate_hz": 50.0, "duration": 2.0, "segments": True}


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("segments")
    simulate("walk", folder, **SETTINGS)
    return folder / "walk.c3d"


def rotation(trial: Trial, segment: str) -> np.ndarray:
    origin = trial.marker(f"{segment}#origin")
    return np.stack([trial.marker(f"{segment}#{axis}") - origin for axis in "xyz"], axis=2) / POSE_ARM_M


def place_of(content: bytes, name: bytes) -> int:
    """The first byte of the value of a parameter of the group ROTATION."""
    group = -struct.unpack("b", content[content.index(b"ROTATION") - 1 :][:1])[0]
    at = content.index(struct.pack("bb", len(name), group) + name) + 2 + len(name) + 2
    return at + 2 + content[at + 1]


def whole(content: bytes, name: bytes) -> int:
    at = place_of(content, name)
    return int(struct.unpack("<h", content[at : at + 2])[0])


def with_bytes(walk: Path, to: Path, at: int, raw: bytes) -> Path:
    content = walk.read_bytes()
    to.write_bytes(content[:at] + raw + content[at + len(raw) :])
    return to


def test_every_pose_is_the_one_of_the_walk(walk: Path) -> None:
    trial = read_trial(walk)
    exact = stored_poses(simulate_walk(WalkSettings(**SETTINGS)).at(trial.time_s))
    assert trial.segments == tuple(exact)
    assert trial.labels == pose_labels(trial.segments)
    assert trial.marker_labels == ()
    assert (trial.n_frames, trial.rate_hz, len(trial.plates)) == (100, 50, 2)
    for segment, (R, origin) in exact.items():
        assert np.abs(trial.marker(f"{segment}#origin") - origin).max() < 1e-6  # m: reals of four bytes
        assert np.abs(rotation(trial, segment) - R).max() < 2e-6


def test_gaps_stay_gaps(tmp_path: Path) -> None:
    simulate("walk", tmp_path, **SETTINGS, gap_count=1, gap_frames=7)
    trial = read_trial(tmp_path / "walk.c3d")
    for label in trial.labels:
        assert np.isnan(trial.marker(label)).any(axis=1).sum() == 7


def test_a_rate_of_its_own_is_thinned_to_that_of_the_trial(walk: Path, tmp_path: Path) -> None:
    """Two poses a camera frame, of which every second is taken."""
    content = walk.read_bytes()
    at, start = place_of(content, b"RATE"), (whole(content, b"DATA_START") - 1) * 512
    frames = np.frombuffer(content[start : start + 100 * 9 * 68], "<f4").reshape(100, -1)
    path = tmp_path / "twice.c3d"
    head = content[:at] + struct.pack("<f", 100.0) + content[at + 4 : start]
    path.write_bytes(head + np.repeat(frames, 2, axis=0).tobytes())
    trial, plain = read_trial(path), read_trial(walk)
    assert np.array_equal(trial.points_g, plain.points_g)
    assert any("2 times as often as points; every 2th was taken" in note.text for note in trial.notes)


def test_a_file_that_was_cut_is_refused(walk: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.c3d"
    cut.write_bytes(walk.read_bytes()[:-2000])
    with pytest.raises(ReadError, match=r"segment poses \(group ROTATION\) go on behind its end"):
        read_trial(cut)


def test_what_is_no_rotation_counts_as_not_seen(walk: Path, tmp_path: Path) -> None:
    frame, segment = 10, 2
    start = (whole(walk.read_bytes(), b"DATA_START") - 1) * 512
    trial = read_trial(
        with_bytes(walk, tmp_path / "damaged.c3d", start + (frame * 9 + segment) * 68, struct.pack("<f", 3.0))
    )
    (note,) = [note for note in trial.notes if note.code == "values_lost"]
    assert note.text.endswith("no rotation, not used (frames): l_shank_4X4 (1)")
    assert np.isnan(trial.marker("l_shank_4X4#x")).all(axis=1).nonzero()[0].tolist() == [frame]


def test_a_unit_that_the_user_says_holds_for_poses(walk: Path) -> None:
    metres = read_trial(walk, settings=ReaderSettings(point_unit="cm"))
    plain = read_trial(walk)
    ratio = metres.marker("pelvis_4X4#origin") / plain.marker("pelvis_4X4#origin")
    assert ratio == pytest.approx(10)
    assert rotation(metres, "pelvis_4X4") == pytest.approx(rotation(plain, "pelvis_4X4"), abs=1e-9)


@pytest.mark.skipif(not THEIA.is_file(), reason="the shared recordings are not here")
def test_a_recorded_file() -> None:
    trial = read_trial(THEIA)
    assert (trial.n_frames, trial.rate_hz, len(trial.segments)) == (340, 85, 21)
    assert np.isnan(trial.marker("l_thigh_4X4#origin")).any(axis=1).sum() == 5
    knee = trial.marker("l_shank_4X4#origin") - trial.marker("l_thigh_4X4#origin")
    along = np.einsum("fji,fj->fi", rotation(trial, "l_thigh_4X4"), knee)
    known = np.isfinite(along).all(axis=1)
    assert along[known].mean(axis=0) == pytest.approx([0, 0, -0.4177], abs=1e-4)
