"""What a user names -> curves: results, sessions, outputs that a C3D stores, OpenSim's `.mot` and `.sto`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.result import Result as Analysed
from gaitid.analysis.stored_outputs import choose_set, read_stored, stored_columns, stored_mass
from gaitid.compare.curves import OPENSIM, RESULT, SESSION, STORED, Curves
from gaitid.compare.mixture import Made
from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError
from gaitid.export.opensim import ANGLES, MOMENTS
from gaitid.export.source import Source, read_source
from gaitid.inputs import found_trial, named
from gaitid.model.columns import LENGTH_UNITS
from gaitid.read.tables.mot import MotionTable, motion_table
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.results.record_checks import checked_record
from gaitid.results.result import RECORD_SUFFIX, Result, find_records
from gaitid.run import Setup
from gaitid.trial import Array
from gaitid.write import ESTIMATED, UNCERTAINTY, UNCERTAINTY_CYCLES

_SIDES = {"l": "left", "r": "right"}
# Of the pelvis in the ground: about z to the right, then x forward, then y up; with the sign of left and right.
_PELVIS = (
    ("pelvis_anterior_tilt", "pelvis_tilt", {"left": -1, "right": -1}),
    ("pelvis_upward_obliquity", "pelvis_list", {"left": 1, "right": -1}),
    ("pelvis_internal_rotation", "pelvis_rotation", {"left": -1, "right": 1}),
)
# Coordinates that Rajagopal2016 has and gait2392 and gait2354 have not.
_RAJAGOPAL = ("arm_flex_r", "knee_angle_r_beta", "elbow_flex_r")
# deg. A knee bends more than this in any movement worth comparing, and extends beyond straight by less.
_BENT = 25.0


class FromOpenSim(NamedTuple):
    """Curves of a file by its own clock, and what was assumed."""

    time_s: Array
    columns: dict[str, Array]
    notes: tuple[str, ...]
    words: str


def read_opensim(path: Path, mass_kg: float, knee: str | None) -> FromOpenSim:
    """Read joint angles or moments.

    Parameters
    ----------
    path : Path
        ``.mot`` or ``.sto``.
    mass_kg : float
        That moments are divided by.
    knee : {"gait2392", "rajagopal"} or None
        Whose sign the knee has; None for what the file's columns and knee angles tell.

    Raises
    ------
    GaitidError
        Not such a file, or without a coordinate that gaitid knows.
    """
    table = motion_table(path)
    names = {name.lower(): i for i, name in enumerate(table.columns)}
    if "time" not in names:
        raise GaitidError("no column 'time'", found=", ".join(table.columns[:8]))
    time_s = table.values[:, names["time"]]
    if not (np.isfinite(time_s).all() and (np.diff(time_s) > 0).all()):
        raise GaitidError("its times do not increase")
    angles, moments = _present(names, ""), _present(names, "_moment")
    columns: dict[str, Array] = {}
    notes = tuple(note.text for note in table.notes)
    degrees, degree_notes = _degrees(table, bool(angles))
    sign, knee_note = _knee_sign(table, names, degrees, knee)
    notes += degree_notes + ((knee_note,) if "knee_angle" in {*angles, *moments} else ())
    factor = 1.0 if degrees else float(np.degrees(1.0))
    for letter, side in _SIDES.items():
        for (joint, motion), (theirs, same) in ANGLES.items():
            if (i := names.get(f"{theirs}_{letter}")) is not None:
                turned = sign if joint == "knee" else 1
                columns[f"{side}_{joint}_{motion}_deg"] = same * turned * factor * table.values[:, i]
        for (joint, motion), (theirs, same) in MOMENTS.items():
            if (i := names.get(f"{theirs}_{letter}_moment")) is not None:
                turned = sign if joint == "knee" else 1
                columns[f"{side}_{joint}_{motion}_moment_Nm_per_kg"] = same * turned * table.values[:, i] / mass_kg
        for ours, theirs, signs in _PELVIS:
            if (i := names.get(theirs)) is not None:
                columns[f"{side}_{ours}_deg"] = signs[side] * factor * table.values[:, i]
    if not columns:
        raise GaitidError(
            "no joint that gaitid knows",
            expected="columns such as hip_flexion_r, or hip_flexion_r_moment",
            found=", ".join(table.columns[:8]),
        )
    if any(theirs in names for _, theirs, _ in _PELVIS):
        notes += ("the pelvis stands in OpenSim's ground: its rotation is comparable for a walk along +x alone",)
    if moments and not np.isfinite(mass_kg):
        raise GaitidError("moments in N·m cannot be compared without the body's mass", todo="give mass_kg to the run")
    words = "inverse kinematics" if angles else "inverse dynamics"
    return FromOpenSim(time_s, columns, notes, f"OpenSim, {words}")


def _present(names: Mapping[str, int], end: str) -> Sequence[str]:
    """The coordinates of a leg that the file holds."""
    known = (theirs for theirs, _ in ANGLES.values())
    return [theirs for theirs in known if any(f"{theirs}_{letter}{end}" in names for letter in _SIDES)]


def _degrees(table: MotionTable, has_angles: bool) -> tuple[bool, tuple[str, ...]]:
    if table.in_degrees is not None or not has_angles:
        return bool(table.in_degrees), ()
    return False, ("the header does not say inDegrees: angles are taken as radians, as OpenSim does",)


def _knee_sign(table: MotionTable, names: Mapping[str, int], degrees: bool, knee: str | None) -> tuple[int, str]:
    """1 where the knee extends positively, as `gaitid.export.opensim` has it, else −1; and how that was found."""
    if knee is not None:
        return (-1 if knee == "rajagopal" else 1), f"the knee's sign is that of {knee}, as --knee says"
    seen = [table.values[:, i] for letter in _SIDES if (i := names.get(f"knee_angle_{letter}")) is not None]
    if seen:
        values = np.concatenate(seen) * (1.0 if degrees else np.degrees(1.0))
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if max(-low, high) > _BENT:
            sign = -1 if high > -low else 1
            way = "positively (as in Rajagopal2016)" if sign < 0 else "negatively (as in gait2392)"
            return sign, f"the knee bends {way}: its angle runs from {low:.0f} to {high:.0f} deg"
    ends = ("", "_moment", "_force")
    if any(f"{name}{end}" in names for name in _RAJAGOPAL for end in ends):
        return -1, "the knee's sign is taken as in Rajagopal2016, whose coordinates the file has"
    return 1, "the knee's sign is taken as in gait2392 and gait2354: --knee rajagopal turns it"


_OPENSIM = (".mot", ".sto")
EXPECTED = "a NAME.run.json or the folder or stem of one, a .c3d with stored outputs, or OpenSim's .sto or .mot"


@frozen_dataclass()
class Reading:
    """How sources are read that are no results.

    Attributes
    ----------
    outputs : str or None
        What the labels of a C3D's outputs end with.
    knee : str or None
        Whose sign OpenSim's knee has.
    start_s : float or None
        When the result's first frame was, by the clock of OpenSim's file.
    """

    outputs: str | None = None
    knee: str | None = None
    start_s: float | None = None


def kind_of(given: Path) -> tuple[str, tuple[Path, ...]]:
    """What a path names, and its files.

    Raises
    ------
    GaitidError
        Nothing that can be compared.
    """
    if given.name.endswith(RECORD_SUFFIX) and given.name != RECORD_SUFFIX:
        return RESULT, (given,)
    if given.is_dir():
        result = find_records([given])
        return (RESULT if len(result) == 1 else SESSION), result
    suffix = given.suffix.lower()
    if suffix == ".c3d":
        return STORED, (given,)
    if suffix in _OPENSIM:
        return OPENSIM, (given,)
    beside = given.with_name(f"{given.name}{RECORD_SUFFIX}")
    if beside.is_file():
        return RESULT, (beside,)
    what = "no such file or folder" if not given.exists() else "nothing that can be compared"
    raise GaitidError(f"{given}: {what}", expected=EXPECTED)


def refuse_two_others(a: Path, b: Path) -> None:
    """Raise where both are what other programs computed, by their names.

    Raises
    ------
    GaitidError
    """
    if all(path.suffix.lower() in (".c3d", *_OPENSIM) for path in (a, b)):
        raise GaitidError("neither A nor B is a result of gaitid", expected="a run.json, or its folder, as one of them")


def files_of(a: Path, b: Path) -> list[Path]:
    """Files that a page must not be written over."""
    files = []
    for path in (a, b):
        kind, result = kind_of(path)
        files += list(result)
        if kind in (RESULT, SESSION):
            files += [table for file in result for table in Result(file, {}).files]
    return files


def open_pair(
    a: Path, b: Path, reading: Reading, made: tuple[Made | None, Made | None] = (None, None)
) -> tuple[Curves, Curves]:
    """Both sides of a comparison; what is no result is read with the mass of the one that is.

    `made` are results that are in memory already, whose files `a` and `b` name.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    refuse_two_others(a, b)
    kinds = kind_of(a), kind_of(b)
    for option, value, needed, words in (
        ("--knee", reading.knee, OPENSIM, "OpenSim's file"),
        ("--outputs", reading.outputs, STORED, "a C3D with stored outputs"),
    ):
        if value is not None and needed not in (kinds[0][0], kinds[1][0]):
            raise GaitidError(f"{option} is about {words}, and neither A nor B is one", todo=f"leave out {option}")
    opened = [session_curves(files) if kind in (RESULT, SESSION) else None for kind, files in kinds]
    opened = [
        curves if curves is None or of is None else replace(curves, make=partial(_itself, of))
        for curves, of in zip(opened, made, strict=True)
    ]
    mass_kg = next(curves.mass_kg for curves in opened if curves is not None)
    pair = [
        curves or named(files[0], partial(_other, kind, files[0], mass_kg, reading))
        for curves, (kind, files) in zip(opened, kinds, strict=True)
    ]
    if pair[0].name == pair[1].name:
        pair = [replace(curves, name=_with_folder(curves)) for curves in pair]
    if pair[0].name == pair[1].name:
        pair = [replace(curves, name=f"{curves.name} ({letter})") for curves, letter in zip(pair, "AB", strict=True)]
    return pair[0], pair[1]


def _itself(made: Made) -> Made:
    return made


def _with_folder(curves: Curves) -> str:
    """The name of a source with that of its folder before it."""
    files = curves.files or ((curves.trial,) if curves.trial is not None else ())
    folder = files[0].absolute().parent if files else None
    if curves.kind == SESSION and folder is not None:
        folder = folder.parent
    return curves.name if folder is None else f"{folder.name}/{curves.name}"


def _other(kind: str, path: Path, mass_kg: float, reading: Reading) -> Curves:
    return _stored(path, mass_kg, reading) if kind == STORED else _opensim(path, mass_kg, reading)


# --- results ----------------------------------------------------------------------------------------------------


def session_curves(files: tuple[Path, ...]) -> Curves:
    """The curves of one result, or a session of several, whose means are made where they are compared."""
    if len(files) == 1:
        return result_curves(read_source(files[0]))
    records = [checked_record(path) for path in files]
    models = {str(record.get("model", {}).get("name", "")) for record in records}
    words = f"{len(files)} trials, model {' and '.join(sorted(models))}"
    return Curves(files[0].absolute().parent.name, SESSION, words, {}, None, np.empty(0), records[0], files)


def result_curves(source: Source) -> Curves:
    """The curves of one result."""
    headers = source.headers
    columns = source.numbers("joints", headers["joints"]) | source.numbers("wrenches", headers["wrenches"])
    record: Mapping[str, Any] = source.record
    columns = _measured(columns, record)
    frame, time_s = columns.pop("frame"), columns.pop("time_s")
    model = str(record.get("model", {}).get("name", ""))
    words = f"model {model}, gaitid {record.get('gaitid', '')}"
    return Curves(
        name=source.stem,
        kind=RESULT,
        words=words,
        columns=columns,
        frame=frame,
        time_s=time_s,
        record=record,
        files=(source.path,),
        make=partial(_made, source),
        standard=_standard(source, len(frame)),
    )


def _measured(columns: Mapping[str, Array], record: Mapping[str, Any]) -> dict[str, Array]:
    """The columns without what follows from estimated loads, but of a run whose features have them."""
    marks = {name.removesuffix(ESTIMATED): of > 0 for name, of in columns.items() if name.endswith(ESTIMATED)}
    rest = {name: of for name, of in columns.items() if not name.endswith(ESTIMATED)}
    if not marks or record.get("estimated_loads", {}).get("in_features"):
        return rest
    for name, values in rest.items():
        side, _, of = name.partition("_")
        if side in marks and not of.endswith(("_deg", *LENGTH_UNITS)):
            rest[name] = np.where(marks[side], np.nan, values)
    return rest


def _standard(source: Source, n_frames: int) -> dict[str, Array]:
    """Standard uncertainties of a result's columns, from the table beside its record.

    Raises
    ------
    GaitidError
        The record says that there is one, and it is not whole.
    """
    if "uncertainty" not in source.record:
        return {}
    path = source.file(UNCERTAINTY)
    if source.file(UNCERTAINTY_CYCLES).is_file() and not path.is_file():  # of a batch, which has no bands by frame
        return {}
    lines = read_text_back(path, "CSV").split("\n")[1:-1]
    if len(lines) % n_frames:
        raise GaitidError(f"{path}: not whole", expected=f"a row for each of {n_frames} frames and each column")
    names = [line.split(",", 2)[1] for line in lines[: len(lines) // n_frames]]
    cells = [line.split(",", 3)[2] for line in lines]
    values = np.array([float(cell) if cell else np.nan for cell in cells]).reshape(n_frames, len(names))
    return dict(zip(names, values.T, strict=True))


def made_of(result: Analysed, setup: Setup) -> Made:
    """A result with what it was made from."""
    assert setup.model is not None  # settled
    return Made(result, setup.subject_content)


def _made(source: Source) -> Made:
    """The result in memory, from the files that its record names.

    Raises
    ------
    GaitidError
        A file is gone or has changed, or other numbers come out.
    """
    setup = source.recorded.setup
    result = source.analysed
    if setup.model is None:
        raise GaitidError("the record does not say which model it was made with")
    return made_of(result, setup)


# --- others -----------------------------------------------------------------------------------------------------


def _stored(path: Path, mass_kg: float, reading: Reading) -> Curves:
    trial = read_stored(found_trial(path))
    suffix, outputs = choose_set(trial, reading.outputs)
    mass = stored_mass(trial)
    notes: tuple[str, ...] = ()
    if not np.isfinite(mass):
        mass = mass_kg
        notes = (f"{path.name} stores no mass: its forces are taken as divided by the result's {mass_kg:g} kg",)
    elif abs(mass / mass_kg - 1) > 1e-3:
        notes = (f"{path.name} stores {mass:g} kg, the result has {mass_kg:g} kg: each is per its own kilogram",)
    words = "stored outputs" + (f" {suffix}" if suffix else "")
    if software := trial.origin.get("software", ""):
        words += f" ({software})"
    frame = trial.first_frame + np.arange(trial.n_frames)
    return Curves(
        name=path.name,
        kind=STORED,
        words=words,
        columns=stored_columns(outputs, mass),
        frame=frame.astype(np.float64),
        time_s=trial.time_s,
        record={},
        notes=notes,
        trial=path,
        set_name=suffix,
    )


def _opensim(path: Path, mass_kg: float, reading: Reading) -> Curves:
    result = read_opensim(path, mass_kg, reading.knee)
    columns: dict[str, Array] = result.columns
    return Curves(path.name, OPENSIM, result.words, columns, None, result.time_s, {}, notes=result.notes)
