"""`gaitid mechanism` as a user meets it: its files, its help, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from pathlib import Path

import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid, table

from gaitid.mechanism.file import bundled_mechanisms, find_mechanism


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `mechanism four_bar` writes, with the picture."""
    folder = tmp_path_factory.mktemp("four_bar")
    done = gaitid("mechanism", "four_bar", "-o", folder, "--plot", folder / "four_bar.png")
    assert done.code == 0, done.err
    assert len(done.lines) == 1 and done.err.startswith("gaitid: wrote ") and done.out == ""
    return folder


def test_bundled_are_those_of_the_help() -> None:
    done = gaitid("mechanism", "--help")
    assert done.code == 0
    assert list(bundled_mechanisms()) == [
        "cycling_leg",
        "four_bar",
        "gait_leg",
        "geared_five_bar",
        "planetary_gear",
        "slider_crank",
    ]
    assert ", ".join(bundled_mechanisms()) in " ".join(done.out.split())
    assert "Example:  gaitid mechanism four_bar -o results" in done.out


def test_motion_table(results: Path) -> None:
    names, rows = table((results / "four_bar.motion.csv").read_text(encoding="utf-8"))
    assert names[:10] == [
        "time_s",
        "crank_x_m",
        "crank_y_m",
        "crank_phi_rad",
        "crank_vx_m_per_s",
        "crank_vy_m_per_s",
        "crank_omega_rad_per_s",
        "crank_ax_m_per_s2",
        "crank_ay_m_per_s2",
        "crank_alpha_rad_per_s2",
    ]
    assert len(names) == 1 + 3 * 9
    assert len(rows) == 361
    # the crank's centre on its circle of 0.05 m, to the ten digits written
    for row in rows[::40]:
        assert math.hypot(float(row[1]), float(row[2])) == pytest.approx(0.05, abs=1e-11)
        assert float(row[6]) == pytest.approx(2 * math.pi, rel=1e-9)


def test_loads_table(results: Path) -> None:
    names, rows = table((results / "four_bar.loads.csv").read_text(encoding="utf-8"))
    assert names[:5] == [
        "time_s",
        "crank_drive_torque_Nm",
        "crank_drive_power_W",
        "O2_multiplier_x_N",
        "O2_multiplier_y_N",
    ]
    assert names[-2:] == ["kinetic_energy_J", "potential_energy_J"]
    assert all(all(cell for cell in row) for row in rows)
    first = dict(zip(names, map(float, rows[0]), strict=True))
    for body, sign in (("ground", 1), ("crank", -1)):
        assert [first[f"O2_on_{body}_force_{axis}_N"] for axis in "xy"] == [
            sign * first[f"O2_multiplier_{axis}_N"] for axis in "xy"
        ]
    assert first["crank_drive_on_crank_torque_Nm"] == first["crank_drive_torque_Nm"]
    assert first["crank_drive_power_W"] == pytest.approx(2 * math.pi * first["crank_drive_torque_Nm"], rel=1e-9)
    assert (first["A_on_coupler_at_x_m"], first["A_on_coupler_at_y_m"]) == pytest.approx(
        (0.1 * math.cos(math.pi / 6), 0.05), abs=1e-11
    )


def test_record(results: Path) -> None:
    record = json.loads((results / "four_bar.mechanism.json").read_text(encoding="utf-8"))
    source = find_mechanism("four_bar")
    assert record["inputs"] == [
        {
            "role": "mechanism",
            "path": "mechanisms/four_bar.yaml (bundled)",
            "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        }
    ]
    assert record["counts"] == {"nq": 9, "nk": 8, "nd": 1}
    assert record["command"][:3] == ["gaitid", "mechanism", "four_bar"]
    quality = record["quality"]
    assert 1 <= quality["condition_max"] < 10
    # m and relative: rounding; W: the derivative of the energy by a spline at 360 rows a turn
    assert quality["phi_max"] < 1e-14 and quality["simultaneous_difference"] < 1e-12
    assert quality["power_residual_W"] < 1e-7 * quality["power_max_W"]


def test_picture_is_the_same_every_time(results: Path, tmp_path: Path) -> None:
    assert gaitid("mechanism", "four_bar", "-q", "-o", tmp_path, "--plot", tmp_path / "again.png").code == 0
    first, again = (results / "four_bar.png").read_bytes(), (tmp_path / "again.png").read_bytes()
    assert first[:4] == b"\x89PNG" and first == again


@pytest.mark.parametrize("name", ["cycling_leg", "gait_leg", "geared_five_bar", "slider_crank"])
def test_every_bundled_mechanism_is_solved(name: str, tmp_path: Path) -> None:
    done = gaitid("mechanism", f"{name}.yaml", "-q", "-o", tmp_path)
    assert done.code == 0 and done.err == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        f"{name}.loads.csv",
        f"{name}.mechanism.json",
        f"{name}.motion.csv",
    ]
    assert "nan" not in (tmp_path / f"{name}.loads.csv").read_text(encoding="utf-8")


def test_tables_are_inputs_with_their_hashes(tmp_path: Path) -> None:
    assert gaitid("mechanism", "gait_leg", "-q", "-o", tmp_path).code == 0
    record = json.loads((tmp_path / "gait_leg.mechanism.json").read_text(encoding="utf-8"))
    assert [i["role"] for i in record["inputs"]] == ["mechanism", "table"]
    assert record["inputs"][1]["path"] == "mechanisms/gait_leg.csv (bundled)"


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    text = find_mechanism("four_bar").read_text(encoding="utf-8")
    own.write_text(
        text.replace("mass_kg: 1.0\n    inertia_kg_m2: 1.0*0.25**2/12", "mass_kg: 0\n    inertia_kg_m2: 0"), "utf-8"
    )
    done = gaitid("mechanism", own, "-o", tmp_path)
    assert done.code == 0
    assert done.lines[0] == f"gaitid: {own}: coupler has no mass: its weight and inertia are left out"
    assert (tmp_path / "mine.loads.csv").is_file()


def test_a_refused_mechanism_leaves_nothing(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    text = find_mechanism("four_bar").read_text(encoding="utf-8")
    own.write_text(text[: text.index("drivers:")], encoding="utf-8")
    done = gaitid("mechanism", own, "-o", tmp_path / "out", "--plot", tmp_path / "out" / "mine.png")
    assert_refused(
        done, f"gaitid: {own}: drivers: the wrong number of them; expected nd = nq − nk = 9 − 8 = 1", "nd = 0"
    )
    assert not (tmp_path / "out").exists()


def test_a_picture_is_not_left_without_its_tables(tmp_path: Path) -> None:
    blocked, picture = tmp_path / "file", tmp_path / "four_bar.png"
    blocked.write_text("not a folder", encoding="utf-8")
    assert_refused(gaitid("mechanism", "four_bar", "-o", blocked, "--plot", picture), "cannot write to")
    picture.mkdir()
    assert_refused(gaitid("mechanism", "four_bar", "-o", tmp_path, "--plot", picture), "four_bar.png is a folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "four_bar.png"]


def test_a_picture_takes_no_pipes_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "link.png").symlink_to("pipe.png")
    for name in ("pipe.png", "link.png"):
        done = gaitid("mechanism", "four_bar", "-o", tmp_path / "out", "--plot", tmp_path / name)
        assert_refused(done, f"{name}: cannot be written ({name} is a device, a pipe or a socket)")
    assert stat.S_ISFIFO((tmp_path / "pipe.png").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.png", "pipe.png"]


def test_a_title_that_is_no_text(tmp_path: Path) -> None:
    text = find_mechanism("four_bar").read_text(encoding="utf-8")
    own = tmp_path / os.fsdecode(b"a\xff.yaml")
    own.write_text("".join(line for line in text.splitlines(True) if not line.startswith("title:")), encoding="utf-8")
    done = gaitid("mechanism", own, "-o", tmp_path, "--plot", tmp_path / "a.svg")
    assert done.code == 0, done.err
    assert r"a\udcff" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_a_spring_without_length_is_warned_about(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    text = find_mechanism("four_bar").read_text(encoding="utf-8")
    spring = "{type: spring, bodies: [ground, crank], points: [O2, O2], stiffness_N_per_m: 5}"
    own.write_text(f"{text}\nloads:\n  coil: {spring}\n", encoding="utf-8")
    done = gaitid("mechanism", own, "-o", tmp_path)
    assert done.code == 0 and "coil has no length, and so no direction, in" in done.err
    assert "coil has no length" in json.loads((tmp_path / "mine.mechanism.json").read_text("utf-8"))["warnings"][0]


def test_other_refusals(tmp_path: Path) -> None:
    assert_refused(gaitid("mechanism", "four_bra", "-o", tmp_path), "did you mean 'four_bar'")
    assert_refused(gaitid("mechanism", tmp_path, "-o", tmp_path), "no mechanism")
    picture = ("--plot", tmp_path / "four_bar.txt")
    assert_refused(gaitid("mechanism", "four_bar", "-o", tmp_path, *picture), "no picture format '.txt'")
    assert not list(tmp_path.iterdir())
    assert_wrong_usage(gaitid("mechanism"), "Missing argument 'FILE.yaml'")
    assert_wrong_usage(gaitid("mechanism", "four_bar", "-o", ""), "expected a path, found nothing")
