"""Walks whose strikes and offs are known: the simulated one, carried into other places, ways and directions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.chain import Wrench
from gaitid.gait.events import GaitEvents, find_events
from gaitid.gait.marker_events import GaitEvent
from gaitid.ground.belt import Floor, floor_under_slow, slow_feet
from gaitid.ground.contacts import FootLoad
from gaitid.simulate.walk import Walk, WalkState
from gaitid.trial import Array

UP = np.array([0.0, 0.0, 1.0])
RATE = 100.0
# s. The simulated foot has nothing above 5.5 Hz, so it lands and leaves more softly than a real one: the markers' own
# events lie up to 41 ms from those of its load, always by the same time. What is tested here is that none is missed
# and none invented, and that they do not depend on where and whereto somebody walks; docs/events.md has real walks.
SOFT = 0.045
LETTER = {"left": "L", "right": "R"}


@dataclass(frozen=True)
class KnownWalk:
    """Heel, toe and pelvis of a walk, and its events."""

    feet: dict[str, FootTrack]
    pelvis: Array
    events: list[GaitEvent]
    rate_hz: float
    loads: dict[str, FootLoad]


def known_walk(
    walk: Walk,
    place: Callable[[Array, Array], Array] = lambda points, times: points,
    *,
    reverse: bool = False,
    noise_m: float = 0.0,
) -> KnownWalk:
    """A simulated walk with `place(points, times)` applied to every marker; `reverse` runs time backward.

    A walk in reverse is one backward: what was an off is a strike.
    """
    times = walk.settings.times_s
    state = _state(walk)
    random = np.random.default_rng(0)
    step = -1 if reverse else 1

    def points(label: str) -> Array:
        there = place(state.marker_g[label], times)
        return (there + random.normal(0.0, noise_m, there.shape))[::step]

    ends = {"strike": "off", "off": "strike"} if reverse else {"strike": "strike", "off": "off"}
    events = [
        GaitEvent(stance.side, ends[kind], times[-1] - time if reverse else time, "truth")
        for stance in walk.stances
        for kind, time in (("strike", stance.on_s), ("off", stance.off_s))
        if 0 < time < times[-1]
    ]
    feet = {side: FootTrack(points(f"{letter}HEE"), points(f"{letter}TOE")) for side, letter in LETTER.items()}
    loads = {side: foot_load(load.force_g[::step, 2]) for side, load in state.load.items()}
    pelvis = (points("LASI") + points("RASI")) / 2
    return KnownWalk(feet, pelvis, sorted(events, key=lambda e: e.time_s), walk.settings.rate_hz, loads)


_STATES: dict[int, tuple[Walk, WalkState]] = {}


def _state(walk: Walk) -> WalkState:
    """A walk's exact state at the camera's instants, computed once: each test places it otherwise."""
    if id(walk) not in _STATES:
        state = walk.at(walk.settings.times_s)
        for points in state.marker_g.values():
            points.setflags(write=False)
        _STATES[id(walk)] = walk, state
    return _STATES[id(walk)][1]


def foot_load(vertical_N: Array) -> FootLoad:
    """A load that has only a vertical force; NaN where it is unknown."""
    n = len(vertical_N)
    force = np.outer(vertical_N, UP)
    state = np.where(np.isfinite(vertical_N), vertical_N > 0, -1)
    return FootLoad(state, Wrench(force, np.zeros((n, 3)), np.zeros(3)), np.full((n, 3), np.nan), np.zeros(n))


def treadmill(speed: float) -> Callable[[Array, Array], Array]:
    """The laboratory of a belt that runs along −x."""
    return lambda points, times: points - np.outer(times, [speed, 0.0, 0.0])


def bent(radius_m: float) -> Callable[[Array, Array], Array]:
    """A walk along x laid on a circle to the left."""

    def place(points: Array, times: Array) -> Array:
        angle, away = points[:, 0] / radius_m, radius_m - points[:, 1]
        return np.stack([away * np.sin(angle), radius_m - away * np.cos(angle), points[:, 2]], axis=1)

    return place


def kinematic(known: KnownWalk, method: str = "kinematics") -> list[GaitEvent]:
    return list(events_of(known).by_method[method])


def floor_under(feet: Mapping[str, FootTrack], up_g: Array, rate_hz: float) -> Floor:
    """The floor that these feet walk on."""
    return floor_under_slow(slow_feet(list(feet.values()), up_g, rate_hz), list(feet), up_g, rate_hz)


def events_of(known: KnownWalk, loads: bool = False) -> GaitEvents:
    floor = floor_under(known.feet, UP, known.rate_hz)
    return find_events((), known.loads if loads else {}, known.feet, known.pelvis, floor)


def first_after(known: KnownWalk, side: str, kind: str, time_s: float) -> GaitEvent:
    return next(e for e in known.events if (e.side, e.kind) == (side, kind) and e.time_s > time_s)


def names(events: list[GaitEvent]) -> list[tuple[str, str]]:
    return [(e.side, e.kind) for e in events]


def assert_same(events: list[GaitEvent], others: list[GaitEvent], atol: float) -> None:
    assert names(events) == names(others)
    np.testing.assert_allclose([e.time_s for e in events], [e.time_s for e in others], atol=atol)
