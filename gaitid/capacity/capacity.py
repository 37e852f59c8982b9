"""What accelerations each leg's torques could produce in each posture of a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.analysis.result import Result
from gaitid.body.direction import progression
from gaitid.body.feet import foot_tracks
from gaitid.body.frames import Geometry
from gaitid.capacity.ellipsoids import (
    Ellipsoid,
    acceleration_map,
    acceleration_polytope,
    dynamic_force_ellipsoid,
    dynamic_velocity_ellipsoid,
    gravity_bias,
    inertia_ellipsoid,
    largest_acceleration,
    manipulability_ellipsoid,
    manipulability_measure,
    velocity_ellipsoid,
)
from gaitid.capacity.leg_dynamics import LegDynamics, freedoms_of, leg_dynamics
from gaitid.capacity.limits import Freedom, Limits
from gaitid.errors import GaitidError, TrialError, counted
from gaitid.ground.vertical import vertical
from gaitid.markers.clean import model_markers
from gaitid.numerics.masks import known_rows
from gaitid.trial import Array, IntArray, Mask

WAYS = ("forward", "backward", "up", "down", "lateral", "medial")


@dataclass(frozen=True, eq=False)
class LegCapacity:
    """One leg, from rest in each frame; NaN where the posture is unknown.

    Components are along the m axes of `Capacity.axes_g`. n counts the axes of `freedoms`; one that was held fixed
    for want of inertia has NaN in the inertia ellipsoid.

    Attributes
    ----------
    freedoms : tuple of Freedom
    dynamics : LegDynamics or None
        None where the leg was not recorded.
    gravity : (frames, m) array, m/s²
        Acceleration without torque, by gravity.
    motion : (frames, m) array, m/s²
        The same by the joints' velocities, J̇ q̇ − J M⁻¹ V; 0 from rest.
    kappa : (frames,) array, (kg·m)⁻ᵐ
    inertia : Ellipsoid
        n semi-axes, N·m for a joint acceleration of 1 rad/s² (kg·m²).
    manipulability : Ellipsoid
        m semi-axes, m/s²; its centre is gravity's acceleration with every torque in the middle of its range.
    volume : (frames,) array, (m/s²)ᵐ
        Of the polytope: 0 where it is flat.
    rank, extent : (frames,) arrays
        Dimensions of the polytope, and its volume, area or length in these.
    largest : mapping of way to (frames,) array, m/s²
        The largest component of acceleration in each of `WAYS`.
    velocity : Ellipsoid
        m semi-axes, m/s for joint velocities with ‖q̇‖ ≤ 1 rad/s; the forces that torques with ‖τ‖ ≤ 1 N·m hold
        lie along the same axes, N, one over the semi-axis each.
    dynamic_velocity : Ellipsoid
        m semi-axes, m/s for a kinetic energy of 1 J.
    dynamic_force : Ellipsoid
        m semi-axes, N: of the torques that `manipulability` is of, at what holds the point.
    """

    freedoms: tuple[Freedom, ...]
    dynamics: LegDynamics | None
    gravity: Array
    motion: Array
    kappa: Array
    inertia: Ellipsoid
    manipulability: Ellipsoid
    volume: Array
    rank: Array
    extent: Array
    largest: Mapping[str, Array]
    velocity: Ellipsoid
    dynamic_velocity: Ellipsoid
    dynamic_force: Ellipsoid


@dataclass(frozen=True, eq=False)
class Capacity:
    """A trial's capacity.

    Attributes
    ----------
    result : Result
    limits : Limits
    endpoint : str
    chosen : (frames,) bool array
        The frames that were asked for.
    axes : tuple of str
        Names of the m axes: ``x, y, z`` of the laboratory, or ``forward, up`` in the sagittal plane.
    axes_g : (m, 3) array
    ways_g : mapping of side to mapping of way to (3,) array
        Unit vectors, laboratory axes.
    sides : mapping of side to LegCapacity
    in_motion : bool
        Whether joint velocities are those of the trial, and not 0.
    warnings : tuple of str
    """

    result: Result
    limits: Limits
    endpoint: str
    chosen: Mask
    axes: tuple[str, ...]
    axes_g: Array
    ways_g: Mapping[str, Mapping[str, Array]]
    sides: Mapping[str, LegCapacity]
    warnings: tuple[str, ...]
    in_motion: bool = False


def find_capacity(  # noqa: PLR0913 - what is asked of a result, each by its name
    result: Result,
    limits: Limits,
    endpoint: str,
    chosen: Mask,
    sides: tuple[str, ...],
    sagittal: bool = False,
    plane: str = "",
    in_motion: bool = False,
) -> Capacity:
    """Ellipsoids and polytopes of the chosen frames and sides.

    Parameters
    ----------
    result : Result
    limits : Limits
    endpoint : str
        One of `gaitid.capacity.leg_dynamics.endpoints`.
    chosen : (frames,) bool array
    sides : tuple of str
    sagittal : bool
        Along forward and up only, whatever happens sideways.
    plane : str
        Two axes of the laboratory, as ``xz``: along these only. For an arm that moves in a plane.
    in_motion : bool
        With the trial's joint velocities, instead of from rest.

    Raises
    ------
    GaitidError
        An endpoint that the model does not have, or that no torque of the limits can accelerate, or axes that nothing
        in the segment parameters resists.
    """
    trial, model = result.trial, result.model
    ways_g = _ways(result, vertical(trial, model)[0])
    some_side = next(iter(ways_g.values()))
    if sagittal and not np.isfinite(some_side["forward"]).all():
        raise TrialError("--plane sagittal: the way forward is not known", todo="leave out --plane")
    axes_g = np.stack([some_side["forward"], some_side["up"]]) if sagittal else np.eye(3)
    if plane:
        axes_g = np.eye(3)[["xyz".index(letter) for letter in plane]]
    toes = foot_tracks(trial, model)
    freedoms = freedoms_of(limits, model, endpoint)
    warnings: list[str] = []
    limb = "leg" if model.touches_ground else "side"
    legs = {}
    for side in sides:
        toe_g = toes[side].toe_g if side in toes else np.full((trial.n_frames, 3), np.nan)
        dynamics, solid = leg_dynamics(result, side, limits, endpoint, toe_g, result.gravity_g, in_motion), chosen
        if dynamics is not None:
            dynamics, solid, fixed = _with_inertia(dynamics, side, limits)
            warnings += fixed
        legs[side] = _leg_capacity(dynamics, freedoms, axes_g, ways_g[side], chosen & solid)
        empty = int((chosen & solid & ~known_rows(legs[side].gravity)).sum())
        if empty:
            warnings.append(
                f"{side} {limb}: empty in {empty} of {counted(int(chosen.sum()), 'frame')}: the posture is not known"
            )
        if (legs[side].rank < len(axes_g)).any():
            warnings.append(
                f"{side} {limb}: these axes cannot accelerate the {endpoint} in every direction (rank column)"
            )
    if any(f.slides for f in freedoms):
        warnings.append(
            "joints that slide: κ, inertia, velocity and force ellipsoids, of N·m and N together, are empty"
        )
    axes = ("forward", "up") if sagittal else tuple(plane or "xyz")
    return Capacity(result, limits, endpoint, chosen, axes, axes_g, ways_g, legs, tuple(warnings), in_motion)


def _with_inertia(dynamics: LegDynamics, side: str, limits: Limits) -> tuple[LegDynamics, Mask, list[str]]:
    """The dynamics without the axes that nothing resists, the frames in which every motion is resisted, and warnings.

    Tables that give segments no inertia about their own length leave such axes, and with free joints at both ends of
    a segment its spin.
    """
    inert = dynamics.inert()
    if len(inert) == len(dynamics.freedoms):
        raise GaitidError(f"{limits.path}: the segment parameters give none of these axes any inertia")
    reason = "the segment parameters give it no inertia; it is taken as fixed"
    warnings = [f"{side} {dynamics.freedoms[i].words}: {reason}" for i in inert]
    dynamics = dynamics.without(inert)
    singular, together = dynamics.singular()
    if not singular.any():
        return dynamics, ~singular, warnings
    words = " with ".join(dynamics.freedoms[i].words for i in together)
    why = f"{side}: the segment parameters give {words} no inertia"
    if singular.sum() == dynamics.known.sum():
        raise GaitidError(f"{limits.path}: {why}", todo="leave one of these axes out, or give a table with inertia")
    return dynamics, ~singular, [*warnings, f"{why} in {counted(int(singular.sum()), 'frame')}: left empty"]


def _leg_capacity(
    dynamics: LegDynamics | None, freedoms: tuple[Freedom, ...], axes_g: Array, ways_g: Mapping[str, Array], mask: Mask
) -> LegCapacity:
    frames, n, m = len(mask), len(freedoms), len(axes_g)

    def empty(*shape: int) -> Array:
        return np.full((frames, *shape), np.nan)

    of_joints, *of_point = (Ellipsoid(empty(k), empty(k), empty(k, k)) for k in (n, m, m, m, m))
    largest, nothing = {way: empty() for way in WAYS}, (empty(), empty(), empty())
    capacity = LegCapacity(
        freedoms, dynamics, empty(m), empty(m), empty(), of_joints, of_point[0], *nothing, largest, *of_point[1:]
    )
    if dynamics is None:
        return capacity
    rows = np.flatnonzero(dynamics.known & mask)
    low, high = dynamics.low, dynamics.high
    M, G, J_g = dynamics.M[rows], dynamics.G[rows], dynamics.J[rows]
    J = axes_g @ J_g
    A = acceleration_map(J, M)
    capacity.gravity[rows] = gravity_bias(J, M, G)
    by_motion = dynamics.drift_g[rows] + gravity_bias(J_g, M, dynamics.V[rows])
    capacity.motion[rows] = by_motion @ axes_g.T
    bias = capacity.gravity[rows] + capacity.motion[rows]
    kept = [freedoms.index(f) for f in dynamics.freedoms]
    if not any(f.slides for f in dynamics.freedoms):  # a ball of N·m and N together has no meaning
        capacity.kappa[rows] = manipulability_measure(J, M)
        _put(capacity.inertia, inertia_ellipsoid(M), rows, kept)
        _put(capacity.velocity, velocity_ellipsoid(J), rows, list(range(m)))
    middle = bias + A @ ((low + high) / 2)
    ellipsoid = manipulability_ellipsoid(J, M, (high - low) / 2, middle)
    _put(capacity.manipulability, ellipsoid, rows, list(range(m)))
    _put(capacity.dynamic_velocity, dynamic_velocity_ellipsoid(J, M), rows, list(range(m)))
    _put(capacity.dynamic_force, dynamic_force_ellipsoid(J, M, (high - low) / 2, middle), rows, list(range(m)))
    for i, row in enumerate(rows):
        polytope = acceleration_polytope(A[i], low, high, bias[i])
        capacity.volume[row], capacity.rank[row], capacity.extent[row] = polytope.volume, polytope.rank, polytope.extent
    A_g, gravity_g = acceleration_map(J_g, M), gravity_bias(J_g, M, G) + by_motion
    for way, values in capacity.largest.items():
        values[rows] = largest_acceleration(A_g, low, high, gravity_g, ways_g[way])
    return capacity


def _put(into: Ellipsoid, values: Ellipsoid, rows: IntArray, kept: list[int]) -> None:
    """The values into these rows; semi-axes in front, components in their own places."""
    row, places, front = rows[:, None], np.array(kept), np.arange(len(kept))
    into.centre[row, places] = values.centre
    into.semi_axes[row, front] = values.semi_axes
    into.directions[row[..., None], places[:, None], front] = values.directions


def _ways(result: Result, up_g: Array) -> dict[str, dict[str, Array]]:
    """Forward as the subject walks, up, and away from the middle of the body; each with its opposite."""
    trial, model = result.trial, result.model
    forward = left = np.full(3, np.nan)
    if model.progression is not None:
        geometry = Geometry(model, model_markers(trial, model), result.subject.numbers, trial.n_frames, up_g)
        R_gp = progression(geometry, model.progression)[0]
        forward, left, _ = (R_gp[:, "xyz".index(letter)] for letter in model.progression.letters)
    ways_g = {}
    for side in model.sides:
        three = (forward, up_g, side.sign * left)
        both_ways = [sense * way + 0.0 for way in three for sense in (1, -1)]  # no negative zero
        ways_g[side.name] = dict(zip(WAYS, both_ways, strict=True))
    return ways_g
