"""A spherical joint near gimbal lock: what stays there is refused at once, what passes by is integrated."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gaitid.dynamics.pace import Limits
from gaitid.errors import GaitidError
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.scenario_file import load_scenario

ROD = """
gaitid_scenario: 1
kind: chain
name: rod
gravity_m_per_s2: {gravity}
bodies:
  - name: rod
    parent: ground
    joint: {{name: hip, type: spherical, sequence: {sequence}, at_m: [0, 0, 1]}}
    distal_m: [0.02, 0.01, -0.4]
    mass_kg: 2
    com_m: [0.01, 0.005, -0.2]
    inertia_kg_m2: [0.03, 0.03, 0.004]
start:
  hip_1{a}: {{angle_rad: 0.3, rate_rad_per_s: {first}}}
  hip_2{b}: {{angle_rad: {second}, rate_rad_per_s: {rate}}}
settings: {{duration: {duration}, rate_hz: 100}}
"""


def rod(
    folder: Path, second: str, rate: float, first: float, gravity: float = 9.81, sequence: str = "xyz"
) -> ChainScenario:
    a, b, _ = sequence
    path = folder / "rod.yaml"
    duration = 2 if gravity else 0.2
    values = {"second": second, "rate": rate, "first": first, "gravity": gravity, "duration": duration}
    path.write_text(ROD.format(sequence=sequence, a=a, b=b, **values), "utf-8")
    scenario = load_scenario(str(path), {})
    assert isinstance(scenario, ChainScenario)
    return scenario


@pytest.mark.parametrize(("second", "rate"), [("1.5707", 0.0), ("1.5707", 0.3), ("pi / 2 - 1e-6", 0.0)])
def test_what_stays_there_is_refused_at_once_with_the_joint(tmp_path: Path, second: str, rate: float) -> None:
    scenario = rod(tmp_path, second, rate, 1.0)
    said: list[int] = []
    limits = Limits(progress=lambda t, end, evaluations: said.append(evaluations))
    with pytest.raises(GaitidError, match=re.escape("(gimbal lock)")) as caught:
        scenario.integrated(scenario.settings.times_s, limits)
    line = caught.value.line()
    assert "the axes of hip_1x and hip_3z are 0.00" in line or "the axes of hip_1x and hip_3z are 5.7e-05°" in line
    assert "another sequence" in line
    assert all(count <= 1024 for count in said)  # evaluations: half a second; before 4000


def test_what_passes_by_is_integrated(tmp_path: Path) -> None:
    """A free rod whose axes come within 0.1° of being in line."""
    scenario = rod(tmp_path, "1.2", 4.0, 0.08, gravity=0.0)
    run = scenario.integrated(np.linspace(0.0, 0.2, 501))
    assert np.abs(np.cos(run.q[:, 1])).min() < 3e-3  # rad
    assert run.energy_drift < 1e-9


def test_another_sequence_is_what_helps(tmp_path: Path) -> None:
    """The same joint with its second axis elsewhere, as the refusal proposes."""
    scenario = rod(tmp_path, "0.1", 0.3, 1.5707, gravity=9.81, sequence="yxz")
    run = scenario.integrated(np.linspace(0.0, 0.3, 31))
    assert run.energy_drift < 1e-10
