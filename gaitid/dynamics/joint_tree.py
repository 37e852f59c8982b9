"""Bodies on revolute and prismatic joints, as a tree: what joint space is made of, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gaitid.dynamics.inertia import inertia_fault
from gaitid.errors import ModelError
from gaitid.numerics.rotation import cross, dot
from gaitid.trial import Array, IntArray, Mask, read_only

_SHAPES = {"axis_b": (3,), "R_pb": (3, 3), "p_p": (3,), "com_b": (3,), "inertia_b": (3, 3)}
_ROUNDING = 1e-9  # of unit axes and rotations, which are computed and not typed to a few digits


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body and the joint that it hangs from its parent by.

    Attributes
    ----------
    name : str
    parent : int
        Index in the tree; −1 is the ground.
    kind : str
        ``revolute`` (q in rad) or ``prismatic`` (q in m).
    axis_b : (3,) array
        Unit vector along the joint's axis, body axes.
    R_pb : (3, 3) array
        Body axes in parent axes at q = 0.
    p_p : (3,) array, m
        The body's origin, which lies on the joint, from the parent's origin at q = 0, parent axes.
    mass : float, kg
        May be 0 inside the tree: a spherical joint is three revolutes with two massless bodies between.
    com_b : (3,) array, m
        Centre of mass from the body's origin, body axes.
    inertia_b : (3, 3) array, kg·m²
        About the centre of mass, body axes.
    """

    name: str
    parent: int
    kind: Literal["revolute", "prismatic"]
    axis_b: Array
    R_pb: Array
    p_p: Array
    mass: float
    com_b: Array
    inertia_b: Array

    def __post_init__(self) -> None:
        for name, shape in _SHAPES.items():
            value = read_only(getattr(self, name))
            if value.shape != shape or not np.isfinite(value).all():
                given = f"shape {value.shape}: {value.tolist()}"
                raise ModelError(f"body {self.name}: {name}", expected=f"finite numbers of shape {shape}", found=given)
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class JointTree:
    """Bodies, parents before children.

    Parameters
    ----------
    bodies : tuple of Body

    Raises
    ------
    ModelError
        No body, a parent that does not come first, an axis that is not a unit vector, axes that are not a rotation,
        an inertia that no body has, or a free end without inertia along its own joint.
    """

    bodies: tuple[Body, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        if not self.bodies:
            raise ModelError("a tree without bodies")
        for i, body in enumerate(self.bodies):
            _check(body, i)
        for i in set(range(len(self.bodies))) - {body.parent for body in self.bodies}:
            if _inertia_on_joint(self.bodies[i]) <= 0:
                raise ModelError(
                    f"body {self.bodies[i].name} is a free end without inertia on its own joint",
                    expected="mass on a prismatic joint; on a revolute one an inertia, or mass off the axis",
                )

    def __len__(self) -> int:
        return len(self.bodies)

    @cached_property
    def parents(self) -> IntArray:
        return np.array([body.parent for body in self.bodies])

    @cached_property
    def turns(self) -> Array:
        """(n, 1): 1 for a revolute joint, 0 for a prismatic one."""
        return read_only([[float(body.kind == "revolute")] for body in self.bodies])

    @cached_property
    def moved_by(self) -> Mask:
        """(n, n): whether body i moves with joint j."""
        moved = np.eye(len(self), dtype=bool)
        for i, k in enumerate(self.parents):
            if k >= 0:
                moved[i] |= moved[k]
        return moved

    @cached_property
    def mass(self) -> Array:
        return read_only([[body.mass] for body in self.bodies])

    @cached_property
    def axis_b(self) -> Array:
        return read_only([body.axis_b for body in self.bodies])

    @cached_property
    def com_b(self) -> Array:
        return read_only([body.com_b for body in self.bodies])

    @cached_property
    def inertia_b(self) -> Array:
        return read_only([body.inertia_b for body in self.bodies])


def _check(body: Body, i: int) -> None:
    name = f"body {body.name}"
    if not -1 <= body.parent < i:
        expected, todo = "a body listed before it, or −1 for the ground", "list parents first; a loop is not a tree"
        raise ModelError(f"{name}: parent", expected=expected, found=str(body.parent), todo=todo)
    if body.kind not in ("revolute", "prismatic"):
        raise ModelError(f"{name}: kind", expected="revolute or prismatic", found=str(body.kind))
    if abs(float(dot(body.axis_b, body.axis_b)) - 1) > _ROUNDING:
        raise ModelError(f"{name}: axis_b", expected="a unit vector", found=str(body.axis_b.tolist()))
    R = body.R_pb
    if np.abs(R @ R.T - np.eye(3)).max() > _ROUNDING or np.linalg.det(R) < 0:
        raise ModelError(f"{name}: R_pb", expected="a right-handed rotation matrix", found=str(R.tolist()))
    if not (np.isfinite(body.mass) and body.mass >= 0):
        raise ModelError(f"{name}: mass", expected="0 or more, kg", found=str(body.mass))
    if fault := inertia_fault(body.inertia_b, f"{name}: inertia_b"):
        raise ModelError(fault)


def _inertia_on_joint(body: Body) -> float:
    if body.kind == "prismatic":
        return body.mass
    arm = cross(body.axis_b, body.com_b)
    return float(body.axis_b @ body.inertia_b @ body.axis_b + body.mass * (arm @ arm))
