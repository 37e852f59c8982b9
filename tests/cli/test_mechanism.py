"""`gaitid mechanism` as a user meets it: its files, its help, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid, table

from gaitid.mechanism.file import find_mechanism


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `mechanism four_bar` writes, with the picture."""
    folder = tmp_path_factory.mktemp("four_bar")
    done = gaitid("mechanism", "four_bar", "-o", folder, "--plot", folder / "four_bar.png")
    assert done.code == 0, done.err
    assert len(done.lines) == 1 and done.err.startswith("gaitid: wrote ") and done.out == ""
    return folder


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


def test_other_refusals(tmp_path: Path) -> None:
    assert_refused(gaitid("mechanism", "four_bra", "-o", tmp_path), "did you mean 'four_bar'")
    assert_refused(gaitid("mechanism", tmp_path, "-o", tmp_path), "no mechanism")
    picture = ("--plot", tmp_path / "four_bar.txt")
    assert_refused(gaitid("mechanism", "four_bar", "-o", tmp_path, *picture), "no picture format '.txt'")
    assert not list(tmp_path.iterdir())
    assert_wrong_usage(gaitid("mechanism"), "Missing argument 'FILE.yaml'")
    assert_wrong_usage(gaitid("mechanism", "four_bar", "-o", ""), "expected a path, found nothing")
