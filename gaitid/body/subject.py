"""The subject's measurements: from a subject file, a static, the trial; each with its source, none invented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.kinematics import clinical_angles
from gaitid.errors import ModelError, SubjectError
from gaitid.model import specs
from gaitid.model.expression import Expression, mean_of_known
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

SI = {"kg": 1.0, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "rad": 1.0, "deg": float(np.pi / 180)}
# Two sources that differ by more than this share of the value, or by these amounts, are worth a warning.
DIFFERENCE = {"kg": 0.05, "m": 0.001, "rad": 0.01}

# So begins the warning that `gaitid batch` refuses a static for that it found by itself.
OTHER_PERSON = "the static may be another person's"


@frozen_dataclass()
class Measured:
    """One value with where it came from; `value` in SI."""

    value: float
    unit: str
    source: str


@frozen_dataclass()
class SubjectFile:
    """What a subject file says: values in SI by name (sided as ``left.knee_width``), and static options."""

    values: Mapping[str, float] = field(default_factory=dict)
    foot_flat: bool | None = None


@frozen_dataclass()
class Subject:
    """Every measurement that the model asked for.

    Attributes
    ----------
    measured : mapping of str to Measured
    warnings : tuple of str
    foot_flat : bool or None
        How the static was taken; None where no static was used.
    """

    measured: Mapping[str, Measured]
    warnings: tuple[str, ...]
    foot_flat: bool | None

    @property
    def numbers(self) -> dict[str, float]:
        return {name: m.value for name, m in self.measured.items()}

    @property
    def mass_kg(self) -> float:
        """Of the body; NaN where nobody knows it."""
        return self.measured["mass"].value if "mass" in self.measured else float("nan")


def si_unit(unit: str) -> str:
    return {"mm": "m", "cm": "m", "deg": "rad"}.get(unit, unit)


def key_of(measurement: specs.Measurement, side: str) -> str:
    """The name that a subject file uses for it."""
    return f"{side}_{measurement.key}" if side else measurement.key


def read_subject(path: Path, model: specs.Model) -> SubjectFile:
    """Read a subject file against the vocabulary of a model.

    A length may be given in mm, cm or m, an angle in rad or deg, by the end of its key.

    Raises
    ------
    ModelError
        An unknown key, not a number, or a value outside the range that the model allows: all in one line.
    """
    from gaitid.model.yaml_file import load_yaml  # only where a subject file is given

    faults = Faults(str(path))
    fields = Fields(load_yaml(path), "", faults)
    known: dict[str, tuple[specs.Measurement, str, str]] = {}
    for measurement in model.subject.values():
        stem = measurement.key.removesuffix(f"_{measurement.unit}")
        units = {"kg": ("kg",), "m": ("mm", "cm", "m"), "rad": ("rad", "deg")}[si_unit(measurement.unit)]
        for side in [side.name for side in model.sides] if measurement.sided else [""]:
            for unit in units:
                known[f"{side}_{stem}_{unit}" if side else f"{stem}_{unit}"] = (measurement, side, unit)
    values: dict[str, float] = {}
    for key in list(fields.values):
        if key == "static":
            continue
        if key not in known:
            faults.add(f"{key}: unknown key{nearest(key, sorted(known))}")
            fields.asked.add(key)
            continue
        measurement, side, unit = known[key]
        raw = fields.raw(key)
        if isinstance(raw, bool) or not isinstance(raw, (int, float)) or not np.isfinite(raw):
            faults.add(f"{key}: expected a number, found {raw!r}")
            continue
        value = float(raw) * SI[unit]
        if not measurement.low <= value <= measurement.high:
            faults.add(
                f"{key}: expected {measurement.low / SI[unit]:g} to {measurement.high / SI[unit]:g} {unit}, "
                f"found {raw:g} (wrong unit?)"
            )
        name = f"{side}.{measurement.name}" if side else measurement.name
        if name in values:
            faults.add(f"{key}: given twice, in two units")
        values[name] = value
    static = fields.mapping("static", {})
    given = static.flag("foot_flat", False)
    foot_flat = given if "foot_flat" in static.values else None
    static.done()
    fields.done()
    faults.raise_if_any()
    return SubjectFile(values, foot_flat)


class _Resolver:
    """Looks a measurement up where it may come from, in order, and remembers the answer."""

    def __init__(
        self,
        model: specs.Model,
        file: SubjectFile,
        trial: Mapping[str, float],
        static: Mapping[str, float] | None,
        static_markers: Mapping[str, Array] | None,
        static_frames: int,
        up_g: Array,
        foot_flat: bool,
    ) -> None:
        self.model = model
        self.file, self.trial, self.static = file, trial, static
        self.static_markers, self.static_frames = static_markers, static_frames
        self.up_g, self.foot_flat = up_g, foot_flat
        self.letters = {side.name: side.letter for side in model.sides}
        self.signs = {side.name: float(side.sign) for side in model.sides}
        self.found: dict[str, Measured | None] = {}
        self.warnings: list[str] = []
        self.faults: list[str] = []
        self._geometry: Geometry | None = None

    def number(self, name: str) -> float:
        """A measurement's value for a formula; NaN where nobody knows it."""
        found = self.resolve(name)
        return np.nan if found is None else found.value

    def resolve(self, name: str) -> Measured | None:
        if name not in self.found:
            self.found[name] = None  # a formula that asks for itself finds nothing
            self.found[name] = self._look_up(name)
        return self.found[name]

    def _stored(self, parameters: Mapping[str, float] | None, m: specs.Measurement, side: str) -> float | None:
        if parameters is None or not m.c3d:
            return None
        value = parameters.get(m.c3d.replace("{S}", self.letters.get(side, "")))
        if value is None or (m.zero_is_absent and value == 0):
            return None
        return value * SI[m.c3d_unit]

    def _look_up(self, name: str) -> Measured | None:
        side, _, bare = name.rpartition(".")
        m = self.model.subject[bare]
        unit = si_unit(m.unit)
        candidates: list[tuple[str, float]] = []
        if name in self.file.values:
            candidates.append(("subject file", self.file.values[name]))
        if self.static is not None and isinstance(m.static, specs.StaticAngle):
            value = self._from_static(m, side)
            if value is not None:
                flat = " (foot-flat)" if self.foot_flat else ""
                candidates.append((f"static trial, computed from its markers{flat}", value))
        for words, parameters in (("static trial, stored", self.static), ("trial, stored", self.trial)):
            value = self._stored(parameters, m, side)
            if value is not None:
                candidates.append((words, value))
        if not candidates and isinstance(m.static, Expression) and self.static is not None:
            value = self._from_static(m, side)
            if value is not None:
                candidates.append(("static trial, estimated from its markers", value))
                self.warnings.append(
                    f"{name.replace('.', ' ')} = {_display(value, unit)} was estimated from the markers of the static "
                    f"({m.static.text}); a tape measure is better"
                )
        if not candidates and m.otherwise is not None:
            value = self._formula(m.otherwise, side)
            if value is not None:
                candidates.append((f"assumed: {m.because}", value))
                self.warnings.append(f"{name.replace('.', ' ')} = {_display(value, unit)} was assumed: {m.because}")
        if not candidates:
            return None
        source, value = candidates[0]
        for other_source, other in candidates[1:]:
            if abs(other - value) > DIFFERENCE[unit] * (abs(value) if unit == "kg" else 1.0):
                self.warnings.append(
                    f"{name.replace('.', ' ')}: {_display(value, unit)} from the {source} is used; "
                    f"the {other_source} says {_display(other, unit)}"
                )
        if not m.low <= value <= m.high:
            self.faults.append(
                f"{name.replace('.', ' ')} = {_display(value, unit)} ({source}) is outside "
                f"{_display(m.low, unit)} to {_display(m.high, unit)}"
            )
        return Measured(float(value), unit, source)

    def _formula(self, formula: Expression, side: str) -> float | None:
        """A formula's value (its mean where it has one a frame); None where something it needs is not known."""
        geometry = self.geometry()

        def number(name: str) -> object:
            prefix, dot, bare = name.rpartition(".")
            place = prefix if dot else side
            if bare == "sign":
                return self.signs[place]
            if bare in self.model.subject:
                return self.number(f"{place}.{bare}" if self.model.subject[bare].sided else bare)
            for scope, where in ((self.model.each_side, place), (self.model.middle, "")):
                if bare in scope.numbers and (where or scope is self.model.middle):
                    value = self._formula(scope.numbers[bare], where)
                    return np.nan if value is None else value
            return np.nan

        def distance(a: str, b: str) -> Array:
            if geometry is None:
                return np.array(np.nan)
            return np.asarray(np.linalg.norm(geometry.point(a, side) - geometry.point(b, side), axis=-1))

        value = float(mean_of_known(formula.evaluate(number, distance)))
        return value if np.isfinite(value) else None

    def geometry(self) -> Geometry | None:
        if self._geometry is None and self.static_markers is not None:
            self._geometry = Geometry(
                self.model, self.static_markers, _Numbers(self), self.static_frames, self.up_g, self.foot_flat
            )
        return self._geometry

    def _from_static(self, m: specs.Measurement, side: str) -> float | None:
        if m.static is None:
            return None
        if not isinstance(m.static, specs.StaticAngle):
            return self._formula(m.static, side)
        geometry = self.geometry()
        if geometry is None:
            return None
        angle = specs.Angle(m.static.proximal, m.static.distal, m.static.sequence, {"value": m.static.value})
        values = clinical_angles(
            geometry.frame(m.static.proximal, side).R_gs,
            geometry.frame(m.static.distal, side).R_gs,
            angle,
            self.signs[side],
        )["value"]
        value = float(mean_of_known(values))
        return value if np.isfinite(value) else None


class _Numbers(Mapping[str, float]):
    """A resolver seen as a mapping, so that a geometry asks for what it needs and no more."""

    def __init__(self, resolver: _Resolver) -> None:
        self.resolver = resolver

    def _known(self, name: str) -> bool:
        side, _, bare = name.rpartition(".")
        m = self.resolver.model.subject.get(bare)
        return m is not None and m.sided == bool(side)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._known(name)

    def __getitem__(self, name: str) -> float:
        if not self._known(name):
            raise KeyError(name)
        return self.resolver.number(name)

    def __iter__(self) -> object:  # type: ignore[override]
        return iter(self.resolver.model.subject)

    def __len__(self) -> int:
        return len(self.resolver.model.subject)


def resolve_subject(
    model: specs.Model,
    wanted: set[str],
    file: SubjectFile,
    trial_parameters: Mapping[str, float],
    static_parameters: Mapping[str, float] | None,
    static_markers: Mapping[str, Array] | None,
    static_frames: int,
    up_g: Array,
) -> Subject:
    """Find every measurement that is wanted: subject file, then the static when given, then the trial.

    Calibration angles come from the static's markers when a static is given, before any stored value.

    Raises
    ------
    SubjectError
        Measurements that nothing gives, or that are out of range: all at once.
    """
    foot_flat = file.foot_flat if file.foot_flat is not None else True
    resolver = _Resolver(
        model, file, trial_parameters, static_parameters, static_markers, static_frames, up_g, foot_flat
    )
    optional = {name for name, m in model.subject.items() if m.optional and not m.sided}
    measured: dict[str, Measured] = {}
    missing: list[str] = []
    for name in _in_model_order(model, wanted | optional):
        found = resolver.resolve(name)
        side, _, bare = name.rpartition(".")
        if found is not None:
            measured[name] = found
        elif not model.subject[bare].optional and model.subject[bare].otherwise is None:
            # one with a formula of its own is missing only because what it is computed from is
            missing.append(key_of(model.subject[bare], side))
    if resolver.faults:
        raise SubjectError("; ".join(resolver.faults), todo="correct it with --subject")
    if missing:
        raise SubjectError(
            f"measurements of the subject are missing: {', '.join(missing)}",
            todo="give them with --subject FILE" + ("" if static_markers is not None else " or --static FILE"),
        )
    warnings = [*_other_person(resolver), *_both_sides(resolver.warnings)]
    uses_static = static_markers is not None
    if uses_static and file.foot_flat is None:
        warnings.append(
            "the static was taken as foot-flat (heel and toe markers at one height above the sole); "
            "say `static: {foot_flat: false}` in the subject file if it was not"
        )
    return Subject(measured, tuple(warnings), foot_flat if uses_static else None)


def _both_sides(warnings: list[str]) -> list[str]:
    """The same said of left and right becomes one line."""
    result: list[str] = []
    for text in warnings:
        twin = text.replace("right ", "left ", 1)
        if text.startswith("right ") and twin in result:
            result[result.index(twin)] = "left and " + text
        else:
            result.append(text)
    return result


def _other_person(resolver: _Resolver) -> list[str]:
    """A static whose stored mass or leg length is far from the trial's is somebody else's."""
    for name, share in (("mass", 0.1), ("left.leg_length", 0.1), ("right.leg_length", 0.1)):
        side, _, bare = name.rpartition(".")
        measurement = resolver.model.subject.get(bare)
        if measurement is None:
            continue
        mine = resolver._stored(resolver.trial, measurement, side)
        static = resolver._stored(resolver.static, measurement, side)
        if mine and static and abs(static / mine - 1) > share:
            unit = si_unit(measurement.unit)
            return [
                f"{OTHER_PERSON}: its {name.replace('.', ' ')} is {_display(static, unit)}, "
                f"the trial's {_display(mine, unit)}"
            ]
    return []


def _in_model_order(model: specs.Model, names: set[str]) -> list[str]:
    order = list(model.subject)
    return sorted(names, key=lambda n: (order.index(n.rpartition(".")[2]), n))


def _display(value: float, unit: str) -> str:
    if unit == "m" and abs(value) < 1.0:
        return f"{value * 1e3:.4g} mm"
    return f"{np.degrees(value):.4g}°" if unit == "rad" else f"{value:.4g} {unit}"


__all__ = ["Measured", "ModelError", "Subject", "SubjectFile", "read_subject", "resolve_subject"]
