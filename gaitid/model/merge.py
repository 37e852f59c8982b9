"""A model's file -> its content, with everything that it extends and the options of its choices merged in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.choices import TABLE, Choice, ChoiceError, in_effect, merge_declared, option_of, parse_choices
from gaitid.model.fields import Faults, nearest
from gaitid.model.find import beside, bundled_models, find_model, is_file, shown
from gaitid.model.parsed import content_of
from gaitid.model.settings import Settings
from gaitid.model.shapes import DEFINING_KEYS
from gaitid.records import NamedTuple

# Inheritance deeper than this is a loop.
MAX_DEPTH = 8


class Merged(NamedTuple):
    """A model's content with everything that it extends and the options of its choices merged in.

    Attributes
    ----------
    content : dict
    paths : tuple of Path
        The files that it came from, the model itself first.
    choices : dict of str to Choice
    chosen : dict of str to Chosen
        What each choice is.
    option_files : tuple of Path
        Files of options that several models share, of those options that are merged in.
    """

    content: dict[str, Any]
    paths: tuple[Path, ...]
    choices: dict[str, Choice]
    chosen: dict[str, specs.Chosen]
    option_files: tuple[Path, ...]


def merged_content(path: Path, overrides: Mapping[str, Any] | None = None, others: Sequence[str] = ()) -> Merged:
    """A model's content with everything it extends and the options of its choices merged in, and its files.

    Where several say the same, the last of these counts: what it extends, the default option of a choice that it
    declares or whose default it changes, what it says itself, options and settings of `overrides`.

    Raises
    ------
    ModelError
        A file that is absent, not a model, or that extends itself; a setting or a choice that there is not.
    """
    layers = _layers(path)
    with_options = [_with_shared_options(layer, of) for layer, of in layers]
    declared: dict[str, Any] = {}
    of_layers = [of.get("choices") or {} for _, of, _ in reversed(with_options)]
    for section in of_layers:
        if not isinstance(section, Mapping):
            raise ModelError(f"{shown(path)}: choices: expected keys and values, found {section!r}")
        declared = merge_declared(declared, section)
    faults = Faults(shown(path))
    choices = parse_choices(declared, faults)
    faults.raise_if_any()

    content: dict[str, Any] = {}
    for (_, definitions, _), section in zip(reversed(with_options), of_layers, strict=True):
        for name, choice in choices.items():
            if _settles(choice, section.get(name)):
                content = _merge(content, choice.options[choice.default].definitions)
        content = _merge(content, {key: value for key, value in definitions.items() if key != "choices"})
    chosen = {}
    for name, choice in choices.items():
        option = choice.options[choice.default]
        there = in_effect(option.definitions, content)
        by_default = specs.Chosen(choice.default, specs.BY_DEFAULT, option.source)
        chosen[name] = by_default if there else specs.Chosen("", specs.BY_MODEL, "")
    _override(content, choices, chosen, overrides or {}, (*Settings._fields, *choices, TABLE, *others))
    if declared:
        content["choices"] = declared
    taken = [declared[name]["options"].get(of.option) for name, of in chosen.items() if of.option]
    shared = [file for _, _, files in with_options for file, options in files if any(o in options for o in taken)]
    return Merged(content, tuple(layer for layer, _ in layers), choices, chosen, tuple(dict.fromkeys(shared)))


def measurements_taken_away(path: Path) -> dict[str, dict[str, Any]]:
    """The subject's measurements that a model's files inherit and set to null, by section, as they were.

    Only their key, unit and range: what they were computed from may be taken away too.
    """
    taken: dict[str, dict[str, Any]] = {"subject": {}, "subject_each_side": {}}
    known: dict[str, dict[str, Any]] = {section: {} for section in taken}
    for _, content in reversed(_layers(path)):
        for section, there in known.items():
            said = content.get(section)
            for name, definition in said.items() if isinstance(said, Mapping) else ():
                if definition is None and name in there:
                    taken[section][name] = there[name]
                elif isinstance(definition, Mapping):
                    there[name] = {key: definition[key] for key in ("key", "unit", "range") if key in definition}
                    taken[section].pop(name, None)
    return taken


def _settles(choice: Choice, section: object) -> bool:
    """Whether a file's section declares the option that is the default, or makes it the default."""
    if not isinstance(section, Mapping):
        return False
    options = section.get("options")
    return "default" in section or (isinstance(options, Mapping) and choice.default in options)


def _override(
    content: dict[str, Any],
    choices: Mapping[str, Choice],
    chosen: dict[str, specs.Chosen],
    overrides: Mapping[str, Any],
    known: Sequence[str],
) -> None:
    """Put what a user says over a model's content: options of choices, a table, settings."""
    settings = {}
    for key, given in overrides.items():
        if key in choices and not (key == TABLE and _is_table_file(given, choices[key])):
            if given == choices[key].default:
                continue  # what the model is without being told
            option = option_of(choices, key, given)
            merged = _merge(content, option.definitions)
            content.clear()
            content.update(merged)
            chosen[key] = specs.Chosen(given, specs.BY_USER, option.source)
        elif key == TABLE:
            if not _is_table_file(given):
                raise ChoiceError(f"--set {TABLE}={given}: no such file", expected="the file of a table")
            content[TABLE] = str(Path(given).absolute())
            chosen.pop(TABLE, None)
        elif key in Settings._fields:
            settings[key] = given
        else:
            known = tuple(dict.fromkeys(known))
            raise ChoiceError(f"--set {key}: no such setting{nearest(key, known)}", expected=", ".join(known))
    before = content.get("settings") or {}
    if settings and isinstance(before, Mapping):
        content["settings"] = {**before, **settings}


def _is_table_file(given: object, choice: Choice | None = None) -> bool:
    """Whether a table is given as a file; an option of that name goes before it."""
    named = choice is not None and given in choice.options
    return isinstance(given, str) and not named and is_file(Path(given))


def _layers(path: Path, above: tuple[Path, ...] = ()) -> list[tuple[Path, dict[str, Any]]]:
    """The model's file and what it extends, each with its content."""
    if len(above) > MAX_DEPTH or any(path.samefile(file) for file in above):
        raise ModelError(f"{shown(path)}: extends itself")
    definitions = content_of(path)
    if not isinstance(definitions, dict) or "gaitid_model" not in definitions:
        raise ModelError(f"{shown(path)}: not a gaitid model", expected="a line `gaitid_model: 1`")
    content = {key: value for key, value in definitions.items() if key != "extends"}
    parent = definitions.get("extends")
    if parent is None:
        return [(path, content)]
    if not isinstance(parent, str):
        raise ModelError(f"{shown(path)}: extends: expected a file or a model's name, found {parent!r}")
    lies = path.parent / parent
    try:
        parent_path = lies if is_file(lies) else find_model(parent)
        if parent_path.samefile(path):
            # a copy that extends the bundled model of its own name
            parent_path = bundled_models().get(parent.removesuffix(".yaml"), parent_path)
    except ModelError as error:
        raise ModelError(f"{shown(path)}: extends: {error.line()}") from None
    return [(path, content), *_layers(parent_path, (*above, path))]


def _with_shared_options(
    path: Path, content: dict[str, Any]
) -> tuple[Path, dict[str, Any], list[tuple[Path, list[Any]]]]:
    """A file's content with the options that its choices take from files of their own, and these with their options."""
    section = content.get("choices")
    if not isinstance(section, Mapping):
        return path, content, []
    choices = dict(section)
    files: list[tuple[Path, list[Any]]] = []
    for name, declared in section.items():
        if not isinstance(declared, Mapping) or "options_from" not in declared:
            continue
        given = declared["options_from"]
        if not isinstance(given, str):
            raise ModelError(f"{shown(path)}: choices.{name}.options_from: expected a file, found {given!r}")
        file = beside(given, (path,))
        shared = content_of(file)
        if not isinstance(shared, dict) or shared.get("gaitid_choice") != 1:
            raise ModelError(f"{shown(file)}: not a file of options", expected="a line `gaitid_choice: 1`")
        own = {key: value for key, value in declared.items() if key != "options_from"}
        inherited = {key: value for key, value in shared.items() if key in ("title", "options")}
        choices[name] = merge_declared({name: inherited}, {name: own})[name]
        files.append((file, list((shared.get("options") or {}).values())))
    return path, {**content, "choices": choices}, files


def _merge(old: dict[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are merged key by key; anything else is replaced; a key set to null is taken away."""
    result = dict(old)
    for key, value in new.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(result.get(key), Mapping) and not _is_definition(value):
            result[key] = _merge(result[key], value)
        else:
            result[key] = value
    return result


def _is_definition(value: Mapping[str, Any]) -> bool:
    """Whether it is a point or a frame, replaced as a whole: two halves of different definitions would be nonsense."""
    return not DEFINING_KEYS.isdisjoint(value)
