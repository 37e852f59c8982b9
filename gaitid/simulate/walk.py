"""A walk with a known skeleton, known loads and therefore known joint wrenches, at any times asked for.

What is exact: positions and their derivatives (analytic functions of time), the load on each foot, and the
wrench in every joint of each leg given its motion and load. What is not claimed: consistency of the whole
body. Trunk, arms and head are left out, and the sum of both ground reactions follows a normal pattern without
being derived from a whole body's acceleration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gaitid.errors import GaitidError
from gaitid.simulate.body import SIDES, SIGN, Subject
from gaitid.simulate.clinical import clinical
from gaitid.simulate.jet import Array, angular_velocity, turn_matrix
from gaitid.simulate.loads import FootLoad, LoadShape, Plate, Stance, foot_load, plate
from gaitid.simulate.momentum import joint_wrenches
from gaitid.simulate.motion import Gait
from gaitid.simulate.pattern import NORMAL_LOAD, NORMAL_WALK

#: Shorter trials do not hold the two stances on the plates.
SHORTEST_S = 1.5
#: What a sensor's origin looks like in a Nexus file: 40 mm under the surface, a little off its centre.
_SENSORS_P = (np.array([0.0007, -0.0005, 0.0400]), np.array([-0.0012, 0.0008, 0.0410]))


@dataclass(frozen=True)
class WalkSettings:
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
    """

    rate_hz: float = 100.0
    analog_rate_hz: float = 1000.0
    duration: float = 4.0
    seed: int = 0
    marker_noise_mm: float = 0.0
    force_noise_N: float = 0.0
    turn_deg: float = 0.0
    mirror: bool = False

    def __post_init__(self) -> None:
        faults = []
        numbers = ("rate_hz", "analog_rate_hz", "duration", "marker_noise_mm", "force_noise_N", "turn_deg")
        for name in numbers:
            if not np.isfinite(getattr(self, name)):
                faults.append(f"{name} {getattr(self, name)!r} is not a number")
        if self.seed != int(self.seed):
            faults.append(f"seed {self.seed!r} is no whole number")
        if not faults:
            if self.rate_hz <= 0:
                faults.append(f"rate_hz {self.rate_hz:g} is not positive")
            else:
                ratio = self.analog_rate_hz / self.rate_hz
                if ratio < 1 or abs(ratio - round(ratio)) > 1e-9:
                    faults.append(f"analog_rate_hz {self.analog_rate_hz:g} is no whole multiple of rate_hz")
            if self.duration < SHORTEST_S:
                faults.append(f"duration {self.duration:g} s is shorter than {SHORTEST_S:g} s")
            faults += [
                f"{name} {getattr(self, name):g} is negative"
                for name in ("seed", "marker_noise_mm", "force_noise_N")
                if getattr(self, name) < 0
            ]
        if faults:
            raise GaitidError("cannot simulate: " + ", ".join(faults), todo="change these options")

    @property
    def times_s(self) -> Array:
        """(frames,) times of the camera frames, s."""
        return np.arange(max(2, round(self.duration * self.rate_hz))) / self.rate_hz

    @property
    def analog_times_s(self) -> Array:
        """(samples,) times of the plates' samples, s; the first is that of the first frame."""
        ratio = round(self.analog_rate_hz / self.rate_hz)
        return np.arange(self.times_s.size * ratio) / (self.rate_hz * ratio)


@dataclass(frozen=True, eq=False)
class WalkState:
    """The exact state of the walk at chosen times. SI units, laboratory axes.

    Attributes
    ----------
    time_s : (times,) array
    marker_g : mapping of label to (times, 3) array, m
    joint_g : mapping of ``{side}_{hip|knee|ankle}`` to (times, 3) array, m
    rotation : mapping of segment to (times, 3, 3) array
        R_gs of ``pelvis``, ``{side}_{thigh|shank|foot}`` and ``{side}_torsioned_shank``.
    com_g, velocity_g, acceleration_g : mapping of segment to (times, 3) array
        Of the centre of mass; the pelvis stands for its origin.
    omega_g, alpha_g : mapping of segment to (times, 3) array, rad/s and rad/s²
    load : mapping of side to FootLoad
    wrench : mapping of (side, joint) to (force, moment)
        (times, 3) arrays, N and N·m: what the proximal segment exerts on the distal one, about the joint
        centre.
    clinical : mapping of column to (times,) array
        The columns of ``walk.joints.csv`` without ``frame`` and ``time_s``.
    """

    time_s: Array
    marker_g: Mapping[str, Array]
    joint_g: Mapping[str, Array]
    rotation: Mapping[str, Array]
    com_g: Mapping[str, Array]
    velocity_g: Mapping[str, Array]
    acceleration_g: Mapping[str, Array]
    omega_g: Mapping[str, Array]
    alpha_g: Mapping[str, Array]
    load: Mapping[str, FootLoad]
    wrench: Mapping[tuple[str, str], tuple[Array, Array]]
    clinical: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Walk:
    """One simulated walk, to be asked for its state at any times.

    Attributes
    ----------
    settings : WalkSettings
    gait : Gait
        Subject, pattern and place: gives the skeleton as jets.
    load_shape : LoadShape
    stances : tuple of Stance
        All that touch the trial, in order of contact.
    plates : tuple of Plate
    """

    settings: WalkSettings
    gait: Gait
    load_shape: LoadShape
    stances: tuple[Stance, ...]
    plates: tuple[Plate, ...]

    @property
    def subject(self) -> Subject:
        """Who walks."""
        return self.gait.subject

    @property
    def direction_rad(self) -> float:
        """Of the displacement of the middle of the ASIS from the first frame to the last, from laboratory x."""
        ends = self.settings.times_s[[0, -1]]
        first, last = self.gait.walking(ends).com["pelvis"].value
        return float(np.arctan2(last[1] - first[1], last[0] - first[0]))

    def loads(self, times_s: ArrayLike) -> dict[str, FootLoad]:
        """Load on each foot at any times, s."""
        times = np.asarray(times_s, dtype=np.float64)
        return {side: foot_load(self.load_shape, self.subject.mass_kg, self.stances, side, times) for side in SIDES}

    def at(self, times_s: ArrayLike) -> WalkState:
        """The exact state at any times, s."""
        times = np.asarray(times_s, dtype=np.float64)
        skeleton = self.gait.walking(times)
        loads = self.loads(times)
        wrench = joint_wrenches(self.subject, skeleton, loads)
        rotation = {name: r.value for name, r in skeleton.rotation.items()}
        spin = {name: angular_velocity(r) for name, r in skeleton.rotation.items()}
        omega = {name: s.value for name, s in spin.items()}
        return WalkState(
            time_s=times,
            marker_g={label: m.value for label, m in skeleton.marker.items()},
            joint_g={name: p.value for name, p in skeleton.point.items() if name != "pelvis"},
            rotation=rotation,
            com_g={name: c.value for name, c in skeleton.com.items()},
            velocity_g={name: c.d[1] for name, c in skeleton.com.items()},
            acceleration_g={name: c.d[2] for name, c in skeleton.com.items()},
            omega_g=omega,
            alpha_g={name: s.d[1] for name, s in spin.items()},
            load=loads,
            wrench=wrench,
            clinical=clinical(rotation, omega, wrench, self.subject.mass_kg, self.direction_rad),
        )

    def static_markers(self, n: int) -> dict[str, Array]:
        """Markers of the same subject in quiet standing, feet flat: label to (n, 3) array, m."""
        return {label: m.value for label, m in self.gait.standing(n).marker.items()}

    def plate_channels(self, times_s: ArrayLike) -> dict[int, tuple[Array, Array]]:
        """What each plate's sensor reports without noise: number to (force, moment).

        (samples, 3) arrays, N and N·m: the reaction on the subject in plate axes, about the sensor's origin.
        """
        loads = self.loads(times_s)
        out: dict[int, tuple[Array, Array]] = {}
        for one in self.plates:
            total_f = np.zeros((np.size(times_s), 3))
            total_m = np.zeros_like(total_f)
            for load in loads.values():
                here = np.array([k >= 0 and self.stances[k].plate == one.number for k in load.stance])
                force, moment = one.channels(
                    np.where(here[:, None], load.force_g, 0.0),
                    np.where(here[:, None], load.cop_g, np.nan),
                    np.where(here[:, None], load.free_moment_g, 0.0),
                )
                total_f += force
                total_m += moment
            out[one.number] = (total_f, total_m)
        return out


def simulate_walk(settings: WalkSettings | None = None) -> Walk:
    """Set up a walk: two clean stances on two plates in the middle, all other steps on bare floor.

    Parameters
    ----------
    settings : WalkSettings, optional
        The default ones where it is left out.

    Returns
    -------
    Walk
    """
    chosen = WalkSettings() if settings is None else settings
    pattern = NORMAL_WALK
    subject, lead = Subject(), "left"
    if chosen.mirror:
        subject, lead = subject.mirrored(), "right"
    other = "right" if lead == "left" else "left"
    # Centre the pair of stances on the plates, one and a half stance-and-swing apart, in the trial.
    span = (0.5 + pattern.stance_fraction) * pattern.stride_s
    strike = 0.5 * (chosen.duration - span)
    gait = Gait(subject, pattern, lead, strike, float(np.radians(chosen.turn_deg)))
    heading = turn_matrix(2, gait.yaw_rad)
    last = chosen.times_s[-1]
    stances = []
    reach = int(np.ceil(chosen.duration / pattern.stride_s)) + 1
    for k in range(-reach, reach + 1):
        for offset, (side, number) in enumerate(((lead, 1), (other, 2))):
            on = strike + (k + 0.5 * offset) * pattern.stride_s
            off = on + pattern.stance_fraction * pattern.stride_s
            if off > 0.0 and on < last:
                heel, toe = _footprint(gait, side, on + pattern.flat_fraction * pattern.stride_s)
                number_here = number if k == 0 else None
                stances.append(Stance(side, on, off, heel, toe, heading[:, 0], number_here))
    return Walk(chosen, gait, NORMAL_LOAD, tuple(stances), _plates(stances, heading, SIGN[lead]))


def _footprint(gait: Gait, side: str, flat_s: float) -> tuple[Array, Array]:
    skeleton = gait.walking(np.array([flat_s]), order=0)
    on_floor = np.array([1.0, 1.0, 0.0])
    letter = side[0].upper()
    return (
        skeleton.marker[f"{letter}HEE"].value[0] * on_floor,
        skeleton.marker[f"{letter}TOE"].value[0] * on_floor,
    )


def _plates(stances: list[Stance], heading: Array, hand: float) -> tuple[Plate, ...]:
    """Two plates under the two stances, turned by 90° against each other, on whole millimetres.

    The first, short along the walkway, reaches from 70 mm behind the heel marker; the second, long, from 50
    mm behind it, so that the next step of the first foot comes down off its front edge. `hand` is the sign of
    the leading side.
    """
    yaw = float(np.arctan2(heading[1, 0], heading[0, 0]))
    layout = {1: (0.130, 0.600, 0.400, 0.5 * np.pi), 2: (0.250, 0.600, 0.400, np.pi)}
    plates = []
    for stance in stances:
        if stance.plate is None:
            continue
        ahead, x_length, y_length, turned = layout[stance.plate]
        centre = np.round(heading.T @ stance.heel_g + np.array([ahead, 0.0, 0.0]), 3)
        plates.append(
            plate(
                stance.plate,
                heading @ centre,
                x_length,
                y_length,
                yaw + hand * turned,
                _SENSORS_P[stance.plate - 1],
            )
        )
    return tuple(plates)
