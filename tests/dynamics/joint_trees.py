"""Random trees of revolute and prismatic joints, and differences precise enough to judge them by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from moving_trees import random_inertia
from scipy.spatial.transform import Rotation

from gaitid.dynamics.joint_tree import Body, JointTree

TILTED = np.array([1.3, -2.1, -9.4])  # no component of gravity is special


def random_body(rng: np.random.Generator, name: str, parent: int) -> Body:
    mass, axis = rng.uniform(0.5, 5.0), rng.normal(size=3)
    return Body(
        name,
        parent,
        "revolute" if rng.uniform() < 0.6 else "prismatic",
        axis / np.linalg.norm(axis),
        Rotation.random(None, rng).as_matrix(),
        rng.uniform(-0.5, 0.5, 3),
        mass,
        rng.uniform(-0.3, 0.3, 3),
        random_inertia(rng, mass),
    )


def random_tree(seed: int, most: int = 6) -> JointTree:
    """Any parents that come first: branches, several bodies on the ground."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    return JointTree(tuple(random_body(rng, f"body {i}", int(rng.integers(-1, i))) for i in range(n)))


def random_state(tree: JointTree, seed: int, frames: int = 3) -> tuple[np.ndarray, ...]:
    """q, q̇, q̈ and τ."""
    rng = np.random.default_rng(seed + 1)
    return tuple(scale * rng.uniform(-1, 1, (frames, len(tree))) for scale in (3.0, 4.0, 20.0, 10.0))


def slope(f: Callable[[float], np.ndarray], h: float = 1e-3) -> np.ndarray:
    """f'(0) by five points: error h⁴ f⁽⁵⁾/30 (1e-13 of f's scale per (rad/s)⁵) and 1e-16/h of rounding."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def assert_close(a: np.ndarray, b: np.ndarray, relative: float, least: float = 1e-3) -> None:
    """To `relative` of the largest number in either, or of `least` where that is larger."""
    scale = max(np.abs(a).max(), np.abs(b).max(), least)
    assert np.abs(a - b).max() <= relative * scale, f"{np.abs(a - b).max() / scale:.3g} > {relative:.3g}"
