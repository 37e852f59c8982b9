"""Segments and how they hang together: an open chain of any length, with branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gaitid.dynamics.wrench import LABORATORY, Wrench
from gaitid.numerics.masks import known_rows
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask, read_only

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
