"""Reading a model: what it extends, its choices and settings, its table; all merged into one content, then parsed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.choices import (
    TABLE,
    Choice,
    ChoiceError,
    Defined,
    defined_by,
    in_effect,
    merge_declared,
    option_of,
    parse_choices,
)
from gaitid.model.fields import Faults, mapping_under, nearest
from gaitid.model.find import beside
from gaitid.model.find import bundled_files as bundled_files
from gaitid.model.find import bundled_folder as bundled_folder
from gaitid.model.find import bundled_models as bundled_models
from gaitid.model.find import find_file as find_file
from gaitid.model.find import find_model as find_model
from gaitid.model.find import is_file as is_file
from gaitid.model.find import shown as shown
from gaitid.model.marker_sets import CLUSTERS, CLUSTERS_EACH_SIDE, LANDMARKS, LANDMARKS_EACH_SIDE, MarkerSet
from gaitid.model.parsed import content_of
from gaitid.model.schema import parse_model
from gaitid.model.settings import READER, Settings
from gaitid.model.shapes import DEFINING_KEYS
from gaitid.model.tables import load_table as load_table
from gaitid.model.validate import Names
from gaitid.notes import Notes, note
from gaitid.records import NamedTuple

# Inheritance deeper than this is a loop.
MAX_DEPTH = 8


def load_model(model: str | Path, overrides: Mapping[str, Any] | None = None, *, checked: bool = False) -> specs.Model:
    """Read a model with everything it extends and its table.

    Parameters
    ----------
    model : str or Path
        A path, or a bundled model's name.
    overrides : mapping, optional
        Settings that replace the model's, and options of its choices (from options of the command).
    checked : bool
        What its keys say together is known to have no fault, and is not looked through.

    Raises
    ------
    ModelError
        Not found, not YAML, or against the schema: one line that names each key.
    ChoiceError
        A choice, or an option of one, that the model does not declare.
    """
    path, overrides = find_model(str(model)), overrides or {}
    name = shown(path)
    merged = merged_content(path, overrides)
    table = _table_of(merged, name)
    defined = _defined(merged)
    try:
        parsed = _parsed(merged.content, table, merged.paths, name, defined, path, checked)
    except ModelError as error:
        raise _of_an_option(error, name, overrides) from None
    upper = parsed.upper_body
    if upper is not None and not upper.is_relative_to(bundled_folder("configs")):
        # one's own is read at once: what is wrong with it would otherwise show in trials with markers of it only
        from gaitid.model.upper_body import load_upper_body

        load_upper_body(upper)
    chosen = dict(merged.chosen)
    for key, names in defined.items():
        unused = sorted(".".join(what) for what in names if what[2] not in getattr(getattr(parsed, what[0]), what[1]))
        if unused and chosen[key].by == specs.BY_USER:
            wrong = f"--set {key}={chosen[key].option}: has no effect in {name}, where nothing uses {', '.join(unused)}"
            raise ChoiceError(wrong, todo="the model has definitions of its own in their place")
        if unused:
            chosen[key] = specs.Chosen("", specs.BY_MODEL, "")
    if not chosen.get(TABLE, specs.NO_OPTION).option:
        by = specs.BY_USER if TABLE in overrides else specs.BY_MODEL
        chosen[TABLE] = specs.Chosen(table.name, by, table.source)
    return parsed._replace(choices=chosen, option_files=merged.option_files)


@cache
def as_bundled(name: str) -> specs.Model:
    """A bundled model as its file has it, read once for all trials of a process: that file is part of the program, and
    the tests look for its faults."""
    return load_model(bundled_models()[name], checked=True)


def with_each_option(model: str | Path) -> specs.Model:
    """As `load_model`, after each option of each choice was read in its turn.

    An option that asks for a measurement which the model takes away is none of this model, and no fault of it.

    Raises
    ------
    ModelError
        Also where an option is against the schema, with its name.
    """
    read = load_model(model)
    for name, choice in merged_content(find_model(str(model))).choices.items():
        for option in choice.options:
            try:
                load_model(model, {name: option})
            except ChoiceError:
                pass  # the model replaces what would use it
            except ModelError as error:
                if _asks_for_what_was_taken_away(find_model(str(model)), name, option):
                    continue
                wrong = f"{error.wrong} (with choices.{name}.options.{option})"
                raise ModelError(wrong, expected=error.expected, found=error.found, todo=error.todo) from None
    return read


def _asks_for_what_was_taken_away(path: Path, choice: str, option: str) -> bool:
    """Whether an option can be read as soon as the model has the measurements again that it sets to null."""
    taken = measurements_taken_away(path)
    if not any(taken.values()):
        return False
    merged, name = merged_content(path, {choice: option}), shown(path)
    content = merged.content | {key: {**taken[key], **(merged.content.get(key) or {})} for key in taken}
    try:
        _parsed(content, _table_of(merged, name), merged.paths, name, _defined(merged))
    except ModelError:
        return False
    return True


def _defined(merged: Merged) -> dict[str, frozenset[Defined]]:
    """What the option of each choice that is in effect defines."""
    options = {key: merged.choices[key].options[of.option] for key, of in merged.chosen.items() if of.option}
    return {key: frozenset(defined_by(option)) for key, option in options.items()}


def _table_of(merged: Merged, name: str) -> specs.Table:
    table_name = merged.content.get("table")
    if not isinstance(table_name, str):
        raise ModelError(f"{name}: table: expected the path of a segment-parameter table, found {table_name!r}")
    return load_table(beside(table_name, merged.paths))


def _parsed(
    content: dict[str, Any],
    table: specs.Table,
    paths: tuple[Path, ...],
    name: str,
    defined: Mapping[str, frozenset[Defined]],
    file: Path | None = None,
    checked: bool = False,
) -> specs.Model:
    return parse_model(content, table, (*paths, table.path), name, frozenset().union(*defined.values()), file, checked)


def _of_an_option(error: ModelError, name: str, overrides: Mapping[str, Any]) -> ModelError:
    """The error; what no file but an option says with the option's name instead of the file's."""
    about = error.wrong.removeprefix(f"{name}: ")
    for key, value in overrides.items():
        given = value if isinstance(value, str) else json.dumps(value, default=str)
        for line in re.findall(rf"(?:line \d+: )?settings\.{re.escape(key)}: ", about):
            about = about.replace(line, f"--set {key}={given}: ", 1)
    return ModelError(about) if about.startswith("--set ") else error


# --- merging ----------------------------------------------------------------------------------------------------


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


def merged_content(path: Path, overrides: Mapping[str, Any] | None = None) -> Merged:
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
            # whether the file declares the option that is the default, or makes it the default
            declares = mapping_under(section, name)
            if "default" in declares or choice.default in mapping_under(declares, "options"):
                content = _merge(content, choice.options[choice.default].definitions)
        content = _merge(content, {key: value for key, value in definitions.items() if key != "choices"})
    chosen = {}
    for name, choice in choices.items():
        option = choice.options[choice.default]
        there = in_effect(option.definitions, content)
        by_default = specs.Chosen(choice.default, specs.BY_DEFAULT, option.source)
        chosen[name] = by_default if there else specs.Chosen("", specs.BY_MODEL, "")
    content = _override(content, choices, chosen, overrides or {})
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
            for name, definition in mapping_under(content, section).items():
                if definition is None and name in there:
                    taken[section][name] = there[name]
                elif isinstance(definition, Mapping):
                    there[name] = {key: definition[key] for key in ("key", "unit", "range") if key in definition}
                    taken[section].pop(name, None)
    return taken


def _override(
    content: dict[str, Any],
    choices: Mapping[str, Choice],
    chosen: dict[str, specs.Chosen],
    overrides: Mapping[str, Any],
) -> dict[str, Any]:
    """A model's content with what a user says over it: options of choices, a table, settings."""
    settings = {}
    for key, given in overrides.items():
        if key in choices and not (key == TABLE and _is_table_file(given, choices[key])):
            if given == choices[key].default:
                continue  # what the model is without being told
            option = option_of(choices, key, given)
            content = _merge(content, option.definitions)
            chosen[key] = specs.Chosen(given, specs.BY_USER, option.source)
        elif key == TABLE:
            if not _is_table_file(given):
                raise ChoiceError(f"--set {TABLE}={given}: no such file", expected="the file of a table")
            content[TABLE] = str(Path(given).absolute())
            chosen.pop(TABLE, None)
        elif key in Settings._fields:
            settings[key] = given
        else:
            known = tuple(dict.fromkeys((*Settings._fields, *choices, TABLE, *READER)))
            raise ChoiceError(f"--set {key}: no such setting{nearest(key, known)}", expected=", ".join(known))
    before = content.get("settings") or {}
    if settings and isinstance(before, Mapping):
        content["settings"] = {**before, **settings}
    return content


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
    """Mappings are merged key by key; anything else is replaced; a key set to null is taken away.

    A point or a frame is replaced as a whole: two halves of different definitions would be nonsense.
    """
    result = dict(old)
    for key, value in new.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(result.get(key), Mapping) and DEFINING_KEYS.isdisjoint(value):
            result[key] = _merge(result[key], value)
        else:
            result[key] = value
    return result


_SCOPES = ((False, "middle"), (True, "each_side"))


def unused_markers(model: specs.Model) -> Notes:
    """A note for each marker, landmark and cluster that a model adds to those it extends, and that nothing uses.

    Parameters
    ----------
    model : Model
        As it was read, not bound to a trial.
    """
    own = _declared(content_of(model.paths[0]))
    scopes = model.middle, model.each_side
    used = Names(model).used_of({name for scope in scopes for name in (*scope.markers, *scope.clusters)})
    inherited = {place for path in model.paths[1:-1] for place in _declared(content_of(path))}
    notes = []
    for (sided, name), group in own.items():
        defined = model.defines("point", name, sided)
        if (sided, name) in inherited or ("point", name, sided) in used or not defined:
            continue
        scope = model.scope(sided)
        others = [other for other in (*scope.markers, *scope.clusters) if ("point", other, sided) in used]
        path = f"{dict(_SCOPES)[sided]}.{group}.{name}" if group == "markers" else f"{dict(_SCOPES)[sided]}.{group}"
        what = "it" if group == "markers" else repr(name)
        meant = nearest(name, others)
        notes.append(note("alias_unused/model", file=shown(model.paths[0]), path=path, what=what, meant=meant))
    return tuple(notes)


def _declared(content: object) -> dict[tuple[bool, str], str]:
    """Whether each side has it and the name of each marker that a model's file declares, and under which key."""
    result: dict[tuple[bool, str], str] = {}
    for sided, place in _SCOPES:
        for group in ("markers", "landmarks", "clusters"):
            names = mapping_under(content, place).get(group)
            for name in names if isinstance(names, list | Mapping) else ():
                result[sided, str(name)] = group
    return result


def unknown_landmarks(marker_set: MarkerSet, model: specs.Model | None = None) -> Notes:
    """A note for each landmark and cluster of a marker set that neither the field's words hold nor the model uses.

    Parameters
    ----------
    marker_set : MarkerSet
    model : Model, optional
        The one that it is for; without it any bundled model may be.
    """
    notes = []
    models = [load_model(name) for name in bundled_models()] if model is None else [model]
    for key, name, words in _named(marker_set):
        scopes = [of_model.scope(key.endswith("_each_side")) for of_model in models]
        known = [*words, *(role for scope in scopes for role in (*scope.markers, *scope.clusters))]
        if name not in known:
            path, meant = f"{key}.{name}", nearest(name, known)
            notes.append(note("alias_unused/marker_set", file=shown(marker_set.path), path=path, meant=meant))
    return tuple(notes)


def _named(marker_set: MarkerSet) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Key and name of each landmark and cluster once, and the words that are known for its key."""
    for key, group, middle, each_side in (
        ("landmarks", marker_set.roles, tuple(LANDMARKS), tuple(LANDMARKS_EACH_SIDE)),
        ("clusters", marker_set.clusters, CLUSTERS, CLUSTERS_EACH_SIDE),
    ):
        for sided, name in dict.fromkeys((bool(side), name) for side, name in group):
            yield (f"{key}_each_side", name, each_side) if sided else (key, name, middle)
