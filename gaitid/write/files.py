"""Writing files aside and renaming them, so that each is whole or absent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gaitid.errors import WriteError


def write_all(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write several texts into a folder (made if absent): all of them are written aside before any is renamed.

    Parameters
    ----------
    folder : Path
    texts : mapping of file name to text

    Raises
    ------
    WriteError
        The folder cannot be made or written to; nothing is left behind.
    """
    aside: list[tuple[Path, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            temporary = folder / f".{name}.{os.getpid()}.part"
            aside.append((temporary, folder / name))
            temporary.write_text(text, encoding="utf-8", newline="\n")
        for temporary, final in aside:
            os.replace(temporary, final)
    except OSError as error:
        for temporary, _ in aside:
            temporary.unlink(missing_ok=True)
        raise WriteError(
            f"cannot write to {folder} ({error.strerror or error})", todo="give another folder with -o"
        ) from None
    except BaseException:
        for temporary, _ in aside:
            temporary.unlink(missing_ok=True)
        raise
    return [final for _, final in aside]
