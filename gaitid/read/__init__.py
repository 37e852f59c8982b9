"""Files of a laboratory -> `Trial`. Units become SI at this door, once.

What a file holds comes in, by whichever program wrote it; what goes out is a `Trial` with notes of all that was assumed
or repaired. It knows nothing of models or feet.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gaitid.errors import GaitidError, ReadError
from gaitid.model.nexus_subject import SUFFIX, mp_beside, read_mp
from gaitid.model.settings import ReaderSettings
from gaitid.notes import note, phrase
from gaitid.numerics.masks import median_of_known
from gaitid.numerics.rotation import norm
from gaitid.read.subjects import listed
from gaitid.trial import POSE_ARM_M, Array, ForcePlate, Trial, pose_labels

if TYPE_CHECKING:
    from gaitid.read.tables.marker_table import MarkerTable


SUFFIXES = (".c3d", ".csv", ".trc", ".tsv")
#: Share of a static's frames: a label that is seen in fewer is no marker of it. Markers of the shared statics are seen
#: in at least 0.87 of the frames; one that was a moment of another marker in 0.01.
FEWEST_SEEN = 0.1
#: What an export of OptiTrack Motive begins with.
MOTIVE = re.compile('"?Format Version"?[,;\t]')
# m. Two markers are farther apart: the smallest are 6 mm wide.
MARKER_M = 0.006
_EXPORT = "export the trial as C3D"
# What a user knows the settings of the reader as.
_OPTIONS = {
    "point_unit": "--set point_unit",
    "point_rate_hz": "--set point_rate_hz",
    "subject_prefix": "--subject-prefix",
}
# What files of other programs begin with that are named .csv.
_OTHER_TABLES = {
    r"PathFileType\b": ("a TRC file", "end its name with .trc"),
    r"(FILE_VERSION|NO_OF_\w+)\b": ("a table of Qualisys Track Manager", "end its name with .tsv"),
    r"(\t.*\n){4}ITEM\t": ("a text file of Visual3D", _EXPORT),
}


def read_trial(
    path: Path,
    *,
    forces: Path | None = None,
    plates: Path | None = None,
    events: Path | None = None,
    stored: bool = False,
    settings: ReaderSettings | None = None,
) -> Trial:
    """Read a trial by the suffix of its name, and what other programs left of feet on plates.

    Parameters
    ----------
    path : Path
        ``.c3d``, ``.csv`` (plain, or an export of Nexus or Motive), ``.trc`` or ``.tsv`` (Qualisys); a static
        may be an OpenSim model (``.osim``).
    forces : Path, optional
        Forces beside a trial that holds none: plain CSV, ``.mot``, ``.sto``, ``.forces``, ``.anc`` or ``.tsv``. Where
        none are given, those that lie beside it by its name (`gaitid.read.assignments`).
    plates : Path, optional
        YAML (or ``forcepla.cal``) with the plates' corners, origins and force sense: of these forces, for CSV, and for
        a C3D that does not declare its plates, or wrongly.
    events : Path, optional
        Gait events in place of those that the trial stores (`gaitid.read.event_file`).
    stored : bool
        Also keep the model outputs that the file holds.
    settings : ReaderSettings, optional
        The unit of lengths, the rate, the axes, and which of several subjects, where the user says so.

    Returns
    -------
    Trial

    Raises
    ------
    ReadError
        What cannot be read, in one line.
    """
    if path.suffix.lower() == ".osim":  # of no laboratory's axes
        return read_osim(path)
    from gaitid.read.assignments import assignments_left
    from gaitid.read.plates.surface import repeated_plates

    settings = settings or ReaderSettings()
    trial = with_vertical(_read_with_beside(path, forces, plates, stored, settings), settings)
    if settings.mirror is not None:
        trial = mirrored(trial, settings.mirror)
    if settings.force_start_s is not None:
        trial = replace(trial, plates=tuple(replace(p, start_s=settings.force_start_s) for p in trial.plates))
    trial = _with_subject(trial, settings)
    repeated = repeated_plates(trial.notes)
    left = tuple(other for other in assignments_left(trial) if other.plate not in repeated)
    if events is not None:
        from gaitid.read.event_file import with_events

        trial = with_events(trial, events)
    return replace(trial, assignments=left) if left else trial


def as_static(trial: Trial, settings: ReaderSettings | None = None) -> Trial:
    """A static as models take it: while the subject stands, without labels that stand for a marker in few frames.

    In a static all markers are in view. A label that is seen in less than `FEWEST_SEEN` of it, or in less than half of
    it and where another marker is, names what a camera took for that marker for a moment: a reflection, or the other.
    """
    trial = standing_part(trial if settings is None else with_vertical(trial, settings))
    n_frames = int(np.isfinite(trial.points_g).any(axis=(1, 2)).sum())
    seen = np.isfinite(trial.points_g).all(axis=2).sum(axis=0)
    rare = (seen > 0) & (seen < FEWEST_SEEN * n_frames)
    for i in np.flatnonzero(~rare & (seen > 0) & (2 * seen < n_frames)):
        frames = np.isfinite(trial.points_g[:, i, 0])
        apart_m = norm(trial.points_g[frames] - trial.points_g[frames][:, [i]])
        rare[i] = (median_of_known(apart_m) < MARKER_M)[seen > seen[i]].any()
    if not rare.any():
        return trial
    points_g = np.where(rare[:, None], np.nan, trial.points_g)
    named = [(label, n) for label, n, drop in zip(trial.labels, seen, rare) if drop and label[:1] not in ("", "*")]
    seen_in = [phrase("read/seen_in", label=label, n=n, of=n_frames) for label, n in named]
    notes = (note("static_marker_rare", seen_in=seen_in),) if named else ()
    return replace(trial, points_g=points_g, notes=(*trial.notes, *notes))


def with_vertical(trial: Trial, settings: ReaderSettings) -> Trial:
    """The trial with the laboratory axis that the user says points up."""
    return trial if settings.vertical is None or trial.scaled is not None else replace(trial, up=settings.vertical)


def _read_with_beside(
    path: Path, forces: Path | None, plates: Path | None, stored: bool, settings: ReaderSettings
) -> Trial:
    """The trial with the forces that are given, or lie beside it by its name; these stay out where they do not fit."""
    from gaitid.read.assignments import forces_beside

    result = [] if forces is not None else forces_beside(path)
    if not result:
        return _read(path, forces, plates, stored, settings)
    names = listed([file.name for file in result])
    try:
        trial = _read(path, result[0], plates, stored, settings)
        said = note("reading_info/forces_beside", names=names)
    except GaitidError as error:
        if plates is not None:  # which may be what is at fault
            raise
        trial = _read(path, None, plates, stored, settings)
        said = note("file_beside/unreadable", name=names, why=error.line())
    return replace(trial, notes=(*trial.notes, said))


def _read(path: Path, forces: Path | None, plates: Path | None, stored: bool, settings: ReaderSettings) -> Trial:
    suffix = path.suffix.lower()
    if suffix == ".c3d":
        from gaitid.read.c3d.trial import read_c3d

        trial = read_c3d(path, stored=stored, settings=settings, plates=plates if forces is None else None)
        trial = _unused(trial, settings, "point_rate_hz")
        return trial if forces is None else _with_forces(trial, forces, plates)
    if suffix in (".trc", ".tsv"):
        from gaitid.read.tables.marker_table import read_qtm
        from gaitid.read.tables.trc import read_trc

        return _of_markers(path, (read_trc if suffix == ".trc" else read_qtm)(path), forces, plates, settings)
    if suffix == ".csv":
        from gaitid.read.tables.csv_plain import read_plain_csv
        from gaitid.read.tables.marker_table import read_motive
        from gaitid.read.tables.nexus_sections import is_nexus_csv
        from gaitid.read.tables.text_table import first_characters

        head = first_characters(path)
        if MOTIVE.match(head):
            return _of_markers(path, read_motive(path), forces, plates, settings)
        if is_nexus_csv(head):
            if forces is not None:
                raise ReadError("a Nexus export holds its own forces (section Devices)", todo="leave out --forces")
            from gaitid.read.tables.csv_nexus import read_nexus_csv

            nexus = read_nexus_csv(path, plates=plates, stored=stored)
            return _unused(nexus, settings, "point_unit", "point_rate_hz", "subject_prefix")
        for begin, (what, todo) in _OTHER_TABLES.items():
            if re.match(begin, head):
                raise ReadError(what, expected="a plain table (docs/csv.md) or a Nexus export", todo=todo)
        return read_plain_csv(path, forces=forces, plates=plates, settings=settings)
    if path.is_dir():
        raise ReadError(
            "a folder",
            expected="a file (.c3d, .csv, .trc or .tsv)",
            todo="for all trials of a folder there is gaitid batch",
        )
    if not path.exists():
        there = [path.name + ending for ending in SUFFIXES if path.with_name(path.name + ending).is_file()]
        raise ReadError("no such file" + (f" (did you mean {there[0]!r}?)" if there else ""), todo="check the path")
    todo = (
        "give it with --forces, beside the trial of its markers"
        if suffix in (".mot", ".sto", ".forces", ".anc")
        else _EXPORT
    )
    known = " or ".join(SUFFIXES)
    raise ReadError(f"the suffix {path.suffix!r} is not known", expected=known, found=path.name, todo=todo)


def _of_markers(
    path: Path, table: MarkerTable, forces: Path | None, plates: Path | None, settings: ReaderSettings
) -> Trial:
    """The trial of a table of markers, with forces of another file."""
    from gaitid.read.plates import unused_plates
    from gaitid.read.tables.marker_table import trial_of

    trial, cameras_s = trial_of(path, table, settings)
    if forces is not None:
        trial = _with_forces(trial, forces, plates, cameras_s)
    else:
        trial = replace(trial, notes=(*trial.notes, *unused_plates(plates, phrase("read/no_forces"))))
    return _unused(trial, settings, "point_rate_hz")


def _with_forces(
    trial: Trial, forces: Path, plates: Path | None, cameras_s: tuple[float, float] | None = None
) -> Trial:
    """A trial without plates with forces of another file.

    Both have the clock by which the first and the last frame were at `cameras_s`; else they count their time from the
    trial's first frame, as those of a C3D of a markerless system.

    Raises
    ------
    ReadError
        It holds plates.
    """
    if trial.plates or trial.refused_plates:
        raise ReadError("a C3D file holds its own forces", todo="leave out --forces")
    from gaitid.read.tables.csv_plain import read_forces

    loads = read_forces(forces, plates, cameras_s or (0.0, float(trial.time_s[-1])))
    return replace(
        trial,
        plates=loads.usable,
        refused_plates=loads.refused,
        assignments=(*trial.assignments, *loads.assignments),
        notes=(*(n for n in trial.notes if n.code != "plates_undeclared"), *loads.notes),
    )


def _with_subject(trial: Trial, settings: ReaderSettings) -> Trial:
    """The trial with the subject file of Nexus beside it that names its subject, or is the only one there."""
    names = trial.names if settings.subject_prefix is None else (settings.subject_prefix,)
    files = mp_beside(trial.path, names)
    if len(files) != 1:
        return trial
    try:
        measured, said = read_mp(files[0]), note("reading_info/subject_file", named=files[0].stem in names)
    except ReadError as error:
        unread = note("file_beside/unreadable", name=phrase("read/subject_file", suffix=SUFFIX), why=error.line())
        return replace(trial, notes=(*trial.notes, unread))
    return replace(trial, measured=measured, measured_in=files[0], notes=(*trial.notes, said))


def _unused(trial: Trial, settings: ReaderSettings, *names: str) -> Trial:
    """The trial of a file that says itself what these settings would say."""
    notes = tuple(
        note("input_unused/said_by_file", option=_OPTIONS[name])
        for name in names
        if getattr(settings, name) is not None
    )
    return replace(trial, notes=(*trial.notes, *notes)) if notes else trial


# m. Quiet stance sways by up to 22 mm; who goes no farther than the second may be taken to stand (docs/static.md).
SWAY_M, STANDS_M = 0.03, 0.08
# s. So long a stretch is no pause of a step, which lasts a second or less.
LEAST_S = 1.0
# Share of the markers: so many stay within `SWAY_M`; the others may jump, or be on a hand.
_STAYING = 0.9


def standing_part(static: Trial) -> Trial:
    """The static with its markers seen only while the subject stands still, as where he steps into place first.

    Where they go farther than `STANDS_M`, the longest stretch in which nearly all stay within `SWAY_M`, if it lasts
    `LEAST_S`; else the static as it is.
    """
    step = max(1, round(0.1 * static.rate_hz))
    places = static.points_g[::step]
    if _stay(places, STANDS_M):
        return static
    best, first = (0, 0), 0
    for stop in range(2, len(places) + 1):
        while stop - first > 1 and not _stay(places[first:stop], SWAY_M):
            first += 1
        best = max(best, (first, stop), key=lambda part: part[1] - part[0])
    start, stop = best[0] * step, min((best[1] - 1) * step + 1, static.n_frames)
    if stop - start < LEAST_S * static.rate_hz:
        return static
    points_g = np.full_like(static.points_g, np.nan)
    points_g[start:stop] = static.points_g[start:stop]
    frames = start + static.first_frame, stop - 1 + static.first_frame
    said = note("static_part", first=frames[0], last=frames[1])
    return replace(static, points_g=points_g, notes=(*static.notes, said))


def _stay(places: Array, within_m: float) -> bool:
    """Whether nearly all markers stay where they are."""
    known = places[:, np.isfinite(places).all(axis=(0, 2))]
    if not known.size:
        return False
    extent = np.linalg.norm(np.ptp(known, axis=0), axis=1)
    return bool(np.mean(extent < within_m) >= _STAYING)


def mirrored(trial: Trial, axis: str) -> Trial:
    """The trial with the sign of one laboratory axis turned.

    Raises
    ------
    ReadError
        It holds poses of segments, whose axes are right-handed as they are.
    """
    if trial.segments:
        raise ReadError(
            f"--set mirror={axis}: the file holds poses of segments, which no mirror image of right-handed axes can be",
            todo="leave it out",
        )
    signs = np.where(np.arange(3) == "xyz".index(axis), -1.0, 1.0)
    hint = None if trial.up_hint is None else trial.up_hint * signs
    plates = tuple(_plate(plate, signs) for plate in trial.plates)
    return replace(trial, points_g=trial.points_g * signs, plates=plates, up_hint=hint)


def _plate(plate: ForcePlate, signs: Array) -> ForcePlate:
    """A plate measures in axes of its own, which follow from its corners.

    Without corners its forces are laboratory vectors, S the mirror: S f, and r × f becomes S r × S f = −S (r × f).
    Plate axes are S R D, a rotation, where D turns the plate's x; its z stays into the plate.
    """
    if plate.outlined or plate.R_gp is None or plate.centre_g is None:
        made = replace(plate, corners_g=plate.corners_g * signs)
        return made.made_again(plate.__dict__["_again"]) if "_again" in plate.__dict__ else made
    x = np.array([-1.0, 1.0, 1.0])
    return replace(
        plate,
        R_gp=signs[:, None] * plate.R_gp * x,
        centre_g=plate.centre_g * signs,
        sensor_p=plate.sensor_p * x,
        force_p=plate.force_p * x,
        moment_p=-plate.moment_p * x,
        R_pc=x[:, None] * (np.eye(3) if plate.R_pc is None else plate.R_pc),
    )


def read_osim(path: Path) -> Trial:
    """The model's markers on pelvis and legs, and the poses of their bodies, in axes of the pelvis (z up).

    Raises
    ------
    ReadError
        As `ScaledModel`.
    """
    from gaitid.model.osim import ScaledModel

    model = ScaledModel(path)
    poses = {"_".join(filter(None, ("osim", side[:1], segment))): at for (side, segment), at in model.poses()}
    points = {
        label: point
        for name, at in poses.items()
        for label, point in zip(pose_labels([name]), (at.p, *(at.p + POSE_ARM_M * at.R.T)), strict=True)
    }
    for place, at in model.poses():
        points |= {label: at.p + at.R @ lies for label, lies in model.markers.get(place, {}).items()}
    return Trial(
        path,
        1.0,
        1,
        tuple(points),
        np.array([*points.values()])[None],
        parameters={"Bodymass": model.mass_kg},  # as a C3D file stores the mass of its subject
        up_hint=np.array([0.0, 0.0, 1.0]),
        segments=tuple(poses),
        scaled=model,
    )
