"""What a model leaves to choose: choices with named options, each a set of definitions with its source.

A choice is declared in the model's file, its options there or in a file of their own that several models share. One
option is merged into the model before it is parsed: the default before what the model itself says, one that a user
chooses over everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gaitid.errors import ModelError
from gaitid.model.fields import Faults, Fields, mapping_under, nearest, once
from gaitid.model.settings import Settings
from gaitid.records import NamedTuple

#: Sections of a model that an option may define or change.
SECTIONS = (
    "table",
    "vertical",
    "subject",
    "subject_each_side",
    "middle",
    "each_side",
    "chain",
    "base",
    "spans",
    "pose",
    "ground_contact",
    "progression",
    "angles",
    "lengths",
    "distal_foot_power",
    "moments",
    "settings",
    "no_wrenches_because",
    "caution",
    "unchecked",
    "upper_body",
)
#: A choice of every model, declared or not: a table may be given as a file.
TABLE = "table"
#: Section and part of a model, and the name of what is defined there.
Defined = tuple[str, str, str]


class Option(NamedTuple):
    """One option of a choice: what it adds to the model or replaces there, and its source."""

    title: str
    source: str
    definitions: Mapping[str, Any]


class Choice(NamedTuple):
    """A choice that a model declares: its options by name, and which of them is the default."""

    title: str
    default: str
    options: Mapping[str, Option]


class ChoiceError(ModelError):
    """A choice, or an option of it, that this model does not declare; another model may."""


def merge_declared(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The `choices` of a file over those that it inherits: an option is replaced as a whole, one set to null goes."""
    result = dict(old)
    for name, declared in new.items():
        inherited = result.get(name)
        if declared is None:
            result.pop(name, None)
        elif isinstance(declared, Mapping) and isinstance(inherited, Mapping):
            result[name] = {**inherited, **declared}
            options = [of.get("options") or {} for of in (inherited, declared)]
            if all(isinstance(of, Mapping) for of in options):
                both = {**options[0], **options[1]}
                result[name]["options"] = {key: option for key, option in both.items() if option is not None}
        else:
            result[name] = declared
    return result


def parse_choices(declared: object, faults: Faults) -> dict[str, Choice]:
    """The section `choices` of a model, with what it inherits; faults where it is against the language."""
    section = Fields({} if declared is None else declared, "choices", faults)
    choices = {}
    for name in section.values:
        fields = section.mapping(name)
        if name in Settings._fields or not name.isidentifier():
            faults.add(f"{fields.path}: expected a name that is no setting's, such as hip_centre")
        options = fields.mapping("options").each(_option)
        default = fields.text("default")
        if default and default not in options:
            known = ", ".join(options)
            faults.add(
                f"{fields.at('default')}: expected one of {known}, found {default!r}{nearest(default, list(options))}"
            )
        choices[name] = Choice(fields.text("title", ""), default, options)
        fields.done()
    return choices


@once
def _option(fields: Fields) -> Option:
    definitions = fields.mapping("definitions", {})
    for key in definitions.values:
        if key not in SECTIONS:
            faults = definitions.faults
            faults.add(f"{definitions.at(key)}: no section that a choice may define{nearest(key, SECTIONS)}")
    return Option(fields.text("title", ""), fields.text("source"), dict(definitions.values))


def option_of(choices: Mapping[str, Choice], name: str, given: object) -> Option:
    """The option of that name.

    Raises
    ------
    ChoiceError
        There is none; the line lists those that there are.
    """
    options = choices[name].options
    if isinstance(given, str) and given in options:
        return options[given]
    near = nearest(given, list(options)) if isinstance(given, str) else ""
    also = ", or the file of a table" if name == TABLE else ""
    shown = "" if given is None else given  # as YAML reads nothing
    raise ChoiceError(f"--set {name}={shown}: no such option{near}", expected=f"{', '.join(options)}{also}")


def in_effect(definitions: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Whether all that an option defines stands in a model's content."""
    for key, value in definitions.items():
        if (
            not in_effect(value, mapping_under(content, key))
            if isinstance(value, Mapping)
            else content.get(key) != value
        ):
            return False
    return True


def defined_by(option: Option) -> Iterator[Defined]:
    """Each number, point and frame that an option defines, by section and part."""
    for section in ("middle", "each_side"):
        for part in ("numbers", "points", "frames"):
            for name, definition in mapping_under(mapping_under(option.definitions, section), part).items():
                if definition is not None:
                    yield section, part, name
