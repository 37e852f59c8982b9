"""Which static belongs to which trial: the nearest folder that has some, then names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from gaitid.batch.files import absolute, list_folder
from gaitid.batch.statics import LONGEST_S, STANDING_WORDS, STATIC_WORDS, choose, read_name, stands, traits
from gaitid.batch.types import Listing, Static, Trait


class Folders:
    """The folders of a data set, each listed once.

    Parameters
    ----------
    root : Path
        Of the data set, absolute: nothing above it is looked at.
    leave_out : Path or None
        The folder that results go to.
    listed : callable
        `list_folder`, or what has done it before.
    """

    def __init__(self, root: Path, leave_out: Path | None, listed: Callable[[Path], Listing] = list_folder) -> None:
        self.root, self.leave_out, self._list = root, leave_out, listed
        self.listed = cache(self._listed)
        self.up = cache(self._up)
        self.loads = cache(self._loads)
        self._by_name: dict[Path, dict[str, list[Path]]] = {}

    def _listed(self, folder: Path) -> Listing:
        results = self.leave_out is not None and absolute(folder) == absolute(self.leave_out)
        return Listing() if results else self._list(folder)

    def _loads(self, folder: Path) -> list[str]:
        """The names in a folder, of hidden files too, that may be those of loads on segments."""
        try:
            return [name for name in os.listdir(folder) if ".load." in name]  # noqa: PTH208
        except OSError:
            return []

    def named(self, folder: Path, name: str) -> list[Path]:
        """Files of this name in a folder, in capitals or not."""
        if folder not in self._by_name:
            self._by_name[folder] = {}
            for path in self.listed(folder).files:
                self._by_name[folder].setdefault(path.name.casefold(), []).append(path)
        return [path for path in self._by_name[folder].get(name.casefold(), []) if path.is_file()]

    def _up(self, folder: Path) -> list[Path]:
        """The folder and its parents to the root, as paths that begin as it does."""
        folders, here = [folder], absolute(folder)
        while here != self.root:
            here = here.parent
            folders.append(folders[-1].parent if folders[-1].name not in ("", "..") else folders[-1] / "..")
        return folders


class Pairs:
    """Which files of a data set are statics, and which of them each trial takes.

    A static is looked for in the trial's folder, then in each parent up to the root: in each by name, then by content.
    A folder whose own name says static counts as part of its parent.

    Parameters
    ----------
    folders : Folders
    names : tuple of str
        Words that make a file a static (`read_name`), instead of `STATIC_WORDS` and `STANDING_WORDS`.
    trials : iterable of Path
        Those that a static is looked for.

    Attributes
    ----------
    moving : set of Path
        Named like statics, but their markers move.
    spare : set of Path
        They stand still, but no trial takes them.
    """

    def __init__(self, folders: Folders, names: tuple[str, ...], trials: Iterable[Path]) -> None:
        self.folders, self.names = folders, names or STATIC_WORDS
        self.standing = () if names else STANDING_WORDS
        self.moving: set[Path] = set()
        self.spare: set[Path] = set()
        self.files = cache(self._files)
        self.candidates = cache(self._candidates)
        self.statics = cache(self._statics)
        self.traits_of_all = cache(self._traits_of_all)
        self.places = cache(self._places)
        self.homes = cache(self._homes)
        self.nearest = cache(self._nearest)
        self.traits = cache(self._traits)
        self.seekers: dict[Path, list[Path]] = {}
        for trial in trials:
            if (folder := self.nearest(trial.parent)) is not None:
                self.seekers.setdefault(folder, []).append(trial)

    def statics_of(self, trial: Path) -> tuple[list[Static], int]:
        """The statics that a trial may take, the best first, and how many there were."""
        folder = self.nearest(trial.parent)
        if folder is None:
            return [], 0
        return self._choose(self.statics(folder), trial, folder), len(self.candidates(folder))

    def static_at(self, path: Path) -> Static | None:
        """The static that a file is; None where it is none of its folder."""
        return self.places(self.homes(path.parent)[0]).get(absolute(path))

    def unused_names(self, trials: Iterable[Path]) -> list[str]:
        """Those words for statics that are in no name of the trials and of what lies beside and above them."""
        homes = {folder for trial in trials for folder in self.homes(trial.parent)}
        files = {file for folder in homes for file in self.files(folder)} | set(trials)
        parts = {p.stem for p in files} | {below.name for folder in homes for below in self._static_folders(folder)}
        return [name for name in self.names if not any(read_name(part, (name,)).static for part in parts)]

    def _homes(self, of_trial: Path) -> list[Path]:
        """Folders that the static of a trial in one may be in, the nearest first; none that is named like a static."""
        return [
            folder
            for folder in self.folders.up(of_trial)
            if absolute(folder) == self.folders.root or not self._is_static_name(absolute(folder).name)
        ]

    def _nearest(self, of_trial: Path) -> Path | None:
        """The nearest folder with statics, of a trial in one; None where there is none."""
        return next((folder for folder in self.homes(of_trial) if self.candidates(folder)), None)

    def _is_static_name(self, name: str) -> bool:
        return read_name(name, self.names).static

    def _static_folders(self, folder: Path) -> list[Path]:
        return [below for below in self.folders.listed(folder).folders if self._is_static_name(below.name)]

    def _files(self, folder: Path) -> list[Path]:
        """What may be trials or statics in a folder, and in those below it that are named like statics."""
        below = [path for static_folder in self._static_folders(folder) for path in self.files(static_folder)]
        return [*self.folders.listed(folder).trials, *below]

    def _candidates(self, folder: Path) -> list[Static]:
        """Statics by name, else named as standing; else what stands still, unless all does: that was to be measured."""
        files = self.files(folder)
        how = {path: self._how_named(path, folder) for path in files}
        for kinds in (("by name", "by its folder"), ("as standing",)):
            named = [path for path in files if how[path] in kinds]
            moving = {path for path in named if stands(path) is False}
            self.moving |= moving
            if len(moving) < len(named):
                return [self._static(path, how[path], folder) for path in named if path not in moving]
        still = [path for path in files if stands(path, LONGEST_S)]
        return [self._static(path, "by content", folder) for path in still] if len(still) < len(files) else []

    def _how_named(self, path: Path, folder: Path) -> str:
        """How a file's name or folder makes it a static (`Static.how`); empty where neither does."""
        if self._is_static_name(path.stem):
            return "by name"
        if path.parent != folder:
            return "by its folder"
        return "as standing" if read_name(path.stem, self.standing).static else ""

    def _static(self, path: Path, how: str, folder: Path) -> Static:
        return Static(path, how, self.traits(path, folder, of_static=True))

    def _statics(self, folder: Path) -> list[Static]:
        """The candidates; where no name makes them sure, those that a trial takes: the others were to be measured."""
        candidates = self.candidates(folder)
        if not candidates or candidates[0].sure:
            return candidates
        taken = {one for trial in self._trials(folder) for one in self._choose(candidates, trial, folder)[:1]}
        self.spare |= {static.path for static in candidates if static not in taken}
        return [static for static in candidates if static in taken]

    def _places(self, folder: Path) -> dict[Path, Static]:
        return {absolute(static.path): static for static in self.statics(folder)}

    def _trials(self, folder: Path) -> list[Path]:
        """Those that may take a static of this folder: its own files, and all that look here."""
        statics = {absolute(static.path) for static in self.candidates(folder)}
        return [p for p in (*self.files(folder), *self.seekers.get(folder, ())) if absolute(p) not in statics]

    def _choose(self, statics: list[Static], trial: Path, folder: Path) -> list[Static]:
        return choose(statics, self.traits(trial, folder), self.traits_of_all(folder))

    def _traits_of_all(self, folder: Path) -> frozenset[Trait]:
        """The traits of all trials that may take a static of this folder."""
        return frozenset[Trait]().union(*(self.traits(trial, folder) for trial in self._trials(folder)))

    def _traits(self, path: Path, folder: Path, *, of_static: bool = False) -> frozenset[Trait]:
        """The traits of a file's name and of the folders down to it."""
        below = absolute(path).relative_to(absolute(folder))
        return traits([*below.parent.parts, below.stem], (*self.names, *self.standing), of_static=of_static)
