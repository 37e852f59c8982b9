"""Writing the files of one result, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gaitid.disk.atomic import put_all
from gaitid.errors import WriteError


def write_all(
    folder: Path, contents: Mapping[str, str | bytes], placed: Callable[[], object] = lambda: None
) -> list[Path]:
    """Write several files into a folder (made if absent): all of them are there at the end, or none.

    Parameters
    ----------
    folder : Path
    contents : mapping of file name to text or bytes
        The last is put in place last.
    placed : callable, optional
        Called when all are in place.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; it is as it was before.
    """
    try:
        return put_all(folder, contents, placed)
    except OSError as error:
        raise WriteError(
            f"cannot write to {folder} ({error.strerror or error})", todo="give another folder with -o"
        ) from None
