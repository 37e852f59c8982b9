"""A mechanism's file as text, to copy and edit."""

from __future__ import annotations

from pathlib import Path

from gaitid.errors import ModelError
from gaitid.mechanism.file import bundled_mechanisms, find_mechanism, load_mechanism
from gaitid.model.load import bundled_folder, is_file
from gaitid.records import NamedTuple


class Template(NamedTuple):
    """A file to copy and edit.

    Attributes
    ----------
    text : str
    tables : tuple of str
        Names of the tables that it reads in its own folder; of a bundled file only: `mechanism_template` gives them.
    """

    text: str
    tables: tuple[str, ...]


def mechanism_template(name: str) -> Template:
    """The text of a bundled mechanism, of a table that one reads (``gait_leg.csv``), or of a file.

    Raises
    ------
    ModelError
        There is none, or it cannot be read as text.
    """
    folder, path = bundled_folder("configs") / "mechanisms", Path(name)
    for given in (path, Path(f"{name}.yaml")):
        if is_file(given) and given.stat().st_size == 0:  # `show NAME > NAME.yaml` has just made it
            path = folder / given.name
    if not is_file(path) and path.suffix == ".csv" and path.name == name:
        path = folder / name
    if not is_file(path):
        path = find_mechanism(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ModelError(f"{path}: cannot be read as text", expected="a YAML file in UTF-8") from None
    if path not in bundled_mechanisms().values():
        return Template(text, ())
    return Template(text, tuple(read.name for read in load_mechanism(path).tables))
