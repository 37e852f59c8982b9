"""Whether a model holds together: every name is defined, nothing is by itself, and the segments are a tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from copy import copy
from typing import TYPE_CHECKING

from gaitid.model import specs
from gaitid.model.choices import Defined
from gaitid.model.expression import Expression
from gaitid.model.fields import nearest
from gaitid.model.shapes import CarriedFrame, FrameName, PointName, RigidFrame, TurnedFrame, Use, stored_points, uses

if TYPE_CHECKING:
    from gaitid.model.pose import Multibody  # of few models

# What formulas may use in places of their own: those of an angle or a moment nothing else, the others the model's own
# numbers too.
ANGLE_NAMES = frozenset({"a", "b", "c", "sign"})
MOMENT_NAMES = frozenset({"x", "y", "z", "sign"})
TURN_NAMES = frozenset({"angle", "sign"})
BODY_NAMES = frozenset({"length", "com_fraction", "com_forward", "com_up", "com_right"})
KINDS = ("number", "point", "frame")
SIDES = ("left", "right")
# Of the body's mass, for all segments together: fractions are printed to three places.
MOST_OF_BODY = 1.01

#: Key's path, whether it belongs to each side, what stands there, and the numbers that it may use besides.
Part = tuple[str, bool, object, frozenset[str]]
#: Kind, bare name, and whether each side has it.
Definition = tuple[str, str, bool]
#: An angle that may be free, limited, held or pulled: which of a, b, c it is, times what, plus how many degrees.
Letter = tuple[int, float, float]


class Names:
    """Everything in a model that uses names, and what these mean: each is looked up once.

    Attributes
    ----------
    model : Model
    bodies : list of (str, Segment)
        Each with the path of its key.
    parts : list of (Part, list of Use)
        Each with the names that it uses.
    """

    def __init__(self, model: specs.Model) -> None:
        self.model = model
        self.bodies = _bodies(model)
        self.parts = [(part, uses(part[2])) for part in _parts(model, self.bodies)]
        self._sides = [side.name for side in model.sides]
        self._meant: dict[tuple[str, str, bool], Definition | None] = {}
        self._used_by: dict[Definition, list[Definition]] = {}

    def meant(self, kind: str, name: str, sided: bool) -> Definition | None:
        """What a name means in a definition of each side or of the middle; None where nothing defines it."""
        key = (kind, name, sided)
        if key not in self._meant:
            side, bare = self.model.place(kind, name, self._sides[0] if sided else "")
            there = (not side or side in self._sides) and self.model.defines(kind, bare, bool(side))
            self._meant[key] = (kind, bare, bool(side)) if there else None
        return self._meant[key]

    def used_by(self, definition: Definition) -> list[Definition]:
        """What a definition uses directly, as far as it is defined."""
        if definition not in self._used_by:
            used = (self.meant(kind, name, definition[2]) for kind, name in self.model.uses(*definition))
            self._used_by[definition] = [*filter(None, used)]
        return self._used_by[definition]

    def used_of(self, names: Set[str]) -> set[Definition]:
        """What has one of these names, and a definition, a body or a column uses it."""
        wanted = {f"{side}{name}" for side in ("", *(f"{side}." for side in SIDES)) for name in names}
        return {
            definition
            for (_, sided, _, _), uses in self.parts
            for kind, name in uses
            if name in wanted and (definition := self.meant(kind, name, sided)) is not None
        }

    def without_unused(self, optional: Set[Defined]) -> Names:
        """The same without those numbers, points and frames of a set that nothing uses, not even another of them.

        No name that is used means one of these, so that the others mean what they did.
        """
        left, gone = set(optional), set[str]()
        result = copy(self)
        while left:
            used = result.used_of({name for _, _, name in left})
            unused = {d for d in left if (d[1].removesuffix("s"), d[2], d[0] == "each_side") not in used}
            if not unused:
                break
            left -= unused
            gone |= {".".join(definition) for definition in unused}
            result.parts = [part for part in result.parts if part[0][0] not in gone]
            for section, part, name in unused:
                scope = getattr(result.model, section)
                kept = {key: value for key, value in getattr(scope, part).items() if key != name}
                result.model = result.model._replace(**{section: scope._replace(**{part: kept})})
        return result


def faults_of(names: Names) -> list[str]:
    """Each fault of a model whose keys are right one by one; loops are looked for only where there is no other."""
    model, bodies = names.model, names.bodies
    faults = [fault for part, used in names.parts for fault in _undefined(names, part, used)]
    faults += [fault for where, body in bodies for fault in _row_faults(model, body, where)]
    faults += _table_faults(model)
    for attribute in ("segment", "joint"):
        given = [getattr(body, attribute) for _, body in bodies]
        twice = sorted({name for name in given if given.count(name) > 1})
        faults += [f"chain: the {attribute} {name!r} is given twice" for name in twice]
    faults += [*_tree_faults(model), *_ground_and_joint_faults(model)]
    if model.pose is not None:
        faults += _pose_faults(model, model.pose)
    return faults or [*_loops(names), *_measured_poses(names)]


def table_faults(model: specs.Model) -> Iterator[str]:
    """What of a model's table does not go with its segments, where other rows were put in it than its own."""
    for where, body in _bodies(model):
        yield from _row_faults(model, body, where)
    yield from _table_faults(model)


def _bodies(model: specs.Model) -> list[tuple[str, specs.Segment]]:
    """Every body with the path of its key."""
    bodies = [(f"chain[{i}]", body) for i, body in enumerate(model.chain)]
    return bodies if model.base.body is None else [*bodies, ("base", model.base.body)]


def _parts(model: specs.Model, bodies: list[tuple[str, specs.Segment]]) -> Iterator[Part]:
    """Everything in a model that uses names."""
    none: frozenset[str] = frozenset()
    for sided, place in ((False, "middle"), (True, "each_side")):
        for kind in KINDS:
            for name, definition in getattr(model.scope(sided), f"{kind}s").items():
                yield f"{place}.{kind}s.{name}", sided, definition, none
    for segment, markers in model.pose.tracking.items() if model.pose is not None else ():
        yield f"pose.tracking.{segment}", segment != model.base.segment, tuple(markers), none
    for m in model.subject.values():
        where = f"subject{'_each_side' if m.sided else ''}.{m.name}"
        if isinstance(m.static, specs.StaticAngle):
            yield f"{where}.static", m.sided, (FrameName(m.static.proximal), FrameName(m.static.distal)), none
            yield f"{where}.static.value", m.sided, m.static.value, ANGLE_NAMES
        elif isinstance(m.static, specs.StaticTurn):
            yield f"{where}.static", m.sided, (m.static.start, m.static.end, m.static.about), none
            yield f"{where}.static.value", m.sided, m.static.value, TURN_NAMES
        else:
            yield f"{where}.static", m.sided, m.static, none
        yield f"{where}.trial", m.sided, m.trial, none
        yield f"{where}.otherwise", m.sided, m.otherwise, none
    for where, body in bodies:
        sided = where != "base"
        yield f"{where}.frame", sided, FrameName(body.frame), none
        yield f"{where}.centre", sided, PointName(body.centre), none
        yield f"{where}.com", sided, body.com, BODY_NAMES
        yield f"{where}.length", sided, body.length, none
    yield "base.frame", False, FrameName(model.base.frame), none
    yield "base.origin", False, PointName(model.base.origin), none
    for key in ("heel", "toe", "instead_of_toe", "instead_of_heel"):
        if point := getattr(model, key):
            yield f"ground_contact.{key}", True, PointName(point), none
    if model.progression is not None:
        yield "progression.point", False, PointName(model.progression.point), none
    for name, angle in model.angles.items():
        frames = tuple(FrameName(f) for f in (angle.proximal, angle.distal) if f != "progression")
        yield f"angles.{name}", True, frames, none
        yield from _columns(f"angles.{name}", angle, ANGLE_NAMES)
    of_lengths = [(f"lengths.{name}.{unit}", of[unit]) for name, of in model.lengths.items() for unit in of]
    yield from ((where, True, formula, none) for where, formula in of_lengths)
    for name, moment in model.moments.items():
        yield f"moments.{name}.axes", True, () if moment.axes == "jcs" else FrameName(moment.axes), none
        yield from _columns(f"moments.{name}", moment, MOMENT_NAMES)


def _columns(where: str, of: specs.Angle | specs.Moment, local: frozenset[str]) -> Iterator[Part]:
    for column, formula in of.columns.items():
        yield f"{where}.{column}", True, formula, local
        yield f"{where}.{column}.needs", True, of.needs.get(column), frozenset()


def _undefined(names: Names, part: Part, used: Iterable[Use]) -> Iterator[str]:
    """A fault for each name that a part of the model uses and nothing defines."""
    model = names.model
    where, sided, what, local = part
    by_itself = isinstance(what, Expression) and local in (ANGLE_NAMES, MOMENT_NAMES)
    for kind, name in used:
        if kind == "number" and name in local:
            continue
        if names.meant(kind, name, sided) is not None:
            if by_itself:
                expected = f"{', '.join(sorted(local))} and numbers"
                yield f"{where}: the {kind} {name!r} cannot be used here, expected {expected}"
            continue
        if not sided and model.defines(kind, name, True):
            yield f"{where}: {name!r} belongs to a side; write left.{name} or right.{name}"
        elif (side := name.partition(".")[0]) in {"left", "right"} - {side.name for side in model.sides}:
            yield f"sides.{side}: missing ({where} uses {name})"
        else:
            groups = {"number": ("numbers",), "point": ("points", "markers", "clusters"), "frame": ("frames",)}[kind]
            known = {n for scope in (model.middle, model.each_side) for group in groups for n in getattr(scope, group)}
            known |= set(model.subject if kind == "number" else ())
            yield f"{where}: no {kind} {name!r} in the model{nearest(name, sorted(known))}"


def _ground_and_joint_faults(model: specs.Model) -> Iterator[str]:
    grounded = sum(body.ground for body in model.chain)
    if grounded > 1 or grounded < model.touches_ground:
        yield "chain: expected ground: true on one segment (the one that the ground acts on)"
    elif grounded > model.touches_ground:
        yield "ground_contact: missing (a segment has ground: true)"
    joints = [body.joint for body in model.chain]
    if model.progression is None:
        for name, angle in model.angles.items():
            if "progression" in (angle.proximal, angle.distal):
                yield f"progression: missing (angles.{name} needs it)"
    if model.moments and "mass" not in model.subject:
        yield "subject.mass: missing (moments are divided by body mass)"
    for name in model.moments:
        if name not in joints:
            yield f"moments.{name}: no joint {name!r} in the chain{nearest(name, joints)}"
    for joint in joints:
        if joint not in model.angles:
            yield f"angles.{joint}: missing (the joint {joint!r} of the chain needs its axes)"


def _row_faults(model: specs.Model, body: specs.Segment, where: str) -> Iterator[str]:
    """What the table and the subject do not give of what a body needs."""
    rows, sided = model.table.rows, [f"{side.name}.{body.row}" for side in model.sides]
    row = rows.get(body.row) or next((rows[name] for name in sided if name in rows), None)
    if row is None or (body.row not in rows and not all(name in rows for name in sided)):
        known = nearest(body.row, list(model.table.rows))
        yield f"{where}.row: no segment {body.row!r} in the table {model.table.name}{known}"
        return
    for name in sided:
        ways = {one: _way(of) for one, of in ((name, rows.get(name, row)), (body.row, row))}
        if ways[name] != ways[body.row]:
            words = " and ".join(f"{one} {way}" for one, way in ways.items())
            yield f"{where}.row: {model.table.name} measures {words}; expected both alike"
    if row.com_fraction != row.com_fraction and ("number", "com_fraction") in uses(body.com):
        yield f"{where}.com: needs segments.{body.row}.com_fraction, which {model.table.path.name} does not give"
    mass = model.subject.get("mass")
    if row.mass_fraction is not None and (mass is None or mass.optional or mass.sided):
        fault = "missing" if mass is None else "must not be optional or sided"
        yield f"subject.mass: {fault} (the table gives {body.row} as a fraction of it)"


def _way(row: specs.SegmentParameters) -> str:
    """How a row says where its centre of mass is, in words."""
    way = f"along the span {row.span}" if row.span else "along the model's own segment, without a span"
    return f"{way}, its centre {'on the line' if row.com_fractions is row.com_m is None else 'in space'}"


def _table_faults(model: specs.Model) -> Iterator[str]:
    """Rows of one side that no segment takes, and segments that weigh more than the body."""
    bodies = [body for _, body in _bodies(model)]
    takes = {body.row: body.segment for body in bodies} | {body.segment: body.segment for body in bodies}
    for name in model.table.rows:
        side, dot, row = name.partition(".")
        if not dot:
            continue
        where = f"{model.table.name}: segments.{name}"
        if side not in SIDES:
            yield f"{where}: expected {' or '.join(SIDES)} before the point, found {side!r}{nearest(side, SIDES)}"
        elif row not in takes and row not in model.table.rows:
            yield f"{where}: no segment of the model has this row{nearest(row, list(takes))}"
        elif row not in {body.row for body in bodies} and row in takes:
            instead = next(body.row for body in bodies if body.segment == row)
            yield f"{where}: the model takes the row {instead!r} for its {row}; give {side}.{instead}"
    known = [body for body in model.chain if body.row in model.table.rows]
    rows = [model.table.row(body.row, side.name) for side in model.sides for body in known]
    if model.base.body is not None and model.base.body.row in model.table.rows:
        rows.append(model.table.rows[model.base.body.row])
    if (total := sum(row.mass_fraction or 0.0 for row in rows)) > MOST_OF_BODY:
        yield f"{model.table.name}: the segments of the model weigh {total:.3g} of the body; expected 1 or less"


def _tree_faults(model: specs.Model) -> Iterator[str]:
    """Each segment hangs from one listed after it, or from the base: no loop."""
    names = [body.segment for body in model.chain]
    hangs = {body.segment: body.on for body in model.chain}
    for i, body in enumerate(model.chain):
        where = f"chain[{i}].on"
        if body.on == model.base.segment:
            angle = model.angles.get(body.joint)
            if angle is not None and angle.proximal not in (*model.middle.frames, "progression"):
                yield (
                    f"chain: the last joint {body.joint!r} must join the leg to the middle of the body "
                    f"(angles.{body.joint}.proximal is {angle.proximal!r}); list the chain from the ground up"
                )
        elif body.on not in names:
            yield f"{where}: no segment {body.on!r}{nearest(body.on, [*names, model.base.segment])}"
        elif names.index(body.on) <= i:
            way = [body.segment]
            while (above := hangs.get(way[-1])) in hangs and above not in way:
                way.append(str(above))
            if above == body.segment:
                yield f"{where}: the chain has a loop: {' on '.join([*way, body.segment])}"
            else:
                yield f"{where}: {body.on!r} stands before it; list the chain from the free ends to the base"


def _measured_poses(names: Names) -> Iterator[str]:
    """A fault for each calibration marker that where a segment is, or an angle, would depend on."""
    if not (names.model.middle.calibration_markers or names.model.each_side.calibration_markers):
        return
    done: set[Definition] = set()
    scopes = names.model.middle, names.model.each_side
    stored = {of.point for scope in scopes for point in scope.points.values() for of in stored_points(point)}

    def reached(definition: Definition | None) -> Iterator[str]:
        if definition is None or definition in done:
            return
        done.add(definition)
        kind, name, sided = definition
        if kind == "point" and name in names.model.scope(sided).calibration_markers:
            if name not in stored:
                yield name
        else:
            for used in names.used_by(definition):
                yield from reached(used)

    definitions = ("subject", "middle.", "each_side.")
    for (where, sided, _, _), used in names.parts:
        for kind, name in () if where.startswith(definitions) else used:
            for marker in reached(names.meant(kind, name, sided)):
                yield f"{where}: depends on {marker!r}, a calibration marker, which only static and trial may use"


def _loops(names: Names) -> Iterator[str]:
    """A fault for each definition that needs itself."""
    done: dict[Definition, bool] = {}  # False while its own definition is walked through

    def visit(definition: Definition) -> Iterator[str]:
        done[definition] = False
        for used in names.used_by(definition):
            if used not in done:
                yield from visit(used)
            elif not done[used]:
                kind, name, sided = used
                yield f"{'each_side' if sided else 'middle'}: the {kind} {name!r} is defined by itself"
        done[definition] = True

    for sided in (False, True):
        for kind in KINDS:
            for name in getattr(names.model.scope(sided), f"{kind}s"):
                if (kind, name, sided) not in done:
                    yield from visit((kind, name, sided))


# --- the section `pose` ----------------------------------------------------------------------------------------


def _pose_faults(model: specs.Model, pose: Multibody) -> Iterator[str]:
    """Segments without markers, joints and angles that there are none of, and frames that no segment carries."""
    frames = {model.base.segment: model.base.frame} | {body.segment: body.frame for body in model.chain}
    yield from _tracking_faults(model, pose, frames)
    joints = [body.joint for body in model.chain]
    for name, joint in pose.joints.items():
        if name not in joints:
            yield f"pose.joints.{name}: no joint {name!r} in the chain{nearest(name, joints)}"
        elif name in model.angles:
            known = joint_letters(model, name, 1.0)
            for angle in joint.named:
                if angle not in known:
                    expected = f"one of {', '.join(known)}"
                    yield f"pose.joints.{name}: {angle!r} is no angle of this joint, expected {expected}"
    for name in joints:
        angle_of = model.angles.get(name)
        for frame in () if angle_of is None else (angle_of.proximal, angle_of.distal):
            if frame != "progression" and not _carried(model, frame, set(frames.values())):
                yield (
                    f"angles.{name}: {frame!r} is neither a frame of a segment nor turned or carried by one: it would "
                    "not move as pose.by: multibody puts the segments"
                )


def _tracking_faults(model: specs.Model, pose: Multibody, frames: Mapping[str, str]) -> Iterator[str]:
    optional = {body.segment for body in model.chain if body.optional}
    for key, named in (("tracking", pose.tracking), ("segment_weights", pose.segment_weights)):
        for segment in named.keys() - frames.keys():
            yield f"pose.{key}.{segment}: no such segment{nearest(segment, list(frames))}"
    for segment, frame in frames.items():
        scope = model.middle if segment == model.base.segment else model.each_side
        if segment not in {*pose.tracking, *optional} and not isinstance(scope.frames.get(frame), RigidFrame):
            yield f"pose.tracking.{segment}: missing (the markers that move with it)"
    markers = [name for of_segment in pose.tracking.values() for name in of_segment]
    for name in sorted({name for name in markers if markers.count(name) > 1}):
        yield f"pose.tracking: the marker {name!r} moves with two segments"


def joint_letters(model: specs.Model, joint: str, sign: float) -> dict[str, Letter]:
    """The angles of a joint by all their names: a, b, c, and its columns that are one of these and a constant.

    No columns where they are told between other frames than those of the two segments.
    """
    letters = {letter: (i, 1.0, 0.0) for i, letter in enumerate("abc")}
    angle, body = model.angles[joint], next(body for body in model.chain if body.joint == joint)
    above = next((other.frame for other in model.chain if other.segment == body.on), model.base.frame)
    if (angle.proximal, angle.distal) != (above, body.frame):
        return letters
    turns = {name: turn_of(formula, sign) for name, formula in angle.columns.items()}
    return letters | {name: turn for name, turn in turns.items() if turn is not None}


def turn_of(formula: Expression, sign: float) -> Letter | None:
    """Which of the turns a, b, c an angle is, times 1 or −1, plus how many degrees; None where it is no single one."""

    def value(free: str) -> float:
        """With one angle of 1, the others 0; of points it knows none."""
        names = {**dict.fromkeys("abc", 0.0), free: 1.0, "sign": sign}
        return float(formula.evaluate(names.__getitem__, lambda a, b: math.nan))

    constant = value("")
    slopes = [round(value(letter) - constant, 9) for letter in "abc"]
    steep = [i for i in range(3) if slopes[i]]
    return (steep[0], slopes[steep[0]], constant) if len(steep) == 1 and abs(slopes[steep[0]]) == 1.0 else None


def _carried(model: specs.Model, frame: str, segments: set[str]) -> bool:
    """Whether a frame moves with a segment's."""
    if frame in segments:
        return True
    definition = model.each_side.frames.get(frame) or model.middle.frames.get(frame)
    if isinstance(definition, TurnedFrame):
        return _carried(model, definition.frame, segments)
    return isinstance(definition, CarriedFrame) and _carried(model, definition.by, segments)
