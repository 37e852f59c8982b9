"""Subject files: measurements, how the static was taken, and what a calibration measured; read and written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.body.joints import Calibration, JointPlace, Place, Pose
from gaitid.body.measured import measured_rows
from gaitid.body.subject import SI, Subject, SubjectFile, key_of, request, si_unit
from gaitid.errors import reading
from gaitid.model import specs
from gaitid.model.fields import Faults, Fields, unknown_keys
from gaitid.model.load import bundled_models, load_model
from gaitid.model.nexus_subject import SUFFIX, read_mp
from gaitid.trial import Array, Measurements

# Of the section that `gaitid calibrate` writes.
SCHEMA = 1
# Units that a key may end in, by the one that its value is kept in; of any other that one.
_SPELLED = {"m": ("mm", "cm", "m"), "rad": ("rad", "deg")}
# In which unit a value may be that is none in its own, by the unit's kind: what it is in SI, and between what a body's
# measurement lies then (None: the range of that measurement). The first that fits is named; inches where metres,
# centimetres and millimetres would be of nobody.
_MISTAKEN: Mapping[str, tuple[tuple[str, float, tuple[float, float] | None], ...]] = {
    "kg": (("grams", 1e-3, (2.0, 250.0)), ("pounds", 0.45359237, (2.0, 250.0)), ("newtons", 1 / 9.80665, (2.0, 250.0))),
    "m": (
        ("metres", 1.0, None),
        ("centimetres", 1e-2, None),
        ("millimetres", 1e-3, None),
        ("feet", 0.3048, None),
        ("inches", 0.0254, None),
    ),
    "rad": (("degrees", float(np.pi) / 180, None),),
    "years": (("months", 1 / 12, None),),
}
_HEIGHT_M, _MASS_KG = (0.75, 2.3), (2.0, 250.0)
# Words by which others know a measurement, and no spelling tells.
_OTHER_WORDS = dict.fromkeys(("weight", "bodyweight", "bodymass"), "mass_kg") | {"stature": "height_m", "gender": "sex"}
# What tables and norms may ask besides measurements.
SEXES = specs.SEXES
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
# Keys beside the measurements.
_SECTIONS = ("sex", "reason", "static", "segments", "calibration", "emg")
# mm. A hip's centre in a subject file is the one that a functional trial gave, if it is as near as that.
_SAME_MM = 0.01
# Measured in one static: none may be changed without the others.
_TOGETHER = ("model", "templates_mm", "points_mm", "frames", "lengths_mm", "tracking_mm", "joints")
_HEAD = """\
# A subject's measurements and calibration, for --subject. Templates and points in mm, in the axes of the segment that
# carries them; residual_mm: how far each marker moved on its segment during the static (root mean square).
"""


class SubjectContent(dict[str, Any]):
    """What stands in a subject file, with more than it holds: read as the file would be, under its name."""

    def __init__(self, content: Mapping[str, Any], path: Path | None) -> None:
        super().__init__(content)
        self.path = path or Path("subject")


def read_subject(given: Path | Mapping[str, Any], model: specs.Model) -> SubjectFile:
    """Read a subject file, or what stands in one, against the vocabulary of a model.

    A length may be given in mm, cm or m, an angle in rad or deg, by the end of its key.

    Returns
    -------
    SubjectFile

    Raises
    ------
    ModelError
        An unknown key, not a number, or a value outside the range that the model allows: all in one line.
    """
    path = given if isinstance(given, Path) else getattr(given, "path", Path("subject"))
    faults = Faults(str(path), path if isinstance(given, Path) else None)
    content, known = content_of_subject(given), _vocabulary(model)
    if path.suffix.lower() == SUFFIX and isinstance(content, Mapping):
        content = _by_key(content, model)
        if not content:
            faults.add("none of its parameters is a measurement that the model knows; is it another model's file?")
    fields = Fields(content, "", faults)
    values: dict[str, float] = {}
    unknown: list[str] = []
    for key in list(fields.values):
        if key in _SECTIONS:
            continue
        if key not in known:
            fields.asked.add(key)
            if not _of_another_model(key):
                unknown.append(key)
            continue
        measurement, side, unit = known[key]
        raw = fields.raw(key)
        if isinstance(raw, bool) or not isinstance(raw, (int, float)) or not np.isfinite(raw):
            point = raw.replace(",", ".") if isinstance(raw, str) and _DECIMAL_COMMA.fullmatch(raw) else ""
            faults.add(f"{key}: expected a number, found {raw!r}" + (f": write {point}" if point else ""))
            continue
        value = float(raw) * SI[unit]
        if not measurement.low <= value <= measurement.high:
            faults.add(
                f"{key}: expected {measurement.low / SI[unit]:g} to {measurement.high / SI[unit]:g} {unit}, "
                f"found {raw:g}{_exchanged(fields.values, key) or _likely_unit(float(raw), unit, measurement)}"
            )
        name = f"{side}.{measurement.name}" if side else measurement.name
        if name in values:
            faults.add(f"{key}: given twice, in two units")
        values[name] = value
    # one key a measurement, in the unit of the model and of one side, says enough of how they are called
    listed = list({id(known[key][0]): key for key in reversed(known) if known[key][2] == known[key][0].unit}.values())
    for key, words in zip(unknown, unknown_keys(unknown, sorted(known), [*reversed(listed), *_SECTIONS]), strict=True):
        word = next((name for word, name in _OTHER_WORDS.items() if key.lower().replace("_", "").startswith(word)), "")
        faults.add(f"{key}: " + (f"unknown key (did you mean {word!r}?)" if word else words))
    static = fields.mapping("static", {})
    flat = static.flag("foot_flat", False)
    foot_flat = flat if "foot_flat" in static.values else None
    static.done()
    sex = fields.text("sex", None, SEXES)
    if sex in SEXES:
        values[specs.SEX.name] = float(sex == SEXES[0])
    segments = fields.mapping("segments", {})
    rows = measured_rows(segments, model)
    calibration, marker_set = Calibration(), ""
    functional: dict[str, Mapping[str, Any]] = {}
    if "calibration" in fields.values:
        section = fields.mapping("calibration")
        joints = section.mapping("functional", {})
        functional = {joint: joints.mapping(joint).values for joint in joints.values}
        if set(section.values) - {"functional"}:
            calibration, marker_set = _calibration(section, model, path)
    section = fields.mapping("emg", {})
    emg = {label: section.text(label) for label in section.values}
    reason = fields.text("reason", None).strip()
    fields.done()
    faults.raise_if_any()
    sources = {
        name: source for name, value in values.items() if (source := _functional_source(name, value, functional))
    }
    about = (calibration, marker_set, sex, functional, sources, rows, segments.values, emg, reason)
    return SubjectFile(values, foot_flat, *about)


def _exchanged(values: Mapping[str, Any], key: str) -> str:
    """That mass and height seem to stand in each other's place, in words; empty where they do not."""
    mass, height = values.get("mass_kg"), values.get("height_m")
    if key not in ("mass_kg", "height_m") or not isinstance(mass, (int, float)) or not isinstance(height, (int, float)):
        return ""
    exchanged = _HEIGHT_M[0] <= mass <= _HEIGHT_M[1] and _MASS_KG[0] <= height <= _MASS_KG[1]
    return " (mass_kg and height_m exchanged, it seems)" if exchanged else ""


def _likely_unit(value: float, unit: str, measurement: specs.Measurement) -> str:
    """In which unit a value lies where that of a body may lie, in words; empty where in none."""
    kind = si_unit(measurement.unit)
    for name, factor, between in _MISTAKEN.get(kind, ()):
        low, high = between or (_HEIGHT_M if measurement.name == "height" else (measurement.low, measurement.high))
        if factor != SI[unit] and low <= value * factor <= high:
            return f" ({name}, it seems: {value * factor / SI[unit]:.4g} {unit})"
    return " (wrong unit?)" if value > 0 else ""


def _functional_source(name: str, value: float, functional: Mapping[str, Mapping[str, Any]]) -> str:
    """Where a hip's centre comes from, if it is that of a functional trial still; else empty."""
    side, _, bare = name.rpartition(".")
    _, of_centre, coordinate = bare.partition("hip_centre_")
    of_joint = functional.get(f"{side}_hip", {})
    centre = of_joint.get("centre_mm")
    there = centre.get(coordinate) if of_centre and isinstance(centre, Mapping) else None
    if not isinstance(there, (int, float)) or abs(there - 1e3 * value) > _SAME_MM:
        return ""
    return f"functional trial {of_joint.get('file', '')}, {of_joint.get('method', '')}".rstrip(" ,")


def content_of_subject(given: Path | Mapping[str, Any]) -> object:
    """What stands in a subject file, or what a caller gives in its place."""
    if not isinstance(given, Path):
        return given
    if given.suffix.lower() == SUFFIX:
        with reading(f"{given}: "):
            return dict(read_mp(given))
    from gaitid.model.yaml_file import load_yaml  # only where there is a file

    return load_yaml(given)


# --- what a calibration measured ------------------------------------------------------------------------------


def calibrated_model(given: Path | Mapping[str, Any]) -> str:
    """The model that a subject file was calibrated for; empty where it was not, or is no subject file."""
    content = content_of_subject(given)
    section = content.get("calibration") if isinstance(content, Mapping) else None
    name = section.get("model") if isinstance(section, Mapping) else None
    return name if isinstance(name, str) else ""


def _calibration(fields: Fields, model: specs.Model, path: Path) -> tuple[Calibration, str]:
    """What a file says of the static; nothing where it was measured for another model."""
    if type(schema := fields.raw("schema", None)) is not int or schema != SCHEMA:
        fields.faults.add(f"{fields.at('schema')}: expected {SCHEMA}, as `gaitid calibrate` writes it")
    name, marker_set = fields.text("model"), fields.text("marker_set", "")
    templates, tracking = (
        {
            _place(key): {point: _metres(group.mapping(key), point) for point in group.mapping(key).values}
            for group in [fields.mapping(name, {})]
            for key in group.values
        }
        for name in ("templates_mm", "tracking_mm")
    )
    joints = _joints(fields.mapping("joints", {}))
    group = fields.mapping("points_mm", {})
    points = {_place(key): _metres(group, key) for key in group.values}
    frames: dict[Place, Pose] = {}
    for group in [fields.mapping("frames", {})]:
        for key in group.values:
            inner = group.mapping(key)
            rows = inner.items("axes")
            R = np.array([_numbers(row, inner.at("axes"), inner.faults) for row in rows]).reshape(-1, 3)
            if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0:
                inner.faults.add(f"{inner.at('axes')}: expected a rotation, three rows of three numbers")
                R = np.eye(3)
            frames[_place(key)] = Pose(R[None], _metres(inner, "origin_mm")[None])
            inner.done()
    group = fields.mapping("lengths_mm", {})
    lengths = {_place(key): _numbers(group.raw(key), group.at(key), group.faults, 2) for key in group.values}
    fields.asked |= {"made_by", "static", "sources", "residual_mm"}
    digest = fields.text("digest", "")
    if digest and digest != _digest(fields.values):
        fields.faults.add(
            f"{fields.at('digest')}: templates, points, frames or lengths were changed since `gaitid calibrate` wrote "
            "them; they belong together: make the file anew with `gaitid calibrate`, or change measurements only"
        )
    fields.done()
    if name != model.name:
        return Calibration(), ""
    lengths_m = {place: (1e-3 * mean, 1e-3 * sd) for place, (mean, sd) in lengths.items()}
    calibration = Calibration(
        templates, points, frames, source=path.name, lengths_m=lengths_m, tracking=tracking, joints=joints
    )
    return calibration, marker_set


def _joints(fields: Fields) -> dict[Place, JointPlace]:
    """Where joints lie on the two segments that they join."""
    joints = {}
    for key in list(fields.values):
        inner = fields.mapping(key)
        angles = np.array(_numbers(inner.raw("angles_rad"), inner.at("angles_rad"), inner.faults))
        joints[_place(key)] = JointPlace(_metres(inner, "proximal_mm"), _metres(inner, "distal_mm"), angles)
        inner.done()
    return joints


def _digest(section: Mapping[str, Any]) -> str:
    """Of all that belongs together in what a calibration measured, by its numbers: spelling and order do not count."""
    content = {key: section[key] for key in _TOGETHER if key in section}
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _place(key: str) -> Place:
    side, _, name = key.rpartition(".")
    return side, name


def _metres(fields: Fields, key: str) -> Array:
    return 1e-3 * np.array(_numbers(fields.raw(key), fields.at(key), fields.faults))


def _numbers(value: object, where: str, faults: Faults, count: int = 3) -> list[float]:
    if isinstance(value, list) and len(value) == count and all(type(v) in (int, float) for v in value):
        return [float(v) for v in value]
    faults.add(f"{where}: expected {count} numbers, found {value!r}")
    return [0.0] * count


def _name_of(place: Place) -> str:
    return f"{place[0]}.{place[1]}" if place[0] else place[1]


def _mm(v: Array) -> list[float]:
    return [round(1e3 * float(x), 6) + 0.0 for x in v]


def _chain_section(calibration: Calibration) -> dict[str, Any]:
    """Where markers and joints lie on the segments of a model that is fitted as a chain; nothing of any other."""
    if not calibration.joints:
        return {}
    tracking = {
        _name_of(place): {str(point): _mm(v) for point, v in points.items()}
        for place, points in calibration.tracking.items()
    }
    joints = {
        _name_of(place): {
            "proximal_mm": _mm(joint.proximal_m),
            "distal_mm": _mm(joint.distal_m),
            "angles_rad": [round(float(x), 9) + 0.0 for x in joint.angles_rad],
        }
        for place, joint in calibration.joints.items()
        if np.isfinite(np.concatenate(joint)).all()
    }
    return {"tracking_mm": tracking, "joints": joints}


def subject_text(model: specs.Model, subject: Subject, calibration: Calibration, made_by: Mapping[str, Any]) -> str:
    """A subject file with everything that a session needs once: measurements, and what is carried over from the static.

    Values that were assumed are left out: who reads the file would take them for measured.

    Parameters
    ----------
    model : Model
        Bound to the static.
    subject : Subject
    calibration : Calibration
    made_by : mapping
        Of version and inputs.
    """
    import yaml  # only here

    values: dict[str, float] = {}
    sources: dict[str, str] = {}
    doubtful = ""
    for name, measured in subject.measured.items():
        side, _, bare = name.rpartition(".")
        measurement = model.subject[bare]
        if measured.source.startswith("plates"):
            doubtful = f"# {key_of(measurement, side)}: {measured.value:.2f}   ({measured.source})\n"
        elif not measured.source.startswith("assumed") and measurement is not specs.SEX:
            key = key_of(measurement, side)
            values[key] = float(f"{measured.value / SI[measurement.unit]:.10g}")
            sources[key] = measured.source

    functional = {joint: dict(of_joint) for joint, of_joint in subject.functional.items()}
    section: dict[str, Any] = {"schema": SCHEMA, "model": model.name, **made_by}
    section |= {"functional": functional} if functional else {}
    if model.marker_set:
        section["marker_set"] = model.marker_set
    if sources:
        section["sources"] = sources
    if calibration.templates:
        section["templates_mm"] = {
            _name_of(place): {str(point): _mm(v) for point, v in points.items()}
            for place, points in calibration.templates.items()
        }
        section["residual_mm"] = {
            _name_of(place): {str(point): round(1e3 * v, 3) for point, v in points.items()}
            for place, points in calibration.spread_m.items()
        }
    if calibration.lengths_m:
        section["lengths_mm"] = {
            _name_of(place): [round(1e3 * float(v), 6) for v in of_static]
            for place, of_static in calibration.lengths_m.items()
        }
    if calibration.points:
        section["points_mm"] = {_name_of(place): _mm(v) for place, v in calibration.points.items()}
    if calibration.frames:
        section["frames"] = {
            _name_of(place): {"axes": pose.R_gs[0].tolist(), "origin_mm": _mm(pose.origin_g[0])}
            for place, pose in calibration.frames.items()
        }
    section |= _chain_section(calibration)
    if any(key in section for key in _TOGETHER[1:]):
        section["digest"] = _digest(section)
    content: dict[str, Any] = {**values} | ({"sex": subject.sex} if subject.sex else {})
    content |= {"static": {"foot_flat": subject.foot_flat}} if subject.foot_flat is not None else {}
    content |= {"segments": dict(subject.segments)} if subject.segments else {}
    content |= {"emg": dict(subject.emg)} if subject.emg else {}
    content |= {"reason": subject.reason} if subject.reason else {}
    content["calibration"] = section

    class Rows(yaml.SafeDumper):
        """Numbers that belong together in a line, all else one key a line."""

    Rows.add_representer(list, lambda dumper, v: dumper.represent_sequence("tag:yaml.org,2002:seq", v, flow_style=True))
    if doubtful:
        doubtful = f"# Without a walk nothing tells what these plates read while empty:\n{doubtful}"
    return _HEAD + doubtful + yaml.dump(content, Dumper=Rows, sort_keys=False, allow_unicode=True, width=1000)


# --- keys -----------------------------------------------------------------------------------------------------


def _vocabulary(model: specs.Model) -> dict[str, tuple[specs.Measurement, str, str]]:
    """Each key of a subject file that a model knows: the measurement, its side and the unit that the key ends in."""
    known: dict[str, tuple[specs.Measurement, str, str]] = {}
    for measurement in model.subject.values():
        if measurement is specs.SEX:  # a word
            continue
        stem = measurement.key.removesuffix(f"_{measurement.unit}")
        units = _SPELLED.get(si_unit(measurement.unit), (measurement.unit,))
        for side in [side.name for side in model.sides] if measurement.sided else [""]:
            for unit in units:
                known[f"{side}_{stem}_{unit}" if side else f"{stem}_{unit}"] = (measurement, side, unit)
    return known


def _by_key(content: Mapping[str, Any], model: specs.Model) -> dict[str, Any]:
    """What a subject file of Nexus holds of a model's measurements, by the keys of ours, and what is said in ours."""
    known = _vocabulary(model)
    by_key = {key: value for key, value in content.items() if key in known or key in _SECTIONS}
    for key, (measurement, side, unit) in known.items():
        requested = request(model, f"{side}.{measurement.name}" if side else measurement.name)
        read = requested.stored_in(model, Measurements(content.items()), "deg")
        by_key |= {key: read[0]} if read is not None and read[1] == unit else {}
    return by_key


def _of_another_model(key: str) -> bool:
    """Whether a bundled model knows a key: a session's file serves whichever of them is taken."""
    return any(key in _vocabulary(load_model(name)) for name in bundled_models())
