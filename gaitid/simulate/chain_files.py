"""The folder of a simulated chain: the trial, a model that analyses it, and the truth beside it.

With ``joint_space`` also the equation of motion, term by term: the truth beside `gaitid run --write joint_space`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from gaitid.dynamics.joint_space import Load, gravity_terms, inverse, jacobian, mass_matrix, velocity_terms
from gaitid.dynamics.pace import Limits
from gaitid.numerics.jet import Array
from gaitid.simulate.c3d_file import points_c3d, signed_bytes
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
from gaitid.simulate.settings import noisy_markers, with_gaps
from gaitid.simulate.truth import (
    Table,
    csv_text,
    frame_columns,
    marker_table,
    segment_columns,
    vector_columns,
    wrench_columns,
    write_folder,
)
from gaitid.simulate.walk import cardan_deg

# rad or m. Below this what is left of a tracked motion's error is the integrator's.
_TRACKS = 1e-6


def write_chain(
    scenario: ChainScenario,
    folder: Path,
    limits: Limits = Limits(),  # noqa: B008 - it cannot be changed
    write: Sequence[str] = (),
) -> tuple[Path, ...]:
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
        f"{stem}.truth.wrenches.csv": csv_text(wrench_table(scenario, state)),
        f"{stem}.truth.joints.csv": csv_text(joint_table(scenario, state)),
        f"{stem}.truth.segments.csv": csv_text(segment_table(scenario, state)),
        f"{stem}.truth.coordinates.csv": csv_text(coordinate_table(scenario, state)),
        f"{stem}.truth.json": truth_json(scenario, state),
    }
    if "joint_space" in write:
        texts[f"{stem}.truth.joint_space.csv"] = csv_text(joint_space_table(scenario, state))
    texts |= {name: csv_text(load_table(push, settings.load_times_s)) for name, push in loads.items()}
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


def load_table(push: Push, time_s: Array) -> Table:
    """What a load cell would have recorded of an external load, each quantity in the axes that it is given in."""
    force, moment, point = push.at(time_s)
    axes = "segment" if push.turns else "global"
    return {
        "time_s": time_s,
        **vector_columns(f"force_{axes}", force, "N"),
        **vector_columns(f"moment_{axes}", moment, "Nm"),
        **vector_columns(f"point_{'global' if push.point_b is None else 'segment'}", point, "m"),
    }


def wrench_table(scenario: ChainScenario, state: ChainState) -> Table:
    """Columns of ``wrenches.csv``, from the free ends to the ground, in laboratory and in distal axes."""
    table = frame_columns(state.time_s)
    for body in reversed(scenario.bodies):
        joint = body.joint.name
        table |= wrench_columns(f"{SIDE}_{joint}", state.wrench[joint], state.rotation[body.name])
    return table


def joint_table(scenario: ChainScenario, state: ChainState) -> Table:
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


def segment_table(scenario: ChainScenario, state: ChainState) -> Table:
    """Columns of ``segments.csv``: the ground, which stays, and the bodies."""
    n = state.time_s.size
    stays = np.zeros((n, 3))
    table = frame_columns(state.time_s)
    table |= segment_columns(GROUND, stays, np.broadcast_to(np.eye(3), (n, 3, 3)), stays, stays, stays)
    for name in (body.name for body in scenario.bodies):
        motion = (m[name] for m in (state.com_g, state.rotation, state.omega_g, state.alpha_g, state.acceleration_g))
        table |= segment_columns(f"{SIDE}_{name}", *motion)
    for body in scenario.bodies:
        table |= vector_columns(f"{SIDE}_{body.joint.name}", state.joint_g[body.joint.name], "m")
    return table


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
