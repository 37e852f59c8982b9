"""What a model needs of a trial and a subject, for one side: markers that are missing, measurements asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gaitid.model import specs
from gaitid.model.shapes import FirstOf, Use, uses
from gaitid.model.validate import BODY_NAMES


@dataclass
class Needs:
    """Gathered while walking through the definitions.

    Attributes
    ----------
    missing : dict
        (side or '', role) to the labels any of which would do.
    present : set of (side, role)
    measurements : set of str
        Names of measurements, sided ones as ``left.knee_width``.
    shared : set of (side, role)
        Markers of the segment that both legs hang from.
    """

    missing: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    present: set[tuple[str, str]] = field(default_factory=set)
    measurements: set[str] = field(default_factory=set)
    shared: set[tuple[str, str]] = field(default_factory=set)

    def of_leg(self, side: str, roles: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of the roles that belong to this side's leg alone, not to the pelvis that both legs hang from."""
        return {role for role in roles if role[0] == side and role not in self.shared}


class _Walk:
    def __init__(self, model: specs.Model, has: Callable[[str], bool]) -> None:
        self.model = model
        self.has = has
        self.letters = {side.name: side.letter for side in model.sides}
        self.seen: dict[tuple[str, str, str], bool] = {}

    def visit(self, kind: str, name: str, side: str, needs: Needs) -> bool:
        """Note what a definition needs; whether all markers for it are there."""
        side, name = self.model.place(kind, name, side)
        key = (kind, name, side)
        if key in self.seen:
            return self.seen[key]
        self.seen[key] = True  # loops are refused when a model is read
        scope = self.model.scope(bool(side))
        complete = True
        if kind == "point" and name in scope.markers and name not in scope.points:
            labels = tuple(t.replace("{S}", self.letters.get(side, "")) for t in scope.markers[name])
            complete = any(self.has(label) for label in labels)
            if complete:
                needs.present.add((side, name))
            else:
                needs.missing[(side, name)] = labels
        elif kind == "point" and isinstance(point := scope.points[name], FirstOf):
            complete = self.first_of(point, side, needs)
        elif kind == "number" and name in self.model.subject and name not in scope.numbers:
            needs.measurements.add(f"{side}.{name}" if side else name)
        else:
            for used_kind, used in self.model.uses(kind, name, bool(side)):
                complete &= self.visit(used_kind, used, side, needs)
        self.seen[key] = complete
        return complete

    def first_of(self, spec: FirstOf, side: str, needs: Needs) -> bool:
        tried: list[Needs] = []
        for option in spec.options:
            trial = Needs()
            saved = dict(self.seen)
            complete = [self.visit(kind, used, side, trial) for kind, used in uses(option)]
            if all(complete):
                needs.present |= trial.present
                needs.measurements |= trial.measurements
                return True
            self.seen = saved
            tried.append(trial)
        for trial in tried:
            needs.missing.update(trial.missing)
        return False


def side_needs(model: specs.Model, side: str, has: Callable[[str], bool]) -> tuple[Needs, tuple[str, ...]]:
    """Everything that one leg, the pelvis and their angles need (calibration frames apart).

    Parameters
    ----------
    model : Model
    side : str
    has : callable
        Whether the trial holds a marker of that label.

    Returns
    -------
    needs : Needs
    computable : tuple of str
        Segments of the side whose frames have all their markers.
    """
    walk = _Walk(model, has)
    needs = Needs()
    walk.visit("frame", model.base.frame, side, needs)
    walk.visit("point", model.base.origin, side, needs)
    needs.shared |= needs.present | set(needs.missing)
    wanted = [("point", model.heel), ("point", model.toe)] if model.touches_ground else []
    if (base := model.base.body) is not None:
        for kind, name in _body_uses(base):
            walk.visit(kind, name, "", needs)
    computable = []
    for body in model.chain:
        if walk.visit("frame", body.frame, side, needs):
            computable.append(body.segment)
        wanted += _body_uses(body)
    for angle in model.angles.values():
        wanted += [("frame", f) for f in (angle.proximal, angle.distal) if f != "progression"]
    wanted += [("frame", moment.axes) for moment in model.moments.values()]
    for kind, name in wanted:
        walk.visit(kind, name, side, needs)
    return needs, tuple(computable)


def _body_uses(body: specs.Segment) -> list[Use]:
    """What the joint, the centre of mass and the length of a body use of the model and the subject."""
    used = [("point", body.centre), *uses(body.com), *uses(body.length)]
    return [use for use in used if use[0] != "number" or use[1] not in BODY_NAMES]
