"""Rotations: matrices (frames, 3, 3) whose columns are the axes of a frame, quaternions, Cardan angles.

``R_gs`` maps components in s to components in g, so that inner letters cancel: ``R_gs @ R_sa = R_ga``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from gaitid.trial import Array

AXES = "xyz"
A = TypeVar("A", float, Array)


def unit(v: Array) -> Array:
    """Vectors of length 1 along the last axis; NaN where the length is 0."""
    length = np.sqrt(np.einsum("...i,...i->...", v, v))
    return v / np.where(length > 0, length, np.nan)[..., None]


def norm(v: Array) -> Array:
    """Lengths of vectors along the last axis: `numpy.linalg.norm` to the last bit, in a quarter of its time for few
    columns, as points have them.
    """
    squared = v * v
    total = np.array(squared[..., 0])
    for column in range(1, v.shape[-1]):
        total += squared[..., column]
    return np.asarray(np.sqrt(total))


def cross(a: Array, b: Array) -> Array:
    """Cross product along the last axis (four times as fast as numpy's for many short vectors)."""
    result = np.empty_like(a) if a.shape == b.shape else np.empty(np.broadcast(a, b).shape)
    np.subtract(a[..., 1] * b[..., 2], a[..., 2] * b[..., 1], out=result[..., 0])
    np.subtract(a[..., 2] * b[..., 0], a[..., 0] * b[..., 2], out=result[..., 1])
    np.subtract(a[..., 0] * b[..., 1], a[..., 1] * b[..., 0], out=result[..., 2])
    return result


def dot(a: Array, b: Array) -> Array:
    """Scalar product along the last axis."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


def apply(R: Array, v: Array) -> Array:
    """``R @ v`` for stacks: (…, 3, 3) and (…, 3)."""
    return np.asarray(np.einsum("...ij,...j->...i", R, v))


def apply_transposed(R: Array, v: Array) -> Array:
    """``Rᵀ @ v`` for stacks: components in the frame whose axes are the columns of R."""
    return np.asarray(np.einsum("...ji,...j->...i", R, v))


def about_axis(axis: str, angle: Array | float) -> Array:
    """Rotation matrix (…, 3, 3) about a coordinate axis ``x``, ``y`` or ``z`` by `angle`, rad, right-handed."""
    angle = np.asarray(angle, dtype=float)
    c, s = np.cos(angle), np.sin(angle)
    i = AXES.index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    R = np.zeros((*angle.shape, 3, 3))
    R[..., i, i] = 1.0
    R[..., j, j] = R[..., k, k] = c
    R[..., j, k], R[..., k, j] = -s, s
    return R


def rotation_vectors(R: Array) -> Array:
    """(…, 3) vectors along the axes of rotations (…, 3, 3), as long as their angles, rad, from 0 to π.

    Of the angle its sine by the skew part and its cosine by the trace, so that no small angle loses digits. At π, where
    the skew part is nothing, the length is right and the direction arbitrary.
    """
    skew = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    sine, cosine = norm(skew) / 2, (R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2] - 1) / 2
    angle = np.arctan2(sine, cosine)
    axis = np.divide(skew, 2 * sine[..., None], out=np.full_like(skew, np.sqrt(1 / 3)), where=sine[..., None] > 0)
    return np.asarray(angle[..., None] * axis)


def turned(v: Array, axis: Array, angle: Array | float) -> Array:
    """Vectors turned about unit axes by `angle`, rad (Rodrigues 1840)."""
    angle = np.asarray(angle, dtype=float)[..., None]
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(v * c + cross(axis, v) * s + axis * dot(axis, v)[..., None] * (1 - c))


def frame_from_axes(keep: str, v_keep: Array, toward: str, v_toward: Array) -> Array:
    """Right-handed frames, one axis exactly along a vector, another as near as it can be to a second one.

    Parameters
    ----------
    keep, toward : str
        Different letters of ``xyz``.
    v_keep, v_toward : (frames, 3) arrays
        Need not be of unit length; NaN where they are parallel or of length 0.

    Returns
    -------
    (frames, 3, 3) array
        Columns are the axes.
    """
    i, j = AXES.index(keep), AXES.index(toward)
    k = 3 - i - j
    first = unit(v_keep)
    # the third axis: e_k = ± e_i × e_j, + where (i, j, k) is cyclic
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    third = sign * unit(cross(first, v_toward))
    second = sign * cross(third, first)
    R = np.empty((*first.shape, 3))
    R[..., i], R[..., j], R[..., k] = first, second, third
    return R


def nearest_rotation(M: Array) -> Array:
    """(frames, 3, 3) rotations nearest to matrices (frames, 3, 3) in the sense of least squares; NaN rows stay NaN.

    The polar factor, by singular values (Higham 1986, SIAM J Sci Stat Comput 7:1160-1174).
    """
    R = np.full(M.shape, np.nan)
    known = np.isfinite(M).all(axis=(1, 2))
    u, _, vt = np.linalg.svd(M[known])
    u[..., 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    R[known] = u @ vt
    return R


def cardan(R: Array, sequence: str) -> tuple[Array, Array, Array]:
    """Angles a, b, c, rad, of ``R = R_i(a) R_j(b) R_k(c)`` about moving axes i, j, k = `sequence`, all different.

    b lies in [−π/2, π/2]. Formula: Craig JJ (2005) Introduction to Robotics, 3rd ed., appendix B, written for
    any cyclic or anticyclic sequence.
    """
    i, j, k = (AXES.index(letter) for letter in sequence)
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    b = np.arcsin(np.clip(e * R[..., i, k], -1.0, 1.0))
    a = np.arctan2(-e * R[..., j, k], R[..., k, k])
    c = np.arctan2(-e * R[..., i, j], R[..., i, i])
    return a, b, c


def quaternions(R: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotation matrices (frames, 3, 3); w ≥ 0 at the first, then continuous.

    NaN rows stay NaN.
    """
    return np.ascontiguousarray(quaternions_of_each([R])[:, 0].T)


def quaternions_of_each(rotations: Sequence[Array]) -> Array:
    """(4, rotations, frames) quaternions of several rotations over the same frames, each as `quaternions` has it.

    Shepperd SW (1978) Quaternion from rotation matrix. J Guid Control 1:223-224: the largest of the four
    components first, so that nothing is divided by a small number.
    """
    rows = np.empty((9, len(rotations), len(rotations[0])))  # each entry's frames lie together
    for i, R in enumerate(rotations):
        rows[:, i] = R.reshape(-1, 9).T
    entries = rows.reshape(3, 3, *rows.shape[1:])
    trace = entries[0, 0] + entries[1, 1] + entries[2, 2]
    squares = np.empty((4, *trace.shape))  # 4 q_m²
    squares[0] = 1 + trace
    for m in range(3):
        squares[m + 1] = 1 + 2 * entries[m, m] - trace
    q = np.empty_like(squares)
    for i, largest in enumerate(np.argmax(squares, axis=0)):
        counts = np.bincount(largest, minlength=4).tolist()
        for m in (m for m in range(4) if counts[m]):
            at = slice(None) if counts[m] == len(largest) else np.flatnonzero(largest == m)  # mostly all
            q[:, i, at] = _products(entries[:, :, i, at], squares[m, i, at], m)
    q /= np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    known = np.isfinite(q[0])
    if known.all():
        return _continuous(q)
    for i, seen in enumerate(known):  # each follows the last one known
        q[:, i, seen] = _continuous(q[:, i, seen])
    return q


def _continuous(q: Array) -> Array:
    """(4, …, frames) quaternions with one sign for a whole trial."""
    turns_over = np.empty(q.shape[1:], dtype=bool)
    turns_over[..., :1] = q[0, ..., :1] < 0
    turns_over[..., 1:] = np.einsum("k...,k...->...", q[..., 1:], q[..., :-1]) < 0
    return np.asarray(q * np.cumprod(np.where(turns_over, -1.0, 1.0), axis=-1)) if turns_over.any() else q


def _products(entries: Array, square: Array, m: int) -> Array:
    """(4, frames) 4 q_m q_n for each n, of the entries (3, 3, frames) of rotations and of 4 q_m²."""
    made = np.empty((4, len(square)))
    for n in range(4):
        a, b = sorted((m, n))
        if a == b:
            made[n] = square
        elif a == 0:  # of the skew part
            u, v = (b + 1) % 3, b % 3
            made[n] = entries[u, v] - entries[v, u]
        else:
            made[n] = entries[a - 1, b - 1] + entries[b - 1, a - 1]
    return made


def wrapped(angle: A, turn: float = 2 * np.pi) -> A:
    """The same angle within half a turn of 0."""
    within: A = angle - turn * np.round(angle / turn)
    return within


def dihedral(start: Array, end: Array, about: Array) -> Array:
    """(frames,) angle, rad, from one vector to another, seen along a third; of (frames, 3) arrays.

    Of their parts square to it: atan2((u × w) · z, u · w), from −π to π.
    """
    z = unit(about)
    u = start - dot(start, z)[..., None] * z
    w = end - dot(end, z)[..., None] * z
    return np.asarray(np.arctan2(dot(cross(u, w), z), dot(u, w)))


def angle_between(start: Array, end: Array) -> Array:
    """(frames,) angle between two vectors, rad, from 0 to π; of (frames, 3) arrays."""
    return np.asarray(np.arctan2(norm(cross(start, end)), dot(start, end)))
