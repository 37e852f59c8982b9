"""TRC: round trips, the layouts that programs write, forces beside it, and every way in which a file is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts
from plain_layout import plates_yaml, small_trial

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject_file import read_subject
from gaitid.dynamics.chain import Wrench, centre_of_pressure
from gaitid.errors import GaitidError, ReadError
from gaitid.ground.plate_load import plate_axes
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Trial

SCALE = {"mm": 1e3, "cm": 1e2, "m": 1.0}


def text_of(trial: Trial, unit: str = "mm", start: float = 0.0, digits: int = 8, gap: str = "") -> str:
    """As Cortex, Nexus and OpenSim write it."""
    rate, n, labels = f"{trial.rate_hz:.2f}", trial.n_frames, trial.labels
    keys = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
    keys += ["OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
    values = [rate, rate, str(n), str(len(labels)), unit, rate, str(trial.first_frame), str(n)]
    axes = [f"{axis}{i + 1}" for i in range(len(labels)) for axis in "XYZ"]
    rows = [
        ["PathFileType", "4", "(X/Y/Z)", "C:\\trials\\walk.trc"],
        keys,
        values,
        ["Frame#", "Time", *"\t\t\t".join(labels).split("\t"), "", ""],
        ["", "", *axes],
        [],
    ]
    points = trial.points_g.reshape(n, -1) * SCALE[unit]
    for i, (seconds, row) in enumerate(zip(trial.time_s, points)):
        cells = [gap if np.isnan(v) else f"{v:.9f}" for v in row]
        rows.append([str(trial.first_frame + i), f"{start + seconds:.{digits}f}", *cells])
    return "\n".join("\t".join(row) for row in rows) + "\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "walk.trc"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("gap", ["", "NaN", "  "])
@pytest.mark.parametrize("unit", ["mm", "cm", "m"])
def test_round_trip(tmp_path: Path, unit: str, gap: str) -> None:
    """Nine decimals of the file's unit; a marker that was not seen is an empty cell or NaN."""
    trial = small_trial()
    read = read_trial(write(tmp_path, text_of(trial, unit, gap=gap)))
    assert read.labels == trial.labels
    assert (read.rate_hz, read.first_frame, read.n_frames) == (100.0, 41, 12)
    assert np.allclose(read.points_g, trial.points_g, atol=1e-9 / SCALE[unit], rtol=0, equal_nan=True)
    assert np.isnan(read.marker("RASI")[3:5]).all()
    assert texts(read) == () and not read.plates
    assert read_trial(read.path).points_g.shape == read.points_g.shape


@pytest.mark.parametrize(("rate", "digits"), [(60.0, 3), (120.0, 3), (240.0, 3), (500.0, 3), (1000.0, 3), (59.94, 6)])
def test_rate_from_times_as_they_are_printed(tmp_path: Path, rate: float, digits: int) -> None:
    """Milliseconds are 24 % of the interval of 240 Hz: the header says the rate."""
    trial = small_trial(rate_hz=rate, force_rate_hz=10 * rate, frames=300)
    assert read_trial(write(tmp_path, text_of(trial, digits=digits))).rate_hz == rate


def test_a_rounded_data_rate_gives_way_to_the_times(tmp_path: Path) -> None:
    trial = small_trial(rate_hz=59.94, force_rate_hz=599.4, frames=900)
    read = read_trial(write(tmp_path, text_of(trial).replace("59.94", "60.00")))
    assert read.rate_hz == pytest.approx(59.94, rel=1e-6)  # eight digits over 15 s
    assert "DataRate is 60 Hz, but by the column Time it is 59.94 Hz" in texts(read)[0]


def test_one_frame_has_the_header_s_rate(tmp_path: Path) -> None:
    assert read_trial(write(tmp_path, text_of(small_trial(frames=1)))).rate_hz == 100.0


MOT = """forces
endheader
time\tground_force_vx\tground_force_vy\tground_force_vz\tground_force_px\tground_force_py\tground_force_pz
"""


@pytest.mark.parametrize("start", [0.0, 3.2])
@pytest.mark.parametrize("late", [-0.004, 0.0, 0.0013])
def test_forces_by_the_clock_of_the_markers(tmp_path: Path, start: float, late: float) -> None:
    """The column Time need not begin at 0; forces at 700 Hz need not fall on a frame."""
    rows = "".join(f"{start + late + i / 700:.9f}\t1\t0\t{600 + i}\t0.1\t0.2\t0\n" for i in range(100))
    (tmp_path / "grf.mot").write_text(MOT + rows)
    path = write(tmp_path, text_of(small_trial(), start=start))
    read = read_trial(path, forces=tmp_path / "grf.mot")
    assert read.plates[0].start_s == pytest.approx(late, abs=1e-8)  # s: as printed
    assert read.plates[0].rate_hz == 700.0
    assert read.plates[0].force_p[:, 2] == pytest.approx(-(600 + np.arange(100.0)))
    assert any("free moment" in w or "no torque" in w for w in texts(read))


# Laboratory axes with y up, as OpenSim has them, from those with z up: x stays, y = z, z = −y.
Q = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def y_up_files(trial: Trial, folder: Path) -> tuple[Path, Path, Path]:
    """The trial as TRC, its plates as a motion file (force, CoP, free moment) and as a plates file; time from 2.5 s."""
    path = write(folder, text_of(replace(trial, points_g=trial.points_g @ Q.T), start=2.5))
    columns = [2.5 + np.arange(len(trial.plates[0].force_p)) / trial.plates[0].rate_hz]
    names, turned = ["time"], []
    for plate in trial.plates:
        R_gp, centre, _ = plate_axes(plate)
        normal = -R_gp[:, 2]
        moment = plate.moment_p + np.cross(plate.sensor_p, plate.force_p)
        wrench = Wrench(plate.force_p @ R_gp.T, moment @ R_gp.T, centre)
        cop, free = centre_of_pressure(wrench, centre, normal)
        for name, vectors in (("force_%d_v", wrench.f_g), ("force_%d_p", cop), ("torque_%d_", free[:, None] * normal)):
            names += [f"ground_{name % plate.number}{axis}" for axis in "xyz"]
            columns += list(np.where(np.isnan(vectors), 0.0, vectors @ Q.T).T)
        turned.append(replace(plate, corners_g=plate.corners_g @ Q.T))
    rows = ("\t".join(f"{v:.12g}" for v in row) for row in np.column_stack(columns))
    (folder / "walk_grf.mot").write_text("\n".join(["walk", "endheader", "\t".join(names), *rows]) + "\n")
    (folder / "walk.plates.yaml").write_text(plates_yaml(tuple(turned)))
    return path, folder / "walk_grf.mot", folder / "walk.plates.yaml"


def test_the_same_walk_as_c3d_and_as_trc_with_a_motion_file(tmp_path: Path) -> None:
    """Another laboratory's axes, another clock, forces by their CoP: the same joint wrenches.

    Without the plates' edges too, wherever the loads are known then.
    """
    sample = Path(__file__).resolve().parents[2] / "sample_data" / "walk"
    model = load_model("pig")
    subject = read_subject(sample / "walk.subject.yaml", model)
    trial = replace(read_trial(sample / "walk.c3d"), events=())  # TRC holds none
    path, forces, plates = y_up_files(trial, tmp_path)
    c3d = analyse(trial, model, subject)
    outlined = analyse(read_trial(path, forces=forces, plates=plates), model, subject)
    unbounded = analyse(read_trial(path, forces=forces), model, subject)
    for side, leg in c3d.sides.items():
        for joint, wrench in leg.wrenches.items():
            # N and N·m: nine decimals of millimetres and twelve digits of newtons leave less than the file of 32 bits
            # did; a moment arm of 1 m under 1e3 N twelve digits long is 1e-9, second differences at 1e4 s⁻² are 1e-8.
            same = outlined.sides[side].wrenches[joint]
            np.testing.assert_allclose(same.f_g, wrench.f_g @ Q.T, atol=1e-5, rtol=0)
            np.testing.assert_allclose(same.m_g, wrench.m_g @ Q.T, atol=1e-5, rtol=0)
            moment, expected = unbounded.sides[side].wrenches[joint].m_g, wrench.m_g @ Q.T
            both = np.isfinite(moment) & np.isfinite(expected)
            assert both.sum() >= 0.9 * np.isfinite(expected).sum()
            # The noise of a plate without edges is not known, so its contacts end at 5 N: at 0.1 m that is 0.5 N·m.
            off = np.abs(moment - expected)[both]
            assert off.max() < 0.5 and (off < 1e-5).mean() > 0.98


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Frame#\tTime", "Time", "row 4 does not name the columns"),
        ("LASI\t\t\tRASI", "RASI", "labels and columns disagree; expected X, Y, Z for each of 2 labels; found 9"),
        ("\n43\t0.02000000\t", "\n43\t0.01000000\t", "row 9, column 'Time': the same time as in the row before"),
        ("\tmm\t", "\tyards\t", "Units: unit not known"),
        ("100.00\t100.00\t12", "120.00\t100.00\t12", "DataRate disagrees with the column Time; expected 120 Hz"),
        ("Frame#", "Fr", "row 4 does not name the columns"),
        ("RASI", "LASI", "labels given twice: LASI"),
        ("Y2\tZ2", "Z2\tY2", "in the order X, Y, Z"),
        ("\n43\t", "\n44\t", "column 'Frame#': frames do not count by 1; expected 43; found 44"),
        ("\n43\t0.02", "\n43\t0.029", "column 'Time': not evenly sampled"),
        ("\n43\t0.02000000", "\n43\t", "column 'Time': empty"),
        ("\n43\t0.02000000\t", "\n43\t0.02000000\tx", "row 9, column 'LASI X': not a number"),
        ("\n43\t0.02000000\t", "\n43\t0,02000000\t", "row 9, column 'Time': not a number"),
        ("\n43\t", "\n\n43\t", "row 9 is empty"),
        # a row of one cell before all others: as wide as the header wants, and without a time
        ("\n\n", "\n0.5\n", "row 6, column 'Time': empty"),
    ],
)
def test_a_fault_is_one_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = text_of(small_trial())
    assert old in text
    with pytest.raises(GaitidError) as error:
        read_trial(write(tmp_path, text.replace(old, new, 1)))
    assert words in error.value.line() and "\n" not in error.value.line()


def test_files_without_rows_are_refused(tmp_path: Path) -> None:
    head, _ = text_of(small_trial()).split("\n\n")
    for text, words in (
        (head, "no rows below the header"),
        ("PathFileType\t4\n", "not a TRC file"),
        ("", "the file is empty"),
        (head.replace("LASI\t\t\tRASI\t\t\tSACR", ""), "no markers"),
    ):
        with pytest.raises(ReadError, match=words):
            read_trial(write(tmp_path, text))
    with pytest.raises(ReadError, match="no such file"):
        read_trial(tmp_path / "absent.trc")


# --- what other programs and scripts write ----------------------------------------------------------------------


def person(frames: int = 12) -> Trial:
    """Four markers of a body 1.4 m high, one of them never seen."""
    trial = small_trial(frames=frames)
    heights = np.array([0.9, 0.5, 0.1])
    points = 0.1 * trial.points_g
    points[:, :, 2] += heights - np.nanmean(points[:, :, 2], axis=0)
    points = np.concatenate([points, np.full((frames, 1, 3), np.nan)], axis=1)
    return replace(trial, labels=(*trial.labels, "LOST"), points_g=points)


def variant(text: str, **change: str) -> str:
    """The text with rows of its header (keys, values, labels, axes) or all rows below changed."""
    rows = ["path", "keys", "values", "labels", "axes"]
    head, below = text.split("\n\n")
    lines = head.split("\n")
    changed = [change.get(name, line) for name, line in zip(rows, lines, strict=True)]
    return "\n".join(line for line in changed if line) + "\n\n" + change.get("below", below)


def test_layouts_that_need_care_mean_the_same(tmp_path: Path) -> None:
    text = text_of(person())
    true = read_trial(write(tmp_path, text))
    head, below = text.split("\n\n")
    _, keys, values, labels, axes = head.split("\n")
    rows = below.splitlines()
    n_cells = rows[0].count("\t") + 1
    variants = {
        "no first row": variant(text, path=""),
        "no row of axes": variant(text, axes=""),
        "too few axes": variant(text, axes=axes.rsplit("\t", 2)[0]),
        "axes with an underscore": variant(text, axes=axes.replace("X", "X_")),
        "labels one tab apart": variant(text, labels="\t".join(labels.split())),
        "labels apart by blanks": variant(text, labels=" ".join(labels.split())),
        "labels apart by blanks in one cell": variant(text, labels="Frame#\tTime\t" + "  ".join(labels.split()[2:])),
        "blanks between tabs": variant(text, labels=labels.replace("\t\t\t", "\t \t \t")),
        "an axis twice": variant(text, axes=axes.replace("Z2", "X2")),
        "an axis of another marker": variant(text, axes=axes.replace("Z2", "Z3")),
        "an axis that is none": variant(text, axes=axes.replace("Y1", "Yl!")),
        "two tabs between Frame# and Time": variant(text, labels=labels.replace("\t", "\t\t", 1)),
        "every tab of the labels twice": variant(text, labels=labels.replace("\t", "\t\t")),
        "every tab of the header's values twice": variant(text, values=values.replace("\t", "\t\t")),
        "every tab of the header's keys twice": variant(text, keys=keys.replace("\t", "\t\t")),
        "every tab of the rows twice": variant(text, below=below.replace("\t", "\t\t")),
        "a tab before every row": variant(text, below="\n".join("\t" + row for row in rows)),
        "two tabs behind the time": variant(text, below="\n".join(r.replace("\t", "\t\t", 2) for r in rows)),
        "no tabs behind what was seen last": variant(text, below="\n".join(row.rstrip() for row in rows)),
        "tabs behind some rows": variant(text, below="\n".join(r + "\t" * (i % 3) for i, r in enumerate(rows))),
        "frames numbered from 0, as a real": variant(
            text, below="\n".join(f"{i}.0\t{row.partition(chr(9))[2]}" for i, row in enumerate(rows))
        ),
        "another encoding's path": text.replace("trials", "M\u00fcller"),
    }
    assert n_cells == 14
    for name, changed in variants.items():
        assert changed != text, name
        path = write(tmp_path, changed)
        if "encoding" in name:
            path.write_bytes(changed.encode("latin-1"))
        read = read_trial(path)
        assert (read.labels, read.rate_hz) == (true.labels, true.rate_hz), name
        assert np.array_equal(read.points_g, true.points_g, equal_nan=True), name
        assert texts(read) == texts(true), name


def test_frames_numbered_by_five_are_those_of_a_thinned_file(tmp_path: Path) -> None:
    lines = text_of(small_trial(frames=60)).splitlines()
    thinned = "\n".join([*lines[:6], *lines[6::5]]).replace("100.00\t", "20.00\t")
    read = read_trial(write(tmp_path, thinned))
    assert (read.rate_hz, read.n_frames, read.first_frame) == (20.0, 12, 41)
    assert any("frames are numbered by 5" in w for w in texts(read))


@pytest.mark.parametrize(("rate", "digits"), [(120.0, 2), (240.0, 3), (250.0, 2), (59.94, 2), (1200.0, 3)])
@pytest.mark.parametrize("says_rate", [True, False])
def test_times_that_are_rounded_coarsely(tmp_path: Path, rate: float, digits: int, says_rate: bool) -> None:
    """To more than the interval at 250 Hz; a row that is lost is noticed all the same."""
    text = text_of(small_trial(rate_hz=rate, force_rate_hz=10 * rate, frames=400), digits=digits)
    text = text if says_rate else text.replace("DataRate\t", "Rate\t", 1)
    assert read_trial(write(tmp_path, text)).rate_hz == pytest.approx(rate, rel=0 if says_rate else 1e-4)
    lines = text.splitlines()
    lost = [*lines[:200], *(f"{int(r.split(chr(9))[0]) - 1}\t{r.partition(chr(9))[2]}" for r in lines[201:])]
    with pytest.raises(ReadError, match="not evenly sampled|the same time as in the row before|time does not go on"):
        read_trial(write(tmp_path, "\n".join(lost)))


def test_a_last_row_that_is_cut_is_left_out(tmp_path: Path) -> None:
    text = text_of(small_trial())
    true = read_trial(write(tmp_path, text))
    read = read_trial(write(tmp_path, text.rsplit("\t", 2)[0]))
    assert np.array_equal(read.points_g, true.points_g[:-1], equal_nan=True)
    assert any("the last row is cut short, and left out" in w for w in texts(read))


def test_decimal_commas_are_read_where_no_point_stands(tmp_path: Path) -> None:
    text = text_of(small_trial())
    true = read_trial(write(tmp_path, text))
    read = read_trial(write(tmp_path, text.replace(".", ",")))
    np.testing.assert_array_equal(read.points_g, true.points_g)
    assert (read.rate_hz, read.notes) == (true.rate_hz, true.notes)
    head, rows = text.split("\n\n")
    with pytest.raises(ReadError, match="row 8, column 'Time': not a number"):
        read_trial(write(tmp_path, f"{head}\n\n" + rows.replace("0.01", "0,01", 1)))
