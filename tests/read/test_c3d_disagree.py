"""C3D files that say a thing twice and differently: the file's length decides, with a warning, or they are refused."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from c3d_made import Changes, assert_whole, long_trial, made, only_warning, refused, start_block
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import BLOCK, FRAMES, STEP_N, stored_analog

from gaitid.export.c3d import NewPoint, with_points
from gaitid.read.c3d.file import read_c3d_file

# --- where the data begin --------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [0, 1, 3, -1, 1, 200, 40000])
def test_the_place_of_the_data_that_fits_is_taken(tmp_path: Path, said: int) -> None:
    """The header's or the parameter's: inside the parameters, late, outside the file."""
    block = start_block({"POINT": {"DATA_START": 1}})
    wrong = block + said if said in (-1, 1) else said
    path = made(tmp_path / "a.c3d", {"POINT": {"DATA_START": block}}, {9: wrong})
    file = read_c3d_file(path)
    assert_whole(file)
    assert f"byte {(wrong - 1) * BLOCK} in the header, byte {(block - 1) * BLOCK} in POINT:DATA_START" in "".join(
        texts(file)
    )
    file = read_c3d_file(made(tmp_path / "b.c3d", {"POINT": {"DATA_START": wrong}}))
    assert_whole(file)
    assert len(texts(file)) == (wrong > 1)  # what names no block says nothing


def test_the_parameters_may_stand_behind_the_data(tmp_path: Path) -> None:
    """The format fixes no order of its sections: byte 1 of the header names the block of the parameters."""
    block = start_block({"POINT": {"DATA_START": 2}})
    path = made(tmp_path / "a.c3d", {"POINT": {"DATA_START": 2}})
    whole = path.read_bytes()
    header, section, data = bytearray(whole[:BLOCK]), whole[BLOCK : (block - 1) * BLOCK], whole[(block - 1) * BLOCK :]
    header[0] = 2 + len(data) // BLOCK
    struct.pack_into("<H", header, 16, 2)
    path.write_bytes(bytes(header) + data + section)
    file = read_c3d_file(path)
    assert texts(file) == ()
    assert_whole(file)
    written = with_points(path.read_bytes(), [NewPoint("NEW", "", "ANGLES", np.zeros((FRAMES, 3)))], {}).content
    path.write_bytes(written)
    np.testing.assert_array_equal(read_c3d_file(path).points[:, :-1], file.points)
    path.write_bytes(bytes(header) + data + section[:-1])
    assert "truncated C3D file" in refused(path)


def test_two_wrong_places_are_refused(tmp_path: Path) -> None:
    block = start_block({"POINT": {"DATA_START": 1}})
    assert "disagree about where the data begin" in refused(
        made(tmp_path / "a.c3d", {"POINT": {"DATA_START": block + 1}}, {9: block + 2})
    )
    line = refused(made(tmp_path / "a.c3d", {"POINT": {"DATA_START": 2}}, {9: 1}))
    assert "its data lie outside it or inside its parameters" in line
    assert "byte 0 in the header, byte 512 in POINT:DATA_START" in line


# --- numbers of frames -------------------------------------------------------------------------------------------


def test_two_numbers_of_the_first_frame(tmp_path: Path) -> None:
    path = made(tmp_path / "a.c3d", {}, {4: 1, 5: FRAMES})
    file = read_c3d_file(path)
    assert (file.first_frame, file.n_subframes) == (1, 10)
    assert "the first frame's number: 1 in the header, which is taken, 21 in TRIAL" in only_warning(path)


# --- rates -----------------------------------------------------------------------------------------------------


def test_a_rate_of_nothing_gives_way_to_the_header_s(tmp_path: Path) -> None:
    path = made(tmp_path / "a.c3d", {"POINT": {"RATE": 0.0}})
    assert "camera rate: 100 Hz in the header, which is taken, 0 in POINT:RATE" in only_warning(path)
    assert_whole(read_c3d_file(path))
    both = made(tmp_path / "b.c3d", {"POINT": {"RATE": 0.0}}, {11: 0.0})
    assert "no usable rate in POINT:RATE; expected 1 to 100000 Hz; found 0" in refused(both)


@pytest.mark.parametrize(
    ("changes", "header"),
    [({}, {10: 5}), ({"ANALOG": {"USED": 3, "RATE": 2000.0}}, {}), ({"ANALOG": {"USED": 12, "RATE": 500.0}}, {})],
)
def test_two_ways_to_deal_a_frame_s_samples_to_channels_are_refused(
    tmp_path: Path, changes: Changes, header: dict[int, int | float]
) -> None:
    """60 samples a frame are 6 channels of 10, 3 of 20 or 12 of 5."""
    assert "disagree about the analog samples a frame of one channel" in refused(
        made(tmp_path / "a.c3d", changes, header)
    )


def test_half_a_channel_is_refused(tmp_path: Path) -> None:
    changes: Changes = {"ANALOG": {"USED": 2.5, "RATE": 2400.0}}
    assert "gives ANALOG:USED no whole number" in refused(made(tmp_path / "a.c3d", changes, {10: 0}))


def test_channels_without_data_are_none(tmp_path: Path) -> None:
    long_trial(tmp_path / "a.c3d", 12, 12, {})
    data = bytearray((tmp_path / "a.c3d").read_bytes())
    at = data.index(b"USED", data.index(b"ANALOG")) + 4 + 2 + 2
    data[at : at + 2] = b"\x06\0"
    (tmp_path / "a.c3d").write_bytes(data)
    file = read_c3d_file(tmp_path / "a.c3d")
    assert (file.n_subframes, file.analog.shape[0], len(file.points)) == (0, 0, 12)
    assert "ANALOG:USED says 6 channels, the header that there are none" in only_warning(tmp_path / "a.c3d")
    (tmp_path / "a.c3d").write_bytes(data + bytes(5000))
    assert "disagree about the analog samples a frame" in refused(tmp_path / "a.c3d")


# --- scales and offsets of whole numbers -----------------------------------------------------------------------


def test_two_scales_of_whole_numbers_are_refused(tmp_path: Path) -> None:
    line = refused(made(tmp_path / "a.c3d", {}, {7: 0.5}, floats=False))
    assert "the scale of the points; expected 0.5 as in the header; found 0.125 in POINT:SCALE" in line


@pytest.mark.parametrize(
    ("floats", "offset", "taken"),
    [
        (False, np.full(6, -3), 65533.0),  # a word without a sign
        (False, np.full(6, -3.0), -3.0),  # a real has its own
        (True, np.full(6, -3), -3.0),  # far from the samples but for its sign
        (True, np.full(6, -0.5), -0.5),
    ],
)
def test_only_words_of_whole_numbers_are_without_a_sign(
    tmp_path: Path, floats: bool, offset: np.ndarray, taken: float
) -> None:
    changes = {"ANALOG": {"FORMAT": ["UNSIGNED"], "OFFSET": offset}}
    file = read_c3d_file(made(tmp_path / "a.c3d", changes, floats=floats))
    stored = stored_analog().astype(float)
    if not floats:
        stored %= 65536
    np.testing.assert_array_equal(file.analog[range(6)], (stored.T - taken) * STEP_N)
    assert len(texts(file)) == (floats and offset.dtype.kind == "i")


# --- parameters that cannot be asked for -------------------------------------------------------------------------


@pytest.mark.parametrize(("link", "lost"), [("TIMES link", "PROCESSING, Bodymass"), ("Bodymass link", "SUBJECTS")])
def test_entries_behind_a_lost_link_are_named(tmp_path: Path, link: str, lost: str) -> None:
    path = made(tmp_path / "a.c3d", fields={(link, 0): b"\0\0"})
    assert f"parameters behind the end of their section are not read: {lost}" in only_warning(path)
    assert_whole(read_c3d_file(path))
