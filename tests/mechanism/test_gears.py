"""Gears in mesh: Willis's equation, the forces of teeth and pins, and Lagrange's equation of the whole train."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from solved_mechanisms import Solved, solved, solved_file

from gaitid.errors import ModelError
from gaitid.mechanism.file import find_mechanism

# Of rows of size 1, through a matrix of condition 5.
EXACT = 1e-12
SUN, PLANET, RING, ARM = 0.03, 0.02, 0.07, 0.05
G = 9.81


def edited(tmp_path: Path, changes: Mapping[str, Any]) -> Path:
    """The bundled planetary gear with some of its keys, by their paths, replaced; None takes one away."""
    content = yaml.safe_load(find_mechanism("planetary_gear").read_text("utf-8"))
    for path, value in changes.items():
        *parents, key = path.split(".")
        at = content
        for parent in parents:
            at = at[parent]
        if value is None:
            del at[key]
        else:
            at[key] = value
    target = tmp_path / "gear.yaml"
    target.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    return target


def turns(one: Solved, body: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle, rate and acceleration of a body."""
    return one.q(body)[:, 2], one.qd(body)[:, 2], one.qdd(body)[:, 2]


def close(found: np.ndarray, expected: np.ndarray, tolerance: float = EXACT) -> None:
    assert np.abs(found - expected).max() <= tolerance * max(1.0, float(np.abs(expected).max()))


def test_willis_with_the_ring_held() -> None:
    """ω_sun = (1 + ρ_ring/ρ_sun) ω_carrier, and the planet turns by −(ρ_ring − ρ_planet)/ρ_planet as fast."""
    one = solved("planetary_gear")
    for sun, carrier, planet in zip(turns(one, "sun"), turns(one, "carrier"), turns(one, "planet"), strict=True):
        close(sun, (1 + RING / SUN) * carrier)
        close(planet, -(RING - PLANET) / PLANET * carrier)
    assert turns(one, "sun")[0][-1] == pytest.approx(20.0)  # two seconds at 10 rad/s, many turns of the circle


@pytest.fixture(scope="module")
def differential(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """The ring is a body of its own, driven as well, and everything speeds up and slows down."""
    ring = {"mass_kg": 0.6, "inertia_kg_m2": 3e-3, "points_m": {"O": [0, 0]}, "guess": {"phi_deg": 0}}
    driver = {"type": "relative_angle_driver", "bodies": ["ground", "ring"]}
    course = {"polynomial": [0, -4, 1.5], "sines": [{"amplitude": 0.3, "frequency_hz": 0.7}]}
    changes = {
        "bodies.ring": ring,
        "constraints.ring_axle": {"type": "revolute", "bodies": ["ground", "ring"], "points": ["O", "O"]},
        "constraints.ring_mesh.bodies": ["planet", "ring"],
        "drivers.ring_motor": driver | {"angle_rad": course},
    }
    return solved_file(edited(tmp_path_factory.mktemp("differential"), changes))


def test_willis_with_two_drives(differential: Solved) -> None:
    for ring, sun, carrier in zip(*(turns(differential, b) for b in ("ring", "sun", "carrier")), strict=True):
        close(RING * (ring - carrier), -SUN * (sun - carrier))


def test_torques_are_those_of_lagranges_equation(differential: Solved) -> None:
    """With φ_carrier = (ρ_s φ_s + ρ_r φ_r)/(ρ_s + ρ_r) and so on, d/dt ∂T/∂φ̇ + ∂V/∂φ is what the two motors exert."""
    total = SUN + RING
    carrier = np.array([SUN, RING]) / total  # per rate of sun and of ring
    # the sun's contact: ρ_s φ̇_s = v − ρ_p φ̇_p, v = ARM φ̇_c
    planet = (ARM * carrier - np.array([SUN, 0.0])) / PLANET
    inertia = {"sun": 0.5 * 0.4 * SUN**2, "planet": 0.5 * 0.2 * PLANET**2}
    M = inertia["sun"] * np.outer([1, 0], [1, 0]) + 3e-3 * np.outer([0, 1], [0, 1])
    M = M + (4e-4 + 0.2 * ARM**2) * np.outer(carrier, carrier) + inertia["planet"] * np.outer(planet, planet)
    qdd = np.stack([turns(differential, b)[2] for b in ("sun", "ring")], axis=1)
    weight = 0.2 * G * ARM * np.cos(turns(differential, "carrier")[0])
    expected = qdd @ M + (weight + 2.0)[:, None] * carrier  # the brake takes 2 N·m from the carrier
    found = np.stack([differential.effort(d) for d in ("motor", "ring_motor")], axis=1)
    close(found, expected)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"constraints.sun_mesh.radii_m": [0.03, 0.021]}, "constraints.sun_mesh: its axles are 0.05 m apart, and its"),
        ({"constraints.ring_mesh.mesh": "belt"}, "ring_mesh.mesh: expected external or internal"),
        ({"constraints.ring_mesh.radii_m": [0.02, 0.02]}, "a ring is larger than the gear inside it"),
        ({"constraints.ring_mesh.radii_m": [0.02, -0.07]}, "expected positive radii"),
    ],
)
def test_refused(tmp_path: Path, changes: Mapping[str, Any], words: str) -> None:
    with pytest.raises(ModelError) as caught:
        solved_file(edited(tmp_path, changes))
    assert words in caught.value.line()
