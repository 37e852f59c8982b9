"""Forward dynamics: the accelerations that torques cause, and the motion that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from gaitid.dynamics.friction import Friction
from gaitid.dynamics.joint_space import Load, TreeMotion, energy, generalised_inertia, joint_loads, motion
from gaitid.dynamics.joint_tree import JointTree
from gaitid.errors import GaitidError, ModelError
from gaitid.numerics.rotation import cross, dot
from gaitid.trial import Array, read_only

#: torque(t, q, qd) -> (n,) array, N·m or N
Torque = Callable[[float, Array, Array], Array]

# Smallest eigenvalue of M with its diagonal scaled to 1: below this q̈ has no more than three digits left.
_SINGULAR = 1e-13
# Evaluations of the right-hand side after which an integration is given up: in a second of simulated time, and at
# least. The bundled systems need 280 to 4200 in a second, and each takes about 0.3 ms.
EVALUATIONS_PER_S, LEAST_EVALUATIONS = 20_000, 200_000


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion that was integrated, at the times asked for.

    Attributes
    ----------
    times_s : (frames,) array
    q, qd, qdd : (frames, n) arrays, rad or m, and per s and s²
    tau : (frames, n) array, N·m or N
        Applied at the joints.
    kinetic_J, potential_J : (frames,) arrays
    energy_drift : float
        Largest |E(t) − E(0) − W(t)| over the largest kinetic energy plus the range of the potential, W being the work
        of torques, friction and loads, integrated along.
    evaluations : int
        Of the right-hand side.
    """

    times_s: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    kinetic_J: Array
    potential_J: Array
    energy_drift: float
    evaluations: int

    def __post_init__(self) -> None:
        for name in ("times_s", "q", "qd", "qdd", "tau", "kinetic_J", "potential_J"):
            object.__setattr__(self, name, read_only(getattr(self, name)))


def _no_loads(time_s: float) -> Sequence[Load]:
    return ()


@dataclass(frozen=True, eq=False)
class Environment:
    """What acts on a tree that moves, besides what is applied at its joints.

    Attributes
    ----------
    gravity_g : (3,) array, m/s²
    friction : Friction or None
        Coulomb friction with an exact sign makes the integrator crawl where a joint stops: smooth it.
    loads : callable
        loads(t) -> sequence of Load.
    """

    gravity_g: Array
    friction: Friction | None = None
    loads: Callable[[float], Sequence[Load]] = _no_loads


def forward(
    tree: JointTree,
    q: Array,
    qd: Array,
    tau: Array,
    gravity_g: Array,
    friction: Friction | None = None,
    loads: Sequence[Load] = (),
) -> Array:
    """Accelerations q̈ = M⁻¹ (τ − V − G − F + Jᵀ E), (…, n), rad/s² or m/s².

    Walker & Orin (1982), J Dyn Syst Meas Control 104:205-211, method 3: the bias terms by one inverse dynamics with
    q̈ = 0, M by composite rigid bodies.

    Parameters
    ----------
    tree : JointTree
    q, qd : (…, n) arrays
    tau : (…, n) array, N·m or N
    gravity_g : (3,) array, m/s²
    friction : Friction, optional
    loads : sequence of Load
        External actions E.

    Raises
    ------
    ModelError
        M is singular: some joint moves nothing (two axes of a spherical joint in line, say).
    """
    driving = tau if friction is None else tau - friction.torque(qd)
    return _accelerations(tree, motion(tree, q, qd), driving, gravity_g, loads)


def _accelerations(
    tree: JointTree, moved: TreeMotion, driving: Array, gravity_g: Array, loads: Sequence[Load]
) -> Array:
    """M⁻¹ (τ − F − (V + G − Jᵀ E)) for a motion with q̈ = 0 that is known already; `driving` is τ − F."""
    M = generalised_inertia(tree, moved)
    _refuse_singular(tree, M)
    rest = driving - joint_loads(tree, moved, gravity_g, loads)[0]
    return np.asarray(np.linalg.solve(M, rest[..., None])[..., 0])


def _refuse_singular(tree: JointTree, M: Array) -> None:
    n = len(tree)
    known = M.reshape(-1, n, n)[np.isfinite(M).all(axis=(-1, -2)).reshape(-1)]
    diagonal = np.einsum("...ii->...i", known)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(known / (scale[:, :, None] * scale[:, None, :]))
    bad = np.flatnonzero(values[:, 0] < _SINGULAR)
    if bad.size:
        joint = int(np.argmax(np.abs(vectors[bad[0], :, 0])))
        raise ModelError(
            f"the joint of body {tree.bodies[joint].name} moves no inertia of its own, so that its acceleration is "
            "not determined",
            expected="a positive definite generalised inertia",
            found=f"smallest scaled eigenvalue {values[bad[0], 0]:.3g}",
            todo="look for massless ends and for axes of a joint that are in line",
        )


def _power(moved: TreeMotion, loads: Sequence[Load]) -> float:
    """The power of the loads, W: f · v + m · ω at their points."""
    total = 0.0
    for load in loads:
        w = moved.omega_g[load.body]
        v = moved.vel_g[load.body] + cross(w, load.point_g - moved.com_g[load.body])
        total += float(dot(load.force_g, v) + dot(load.moment_g, w))
    return total


def integrate(
    tree: JointTree,
    q0: Array,
    qd0: Array,
    torque: Torque,
    times_s: Array,
    environment: Environment,
    tolerance: float = 1e-12,
) -> Simulation:
    """The motion that follows from a state, by the explicit Runge-Kutta method of order 8 of Dormand & Prince.

    ``DOP853`` of scipy (Hairer, Nørsett & Wanner 1993, Solving Ordinary Differential Equations I, chapter II),
    its step chosen so that the local error stays below tolerance (1 + |y|), y in rad, m, rad/s, m/s.

    Parameters
    ----------
    tree : JointTree
    q0, qd0 : (n,) arrays
        At times_s[0].
    torque : Torque
    times_s : (frames,) array, s
        Increasing; only where the result is reported, the steps are the integrator's own.
    environment : Environment
    tolerance : float

    Raises
    ------
    GaitidError
        Something is not finite at the start, the integrator gave up before the last time, or the motion is so fast that
        it would find no end.
    ModelError
        M became singular (see `forward`).
    """
    from scipy.integrate import solve_ivp  # half a second to import, and only a simulation needs it

    n, times = len(tree), np.asarray(times_s, dtype=float)
    friction, gravity_g = environment.friction, environment.gravity_g
    q0, qd0 = (np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in (q0, qd0))

    def derivatives(t: float, q: Array, qd: Array) -> tuple[Array, Array, float]:
        """τ, q̈ and the power of everything but gravity."""
        acting = environment.loads(t)
        tau = np.broadcast_to(np.asarray(torque(t, q, qd), dtype=float), (n,))
        moved = motion(tree, q, qd)
        driving = tau - friction.torque(qd) if friction else tau
        qdd = _accelerations(tree, moved, driving, gravity_g, acting)
        return tau, qdd, float(driving @ qd) + _power(moved, acting)

    def rate(t: float, y: Array) -> Array:
        _, qdd, power = derivatives(t, y[:n], y[n : 2 * n])
        return np.concatenate([y[n : 2 * n], qdd, [power]])

    start = np.concatenate([q0, qd0, [0.0]])
    if not np.isfinite(rate(times[0], start)).all():
        state = f"q {q0}, q̇ {qd0}, τ {torque(times[0], q0, qd0)}"
        raise GaitidError("the simulation cannot start", expected="a finite state, torque and load", found=state)
    span, errors = (times[0], times[-1]), {"rtol": tolerance, "atol": tolerance}
    most, evaluated = int(max(LEAST_EVALUATIONS, EVALUATIONS_PER_S * (times[-1] - times[0]))), count(1)

    def limited(t: float, y: Array) -> Array:
        if next(evaluated) > most:
            raise GaitidError(
                f"the simulation got no further than {t:.6g} s in {most} evaluations",
                expected=f"a motion until {times[-1]:.6g} s that does not change within a fraction of a millisecond",
                todo="look for lengths, masses or stiffnesses that are orders of magnitude off, or simulate less time",
            )
        return rate(t, y)

    run = solve_ivp(limited, span, start, method="DOP853", t_eval=times, **errors)
    if not run.success:
        reached = run.t[-1] if len(run.t) else times[0]
        raise GaitidError(
            f"the simulation got no further than the sample at {reached:.6g} s",
            expected=f"a motion until {times[-1]:.6g} s",
            found=run.message,
        )
    q, qd, work = run.y[:n].T, run.y[n : 2 * n].T, run.y[-1]
    taus, qdds, _ = zip(*(derivatives(*state) for state in zip(times, q, qd)))
    kinetic, potential = energy(tree, q, qd, gravity_g)
    total = kinetic + potential
    scale = float(kinetic.max() + potential.max() - potential.min())
    drift = float(np.abs(total - total[0] - work).max())
    drift = drift / scale if scale > 0 else drift
    return Simulation(times, q, qd, np.array(qdds), np.array(taus), kinetic, potential, drift, int(run.nfev))
