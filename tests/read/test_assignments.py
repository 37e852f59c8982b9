"""Feet that other programs put on plates: .enf files, pyCGM2's events, columns of a motion file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plain_layout import small_trial

from gaitid.read import read_trial
from gaitid.read.assignments import assignments_left
from gaitid.trial import Event, Trial

ENF = """[Node Information]
TYPE=TRIAL
[TRIAL_INFO]
Description=FP1=Right, says somebody
Notes=a name
Creationdateandtime=2024,1,1,12,0,0
FP1=Left
 FP2 = right\x20
FP3=Invalid
FP4=Auto
FP5=
FP6=None
FP=Left
XFP7=Left
FP12=Left
"""


def trial_at(folder: Path, name: str = "walk.c3d") -> Trial:
    return replace(small_trial(), path=folder / name)


@pytest.mark.parametrize("name", ["walk.Trial.enf", "walk.Trial01.enf", "walk.Trial.ENF", "walk.enf"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_contexts_of_nexus(tmp_path: Path, name: str, encoding: str) -> None:
    """``Auto`` and nothing leave it to the program; ``Invalid`` means that the plate is not to be used."""
    (tmp_path / name).write_bytes(ENF.replace("a name", "Zoë").replace("\n", "\r\n").encode(encoding))
    found = assignments_left(trial_at(tmp_path))
    assert [(a.plate, a.foot) for a in found] == [(1, "left"), (2, "right"), (3, "none"), (12, "left")]
    assert found[0].source == f"FP1=Left in {name}" and found[1].source == f"FP2=Right in {name}"
    assert all(a.time_s is None and a.declared for a in found)


def test_only_the_trial_s_own_file_is_read(tmp_path: Path) -> None:
    for name in ("walk2.Trial.enf", "walk.Session.enf", "P7.Patient.enf", "walk.Trial.txt", "Walk.Trial.enf"):
        (tmp_path / name).write_text(ENF)
    (tmp_path / "walk.Trial03.enf").mkdir()  # a folder of that name is none
    assert assignments_left(trial_at(tmp_path)) == ()
    assert assignments_left(trial_at(tmp_path, "wal[k]*.c3d")) == ()
    assert assignments_left(trial_at(tmp_path / "absent")) == ()


def at_peak(trial: Trial, number: int) -> float:
    """When a plate's vertical force is largest, at the camera's frames, as pyCGM2 looks for it."""
    plate = next(p for p in trial.plates if p.number == number)
    step = round(plate.rate_hz / trial.rate_hz)
    return float(np.argmax(np.abs(plate.force_p[::step, 2])) / trial.rate_hz)


def two_stances() -> Trial:
    """Plate 1 is loaded in the first half, plate 2 in the second."""
    trial = small_trial(frames=40)
    n = len(trial.plates[0].force_p)
    half = np.sin(np.linspace(0, 2 * np.pi, n))
    vertical = [np.minimum(-700 * half, 0), np.minimum(650 * half, 0)]
    plates = [replace(p, force_p=np.stack([0 * v, 0 * v, v], axis=1)) for p, v in zip(trial.plates, vertical)]
    return replace(trial, plates=tuple(plates))


def test_an_event_that_fits_no_plate_or_two_says_nothing() -> None:
    trial = two_stances()
    twins = replace(trial, plates=(trial.plates[0], replace(trial.plates[0], number=2)))
    at = at_peak(trial, 1)
    for case, time_s in ((trial, at + 0.1), (trial, -3.0), (trial, 99.0), (twins, at), (replace(trial, plates=()), at)):
        assert assignments_left(replace(case, events=(Event("Left-FP", "general", time_s),))) == ()
    idle = replace(trial, plates=tuple(replace(p, force_p=0.01 * p.force_p) for p in trial.plates))
    assert assignments_left(replace(idle, events=(Event("Left-FP", "general", at),))) == ()


def test_a_plate_that_begins_at_its_own_time() -> None:
    trial = two_stances()
    late = tuple(replace(p, start_s=0.05) for p in trial.plates)
    events = (Event("Left-FP", "general", at_peak(trial, 1) + 0.05),)
    assert [a.plate for a in assignments_left(replace(trial, plates=late, events=events))] == [1]


def test_columns_that_name_feet_come_first(tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text("time_s,A_x_m,A_y_m,A_z_m\n0,1,2,3\n0.01,1,2,3\n")
    names = ["time"] + [f"ground_force_r_{k}{a}" for k in "vp" for a in "xyz"]
    rows = [f"{i / 1000}\t0\t700\t0\t0\t0\t0" for i in range(30)]
    (tmp_path / "grf.mot").write_text("\n".join(["forces", "endheader", "\t".join(names), *rows]))
    (tmp_path / "walk.Trial.enf").write_text("FP1=Left\n")
    read = read_trial(tmp_path / "walk.csv", forces=tmp_path / "grf.mot")
    assert [(a.plate, a.foot) for a in read.assignments] == [(1, "right"), (1, "left")]
    assert read.assignments[0].source == "columns ground_force_r_vx … of grf.mot"
