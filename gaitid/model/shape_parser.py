"""Definitions of points, vectors and frames in a model's YAML -> `shapes`, by the form of each kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

from gaitid.errors import GaitidError
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields
from gaitid.model.shapes import (
    AXES,
    FORMS,
    FRAMES,
    POINTS,
    VECTORS,
    AxesFrame,
    CarriedPoint,
    Frame,
    FrameAxis,
    FrameName,
    FromTo,
    Mean,
    Point,
    PointName,
    PointRef,
    Vector,
    pose_points,
)

T = TypeVar("T")


def parse_ref(value: object, where: str, faults: Faults) -> PointRef:
    """A point by its name or its definition; `where` is the path of its key, for faults."""
    if isinstance(value, str):
        return PointName(value)
    point = parse_point(Fields(value, where, faults))
    if isinstance(point, CarriedPoint):  # its place in the static is remembered by its name
        faults.add(f"{where}: a carried point needs a name of its own under points")
    return point


def parse_point(fields: Fields) -> Point:
    """A point's definition."""
    if POINTS.keys().isdisjoint(fields.values):
        found = ", ".join(fields.values) or "nothing"
        fields.faults.add(f"{fields.path}: expected one of {', '.join(POINTS)}; found {found}")
        fields.asked |= fields.values.keys()
        return Mean(())
    point: Point = _parse(fields, POINTS, Mean)
    return point


def parse_vector(value: object, where: str, faults: Faults) -> Vector:
    """A vector: an axis of a frame, two points, or a definition."""
    if isinstance(value, str):
        return FrameAxis(*_frame_axis(value, where, faults))
    if isinstance(value, list) and len(value) == 2:
        start, end = (parse_ref(end, f"{where}[{i}]", faults) for i, end in enumerate(value))
        vector: Vector = FromTo(start, end)
    else:
        vector = _parse(Fields(value, where, faults), VECTORS, FromTo)
    if isinstance(vector, FromTo) and vector.start == vector.end != PointName("?"):
        faults.add(f"{where}: expected two different points, found {vector.start} twice")
    return vector


def parse_frame(fields: Fields) -> Frame:
    """A frame's definition."""
    frame: Frame = _parse(fields, FRAMES, AxesFrame)
    if isinstance(frame, AxesFrame) and frame.keep == frame.toward:
        fields.faults.add(f"{fields.path}: keep and toward name the same axis {frame.keep}")
    return frame


def _parse(fields: Fields, kinds: Mapping[str, type], otherwise: type) -> Any:
    kind = next((kind for key, kind in kinds.items() if key in fields.values), otherwise)
    definition = kind(*_values(fields, FORMS[kind][1]))
    fields.done()
    return definition


def _values(fields: Fields, yaml: str) -> Iterator[object]:
    """What the keys of a form hold in a file."""
    for key, holds in _keys(yaml):
        if holds in _READERS:
            yield from _READERS[holds](fields, key)
        else:
            inner = fields.mapping(key)
            yield from _values(inner, holds)
            inner.done()


def part(fields: Fields, key: str, parse: Callable[[object, str, Faults], T]) -> T:
    """What a key holds, parsed."""
    return parse(fields.raw(key), fields.at(key), fields.faults)


def _single(fields: Fields, key: str, parse: Callable[[object, str, Faults], T]) -> T | PointName:
    if key in fields.values:
        return part(fields, key, parse)
    fields.raw(key)
    return PointName("?")


def _list(fields: Fields, key: str, parse: Callable[[object, str, Faults], T], count: str = "") -> tuple[Any, ...]:
    items = fields.items(key)
    parsed = [parse(item, f"{fields.at(key)}[{i}]", fields.faults) for i, item in enumerate(items)]
    expected = {"two": 2, "three": 3}.get(count.partition(" ")[0], len(items))
    if len(items) != expected:
        fields.faults.add(f"{fields.at(key)}: expected {count}")
    return (*parsed, *[None] * expected)[:expected]


def _formula(value: object, where: str, faults: Faults) -> Expression:
    try:
        return parse_expression(value, where)
    except GaitidError as error:
        faults.add(error.line())
        return parse_expression(0, where)


def _name(value: object, where: str, faults: Faults) -> PointName:
    if not isinstance(value, str):
        faults.add(f"{where}: expected the name of a point, found {value!r}")
        return PointName("?")
    return PointName(value)


def _frame_axis(name: str, where: str, faults: Faults) -> tuple[FrameName, str]:
    frame, _, axis = name.rpartition(".")
    if not frame or axis not in tuple(AXES):
        faults.add(f"{where}: expected an axis of a frame such as shank.y, found {name!r}")
    return FrameName(frame), axis


def _axis_and_vector(fields: Fields, key: str) -> tuple[str, Vector]:
    inner = fields.mapping(key)
    letters = [letter for letter in inner.values if letter in tuple(AXES)]
    if len(letters) != 1 or len(inner.values) != 1:
        fields.faults.add(f"{fields.at(key)}: expected one of x, y, z with its vector, found {list(inner.values)}")
        return "x", FrameAxis(FrameName("?"), "x")
    return letters[0], parse_vector(inner.values[letters[0]], inner.at(letters[0]), inner.faults)


def _turns(fields: Fields, key: str) -> Iterator[tuple[str, Expression]]:
    for i, item in enumerate(fields.items(key)):
        step = Fields(item, f"{fields.at(key)}[{i}]", fields.faults)
        if len(step.values) == 1 and set(step.values) <= set(AXES):
            (letter,) = step.values
            yield letter, step.required_expression(letter)
        else:
            fields.faults.add(f"{step.path}: expected one axis and its angle, as {{y: angle}}")


@cache
def _keys(yaml: str) -> list[tuple[str, str]]:
    """The keys of a form, and what each holds."""
    return _KEY.findall(yaml)


_KEY = re.compile(r"(\w+): (\{.*?\}(?=[,}]|$)|\[.*?\]\??|[\w.?]+)")
# What the keys of forms may hold: a function that gives the values of the fields that they fill.
_READERS: Mapping[str, Callable[[Fields, str], tuple[object, ...]]] = {
    "POINT": lambda f, key: (_single(f, key, parse_ref),),
    "POINT?": lambda f, key: (_single(f, key, parse_ref) if f.has(key) else None,),
    "VECTOR": lambda f, key: (_single(f, key, parse_vector),),
    "FRAME": lambda f, key: (FrameName(f.text(key)),),
    "FRAME.AXIS": lambda f, key: _frame_axis(f.text(key), f.at(key), f.faults),
    "FORMULA": lambda f, key: (f.required_expression(key),),
    "FORMULA?": lambda f, key: (f.expression(key, None),),
    "AXIS": lambda f, key: (f.text(key, among=AXES),),
    "foot_flat?": lambda f, key: (f.text(key, None, ("foot_flat",)) if f.has(key) else None,),
    "[POINT, ...]": lambda f, key: (_list(f, key, parse_ref),),
    "[NAME, ...]": lambda f, key: (_list(f, key, _name),),
    "[NAME, ...]?": lambda f, key: (_list(f, key, _name) if f.has(key) else (),),
    "NAME_OF_POSE": lambda f, key: pose_points(f.text(key)),
    "YES?": lambda f, key: (f.flag(key, False),),
    "TEXT?": lambda f, key: (f.text(key) if f.has(key) else None,),
    "NAME": lambda f, key: (PointName(f.text(key)),),
    "[POINT, POINT]": lambda f, key: _list(f, key, parse_ref, "two points"),
    "[POINT, POINT, POINT]": lambda f, key: (_list(f, key, parse_ref, "three points"),),
    "[POINT, POINT, POINT]?": lambda f, key: (_list(f, key, parse_ref, "three points") if f.has(key) else None,),
    "[VECTOR, VECTOR]": lambda f, key: _list(f, key, parse_vector, "two vectors"),
    "[FORMULA x 3]": lambda f, key: (_list(f, key, _formula, "three formulas"),),
    "{AXIS: VECTOR}": _axis_and_vector,
    "[{AXIS: FORMULA}, ...]": lambda f, key: (tuple(_turns(f, key)),),
}
