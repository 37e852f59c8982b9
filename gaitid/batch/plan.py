"""The plan of a batch: each trial with its static, its subject and where its results go, made before any work."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from gaitid.batch.found import Found, Wanted, absolute, files_in, find
from gaitid.batch.statics import STATIC_WORDS, Static, choose, named_static, natural, stands
from gaitid.errors import GaitidError

# Names of so many trials stand in a line of the plan.
_SHOWN = 4


@dataclass(frozen=True)
class Planned:
    """One trial of a batch.

    Attributes
    ----------
    trial : Path
        As given.
    folder : Path
        Of its results: the folder of the trial, mirrored.
    subject : str
        As a manifest names it, else a folder (`_subject_of`).
    static : Static or None
    n_statics : int
        From so many it was chosen.
    words : tuple of str
        The options of `gaitid run` that are this trial's own: its static and other files, what a manifest says.
    where : str
        The manifest's row, for messages.
    """

    trial: Path
    folder: Path
    subject: str
    static: Static | None
    n_statics: int
    words: tuple[str, ...]
    where: str

    @property
    def extras(self) -> str:
        """Its own options but the static, as words for people."""
        words = [w for w in self.words if self.static is None or w not in ("--static", str(self.static.path))]
        return " ".join(words)


@dataclass(frozen=True)
class Plan:
    """All trials in the order of work; what was left out; folders that could not be listed."""

    trials: tuple[Planned, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The pairing, a line for each folder and static."""
        statics = {p.static.path for p in self.trials if p.static}
        folders = {p.folder for p in self.trials}
        yield ", ".join(
            [f"{_counted(self.trials, 'trial')} in {_counted(folders, 'folder')}", _counted(statics, "static")]
        )
        for (_, static, extras), group in groupby(
            self.trials, lambda p: (p.trial.parent, p.static and p.static.path, p.extras)
        ):
            trials = list(group)
            names = ", ".join(p.trial.name for p in trials[:_SHOWN])
            more = f" and {len(trials) - _SHOWN} more" if len(trials) > _SHOWN else ""
            first = trials[0].static
            said = "no static: calibration stored in the trial"
            if first is not None:
                of = f", of {trials[0].n_statics}" if trials[0].n_statics > 1 else ""
                said = f"static {static} ({first.how}{of})"
            yield f"{trials[0].trial.parent}: {names}{more}: {said}{'; ' + extras if extras else ''}"
        yield from self.notes


class _Folders:
    """What lies beside the trials, each folder listed once."""

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        self.root, self.names = root, names
        self.files: dict[Path, list[Path]] = {}
        self.by_name: dict[Path, list[Static]] = {}
        self.by_content: dict[Path, list[Static]] = {}
        self.moving: list[Path] = []

    def up(self, folder: Path) -> list[Path]:
        """The folder and its parents, to the root of the data set."""
        found = [folder]
        while absolute(found[-1]) != self.root and found[-1] != found[-1].parent:
            found.append(found[-1].parent)
        return found if absolute(found[-1]) == self.root else [folder]

    def listed(self, folder: Path) -> list[Path]:
        if folder not in self.files:
            try:
                self.files[folder] = files_in(folder)[0]
            except OSError:
                self.files[folder] = []
        return self.files[folder]

    def named(self, folder: Path) -> list[Static]:
        """Statics by name; one whose markers walk about is a trial, whatever its name."""
        if folder not in self.by_name:
            files = [p for p in self.listed(folder) if named_static(p, self.names)]
            moving = [p for p in files if stands(p) is False]
            self.moving += moving
            self.by_name[folder] = [Static(p, "by name") for p in files if p not in moving]
        return self.by_name[folder]

    def standing(self, folder: Path) -> list[Static]:
        """Statics by content. Where everything stands still, that is what was to be measured."""
        if folder not in self.by_content:
            files = self.listed(folder)
            found = [Static(p, "by content") for p in files if stands(p)]
            self.by_content[folder] = found if len(found) < len(files) else []
        return self.by_content[folder]

    def statics(self, folder: Path) -> list[Static]:
        """Of the nearest folder that has some: by name as far up as the root, else by content."""
        for find_them in (self.named, self.standing):
            for one in self.up(folder):
                if statics := find_them(one):
                    return statics
        return []

    def beside(self, names: Sequence[str], folder: Path) -> Path | None:
        return next((folder / name for name in names if (folder / name).is_file()), None)

    def above(self, name: str, folder: Path) -> Path | None:
        return next((one / name for one in self.up(folder) if (one / name).is_file()), None)


def make_plan(
    datasets: Sequence[str],
    output: Path,
    *,
    names: Sequence[str] = STATIC_WORDS,
    given: Sequence[str] = (),
) -> Plan:
    """Find the trials of data sets, pair them with statics, and say where everything goes.

    A static is looked for in the trial's folder and then in each parent up to the root of the data set: by name
    first; where no name says so, by content (`gaitid.batch.statics.stands`). Of several in one folder, see `choose`.

    Parameters
    ----------
    datasets : sequence of str
        See `find`.
    output : Path
    names : sequence of str
        Words that make a file a static.
    given : sequence of str
        Options given for all trials (``--static``, ``--subject``, ``--plates``): these are not looked for.

    Raises
    ------
    GaitidError
        Nothing to do, a data set that is not there, or two trials with the same results.
    """
    found = find(datasets, output)
    folders = _Folders(found.root, [name.lower() for name in names])
    trials = []
    for wanted in found.trials:
        if wanted.exact or "--static" in given or not _is_static(wanted, folders):
            trials.append(_planned(wanted, folders, found, output, given))
    if not trials and not found.problems:
        raise GaitidError(f"{', '.join(datasets)}: only statics, no trial")
    _refuse_clashes(trials)
    trials.sort(key=lambda p: natural(p.trial))
    moving = [f"{p}: named like a static, but its markers move: a trial" for p in sorted(set(folders.moving))]
    return Plan(tuple(trials), (*found.notes, *moving), tuple(found.problems))


def _is_static(wanted: Wanted, folders: _Folders) -> bool:
    """Of its own row, of its folder by name, or of its folder by content."""
    folder = wanted.path.parent
    known = [wanted.static, *(static.path for static in (*folders.named(folder), *folders.statics(folder)))]
    return wanted.path in known


def _planned(wanted: Wanted, folders: _Folders, found: Found, output: Path, given: Sequence[str]) -> Planned:
    path, folder = wanted.path, wanted.path.parent
    statics: list[Static] = []
    if wanted.static is not None:
        statics = [Static(wanted.static, "given")]
    elif wanted.search and "--static" not in given:
        statics = folders.statics(folder)
    static = choose(statics, path) if statics else None
    words = list(wanted.words)
    taken = {*words, *given}
    if static is not None:
        words += ["--static", str(static.path)]
    beside: list[tuple[str, Path | None]] = [
        ("--subject", folders.beside([f"{path.stem}.subject.yaml"], folder) or folders.above("subject.yaml", folder))
    ]
    if path.suffix.lower() != ".c3d":
        names = [f"{path.stem}.forces.csv", f"{path.stem}.mot", f"{path.stem}_grf.mot"]
        beside.append(("--forces", folders.beside(names, folder)))
        plates = folders.beside([f"{path.stem}.plates.yaml"], folder) or folders.above("plates.yaml", folder)
        beside.append(("--plates", plates))
    for option, file in beside:
        if file is not None and option not in taken:
            words += [option, str(file)]
    below = absolute(folder).relative_to(found.root)
    subject = wanted.subject or _subject_of(path, words, found.root)
    return Planned(path, output / below, subject, static, len(statics), tuple(words), wanted.where)


def _subject_of(trial: Path, words: Sequence[str], root: Path) -> str:
    """The folder of the subject file, else of the static, else of the trial, below the data set's (or its name)."""
    own = trial.parent
    for option in ("--subject", "--static"):
        if option in words:
            folder = Path(words[words.index(option) + 1]).parent
            if absolute(own).is_relative_to(absolute(folder)) and absolute(folder).is_relative_to(root):
                own = folder
                break
    below = absolute(own).relative_to(root)
    return below.as_posix() if below.parts else root.name or "all"


def _refuse_clashes(trials: Sequence[Planned]) -> None:
    seen: dict[str, Path] = {}
    for one in trials:
        key = os.path.normcase(one.folder / one.trial.stem)
        if key in seen:
            raise GaitidError(
                f"{seen[key]} and {one.trial} would both write {key}.*",
                todo="rename one of them, leave one out, or run a batch for each",
            )
        seen[key] = one.trial


def _counted(things: Collection[object], word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"
