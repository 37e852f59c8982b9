"""C3D files: one `Trial`, in SI units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Note, Notes
from gaitid.read.c3d.events import events_of
from gaitid.read.c3d.file import read_c3d_file, texts
from gaitid.read.c3d.layout import first_number
from gaitid.read.c3d.sections import Parameters
from gaitid.read.labels import listed, subject_and_name
from gaitid.read.plates.force_platform import plates_from_channels
from gaitid.read.units import LENGTH_M, factor
from gaitid.trial import Array, Mask, Trial

# Groups of POINT that name model outputs: what the file computed, never what a camera saw.
OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")
# A marker farther from the laboratory's origin, m, was not seen there: the number is damaged.
FAR_M = 1000.0
# Where many programs put a marker that they lost.
_AT_ORIGIN = "exactly at the origin"
# Entries of SUBJECTS that are bookkeeping, not measurements.
_BOOKKEEPING = {"USED", "IS_STATIC", "USES_PREFIXES"}


def read_c3d(path: Path, *, stored: bool = False) -> Trial:
    """Read one C3D file.

    Parameters
    ----------
    path : Path
    stored : bool
        Also keep the model outputs that the file holds (`Trial.stored`), for comparison.

    Returns
    -------
    Trial

    Raises
    ------
    ReadError
        Not a file, not C3D, damaged, truncated, without frames, or with a unit that is not declared.
    """
    file = read_c3d_file(path)
    parameters, rate = file.parameters, file.rate_hz
    notes = file.notes

    labels = _labels(parameters, file.points.shape[1])
    if labels and not any(labels):
        notes += (Note("file_incomplete", f"the file names none of its {len(labels)} points (POINT:LABELS)"),)
    outputs = {name for group in OUTPUT_GROUPS for name in texts(parameters, "POINT", group)} - {""}
    is_marker = np.array([label not in outputs for label in labels], dtype=bool)
    scale = factor(_text(parameters, "POINT", "UNITS"), LENGTH_M, "POINT:UNITS") if labels else 1.0
    blank, blank_notes = _blanks(file.points, file.seen & is_marker, scale, labels)
    points = np.where((~file.seen | blank)[..., None], np.nan, file.points)
    markers, prefixes = _without_subjects([label for label, keep in zip(labels, is_marker, strict=True) if keep])
    notes += blank_notes

    stored_outputs: dict[str, Array] = {}
    if stored:
        for i, label in enumerate(labels):
            if not is_marker[i]:
                stored_outputs.setdefault(subject_and_name(label)[1], points[:, i])

    # The samples of a frame lie inside it, whatever the declared rate: 999 Hz at 10 samples a frame is 1000 Hz.
    analog_rate = rate * file.n_subframes
    declared = first_number(parameters, "ANALOG", "RATE")
    if file.n_subframes and declared > 0 and abs(declared / analog_rate - 1) > 1e-5:
        what = f"ANALOG:RATE {declared:g} Hz is no whole multiple of {rate:g} Hz"
        text = f"{what}; with {file.n_subframes} samples a frame it is taken as {analog_rate:g} Hz"
        notes += (Note("file_repaired", text),)
    plates = plates_from_channels(parameters, file.analog, analog_rate, file.n_subframes)
    events, event_notes = events_of(file)
    software = (_text(parameters, "MANUFACTURER", name) for name in ("SOFTWARE", "VERSION_LABEL"))
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=file.first_frame,
        labels=markers,
        points_g=points[:, is_marker] * scale,
        plates=plates.usable,
        refused_plates=plates.refused,
        events=events,
        parameters=_measurements(parameters),
        stored=stored_outputs,
        up_hint=_up_hint(parameters),
        names=tuple(sorted({*texts(parameters, "SUBJECTS", "NAMES"), *prefixes} - {""})),
        origin={
            "format": f"C3D, {file.encoding}",
            "software": " ".join(filter(None, software)),
            "length_unit": _text(parameters, "POINT", "UNITS"),
            "analog_rate_hz": f"{analog_rate:g}",
            "analog_channels": str(file.analog.shape[0]),
            "stored_outputs": " ".join(sorted({subject_and_name(label)[1] for label in outputs if label})),
        },
        notes=(*notes, *plates.notes, *event_notes),
    )


def _blanks(xyz: Array, seen: Mask, scale: float, labels: Sequence[str]) -> tuple[Mask, Notes]:
    """(frames, points) where a marker is said to be seen at a place where none can be.

    Many programs write 0, 0, 0 for a marker that they lost, with a residual that says otherwise.
    """
    finite = np.isfinite(xyz).all(axis=2)
    with np.errstate(invalid="ignore"):
        kinds = {
            _AT_ORIGIN: ~xyz.any(axis=2),
            "without finite coordinates": ~finite,
            f"more than {FAR_M:g} m away": finite & (np.abs(xyz).max(axis=2) * scale > FAR_M),
        }
    blank = np.zeros(seen.shape, dtype=bool)
    notes: Notes = ()
    for what, where in kinds.items():
        wrong = where & seen
        if wrong.any():
            counts = wrong.sum(axis=0).tolist()
            names = [subject_and_name(label)[1] or f"point {i}" for i, label in enumerate(labels, 1)]
            frames = listed([f"{name} ({n})" for name, n in zip(names, counts, strict=True) if n])
            code = "reading_info" if what == _AT_ORIGIN else "values_lost"
            notes += (Note(code, f"markers {what} count as not seen (frames): {frames}"),)
            blank |= wrong
    return blank, notes


def _text(parameters: Parameters, group: str, name: str) -> str:
    return next(iter(texts(parameters, group, name)), "")


def _labels(parameters: Parameters, n_points: int) -> list[str]:
    """One label a point; points beyond the list of labels have none of their own and cannot be asked for."""
    labels = texts(parameters, "POINT", "LABELS")[:n_points]
    return labels + [""] * (n_points - len(labels))


def _without_subjects(labels: Sequence[str]) -> tuple[tuple[str, ...], set[str]]:
    """Labels without their subjects, and the subjects; ReadError where several have a marker of one name."""
    pairs = [subject_and_name(label) for label in labels]
    subjects: dict[str, set[str]] = {}
    for subject, name in pairs:
        if subject:
            subjects.setdefault(name, set()).add(subject)
    shared = [owners for name, owners in subjects.items() if name and len(owners) > 1]
    if shared:
        raise ReadError(
            "markers of several subjects in one file",
            expected="one subject a trial",
            found=f"{len(set().union(*shared))} subjects that share {len(shared)} marker names",
            todo="export each subject on its own",
        )
    return tuple(name for _, name in pairs), set().union(*subjects.values())


class _Measurements(Mapping[str, float]):
    """Numbers by name, of which the case does not matter, as the format has it for parameters; listed as written."""

    def __init__(self, pairs: Iterable[tuple[str, float]]) -> None:
        self._by_capitals = {name.upper(): (name, value) for name, value in pairs}

    def __getitem__(self, name: str) -> float:
        return self._by_capitals[name.upper()][1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._by_capitals.values())

    def __len__(self) -> int:
        return len(self._by_capitals)


def _measurements(parameters: Parameters) -> Mapping[str, float]:
    """Scalar numbers of PROCESSING and SUBJECTS, in the file's own units; one subject only."""
    numbers: list[tuple[str, float]] = []
    for group in ("SUBJECTS", "PROCESSING"):
        for name, value in parameters.get(group, {}).items():
            if name.upper() in _BOOKKEEPING:
                continue
            if isinstance(value, np.ndarray) and value.size == 1 and np.isfinite(value.item()):
                numbers.append((name, float(value.item())))
    return _Measurements(numbers)


def _up_hint(parameters: Parameters) -> Array | None:
    """``POINT:X_SCREEN`` and ``Y_SCREEN`` name the axes to the right and up on a screen, as ``+Z``."""
    text = _text(parameters, "POINT", "Y_SCREEN")
    if len(text) != 2 or text[0] not in "+-" or text[1] not in "XYZ":
        return None
    up = np.zeros(3)
    up["XYZ".index(text[1])] = 1.0 if text[0] == "+" else -1.0
    return up
