"""Mechanisms solved, and read by the names of their files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.mechanism.body import poses_of
from gaitid.mechanism.dynamics import COORDINATES, Solution, solve
from gaitid.mechanism.file import MechanismFile, find_mechanism, load_mechanism


@dataclass(frozen=True)
class Solved:
    """A solution by the names of its file."""

    source: MechanismFile
    solution: Solution

    def columns(self, body: str) -> slice:
        k = [b.name for b in self.source.mechanism.bodies].index(body)
        return slice(COORDINATES * k, COORDINATES * (k + 1))

    def q(self, body: str) -> np.ndarray:
        return self.solution.q[:, self.columns(body)]

    def qd(self, body: str) -> np.ndarray:
        return self.solution.qd[:, self.columns(body)]

    def qdd(self, body: str) -> np.ndarray:
        return self.solution.qdd[:, self.columns(body)]

    def point(self, body: str, point: str) -> np.ndarray:
        k = [b.name for b in self.source.mechanism.bodies].index(body)
        return poses_of(self.solution.q)[k + 1].point(self.source.mechanism.bodies[k].points[point]).value

    def effort(self, driver: str) -> np.ndarray:
        """What a driver exerts on its second body."""
        return -self.solution.multipliers[:, self.source.mechanism.rows[driver]][:, 0]

    def load(self, constraint: str, which: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force on, torque on and point of one of a constraint's bodies."""
        c = next(c for c in self.source.mechanism.constraints if c.name == constraint)
        return self.solution.loads_of(c)[which]


@cache
def solved(name: str) -> Solved:
    source = load_mechanism(find_mechanism(name))
    return Solved(source, solve(source.mechanism, source.time_s, source.statics))


def solved_file(path: Path) -> Solved:
    source = load_mechanism(path)
    return Solved(source, solve(source.mechanism, source.time_s, source.statics))


def merged(old: Any, new: Any) -> Any:
    """`old` with what `new` gives; a value of None takes a key away."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {k: merged(old.get(k), v) if k in new else old[k] for k, v in {**old, **new}.items() if v is not None}
