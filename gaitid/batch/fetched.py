"""Data sets that a URL names: fetched through fsspec before anything is planned."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote

from gaitid.batch.files import SUFFIXES, is_glob
from gaitid.batch.results_folder import FETCHED, FOLDER, writing
from gaitid.disk.atomic import put_all
from gaitid.disk.regular import MAX_BYTES
from gaitid.errors import GaitidError

T = TypeVar("T")

# Suffixes of trials, and of what may lie beside them.
_COPIED = (*SUFFIXES, ".mot", ".forces", ".anc", ".cal", ".yaml", ".yml", ".enf", ".mp")
# How long a store is waited for, s: until it is there, or the next piece of a file; and until it has listed all.
ANSWER_S, LISTING_S = 60.0, 600.0
_PIECE = 1 << 20
_CHECK = "check the URL and the credentials"
# Two letters at least: one is a drive of Windows.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)")


def is_url(name: str) -> bool:
    """Whether the name of a data set is a URL."""
    return _URL.fullmatch(name) is not None


def fetch(datasets: Sequence[str], output: Path) -> tuple[list[str], list[str]]:
    """Copy the data sets that are URLs into ``output/.gaitid/fetched``; the caller holds the folder's lock.

    All is copied anew each time, each file as a whole: what decides whether a trial is done is what its file holds.

    Parameters
    ----------
    datasets : sequence of str
        A URL names a folder (with all below it), a glob, or a file, as fsspec understands it: ``s3://lab/gait``,
        ``https://host/walk.c3d``. Credentials are looked for where its library does (environment, files).
    output : Path

    Returns
    -------
    datasets : list of str
        With each URL replaced by the copy of what it names.
    problems : list of str
        Files that could not be fetched, a line each.

    Raises
    ------
    GaitidError
        fsspec or its library for the scheme is not installed, or a URL cannot be reached or holds no trial.
    WriteError
        The folder cannot be written to.
    """
    with writing(output):
        if (output / FOLDER / FETCHED).is_dir():
            shutil.rmtree(output / FOLDER / FETCHED)
    names, problems = [], []
    for name in datasets:
        copy, failed = _fetch(name, output) if is_url(name) else (name, [])
        names.append(copy)
        problems += failed
    return names, problems


def _fetch(url: str, output: Path) -> tuple[str, list[str]]:
    """The copy of what a URL names, and a line for each file that could not be fetched."""
    try:
        import fsspec

        system, root = _within(ANSWER_S, partial(fsspec.core.url_to_fs, _plain(url)))
    except Exception as error:  # of a network, a store, a protocol, or a library that is absent
        absent = isinstance(error, (ImportError, ValueError))
        todo = "pip install 'gaitid[distributed]', and what fsspec needs for the scheme" if absent else _CHECK
        raise GaitidError(f"{url}: cannot be fetched ({_line(error)})", todo=todo) from None
    try:
        files = _within(LISTING_S, partial(_files, system, root))
    except Exception as error:
        raise GaitidError(f"{url}: cannot be listed ({_line(error)})", todo=_CHECK) from None
    top = output / FOLDER / FETCHED / url.partition("://")[0].lower()
    problems, trials = list[str](), 0
    for path, about in files.items():
        target = top / _below(path, url)
        try:
            content = _content(system, path, about)
        except TimeoutError as error:  # nor would the next ones come
            raise GaitidError(f"{url}: {path}: cannot be fetched ({_line(error)})", todo=_CHECK) from None
        except Exception as error:
            problems.append(f"{path}: cannot be fetched ({_line(error)})")
        else:
            trials += target.suffix.lower() in SUFFIXES
            with writing(output):
                put_all(target.parent, {target.name: content})
    if not trials:
        expected = f"files that end in {', '.join(SUFFIXES)}"
        raise GaitidError(f"{url}: no trial", expected=expected, found="; ".join(problems))
    return str(top / _below(root, url)), problems


def _plain(url: str) -> str:
    """A file's URL with its path as it is on the disk: %20 is a blank (RFC 8089), which fsspec leaves as it is."""
    scheme, _, path = url.partition("://")
    return f"{scheme}://{unquote(path)}" if scheme.lower() == "file" and not Path(path).exists() else url


def _files(system: Any, root: str) -> dict[str, Mapping[str, Any]]:
    """Files that the URL names, in order, each with what the store knows of it; hidden ones are left out."""
    if is_glob(root):
        files = system.glob(root, detail=True)
    elif system.isfile(root) and PurePosixPath(root).suffix.lower() in _COPIED:
        files = {root: system.info(root)}
    else:
        files = system.find(root, detail=True)
        if not files:
            system.info(root)  # a listing leaves out what does not answer; this raises the reason
    return {
        path: files[path]
        for path in sorted(files)
        if PurePosixPath(path).suffix.lower() in _COPIED
        and "/." not in path.removeprefix(root)
        and files[path].get("type") != "directory"
    }


def _content(system: Any, path: str, about: Mapping[str, Any]) -> bytes:
    """The bytes of a file, read in pieces: one without an end is refused, and one that stops coming is given up."""
    if about.get("type", "file") != "file":  # a link may lead to one
        about = _within(ANSWER_S, partial(system.info, path))
    if about.get("type", "file") != "file":
        raise ValueError("no file, but a folder or a device")
    too_large = ValueError(f"too large: no trial has more than {MAX_BYTES / 1e6:.0f} MB")
    if (about.get("size") or 0) > MAX_BYTES:
        raise too_large
    file = _within(ANSWER_S, partial(system.open, path, "rb"))
    content = bytearray()
    while piece := _within(ANSWER_S, partial(file.read, _PIECE)):
        content += piece
        if len(content) > MAX_BYTES:
            raise too_large
    file.close()
    return bytes(content)


def _within(seconds: float, function: Callable[[], T]) -> T:
    """The function's value; TimeoutError where it takes longer. What it waits for then ends with this process."""
    from concurrent.futures import Future  # loads 7 modules, which who fetches nothing does not need

    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(function())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        if answer.done():  # its own, with what it waited for
            raise
        raise TimeoutError(f"no answer within {seconds:g} s") from None


def _line(error: BaseException) -> str:
    error = error.__cause__ or error
    return " ".join(str(error).split()) or type(error).__name__


def _below(path: str, url: str) -> PurePosixPath:
    """A path of the store as one below our folder: a name that a server makes up does not lead out of it."""
    plain = _URL.sub(r"\2", path).lstrip("/")
    parts = PurePosixPath(plain).parts
    if not parts or any(part == ".." or "\\" in part or "\0" in part or ":" in part[1:2] for part in parts):
        raise GaitidError(f"{url}: {path!r} cannot be the name of a copy")
    return PurePosixPath(*parts)
