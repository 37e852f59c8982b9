"""What a data set holds: the trials that folders, globs, files and manifests name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gaitid.batch.files import (
    SUFFIXES,
    about_path,
    absolute,
    is_manifest,
    list_folder,
    literal_part,
    matches,
    refuse_no_trial,
)
from gaitid.batch.manifest import read_manifest
from gaitid.batch.results_folder import noted_root
from gaitid.batch.types import Listing, Wanted
from gaitid.errors import GaitidError

# `list_folder`, or what remembers it.
Listed = Callable[[Path], Listing]


@dataclass
class Discovered:
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


def find(datasets: Sequence[str], leave_out: Path | None, listed: Listed = list_folder) -> Discovered:
    """The trials of all data sets, each once, statics among them.

    Parameters
    ----------
    datasets : sequence of str
        Folders (searched with all below them), globs, trials, and manifests (`gaitid.batch.manifest`).
    leave_out : Path or None
        The folder that results go to: what lies in it is no data.
    listed : callable, optional
        `list_folder`, or what has done it before.

    Raises
    ------
    GaitidError
        A data set that is not there, or holds no trial.
    """
    discovered = Discovered(noted=None if leave_out is None else noted_root(leave_out))
    seen: set[Path] = set()
    for name in datasets:
        base, listings, trials = _data_set(name, leave_out, listed)
        for listing in listings:
            discovered.left_out.update(listing.left_out)
            discovered.problems += [listing.problem] if listing.problem else []
        if not trials and not discovered.problems:
            expected = f"files that end in {', '.join(SUFFIXES)}"
            raise GaitidError(f"{name}: no trial", expected=expected, todo=about_path(Path(name)))
        for trial in trials:
            place = absolute(trial.path)
            if place in seen and trial.where:
                raise GaitidError(f"{trial.where}: {trial.path} is named twice", todo="keep one of its rows")
            if place not in seen:
                seen.add(place)
                discovered.trials.append(trial)
                root = absolute(trial.root or base)
                discovered.bases.append(root if place.is_relative_to(root) else place.parent)
    return discovered


def _data_set(name: str, leave_out: Path | None, listed: Listed) -> tuple[Path, list[Listing], list[Wanted]]:
    """The folder of one data set, what was listed for it, and its trials."""
    if not name:
        raise GaitidError("an empty name of a data set", todo="give . for the current folder")
    path = Path(name)
    if is_manifest(path):
        return path.parent, [], read_manifest(path)
    if path.is_dir():
        base, listings = path, _below(path, leave_out, listed)
    elif os.path.lexists(path):
        refuse_no_trial(path)
        base, listings = path.parent, [Listing((path,))]
    else:
        base, listings = literal_part(path), [matches(path)]
    return base, listings, [Wanted(trial) for listing in listings for trial in listing.trials]


def _below(top: Path, leave_out: Path | None, listed: Listed) -> list[Listing]:
    """A folder and all folders below it; links to folders are not followed."""
    listings: list[Listing] = []
    folders = [top]
    while folders:
        listings.append(listed(folders.pop()))
        folders += [p for p in listings[-1].folders if leave_out is None or absolute(p) != absolute(leave_out)]
    return listings
