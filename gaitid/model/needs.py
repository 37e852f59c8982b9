"""What a model needs of a trial, its static and a subject, for one side: markers that are missing, measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from gaitid.model import specs
from gaitid.model.expression import alternatives
from gaitid.model.shapes import CarriedFrame, CarriedPoint, FirstOf, RigidFrame, Use, uses
from gaitid.model.validate import BODY_NAMES
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.records import Itself, NamedTuple
from gaitid.trial import seen_as

#: Side (empty for the middle of the body) and name of a marker, a point or a frame.
Role = tuple[str, str]


class Needs:
    """Gathered while walking through the definitions.

    Attributes
    ----------
    missing : dict of Role to tuple of str
        Markers that the trial lacks, and the labels any of which would do.
    static_missing : dict of Role to tuple of str
        The same of the static.
    too_few : dict of Role to tuple of str
        Frames that need more points than trial and static share, and those points.
    wants_static : bool
        Whether anything is missing because there is no static.
    unnamed : set of Role
        Without a static, the markers that it would have to show and that have no label: no static would do yet.
    present : set of Role
    measurements : set of str
        Names of measurements, sided ones as ``left.knee_width``.
    shared : set of Role
        Markers of the segment that both legs hang from.
    absent : dict of str to Needs
        Optional segments that the markers do not give, and what they lack.
    absent_angles : dict of str to Needs
        Optional angles and lengths, likewise.
    """

    def __init__(self) -> None:
        self.missing: dict[Role, tuple[str, ...]] = {}
        self.static_missing: dict[Role, tuple[str, ...]] = {}
        self.too_few: dict[Role, tuple[str, ...]] = {}
        self.wants_static = False
        self.unnamed: set[Role] = set()
        self.present: set[Role] = set()
        self.measurements: set[str] = set()
        self.shared: set[Role] = set()
        self.absent: dict[str, Needs] = {}
        self.absent_angles: dict[str, Needs] = {}

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not (self.missing or self.static_missing or self.too_few or self.wants_static)

    @property
    def nameless(self) -> bool:
        """Whether a marker is missing that has no label."""
        return bool(self.unnamed) or () in (*self.missing.values(), *self.static_missing.values())

    def of_leg(self, side: str, roles: set[Role]) -> set[Role]:
        """Those of the roles that belong to this side's leg alone, not to the pelvis that both legs hang from."""
        return {role for role in roles if role[0] == side and role not in self.shared}

    def take(self, other: Needs) -> None:
        """Add what another walk found."""
        self.take_present(other)
        self.take_faults(other)

    def take_present(self, other: Needs) -> None:
        """Add what another walk found to be there, and the measurements that it asked for."""
        self.present |= other.present
        self.measurements |= other.measurements

    def take_faults(self, other: Needs) -> None:
        """Add what another walk found missing."""
        self.missing.update(other.missing)
        self.static_missing.update(other.static_missing)
        self.too_few.update(other.too_few)
        self.wants_static |= other.wants_static
        self.unnamed |= other.unnamed


class Reference(NamedTuple):
    """Where the places of carried points and frames come from.

    Attributes
    ----------
    model : Model
        Bound to the static.
    seen : frozenset of str or None
        The labels of the static's markers; None where there is no static.
    known : frozenset of Role
        What a subject file brings instead.
    """

    model: specs.Model
    seen: frozenset[str] | None = None
    known: frozenset[Role] = frozenset()


class _Walk:
    def __init__(
        self, model: specs.Model, has: Callable[[str], bool], reference: Reference | None, standing: bool = False
    ) -> None:
        self.model = model
        self.has = has
        self.of_sides = model.sided_names  # as `Model.place` asks of one name after the other
        self.reference = reference
        self.standing = standing
        self.static: _Walk | None = None  # where there is none, one that shows all labels that there are
        self.no_static = reference is None or reference.seen is None
        if reference is not None and not standing:
            shown = bool if reference.seen is None else reference.seen.__contains__
            self.static = _Walk(reference.model, shown, None, standing=True)
        self.seen: dict[tuple[str, str, str], bool] = {}

    def visit(self, kind: str, name: str, side: str, needs: Needs) -> bool:
        """Note what a definition needs; whether all markers for it are there."""
        if "." in name:
            side, name = self.model.place(kind, name, side)
        elif side and name not in self.of_sides[kind]:
            side = ""
        key = (kind, name, side)
        complete = self.seen.get(key)
        if complete is None:
            self.seen[key] = True  # loops are refused when a model is read
            complete = self.seen[key] = self._visit(kind, name, side, needs)
        return complete

    def _visit(self, kind: str, name: str, side: str, needs: Needs) -> bool:
        scope = self.model.each_side if side else self.model.middle
        if kind == "point" and name in scope.markers and name not in scope.points:
            labels = self.model.labels(name, side)
            complete = any(self.has(label) for label in labels)
            if complete:
                needs.present.add((side, name))
            elif labels and all(seen_as(label) != label for label in labels):  # a pose is one thing, not four points
                needs.missing[(side, name.rpartition("_")[0])] = tuple(map(seen_as, labels))
            else:
                needs.missing[(side, name)] = labels
            return complete
        if kind == "number":
            return self.number(name, side, needs)
        definition = scope.points.get(name) if kind == "point" else scope.frames.get(name)
        if isinstance(definition, FirstOf):
            return self.first_complete([uses(option) for option in definition.options], side, needs)
        if isinstance(definition, RigidFrame):
            return self.rigid(definition, (side, name), needs)
        if isinstance(definition, CarriedPoint | CarriedFrame):
            return self.carried(definition, (side, name), needs)
        return self.visit_all(uses(definition), side, needs)

    def visit_all(self, used: Iterable[Use], side: str, needs: Needs) -> bool:
        """Note what all of it needs; whether all markers for it are there."""
        complete = [self.visit(kind, name, side, needs) for kind, name in used]
        return all(complete)

    def number(self, name: str, side: str, needs: Needs) -> bool:
        """Note what a number needs: a measurement, or what its formula uses."""
        scope = self.model.scope(bool(side))
        if name in scope.numbers:
            ways = [uses(formula) for formula in alternatives(scope.numbers[name])]
            return self.first_complete(ways, side, needs)
        if name in self.model.subject:
            needs.measurements.add(f"{side}.{name}" if side else name)
            return True
        return self.visit_all(self.model.uses("number", name, bool(side)), side, needs)

    def first_complete(self, options: Sequence[Iterable[Use]], side: str, needs: Needs) -> bool:
        """Note what the first of several ways needs that has all its markers; what all lack where none has."""
        if len(options) == 1:
            return self.visit_all(options[0], side, needs)
        tried: list[Needs] = []
        result = False
        for option in options:
            trial = Needs()
            if self.attempt(list(option), side, trial):
                needs.take_present(trial)
                if any(self.model.subject[name.rpartition(".")[2]].optional for name in trial.measurements):
                    result = True  # nobody need know that one: what stands in for it is wanted too
                    continue
                return True
            tried.append(trial)
        if result:
            return True
        for trial in tried:
            needs.take_faults(trial)
        return False

    def attempt(self, wanted: list[Use], side: str, trial: Needs) -> bool:
        """Whether all of it is there; where not, nothing is remembered of having looked."""
        saved, saved_static = dict(self.seen), dict(self.static.seen) if self.static else {}
        complete = self.visit_all(wanted, side, trial)
        if not complete:
            self.seen = saved
            if self.static:
                self.static.seen = saved_static
        return complete

    def rigid(self, spec: RigidFrame, role: Role, needs: Needs) -> bool:
        """Whether three of its points are there, in the trial and in what it is measured against."""
        side = role[0]
        if self.standing:
            return self.visit("frame", spec.reference, side, needs)
        complete = self.referred("frame", spec.reference, role, needs)
        names: list[str] = []
        shared = 0  # by trial and static; without a static, what the trial shows
        for point in (*spec.points, *spec.reserve):
            trial = Needs()
            if not self.attempt([("point", point)], side, trial):
                place, bare = self.model.place("point", point, side)
                scope = self.model.scope(bool(place))
                if bare in scope.markers and (labels := self.model.labels(bare, place)):
                    names.append(labels[0])  # of several spellings one tells which marker it is
                continue
            needs.take_present(trial)
            shared += role in (self.reference.known if self.reference else ()) or self.in_static(point, side)
        if shared < FEWEST:
            needs.too_few[role] = tuple(names)
            complete = False
        return complete

    def carried(self, spec: CarriedPoint | CarriedFrame, role: Role, needs: Needs) -> bool:
        """Whether the static shows it, and the trial what carries it."""
        kind, what = ("point", spec.point) if isinstance(spec, CarriedPoint) else ("frame", spec.frame)
        if self.standing:
            return self.visit(kind, what, role[0], needs)
        complete = self.referred(kind, what, role, needs)
        return self.visit("frame", spec.by, role[0], needs) and complete

    def referred(self, kind: str, name: str, role: Role, needs: Needs) -> bool:
        """Whether the static shows a point or a frame, or a subject file brings what was measured of it."""
        if self.reference is not None and role in self.reference.known:
            return True
        of_static = Needs()
        complete = self.static is not None and self.static.visit(kind, name, role[0], of_static)
        if self.no_static:
            needs.wants_static = True
            needs.unnamed |= set(of_static.missing)
            return False
        needs.static_missing.update(of_static.missing)
        needs.measurements |= of_static.measurements
        return complete

    def in_static(self, point: str, side: str) -> bool:
        return self.no_static or (self.static is not None and self.static.attempt([("point", point)], side, Needs()))


def side_needs(
    model: specs.Model, side: str, seen: frozenset[str], reference: Reference | None = None
) -> tuple[Needs, tuple[str, ...]]:
    """Everything that one leg, the pelvis and their angles need (calibration frames apart). Not to be changed: the same
    for all trials with these labels.

    Parameters
    ----------
    model : Model
    side : str
    seen : frozenset of str
        The labels of the trial's markers.
    reference : Reference, optional
        The static, or what a subject file says of it; for models that carry anything over from one.

    Returns
    -------
    needs : Needs
    computable : tuple of str
        Segments of the side whose frames have all their markers.
    """
    if reference is None:
        return _side_needs(Itself(model), side, seen)
    return _side_needs(Itself(model), side, seen, Itself(reference.model), reference.seen, reference.known)


@lru_cache(maxsize=128)
def _side_needs(
    bound: Itself[specs.Model],
    side: str,
    seen: frozenset[str],
    static: Itself[specs.Model] | None = None,
    static_seen: frozenset[str] | None = None,
    known: frozenset[Role] = frozenset(),
) -> tuple[Needs, tuple[str, ...]]:
    model = bound.record
    reference = None if static is None else Reference(static.record, static_seen, known)
    walk = _Walk(model, seen.__contains__, reference)
    needs = Needs()
    walk.visit("frame", model.base.frame, side, needs)
    walk.visit("point", model.base.origin, side, needs)
    needs.shared |= needs.present | set(needs.missing)
    if model.table.by_sex:
        needs.measurements.add(specs.SEX.name)
    tracking = {} if model.pose is None else model.pose.tracking
    wanted: list[Use] = [("point", name) for name in tracking.get(model.base.segment, ())]
    if (base := model.base.body) is not None:
        walk.visit_all(_body_uses(base), "", needs)
    computable = []
    absent_frames: set[str] = set()
    for body in model.chain:
        tracked: list[Use] = [("point", name) for name in tracking.get(body.segment, ())]
        if body.optional:
            trial = Needs()
            if not walk.attempt([("frame", body.frame), *_body_uses(body), *tracked], side, trial):
                needs.absent[body.segment] = trial
                absent_frames.add(body.frame)
                continue
            needs.take(trial)
        if walk.visit("frame", body.frame, side, needs):
            computable.append(body.segment)
        if body.ground and model.touches_ground:
            wanted.append(("point", model.toe))
            heels = [name for name in (model.heel, model.instead_of_heel) if name]
            walk.first_complete([[("point", name)] for name in heels], side, needs)
        wanted += [*_body_uses(body), *tracked]
    extra: dict[str, list[Use]] = {
        name: [use for formula in length.values() for use in uses(formula)] for name, length in model.lengths.items()
    }
    for name, angle in model.angles.items():
        frames = [f for f in (angle.proximal, angle.distal) if f != "progression"]
        if angle.optional:
            extra[name] = [("frame", f) for f in frames]
            continue
        wanted += [("frame", f) for f in frames if absent_frames.isdisjoint(frames)]
    axes = [moment.axes for moment in model.moments.values() if moment.axes != "jcs"]
    wanted += [("frame", frame) for frame in axes if frame not in absent_frames]
    walk.visit_all(wanted, side, needs)
    for name, used in extra.items():
        trial = Needs()
        if walk.attempt(used, side, trial):
            needs.take_present(trial)
        else:
            needs.absent_angles[name] = trial
    return needs, tuple(computable)


def has_points(
    model: specs.Model,
    points: Sequence[str],
    side: str,
    has: Callable[[str], bool],
    given: Iterable[tuple[str, str, str]] = (),
) -> bool:
    """Whether a trial holds all markers of some points.

    Parameters
    ----------
    model : Model
    points : sequence of str
    side : str
        Empty for the middle of the body.
    has : callable
        Whether the trial holds a marker of that label.
    given : iterable of (kind, name, side)
        Taken to be there.
    """
    walk = _Walk(model, has, None)
    walk.seen |= dict.fromkeys(given, True)
    return walk.attempt([("point", point) for point in points], side, Needs())


def _body_uses(body: specs.Segment) -> list[Use]:
    """What the joint, the centre of mass and the length of a body use of the model and the subject."""
    used = [("point", body.centre), *uses(body.com), *uses(body.length)]
    return [use for use in used if use[0] != "number" or use[1] not in BODY_NAMES]
