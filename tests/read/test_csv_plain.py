"""Plain CSV: round trips, units, and every way in which a file is refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts
from plain_layout import Files, force_columns, marker_columns, plates_yaml, small_trial, table, write_plain

from gaitid.errors import ReadError
from gaitid.read.tables.csv_plain import read_plain_csv
from gaitid.trial import Trial

# %.10g keeps ten digits: 1e-10 of a value in the file's unit.
DIGITS = 1e-9

MINIMAL = "time_s,A_x_mm,A_y_mm,A_z_mm\n0,1,2,3\n0.01,4,5,6\n0.02,7,8,9\n"


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "t.csv"
    path.write_bytes(text.encode(encoding))
    return path


def assert_same_trial(read: Trial, trial: Trial) -> None:
    assert read.labels == trial.labels
    assert read.rate_hz == trial.rate_hz
    assert read.first_frame == trial.first_frame
    assert np.allclose(read.points_g, trial.points_g, atol=DIGITS, rtol=DIGITS, equal_nan=True)
    assert [p.number for p in read.plates] == [p.number for p in trial.plates]
    for a, b in zip(read.plates, trial.plates, strict=True):
        assert a.rate_hz == b.rate_hz
        assert np.allclose(a.corners_g, b.corners_g, atol=DIGITS, rtol=0)
        assert np.allclose(a.sensor_p, b.sensor_p, atol=DIGITS, rtol=0)
        assert np.allclose(a.force_p, b.force_p, atol=1e-7, rtol=DIGITS)
        assert np.allclose(a.moment_p, b.moment_p, atol=1e-7, rtol=DIGITS)


@pytest.mark.parametrize("sense", ["reaction", "action"])
@pytest.mark.parametrize("unit", ["mm", "cm", "m"])
def test_round_trip_with_forces_beside(tmp_path: Path, sense: str, unit: str) -> None:
    trial = small_trial()
    files = write_plain(trial, tmp_path, sense, unit)
    read = read_plain_csv(files.trial, files.forces, files.plates)
    assert_same_trial(read, trial)
    assert texts(read) == ()


def test_a_force_rate_that_is_no_multiple_is_its_own(tmp_path: Path) -> None:
    trial = small_trial(force_rate_hz=130.0, frames=20)
    files = write_plain(trial, tmp_path)
    assert read_plain_csv(files.trial, files.forces, files.plates).plates[0].rate_hz == 130.0


def test_bom_crlf_quotes_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    plain = read_plain_csv(write(tmp_path, MINIMAL))
    semicolons = MINIMAL.replace(",", ";").replace("0.0", "0,0").replace(";5;", ";5,0;")
    quoted = MINIMAL.replace("time_s", '"time_s"').replace("A_x_mm", '"A_x_mm"').replace("\n4", '\n"4"')
    for text in (
        "\ufeff" + MINIMAL,
        MINIMAL.replace("\n", "\r\n"),
        MINIMAL.replace("\n", "\r"),
        semicolons,
        MINIMAL.replace(",", "\t"),
        quoted,
        MINIMAL.rstrip("\n"),
        MINIMAL + "\n\n",
    ):
        read = read_plain_csv(write(tmp_path, text))
        assert np.array_equal(read.points_g, plain.points_g)
        assert read.rate_hz == 100.0


def test_forces_begin_at_their_own_time(tmp_path: Path) -> None:
    """Before, after and between two samples of the cameras' clock: nothing is moved, the time is kept."""
    trial = small_trial()
    files = write_plain(trial, tmp_path)
    header, *rows = files.forces.read_text().splitlines()

    def moved(seconds: float) -> Trial:
        new = [f"{float(r.split(',')[0]) + seconds:.10g},{r.split(',', 1)[1]}" for r in rows]
        files.forces.write_text("\n".join([header, *new]))
        return read_plain_csv(files.trial, files.forces, files.plates)

    for seconds in (-0.003, 0.004, 0.0005):
        read = moved(seconds)
        assert [p.start_s for p in read.plates] == pytest.approx([seconds] * 2, abs=1e-12)  # s: rounding of the sum
        assert np.allclose(read.plates[0].force_p, trial.plates[0].force_p, atol=1e-6, rtol=0)
    assert texts(moved(0.0)) == ()
    assert texts(moved(-0.003)) == ()  # the last sample is still after the last camera frame
    assert "begins 0.004 s after the first camera frame" in texts(moved(0.004))[0]
    assert "ends 0.04" in texts(moved(-0.05))[0]
    for seconds, words in ((-5.0, r"ends 4\.881 s before the first"), (5.0, r"begins 4\.89 s after the last")):
        with pytest.raises(ReadError, match=rf"walk\.forces\.csv: {words} camera frame"):
            moved(seconds)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("A_z_mm", "A_z", "'A_z' says no unit"),
        ("A_z_mm", "A_z_in", "'A_z_in' is not known"),
        (",A_z_mm", "", "marker A lacks z"),
        ("A_z_mm", "A_y_mm", "'A_y_mm' is given twice"),
        ("A_z_mm", "A_y_m", "'A_y_m' is given twice"),
        ("A_z_mm", "A_z_mm,EMG", "'EMG' is not known"),
        ("A_z_mm", "A_z_mm,plate1_Fx_N", "plate1 lacks Fy, Fz, Mx, My, Mz"),
        ("A_z_mm", "A_z_mm,plate1_Fx", "'plate1_Fx' says no unit"),
        ("\n0.01,4", "\n0.01,four", "row 3, column 'A_x_mm': not a number"),
        ("\n0.01,4", "\n0.01,1_0", "row 3, column 'A_x_mm': not a number"),
        ("\n0.01,4", "\n0.01,inf", "row 3, column 'A_x_mm': not a number"),
        ("\n0.01,4", "\n0.01,4,5", "row 3 does not match the header; expected 4 cells; found 5"),
        ("\n0.01,4,5,6", "\n0.01,4,5", "row 3 does not match the header; expected 4 cells; found 3"),
        ("\n0.01,4,5,6", "\n0,01,4,5,6", "use a decimal point"),
        ("\n0.01", "\n0.013", "row 3, column 'time_s': not evenly sampled"),
        ("\n0.01", "\n", "row 3, column 'time_s': empty"),
        ("\n0.01,4,5,6\n0.02", "\n10,4,5,6\n20", "column 'time_s' is not in seconds"),
        ("\n0.01,4,5,6\n0.02", "\n0,4,5,6\n0", "time does not go on"),
        ("\n0.01,4,5,6\n0.02,7,8,9", "", "only one row"),
        ("\n0.01,4,5,6\n", "\n\n", "row 3 is empty"),
        ("\n0,1,2,3\n0.01,4,5,6\n0.02,7,8,9", "", "no rows below the header"),
        ("time_s", "frame", "the rate is not known; expected a column time_s"),
        ("time_s,A", "time_s;A", "separated in more than one way"),
        ("time_s,A_x_mm,A_y_mm,A_z_mm", "time_s,plate1_Fx_N,plate1_Fy_N,plate1_Fz_N", "lacks Mx, My, Mz"),
    ],
)
def test_what_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in MINIMAL
    with pytest.raises(ReadError) as refused:
        read_plain_csv(write(tmp_path, MINIMAL.replace(old, new)))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def files_of(tmp_path: Path) -> Files:
    return write_plain(small_trial(), tmp_path)


def test_forces_need_plates(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    with pytest.raises(
        ReadError, match="give them with --plates FILE.yaml; gaitid inspect --plates-template prints one"
    ):
        read_plain_csv(files.trial, files.forces)
    files.plates.write_text(plates_yaml(small_trial().plates[:1]))
    with pytest.raises(ReadError, match="does not describe every plate; expected plates 1, 2; found 1"):
        read_plain_csv(files.trial, files.forces, files.plates)


def test_forces_given_twice_or_not_forces(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    with pytest.raises(ReadError, match=r"walk\.csv: markers among the forces"):
        read_plain_csv(files.trial, files.trial, files.plates)
    with pytest.raises(ReadError, match="no markers"):
        read_plain_csv(files.forces, plates=files.plates)
    trial = small_trial(force_rate_hz=100.0)
    (m_names, m), (f_names, f) = marker_columns(trial), force_columns(trial)
    both = write(tmp_path, table(["time_s", *m_names, *f_names], [trial.time_s, *m, *f]))
    with pytest.raises(ReadError, match="forces are given twice"):
        read_plain_csv(both, files.forces, files.plates)
    files.forces.write_text("time_s\n0\n0.001\n")
    with pytest.raises(ReadError, match=r"walk\.forces\.csv: no forces"):
        read_plain_csv(files.trial, files.forces, files.plates)


def test_a_large_file_is_read_in_linear_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    trial = Trial(tmp_path, 100.0, 1, tuple(f"M{i}" for i in range(40)), rng.normal(size=(1000, 40, 3)))
    files = write_plain(trial, tmp_path)
    # 0.05 s; what looks at all rows once a row takes minutes
    assert _timed(files.trial) < 10


def _timed(path: Path) -> float:
    start = time.perf_counter()
    read_plain_csv(path)
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.replace(",", "|"), r"expected one of , ; tab; found '\|'"),
        (lambda t: t.replace(",", " "), "expected one of , ; tab; found a blank"),
        (lambda t: t.replace("time_s", "Time (s)", 1), r"'Time \(s\)' is no time in seconds: name it time_s"),
        (lambda t: "," + t.replace("\n", "\n0,").rstrip("0,"), "columns: column 1 has no name .*index=False"),
        (lambda t: t.replace("time_s", "time_ms", 1), "'time_ms' is no time in seconds: name it time_s"),
        (lambda t: swapped(t, 5, 8), "row 7, column 'time_s': time goes back; .*; sort the rows by time"),
    ],
)
def test_what_a_table_was_meant_to_be_is_said(tmp_path: Path, change: Callable[[str], str], words: str) -> None:
    files = write_plain(small_trial(), tmp_path)
    text = files.trial.read_text()
    files.trial.write_text(change("\n".join(line.partition(",")[2] for line in text.split("\n"))))
    with pytest.raises(ReadError, match=words):
        read_plain_csv(files.trial, files.forces, files.plates)


def swapped(text: str, a: int, b: int) -> str:
    """With two rows in each other's place."""
    lines = text.split("\n")
    lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("head", "words"),
    [(b"PK\x03\x04\x14\xff", "a workbook"), (b"\x1f\x8b\x08\xff", "a packed file"), (b"\xd0\xcf\x11\xe0", "an old")],
)
def test_what_is_no_text_is_named(tmp_path: Path, head: bytes, words: str) -> None:
    (tmp_path / "walk.csv").write_bytes(head * 50)
    with pytest.raises(ReadError, match=f"{words}.*; save it as CSV"):
        read_plain_csv(tmp_path / "walk.csv")
