"""Tables of Qualisys, OptiTrack and Cortex: written as described, read back, and refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts
from plain_layout import plates_yaml, small_trial
from vendor_layout import about_origin, anc, cortex_forces, motive, qtm_forces, qtm_markers, write

import gaitid
from gaitid.batch.statics import stands
from gaitid.errors import GaitidError, ReadError
from gaitid.inputs import static_beside
from gaitid.model.settings import ReaderSettings
from gaitid.read import read_trial
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials" / "labs" / "motion_analysis"
# Nine decimals of N, N·mm and mm; 16 bits of 2 and 4 kN.
N, NM = 1e-6, 1e-5


def assert_markers(read: Trial, true: Trial, first_frame: int) -> None:
    assert (read.labels, read.rate_hz, read.first_frame) == (true.labels, true.rate_hz, first_frame)
    assert np.allclose(read.points_g, true.points_g, atol=1e-9, rtol=0, equal_nan=True)


def assert_plates(read: Trial, true: Trial, n: float = N, nm: float = NM, outlined: bool = True) -> None:
    assert [p.number for p in read.plates] == [p.number for p in true.plates]
    for got, want in zip(read.plates, true.plates, strict=True):
        assert (got.rate_hz, got.start_s, got.outlined) == (want.rate_hz, 0.0, outlined)
        for a, b, off in zip(about_origin(got), about_origin(want), (n, nm), strict=True):
            assert np.abs(a - b).max() < off
        if outlined:
            assert np.allclose(got.corners_g, want.corners_g, atol=1e-6)


# --- Qualisys Track Manager ---------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["0.000", "", "NULL", "nan"])
def test_qtm_markers(tmp_path: Path, gap: str) -> None:
    true = small_trial()
    read = read_trial(write(tmp_path, "walk.tsv", qtm_markers(true, gap)))
    assert_markers(read, true, 41)
    assert [(e.name, e.side, round(e.time_s, 6)) for e in read.events] == [("RHS", "general", 0.03)]
    assert dict(read.origin) == {"format": "QTM TSV", "length_unit": "mm"}


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("sense", [-1.0, 1.0])
@pytest.mark.parametrize("mm", [1.0, 1e3])
def test_qtm_forces_beside_the_markers(tmp_path: Path, local: bool, sense: float, mm: float) -> None:
    """Whatever axes, sense and unit: the centre of pressure beside them and the sign of the load tell."""
    true = small_trial()
    path = write(tmp_path, "walk.tsv", qtm_markers(true))
    for plate in true.plates:
        write(tmp_path, f"walk_f_{plate.number}.tsv", qtm_forces(plate, local, sense, mm))
    read = read_trial(path)
    assert_plates(read, true)
    axes = "plate" if local else "laboratory"
    said = [text for text in texts(read) if "its forces are taken" in text]
    on = "plate" if sense < 0 else "subject"
    assert len(said) == 2 and f"as those on the {on} in {axes} axes" in said[0]
    assert "so their own centre of pressure says" in said[0]
    assert any("walk_f_1.tsv, walk_f_2.tsv, in the same folder" in text for text in texts(read))
    given = read_trial(path, forces=tmp_path / "walk_f_2.tsv")
    assert_plates(given, true)
    (tmp_path / "p.yaml").write_text(plates_yaml(true.plates))
    assert_plates(read_trial(path, plates=tmp_path / "p.yaml"), true)


def test_what_qtm_forces_say_of_themselves_is_looked_at(tmp_path: Path) -> None:
    true = small_trial()
    path = write(tmp_path, "walk.tsv", qtm_markers(true))
    plate = true.plates[1]
    text = qtm_forces(plate).replace("POSX_POSY_X\t1", "POSX_POSY_X\t9")
    forces = write(tmp_path, "walk_f_1.tsv", text)
    left_out = read_trial(path)
    assert not left_out.plates
    assert any("walk_f_1.tsv in the same folder was not used" in t for t in texts(left_out))
    with pytest.raises(
        GaitidError, match="walk_f_1.tsv: FORCE_PLATE_CORNER.corners_mm: expected .* rectangle|in order"
    ):
        read_trial(path, forces=forces)
    lines = qtm_forces(plate).split("\n")
    moved = [
        line if line[:1].isalpha() else "\t".join([*line.split("\t")[:8], "90", "80", "0"]) for line in lines if line
    ]
    write(tmp_path, "walk_f_1.tsv", "\n".join(moved))
    assert any("centre of pressure" in t and "check the corners" in t for t in texts(read_trial(path)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("DATA_INCLUDED\t3D", "DATA_INCLUDED\t6D", "a table of poses of rigid bodies; .*; export 3D data"),
        ("DATA_INCLUDED\t3D", "DATA_INCLUDED\t2D", "a table of 2D data of cameras; .*; export 3D data"),
        ("DATA_INCLUDED\t3D", "DATA_INCLUDED\tForce", "a table of forces on a plate; .*; give the file of the markers"),
        ("DATA_INCLUDED\t3D", "DATA_INCLUDED\tANALOG", "a table of ANALOG; .*; export it again"),
        ("DATA_INCLUDED\t3D\n", "", "not a table of Qualisys Track Manager; .* with Include TSV header"),
        ("MARKER_NAMES\tLASI\tRASI\tSACR\n", "", "no markers; expected a row MARKER_NAMES"),
        ("FREQUENCY\t100", "FREQUENCY\tEXT", "the rate is not known; .*; export the time of every frame too"),
        ("\tSACR\n", "\tSACR\tLANK\n", "row 14 does not match the header; expected 12 cells; found 9"),
        ("NO_OF_FRAMES\t12", "x\t1", "not a table of Qualisys Track Manager"),
    ],
)
def test_qtm_markers_are_refused_in_one_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = qtm_markers(small_trial(), leading="")
    assert old in text
    with pytest.raises(ReadError, match=words):
        read_trial(write(tmp_path, "walk.tsv", text.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("DATA_INCLUDED\tForce", "DATA_INCLUDED\t3D", "a table of trajectories of markers; .*such as walk_f_1"),
        (
            "FORCE_PLATE_CORNER_POSX_POSY_X",
            "FORCE_PLATE_LENGTH",
            "nothing says where the plate is; .*Include TSV header",
        ),
        ("FREQUENCY\t1000", "FREQUENCY\tEXT", "the rate is not known; expected FREQUENCY in Hz"),
        ("Moment_X", "Torque_X", "columns lack; expected moment_x"),
        ("SAMPLE\tTIME", "SAMPLE", "row 20 does not match the header"),
    ],
)
def test_qtm_forces_are_refused_in_one_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    trial = write(tmp_path, "walk.tsv", qtm_markers(small_trial()))
    text = qtm_forces(small_trial().plates[0])
    assert old in text
    forces = write(tmp_path, "other_f_1.tsv", text.replace(old, new))
    with pytest.raises(ReadError, match=f"^other_f_1.tsv: {words}"):
        read_trial(trial, forces=forces)


# --- OptiTrack Motive ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["Meters", "Millimeters"])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("between", [",", ";"])
def test_motive(tmp_path: Path, unit: str, named: bool, between: str) -> None:
    """A marker as it was seen wins over the one of the solved skeleton; rigid bodies and bones stay out."""
    true = small_trial()
    read = read_trial(write(tmp_path, "take.csv", motive(true, unit, named, between)))
    assert_markers(read, true, 0)
    assert dict(read.origin)["format"] == "Motive CSV" and read.names == ("P7",)
    said = [t for t in texts(read) if "not read" in t]
    assert said == ["columns that are not read: 1 Bone, 1 Bone Marker, 1 Marker, 1 Rigid Body, 1 Rigid Body Marker"]
    lines = read_trial(write(tmp_path, "b.csv", "\ufeff" + motive(true).replace("\n", "\r\n")))
    assert_markers(lines, true, 0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Marker", "Body", "no labelled markers|its columns are not named"),
        ("Frame,Time", "Row,Time", "its columns are not named"),
        ("Rotation Type,Quaternion", "Coordinate Space,Local", "positions in the axes of a parent; .*Global"),
        ("\n7,", "\n7,0.07\n7,", "row 15 does not match the header"),
        ("Meters", "Furlongs", "Length Units: unit not known"),
        ("Export Frame Rate,100", "Export Frame Rate,90", "Frame Rate disagrees with the column Time"),
    ],
)
def test_motive_is_refused_in_one_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = motive(small_trial())
    assert old in text
    with pytest.raises(ReadError, match=words):
        read_trial(write(tmp_path, "take.csv", text.replace(old, new)))


# --- Cortex -------------------------------------------------------------------------------------------------


def trc(true: Trial) -> str:
    points = true.points_g.reshape(true.n_frames, -1) * 1e3
    rows = [
        "\t".join([str(i + 1), f"{t:.3f}", *("" if np.isnan(v) else f"{v:.9f}" for v in row)])
        for i, (t, row) in enumerate(zip(true.time_s, points, strict=True))
    ]
    head = ["PathFileType\t4\t(X/Y/Z)\twalk.trc", "DataRate\tUnits", "100.00\tmm"]
    return "\n".join([*head, "Frame#\tTime\t" + "\t\t\t".join(true.labels), *rows]) + "\n"


def test_cortex_forces_beside_a_trc(tmp_path: Path) -> None:
    true = small_trial()
    path = write(tmp_path, "walk.trc", trc(true))
    write(tmp_path, "walk.forces", cortex_forces(true.plates))
    assert_plates(read_trial(path), true, outlined=False)
    write(tmp_path, "walk.forces", cortex_forces(true.plates, moments=True))
    moments = read_trial(path)
    assert_plates(moments, true, outlined=False)
    assert any("about the laboratory's origin" in text for text in texts(moments))
    cal = write(tmp_path, "lab.cal", anc(true.plates)[1])
    assert_plates(read_trial(path, plates=cal), true)


def test_raw_channels_with_their_calibration(tmp_path: Path) -> None:
    true = small_trial()
    path = write(tmp_path, "walk.trc", trc(true))
    counts, cal = anc(true.plates)
    forces = write(tmp_path, "walk.anc", counts)
    assert not read_trial(path).plates  # nothing says what a count is
    with pytest.raises(ReadError, match=r"walk.anc: raw channels, .*; expected forcepla.cal .*; export the forces"):
        read_trial(path, forces=forces)
    given = read_trial(path, forces=forces, plates=write(tmp_path, "lab.cal", cal))
    assert_plates(given, true, 0.2, 0.1)
    write(tmp_path, "forcepla.cal", cal)
    assert_plates(read_trial(path), true, 0.2, 0.1)
    write(tmp_path, "forcepla.cal", anc(true.plates, newtons_per_volt=2e-3)[1])
    with pytest.raises(ReadError, match=r"no load by forcepla.cal; expected channels .*; found 0.0"):
        read_trial(path, forces=forces)
    write(tmp_path, "forcepla.cal", "1 K\n" + cal)
    with pytest.raises(ReadError, match=r"forcepla.cal: no calibration of plates with six channels"):
        read_trial(path, forces=forces)
    write(tmp_path, "walk.forces", cortex_forces(true.plates))
    assert_plates(read_trial(path), true, outlined=False)  # what needs no calibration


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("SampleRate=1000.000000", "SampleRate=", "the rate is not known; expected SampleRate="),
        ("#Sample", "Sample", "not a file of Cortex; expected a row that begins with #sample"),
        ("FY1", "FQ1", "plate 1: its forces lack columns; expected columns FX1"),
        ("FX", "QX", "no forces; expected columns FX1"),
        ("\r\n5\t", "\r\n6\t", "frames do not count by 1"),
        ("\r\n5\t", "\r\n5\tx", "row 10, column 'FX1': not a number"),
    ],
)
def test_cortex_forces_are_refused_in_one_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = write(tmp_path, "walk.trc", trc(small_trial()))
    text = cortex_forces(small_trial().plates)
    assert old in text
    forces = write(tmp_path, "a.forces", text.replace(old, new))
    with pytest.raises(ReadError, match=f"^a.forces: .*{words}"):
        read_trial(path, forces=forces)


@pytest.mark.skipif(not SHARED.exists(), reason="needs the shared trials")
def test_the_recorded_walk() -> None:
    """BMClab: four feet on four of seven plates, body weight on them, the pressure where the foot is."""
    read = read_trial(SHARED / "walk1.trc", settings=ReaderSettings())
    loads = {p.number: p for p in read.plates}
    assert sorted(loads) == [1, 2, 3, 4, 5, 6, 7] and loads[3].rate_hz == 450.0
    peaks = {n: -p.force_p[:, 2].min() for n, p in loads.items()}
    assert all(800 < peaks[n] < 860 for n in (3, 4, 5, 6)) and all(peaks[n] < 1 for n in (1, 2, 7))
    both = sum(p.force_p[:, 2] for p in read.plates)[200:800]
    assert np.median(-both) == pytest.approx(735, abs=25)
    # its laboratory is mirrored; body mass by the plates
    walk = gaitid.analyse(SHARED / "walk1.trc", subject={"mass_kg": 75.0}, settings={"mirror": "z"})
    for side in ("left", "right"):
        assert 1.2 < np.nanmax(walk.moments[f"{side}_ankle_plantarflexion_moment_Nm_per_kg"]) < 1.6


def test_a_static_in_tsv_is_found_by_name_and_told_by_its_markers(tmp_path: Path) -> None:
    still = small_trial(frames=60)
    points = np.tile(np.random.default_rng(3).normal(size=(1, 6, 3)), (60, 1, 1))
    still = replace(still, points_g=points, labels=tuple("ABCDEF"))
    static = write(tmp_path, "static.tsv", qtm_markers(still))
    for name in ("static_f_1.tsv", "static_a.tsv", "static_6d.tsv"):
        write(tmp_path, name, "DATA_INCLUDED\tForce\n")
    trial = write(tmp_path, "walk.tsv", qtm_markers(small_trial()))
    assert static_beside(trial) == static
    assert stands(static) is True
