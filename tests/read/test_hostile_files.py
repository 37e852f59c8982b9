"""What is no file, or lies about its size: refused in one line, soon, and before memory is asked for."""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import write
from inputs import PLATES, SUBJECT, decimal_commas, forces_csv, mot, plain_csv, trc

from gaitid.body.subject_file import read_subject
from gaitid.errors import GaitidError, ReadError
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.read.assignments import assignments_left
from gaitid.read.plates.plates_file import read_plates_file

SUFFIXES = (".c3d", ".csv", ".trc")


def refused(path: Path, *, forces: Path | None = None, plates: Path | None = None) -> str:
    """The line, soon (ms; a busy machine takes longer, what hangs takes minutes) and with less than 20 MB."""
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(GaitidError) as caught:
        read_trial(path, forces=forces, plates=plates)
    assert time.perf_counter() - start < 10  # s
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # bytes
    line = caught.value.line()
    assert line.isprintable() and len(line) < 1000
    return line


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_file(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(tmp_path / f"pipe{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    (tmp_path / f"loop{suffix}").symlink_to(f"loop{suffix}")
    (tmp_path / f"nowhere{suffix}").symlink_to("none")
    for name in ("pipe", "folder", "zero"):
        assert "not a file" in refused(tmp_path / f"{name}{suffix}")
    assert "cannot be read (Too many levels of symbolic links)" in refused(tmp_path / f"loop{suffix}")
    assert "cannot be read (File name too long)" in refused(tmp_path / ("x" * 300 + suffix))
    for name in ("nowhere", "none", "pipe.c3d/below", "a\0b"):
        assert "no such file" in refused(tmp_path / f"{name}{suffix}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_may_not_be_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"x")
    path.chmod(0)
    assert "cannot be read (Permission denied)" in refused(path)


def test_a_pipe_or_device_beside_the_trial(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(plain_csv())
    (tmp_path / "a.c3d").write_bytes(write().data)
    for name in ("pipe.csv", "pipe.mot", "pipe.yaml", "a.Trial.enf"):
        os.mkfifo(tmp_path / name)
    for name in ("pipe.csv", "pipe.mot"):
        assert f"{name}: not a file" in refused(tmp_path / "a.csv", forces=tmp_path / name)
    (tmp_path / "forces.csv").write_text(forces_csv())
    assert "pipe.yaml" in refused(tmp_path / "a.csv", forces=tmp_path / "forces.csv", plates=tmp_path / "pipe.yaml")
    # nobody asked for the Eclipse file
    assert assignments_left(read_trial(tmp_path / "a.c3d")) == ()
    (tmp_path / "a.Trial.enf").unlink()
    with (tmp_path / "a.Trial.enf").open("wb") as file:
        file.truncate(3 << 30)
    assert assignments_left(read_trial(tmp_path / "a.c3d")) == ()


@pytest.mark.parametrize("suffix", [".csv", ".trc"])
def test_many_megabytes_of_one_line(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    with path.open("wb") as file:
        file.write(b"frame,time_s" * 1000)
        file.truncate(400_000_000)
    assert "row 1 is no row of a table; expected at most 1000000 characters" in refused(path)


def test_a_long_line_further_down(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(plain_csv() + "," * 1_500_000)
    assert "row 14 is no row of a table" in refused(path)


def test_more_cells_than_a_memory_should_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaitid.read.tables.text_table._CELLS", 100)
    (tmp_path / "a.csv").write_text(plain_csv())
    assert "too large; expected at most 1e+02 cells; found 12 rows of 11" in refused(tmp_path / "a.csv")


def test_more_rows_than_a_memory_should_hold(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n" * 5_000_001)  # 10 MB, as a list of lines 300 MB
    with pytest.raises(ReadError, match="too large; expected at most 5000000 rows; found 5000001"):
        read_trial(tmp_path / "a.csv")


# --- headers of C3D that lie ----------------------------------------------------------------------------------------


# --- what Excel makes of tables -------------------------------------------------------------------------------------


def same_points(path: Path, text: str | bytes) -> None:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    np.testing.assert_array_equal(read_trial(path).points_g, read_trial(path.with_name("sound.csv")).points_g)


def test_the_same_table_however_excel_saved_it(tmp_path: Path) -> None:
    plain = plain_csv()
    (tmp_path / "sound.csv").write_text(plain)
    path = tmp_path / "a.csv"
    same_points(path, b"\xef\xbb\xbf" + plain.encode())
    same_points(path, plain.replace("\n", "\r\n"))
    same_points(path, plain.replace("\n", "\r"))
    same_points(path, decimal_commas(plain))
    same_points(path, "sep=;\r\n" + decimal_commas(plain))
    same_points(path, '"sep=,"\n' + plain)
    same_points(path, plain.replace(",", "\t").encode("utf-16"))  # “Unicode text”
    same_points(path, "\n".join(f'"{row}"'.replace(",", '","') for row in plain.splitlines()))
    same_points(path, plain.replace("\n", ",,,\n") + ",,,,,,,\n" * 3)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("0,01;", "1.234,5;", "row 2: a decimal point in a table with decimal commas"),
        ("0,01;", "1'234,5;", "not a number"),
        ("0,01;", "01.02.2024;", "a decimal point in a table with decimal commas"),
        ("0,01;", "2024-02-01;", "not a number"),
        ("0,01;", "#N/A;", "empty; expected a time for every row"),
        ("0,01;", "#DIV/0!;", "not a number"),
        ("0,01;", "=A1;", "not a number"),
    ],
)
def test_numbers_that_excel_made_something_else(tmp_path: Path, old: str, new: str, line: str) -> None:
    (tmp_path / "a.csv").write_text(decimal_commas(plain_csv()).replace(old, new, 1))
    found = refused(tmp_path / "a.csv")
    assert line.replace("row 2", "row 3") in found


@pytest.mark.parametrize("name", ["\x1b[2J", "\u202egnp", "a\x07b", "L" * 10_000])
def test_a_name_that_would_garble_the_terminal(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text(plain_csv().replace("LASI", name))
    assert "column 3: not a name" in refused(tmp_path / "a.csv")
    (tmp_path / "a.trc").write_text(trc().replace("LASI", name))
    assert "not a name" in refused(tmp_path / "a.trc")
    (tmp_path / "b.trc").write_text(trc())
    (tmp_path / "a.mot").write_text(mot().replace("ground_force_r_vx", name))
    assert "column 2: not a name" in refused(tmp_path / "b.trc", forces=tmp_path / "a.mot")


# --- YAML -----------------------------------------------------------------------------------------------------------

BOMBS = {
    "aliases": "a: &a [x, x, x, x, x, x, x, x]\n"
    + "\n".join(f"{c}: &{c} [{', '.join(['*' + chr(ord(c) - 1)] * 8)}]" for c in "bcdefghijkl"),
    "lists": "[" * 100_000,
    "mappings": "{a: " * 100_000,
    "python": "a: !!python/object/apply:os.system ['touch owned']",
    "itself": "a: &a [*a]",
    "long": "mass_kg: " + "9" * 1_000_000,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_yaml_that_grows(tmp_path: Path, bomb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for start, read in (
        (PLATES, read_plates_file),
        (SUBJECT, lambda path: read_subject(path, load_model("pig"))),
        ("extends: pig\n", load_model),
    ):
        (tmp_path / "a.yaml").write_text(start + BOMBS[bomb])
        begun = time.perf_counter()
        with pytest.raises(GaitidError) as caught:
            read(tmp_path / "a.yaml")
        assert time.perf_counter() - begun < 20  # s: a hang
        assert len(caught.value.line()) < 1000
    assert not (tmp_path / "owned").exists()
