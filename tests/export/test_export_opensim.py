"""Files for OpenSim, read back by our own readers and by OpenSim: senses, signs, whole loads, nothing unknown."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from gaitid.export.opensim import axes_of
from gaitid.export.source import export_result, read_source
from gaitid.read import read_trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"


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
    axes = axes_of(read_source(record).analysed)
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


def test_the_whole_load_is_there(record: Path, exported: Path) -> None:
    """Force and moment about the laboratory's origin, whatever point the file gives."""
    counts, mot = read_storage(exported / "walk.mot")
    assert (int(counts["nRows"]), int(counts["nColumns"])) == mot.shape
    assert np.isfinite(mot.to_numpy()).all()
    result = read_source(record).analysed
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


needs_opensim = pytest.mark.skipif(
    find_spec("opensim") is None, reason="OpenSim's package is not installed (pip install opensim)"
)


@needs_opensim
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


def test_setup_files_name_what_lies_beside_them(record: Path, tmp_path: Path) -> None:
    made = export_result(record, "opensim", tmp_path)
    ik, dynamics = (ElementTree.parse(tmp_path / f"walk.{kind}.xml").getroot()[0] for kind in ("ik", "id"))
    files = {
        ik.findtext("marker_file"),
        dynamics.findtext("external_loads_file"),
        "walk.mot",
        "walk.ik.xml",
        "walk.id.xml",
        "walk.scale.xml",
        "walk.static.trc",
    }
    assert {path.name for path in made.files} == files
    assert ik.findtext("model_file") == dynamics.findtext("model_file") == "walk.osim"
    assert dynamics.findtext("coordinates_file") == ik.findtext("output_motion_file")
    assert "walk.osim" in made.remarks[-1]
    _, mot = read_storage(tmp_path / "walk.mot")
    first, last = map(float, str(dynamics.findtext("time_range")).split())
    assert (first, last) == (mot["time"].iloc[0], mot["time"].iloc[-1])


#: The tools as `opensim-cmd run-tool` runs them; dynamics again with the recording's own force file.
TOOLS = """
import sys, opensim
opensim.Logger.setLevelString("Off")
assert opensim.InverseKinematicsTool(sys.argv[1] + ".ik.xml").run()
assert opensim.InverseDynamicsTool(sys.argv[1] + ".id.xml").run()
assert opensim.InverseDynamicsTool("own.id.xml").run()
"""


@needs_opensim
def test_opensim_runs_the_setup_files_as_they_are(recorded: Callable[..., tuple[Path, Path]], tmp_path: Path) -> None:
    """Its moments by our loads are those by the force file that we read, but where a contact begins or ends."""
    of, stem = "opensim_gait2354/subject01_{}".format, "subject01_walk1"
    _, found = recorded(of("walk1.trc"), "--forces", of("walk1_grf.mot"), "--static", of("simbody.osim"))
    export_result(found, "opensim", tmp_path)
    loads = (tmp_path / f"{stem}.external_loads.xml").read_text("utf-8")
    loads = loads.replace(f">{stem}.mot<", f">{SHARED / of('walk1_grf.mot')}<")
    for side, prefix in (("r", ""), ("l", "1_")):
        loads = re.sub(rf"ground_(force|torque)_{side}_", rf"{prefix}ground_\1_", loads)
    (tmp_path / "own.loads.xml").write_text(loads, "utf-8")
    setup = (tmp_path / f"{stem}.id.xml").read_text("utf-8")
    setup = setup.replace(f"{stem}.external_loads.xml", "own.loads.xml").replace(f"{stem}.id.sto", "own.id.sto")
    (tmp_path / "own.id.xml").write_text(setup, "utf-8")
    subprocess.run([sys.executable, "-c", TOOLS, stem], cwd=tmp_path, check=True, capture_output=True)
    (_, ours), (_, own) = (read_storage(tmp_path / f"{name}.id.sto") for name in (stem, "own"))
    columns = [name for name in own if re.match(r"(hip|knee|ankle)_\w+_moment", name)]
    assert len(columns) == 10 and own[columns].abs().max().max() > 80
    apart = (ours[columns] - own[columns]).to_numpy()
    assert np.sqrt(np.mean(apart**2, axis=0)).max() < 0.4 and np.abs(apart).max() < 3  # N.m


#: What OpenSim calls the parts of a scale tool's setup file (4.6: `ScaleTool`, `ModelScaler`, `MarkerPlacer`).
SCALE = {
    "ScaleTool": {"mass", "GenericModelMaker", "ModelScaler", "MarkerPlacer"},
    "GenericModelMaker": {"model_file"},
    "ModelScaler": {
        "apply",
        "scaling_order",
        "MeasurementSet",
        "marker_file",
        "time_range",
        "preserve_mass_distribution",
    },
    "MarkerPlacer": {"apply", "IKTaskSet", "marker_file", "time_range", "output_model_file"},
    "Measurement": {"apply", "MarkerPairSet", "BodyScaleSet"},
    "MarkerPair": {"markers"},
    "BodyScale": {"axes"},
    "IKMarkerTask": {"apply", "weight"},
}
PAIRS = {
    "pelvis": "{l}.ASIS {r}.ASIS",
    "thigh": "{s}.ASIS {s}.Knee.Lat",
    "shank": "{s}.Knee.Lat {s}.Ankle.Lat",
    "foot": "{s}.Heel {s}.Toe.Tip",
}


@pytest.fixture(scope="module")
def scaled(recorded: Callable[..., tuple[Path, Path]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    of = "opensim_gait2354/subject01_{}".format
    _, found = recorded(of("walk1.trc"), "--forces", of("walk1_grf.mot"), "--static", of("static.trc"))
    made = export_result(found, "opensim", tmp_path_factory.mktemp("scaled"))
    assert "subject01_walk1.generic.osim" in made.remarks[-1]
    return made.files[0].with_name("subject01_walk1")


def test_scaling_measures_from_joint_to_joint_by_the_static(scaled: Path) -> None:
    setup = ElementTree.parse(scaled.with_name(f"{scaled.name}.scale.xml")).getroot()
    for name, parts in SCALE.items():
        assert all({part.tag for part in element} == parts for element in setup.iter(name)), name
        assert setup.find(f".//{name}") is not None
    found = {str(of.get("name")): str(of.findtext(".//markers")) for of in setup.iter("Measurement")}
    legs = {"left": "L", "right": "R"}
    sided = [
        (f"{side} {segment}", PAIRS[segment], s) for side, s in legs.items() for segment in PAIRS if segment != "pelvis"
    ]
    assert found == {"pelvis": "L.ASIS R.ASIS"} | {name: pair.format(s=s) for name, pair, s in sided}
    bodies = [str(body.get("name")) for body in setup.iter("BodyScale")]
    assert sorted(bodies) == sorted(
        ["pelvis", *(f"{b}_{s}" for b in ("femur", "tibia", "talus", "calcn", "toes") for s in "lr")]
    )
    static, ours = (
        read_trial(SHARED / f"opensim_gait2354/{scaled.name[:9]}_static.trc"),
        str(setup.findtext(".//marker_file")),
    )
    theirs = read_trial(scaled.with_name(ours))
    assert {str(task.get("name")) for task in setup.iter("IKMarkerTask")} <= {*theirs.labels}
    for pair in found.values():
        a, b = pair.split()
        apart = [np.nanmean(np.linalg.norm(of.marker(a) - of.marker(b), axis=1)) for of in (static, theirs)]
        assert apart[0] == pytest.approx(apart[1], abs=1e-6)


#: The generic model is OpenSim's model of the subject; how large its bodies are, and how far its markers are apart.
SCALING = """
import sys, opensim
opensim.Logger.setLevelString("Off")
def sizes(path):
    model = opensim.Model(path)
    state = model.initSystem()
    markers = [model.getMarkerSet().get(i) for i in range(model.getNumMarkers())]
    places = {marker.getName(): marker.getLocationInGround(state) for marker in markers}
    def apart(a, b):
        return sum((places[a].get(i) - places[b].get(i)) ** 2 for i in range(3)) ** 0.5
    centres = [model.getBodySet().get(name).get_mass_center().get(1) for name in ("femur_r", "tibia_r")]
    return model.getTotalMass(state), *centres, apart("R.ASIS", "R.Knee.Lat"), apart("R.Knee.Lat", "R.Ankle.Lat")
before = sizes(sys.argv[1] + ".generic.osim")
assert opensim.ScaleTool(sys.argv[1] + ".scale.xml").run()
print(*before)
print(*sizes(sys.argv[1] + ".osim"))
assert opensim.InverseKinematicsTool(sys.argv[1] + ".ik.xml").run()
assert opensim.InverseDynamicsTool(sys.argv[1] + ".id.xml").run()
"""


@needs_opensim
def test_opensim_scales_a_generic_model_and_goes_on_with_it(scaled: Path) -> None:
    shutil.copy(SHARED / "opensim_gait2354/subject01_simbody.osim", scaled.with_name(f"{scaled.name}.generic.osim"))
    command = [sys.executable, "-c", SCALING, scaled.name]
    done = subprocess.run(command, cwd=scaled.parent, check=True, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("[")]
    (_, *before), (mass, *after) = (map(float, line) for line in lines[:2])
    setup = ElementTree.parse(scaled.with_name(f"{scaled.name}.scale.xml")).getroot()
    assert mass == pytest.approx(float(str(setup.findtext(".//mass"))), rel=1e-6)
    static = read_trial(SHARED / "opensim_gait2354/subject01_static.trc")
    for k, pair in enumerate((("R.ASIS", "R.Knee.Lat"), ("R.Knee.Lat", "R.Ankle.Lat"))):
        apart = np.nanmean(np.linalg.norm(np.subtract(*(static.marker(label) for label in pair)), axis=1))
        assert after[k] / before[k] == pytest.approx(apart / before[2 + k], rel=1e-3)
    _, moments = read_storage(scaled.with_name(f"{scaled.name}.id.sto"))
    assert moments["ankle_angle_r_moment"].abs().max() > 80
