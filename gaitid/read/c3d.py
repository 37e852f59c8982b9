"""C3D files through ezc3d, after a bounded check of their header: one `Trial`, in SI units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.c3d_guard import RATES_HZ, C3DHeader, check_c3d
from gaitid.read.csv_text import listed
from gaitid.read.plates import plates_from_channels
from gaitid.read.units import LENGTH_M, factor
from gaitid.trial import Array, Event, Trial

# Groups of POINT that name model outputs: what the file computed, never what a camera saw.
OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")
# A marker farther from the laboratory's origin, m, was not seen there: the number is damaged.
FAR_M = 1000.0
# An event farther from the first frame, s, has no time: a day of recording is no trial.
_FAR_S = 86400.0
# Values that an integer of the file can have.
_WORD = 65536.0
# Entries of SUBJECTS that are bookkeeping, not measurements.
_BOOKKEEPING = {"USED", "IS_STATIC", "USES_PREFIXES"}

Parameters = Mapping[str, Mapping[str, Any]]


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
    header = check_c3d(path)
    import ezc3d  # 10 ms: only where a C3D is read

    try:
        # ezc3d 1.7 corrects the units and the sign of some makers' plates nowhere: what it returns is the file.
        file = ezc3d.c3d(str(path))
    # TypeError: names that are not UTF-8
    except (OSError, RuntimeError, ValueError, IndexError, MemoryError, TypeError) as error:
        raise ReadError(f"cannot be read as C3D ({_first_line(error)})") from None
    parameters: Parameters = file["parameters"]
    warnings: list[str] = []

    rate = float(file["header"]["points"]["frame_rate"])
    if not RATES_HZ[0] <= rate <= RATES_HZ[1]:
        raise ReadError(
            "no usable camera rate",
            expected=f"POINT:RATE of {RATES_HZ[0]:g} to {RATES_HZ[1]:g} Hz",
            found=f"{rate:g}",
            todo="export the trial again",
        )
    raw = file["data"]["points"]
    n_frames = raw.shape[2]
    if n_frames == 0:
        raise ReadError("no frames", expected="at least one frame of points", found="0")
    _check_shapes(header, raw.shape, file["data"]["analogs"].shape)

    labels = _labels(parameters, raw.shape[1])
    outputs = _names_in(parameters, "POINT", OUTPUT_GROUPS)
    residual = file["data"]["meta_points"]["residuals"][0]
    is_marker = np.array([label not in outputs for label in labels], dtype=bool)
    scale = factor(_text(parameters, "POINT", "UNITS"), LENGTH_M, "POINT:UNITS") if len(labels) else 1.0
    # ezc3d: (4, points, frames); ours: (frames, points, 3). A residual below 0 means "not seen".
    unseen = residual < 0
    unseen |= _blanks(raw[:3], ~unseen & is_marker[:, None], scale, labels, warnings)
    points = np.where(unseen[None], np.nan, raw[:3]).transpose(2, 1, 0)
    markers, names, prefixes = _strip_prefixes([label for label, keep in zip(labels, is_marker, strict=True) if keep])
    _refuse_two_subjects(markers, names)

    stored_outputs: dict[str, Array] = {}
    if stored:
        for i, label in enumerate(labels):
            if not is_marker[i]:
                stored_outputs.setdefault(label.rsplit(":", 1)[-1], points[:, i])

    analog_rate = float(file["header"]["analogs"]["frame_rate"])
    # The samples of a frame lie inside it, whatever the declared rate: 999 Hz at 10 samples a frame is 1000 Hz.
    if header.n_subframes and abs(analog_rate / (rate * header.n_subframes) - 1) > 1e-5:
        warnings.append(
            f"ANALOG:RATE {analog_rate:g} Hz is no whole multiple of {rate:g} Hz; with {header.n_subframes} samples "
            f"a frame it is taken as {rate * header.n_subframes:g} Hz"
        )
        analog_rate = rate * header.n_subframes
    analog = _scaled(file["data"]["analogs"][0], parameters, header)
    plates, refused, plate_warnings = plates_from_channels(parameters, analog, analog_rate, header.n_subframes)
    warnings += plate_warnings
    first_frame = int(file["header"]["points"]["first_frame"]) + 1
    events = _events(parameters, rate, first_frame, warnings)
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=first_frame,
        labels=tuple(markers),
        points_g=points[:, is_marker] * scale,
        plates=plates,
        refused_plates=refused,
        events=events,
        parameters=_measurements(parameters),
        stored=stored_outputs,
        up_hint=_up_hint(parameters),
        names=tuple(sorted({*_list(parameters, "SUBJECTS", "NAMES"), *prefixes} - {""})),
        origin={
            "format": f"C3D, {header.processor}, {'real' if header.floats else 'integer'}",
            "software": " ".join(
                filter(None, (_text(parameters, "MANUFACTURER", k) for k in ("SOFTWARE", "VERSION_LABEL")))
            ),
            "length_unit": _text(parameters, "POINT", "UNITS"),
            "analog_rate_hz": f"{analog_rate:g}",
            "analog_channels": str(file["data"]["analogs"].shape[1]),
            "stored_outputs": " ".join(sorted({label.rsplit(":", 1)[-1] for label in outputs if label})),
        },
        warnings=tuple(warnings),
    )


def _check_shapes(header: C3DHeader, points: tuple[int, ...], analog: tuple[int, ...]) -> None:
    """ReadError unless the library read as many points and samples a frame as the file says."""
    found = (points[1], analog[1] * analog[2] if header.n_analog else 0)
    expected = (header.n_points, header.n_analog * points[2])
    if found != expected:
        raise ReadError(
            "damaged C3D file: header and parameters disagree",
            expected=f"{expected[0]} points a frame and {expected[1]} analog samples",
            found=f"{found[0]} and {found[1]}",
            todo="open and save the file again in the program that made it",
        )


def _scaled(analog: Array, parameters: Parameters, header: C3DHeader) -> Array:
    """Analog samples by the format's rule: (stored − OFFSET) · SCALE · GEN_SCALE.

    ezc3d (1.7) takes the size of OFFSET for OFFSET, and reads unsigned integers as signed ones; both are undone.
    """
    if not analog.size:
        return analog
    offset = _numbers(parameters, "OFFSET")[: len(analog)]
    unsigned = _text(parameters, "ANALOG", "FORMAT").upper() == "UNSIGNED"
    if not unsigned and (offset >= 0).all():
        return analog
    step = _numbers(parameters, "SCALE")[: len(analog)] * _numbers(parameters, "GEN_SCALE")[0]
    taken, meant = np.abs(offset), offset % _WORD if unsigned else offset
    error = np.repeat((taken - meant)[:, None], analog.shape[1], axis=1)
    if unsigned and not header.floats:
        stored = analog / np.where(step == 0, 1.0, step)[:, None] + taken[:, None]
        error += np.where(stored < -0.5, _WORD, 0.0)
    corrected: Array = analog + error * step[:, None]
    return corrected


def _blanks(xyz: Array, seen: Array, scale: float, labels: Sequence[str], warnings: list[str]) -> Array:
    """(points, frames) where a marker is said to be seen at a place where none can be.

    Many programs write 0, 0, 0 for a marker that they lost, with a residual that says otherwise.
    """
    finite = np.isfinite(xyz).all(axis=0)
    with np.errstate(invalid="ignore"):
        kinds = {
            "exactly at the origin": ~xyz.any(axis=0),
            "without finite coordinates": ~finite,
            f"more than {FAR_M:g} m away": finite & (np.abs(xyz).max(axis=0) * scale > FAR_M),
        }
    blank = np.zeros(seen.shape, dtype=bool)
    for what, where in kinds.items():
        wrong = where & seen
        if wrong.any():
            counts = wrong.sum(axis=1)
            names = [
                f"{labels[i].rsplit(':', 1)[-1] or f'point {i + 1}'} ({counts[i]})"
                for i in map(int, np.flatnonzero(counts))
            ]
            warnings.append(f"markers {what} count as not seen (frames): {listed(names)}")
            blank |= wrong
    return blank


def _value(parameters: Parameters, group: str, name: str) -> Any:
    entry = parameters.get(group, {}).get(name)
    return None if entry is None else entry["value"]


def _list(parameters: Parameters, group: str, name: str) -> list[str]:
    value = _value(parameters, group, name)
    # Bytes that are no UTF-8 come as lone surrogates, which cannot be written: they become "?".
    plain = (str(v).encode("utf-8", "replace").decode() for v in value) if isinstance(value, list) else ()
    return [text.strip().strip("\x00") for text in plain]


def _text(parameters: Parameters, group: str, name: str) -> str:
    values = _list(parameters, group, name)
    return values[0] if values else ""


def _numbered(parameters: Parameters, group: str, name: str) -> list[str]:
    """A list that goes on in NAME2, NAME3, … beyond 255 entries."""
    result = list(_list(parameters, group, name))
    for k in range(2, 1000):
        more = _list(parameters, group, f"{name}{k}")
        if not more:
            return result
        result += more
    return result


def _numbers(parameters: Parameters, name: str) -> Array:
    """Numbers of ANALOG, one a channel, that go on in NAME2, NAME3, … beyond 255 channels."""
    parts = [_value(parameters, "ANALOG", f"{name}{k}") for k in ("", *range(2, 258))]
    return np.concatenate([np.ravel(part).astype(float) for part in parts if isinstance(part, np.ndarray)])


def _labels(parameters: Parameters, n_points: int) -> list[str]:
    """One label a point; points beyond the list of labels have none of their own and cannot be asked for."""
    labels = _numbered(parameters, "POINT", "LABELS")[:n_points]
    return labels + [""] * (n_points - len(labels))


def _names_in(parameters: Parameters, group: str, names: Sequence[str]) -> set[str]:
    return {label for name in names for label in _numbered(parameters, group, name)} - {""}


def _strip_prefixes(labels: list[str]) -> tuple[list[str], dict[str, set[str]], set[str]]:
    """Marker names without ``Subject:``; which subjects carry each; all subjects found."""
    names: dict[str, set[str]] = {}
    plain: list[str] = []
    for label in labels:
        subject, _, name = label.rpartition(":")
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


def _events(parameters: Parameters, rate: float, first_frame: int, warnings: list[str]) -> tuple[Event, ...]:
    """Events with time 0 at the first frame.

    ``EVENT:TIMES`` holds minutes and seconds, counted so that frame number n lies at (n − 1)/rate.
    """
    times = _value(parameters, "EVENT", "TIMES")
    if times is None or np.size(times) == 0:
        return ()
    table = np.atleast_2d(times) if isinstance(times, np.ndarray) else np.empty((0, 0))
    if table.shape[0] != 2 or table.ndim != 2:
        warnings.append("EVENT:TIMES does not hold minutes and seconds; the file's events are not read")
        return ()
    seconds = 60.0 * table[0] + table[1] - (first_frame - 1) / rate
    labels = _numbered(parameters, "EVENT", "LABELS")
    contexts = _numbered(parameters, "EVENT", "CONTEXTS")
    events: list[Event] = []
    timeless: list[str] = []
    for label, context, t in zip(labels, contexts, seconds, strict=False):
        if not abs(t) <= _FAR_S:
            timeless.append(f"{context} {label}".strip())
            continue
        side = context.lower() if context.lower() in ("left", "right") else "general"
        events.append(Event(label, side, float(t)))
    if timeless:
        warnings.append(f"events without a possible time are not read: {listed(timeless)}")
    return tuple(sorted(events, key=lambda e: (e.time_s, e.side, e.name)))


def _measurements(parameters: Parameters) -> dict[str, float]:
    """Scalar numbers of PROCESSING and SUBJECTS, in the file's own units; one subject only."""
    found: dict[str, float] = {}
    for group in ("SUBJECTS", "PROCESSING"):
        for name, entry in parameters.get(group, {}).items():
            if name == "__METADATA__" or name in _BOOKKEEPING:
                continue
            value = entry["value"]
            if isinstance(value, np.ndarray) and value.size == 1 and np.isfinite(value.item()):
                found[name] = float(value.item())
    return found


def _up_hint(parameters: Parameters) -> Array | None:
    """``POINT:X_SCREEN`` and ``Y_SCREEN`` name the axes to the right and up on a screen, as ``+Z``."""
    text = _text(parameters, "POINT", "Y_SCREEN")
    if len(text) != 2 or text[0] not in "+-" or text[1] not in "XYZ":
        return None
    up = np.zeros(3)
    up["XYZ".index(text[1])] = 1.0 if text[0] == "+" else -1.0
    return up


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
