"""Where models and the files that they name are: by path or by name, bundled or beside each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from gaitid.errors import GaitidError, ModelError
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.parsed import content_of


@cache
def bundled_folder(name: str) -> Path:
    """The folder `configs` or `sample_data`: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).resolve().parents[1]
    inside = here / "_bundled" / name
    return inside if inside.is_dir() else here.parent / name


@cache
def bundled_names(name: str) -> Mapping[str, Path]:
    """The same by the names that users give."""
    return MappingProxyType({path.stem: path for path in bundled_files(name)})


@cache
def bundled_files(name: str) -> tuple[Path, ...]:
    """The YAML files of a bundled folder, sorted (`Path.glob` compiles its pattern first: 0.5 ms)."""
    return tuple(sorted(path for path in bundled_folder(name).iterdir() if path.suffix == ".yaml"))


T = TypeVar("T")


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have, being too long, is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def bundled_models() -> Mapping[str, Path]:
    """Names and files of the models that come with gaitid."""
    return bundled_names("configs")


def find_file(kind: str, name: str, bundled: Mapping[str, Path], todo: str = "") -> Path:
    """The file that a user means: a path, or a bundled name with or without ``.yaml``; a path wins.

    Raises
    ------
    ModelError
        Neither; `kind` says what was looked for, `todo` where to look.
    """
    for candidate in (name, f"{name}.yaml"):
        if is_file(Path(candidate)):
            return Path(candidate)
    stem = name.removesuffix(".yaml")
    if stem in bundled:
        return bundled[stem]
    expected = f"a YAML file or one of {', '.join(bundled)}"
    raise ModelError(f"no {kind} {name!r}{nearest(stem, list(bundled))}", expected=expected, todo=todo)


def find_model(model: str) -> Path:
    """The model's file: a path, or a bundled model's name; a file in the current folder wins."""
    return find_file("model", model, bundled_models(), todo="see gaitid models list")


def shown(path: Path) -> str:
    """A file as an error names it: as given, and one that comes with gaitid without where that is installed."""
    return path.name if path.is_relative_to(bundled_folder("configs")) else str(path)


def fields_of(path: Path, key: str, schema: int, kind: str) -> tuple[Fields, Faults]:
    """The keys of a file that says its schema, and where its faults are gathered.

    Parameters
    ----------
    path : Path
    key, schema : str, int
        The line that such a file has: ``gaitid_table: 1``.
    kind : str
        What it should be, with its article.

    Raises
    ------
    ModelError
        As `load_yaml`; or without that line.
    """
    faults = Faults(shown(path), path)
    top = Fields(content_of(path), "", faults)
    if type(result := top.raw(key, None)) is not int or result != schema:
        raise ModelError(f"{shown(path)}: not {kind}", expected=f"a line `{key}: {schema}`")
    return top, faults


def text_of(path: Path) -> str:
    """The text of a YAML file, to be shown and copied.

    Raises
    ------
    ModelError
        It cannot be read as text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ModelError(f"{path}: cannot be read as text", expected="a YAML file in UTF-8") from None


def beside(relative: str, paths: tuple[Path, ...]) -> Path:
    """A path in a model is relative to the file that says so: the first in the line of inheritance that has it.

    The bundled folder comes last, so that a copy of a bundled model works anywhere.
    """
    for folder in (*(p.parent for p in paths), bundled_folder("configs")):
        if is_file(folder / relative):
            return folder / relative
    wrong = f"{shown(paths[0])}: no file {relative!r} beside the model"
    raise ModelError(wrong, todo="give a path from the model's folder")


def hidden_model(name: str) -> str:
    """The bundled model that a file of the same name in the current folder hides; empty where none does."""
    bundled = bundled_models().get(name.removesuffix(".yaml"))
    try:
        used = find_model(name)
        return "" if bundled is None or used.samefile(bundled) else bundled.stem
    except (OSError, GaitidError):
        return ""


def about_hidden(name: str, function: Callable[[], T]) -> T:
    """The function's value; a refusal of a model says where its file hides a bundled one."""
    try:
        return function()
    except ModelError as error:
        hidden = hidden_model(name)
        if not hidden:
            raise
        todo = f"./{find_model(name)} hides the bundled {hidden}; rename it or correct it"
        raise ModelError(
            error.wrong, expected=error.expected, found=error.found, todo="; ".join(filter(None, (error.todo, todo)))
        ) from None
