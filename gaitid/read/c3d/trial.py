"""C3D files: one `Trial`, in SI units, with its events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

import numpy as np

from gaitid.errors import Names, ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note
from gaitid.read.c3d.file import Analog, C3DFile, continued, read_c3d_file, read_c3d_parameters, texts
from gaitid.read.c3d.frame_layout import first_number
from gaitid.read.c3d.poses import Poses
from gaitid.read.c3d.sections import HEADER_EVENTS, Parameters
from gaitid.read.event_names import WORDS, said, side_of_word
from gaitid.read.length_unit import LENGTH_M, factor, length_unit
from gaitid.read.plates.force_platform import plates_from_channels, unit_by_plates
from gaitid.read.subjects import Chosen, best_copies, choose_subject, listed, subject_and_name, unseen
from gaitid.trial import POSE_ARM_M, Array, Emg, Event, IntArray, Mask, Measurements, Trial, frozen, pose_labels

#: What one unit is worth, V, by its name in small letters.
VOLTS = {
    **dict.fromkeys(("v", "volt", "volts"), 1.0),
    **dict.fromkeys(("mv", "millivolt", "millivolts"), 1e-3),
    **dict.fromkeys(("uv", "µv", "μv", "microvolt", "microvolts"), 1e-6),
}


def emg_of(file: C3DFile, rate_hz: float, subjects: Collection[str]) -> Emg | None:
    """The channels of a C3D that may be electromyography; None where none may.

    Parameters
    ----------
    file : C3DFile
    rate_hz : float
        Of the samples.
    subjects : collection of str
        Names of people, which stand in front of labels.
    """
    labels, units = (texts(file.parameters, "ANALOG", name) for name in ("LABELS", "UNITS"))
    of_plates = np.ravel(file.parameters.get("FORCE_PLATFORM", {}).get("CHANNEL", [])).tolist()  # from 1
    result = [
        (i, label, VOLTS[units[i].strip().lower()])
        for i, label in enumerate(labels[: file.analog.shape[0]])
        if i + 1 not in of_plates and i < len(units) and units[i].strip().lower() in VOLTS
    ]
    if not result:
        return None
    channels = [i for i, _, _ in result]
    return Emg(
        tuple(_without(label, subjects) for _, label, _ in result),
        rate_hz,
        partial(_some, file.analog, channels),
        np.array([volts for *_, volts in result]),
    )


def _without(label: str, subjects: Collection[str]) -> str:
    subject, name = subject_and_name(label)
    return name if subject in subjects else label


def _some(analog: Analog, channels: Sequence[int], which: Sequence[int]) -> Array:
    return analog[[channels[i] for i in which]]


# An event farther from the first frame, s, has no time: a day of recording is no trial.
_FAR_S = 86400.0
# Labels of a header's events: a side, a kind, and a digit where one comes again, for they should differ.
_LABEL = r"(?i)([LR])(HS|FS|IC|TO|FO)\d?"  # hardly any file has such events: not compiled before one does


def events_of(file: C3DFile) -> tuple[tuple[Event, ...], Notes]:
    """Events with time 0 at the first frame, in order of time; and notes of those that are not read."""
    events, notes = _of_group(file)
    if not events:
        events, header_notes = _of_header(file)
        notes += header_notes
    return tuple(sorted(events, key=lambda e: (e.time_s, e.side, e.name))), notes


def _of_group(file: C3DFile) -> tuple[list[Event], Notes]:
    """``EVENT:TIMES`` holds minutes and seconds, counted so that frame number n lies at (n − 1)/rate."""
    parameters = file.parameters
    parts = [part for part in continued(parameters, "EVENT", "TIMES") if np.size(part)]
    tables = [p.reshape(2, -1, order="F") for p in parts if isinstance(p, np.ndarray) and len(p) == 2 and p.ndim <= 2]
    if len(tables) < len(parts):
        return [], (note("file_incomplete/event_times"),)
    minutes, seconds = np.concatenate([np.empty((2, 0)), *tables], axis=1)
    labels, contexts = (texts(parameters, "EVENT", name) for name in ("LABELS", "CONTEXTS"))
    lengths = len(seconds), len(labels), len(contexts)
    used = first_number(parameters, "EVENT", "USED")
    n_events = max(int(used), 0) if np.isfinite(used) else max(lengths)
    notes: Notes = ()
    if min(lengths) < n_events:
        notes += (
            note(
                "file_incomplete/event_parts",
                times=len(seconds),
                labels=len(labels),
                contexts=len(contexts),
                n_events=n_events,
            ),
        )
    if unused := sum(map(bool, labels[n_events:])):
        notes += (note("file_repaired/more_events", n_events=n_events, unused=unused),)
    events: list[Event] = []
    timeless: list[str] = []
    times = 60.0 * minutes + seconds - (file.first_frame - 1) / file.rate_hz
    every_context = contexts + [""] * len(labels)
    for label, context, t in zip(labels[:n_events], every_context, times, strict=False):
        if not abs(t) <= _FAR_S:
            timeless.append(f"{context} {label}".strip())
            continue
        events.append(Event(label, side_of_word(context.strip().lower()) or "general", float(t)))
    if timeless:
        notes += (note("file_incomplete/timeless_events", events=listed(timeless)),)
    return events, notes


def _of_header(file: C3DFile) -> tuple[list[Event], Notes]:
    """Events of files older than the group, up to 18, their times counted from the first frame.

    Their flags say which to draw: guides of different years give the two values opposite meanings, and an event is
    valid with either (c3d.org, Header events and Event status).
    """
    n_events, stored = file.header.n_events, file.header.events
    if not 0 <= n_events <= HEADER_EVENTS:
        return [], (note("file_incomplete/header_event_count", n_events=n_events, room=HEADER_EVENTS),)
    duration_s = len(file.points) / file.rate_hz
    events: list[Event] = []
    lost: list[str] = []
    for label, t in stored:
        if not label or not 0 <= t <= duration_s:
            lost.append(f"{label or 'no label'} ({t:.4g} s)")
        elif known := re.fullmatch(_LABEL, label):
            side, kind = known.groups()
            events.append(Event(WORDS[said(kind)[1]], side_of_word(side.lower()), t))
        else:
            events.append(Event(label, "general", t))
    return events, (note("file_incomplete/header_events", events=listed(lost)),) if lost else ()


# Groups of POINT that name model outputs: what the file computed, never what a camera saw.
OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")
# So many frames, or a little more, show whose markers there are, and how large a body.
_LOOKED_AT = 50
# Entries of SUBJECTS that are bookkeeping, not measurements.
_BOOKKEEPING = {"USED", "IS_STATIC", "USES_PREFIXES"}


def read_c3d(
    path: Path, *, stored: bool = False, settings: ReaderSettings | None = None, plates: Path | None = None
) -> Trial:
    """Read one C3D file.

    Parameters
    ----------
    path : Path
    stored : bool
        Also keep the model outputs that the file holds (`Trial.stored`), for comparison.
    settings : ReaderSettings, optional
    plates : Path, optional
        YAML with the geometry of force plates: of those that the file does not declare, and in place of what it says
        of others (`plates_from_channels`).

    Returns
    -------
    Trial

    Raises
    ------
    ModelError
        The plates file, in one line.
    ReadError
        Not a file, not C3D, damaged, truncated, without frames, of several subjects, or with a unit that neither the
        file nor the size of what it saw tells.
    """
    settings = settings or ReaderSettings()
    file = read_c3d_file(path)
    parameters, rate = file.parameters, file.rate_hz
    notes = file.notes

    # points beyond the list of labels have none of their own and cannot be asked for
    labels = [*texts(parameters, "POINT", "LABELS"), *[""] * file.points.shape[1]][: file.points.shape[1]]
    if labels and not any(labels):
        notes += (note("file_incomplete/no_labels", n_points=len(labels)),)
    outputs = {name for group in OUTPUT_GROUPS for name in texts(parameters, "POINT", group)} - {""}
    is_marker = np.array([label not in outputs for label in labels], dtype=bool)
    places = np.flatnonzero(is_marker)
    some = slice(None, None, max(len(file.points) // _LOOKED_AT, 1))
    seen = file.seen[some] & ~unseen(file.points[some], file.seen[some], 0.0, labels)[0]
    subject = choose_subject([labels[i] for i in places], seen[:, places], settings.subject_prefix)
    places = places[list(subject.points)]
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[places] = True
    looked_at = np.where(seen[:, places, None], file.points[some][:, places], np.nan)
    unit = _text(parameters, "POINT", "UNITS")
    unit_notes: Notes = ()
    poses = file.poses
    if poses is not None and not labels:
        looked_at = poses.origin_g[some]
    if labels or poses is not None or settings.point_unit:
        unit, unit_notes = length_unit(unit, settings.point_unit, looked_at, "POINT:UNITS")
    elif not unit.strip() and (unit := unit_by_plates(parameters)):
        unit_notes = (note("reading_assumed/unit_by_plates", unit=unit),)
    scale = factor(unit, LENGTH_M, "POINT:UNITS") if labels or poses is not None else 1.0
    # The samples of a frame lie inside it, whatever the declared rate: 999 Hz at 10 samples a frame is 1000 Hz.
    analog_rate = rate * file.n_subframes
    declared = first_number(parameters, "ANALOG", "RATE")
    rate_notes: Notes = ()
    if file.n_subframes and declared > 0 and abs(declared / analog_rate - 1) > 1e-5:
        repaired = note(
            "file_repaired/analog_rate",
            declared_hz=declared,
            rate_hz=rate,
            n_samples=file.n_subframes,
            analog_hz=analog_rate,
        )
        rate_notes = (repaired,)
    # before the markers are copied: what plates need meanwhile is the most of a long trial
    described = None
    if plates is not None:
        from gaitid.read.plates.plates_file import read_plates_file  # YAML: only where there is such a file

        described = {geometry.number: geometry for geometry in read_plates_file(plates)}
    loads = plates_from_channels(parameters, file.analog, analog_rate, file.n_subframes, unit, described)
    blank, blank_notes = unseen(file.points, file.seen & chosen, scale, labels)
    lost = ~file.seen | blank
    result = _by_marker(file.points, lost, places)
    copies = best_copies(subject.labels, result, scale)
    read_labels = subject.labels
    if copies.taken:
        result = result[:, list(copies.order)]
        read_labels = tuple(subject.labels[i] for i in copies.order)
    notes += (*subject.notes, *unit_notes, *blank_notes, *copies.notes)

    names = {int(places[i]): subject.labels[i] for i in copies.order}
    poses = None if poses is None else _of_one_subject(poses, settings.subject_prefix)
    segments = () if poses is None else poses.labels
    result *= scale
    if poses is not None and segments:
        result = np.concatenate([result, points_of_poses(poses, scale)], axis=1)
    if isinstance(result.base, np.ndarray):
        frozen(result.base)  # made here: the trial needs no copy
    read_labels = (*read_labels, *pose_labels(segments))

    stored_outputs: dict[str, Array] = {}
    for i, label in enumerate(labels if stored else ()):
        owner, name = subject_and_name(label)
        if not is_marker[i] and (owner == subject.subject or not (owner and subject.subject)):
            stored_outputs.setdefault(name, _by_marker(file.points, lost, [i])[:, 0])
    measurements, measurement_notes = _measurements(parameters, subject)

    events, event_notes = events_of(file)
    people = tuple(sorted({*texts(parameters, "SUBJECTS", "NAMES"), *subject.subjects} - {""}))
    loaded, load_files = (texts(parameters, "GAITID", name) for name in ("LOADED_SEGMENTS", "LOAD_FILES"))
    software = (_text(parameters, "MANUFACTURER", name) for name in ("SOFTWARE", "VERSION_LABEL"))
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=file.first_frame,
        labels=read_labels,
        points_g=result,
        segments=segments,
        plates=loads.usable,
        refused_plates=loads.refused,
        events=events,
        parameters=measurements,
        stored=stored_outputs,
        up_hint=_up_hint(parameters),
        names=people,
        origin={
            "format": f"C3D, {file.encoding}",
            "software": " ".join(filter(None, software)),
            "length_unit": unit,
            "analog_rate_hz": f"{analog_rate:g}",
            "analog_channels": str(file.analog.shape[0]),
            "stored_outputs": " ".join(sorted({subject_and_name(label)[1] for label in outputs if label})),
        },
        notes=(*notes, *rate_notes, *measurement_notes, *loads.notes, *event_notes),
        # segments that the file says were loaded while it was recorded, and the files of these loads (docs/loads.md)
        loaded=tuple(zip_longest(loaded, load_files[: len(loaded)], fillvalue="FILE")),
        computed=tuple((names[point], first, last) for point, first, last in file.computed if point in names),
        emg=emg_of(file, analog_rate, people),
    )


def _of_one_subject(poses: Poses, prefix: str | None) -> Poses:
    """The poses that are read, their segments without a subject's prefix.

    Raises
    ------
    ReadError
        Of several subjects, and none is chosen.
    """
    parted = [subject_and_name(label) for label in poses.labels]
    subjects = list(dict.fromkeys(owner for owner, _ in parted if owner))
    if prefix is None and len(subjects) > 1:
        raise ReadError(
            "the file holds the poses of several subjects",
            expected="one, or which with --subject-prefix",
            found=Names(", ".join(subjects), f"{len(subjects)} subjects (gaitid inspect names them)"),
        )
    mine = [i for i, (owner, _) in enumerate(parted) if prefix is None or owner in ("", prefix)]
    return Poses(tuple(parted[i][1] for i in mine), poses.R_gs[:, mine], poses.origin_g[:, mine])


def points_of_poses(poses: Poses, scale: float) -> Array:
    """(frames, 4 segments, 3) what stands for each pose among the points, m: its origin and a point on each axis."""
    origin = poses.origin_g[:, :, None] * scale
    tips = origin + POSE_ARM_M * np.swapaxes(poses.R_gs, 2, 3)
    return np.concatenate([origin, tips], axis=2).reshape(len(origin), -1, 3)


def read_stored_subject(path: Path) -> tuple[frozenset[str], Mapping[str, float]]:
    """The labels of a file's points and its stored measurements, in the file's own units, without reading its data.

    Raises
    ------
    ReadError
        Not C3D, or its parameters cannot be read.
    """
    parameters = read_c3d_parameters(path)
    labels = frozenset(subject_and_name(label)[1] for label in texts(parameters, "POINT", "LABELS"))
    numbers = [(subject_and_name(label)[1], float(value.item())) for label, value in _numbers(parameters, 1)]
    return labels, Measurements(numbers)


def _by_marker(xyz: Array, lost: Mask, places: Sequence[int] | IntArray) -> Array:
    """(frames, places, 3) some of the points, NaN where not seen; in memory all frames of one lie together."""
    result = xyz.swapaxes(0, 1)
    if list(places) != [*range(len(result))]:
        result = result[places]
    result[lost.T[places]] = np.nan
    return result.swapaxes(0, 1)


def _text(parameters: Parameters, group: str, name: str) -> str:
    return next(iter(texts(parameters, group, name)), "")


def _numbers(parameters: Parameters, *sizes: int) -> Iterator[tuple[str, Array]]:
    """Entries of SUBJECTS and PROCESSING that hold so many finite numbers."""
    for group in ("SUBJECTS", "PROCESSING"):
        for label, value in parameters.get(group, {}).items():
            if isinstance(value, np.ndarray) and value.size in sizes and np.isfinite(value).all():
                yield label, value


def _measurements(parameters: Parameters, chosen: Chosen) -> tuple[Mapping[str, float], Notes]:
    """Scalar numbers of PROCESSING and SUBJECTS, in the file's own units; of several subjects those of the chosen one.

    His are those of names that begin with his, and his of lists that are as long as that of the subjects. Where another
    person is in the file too, nothing says whose any other is.
    """
    numbers: list[tuple[str, float]] = []
    of_nobody: list[str] = []
    subjects = texts(parameters, "SUBJECTS", "LABEL_PREFIXES"), texts(parameters, "SUBJECTS", "NAMES")
    rows = [[name.rstrip(": ") for name in names] for names in subjects]
    row = next((names.index(chosen.subject) for names in rows if chosen.subject and chosen.subject in names), None)
    n_subjects = max(map(len, rows))
    for label, value in _numbers(parameters, 1, n_subjects):
        owner, name = subject_and_name(label)
        if name.upper() in _BOOKKEEPING or (owner and chosen.subject not in ("", owner)):
            continue
        if value.size == n_subjects > 1 and row is not None:
            numbers.append((name, float(value.flat[row])))
        elif value.size == 1 and (owner or not chosen.others):
            numbers.append((name if chosen.subject else label, float(value.item())))
        elif value.size == 1:
            of_nobody.append(name)
    if not of_nobody:
        return Measurements(numbers), ()
    return Measurements(numbers), (note("file_incomplete/measurements", measurements=listed(of_nobody)),)


def _up_hint(parameters: Parameters) -> Array | None:
    """``POINT:X_SCREEN`` and ``Y_SCREEN`` name the axes to the right and up on a screen, as ``+Z``."""
    text = _text(parameters, "POINT", "Y_SCREEN")
    if len(text) != 2 or text[0] not in "+-" or text[1] not in "XYZ":
        return None
    up = np.zeros(3)
    up["XYZ".index(text[1])] = 1.0 if text[0] == "+" else -1.0
    return up
