"""Files that belong together: all of them are put in place, or none is."""

from __future__ import annotations

import errno
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gaitid.disk.large_arrays import rest_files
from gaitid.errors import WriteError

#: Of a file: bytes, or text, which may come in parts as they are made.
Content = str | bytes | Iterable[str]
HELD = (signal.SIGINT, signal.SIGTERM)


def write_all(folder: Path, contents: Mapping[str, Content], placed: Callable[[], object] = lambda: None) -> list[Path]:
    """Write the files of a result into a folder (made if absent): all of them are there at the end, or none.

    Parameters
    ----------
    folder : Path
    contents : mapping of file name to text, parts of a text, or bytes
        The last is put in place last. What the making of a part raises leaves nothing behind.
    placed : callable, optional
        Called when all are in place.

    Returns
    -------
    list of Path
        Of the files, in the order of `contents`.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; it is as it was before.
    """
    try:
        return put_all(folder, contents, placed)
    except OSError as error:
        what = f"cannot write to {folder} ({error.strerror or error})"
        raise WriteError(what, todo="give another folder with -o") from None


def put_all(folder: Path, contents: Mapping[str, Content], placed: Callable[[], object] = lambda: None) -> list[Path]:
    """As `write_all`, for those who name another cure: files are written aside first, then see `place_all`.

    Raises
    ------
    OSError
        The folder cannot be made or written to, or see `refuse_taken`; nothing is left behind.
    """
    for name in contents:
        refuse_taken(folder / name)
    pairs: list[tuple[Path, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for i, (name, content) in enumerate(contents.items()):
            # cut: the name aside must not be too long where the name itself is not
            temporary = folder / f".{name[:40]}.{os.getpid()}.{i}.part"
            pairs.append((temporary, folder / name))
            rest_files()  # of the file before
            if isinstance(content, bytes):
                temporary.write_bytes(content)
            else:
                # a name that is not text in UTF-8 as an escape, which is that of JSON: \udcff
                with temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                    file.writelines((content,) if isinstance(content, str) else content)
        for temporary, _ in pairs:  # after all are written: the first takes most of the others along
            _flush(temporary)
        place_all(pairs, placed)
    except BaseException:
        for temporary, _ in pairs:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        raise
    return [final for _, final in pairs]


def _flush(path: Path) -> None:
    """Onto the disk, so that a loss of power after the renaming does not leave an empty file of the right name."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def place_all(pairs: Sequence[tuple[Path, Path]], placed: Callable[[], object] = lambda: None) -> None:
    """Rename each first path to the second of its pair; after a failure everything is as it was before.

    An interruption (SIGINT, SIGTERM) waits until all are in place.

    Parameters
    ----------
    pairs : sequence of (Path, Path)
        Where a file lies now, in the same file system, and where it is to go. The last is placed last.
    placed : callable, optional
        Called once all are in place, before an interruption that waited.

    Raises
    ------
    OSError
        A file cannot be put there, for example because a folder or a device has its name.
    """
    for _, final in pairs:
        refuse_taken(final)
    done: list[tuple[Path, Path | None]] = []
    with _held():
        try:
            for temporary, final in pairs:
                old = _kept(temporary, final)
                done.append((final, old))
                os.replace(temporary, final)
        except BaseException:
            # the last of `done` was not replaced, which does no harm: what was kept of it is the same file
            for i, (final, old) in enumerate(reversed(done)):
                with suppress(OSError):
                    if old is not None:
                        os.replace(old, final)
                    elif i > 0:
                        final.unlink(missing_ok=True)
            raise
        finally:
            for _, old in done:
                if old is not None:
                    with suppress(OSError):
                        old.unlink(missing_ok=True)
        placed()


def refuse_places(folder: Path, names: Iterable[str]) -> None:
    """Raise a `WriteError` where a folder or a name in it cannot be written to, as far as can be seen beforehand."""
    there = folder
    while not os.path.lexists(there) and there != there.parent:
        there = there.parent
    why = "" if os.access(there, os.W_OK | os.X_OK) else "Permission denied"
    if not there.is_dir():
        why = "File exists" if there == folder else "Not a directory"
    try:
        for name in names:
            refuse_taken(folder / name)
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise WriteError(f"cannot write to {folder} ({why})", todo="give another folder with -o")


def refuse_taken(final: Path) -> None:
    """Raise where a name is taken by what is no file: a folder, a device, a pipe, a socket, or a link to such.

    A link to a file, or to nothing, is replaced like any other file; what it leads to stays as it is.

    Raises
    ------
    OSError
    """
    try:
        mode = final.stat().st_mode
    except OSError:  # nothing there, or a link that leads nowhere
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, f"{final.name} is a folder", str(final))
    # /dev/stdout and its like, where the process was given a file
    if not stat.S_ISREG(mode) or (final.is_symlink() and str(final.readlink()).startswith("/proc/")):
        raise FileExistsError(errno.EEXIST, f"{final.name} is a device, a pipe or a socket", str(final))


def _kept(temporary: Path, final: Path) -> Path | None:
    """A second name for what is to be replaced; None where there is nothing."""
    old = temporary.with_name(f"{temporary.name}.old")
    try:
        os.link(final, old, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except (OSError, NotImplementedError):  # a file system without hard links, or a name that an earlier process left
        if not os.path.lexists(final):
            return None
        old.unlink(missing_ok=True)
        final.rename(old)
    return old


@contextmanager
def _held() -> Iterator[None]:
    """Signals that would interrupt are delivered at the end instead. Only the main thread gets them at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before: dict[signal.Signals, Any] = {}
    try:
        for name in HELD:
            handler = signal.getsignal(name)
            if handler is not None:  # None: not set from Python, and so not ours to restore
                before[name] = handler
                signal.signal(name, lambda number, _: came.append(number))
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
        if came:
            signal.raise_signal(came[0])
