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
from gaitid.mechanism.file import find_mechanism, load_mechanism

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


def test_circles_roll_where_they_touch(differential: Solved) -> None:
    """The points of both gears at the contact have the same velocity."""
    out = differential.q("planet")[:, :2] / ARM
    across = np.stack([-out[:, 1], out[:, 0]], axis=1)
    speed = {b: turns(differential, b)[1][:, None] for b in ("sun", "planet", "ring", "carrier")}
    planet_v = differential.qd("planet")[:, :2]
    close(speed["sun"] * SUN * across, planet_v - speed["planet"] * PLANET * across)
    close(speed["ring"] * RING * across, planet_v + speed["planet"] * PLANET * across)
    close(planet_v, speed["carrier"] * ARM * across)


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


def test_teeth_and_pin(differential: Solved) -> None:
    """Forces on the planet, from Newton's and Euler's law of the sun, the ring and the planet alone."""
    out = differential.q("planet")[:, :2] / ARM
    across = np.stack([-out[:, 1], out[:, 0]], axis=1)
    sun_push = (differential.effort("motor") - 0.5 * 0.4 * SUN**2 * turns(differential, "sun")[2]) / SUN
    ring_push = (differential.effort("ring_motor") - 3e-3 * turns(differential, "ring")[2]) / RING
    close(differential.load("sun_mesh", 1)[0], sun_push[:, None] * across)
    close(differential.load("ring_mesh", 0)[0], ring_push[:, None] * across)
    needed = 0.2 * (differential.qdd("planet")[:, :2] + [0, G])
    pin = needed - (sun_push + ring_push)[:, None] * across
    close(differential.load("pin", 1)[0], pin)
    # about the planet's centre the teeth turn it against each other
    spin = 0.5 * 0.2 * PLANET**2 * turns(differential, "planet")[2]
    close((ring_push - sun_push) * PLANET, spin)


def test_the_torque_alone_says_less(tmp_path: Path) -> None:
    """Sommer's gear pairs on the carrier move alike and ask the motor for the same, and leave the pin without teeth."""
    on_link = {"type": "gear_pair_on_link", "constant_deg": 0}
    sun = on_link | {"bodies": ["sun", "planet", "carrier"], "radii_m": [SUN, PLANET], "mesh": "external"}
    ring = on_link | {"bodies": ["planet", "ground", "carrier"], "radii_m": [PLANET, RING], "mesh": "internal"}
    pairs = solved_file(edited(tmp_path, {"constraints.sun_mesh": sun, "constraints.ring_mesh": ring}))
    mesh = solved("planetary_gear")
    for body in ("sun", "carrier", "planet"):
        close(pairs.q(body), mesh.q(body))
    close(pairs.effort("motor"), mesh.effort("motor"))
    bare, loaded = (np.linalg.norm(one.load("pin", 1)[0], axis=1) for one in (pairs, mesh))
    assert bare.max() < 3.0 < 35.0 < loaded.min()  # N; 2 N·m on an arm of 0.05 m are 40 N


def test_a_constant_says_how_they_stand(tmp_path: Path) -> None:
    """With the sun's mark turned by 12° from the line of centres where the planet's lies on it."""
    one = solved_file(edited(tmp_path, {"constraints.sun_mesh.constant_deg": 12}))
    sun, carrier, planet = (turns(one, b)[0][0] for b in ("sun", "carrier", "planet"))
    left = SUN * (sun - carrier) + PLANET * (planet - carrier) - SUN * np.radians(12)
    assert left % (2 * np.pi * ARM) == pytest.approx(0, abs=1e-12) or left % (2 * np.pi * ARM) > 2 * np.pi * ARM - 1e-12


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


def test_a_second_planet_would_share_the_load_in_no_known_way(tmp_path: Path) -> None:
    source = load_mechanism(find_mechanism("planetary_gear"))
    assert [c.name for c in source.mechanism.constraints if c.units == ("N",)] == ["sun_mesh", "ring_mesh"]
    second = {
        "bodies.second": {
            "mass_kg": 0.2,
            "inertia_kg_m2": 4e-5,
            "points_m": {"P": [0, 0]},
            "guess": {"x_m": -0.05, "phi_deg": 0},
        },
        "bodies.carrier.points_m": {"O": [0, 0], "P": [0.05, 0], "Q": [-0.05, 0]},
        "constraints.pin2": {"type": "revolute", "bodies": ["carrier", "second"], "points": ["Q", "P"]},
    }
    for mesh, bodies, points in (("sun2", ["sun", "second"], ["O", "P"]), ("ring2", ["second", "ground"], ["P", "O"])):
        of = {"type": "gear_mesh", "bodies": bodies, "points": points}
        of |= {"radii_m": [SUN, PLANET], "mesh": "external"} if mesh == "sun2" else {}
        of |= {"radii_m": [PLANET, RING], "mesh": "internal"} if mesh == "ring2" else {}
        second[f"constraints.{mesh}"] = of
    with pytest.raises(ModelError, match="redundant"):
        solved_file(edited(tmp_path, second))
