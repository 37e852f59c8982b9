"""The files that a command reads: which they are, their hashes, and that nothing is written over them."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from gaitid.disk.regular import MAX_BYTES, file_size, file_state
from gaitid.errors import GaitidError, WriteError
from gaitid.model.load import bundled_folder
from gaitid.notes import Notes, note


def sha256(path: Path, limit: int = sys.maxsize) -> str:
    """Of a file's bytes, hexadecimal.

    Raises
    ------
    ReadError
        Not a regular file, or of more bytes than `limit`.
    """
    file_size(path, limit, "regular")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def named(path: Path, function: Any) -> Any:
    """The function's value; an error of its carries the file's name."""
    try:
        return function()
    except GaitidError as error:
        if error.wrong.startswith(str(path)):
            raise
        raise type(error)(
            f"{path}: {error.wrong}", expected=error.expected, found=error.found, todo=error.todo
        ) from None


# Tables of Qualisys with forces, channels or bodies.
_NO_MARKERS = re.compile(r"_(f(_\d+)?|a(_\d+)?|6d)\.tsv$", re.IGNORECASE)


def input_record(role: str, path: Path, file: Path | None = None) -> dict[str, str]:
    """What a record says of an input: its role, its path as given, the hash of its bytes (or those of `file`)."""
    configs = bundled_folder("configs")
    if path.is_relative_to(configs):
        # where gaitid is installed is nobody's business, and differs between machines
        shown, digest = f"{path.relative_to(configs).as_posix()} (bundled)", _sha256_bundled(path, file_state(path))
    else:
        shown, digest = str(path), sha256(file or path, MAX_BYTES)
    return {"role": role, "path": shown, "sha256": digest}


@lru_cache(maxsize=64)
def _sha256_bundled(path: Path, state: tuple[int, ...] | None) -> str:
    """Of a file that many trials of a command are made from; `state` tells when it was written anew."""
    return sha256(path, MAX_BYTES)


def found_trial(path: Path) -> Path:
    """The path itself, or the bundled trial that it names where there is no such file (``sample_data/…``)."""
    if path.parts[:1] == ("sample_data",) and not path.exists():
        bundled = bundled_folder("sample_data").joinpath(*path.parts[1:])
        if bundled.is_file():
            return bundled
    return path


def refuse_to_overwrite(paths: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Raise where a file that is to be written, or taken away, is an input, by whatever name or link.

    Raises
    ------
    WriteError
    """
    read = {known[:2] for file in inputs if (known := file_state(file))}
    for path in paths:
        if (known := file_state(path)) and known[:2] in read:
            raise WriteError(
                f"{path} is an input and would be overwritten", todo="rename it, or give another place with -o"
            )


def static_beside(path: Path) -> Path | None:
    """The only static that lies beside a trial, by its name; None where there is none, or several."""
    if _is_static(path.stem):
        return None
    statics = [
        file
        for file in _beside(path, _is_static)
        if file.suffix.lower() in (".c3d", ".trc", ".tsv")
        and _is_static(file.stem)
        and not _NO_MARKERS.search(file.name)
    ]
    return statics[0] if len(statics) == 1 else None


def osim_beside(path: Path) -> Path | None:
    """The only OpenSim model in the folder of a trial; None where there is none, or several."""
    models = _beside(path, lambda name: name.casefold().endswith(".osim"))
    return models[0] if len(models) == 1 else None


#: What a batch writes of the laboratory, and later runs find.
LABORATORY = "laboratory.yaml"


def laboratory_beside(path: Path) -> Path | None:
    """``laboratory.yaml`` beside a trial, or in the folder above; None where there is none."""
    folders = (path.parent, path.parent / "..") if path.is_file() else ()
    return next((file for folder in folders if (file := folder / LABORATORY).is_file()), None)


def corrections_beside(path: Path) -> Path | None:
    """``walk.corrections.yaml`` beside ``walk.c3d``; None where there is none.

    Also ``.yml``, in any case of letters, and as a browser calls a second download (``walk.corrections (1).yaml``).

    Raises
    ------
    GaitidError
        There are several.
    """
    names = {name.casefold() for name in corrections_names(path.stem)}
    files = _beside(path, lambda name: name.casefold() in names)
    if len(files) > 1:
        found = " and ".join(file.name for file in files)
        raise GaitidError(f"{path}: which corrections are meant?", found=found, todo="keep one, or give --corrections")
    return files[0] if files else None


def corrections_names(stem: str) -> list[str]:
    """How the corrections of a trial may be called."""
    copies = ["", *(f"{space}({n})" for n in range(1, 10) for space in ("", " "))]
    return [f"{stem}.corrections{copy}{end}" for copy in copies for end in (".yaml", ".yml")]


def loads_beside(path: Path, forces: Path | None) -> Notes:
    """Forces that lie beside a TRC file and look as if they belonged to it, where none were given."""
    if forces is not None or path.suffix.lower() != ".trc":
        return ()
    stem = path.stem.casefold()
    files = _beside(path, lambda name: name.casefold().startswith(stem))
    loads = [f for f in files if f.suffix.lower() == ".mot" and f.stem.casefold().startswith(stem)]
    if len(loads) != 1:
        return ()
    return (note("file_beside/forces", name=loads[0].name, path=loads[0]),)


def load_files_beside(path: Path, names: Iterable[str] | None = None) -> list[tuple[str, Path]]:
    """Segment and file of the loads that lie beside a trial by its name: ``walk.load.left_shank.csv``, and ``….2.csv``
    for a second one on the same segment. `names` are those that may be such, where they are known."""
    found = []
    start = f"{path.stem}.load."
    for file in _beside(path, lambda name: name.startswith(start) and name.endswith(".csv"), names):
        segment, _, number = file.name[len(start) : -len(".csv")].partition(".")
        if segment and (number.isdecimal() or not number):
            found.append((segment, int(number or 1), file))
    return [(segment, file) for segment, _, file in sorted(found)]


def _beside(path: Path, wanted: Callable[[str], bool], names: Iterable[str] | None = None) -> list[Path]:
    """The files beside a trial whose names are wanted, which is asked first: a folder may hold thousands."""
    if not path.is_file():  # a trial in memory
        return []
    try:
        found = sorted(filter(wanted, os.listdir(path.parent) if names is None else names))  # noqa: PTH208
    except OSError:
        return []
    return [file for file in map(path.parent.joinpath, found) if file.name != path.name and file.is_file()]


def _is_static(stem: str) -> bool:
    return "static" in stem.casefold()
