"""How many frames a C3D file holds, which up to five places say: the file's length decides, or it is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from c3d_made import Changes, assert_whole, long_trial, made, only_warning, refused
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import BLOCK, Value

from gaitid.read.c3d.file import read_c3d_file

# Counts of 16 bits that stay at their end, as ezc3d leaves them.
AT_END: dict[str, Value | None] = {"FRAMES": 65535}


@pytest.mark.parametrize(
    ("changes", "header", "said"),
    [
        ({}, {5: 29}, "9 in the header, 12 in TRIAL, 12 in POINT:FRAMES"),
        ({}, {4: 255, 5: 1}, "65283 in the header"),
        ({}, {4: 0, 5: 65535}, "65536 or more in the header"),
        ({"POINT": {"FRAMES": 9}}, {}, "9 in POINT:FRAMES"),
        ({"POINT": {"FRAMES": 9.0}}, {}, "9 in POINT:FRAMES"),
        ({"POINT": {"FRAMES": 0}}, {}, "0 in POINT:FRAMES"),
        ({"POINT": {"FRAMES": 65535}}, {}, "65535 or more in POINT:FRAMES"),
        ({"POINT": {"LONG_FRAMES": 9.0}}, {}, "9 in POINT:LONG_FRAMES"),
        ({"TRIAL": {"ACTUAL_END_FIELD": np.array([29, 0])}}, {}, "9 in TRIAL"),
        ({"TRIAL": {"ACTUAL_END_FIELD": np.array([32, 1])}}, {}, "65548 in TRIAL"),
        ({"TRIAL": {"ACTUAL_END_FIELD": 29.0}}, {}, "9 in TRIAL"),
        ({"TRIAL": {"ACTUAL_END_FIELD": 65568.0}}, {}, "65548 in TRIAL"),
        ({"TRIAL": {"ACTUAL_END_FIELD": 29}}, {}, "9 in TRIAL"),
        ({"TRIAL": {"ACTUAL_END_FIELD": 65535}}, {}, "65515 or more in TRIAL"),
    ],
)
def test_the_count_that_fills_the_file_is_taken(
    tmp_path: Path, changes: Changes, header: dict[int, int | float], said: str
) -> None:
    file = read_c3d_file(made(tmp_path / "a.c3d", changes, header))
    assert_whole(file)
    assert said in texts(file)[0]
    assert "by the file's length there are 12" in texts(file)[0]


def test_counts_of_which_none_or_two_fill_the_file_are_refused(tmp_path: Path) -> None:
    line = refused(made(tmp_path / "a.c3d", {}, {5: 29}, end=5000))
    assert "disagree about the frames; expected one count that fills the file; found 9 in the header, 12 in T" in line
    # 12 frames end 128 bytes before the end of the padded file, 11 end 416
    assert "found 11 in the header, 12 in TRIAL" in refused(made(tmp_path / "a.c3d", {}, {5: 31}))


def test_no_frames(tmp_path: Path) -> None:
    changes = {"POINT": {"FRAMES": 0}, "TRIAL": {"ACTUAL_START_FIELD": None, "ACTUAL_END_FIELD": None}}
    assert refused(made(tmp_path / "a.c3d", changes, {4: 1, 5: 0})).startswith("no frames; expected at least one")


# --- TRIAL, which programs forget ------------------------------------------------------------------------------


# --- what lies behind the frames ---------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [500 * 16, 500 * 16 - 8, 65000 * 16])
def test_a_long_trial_whose_counts_wrapped_is_not_read_in_part(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "a.c3d"
    long_trial(path, 70000, 70000 - 65536, {})
    path.write_bytes(path.read_bytes()[:-lost])
    line = refused(path)
    assert "holds more than its frames, whose count of 16 bits may be a longer trial's; expected" in line
    assert "for 4464 frames" in line


# --- counts that stay at their end ---------------------------------------------------------------------------------


def test_more_padding_is_told_from_frames_only_behind_the_least(tmp_path: Path) -> None:
    path = tmp_path / "a.c3d"
    long_trial(path, 65535, 65535, AT_END, n_points=32, end=bytes(2 * BLOCK))
    assert len(read_c3d_file(path).points) == 65535
    assert only_warning(path) == "1024 bytes behind the last frame are not read"
    long_trial(path, 65600, 65535, AT_END, n_points=32, end=bytes(2 * BLOCK))
    assert "nothing says how many beyond 65535" in refused(path)


#: What both words of TRIAL say where a program copies the header's last frame into them.
COPIED: dict[str, Value | None] = {
    "ACTUAL_START_FIELD": np.array([1, 0]), "ACTUAL_END_FIELD": np.array([65535, 0])
}  # fmt: skip


@pytest.mark.parametrize("point", [{"FRAMES": None}, AT_END, {"FRAMES": 65535.0}])
@pytest.mark.parametrize("trial", [None, COPIED])
@pytest.mark.parametrize("n_points", [1, 5])
@pytest.mark.parametrize("padded", [False, True])
def test_the_length_of_a_long_trial_follows_from_the_size_of_its_file(
    tmp_path: Path, point: dict[str, Value | None], trial: dict[str, Value | None] | None, n_points: int, padded: bool
) -> None:
    """All counts stand at their end or are missing, and a frame is shorter than the block that files are padded to."""
    frames, path = 70002, tmp_path / "a.c3d"
    counted = long_trial(path, frames, 65535, point, n_points=n_points, trial=trial)
    size, frame_bytes = path.stat().st_size, 16 * n_points
    padding = -size % BLOCK
    assert padding > frame_bytes, "of no interest: no frame has room in the padding"
    if padded:
        path.write_bytes(path.read_bytes() + bytes(padding))
    file = read_c3d_file(path)
    np.testing.assert_array_equal(file.points[:, 0, 0], counted)
    assert len(counted) == frames
    said = f"{padding} zeros behind the last frame, room for {padding // frame_bytes} frame"
    assert [said in text for text in texts(file)] == [True] * padded
