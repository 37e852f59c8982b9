"""One result -> the files of one format, in a folder: all of them, or none."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from gaitid.disk.atomic import write_all
from gaitid.errors import GaitidError
from gaitid.export import FORMATS
from gaitid.export.source import Made, read_source
from gaitid.inputs import refuse_to_overwrite
from gaitid.results.one_run import find_records


class Exported(NamedTuple):
    """Files in place, and what is worth saying of them."""

    files: list[Path]
    remarks: tuple[str, ...]


def export_result(path: Path, to: str, folder: Path, keep_names: bool = False) -> Exported:
    """Write a result for another program.

    Parameters
    ----------
    path : Path
        ``walk.run.json``, with its tables beside it.
    to : str
        One of `FORMATS`.
    folder : Path
        Made if absent.
    keep_names : bool
        Whether a copy of the trial's C3D file keeps the names of people in it.

    Raises
    ------
    GaitidError
        One line; nothing is written then.
    """
    if to not in FORMATS:
        raise GaitidError(f"no format {to!r}", expected=" or ".join(FORMATS))
    source = read_source(path)
    make: Callable[..., Made] = import_module(f"gaitid.export.to_{to}").make
    made = make(source, keep_names) if to == "c3d" else make(source)
    targets = [folder / name for name in made.contents]
    refuse_to_overwrite(targets, [*source.files, *source.inputs])
    return Exported(write_all(folder, made.contents), made.remarks)


def folders_of(given: Path, output: Path) -> list[tuple[Path, Path]]:
    """A result, or each below a folder, with the folder of its files: folders are mirrored below `output`.

    Raises
    ------
    GaitidError
        No result there.
    """
    found = find_records([given])
    return [(path, output / path.parent.relative_to(given) if given.is_dir() else output) for path in found]
