"""C3D files: one `Trial`, in SI units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.c3d.events import events_of
from gaitid.read.c3d.file import channel_numbers, read_c3d_file, texts
from gaitid.read.c3d.sections import Parameters
from gaitid.read.labels import listed, subject_and_name
from gaitid.read.plates.c3d_group import plates_from_channels
from gaitid.read.units import LENGTH_M, factor
from gaitid.trial import Array, Mask, Trial

# Groups of POINT that name model outputs: what the file computed, never what a camera saw.
OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")
# A marker farther from the laboratory's origin, m, was not seen there: the number is damaged.
FAR_M = 1000.0
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
    warnings = list(file.warnings)

    labels = _labels(parameters, file.points.shape[1])
    if labels and not any(labels):
        warnings.append(f"the file names none of its {len(labels)} points (POINT:LABELS)")
    outputs = {name for group in OUTPUT_GROUPS for name in texts(parameters, "POINT", group)} - {""}
    is_marker = np.array([label not in outputs for label in labels], dtype=bool)
    scale = factor(_text(parameters, "POINT", "UNITS"), LENGTH_M, "POINT:UNITS") if labels else 1.0
    unseen = ~file.seen | _blanks(file.points, file.seen & is_marker, scale, labels, warnings)
    points = np.where(unseen[..., None], np.nan, file.points)
    markers, names, prefixes = _strip_prefixes([label for label, keep in zip(labels, is_marker, strict=True) if keep])
    _refuse_two_subjects(markers, names)

    stored_outputs: dict[str, Array] = {}
    if stored:
        for i, label in enumerate(labels):
            if not is_marker[i]:
                stored_outputs.setdefault(subject_and_name(label)[1], points[:, i])

    # The samples of a frame lie inside it, whatever the declared rate: 999 Hz at 10 samples a frame is 1000 Hz.
    analog_rate = rate * file.n_subframes
    if file.n_subframes and abs((declared := channel_numbers(parameters, "RATE")[0]) / analog_rate - 1) > 1e-5:
        warnings.append(
            f"ANALOG:RATE {declared:g} Hz is no whole multiple of {rate:g} Hz; with {file.n_subframes} samples "
            f"a frame it is taken as {analog_rate:g} Hz"
        )
    plates, refused, plate_warnings = plates_from_channels(parameters, file.analog, analog_rate, file.n_subframes)
    warnings += plate_warnings
    events = events_of(file, warnings)
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=file.first_frame,
        labels=tuple(markers),
        points_g=points[:, is_marker] * scale,
        plates=plates,
        refused_plates=refused,
        events=events,
        parameters=_measurements(parameters),
        stored=stored_outputs,
        up_hint=_up_hint(parameters),
        names=tuple(sorted({*texts(parameters, "SUBJECTS", "NAMES"), *prefixes} - {""})),
        origin={
            "format": f"C3D, {file.encoding}",
            "software": " ".join(
                filter(None, (_text(parameters, "MANUFACTURER", k) for k in ("SOFTWARE", "VERSION_LABEL")))
            ),
            "length_unit": _text(parameters, "POINT", "UNITS"),
            "analog_rate_hz": f"{analog_rate:g}",
            "analog_channels": str(file.analog.shape[0]),
            "stored_outputs": " ".join(sorted({subject_and_name(label)[1] for label in outputs if label})),
        },
        warnings=tuple(warnings),
    )


def _blanks(xyz: Array, seen: Mask, scale: float, labels: Sequence[str], warnings: list[str]) -> Mask:
    """(frames, points) where a marker is said to be seen at a place where none can be.

    Many programs write 0, 0, 0 for a marker that they lost, with a residual that says otherwise.
    """
    finite = np.isfinite(xyz).all(axis=2)
    with np.errstate(invalid="ignore"):
        kinds = {
            "exactly at the origin": ~xyz.any(axis=2),
            "without finite coordinates": ~finite,
            f"more than {FAR_M:g} m away": finite & (np.abs(xyz).max(axis=2) * scale > FAR_M),
        }
    blank = np.zeros(seen.shape, dtype=bool)
    for what, where in kinds.items():
        wrong = where & seen
        if wrong.any():
            counts = wrong.sum(axis=0)
            names = [
                f"{subject_and_name(labels[i])[1] or f'point {i + 1}'} ({counts[i]})"
                for i in map(int, np.flatnonzero(counts))
            ]
            warnings.append(f"markers {what} count as not seen (frames): {listed(names)}")
            blank |= wrong
    return blank


def _text(parameters: Parameters, group: str, name: str) -> str:
    return next(iter(texts(parameters, group, name)), "")


def _labels(parameters: Parameters, n_points: int) -> list[str]:
    """One label a point; points beyond the list of labels have none of their own and cannot be asked for."""
    labels = texts(parameters, "POINT", "LABELS")[:n_points]
    return labels + [""] * (n_points - len(labels))


def _strip_prefixes(labels: list[str]) -> tuple[list[str], dict[str, set[str]], set[str]]:
    """Marker names without ``Subject:``; which subjects carry each; all subjects found."""
    names: dict[str, set[str]] = {}
    plain: list[str] = []
    for label in labels:
        subject, name = subject_and_name(label)
        plain.append(name)
        names.setdefault(name, set()).add(subject)
    return plain, names, {s for subjects in names.values() for s in subjects} - {""}


def _refuse_two_subjects(markers: list[str], names: Mapping[str, set[str]]) -> None:
    shared = {name for name, subjects in names.items() if len(subjects - {""}) > 1 and name}
    if shared:
        subjects = sorted(set().union(*(names[name] for name in shared)) - {""})
        raise ReadError(
            "markers of several subjects in one file",
            expected="one subject a trial",
            found=f"{len(subjects)} subjects that share {len(shared)} marker names",
            todo="export each subject on its own",
        )


class _Measurements(Mapping[str, float]):
    """Numbers by name, of which the case does not matter, as the format has it for parameters; listed as written."""

    def __init__(self, pairs: Iterable[tuple[str, float]]) -> None:
        self._found = {name.upper(): (name, value) for name, value in pairs}

    def __getitem__(self, name: str) -> float:
        return self._found[name.upper()][1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._found.values())

    def __len__(self) -> int:
        return len(self._found)


def _measurements(parameters: Parameters) -> Mapping[str, float]:
    """Scalar numbers of PROCESSING and SUBJECTS, in the file's own units; one subject only."""
    found: list[tuple[str, float]] = []
    for group in ("SUBJECTS", "PROCESSING"):
        for name, value in parameters.get(group, {}).items():
            if name.upper() in _BOOKKEEPING:
                continue
            if isinstance(value, np.ndarray) and value.size == 1 and np.isfinite(value.item()):
                found.append((name, float(value.item())))
    return _Measurements(found)


def _up_hint(parameters: Parameters) -> Array | None:
    """``POINT:X_SCREEN`` and ``Y_SCREEN`` name the axes to the right and up on a screen, as ``+Z``."""
    text = _text(parameters, "POINT", "Y_SCREEN")
    if len(text) != 2 or text[0] not in "+-" or text[1] not in "XYZ":
        return None
    up = np.zeros(3)
    up["XYZ".index(text[1])] = 1.0 if text[0] == "+" else -1.0
    return up
