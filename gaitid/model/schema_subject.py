"""What a model asks of the subject, in its YAML -> `Measurement`."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.model import specs
from gaitid.model.expression import Expression
from gaitid.model.fields import Fields
from gaitid.model.shape_parser import parse_vector

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
UNITS = ("kg", "mm", "cm", "m", "rad", "deg", "years")


def parse_measurement(fields: Fields) -> specs.Measurement:
    """What its section alone says: neither its name nor whether each leg has it."""
    low, high = fields.bounds("range")
    static_value = fields.raw("static", None)
    static: Expression | specs.StaticAngle | specs.StaticTurn | None
    if isinstance(static_value, Mapping):
        static = _static_angle(fields.mapping("static"))
    else:
        static = fields.expression("static", None)
    unit = fields.text("unit", among=UNITS)
    key = fields.text("key")
    if unit and not key.endswith(f"_{unit}"):
        fields.faults.add(f"{fields.at('key')}: must end in its unit, _{unit}")
    result = specs.Measurement(
        name="",
        sided=False,
        key=key,
        unit=unit,
        c3d_unit=fields.text("c3d_unit", unit, UNITS),
        c3d=_c3d_names(fields),
        low=low,
        high=high,
        optional=fields.flag("optional", False),
        zero_is_absent=fields.flag("zero_is_absent", False),
        static=static,
        otherwise=fields.expression("otherwise", None),
        because=fields.text("because", ""),
        trial=fields.expression("trial", None),
        trial_source=fields.text("trial_source", specs.TRIAL_SOURCE),
    )
    if result.otherwise is not None and not result.because:
        fields.faults.add(f"{fields.at('because')}: missing (why the value of otherwise may be taken)")
    if "trial_source" in fields.values and "trial" not in fields.values:
        fields.faults.add(f"{fields.at('trial_source')}: only with trial, whose value it is the source of")
    fields.done()
    return result


def _static_angle(fields: Fields) -> specs.StaticAngle | specs.StaticTurn:
    """A calibration angle: between two frames, or between two vectors."""
    angle: specs.StaticAngle | specs.StaticTurn
    if "from" in fields.values or "to" in fields.values:
        start, end = (parse_vector(fields.raw(key), fields.at(key), fields.faults) for key in ("from", "to"))
        about = None
        if "about" in fields.values:
            about = parse_vector(fields.raw("about"), fields.at("about"), fields.faults)
        angle = specs.StaticTurn(start, end, about, fields.required_expression("value"))
    else:
        angle = specs.StaticAngle(
            fields.text("proximal"),
            fields.text("distal"),
            fields.text("sequence", among=SEQUENCES),
            fields.required_expression("value"),
        )
    fields.done()
    return angle


def _c3d_names(fields: Fields) -> tuple[str, ...]:
    """The names that a measurement may have in a trial: text, or a list."""
    value = fields.raw("c3d", "")
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        fields.faults.add(f"{fields.at('c3d')}: expected a name or a list of names, found {value!r}")
        return ()
    return tuple(name for name in names if name)
