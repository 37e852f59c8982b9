"""A folder of simulated files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from gaitid.disk.atomic import place_all
from gaitid.errors import WriteError


def write_folder(
    folder: Path, binary: Mapping[str, Callable[[Path], None]], texts: Mapping[str, str]
) -> tuple[Path, ...]:
    """Write files into a folder (made where absent), all of them or none.

    Parameters
    ----------
    folder : Path
    binary : mapping of name to function
        That writes the file at a given path.
    texts : mapping of name to content

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; nothing is left behind.
    """
    names = (*binary, *texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".simulate-") as aside_name:
            aside = Path(aside_name)
            for name, write in binary.items():
                write(aside / name)
            for name, text in texts.items():
                (aside / name).write_bytes(text.encode("utf-8"))
            place_all([(aside / name, folder / name) for name in names])
    except OSError as error:
        raise WriteError(f"cannot write into {folder}: {error.strerror or error}") from error
    return tuple(folder / name for name in names)
