"""Random trees of segments that move by closed forms: every rate and acceleration is exact.

The forms also take complex times, and the imaginary part of f(t + ih)/h at h = 1e-30 has no difference to cancel
(Squire & Trapp 1998, SIAM Rev 40:110-112).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.fictitious import Terms

G = np.array([0.0, 0.0, -9.81])
TIMES = np.linspace(0.0, 2.0, 41)
H = 1e-30
Solver = Callable[[Chain, np.ndarray], list[Wrench]]


def derivative(function: Callable[[np.ndarray], np.ndarray], t: np.ndarray) -> np.ndarray:
    return np.imag(function(t + 1j * H)) / H


def summed(terms: Terms) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment of all contributions to one joint together."""
    return sum(w.f_g for w in terms.values()), sum(w.m_g for w in terms.values())


def mv(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", R, v)


def turn(i: int, angle: np.ndarray) -> np.ndarray:
    R = np.zeros((*np.shape(angle), 3, 3), dtype=np.asarray(angle).dtype)
    j, k = (i + 1) % 3, (i + 2) % 3
    R[..., i, i] = 1.0
    R[..., j, j] = R[..., k, k] = np.cos(angle)
    R[..., k, j] = np.sin(angle)
    R[..., j, k] = -np.sin(angle)
    return R


@dataclass
class Segment:
    """A rigid body that turns by three smooth angles about its proximal joint."""

    parent: int  # −1: hangs from the moving base
    mass: float
    inertia: np.ndarray
    com: np.ndarray  # from the proximal joint, segment axes, m
    joint: np.ndarray  # the proximal joint from the parent's, parent's axes, m
    amplitude: np.ndarray
    frequency: np.ndarray
    phase: np.ndarray

    def angles(self, t: np.ndarray) -> list[np.ndarray]:
        return [a * np.sin(f * t + p) for a, f, p in zip(self.amplitude, self.frequency, self.phase, strict=True)]

    def rotation(self, t: np.ndarray) -> np.ndarray:
        a, b, c = self.angles(t)
        return turn(2, a) @ turn(1, b) @ turn(0, c)

    def omega(self, t: np.ndarray) -> np.ndarray:
        """ω = ȧ e_z + ḃ Rz e_y + ċ Rz Ry e_x, laboratory axes."""
        a, b, _ = self.angles(t)
        rates = [x * f * np.cos(f * t + p) for x, f, p in zip(self.amplitude, self.frequency, self.phase, strict=True)]
        Rz, Ry = turn(2, a), turn(1, b)
        z = np.broadcast_to(np.eye(3)[2], (len(t), 3))
        return rates[0][:, None] * z + rates[1][:, None] * Rz[:, :, 1] + rates[2][:, None] * (Rz @ Ry)[:, :, 0]


@dataclass
class Tree:
    """Segments, each after the one that it hangs from; the first hangs on a point that moves smoothly."""

    segments: list[Segment]
    base: np.ndarray  # (3, 3): amplitude, frequency, phase by axis

    def base_at(self, t: np.ndarray) -> np.ndarray:
        amplitude, frequency, phase = self.base
        return amplitude * np.sin(np.multiply.outer(t, frequency) + phase)

    def points(self, t: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Proximal joint and centre of mass of each segment."""
        joints: list[np.ndarray] = []
        for s in self.segments:
            if s.parent < 0:
                joints.append(self.base_at(t))
            else:
                joints.append(joints[s.parent] + mv(self.segments[s.parent].rotation(t), s.joint))
        return joints, [p + mv(s.rotation(t), s.com) for s, p in zip(self.segments, joints, strict=True)]

    def velocities(self, t: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Of the same points, by v + ω × r."""
        amplitude, frequency, phase = self.base
        joints: list[np.ndarray] = []
        for s in self.segments:
            if s.parent < 0:
                joints.append(amplitude * frequency * np.cos(np.multiply.outer(t, frequency) + phase))
            else:
                above = self.segments[s.parent]
                joints.append(joints[s.parent] + np.cross(above.omega(t), mv(above.rotation(t), s.joint)))
        coms = [v + np.cross(s.omega(t), mv(s.rotation(t), s.com)) for s, v in zip(self.segments, joints, strict=True)]
        return joints, coms

    def kinetic_energy(self, t: np.ndarray) -> np.ndarray:
        total = 0.0
        for s, v in zip(self.segments, self.velocities(t)[1], strict=True):
            omega_s = np.einsum("tji,tj->ti", s.rotation(t), s.omega(t))
            total = total + 0.5 * s.mass * np.sum(v * v, axis=1)
            total = total + 0.5 * np.sum(omega_s * mv(s.inertia, omega_s), axis=1)
        return total

    def chain(self, t: np.ndarray, external: dict[int, Wrench] | None = None) -> Chain:
        """As the solvers take it: link i is segment n − 1 − i, from the free ends to the base."""
        joints, coms = self.points(t)
        links = [
            Link(
                s.mass,
                s.inertia,
                s.rotation(t),
                coms[i],
                derivative(lambda u, i=i: self.velocities(u)[1][i], t),
                s.omega(t),
                derivative(s.omega, t),
                joints[i],
                (external or {}).get(i),
            )
            for i, s in enumerate(self.segments)
        ]
        last = len(links) - 1
        proximal = [None if s.parent < 0 else last - s.parent for s in self.segments]
        return Chain(links[::-1], proximal[::-1])


def random_inertia(rng: np.random.Generator, mass: float) -> np.ndarray:
    """Of a body that can exist, with principal axes anywhere, kg·m²."""
    spread = mass * rng.uniform(0.02, 0.2, 3) ** 2  # Σ m x², Σ m y², Σ m z²
    axes = Rotation.random(None, rng).as_matrix()
    return axes @ np.diag(spread.sum() - spread) @ axes.T


def random_tree(
    rng: np.random.Generator, n: int, branched: bool = True, masses: tuple[float, float] = (0.5, 10.0)
) -> Tree:
    """`n` segments; `branched`: each hangs from any of those before it, else from the last."""
    segments = []
    for i in range(n):
        mass = float(np.exp(rng.uniform(*np.log(masses))))
        segments.append(
            Segment(
                int(rng.integers(i)) if branched and i else i - 1,
                mass,
                random_inertia(rng, mass),
                rng.uniform(-0.3, 0.3, 3),
                rng.uniform(-0.5, 0.5, 3),
                rng.uniform(0.3, 1.2, 3),
                rng.uniform(1.0, 8.0, 3),
                rng.uniform(0, 6, 3),
            )
        )
    return Tree(segments, np.stack([rng.uniform(0, 0.3, 3), rng.uniform(1, 8, 3), rng.uniform(0, 6, 3)]))


def random_external(rng: np.random.Generator, n: int, frames: int) -> dict[int, Wrench]:
    """Loads of some hundred N and some ten N·m on some of the segments, by the tree's numbers."""
    chosen = np.flatnonzero(rng.uniform(size=n) < 0.6)
    return {
        int(i): Wrench(rng.normal(0, 400, (frames, 3)), rng.normal(0, 20, (frames, 3)), rng.normal(0, 1, (frames, 3)))
        for i in chosen
    }
