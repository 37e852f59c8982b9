"""Files that gaitid itself wrote, read back: tables and records of results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaitid.disk.regular import MAX_TEXT_BYTES, file_size, unreadable
from gaitid.errors import GaitidError, ReadError, reading


def read_text_back(path: Path, kind: str) -> str:
    """The text of a file that gaitid wrote.

    Parameters
    ----------
    path : Path
    kind : str
        What the file should be, for errors.

    Raises
    ------
    GaitidError
        One line that begins with the file: absent, a pipe or a device, too large, not in UTF-8.
    """
    with reading(f"{path}: "):
        file_size(path, MAX_TEXT_BYTES, kind)
        try:
            return path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise unreadable(error) from None
        except UnicodeDecodeError as error:
            raise ReadError("not text", expected="UTF-8", found=str(error)) from None


def read_record(path: Path) -> Mapping[str, Any]:
    """The content of a ``run.json`` that gaitid wrote.

    Raises
    ------
    GaitidError
        As for `read_text_back`; not JSON, or not a record of gaitid.
    """
    text = read_text_back(path, "run.json")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GaitidError(
            f"{path}: not JSON", expected="the run.json that gaitid run wrote", found=str(error)
        ) from None
    if isinstance(record, dict) and "gaitid" in record:
        return record
    keys = ", ".join(list(record)[:6]) or "none" if isinstance(record, dict) else ""
    raise GaitidError(
        f"{path}: JSON, but not a run.json of gaitid",
        expected="an object with the key 'gaitid' (the version that wrote it)",
        found=f"the keys {keys}" if keys else f"a {type(record).__name__}",
    )
