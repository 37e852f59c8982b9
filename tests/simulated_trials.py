"""The simulated walk as a `Trial` in memory: no file, so no rounding to 32 bits between it and the truth; chains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from gaitid.simulate.c3d_file import stored_parameters
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.chain_state import ChainState, chain_state
from gaitid.simulate.scenario_file import load_scenario
from gaitid.simulate.scenarios import Scenario
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk import Walk, WalkState
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import ForcePlate, Trial


@dataclass(frozen=True)
class Simulated:
    """A walk, its exact state at the camera's instants, and what a laboratory would have recorded of it."""

    walk: Walk
    truth: WalkState
    trial: Trial
    static: Trial


@cache
def walk_of(scenario: str = "walk", **options: float | bool) -> Walk:
    """A walk that several tests ask; nobody changes it."""
    return simulate_walk(WalkSettings(**options), scenario)  # type: ignore[arg-type]


@cache
def state_of(scenario: str = "walk", **options: float | bool) -> WalkState:
    """Its exact state at the camera's instants."""
    walk = walk_of(scenario, **options)
    return walk.at(walk.settings.times_s)


@cache
def simulated_chain(name: str, **options: float) -> tuple[ChainScenario, ChainState]:
    """A mechanical system of a file or by name, half a second of it, with its exact state; nobody changes it."""
    scenario = load_scenario(name, {"duration": 0.5, **options})
    assert isinstance(scenario, ChainScenario)
    return scenario, chain_state(scenario)


@cache
def simulated_walk(scenario: str = "walk", **options: float | bool) -> Simulated:
    return simulated(scenario, **options)


def simulated(scenario: str | Scenario, **options: float | bool) -> Simulated:
    settings = WalkSettings(**options)  # type: ignore[arg-type]
    shared = isinstance(scenario, str)
    walk = walk_of(scenario, **options) if shared else simulate_walk(settings, scenario)
    truth = state_of(scenario, **options) if shared else walk.at(settings.times_s)
    channels = walk.plate_channels(settings.analog_times_s)
    plates = tuple(
        ForcePlate(p.number, 2, p.corners_g, p.sensor_p, settings.analog_rate_hz, *channels[p.number])
        for p in walk.plates
    )
    up = np.array([0.0, 0.0, 1.0])
    standing = walk.static_markers(20)
    return Simulated(
        walk,
        truth,
        Trial(
            Path("walk.c3d"),
            settings.rate_hz,
            1,
            tuple(truth.marker_g),
            np.stack(list(truth.marker_g.values()), axis=1),
            plates,
            parameters=stored_parameters(walk.subject, with_offsets=True),
            up_hint=up,
        ),
        Trial(
            Path("static.c3d"),
            settings.rate_hz,
            1,
            tuple(standing),
            np.stack(list(standing.values()), axis=1),
            parameters=stored_parameters(walk.subject, with_offsets=False),
            up_hint=up,
        ),
    )
