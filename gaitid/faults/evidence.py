"""What plates gave and what the body's motion asks for: the residuals that hypotheses of faults compete on.

Three laws hold whoever walks. Newton, for the whole body:  Σ F = m (a − g). Euler, about its centre of mass: the rate
of its angular momentum stays small in walking and running (Herr & Popovic 2008, J Exp Biol 211:467-481), so that the
force passes near it:  Σ (p − c) × F + T ≈ 0. And pressure lies under the foot that stands, at the heel while the toes
are up, at the ball while the heel is up. Accelerations of markers are noisy and changes of velocity are not: both sides
of the first two are compared as means over `WINDOW` (impulse over momentum).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gaitid.ground.balance import Balance
from gaitid.ground.contacts import AIR, LOADED, UNSUPPORTED, Loads
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import STEP, PlateLoad, one_plane
from gaitid.ground.sole import HALF_WIDTH, TOE_SHARE, UNDER_BALL, UNDER_HEEL, pressed_point, rolled, sole
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import cross, norm, unit
from gaitid.numerics.statistics import median_of_known
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# s. Forces and momentum are compared as means over the first, taken every so often, in runs of known frames no longer
# than the third: a longer one is several, and of more than so many runs these are taken evenly.
WINDOW, EVERY, LONGEST, MOST_RUNS = 0.1, 0.04, 1.0, 60
# s. A load that begins and ends this near to a foot's own stance was made by that foot. A foot that is flat for longer
# than the second does not roll over evenly. Of the greatest force: less tells too little of where it presses.
SAME_STEP, LONGEST_FLAT, PRESSES = 0.12, 0.6, 0.15
# s that a foot stands; m that feet go, and places: less tells nothing of the floor.
STANDS, WAY, PLACES = 0.15, 2.0, 8
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
    """

    side: str
    plates: tuple[int, ...]
    first: int
    last: int
    known: bool


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

    @property
    def used(self) -> tuple[int, ...]:
        """Indices of the plates that any foot stood on."""
        numbers = {number for step in self.steps for number in step.plates}
        return tuple(k for k, plate in enumerate(self.plates) if plate.number in numbers)

    @property
    def whole_steps(self) -> tuple[int, ...]:
        """Indices of the plates that any foot stood on alone: a strike alone, without what follows, tells no delay."""
        numbers = {step.plates[0] for step in self.steps if len(step.plates) == 1}
        return tuple(k for k, plate in enumerate(self.plates) if plate.number in numbers)

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
            rows[k * n : (k + 1) * n] = _window_means(samples, at[k * n : (k + 1) * n], half)
        for pressing in self.pressing:
            rows[pressing.rows] = _between(self.samples[self.plate_of[pressing.rows.start]], at[pressing.rows])
        return rows[:, :3], rows[:, 3:]

    def residuals(self, state: State) -> list[Array]:
        """What is left: per run (6, windows) of forces and of moments, then per foot that presses (2, n), m.

        Last, where the floor is known, (1, places), m: heights of markers of standing feet over the plane of the
        plates, of each marker less its mean.

        Forces as a share of the body's weight; moments about the centre of mass over the force that presses and the
        height of that, i.e. by which share of its height the force passes it; both forward, to the left, up. Pressure
        less where it is to be, forward and to the left.
        """
        n, left = len(self.windows_s), []
        if n:
            f_g = m_g = np.zeros((n, 3))
            for k in range(len(self.plates)):
                rows = slice(k * n, (k + 1) * n)
                of_plate = state.f_p[rows] @ state.R_gp[k].T
                f_g = f_g + of_plate
                m_g = m_g + state.m_p[rows] @ state.R_gp[k].T + cross(state.centre_g[k] - self.com_g, of_plate)
            pressing = np.maximum(np.abs(f_g @ self.up_g), LEAST_FORCE * self.weight_N) * self.height_m
            both = (self._in_axes(f_g / self.weight_N - state.asked), self._in_axes(m_g / pressing[:, None]))
            every = np.concatenate(both, axis=1).T
            left = [every[:, run] for run in self.runs]
        left += [self._off(pressing, state) for pressing in self.pressing]
        return [*left, self.heights(-state.R_gp[self.used[0], :, 2])] if len(self.floor_g) else left

    def heights(self, normal_g: Array) -> Array:
        """(1, places) m, of markers of standing feet along a normal, of each marker less its mean."""
        heights = self.floor_g @ normal_g
        for marker in range(int(self.of_marker.max()) + 1):
            of = self.of_marker == marker
            heights[of] -= heights[of].mean()
        return np.asarray(heights[None])

    def _in_axes(self, v_g: Array) -> Array:
        return np.asarray((self.axes @ v_g[:, :, None])[:, :, 0])

    def _off(self, pressing: Pressing, state: State) -> Array:
        """(2, n) m: the pressure less where it is to be, forward and to the left."""
        k, f_p, m_p = self.plate_of[pressing.rows.start], state.f_p[pressing.rows], state.m_p[pressing.rows]
        push = np.where(np.abs(f_p[:, 2]) > 1.0, f_p[:, 2], np.nan)
        # plate axes: x_cop = -My / Fz, y_cop = Mx / Fz about the centre of the surface
        cop_p = np.stack([-m_p[:, 1] / push, m_p[:, 0] / push, np.zeros(len(push))], axis=1)
        cop_g = cop_p @ state.R_gp[k].T + state.centre_g[k]
        forward = np.einsum("ij,ij->i", cop_g - pressing.point_g, pressing.forward_g)
        leftward = np.einsum("ij,ij->i", cop_g - pressing.heel_g, pressing.left_g)
        if self.flies:
            # who runs or lands does not roll over: the pressure has to lie between heel and toes only
            along = np.einsum("ij,ij->i", cop_g - pressing.heel_g, pressing.forward_g)
            forward = along - np.clip(along, 0.0, (1 + TOE_SHARE) * pressing.length_m)
            leftward = leftward - np.clip(leftward, -HALF_WIDTH, HALF_WIDTH)
        return np.asarray(np.nan_to_num(np.clip([forward, leftward], -1.0, 1.0)))

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
        beside = [np.zeros((2, len(p.time_s))) for p in self.pressing]
        floor = [np.zeros((1, len(self.floor_g)))] if len(self.floor_g) else []
        return [*(every[:, run] for run in self.runs), *beside, *floor]


def gather(ground: Ground, loads: Loads, balance: Balance | None, com_g: Array, weight_N: float) -> Evidence:
    """The residuals of a trial.

    Parameters
    ----------
    ground : Ground
    loads : Loads
        As judged with the plates as filed.
    balance : Balance or None
    com_g : (frames, 3) array, m
        Of pelvis and legs, where the balance has none of its own.
    weight_N : float
        NaN where it is not known: then only where feet press is told.
    """
    plates, rate, up_g = ground.plates, ground.rate_hz, ground.floor.up_g
    steps = tuple(sorted(_steps(ground, loads), key=lambda step: step.first))
    samples = tuple(
        np.nan_to_num(np.concatenate([of.f_g @ p.R_gp, of.m_g @ p.R_gp], axis=1))
        for p in plates
        for of in [p.wrench.at(p.centre_g)]
    )
    tells = balance is not None and balance.tells and weight_N > 0
    middles, runs = _windows(ground, loads, steps, balance) if balance is not None and tells else (np.zeros(0, int), ())
    whole = balance is not None and balance.com_g is not None
    asked, com_at, asked_rate, asked_bend = np.zeros((4, len(middles), 3))
    axes, height_m = np.zeros((len(middles), 3, 3)), 1.0
    if balance is not None and len(middles):
        of_frames = np.nan_to_num(balance.asked_g / balance.gravity_m_per_s2)
        centre_g = com_g if balance.com_g is None else balance.com_g
        half = round(WINDOW * rate / 2)
        asked = _window_means(of_frames, middles.astype(float), half)
        asked_rate = (of_frames[middles + half] - of_frames[middles - half]) * rate / (2 * half)
        ends = of_frames[middles - half], of_frames[middles + half]
        asked_bend = (ends[0] + ends[1] - 2 * of_frames[middles]) * (rate / half) ** 2
        com_at = centre_g[middles]
        height_m = float(np.median((com_at - plates[0].centre_g) @ up_g))
        axes = _axes(ground, steps, middles)
    pressing, plate_of = [], [np.repeat(np.arange(len(plates)), len(middles))]
    for step in steps:
        found = _pressing(ground, step, sum(map(len, plate_of))) if len(step.plates) == 1 else None
        if found is not None:
            pressing.append(found)
            index = next(k for k, plate in enumerate(plates) if plate.number == step.plates[0])
            plate_of.append(np.full(len(found.time_s), index))
    flies = bool(np.logical_and.reduce([stance.airborne for stance in ground.stances.values()]).any())
    floor_g, of_marker = (
        _floor(ground) if steps and one_plane(plates) and not flies else (np.zeros((0, 3)), np.zeros(0, int))
    )
    evidence = Evidence(
        plates=plates,
        steps=steps,
        up_g=up_g,
        weight_N=weight_N if weight_N > 0 else np.nan,
        whole=whole,
        flies=flies,
        windows_s=middles / rate,
        runs=runs,
        com_g=com_at,
        height_m=height_m,
        axes=axes,
        asked_rate=asked_rate,
        asked_bend=asked_bend,
        pressing=tuple(pressing),
        plate_of=np.concatenate(plate_of),
        filed=State(np.zeros((0, 3)), np.zeros((0, 3)), np.array([p.R_gp for p in plates]), _centres(plates), asked),
        floor_g=floor_g,
        of_marker=of_marker,
        samples=samples,
        rate_hz=rate,
    )
    f_p, m_p = evidence.read(np.zeros(len(evidence.plate_of)))
    object.__setattr__(evidence, "filed", evidence.filed._replace(f_p=f_p, m_p=m_p))
    return evidence


def _centres(plates: Sequence[PlateLoad]) -> Array:
    return np.array([plate.centre_g for plate in plates])


def level_axes(up_g: Array) -> Array:
    """(2, 3) the laboratory's level axes."""
    return np.delete(np.eye(3), int(np.argmax(np.abs(up_g))), axis=0)


def _steps(ground: Ground, loads: Loads) -> Iterator[Step]:
    """Loads that a contact names, but of feet that reach over an edge; else those that timing gives to one foot."""
    named: dict[int, list[tuple[int, int]]] = {plate.number: [] for plate in ground.plates}
    for contact in loads.contacts:
        for number in set(contact.plates) & set(named):
            named[number].append((contact.first, contact.last))
        if (
            contact.plates
            and set(contact.plates) <= set(named)
            and not contact.beyond
            and contact.confidence > UNSUPPORTED
        ):
            yield Step(contact.side, contact.plates, contact.loaded.start, contact.loaded.stop - 1, True)
    near = SAME_STEP * ground.rate_hz
    for number in named:
        for first, last in ground.loaded[number]:
            if any(first <= b and last >= a for a, b in named[number]):
                continue
            begins_cut, ends_cut = ground.cuts(first, last)
            sides = [
                side
                for side, stance in ground.stances.items()
                if any(
                    (begins_cut or abs(a - first) <= near) and (ends_cut or abs(b - last - 1) <= near)
                    for a, b in stance.stood
                    if a <= last and b > first
                )
            ]
            if len(sides) == 1:
                yield Step(sides[0], (number,), first, last, False)


def _windows(
    ground: Ground, loads: Loads, steps: Sequence[Step], balance: Balance
) -> tuple[IntArray, tuple[slice, ...]]:
    """Middles of the windows, frames, in which all that the ground gives is known, and the runs of these."""
    rate = ground.rate_hz
    known = known_rows(balance.asked_g)
    loaded = np.zeros(len(known), dtype=bool)
    flies = np.ones(len(known), dtype=bool)
    for side, stance in ground.stances.items():
        of_side: Mask = np.zeros(len(known), dtype=bool)
        by_timing: Mask = np.zeros(len(known), dtype=bool)
        for step in steps:
            frames = slice(step.first, step.last + 1)
            if step.side != side:
                continue
            if step.known:
                of_side[frames] = True
            elif _within(ground, step):
                by_timing[frames] = True
        state = loads.by_side[side].state
        known &= ((state == LOADED) & of_side) | ((state == AIR) & ~of_side) | stance.airborne | by_timing
        loaded |= (state == LOADED) | by_timing
        flies &= stance.airborne & (state == AIR)
    half, every = round(WINDOW * rate / 2), max(round(EVERY * rate), 1)
    found = []
    for first, stop in spans(known & (loaded | flies)):
        middles = np.arange(first + half, stop - half, every)
        if half and len(middles) > 1:
            found += np.array_split(middles, max(1, -(-len(middles) * every // round(LONGEST * rate))))
    found = [run for run in found if len(run) > 1]
    if len(found) > MOST_RUNS:
        found = [found[k] for k in np.linspace(0, len(found) - 1, MOST_RUNS).round().astype(int)]
    ends = np.cumsum([0, *map(len, found)]).tolist()
    return np.concatenate([np.zeros(0, int), *found]), tuple(map(slice, ends[:-1], ends[1:]))


def _within(ground: Ground, step: Step) -> bool:
    """Whether a foot that stands on one plate stays within its edges."""
    plate = next(plate for plate in ground.plates if plate.number == step.plates[0])
    foot = ground.feet[step.side].during(slice(step.first, step.last + 1))
    inside = [plate.margin(corner) for corner in sole(foot, plate.normal_g)]
    return bool(np.fmin.reduce(np.array(inside), axis=None) > 0) if plate.outlined else True


def _axes(ground: Ground, steps: Sequence[Step], middles: IntArray) -> Array:
    """(windows, 3, 3) rows: the way that the feet on the ground point, to its left, up."""
    up_g = ground.floor.up_g
    way = np.zeros((ground.n_frames, 3))
    for step in steps:
        frames = slice(step.first, step.last + 1)
        line = ground.feet[step.side].line_g[frames]
        known = known_rows(line)
        if known.any():
            mean = line[known].mean(axis=0)
            way[frames] += unit(mean - up_g * (mean @ up_g))
    forward = way[middles]
    nothing = norm(forward) < LEAST_FORCE
    forward[nothing] = unit(cross(up_g, np.roll(up_g, 1)))
    forward /= norm(forward)[:, None]
    return np.stack([forward, cross(up_g, forward), np.broadcast_to(up_g, forward.shape)], axis=1)


def _pressing(ground: Ground, step: Step, start: int) -> Pressing | None:
    plate = next(plate for plate in ground.plates if plate.number == step.plates[0])
    frames = slice(step.first, step.last + 1)
    # on a step the ball may hang over its edge, and cannot press there
    if plate.height_above_lowest > STEP and not (plate.margin(ground.feet[step.side].toe_g[frames]) > 0).all():
        return None
    here, vertical = ground.feet[step.side].during(frames), plate.vertical[frames]
    expected = rolled(here, plate.normal_g)
    point = pressed_point(here, expected, round(LONGEST_FLAT * ground.rate_hz))
    flat = np.eye(3) - np.outer(plate.normal_g, plate.normal_g)
    line = here.line_g @ flat
    sure = known_rows(point) & known_rows(line) & (vertical > PRESSES * np.fmax.reduce(vertical, initial=0.0))
    at = np.flatnonzero(sure)[:: max(round(EVERY * ground.rate_hz), 1)]
    if len(at) < 2:
        return None
    length = norm(line[at])
    forward = line[at] / length[:, None]
    ahead = np.einsum("ij,ij->i", point[at] - here.heel_g[at], forward) / length
    share = np.clip((ahead - UNDER_HEEL) / (UNDER_BALL - UNDER_HEEL), 0.0, 1.0)
    return Pressing(
        step.side,
        slice(start, start + len(at)),
        (at + step.first) / ground.rate_hz,
        here.heel_g[at],
        point[at],
        forward,
        cross(plate.normal_g, forward),
        float(np.median(length)),
        share,
    )


def _between(samples: Array, at: Array) -> Array:
    """(n, channels) values of samples at frames that need not be whole."""
    frames = np.arange(len(samples))
    return np.stack([np.interp(at, frames, channel) for channel in samples.T], axis=1)


def _window_means(samples: Array, at: Array, half: float) -> Array:
    """(n, channels) means from `half` frames before to `half` after some frames, by the integral of straight lines."""
    summed = np.zeros((len(samples) + 1, samples.shape[1]))
    np.cumsum(samples, axis=0, out=summed[1:])
    # integral from the first sample to sample k, by trapezoids
    integral = summed[:-1] + (samples - samples[:1]) / 2
    return (_between(integral, at + half) - _between(integral, at - half)) / (2 * half)


def _floor(ground: Ground) -> tuple[Array, IntArray]:
    """Where heels and toes are in the middle of stances, (places, 3), m, and whose each is, (places,)."""
    places, of_marker = [np.zeros((0, 3))], [np.zeros(0, int)]
    for side, foot in ground.feet.items():
        for marker_g in (foot.heel_g, foot.toe_g):
            quarters = [(a, b, (b - a) // 4) for a, b in ground.stances[side].stood if b - a >= STANDS * ground.rate_hz]
            middles = np.array([median_of_known(marker_g[a + q : b - q]) for a, b, q in quarters]).reshape(-1, 3)
            middles = middles[known_rows(middles)]
            places.append(middles)
            of_marker.append(np.full(len(middles), len(of_marker) - 1))
    floor_g = np.concatenate(places)
    if len(floor_g) < PLACES or np.linalg.norm(np.ptp(floor_g, axis=0)) < WAY:
        return np.zeros((0, 3)), np.zeros(0, int)
    return floor_g, np.concatenate(of_marker)
