"""One plate's load at the camera's instants: wrench, centre of pressure, when it is loaded, its bias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from gaitid.dynamics.chain import Wrench, centre_of_pressure
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.notes import Note, Notes, note
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import cross, norm
from gaitid.numerics.sampling import SideBySide, sample_centred_mean, sample_local_quadratic
from gaitid.read.plates.surface import plate_axes
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate, Mask, frozen, read_only

# s. Shorter loads are knocks, shorter stances and flights noise of the speed; shorter pauses are noise within one
# contact; an edge reaches out no farther.
SHORTEST, MAX_PAUSE, MAX_EDGE = 0.08, 0.03, 0.15
# N. A load that never gets heavier than this is a touch, not a stance.
MIN_PEAK = 40.0
# N. An empty plate whose reading typically swings by more is not at rest; those of the shared trials by 5 N at most.
MOST_SWING = 8.0
# N. Where a plate's noise is not known, its contacts reach out to this.
EDGE_UNMEASURED = 5.0
# m. Surfaces that differ by less than this in height are one plane: where forces lean by 0.2, pressure is 4 mm off.
STEP = 0.02
# m. Where the noise of a plate's moments may move the pressure by more, it does not tell where a foot presses: half of
# what it may lie beside a foot.
MOVED_BY_NOISE = 0.04
# N/s. A plate whose empty reading changes faster than this drifts.
DRIFT_WORTH_SAYING = 0.2
# A low-pass of the plates that changes the greatest force by this share of it, or the force while the plate carries a
# fifth of that by as much (RMS), changes moments too. In 33 stances of 13 walks and runs of 10 laboratories: 6 Hz by at
# most 3 % and 6.6 % (a foot partly on a plate; whole ones 5.4 %), 10 Hz by 1 % and 5.2 %, 20 Hz by 0.5 % and 3.4 %;
# 3 Hz the peak by 4 to 18 % in most. In a run with hard strikes 6 Hz by 12 to 16 % and 14 %, 10 Hz by 4 % and 7 %.
# A plate that carries less than the last figure, N, was touched by no foot that stood on it.
PEAK_CHANGED, FORCE_CHANGED, TOUCHED = 0.04, 0.07, 150.0
# Samples of a plate are read within so many camera intervals of an instant (`gaitid.numerics.sampling`).
READ_WITHIN = 1


@frozen_dataclass(eq=False)
class UpwardForce:
    """What a plate recorded along the vertical, at its own rate: all that is asked of its samples in the end.

    Attributes
    ----------
    rate_hz, start_s : float
        As of the `ForcePlate`.
    force_N : (samples,) array
        With whatever the empty plate reads.
    """

    rate_hz: float
    start_s: float
    force_N: Array


@frozen_dataclass(eq=False)
class PlateLoad:
    """What one plate felt at each camera frame.

    Attributes
    ----------
    number : int
    wrench : Wrench
        Reaction on the subject, about the centre of the surface, laboratory axes.
    centre_g, normal_g : (3,) arrays
        Centre of the surface, m, and its outward normal.
    R_gp : (3, 3) array
        Plate axes (z into the plate) in laboratory axes.
    half : (2,) array, m
        Half its size along its x and y.
    bias_g, bias_moment_g : (3,) arrays, N and N·m
        What it reads while it is known to be empty, in the middle of the trial, the moment about the centre of its
        surface; NaN where it never is.
    drift_g : (3,) array, N/s
        How the force of the empty plate changes; 0 where it is not empty both early and late.
    removed : bool
        Whether bias and drift were taken off `wrench`.
    noise_N : float
        99th percentile of the size of what is left of the force then; NaN where unknown.
    moment_noise_Nm : float
        The same of the moments that place the pressure, about the centre of the surface.
    outlined : bool
        Whether its edges are known.
    recorded_peak_N : float
        Greatest force along the normal as recorded, with whatever the empty plate reads.
    height_above_lowest : float, m
        Of its surface above the lowest plate's.
    glitches : int
        Samples that no load can have, and that are not in `wrench`.
    glitch_notes : Notes
        What is wrong with them.
    empty_swing_N : float
        By how much its reading typically (median) swings while it is empty; NaN where that is not known.
    unfiltered_peak_N, filter_rms_N : float
        Greatest force along the normal before a low-pass, and the RMS that it changes this force by while the plate
        carries a fifth of that; NaN without a low-pass.
    recorded : UpwardForce or None
        None where nobody asks for it.
    """

    number: int
    wrench: Wrench
    centre_g: Array
    normal_g: Array
    R_gp: Array
    half: Array
    bias_g: Array
    bias_moment_g: Array = field(default_factory=lambda: np.full(3, np.nan))
    drift_g: Array = field(default_factory=lambda: np.zeros(3))
    removed: bool = False
    noise_N: float = float("nan")
    moment_noise_Nm: float = float("nan")
    outlined: bool = True
    recorded_peak_N: float = float("nan")
    height_above_lowest: float = 0.0
    glitches: int = 0
    glitch_notes: Notes = ()
    empty_swing_N: float = float("nan")
    unfiltered_peak_N: float = float("nan")
    filter_rms_N: float = float("nan")
    recorded: UpwardForce | None = None

    def __post_init__(self) -> None:
        for name in ("centre_g", "normal_g", "R_gp", "half", "bias_g", "bias_moment_g", "drift_g"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def vertical(self) -> Array:
        """(frames,) N, the force along the normal."""
        return frozen(self.wrench.f_g @ self.normal_g)

    @property
    def cop_g(self) -> Array:
        """(frames, 3) m."""
        return self._pressure[0]

    @property
    def free_moment(self) -> Array:
        """(frames,) N·m, on the subject, about the normal through the centre of pressure."""
        return self._pressure[1]

    @cached_property
    def _pressure(self) -> tuple[Array, Array]:
        cop_g, free_moment = centre_of_pressure(self.wrench, self.centre_g, self.normal_g)
        return frozen(cop_g), frozen(free_moment)

    @property
    def bias_left_g(self) -> Array:
        """(3,) what is still in `wrench` of the empty plate's force, N; 0 where nothing is known of it."""
        return np.zeros(3) if self.removed else np.where(np.isfinite(self.bias_g), self.bias_g, 0.0)

    @property
    def shows_zero(self) -> bool:
        """Whether it was seen empty, with noise, not cut off below a threshold, and nothing of what it read is left."""
        return self.noise_N > float(np.linalg.norm(self.bias_left_g))

    def margins(self, points_g: Array) -> tuple[Array, Array]:
        """Distances, m, from points, (…, 3), to the nearer edge along the plate's x and along its y; negative outside.

        Shaped (…,).
        """
        return self._margin(points_g, 0), self._margin(points_g, 1)

    def _margin(self, points_g: Array, axis: int) -> Array:
        along_g = self.R_gp[:, axis]
        return np.asarray(self.half[axis] - np.abs(points_g @ along_g - self.centre_g @ along_g))

    def margin(self, points_g: Array) -> Array:
        """(…,) the smaller of both."""
        return np.asarray(np.minimum(*self.margins(points_g)))

    def height(self, points_g: Array) -> Array:
        """(…,) m, of points, (…, 3), above the surface."""
        return np.asarray(points_g @ self.normal_g - self.centre_g @ self.normal_g)

    def figures(self) -> dict[str, object]:
        """What a record says of it."""
        known = self.vertical[np.isfinite(self.vertical)]
        return {
            "plate": self.number,
            "peak_vertical_N": float(known.max()) if known.size else float("nan"),
            "bias_N": self.bias_g,
            "bias_moment_Nm": self.bias_moment_g,
            "drift_N_per_s": self.drift_g,
            "bias_removed": self.removed,
            "noise_N": self.noise_N,
        }

    def notes(self, settings: specs.Settings) -> Iterator[Note]:
        """What is worth saying of its samples, and of what it reads while it is empty."""
        yield from self.glitch_notes
        plates, peak, cutoff = self.number, self.unfiltered_peak_N, settings.force_cutoff_hz
        if cutoff is not None and peak > TOUCHED:  # a low-pass that takes away load, or smears it
            changed, rms = self.recorded_peak_N / peak - 1, self.filter_rms_N / peak
            if not (abs(changed) < PEAK_CHANGED and rms < FORCE_CHANGED):
                yield note(
                    "force_filter_strong",
                    plates=plates,
                    hz=cutoff,
                    before_N=peak,
                    after_N=self.recorded_peak_N,
                    changed=changed,
                    rms=rms,
                )
        if self.empty_swing_N > MOST_SWING:  # a hum on its channels is on its loads too
            yield note("plate_bias/swings", plates=plates, N=self.empty_swing_N)
        size, drift = (float(np.linalg.norm(of)) for of in (self.bias_g, self.drift_g))
        if self.removed:
            yield note(
                "plate_bias_removed/empty", plates=plates, N=size, drift=drift if drift > DRIFT_WORTH_SAYING else None
            )
        elif size > settings.bias_limit_N:
            never = settings.remove_bias == "never"
            yield note("plate_bias/not_zeroed" if never else "plate_bias/unsteady", plates=plates, N=size)

    def edge_N(self, settings: specs.Settings) -> float:
        """N. Below this a load is the plate's own noise: to it contacts reach out."""
        floor = self.noise_N if np.isfinite(self.noise_N) else EDGE_UNMEASURED
        return min(max(settings.contact_edge_N, floor), settings.contact_threshold_N)

    def feels_nothing(self, settings: specs.Settings, frames: slice) -> Mask:
        """(frames,) its samples are known, and beyond what it reads while empty there is only its noise."""
        return np.asarray((self.wrench.f_g[frames] - self.bias_left_g) @ self.normal_g <= self.edge_N(settings))

    def contacts(self, rate_hz: float, settings: specs.Settings, passes: Sequence[slice] = ()) -> list[tuple[int, int]]:
        """(first, last) of each load: found above the threshold, reaching out to the edge force.

        A plate with a bias is judged by what exceeds it, and no edge lies below its own noise, or either would
        load a foot in the air. No load goes on from one of several `passes` to the next.
        """
        left, force_g = self.bias_left_g, self.wrench.f_g
        if np.linalg.norm(left) > settings.contact_edge_N / 2:
            force_g = force_g - left
        # a plate can only push: what pulls the subject down, or lies below the empty reading, is no contact
        push = force_g @ self.normal_g
        loaded = push > settings.contact_threshold_N
        pause = round(MAX_PAUSE * rate_hz)
        joins = np.array([*unknown_frames(passes)])
        for start, stop in list(spans(~loaded)):
            between_passes = ((joins >= start) & (joins < stop)).any()
            if start > 0 and stop < len(loaded) and stop - start <= pause and not between_passes:
                loaded[start:stop] = True
        contacts = []
        reach = round(MAX_EDGE * rate_hz)
        edge = self.edge_N(settings)
        for start, stop in spans(loaded):
            if stop - start < SHORTEST * rate_hz:
                continue
            begin, end = max(start - reach, 0), min(stop + reach, len(push))
            force = np.where(push[begin:end] > 0, norm(force_g[begin:end]), 0.0)
            if np.fmax.reduce(force[start - begin : stop - begin]) < MIN_PEAK:
                continue
            first, last = start, stop - 1
            while first > begin and force[first - 1 - begin] > edge:
                first -= 1
            while last < end - 1 and force[last + 1 - begin] > edge:
                last += 1
            contacts.append((first, last))
        return contacts


@frozen_dataclass(eq=False)
class Carried:
    """What plates do together to one foot in some frames.

    Attributes
    ----------
    wrench : Wrench
        About the laboratory's origin.
    surface : PlateLoad
        On whose surface the pressure is looked for.
    """

    wrench: Wrench
    surface: PlateLoad

    @cached_property
    def pressure(self) -> tuple[Array, Array]:
        """Centre of pressure, (frames, 3) m, and free moment, (frames,) N·m (`centre_of_pressure`)."""
        return centre_of_pressure(self.wrench, self.surface.centre_g, self.surface.normal_g)


def one_plane(plates: Sequence[PlateLoad]) -> bool:
    """Whether the surfaces of several plates lie in one plane, so that one centre of pressure is that of their sum."""
    first = plates[0]
    return all(
        abs((p.centre_g - first.centre_g) @ first.normal_g) < STEP and p.normal_g @ first.normal_g > 0.999
        for p in plates[1:]
    )


def smallest_sure(plate: PlateLoad) -> float:
    """N. Vertical force from which on the centre of pressure means something."""
    bias = 4 * float(np.linalg.norm(plate.bias_left_g))
    if not np.isfinite(plate.noise_N):
        return bias
    return max(bias, 5 * plate.noise_N, plate.moment_noise_Nm / MOVED_BY_NOISE)


def plate_load(plate: ForcePlate, camera_hz: float, n_frames: int, settings: specs.Settings) -> PlateLoad:
    """Turn one plate's samples into its load at the camera's instants; nothing is removed from it.

    The reaction is filtered first if a cut-off is set, then read at each instant (`plate_sampling`); moments
    are moved from the sensor to the centre of the surface: m_c = m + o × f.
    """
    if plate.rate_hz < camera_hz * (1 - 1e-6):
        raise GaitidError(
            f"it is sampled at {plate.rate_hz:g} Hz, more slowly than the cameras",
            expected=f"at least {camera_hz:g} Hz",
            todo="export its samples at their own rate",
        )
    sample = sample_centred_mean if settings.plate_sampling == "centred_mean" else sample_local_quadratic
    channels: Array | SideBySide = SideBySide(plate.force_p, plate.moment_p)
    raw_z = np.zeros(0)
    if settings.force_cutoff_hz is not None:
        raw_z = sample(plate.force_p[:, 2:3], plate.rate_hz, camera_hz, n_frames, plate.start_s)[:, 0]
        channels = lowpass(channels[:], settings.force_cutoff_hz, plate.rate_hz)
    at_camera = sample(channels, plate.rate_hz, camera_hz, n_frames, plate.start_s)
    if not known_rows(at_camera).any():
        raise GaitidError(
            "none of its samples is known within the trial",
            expected=f"samples between 0 and {n_frames / camera_hz:.3g} s",
            found=f"{plate.start_s:.3g} to {plate.start_s + plate.n_samples / plate.rate_hz:.3g} s",
            todo="give forces and markers of one recording",
        )
    R_gp, centre, half = plate_axes(plate)
    f_p, m_p = at_camera[:, :3], at_camera[:, 3:]
    m_p = m_p + cross(plate.sensor_p, f_p)
    wrench = Wrench(frozen(f_p @ R_gp.T), frozen(m_p @ R_gp.T), centre)
    normal, unknown = -R_gp[:, 2], np.full(3, np.nan)
    peak = float(np.fmax.reduce(wrench.f_g @ normal))
    unfiltered_peak, rms = _filtered(-raw_z, -f_p[:, 2]) if raw_z.size else (float("nan"), float("nan"))
    return PlateLoad(
        plate.number,
        wrench,
        centre,
        normal,
        R_gp,
        half,
        unknown,
        outlined=plate.outlined,
        recorded_peak_N=peak,
        unfiltered_peak_N=unfiltered_peak,
        filter_rms_N=rms,
    )


def _filtered(raw: Array, filtered: Array) -> tuple[float, float]:
    """Greatest force before a low-pass, and the RMS that it changes it by while a fifth of that is on the plate."""
    peak = float(np.fmax.reduce(raw))
    loaded = np.isfinite(filtered) & (np.nan_to_num(raw) > 0.2 * peak)
    return peak, float(np.sqrt(np.mean((filtered - raw)[loaded] ** 2))) if peak > 0 and loaded.any() else 0.0


# --- where one pass ends and another begins: the record is cut there, as at the ends of a trial -------------


def unknown_frames(passes: Sequence[slice]) -> Iterator[int]:
    """The frames whose samples are not known because two passes meet, in order.

    Those beside the ends of each pass; where a pass follows without a gap its first one, which is unknown in the
    markers too (`gaitid.markers.passes.blocks_of`).
    """
    for before, after in pairwise(passes):
        yield from sorted({before.stop, max(after.start - 1, before.stop)})


def parted(plate: ForcePlate, passes: Sequence[slice], camera_hz: float) -> ForcePlate:
    """The plate with the samples between two passes unknown, so that no load goes on from one to the next.

    Parameters
    ----------
    plate : ForcePlate
    passes : sequence of slice
        Frames of each walk; with fewer than two nothing is changed.
    camera_hz : float
    """
    return without_frames(plate, [*unknown_frames(passes)], camera_hz)


def without_frames(plate: ForcePlate, frames: Sequence[int], camera_hz: float) -> ForcePlate:
    """The plate with all samples of some camera frames unknown."""
    if not frames:
        return plate
    force, moment = plate.force_p.copy(), plate.moment_p.copy()
    for frame in frames:
        ends = (np.array([frame, frame + 1]) / camera_hz - plate.start_s) * plate.rate_hz
        first, stop = int(np.floor(ends[0] + 1e-6)), int(np.ceil(ends[1] - 1e-6))
        force[max(first, 0) : max(stop, 0)] = np.nan
        moment[max(first, 0) : max(stop, 0)] = np.nan
    return replace(plate, force_p=force, moment_p=moment)


def recorded_with(frame: int, passes: Sequence[slice], n_frames: int) -> tuple[int, int]:
    """The frames in which plates are read of the pass that a frame belongs to, or comes after: first, and one behind.

    All frames where there is one pass.
    """
    first, stop = 0, n_frames
    for before, after in pairwise(passes):
        if frame >= after.start:
            first = after.start + READ_WITHIN + (after.start == before.stop)
        else:
            stop = before.stop - READ_WITHIN
            break
    return first, stop
