"""Bodies on revolute and prismatic joints, as a tree: what joint space is made of, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gaitid.errors import ModelError
from gaitid.numerics.rotation import cross, dot
from gaitid.trial import Array, IntArray, Mask, read_only

# Of the largest principal moment: far above what turning and moving a tensor in double precision costs (1e-15), far
# below what a body's shape is known to.
_TENSOR_ROUNDING = 1e-6


def about_point(inertia: Array, mass: float | Array, r: Array) -> Array:
    """Inertia about a point at `r` from the centre of mass, of a body whose `inertia` is about the centre of mass.

    I_p = I_c + m (rᵀr 1 − r rᵀ): Steiner's theorem for the whole tensor (Lynch & Park 2017, Modern Robotics,
    section 8.2.1).

    Parameters
    ----------
    inertia : (…, 3, 3) array, kg·m²
    mass : float or (…) array, kg
    r : (…, 3) array, m
        In the tensor's axes.
    """
    return inertia + _of_point(mass, r)


def about_centre(inertia: Array, mass: float | Array, r: Array) -> Array:
    """The way back: about the centre of mass, of a body whose `inertia` is about a point at `r` from there."""
    return inertia - _of_point(mass, r)


def _of_point(mass: float | Array, r: Array) -> Array:
    """m (rᵀr 1 − r rᵀ)."""
    r = np.asarray(r, dtype=float)
    square = dot(r, r)[..., None, None] * np.eye(3)
    return np.asarray(np.asarray(mass)[..., None, None] * (square - r[..., :, None] * r[..., None, :]))


def turned(inertia_s: Array, R_gs: Array) -> Array:
    """The tensor in axes of g, of one in axes of s: I_g = R_gs I_s R_gsᵀ (the same section), (…, 3, 3)."""
    return np.asarray(R_gs @ inertia_s @ np.swapaxes(R_gs, -1, -2))


def inertia_fault(tensor: Array, name: str) -> str | None:
    """Why no rigid body has this inertia tensor about its centre of mass, or None.

    Σ m x², Σ m y² and Σ m z² along the principal axes are not negative, so neither is a principal moment, nor is one
    larger than the sum of the other two (Lynch & Park 2017, section 8.2.1). Point masses and thin rods, with moments
    of zero, pass.

    Parameters
    ----------
    tensor : (3, 3) array, kg·m²
    name : str
        What the caller's file calls it, for the message.

    Returns
    -------
    str or None
        One line: the name, what was expected and what was found.
    """
    I = np.asarray(tensor, dtype=float)  # noqa: E741 - the field's letter
    if I.shape != (3, 3) or not np.isfinite(I).all():
        instead = "a value that is not finite" if I.shape == (3, 3) else f"an array of shape {I.shape}"
        return f"{name}: not an inertia tensor; expected 3 × 3 finite numbers, kg·m²; found {instead}"
    allowed = _TENSOR_ROUNDING * np.abs(I).max()
    if np.abs(I - I.T).max() > allowed:
        i, j = np.unravel_index(np.argmax(np.abs(I - I.T)), (3, 3))
        return (
            f"{name}: the inertia is not symmetric; expected I_{'xyz'[i]}{'xyz'[j]} = I_{'xyz'[j]}{'xyz'[i]}; "
            f"found {I[i, j]:g} and {I[j, i]:g} kg·m²"
        )
    moments = np.linalg.eigvalsh(I)  # ascending
    values = f"found {', '.join(f'{x:.6g}' for x in moments)} kg·m²"
    if moments[0] < -allowed:
        return f"{name}: the inertia is indefinite; expected no principal moment below 0; {values}"
    if moments[2] - moments[1] - moments[0] > allowed:
        return (
            f"{name}: the inertia breaks the triangle inequality; "
            f"expected no principal moment above the sum of the other two; {values}"
        )
    return None


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
