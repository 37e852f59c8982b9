"""Files for OpenSim, read back by our own readers and by OpenSim: senses, signs, whole loads, nothing unknown."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gaitid.export.export import export_result
from gaitid.export.opensim_axes import axes_of, known_stretch
from gaitid.export.source import read_source
from gaitid.read import read_trial


def read_storage(path: Path) -> tuple[dict[str, str], pd.DataFrame]:
    """Counts of the header, and the table."""
    head, rest = path.read_text("utf-8").split("endheader\n")
    counts = dict(line.split("=", 1) for line in head.splitlines() if line.startswith(("nRows=", "nColumns=", "inD")))
    lines = [line.split("\t") for line in rest.splitlines()]
    return counts, pd.DataFrame(np.array(lines[1:], dtype=float), columns=lines[0])


@pytest.fixture(scope="module")
def exported(record: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opensim")
    for to in ("trc", "mot", "sto"):
        export_result(record, to, folder)
    return folder


def at(times: pd.Series, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table of the result at these times."""
    rows = np.searchsorted(table["time_s"].to_numpy(), times.to_numpy() - 1e-6)
    return table.iloc[rows]


def test_markers_are_the_trials_turned(record: Path, made: Path, exported: Path) -> None:
    axes = axes_of(read_source(record).analysed())
    assert axes.words.startswith("OpenSim's axes in those of the laboratory: X = ")
    assert np.linalg.det(axes.R_og) == pytest.approx(1.0)
    ours, theirs = read_trial(made / "walk.c3d"), read_trial(exported / "walk.trc")
    assert theirs.first_frame == ours.first_frame
    assert theirs.rate_hz == ours.rate_hz
    for label in ours.labels:
        turned = axes.turned(ours.marker(label))
        both = np.isfinite(turned) & np.isfinite(theirs.marker(label))
        assert both.any()
        np.testing.assert_allclose(theirs.marker(label)[both], turned[both], atol=1e-9)


def test_up_is_y_and_forward_is_x(exported: Path) -> None:
    trial = read_trial(exported / "walk.trc")
    middle = np.nanmean([trial.marker("LASI"), trial.marker("RASI")], axis=0)
    assert 0.7 < np.nanmedian(middle[:, 1]) < 1.2
    assert middle[-1, 0] - middle[0, 0] > 1.0
    assert np.nanmean(trial.marker("RASI")[:, 2] - trial.marker("LASI")[:, 2]) > 0.1


def test_the_whole_load_is_there(record: Path, exported: Path) -> None:
    """Force and moment about the laboratory's origin, whatever point the file gives."""
    counts, mot = read_storage(exported / "walk.mot")
    assert (int(counts["nRows"]), int(counts["nColumns"])) == mot.shape
    assert np.isfinite(mot.to_numpy()).all()
    result = read_source(record).analysed()
    axes = axes_of(result)
    rows = np.searchsorted(result.trial.time_s, mot["time"].to_numpy() - 1e-6)
    for side, leg in result.sides.items():
        force, point, torque = (
            mot[[f"ground_{kind.format(side[0])}{k}" for k in "xyz"]].to_numpy()
            for kind in ("force_{}_v", "force_{}_p", "torque_{}_")
        )
        load = leg.load.wrench.at(np.zeros(3))
        np.testing.assert_allclose(force, axes.turned(load.f_g)[rows], atol=1e-6)
        np.testing.assert_allclose(np.cross(point, force) + torque, axes.turned(load.m_g)[rows], atol=1e-5)
        assert force[:, 1].max() > 300
        pressed = force[:, 1] > 100
        assert np.abs(torque[pressed][:, [0, 2]]).max() < 1e-6  # about the centre of pressure: along the normal only
        assert (point[force[:, 1] == 0] == 0).all()


def test_the_forces_come_back_through_our_own_reader(record: Path, exported: Path) -> None:
    trial = read_trial(exported / "walk.trc", forces=exported / "walk.mot")
    assert len(trial.plates) == 2
    assert not trial.refused_plates
    wrenches = pd.read_csv(record.with_name("walk.wrenches.csv"))
    for plate, side in zip(trial.plates, ("left", "right"), strict=True):
        _, mot = read_storage(exported / "walk.mot")
        expected = at(mot["time"], wrenches)[[f"{side}_ground_force_{k}_N" for k in "xyz"]].to_numpy()
        sizes = np.linalg.norm(plate.force_p, axis=1)
        np.testing.assert_allclose(sizes, np.linalg.norm(expected, axis=1), atol=1e-6)


def test_external_loads_name_the_columns(exported: Path) -> None:
    root = ET.parse(exported / "walk.external_loads.xml").getroot()
    _, mot = read_storage(exported / "walk.mot")
    assert root.findtext(".//datafile") == "walk.mot"
    forces = root.findall(".//ExternalForce")
    assert [force.findtext("applied_to_body") for force in forces] == ["calcn_l", "calcn_r"]
    for force in forces:
        for name in ("force", "point", "torque"):
            assert {f"{force.findtext(f'{name}_identifier')}{k}" for k in "xyz"} <= set(mot.columns)


#: Column of OpenSim, ours, its sign; the knee as in gait2392.
MOMENTS = (
    ("hip_flexion_{}_moment", "hip_extension", -1),
    ("hip_adduction_{}_moment", "hip_abduction", -1),
    ("hip_rotation_{}_moment", "hip_external_rotation", -1),
    ("knee_angle_{}_moment", "knee_extension", 1),
    ("ankle_angle_{}_moment", "ankle_plantarflexion", -1),
)


@pytest.mark.parametrize("side", ["left", "right"])
def test_moments_have_opensims_names_and_signs(record: Path, exported: Path, side: str) -> None:
    counts, sto = read_storage(exported / f"walk.{side}.sto")
    assert counts["inDegrees"] == "no"
    assert (int(counts["nRows"]), int(counts["nColumns"])) == sto.shape
    assert list(sto.columns) == ["time", *(name.format(side[0]) for name, _, _ in MOMENTS)]
    joints = at(sto["time"], pd.read_csv(record.with_name("walk.joints.csv")))
    mass = read_source(record).record["subject"]["mass"]["value"]
    for name, ours, sign in MOMENTS:
        expected = sign * mass * joints[f"{side}_{ours}_moment_Nm_per_kg"].to_numpy()
        np.testing.assert_allclose(sto[name.format(side[0])], expected, rtol=1e-8, atol=1e-6)


def test_angles(record: Path, exported: Path) -> None:
    counts, sto = read_storage(exported / "walk.angles.sto")
    assert counts["inDegrees"] == "yes"
    joints = at(sto["time"], pd.read_csv(record.with_name("walk.joints.csv")))
    for name, ours, sign, within in (
        ("hip_flexion_r", "right_hip_flexion_deg", 1, 1e-6),
        ("hip_adduction_l", "left_hip_adduction_deg", 1, 1e-6),
        ("knee_angle_l", "left_knee_flexion_deg", -1, 1e-6),
        ("ankle_angle_r", "right_ankle_dorsiflexion_deg", 1, 1e-6),
        # gaitid's are against the direction of walking, half a degree off the laboratory's axis here
        ("pelvis_tilt", "left_pelvis_anterior_tilt_deg", -1, 0.1),
        ("pelvis_list", "left_pelvis_upward_obliquity_deg", 1, 0.2),
        ("pelvis_rotation", "right_pelvis_internal_rotation_deg", 1, 1.0),
    ):
        np.testing.assert_allclose(sto[name], sign * joints[ours].to_numpy(), atol=within, err_msg=name)
    assert 0.7 < sto["pelvis_ty"].median() < 1.2


def test_the_longest_stretch_in_which_all_is_known() -> None:
    table = np.ones((10, 2))
    table[[0, 3], 0] = np.nan
    table[9, 1] = np.nan
    stretch = known_stretch(table, 41)
    assert stretch.rows == slice(4, 9)
    assert stretch.words == "frames 45 to 49 of 41 to 50: the longest stretch in which all is known"
    assert known_stretch(table * np.nan, 1).words == ""
    assert known_stretch(np.ones((3, 1)), 1).words == "frames 1 to 3"


#: In a process of its own: OpenSim's libraries are large, and print.
OPENSIM = """
import sys, opensim
folder = sys.argv[1]
opensim.Logger.setLevelString("Off")
markers = opensim.TimeSeriesTableVec3(folder + "/walk.trc")
print(markers.getNumRows(), markers.getNumColumns(), opensim.MarkerData(folder + "/walk.trc").getNumFrames())
for name in ("walk.mot", "walk.left.sto", "walk.right.sto", "walk.angles.sto"):
    table, storage = opensim.TimeSeriesTable(folder + "/" + name), opensim.Storage(folder + "/" + name)
    column = opensim.ArrayDouble()
    label = table.getColumnLabels()[1]
    storage.getDataColumn(label, column)
    total = sum(column.get(i) for i in range(column.getSize()))
    print(name, table.getNumRows(), storage.getSize(), storage.isInDegrees(), label, round(total, 3))
loads = opensim.ExternalLoads(folder + "/walk.external_loads.xml", True)
print(*(loads.get(i).get_applied_to_body() for i in range(loads.getSize())))
"""


@pytest.mark.skipif(find_spec("opensim") is None, reason="OpenSim's package is not installed (pip install opensim)")
def test_opensim_reads_every_row(exported: Path) -> None:
    done = subprocess.run([sys.executable, "-c", OPENSIM, str(exported)], capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("[")]
    trial = read_trial(exported / "walk.trc")
    n = trial.points_g.shape[0]
    assert lines[0] == f"{n} {len(trial.labels)} {n}"
    for line in lines[1:5]:
        name, rows, stored, degrees, label, total = line.split()
        _, table = read_storage(exported / name)
        assert int(rows) == int(stored) == len(table)
        assert degrees == str(name in ("walk.mot", "walk.angles.sto"))
        assert float(total) == pytest.approx(table[label].sum(), abs=2e-3)
    assert lines[5] == "calcn_l calcn_r"


#: Positions that OpenSim takes as unknown, by its two readers of markers.
UNKNOWN = """
import sys, opensim
opensim.Logger.setLevelString("Off")
table, data = opensim.TimeSeriesTableVec3(sys.argv[1]), opensim.MarkerData(sys.argv[1])
n, m = table.getNumRows(), table.getNumColumns()
print(sum(table.getRowAtIndex(i)[j][0] != table.getRowAtIndex(i)[j][0] for i in range(n) for j in range(m)))
frames = [data.getFrame(i) for i in range(n)]
print(sum(frame.getMarker(j)[0] != frame.getMarker(j)[0] for frame in frames for j in range(m)))
"""


@pytest.mark.skipif(find_spec("opensim") is None, reason="OpenSim's package is not installed (pip install opensim)")
def test_opensim_knows_what_is_unknown(recorded: Callable[..., tuple[Path, Path]], tmp_path: Path) -> None:
    """Also of the last marker of a line."""
    _, record = recorded("zoo/TYPE-3.c3d")
    (path,) = export_result(record, "trc", tmp_path).files
    done = subprocess.run([sys.executable, "-c", UNKNOWN, str(path)], capture_output=True, text=True, check=True)
    counts = [int(line) for line in done.stdout.splitlines() if not line.startswith("[")]
    gaps = int(np.isnan(read_trial(path).points_g[..., 0]).sum())
    assert counts == [gaps, gaps]
    assert gaps > 100


def test_a_walk_along_another_axis(recorded: Callable[..., tuple[Path, Path]], tmp_path: Path) -> None:
    static = "children/HC030A/static.c3d"
    _, record = recorded("children/HC030A/walk.c3d", "--static", static, "--model", "pig")
    done = export_result(record, "trc", tmp_path)
    assert done.remarks == ("OpenSim's axes in those of the laboratory: X = +Y (forward), Y = +Z (up), Z = +X (right)",)
    test_up_is_y_and_forward_is_x(tmp_path)
