"""The motion that follows from a state of a tree, what drives it and what acts on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gaitid.dynamics.joint_space import (
    Friction,
    Load,
    TreeMotion,
    accelerations,
    energy,
    generalised_inertia,
    joint_loads,
    motion,
    refuse_singular,
)
from gaitid.dynamics.joint_tree import JointTree
from gaitid.dynamics.pace import Limits, Pace
from gaitid.errors import GaitidError
from gaitid.numerics.rotation import cross, dot
from gaitid.trial import Array, IntArray, Mask, read_only

#: torque(t, q, qd) -> (n,) array, N·m or N
Torque = Callable[[float, Array, Array], Array]

# Sine of the angle between the first and the third axis of a joint below which they are nearly in line.
_IN_LINE = 0.01
# Of the static friction: a joint that is within this of breaking loose does.
_BREAKS = 1e-9
# Stops and starts of joints at one instant after which a motion is given up.
_MOST_AT_ONCE = 100


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion that was integrated, at the times asked for.

    Attributes
    ----------
    times_s : (frames,) array
    q, qd, qdd : (frames, n) arrays, rad or m, and per s and s²
    tau : (frames, n) array, N·m or N
        Applied at the joints; of a coordinate that moves as given, what moves it.
    friction : (frames, n) array, N·m or N
        What friction does on each coordinate.
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
    friction: Array
    kinetic_J: Array
    potential_J: Array
    energy_drift: float
    evaluations: int

    def __post_init__(self) -> None:
        for name in ("times_s", "q", "qd", "qdd", "tau", "friction", "kinetic_J", "potential_J"):
            object.__setattr__(self, name, read_only(getattr(self, name)))


def _no_loads(time_s: float, moved: TreeMotion) -> Sequence[Load]:
    return ()


@dataclass(frozen=True, eq=False)
class Given:
    """Coordinates that move as given, whatever acts on them: a base on rails, a hand that is led.

    Attributes
    ----------
    coordinates : (k,) int array
    motion : callable
        motion(t) -> q, q̇, q̈, (k,) each.
    """

    coordinates: IntArray
    motion: Callable[[float], tuple[Array, Array, Array]]


@dataclass(frozen=True, eq=False)
class Environment:
    """What acts on a tree that moves, besides what is applied at its joints.

    Attributes
    ----------
    gravity_g : (3,) array, m/s²
    friction : Friction or None
        Coulomb friction with an exact sign makes the integrator crawl where a joint stops: smooth it, or let it stick.
    loads : callable
        loads(t, moved) -> sequence of Load; `moved`: where the bodies are, for loads that go with one.
    given : Given or None
        Coordinates whose motion does not follow from anything.
    """

    gravity_g: Array
    friction: Friction | None = None
    loads: Callable[[float, TreeMotion], Sequence[Load]] = _no_loads
    given: Given | None = None


def _power(moved: TreeMotion, loads: Sequence[Load]) -> float:
    """The power of the loads, W: f · v + m · ω at their points."""
    total = 0.0
    for load in loads:
        w = moved.omega_g[load.body]
        v = moved.vel_g[load.body] + cross(w, load.point_g - moved.com_g[load.body])
        total += float(dot(load.force_g, v) + dot(load.moment_g, w))
    return total


@dataclass(frozen=True, eq=False)
class _Instant:
    """What holds at one instant: q, q̇, q̈, τ, what friction does, (n,) each, and the power of all but gravity."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    friction: Array
    power: float


@dataclass(frozen=True, eq=False)
class _System:
    """A tree, what drives it and what acts on it, as the right-hand side of a differential equation.

    Its state y holds the coordinates that do not move as given (`moving`), their rates, and the work of all but
    gravity.
    """

    tree: JointTree
    torque: Torque
    environment: Environment
    moving: IntArray = field(init=False)
    sticks: Mask = field(init=False)

    def __post_init__(self) -> None:
        n, given, friction = len(self.tree), self.environment.given, self.environment.friction
        held = np.zeros(n, dtype=bool)
        if given is not None:
            held[given.coordinates] = True
        sticks = np.zeros(n, dtype=bool) if friction is None else np.broadcast_to(friction.sticks, (n,)) & ~held
        object.__setattr__(self, "moving", np.flatnonzero(~held))
        object.__setattr__(self, "sticks", sticks)

    def at(self, t: float, y: Array, slip: Array) -> _Instant:
        """What holds at a state; `slip` as `Friction.torque` has it, 0 of a joint that rests."""
        environment, n, m = self.environment, len(self.tree), len(self.moving)
        q, qd = np.empty(n), np.empty(n)
        q[self.moving], qd[self.moving] = y[:m], y[m : 2 * m]
        qdd, held = np.zeros(n), self.sticks & (slip == 0)
        if environment.given is not None:
            of = environment.given.coordinates
            q[of], qd[of], qdd[of] = environment.given.motion(t)
            held[of] = True
        tau = np.array(np.broadcast_to(np.asarray(self.torque(t, q, qd), dtype=float), (n,)))
        moved = motion(self.tree, q, qd)
        acting = environment.loads(t, moved)
        sliding = environment.friction.torque(qd, slip if self.sticks.any() else None) if environment.friction else 0.0
        driving = tau - sliding
        friction = np.zeros(n) - sliding
        if held.any():
            qdd, needed = self._with_held(moved, driving, acting, held, qdd)
            friction = np.where(held & self.sticks, needed - tau, friction)
            if environment.given is not None:
                tau[environment.given.coordinates] = (needed - friction)[environment.given.coordinates]
            driving = tau + friction
        else:
            qdd = accelerations(self.tree, moved, driving, environment.gravity_g, acting)
        return _Instant(q, qd, qdd, tau, friction, float(driving @ qd) + _power(moved, acting))

    def _with_held(
        self, moved: TreeMotion, driving: Array, acting: Sequence[Load], held: Mask, qdd: Array
    ) -> tuple[Array, Array]:
        """q̈, of which those of `held` are given, and M q̈ + V + G − Jᵀ E, what it needs."""
        M = generalised_inertia(self.tree, moved)
        rest = joint_loads(self.tree, moved, self.environment.gravity_g, acting)[0]
        free = np.flatnonzero(~held)
        qdd = np.where(held, qdd, 0.0)
        if free.size:
            inertia = M[np.ix_(free, free)]
            refuse_singular([self.tree.bodies[i].name for i in free], inertia)
            qdd[free] = np.linalg.solve(inertia, (driving - rest - M @ qdd)[free])
        return qdd, M @ qdd + rest

    def rate(self, t: float, y: Array, slip: Array) -> Array:
        """dy/dt."""
        now = self.at(t, y, slip)
        return np.concatenate([now.qd[self.moving], now.qdd[self.moving], [now.power]])

    def in_line(self, t: float, y: Array) -> str:
        """Which joint's first and third axis are nearly in line, in words; empty without any.

        Three turns one after the other in one place with nothing that has a mass between them are one joint.
        """
        q = np.zeros(len(self.tree))
        q[self.moving] = y[: len(self.moving)]
        if (given := self.environment.given) is not None:
            q[given.coordinates] = given.motion(t)[0]
        bodies, axes_g = self.tree.bodies, motion(self.tree, q).axis_g
        for third, body in enumerate(bodies):
            second = body.parent
            first = bodies[second].parent if second >= 0 else -1
            if first < 0 or any(bodies[i].kind != "revolute" for i in (first, second, third)):
                continue
            if any(bodies[i].mass > 0 for i in (first, second)) or body.p_p.any() or bodies[second].p_p.any():
                continue
            apart = float(np.linalg.norm(cross(axes_g[first], axes_g[third])))
            if apart < _IN_LINE:
                return (
                    f"the axes of {bodies[first].name} and {body.name} are {np.degrees(apart):.2g}° from being in line"
                )
        return ""

    # --- joints that stick ---

    def slips(self, t: float, y: Array, slip: Array, breaks: int = -1) -> Array:
        """The way in which each joint that may stick slides from now on; 0 of one that rests.

        Joints at rest are held, then let go one after the other, the one farthest beyond its static friction first,
        until friction can hold the others; one that would move against the way it was let go is held again.

        Parameters
        ----------
        t : float
        y : array
        slip : (n,) array
            Until now: of joints that move.
        breaks : int
            A joint that has just reached its static friction.
        """
        m, static = len(self.moving), np.broadcast_to(self._friction.static, (len(self.tree),))
        qd = np.zeros(len(self.tree))
        qd[self.moving] = y[m : 2 * m]
        slip = np.where(self.sticks & (qd != 0), np.sign(qd), 0.0)
        back: set[int] = set()
        for _ in range(2 * len(self.tree)):
            now = self.at(t, y, slip)
            resting = self.sticks & (slip == 0)
            beyond = np.where(resting, np.abs(now.friction) - static * (1 - _BREAKS), -np.inf)
            beyond[list(back)] = -np.inf
            if breaks >= 0 and resting[breaks]:
                beyond[breaks] = np.inf
            i = int(np.argmax(beyond))
            if not beyond[i] >= 0:
                return slip
            slip[i] = -np.sign(now.friction[i])
            moves = self.at(t, y, slip).qdd[i] * slip[i] > 0
            if not moves and i != breaks:
                slip[i] = 0.0
                back.add(i)
            if i == breaks:
                breaks = -1
        return slip

    @property
    def _friction(self) -> Friction:
        assert self.environment.friction is not None  # some joint sticks
        return self.environment.friction

    def events(self, slip: Array) -> list[tuple[int, Any]]:
        """Functions of the state that come down to 0 where a joint stops, or breaks loose; with the joint."""
        m, places = len(self.moving), {int(i): k for k, i in enumerate(self.moving)}
        static = np.broadcast_to(self._friction.static, (len(self.tree),)) if self.sticks.any() else None
        result = []
        for i in np.flatnonzero(self.sticks).tolist():
            if slip[i]:

                def event(t: float, y: Array, k: int = m + places[i], way: float = float(slip[i])) -> float:
                    return float(y[k] * way)
            else:
                assert static is not None

                def event(t: float, y: Array, k: int = i, way: float = float(static[i])) -> float:
                    return way - abs(float(self.at(t, y, slip).friction[k]))

            event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
            result.append((i, event))
        return result


def integrate(  # noqa: PLR0913 - a state, what drives it, what acts on it, and how well it is done
    tree: JointTree,
    q0: Array,
    qd0: Array,
    torque: Torque,
    times_s: Array,
    environment: Environment,
    tolerance: float = 1e-12,
    limits: Limits = Limits(),  # noqa: B008 - it cannot be changed
) -> Simulation:
    """The motion that follows from a state, by the explicit Runge-Kutta method of order 8 of Dormand & Prince.

    ``DOP853`` of scipy (Hairer, Nørsett & Wanner 1993, Solving Ordinary Differential Equations I, chapter II),
    its step chosen so that the local error stays below tolerance (1 + |y|), y in rad, m, rad/s, m/s. Where a joint
    stops or breaks loose (`Friction.static`) it begins anew.

    Parameters
    ----------
    tree : JointTree
    q0, qd0 : (n,) arrays
        At times_s[0]; of coordinates that move as given they are not used.
    torque : Torque
    times_s : (frames,) array, s
        Increasing; only where the result is reported, the steps are the integrator's own.
    environment : Environment
    tolerance : float
    limits : Limits
        After how many evaluations, or seconds of work, it is given up.

    Raises
    ------
    GaitidError
        Something is not finite at the start, the integrator gave up before the last time, or the motion is so fast that
        it would find no end.
    ModelError
        M became singular (see `forward`).
    """
    n, times = len(tree), np.asarray(times_s, dtype=float)
    system = _System(tree, torque, environment)
    q0, qd0 = (np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in (q0, qd0))
    start = np.concatenate([q0[system.moving], qd0[system.moving], [0.0]])
    if not np.isfinite(system.rate(times[0], start, np.sign(qd0))).all():
        state = f"q {q0}, q̇ {qd0}, τ {torque(times[0], q0, qd0)}"
        raise GaitidError("the simulation cannot start", expected="a finite state, torque and load", found=state)
    names = [tree.bodies[i].name for i in system.moving]
    span = (float(times[0]), float(times[-1]))
    pace = Pace(limits, span, names, lambda t, y: system.rate(t, y, np.sign(qd0)), system.in_line)
    states, slips = _run(system, start, times, tolerance, pace)
    instants = [system.at(t, y, slip) for t, y, slip in zip(times, states, slips, strict=True)]
    q, qd, qdd, tau, friction = (np.array([getattr(now, name) for now in instants]) for name in _VECTORS)
    kinetic, potential = energy(tree, q, qd, environment.gravity_g)
    total = kinetic + potential
    scale = float(kinetic.max() + potential.max() - potential.min())
    drift = float(np.abs(total - total[0] - states[:, -1]).max())
    drift = drift / scale if scale > 0 else drift
    return Simulation(times, q, qd, qdd, tau, friction, kinetic, potential, drift, pace.evaluated)


_VECTORS = ("q", "qd", "qdd", "tau", "friction")


def _run(system: _System, start: Array, times: Array, tolerance: float, pace: Pace) -> tuple[Array, Array]:
    """States and slips, (frames, …) each, at the times; from one stop or break of a joint to the next."""
    from scipy.integrate import solve_ivp  # half a second to import, and only a simulation needs it

    m, end, errors = len(system.moving), times[-1], {"rtol": tolerance, "atol": tolerance}
    t, y, states, slips = times[0], start, [], []
    slip = system.slips(t, y, np.zeros(len(system.tree))) if system.sticks.any() else np.zeros(len(system.tree))
    at_once, done = 0, 0
    while done < len(times):
        events = system.events(slip)
        result = solve_ivp(
            pace.watched(partial(_rate_with, system, slip)),
            (t, end),
            y,
            method="DOP853",
            t_eval=times[done:],
            events=[event for _, event in events] or None,
            **errors,
        )
        if not result.success:
            reached = result.t[-1] if len(result.t) else t
            raise GaitidError(
                f"the simulation got no further than the sample at {reached:.6g} s",
                expected=f"a motion until {end:.6g} s",
                found=result.message,
            )
        states += list(result.y.T)
        slips += [slip] * result.y.shape[1]
        done = len(states)
        which = [k for k, at in enumerate(result.t_events or []) if len(at)]
        if result.status != 1 or not which:
            break
        k, before = which[0], t
        t, y, joint = float(result.t_events[k][0]), np.array(result.y_events[k][0]), events[which[0]][0]
        at_once = at_once + 1 if t - before <= 1e-12 * max(1.0, abs(t)) else 0
        if at_once > _MOST_AT_ONCE:
            raise GaitidError(
                f"the joint of body {system.tree.bodies[joint].name} stops and starts without end at {t:.6g} s",
                expected="a motion between two stops",
                todo="give it more static friction than Coulomb friction, or smooth the latter instead",
            )
        stopped = bool(slip[joint])
        if stopped:
            y[m + int(np.flatnonzero(system.moving == joint)[0])] = 0.0
        slip = system.slips(t, y, slip, -1 if stopped else joint)
    return np.array(states), np.array(slips)


def _rate_with(system: _System, slip: Array, t: float, y: Array) -> Array:
    return system.rate(t, y, slip)
