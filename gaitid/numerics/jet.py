"""Jets: values together with their exact time derivatives, so that no finite difference is ever needed.

A jet of order n holds a quantity and its first n derivatives with respect to time at every instant asked
for. Sums, products (Leibniz) and sines of jets are jets again, to rounding. The skeleton of a simulated walk
is built from sines of time by such operations alone, so its velocities and accelerations are exact; so are the
derivatives of a mechanism's constraints. The analysis of trials uses none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Jet:
    """A quantity and its time derivatives.

    Attributes
    ----------
    d : (order + 1, ...) array
        ``d[k]`` is the k-th time derivative; the remaining axes are those of the quantity, time first:
        (times,) for a scalar, (times, 3) for a vector, (times, 3, 3) for a matrix.
    """

    d: Array

    @property
    def order(self) -> int:
        """The number of derivatives that are known."""
        return int(self.d.shape[0]) - 1

    @property
    def value(self) -> Array:
        """The quantity itself."""
        value: Array = self.d[0]
        return value

    def derivative(self) -> Jet:
        """The jet of the time derivative, one order less."""
        if self.order < 1:
            raise ValueError("a jet of order 0 has no derivative")
        return Jet(self.d[1:])

    def column(self, index: int) -> Jet:
        """The jet of one column of a (times, 3, 3) matrix, or one component of a (times, 3) vector."""
        return Jet(self.d[..., index])

    def __add__(self, other: Jet | ArrayLike) -> Jet:
        if isinstance(other, Jet):
            n = min(self.order, other.order) + 1
            return Jet(self.d[:n] + other.d[:n])
        constant_part = np.asarray(other, dtype=np.float64)
        shape = np.broadcast_shapes(self.d.shape[1:], constant_part.shape)
        d = np.array(np.broadcast_to(self.d, (self.d.shape[0], *shape)))
        d[0] += constant_part
        return Jet(d)

    def __neg__(self) -> Jet:
        return Jet(-self.d)

    def __sub__(self, other: Jet | ArrayLike) -> Jet:
        return self + (-other if isinstance(other, Jet) else -np.asarray(other, dtype=np.float64))

    def __mul__(self, other: Jet | ArrayLike) -> Jet:
        """Element by element; a constant factor must broadcast against the quantity (time first)."""
        if isinstance(other, Jet):
            return bilinear(np.multiply, self, other)
        return Jet(self.d * np.asarray(other, dtype=np.float64))

    __radd__ = __add__
    __rmul__ = __mul__


def constant(value: ArrayLike, order: int) -> Jet:
    """The jet of something that does not change."""
    array = np.asarray(value, dtype=np.float64)
    d = np.zeros((order + 1, *array.shape))
    d[0] = array
    return Jet(d)


def time_jet(times_s: ArrayLike, order: int) -> Jet:
    """The jet of time itself: (times,) seconds, slope one."""
    t = np.asarray(times_s, dtype=np.float64)
    d = np.zeros((order + 1, *t.shape))
    d[0] = t
    if order > 0:
        d[1] = 1.0
    return Jet(d)


def bilinear(product: Callable[[Array, Array], Array], a: Jet, b: Jet) -> Jet:
    """Leibniz's rule for any product that is linear in both factors."""
    n = min(a.order, b.order)
    # (a ∘ b)^(k) = Σ_i C(k, i) a^(i) ∘ b^(k−i)
    rows = [
        sum((comb(k, i) * product(a.d[i], b.d[k - i]) for i in range(1, k + 1)), product(a.d[0], b.d[k]))
        for k in range(n + 1)
    ]
    return Jet(np.stack(rows))


def reciprocal(a: Jet) -> Jet:
    """1/a, element by element."""
    rows = [1.0 / a.value]
    for k in range(1, a.order + 1):
        # (a · 1/a)^(k) = 0
        rows.append(-rows[0] * sum(comb(k, i) * a.d[i] * rows[k - i] for i in range(1, k + 1)))
    return Jet(np.stack(rows))


def sin_cos(angle: Jet) -> tuple[Jet, Jet]:
    """Sine and cosine of a jet in radians."""
    s, c = [np.sin(angle.value)], [np.cos(angle.value)]
    for k in range(1, angle.order + 1):
        # s' = c u' and c' = −s u', differentiated k − 1 times
        terms = [(comb(k - 1, i), i, angle.d[k - i]) for i in range(k)]
        s_k = sum((w * c[i] * u for w, i, u in terms), np.zeros_like(s[0]))
        c_k = sum((-w * s[i] * u for w, i, u in terms), np.zeros_like(s[0]))
        s.append(s_k)
        c.append(c_k)
    return Jet(np.stack(s)), Jet(np.stack(c))


def matmul(a: Jet, b: Jet) -> Jet:
    """Product of two (times, 3, 3) matrices."""
    return bilinear(np.matmul, a, b)


def apply(matrix: Jet, vector: Jet | ArrayLike) -> Jet:
    """A (times, 3, 3) matrix applied to a (times, 3) vector, or to a constant (3,) vector."""
    if isinstance(vector, Jet):
        return bilinear(lambda m, v: np.einsum("...ij,...j->...i", m, v), matrix, vector)
    return Jet(np.einsum("...ij,j->...i", matrix.d, np.asarray(vector, dtype=np.float64)))


def times_constant(matrix: Jet, other: ArrayLike) -> Jet:
    """A (times, 3, 3) matrix times a constant (3, 3) one."""
    return Jet(matrix.d @ np.asarray(other, dtype=np.float64))


def transpose(matrix: Jet) -> Jet:
    """Transpose of a (times, 3, 3) matrix."""
    return Jet(np.swapaxes(matrix.d, -1, -2))


def cross(a: Jet, b: Jet) -> Jet:
    """Cross product of two (times, 3) vectors."""
    return bilinear(np.cross, a, b)


def stack(parts: Sequence[Jet]) -> Jet:
    """Scalar jets (times,) as the components of one vector jet (times, n)."""
    return Jet(np.stack([part.d for part in parts], axis=-1))


def turn(axis: int, angle: Jet) -> Jet:
    """Rotation matrices (times, 3, 3) about x (0), y (1) or z (2) by a jet in radians."""
    s, c = sin_cos(angle)
    d = np.zeros((*angle.d.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    d[0, ..., axis, axis] = 1.0
    d[..., i, i] = c.d
    d[..., j, j] = c.d
    d[..., i, j] = -s.d
    d[..., j, i] = s.d
    return Jet(d)


def turn_about(axis: ArrayLike, angle: Jet) -> Jet:
    """Rotation matrices (times, 3, 3) about a unit vector (3,) by a jet in radians: 1 + sin θ K + (1 − cos θ) K²."""
    x, y, z = np.asarray(axis, dtype=np.float64)
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = sin_cos(angle)
    return Jet(s.d[..., None, None] * k + (c * -1.0 + 1.0).d[..., None, None] * (k @ k)) + np.eye(3)


def turn_matrix(axis: int, angle_rad: float) -> Array:
    """One constant rotation matrix (3, 3) about x (0), y (1) or z (2)."""
    return turn(axis, constant(angle_rad, 0)).value


def angular_velocity(rotation: Jet) -> Jet:
    """Angular velocity (times, 3) in global axes, rad/s, of a segment → global rotation; one order less."""
    # Ṙ Rᵀ = [ω×]
    spin = matmul(rotation.derivative(), transpose(rotation))
    return Jet(
        0.5
        * np.stack(
            [
                spin.d[..., 2, 1] - spin.d[..., 1, 2],
                spin.d[..., 0, 2] - spin.d[..., 2, 0],
                spin.d[..., 1, 0] - spin.d[..., 0, 1],
            ],
            axis=-1,
        )
    )
