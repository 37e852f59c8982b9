"""Poses -> angular velocities, accelerations, joint angles."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from gaitid.body.joints import Pose
from gaitid.model import specs
from gaitid.model.expression import Expression
from gaitid.numerics.masks import mark_ends
from gaitid.numerics.rotation import apply, apply_transposed, cardan, cross, quaternions, quaternions_of_each, unit
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, frozen, read_only

K = TypeVar("K", bound=Hashable)
_ARRAYS = ("R_gs", "com_g", "vel_g", "acc_g", "omega_g", "alpha_g")


@frozen_dataclass(eq=False)
class SegmentMotion:
    """How one segment moves; everything in laboratory axes.

    Attributes
    ----------
    R_gs : (frames, 3, 3) array
    com_g : (frames, 3) array, m
    vel_g, acc_g : (frames, 3) arrays, m/s and m/s²
        Of the centre of mass.
    omega_g, alpha_g : (frames, 3) arrays, rad/s and rad/s²
    """

    R_gs: Array
    com_g: Array
    vel_g: Array
    acc_g: Array
    omega_g: Array
    alpha_g: Array

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def q_gs(self) -> Array:
        """(frames, 4) unit quaternion (w, x, y, z), segment to laboratory: computed when asked for, which few do."""
        return frozen(quaternions(self.R_gs))

    def at(self, frames: IntArray) -> SegmentMotion:
        """The same in some frames."""
        return SegmentMotion(*(frozen(getattr(self, name).take(frames, axis=0)) for name in _ARRAYS))

    def only(self, known: Mask, moves: Mask | None = None) -> SegmentMotion:
        """The same with every frame unknown that is not among `known`, (frames,) bool; derivatives also where it is not
        among `moves`."""
        moves = known if moves is None else known & moves
        derivatives = (only(getattr(self, name), moves) for name in _ARRAYS[2:])
        return SegmentMotion(only(self.R_gs, known), only(self.com_g, known), *derivatives)

    def during(self, frames: slice) -> SegmentMotion:
        """The same in some frames."""
        return SegmentMotion(*(frozen(getattr(self, name)[frames].copy()) for name in _ARRAYS))


def joined_motion(*parts: SegmentMotion) -> SegmentMotion:
    """How a segment moves in successive frames, together."""
    if len(parts) == 1:
        return parts[0]
    return SegmentMotion(*(frozen(np.concatenate([getattr(part, name) for part in parts])) for name in _ARRAYS))


def only(values: Array, known: Mask) -> Array:
    """The values with every frame unknown that is not among `known`."""
    return values if known.all() else frozen(np.where(known.reshape(-1, *[1] * (values.ndim - 1)), values, np.nan))


def segment_motions(
    parts: Mapping[K, tuple[Pose, Array]], rate_hz: float, settings: specs.Settings
) -> dict[K, SegmentMotion]:
    """Derivatives of several segments' poses at once; the ends of each gap-free span are left empty.

    Parameters
    ----------
    parts : mapping of segment to (Pose, (frames, 3) array)
        Pose and centre of mass, m, laboratory axes.
    rate_hz : float
    settings : Settings
        `angular_velocity`, `end_frames`.
    """
    derived = spline_derivatives(np.stack([com for _, com in parts.values()], axis=1), rate_hz)
    vel, acc = (_without_ends(values, settings.end_frames) for values in derived)
    spins = _spins([pose.R_gs for pose, _ in parts.values()], rate_hz, settings)
    return {
        key: SegmentMotion(pose.R_gs, com, of_vel, of_acc, *spin)
        for (key, (pose, com)), of_vel, of_acc, spin in zip(parts.items(), vel, acc, spins, strict=True)
    }


def _spins(poses: Sequence[Array], rate_hz: float, settings: specs.Settings) -> Iterable[tuple[Array, Array]]:
    """Angular velocity and acceleration of several segments with these axes."""
    if settings.angular_velocity == "single_entries":
        return [single_entry_derivatives(R, rate_hz) for R in poses]
    q = quaternions_of_each(poses).T
    omega, alpha = (spin_from_quaternion(q, of_q) for of_q in spline_derivatives(q, rate_hz))
    ends = settings.end_frames
    return zip(_without_ends(omega, ends), _without_ends(alpha, ends), strict=True)


# Frames on either side of those whose derivatives are wanted. The spline leaves 0.4306 of an end's influence with each
# frame, 1e-16 after 44; and counted from the first frame in whole blocks of the spline, its sums are those of the whole
# trial, to the last bit.
_MARGIN = 128


def with_margin(frames: slice, n_frames: int) -> tuple[slice, slice]:
    """The frames that tell the derivatives in some frames, and where these are among them."""
    start = max(frames.start - _MARGIN, 0)
    return slice(start, min(frames.stop + _MARGIN, n_frames)), slice(frames.start - start, frames.stop - start)


def _without_ends(values: Array, n: int) -> list[Array]:
    """Of (frames, segments, 3) values those of each segment, without the first and last `n` frames of each span."""
    if not np.isfinite(values).all():
        of_each = [mark_ends(values[:, i], n) for i in range(values.shape[1])]
    else:
        of_each = [values[:, i].copy() for i in range(values.shape[1])]
        for of in of_each:
            of[:n] = of[max(len(of) - n, 0) :] = np.nan
    return [frozen(of) for of in of_each]


def spin_from_quaternion(q: Array, p: Array) -> Array:
    """2 × the vector part of p q*, (frames, …, 3), with q* = (w, −v): ω from p = q̇, α from p = q̈.

    ω = 2 q̇ q*, α = 2 q̈ q* (vector parts; Shuster 1993, J Astronaut Sci 41:439-517, eqs. 302-306: the other term of
    the derivative, 2 q̇ q̇*, is a scalar). A spline of q is linear in q, so turning the laboratory turns ω and α.
    """
    (q0, *v), (p0, *u) = (np.ascontiguousarray(of.T) for of in (q, p))  # the numbers of a component lie together
    spin = np.empty((3, *q0.shape))
    for i in range(3):
        of_cross = u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2]
        spin[i] = 2 * (-p0 * v[i] + q0 * u[i] - of_cross)
    return np.ascontiguousarray(spin.T)


def single_entry_derivatives(R: Array, rate_hz: float) -> tuple[Array, Array]:
    """Plug-in Gait's angular velocity and acceleration (``pig_vicon`` only).

    With D = R(t−2)ᵀ R(t+2), the local angular velocity is (D₂₁, D₀₂, D₁₀)/(4 Δt): single entries, not the skew
    part; the acceleration is the difference of the global velocity over four frames again (docs/method.md).
    """
    n = len(R)
    omega, alpha = np.full((n, 3), np.nan), np.full((n, 3), np.nan)
    if n >= 5:
        D = np.einsum("tji,tjk->tik", R[:-4], R[4:])
        local = np.stack([D[:, 2, 1], D[:, 0, 2], D[:, 1, 0]], axis=-1) * (rate_hz / 4)
        omega[2:-2] = apply(R[2:-2], local)
        alpha[2:-2] = (omega[4:] - omega[:-4]) * (rate_hz / 4)
    return omega, alpha


def clinical_angles(
    proximal: Array, distal: Array, angle: specs.Angle, sign: float, passes: Sequence[slice] = ()
) -> Mapping[str, Array]:
    """The columns of one joint's angles.

    Parameters
    ----------
    proximal, distal : (frames, 3, 3) arrays
    angle : Angle
    sign : float
        Of the side.
    passes : sequence of slice, optional
        The frames of each walk of a recording that holds several.

    Returns
    -------
    dict of name to (frames,) array, deg
    """
    D = np.swapaxes(proximal, -1, -2) @ distal
    a, b, c = (np.degrees(x) for x in cardan(D, angle.sequence))
    starts = [later.start for later in passes[1:]]
    a, c = (np.concatenate([*map(continuous, np.split(of, starts))]) if starts else continuous(of) for of in (a, c))
    local = {"a": a, "b": b, "c": c, "sign": sign}
    return _columns(angle.columns, local, len(a))


def continuous(angle: Array) -> Array:
    """An angle, deg, through the wraps of its arc tangent: each known frame the nearest turn to the one before.

    The first known frame keeps its value, in (−180, 180].
    """
    if not np.fmax.reduce(angle, initial=-np.inf) - np.fmin.reduce(angle, initial=np.inf) > 180.0:
        return angle  # no two frames are half a turn apart
    known = np.isfinite(angle)
    turns = np.round(np.diff(angle[known]) / 360.0)
    if not turns.any():
        return angle
    unwrapped = angle.copy()
    unwrapped[known] -= 360.0 * np.concatenate([[0.0], np.cumsum(turns)])
    return unwrapped


def clinical_moments(moment_g: Array, axes: Array, moment: specs.Moment, sign: float) -> Mapping[str, Array]:
    """The columns of one joint's moments, in the unit of `moment_g`.

    Parameters
    ----------
    moment_g : (frames, 3) array
        Of the proximal on the distal segment about the joint centre.
    axes : (frames, 3, 3) array
        Of the frame in which they are expressed.
    """
    # each by itself: a column that is one of them holds nothing of the others
    x, y, z = (column.copy() for column in apply_transposed(axes, moment_g).T)
    return _columns(moment.columns, {"x": x, "y": y, "z": z, "sign": sign}, len(x))


def _columns(formulas: Mapping[str, Expression], local: Mapping[str, object], n_frames: int) -> Mapping[str, Array]:
    """(frames,) values of each formula in the `local` names."""

    def no_points(a: str, b: str) -> Array:
        raise KeyError(f"{a}, {b}: distances are not known here")

    values = {name: formula.evaluate(local.__getitem__, no_points) for name, formula in formulas.items()}
    return {
        name: frozen(of if np.ndim(of) else np.broadcast_to(of, (n_frames,)))  # a number stands for all frames
        for name, of in values.items()
    }


def dual_basis(axes: Array) -> Array:
    """The dual of axes that need not be square: vectors whose projections are the components that add up.

    With the axes e_i as columns of E and m = Σ m_i e_i, the components are E⁻¹ m: projections on the columns of E⁻ᵀ.
    The power of a moment is Σ (m · e_i) times the rate of the angle about e_i, so projections belong to the angles;
    components by the dual basis are those that add up to the moment (O'Reilly OM, Sena MP, Feeley BT, Lotz JC 2013,
    J Biomech Eng 135:114504).

    Parameters
    ----------
    axes : (frames, 3, 3) array
        Columns are unit vectors.

    Returns
    -------
    (frames, 3, 3) array
        NaN where two axes coincide.
    """
    known = np.isfinite(axes).all(axis=(-2, -1)) & (np.abs(np.linalg.det(np.nan_to_num(axes))) > _COINCIDE)
    dual = np.full(axes.shape, np.nan)
    dual[known] = np.swapaxes(np.linalg.inv(axes[known]), -1, -2)
    return dual


# Of the determinant of three unit vectors; at a hundred times rounding components have lost all digits.
_COINCIDE = 1e-12


def joint_axes(proximal: Array, distal: Array, sequence: str) -> Array:
    """The joint coordinate system's axes (Grood & Suntay 1983), ordered x, y, z by their letters in the sequence.

    The first axis of the sequence is fixed in the proximal frame, the last in the distal one; the middle one
    floats, square to both. They are not orthogonal: a vector's components here are projections on unit axes.

    Parameters
    ----------
    proximal, distal : (frames, 3, 3) arrays
    sequence : str

    Returns
    -------
    (frames, 3, 3) array
        Columns x, y, z: unit vectors in laboratory axes.
    """
    i, j, k = ("xyz".index(letter) for letter in sequence)
    first, last = proximal[..., i], distal[..., k]
    # R_i(a) R_j(b) R_k(c): the second axis is ± last × first, + where (k, i, j) is cyclic
    floating = unit(cross(last, first)) * (1.0 if (i - k) % 3 == 1 else -1.0)
    axes = np.empty(proximal.shape)
    axes[..., i], axes[..., j], axes[..., k] = first, floating, last
    return axes


class JointFrames(Mapping[str, Array]):
    """The axes in which a joint's wrench can be expressed, by name: (frames, 3, 3) each, columns in laboratory axes.

    Those of the joint itself, ``jcs``, are computed whenever they are asked for: of a long trial they would lie idle.

    Parameters
    ----------
    proximal, distal : (frames, 3, 3) arrays
        Of the segments.
    angle_frames : pair of (frames, 3, 3) arrays
        The frames, proximal and distal, in which the joint's angles are told.
    sequence : str
        Of these angles.
    """

    def __init__(self, proximal: Array, distal: Array, angle_frames: tuple[Array, Array], sequence: str) -> None:
        self._of_segments = {"proximal": proximal, "distal": distal}
        self._angle_frames, self._sequence = angle_frames, sequence

    def __getitem__(self, name: str) -> Array:
        return joint_axes(*self._angle_frames, self._sequence) if name == "jcs" else self._of_segments[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._of_segments, "jcs"))

    def __len__(self) -> int:
        return len(self._of_segments) + 1
