"""A scenario as the text of a YAML file, to copy and edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from gaitid.errors import GaitidError, ModelError
from gaitid.model.fields import nearest
from gaitid.model.load import is_file
from gaitid.simulate.scenario_file import SCHEMA, bundled_scenarios, scenario_names
from gaitid.simulate.scenarios import SCENARIOS, Scenario
from gaitid.simulate.settings import WalkSettings


def scenario_template(name: str) -> str:
    """The YAML of a bundled scenario, or of a file; `load_scenario` of it is the scenario itself.

    Raises
    ------
    GaitidError
        There is none, or it cannot be read as text.
    """
    stem = name.removesuffix(".yaml")
    for path in (Path(name), Path(f"{name}.yaml"), bundled_scenarios().get(stem)):
        # an empty file of that name has just been made by `show NAME > NAME.yaml`
        if path is not None and is_file(path) and path.stat().st_size:
            try:
                return path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError):
                raise ModelError(f"{path}: cannot be read as text", expected="a YAML file in UTF-8") from None
    if stem in SCENARIOS:
        return _walk_text(SCENARIOS[stem])
    known = scenario_names()
    raise GaitidError(f"unknown scenario {name!r}{nearest(stem, known)}", expected=f"{', '.join(known)} or a YAML file")


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
