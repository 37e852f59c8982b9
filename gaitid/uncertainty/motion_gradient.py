"""How each column follows from the motions of the segments, frame by frame, with poses and loads as they are.

Wrenches are linear in accelerations (Newton and Euler); powers and the gyroscopic term follow angular velocities. So a
few computations, each with one component of one segment moved, tell what any displacement makes by its derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.body.kinematics import SegmentMotion, spin_from_quaternion
from gaitid.body.poses import Key, Motion
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.computation import Computation
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.stacked import by_segment, in_frames

#: Steps of what columns are linear in, m/s² and rad/s², and of angular velocities, rad/s: whose square is lost.
_STEPS = {"acc_g": 1.0, "alpha_g": 1.0, "omega_g": 1e-5}


class _OfSegment(NamedTuple):
    """Which columns the motion of a segment moves, and (frames, columns, 9) by its acc, alpha and omega."""

    columns: IntArray
    by: Array


class MotionGradient:
    """Derivatives of the columns of a computation by the motions of segments.

    Parameters
    ----------
    computation : Computation
        Whose angular velocities are those of quaternions.
    """

    def __init__(self, computation: Computation) -> None:
        self._computation = computation
        body, motion, _ = computation.still
        self._rate_hz = computation.result.trial.rate_hz
        self._still = {key: in_frames(of, slice(None)) for key, of in by_segment(body, motion).items()}
        sides = {side: [key for key in self._still if key[0] == side] for side in ("", *computation.sides)}
        names = computation.names
        self._of: dict[Key, _OfSegment] = {}
        # a segment of each leg at once: a leg's columns follow its own segments, and the base
        legs = max((len(keys) for side, keys in sides.items() if side), default=0)
        at_once = [[body.base], *([sides[s][i] for s in computation.sides if i < len(sides[s])] for i in range(legs))]
        for keys in at_once:
            by = self._by(keys, motion)
            for key in keys:
                own = [not key[0] or name.startswith(f"{key[0]}_") for name in names]
                at = np.flatnonzero(own & np.any(np.nan_to_num(by) != 0, axis=(0, 2)))
                self._of[key] = _OfSegment(at, np.ascontiguousarray(by[:, at]))

    def _by(self, keys: list[Key], motion: Motion) -> Array:
        """(frames, columns, 9) by acc, alpha and omega of a segment of each side."""
        body, _, mass_kg = self._computation.still
        found = np.empty((*self._computation.unshifted.shape, 9))
        for k, (kind, step) in enumerate(_STEPS.items()):
            for axis in range(3):
                along = step * np.eye(3)[axis]
                moved = {
                    key: replace(self._still[key], **{kind: getattr(self._still[key], kind) + along}) for key in keys
                }
                by_side = {
                    side: {name: moved.get((side, name), of) for name, of in of_side.items()}
                    for side, of_side in motion.by_side.items()
                }
                other = Motion(moved.get(body.base, motion.base), by_side)
                self._computation.counted(1)
                shifted = self._computation.under_load(Shift(), body, other, mass_kg)
                columns = self._computation.columns_of(shifted, self._computation.result.subject.mass_kg)
                found[:, :, 3 * k + axis] = (columns - self._computation.unshifted) / step
        return found

    def by_displacement(self, motions: Mapping[Key, SegmentMotion], size_m: float) -> tuple[Array, Array]:
        """(frames, columns) derivatives by the first and the second derivative of a displacement.

        Of a displacement m(t) of markers that moves a centre of mass by C m and a quaternion by Q m, the acceleration
        moves by C'' m + 2 C' m' + C m'', and angular velocity and acceleration by what q' and q'' move by likewise.

        Parameters
        ----------
        motions : mapping of (side, segment) to SegmentMotion
            With the markers displaced by `size_m` all the time.
        size_m : float
        """
        first, second = (np.zeros(self._computation.unshifted.shape) for _ in range(2))
        keys = [key for key, of in self._of.items() if len(of.columns)]
        moves = np.empty((len(first), len(keys), 7))
        for i, key in enumerate(keys):
            still, moved = self._still[key], motions[key]
            same = np.where(np.einsum("fi,fi->f", still.q_gs, moved.q_gs) < 0, -1.0, 1.0)[:, None]
            moves[:, i, :4], moves[:, i, 4:] = same * moved.q_gs - still.q_gs, moved.com_g - still.com_g
        moves /= size_m
        rates = spline_derivatives(moves, self._rate_hz)[0]
        for i, key in enumerate(keys):
            q, of = self._still[key].q_gs, self._of[key]
            turn, dturn = (spin_from_quaternion(q, of_pose[:, i, :4]) for of_pose in (moves, rates))
            both = np.zeros((len(first), 9, 2))
            both[:, :3, 0], both[:, 3:6, 0], both[:, 6:, 0] = 2 * rates[:, i, 4:], 2 * dturn, turn
            both[:, :3, 1], both[:, 3:6, 1] = moves[:, i, 4:], turn
            found = of.by @ both
            first[:, of.columns] += found[:, :, 0]
            second[:, of.columns] += found[:, :, 1]
        return first, second
