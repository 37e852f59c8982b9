"""A joint as multibody programs define it: turns and shifts one after the other, each by a function of a coordinate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from gaitid.numerics.marker_sums import rotations
from gaitid.numerics.rotation import apply, cross, dot
from gaitid.records import NamedTuple
from gaitid.trial import Array

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
