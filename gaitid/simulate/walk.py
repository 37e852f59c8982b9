"""A walk with a known skeleton, known loads and therefore known joint wrenches, at any times asked for.

With `full_body` trunk, head and arms are there too, and the ground's load is what the whole body's motion asks for
(`gaitid.simulate.upper_body`). Otherwise:

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

from gaitid.simulate.body import SIDES, Skeleton, Subject
from gaitid.simulate.clinical import clinical
from gaitid.simulate.jet import Array, Jet, angular_velocity, constant
from gaitid.simulate.loads import GRAVITY, FootLoad, Stance, foot_load, rebalanced, with_impact
from gaitid.simulate.momentum import joint_wrenches
from gaitid.simulate.motion import Gait
from gaitid.simulate.plates import Plate, felt
from gaitid.simulate.scenarios import Scenario
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.upper_body import asked_loads, whole_com, with_upper_body

#: A body that moves less, m, is taken to walk where its pelvis faces.
_STAYS_M = 0.2


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
    whole_com : Jet or None
        Of the whole body's centre of mass (times, 3), m; None without trunk, head and arms.
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
    whole_com: Jet | None = None


@dataclass(frozen=True, eq=False)
class Walk:
    """One simulated walk, to be asked for its state at any times.

    Attributes
    ----------
    settings : WalkSettings
    gait : Gait
        Subject, pattern and place: gives the skeleton as jets.
    stances : tuple of Stance
        All that touch the trial, in order of contact.
    plates : tuple of Plate
    scenario : Scenario
    visits : tuple of Stance
        Feet of somebody else.
    """

    settings: WalkSettings
    gait: Gait
    stances: tuple[Stance, ...]
    plates: tuple[Plate, ...]
    scenario: Scenario
    visits: tuple[Stance, ...] = ()

    @property
    def subject(self) -> Subject:
        """Who walks."""
        return self.gait.subject

    @property
    def direction_rad(self) -> float:
        """Direction of progression, from laboratory x: the displacement of the middle of the ASIS over the trial.

        Turned about where the walk goes backward; where the pelvis faces on a treadmill.
        """
        ends = self.settings.times_s[[0, -1]]
        skeleton = self.gait.walking(ends)  # of the pelvis alone
        first, last = skeleton.com["pelvis"].value
        facing = skeleton.rotation["pelvis"].value[:, :2, 0].mean(axis=0)
        way = (last - first)[:2]
        if np.linalg.norm(way) < _STAYS_M:
            way = facing
        elif self.gait.clock.rate < 0:
            way = -way
        return float(np.arctan2(way[1], way[0]))

    def skeleton(self, times_s: ArrayLike) -> Skeleton:
        """Everything geometric at any times, s, with two derivatives."""
        skeleton = self.gait.walking(times_s)
        if not self.settings.full_body:
            return skeleton
        return with_upper_body(skeleton, self.gait.phase(times_s), self.gait.lead)

    def loads(self, times_s: ArrayLike) -> dict[str, FootLoad]:
        """Load on each foot at any times, s."""
        times = np.asarray(times_s, dtype=np.float64)
        mass, pattern_s = self.subject.mass_kg, self.gait.pattern_s(times)
        loads = {side: foot_load(self.scenario.load, mass, self.stances, side, pattern_s) for side in SIDES}
        if not self.gait.clock.plain:
            loads = rebalanced(loads, mass, *self.gait.pace(times))
        loads = {side: self.gait.carry(load, times) for side, load in loads.items()}
        if self.settings.impact_bw:
            peak_N = self.settings.impact_bw * mass * GRAVITY
            loads = {side: with_impact(load, self.stances, times, peak_N) for side, load in loads.items()}
        if self.settings.full_body:
            loads = asked_loads(loads, whole_com(self.skeleton(times)), mass)
        return loads

    def other_loads(self, times_s: ArrayLike) -> tuple[FootLoad, ...]:
        """Loads of somebody else's feet at any times, s."""
        times = np.asarray(times_s, dtype=np.float64)
        mass = self.subject.mass_kg
        return tuple(foot_load(self.scenario.load, mass, (visit,), visit.side, times) for visit in self.visits)

    def at(self, times_s: ArrayLike) -> WalkState:
        """The exact state at any times, s."""
        times = np.asarray(times_s, dtype=np.float64)
        skeleton = self.skeleton(times)
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
            whole_com=whole_com(skeleton) if self.settings.full_body else None,
        )

    def static_markers(self, n: int) -> dict[str, Array]:
        """Markers of the same subject in quiet standing, feet flat: label to (n, 3) array, m."""
        skeleton = self.gait.standing(n)
        if self.settings.full_body:
            skeleton = with_upper_body(skeleton, constant(np.zeros(n), 0), self.gait.lead)
        return {label: m.value for label, m in skeleton.marker.items()}

    def plate_channels(self, times_s: ArrayLike) -> dict[int, tuple[Array, Array]]:
        """What each plate's sensor reports without noise: number to (force, moment).

        (samples, 3) arrays, N and N·m: the reaction on the subject in plate axes, about the sensor's origin.
        """
        feet = (*self.loads(times_s).values(), *self.other_loads(times_s))
        out: dict[int, tuple[Array, Array]] = {}
        for plate in self.plates:
            total_f = np.zeros((np.size(times_s), 3))
            total_m = np.zeros_like(total_f)
            for load in feet:
                force, moment = plate.about_centre(felt(plate, load)[0])
                total_f += force
                total_m += plate.about_sensor(force, moment)
            out[plate.number] = (total_f, total_m)
        if self.scenario.swapped:
            out[1], out[2] = out[2], out[1]
        return out
