"""A scenario by its name or its YAML file: a walk with its settings, or a mechanical system; and its text, to copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.errors import GaitidError, ModelError
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.load import bundled_folder
from gaitid.model.yaml_file import load_yaml
from gaitid.simulate import ABOUT_FUNCTIONAL
from gaitid.simulate.scenarios import SCENARIOS, PlatePlace, Scenario, Visit
from gaitid.simulate.settings import WalkSettings, parse_settings
from gaitid.simulate.walk import Walk
from gaitid.simulate.walk_setup import simulate_walk

if TYPE_CHECKING:
    from gaitid.simulate.chain import ChainScenario
    from gaitid.simulate.walk_setup import FunctionalScenario
from dataclasses import fields

from gaitid.model.find import is_file, text_of

SCHEMA = 1


def bundled_scenarios() -> dict[str, Path]:
    """Names and files of the scenarios that come with gaitid as YAML."""
    return {path.stem: path for path in sorted((bundled_folder("configs") / "scenarios").glob("*.yaml"))}


def scenario_names() -> list[str]:
    """Names of everything that can be simulated without a file."""
    return list(dict.fromkeys([*SCENARIOS, *ABOUT_FUNCTIONAL, *bundled_scenarios()]))


def load_scenario(scenario: str, overrides: Mapping[str, Any]) -> Walk | ChainScenario | FunctionalScenario:
    """The scenario that a user means: a YAML file, or a name of `scenario_names`; a file in the current folder wins.

    Parameters
    ----------
    scenario : str
    overrides : mapping
        Settings that win over the file's.

    Raises
    ------
    GaitidError
        None of these, a file against the schema (one line that names each key), or impossible settings.
    """
    name = scenario.removesuffix(".yaml")
    for path in _candidates(scenario):
        if path.is_file():
            return _read(path, overrides)
    if name in SCENARIOS:
        settings = parse_settings(Fields({}, "settings", Faults(name)), WalkSettings, overrides)
        return simulate_walk(settings(), SCENARIOS[name])
    raise _unknown(scenario)


def _candidates(scenario: str) -> list[Path]:
    """The files that may be meant, the first that exists."""
    bundled = bundled_scenarios().get(scenario.removesuffix(".yaml"))
    return [Path(scenario), Path(f"{scenario}.yaml"), *([bundled] if bundled else [])]


def _unknown(scenario: str) -> GaitidError:
    known = scenario_names()
    words = f"unknown scenario {scenario!r}{nearest(scenario.removesuffix('.yaml'), known)}"
    return GaitidError(words, expected=f"{', '.join(known)} or a YAML file")


def _read(path: Path, overrides: Mapping[str, Any]) -> Walk | ChainScenario | FunctionalScenario:
    content = load_yaml(path)
    if not isinstance(content, Mapping) or content.get("gaitid_scenario") != SCHEMA:
        raise ModelError(f"{path.name}: not a gaitid scenario", expected=f"a line `gaitid_scenario: {SCHEMA}`")
    faults = Faults(path.name, path)
    top = Fields(content, "", faults)
    top.raw("gaitid_scenario")
    top.raw("sources", None)
    kind = top.text("kind", among=("walk", "chain", "functional"))
    name = top.text("name")
    if not name or Path(name).name != name or name.startswith("."):
        faults.add(f"name: expected the stem of the trial's files, found {name!r}")
    if kind == "walk":
        return _walk(top, name, overrides)
    if kind == "functional":
        from gaitid.simulate.walk_setup import parse_functional

        return parse_functional(top, name, overrides)
    if kind != "chain":
        faults.raise_if_any()
    # A walk loads no dynamics.
    from gaitid.simulate.chain_yaml import parse_chain

    return replace(parse_chain(top, name, overrides), text=path.read_text(encoding="utf-8-sig"))


def _walk(top: Fields, name: str, overrides: Mapping[str, Any]) -> Walk:
    """One of `SCENARIOS` with what the file says otherwise."""
    like = SCENARIOS.get(top.text("like", "walk", tuple(SCENARIOS)), SCENARIOS["walk"])
    plates = tuple(_plate(entry) for entry in list(top.entries("plates"))) or like.plates
    scenario: Scenario = replace(
        like,
        name=name,
        about=top.text("title", like.about),
        plates=plates,
        steps=top.integer("steps", like.steps, 1, 20),
        belt=top.flag("belt", like.belt),
        slope_deg=top.number("slope_deg", like.slope_deg, -20, 20),
        visits=tuple(_visit(entry, len(plates)) for entry in list(top.entries("visits"))) or like.visits,
        swapped=top.flag("swapped", like.swapped),
    )
    if scenario.swapped and len(plates) < 2:
        top.faults.add(f"swapped: expected two plates at least, found {len(plates)}")
    settings = parse_settings(top.mapping("settings", {}), WalkSettings, overrides)
    top.done()
    top.faults.raise_if_any()
    return simulate_walk(settings(), scenario)


def _plate(fields: Fields) -> PlatePlace:
    place = PlatePlace(
        step=fields.integer("step", 0, -20, 20) if "step" in fields.values else None,
        ahead_m=fields.number("ahead_m", low=-20, high=20),
        x_length_m=fields.number("x_length_m", low=0.05, high=20),
        y_length_m=fields.number("y_length_m", low=0.05, high=20),
        turned_deg=fields.number("turned_deg", 0.0, -360, 360),
        aside_m=fields.number("aside_m", low=-20, high=20) if "aside_m" in fields.values else None,
    )
    fields.done()
    return place


def _visit(fields: Fields, plates: int) -> Visit:
    visit = Visit(fields.integer("plate", 1, 1, plates), fields.number("strike_s", low=-20, high=20))
    fields.done()
    return visit


def scenario_template(name: str) -> str:
    """The YAML of a bundled scenario, or of a file; `load_scenario` of it is the scenario itself.

    Raises
    ------
    GaitidError
        There is none, or it cannot be read as text.
    """
    stem = name.removesuffix(".yaml")
    for path in _candidates(name):
        # an empty file of that name has just been made by `show NAME > NAME.yaml`
        if is_file(path) and path.stat().st_size:
            return text_of(path)
    if stem in SCENARIOS:
        return _walk_text(SCENARIOS[stem])
    raise _unknown(name)


def _walk_text(walk: Scenario) -> str:
    """The keys of docs/simulate.md, with the scenario's own values; what has no key comes by `like`."""
    lines = [
        "# docs/simulate.md says what every key means.",
        f"gaitid_scenario: {SCHEMA}",
        "kind: walk",
        f"name: {walk.name}",
        f"title: {_value(walk.about)}",
        "",
        "# How the body moves, which has no keys of its own: one of the walks that `gaitid simulate --help` lists.",
        f"like: {walk.name}",
        "# So many steps from step 0 on lie in the middle of the trial.",
        f"steps: {walk.steps}",
        "# A treadmill's belt carries the walker back as fast as the walker goes.",
        f"belt: {_value(walk.belt)}",
        f"slope_deg: {_value(walk.slope_deg)}",
        "# From under the heel marker of a step (step 0 is the first on a plate), along the walkway.",
        "plates:",
        *(f"  - {_entry(vars(place))}" for place in walk.plates),
    ]
    if walk.visits:
        lines += ["# Feet of somebody else on a plate.", "visits:"]
        lines += [f"  - {_entry(vars(visit))}" for visit in walk.visits]
    if len(walk.plates) > 1:
        lines += ["# The cables of plates 1 and 2 are exchanged.", f"swapped: {_value(walk.swapped)}"]
    lines += [
        "",
        "# How it is recorded, and what is wrong with the recording; options of the command win.",
        "settings:",
    ]
    lines += [f"  {setting.name}: {_value(setting.default)}" for setting in fields(WalkSettings)]
    return "\n".join(lines) + "\n"


def _entry(values: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_value(value)}" for key, value in values.items() if value is not None) + "}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str) and (":" in value or "#" in value):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)
