"""Some frames of a segment with the components first: (3, frames) arrays, on which plain arithmetic is fast.

The solvers work through some thousand frames at a time, so that what one step leaves is still in the cache when the
next one needs it.
"""

from __future__ import annotations

import numpy as np

from gaitid.dynamics.chain import Link
from gaitid.records import frozen_dataclass
from gaitid.trial import Array


def cross(a: Array, b: Array) -> Array:
    """a × b, (3, frames)."""
    result = np.empty_like(b)
    np.subtract(a[1] * b[2], a[2] * b[1], out=result[0])
    np.subtract(a[2] * b[0], a[0] * b[2], out=result[1])
    np.subtract(a[0] * b[1], a[1] * b[0], out=result[2])
    return result


def apply(R: Array, v: Array) -> Array:
    """R v, of (3, 3, frames) and (3, frames)."""
    result: Array = R[:, 0] * v[0]
    result += R[:, 1] * v[1]
    result += R[:, 2] * v[2]
    return result


def apply_transposed(R: Array, v: Array) -> Array:
    """Rᵀ v, of (3, 3, frames) and (3, frames)."""
    result: Array = R[0] * v[0]
    result += R[1] * v[1]
    result += R[2] * v[2]
    return result


def blank_partial(v: Array) -> Array:
    """The same array, in place: a vector with an unknown component is unknown in all three."""
    unknown = np.isnan(v[0] + v[1] + v[2])
    if unknown.any():
        v[:, unknown] = np.nan
    return v


def _first(values: Array) -> Array:
    return np.ascontiguousarray(values.reshape(len(values), -1).T)


@frozen_dataclass(eq=False)
class JointLoad:
    """What a segment's proximal neighbour exerts on it, and where; (3, frames), laboratory axes."""

    F: Array
    M: Array
    P: Array


class LinkRows:
    """Some frames of a link: (3, frames) vectors and (3, 3, frames) matrices named as the link's."""

    def __init__(self, link: Link, rows: slice) -> None:
        inertia = link.inertia_s[None] if link.inertia_s.ndim == 2 else link.inertia_s[rows]
        self.mass = link.mass
        self.inertia_s, self.R_gs = (_first(m).reshape(3, 3, -1) for m in (inertia, link.R_gs[rows]))
        self.com_g, self.acc_g, self.omega_g, self.alpha_g, self.joint_g = (
            _first(v[rows]) for v in (link.com_g, link.acc_g, link.omega_g, link.alpha_g, link.joint_g)
        )
        self.load: JointLoad | None = None
        if (load := link.load) is not None:
            self.load = JointLoad(*(_first(v[rows]) for v in (load.f_g, load.m_g, load.p_g)))
