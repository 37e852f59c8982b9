"""Arrays in memory -> a `Trial`, as if it had been read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaitid.errors import ReadError
from gaitid.notes import Notes
from gaitid.read.plates.plates_file import geometry_of, plate_from
from gaitid.trial import Array, Event, ForcePlate, Trial

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Plate:
    """A force plate and what it recorded; the same facts as in a plates file (docs/csv.md).

    Attributes
    ----------
    force_N, moment_Nm : (n, 3) array
        As recorded, at the plate's own rate.
    rate_hz : float
        Of these samples; any, also another than that of the cameras.
    corners_m : (4, 3) array
        Of the surface, laboratory axes: 1: +x +y, 2: −x +y, 3: −x −y, 4: +x −y of the plate.
    force_sense : str
        ``reaction`` (on the subject) or ``action`` (on the plate).
    origin_m : (3,) array
        From the surface's centre to the sensor, in plate axes (z points down).
    axes : str
        In which forces and moments are: ``plate`` or ``laboratory``.
    moment_about : str
        ``origin`` (the sensor) or ``surface_centre``.
    start_s : float
        When the first sample was taken, after the first camera frame.
    """

    force_N: ArrayLike
    moment_Nm: ArrayLike
    rate_hz: float
    corners_m: ArrayLike
    force_sense: str
    origin_m: ArrayLike = (0.0, 0.0, 0.0)
    axes: str = "plate"
    moment_about: str = "origin"
    start_s: float = 0.0

    def __repr__(self) -> str:
        samples = len(np.atleast_1d(self.force_N))
        return f"<gaitid.Plate: {samples} samples at {self.rate_hz:g} Hz, force_sense {self.force_sense}>"


def trial_from_arrays(  # noqa: PLR0913 - what a file holds, each under its name
    markers: Mapping[str, ArrayLike],
    *,
    rate_hz: float,
    plates: Sequence[Plate | ForcePlate] = (),
    events: Sequence[Event | tuple[str, str, float]] = (),
    parameters: Mapping[str, float] | None = None,
    vertical: str | ArrayLike | None = None,
    first_frame: int = 1,
    name: str = "trial",
) -> Trial:
    """A trial from arrays in memory, for `gaitid.analyse`.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Laboratory axes; what is not finite was not seen.
    rate_hz : float
        Of the cameras.
    plates : sequence of Plate or ForcePlate
        Numbered from 1 in this order; a ``ForcePlate`` of a trial that was read keeps its number.
    events : sequence of (name, side, time_s)
        As ``("Foot Strike", "left", 0.52)``, with 0 at the first frame.
    parameters : mapping of str to float, optional
        Measurements as a C3D stores them, in its names and units. Measurements in the keys of a subject file go to
        ``analyse(trial, subject={...})``.
    vertical : str or (3,) array, optional
        Which way is up: ``x``, ``y``, ``z``, or a vector in laboratory axes; by default it is found from the body.
    first_frame : int
        The number of the first frame.
    name : str
        The names of files that are written begin with it.

    Returns
    -------
    Trial

    Raises
    ------
    GaitidError
        Arrays that do not fit together, in one line.

    Examples
    --------
    >>> import gaitid
    >>> walk = gaitid.read_trial("sample_data/walk/walk.c3d")
    >>> markers = {label: walk.marker(label) for label in walk.labels}
    >>> trial = gaitid.trial_from_arrays(markers, rate_hz=100, plates=walk.plates, first_frame=walk.first_frame)
    >>> gaitid.analyse(trial, model="pig", subject="sample_data/walk/walk.subject.yaml")
    <gaitid.Analysis trial: model pig; good; 2 contacts on plates, 3 cycles>
    """
    wanted = "a mapping of label to positions, (frames, 3), in m"
    if not isinstance(markers, Mapping):
        raise ReadError("markers: positions without labels", expected=wanted, found=f"a {type(markers).__name__}")
    if not markers:
        raise ReadError("no markers", expected=wanted)
    if nameless := [label for label in markers if not isinstance(label, str) or not label.strip()]:
        raise ReadError("markers: a label that is no name", expected=wanted, found=f"{nameless[0]!r}")
    rate = _positive("rate_hz", rate_hz)
    if isinstance(first_frame, bool) or not isinstance(first_frame, int | np.integer):
        raise ReadError(f"first_frame: expected a whole number, found {first_frame!r}")
    points = [_rows(f"marker {label}", values) for label, values in markers.items()]
    lengths = {label: len(values) for label, values in zip(markers, points, strict=True)}
    if len(set(lengths.values())) > 1:
        label, other = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise ReadError(f"markers of different lengths: {label} {lengths[label]} frames, {other} {lengths[other]}")
    made, notes = _plates(plates)
    if not isinstance(name, str) or not name or Path(name).name != name:
        raise ReadError(f"name: {name!r} cannot begin the name of a file", todo="give one without a folder")
    return Trial(
        path=Path(name),
        rate_hz=rate,
        first_frame=int(first_frame),
        labels=tuple(markers),
        points_g=np.stack(points, axis=1),
        plates=made,
        events=tuple(event if isinstance(event, Event) else Event(*event) for event in events),
        parameters={key: float(value) for key, value in (parameters or {}).items()},
        up_hint=None if vertical is None else _vertical(vertical),
        origin={"format": "arrays in memory"},
        notes=notes,
    )


def _plates(plates: Sequence[Plate | ForcePlate]) -> tuple[tuple[ForcePlate, ...], Notes]:
    made: list[ForcePlate] = []
    notes: Notes = ()
    for number, plate in enumerate(plates, start=1):
        if isinstance(plate, ForcePlate):
            made.append(plate)
            continue
        entry: dict[str, Any] = {"number": number}
        for key, shape in (("corners_m", (4, 3)), ("origin_m", (3,))):
            entry[key] = _array(f"plate {number}: {key}", getattr(plate, key), shape).tolist()
        entry |= {key: getattr(plate, key) for key in ("force_sense", "axes", "moment_about")}
        force = _rows(f"plate {number}: force_N", plate.force_N)
        moment = _rows(f"plate {number}: moment_Nm", plate.moment_Nm)
        if len(force) != len(moment):
            raise ReadError(f"plate {number}: force_N has {len(force)} samples, moment_Nm {len(moment)}")
        rate = _positive(f"plate {number}: rate_hz", plate.rate_hz)
        of_plate, of_notes = plate_from(geometry_of(entry, f"plate {number}"), rate, force, moment)
        made.append(replace(of_plate, start_s=float(plate.start_s)))
        notes += of_notes
    numbers = [plate.number for plate in made]
    if len(set(numbers)) < len(numbers):
        raise ReadError("two plates have the same number", found=", ".join(map(str, numbers)))
    return tuple(made), notes


def _rows(what: str, values: ArrayLike) -> Array:
    array = _array(what, values, (-1, 3)).copy()
    array[~np.isfinite(array).all(axis=1)] = np.nan
    return array


def _array(what: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Numbers of a shape, -1 standing for any length above 0."""
    wanted = " × ".join("n" if n < 0 else str(n) for n in shape)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ReadError(f"{what}: expected {wanted} numbers") from None
    if array.ndim != len(shape) or not array.size or any(n not in (-1, m) for n, m in zip(shape, array.shape)):
        raise ReadError(f"{what}: expected {wanted} numbers, found {' × '.join(map(str, array.shape))}")
    return array


def _positive(what: str, value: float) -> float:
    if isinstance(value, int | float | np.number) and not isinstance(value, bool) and 0 < float(value) < np.inf:
        return float(value)
    raise ReadError(f"{what}: expected Hz above 0, found {value!r}")


def _vertical(value: str | ArrayLike) -> Array:
    if isinstance(value, str) and value not in _AXES:
        raise ReadError(f"vertical: {value!r} is not known", expected="x, y, z, or three numbers")
    vector = _array("vertical", _AXES[value] if isinstance(value, str) else value, (3,))
    length = float(np.linalg.norm(vector))
    if not 0 < length < np.inf:
        raise ReadError(f"vertical: {vector.tolist()} has no direction")
    return np.asarray(vector / length)
