"""Subject files of Vicon Nexus (``.mp``): a parameter in each line, as ``$LLegLength = 1040``.

Nexus keeps one for each subject, under that name, in the folder of the session. Lengths are in mm, masses in kg, angles
in degrees. Without the ``$`` BodyBuilder writes the same; most of a file may be parameters of other models. No
description of the format by its maker was found: this is what files hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gaitid.disk.regular import file_size, opened
from gaitid.errors import ReadError
from gaitid.trial import Measurements

SUFFIX = ".mp"
# Bytes: a real one has some hundreds, with all that BodyBuilder keeps some ten thousand.
_BYTES = 100_000
_LINE = r"(?m)^[^\w\n]*(\w+)[ \t]*=[ \t]*([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?)[ \t]*\r?$"


def read_mp(path: Path) -> Measurements:
    """The numbers of a subject file by their names, without the ``$``.

    Raises
    ------
    ReadError
        It cannot be read, or holds none.
    """
    file_size(path, _BYTES, "subject")
    with opened(path) as file:
        # names and numbers are ASCII, whatever the encoding of the rest: without the zeros of UTF-16, too
        text = file.read().replace(b"\0", b"").decode("utf-8", "replace")
    matches = re.findall(_LINE, text)
    if not matches:
        raise ReadError(
            "no parameter of a subject",
            expected="lines as $LLegLength = 1040",
            found="an empty file" if not text.strip() else "other lines",
            todo="save the subject in Nexus again",
        )
    return Measurements((name, float(number.replace(",", "."))) for name, number in matches)


def mp_beside(path: Path, names: Iterable[str]) -> list[Path]:
    """The subject files beside a trial that may be its own: those named as its subjects, else all that are there."""
    try:
        files = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == SUFFIX and file.is_file())
    except OSError:  # a folder that may be entered but not listed
        return []
    subjects = {name.casefold() for name in names}
    return [file for file in files if file.stem.casefold() in subjects] or files
