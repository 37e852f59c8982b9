"""What a laboratory recorded: markers, force plates, events, parameters. SI units, NaN where nothing was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.disk.large_arrays import is_in_file, put_in_file
from gaitid.notes import Notes
from gaitid.records import frozen_dataclass

# as in `numpy.typing`, which a run need not load
Array = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
Mask = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.intp]]


def read_only(values: object) -> Array:
    """A read-only C-ordered float array holding `values`, with its own memory, so that nobody can change it.

    `values` themselves where they are one already.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        flags = values.flags
        if flags.c_contiguous and not flags.writeable and (flags.owndata or is_in_file(values)):
            return values
    return frozen(np.array(values, dtype=np.float64, order="C"))


def _base_of(view: Array) -> Array:
    """What a view shows, where that is the whole of an array in its own order; else the view."""
    base = view.base
    whole = isinstance(base, np.ndarray) and (base.shape, base.strides) == (view.shape, view.strides)
    return base if whole else view  # type: ignore[return-value]


def frozen(made: Array) -> Array:
    """An array that was made just now and that nobody else holds: read-only from here on, so that who keeps it
    (`read_only`) needs no copy. Of a very long trial it lies in a file (`put_in_file`)."""
    made.setflags(write=False)
    return put_in_file(made)


#: What stands for the pose of a segment among a trial's points: its origin, and a point on each axis at this distance,
#: m: about as far as markers lie from joints, so that a filter weighs how it turns as it does with markers.
POSE_ARM_M = 0.2
_POSE_PARTS = ("#origin", "#x", "#y", "#z")


def pose_labels(segments: Sequence[str]) -> tuple[str, ...]:
    """The labels of the points that stand for poses, four a segment."""
    return tuple(f"{segment}{part}" for segment in segments for part in _POSE_PARTS)


def seen_as(label: str) -> str:
    """What a person calls a point: its label, or that of the segment for whose pose it stands."""
    return label.rpartition("#")[0] if label.endswith(_POSE_PARTS) else label


_SAMPLES = ("force_p", "moment_p")  # of a `ForcePlate`
# Cosine of the angle, 8°, within which an axis of a plate is one of the file.
_ALONG = 0.99


@frozen_dataclass(eq=False)
class ForcePlate:
    """One force plate and what it measured, at its own rate.

    Attributes
    ----------
    number : int
        As the file counts its plates, from 1.
    kind : int
        C3D ``FORCE_PLATFORM:TYPE``.
    corners_g : (4, 3) array, m
        Corners of the surface in laboratory axes, in the C3D order (1: +x +y, 2: −x +y, 3: −x −y, 4: +x −y of
        the plate); NaN throughout where nothing says where the edges are (an OpenSim force file).
    sensor_p : (3,) array, m
        From the centre of the surface to the point that `moment_p` is about, in plate axes (z points down, so
        its z is positive for a sensor below the surface).
    rate_hz : float
        Of the samples below.
    force_p : (n, 3) array, N
        Ground reaction, on the subject, in plate axes (z down, so f_z < 0 under load).
    moment_p : (n, 3) array, N·m
        Of the same action, about the sensor's origin, in plate axes.
    start_s : float
        When sample 0 was taken, after the first camera frame.
    R_gp : (3, 3) array or None
        Plate axes in laboratory axes, only where there are no corners to follow from.
    centre_g : (3,) array or None, m
        A point of the surface, only where there are no corners: `sensor_p` counts from it.
    channels : tuple of str
        What the file calls the three components of the force, for words.
    R_pc : (3, 3) array or None
        The axes of these components in plate axes; None where they are the plate's own.
    """

    number: int
    kind: int
    corners_g: Array
    sensor_p: Array
    rate_hz: float
    force_p: Array
    moment_p: Array
    start_s: float = 0.0
    R_gp: Array | None = None
    centre_g: Array | None = None
    channels: tuple[str, str, str] = ("Fx", "Fy", "Fz")
    R_pc: Array | None = None

    def __repr__(self) -> str:
        return f"<ForcePlate {self.number}: type {self.kind}, {self.n_samples} samples at {self.rate_hz:g} Hz>"

    @cached_property
    def n_samples(self) -> int:
        return len(self.force_p)

    def made_again(self, by: Callable[[], tuple[Array, Array]]) -> ForcePlate:
        """The same, whose samples are made anew when somebody asks for them, and held until it `rest`s."""
        self.__dict__["_again"] = by
        self.rest()
        return self

    def rest(self) -> None:
        """Give back the memory of samples that can be made again; others stay."""
        if "_again" in self.__dict__ and self.n_samples:  # how many they are stays known
            for name in _SAMPLES:
                self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Array:
        again = self.__dict__.get("_again")
        if again is None or name not in _SAMPLES:
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        self.__dict__.update(zip(_SAMPLES, again(), strict=True))
        return self.__dict__[name]  # type: ignore[no-any-return]

    @property
    def force_names(self) -> tuple[tuple[str, str, str], Array]:
        """What the file calls the force along each axis of the plate, and the sense, ±1, in which it counts it.

        The plate's own names where its axes lie between those of the file.
        """
        if self.R_pc is None:
            return self.channels, np.ones(3)
        which = np.abs(self.R_pc).argmax(axis=1)
        along = self.R_pc[np.arange(3), which]
        if {*which.tolist()} != {0, 1, 2} or np.abs(along).min() < _ALONG:
            return ("Fx", "Fy", "Fz"), np.ones(3)
        x, y, z = (self.channels[i] for i in which)
        return (x, y, z), np.sign(along)

    def __post_init__(self) -> None:
        shapes = {"corners_g": (4, 3), "sensor_p": (3,), "force_p": (-1, 3), "moment_p": (-1, 3)}
        if not self.outlined:
            shapes |= {"R_gp": (3, 3), "centre_g": (3,)}
        for name, shape in shapes.items():
            value = read_only(getattr(self, name))
            if len(value.shape) != len(shape) or any(
                want not in (-1, have) for want, have in zip(shape, value.shape, strict=True)
            ):
                raise ValueError(f"ForcePlate.{name}: shape {value.shape}, expected {shape}")
            object.__setattr__(self, name, value)
        if self.force_p.shape != self.moment_p.shape:
            raise ValueError("ForcePlate: force_p and moment_p differ in length")

    @property
    def outlined(self) -> bool:
        """Whether its edges are known."""
        return bool(np.isfinite(self.corners_g).all())


@frozen_dataclass(eq=False)
class Emg:
    """Channels of a voltage that may be electromyography, at their own rate.

    Attributes
    ----------
    labels : tuple of str
        As the file has them.
    rate_hz : float
    read : callable
        Gives the samples of some of them, (channels, samples), in the file's units: those of a file are not held.
    volts : (channels,) array
        What one unit of each is worth, V.
    """

    labels: tuple[str, ...]
    rate_hz: float
    read: Callable[[Sequence[int]], Array]
    volts: Array

    def samples_V(self, which: Sequence[int]) -> Array:
        """(channels, samples) V of some channels, the first taken with the first camera frame."""
        return np.asarray(self.read(which) * self.volts[list(which), None])


@frozen_dataclass(eq=False)
class Event:
    """A gait event as the file names it.

    Attributes
    ----------
    name : str
        For example ``Foot Strike`` or ``Foot Off``.
    side : str
        ``left``, ``right`` or ``general``.
    time_s : float
        With 0 at the trial's first frame.
    given : bool
        By the user, in place of those that the trial stores.
    """

    name: str
    side: str
    time_s: float
    given: bool = False


@frozen_dataclass()
class Assignment:
    """Which foot somebody else says was on a plate: reported where it disagrees, and used only where it is `declared`.

    Attributes
    ----------
    plate : int
    foot : str
        ``left``, ``right``, or ``none`` for a plate that is not to be used.
    source : str
        Where it stands, in words.
    time_s : float or None
        With 0 at the trial's first frame; None where it is said of the whole trial.
    declared : bool
        An operator's word: it decides between feet that the pressure lies near to.
    """

    plate: int
    foot: str
    source: str
    time_s: float | None = None
    declared: bool = False


class Measurements(Mapping[str, float]):
    """Numbers by name, of which the case does not matter, as the format has it for parameters; listed as written.

    Nor do blanks: some programs write ``Marker Diameter``.
    """

    def __init__(self, pairs: Iterable[tuple[str, float]]) -> None:
        self._by_capitals = {_plain(name): (name, value) for name, value in pairs}

    def __getitem__(self, name: str) -> float:
        return self._by_capitals[_plain(name)][1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._by_capitals.values())

    def __len__(self) -> int:
        return len(self._by_capitals)


def _plain(name: str) -> str:
    return name.upper().replace(" ", "")


@frozen_dataclass(eq=False)
class Trial:
    """Everything read from one trial's file or files.

    Attributes
    ----------
    path : Path
        As given by the user.
    rate_hz : float
        Of the cameras.
    first_frame : int
        The number that the file gives to its first frame (1 where it says nothing).
    labels : tuple of str
        Of the markers, without ``Subject:`` prefixes.
    points_g : (frames, markers, 3) array, m
        Marker positions in laboratory axes; NaN where a marker was not seen. In memory all frames of one lie together:
        what follows takes one after the other, and needs no copy.
    plates : tuple of ForcePlate
        Those that could be read.
    refused_plates : mapping of int to str
        Plate number and why it was refused.
    events : tuple of Event
    assignments : tuple of Assignment
        Of feet to plates, as other programs left them with the trial.
    parameters : mapping of str to float
        Subject parameters stored in the file, in the file's own units and names (the model knows both).
    measured : mapping of str to float
        Subject parameters of a file that Vicon Nexus left beside the trial, in its units (angles in degrees) and names.
    measured_in : Path or None
        That file.
    stored : mapping of str to (frames, 3) array
        Model outputs stored in the file (angles, forces, …) in the file's own units: read to be compared with,
        never computed with. Empty unless asked for when reading.
    up_hint : (3,) array or None
        The vertical that the file declares (``POINT:X_SCREEN``/``Y_SCREEN``), laboratory axes.
    up : str
        The laboratory axis that the user says points up, as ``z`` or ``-y``; empty where nobody does.
    names : tuple of str
        Names of the subjects (private: not copied into results unless asked).
    origin : mapping of str to str
        Facts for `inspect` and the record: software, units as declared, encoding.
    notes : Notes
        What had to be assumed or repaired while reading.
    loaded : tuple of (str, str)
        Loads that the file says its bodies were under while it was recorded: the segment, and the file of the load.
    segments : tuple of str
        Whose poses the file stores: four of `points_g` stand for each (`pose_labels`).
    computed : tuple of (str, int, int)
        Markers that the file says were computed for some frames, not measured, and the first and last of these, from 0.
    scaled : ScaledModel or None
        Of a static that is an OpenSim model (`gaitid.model.osim`): that.
    emg : Emg or None
        Channels of electromyography, where there are any.
    passes : tuple of slice
        The frames of each walk, as an analyst says; empty where they are to be found.
    corrections : Corrections or None
        What an analyst corrected in it (`gaitid.analysis.corrections`).
    """

    path: Path
    rate_hz: float
    first_frame: int
    labels: tuple[str, ...]
    points_g: Array
    plates: tuple[ForcePlate, ...] = ()
    refused_plates: Mapping[int, str] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    stored: Mapping[str, Array] = field(default_factory=dict)
    up_hint: Array | None = None
    names: tuple[str, ...] = ()
    origin: Mapping[str, str] = field(default_factory=dict)
    notes: Notes = ()
    assignments: tuple[Assignment, ...] = ()
    loaded: tuple[tuple[str, str], ...] = ()
    segments: tuple[str, ...] = ()
    computed: tuple[tuple[str, int, int], ...] = ()
    up: str = ""
    scaled: Any = None
    measured: Mapping[str, float] = field(default_factory=dict)
    measured_in: Path | None = None
    emg: Emg | None = None
    passes: tuple[slice, ...] = ()
    corrections: Any = None

    def __post_init__(self) -> None:
        points = np.asarray(self.points_g, dtype=np.float64)
        if points.ndim != 3 or points.shape[1:] != (len(self.labels), 3):
            raise ValueError(f"Trial.points_g: shape {points.shape}, expected (frames, {len(self.labels)}, 3)")
        by_marker = read_only(_base_of(np.swapaxes(points, 0, 1)))
        object.__setattr__(self, "points_g", by_marker.swapaxes(0, 1))
        object.__setattr__(self, "_index", {label: i for i, label in reversed(list(enumerate(self.labels)))})

    def __repr__(self) -> str:
        """In short, and without the subjects' names."""
        counts = f"{len(self.labels)} points, {self.n_frames} frames at {self.rate_hz:g} Hz"
        return f"<Trial {self.path.name}: {counts}, {len(self.plates)} plates, {len(self.events)} events>"

    @cached_property
    def n_frames(self) -> int:
        return int(self.points_g.shape[0])

    @property
    def declared(self) -> dict[int, Assignment]:
        """By plate what an operator says of it; not where there are two words."""
        words: dict[int, list[Assignment]] = {}
        for word in self.assignments:
            words.setdefault(word.plate, []).extend([word] if word.declared else [])
        return {plate: of[0] for plate, of in words.items() if len({word.foot for word in of}) == 1}

    @property
    def marker_labels(self) -> tuple[str, ...]:
        """The labels of markers: of points that do not stand for a pose."""
        if not self.segments:
            return self.labels
        of_poses = {*pose_labels(self.segments)}
        return tuple(label for label in self.labels if label not in of_poses)

    @property
    def time_s(self) -> Array:
        """(frames,) seconds, 0 at the first frame."""
        return np.arange(self.n_frames) / self.rate_hz

    @cached_property
    def seen(self) -> frozenset[str]:
        """The labels of markers that were seen at least once."""
        index: Mapping[str, int] = self._index  # type: ignore[attr-defined]
        seen: Mask = np.asarray(np.isfinite(self.points_g).any(axis=(0, 2)))
        return frozenset(label for label, i in index.items() if seen[i])

    def has(self, label: str) -> bool:
        """Whether a marker of that name is in the file and was seen at least once."""
        return label in self.seen

    def marker(self, label: str) -> Array:
        """(frames, 3) positions of a marker, m, laboratory axes; KeyError where the file has none."""
        index: Mapping[str, int] = self._index  # type: ignore[attr-defined]
        return self.points_g[:, index[label]]


def seen_labels(trial: Trial) -> list[str]:
    """The labels of a trial's markers that were seen at least once, in the file's order."""
    return [label for label in trial.labels if label and trial.has(label)]
