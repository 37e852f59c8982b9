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
from c3d_writer import BLOCK, FRAMES, STEP_MM, STEP_N, Value, stored_analog

from gaitid.export.to_c3d import NewPoint, with_points
from gaitid.read.c3d.file import read_c3d_file

NaN = float("nan")


def test_a_sound_file_says_nothing(tmp_path: Path) -> None:
    changes = {"POINT": {"DATA_START": 0, "LONG_FRAMES": float(FRAMES)}}
    changes["POINT"]["DATA_START"] = start_block(changes)
    file = read_c3d_file(made(tmp_path / "a.c3d", changes))
    assert texts(file) == ()
    assert_whole(file)


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


@pytest.mark.parametrize("right", ["header", "parameter"])
def test_an_empty_block_before_the_data_is_no_frame(tmp_path: Path, right: str) -> None:
    block = start_block({"POINT": {"DATA_START": 1}})
    said = {"header": block, "parameter": block, right: block + 1}
    path = made(tmp_path / "a.c3d", {"POINT": {"DATA_START": said["parameter"]}}, {9: said["header"]}, gap=1)
    file = read_c3d_file(path)
    assert_whole(file)
    assert "disagree about where the data begin" in texts(file)[0]


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


def test_a_file_that_was_not_padded_ends_with_its_data(tmp_path: Path) -> None:
    block = start_block({"POINT": {"DATA_START": 1}})
    path = made(tmp_path / "a.c3d", {"POINT": {"DATA_START": block + 1}}, {9: block}, gap=1)
    path.write_bytes(path.read_bytes()[:-128])  # the padding: from the header's block on there are 512 bytes too many
    assert_whole(read_c3d_file(path))


def test_an_empty_block_that_may_be_padding_or_data_is_refused(tmp_path: Path) -> None:
    """64 frames of 16 bytes are two blocks: a block before them or one behind them, nothing tells which."""
    path = tmp_path / "a.c3d"
    long_trial(path, 64, 64, {"DATA_START": 1})
    block = struct.unpack_from("<H", path.read_bytes(), 16)[0]
    long_trial(path, 64, 64, {"DATA_START": block})
    data = path.read_bytes()
    start = (block - 1) * BLOCK
    late = data[:16] + struct.pack("<H", block + 1) + data[18:start] + bytes(BLOCK) + data[start:]
    path.write_bytes(late)
    assert "disagree about where the data begin" in refused(path)


@pytest.mark.parametrize("end", [512, 1024, 5000])
@pytest.mark.parametrize("late", [1, 2])
def test_a_late_place_that_fills_the_file_as_well_is_not_believed(tmp_path: Path, end: int, late: int) -> None:
    """Zeros behind the data leave room for data that begin late: those before them would be lost."""
    block = start_block({"POINT": {"DATA_START": 1}})
    path = made(tmp_path / "a.c3d", {"POINT": {"DATA_START": block}}, {9: block + late}, end=end)
    line = refused(path)
    assert f"byte {(block + late - 1) * BLOCK} in the header, byte {(block - 1) * BLOCK} in POINT:DATA_START" in line
    assert "disagree about where the data begin" in line


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


@pytest.mark.parametrize("rate", [0.0, -100.0, NaN, float("inf"), 100.05])
def test_a_header_without_a_rate_or_with_a_rounded_one_says_nothing(tmp_path: Path, rate: float) -> None:
    file = read_c3d_file(made(tmp_path / "a.c3d", {}, {11: rate}))
    assert (file.rate_hz, texts(file)) == (100.0, ())


def test_a_rate_of_nothing_gives_way_to_the_header_s(tmp_path: Path) -> None:
    path = made(tmp_path / "a.c3d", {"POINT": {"RATE": 0.0}})
    assert "camera rate: 100 Hz in the header, which is taken, 0 in POINT:RATE" in only_warning(path)
    assert_whole(read_c3d_file(path))
    both = made(tmp_path / "b.c3d", {"POINT": {"RATE": 0.0}}, {11: 0.0})
    assert "no usable rate in POINT:RATE; expected 1 to 100000 Hz; found 0" in refused(both)


def test_two_camera_rates(tmp_path: Path) -> None:
    path = made(tmp_path / "a.c3d", {}, {11: 50.0})
    assert "camera rate: 50 Hz in the header, 100 Hz in POINT:RATE, which is taken" in only_warning(path)
    assert read_c3d_file(path).rate_hz == 100.0
    file = read_c3d_file(made(tmp_path / "b.c3d", {"POINT": {"RATE": None}}))
    assert (file.rate_hz, texts(file)) == (100.0, ())


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


def test_a_header_that_does_not_say_how_many_samples_a_channel_has(tmp_path: Path) -> None:
    file = read_c3d_file(made(tmp_path / "a.c3d", {}, {10: 0}))
    assert_whole(file)
    assert texts(file) == ()


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


@pytest.mark.parametrize("none", [0.0, NaN, float("inf")])
def test_a_scale_that_is_none_gives_way(tmp_path: Path, none: float) -> None:
    for place, path in (
        ("POINT:SCALE", made(tmp_path / "a.c3d", {}, {7: none}, floats=False)),
        ("the header", made(tmp_path / "b.c3d", {"POINT": {"SCALE": none}}, floats=False)),
    ):
        assert_whole(read_c3d_file(path))
        assert only_warning(path) == f"only {place} gives a usable scale of the points: 0.125"
    assert "disagree about the number format" in refused(
        made(tmp_path / "a.c3d", {"POINT": {"SCALE": none}}, {7: none}, floats=False)
    )


def test_a_rounded_scale_is_the_same(tmp_path: Path) -> None:
    file = read_c3d_file(made(tmp_path / "a.c3d", {}, {7: STEP_MM * (1 + 1e-6)}, floats=False))
    assert_whole(file)
    assert texts(file) == ()


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


@pytest.mark.parametrize("floats", [True, False])
def test_analog_data_alone_have_a_number_format_too(tmp_path: Path, floats: bool) -> None:
    """The sign of the header's scale turned."""
    alone: dict[str, Value | None] = {"USED": 0, "LABELS": None, "FRAMES": None}
    changes: Changes = {"POINT": alone, "TRIAL": {"ACTUAL_END_FIELD": None}}
    header = {2: 0, 4: 1, 5: 14 if floats else 17}  # as many as fill the file
    assert texts(read_c3d_file(made(tmp_path / "a.c3d", changes, header, floats=floats))) == ()
    turned = header | {7: STEP_MM * (1 if floats else -1)}
    assert "disagree about the number format" in refused(made(tmp_path / "a.c3d", changes, turned, floats=floats))


# --- parameters that cannot be asked for -------------------------------------------------------------------------


@pytest.mark.parametrize(("link", "lost"), [("TIMES link", "PROCESSING, Bodymass"), ("Bodymass link", "SUBJECTS")])
def test_entries_behind_a_lost_link_are_named(tmp_path: Path, link: str, lost: str) -> None:
    path = made(tmp_path / "a.c3d", fields={(link, 0): b"\0\0"})
    assert f"parameters behind the end of their section are not read: {lost}" in only_warning(path)
    assert_whole(read_c3d_file(path))


@pytest.mark.parametrize(
    "left",
    [b"left over \x05\x01" * 5, b"\x01\x05\x01\x07\0\x02\0\0\0\0"],  # the second has an entry's form, but no name
)
def test_what_some_program_left_behind_the_parameters_is_nothing(tmp_path: Path, left: bytes) -> None:
    path = made(tmp_path / "a.c3d")
    data = bytearray(path.read_bytes())
    end = (start_block() - 1) * BLOCK
    data[end - 60 : end] = left.ljust(60, b"\0")
    path.write_bytes(bytes(data))
    file = read_c3d_file(path)
    assert_whole(file)
    assert texts(file) == ()


def test_entries_of_a_group_that_is_not_declared_are_named(tmp_path: Path) -> None:
    path = made(tmp_path / "a.c3d", fields={("Bodymass group", 0): b"\x4d"})
    assert only_warning(path) == "parameters of a group that the file does not declare are not read: BODYMASS"
