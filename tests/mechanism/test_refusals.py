"""What a mechanism file or a mechanism is refused for: one line that names the key, or the constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from solved_mechanisms import solved_file

from gaitid.errors import GaitidError

Edited = Callable[[str, Mapping[str, Any]], Path]
STRUT = {"type": "double_revolute", "bodies": ["ground", "crank"], "points": ["O2", "A"], "length_m": 0.1}
SLIDE = {"type": "pin_in_slot", "bodies": ["ground", "piston"], "slot": ["O", "X"], "pin": "X"}


def refusal(path: Path) -> str:
    with pytest.raises(GaitidError) as refused:
        solved_file(path)
    line = refused.value.line()
    assert "\n" not in line
    return line


@pytest.mark.parametrize(
    ("drivers", "found"),
    [(None, 0), ({"second": {"type": "relative_angle_driver", "bodies": ["ground", "rocker"], "angle_rad": 1}}, 2)],
)
def test_wrong_number_of_drivers(drivers: Any, found: int, edited: Edited) -> None:
    line = refusal(edited("four_bar", {"drivers": drivers}))
    assert line.startswith("drivers: the wrong number of them; expected nd = nq − nk = 9 − 8 = 1")
    assert f"found nd = {found}" in line


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        # a strut along the crank says again how far its pin is from its axle
        ("four_bar", {"constraints": {"strut": STRUT}}, "constraints O2, strut: redundant"),
        # the same where the count is right
        ("four_bar", {"constraints": {"strut": STRUT}, "drivers": None}, "constraints O2, strut: redundant"),
        # two pins in one slot keep the piston upright already
        ("slider_crank", {"constraints": {"slide": SLIDE}}, "constraints cylinder, upright, slide: redundant"),
        (
            "slider_crank",
            {
                "constraints": {"slide": SLIDE, "upright": None},
                "drivers": {
                    "again": {
                        "type": "relative_angle_driver",
                        "bodies": ["ground", "crank"],
                        "angle_rad": {"polynomial": [0, "20*pi"]},
                    }
                },
            },
            "drivers: the wrong number of them",
        ),
    ],
)
def test_redundant_constraints(name: str, changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    assert words in refusal(edited(name, changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        # a strut longer than the crank that it lies along
        (
            {"constraints": {"strut": {**STRUT, "length_m": 0.12}}, "drivers": None},
            "constraints O2, strut: cannot be met",
        ),
        ({"ground": {"points_m": {"O4": [5, 0]}}}, "O4"),
    ],
)
def test_constraints_that_cannot_be_met(changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    line = refusal(edited("four_bar", changes))
    assert words in line
    assert "cannot be met together at t = 0 s; expected Φ = 0" in line


def parallelogram(start_rad: float) -> Mapping[str, Any]:
    """Crank and rocker of 0.10 m, coupler and ground of 0.25 m: all in one line twice a turn."""
    degrees = 57.29577951308232 * start_rad
    return {
        "ground": {"points_m": {"O4": [0.25, 0]}},
        "bodies": {
            "crank": {"guess": {"phi_deg": degrees}},
            "coupler": {"guess": {"x_m": 0.2, "y_m": 0.05, "phi_deg": 0}},
            "rocker": {
                "points_m": {"O4": [-0.05, 0], "B": [0.05, 0]},
                "guess": {"x_m": 0.29, "y_m": 0.02, "phi_deg": degrees},
            },
        },
        "drivers": {"crank_drive": {"angle_rad": {"polynomial": [start_rad, "2*pi"]}}},
    }


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        # on the way, in a frame or between two: the crank is in the line at 150/360 s
        ("four_bar", parallelogram(0.5235987755982988), "t = 0.416666 s: constraints O2, A, B, O4 "),
        ("four_bar", {**parallelogram(0.5235987755982988), "time": {"rate_hz": 100}}, "t = 0.41666"),
        ("four_bar", parallelogram(0.0), "at t = 0 s: constraints O2, A, B, O4 "),
        # a crank that cannot turn round, beyond the last angle that it reaches
        ("four_bar", {"ground": {"points_m": {"O4": [0.5, 0]}}}, "constraints O2, A, B, O4, crank_drive "),
    ],
)
def test_singular_positions(name: str, changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    line = refusal(edited(name, changes))
    assert line.startswith("singular position at")
    assert words in line
    assert "do not determine the motion there; expected Φq of full rank" in line


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bodies": {"crank": {"mass_kg": None}}}, "bodies.crank.mass_kg: missing"),
        ({"bodies": {"crank": {"mass_kg": -1}}}, "bodies.crank.mass_kg: expected at least 0, found -1"),
        ({"bodies": {"crank": {"mass_kg": "heavy"}}}, "bodies.crank.mass_kg: expected a number or a formula"),
        ({"bodies": {"crank": {"mass": 1}}}, "bodies.crank.mass: unknown key (did you mean 'mass_kg'?)"),
        ({"bodies": {"crank": {"points_m": {"A": [0]}}}}, "bodies.crank.points_m.A: expected [x, y], found [0]"),
        ({"bodies": {"cr ank": {}}}, "bodies: a name has letters, digits and _"),
        ({"constraints": {"A": {"bodies": ["crnk", "coupler"]}}}, "no body 'crnk' (did you mean 'crank'?)"),
        ({"constraints": {"A": {"bodies": ["crank"]}}}, "constraints.A.bodies: expected 2 bodies"),
        ({"constraints": {"A": {"type": "revolut"}}}, "found 'revolut' (did you mean 'revolute'?)"),
        ({"drivers": {"A": {"type": "revolute"}}}, "drivers.A: the name is taken"),
        ({"drivers": {"crank_drive": {"angle_rad": {"polynomial": None}}}}, "angle_rad: expected a number, polynomial"),
        (
            {"drivers": {"crank_drive": {"angle_rad": {"table": "no.csv", "column": "a", "polynomial": None}}}},
            "drivers.crank_drive.angle_rad: no.csv: no such file",
        ),
        ({"drivers": {"crank_drive": {"angle_rad": {"table": ".", "column": "a", "polynomial": None}}}}, "not a file"),
        ({"gravity_m_per_s2": None}, "gravity_m_per_s2: missing"),
        ({"time": None}, "time: missing"),
        ({"time": {"end_s": -1}}, "time.end_s: before start_s 0, found -1"),
        ({"statics": "yes"}, "statics: expected true or false"),
        (
            {
                "loads": {
                    "push": {
                        "type": "spring",
                        "bodies": ["crank", "rocker"],
                        "points": ["A", "B"],
                        "stiffness_N_per_m": -1,
                    }
                }
            },
            "loads.push.stiffness_N_per_m: expected at least 0",
        ),
    ],
)
def test_faults_of_a_file(changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    path = edited("four_bar", changes)
    line = refusal(path)
    assert line.startswith(f"{path}: ")
    assert words in line
