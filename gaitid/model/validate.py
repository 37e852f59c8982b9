"""Whether every name that a model uses is defined in it, and nothing is defined by itself."""

from __future__ import annotations

from collections.abc import Iterator

from gaitid.model import specs
from gaitid.model.expression import Expression
from gaitid.model.fields import Faults, nearest

# What formulas may use in places of their own.
ANGLE_NAMES = {"a", "b", "c", "sign"}
MOMENT_NAMES = {"x", "y", "z", "sign"}
BODY_NAMES = {"length", "com_fraction"}

Use = tuple[str, str]  # (kind: point, frame, number; name)


def point_uses(ref: specs.PointRef | specs.Vector | specs.Frame) -> Iterator[Use]:
    """What the definition of a point, a vector or a frame uses directly."""
    if isinstance(ref, str):
        yield "point", ref
    elif isinstance(ref, (specs.Mean, specs.FirstOf)):
        for part in ref.of if isinstance(ref, specs.Mean) else ref.options:
            yield from point_uses(part)
    elif isinstance(ref, specs.InFrame):
        yield "frame", ref.frame
        for formula in ref.offset:
            yield from formula_uses(formula)
    elif isinstance(ref, specs.Chord):
        for part in (ref.proximal, ref.wand, ref.lateral):
            yield from point_uses(part)
        yield from formula_uses(ref.radius)
        yield from formula_uses(ref.dihedral)
    elif isinstance(ref, specs.TurnPoint):
        yield from point_uses(ref.point)
        yield from point_uses(ref.about)
        yield from point_uses(ref.axis)
        yield from formula_uses(ref.angle)
    elif isinstance(ref, (specs.Between, specs.FromTo)):
        yield from point_uses(ref.start)
        yield from point_uses(ref.end)
        yield from formula_uses(ref.fraction if isinstance(ref, specs.Between) else ref.times)
    elif isinstance(ref, specs.Along):
        yield from point_uses(ref.axis)
        yield from point_uses(ref.start)
        yield from formula_uses(ref.distance)
    elif isinstance(ref, specs.Level):
        yield from point_uses(ref.point)
        yield from point_uses(ref.height_of)
        yield from formula_uses(ref.plus)
    elif isinstance(ref, specs.FrameAxis):
        yield "frame", ref.frame
        yield from formula_uses(ref.times)
    elif isinstance(ref, specs.LaboratoryAxis):
        yield from formula_uses(ref.times)
    elif isinstance(ref, specs.CrossOf):
        yield from point_uses(ref.first)
        yield from point_uses(ref.second)
    elif isinstance(ref, specs.AxesFrame):
        yield from point_uses(ref.origin)
        yield from point_uses(ref.keep_vector)
        yield from point_uses(ref.toward_vector)
    elif isinstance(ref, specs.TurnedFrame):
        yield "frame", ref.frame
        for _, formula in ref.by:
            yield from formula_uses(formula)


def formula_uses(formula: Expression | None) -> Iterator[Use]:
    if formula is not None:
        for name in formula.names:
            yield "number", name
        for name in formula.points:
            yield "point", name


class _Names:
    """What is defined, and what each definition uses, by scope."""

    def __init__(self, model: specs.Model) -> None:
        self.model = model
        self.scopes = {"middle": model.middle, "each_side": model.each_side}
        self.sides = [side.name for side in model.sides]

    def resolve(self, kind: str, name: str, scope: str) -> tuple[str, str] | None:
        """(scope, bare name) of a definition, or None."""
        side, dot, bare = name.partition(".")
        if dot:
            return ("each_side", bare) if side in self.sides and self.defined(kind, bare, "each_side") else None
        for place in ("each_side", "middle") if scope == "each_side" else ("middle",):
            if self.defined(kind, name, place):
                return place, name
        return None

    def defined(self, kind: str, name: str, place: str) -> bool:
        scope = self.scopes[place]
        if kind == "point":
            return name in scope.points or name in scope.markers
        if kind == "frame":
            return name in scope.frames
        measurement = self.model.subject.get(name)
        sided = place == "each_side"
        return (
            name in scope.numbers
            or (measurement is not None and measurement.sided == sided)
            or (name == "sign" and sided)
        )

    def known(self, kind: str) -> list[str]:
        names: set[str] = set()
        for scope in self.scopes.values():
            if kind == "point":
                names |= {*scope.points, *scope.markers}
            elif kind == "frame":
                names |= set(scope.frames)
            else:
                names |= set(scope.numbers)
        return sorted(names | (set(self.model.subject) if kind == "number" else set()))

    def uses(self, kind: str, name: str, place: str) -> Iterator[Use]:
        scope = self.scopes[place]
        if kind == "point" and name in scope.points:
            yield from point_uses(scope.points[name])
        elif kind == "frame":
            yield from point_uses(scope.frames[name])
        elif kind == "number" and name in scope.numbers:
            yield from formula_uses(scope.numbers[name])
        elif kind == "number" and name in self.model.subject:
            yield from formula_uses(self.model.subject[name].otherwise)


def check_references(model: specs.Model, faults: Faults) -> None:
    """Add a fault for each name that is not defined, and for a definition that needs itself."""
    names = _Names(model)

    def need(kind: str, name: str, scope: str, where: str, local: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        if kind == "number" and name in local:
            return
        if names.resolve(kind, name, scope) is None:
            if scope == "middle" and names.defined(kind, name, "each_side"):
                faults.add(f"{where}: {name!r} belongs to a side; write left.{name} or right.{name}")
                return
            if (side := name.partition(".")[0]) in {"left", "right"} - set(names.sides):
                faults.add(f"sides.{side}: missing ({where} uses {name})")
                return
            faults.add(f"{where}: no {kind} {name!r} in the model{nearest(name, names.known(kind))}")

    for place, scope in names.scopes.items():
        for group, kind in (("numbers", "number"), ("points", "point"), ("frames", "frame")):
            for name in getattr(scope, group):
                for used_kind, used in names.uses(kind, name, place):
                    need(used_kind, used, place, f"{place}.{group}.{name}")
    for measurement in model.subject.values():
        scope_name = "each_side" if measurement.sided else "middle"
        where = f"subject{'_each_side' if measurement.sided else ''}.{measurement.name}"
        if isinstance(measurement.static, specs.StaticAngle):
            need("frame", measurement.static.proximal, scope_name, where + ".static")
            need("frame", measurement.static.distal, scope_name, where + ".static")
            for kind, used in formula_uses(measurement.static.value):
                need(kind, used, scope_name, where + ".static.value", ANGLE_NAMES)
        else:
            for kind, used in formula_uses(measurement.static):
                need(kind, used, scope_name, where + ".static")
        for kind, used in formula_uses(measurement.otherwise):
            need(kind, used, scope_name, where + ".otherwise")
    bodies = [(f"chain[{i}]", "each_side", body) for i, body in enumerate(model.chain)]
    if model.base.body is not None:
        bodies.append(("base", "middle", model.base.body))
    for where, place, body in bodies:
        need("frame", body.frame, place, f"{where}.frame")
        need("point", body.centre, place, f"{where}.centre")
        for kind, used in point_uses(body.com):
            need(kind, used, place, f"{where}.com", BODY_NAMES)
        for kind, used in formula_uses(body.length):
            need(kind, used, place, f"{where}.length")
        _check_row(model, body, where, faults)
    joints = [body.joint for body in model.chain]
    for attribute in ("segment", "joint"):
        seen = [getattr(body, attribute) for _, _, body in bodies]
        for name in sorted({n for n in seen if seen.count(n) > 1}):
            faults.add(f"chain: the {attribute} {name!r} is given twice")
    _check_tree(model, faults)
    need("frame", model.base.frame, "middle", "base.frame")
    need("point", model.base.origin, "middle", "base.origin")
    grounded = sum(body.ground for body in model.chain)
    if grounded != model.touches_ground:
        if grounded > 1 or model.touches_ground:
            faults.add("chain: expected ground: true on one segment (the one that the ground acts on)")
        else:
            faults.add("ground_contact: missing (a segment has ground: true)")
    if model.touches_ground:
        need("point", model.heel, "each_side", "ground_contact.heel")
        need("point", model.toe, "each_side", "ground_contact.toe")
    if model.instead_of_toe:
        need("point", model.instead_of_toe, "each_side", "ground_contact.instead_of_toe")
    if model.progression is not None:
        need("point", model.progression.point, "middle", "progression.point")
    for name, angle in model.angles.items():
        for frame in (angle.proximal, angle.distal):
            if frame != "progression":
                need("frame", frame, "each_side", f"angles.{name}")
            elif model.progression is None:
                faults.add(f"progression: missing (angles.{name} needs it)")
        for column, formula in angle.columns.items():
            for kind, used in formula_uses(formula):
                need(kind, used, "each_side", f"angles.{name}.{column}", ANGLE_NAMES)
    if model.moments and "mass" not in model.subject:
        faults.add("subject.mass: missing (moments are divided by body mass)")
    for name, moment in model.moments.items():
        if name not in joints:
            faults.add(f"moments.{name}: no joint {name!r} in the chain{nearest(name, joints)}")
        need("frame", moment.axes, "each_side", f"moments.{name}.axes")
        for column, formula in moment.columns.items():
            for kind, used in formula_uses(formula):
                need(kind, used, "each_side", f"moments.{name}.{column}", MOMENT_NAMES)
    for joint in joints:
        if joint not in model.angles:
            faults.add(f"angles.{joint}: missing (the joint {joint!r} of the chain needs its axes)")
    if not faults.lines:
        _check_loops(names, faults)


def _check_row(model: specs.Model, body: specs.Body, where: str, faults: Faults) -> None:
    """Whether the table and the subject give what a body needs."""
    row = model.table.rows.get(body.row)
    if row is None:
        faults.add(
            f"{where}.row: no segment {body.row!r} in the table {model.table.name}"
            f"{nearest(body.row, list(model.table.rows))}"
        )
        return
    if row.com_fraction != row.com_fraction and ("number", "com_fraction") in point_uses(body.com):
        faults.add(f"{where}.com: needs segments.{body.row}.com_fraction, which {model.table.path.name} does not give")
    mass = model.subject.get("mass")
    if row.mass_fraction is not None and (mass is None or mass.optional or mass.sided):
        faults.add(
            f"subject.mass: {'missing' if mass is None else 'must not be optional or sided'} "
            f"(the table gives {body.row} as a fraction of it)"
        )


def _check_tree(model: specs.Model, faults: Faults) -> None:
    """Each segment hangs from one listed after it, or from the base: no loop."""
    names = [body.segment for body in model.chain]
    hangs = dict(zip(names, (body.on for body in model.chain), strict=True))
    for i, body in enumerate(model.chain):
        where = f"chain[{i}].on"
        if body.on == model.base.segment:
            angle = model.angles.get(body.joint)
            if angle is not None and angle.proximal not in (*model.middle.frames, "progression"):
                faults.add(
                    f"chain: the last joint {body.joint!r} must join the leg to the middle of the body "
                    f"(angles.{body.joint}.proximal is {angle.proximal!r}); list the chain from the ground up"
                )
        elif body.on not in names:
            faults.add(f"{where}: no segment {body.on!r}{nearest(body.on, [*names, model.base.segment])}")
        elif names.index(body.on) <= i:
            way = [body.segment]
            while (above := hangs.get(way[-1])) in hangs and above not in way:
                way.append(str(above))
            if above == body.segment:
                faults.add(f"{where}: the chain has a loop: {' on '.join([*way, body.segment])}")
            else:
                faults.add(f"{where}: {body.on!r} stands before it; list the chain from the free ends to the base")


def _check_loops(names: _Names, faults: Faults) -> None:
    state: dict[tuple[str, str, str], int] = {}

    def visit(kind: str, name: str, place: str) -> None:
        key = (kind, name, place)
        if state.get(key) == 2:
            return
        if state.get(key) == 1:
            faults.add(f"{place}: the {kind} {name!r} is defined by itself")
            return
        state[key] = 1
        for used_kind, used in names.uses(kind, name, place):
            found = names.resolve(used_kind, used, place)
            if found is not None:
                visit(used_kind, found[1], found[0])
        state[key] = 2

    for place, scope in names.scopes.items():
        for group, kind in (("numbers", "number"), ("points", "point"), ("frames", "frame")):
            for name in getattr(scope, group):
                visit(kind, name, place)
