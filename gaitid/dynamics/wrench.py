"""Wrenches: a force and a moment that never travels without the point it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.rotation import cross, dot
from gaitid.trial import Array, frozen


@dataclass(frozen=True, eq=False)
class Wrench:
    """A force and its moment about a point, over time.

    Attributes
    ----------
    f_g : (frames, 3) array, N
        Laboratory axes.
    m_g : (frames, 3) array, N·m
        About `p_g`, laboratory axes.
    p_g : (frames, 3) or (3,) array, m
    """

    f_g: Array
    m_g: Array
    p_g: Array

    def __post_init__(self) -> None:
        f, m = frozen(self.f_g), frozen(self.m_g)
        if f.shape != m.shape or f.shape[-1:] != (3,):
            raise ValueError(f"Wrench: force {f.shape} and moment {m.shape} must be (frames, 3)")
        object.__setattr__(self, "f_g", f)
        object.__setattr__(self, "m_g", m)
        object.__setattr__(self, "p_g", frozen(np.broadcast_to(self.p_g, f.shape)))

    def at(self, p_g: Array) -> Wrench:
        """The same action with its moment about another point: m' = m + (p − p') × f."""
        p = np.broadcast_to(p_g, self.f_g.shape)
        return Wrench(self.f_g, self.m_g + cross(self.p_g - p, self.f_g), p)

    def plus(self, other: Wrench) -> Wrench:
        """The sum of two actions on one body.

        Raises
        ------
        ValueError
            Their moments are about different points: move one first.
        """
        if not np.array_equal(self.p_g, other.p_g, equal_nan=True):
            raise ValueError("wrenches about different points cannot be added; use .at() first")
        return Wrench(self.f_g + other.f_g, self.m_g + other.m_g, self.p_g)


def centre_of_pressure(load: Wrench, surface_g: Array, normal_g: Array) -> tuple[Array, Array]:
    """Where the action meets a plane with no moment in it, and the moment left about the normal.

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
