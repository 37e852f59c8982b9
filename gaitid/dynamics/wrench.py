"""Wrenches, and the twists that they work on: neither travels without its point and its frame of expression."""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rotation import apply_transposed, cross, dot
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, read_only

LABORATORY = "laboratory"


@frozen_dataclass(eq=False)
class Wrench:
    """A force and its moment about a point, over time.

    Attributes
    ----------
    f_g : (frames, 3) array, N
    m_g : (frames, 3) array, N·m
        About `p_g`.
    p_g : (frames, 3) or (3,) array, m
        From the laboratory's origin.
    frame : str
        Whose axes all three are expressed in; the laboratory's, unless `turned`.
    """

    f_g: Array
    m_g: Array
    p_g: Array
    frame: str = LABORATORY

    def __post_init__(self) -> None:
        f, m = read_only(self.f_g), read_only(self.m_g)
        if f.shape != m.shape or f.shape[-1:] != (3,):
            raise ValueError(f"Wrench: force {f.shape} and moment {m.shape} must be (frames, 3)")
        # one point for all frames is held once
        p = read_only(self.p_g) if np.shape(self.p_g) == f.shape else np.broadcast_to(read_only(self.p_g), f.shape)
        object.__setattr__(self, "f_g", f)
        object.__setattr__(self, "m_g", m)
        object.__setattr__(self, "p_g", p)

    def at(self, p_g: Array) -> Wrench:
        """The same action with its moment about another point, in the same axes: m' = m + (p − p') × f."""
        p = np.broadcast_to(p_g, self.f_g.shape)
        return Wrench(self.f_g, self.m_g + cross(self.p_g - p, self.f_g), p, self.frame)

    def during(self, frames: slice | IntArray) -> Wrench:
        """The same action in some frames only."""
        return Wrench(self.f_g[frames], self.m_g[frames], self.p_g[frames], self.frame)

    def turned(self, R_gs: Array, frame: str) -> Wrench:
        """The same action about the same point, in the axes of another frame: v_s = R_gsᵀ v_g for f, m and p.

        Parameters
        ----------
        R_gs : (3, 3) or (frames, 3, 3) array
            Columns are the axes of the new frame, expressed in the present one.
        frame : str
            The new frame's name.
        """
        f_s, m_s, p_s = (apply_transposed(R_gs, v) for v in (self.f_g, self.m_g, self.p_g))
        return Wrench(f_s, m_s, p_s, frame)

    def plus(self, other: Wrench) -> Wrench:
        """The sum of two actions on one body.

        Raises
        ------
        ValueError
            They are expressed in different frames, or their moments are about different points: turn or move one.
        """
        _same_frame(self, other)
        if not np.array_equal(self.p_g, other.p_g, equal_nan=True):
            raise ValueError("wrenches about different points cannot be added; use .at() first")
        return Wrench(self.f_g + other.f_g, self.m_g + other.m_g, self.p_g, self.frame)

    def power(self, twist: Twist) -> Array:
        """f · v + m · ω, (frames,), W, on a body that moves so; v is taken at the wrench's own point.

        Raises
        ------
        ValueError
            They are expressed in different frames.
        """
        _same_frame(self, twist)
        return dot(self.f_g, twist.at(self.p_g).v_g) + dot(self.m_g, twist.omega_g)


@frozen_dataclass(eq=False)
class Twist:
    """How a rigid body moves: it turns, and one of its points has a velocity.

    Attributes
    ----------
    omega_g : (frames, 3) array, rad/s
    v_g : (frames, 3) array, m/s
        Of the body's point that is at `p_g`.
    p_g : (frames, 3) or (3,) array, m
    frame : str
        Whose axes all three are expressed in.
    """

    omega_g: Array
    v_g: Array
    p_g: Array
    frame: str = LABORATORY

    def __post_init__(self) -> None:
        omega, v = read_only(self.omega_g), read_only(self.v_g)
        if omega.shape != v.shape or v.shape[-1:] != (3,):
            raise ValueError(f"Twist: turning {omega.shape} and velocity {v.shape} must be (frames, 3)")
        object.__setattr__(self, "omega_g", omega)
        object.__setattr__(self, "v_g", v)
        object.__setattr__(self, "p_g", read_only(np.broadcast_to(self.p_g, v.shape)))

    def at(self, p_g: Array) -> Twist:
        """The same motion by the velocity of another point of the body: v' = v + ω × (p' − p)."""
        p = np.broadcast_to(p_g, self.v_g.shape)
        return Twist(self.omega_g, self.v_g + cross(self.omega_g, p - self.p_g), p, self.frame)

    def turned(self, R_gs: Array, frame: str) -> Twist:
        """The same motion in the axes of another frame; see `Wrench.turned`."""
        omega_s, v_s, p_s = (apply_transposed(R_gs, v) for v in (self.omega_g, self.v_g, self.p_g))
        return Twist(omega_s, v_s, p_s, frame)


def _same_frame(a: Wrench, b: Wrench | Twist) -> None:
    if a.frame != b.frame:
        other = type(b).__name__.lower()
        raise ValueError(f"a wrench in axes of {a.frame!r} meets a {other} in axes of {b.frame!r}; use .turned() first")


def centre_of_pressure(load: Wrench, surface_g: Array, normal_g: Array) -> tuple[Array, Array]:
    """The point of a plane about which an action has no moment in the plane, and the moment left about the normal.

    With M about a point p of the plane and n its unit normal: r = p + (n × M)/(n · F), free moment
    n · (M − (r − p) × F) (Shimba 1984, J Biomech 17:53-60; the plate's own surface, so no height is involved).

    Parameters
    ----------
    load : Wrench
        On the subject.
    surface_g : (3,) or (frames, 3) array, m
        A point of the surface.
    normal_g : (3,) or (frames, 3) array
        Outward unit normal.

    Returns
    -------
    cop_g : (frames, 3) array, m
    free_moment : (frames,) array, N·m
        NaN where the force has no component along the normal.
    """
    about = load.at(surface_g)
    pressing = dot(np.broadcast_to(normal_g, about.f_g.shape), about.f_g)
    pressing = np.where(pressing != 0, pressing, np.nan)
    arm = cross(np.broadcast_to(normal_g, about.f_g.shape), about.m_g) / pressing[:, None]
    free = dot(np.broadcast_to(normal_g, about.f_g.shape), about.m_g - cross(arm, about.f_g))
    return about.p_g + arm, free
