"""What plates gave and what the body's motion asks for: the residuals that hypotheses of faults compete on.

Three laws hold whoever walks. Newton, for the whole body:  Σ F = m (a − g). Euler, about its centre of mass: the rate
of its angular momentum stays small in walking and running (Herr & Popovic 2008, J Exp Biol 211:467-481), so that the
force passes near it:  Σ (p − c) × F + T ≈ 0. And pressure lies under the foot that stands, at the heel while the toes
are up, at the ball while the heel is up; the free moment T about it is what a sole can hold by friction, a force of
opposite directions at heel and ball (Holden & Cavanagh 1991, J Biomech 24:887-897). Accelerations of markers are noisy
and changes of velocity are not: both sides of the first two are compared as means over `WINDOW` (impulse over
momentum).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.sole import HALF_WIDTH, TOE_SHARE
from gaitid.numerics.rotation import cross, dot
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# s. Forces and momentum are compared as means over the first, taken every so often.
WINDOW, EVERY = 0.1, 0.04
# Of the body's weight: the direction of a smaller force tells nothing.
LEAST_FORCE = 0.05


class Step(NamedTuple):
    """One load on one plate or several, and the foot that made it.

    Attributes
    ----------
    side : str
    plates : tuple of int
    first, last : int
    known : bool
        By the contacts; else by its timing alone.
    moves : bool
        Its beginning or its end was recorded.
    """

    side: str
    plates: tuple[int, ...]
    first: int
    last: int
    known: bool
    moves: bool = True


class State(NamedTuple):
    """What was recorded, as filed or as a hypothesis corrects it.

    Attributes
    ----------
    f_p, m_p : (rows, 3) arrays, N and N·m
        Reaction on the subject in plate axes, moments about the centre of the surface: first of each plate in turn the
        means over the windows, then, as they are, where feet press (`Evidence.plate_of` tells whose).
    R_gp : (plates, 3, 3) array
    centre_g : (plates, 3) array, m
    asked : (windows, 3) array
        What the motion asks for, laboratory axes, of the body's weight.
    """

    f_p: Array
    m_p: Array
    R_gp: Array
    centre_g: Array
    asked: Array

    @staticmethod
    def stacked(states: Sequence[State]) -> State:
        """Several as one, with a leading axis."""
        return State(*(np.stack(of) for of in zip(*states, strict=True)))


@frozen_dataclass(eq=False)
class Pressing:
    """Where one foot presses on one plate during a step, and where its pressure is to be.

    Attributes
    ----------
    side : str
    rows : slice
        Of `State.f_p`.
    time_s : (n,) array
    heel_g, point_g : (n, 3) arrays, m
        The heel's marker, and where the foot is to press.
    forward_g, left_g : (n, 3) arrays
        Unit vectors in the plane of the surface.
    length_m : float
        From the heel's marker to the toe's.
    share : (n,) array
        How far the foot has rolled, 0 at its heel, 1 at its ball.
    """

    side: str
    rows: slice
    time_s: Array
    heel_g: Array
    point_g: Array
    forward_g: Array
    left_g: Array
    length_m: float
    share: Array


@frozen_dataclass(eq=False)
class Evidence:
    """The residuals of one trial and what they are taken of.

    Attributes
    ----------
    plates : tuple of PlateLoad
    steps : tuple of Step
    up_g : (3,) array
    weight_N : float
        The body's.
    whole : bool
        Trunk and arms were measured too.
    flies : bool
        No foot is on the ground in some frames.
    windows_s : (windows,) array
        Their middles.
    runs : tuple of slice
        Of the windows: each a run of frames without a break.
    com_g : (windows, 3) array, m
    height_m : float
        Of the centre of mass above the plates.
    axes : (windows, 3, 3) array
        Rows: the way that the feet point, to its left, up.
    asked_rate : (windows, 3) array, 1/s
        How fast what the motion asks for changes, of the body's weight.
    asked_bend : (windows, 3) array, 1/s²
        How fast that changes.
    pressing : tuple of Pressing
    plate_of : (rows,) int array
        Index of the plate of each row of a `State`.
    filed : State
    floor_g : (places, 3) array, m
        Where heels and toes are while a foot stands, on plates and beside them; none where plates are not of one plane.
    of_marker : (places,) int array
        Whose each is.
    samples : tuple of (frames, 6) arrays
        f_p and m_p of each plate, every frame; unknown ones are zero.
    rate_hz : float
    crosses : bool
        Feet stand beyond the body's other side.
    weighed, guessed : bool
        The body's weight comes from a source of its own, and not from these plates; is what they carry on average.
    """

    plates: tuple[PlateLoad, ...]
    steps: tuple[Step, ...]
    up_g: Array
    weight_N: float
    whole: bool
    flies: bool
    windows_s: Array
    runs: tuple[slice, ...]
    com_g: Array
    height_m: float
    axes: Array
    asked_rate: Array
    asked_bend: Array
    pressing: tuple[Pressing, ...]
    plate_of: IntArray
    filed: State
    floor_g: Array
    of_marker: IntArray
    samples: tuple[Array, ...]
    rate_hz: float
    crosses: bool = False
    weighed: bool = True
    guessed: bool = False

    @property
    def used(self) -> tuple[int, ...]:
        """Indices of the plates that any foot stood on."""
        numbers = {number for step in self.steps for number in step.plates}
        return tuple(k for k, plate in enumerate(self.plates) if plate.number in numbers)

    @property
    def walks(self) -> bool:
        """Whether any load begins or ends."""
        return any(step.moves for step in self.steps)

    @property
    def whole_steps(self) -> tuple[int, ...]:
        """Indices of the plates that any foot stood on alone: a strike alone, without what follows, tells no delay."""
        numbers = {step.plates[0] for step in self.steps if len(step.plates) == 1}
        return tuple(k for k, plate in enumerate(self.plates) if plate.number in numbers)

    def rows_of(self, ks: Sequence[int]) -> Mask:
        """(rows,) whether each row of a `State` is of one of these plates."""
        of = np.zeros(len(self.plates), dtype=bool)
        of[list(ks)] = True
        return np.asarray(of[self.plate_of])

    @property
    def row_times_s(self) -> Array:
        """(rows,) of each row of a `State`."""
        return np.concatenate([np.tile(self.windows_s, len(self.plates)), *(p.time_s for p in self.pressing)])

    def read(self, late_s: Array) -> tuple[Array, Array]:
        """f_p and m_p with every row read so much later, (rows,), s."""
        at = (self.row_times_s + late_s) * self.rate_hz
        rows = np.empty((len(at), 6))
        n, half = len(self.windows_s), WINDOW * self.rate_hz / 2
        for k, samples in enumerate(self.samples):
            rows[k * n : (k + 1) * n] = window_means(samples, at[k * n : (k + 1) * n], half, self._integrals[k])
        for pressing in self.pressing:
            rows[pressing.rows] = _between(self.samples[self.plate_of[pressing.rows.start]], at[pressing.rows])
        return rows[:, :3], rows[:, 3:]

    @cached_property
    def _integrals(self) -> list[Array]:
        return [integral_of(samples) for samples in self.samples]

    def residuals(self, state: State) -> list[Array]:
        """What is left: per run (6, windows) of forces and of moments, then per foot that presses (3, n), m.

        Of states that are stacked the same with their leading axes.

        Last, where the floor is known, (1, places), m: heights of markers of standing feet over the plane of the
        plates, of each marker less its mean.

        Forces as a share of the body's weight; moments about the centre of mass over the force that presses and the
        height of that, i.e. by which share of its height the force passes it; both forward, to the left, up. Pressure
        less where it is to be, forward and to the left, and the free moment about it over the greatest force.
        """
        n, left = len(self.windows_s), []
        if n:
            f_g = m_g = np.zeros((n, 3))
            for k in range(len(self.plates)):
                rows, R_pg = slice(k * n, (k + 1) * n), np.swapaxes(state.R_gp[..., k, :, :], -1, -2)
                of_plate = state.f_p[..., rows, :] @ R_pg
                f_g = f_g + of_plate
                arm = state.centre_g[..., k, None, :] - self.com_g
                m_g = m_g + state.m_p[..., rows, :] @ R_pg + cross(arm, of_plate)
            pressing = np.maximum(np.abs(f_g @ self.up_g), LEAST_FORCE * self.weight_N) * self.height_m
            both = (self._in_axes(f_g / self.weight_N - state.asked), self._in_axes(m_g / pressing[..., None]))
            every = np.swapaxes(np.concatenate(both, axis=-1), -1, -2)
            left = [every[..., run] for run in self.runs]
        left += [self._off(pressing, state) for pressing in self.pressing]
        return [*left, self.heights(-state.R_gp[..., self.used[0], :, 2])] if len(self.floor_g) else left

    def heights(self, normal_g: Array) -> Array:
        """(1, places) m, of markers of standing feet along a normal, of each marker less its mean."""
        return np.asarray((normal_g @ self._from_mean_g.T)[..., None, :])

    @cached_property
    def _from_mean_g(self) -> Array:
        """(places, 3) m, the places of each marker from their mean."""
        from_mean_g = self.floor_g.copy()
        for marker in range(int(self.of_marker.max()) + 1):
            of = self.of_marker == marker
            from_mean_g[of] -= from_mean_g[of].mean(axis=0)
        return from_mean_g

    def _in_axes(self, v_g: Array) -> Array:
        return np.asarray((self.axes @ v_g[..., None])[..., 0])

    def pressed_g(self, pressing: Pressing, state: State) -> Array:
        """(n, 3) m, the centre of pressure: in plate axes x = −My / Fz, y = Mx / Fz about the middle of the surface."""
        k, f_p, m_p = self.plate_of[pressing.rows.start], *_pressed(state, pressing)
        push = np.where(f_p[..., 2] == 0.0, np.inf, f_p[..., 2])
        cop_p = np.stack([-m_p[..., 1] / push, m_p[..., 0] / push, np.zeros(push.shape)], axis=-1)
        return np.asarray(cop_p @ np.swapaxes(state.R_gp[..., k, :, :], -1, -2) + state.centre_g[..., k, None, :])

    def _off(self, pressing: Pressing, state: State) -> Array:
        """(3, n) m: the pressure less where it is to be, forward and to the left; T over the greatest push."""
        f_p, m_p = _pressed(state, pressing)
        cop_g = self.pressed_g(pressing, state)
        forward = dot(cop_g - pressing.point_g, pressing.forward_g)
        leftward = dot(cop_g - pressing.heel_g, pressing.left_g)
        if self.flies:
            # who runs or lands does not roll over: the pressure has to lie between heel and toes only
            along = dot(cop_g - pressing.heel_g, pressing.forward_g)
            forward = along - np.clip(along, 0.0, (1 + TOE_SHARE) * pressing.length_m)
            leftward = leftward - np.clip(leftward, -HALF_WIDTH, HALF_WIDTH)
        # who runs or lands turns on the ball of the foot
        free = np.zeros(leftward.shape)
        if not self.flies:
            free = free_moment(f_p, m_p) / np.maximum(np.abs(f_p[..., 2]).max(axis=-1, keepdims=True), 1.0)
        off = np.asarray(np.nan_to_num(np.clip(np.stack([forward, leftward, free], axis=-2), -1.0, 1.0)))
        if state is self.filed:
            return off
        # read at other times a foot may not have landed yet, or have left: then it tells what it told as filed
        known = np.abs(f_p[..., 2]) > LEAST_FORCE * np.abs(self.filed.f_p[pressing.rows, 2]).max()
        return np.where(known[..., None, :], off, 0.0 if known.all() else self._off(pressing, self.filed))

    def share_on(self, side: str) -> Array:
        """(windows,) share of the force that presses under one foot, as filed."""
        n, pushes = len(self.windows_s), np.zeros((2, len(self.windows_s)))
        frames = self.windows_s * self.rate_hz
        for step in self.steps:
            during = (frames >= step.first) & (frames <= step.last)
            for k, plate in enumerate(self.plates):
                if plate.number in step.plates:
                    push = np.abs(self.filed.f_p[k * n : (k + 1) * n, 2]) * during
                    pushes[int(step.side == side)] += push
        return np.asarray(pushes[1] / np.maximum(pushes.sum(axis=0), 1.0))

    def lever(self) -> Array:
        """(windows, 2) how far the centre of mass is ahead and to the left of the pressure, of its height, as filed."""
        n, m_g, push = len(self.windows_s), np.zeros((len(self.windows_s), 3)), np.zeros(len(self.windows_s))
        for k in range(len(self.plates)):
            rows = slice(k * n, (k + 1) * n)
            of_plate = (self.filed.f_p[rows] @ self.filed.R_gp[k].T) @ self.up_g
            arm = self.filed.centre_g[k] - self.com_g
            m_g += self.filed.m_p[rows] @ self.filed.R_gp[k].T + cross(arm, of_plate[:, None] * self.up_g)
            push += of_plate
        level = self._in_axes(m_g / (np.maximum(push, LEAST_FORCE * self.weight_N) * self.height_m)[:, None])
        # m = -lever × up: forward of the pressure it turns about the axis to the left
        return np.stack([-level[:, 1], level[:, 0]], axis=1) * -1.0

    def force_residual(self, of_force: Array, of_moment: Array) -> list[Array]:
        """Changes of forces, (windows, 3), of the body's weight, and of moments over it and its height, as residuals.

        Laboratory axes; nothing where feet press.
        """
        every = np.concatenate([self._in_axes(of_force), self._in_axes(of_moment)], axis=1).T
        beside = [np.zeros((3, len(p.time_s))) for p in self.pressing]
        floor = [np.zeros((1, len(self.floor_g)))] if len(self.floor_g) else []
        return [*(every[:, run] for run in self.runs), *beside, *floor]


def _pressed(state: State, pressing: Pressing) -> tuple[Array, Array]:
    return state.f_p[..., pressing.rows, :], state.m_p[..., pressing.rows, :]


def free_moment(f_p: Array, m_p: Array) -> Array:
    """(rows,) N·m about the centre of pressure: T = Mz − (x Fy − y Fx), with x = −My / Fz and y = Mx / Fz."""
    push = np.where(f_p[..., 2] == 0.0, np.inf, f_p[..., 2])
    return np.asarray(m_p[..., 2] + dot(m_p[..., :2], f_p[..., :2]) / push)


def level_axes(up_g: Array) -> Array:
    """(2, 3) the laboratory's level axes."""
    return np.delete(np.eye(3), int(np.argmax(np.abs(up_g))), axis=0)


def _between(samples: Array, at: Array) -> Array:
    """(n, channels) values of samples at frames that need not be whole; beyond the ends those of the ends."""
    at = np.clip(at, 0, len(samples) - 1)
    before = np.minimum(at.astype(int), max(len(samples) - 2, 0))
    after = np.minimum(before + 1, len(samples) - 1)
    return np.asarray(samples[before] + (at - before)[:, None] * (samples[after] - samples[before]))


def integral_of(samples: Array) -> Array:
    """(frames, channels) the integral from the first sample to each, by trapezoids."""
    return np.asarray(np.cumsum(samples, axis=0) - (samples + samples[:1]) / 2)


def window_means(samples: Array, at: Array, half: float, integral: Array | None = None) -> Array:
    """(n, channels) means from `half` frames before to `half` after some frames, by the integral of straight lines."""
    summed = integral_of(samples) if integral is None else integral

    def until(frames: Array) -> Array:
        # beyond the ends of a recording a load goes on as it was: it is read there when a delay is undone
        whole = np.clip(frames, 0, len(samples) - 1).astype(int)
        between = (samples[whole] + _between(samples, frames)) / 2
        return np.asarray(summed[whole] + (frames - whole)[:, None] * between)

    return (until(at + half) - until(at - half)) / (2 * half)
