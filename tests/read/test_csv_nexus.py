"""Nexus CSV exports: round trips in both conventions, sections of all kinds, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from nexus_layout import to_nexus_csv
from note_texts import texts
from plain_layout import plates_yaml, small_trial
from test_csv_plain import assert_same_trial

from gaitid.errors import ReadError
from gaitid.read.tables.csv_nexus import read_nexus_csv
from gaitid.trial import Trial

DECLARED = {
    "plate": "axes: plate\nmoment_about: origin",
    "laboratory": "axes: laboratory\nmoment_about: surface_centre",
}
SENSE = {"plate": "reaction", "laboratory": "action"}

OUTPUTS = """Model Outputs
100
,,Test:LKneeAngles,,,Test:PEL,,,,,,
Frame,Sub Frame,X,Y,Z,RX,RY,RZ,TX,TY,TZ
,,deg,deg,deg,deg,deg,deg,mm,mm,mm
42,0,1,2,3,4,5,6,7,8,9
43,0,,,,4,5,6,7,8,9

"""
EVENTS = """Events
100
Subject,Context,Name,Time (s),Description
Test,Left,Foot Off,0.45,
Test,Right,Foot Strike,0.41,heel

"""


def given(folder: Path, text: str, plates: str | None = None) -> tuple[Path, Path | None]:
    path = folder / "t.csv"
    path.write_bytes(text.encode())
    if plates is None:
        return path, None
    (folder / "plates.yaml").write_text(plates)
    return path, folder / "plates.yaml"


def plates_for(trial: Trial, convention: str) -> str:
    return plates_yaml(trial.plates, SENSE[convention], DECLARED[convention])


@pytest.mark.parametrize("emg", [False, True])
@pytest.mark.parametrize("convention", ["plate", "laboratory"])
def test_round_trip(tmp_path: Path, convention: str, emg: bool) -> None:
    trial = small_trial()
    text = to_nexus_csv(trial, convention, with_emg=emg)
    read = read_nexus_csv(*given(tmp_path, text, plates_for(trial, convention)))
    if convention == "laboratory":  # the same moments, about the point that they were recorded about
        for a, b in zip(read.plates, trial.plates, strict=True):
            about_centre = b.moment_p + np.cross(b.sensor_p, b.force_p)
            assert np.allclose(a.force_p, b.force_p, atol=1e-7, rtol=1e-9)
            assert np.allclose(a.moment_p, about_centre, atol=1e-7, rtol=1e-9)
            assert np.array_equal(a.sensor_p, np.zeros(3))
    else:
        assert_same_trial(read, trial)
    assert texts(read) == ()
    assert read.names == ("Test",)


def test_without_a_plates_file_the_plates_are_refused_and_the_markers_read(tmp_path: Path) -> None:
    read = read_nexus_csv(*given(tmp_path, to_nexus_csv(small_trial())))
    assert read.plates == () and set(read.refused_plates) == {1, 2}
    assert "--plates" in read.refused_plates[1]
    assert read.n_frames == 12 and any("plate 1 is not used" in w for w in texts(read))


def test_a_plate_that_the_file_does_not_describe_is_refused(tmp_path: Path) -> None:
    trial = small_trial()
    text = plates_yaml(trial.plates[:1]).replace("number: 1", "number: 2")
    read = read_nexus_csv(*given(tmp_path, to_nexus_csv(trial), text))
    assert [p.number for p in read.plates] == [2] and set(read.refused_plates) == {1}


@pytest.mark.parametrize(
    ("device", "numbers", "said"),
    [
        ("AMTI 400600 V1.0 #{number}", (1, 2), False),
        ("Bertec Plate {number}", (1, 2), False),
        ("Kistler FP{number}", (1, 2), False),
        ("Plate", (1, 2), True),  # no number: in the order of the file
    ],
)
def test_numbers_of_plates(tmp_path: Path, device: str, numbers: tuple[int, ...], said: bool) -> None:
    trial = small_trial()
    read = read_nexus_csv(*given(tmp_path, to_nexus_csv(trial, device=device), plates_for(trial, "plate")))
    assert tuple(p.number for p in read.plates) == numbers
    assert any("numbered in the order" in w for w in texts(read)) is said
    assert np.allclose(read.plates[1].force_p, trial.plates[1].force_p, atol=1e-7, rtol=0)


@pytest.mark.parametrize("late_frames", [0, 3, -3])
def test_voltages_are_electromyography(tmp_path: Path, late_frames: int) -> None:
    """Called as Nexus calls them in a C3D, in V, the first sample taken with the first camera frame."""
    trial = small_trial()
    text = to_nexus_csv(trial, device_first_frame=trial.first_frame + late_frames, with_emg=True)
    emg = read_nexus_csv(*given(tmp_path, text.replace(",1,2\r\n", ",LTA,RTA\r\n", 1))).emg
    assert emg is not None
    assert emg.labels == ("Voltage.LTA", "Voltage.RTA")
    assert emg.rate_hz == trial.plates[0].rate_hz
    left, right = emg.samples_V([0, 1])
    at = np.arange(len(left)) - late_frames * round(emg.rate_hz / trial.rate_hz)
    assert np.allclose(left, np.where(at < 0, np.nan, 1e-5 * at), rtol=1e-9, atol=0, equal_nan=True)
    assert np.allclose(right, left, rtol=1e-9, atol=0, equal_nan=True)
    assert read_nexus_csv(*given(tmp_path, to_nexus_csv(trial))).emg is None


def test_model_outputs_are_kept_on_the_frames_of_the_trial(tmp_path: Path) -> None:
    path, _ = given(tmp_path, OUTPUTS + EVENTS + to_nexus_csv(small_trial()))
    read = read_nexus_csv(path, stored=True)
    assert set(read.stored) == {"LKneeAngles", "PEL"}
    assert np.array_equal(read.stored["LKneeAngles"][1], [1, 2, 3])
    assert np.isnan(np.delete(read.stored["LKneeAngles"], 1, axis=0)).all()
    assert read.stored["PEL"].shape == (12, 6)
    assert read_nexus_csv(path).stored == {}
    assert [(e.name, e.side) for e in read.events] == [("Foot Strike", "right"), ("Foot Off", "left")]
    assert [e.time_s for e in read.events] == pytest.approx([0.01, 0.05])  # frame 41 is at 0.40 s


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Test:SACR", "Box:SACR", "two subjects in one file; expected one; found Test, Box"),
        ("Test:SACR", "Test:LASI", "LASI is given twice"),
        ("\r\n42,0,", "\r\n43,0,", "frames do not count by 1"),
        (",,mm,mm,mm,mm,mm,mm,mm,mm,mm", ",,mm,mm,mm,mm,mm,mm,,,", "SACR: no single unit"),
        (",,mm,mm,mm,mm,mm,mm,mm,mm,mm", ",,in,mm,mm,mm,mm,mm,mm,mm,mm", "LASI: no single unit"),
        (",,mm,mm,mm,mm,mm,mm,mm,mm,mm", ",,ell,ell,ell,mm,mm,mm,mm,mm,mm", "unit not known"),
        (",,mm,mm,mm,mm,mm,mm,mm,mm,mm\r\n", "", "no row of units"),
        ("Trajectories\r\n100", "Trajectories\r\nabc", "Trajectories: no rate"),
        ("Trajectories\r\n", "Model Outputs\r\n", "found Devices, Model Outputs; export Trajectories too"),
        ("Frame,Sub Frame,X", "Frame,X", "not the header of a Nexus section"),
        (",,Test:LASI", ",,", "column 3 has no name"),
        ("X,Y,Z,X,Y,Z,X,Y,Z", "X,Y,Z,X,Y,Z,RX,RY,RZ", "SACR has RX, RY, RZ"),
        ("\r\n41,3,", "\r\n41,4,", "Devices: row 9: samples do not follow each other"),
        ("Devices\r\n1000", "Devices\r\n250", "no whole number of samples a frame"),
        ("\r\n41,3,", "\r\n41,3,x", "Devices: row 9, column 'Imported AMTI OR6 Series Force Plate #1 - Force Fx'"),
        ("\r\n41,3,", "\r\n,3,", "Devices: row 9, column 'Frame': not a whole number"),
        ("Devices\r\n", "Trajectories\r\n", "a second section Trajectories"),
        ("Trajectories\r\n", "41,0,3\r\n", "belongs to no section"),
    ],
)
def test_what_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    trial = small_trial()
    text = to_nexus_csv(trial)
    assert old in text
    head, _, tail = text.rpartition(old)  # the Trajectories come last
    with pytest.raises(ReadError) as refused:
        read_nexus_csv(*given(tmp_path, head + new + tail, plates_for(trial, "plate")))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
