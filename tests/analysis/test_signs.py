"""Every angle, moment and power of the bundled models against exact ones: a flipped sign fails, and names its column.

The exact columns are made without the analysis (`gaitid.simulate`): angles from the skeleton's own rotations, moments
and powers by the momentum principle or from the torques that drove the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from any_markers import FAMILY_OF, marked, truth
from scipy.spatial.transform import Rotation
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import bundled_models, load_model
from gaitid.model.specs import Model
from gaitid.read import read_trial
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.chain_state import chain_state
from gaitid.simulate.files import simulate
from gaitid.simulate.scenario_file import bundled_scenarios, load_scenario
from gaitid.simulate.walk import clinical
from gaitid.trial import Array, Trial
from gaitid.write.tables import joints_columns

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "walk"
NOTHING_SAID = SubjectFile()

Columns = Mapping[str, Array]


def columns(text: str) -> dict[str, Array]:
    """The columns of a CSV of numbers but `frame` and `time_s`; NaN where a cell is empty."""
    names, *rows = (line.split(",") for line in text.splitlines())
    values = np.array([[float(cell or "nan") for cell in row] for row in rows])
    return dict(zip(names[2:], values.T[2:], strict=True))


@dataclass(frozen=True)
class Exact:
    """A trial and what is exactly true of it.

    Attributes
    ----------
    table : str
        The table of segment parameters that the trial was simulated with; empty where the model names it itself.
    truth : mapping of column to (frames,) array
        NaN throughout where a column stays empty.
    tolerances : mapping of a column's ending to float
        How near the analysis comes, in that unit.
    known_frames : int
        In so many frames at least every column is known.
    """

    trial: Trial
    truth: Columns
    tolerances: Mapping[str, float]
    known_frames: int
    table: str = ""
    subject: SubjectFile = NOTHING_SAID
    static: Trial | None = None

    def tolerance(self, column: str) -> float:
        return next(limit for ending, limit in self.tolerances.items() if column.endswith(ending))

    def wrong(self, found: Columns) -> set[str]:
        """The columns that are known in too few frames, or that differ from the truth by more than their tolerance.

        And those that should be empty and are not.
        """
        return {name for name in self.truth if self._is_wrong(name, found[name])}

    def _is_wrong(self, name: str, found: Array) -> bool:
        truth, known = self.truth[name], np.isfinite(found)
        if np.isnan(truth).all():
            return bool(known.any())
        return bool(known.sum() < self.known_frames or np.abs(found - truth)[known].max() > self.tolerance(name))

    def analysed(self, model: str, folder: Path, change: Mapping[str, object] | None = None) -> dict[str, Array]:
        """The columns that a bundled model gives, or a copy of it with some of its keys changed."""
        keys: dict[str, object] = {"gaitid_model": 1, "name": "copy", "extends": str(bundled_models()[model])}
        if self.table:
            keys["table"] = self.table
        path = folder / "copy.yaml"
        path.write_text(yaml.safe_dump({**keys, **(change or {})}), encoding="utf-8")
        names, values = joints_columns(analyse(self.trial, load_model(path), self.subject, self.static))
        return dict(zip(names[2:], values.T[2:], strict=True))


def pig(folder: Path) -> Exact:
    """The sample walk through its C3D, and the simulation's own file of truth."""
    return Exact(
        read_trial(SAMPLE / "walk.c3d"),
        columns((SAMPLE / "walk.truth.joints.csv").read_text()),
        # A C3D holds 32-bit floats of millimetres: 6e-5 mm at 1 m, and 30 mm from an axis 1e-4 deg (measured 1.6e-4).
        # Moments and powers err by the spline's derivatives and by the plates' samples around a frame at 100 Hz:
        # measured 4e-4 N·m/kg and 1e-3 W/kg, in memory as well.
        {"_deg": 5e-4, "_moment_Nm_per_kg": 1e-3, "_power_W_per_kg": 3e-3},
        # two of the walk's strides are on the plates
        known_frames=150,
    )


def pig_vicon(folder: Path) -> Exact:
    """The same walk. Two of Plug-in Gait's conventions are not the truth's, and both are known.

    - Its progression is the laboratory axis nearest to the displacement: the truth is taken about x itself.
    - Its radii of gyration are others (by up to 0.11 N·m/kg): the table of the simulated body stands in for its own.

    What stays is its arithmetic: angular velocity over ±2 frames (chords of 40 ms) and the mean of ±5 plate samples.
    """
    walk = simulated_walk(duration=3.0)
    state = walk.truth
    about_x = clinical(state.rotation, state.omega_g, state.wrench, walk.walk.subject.mass_kg, direction_rad=0.0)
    # measured 1.6e-4 deg, 0.004 N·m/kg and 0.083 W/kg
    tolerances = {"_deg": 5e-4, "_moment_Nm_per_kg": 0.006, "_power_W_per_kg": 0.1}
    return Exact(read_trial(SAMPLE / "walk.c3d"), about_x, tolerances, known_frames=150, table="tables/winter_pig.yaml")


def planar_leg(folder: Path) -> ChainScenario:
    """The bundled leg that is driven through swing after swing, its hip a hinge, with the bodies of `sagittal2d`."""
    rows = load_model("sagittal2d").table.rows
    content = yaml.safe_load(bundled_scenarios()["swing_leg_tracked"].read_text(encoding="utf-8"))
    content["bodies"][0]["joint"] = {"name": "hip", "type": "revolute", "axis": [0, 1, 0], "at_m": [0, 0, 0.92]}
    drive = content["drive"]["motion"]
    content["drive"]["motion"] = {"hip": drive["hip_1y"], "knee": drive["knee"], "ankle": drive["ankle"]}
    for body in content["bodies"]:
        row = rows[body["name"]]
        body["mass_kg"], body["inertia_kg_m2"] = row.mass_kg, np.array(row.inertia_kg_m2).tolist()
        body["com_m"] = [row.com_fraction * at for at in body["distal_m"]]
    path = folder / "planar_leg.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    scenario = load_scenario(str(path), {"duration": 1.0})
    assert isinstance(scenario, ChainScenario)
    return scenario


def sagittal2d(folder: Path) -> Exact:
    """A leg in the air, driven by known torques about y, which point to its left.

    Turning about y is extension of the hip, flexion of the knee and plantarflexion of the ankle.
    """
    scenario = planar_leg(folder)
    state, mass_kg = chain_state(scenario), 70.0
    distal = scenario.bodies[-1].distal_b
    toe = state.joint_g["ankle"] + state.rotation["foot"] @ distal
    points = np.stack([*state.joint_g.values(), toe], axis=1)
    moving = state.simulation
    angle = dict(zip(scenario.coordinates, np.degrees(moving.q).T, strict=True))
    torque = dict(zip(scenario.coordinates, (moving.tau + state.friction).T / mass_kg, strict=True))
    power = dict(zip(scenario.coordinates, ((moving.tau + state.friction) * moving.qd).T / mass_kg, strict=True))
    truth = {
        "right_hip_thigh_elevation_deg": -angle["hip"],
        "right_knee_flexion_deg": angle["knee"],
        # at 0 the toe lies below the ankle, as much as the foot is long
        "right_ankle_dorsiflexion_deg": -angle["ankle"] + np.degrees(np.arctan2(distal[2], distal[0])),
        "right_hip_extension_moment_Nm_per_kg": torque["hip"],
        "right_knee_extension_moment_Nm_per_kg": -torque["knee"],
        "right_ankle_plantarflexion_moment_Nm_per_kg": torque["ankle"],
        **{f"right_{joint}_power_W_per_kg": values for joint, values in power.items()},
    }
    up = np.array([0.0, 0.0, 1.0])
    labels = ("RHIP", "RKNEE", "RANKLE", "RTOE")
    trial = Trial(Path("leg.c3d"), scenario.settings.rate_hz, 1, labels, points, up_hint=up)
    # deg: the ten digits of the CSV. Motion of up to 6 Hz differentiated twice at 100 Hz: measured 5e-4 N·m/kg and,
    # with up to 4 rad/s, 1.5e-3 W/kg.
    tolerances = {"_deg": 1e-7, "_moment_Nm_per_kg": 1e-3, "_power_W_per_kg": 3e-3}
    # where it comes near to the lowest place of its heel it may stand there, and its load is unknown
    return Exact(trial, truth, tolerances, known_frames=60, subject=SubjectFile({"mass": mass_kg}))


def by_landmarks(model: str) -> Exact:
    """The simulated walk with the markers of a laboratory that works with the model."""
    recorded = marked(FAMILY_OF[model])
    # deg: the digits of the CSV. Moments and powers as with `pig`: measured 3.3e-4 N·m/kg and 1e-3 W/kg.
    tolerances = {"_deg": 1e-6, "_moment_Nm_per_kg": 1e-3, "_power_W_per_kg": 3e-3}
    if model == "cgm21":
        # Its foot takes its second axis from the shank, which moves the foot's centre of mass against the bone by 2 mm:
        # measured 4.2e-3 and 2e-3 N·m/kg of hip and knee abduction, 1.2e-3 of the others, 4.4e-3 W/kg.
        abduction = {"hip_abduction_moment_Nm_per_kg": 6e-3, "knee_abduction_moment_Nm_per_kg": 3e-3}
        tolerances = {**abduction, "_deg": 1e-6, "_moment_Nm_per_kg": 1.5e-3, "_power_W_per_kg": 6e-3}
    return Exact(recorded.trial, truth(recorded), tolerances, known_frames=150, static=recorded.static)


def segments(folder: Path) -> Exact:
    """The same walk as poses of its segments, without a marker; the ankle between shank and foot."""
    simulate("walk", folder, segments=True, duration=3.0)
    exact = columns((folder / "walk.truth.joints.csv").read_text())
    rotation = simulated_walk(duration=3.0).truth.rotation
    # the simulated foot has its long axis z to the heel and x up; stored poses have x forward and z up
    forward = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    for side, sign in (("left", 1), ("right", -1)):
        D = np.swapaxes(rotation[f"{side}_shank"], 1, 2) @ rotation[f"{side}_foot"] @ forward
        a, b, c = Rotation.from_matrix(D).as_euler("YXZ", degrees=True).T
        angles = {"dorsiflexion": -a, "eversion": sign * b, "internal_rotation": -sign * c}
        exact |= {f"{side}_ankle_{name}_deg": values for name, values in angles.items()}
    # deg: 32-bit floats of rotations (measured 3e-6); the direction of walking is that of the middle of the hips
    # here and of the ASIS in the truth (measured 0.12). Moments and powers as with `pig`.
    walking = {f"{name}_deg": 0.2 for name in ("progression_internal_rotation", "pelvis_internal_rotation")}
    walking |= {"pelvis_upward_obliquity_deg": 0.05, "pelvis_anterior_tilt_deg": 0.05}
    tolerances = {**walking, "_deg": 1e-5, "_moment_Nm_per_kg": 1e-3, "_power_W_per_kg": 3e-3}
    return Exact(read_trial(folder / "walk.c3d"), exact, tolerances, known_frames=150)


def oxford_foot(folder: Path) -> Exact:
    """The walk with feet of several segments.

    Vicon's tibia has the mean widths of both legs, which are 1 mm apart, and the right ankle's abduction is none of it:
    measured 0.07 degrees.
    """
    simulate("walk", folder, segmented_foot=True, duration=3.0)
    exact = columns((folder / "walk.truth.joints.csv").read_text())
    tibia = {f"{name}_deg": 0.1 for joint in ("hindfoot", "forefoot") for name in _of_tibia(joint)}
    tolerances = {**tibia, "_deg": 1e-3, "_mm": 1e-3, "_index": 1e-3, "_Nm_per_kg": 1e-3, "_W_per_kg": 3e-3}
    trial, static = (read_trial(folder / f"{name}.c3d") for name in ("walk", "static"))
    return Exact(trial, exact, tolerances, known_frames=150, static=static)


def _of_tibia(joint: str) -> list[str]:
    angles = load_model("oxford_foot").angles[f"{joint}_tibia"]
    return [f"{joint}_tibia_{column}" for column in angles.columns]


EXACT: Mapping[str, Callable[[Path], Exact]] = {
    "oxford_foot": oxford_foot,
    "pig": pig,
    "pig_vicon": pig_vicon,
    "sagittal2d": sagittal2d,
    "segments": segments,
    **{model: lambda _, model=model: by_landmarks(model) for model in FAMILY_OF},  # type: ignore[misc]
}


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Exact]:
    """Of a bundled model, the trial that judges it; each is made once."""
    return cache(lambda model: EXACT[model](tmp_path_factory.mktemp(model)))


@pytest.fixture(scope="module")
def unchanged(
    exact: Callable[[str], Exact], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, Array]]:
    """The columns that a bundled model gives of its trial, each found once; not to be changed."""
    return cache(lambda model: exact(model).analysed(model, tmp_path_factory.mktemp(model)))


def joints() -> list[tuple[str, str, str]]:
    """Model, ``angles`` or ``moments``, and joint of all formulas of the bundled models that give anything."""
    return [
        (name, group, joint)
        for name in EXACT
        for model in [load_model(name)]
        for group, entries in (("angles", model.angles), ("moments", model.moments))
        for joint in entries
        if determined(model, group, joint)
    ]


def determined(model: Model, group: str, joint: str) -> dict[str, str]:
    """The formulas by column."""
    if group == "moments" and model.no_wrenches_because:
        return {}
    columns = getattr(model, group)[joint].columns
    return {column: formula.text for column, formula in columns.items() if not formula.undetermined}


@pytest.mark.parametrize("model", EXACT)
def test_every_column_is_exact(
    model: str, exact: Callable[[str], Exact], unchanged: Callable[[str], dict[str, Array]]
) -> None:
    found = unchanged(model)
    assert list(found) == list(exact(model).truth)
    assert exact(model).wrong(found) == set()


@pytest.mark.parametrize(("model", "group", "joint"), joints())
def test_a_flipped_formula_is_noticed(
    model: str, group: str, joint: str, exact: Callable[[str], Exact], tmp_path: Path
) -> None:
    """Each in its own columns and in no other; those of a joint at once."""
    content = load_model(model)
    formulas = determined(content, group, joint)
    change = {column: f"-({formula})" for column, formula in formulas.items()}
    flipped = exact(model).analysed(model, tmp_path, {group: {joint: change}})
    unit = {"angles": "deg", "moments": "moment_Nm_per_kg"}[group]
    assert exact(model).wrong(flipped) == {f"{s.name}_{joint}_{c}_{unit}" for s in content.sides for c in formulas}


@pytest.mark.parametrize("model", EXACT)
def test_a_flipped_power_is_noticed(
    model: str, exact: Callable[[str], Exact], unchanged: Callable[[str], dict[str, Array]]
) -> None:
    """No formula of a model makes it: its sign is the code's."""
    found = unchanged(model)
    powers = [name for name in found if name.endswith("_power_W_per_kg")]
    assert len(powers) == (3 + (model == "oxford_foot")) * len(load_model(model).sides)
    assert np.isnan([found[name] for name in powers]).all() == (model in ("keypoints", "lateral"))
    powers = [name for name in powers if np.isfinite(found[name]).any()]
    for name in powers:
        assert exact(model).wrong({**found, name: -found[name]}) == {name}
