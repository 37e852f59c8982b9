"""A chain of a scenario file in long double, from its YAML alone: an independent account of M, V, G, J and τ.

Poses are products of rotations (Rodrigues) and slides; everything else is their derivative by differences of order 8
in 80-bit numbers (step 2e-3: truncation of some 1e-19, rounding of some 1e-16 for first and 1e-13 for second
derivatives), and of energies: M from the kinetic energy, V from Lagrange's equation, G from the potential. Nothing of
gaitid takes part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import yaml

LONG = np.longdouble
# Central differences of order 8 (Fornberg 1988, Math Comput 51:699-706).
_WEIGHTS = [LONG(4) / 5, LONG(-1) / 5, LONG(4) / 105, LONG(-1) / 280]
_STEP = LONG("2e-3")
_SEQUENCES = {
    "revolute": ("", None),
    "prismatic": (None, ""),
    "universal": ("xy", None),
    "spherical": ("xyz", None),
    "planar": ("z", "planar"),
    "free": ("xyz", "xyz"),
    "fixed": ("", ""),
}


def number(value: object) -> LONG:
    """A number or a formula of numbers."""
    if isinstance(value, str):
        return LONG(eval(value, {"__builtins__": {}}, {"pi": LONG(math.pi), "sqrt": np.sqrt}))
    return LONG(value)  # type: ignore[arg-type]


def vector(value: Sequence[object] | None, default: Sequence[float] = (0, 0, 0)) -> np.ndarray:
    return np.array([number(v) for v in (default if value is None else value)], dtype=LONG)


def turned(axis: np.ndarray, angle: LONG) -> np.ndarray:
    """A rotation about a unit vector."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=LONG)
    return np.eye(3, dtype=LONG) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def derivative(function: Callable[[LONG], np.ndarray], step: LONG = _STEP) -> np.ndarray:
    """d/ds at s = 0."""
    parts = [w * (function(k * step) - function(-k * step)) for k, w in enumerate(_WEIGHTS, start=1)]
    return sum(parts[1:], parts[0]) / step


class ExactChain:
    """Bodies, coordinates and their order as the scenario's file has them."""

    def __init__(self, text: str) -> None:
        content: dict[str, Any] = yaml.safe_load(text)
        self.content = content
        self.gravity = np.array([0, 0, -number(content.get("gravity_m_per_s2", 9.81))], dtype=LONG)
        self.bodies = content["bodies"]
        self.names = [body["name"] for body in self.bodies]
        self.coordinates: list[str] = []
        self.joints: list[list[tuple[str, np.ndarray]]] = []
        for body in self.bodies:
            steps = self._steps(body["joint"])
            self.joints.append(steps)
            name = body["joint"]["name"]
            letters = [kind[-1] for kind, _ in steps]
            several = body["joint"]["type"] not in ("revolute", "prismatic")
            self.coordinates += [f"{name}_{k}{x}" if several else name for k, x in enumerate(letters, start=1)]

    @staticmethod
    def _steps(joint: dict[str, Any]) -> list[tuple[str, np.ndarray]]:
        kind = joint["type"]
        unit = dict(zip("xyz", np.eye(3, dtype=LONG), strict=True))
        if kind in ("revolute", "prismatic"):
            axis = vector(joint["axis"])
            return [("turn_" if kind == "revolute" else "slide_", axis / np.sqrt(axis @ axis))]
        turns = joint.get("sequence", _SEQUENCES[kind][0]) or ""
        slides = _SEQUENCES[kind][1] or ""
        if slides == "planar":
            slides = "".join(x for x in "xyz" if x != turns)
        return [(f"slide_{x}", unit[x]) for x in slides] + [(f"turn_{x}", unit[x]) for x in turns]

    def poses(self, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """R_gs and the joint's place of each body."""
        found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        ends: dict[str, np.ndarray] = {"ground": np.zeros(3, dtype=LONG)}
        i = 0
        for body, steps in zip(self.bodies, self.joints, strict=True):
            joint, parent = body["joint"], body["parent"]
            R, p = found.get(parent, (np.eye(3, dtype=LONG), np.zeros(3, dtype=LONG)))
            p = p + R @ (vector(joint["at_m"]) if "at_m" in joint else ends[parent])
            for turn in joint.get("rest_turned", []):
                ((letter, angle),) = turn.items()
                R = R @ turned(np.eye(3, dtype=LONG)["xyz".index(letter[0])], number(angle))
            for kind, axis in steps:
                if kind.startswith("turn"):
                    R = R @ turned(axis, q[i])
                else:
                    p = p + R @ axis * q[i]
                i += 1
            found[body["name"]] = (R, p)
            ends[body["name"]] = vector(body.get("distal_m"))
        return [found[name] for name in self.names]

    def point(self, q: np.ndarray, body: str, place: np.ndarray) -> np.ndarray:
        """A point of a body in the laboratory; `place` in its axes from its joint."""
        R, p = self.poses(q)[self.names.index(body)]
        return p + R @ place

    def end(self, body: str) -> np.ndarray:
        return vector(self.bodies[self.names.index(body)].get("distal_m"))

    def _along(self, q: np.ndarray, i: int, of: Callable[[np.ndarray], np.ndarray], step: LONG = _STEP) -> np.ndarray:
        unit = np.zeros(len(q), dtype=LONG)
        unit[i] = 1
        return derivative(lambda s: of(q + s * unit), step)

    def jacobian(self, q: np.ndarray, body: str, place: np.ndarray) -> np.ndarray:
        """(6, n): v of the point, then ω, laboratory axes."""
        R0 = self.poses(q)[self.names.index(body)][0]
        columns = []
        for i in range(len(q)):
            v = self._along(q, i, lambda x: self.point(x, body, place))
            W = self._along(q, i, lambda x: self.poses(x)[self.names.index(body)][0]) @ R0.T
            columns.append(np.concatenate([v, [W[2, 1], W[0, 2], W[1, 0]]]))
        return np.stack(columns, axis=1)

    def M(self, q: np.ndarray) -> np.ndarray:
        """From the kinetic energy: Σ m JᵥᵀJᵥ + Jωᵀ I Jω."""
        n = len(q)
        poses = self.poses(q)
        slopes = [self._along(q, i, lambda x: np.stack([self._packed(x)])[0]) for i in range(n)]
        M = np.zeros((n, n), dtype=LONG)
        for k, body in enumerate(self.bodies):
            R, _ = poses[k]
            inertia = self._inertia(body)
            Jv = np.stack([slope[k, 9:] for slope in slopes], axis=1)
            spins = [slope[k, :9].reshape(3, 3) @ R.T for slope in slopes]
            Jw = np.stack([np.array([W[2, 1], W[0, 2], W[1, 0]]) for W in spins], axis=1)
            local = R.T @ Jw
            M = M + number(body.get("mass_kg", 0)) * Jv.T @ Jv + local.T @ inertia @ local
        return M

    def _packed(self, q: np.ndarray) -> np.ndarray:
        """(bodies, 12): R and the centre of mass of each."""
        poses = self.poses(q)
        rows = [
            np.concatenate([R.ravel(), p + R @ vector(body.get("com_m"))])
            for (R, p), body in zip(poses, self.bodies, strict=True)
        ]
        return np.stack(rows)

    @staticmethod
    def _inertia(body: dict[str, Any]) -> np.ndarray:
        given = body.get("inertia_kg_m2", [0, 0, 0])
        if isinstance(given[0], list):
            return np.stack([vector(row) for row in given])
        return np.diag(vector(given))

    def G(self, q: np.ndarray) -> np.ndarray:
        """The slope of the potential energy."""

        def potential(x: np.ndarray) -> np.ndarray:
            places = self._packed(x)[:, 9:]
            return -sum(
                number(b.get("mass_kg", 0)) * (c @ self.gravity) for b, c in zip(self.bodies, places, strict=True)
            )

        return np.array([self._along(q, i, potential) for i in range(len(q))], dtype=LONG)

    def V(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Ṁ q̇ − ½ ∂(q̇ᵀ M q̇)/∂q: what Lagrange's equation has beside M q̈ + G."""
        slopes = [self._along(q, i, self.M, LONG("1e-2")) for i in range(len(q))]
        rate = sum(s * w for s, w in zip(slopes, qd, strict=True))
        return rate @ qd - np.array([qd @ s @ qd for s in slopes]) / 2

    def drift(self, q: np.ndarray, qd: np.ndarray, body: str, place: np.ndarray) -> np.ndarray:
        """J̇ q̇ of a point: its acceleration along q + q̇ s with q̈ 0."""
        step, size = LONG("1e-2"), np.sqrt(qd @ qd)
        way = qd / size
        twice = derivative(lambda s: derivative(lambda r: self.point(q + (s + r) * way, body, place), step), step)
        return size**2 * twice
