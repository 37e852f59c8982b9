"""Reading a mechanism from YAML: every fault of the file gathered, each with the path of its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gaitid.errors import ModelError
from gaitid.mechanism import body, constraints
from gaitid.mechanism.body import GROUND, Body, Formula, poses_of
from gaitid.mechanism.kinematics import Mechanism
from gaitid.mechanism.scope import CENTRE_NAME, LARGEST, Scope
from gaitid.model.fields import Faults, Fields
from gaitid.model.load import bundled_folder, find_file
from gaitid.model.yaml_file import load_yaml
from gaitid.trial import Array

T = TypeVar("T")
Bodies = tuple[int, ...]
Values = dict[str, Any]
# More than anybody looks at; a rate given in mHz, say, is caught by it.
MAX_FRAMES = 1_000_000
#: A part's class and how many bodies its key `bodies` names (0: it has the key `body`), and how its other values are
#: read from its keys.
Kind = tuple[Callable[..., T], int, Callable[[Fields, Scope, Bodies], Values]]


def _pins(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return dict(zip(("s_i", "s_j"), scope.points(fields, "points", bodies), strict=True))


def _link(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return {**_pins(fields, scope, bodies), "length": scope.field(fields, "length_m", low=1e-9)}


def _parallel(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    vectors = fields.raw("vectors")
    if not isinstance(vectors, list) or len(vectors) != 2:
        scope.faults.add(f"{fields.at('vectors')}: expected [[P, Q], [P, Q]], found {vectors!r}")
        vectors = [["G", "G"], ["G", "G"]]
    a_i, a_j = (scope.line(v, b, f"{fields.at('vectors')}[{k}]")[1] for k, (v, b) in enumerate(zip(vectors, bodies)))
    return {"a_i": a_i, "a_j": a_j}


def _pin_in_slot(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    s_i, a_i = scope.line(fields.raw("slot"), bodies[0], fields.at("slot"))
    return {"s_i": s_i, "a_i": a_i, "s_j": scope.point(fields.raw("pin"), bodies[1], fields.at("pin"))}


def _gears(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return {"ratio": _ratio(fields, scope), "constant": scope.angle(fields, "constant")}


def _ratio(fields: Fields, scope: Scope) -> float:
    """K, given as `ratio`, or by the radii and how the gears mesh."""
    if "ratio" in fields.values:
        ratio = scope.field(fields, "ratio")
    else:
        radii = _radii(fields, scope)
        if not (radii > 0).all():
            return 1.0
        mesh = fields.text("mesh", among=("external", "internal", "belt"))
        ratio = float(radii[0] / radii[1]) * (-1.0 if mesh == "external" else 1.0)
    if not 1 / LARGEST <= abs(ratio) <= LARGEST:
        scope.faults.add(f"{fields.at('ratio')}: expected a ratio other than 0, found {ratio:g}")
        return 1.0
    return ratio


def _radii(fields: Fields, scope: Scope) -> Array:
    radii = scope.pair(fields.raw("radii_m"), fields.at("radii_m"))
    if not (radii > 0).all():
        scope.faults.add(f"{fields.at('radii_m')}: expected positive radii, found {radii.tolist()}")
    return radii


def _mesh(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    pins, radii = _pins(fields, scope, bodies), _radii(fields, scope)
    sense = 1.0 if fields.text("mesh", among=("external", "internal")) == "external" else -1.0
    if sense < 0 and radii[0] == radii[1]:
        scope.faults.add(f"{fields.at('radii_m')}: a ring is larger than the gear inside it, found {radii.tolist()}")
    constant = float(radii[0]) * scope.angle(fields, "constant", float("nan"))
    return {**pins, "radii": radii, "sense": sense, "constant": constant}


def _fixed(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    if bodies[0] == 0:
        scope.faults.add(f"{fields.at('body')}: {GROUND} is fixed already; name the body to fix")
    return {"pose": np.array([scope.field(fields, "x_m"), scope.field(fields, "y_m"), scope.angle(fields, "phi")])}


def _angle(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return {"constant": scope.angle(fields, "constant", 0.0), "history": scope.driven_angle(fields)}


def _position(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    s_i, along = scope.line(fields.raw("axis"), bodies[0], fields.at("axis"))
    s_j, value = scope.point(fields.raw("point"), bodies[1], fields.at("point")), fields.raw("position_m")
    history = Formula() if value is None else scope.history(value, fields.at("position_m"), 1.0, 5)
    return {"s_i": s_i, "s_j": s_j, "a_i": along / np.hypot(*along), "history": history}


def _force(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    force = scope.histories(fields, "force_N")
    if ("point" in fields.values) == ("at_m" in fields.values):
        scope.faults.add(f"{fields.path}: expected either point (of the body) or at_m (over the ground)")
        return {"force": force, "point": (Formula(), Formula())}
    if "at_m" in fields.values:
        return {"force": force, "point": scope.histories(fields, "at_m")}
    return {"force": force, "point": scope.point(fields.raw("point"), bodies[0], fields.at("point"))}


def _torque(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return {"torque": scope.history(fields.raw("torque_Nm", 0), fields.at("torque_Nm"))}


def _spring(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return _pins(fields, scope, bodies) | {
        "stiffness": scope.field(fields, "stiffness_N_per_m", 0.0, low=0.0),
        "free_length": scope.field(fields, "free_length_m", 0.0, low=0.0),
        "damping": scope.field(fields, "damping_N_s_per_m", 0.0, low=0.0),
    }


def _torsion_spring(fields: Fields, scope: Scope, bodies: Bodies) -> Values:
    return {
        "stiffness": scope.field(fields, "stiffness_Nm_per_rad", 0.0, low=0.0),
        "free_angle": scope.angle(fields, "free_angle", 0.0),
        "damping": scope.field(fields, "damping_Nm_s_per_rad", 0.0, low=0.0),
    }


CONSTRAINTS: Mapping[str, Kind[constraints.Constraint]] = {
    "revolute": (constraints.Revolute, 2, _pins),
    "double_revolute": (constraints.DoubleRevolute, 2, _link),
    "parallel": (constraints.Parallel, 2, _parallel),
    "pin_in_slot": (constraints.PinInSlot, 2, _pin_in_slot),
    "gear_pair": (constraints.GearPair, 2, _gears),
    "gear_pair_on_link": (constraints.GearPairOnLink, 3, _gears),
    "gear_mesh": (constraints.GearMesh, 2, _mesh),
    "ground": (constraints.Ground, 0, _fixed),
}
DRIVERS: Mapping[str, Kind[constraints.Driver]] = {
    "relative_angle_driver": (constraints.RelativeAngleDriver, 2, _angle),
    "relative_position_driver": (constraints.RelativePositionDriver, 2, _position),
}
LOADS: Mapping[str, Kind[body.Load]] = {
    "force": (body.Force, 0, _force),
    "torque": (body.Torque, 2, _torque),
    "spring": (body.Spring, 2, _spring),
    "torsion_spring": (body.TorsionSpring, 2, _torsion_spring),
}


@dataclass(frozen=True, eq=False)
class MechanismFile:
    """What a mechanism file says.

    Attributes
    ----------
    path : Path
    title : str
    sources : tuple of str
    mechanism : Mechanism
    ground_points : mapping of str to (2,) array, m
    time_s : (frames,) array
    statics : bool
    tables : tuple of Path
        CSV files that it reads.
    warnings : tuple of str
    """

    path: Path
    title: str
    sources: tuple[str, ...]
    mechanism: Mechanism
    ground_points: Mapping[str, Array]
    time_s: Array
    statics: bool
    tables: tuple[Path, ...]
    warnings: tuple[str, ...]


def bundled_mechanisms() -> dict[str, Path]:
    """Names and files of the mechanisms that come with gaitid."""
    return {path.stem: path for path in sorted((bundled_folder("configs") / "mechanisms").glob("*.yaml"))}


def find_mechanism(name: str) -> Path:
    """The mechanism's file: a path, or a bundled mechanism's name."""
    return find_file("mechanism", name, bundled_mechanisms())


def load_mechanism(path: Path) -> MechanismFile:
    """Read a mechanism file.

    Raises
    ------
    ModelError
        Not YAML, or against the schema: one line that names each key.
    """
    content = load_yaml(path)
    if not isinstance(content, dict) or content.get("gaitid_mechanism") != 1:
        raise ModelError(f"{path}: not a gaitid mechanism", expected="a line `gaitid_mechanism: 1`")
    faults = Faults(str(path), path)
    top, scope = Fields(content, "", faults), Scope(path.parent, faults)
    top.raw("gaitid_mechanism")
    title, sources = top.text("title", path.stem), top.raw("sources", [])
    if not isinstance(sources, list) or not all(isinstance(s, str) for s in sources):
        faults.add("sources: expected a list of texts")
        sources = []
    gravity = scope.pair(top.raw("gravity_m_per_s2"), "gravity_m_per_s2")
    ground = top.mapping(GROUND, {})
    ground_points = _points(ground, scope)
    ground.done()
    scope.declare(GROUND, ground_points)
    bodies = _bodies(top, scope)
    names: set[str] = set()
    kinematic = _parts(top, "constraints", CONSTRAINTS, scope, names)
    drivers = _parts(top, "drivers", DRIVERS, scope, names)
    loads = _parts(top, "loads", LOADS, scope, names)
    statics = top.flag("statics", False)
    time_s = _times(top, scope, statics)
    top.done()
    faults.raise_if_any()
    poses = poses_of(np.concatenate([body.guess for body in bodies]))
    kinematic = [
        c.meshed([poses[b] for b in c.bodies]) if isinstance(c, constraints.GearMesh) else c for c in kinematic
    ]
    return MechanismFile(
        path=path,
        title=title,
        sources=tuple(sources),
        mechanism=Mechanism(bodies, kinematic, drivers, loads, gravity),
        ground_points=ground_points,
        time_s=time_s,
        statics=statics,
        tables=tuple(scope.tables),
        warnings=tuple(f"{b.name} has no mass: its weight and inertia are left out" for b in bodies if not b.mass),
    )


def _points(fields: Fields, scope: Scope) -> dict[str, Array]:
    given = fields.mapping("points_m", {})
    for name in given.values:
        scope.good_name(name, given.path)
        if name == CENTRE_NAME:
            scope.faults.add(f"{given.at(name)}: {CENTRE_NAME} is the centre of mass (of {GROUND}: the origin) already")
    return {name: scope.pair(given.raw(name), given.at(name)) for name in given.values}


def _bodies(top: Fields, scope: Scope) -> list[Body]:
    section = top.mapping("bodies")
    bodies = []
    for name in section.values:
        fields = section.mapping(name)
        scope.good_name(name, section.path)
        if name == GROUND:
            scope.faults.add(f"{fields.path}: {GROUND} has no mass; its points go into a section of its own, {GROUND}")
        mass, inertia = scope.field(fields, "mass_kg", low=0.0), scope.field(fields, "inertia_kg_m2", low=0.0)
        if inertia > 0 and mass == 0:
            scope.faults.add(f"{fields.at('mass_kg')}: a body with inertia has mass, found {mass:g}")
        points = _points(fields, scope)
        guess = fields.mapping("guess")
        x, y, phi = scope.field(guess, "x_m", 0.0), scope.field(guess, "y_m", 0.0), scope.angle(guess, "phi", 0.0)
        guess.done()
        fields.done()
        scope.declare(name, points)
        bodies.append(Body(name, mass, inertia, points, np.array([x, y, phi])))
    if not bodies:
        scope.faults.add("bodies: expected at least one")
        scope.faults.raise_if_any()  # without bodies everything else would be wrong too
    return bodies


def _parts(top: Fields, key: str, kinds: Mapping[str, Kind[T]], scope: Scope, names: set[str]) -> list[T]:
    """The constraints, drivers or loads of a file; `names` are those taken already."""
    section = top.mapping(key, {})
    result = []
    for name in section.values:
        fields = section.mapping(name)
        scope.good_name(name, section.path)
        if name in names:
            scope.faults.add(f"{fields.path}: the name is taken")
        names.add(name)
        kind = fields.text("type", among=tuple(kinds))
        if kind in kinds:
            part, count, read = kinds[kind]
            bodies = scope.bodies(fields, count) if count else (scope.index(fields.raw("body"), fields.at("body")),)
            result.append(part(name=name, bodies=bodies, **read(fields, scope, bodies)))
            fields.done()
    return result


def _times(top: Fields, scope: Scope, statics: bool) -> Array:
    if statics and "time" not in top.values:
        return np.zeros(1)
    time = top.mapping("time")
    start, end = scope.field(time, "start_s", 0.0), scope.field(time, "end_s")
    rate_hz = scope.field(time, "rate_hz", low=1e-6)
    time.done()
    if end < start:
        scope.faults.add(f"{time.at('end_s')}: before start_s {start:g}, found {end:g}")
    if end < start or rate_hz <= 0:
        return np.zeros(1)
    # a whole number of intervals but for rounding
    intervals = (end - start) * rate_hz
    if intervals >= MAX_FRAMES:
        scope.faults.add(f"{time.path}: expected at most {MAX_FRAMES} frames, found {intervals:g}")
        return np.zeros(1)
    if abs(intervals - round(intervals)) > 1e-6 * max(1.0, intervals):
        scope.faults.add(
            f"{time.path}: end_s − start_s is no whole number of intervals at rate_hz, found {intervals:g} of them"
        )
    return start + np.arange(round(intervals) + 1) / rate_hz
