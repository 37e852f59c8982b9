"""`gaitid capacity` of arms: the lecture's plane arm through the command's own path, at rest and in motion."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.capacity.files import CapacityOptions, capacity_file
from gaitid.capacity.limits import read_limits
from gaitid.run import RunOptions, prepare
from gaitid.simulate.files import simulate

L, M, TAU = 0.25, 0.2, 0.005**0.5  # m, kg, N·m: the lecture's arm
ARM = """
gaitid_scenario: 1
kind: chain
name: arm
bodies:
  - name: upper
    parent: ground
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0], at_m: [0, 0, 1]}
    distal_m: [0, 0, 0.25]
    mass_kg: 0.2
    com_m: [0, 0, 0.25]
    inertia_kg_m2: [0, 0, 0]
  - name: fore
    parent: upper
    joint: {name: elbow, type: revolute, axis: [0, 1, 0]}
    distal_m: [0, 0, 0.25]
    mass_kg: 0.2
    com_m: [0, 0, 0.25]
    inertia_kg_m2: [0, 0, 0]
drive:
  kind: tracked
  kp_per_s2: 100
  kd_per_s: 20
  motion:
    shoulder: {level_rad: -0.06, slope_rad_per_s: 0.6}
    elbow: {level_rad: pi / 2 - 0.09, slope_rad_per_s: 0.9}
loads:
  - {body: fore, force: {x: {level_N: 1}}, point: {}}
settings: {duration: 0.3, rate_hz: 100}
"""
LIMITS = f"""
gaitid_limits: 1
name: arm
sources: ["the lecture"]
torques_Nm:
  shoulder: {{turn_y: {TAU!r}, negative_turn_y: {TAU!r}}}
  elbow: {{turn_y: {TAU!r}, negative_turn_y: {TAU!r}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("arm")
    (made / "arm.yaml").write_text(ARM, encoding="utf-8")
    (made / "limits.yaml").write_text(LIMITS, encoding="utf-8")
    simulate(made / "arm.yaml", made)
    return made


def capacity(folder: Path, out: Path, **asked: object) -> dict[str, float]:
    """The row of frame 11, in which the upper arm is upright and the elbow at 90°."""
    prepared = prepare(RunOptions(model=str(folder / "arm.model.yaml"), settings={"cutoff_hz": "none"}))
    assert prepared.model is not None
    limits = read_limits(folder / "limits.yaml", prepared.model)
    options = replace(CapacityOptions(endpoint="fore_end", plane="xz", picture=11), **asked)  # type: ignore[arg-type]
    capacity_file(folder / "arm.csv", out, prepared, limits, options)
    assert (out / "arm.capacity.png").stat().st_size > 5000  # no way forward is needed
    with (out / "arm.capacity.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    row = next(row for row in rows if row[0] == "11")
    return {n: float(cell) if cell else np.nan for n, cell in zip(names, row, strict=True)}


def test_the_lecture_s_arm_in_its_plane(folder: Path, tmp_path: Path) -> None:
    row = {name.removeprefix("right_fore_end_"): value for name, value in capacity(folder, tmp_path).items()}
    golden = (1 + np.sqrt(5)) / 2
    # closed forms of docs/capacity.md; the posture is that of markers with ten digits: 1e-9 rad
    assert row["kappa_per_kg2_m2"] == pytest.approx(1 / (2 * M**2 * L**2), rel=1e-6)  # 200
    assert row["ellipsoid_axis1_m_per_s2"] == pytest.approx(golden, rel=1e-6)
    assert row["ellipsoid_axis2_m_per_s2"] == pytest.approx(1 / golden, rel=1e-6)
    assert row["ellipsoid_area_m2_per_s4"] == pytest.approx(np.pi, rel=1e-6)
    assert row["polytope_area_m2_per_s4"] == pytest.approx(4, rel=1e-6)
    assert row["polytope_rank"] == 2
    assert row["gravity_x_m_per_s2"] == pytest.approx(0, abs=1e-6)
    assert row["gravity_z_m_per_s2"] == pytest.approx(-9.81, abs=1e-6)
    # J = l [[0, 0 ] … of this posture: velocities and forces along the same axes, reciprocal
    J = L * np.array([[1.0, 0.0], [-1.0, -1.0]])
    size = np.linalg.svd(J, compute_uv=False)
    for k in (0, 1):
        assert row[f"velocity_axis{k + 1}_m_per_s"] == pytest.approx(size[k], rel=1e-6)
        assert row[f"force_axis{k + 1}_N"] == pytest.approx(1 / size[k], rel=1e-6)
    assert row["velocity_measure_m2"] == pytest.approx(L**2, rel=1e-6)
    assert "motion_x_m_per_s2" not in row
