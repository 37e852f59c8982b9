"""A walk with a known skeleton and known loads, and its exact joint wrenches, angles, moments and powers at any times
asked.

With `full_body` trunk, head and arms are there too, and the ground's load is what the whole body's motion asks for
(`gaitid.simulate.body_parts`). Otherwise:

What is exact: positions and their derivatives (analytic functions of time), the load on each foot, and the
wrench in every joint of each leg given its motion and load. What is not claimed: consistency of the whole
body. Trunk, arms and head are left out, and the sum of both ground reactions follows a normal pattern without
being derived from a whole body's acceleration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaitid.numerics.jet import (
    Array,
    Jet,
    angular_velocity,
    apply,
    constant,
    cross,
    times_constant,
    transpose,
    turn_matrix,
)
from gaitid.simulate.body import JOINTS, SIDES, SIGN, Skeleton, Subject
from gaitid.simulate.body_parts import arch_columns, asked_loads, whole_com, with_segmented_foot, with_upper_body
from gaitid.simulate.loads import GRAVITY, FootLoad, Stance, foot_load, rebalanced, with_impact
from gaitid.simulate.motion import Gait
from gaitid.simulate.plates import Plate, felt
from gaitid.simulate.scenarios import Scenario, gait_data
from gaitid.simulate.settings import WalkSettings

#: Segments that lie beyond each joint.
DISTAL: Mapping[str, tuple[str, ...]] = {
    "ankle": ("foot",),
    "knee": ("foot", "shank"),
    "hip": ("foot", "shank", "thigh"),
}


def joint_wrenches(
    subject: Subject, skeleton: Skeleton, loads: Mapping[str, FootLoad]
) -> dict[tuple[str, str], tuple[Array, Array]]:
    """Wrench of the proximal on the distal segment at every joint.

    Parameters
    ----------
    subject : Subject
    skeleton : Skeleton
        With two derivatives at least.
    loads : mapping of side to FootLoad

    Returns
    -------
    mapping of (side, joint) to (force, moment)
        (times, 3) arrays in laboratory axes, N and N·m, the moment about the joint centre.
    """
    return {(side, joint): _wrench(subject, skeleton, loads[side], side, joint) for side in SIDES for joint in JOINTS}


def spin_momentum(subject: Subject, skeleton: Skeleton, side: str, segment: str) -> Jet:
    """Angular momentum R I Rᵀ ω of a segment about its centre of mass (times, 3), kg·m²/s, global."""
    return spin_of(skeleton.rotation[f"{side}_{segment}"], subject.inertia_s(side, segment))


def _wrench(subject: Subject, skeleton: Skeleton, load: FootLoad, side: str, joint: str) -> tuple[Array, Array]:
    # A point fixed in the laboratory that the joint happens to pass at each instant.
    p = skeleton.point[f"{side}_{joint}"].value
    beyond = [
        Moving(
            subject.segment_mass_kg(segment),
            skeleton.com[f"{side}_{segment}"],
            spin_momentum(subject, skeleton, side, segment),
        )
        for segment in DISTAL[joint]
    ]
    force, moment = wrench_needed(beyond, p, np.array([0.0, 0.0, -GRAVITY]))
    arm = np.where(np.isfinite(load.cop_g), load.cop_g - p, 0.0)
    # less the ground's: F_J − F_ground, and M_J − (cop − P) × F_ground − M_free
    return force - load.force_g, moment - np.cross(arm, load.force_g) - load.free_moment_g


def _power_on(load: FootLoad, com: Jet, omega_g: Array, ground_g: Array) -> Array:
    """(times,) W, power of a load on a rigid foot with this centre of mass: F · (v + ω × r) + M_free · ω.

    Velocities are against the ground's, (3,) m/s.
    """
    arm = np.where(np.isfinite(load.cop_g), load.cop_g - com.value, 0.0)
    velocity = com.d[1] - ground_g + np.cross(omega_g, arm)
    return np.asarray(
        np.einsum("ti,ti->t", load.force_g, velocity) + np.einsum("ti,ti->t", load.free_moment_g, omega_g)
    )


@dataclass(frozen=True, eq=False)
class Moving:
    """A body in motion, laboratory axes.

    Attributes
    ----------
    mass_kg : float
    com : Jet
        Centre of mass (times, 3), m, with two derivatives.
    spin : Jet
        Angular momentum about it (times, 3), kg·m²/s, with one derivative.
    """

    mass_kg: float
    com: Jet
    spin: Jet


def spin_of(rotation: Jet, inertia_s: Array) -> Jet:
    """Angular momentum R I Rᵀ ω (times, 3), kg·m²/s, global, of a body with inertia (3, 3), kg·m², in its own axes."""
    return apply(times_constant(rotation, inertia_s), apply(transpose(rotation), angular_velocity(rotation)))


def wrench_needed(bodies: Sequence[Moving], p: Array, gravity_g: Array) -> tuple[Array, Array]:
    """What everything but gravity must exert on a system of bodies, about points (times, 3), m.

    Returns
    -------
    force, moment : (times, 3) arrays, N and N·m
    """
    p_rate, h_rate = np.zeros_like(p), np.zeros_like(p)
    weight, weight_moment = np.zeros_like(p), np.zeros_like(p)
    for body in bodies:
        momentum = body.com.derivative() * body.mass_kg
        angular = cross(body.com - p, momentum) + body.spin
        p_rate += momentum.derivative().value
        h_rate += angular.derivative().value
        m_g = body.mass_kg * gravity_g
        weight += m_g
        weight_moment += np.cross(body.com.value - p, m_g)
    # F = d/dt Σ m v − Σ m g;  M = d/dt Σ [(c − P) × m v + R I Rᵀ ω] − Σ (c − P) × m g
    return p_rate - weight, h_rate - weight_moment


#: Distal and proximal segment of each joint, without the side.
JOINT_SEGMENTS: Mapping[str, tuple[str, str]] = {
    "hip": ("thigh", "pelvis"),
    "knee": ("shank", "thigh"),
    "ankle": ("foot", "shank"),
}


def cardan_deg(proximal: Array, distal: Array, letters: str) -> tuple[Array, Array, Array]:
    """Angles a, b, c in degrees, (times,), with proximalᵀ · distal = R_i(a) R_j(b) R_k(c), for three different axes."""
    R = np.swapaxes(proximal, -1, -2) @ distal
    i, j, k = ("xyz".index(letter) for letter in letters)
    # i, j, k in turn or against the turn: the sign of every sine
    s = 1.0 if (j - i) % 3 == 1 else -1.0
    a = np.arctan2(-s * R[:, j, k], R[:, k, k])
    b = np.arcsin(np.clip(s * R[:, i, k], -1.0, 1.0))
    c = np.arctan2(-s * R[:, i, j], R[:, i, i])
    return np.degrees(a), np.degrees(b), np.degrees(c)


def clinical(
    rotation: Mapping[str, Array],
    omega_g: Mapping[str, Array],
    wrenches: Mapping[tuple[str, str], tuple[Array, Array]],
    mass_kg: float,
    direction_rad: float,
    arch: Mapping[str, Mapping[str, Array]] = {},
    below_W: Mapping[str, Array] = {},
) -> dict[str, Array]:
    """Columns of a joints file after ``frame`` and ``time_s``, in order.

    Parameters
    ----------
    rotation : mapping of segment to (times, 3, 3) array
        As in `Skeleton.rotation`.
    omega_g : mapping of segment to (times, 3) array, rad/s
    wrenches : mapping of (side, joint) to (force, moment)
        As from `joint_wrenches`.
    mass_kg : float
        Of the body.
    direction_rad : float
        Of the displacement of the middle of the ASIS over the trial, from laboratory x.
    arch : mapping of side to mapping of column to (times,) array
        Of feet of several segments.
    below_W : mapping of side to (times,) array
        Power of the ground on the rigid foot of these.

    Returns
    -------
    mapping of column to (times,) array
    """
    columns: dict[str, Array] = {}
    words = gait_data("clinical")
    axes = {**rotation, **{f"{side}_progress": turn_matrix(2, direction_rad) for side in SIDES}}
    for side in SIDES:
        columns |= _angles(axes, side, words["angles"])
        columns[f"{side}_ankle_dorsiflexion_deg"] -= 90.0
        if side in arch:
            columns |= _angles(axes, side, words["foot"]) | dict(arch[side])
        for joint, names in words["moments"].items():
            distal = rotation[f"{side}_{JOINT_SEGMENTS[joint][0]}"]
            local = np.einsum("tij,ti->jt", distal, wrenches[side, joint][1]) / mass_kg
            for name, term in names.items():
                columns[f"{side}_{joint}_{name}_moment_Nm_per_kg"] = _signed(term, "yxz", local[[1, 0, 2]], side)
        for joint, segments in JOINT_SEGMENTS.items():
            distal, proximal = (omega_g[_named(side, segment)] for segment in segments)
            power = np.einsum("ti,ti->t", wrenches[side, joint][1], distal - proximal)
            columns[f"{side}_{joint}_power_W_per_kg"] = power / mass_kg
        if side in below_W:
            columns[f"{side}_distal_foot_power_W_per_kg"] = below_W[side] / mass_kg
    if "thorax" in rotation:
        for side in SIDES:
            columns |= _angles(axes, side, words["trunk"])
    return columns


def _angles(axes: Mapping[str, Array], side: str, joints: Mapping[str, Any]) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    for joint, angle in joints.items():
        proximal, distal = (axes[_named(side, angle[end])] for end in ("proximal", "distal"))
        abc = cardan_deg(proximal, distal, angle.get("sequence", "yxz"))
        for name, term in angle["names"].items():
            columns[f"{side}_{joint}_{name}_deg"] = _signed(term, "abc", abc, side)
    return columns


def _signed(term: str, letters: str, values: Sequence[Array], side: str) -> Array:
    """The value that a letter stands for, with the term's sign; all but the first letter's change it on the right."""
    i = letters.index(term[-1])
    return (-1.0 if term[0] == "-" else 1.0) * (SIGN[side] if i else 1.0) * values[i]


def _named(side: str, segment: str) -> str:
    """Name of a side's segment; pelvis and thorax belong to both."""
    return segment if segment in ("pelvis", "thorax") else f"{side}_{segment}"


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
        return self._whole(self.gait.walking(times_s), self.gait.phase(times_s))

    def _whole(self, skeleton: Skeleton, phase: Jet) -> Skeleton:
        if self.settings.segmented_foot:
            skeleton = with_segmented_foot(skeleton, self.subject, phase, self.gait.lead)
        return with_upper_body(skeleton, phase, self.gait.lead) if self.settings.full_body else skeleton

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
        of_feet: tuple[Any, ...] = ()
        if self.settings.segmented_foot:
            passage = self.gait.passage
            ground_g = self.gait.heading @ passage.slope @ np.array([-passage.belt_m_per_s, 0.0, 0.0])
            below = {
                s: _power_on(of, skeleton.com[f"{s}_foot"], omega[f"{s}_foot"], ground_g) for s, of in loads.items()
            }
            of_feet = arch_columns(self.subject, times.size), below
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
            clinical=clinical(rotation, omega, wrench, self.subject.mass_kg, self.direction_rad, *of_feet),
            whole_com=whole_com(skeleton) if self.settings.full_body else None,
        )

    def static_markers(self, n: int) -> dict[str, Array]:
        """Markers of the same subject in quiet standing, feet flat: label to (n, 3) array, m."""
        skeleton = self._whole(self.gait.standing(n), constant(np.zeros(n), 0))
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
