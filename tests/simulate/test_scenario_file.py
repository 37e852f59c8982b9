"""Scenario files: which one is meant, what they change, and how they are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from gaitid.errors import GaitidError
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.files import simulate
from gaitid.simulate.scenario_file import load_scenario
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.simulate.walk import Walk
from gaitid.simulate.walk_setup import simulate_walk

BODY: dict[str, Any] = {
    "name": "rod",
    "parent": "ground",
    "joint": {"name": "pin", "type": "revolute", "axis": [0, 1, 0]},
    "distal_m": [0, 0, -1],
    "mass_kg": 1,
    "com_m": [0, 0, -0.5],
    "inertia_kg_m2": ["1 / 12", "1 / 12", 0],
}
CHAIN: dict[str, Any] = {"gaitid_scenario": 1, "kind": "chain", "name": "mine", "bodies": [BODY]}
WALK: dict[str, Any] = {"gaitid_scenario": 1, "kind": "walk", "name": "mine"}


def loaded(folder: Path, content: object, **options: Any) -> Walk | ChainScenario:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return load_scenario(str(path), options)


def chain(folder: Path, content: object = CHAIN, **options: Any) -> ChainScenario:
    scenario = loaded(folder, content, **options)
    assert isinstance(scenario, ChainScenario)
    return scenario


def bodies(*changes: dict[str, Any]) -> dict[str, Any]:
    return {**CHAIN, "bodies": [{**BODY, **change} for change in changes]}


# --- which one is meant ------------------------------------------------------------------------------------


def test_the_bundled_walk_is_the_walk() -> None:
    read, built = load_scenario("walk", {}), simulate_walk()
    assert isinstance(read, Walk)
    assert (read.settings, read.scenario) == (built.settings, built.scenario)


def test_a_file_in_the_current_folder_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "double_pendulum.yaml").write_text(yaml.safe_dump(CHAIN), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("double_pendulum", "double_pendulum.yaml"):
        assert load_scenario(name, {}).settings.duration == 4  # the bundled one lasts 10 s
    (tmp_path / "double_pendulum.yaml").unlink()
    for name in ("double_pendulum", "double_pendulum.yaml"):
        assert load_scenario(name, {}).settings.duration == 10


# --- what a file says --------------------------------------------------------------------------------------


def test_a_walk_of_one_s_own(tmp_path: Path) -> None:
    plate = {"step": 1, "ahead_m": 0.2, "x_length_m": 0.5, "y_length_m": 0.4}
    content = {**WALK, "like": "turn", "plates": [plate], "slope_deg": 3, "settings": {"no_events": True}}
    walk = loaded(tmp_path, content, seed=9)
    assert isinstance(walk, Walk)
    assert walk.scenario.pivots_deg == SCENARIOS["turn"].pivots_deg
    assert (len(walk.plates), walk.scenario.slope_deg, walk.settings.no_events, walk.settings.seed) == (1, 3, True, 9)
    np.testing.assert_allclose(walk.plates[0].size_m, (0.5, 0.4))
    files = simulate(tmp_path / "mine.yaml", tmp_path / "out", duration=1.5, analog_rate_hz=200.0)
    assert {"mine.c3d", "mine.truth.loads.csv", "static.c3d"} <= {path.name for path in files}


def test_formulas_places_and_defaults(tmp_path: Path) -> None:
    second = {"name": "end", "parent": "rod", "joint": {"name": "slot", "type": "prismatic", "axis": [3, 0, 4]}}
    content = {**bodies({}, second), "start": {"pin": {"angle_rad": "pi / 6"}, "slot": {"speed_m_per_s": -2}}}
    scenario = chain(tmp_path, content)
    np.testing.assert_allclose(scenario.q0, [np.pi / 6, 0], rtol=1e-15)
    np.testing.assert_array_equal(scenario.qd0, [0, -2])
    np.testing.assert_array_equal(scenario.bodies[1].joint.at_p, [0, 0, -1])  # the far end of what it hangs from
    np.testing.assert_allclose(scenario.bodies[1].joint.axes, [[0.6, 0, 0.8]], rtol=1e-15)
    np.testing.assert_array_equal(scenario.gravity_g, [0, 0, -9.81])
    assert list(scenario.bodies[1].marker_b) == ["END1", "END2", "END3"]
    assert scenario.coordinates == ("pin", "slot")


# --- how it is refused -------------------------------------------------------------------------------------

LOOP = bodies({"parent": "end"}, {"name": "end", "parent": "rod", "joint": {**BODY["joint"], "name": "two"}})
WITHOUT_MASS = bodies({k: v for k, v in BODY.items() if k != "mass_kg"})
WITHOUT_MASS["bodies"][0].pop("mass_kg")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LOOP, "bodies[0].parent: 'end' must be listed before 'rod' (a loop)"),
        (bodies({"parent": "rood"}), "bodies[0].parent: no body 'rood' (did you mean 'rod'?)"),
        (bodies({"mass_kg": 0}), "bodies[0].inertia_kg_m2: the body 'rod' has no mass"),
        (bodies({"inertia_kg_m2": [1, 1, 2.1]}), "inertia_kg_m2: the inertia breaks the triangle inequality"),
        (bodies({"inertia_kg_m2": 3}), "inertia_kg_m2: expected three principal moments or three rows of three"),
        (bodies({"masse_kg": 1}), "bodies[0].masse_kg: unknown key (did you mean 'mass_kg'?)"),
        (bodies({"name": "a rod"}), "bodies[0].name: expected a letter, then letters, digits and _, found 'a rod'"),
        (bodies({"joint": {"name": "p", "type": "hinge"}}), "joint.type: expected revolute or prismatic or universal"),
        (bodies({"markers_m": {"A": [0, 0, 0], "B": [0, 0, 1], "C": [0, 0, 2]}}), "first three markers are in line"),
        (bodies({"com_m": [0, "length", 0]}), "com_m[1]: expected a number or a formula of numbers, found 'length'"),
        ({**CHAIN, "start": {"pin": {"position_m": 1}}}, "start.pin.position_m: unknown key"),
        ({**CHAIN, "drive": {"kind": "tracked", "kp_Nm_per_rad": 1}}, "drive.kp_Nm_per_rad: unknown key"),
        ({**CHAIN, "friction": {"pin": {"viscous_Nms_per_rad": -1}}}, "viscous_Nms_per_rad: expected a number from 0"),
        ({**CHAIN, "loads": [{"body": "rod", "point": {}, "force": {"w": {}}}]}, "loads[0].force.w: unknown key"),
        ({**CHAIN, "settings": {"mirror": True}}, "settings.mirror: unknown key"),
        ({**CHAIN, "kind": "chian"}, "walk or chain or functional, found 'chian' (did you mean 'chain'?)"),
        ([1], "mine.yaml: not a gaitid scenario"),
        ({**WALK, "plates": [{"step": 0}]}, "plates[0].ahead_m: missing"),
        ({**WALK, "visits": [{"plate": 4, "strike_s": 0}]}, "visits[0].plate: expected a number from 1 to 2"),
    ],
)
def test_refusals_name_the_key_in_one_line(content: object, words: str, tmp_path: Path) -> None:
    with pytest.raises(GaitidError) as refused:
        loaded(tmp_path, content)
    line = refused.value.line()
    assert words in line, line
    assert "\n" not in line


ZXZ = {**BODY["joint"], "type": "spherical", "sequence": "zxz"}
ZXZ.pop("axis")


def test_the_page_s_examples_are_scenarios(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "simulate.md").read_text(encoding="utf-8")
    examples = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    assert len(examples) == 2
    for text in examples:
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        scenario = load_scenario(str(tmp_path / "mine.yaml"), {})
        assert scenario.settings.times_s.size > 100
