"""What a mechanism file or a mechanism is refused for: one line that names the key, or the constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import acos, pi
from pathlib import Path
from typing import Any

import pytest
from solved_mechanisms import solved_file

from gaitid.errors import GaitidError, ModelError
from gaitid.mechanism.file import find_mechanism

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


def test_the_locked_angle_is_the_one_of_geometry(edited: Edited) -> None:
    """Coupler and rocker in line, B + C: cos θ = (a² + d² − (b + c)²)/(2 a d), reached on the way down from 30°."""
    line = refusal(edited("four_bar", {"ground": {"points_m": {"O4": [0.5, 0]}}}))
    theta = acos((0.10**2 + 0.5**2 - 0.55**2) / (2 * 0.10 * 0.5))
    # within the last of the halved steps, 1/360 s / 2¹⁴, and six printed digits
    assert float(line.split("t = ")[1].split(" s")[0]) == pytest.approx((theta - pi / 6) / (2 * pi), abs=2e-6)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bodies": {"crank": {"mass_kg": None}}}, "bodies.crank.mass_kg: missing"),
        ({"bodies": {"crank": {"mass_kg": 0}}}, "bodies.crank.mass_kg: a body with inertia has mass, found 0"),
        ({"bodies": {"crank": {"mass_kg": -1}}}, "bodies.crank.mass_kg: expected at least 0, found -1"),
        ({"bodies": {"crank": {"mass_kg": 1e308}}}, "bodies.crank.mass_kg: expected a number of at most 1e+12"),
        ({"bodies": {"crank": {"mass_kg": "heavy"}}}, "bodies.crank.mass_kg: expected a number or a formula"),
        ({"bodies": {"crank": {"mass_kg": True}}}, "bodies.crank.mass_kg: not a formula"),
        ({"bodies": {"crank": {"mass": 1}}}, "bodies.crank.mass: unknown key (did you mean 'mass_kg'?)"),
        ({"bodies": {"crank": {"points_m": {"G": [0, 0]}}}}, "bodies.crank.points_m.G: G is the centre of mass"),
        ({"bodies": {"crank": {"points_m": {"A": [0]}}}}, "bodies.crank.points_m.A: expected [x, y], found [0]"),
        ({"bodies": {"crank": {"guess": None}}}, "bodies.crank.guess: missing"),
        ({"bodies": {"cr ank": {}}}, "bodies: a name has letters, digits and _"),
        ({"bodies": None}, "bodies: missing; bodies: expected at least one"),
        ({"constraints": {"A": {"bodies": ["crnk", "coupler"]}}}, "no body 'crnk' (did you mean 'crank'?)"),
        ({"constraints": {"A": {"bodies": ["crank", "crank"]}}}, "constraints.A.bodies: the same body twice"),
        ({"constraints": {"A": {"bodies": ["crank"]}}}, "constraints.A.bodies: expected 2 bodies"),
        ({"constraints": {"A": {"points": ["A", "C"]}}}, "constraints.A.points[1]: coupler has no point 'C'"),
        ({"constraints": {"A": {"type": "revolut"}}}, "found 'revolut' (did you mean 'revolute'?)"),
        ({"constraints": {"A": {"type": "relative_angle_driver"}}}, "constraints.A.type: expected revolute or"),
        ({"drivers": {"A": {"type": "revolute"}}}, "drivers.A: the name is taken"),
        ({"drivers": {"crank_drive": {"angle_deg": 1}}}, "expected one of angle_rad and angle_deg, found 2"),
        ({"drivers": {"crank_drive": {"angle_rad": {"polynomial": None}}}}, "angle_rad: expected a number, polynomial"),
        ({"drivers": {"crank_drive": {"angle_rad": {"sines": [{"amplitude": 1}]}}}}, "sines[0].frequency_hz: missing"),
        (
            {"drivers": {"crank_drive": {"angle_rad": {"table": "no.csv", "column": "a", "polynomial": None}}}},
            "drivers.crank_drive.angle_rad: no.csv: no such file",
        ),
        (
            {"drivers": {"crank_drive": {"angle_rad": {"table": "x" * 300, "column": "a", "polynomial": None}}}},
            "cannot be read (File name too long)",
        ),
        ({"drivers": {"crank_drive": {"angle_rad": {"table": ".", "column": "a", "polynomial": None}}}}, "not a file"),
        ({"gravity_m_per_s2": "g" * 5000}, "g…"),
        ({"gravity_m_per_s2": None}, "gravity_m_per_s2: missing"),
        ({"gravity_m_per_s2": -9.81}, "gravity_m_per_s2: expected [x, y], found -9.81"),
        ({"time": None}, "time: missing"),
        ({"time": {"end_s": 0.9999}}, "time: end_s − start_s is no whole number of intervals"),
        ({"time": {"end_s": -1}}, "time.end_s: before start_s 0, found -1"),
        ({"time": {"rate_hz": 1e9}}, "time: expected at most 1000000 frames"),
        ({"statics": "yes"}, "statics: expected true or false"),
        ({"loads": {"push": {"type": "force", "body": "coupler", "force_N": [1, 0]}}}, "expected either point"),
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
        ({"gaitid_mechanism": 2}, "not a gaitid mechanism; expected a line `gaitid_mechanism: 1`"),
    ],
)
def test_faults_of_a_file(changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    path = edited("four_bar", changes)
    line = refusal(path)
    assert line.startswith(f"{path}: ")
    assert words in line


def test_a_driver_too_fast_to_be_followed_is_not_called_singular(edited: Edited) -> None:
    line = refusal(edited("four_bar", {"drivers": {"crank_drive": {"angle_rad": {"polynomial": [0.5, 1e10]}}}}))
    assert "drivers: too fast to be followed at t = 0 s" in line and "singular" not in line


def test_all_faults_are_told_at_once(edited: Edited) -> None:
    line = refusal(edited("four_bar", {"gravity_m_per_s2": None, "drivers": {"crank_drive": {"bodies": None}}}))
    assert "gravity_m_per_s2: missing" in line and "drivers.crank_drive.bodies: missing" in line


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ratio": 0, "radii_m": None, "mesh": None}, "constraints.gears.ratio: expected a ratio other than 0"),
        ({"radii_m": [0.1, -0.1]}, "constraints.gears.radii_m: expected positive radii"),
        ({"mesh": "outside"}, "constraints.gears.mesh: expected external or internal or belt"),
        ({"constant_deg": None}, "expected one of constant_rad and constant_deg, found 0"),
        ({"type": "gear_pair_on_link"}, "constraints.gears.bodies: expected 3 bodies"),
    ],
)
def test_faults_of_gears(changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    assert words in refusal(edited("geared_five_bar", {"constraints": {"gears": changes}}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cylinder": {"slot": ["O", "O"]}}, "constraints.cylinder.slot: two points at the same place"),
        ({"cylinder": {"slot": "O"}}, "constraints.cylinder.slot: expected two points of ground, found 'O'"),
        ({"upright": {"vectors": [["O", "X"]]}}, "constraints.upright.vectors: expected [[P, Q], [P, Q]]"),
        ({"frame": {"type": "ground", "body": "ground", "x_m": 0, "y_m": 0, "phi_rad": 0}}, "ground is fixed already"),
    ],
)
def test_faults_of_slots_and_vectors(changes: Mapping[str, Any], words: str, edited: Edited) -> None:
    assert words in refusal(edited("slider_crank", {"constraints": changes}))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("time_s,hip_deg\n0,1\n1,2\n", "no column 'hip_x_m'"),
        ("time_s,hip_x_m\n0,1\n1,2\n", "hip_x_m.csv: too short"),
        ("time_s,hip_x_m\n" + "".join(f"{k},{k}\n" for k in range(9)) + "9,\n", "row 11, column 'hip_x_m'"),
        (
            "time_s,hip_x_m\n" + "".join(f"{k % 7},{k}\n" for k in range(9)),
            "row 9, column 'time_s': times must increase",
        ),
        ("time_s,hip_x_m\n" + "".join(f"{k},x\n" for k in range(9)), "row 2, column 'hip_x_m': not a number"),
        ("time_s,hip_x_m\n" + "".join(f"{k / 10},{k}\n" for k in range(9)), "the table does not reach over the time"),
    ],
)
def test_faults_of_a_table(rows: str, words: str, edited: Edited, tmp_path: Path) -> None:
    (tmp_path / "gait_leg.csv").write_text(
        (find_mechanism("gait_leg").parent / "gait_leg.csv").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (tmp_path / "hip_x_m.csv").write_text(rows, encoding="utf-8")
    assert words in refusal(edited("gait_leg", {"drivers": {"hip_x": {"position_m": {"table": "hip_x_m.csv"}}}}))


def test_a_driver_must_have_accelerations(edited: Edited, tmp_path: Path) -> None:
    (tmp_path / "gait_leg.csv").write_bytes((find_mechanism("gait_leg").parent / "gait_leg.csv").read_bytes())
    line = refusal(edited("gait_leg", {"drivers": {"hip_x": {"position_m": {"degree": 1}}}}))
    assert "drivers.hip_x.position_m.degree: expected 3 or 5, found 1" in line


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ModelError, match="no mechanism 'four_bra' .did you mean 'four_bar'"):
        find_mechanism("four_bra")
