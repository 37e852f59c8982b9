"""Newton's and Euler's equations, differentiated: what the motion and the mass of a segment change in the columns.

A segment's motion demands the force m (a − g), and about its centre of mass the moment I α + ω × I ω. What it demands
more, every joint between it and the base gives, about its own centre (as `gaitid.dynamics.newton_euler` has it). The
columns are linear in the wrenches and powers of their joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.analysis.distal_foot import DISTAL_FOOT
from gaitid.analysis.limb import with_wrenches
from gaitid.analysis.pipeline import Pipeline
from gaitid.dynamics.chain import Link, Wrench
from gaitid.numerics.rotation import apply, cross, dot
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.perturbed import UNMOVED, Perturbed
from gaitid.uncertainty.shift import Shift

#: By side which motions of segments move which of its columns, and the derivatives, (frames, motions, columns).
Gradient = Mapping[str, tuple[IntArray, IntArray, Array]]
#: Of a segment: acceleration, angular acceleration, angular velocity and velocity along three axes.
MOTIONS = 12
#: The first of these that is an angular velocity, and those that are.
_VELOCITY = 6
_TURNING = slice(_VELOCITY, 9)
_OF_LINK = ("mass", "inertia_s", "R_gs", "com_g", "acc_g", "omega_g", "alpha_g", "joint_g")
#: Of a joint: force, N, moment, N·m, and power, W/kg.
_OF_JOINT = 7


class EquationsOfMotion:
    """What the columns of an unshifted result follow by the equations of motion.

    Parameters
    ----------
    perturbed : Perturbed
    """

    def __init__(self, perturbed: Perturbed) -> None:
        self._perturbed = perturbed
        self._by_joint = _by_joint(perturbed)
        names = [np.array(perturbed.names)[of] for of in perturbed.of_side.values()]
        self._sides = {
            side: _Limb(perturbed.still, side, by, np.flatnonzero(np.char.find(of, f"_{DISTAL_FOOT}_") > 0))
            for (side, by), of in zip(self._by_joint.items(), names, strict=True)
        }

    def of_parameters(self, shift: Shift) -> Array:
        """(frames, columns) the change by masses, inertia and centres of mass of segments, without other shifts."""
        change = np.zeros(self._perturbed.unshifted.shape)
        for side, limb in self._sides.items():
            for k, segment in enumerate(limb.segments):
                if any(segment in of for of in (shift.mass, shift.inertia, shift.com)):
                    demanded = limb.demanded_by_parameters(k, shift)
                    change[:, self._perturbed.of_side[side][limb.kinetic]] += limb.columns(k, *demanded)[:, 0]
        return change

    def motion_gradient(self) -> Gradient:
        """By side which motions of segments, of `MOTIONS` each, move which of its columns, and how."""
        keys = list(self._perturbed.still.body.segments)
        base = keys.index(self._perturbed.still.body.base)
        found = {}
        for side, limb in self._sides.items():
            at = [base, *(keys.index((side, segment)) for segment in limb.segments)]
            motions = (MOTIONS * np.array(at)[:, None] + np.arange(MOTIONS)).ravel()
            by = np.concatenate([limb.by_motions(k) for k in (None, *range(len(at) - 1))], axis=1)
            # of the base powers alone follow, by its angular velocity
            found[side] = motions[_VELOCITY:], limb.kinetic, by[:, _VELOCITY:]
        return found


class _Limb:
    """One side. Forces and moments are (frames, n, 3), N and N·m, laboratory axes.

    Attributes
    ----------
    segments : tuple of str
    kinetic : (columns,) int array
        Those of the side that follow wrenches or powers.
    """

    def __init__(self, still: Pipeline, side: str, by_joint: Mapping[str, Array], distal: IntArray) -> None:
        solved, mechanics, model = still.solved[side], still.mechanics, still.body.model
        moving = solved.moving(None)
        assert moving.chain is not None
        self.segments, self._proximal = tuple(moving.segments), model.proximal
        # beside what is not known columns are not known either
        self._links = [_with_zeros(link) for link in moving.chain.links]
        self._gravity, self._mass_kg = mechanics.gravity_g, mechanics.mass_kg
        joints = [spec.joint for spec in model.chain]
        moved = np.flatnonzero(sum(np.any(by_joint[joint] != 0, axis=(0, 1)) for joint in joints))
        self.kinetic = np.union1d(moved, distal)
        # P = F · v + M · ω of the ground on the foot, by its column
        self._distal = np.searchsorted(self.kinetic, distal)
        self._grounded = next((k for k, spec in enumerate(model.chain) if spec.ground), -1)
        if len(distal):
            load = moving.chain.links[self._grounded].external
            assert load is not None
            about = load.at(moving.chain.links[self._grounded].com_g)
            self._load = np.nan_to_num(
                np.concatenate([about.m_g, about.f_g], axis=1) / np.atleast_1d(self._mass_kg)[..., None]
            )
        self._by_joint = [np.ascontiguousarray(by_joint[joint][:, :, self.kinetic]) for joint in joints]
        self._moments = [np.nan_to_num(solved.wrenches[joint].m_g) for joint in joints]
        above = [moving.base if k is None else moving.segments[self.segments[k]] for k in self._proximal]
        self._turning = [link.omega_g - np.nan_to_num(of.omega_g) for link, of in zip(self._links, above, strict=True)]
        self._lengths = [still.body.segments[side, name].length_m for name in self.segments]
        self._mean = still.body.geometry.mean

    def columns(self, k: int, force: Array, moment: Array) -> Array:
        """(frames, n, columns) the change where segment `k` demands more, about its centre of mass."""
        joint: int | None = k
        change = np.zeros((*force.shape[:2], self._by_joint[k].shape[2]))
        while joint is not None:
            arm = self._links[k].com_g - self._links[joint].joint_g
            at_joint = moment + cross(arm[:, None], force)
            power = dot(at_joint, self._turning[joint][:, None]) / self._mass_kg
            change += np.concatenate([force, at_joint, power[..., None]], axis=2) @ self._by_joint[joint]
            joint = self._proximal[joint]
        return change

    def by_motions(self, k: int | None) -> Array:
        """(frames, 12, columns) by the motions of a segment, or of the base, of which only powers follow here."""
        if k is None:
            change = np.zeros((len(self._moments[0]), MOTIONS, self._by_joint[0].shape[2]))
        else:
            change = self.columns(k, *self._demanded_by_motions(k))
        for joint, below in enumerate(self._proximal):
            if sign := (joint == k) - (below == k):  # the segment hangs from the joint, or the joint from it
                by_power = self._by_joint[joint][:, None, -1] / self._mass_kg
                change[:, _TURNING] += sign * self._moments[joint][:, :, None] * by_power
        if k == self._grounded and len(self._distal):
            change[:, _VELOCITY:, self._distal] += self._load[:, :, None]
        return change

    def _demanded_by_motions(self, k: int) -> tuple[Array, Array]:
        link, axes = self._links[k], np.eye(3)
        inertia_g = link.R_gs @ link.inertia_s @ np.swapaxes(link.R_gs, 1, 2)
        spin = apply(inertia_g, link.omega_g)
        force, moment = (np.zeros((len(spin), MOTIONS, 3)) for _ in range(2))
        force[:, :3] = np.asarray(link.mass)[..., None, None] * axes
        moment[:, 3:_VELOCITY] = inertia_g  # symmetric
        moment[:, _TURNING] = cross(axes, spin[:, None]) + cross(link.omega_g[:, None], inertia_g)
        return force, moment

    def demanded_by_parameters(self, k: int, shift: Shift) -> tuple[Array, Array]:
        """By relative changes of mass and inertia, and by a centre of mass that lies elsewhere in the segment."""
        link, name = self._links[k], self.segments[k]
        spin = apply(link.R_gs, apply(link.inertia_s, apply(np.swapaxes(link.R_gs, 1, 2), link.omega_g)))
        turned = apply(link.R_gs, apply(link.inertia_s, apply(np.swapaxes(link.R_gs, 1, 2), link.alpha_g)))
        mass = np.asarray(link.mass)[..., None]
        needed = mass * (link.acc_g - self._gravity)
        along = np.asarray(self._mean(self._lengths[k]))[..., None] * shift.com.get(name, np.zeros(3))
        offset = apply(link.R_gs, np.broadcast_to(along, link.com_g.shape))
        outward = cross(link.alpha_g, offset) + cross(link.omega_g, cross(link.omega_g, offset))
        force = shift.mass.get(name, 0.0) * needed + mass * outward
        moment = shift.inertia.get(name, 0.0) * (turned + cross(link.omega_g, spin)) + cross(offset, needed)
        return force[:, None], moment[:, None]


def _with_zeros(link: Link) -> Link:
    """With zeros where something is not known."""
    known = {name: np.nan_to_num(getattr(link, name)) for name in _OF_LINK}
    return replace(link, external=None, applied=None, **known)


def _by_joint(perturbed: Perturbed) -> dict[str, dict[str, Array]]:
    """By side and joint, (frames, 7, columns of the side): the change by a unit of its force, moment and power."""
    shape, at_once = perturbed.unshifted.shape, min(perturbed.together, UNMOVED)
    every = np.empty((_OF_JOINT, *shape))
    for start in range(0, _OF_JOINT, at_once):
        units = np.eye(at_once, _OF_JOINT, start)  # as many walks as errors of loads take
        many = perturbed.unmoved(at_once)
        f, m, p = (np.repeat(of, shape[0], axis=0) for of in (units[:, :3], units[:, 3:6], units[:, 6]))
        solved = {}
        for side, of in many.solved.items():
            wrenches = {joint: Wrench(w.f_g + f, w.m_g + m, w.p_g) for joint, w in of.wrenches.items()}
            powers = {joint: power + p for joint, power in of.powers.items()}
            solved[side] = with_wrenches(of, many.body, side, wrenches, powers, many.mechanics)
        columns = perturbed.columns_of(many.with_(solved=solved)).reshape(-1, *shape)
        every[start : start + at_once] = columns[: _OF_JOINT - start]
    every -= perturbed.unshifted
    found: dict[str, dict[str, Array]] = {}
    for side, mine in perturbed.of_side.items():
        joints = [spec.joint for spec in perturbed.still.body.model.chain]
        whose = [_joint_of(perturbed.names[i].removeprefix(f"{side}_"), joints) for i in mine]
        by = np.moveaxis(every[:, :, mine], 0, 1)
        found[side] = {joint: np.where([of == joint for of in whose], by, 0.0) for joint in joints}
    return found


def _joint_of(column: str, joints: list[str]) -> str:
    """The joint whose name a column begins with: the longest such name; empty for another column."""
    return max((joint for joint in joints if column.startswith(f"{joint}_")), key=len, default="")
