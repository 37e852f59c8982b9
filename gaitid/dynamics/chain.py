"""Wrenches, and the twists that they work on: neither travels without its point and its frame of expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply_transposed, cross, dot
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, read_only

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


_TENSORS, _VECTORS = ("inertia_s", "R_gs"), ("com_g", "acc_g", "omega_g", "alpha_g", "joint_g")
_CHUNK = 1024  # frames whose matrices fit a cache


@frozen_dataclass(eq=False)
class Link:
    """One segment of a chain with everything that acts on it but its joints; laboratory axes.

    Attributes
    ----------
    mass : float, kg
        Or (frames,) array: of each of several draws.
    inertia_s : (3, 3) or (frames, 3, 3) array, kg·m²
        About the centre of mass, segment axes.
    R_gs : (frames, 3, 3) array
    com_g, acc_g : (frames, 3) arrays, m and m/s²
    omega_g, alpha_g : (frames, 3) arrays, rad/s and rad/s²
    joint_g : (frames, 3) array, m
        Centre of the proximal joint.
    external : Wrench or None
        The ground's action on the segment, laboratory axes.
    applied : Wrench or None
        What else was measured to act on it: a load cell, a handle, a cable.

    Raises
    ------
    ValueError
        Shapes that do not fit, or a load in other axes.
    """

    mass: float
    inertia_s: Array
    R_gs: Array
    com_g: Array
    acc_g: Array
    omega_g: Array
    alpha_g: Array
    joint_g: Array
    external: Wrench | None = None
    applied: Wrench | None = None

    def __post_init__(self) -> None:
        n = len(self.com_g)
        for names, wanted in ((_TENSORS, (n, 3, 3)), (_VECTORS, (n, 3))):
            for name in names:
                values = read_only(getattr(self, name))
                if values.shape != wanted and (name != "inertia_s" or values.shape != (3, 3)):
                    raise ValueError(f"Link: {name} of shape {values.shape} with {n} frames")
                object.__setattr__(self, name, values)
        for load in (self.external, self.applied):
            if load is not None and load.frame != LABORATORY:
                raise ValueError(f"Link: a load in axes of {load.frame!r}; turn it into the laboratory's")

    @property
    def load(self) -> Wrench | None:
        """All that acts on the segment but weight and joints, as one action; None where nothing does."""
        if self.external is None or self.applied is None:
            return self.applied if self.external is None else self.external
        return self.external.plus(self.applied.at(self.external.p_g))


@frozen_dataclass(eq=False)
class Chain:
    """Links listed from the free (distal) ends to the base, and what each hangs from.

    Attributes
    ----------
    links : sequence of Link
        Every link before the one that it hangs from.
    proximal : sequence of int or None
        For each link the index of its proximal neighbour; None where it hangs from something outside the chain.
        By default each hangs from the next: one limb.

    Raises
    ------
    ValueError
        Empty, of different numbers of frames, or a link listed after (or as) its own proximal neighbour: out of
        order, or a loop.
    """

    links: Sequence[Link]
    proximal: Sequence[int | None] = ()

    def __post_init__(self) -> None:
        n = len(self.links)
        proximal = tuple(self.proximal) or (*range(1, n), None)
        if not n or len(proximal) != n:
            raise ValueError(f"a chain of {n} links with {len(proximal)} proximal neighbours")
        for i, above in enumerate(proximal):
            if above is not None and not i < above < n:
                raise ValueError(f"link {i} hangs from link {above}: links go from the free ends to the base, no loop")
        if len({len(link.com_g) for link in self.links}) != 1:
            raise ValueError(f"links of different numbers of frames: {[len(link.com_g) for link in self.links]}")
        object.__setattr__(self, "links", tuple(self.links))
        object.__setattr__(self, "proximal", proximal)

    def distal(self, i: int) -> tuple[int, ...]:
        """The links that hang from link `i`."""
        return tuple(k for k, above in enumerate(self.proximal) if above == i)

    def beyond(self, i: int) -> tuple[int, ...]:
        """Link `i` and every link that hangs from it, directly or not."""
        beyond = {i}
        for k in range(i - 1, -1, -1):
            if self.proximal[k] in beyond:
                beyond.add(k)
        return tuple(sorted(beyond))


def solve_in_chunks(chain: Chain, solve: Callable[[Chain], Array]) -> list[Wrench]:
    """Joint wrenches by a solver that factors a matrix in each frame, some frames at a time.

    One unknown number would spoil a frame's factorisation for the joints that do not depend on it too. So a
    placeholder stands for it (zero, or no turning), and what depends on it is blanked afterwards.

    Parameters
    ----------
    chain : Chain
    solve : function of Chain to (frames, links, 2, 3) array
        Force and moment of each joint about its centre, laboratory axes.
    """
    n = len(chain.links[0].com_g)
    parts = (_rows(chain, slice(start, start + _CHUNK)) for start in range(0, n, _CHUNK))
    solution = np.concatenate([solve(part) for part in parts])
    wrenches = []
    for i, (link, known) in enumerate(zip(chain.links, known_joints(chain), strict=True)):
        F, M = np.where(known[..., None], solution[:, i].swapaxes(0, 1), np.nan)
        wrenches.append(Wrench(F, M, link.joint_g))
    return wrenches


def known_joints(chain: Chain) -> list[Mask]:
    """Whether each joint's force and moment can be known, (2, frames) each.

    A force needs the accelerations and loads from there to the free ends, a moment everything.
    """
    known: list[Mask] = []
    for i, link in enumerate(chain.links):
        force = known_rows(link.acc_g) & np.isfinite(link.mass)
        moment = np.isfinite(link.inertia_s).all(axis=(-1, -2))
        for values in (link.R_gs, link.com_g, link.omega_g, link.alpha_g, link.joint_g):
            moment = moment & known_rows(values)
        if (load := link.load) is not None:
            force &= known_rows(load.f_g)
            moment &= known_rows(load.m_g) & known_rows(load.p_g)
        joint = np.stack([force, force & moment])
        for k in chain.distal(i):
            joint &= known[k]
        known.append(joint)
    return known


def _rows(chain: Chain, rows: slice) -> Chain:
    """Some frames of the chain, with placeholders where something is unknown."""

    def part(values: Array, neutral: Array) -> Array:
        some = values[rows]
        unknown = ~known_rows(some)
        return np.where(unknown.reshape(-1, *[1] * (some.ndim - 1)), neutral, some) if unknown.any() else some

    links = []
    for link in chain.links:
        inertia = part(np.broadcast_to(link.inertia_s, link.R_gs.shape), np.zeros((3, 3)))
        load = link.load
        if load is not None:
            f, m, p = (part(values, np.zeros(3)) for values in (load.f_g, load.m_g, load.p_g))
            load = Wrench(f, m, p)
        mass = link.mass if np.isfinite(link.mass) else 0.0
        R_gs = part(link.R_gs, np.eye(3))
        com, acc, omega, alpha, joint = (part(getattr(link, name), np.zeros(3)) for name in _VECTORS)
        links.append(Link(mass, inertia, R_gs, com, acc, omega, alpha, joint, load))
    return Chain(links, chain.proximal)
