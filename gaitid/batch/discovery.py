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
_MARKER = re.compile(r"_x_(mm|cm|m)\b")


@dataclass(frozen=True)
class Wanted:
    """One trial as the user named it.

    Attributes
    ----------
    path : Path
        As given: below a folder or a manifest's folder as that was given.
    exact : bool
        Whether a manifest names just this file: a trial then, even if it looks like a static.
    subject : str
        Empty where nobody named one.
    root : Path or None
        The folder that results mirror, where a manifest says so.
    words : tuple of str
        Options of `gaitid run` that a manifest gives to this trial, each with its value.
    without : tuple of str
        Options that it is to have no file for: nothing is looked for.
    where : str
        The manifest's row, for messages.
    """

    path: Path
    exact: bool = False
    subject: str = ""
    root: Path | None = None
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    where: str = ""


@dataclass(frozen=True)
class Listing:
    """What lies in one folder, hidden files and links to folders apart.

    Attributes
    ----------
    trials : tuple of Path
        What may be one, statics too, by name.
    left_out : tuple of (Path, str)
        Files with the suffix of a trial that are none, and why.
    files : tuple of Path
        All, also those that may lie beside a trial.
    folders : tuple of Path
    problem : str
        Why it could not be listed.
    """

    trials: tuple[Path, ...] = ()
    left_out: tuple[tuple[Path, str], ...] = ()
    files: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    problem: str = ""


@dataclass
class Found:
    """What all data sets of a command hold together.

    Attributes
    ----------
    trials : list of Wanted
    bases : list of Path
        For each trial, the folder that was given.
    left_out : dict of Path to str
        Files that are no trials, and why.
    problems : list of str
        Folders that could not be listed.
    noted : Path or None
        The root of the data set that the folder of results holds those of.
    """

    trials: list[Wanted] = field(default_factory=list)
    bases: list[Path] = field(default_factory=list)
    left_out: dict[Path, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    noted: Path | None = None

    @property
    def root(self) -> Path:
        """The deepest folder that everything lies in, absolute: outputs mirror what is below it.

        Of a part of a data set that the results are of already, the root of the whole.
        """
        if not self.bases:
            raise GaitidError("; ".join(self.problems) or "no data set is given")
        try:
            deepest = Path(os.path.commonpath(self.bases))
        except ValueError:  # two drives
            raise GaitidError("data sets on different drives", todo="run a batch for each") from None
        return self.noted if self.noted is not None and deepest.is_relative_to(self.noted) else deepest


def find(datasets: Sequence[str], leave_out: Path | None) -> Found:
    """The trials of all data sets, each once, statics among them.

    Parameters
    ----------
    datasets : sequence of str
        Folders (searched with all below them), globs, trials, and manifests (`gaitid.batch.manifest`).
    leave_out : Path or None
        The folder that results go to: what lies in it is no data.

    Raises
    ------
    GaitidError
        A data set that is not there, or holds no trial.
    """
    from gaitid.batch.manifest import is_manifest, read_manifest
    from gaitid.batch.previous import noted_root

    found = Found(noted=None if leave_out is None else noted_root(leave_out))
    seen: set[Path] = set()
    for name in datasets:
        if not name:
            raise GaitidError("an empty name of a data set", todo="give . for the current folder")
        path = Path(name)
        if path.is_dir():
            wanted, base = [Wanted(p) for p in _below(path, leave_out, found)], path
        elif is_manifest(path):
            wanted, base = read_manifest(path), path.parent
        elif os.path.lexists(path):
            refuse_other(path)
            wanted, base = [Wanted(path)], path.parent
        else:
            paths, left_out = matches(path)
            found.left_out.update(left_out)
            wanted, base = [Wanted(p) for p in paths], literal_part(path)
        if not wanted and not found.problems:
            expected = f"files that end in {', '.join(SUFFIXES)}"
            raise GaitidError(f"{name}: no trial", expected=expected, todo=about_path(path))
        for one in wanted:
            place = absolute(one.path)
            if place in seen and one.where:
                raise GaitidError(f"{one.where}: {one.path} is named twice", todo="keep one of its rows")
            if place not in seen:
                seen.add(place)
                found.trials.append(one)
                root = absolute(one.root or base)
                found.bases.append(root if place.is_relative_to(root) else place.parent)
    return found


def absolute(path: Path) -> Path:
    """Without dots, links as they are: what a user sees as one folder stays one."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links


def is_glob(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def literal_part(pattern: Path) -> Path:
    """The longest folder of a glob that exists, whatever signs its name holds."""
    return next((folder for folder in pattern.parents if folder.is_dir()), pattern.parent)


def matches(pattern: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Trials that a glob names, ``**`` for any folders, and what was left out.

    Raises
    ------
    GaitidError
        No glob, and no such file.
    """
    base = literal_part(pattern)
    rest = str(pattern.relative_to(base))
    if not is_glob(rest):
        raise GaitidError(f"{pattern}: no such file or folder", todo=about_path(pattern))
    try:
        paths = sorted((p for p in base.glob(rest) if not p.is_dir()), key=by_name)
    except (ValueError, OSError) as error:
        raise GaitidError(f"{pattern}: cannot be used as a glob ({error})") from None
    what = {p: _other(p) for p in paths if p.suffix.lower() in SUFFIXES}
    return [p for p in what if not what[p]], [(p, why) for p, why in what.items() if why]


def about_path(path: Path) -> str:
    """What to do about a path at which nothing is."""
    return "write / between folders" if "\\" in str(path) else "check the path"


def refuse_other(path: Path) -> None:
    """GaitidError where a file that somebody named is no trial."""
    if path.suffix.lower() not in SUFFIXES:
        raise GaitidError(f"{path}: no trial", expected=f"a file that ends in {', '.join(SUFFIXES)}")
    if what := _other(path):
        raise GaitidError(f"{path}: this is {what}")


def by_name(path: Path) -> tuple[object, ...]:
    """Sorts paths as people count."""
    return natural(path.as_posix())


def listed(folder: Path) -> Listing:
    """One folder; the reason where the system does not list it."""
    try:
        inside = sorted((p for p in folder.iterdir() if not p.name.startswith(".")), key=by_name)
        folders = {p: p.is_symlink() for p in inside if p.is_dir()}
    except OSError as error:
        return Listing(problem=f"{folder}: cannot be listed ({error.strerror})")
    files = tuple(p for p in inside if p not in folders)
    may_be = [p for p in files if p.suffix.lower() in SUFFIXES]
    recorded = {p.stem for p in may_be if p.suffix.lower() == ".c3d"}
    left_out = {
        p: "a C3D file of the same name is there" if p.stem in recorded and p.suffix.lower() != ".c3d" else _other(p)
        for p in may_be
    }
    return Listing(
        tuple(p for p in may_be if not left_out[p]),
        tuple((p, why) for p, why in left_out.items() if why),
        files,
        tuple(p for p, is_link in folders.items() if not is_link),
    )


def _below(top: Path, leave_out: Path | None, found: Found) -> list[Path]:
    """Trials in a folder and all folders below it; links to folders are not followed."""
    trials: list[Path] = []
    folders = [top]
    while folders:
        here = listed(folders.pop())
        trials += here.trials
        found.left_out.update(here.left_out)
        found.problems += [here.problem] if here.problem else []
        folders += [p for p in here.folders if leave_out is None or absolute(p) != absolute(leave_out)]
    return trials


def _other(path: Path) -> str:
    """What a file is, where it is no trial: all C3D and TRC files may be one, CSV files with markers, exports of Nexus.

    A file that cannot be read stays a trial, and is named when it is read.
    """
    if path.suffix.lower() != ".csv":
        return ""
    if _OURS.search(path.name):
        return "forces, or a table that gaitid wrote"
    from gaitid.batch.manifest import TRIALS, columns_of, names_trials
    from gaitid.model.fields import nearest
    from gaitid.read.tables.csv_nexus import is_nexus_csv
    from gaitid.read.tables.csv_text import first_characters

    try:
        if not path.is_file():
            return "no file"
        head = first_characters(path)
    except (OSError, GaitidError):
        return ""
    if is_nexus_csv(head) or _MARKER.search(head):
        return ""
    columns = columns_of(head)
    if names_trials(columns):
        return "a manifest"
    near = next((f"; {c!r} is not known{n}" for c in columns if (n := nearest(c.lower(), [TRIALS]))), "")
    return f"neither a trial (columns such as LASI_x_mm) nor a manifest (a column {TRIALS!r}){near}"
