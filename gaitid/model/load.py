"""Reading a model: what it extends, its choices and settings, its table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.bundled import bundled_files as bundled_files
from gaitid.model.bundled import bundled_folder as bundled_folder
from gaitid.model.choices import TABLE, ChoiceError, Defined, defined_by
from gaitid.model.find import beside
from gaitid.model.find import bundled_models as bundled_models
from gaitid.model.find import find_file as find_file
from gaitid.model.find import find_model as find_model
from gaitid.model.find import is_file as is_file
from gaitid.model.find import shown as shown
from gaitid.model.merge import Merged, measurements_taken_away
from gaitid.model.merge import merged_content as merged_content
from gaitid.model.schema import parse_model
from gaitid.model.tables import load_table as load_table


def load_model(
    model: str | Path, overrides: Mapping[str, Any] | None = None, others: Sequence[str] = (), *, checked: bool = False
) -> specs.Model:
    """Read a model with everything it extends and its table.

    Parameters
    ----------
    model : str or Path
        A path, or a bundled model's name.
    overrides : mapping, optional
        Settings that replace the model's, and options of its choices (from options of the command).
    others : sequence of str
        Settings that options may change too, but which are no model's: named where one is not known.
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
    merged = merged_content(path, overrides, others)
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
