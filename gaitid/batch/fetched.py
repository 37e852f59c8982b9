"""Data sets that a URL names: fetched through fsspec before anything is planned."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from gaitid.batch.found import is_glob
from gaitid.batch.journal import FOLDER, writing
from gaitid.batch.statics import SUFFIXES
from gaitid.errors import GaitidError
from gaitid.whole import put_all

# Below the folder of results, which all who work on trials see.
FETCHED = "fetched"
# Trials, and what may lie beside them.
_WANTED = (*SUFFIXES, ".mot", ".yaml", ".yml", ".enf")
# Two letters at least: one is a drive of Windows.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)")


def is_url(name: str) -> bool:
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
    try:
        import fsspec

        system, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        todo = "pip install 'gaitid[distributed]', and what fsspec needs for the scheme"
        raise GaitidError(f"{url}: cannot be fetched ({error})", todo=todo) from None
    try:
        paths = _paths(system, root)
    except Exception as error:  # of a network, a store or a protocol
        todo = "check the URL and the credentials"
        raise GaitidError(f"{url}: cannot be listed ({_line(error)})", todo=todo) from None
    if not paths:
        raise GaitidError(f"{url}: no trial", expected=f"files that end in {', '.join(SUFFIXES)}")
    top = output / FOLDER / FETCHED / url.partition("://")[0].lower()
    problems = []
    for path in paths:
        target = top / _below(path, url)
        try:
            content = system.cat_file(path)
        except Exception as error:
            problems.append(f"{path}: cannot be fetched ({_line(error)})")
        else:
            with writing(output):
                put_all(target.parent, {target.name: content})
    return str(top / _below(root, url)), problems


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _paths(system: Any, root: str) -> list[str]:
    """Files that the URL names, in order; hidden ones are left out."""
    if is_glob(root):
        found = system.glob(root)
    elif system.isfile(root) and PurePosixPath(root).suffix.lower() in _WANTED:
        found = [root]
    else:
        found = system.find(root)
    return sorted(p for p in found if PurePosixPath(p).suffix.lower() in _WANTED and "/." not in p.removeprefix(root))


def _below(path: str, url: str) -> PurePosixPath:
    """A path of the store as one below our folder: a name that a server makes up does not lead out of it."""
    plain = _URL.sub(r"\2", path).lstrip("/")
    parts = PurePosixPath(plain).parts
    if not parts or any(part == ".." or "\\" in part or "\0" in part or ":" in part[1:2] for part in parts):
        raise GaitidError(f"{url}: {path!r} cannot be the name of a copy")
    return PurePosixPath(*parts)
