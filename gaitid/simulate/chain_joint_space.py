"""The equation of motion of a simulated chain, term by term: the truth beside `gaitid run --write joint_space`."""

from __future__ import annotations

import numpy as np

from gaitid.dynamics.joint_space import Load, gravity_terms, inverse, jacobian, mass_matrix, velocity_terms
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.chain_state import ChainState
from gaitid.simulate.jet import Array
from gaitid.simulate.tables import Table, frame_columns

_ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")


def joint_space_table(scenario: ChainScenario, state: ChainState) -> Table:
    """M, V, G, F, −Jᵀ E and the torque that they sum to with M q̈, and J of every far end (laboratory axes)."""
    tree, s = scenario.tree, state.simulation
    turns = [kind == "revolute" for kind in scenario.kinds]
    names = scenario.coordinates
    loads = []
    for push in scenario.pushes:
        if (link := scenario.last_coordinate[push.body]) >= 0:
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
        place = scenario.on_link(body)
        J = jacobian(tree, s.q, place.link, place.at + place.turned @ scenario.bodies[body].distal_b)
        table |= _jacobian_columns(scenario.bodies[body].name, J, names, turns)
    return table


def _ends(scenario: ChainScenario) -> list[int]:
    """The bodies that move and that nothing hangs from."""
    above = {body.parent for body in scenario.bodies}
    return [i for i in range(len(scenario.bodies)) if i not in above and scenario.last_coordinate[i] >= 0]


def _jacobian_columns(body: str, J: Array, names: tuple[str, ...], turns: list[bool]) -> Table:
    """Columns of the coordinates that move the body's far end."""
    columns: Table = {}
    for row, word in enumerate(_ROWS):
        for k, (name, turn) in enumerate(zip(names, turns, strict=True)):
            unit = ("1", "m")[turn] if word[0] == "v" else ("per_m", "1")[turn]
            if J[:, :, k].any():
                columns[f"J_{body}_{word}__{name}_{unit}"] = J[:, row, k]
    return columns
