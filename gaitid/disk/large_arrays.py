"""The memory of large arrays: kept for the next one, or, of very long trials, in temporary files.

What a run holds of a trial is looked at a few times in all, some of it not before its tables are written. Of a very
long one it lies in files whose pages are memory of the run while a stage or a table looks at them. The system keeps as
much of such files in memory as it can spare, and writes the rest to the disk.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from mmap import mmap

    import numpy as np

    _Array = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]

#: An array of fewer rows stays: of 22 minutes at 100 Hz.
LARGE = 1 << 17
_maps: WeakSet[mmap] = WeakSet()


def put_in_file(values: _Array) -> _Array:
    """The same numbers, which nobody will change: of a very long trial in a temporary file, else as they are.

    They stay where no file can be had, or where the system does not let go of a file's pages. Other files rest.
    """
    if values.size < LARGE or max(values.shape[:2]) < LARGE or is_in_file(values):
        return values
    import mmap
    from tempfile import TemporaryFile

    import numpy as np

    if not hasattr(mmap, "MADV_DONTNEED"):
        return values
    try:
        with TemporaryFile(prefix="gaitid-", dir=_folder_of_large_files()) as file:
            values.tofile(file)
            file.flush()
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError:
        return values
    _maps.add(pages)
    rest_files()
    return np.ndarray(values.shape, values.dtype, pages)


def _folder_of_large_files() -> str | None:
    """/var/tmp where TMPDIR says nothing: what is large goes to the disk, and /tmp often lies in memory (Filesystem
    Hierarchy Standard 3.0, 5.15; systemd's file-hierarchy(7)). None is Python's own choice."""
    import os

    usual = "/var/tmp"
    return usual if "TMPDIR" not in os.environ and os.access(usual, os.W_OK) else None


def is_in_file(values: _Array) -> bool:
    """Whether an array is the whole of what a file holds."""
    base: object = values.base
    return any(base is pages for pages in _maps)


def rest_files() -> None:
    """Let the system take back the memory of everything that lies in files; it comes again where it is looked at."""
    if _maps:
        from mmap import MADV_DONTNEED

        for pages in _maps:
            pages.madvise(MADV_DONTNEED)


def keep_freed() -> None:
    """Have memory that arrays leave taken again by the next ones, not given back to the system and cleared for them.

    glibc maps an array above a threshold by itself, and gives the end of its heap back beyond twice that. It begins
    with 128 kB, and when a mapped array is freed, that one's size is the threshold from then on, up to 32 MB
    (mallopt(3), M_MMAP_THRESHOLD). So one is made and freed, of which no page is touched. Other libraries of C go on as
    they did, and glibc too where the user has set its thresholds.
    """
    import numpy as np

    with suppress(MemoryError):  # what follows will say so
        np.empty(31 << 20, dtype=np.int8)
