"""Reading a mechanism from YAML: every fault of the file gathered, each with the path of its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from gaitid.errors import ModelError
from gaitid.mechanism.body import GROUND, Body, poses_of
from gaitid.mechanism.gears import GearMesh
from gaitid.mechanism.mechanism import Mechanism
from gaitid.mechanism.parts import CONSTRAINTS, DRIVERS, LOADS
from gaitid.mechanism.scope import CENTRE_NAME, Scope
from gaitid.model.fields import Faults, Fields
from gaitid.model.load import bundled_folder, find_file
from gaitid.model.yaml_file import load_yaml
from gaitid.trial import Array

T = TypeVar("T")
# More than anybody looks at; a rate given in mHz, say, is caught by it.
MAX_FRAMES = 1_000_000


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
    kinematic = [c.meshed([poses[b] for b in c.bodies]) if isinstance(c, GearMesh) else c for c in kinematic]
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


def _parts(
    top: Fields, key: str, kinds: Mapping[str, Callable[[str, Fields, Scope], T]], scope: Scope, names: set[str]
) -> list[T]:
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
            result.append(kinds[kind](name, fields, scope))
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
