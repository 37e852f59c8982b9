"""What is known of a subject, and the sources that may say it: a subject file, a static, the trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from gaitid.body.joints import Calibration
from gaitid.markers.clean import calibration_markers, model_markers
from gaitid.model import specs
from gaitid.notes import Notes, note
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial

SI = {"kg": 1.0, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "rad": 1.0, "deg": float(np.pi / 180), "years": 1.0, "sex": 1.0}
# In MANUFACTURER:SOFTWARE of what stored its calibration angles in degrees (seen in 5.2.4).
WORKSTATION = "workstation"


@frozen_dataclass()
class Measured:
    """One value with where it came from; `value` in SI."""

    value: float
    unit: str
    source: str


@frozen_dataclass()
class SubjectFile:
    """What a subject file says: values in SI by name (sided as ``left.knee_width``), static options, what a
    calibration measured of the points and frames that a model carries over from a static, with labels of which
    marker set, the sex (``female``, ``male``; empty where it is not said), segments that were weighed, and why the
    recording was made.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    foot_flat: bool | None = None
    calibration: Calibration = field(default_factory=Calibration)
    marker_set: str = ""
    sex: str = ""
    #: For each joint that was measured in a functional trial how it was found, for records.
    functional: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Of values, by name, that somebody else measured than who wrote the file.
    sources: Mapping[str, str] = field(default_factory=dict)
    #: Rows of segments that were measured, under their names in the model's table (``left.shank``); and as written.
    rows: Mapping[str, specs.SegmentParameters] = field(default_factory=dict)
    segments: Mapping[str, Any] = field(default_factory=dict)
    #: Label of an analog channel -> the muscle that it is of.
    emg: Mapping[str, str] = field(default_factory=dict)
    #: Why the recording was made, in free text.
    reason: str = ""


@frozen_dataclass(eq=False)
class Static:
    """What a recording, most often a static trial, gives to measure a subject with.

    Attributes
    ----------
    parameters : mapping of str to float
        As stored, in the file's own units and names.
    markers : mapping of label to (frames, 3) array, m
        Laboratory axes.
    n_frames : int
    up_g : (3,) array
        The vertical, laboratory axes.
    model : Model
        Bound to the labels of this recording.
    angle_unit : str
        ``rad`` or ``deg``: of the stored calibration angles.
    notes : Notes
        Why these are degrees.
    """

    parameters: Mapping[str, float]
    markers: Mapping[str, Array]
    n_frames: int
    up_g: Array
    model: specs.Model
    angle_unit: str = "rad"
    notes: Notes = ()


def recording(trial: Trial, model: specs.Model, up_g: Array) -> Static:
    """What a static, or the trial itself, gives to measure a subject with."""
    markers = {**model_markers(trial, model), **calibration_markers(trial, model)}
    unit, notes = _angle_unit(trial, model)
    return Static(trial.parameters, markers, trial.n_frames, up_g, model, unit, notes)


def _angle_unit(trial: Trial, model: specs.Model) -> tuple[str, Notes]:
    """``rad`` or ``deg``, of the calibration angles that a trial stores, and why where these are degrees.

    No parameter of a C3D file says it. Nexus stores radians, Vicon Workstation stored degrees; a number above π is
    certainly one of degrees, and then so are the others.
    """
    angles = {name for m in model.subject.values() for name in m.c3d if m.c3d_unit == "rad"}
    names = [name.replace("{S}", side.letter) for side in model.sides for name in sorted(angles)]
    stored = {name: trial.parameters[name] for name in names if trial.parameters.get(name)}
    beyond = [f"{name} = {value:g}" for name, value in stored.items() if abs(value) > np.pi]
    software = trial.origin.get("software", "")
    if not beyond and not (stored and WORKSTATION in software.lower()):
        return "rad", ()
    by = "" if beyond else software
    return "deg", (note("reading_assumed/degrees", file=trial.path.name, angles=[*stored], beyond=beyond, by=by),)


@frozen_dataclass(eq=False)
class Sources:
    """Where measurements may come from; `_Resolver.given` has them in order.

    Attributes
    ----------
    file : SubjectFile
    trial : mapping of str to float
        Parameters stored in the trial, in its own units and names.
    beside : mapping of str to float
        Those of a file that Nexus left beside it, angles in degrees.
    static : Static or None
    recorded : Static or None
        The trial itself, for measurements that follow from its own markers.
    """

    file: SubjectFile = field(default_factory=SubjectFile)
    trial: Mapping[str, float] = field(default_factory=dict)
    static: Static | None = None
    recorded: Static | None = None
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def foot_flat(self) -> bool:
        """Whether a static is taken as foot-flat: unless the subject file denies it."""
        return self.file.foot_flat is not False


@frozen_dataclass()
class Subject:
    """Every measurement that the model asked for.

    Attributes
    ----------
    measured : mapping of str to Measured
    notes : Notes
        What was assumed, and where sources differ.
    foot_flat : bool or None
        How the static was taken; None where no static was used.
    sex : str
        As the subject file says; empty where it does not.
    functional : mapping of str to mapping
        For each joint that was measured in a functional trial how it was found.
    segments : mapping of str to mapping
        Segments that were weighed, as the subject file has them.
    emg : mapping of str to str
        Label of an analog channel -> the muscle that it is of.
    reason : str
        Why the recording was made, as the subject file says it.
    """

    measured: Mapping[str, Measured]
    notes: Notes
    foot_flat: bool | None
    sex: str = ""
    functional: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    segments: Mapping[str, Any] = field(default_factory=dict)
    emg: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def numbers(self) -> dict[str, float]:
        """Values in SI by name."""
        return {name: m.value for name, m in self.measured.items()}

    @property
    def mass_kg(self) -> float:
        """Of the body; NaN where nobody knows it."""
        return self.measured["mass"].value if "mass" in self.measured else float("nan")


def si_unit(unit: str) -> str:
    """The unit that a value is kept in."""
    return {"mm": "m", "cm": "m", "deg": "rad"}.get(unit, unit)


def key_of(measurement: specs.Measurement, side: str) -> str:
    """The name that a subject file uses for it."""
    return f"{side}_{measurement.key}" if side else measurement.key


class Requested(NamedTuple):
    """A measurement of one side, or (side ``""``) of the body."""

    side: str
    measurement: specs.Measurement
    unit: str
    words: str

    def stored(self, model: specs.Model, parameters: Mapping[str, float], angle_unit: str = "rad") -> float | None:
        """Its value among a trial's parameters, SI; None where they do not hold it."""
        read = self.stored_in(model, parameters, angle_unit)
        return None if read is None else read[0] * SI[read[1]]

    def stored_in(
        self, model: specs.Model, parameters: Mapping[str, float], angle_unit: str = "rad"
    ) -> tuple[float, str] | None:
        """Its number among a trial's parameters, and its unit: the usual one, or of an optional length one that can be.

        Programs store heights in mm, people who type them in also cm and m.
        """
        m = self.measurement
        value = next((v for v in self._numbers(model, parameters) if v or not m.zero_is_absent), None)
        if value is None:
            return None
        unit = angle_unit if m.c3d_unit == "rad" else m.c3d_unit
        units = ("mm", "cm", "m") if self.unit == "m" and m.optional else ()
        possible = [unit for unit in units if m.low <= value * SI[unit] <= m.high]
        usual = m.low <= value * SI[m.c3d_unit] <= m.high or len(possible) != 1
        return value, unit if usual else possible[0]

    def stored_as_zero(self, model: specs.Model, parameters: Mapping[str, float]) -> bool:
        """Whether a trial's parameters hold it as 0 only, which nobody filled in."""
        numbers = self._numbers(model, parameters)
        return self.measurement.zero_is_absent and bool(numbers) and not any(numbers)

    def _numbers(self, model: specs.Model, parameters: Mapping[str, float]) -> list[float]:
        """What a trial's parameters hold under the names that it may have there."""
        letter = next((side.letter for side in model.sides if side.name == self.side), "") if self.side else ""
        names = (name.replace("{S}", letter) for name in self.measurement.c3d)
        return [parameters[name] for name in names if name in parameters]

    def possible(self, value: float) -> bool:
        """Whether a body may have it."""
        return self.measurement.low <= value <= self.measurement.high


def request(model: specs.Model, name: str) -> Requested:
    """A model's measurement by its name, sided as ``left.knee_width``."""
    side, _, bare = name.rpartition(".")
    measurement = model.subject[bare]
    return Requested(side, measurement, si_unit(measurement.unit), name.replace(".", " "))


def display(value: float, unit: str) -> str:
    """A value with its unit, as people say it."""
    if unit == "m" and abs(value) < 1.0:
        return f"{value * 1e3:.4g} mm"
    return f"{np.degrees(value):.4g}°" if unit == "rad" else f"{value:.4g} {unit}"
