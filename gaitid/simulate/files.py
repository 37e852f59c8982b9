"""The folder of a simulated walk or chain: the trial as laboratories store it, and the truth beside it.

Beside a chain also a model that analyses it; with ``joint_space`` the equation of motion, term by term: the truth
beside `gaitid run --write joint_space`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from gaitid.dynamics.joint_space import Load, gravity_terms, inverse, jacobian, mass_matrix, velocity_terms
from gaitid.dynamics.pace import Limits
from gaitid.errors import GaitidError
from gaitid.numerics.jet import Array
from gaitid.simulate.body import JOINTS, MEASURED, OFFSETS, SEGMENTS, SIDES, Subject, in_mm
from gaitid.simulate.c3d_file import points_c3d, signed_bytes, stored_poses, walk_c3d
from gaitid.simulate.chain import GROUND, TOLERANCE, ChainBody, ChainScenario, Push, at_all
from gaitid.simulate.chain_state import (
    GROUND_MARKERS,
    SIDE,
    ChainState,
    angle_columns,
    chain_state,
    model_yaml,
    sequence,
    table_yaml,
)
from gaitid.simulate.scenario_file import load_scenario
from gaitid.simulate.settings import biased_channels, noisy_channels, noisy_markers, noisy_poses, with_gaps
from gaitid.simulate.truth import (
    AXES,
    Table,
    com_table,
    contact_table,
    csv_text,
    frame_columns,
    joint_table,
    load_table,
    marker_table,
    segment_columns,
    segment_table,
    vector_columns,
    wrench_columns,
    wrench_table,
    write_folder,
)
from gaitid.simulate.walk import Walk, cardan_deg
from gaitid.simulate.walk_setup import FunctionalScenario, write_functional

#: Length of the static trial, s.
STATIC_S = 1.5


def simulate(
    scenario: str | Path,
    folder: Path,
    limits: Limits | None = None,
    write: Sequence[str] = (),
    **options: float | str | tuple[int, ...],
) -> tuple[Path, ...]:
    """Write a synthetic trial with its exact kinematics and wrenches into a folder.

    Parameters
    ----------
    scenario : str or Path
        One of `SCENARIOS`, the name of a bundled scenario, or a YAML file.
    folder : Path
        Made where absent.
    limits : Limits, optional
        After how much work the integration of a mechanical system is given up, and who is told how far it is.
    write : sequence of str
        What else is written of a mechanical system: ``joint_space``.
    **options
        Fields of `WalkSettings`, or of `ChainSettings` for a scenario of kind ``chain``; they win over the file's.

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    GaitidError
        The scenario or an option is unknown, or a value is impossible.
    """
    what = load_scenario(str(scenario), options)
    if isinstance(what, Walk):
        if write:
            raise GaitidError(f"{what.scenario.name}: a walk has no joint space", todo="leave out --write")
        return write_walk(what, Path(folder))
    if isinstance(what, FunctionalScenario):
        return write_functional(what, Path(folder))
    return write_chain(what, Path(folder), limits or Limits(), write)


def write_walk(walk: Walk, folder: Path) -> tuple[Path, ...]:
    """Write every file of a walk into a folder (made where absent), all of them or none.

    Parameters
    ----------
    walk : Walk
    folder : Path

    Returns
    -------
    tuple of Path
        The files written.
    """
    settings = walk.settings
    state = walk.at(settings.times_s)
    noise = np.random.default_rng(int(settings.seed))
    # Drawn in a fixed order, so that the same seed gives the same bytes.
    markers = with_gaps(noisy_markers(state.marker_g, settings, noise), settings)
    channels = noisy_channels(walk.plate_channels(settings.analog_times_s), settings, noise)
    channels = biased_channels(channels, settings)
    static = noisy_markers(walk.static_markers(max(2, round(STATIC_S * settings.rate_hz))), settings, noise)

    poses = noisy_poses(stored_poses(state), settings) if settings.segments else {}

    stem = walk.scenario.name
    segments = {name: name for name in ("pelvis", *(f"{side}_{segment}" for side in SIDES for segment in SEGMENTS))}
    joints = {name: name for name in (f"{side}_{joint}" for side in SIDES for joint in reversed(JOINTS))}
    tables = {
        "": marker_table(markers, state.time_s),
        ".forces": _force_table(channels, settings.analog_times_s),
        ".truth.wrenches": wrench_table(state),
        ".truth.joints": joint_table(state),
        ".truth.segments": frame_columns(state.time_s) | segment_table(state, segments, joints),
        ".truth.contacts": contact_table(walk),
        ".truth.loads": load_table(walk),
    }
    if settings.full_body:
        tables[".truth.com"] = com_table(state)
    texts = {f"{stem}{kind}.csv": csv_text(table) for kind, table in tables.items()}
    texts |= {f"{stem}.plates.yaml": _plates_yaml(walk), f"{stem}.subject.yaml": _subject_yaml(walk.subject)}
    moving = walk_c3d(walk, {} if poses else markers, channels, poses)
    return write_folder(folder, {f"{stem}.c3d": moving, "static.c3d": walk_c3d(walk, static, None), **texts})


def _force_table(channels: dict[int, tuple[Array, Array]], time_s: Array) -> Table:
    table: Table = {"time_s": time_s}
    for number, (force, moment) in channels.items():
        table |= {f"plate{number}_F{axis}_N": force[:, i] for i, axis in enumerate(AXES)}
        table |= {f"plate{number}_M{axis}_Nmm": moment[:, i] * 1e3 for i, axis in enumerate(AXES)}
    return table


def _plates_yaml(walk: Walk) -> str:
    lines = ["plates:"]
    for plate in walk.plates:
        corners = ", ".join(f"[{_mm(c)}]" for c in plate.corners_g)
        lines += [
            f"  - number: {plate.number}",
            f"    corners_mm: [{corners}]",
            f"    origin_mm: [{_mm(plate.sensor_p)}]"
            "  # from the surface's centre to the sensor, in plate axes (z down)",
            "    force_sense: reaction  # the channels hold the ground's reaction on the subject",
        ]
    return "\n".join(lines) + "\n"


def _subject_yaml(subject: Subject) -> str:
    values = {"mass_kg": subject.mass_kg, "height_m": subject.height_m}
    values |= {f"{name}_mm": getattr(subject, f"{name}_m") * 1e3 for name in ("inter_asis_distance", "marker_diameter")}
    for side in SIDES:
        for name, value in vars(subject.legs[side]).items():
            if name in MEASURED or name in OFFSETS:
                key = f"{name}m" if name.endswith("_m") else name
                values[f"{side}_{key}"] = in_mm(name, value)
    return "".join(f"{name}: {value:.10g}\n" for name, value in values.items())


def _mm(point_m: Array) -> str:
    return ", ".join(f"{1e3 * v + 0.0:.10g}" for v in point_m.tolist())


# --- of a chain -------------------------------------------------------------------------------------------------------

# rad or m. Below this what is left of a tracked motion's error is the integrator's.
_TRACKS = 1e-6


def write_chain(scenario: ChainScenario, folder: Path, limits: Limits, write: Sequence[str]) -> tuple[Path, ...]:
    """Write every file of a chain into a folder (made where absent), all of them or none.

    Parameters
    ----------
    scenario : ChainScenario
    folder : Path
    limits : Limits
        After how much work the integration is given up.
    write : sequence of str
        What else is written: ``joint_space``.

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    GaitidError
        The motion cannot be integrated, or the folder not written to.
    """
    settings, stem = scenario.settings, scenario.name
    state = chain_state(scenario, limits)
    n = state.time_s.size
    still = {label: np.broadcast_to(np.array(p), (n, 3)) for label, p in GROUND_MARKERS.items()}
    noise = np.random.default_rng(int(settings.seed))
    markers = with_gaps(noisy_markers({**still, **state.marker_g}, settings, noise), settings)
    loads = load_files(scenario)
    texts = {
        f"{stem}.csv": csv_text(marker_table(markers, state.time_s)),
        f"{stem}.scenario.yaml": scenario.text,
        f"{stem}.model.yaml": model_yaml(scenario),
        f"{stem}.table.yaml": table_yaml(scenario),
        f"{stem}.truth.wrenches.csv": csv_text(_chain_wrench_table(scenario, state)),
        f"{stem}.truth.joints.csv": csv_text(_chain_joint_table(scenario, state)),
        f"{stem}.truth.segments.csv": csv_text(_chain_segment_table(scenario, state)),
        f"{stem}.truth.coordinates.csv": csv_text(coordinate_table(scenario, state)),
        f"{stem}.truth.json": truth_json(scenario, state),
    }
    if "joint_space" in write:
        texts[f"{stem}.truth.joint_space.csv"] = csv_text(joint_space_table(scenario, state))
    texts |= {name: csv_text(_load_table(push, settings.load_times_s)) for name, push in loads.items()}
    c = points_c3d(markers, settings.rate_hz)
    if loads:  # without them the joints' wrenches are others: who analyses the trial has to know
        segments = tuple(scenario.bodies[push.body].name for push in loads.values())
        c.add_parameter("GAITID", "LOADED_SEGMENTS", segments)
        c.add_parameter("GAITID", "LOAD_FILES", tuple(loads))
    return write_folder(folder, {f"{stem}.c3d": signed_bytes(c), **texts})


def load_files(scenario: ChainScenario) -> dict[str, Push]:
    """The external loads by the names of their files: ``NAME.load.BODY.csv``, ``NAME.load.BODY.2.csv`` and so on."""
    files: dict[str, Push] = {}
    for push in scenario.pushes:
        name = f"{scenario.name}.load.{scenario.bodies[push.body].name}"
        again = 1 + sum(file == f"{name}.csv" or file.startswith(f"{name}.") for file in files)
        files[f"{name}.csv" if again == 1 else f"{name}.{again}.csv"] = push
    return files


def _load_table(push: Push, time_s: Array) -> Table:
    """What a load cell would have recorded of an external load, each quantity in the axes that it is given in."""
    force, moment, point = push.at(time_s)
    axes = "segment" if push.turns else "global"
    return {
        "time_s": time_s,
        **vector_columns(f"force_{axes}", force, "N"),
        **vector_columns(f"moment_{axes}", moment, "Nm"),
        **vector_columns(f"point_{'global' if push.point_b is None else 'segment'}", point, "m"),
    }


def _chain_wrench_table(scenario: ChainScenario, state: ChainState) -> Table:
    """Columns of ``wrenches.csv``, from the free ends to the ground, in laboratory and in distal axes."""
    table = frame_columns(state.time_s)
    for body in reversed(scenario.bodies):
        joint = body.joint.name
        table |= wrench_columns(f"{SIDE}_{joint}", state.wrench[joint], state.rotation[body.name])
    return table


def _chain_joint_table(scenario: ChainScenario, state: ChainState) -> Table:
    """The angles of ``joints.csv``: Cardan angles of the body in the axes of what it hangs from."""
    table = frame_columns(state.time_s)
    for body in scenario.bodies:
        above = state.rotation[scenario.bodies[body.parent].name] if body.parent >= 0 else np.eye(3)
        angles = cardan_deg(above, state.rotation[body.name], sequence(body))
        table |= {
            f"{SIDE}_{body.joint.name}_{name}_deg": angle
            for name, angle in zip(angle_columns(body), angles, strict=True)
        }
    return table


def _chain_segment_table(scenario: ChainScenario, state: ChainState) -> Table:
    """Columns of ``segments.csv``: the ground, which stays, and the bodies."""
    n = state.time_s.size
    stays = np.zeros((n, 3))
    ground = segment_columns(GROUND, stays, np.broadcast_to(np.eye(3), (n, 3, 3)), stays, stays, stays)
    segments = {f"{SIDE}_{body.name}": body.name for body in scenario.bodies}
    joints = {f"{SIDE}_{body.joint.name}": body.joint.name for body in scenario.bodies}
    return frame_columns(state.time_s) | ground | segment_table(state, segments, joints)


def coordinate_table(scenario: ChainScenario, state: ChainState) -> Table:
    """Coordinates, their rates, what drive and friction exert along each, and the energies of all bodies."""
    table = frame_columns(state.time_s)
    simulation = state.simulation
    for i, (name, kind) in enumerate(zip(scenario.coordinates, scenario.kinds, strict=True)):
        what, unit, load = ("angle", "rad", "Nm") if kind == "revolute" else ("position", "m", "N")
        table |= {
            f"{name}_{what}_{unit}": simulation.q[:, i],
            f"{name}_{what}_{unit}_per_s": simulation.qd[:, i],
            f"{name}_{what}_{unit}_per_s2": simulation.qdd[:, i],
            f"{name}_drive_{load}": simulation.tau[:, i],
            f"{name}_friction_{load}": state.friction[:, i],
        }
    return table | {"kinetic_energy_J": state.kinetic_J, "potential_energy_J": state.potential_J}


def truth_json(scenario: ChainScenario, state: ChainState) -> str:
    """How it was integrated, and how well: drift and misfit rounded up to a power of ten."""
    settings = asdict(scenario.settings)
    if not scenario.pushes:
        del settings["analog_rate_hz"]  # of nothing
    content = {
        "scenario": scenario.name,
        "integrator": {"method": "DOP853", "rtol": TOLERANCE, "atol": TOLERANCE},
        "energy_drift_relative_at_most": power_of_ten(state.simulation.energy_drift),
        "torque_misfit_at_most": power_of_ten(state.misfit),
        **_tracking(scenario, state),
        "settings": settings,
        "coordinates": list(scenario.coordinates),
        "bodies": [_body_json(scenario, body) for body in scenario.bodies],
        "title": scenario.title,
        "gravity_m_per_s2": [float(g) for g in scenario.gravity_g],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _body_json(scenario: ChainScenario, body: ChainBody) -> dict[str, object]:
    """Of what a picture is drawn: what a body hangs from, and its far end from its joint, body axes, m."""
    return {
        "name": body.name,
        "parent": scenario.bodies[body.parent].name if body.parent >= 0 else GROUND,
        "joint": body.joint.name,
        "distal_m": [float(x) for x in body.distal_b],
        "mass_kg": float(body.mass_kg),
    }


def _tracking(scenario: ChainScenario, state: ChainState) -> dict[str, object]:
    """How far a tracked motion ends from the desired one, and is from it at most; bounds, rad or m."""
    if scenario.drive.kind != "tracked":
        return {}
    desired = at_all(scenario.drive.courses, state.time_s)[0]
    error = np.abs(state.simulation.q - desired)
    error[:, list(scenario.given)] = 0.0
    worst = scenario.coordinates[int(np.argmax(error.max(axis=0)))]
    return {
        "tracking_error": {
            "at_most": power_of_ten(float(error.max())),
            "coordinate": worst if error.max() > _TRACKS else None,
            "at_the_end_at_most": power_of_ten(float(error[-1].max())),
        }
    }


def power_of_ten(value: float) -> float:
    """The power of ten that a value does not exceed: a bound that does not hang on the last digits of a machine."""
    return float(f"1e{int(np.ceil(np.log10(value)))}") if value > 0 else 0.0


_ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")


def joint_space_table(scenario: ChainScenario, state: ChainState) -> Table:
    """M, V, G, F, −Jᵀ E and the torque that they sum to with M q̈, and J of every far end (laboratory axes)."""
    tree, s = scenario.tree, state.simulation
    turns = [kind == "revolute" for kind in scenario.kinds]
    names = scenario.coordinates
    loads = []
    for push in scenario.pushes:
        if (link := scenario.places[push.body].link) >= 0:
            on = scenario.bodies[push.body]
            pose = state.rotation[on.name], state.joint_g[on.joint.name]
            loads.append(Load(link, *push.seen(state.time_s, *pose)))
    M = mass_matrix(tree, s.q)
    terms = {
        "V": velocity_terms(tree, s.q, s.qd),
        "G": gravity_terms(tree, s.q, scenario.gravity_g),
        "F": -state.friction,
        "loads": inverse(tree, s.q, 0.0, 0.0, np.zeros(3), loads)[0],
        "tau": s.tau,
    }
    table = frame_columns(state.time_s)
    for term, values, power in (("q", s.q, ""), ("qd", s.qd, "_per_s"), ("qdd", s.qdd, "_per_s2")):
        table |= {
            f"{term}_{name}_{'rad' if turn else 'm'}{power}": values[:, i]
            for i, (name, turn) in enumerate(zip(names, turns, strict=True))
        }
    for term, values in terms.items():
        table |= {
            f"{term}_{name}_{'Nm' if turn else 'N'}": values[:, i]
            for i, (name, turn) in enumerate(zip(names, turns, strict=True))
        }
    for i, name in enumerate(names):
        for k in range(i, len(names)):
            table[f"M_{name}__{names[k]}_{('kg', 'kg_m', 'kg_m2')[turns[i] + turns[k]]}"] = M[:, i, k]
    for body in _ends(scenario):
        place = scenario.places[body]
        J = jacobian(tree, s.q, place.link, place.at + place.turned @ scenario.bodies[body].distal_b)
        table |= _jacobian_columns(scenario.bodies[body].name, J, names, turns)
    return table


def _ends(scenario: ChainScenario) -> list[int]:
    """The bodies that move and that nothing hangs from."""
    above = {body.parent for body in scenario.bodies}
    return [i for i in range(len(scenario.bodies)) if i not in above and scenario.places[i].link >= 0]


def _jacobian_columns(body: str, J: Array, names: tuple[str, ...], turns: list[bool]) -> Table:
    """Columns of the coordinates that move the body's far end."""
    columns: Table = {}
    for row, word in enumerate(_ROWS):
        for k, (name, turn) in enumerate(zip(names, turns, strict=True)):
            unit = ("1", "m")[turn] if word[0] == "v" else ("per_m", "1")[turn]
            if J[:, :, k].any():
                columns[f"J_{body}_{word}__{name}_{unit}"] = J[:, row, k]
    return columns
