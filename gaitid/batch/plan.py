"""The plan of a batch: each trial with its static, its subject and where its results go, made before any work."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from gaitid.batch.discovery import find
from gaitid.batch.files import absolute, by_name
from gaitid.batch.manifest import OPTIONS, looked_for
from gaitid.batch.pairs import Folders, Pairs
from gaitid.batch.statics import words
from gaitid.batch.types import Planned, Static, Wanted
from gaitid.errors import GaitidError, counted, first_few

# Names of so many trials stand in a line of the plan.
_SHOWN = 4


@dataclass(frozen=True)
class Plan:
    """All trials in the order of work.

    Attributes
    ----------
    trials : tuple of Planned
    notes : tuple of str
        About trials that look like something else.
    left_out : tuple of (Path, str)
        Files that are not worked on, and why.
    problems : tuple of str
        Folders that could not be listed.
    """

    trials: tuple[Planned, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[tuple[Path, str], ...] = ()
    problems: tuple[str, ...] = ()

    def lines(self, everything: bool = False) -> Iterator[str]:
        """The pairing, a line for each folder and static; what was left out is counted, or named with its reasons."""
        statics = {p.static.path for p in self.trials if p.static}
        folders = {p.folder for p in self.trials}
        yield ", ".join(
            [
                f"{counted(len(self.trials), 'trial')} in {counted(len(folders), 'folder')}",
                counted(len(statics), "static"),
            ]
        )
        for (folder, subject, said), group in groupby(self.trials, lambda p: (p.trial.parent, p.subject, _said(p))):
            yield f"{folder}: {_names(p.trial for p in group)}: subject {subject}; {said}"
        yield from self.notes
        if everything:
            for (folder, why), left in groupby(self.left_out, lambda one: (one[0].parent, one[1])):
                yield f"{folder}: {_names(path for path, _ in left)}: not analysed: {why}"
        elif self.left_out:
            yield f"not analysed: {counted(len(self.left_out), 'other file')}; --plan names them"


def _said(one: Planned) -> str:
    """What a trial is analysed with, for people."""
    said = "no static: calibration stored in the trial"
    if one.static is not None:
        of = f", of {one.n_statics}" if one.n_statics > 1 else ""
        said = f"static {one.static.path} ({one.static.how}{of})"
    elif one.n_statics:
        said = f"no static ({one.n_statics} there, none of them by name this trial's): calibration stored in the trial"
    extras = [f"{o} {v}" for o, v in zip(one.words[::2], one.words[1::2], strict=True) if o != "--static"]
    return f"{said}; {' '.join(extras)}" if extras else said


def _names(paths: Iterable[Path]) -> str:
    return first_few([path.name for path in paths], _SHOWN)


def make_plan(
    datasets: Sequence[str],
    output: Path | None,
    *,
    names: Sequence[str] = (),
    given: Sequence[str] = (),
) -> Plan:
    """Find the trials of data sets, pair them with statics (`Pairs`), and say where everything goes.

    Parameters
    ----------
    datasets : sequence of str
        See `find`.
    output : Path or None
        None: only a plan is wanted.
    names : sequence of str
        Words that make a file a static, instead of the usual ones.
    given : sequence of str
        Options given for all trials (``--static``, ``--subject``, ``--plates``): these are not looked for.

    Raises
    ------
    GaitidError
        Nothing to do, a data set that is not there, a word for statics that no file has, files of which it is not
        clear which one is meant, or two trials with the same results.
    """
    found = find(datasets, output)
    folders = Folders(found.root, output)
    seekers = [one.path for one in found.trials if _seeks(one, given)]
    plain = {"".join(words(name)): name for name in names}
    pairs = Pairs(folders, tuple(plain), seekers)
    if names and (unsaid := pairs.unsaid([one.path for one in found.trials])):
        raise GaitidError(f"--static-name {plain[unsaid[0]]}: no file of the data set is named so")
    left_out = dict(found.left_out)
    trials = []
    named = {absolute(Path(value)): "a static of the manifest"
             for one in found.trials for value in _values(one.words, "--static")}  # fmt: skip
    named |= {absolute(Path(value)): "the static given for all trials" for value in _for_all(given)}
    for wanted in found.trials:
        if why := _static(wanted, pairs, named, _seeks(wanted, given)):
            left_out[wanted.path] = why
        else:
            trials.append(_planned(wanted, pairs, folders, output, given))
    if not trials and not found.problems:
        raise GaitidError(f"{', '.join(datasets)}: only statics, no trial")
    _refuse_clashes(trials)
    trials.sort(key=lambda p: by_name(p.trial))
    used = {p.static.path for p in trials if p.static}
    notes = [f"{p}: named like a static, but its markers move: a trial" for p in sorted(pairs.moving, key=by_name)]
    notes += [f"{p}: stands still, but no trial takes it: a trial" for p in sorted(pairs.spare, key=by_name)]
    unused = [(p, why) for p, why in left_out.items() if p not in used]
    unused.sort(key=lambda one: (by_name(one[0].parent), one[1], by_name(one[0])))
    return Plan(tuple(trials), tuple(notes), tuple(unused), tuple(found.problems))


def _values(options: Sequence[str], name: str) -> list[str]:
    return [value for option, value in zip(options[::2], options[1::2], strict=True) if option == name]


def _seeks(wanted: Wanted, given: Collection[str]) -> bool:
    """Whether a static is to be looked for."""
    return "--static" not in {*wanted.words, *wanted.without, *given}


def _for_all(given: Sequence[str]) -> list[str]:
    """The static that was given for all trials, if one was."""
    return [value for option, value in pairwise(given) if option == "--static"]


def _static(wanted: Wanted, pairs: Pairs, named: Mapping[Path, str], seeks: bool) -> str:
    """Why a file is no trial: a static that was named as one, or one of its folder. Empty for a trial."""
    if wanted.exact:
        return ""
    if why := named.get(absolute(wanted.path)):
        return why
    static = pairs.static_at(wanted.path)
    if static is None or not (static.sure or seeks):
        return ""
    return f"a static {static.how} that no trial takes"


def _planned(wanted: Wanted, pairs: Pairs, folders: Folders, output: Path | None, given: Sequence[str]) -> Planned:
    path = wanted.path
    static, n_statics = pairs.static_of(path) if _seeks(wanted, given) else (None, 0)
    if named := _values(wanted.words, "--static") or _for_all(given):
        static, n_statics = Static(Path(named[0]), "given"), 1
    own = [] if static is None or named else ["--static", str(static.path)]
    for option in looked_for(path)[1:]:
        if option not in {*wanted.words, *wanted.without, *given} and (file := _beside(option, path, folders)):
            own += [option, str(file)]
    own += wanted.words
    # in one order, wherever they come from: the command is part of what --resume compares
    in_order = sorted(zip(own[::2], own[1::2], strict=True), key=lambda pair: list(OPTIONS.values()).index(pair[0]))
    below = absolute(path.parent).relative_to(folders.root)
    subject = wanted.subject or (below.as_posix() if below.parts else folders.root.name or "all")
    return Planned(
        path, (output or Path()) / below, subject, static, n_statics,
        tuple(word for pair in in_order for word in pair), wanted.where, folders.up(path.parent)[-1],
    )  # fmt: skip


def _beside(option: str, trial: Path, folders: Folders) -> Path | None:
    """A file that belongs to a trial by its name: beside it, or for all of a folder and those below it."""
    stem, here, word = trial.stem, trial.parent, option.removeprefix("--")
    if option == "--forces":
        places = [(here, [f"{stem}{end}"]) for end in (".forces.csv", ".mot", "_grf.mot")]
    else:
        places = [(here, [f"{stem}.{word}.yaml", f"{stem}.{word}.yml"])]
        places += [(folder, [f"{word}.yaml", f"{word}.yml"]) for folder in folders.up(here)]
    for folder, names in places:
        found = [path for name in names for path in folders.named(folder, name)]
        if len(found) > 1:
            raise GaitidError(f"{folder}: {_names(found)}: which one is meant?", todo=f"keep one, or give {option}")
        if found:
            return found[0]
    return None


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
