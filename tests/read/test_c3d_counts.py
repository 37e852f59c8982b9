"""How many frames a C3D file holds, which up to five places say: the file's length decides, or it is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from c3d_made import Changes, assert_whole, long_trial, made, only_warning, refused
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import BLOCK, FRAMES, Value

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


@pytest.mark.parametrize("end", [32.0, 32, 32.5, 0, 0.0, -5.0, 1e30, np.nan, ["32"], np.array([32, 0, 0])])
@pytest.mark.parametrize("start", [21.0, 21, 20.5, None])
def test_a_last_frame_in_one_number_that_agrees_or_says_nothing(
    tmp_path: Path, end: Value, start: Value | None
) -> None:
    changes: Changes = {"TRIAL": {"ACTUAL_START_FIELD": start, "ACTUAL_END_FIELD": end}}
    file = read_c3d_file(made(tmp_path / "a.c3d", changes))
    assert_whole(file)
    assert (file.first_frame, texts(file)) == (21, ())


def test_counts_of_which_none_or_two_fill_the_file_are_refused(tmp_path: Path) -> None:
    line = refused(made(tmp_path / "a.c3d", {}, {5: 29}, end=5000))
    assert "disagree about the frames; expected one count that fills the file; found 9 in the header, 12 in T" in line
    # 12 frames end 128 bytes before the end of the padded file, 11 end 416
    assert "found 11 in the header, 12 in TRIAL" in refused(made(tmp_path / "a.c3d", {}, {5: 31}))


def test_no_frames(tmp_path: Path) -> None:
    changes = {"POINT": {"FRAMES": 0}, "TRIAL": {"ACTUAL_START_FIELD": None, "ACTUAL_END_FIELD": None}}
    assert refused(made(tmp_path / "a.c3d", changes, {4: 1, 5: 0})).startswith("no frames; expected at least one")


@pytest.mark.parametrize(
    ("first", "words", "trial"),
    [
        (65530, (65530, 65535), True),  # stays at the largest
        (65530, (65530, 5), True),  # wraps
        (65530, (65530, 5), False),
        (70000, (65535, 65535), True),
        (70000, (4464, 4475), True),
    ],
)
def test_frames_are_numbered_beyond_16_bits(tmp_path: Path, first: int, words: tuple[int, int], trial: bool) -> None:
    fields = {"ACTUAL_START_FIELD": first, "ACTUAL_END_FIELD": first + FRAMES - 1}
    changes = {"TRIAL": {k: np.array([n % 65536, n // 65536]) if trial else None for k, n in fields.items()}}
    file = read_c3d_file(made(tmp_path / "a.c3d", changes, {4: words[0], 5: words[1]}))
    assert_whole(file)
    assert (file.first_frame, texts(file)) == (first, ())


@pytest.mark.parametrize(
    ("frames", "last", "changes", "n_warnings"),
    [
        (40000, 40000, {}, 0),
        (40000, 20000, {}, 1),
        (40000, 33000, {}, 1),
        (40000, 40000, {"FRAMES": 33000}, 1),
        (70000, 70000 - 65536, {}, 0),  # both counts wrapped
        (70000, 70000 - 65536, {"LONG_FRAMES": 70000.0}, 0),
    ],
)
def test_long_trials_are_compared_too(
    tmp_path: Path, frames: int, last: int, changes: dict[str, Value | None], n_warnings: int
) -> None:
    counted = long_trial(tmp_path / "a.c3d", frames, last, changes)
    file = read_c3d_file(tmp_path / "a.c3d")
    np.testing.assert_array_equal(file.points[:, 0, 0], counted)
    assert len(texts(file)) == n_warnings


# --- TRIAL, which programs forget ------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [0, 2 * BLOCK])
def test_a_trial_group_that_nobody_filled_in_says_nothing(tmp_path: Path, end: int) -> None:
    zeros = {"ACTUAL_START_FIELD": np.array([0, 0]), "ACTUAL_END_FIELD": np.array([0, 0])}
    file = read_c3d_file(made(tmp_path / "a.c3d", {"TRIAL": zeros}, end=end))
    assert_whole(file)
    assert file.first_frame == 21
    assert texts(file) == ((f"{end + 128} bytes behind the last frame are not read",) if end else ())


def test_header_and_frames_that_agree_outweigh_trial(tmp_path: Path) -> None:
    stale = {"TRIAL": {"ACTUAL_END_FIELD": np.array([300, 0])}}
    file = read_c3d_file(made(tmp_path / "a.c3d", stale, end=2 * BLOCK))
    assert_whole(file)
    assert "12 in POINT:FRAMES); header and POINT:FRAMES are believed: 12" in texts(file)[0]
    # without room for them they do not, nor does one of them
    longer = {"POINT": {"FRAMES": 200}} | stale
    assert "disagree about the frames" in refused(made(tmp_path / "b.c3d", longer, {5: 220}, end=2 * BLOCK))
    lone = {"POINT": {"FRAMES": None}} | stale
    assert "disagree about the frames" in refused(made(tmp_path / "c.c3d", lone, end=2 * BLOCK))


@pytest.mark.parametrize("start", [(21, 1), (22, 1)])
def test_a_first_frame_that_trial_cannot_mean_shifts_nothing(tmp_path: Path, start: tuple[int, int]) -> None:
    """Its last frame would come before its first."""
    path = made(tmp_path / "a.c3d", {"TRIAL": {"ACTUAL_START_FIELD": np.array(start)}})
    assert read_c3d_file(path).first_frame == 21
    assert f"21 in the header, which is taken, {start[0] + 65536} in TRIAL" in only_warning(path)


# --- what lies behind the frames ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("end", "n_warnings"), [(b"left", 0), (b"left" * 128, 0), (bytes(513), 1), (b"left" * 200, 1)])
@pytest.mark.parametrize("n_points", [1, 60])
def test_some_bytes_behind_the_frames_are_not_read(tmp_path: Path, end: bytes, n_warnings: int, n_points: int) -> None:
    """Without a longer count, bytes of a frame and more may be a longer trial's."""
    path = tmp_path / "a.c3d"
    counted = long_trial(path, 20, 20, {}, n_points=n_points, end=end)
    if len(end) > BLOCK and any(end) and n_points == 1:
        assert "holds more than its frames" in refused(path)
        long_trial(path, 20, 20, {"FRAMES": 20.0}, end=end)  # a real is exact
        assert only_warning(path) == "800 bytes behind the last frame are not read"
        counted = long_trial(path, 20, 20, {"LONG_FRAMES": 20.0}, end=end)
    file = read_c3d_file(path)
    np.testing.assert_array_equal(file.points[:, 0, 0], counted)
    assert texts(file) == (f"{len(end)} bytes behind the last frame are not read",) * n_warnings


@pytest.mark.parametrize("lost", [500 * 16, 500 * 16 - 8, 65000 * 16])
def test_a_long_trial_whose_counts_wrapped_is_not_read_in_part(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "a.c3d"
    long_trial(path, 70000, 70000 - 65536, {})
    path.write_bytes(path.read_bytes()[:-lost])
    line = refused(path)
    assert "holds more than its frames, whose count of 16 bits may be a longer trial's; expected" in line
    assert "for 4464 frames" in line


# --- counts that stay at their end ---------------------------------------------------------------------------------


@pytest.mark.parametrize("frames", [65535, 65536, 66000])
@pytest.mark.parametrize("padding", [0, BLOCK])
def test_a_block_of_padding_is_no_frame(tmp_path: Path, frames: int, padding: int) -> None:
    """Of frames of a block each."""
    counted = long_trial(tmp_path / "a.c3d", frames, 65535, AT_END, n_points=32, end=bytes(padding))
    file = read_c3d_file(tmp_path / "a.c3d")
    np.testing.assert_array_equal(file.points[:, 0, 0], counted)
    assert texts(file) == ()


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


def test_a_long_trial_whose_last_frames_saw_nobody_keeps_them(tmp_path: Path) -> None:
    """Frames of zeros, in a file without padding."""
    path = tmp_path / "a.c3d"
    long_trial(path, 70002, 65535, AT_END, n_points=1, end=bytes(3 * 16))
    assert len(read_c3d_file(path).points) == 70005


@pytest.mark.parametrize("kept", [65535.5, 65600.5])
def test_a_part_of_a_frame_at_the_end_was_cut(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "a.c3d"
    long_trial(path, 66000, 65535, AT_END, n_points=33)
    path.write_bytes(path.read_bytes()[: -int((66000 - kept) * 33 * 16)])
    assert refused(path).startswith("truncated C3D file; expected ")
