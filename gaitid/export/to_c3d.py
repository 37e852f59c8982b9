"""A result -> a copy of its trial's C3D file with the results as points: those that Vicon Nexus would store, with its
labels, axes, signs and units (docs/export.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gaitid.analysis.result import Result, SideResult
from gaitid.disk.regular import MAX_BYTES, file_size
from gaitid.errors import GaitidError
from gaitid.export.c3d_file import NewPoint, with_points
from gaitid.export.source import Made, Source
from gaitid.model.specs import Model
from gaitid.numerics.rotation import apply_transposed, cardan
from gaitid.read.units import LENGTH_M, factor
from gaitid.trial import Array

#: What a file that says nothing of it is told about the units of each group.
UNITS = {"ANGLE_UNITS": "deg", "FORCE_UNITS": "N/kg", "MOMENT_UNITS": "Nmm/kg", "POWER_UNITS": "W/kg"}
_MM_PER_M = 1e3


def make(source: Source, keep_names: bool = False) -> Made:
    """``walk.c3d``.

    Raises
    ------
    GaitidError
        The trial is no C3D file, is gone or has changed, or other numbers come out of it.
    """
    result = source.analysed()
    path = result.trial.path
    if not result.trial.origin.get("format", "").startswith("C3D"):
        raise GaitidError(
            "the trial is no C3D file",
            expected="one to write into",
            found=path.suffix or path.name,
            todo="use --to trc",
        )
    file_size(path, MAX_BYTES, "C3D")
    written = with_points(path.read_bytes(), _points_of(result, result.trial.origin["length_unit"]), UNITS, keep_names)
    renamed = sum(label != name for label, name in written.labels.items())
    remarks = [f"{len(written.labels)} points added"]
    if renamed:
        remarks.append(f"{renamed} of them with the suffix _gaitid, because the file holds their labels already")
    if not written.was_real:
        remarks.append("the file's whole numbers became reals (docs/export.md)")
    return Made({f"{source.stem}.c3d": written.content}, tuple(remarks))


def _points_of(result: Result, length_unit: str) -> list[NewPoint]:
    """Angles, forces, moments, powers and joint centres of all sides.

    Parameters
    ----------
    result : Result
    length_unit : str
        That of the file's points.
    """
    metre = factor(length_unit, LENGTH_M, "POINT:UNITS")
    points: list[NewPoint] = []
    for side, leg in result.sides.items():
        points += [*_angles(result, side, leg), *_loads_and_centres(result, side, leg, metre, length_unit)]
    return points


def _label(side: str, name: str) -> str:
    """``LHip`` of the left hip, ``LFootProgress`` of the left foot's progression."""
    words = "foot_progress" if name == "foot_progression" else name
    return side[:1].upper() + "".join(word.capitalize() for word in words.split("_"))


def _letters(columns: Mapping[str, object]) -> list[str]:
    """The component of each column: that of its motion where its name says it, else in their order."""
    planes = {
        "x": ("flexion", "extension", "tilt", "elevation"),
        "y": ("adduction", "abduction", "eversion", "inversion", "obliquity"),
        "z": ("rotation",),
    }
    letters = [next((k for k, words in planes.items() if name.endswith(words)), "") for name in columns]
    return letters if "" not in letters and len({*letters}) == len(letters) else list("xyz")[: len(letters)]


def _vector(columns: Mapping[str, Array]) -> tuple[Array, str]:
    """(frames, 3) of columns, NaN in components that the model does not give, and which is which, in words."""
    letters = _letters(columns)
    values = np.full((len(next(iter(columns.values()))), 3), np.nan)
    for letter, column in zip(letters, columns.values(), strict=False):
        values[:, "xyz".index(letter)] = column
    return values, ", ".join(f"{k} {name.replace('_', ' ')}" for k, name in zip(letters, columns, strict=False))


def _angles(result: Result, side: str, leg: SideResult) -> Iterator[NewPoint]:
    for name, columns in {**leg.angles, **leg.trunk_angles}.items():
        if not columns:
            continue
        values, words = _vector(columns)
        if name == "foot_progression" and _is_plug_in_gait(result.model):
            values, words = _foot_progress(result, side, values), "x pitch, y roll, z internal rotation"
        yield NewPoint(f"{_label(side, name)}Angles", f"gaitid {result.model.name}: {words}; deg", "ANGLES", values)


def _is_plug_in_gait(model: Model) -> bool:
    """Whether the foot's axes are those of Plug-in Gait: x up, z from toe to heel."""
    angle = model.angles.get("foot_progression")
    texts = [] if angle is None else [formula.text.replace(" ", "") for formula in angle.columns.values()]
    return angle is not None and angle.sequence == "yxz" and texts == ["-sign*b"]


def _foot_progress(result: Result, side: str, values: Array) -> Array:
    """All three components as Plug-in Gait stores them: (a, s c, −s b) of the foot in the progression frame."""
    body, angle = result.body, result.model.angles["foot_progression"]
    sign = next(each.sign for each in result.model.sides if each.name == side)
    foot = body.geometry.frame(angle.distal, side).R_gs if side in body.sides else np.full((len(values), 3, 3), np.nan)
    a, _, c = (np.degrees(x) for x in cardan(np.swapaxes(body.R_gp, -1, -2) @ foot, angle.sequence))
    return np.column_stack([a, sign * c, values[:, 2]])


def _loads_and_centres(result: Result, side: str, leg: SideResult, metre: float, unit: str) -> Iterator[NewPoint]:
    """Forces of the proximal on the distal segment in axes of the distal one, at the ankle as Plug-in Gait turns them;
    moments, powers, and the centres of joints."""
    model, mass = result.model, result.subject.mass_kg
    for joint, wrench in leg.wrenches.items():
        values = apply_transposed(leg.axes[joint]["distal"], wrench.f_g) / mass
        words = "on the distal segment, in its axes"
        if joint == "ankle" and _is_plug_in_gait(model):
            values, words = values * [-1, 1, -1], "shank on foot: x down, y left, z toward the toe, of the foot"
        yield NewPoint(f"{_label(side, joint)}Force", f"gaitid {model.name}: {words}; N/kg", "FORCES", values)
    for joint, columns in leg.moments.items():
        if columns:
            values, words = _vector(columns)
            text = f"gaitid {model.name}, internal: {words}; N.mm/kg"
            yield NewPoint(f"{_label(side, joint)}Moment", text, "MOMENTS", values * _MM_PER_M)
    for joint in leg.moments:
        power = leg.powers[joint]
        nothing = np.where(np.isfinite(power), 0.0, np.nan)
        text = "gaitid: z generated, x and y without meaning; W/kg"
        values = np.column_stack([nothing, nothing, power])
        yield NewPoint(f"{_label(side, joint)}Power", text, "POWERS", values)
    letters = [joint[:1].upper() for joint in leg.joints_g]
    for letter, (joint, centre) in zip(letters, leg.joints_g.items(), strict=True):
        short = letter if letters.count(letter) == 1 else _label("", joint)
        values = centre / metre if not model.no_wrenches_because else np.full_like(centre, np.nan)
        text = f"gaitid {model.name}: centre of the {joint.replace('_', ' ')}; {unit}"
        yield NewPoint(f"{side[:1].upper()}{short}JC", text, "MODELED_MARKERS", values)
