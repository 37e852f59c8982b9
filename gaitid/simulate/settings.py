"""What a user of the simulation may choose: how a trial is recorded, and what a laboratory adds to it.

The `settings` section of a scenario file holds the fields of `WalkSettings` or `ChainSettings`, by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

import numpy as np

from gaitid.errors import GaitidError
from gaitid.model.fields import Fields
from gaitid.numerics.jet import Array
from gaitid.simulate.plates import ORIGIN_SIGNS, TYPES

# Of cameras or plates: some 5 GB of a walk. More is a rate or a duration in another unit.
_MOST_SAMPLES = 1_000_000
# Of any other number but a seed: no laboratory has as many gaps, newtons or millimetres.
_MOST = 1e6
# Of either sign, or with a bound of their own.
_BOUNDED_APART = ("turn_deg", "event_shift_s", "rate_hz", "analog_rate_hz", "duration")


class _Recording:
    """What every kind of trial has: its frames, and a refusal that names each impossible value."""

    #: The shortest trial, s.
    shortest_s: ClassVar[float]
    rate_hz: float
    duration: float
    gap_count: int
    gap_frames: int

    def __post_init__(self) -> None:
        faults = self._malformed() or self._impossible()
        if faults:
            raise GaitidError("cannot simulate: " + ", ".join(faults), todo="change these options")

    @classmethod
    def kinds(cls) -> Mapping[str, type]:
        """The type of each setting's default."""
        return {setting.name: type(setting.default) for setting in fields(cls)}  # type: ignore[arg-type]

    def _malformed(self) -> list[str]:
        faults = []
        for name, kind in self.kinds().items():
            value = getattr(self, name)
            if kind is float and not np.isfinite(value):
                faults.append(f"{name} {value!r} is no number")
            if kind is int and not float(value).is_integer():
                faults.append(f"{name} {value!r} is no whole number")
        return faults

    def _impossible(self) -> list[str]:
        faults = [f"rate_hz {self.rate_hz:g} is not positive"] if self.rate_hz <= 0 else self._rates()
        if self.duration < self.shortest_s:
            faults.append(f"duration {self.duration:g} s is shorter than {self.shortest_s:g} s")
        elif self.rate_hz > 0 and self._samples() > _MOST_SAMPLES:
            faults.append(
                f"duration {self.duration:g} s at {self._fastest_hz():g} Hz are {self._samples():.3g} samples, more "
                f"than {_MOST_SAMPLES}"
            )
        elif self.rate_hz > 0 and self.gap_count and not 1 <= self.gap_frames <= self.times_s.size:
            faults.append(f"gap_frames {self.gap_frames} is not from 1 to the trial's {self.times_s.size} frames")
        faults += [
            f"{name} {getattr(self, name):g} is negative"
            for name, kind in self.kinds().items()
            if kind in (int, float) and name not in _BOUNDED_APART and getattr(self, name) < 0
        ]
        return faults + [
            f"{name} {getattr(self, name):g} is more than {_MOST:g}"
            for name, kind in self.kinds().items()
            if kind in (int, float) and not name.endswith("seed") and abs(getattr(self, name)) > _MOST
        ]

    def _rates(self) -> list[str]:
        return []

    def _fastest_hz(self) -> float:
        return max(self.rate_hz, getattr(self, "analog_rate_hz", 0.0))

    def _samples(self) -> float:
        return self.duration * self._fastest_hz()

    @property
    def times_s(self) -> Array:
        """(frames,) times of the camera frames, s."""
        return np.arange(max(2, round(self.duration * self.rate_hz))) / self.rate_hz


@dataclass(frozen=True)
class ChainSettings(_Recording):
    """What a user may choose of a mechanical system's trial; it stands in `WalkSettings` what each means.

    Attributes
    ----------
    rate_hz, duration : float
    analog_rate_hz : float
        Of the files of external loads; 0: that of the cameras.
    seed : int
    marker_noise_mm : float
    gap_count, gap_frames : int
    """

    shortest_s = 0.1

    rate_hz: float = 100.0
    duration: float = 4.0
    seed: int = 0
    marker_noise_mm: float = 0.0
    gap_count: int = 0
    gap_frames: int = 10
    analog_rate_hz: float = 0.0

    def _rates(self) -> list[str]:
        if self.analog_rate_hz and self.analog_rate_hz < self.rate_hz:
            return [f"analog_rate_hz {self.analog_rate_hz:g} is below rate_hz {self.rate_hz:g}"]
        return []

    @property
    def load_times_s(self) -> Array:
        """(samples,) times of the samples of external loads, s, from the first camera frame to the last."""
        rate_hz = self.analog_rate_hz or self.rate_hz
        return np.arange(int(np.floor(self.times_s[-1] * rate_hz + 1e-9)) + 1) / rate_hz


@dataclass(frozen=True)
class WalkSettings(_Recording):
    """What a user may choose.

    Attributes
    ----------
    rate_hz : float
        Of the cameras.
    analog_rate_hz : float
        Of the plates, a whole multiple of `rate_hz`.
    duration : float
        Seconds.
    seed : int
        Of the noise.
    marker_noise_mm, force_noise_N : float
        Standard deviations of white noise on marker coordinates and plate forces; the plates' moments get
        `force_noise_N` on a lever of 100 mm. The truth has none.
    turn_deg : float
        Turns the laboratory about the vertical: the walk goes along this direction from x.
    mirror : bool
        The mirror image: subject and plates too, so that left and right change places.
    impact_bw : float
        Height, in body weights, of a transient of vertical force at every foot strike. It belongs to the truth.
    impact_absorbed : float
        Part of that transient which the inertia of leg and body takes (0 to 1): the segments are decelerated by it, and
        their markers with them. At 0 the skeleton passes it on unmoved: the joints give moments for all of it.
    plate_types : tuple of int
        C3D types of the plates in turn (`transducers.TYPES`).
    plate_seed : int
        Other than 0: random sensors' origins, calibration, order of channels and scale factors.
    origin_sign : str
        How FORCE_PLATFORM:ORIGIN is written (`transducers.ORIGIN_SIGNS`).
    plate_bias_N, plate_drift_N_per_s : float
        Of plates that were not zeroed: size of a force at the first sample, and how fast another one grows, each in a
        random direction (by `seed`); the plates' moments get both on a lever of 100 mm.
    gap_count, gap_frames : int
        So many gaps of so many frames in random markers (by `seed`) of the trial, not of the static one.
    segments : bool
        The trial's C3D file stores poses of segments instead of markers, as a markerless system writes it. Noise moves
        their origins, gaps are of all segments.
    full_body : bool
        Trunk, head and arms with Plug-in Gait's markers; the feet's loads are then what the whole body's motion asks.
    segmented_foot : bool
        Hindfoot, forefoot and hallux move, with the markers of the Oxford Foot Model.
    event_shift_s : float
        Added to the time of every stored event.
    no_events : bool
        Store none.
    """

    # Shorter trials do not hold the two stances on the plates.
    shortest_s = 1.5

    rate_hz: float = 100.0
    analog_rate_hz: float = 1000.0
    duration: float = 4.0
    seed: int = 0
    marker_noise_mm: float = 0.0
    force_noise_N: float = 0.0
    turn_deg: float = 0.0
    mirror: bool = False
    impact_bw: float = 0.0
    impact_absorbed: float = 0.0
    plate_types: tuple[int, ...] = (2,)
    plate_seed: int = 0
    origin_sign: str = "nexus"
    plate_bias_N: float = 0.0
    plate_drift_N_per_s: float = 0.0
    gap_count: int = 0
    gap_frames: int = 10
    event_shift_s: float = 0.0
    no_events: bool = False
    segments: bool = False
    full_body: bool = False
    segmented_foot: bool = False

    def _malformed(self) -> list[str]:
        faults = super()._malformed()
        allowed = ", ".join(map(str, TYPES))
        faults += [f"plate type {kind} is none of {allowed}" for kind in self.plate_types if kind not in TYPES]
        if not self.plate_types:
            faults.append(f"plate_types is empty, one of {allowed} is needed")
        if self.origin_sign not in ORIGIN_SIGNS:
            faults.append(f"origin_sign {self.origin_sign!r} is not {' or '.join(ORIGIN_SIGNS)}")
        return faults

    def _impossible(self) -> list[str]:
        beyond = [f"impact_absorbed {self.impact_absorbed:g} is more than 1"] if self.impact_absorbed > 1 else []
        if self.full_body and (self.impact_bw or self.segments):
            beyond.append("full_body does not go with impact_bw or segments")
        return super()._impossible() + beyond

    def _rates(self) -> list[str]:
        ratio = self.analog_rate_hz / self.rate_hz
        if ratio < 1 or abs(ratio - round(ratio)) > 1e-9:
            return [f"analog_rate_hz {self.analog_rate_hz:g} is no whole multiple of rate_hz"]
        return []

    @property
    def analog_times_s(self) -> Array:
        """(samples,) times of the plates' samples, s; the first is that of the first frame."""
        ratio = round(self.analog_rate_hz / self.rate_hz)
        return np.arange(self.times_s.size * ratio) / (self.rate_hz * ratio)


S = TypeVar("S", WalkSettings, ChainSettings)


def parse_settings(fields: Fields, settings: type[S], overrides: Mapping[str, Any]) -> Callable[[], S]:
    """The settings that a file gives, with `overrides` (options) winning; made when called.

    Raises
    ------
    GaitidError
        An option that this kind of scenario does not have.
    """
    kinds = settings.kinds()
    unknown = sorted(set(overrides) - set(kinds))
    if unknown:
        raise GaitidError(
            f"{fields.faults.name}: the scenario has no option {', '.join(unknown)}", expected=", ".join(kinds)
        )
    values = {name: _value(fields, name, kind) for name, kind in kinds.items() if name in fields.values}
    fields.asked.update(kinds)
    fields.done()
    return lambda: settings(**{**values, **overrides})


def _value(fields: Fields, name: str, kind: type) -> object:
    if kind is bool:
        return fields.flag(name, False)
    if kind is str:
        return fields.text(name)
    if kind is tuple:
        return tuple(fields.items(name))
    if kind is int:
        return fields.integer(name, 0, -(2**53), 2**53)
    return fields.number(name)


#: Lever, m, on which noise, bias and drift of a plate's moments are those of its forces.
MOMENT_LEVER_M = 0.1


def noisy_markers(
    markers: Mapping[str, Array], settings: WalkSettings | ChainSettings, noise: np.random.Generator
) -> dict[str, Array]:
    """Markers (frames, 3), m, with white noise on every coordinate."""
    sigma_m = settings.marker_noise_mm * 1e-3
    return {label: p + sigma_m * noise.standard_normal(p.shape) for label, p in markers.items()}


def noisy_poses(poses: Mapping[str, tuple[Array, Array]], settings: WalkSettings) -> dict[str, tuple[Array, Array]]:
    """Poses with the noise of markers on their origins, and gaps as of markers, in all segments at once."""
    draw = np.random.default_rng((int(settings.seed), 3))
    sigma_m = settings.marker_noise_mm * 1e-3
    seen = with_gaps({"": np.zeros((settings.times_s.size, 1))}, settings)[""]
    return {
        label: (R + seen[..., None], origin + sigma_m * draw.standard_normal(origin.shape) + seen)
        for label, (R, origin) in poses.items()
    }


def noisy_channels(
    channels: Mapping[int, tuple[Array, Array]], settings: WalkSettings, noise: np.random.Generator
) -> dict[int, tuple[Array, Array]]:
    """Force and moment (samples, 3), N and N·m, of each plate with white noise on every component."""
    out = {}
    for number, (force, moment) in channels.items():
        f = force + settings.force_noise_N * noise.standard_normal(force.shape)
        lever = settings.force_noise_N * MOMENT_LEVER_M
        out[number] = (f, moment + lever * noise.standard_normal(moment.shape))
    return out


def biased_channels(
    channels: Mapping[int, tuple[Array, Array]], settings: WalkSettings
) -> dict[int, tuple[Array, Array]]:
    """Force and moment (samples, 3), N and N·m, of each plate with its bias and drift in directions of its own.

    The bias is what there is at the first sample; the drift goes on evenly from there.
    """
    if not (settings.plate_bias_N or settings.plate_drift_N_per_s):
        return dict(channels)
    draw = np.random.default_rng((int(settings.seed), 1))
    since = settings.analog_times_s[:, None]
    out = {}
    for number, (force, moment) in channels.items():
        way = draw.standard_normal((4, 3))
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        f = settings.plate_bias_N * way[0] + settings.plate_drift_N_per_s * since * way[1]
        m = settings.plate_bias_N * way[2] + settings.plate_drift_N_per_s * since * way[3]
        out[number] = (force + f, moment + MOMENT_LEVER_M * m)
    return out


def with_gaps(markers: Mapping[str, Array], settings: WalkSettings | ChainSettings) -> dict[str, Array]:
    """Markers (frames, 3), m, NaN in random gaps; no marker gets a second one before all have one."""
    out = {label: p.copy() for label, p in markers.items()}
    draw = np.random.default_rng((int(settings.seed), 2))
    length, labels = int(settings.gap_frames), list(out)
    order = draw.permutation(len(labels))
    for k in range(int(settings.gap_count)):
        p = out[labels[order[k % len(labels)]]]
        first = int(draw.integers(len(p) - length + 1))
        p[first : first + length] = np.nan
    return out
