"""A joint as multibody programs define it: turns and shifts one after the other, each by a function of a coordinate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from gaitid.numerics.rotation import apply, cross, dot
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# By number of axes: the frames to the end, and back.
_TO_END = ((), (0,), (1, 0), (1, 2, 0))
_BACK = ((), (0,), (1, 0), (2, 0, 1))


def zeros(n_frames: int, *shape: int) -> Array:
    return np.zeros((*shape, n_frames)).transpose(_BACK[len(shape) + 1])


def frames_last(values: Array) -> Array:
    """The same values in this order."""
    return np.ascontiguousarray(values.transpose(_TO_END[values.ndim])).transpose(_BACK[values.ndim])


def rows(values: Array, frames: IntArray) -> Array:
    """``values[frames]``"""
    return values.transpose(_TO_END[values.ndim]).take(frames, axis=-1).transpose(_BACK[values.ndim])


def put(values: Array, frames: IntArray, others: Array) -> None:
    """``values[frames] = others``"""
    values.transpose(_TO_END[values.ndim])[..., frames] = others.transpose(_TO_END[values.ndim])


def diagonal(M: Array) -> Array:
    """A view of the diagonals, (frames, n), to write into."""
    return np.asarray(np.einsum("fii->fi", M))


def product(A: Array, B: Array) -> Array:
    """``A @ B``"""
    return np.asarray(np.einsum("fij,fjk->fik", A, B))


def product_transposed(A: Array, B: Array) -> Array:
    """``A @ Bᵀ``"""
    return np.asarray(np.einsum("fij,fkj->fik", A, B))


def transposed_product(A: Array, B: Array) -> Array:
    """``Aᵀ @ B``"""
    return np.asarray(np.einsum("fji,fjk->fik", A, B))


def rotations(v: Array) -> Array:
    """Rotations about vectors by their lengths, rad: cos|v| 1 + sin|v|/|v| [v]× + (1 − cos|v|)/|v|² v vᵀ."""
    squared = np.einsum("fi,fi->f", v, v)
    angle = np.sqrt(squared)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    # of small ones the series: exact to 1e-18 where the quotients would lose digits
    first = np.where(small, 1 - squared / 6, np.sin(safe) / safe)
    second = np.where(small, 0.5 - squared / 24, (1 - np.cos(safe)) / safe**2)
    R: Array = np.asarray(np.einsum("fi,fj->fij", second[:, None] * v, v))
    sines, cosine = first[:, None] * v, 1 - second * squared
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        R[:, i, i] += cosine
        R[:, i, j] -= sines[:, k]
        R[:, j, i] += sines[:, k]
    return R


def inverse_3(M: Array) -> Array:
    """Inverses of symmetric 3 × 3 matrices, by cross products."""
    inverse = np.empty_like(M)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        for c, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
            if c < i:
                inverse[:, i, c] = inverse[:, c, i]
            else:
                np.subtract(M[:, j, a] * M[:, k, b], M[:, j, b] * M[:, k, a], out=inverse[:, i, c])
    determinant = np.einsum("fi,fi->f", M[:, 0], inverse[:, 0])
    inverse /= determinant[:, None, None]
    return inverse


def inverse_6(M: Array) -> Array:
    """Inverses of symmetric 6 × 6 matrices, by their quarters: of the last one first (Schur)."""
    A, B, C = M[:, :3, :3], M[:, :3, 3:], M[:, 3:, 3:]
    of_last = inverse_3(C)
    BC = product(B, of_last)
    first = inverse_3(A - product_transposed(BC, B))
    other = -product(first, BC)
    inverse = np.empty_like(M)
    inverse[:, :3, :3], inverse[:, :3, 3:] = first, other
    inverse[:, 3:, :3] = np.swapaxes(other, 1, 2)
    inverse[:, 3:, 3:] = of_last - transposed_product(BC, other)
    return inverse


class MarkerSums(NamedTuple):
    """Sums over the markers of a body in each frame, in memory as `frames_last`; p are measured places, x on the body.

    Attributes
    ----------
    weight : (frames,) array
        Σ w; 0 where no marker was seen.
    centre_s, centre_g : (frames, 3) arrays, m
        Σ w x / Σ w and Σ w p / Σ w; 0 where no marker was seen.
    cross : (frames, 3, 3) array, m²
        Σ w (p − p̄)(x − x̄)ᵀ.
    spread_s : (frames, 3, 3) array, m²
        Σ w (x − x̄)(x − x̄)ᵀ.
    size : (frames,) array, m²
        Σ w (|p − p̄|² + |x − x̄|²).
    """

    weight: Array
    centre_s: Array
    centre_g: Array
    cross: Array
    spread_s: Array
    size: Array

    def only(self, frames: IntArray) -> MarkerSums:
        """Those of some frames."""
        return MarkerSums(*(rows(values, frames) for values in self))

    def misfit(self, R: Array, origin: Array) -> Array:
        """(frames,) Σ w |p − (o + R x)|², m², of a pose.

        Written by differences from the centres, so that rounding is that of the body's size and not of the room's.
        """
        off = self.centre_g - origin - apply(R, self.centre_s)
        return np.asarray(
            self.weight * np.einsum("fi,fi->f", off, off) + self.size - 2 * np.einsum("fij,fij->f", self.cross, R)
        )


def marker_sums(places: Array, points: Array, weights: Array) -> MarkerSums:
    """The sums of one body.

    Parameters
    ----------
    places : (n, 3) or (frames, n, 3) array, m
        On the body.
    points : (frames, n, 3) array, m
        NaN where one was not seen: it has no weight there.
    weights : (n,) array
    """
    points = frames_last(points)
    places = places if places.ndim == 2 else frames_last(places)
    seen: Mask = np.asarray(np.isfinite(points).all(axis=2))
    w = np.where(seen, weights, 0.0)
    weight = w.sum(axis=1)
    share = w / np.where(weight > 0, weight, 1.0)[:, None]
    known = np.where(seen[..., None], points, 0.0)
    over = "fn,ni->fi" if places.ndim == 2 else "fn,fni->fi"
    centre_s, centre_g = np.einsum(over, share, places), np.einsum("fn,fni->fi", share, known)
    x, p = places - centre_s[:, None], known - centre_g[:, None]
    wx = w[..., None] * x
    size = np.einsum("fni,fni->f", w[..., None] * p, p) + np.einsum("fni,fni->f", wx, x)
    return MarkerSums(
        weight, centre_s, centre_g, transposed_product(p, wx), transposed_product(x, wx), np.asarray(size)
    )


#: Of one joint at most.
COORDINATES = 3
#: A function of a coordinate: its values and its slopes, (n,) each.
Curve: TypeAlias = Callable[[Array], tuple[Array, Array]]
# Steps of `JointPath.nearest`: each squares what is off, and from 90° off seven reach rounding.
_STEPS = 12
# Of squared slopes of turning: a coordinate below this only shifts.
_NO_TURN = 1e-6


class Fixed(NamedTuple):
    """A frame that lies still in the one before: rotation (3, 3), whose columns are its axes, and origin (3,), m."""

    R: Array
    p: Array

    def then(self, other: Fixed) -> Fixed:
        """The other, told in what this one is told in."""
        return Fixed(self.R @ other.R, self.p + self.R @ other.p)

    @property
    def inverse(self) -> Fixed:
        """The frame before, told in this one."""
        return Fixed(self.R.T, -self.R.T @ self.p)


class Move(NamedTuple):
    """A turn about an axis of the frame before, or a shift along it, by a curve of a coordinate."""

    turns: bool
    axis: Array
    coordinate: int
    curve: Curve


class Posture(NamedTuple):
    """Where a joint puts the distal frame, in axes of the proximal one.

    Attributes
    ----------
    R : (n, 3, 3) array
    p : (n, 3) array, m
    twists : (n, 6, 3) array
        For a unit of each coordinate's rate the angular velocity, and the velocity of the point at the proximal origin.
    pivot : (n, 3) array, m
        Where its first turn is; where nothing turns, `p`.
    """

    R: Array
    p: Array
    twists: Array
    pivot: Array


class JointPath:
    """A joint of up to `COORDINATES` coordinates q.

    Parameters
    ----------
    steps : sequence of Fixed or Move
        From the proximal frame to the distal one.
    ranges : sequence of (float, float, float)
        Of each coordinate the value that it starts from, and between which it lies.

    Attributes
    ----------
    count : int
        Of its coordinates; those up to `COORDINATES` move nothing.
    neutral, low, high : (3,) arrays
    """

    def __init__(self, steps: Sequence[Fixed | Move], ranges: Sequence[tuple[float, float, float]]) -> None:
        self.steps, self.count = tuple(steps), len(ranges)
        unused = [(0.0, -np.inf, np.inf)] * (COORDINATES - self.count)
        self.neutral, self.low, self.high = np.array([*ranges, *unused]).T

    def at(self, q: Array) -> Posture:
        """Where values of the coordinates, (n, 3), put it."""
        n = len(q)
        R, p, pivot = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3)), None
        twists = np.zeros((n, 6, COORDINATES))
        for step in self.steps:
            if isinstance(step, Fixed):
                R, p = R @ step.R, p + R @ step.p
                continue
            amount, slope = (of[:, None] for of in step.curve(q[:, step.coordinate]))
            axis = apply(R, np.broadcast_to(step.axis, (n, 3)))
            twist = twists[:, :, step.coordinate]
            if step.turns:
                pivot = p if pivot is None else pivot
                twist[:, :3] += slope * axis
                twist[:, 3:] += slope * cross(p, axis)
                R = R @ rotations(amount * step.axis)
            else:
                twist[:, 3:] += slope * axis
                p = p + amount * axis
        return Posture(np.asarray(R), p, twists, p if pivot is None else pivot)

    def centre(self, q: Array) -> Array:
        """(n, 3) the joint's centre, m, in the proximal frame: on the axis that its first coordinate turns about now.

        Of the instantaneous screw axis the point nearest to the pivot, c + ω × v / ω², with v the velocity of the pivot
        c. The moment about it along ω is the coordinate's generalised force where the screw has no pitch (of a knee
        whose tibia slides as it bends, too).
        """
        posture = self.at(q)
        turning = np.square(posture.twists[:, :3]).sum(axis=1).max(axis=0, initial=0.0) > _NO_TURN
        if not turning.any():
            return posture.pivot
        first = posture.twists[:, :, int(turning.argmax())]
        omega, v = first[:, :3], first[:, 3:] + cross(first[:, :3], posture.pivot)
        return np.asarray(posture.pivot + cross(omega, v) / dot(omega, omega)[:, None])

    def nearest(self, R: Array) -> Array:
        """(n, 3) values with which the joint turns as near as it can to rotations, (n, 3, 3)."""
        q = np.tile(self.neutral, (len(R), 1))
        for _ in range(_STEPS):
            posture = self.at(q)
            J = posture.twists[:, :3]
            off = 0.5 * sum(cross(posture.R[..., i], R[..., i]) for i in range(3))
            normal = np.swapaxes(J, 1, 2) @ J + 1e-9 * np.eye(COORDINATES)
            step = np.linalg.solve(normal, np.swapaxes(J, 1, 2) @ np.asarray(off)[..., None])[..., 0]
            q = np.clip(q + step, self.low, self.high)
        return q


# --- functions of a coordinate ----------------------------------------------------------------------------------------


def polynomial(coefficients: Sequence[float]) -> Curve:
    """Highest power first; a constant is one of a single coefficient, a line of two."""
    value = np.array(coefficients, dtype=float)
    slope = np.polyder(value)

    def curve(q: Array) -> tuple[Array, Array]:
        return np.asarray(np.polyval(value, q), dtype=float), np.asarray(np.polyval(slope, q), dtype=float)

    return curve


def broken_line(x: Array, y: Array) -> Curve:
    """Straight between the points and beyond the ends."""
    return _pieces(x, np.stack([0 * y[1:], 0 * y[1:], np.diff(y) / np.diff(x), y[:-1]]))


def cubic_spline(x: Array, y: Array) -> Curve:
    """OpenSim's SimmSpline: its third derivative at each end is that of the cubic through the four points there.

    Forsythe GE, Malcolm MA, Moler CB (1977) Computer Methods for Mathematical Computations, SPLINE. Of fewer points
    that derivative is 0. Beyond its ends it goes on as a straight line.
    """
    n, h = len(x), np.diff(x)
    d = np.diff(y) / h
    A, b = np.zeros((n, n)), np.zeros(n)  # the unknowns are second derivatives / 6
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = d[i] - d[i - 1]
    A[0, :2], A[-1, -2:] = (-h[0], h[0]), (h[-1], -h[-1])
    if n > 3:
        second = np.diff(d) / (x[2:] - x[:-2])
        third = np.diff(second) / (x[3:] - x[:-3])
        b[0], b[-1] = h[0] ** 2 * third[0], -(h[-1] ** 2) * third[-1]
    elif n == 2:
        return broken_line(x, y)
    s = np.linalg.solve(A, b)
    return _pieces(x, np.stack([np.diff(s) / h, 3 * s[:-1], d - h * (2 * s[:-1] + s[1:]), y[:-1]]))


def _pieces(x: Array, cubics: Array) -> Curve:
    """Cubics, (4, pieces), highest power first, each from the start of its piece; straight beyond the ends."""

    def curve(q: Array) -> tuple[Array, Array]:
        inside = np.clip(q, x[0], x[-1])
        piece = np.clip(np.searchsorted(x, inside, side="right") - 1, 0, len(x) - 2)
        (a, b, c, e), t = cubics[:, piece], inside - x[piece]
        slope = (3 * a * t + 2 * b) * t + c
        return ((a * t + b) * t + c) * t + e + (q - inside) * slope, slope

    return curve


def scaled(factor: float, curve: Curve) -> Curve:
    """A curve times a factor."""

    def times(q: Array) -> tuple[Array, Array]:
        value, slope = curve(q)
        return factor * value, factor * slope

    return times
