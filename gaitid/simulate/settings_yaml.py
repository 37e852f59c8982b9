"""The `settings` section of a scenario file: the fields of `WalkSettings` or `ChainSettings`, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gaitid.errors import GaitidError
from gaitid.model.fields import Fields
from gaitid.simulate.settings import ChainSettings, WalkSettings

S = TypeVar("S", WalkSettings, ChainSettings)


def parse_settings(fields: Fields, settings: type[S], overrides: Mapping[str, Any]) -> Callable[[], S]:
    """The settings that a file gives, with `overrides` (options) winning; made when called.

    Raises
    ------
    GaitidError
        An option that this kind of scenario does not have.
    """
    kinds = settings.kinds()
    unknown = sorted(set(overrides) - set(kinds))
    if unknown:
        raise GaitidError(
            f"{fields.faults.name}: the scenario has no option {', '.join(unknown)}", expected=", ".join(kinds)
        )
    values = {name: _value(fields, name, kind) for name, kind in kinds.items() if name in fields.values}
    fields.asked.update(kinds)
    fields.done()
    return lambda: settings(**{**values, **overrides})


def _value(fields: Fields, name: str, kind: type) -> object:
    if kind is bool:
        return fields.flag(name, False)
    if kind is str:
        return fields.text(name)
    if kind is tuple:
        return tuple(fields.items(name))
    if kind is int:
        return fields.integer(name, 0, -(2**53), 2**53)
    return fields.number(name)
