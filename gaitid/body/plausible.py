"""Whether measurements, lengths and angles can be those of a body: limits that leave room for patients.

Three answers: nothing to say; a doubt, where hardly anybody has it; a fault, where nobody has. What recorded trials of
nineteen laboratories and the literature say of each limit stands in docs/static.md, "What a body can have".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.requested import display
from gaitid.body.subject import Subject, key_of
from gaitid.model import specs
from gaitid.model.shapes import Between, FirstOf, FromTo, PointName, PointRef
from gaitid.notes import Note, Notes, note, phrase
from gaitid.records import NamedTuple


class Limits(NamedTuple):
    """Below and above `doubt` hardly any body is, below and above `fault` none."""

    doubt: tuple[float, float]
    fault: tuple[float, float] = (-np.inf, np.inf)

    def judge(self, value: float) -> str:
        """``doubt``, ``fault``, or nothing; nothing too where the value is not known."""
        for kind, (low, high) in (("fault", self.fault), ("doubt", self.doubt)):
            if value < low or value > high:
                return kind
        return ""


def symmetric(doubt: float, fault: float = np.inf) -> Limits:
    """The same to both sides of 0."""
    return Limits((-doubt, doubt), (-fault, fault))


def _degrees(doubt: tuple[float, float], fault: tuple[float, float]) -> Limits:
    (low, high), (least, most) = (map(float, np.radians(pair)) for pair in (doubt, fault))
    return Limits((low, high), (least, most))


# --- measurements --------------------------------------------------------------------------------------------


class Relation(NamedTuple):
    """What must hold between measurements: the names, what is computed of them, and its limits."""

    names: tuple[str, ...]
    value: Callable[..., float]
    limits: Limits


def _share(a: float, b: float) -> float:
    return a / b


def _beyond_davis(distance: float, leg: float) -> float:
    """Against the regression on leg length (Davis 1991), m."""
    return distance - (0.1288 * leg - 0.04856)


#: Of one leg (``leg_length``) with what belongs to the body (``height``); each needs all its measurements.
RELATIONS = (
    # 0.53 of the height from the hip to the floor (Drillis & Contini 1966); 0.48 to 0.56 in eight persons
    Relation(("leg_length", "height"), _share, Limits((0.42, 0.60))),
    Relation(("knee_width", "leg_length"), _share, Limits((0.07, 0.20), (0.04, 0.35))),
    Relation(("ankle_width", "knee_width"), _share, Limits((0.40, 1.0), (0.25, 1.6))),
    Relation(("inter_asis_distance", "leg_length"), _share, Limits((0.16, 0.45), (0.08, 0.7))),
    Relation(("asis_trocanter_distance", "leg_length"), _beyond_davis, symmetric(0.025, 0.08)),
)
#: rad, by themselves. A wand may be anywhere about its bone, but lies to the side or in front, a patella marker too.
#: Tibiae are turned out by 15° to 40° (negative here); one that is turned in is a patient's, or has lost its sign.
ANGLES = {
    "thigh_rotation": symmetric(float(np.radians(90))),
    "shank_rotation": symmetric(float(np.radians(85))),
    "tibial_torsion": _degrees((-60, 15), (-100, 100)),
    "ankle_abduction": _degrees((-30, 30), (-60, 60)),
    "static_plantar_flexion": _degrees((0, 40), (-40, 80)),
    "static_rotation_offset": _degrees((-20, 20), (-50, 50)),
}
#: How left and right may differ: widths as a share, leg lengths too, angles in rad.
SIDES_APART = {
    "leg_length": 0.06,
    "knee_width": 0.20,
    "ankle_width": 0.25,
    **{name: float(np.radians(35.0)) for name in ANGLES},
}
# kg/m²: no adult lives below 10 (Henry 1990, Eur J Clin Nutr 44:329-335); babies have 12, few people more than 60.
BODY_MASS_INDEX = Limits((10.0, 60.0))
MARKER_DIAMETER = Limits((0.003, 0.030))


def measurement_faults(model: specs.Model, subject: Subject) -> tuple[list[str], Notes]:
    """Measurements that contradict each other beyond any body, in words with their keys; notes of doubtful ones."""
    # what follows from the trial's own markers is an estimate that breathes with the joints
    measured = {name: m for name, m in subject.measured.items() if m.source != specs.TRIAL_SOURCE}
    numbers, faults, notes = {name: m.value for name, m in measured.items()}, list[str](), list[Note]()

    def say(kind: str, names: Sequence[str], why: str, side: str = "") -> None:
        shown = [
            phrase("measured/value", key=key(model, name), value=display(of.value, of.unit), source=of.source)
            for name in names
            for of in [subject.measured[name]]
        ]
        if kind == "fault":
            faults.append(phrase("measured/fault", measured=shown, why=why))
        else:
            notes.append(note("calibration_doubtful/measured", side, measured=shown, why=why))

    for side in model.sides:
        of_side = {name.rpartition(".")[2]: name for name in numbers if name.rpartition(".")[0] in ("", side.name)}
        for relation in RELATIONS:
            if all(name in of_side for name in relation.names):
                names = [of_side[name] for name in relation.names]
                value = relation.value(*(numbers[name] for name in names))
                if kind := relation.limits.judge(value):
                    say(kind, names, phrase(f"measured/{relation.names[0]}", value=value), side.name)
        for bare, limits in ANGLES.items():
            name = f"{side.name}.{bare}"
            if kind := limits.judge(numbers.get(name, np.nan)):
                say(kind, [name], _lies(model, side.name, bare), side.name)
    for bare, limit in SIDES_APART.items():
        pair = [f"{side.name}.{bare}" for side in model.sides]
        if len(pair) == 2 and all(name in numbers for name in pair):
            first, second = (numbers[name] for name in pair)
            off = abs(wrapped(first - second)) if bare in ANGLES else abs(np.log(first / second))
            if off > limit:
                say("doubt", pair, phrase("measured/sides"))
    if {"mass", "height"} <= numbers.keys():
        index = numbers["mass"] / numbers["height"] ** 2
        if kind := BODY_MASS_INDEX.judge(index):
            say(kind, ["mass", "height"], phrase("measured/mass", index=index))
    if kind := MARKER_DIAMETER.judge(numbers.get("marker_diameter", np.nan)):
        say(kind, ["marker_diameter"], phrase("measured/marker_diameter"))
    return faults, tuple(notes)


def _lies(model: specs.Model, side: str, bare: str) -> str:
    """What an angle that cannot be says of its markers."""
    spec = model.subject[bare].static
    vectors = (spec.start, spec.end) if isinstance(spec, specs.StaticTurn) else ()
    points = [v.end for v in vectors if isinstance(v, FromTo) and isinstance(v.end, str)] or [
        PointName(model.heel),
        PointName(model.toe),
    ]
    labels = [label for point in points if (label := marker_label(model, point, side))]
    labels = labels or [label for point in points[-1:] if (label := _label(model, point, side))]
    return phrase("measured/angle", labels=labels)


def _label(model: specs.Model, point: PointRef, side: str) -> str:
    """The label of a marker, or of that from which a point is measured; empty where it is made of several."""
    if isinstance(point, FirstOf):
        return next(filter(None, (_label(model, option, side) for option in point.options)), "")
    if isinstance(point, Between):
        return _label(model, point.start, side)
    if not isinstance(point, str):
        return ""
    place, name = model.place("point", point, side)
    defined = model.scope(bool(place)).points.get(name)
    return marker_label(model, point, side) if defined is None else _label(model, defined, side)


def wrapped(angle: float) -> float:
    """The same angle, rad, from −π to π."""
    return float(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))


def key(model: specs.Model, name: str) -> str:
    """The key of a subject file for a measurement by its name."""
    side, _, bare = name.rpartition(".")
    return key_of(model.subject[bare], side)
