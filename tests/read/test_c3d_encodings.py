"""One trial in the six encodings of C3D is one trial, bit for bit; and what ezc3d reads is what is read here."""

from __future__ import annotations

import sys
from pathlib import Path

import ezc3d
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import DEC, FRAMES, INTEL, OFFSET, SGI, STEP_MM, STEP_N, stored_analog, stored_points, write

from gaitid.read.c3d.file import C3DFile, read_c3d_file
from gaitid.read.c3d.trial import read_c3d
from gaitid.simulate.files import simulate

SIX = [(code, floats) for code in (INTEL, DEC, SGI) for floats in (True, False)]


def every_channel(file: C3DFile) -> np.ndarray:
    return file.analog[range(file.analog.shape[0])]


@pytest.mark.parametrize(("code", "floats"), SIX)
def test_every_encoding_holds_the_same_numbers(tmp_path: Path, code: int, floats: bool) -> None:
    (tmp_path / "a.c3d").write_bytes(write(code, floats).data)
    file = read_c3d_file(tmp_path / "a.c3d")
    stored = stored_points()
    np.testing.assert_array_equal(file.points, stored[..., :3] * STEP_MM)  # mm, exact in every encoding
    np.testing.assert_array_equal(file.seen, stored[..., 3] >= 0)
    np.testing.assert_array_equal(every_channel(file), (stored_analog() - OFFSET).T * STEP_N)
    assert (file.first_frame, file.rate_hz, file.n_subframes) == (21, 100.0, 10)
    trial = read_c3d(tmp_path / "a.c3d")
    assert (trial.n_frames, trial.parameters, trial.names) == (FRAMES, {"Bodymass": 75.0}, ("Nobody",))
    assert np.isnan(trial.marker("RASI")[3:5]).all()
    assert trial.plates[0].force_p[:, 2].min() == -750.0  # N
    assert trial.events[0].time_s == pytest.approx(0.05, abs=1e-12)  # s: 0.25 s at frame 21 of 100 Hz


def assert_as_ezc3d(path: Path) -> None:
    """Every number and text as another implementation reads it, to the last bit."""
    ours, theirs = read_c3d_file(path), ezc3d.c3d(str(path))
    points, residuals = theirs["data"]["points"][:3].T, theirs["data"]["meta_points"]["residuals"][0].T
    np.testing.assert_array_equal(ours.seen, residuals >= 0)
    np.testing.assert_array_equal(ours.points[ours.seen], points[ours.seen])
    if ours.n_subframes:
        np.testing.assert_array_equal(every_channel(ours), theirs["data"]["analogs"][0])
    assert ours.rate_hz == theirs["header"]["points"]["frame_rate"]
    assert ours.first_frame == theirs["header"]["points"]["first_frame"] + 1
    assert_same_parameters(ours, theirs)


def assert_same_parameters(ours: C3DFile, theirs: ezc3d.c3d) -> None:
    compared = 0
    for group, entries in ours.parameters.items():
        for name, value in entries.items():
            other = theirs["parameters"][group][name]["value"]
            if isinstance(value, list):
                # ezc3d gives texts of no width as empty ones
                assert value == [text.strip() for text in other] or not any(other), f"{group}:{name}"
            else:
                np.testing.assert_array_equal(value, other, err_msg=f"{group}:{name}")
            compared += 1
    assert compared > 10


@pytest.mark.parametrize(("code", "floats"), [case for case in SIX if case[0] != SGI])
def test_ezc3d_reads_the_same(tmp_path: Path, code: int, floats: bool) -> None:
    (tmp_path / "a.c3d").write_bytes(write(code, floats).data)
    assert_as_ezc3d(tmp_path / "a.c3d")


def test_ezc3d_reads_the_same_in_a_simulated_walk(tmp_path: Path) -> None:
    simulate("walk", tmp_path)
    assert_as_ezc3d(tmp_path / "walk.c3d")


# --- more frames than 16 bits count ------------------------------------------------------------------------------


def long_file(path: Path, last: int, frames: int, extra: dict[str, object], n_points: int = 40) -> Path:
    """`frames` frames of some points; the first coordinate counts them. `last` stands in the header."""
    c = ezc3d.c3d()
    c["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    c["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    c["parameters"]["POINT"]["LABELS"]["value"] = [f"M{i}" for i in range(n_points)]
    c["data"]["points"] = np.ones((4, n_points, 10))
    for name, value in extra.items():
        group, _, parameter = name.partition(":")
        c.add_parameter(group, parameter, value)
    c.write(str(path))
    data = bytearray(path.read_bytes())
    start = (int.from_bytes(data[16:18], "little") - 1) * 512
    data[8:10] = last.to_bytes(2, "little")
    # POINT:FRAMES stands at its end, as ezc3d leaves it there
    at = data.index(b"FRAMES", 512) + 6 + 2 + 2
    data[at : at + 2] = min(frames, 65535).to_bytes(2, "little")
    body = np.ones((frames, n_points, 4), dtype="<f4")
    body[:, 0, 0] = np.arange(frames)
    path.write_bytes(bytes(data[:start]) + body.tobytes())
    return path


@pytest.mark.parametrize("last", [65535, 70000 - 65536])
@pytest.mark.parametrize("start", [{}, {"TRIAL:ACTUAL_START_FIELD": [1.0]}, {"TRIAL:ACTUAL_START_FIELD": [1]}])
def test_the_last_frame_as_one_real(tmp_path: Path, last: int, start: dict[str, object]) -> None:
    # one point a frame: only TRIAL says how many frames there are
    extra = {"TRIAL:ACTUAL_END_FIELD": [70000.0], **start}
    file = read_c3d_file(long_file(tmp_path / "a.c3d", last, 70000, extra, n_points=1))
    np.testing.assert_array_equal(file.points[:, 0, 0], np.arange(70000))


@pytest.mark.parametrize("code", [INTEL, DEC, SGI])
def test_a_link_whose_bytes_were_not_turned_is_found(tmp_path: Path, code: int) -> None:
    """As in c3d.org's sgi_real.c3d; of an entry longer than 255 bytes turned either way leads out of the section."""
    written = write(code)
    at = next(at for what, at, _ in written.places if what == "LABELS link")
    data = bytearray(written.data)
    data[at : at + 2] = data[at : at + 2][::-1]
    (tmp_path / "a.c3d").write_bytes(bytes(data))
    np.testing.assert_array_equal(read_c3d_file(tmp_path / "a.c3d").points, stored_points()[..., :3] * STEP_MM)
