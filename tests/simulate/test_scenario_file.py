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
from gaitid.simulate.names import ABOUT, ABOUT_CHAINS, ABOUT_FUNCTIONAL
from gaitid.simulate.scenario_file import bundled_scenarios, load_scenario, scenario_names
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


def test_help_names_what_there_is() -> None:
    assert set(ABOUT) == set(SCENARIOS)
    assert {*ABOUT_CHAINS, *ABOUT_FUNCTIONAL, "walk"} == set(bundled_scenarios())
    assert [*ABOUT, *ABOUT_FUNCTIONAL, *ABOUT_CHAINS] == scenario_names()
    for name, about in ABOUT_CHAINS.items():
        scenario = load_scenario(name, {})
        assert isinstance(scenario, ChainScenario)
        assert (scenario.name, scenario.title) == (name, about)


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


def test_options_win_over_the_file(tmp_path: Path) -> None:
    content = {**CHAIN, "settings": {"rate_hz": 50, "duration": 2, "seed": 4}}
    settings = chain(tmp_path, content, rate_hz=200.0).settings
    assert (settings.rate_hz, settings.duration, settings.seed) == (200, 2, 4)


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


@pytest.mark.parametrize("inertia", [[0, 0, 0], [0.3, 0.3, 0], [1, 2, 3]])
def test_point_masses_rods_and_plates_are_fine(inertia: list[float], tmp_path: Path) -> None:
    found = chain(tmp_path, bodies({"inertia_kg_m2": inertia})).bodies[0].inertia_b
    np.testing.assert_array_equal(found, np.diag(inertia))


# --- how it is refused -------------------------------------------------------------------------------------

LOOP = bodies({"parent": "end"}, {"name": "end", "parent": "rod", "joint": {**BODY["joint"], "name": "two"}})
WITHOUT_MASS = bodies({k: v for k, v in BODY.items() if k != "mass_kg"})
WITHOUT_MASS["bodies"][0].pop("mass_kg")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LOOP, "bodies[0].parent: 'end' must be listed before 'rod' (a loop)"),
        (bodies({"parent": "rod"}), "bodies[0].parent: 'rod' must be listed before 'rod' (a loop)"),
        (bodies({"parent": "rood"}), "bodies[0].parent: no body 'rood' (did you mean 'rod'?)"),
        (WITHOUT_MASS, "bodies[0].mass_kg: missing"),
        (bodies({"mass_kg": 0}), "bodies[0].inertia_kg_m2: the body 'rod' has no mass"),
        (bodies({"inertia_kg_m2": [1, 1, -0.1]}), "bodies[0].inertia_kg_m2: the inertia is indefinite"),
        (bodies({"inertia_kg_m2": [1, 1, 2.1]}), "inertia_kg_m2: the inertia breaks the triangle inequality"),
        (bodies({"inertia_kg_m2": [[1, 0, 0], [0.2, 1, 0], [0, 0, 1]]}), "the inertia is not symmetric"),
        (bodies({"inertia_kg_m2": 3}), "inertia_kg_m2: expected three principal moments or three rows of three"),
        (bodies({"com_m": [0, 0, 0], "inertia_kg_m2": [0, 0, 0]}), "bodies: body pin is a free end without inertia"),
        (bodies({"masse_kg": 1}), "bodies[0].masse_kg: unknown key (did you mean 'mass_kg'?)"),
        (bodies({}, {}), "the name of a body 'rod' is given twice"),
        (bodies({"name": "a rod"}), "bodies[0].name: expected a letter, then letters, digits and _, found 'a rod'"),
        (bodies({"distal_m": [0, 0, 0]}), "bodies[0].distal_m: the body 'rod' has no length"),
        (bodies({"joint": {"name": "p", "type": "hinge"}}), "joint.type: expected revolute or prismatic or universal"),
        (bodies({"joint": {**BODY["joint"], "axis": [0, 0, 0]}}), "joint.axis: a direction is needed"),
        (bodies({"markers_m": {"A": [0, 0, 0], "B": [0, 0, 1], "C": [0, 0, 2]}}), "first three markers are in line"),
        (bodies({"markers_m": {"A": [0, 0, 0]}}), "markers_m: expected three markers at least, found 1"),
        (bodies({"com_m": [0, "length", 0]}), "com_m[1]: expected a number or a formula of numbers, found length"),
        ({**CHAIN, "start": {"pim": {}}}, "start.pim: no coordinate 'pim' (did you mean 'pin'?)"),
        ({**CHAIN, "start": {"pin": {"position_m": 1}}}, "start.pin.position_m: unknown key"),
        ({**CHAIN, "drive": {"kind": "track"}}, "drive.kind: expected none or torques or tracked, found 'track'"),
        ({**CHAIN, "drive": {"kind": "tracked", "kp_Nm_per_rad": 1}}, "drive.kp_Nm_per_rad: unknown key"),
        (
            {**CHAIN, "drive": {"kind": "torques", "torques": {"pin": {"level_N": 1}}}},
            "drive.torques.pin.level_N: unknown key (did you mean 'level_Nm'?)",
        ),
        ({**CHAIN, "friction": {"pin": {"viscous_Nms_per_rad": -1}}}, "viscous_Nms_per_rad: expected a number from 0"),
        ({**CHAIN, "loads": [{"body": "road", "point": {}}]}, "loads[0].body: no body 'road' (did you mean 'rod'?)"),
        ({**CHAIN, "loads": [{"body": "rod", "point": {}, "force": {"w": {}}}]}, "loads[0].force.w: unknown key"),
        ({**CHAIN, "gravity_m_per_s2": -9.81}, "gravity_m_per_s2: expected a number from 0"),
        ({**CHAIN, "settings": {"mirror": True}}, "settings.mirror: unknown key"),
        ({**CHAIN, "name": "../x"}, "name: expected the stem of the trial's files, found '../x'"),
        ({**CHAIN, "kind": "chian"}, "walk or chain or functional, found 'chian' (did you mean 'chain'?)"),
        ({"gaitid_scenario": 2}, "mine.yaml: not a gaitid scenario; expected a line `gaitid_scenario: 1`"),
        ([1], "mine.yaml: not a gaitid scenario"),
        ({**WALK, "like": "wlak"}, "(did you mean 'walk'?)"),
        ({**WALK, "plates": [{"step": 0}]}, "plates[0].ahead_m: missing"),
        ({**WALK, "swapped": True, "like": "treadmill"}, "swapped: expected two plates at least, found 1"),
        ({**WALK, "visits": [{"plate": 4, "strike_s": 0}]}, "visits[0].plate: expected a number from 1 to 2"),
        ({**WALK, "settings": {"plate_types": [5]}}, "plate type 5 is none of 1, 2, 3, 4, 6, 7"),
    ],
)
def test_refusals_name_the_key_in_one_line(content: object, words: str, tmp_path: Path) -> None:
    with pytest.raises(GaitidError) as refused:
        loaded(tmp_path, content)
    line = refused.value.line()
    assert words in line, line
    assert "\n" not in line


def test_an_option_of_a_walk_is_none_of_a_chain(tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match=r"the scenario has no option mirror; expected rate_hz, duration"):
        loaded(tmp_path, CHAIN, mirror=True)
    with pytest.raises(GaitidError, match=r"unknown scenario 'walkk' \(did you mean 'walk'\?\)"):
        load_scenario("walkk", {})


ZXZ = {**BODY["joint"], "type": "spherical", "sequence": "zxz"}
ZXZ.pop("axis")


@pytest.mark.parametrize(("joint", "inertia"), [(ZXZ, [0.1, 0.1, 0.1]), ({**ZXZ, "sequence": "xyz"}, [0.1, 0.1, 0])])
def test_what_cannot_be_accelerated_is_named(joint: dict[str, Any], inertia: list[float], tmp_path: Path) -> None:
    """Two axes in line, and a thin rod that turns about itself."""
    with pytest.raises(GaitidError, match=r"(mine: the joint of body pin_|body pin_3z is a free end without inertia)"):
        chain(tmp_path, bodies({"joint": joint, "inertia_kg_m2": inertia})).integrated(np.array([0.0, 0.1]))


def test_the_page_s_examples_are_scenarios(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "simulate.md").read_text(encoding="utf-8")
    examples = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    assert len(examples) == 2
    for text in examples:
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        scenario = load_scenario(str(tmp_path / "mine.yaml"), {})
        assert scenario.settings.times_s.size > 100
