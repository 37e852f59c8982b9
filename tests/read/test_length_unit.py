"""The unit of lengths of a C3D file that says none, a part of one or a wrong one; and the user's word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from note_texts import texts
from test_c3d import make
from test_plate_signals import SHARED, in_shared

from gaitid.errors import ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.read import read_trial
from gaitid.read.c3d.trial import read_c3d
from gaitid.read.length_unit import length_unit, refuse_other_unit

LABELS = ["LASI", "RASI", "SACR", "LANK", "RANK", "HEAD"]
IN_UNIT = {"mm": 1e3, "cm": 1e2, "m": 1.0}


def body(n: int = 20) -> np.ndarray:
    """(frames, markers, 3) m: a person of 1.7 m who walks 2 m."""
    still = np.array([[0, 0.1, 1], [0, -0.1, 1], [-0.2, 0, 1], [0.1, 0.1, 0.1], [-0.1, -0.1, 0.1], [0, 0, 1.7]])
    return still + np.linspace([0, 0, 0], [2, 0, 0], n)[:, None]


def file(path: Path, says: str, unit: str, **more: Any) -> Path:
    points = body() * IN_UNIT[unit]
    return make(path, LABELS, unit=says, points=points.transpose(2, 1, 0), **more)


@pytest.mark.parametrize("says", ["", "milli", "me", "c", "M"])
@pytest.mark.parametrize("unit", ["mm", "cm", "m"])
def test_an_empty_or_cut_unit_is_told_from_the_body_and_said(tmp_path: Path, says: str, unit: str) -> None:
    """A file that says M is in metres, unless its body would then be 100 m high or more."""
    trial = read_c3d(file(tmp_path / "a.c3d", says, unit))
    np.testing.assert_allclose(trial.points_g, body(), rtol=1e-5, atol=1e-6)
    said = [w for w in texts(trial) if "POINT:UNITS" in w]
    assert trial.origin["length_unit"].lower() == unit
    assert said == [] if (says, unit) == ("M", "m") else f"lengths are taken in {unit} (1." in said[0]


def test_a_declared_unit_of_a_small_thing_is_kept() -> None:
    """A pendulum of 5 cm in metres; only a body beyond any walkway contradicts a file."""
    thing = 0.05 * body()
    assert length_unit("m", None, thing, "Units") == ("m", ())
    assert length_unit("mm", None, 1e3 * thing, "Units") == ("mm", ())
    assert length_unit("mm", None, 1e-3 * thing, "Units") == ("mm", ())  # of no size that a body could have
    for says, true in (("m", "mm"), ("mm", "m")):
        unit, notes = length_unit(says, None, IN_UNIT[true] * body(), "Units")
        assert unit == true and notes[0].code == "file_repaired"


@pytest.mark.parametrize(("given", "true"), [("m", "mm"), ("mm", "m")])
def test_a_unit_of_the_user_by_which_no_thing_is_as_large_is_refused(tmp_path: Path, given: str, true: str) -> None:
    """What lay a kilometre away used to be lost, and the trial refused for lack of those markers."""
    path = file(tmp_path / "a.c3d", true, true)
    words = f"--set point_unit={given}: the markers then lie .* m apart; .*give --set point_unit={true}"
    with pytest.raises(ReadError, match=words):
        read_trial(path, settings=ReaderSettings(point_unit=given))


def test_what_is_no_unit_is_refused_by_name() -> None:
    with pytest.raises(ReadError, match="--set point_unit=inch: no such unit; expected one of mm, cm, m"):
        ReaderSettings(point_unit="inch")


@pytest.mark.parametrize("rate", [0, -100, "100", True, float("nan"), [100]])
def test_what_is_no_rate_is_refused(rate: Any) -> None:
    with pytest.raises(ReadError, match="--set point_rate_hz=.*: no rate; expected 1 to 1,000,000 Hz"):
        ReaderSettings(point_rate_hz=rate)


def test_a_plain_csv_says_its_units_and_times_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time_s,A_x_mm,A_y_mm,A_z_mm\n0,1,2,3\n0.01,1,2,3\n")
    trial = read_trial(path, settings=ReaderSettings("m", point_rate_hz=50, subject_prefix="Anna"))
    assert [note.code for note in trial.notes] == ["input_unused"] * 3
    assert trial.rate_hz == 100.0
    np.testing.assert_allclose(trial.points_g[0, 0], [0.001, 0.002, 0.003])


def test_a_plain_csv_without_units_or_times_is_told_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("frame,A_x,A_y,A_z,B_x_m,B_y_m,B_z_m\n7,10,20,30,1,2,3\n8,10,20,30,1,2,3\n")
    with pytest.raises(ReadError, match="'A_x' and 2 more say no unit: .* or give --set point_unit=mm, cm or m"):
        read_trial(path)
    with pytest.raises(ReadError, match="add time_s, or give the rate with --set point_rate_hz=HZ"):
        read_trial(path, settings=ReaderSettings("cm"))
    trial = read_trial(path, settings=ReaderSettings("cm", point_rate_hz=50))
    assert (trial.rate_hz, trial.first_frame, trial.n_frames, trial.notes) == (50.0, 7, 2, ())
    np.testing.assert_allclose(trial.points_g[0], [[0.1, 0.2, 0.3], [1, 2, 3]])


def test_other_files_say_their_rate_themselves(tmp_path: Path) -> None:
    trial = read_trial(file(tmp_path / "a.c3d", "mm", "mm"), settings=ReaderSettings(point_rate_hz=50))
    assert [note.text for note in trial.notes] == ["--set point_rate_hz is not used: the file itself says it"]


@in_shared
def test_the_size_tells_the_unit_of_every_real_trial() -> None:
    paths = [p for p in SHARED.rglob("*.c3d") if not {"zoo", "theia_segments"} & set(p.parts)]
    assert len(paths) > 20
    for path in paths:
        trial = read_c3d(path)
        unit, _ = length_unit("", None, trial.points_g * 1e3, "POINT:UNITS")
        assert unit == "mm", path


def test_columns_in_another_unit_than_they_say() -> None:
    """Markers of a person 1.2 m apart, written in millimetres under names that end in metres; and right ones."""
    points = np.random.default_rng(1).uniform(0.0, 0.7, (10, 20, 3))
    named = ("m", "as LASI_x_m", "end the names of the columns with _")
    with pytest.raises(ReadError, match="as LASI_x_m, the markers lie .* apart; .*; the numbers are in mm, it seems"):
        refuse_other_unit(1e3 * points, *named)
    refuse_other_unit(points, *named)
    refuse_other_unit(np.full((10, 20, 3), np.nan), *named)
    with pytest.raises(ReadError, match="the markers lie 24.6 m apart; .*; the numbers are in mm, .* columns with _mm"):
        refuse_other_unit(25.4 * points, "in", *named[1:])
    refuse_other_unit(6.0 * points, "mm", *named[1:])  # a large scene, and no body in any other unit
