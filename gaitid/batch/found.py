"""What a data set holds: the trials that folders, globs, files and manifests name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gaitid.batch.statics import SUFFIXES, natural
from gaitid.errors import GaitidError

# Of gaitid's own files beside a trial, and of what `simulate` writes with one: no trials.
_OURS = re.compile(
    r"\.(wrenches|joints|contacts|cycles|spatiotemporal|segments|base|forces|truth\.\w+)\.csv$|^batch\.csv$"
)
# A column of a marker in a plain CSV.
_MARKER = re.compile(r"_x_mm?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """One trial as the user named it.

    Attributes
    ----------
    path : Path
        As given: below a folder or a manifest's folder as that was given.
    subject : str
        Empty where nobody named one.
    static : Path or None
        Named in a manifest.
    search : bool
        Whether a static is to be looked for.
    exact : bool
        Whether a manifest names just this file: a trial then, even if it looks like a static.
    words : tuple of str
        Options of `gaitid run` that a manifest gives to this trial.
    where : str
        The manifest's row, for messages.
    """

    path: Path
    subject: str = ""
    static: Path | None = None
    search: bool = True
    exact: bool = False
    words: tuple[str, ...] = ()
    where: str = ""


@dataclass
class Found:
    """What all data sets of a command hold together; `problems` are folders that could not be listed."""

    trials: list[Wanted] = field(default_factory=list)
    bases: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The deepest folder that everything lies in, absolute: outputs mirror what is below it."""
        try:
            return Path(os.path.commonpath(self.bases))
        except ValueError:  # two drives
            raise GaitidError("data sets on different drives", todo="run a batch for each") from None


def find(datasets: Sequence[str], leave_out: Path) -> Found:
    """The trials of all data sets, each once, statics among them.

    Parameters
    ----------
    datasets : sequence of str
        Folders (searched with all below them), globs, trials, and manifests (`gaitid.batch.manifest`).
    leave_out : Path
        The folder that results go to: what lies in it is no data.

    Raises
    ------
    GaitidError
        A data set that is not there, or holds no trial.
    """
    from gaitid.batch.manifest import is_manifest, read_manifest

    found = Found()
    seen: set[Path] = set()
    for name in datasets:
        path = Path(name)
        if path.is_dir():
            wanted, base = [Wanted(p) for p in _below(path, leave_out, found)], path
        elif is_manifest(path):
            wanted, base = read_manifest(path), path.parent
        elif os.path.lexists(path):
            wanted, base = [Wanted(path)], path.parent
        elif is_glob(name):
            wanted, base = [Wanted(p) for p in matches(path)], _fixed(path)
        else:
            raise GaitidError(f"{name}: no such file or folder")
        if not wanted and not found.problems:
            raise GaitidError(f"{name}: no trial", expected=f"files that end in {', '.join(SUFFIXES)}")
        for one in wanted:
            place = absolute(one.path)
            if place in seen and one.where:
                raise GaitidError(f"{one.where}: {one.path} is named twice", todo="keep one of its rows")
            if place not in seen:
                seen.add(place)
                found.trials.append(one)
                found.bases.append(absolute(base) if place.is_relative_to(absolute(base)) else place.parent)
    return found


def absolute(path: Path) -> Path:
    """Without dots, links as they are: what a user sees as one folder stays one."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links


def is_glob(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def matches(pattern: Path) -> list[Path]:
    """Files that a glob names, ``**`` for any folders."""
    base = _fixed(pattern)
    try:
        paths = list(base.glob(str(pattern.relative_to(base))))
    except ValueError as error:
        raise GaitidError(f"{pattern}: cannot be used as a glob ({error})") from None
    return sorted((p for p in paths if p.suffix.lower() in SUFFIXES and not p.is_dir()), key=natural)


def files_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """What may be trials in one folder, by name, and what was left out because a C3D of the same stem is there."""
    files = [p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith(".")]
    files = sorted((p for p in files if not p.is_dir() and _may_be_trial(p)), key=natural)
    recorded = {p.stem for p in files if p.suffix.lower() == ".c3d"}
    beside = [p for p in files if p.suffix.lower() != ".c3d" and p.stem in recorded]
    return [p for p in files if p not in beside], beside


def _below(top: Path, leave_out: Path, found: Found) -> list[Path]:
    """Trials in a folder and all folders below it; links to folders are not followed."""

    def cannot(error: OSError) -> None:
        found.problems.append(f"{error.filename}: cannot be listed ({error.strerror})")

    trials: list[Path] = []
    beside = 0
    for folder, below, _ in os.walk(top, onerror=cannot):
        below[:] = sorted(
            n for n in below if not n.startswith(".") and absolute(Path(folder, n)) != absolute(leave_out)
        )
        try:
            files, others = files_in(Path(folder))
        except OSError:  # said by `cannot`
            continue
        trials += files
        beside += len(others)
    if beside:
        found.notes.append(f"left out, since C3D files of the same names lie beside them: {beside} text files")
    return trials


def _may_be_trial(path: Path) -> bool:
    """All C3D and TRC files; of CSV files those that hold markers or are a Nexus export."""
    if path.suffix.lower() != ".csv":
        return True
    if _OURS.search(path.name):
        return False
    from gaitid.read.csv_nexus import is_nexus_csv

    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(65536).decode("utf-8-sig", errors="replace")
    except OSError:
        return True  # named when it is read
    return is_nexus_csv(head) or _MARKER.search(head) is not None


def _fixed(path: Path) -> Path:
    """The part of a glob before its first wildcard."""
    for folder in reversed(path.parents):
        if is_glob(folder.name):
            return folder.parent
    return path.parent
