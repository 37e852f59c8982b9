"""The kinds of constraints, drivers and loads that a mechanism file may hold, each read from its keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gaitid.mechanism import constraints as c
from gaitid.mechanism import drivers, loads
from gaitid.mechanism.body import GROUND
from gaitid.mechanism.gears import GearMesh
from gaitid.mechanism.history import Formula
from gaitid.mechanism.scope import LARGEST, Scope
from gaitid.model.fields import Fields


def _revolute(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies = scope.bodies(fields, 2)
    s_i, s_j = scope.points(fields, "points", bodies)
    return c.Revolute(name=name, bodies=bodies, s_i=s_i, s_j=s_j)


def _double_revolute(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies = scope.bodies(fields, 2)
    s_i, s_j = scope.points(fields, "points", bodies)
    length = scope.field(fields, "length_m", low=1e-9)
    return c.DoubleRevolute(name=name, bodies=bodies, s_i=s_i, s_j=s_j, length=length)


def _parallel(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies = scope.bodies(fields, 2)
    vectors = fields.raw("vectors")
    if not isinstance(vectors, list) or len(vectors) != 2:
        scope.faults.add(f"{fields.at('vectors')}: expected [[P, Q], [P, Q]], found {vectors!r}")
        vectors = [["G", "G"], ["G", "G"]]
    a_i, a_j = (scope.line(v, b, f"{fields.at('vectors')}[{k}]")[1] for k, (v, b) in enumerate(zip(vectors, bodies)))
    return c.Parallel(name=name, bodies=bodies, a_i=a_i, a_j=a_j)


def _pin_in_slot(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies = scope.bodies(fields, 2)
    s_i, a_i = scope.line(fields.raw("slot"), bodies[0], fields.at("slot"))
    s_j = scope.point(fields.raw("pin"), bodies[1], fields.at("pin"))
    return c.PinInSlot(name=name, bodies=bodies, s_i=s_i, s_j=s_j, a_i=a_i)


def _gear_pair(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies = scope.bodies(fields, 2)
    return c.GearPair(name=name, bodies=bodies, ratio=_ratio(fields, scope), constant=scope.angle(fields, "constant"))


def _gear_pair_on_link(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies, ratio = scope.bodies(fields, 3), _ratio(fields, scope)
    return c.GearPairOnLink(name=name, bodies=bodies, ratio=ratio, constant=scope.angle(fields, "constant"))


def _gear_mesh(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    bodies = scope.bodies(fields, 2)
    s_i, s_j = scope.points(fields, "points", bodies)
    radii = scope.pair(fields.raw("radii_m"), fields.at("radii_m"))
    if not (radii > 0).all():
        scope.faults.add(f"{fields.at('radii_m')}: expected positive radii, found {radii.tolist()}")
    sense = 1.0 if fields.text("mesh", among=("external", "internal")) == "external" else -1.0
    if sense < 0 and radii[0] == radii[1]:
        scope.faults.add(f"{fields.at('radii_m')}: a ring is larger than the gear inside it, found {radii.tolist()}")
    constant = float(radii[0]) * scope.angle(fields, "constant", float("nan"))
    return GearMesh(name=name, bodies=bodies, s_i=s_i, s_j=s_j, radii=radii, sense=sense, constant=constant)


def _ratio(fields: Fields, scope: Scope) -> float:
    """K, given as `ratio`, or by the radii and how the gears mesh."""
    if "ratio" in fields.values:
        ratio = scope.field(fields, "ratio")
    else:
        radii = scope.pair(fields.raw("radii_m"), fields.at("radii_m"))
        if not (radii > 0).all():
            scope.faults.add(f"{fields.at('radii_m')}: expected positive radii, found {radii.tolist()}")
            return 1.0
        mesh = fields.text("mesh", among=("external", "internal", "belt"))
        ratio = float(radii[0] / radii[1]) * (-1.0 if mesh == "external" else 1.0)
    if not 1 / LARGEST <= abs(ratio) <= LARGEST:
        scope.faults.add(f"{fields.at('ratio')}: expected a ratio other than 0, found {ratio:g}")
        return 1.0
    return ratio


def _ground(name: str, fields: Fields, scope: Scope) -> c.Constraint:
    body = scope.index(fields.raw("body"), fields.at("body"))
    if body == 0:
        scope.faults.add(f"{fields.at('body')}: {GROUND} is fixed already; name the body to fix")
    pose = np.array([scope.field(fields, "x_m"), scope.field(fields, "y_m"), scope.angle(fields, "phi")])
    return c.Ground(name=name, bodies=(body,), pose=pose)


def _relative_angle_driver(name: str, fields: Fields, scope: Scope) -> drivers.Driver:
    bodies, constant = scope.bodies(fields, 2), scope.angle(fields, "constant", 0.0)
    return drivers.RelativeAngleDriver(name=name, bodies=bodies, constant=constant, history=scope.driven_angle(fields))


def _relative_position_driver(name: str, fields: Fields, scope: Scope) -> drivers.Driver:
    bodies = scope.bodies(fields, 2)
    s_i, along = scope.line(fields.raw("axis"), bodies[0], fields.at("axis"))
    return drivers.RelativePositionDriver(
        name=name,
        bodies=bodies,
        s_i=s_i,
        s_j=scope.point(fields.raw("point"), bodies[1], fields.at("point")),
        a_i=along / np.hypot(*along),
        history=scope.driven_position(fields),
    )


CONSTRAINTS: Mapping[str, Callable[[str, Fields, Scope], c.Constraint]] = {
    "revolute": _revolute,
    "double_revolute": _double_revolute,
    "parallel": _parallel,
    "pin_in_slot": _pin_in_slot,
    "gear_pair": _gear_pair,
    "gear_pair_on_link": _gear_pair_on_link,
    "gear_mesh": _gear_mesh,
    "ground": _ground,
}
DRIVERS: Mapping[str, Callable[[str, Fields, Scope], drivers.Driver]] = {
    "relative_angle_driver": _relative_angle_driver,
    "relative_position_driver": _relative_position_driver,
}


def _force(name: str, fields: Fields, scope: Scope) -> loads.Load:
    body = scope.index(fields.raw("body"), fields.at("body"))
    force = scope.histories(fields, "force_N")
    if ("point" in fields.values) == ("at_m" in fields.values):
        scope.faults.add(f"{fields.path}: expected either point (of the body) or at_m (over the ground)")
        return loads.Force(name=name, body=body, force=force, point=(Formula(), Formula()))
    if "at_m" in fields.values:
        return loads.Force(name=name, body=body, force=force, point=scope.histories(fields, "at_m"))
    point = scope.point(fields.raw("point"), body, fields.at("point"))
    return loads.Force(name=name, body=body, force=force, point=point)


def _torque(name: str, fields: Fields, scope: Scope) -> loads.Load:
    i, j = scope.bodies(fields, 2)
    torque = scope.history(fields.raw("torque_Nm", 0), fields.at("torque_Nm"))
    return loads.Torque(name=name, bodies=(i, j), torque=torque)


def _spring(name: str, fields: Fields, scope: Scope) -> loads.Load:
    i, j = scope.bodies(fields, 2)
    s_i, s_j = scope.points(fields, "points", (i, j))
    return loads.Spring(
        name=name,
        bodies=(i, j),
        s_i=s_i,
        s_j=s_j,
        stiffness=scope.field(fields, "stiffness_N_per_m", 0.0, low=0.0),
        free_length=scope.field(fields, "free_length_m", 0.0, low=0.0),
        damping=scope.field(fields, "damping_N_s_per_m", 0.0, low=0.0),
    )


def _torsion_spring(name: str, fields: Fields, scope: Scope) -> loads.Load:
    i, j = scope.bodies(fields, 2)
    return loads.TorsionSpring(
        name=name,
        bodies=(i, j),
        stiffness=scope.field(fields, "stiffness_Nm_per_rad", 0.0, low=0.0),
        free_angle=scope.angle(fields, "free_angle", 0.0),
        damping=scope.field(fields, "damping_Nm_s_per_rad", 0.0, low=0.0),
    )


LOADS: Mapping[str, Callable[[str, Fields, Scope], loads.Load]] = {
    "force": _force,
    "torque": _torque,
    "spring": _spring,
    "torsion_spring": _torsion_spring,
}
