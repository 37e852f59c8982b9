"""The plan of a batch, made before any work: what a data set holds, and each trial with its static, its subject and
its place.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain, groupby, pairwise
from pathlib import Path

from gaitid.batch.files import (
    SUFFIXES,
    about_path,
    absolute,
    by_name,
    is_manifest,
    list_folder,
    literal_part,
    matches,
    refuse_no_trial,
)
from gaitid.batch.manifest import COLUMNS, LOAD, looked_for, read_manifest
from gaitid.batch.pairs import Folders, Pairs
from gaitid.batch.results_folder import noted_root
from gaitid.batch.statics import words_of
from gaitid.batch.types import Listing, Planned, Static, Wanted
from gaitid.errors import GaitidError, counted, first_few
from gaitid.inputs import corrections_names, load_files_beside
from gaitid.model import AUTO, specs
from gaitid.model.load import load_model
from gaitid.model.needs import side_needs
from gaitid.read.c3d.trial import read_stored_subject
from gaitid.records import frozen_dataclass

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


# Names of so many trials stand in a line of the plan.
_SHOWN = 4


# Lines about folders beyond which they are counted.
_FOLDERS = 8


@frozen_dataclass()
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
        """A line for each folder and static; what was left out is counted, or named with its reasons."""
        statics = {p.static.path for p in self.trials if p.static}
        folders = counted(len({p.folder for p in self.trials}), "folder")
        compared = {p.beside for p in self.trials if p.beside} - statics
        others = f" taken, {len(compared)} to be compared with what the trials store" if compared else ""
        yield f"{counted(len(self.trials), 'trial')} in {folders}, {counted(len(statics), 'static')}{others}"
        by_folder = groupby(self.trials, lambda p: (p.trial.parent, p.subject, _analysed_with(p)))
        lines = [f"{at}: {_names(p.trial for p in of)}: subject {who}; {text}" for (at, who, text), of in by_folder]
        if everything or len(lines) <= _FOLDERS:
            yield from lines
        else:
            yield from self._in_short()
        yield from self.notes
        if everything:
            for (folder, why), of in groupby(self.left_out, lambda pair: (pair[0].parent, pair[1])):
                yield f"{folder}: {_names(path for path, _ in of)}: not analysed: {why}"
        elif self.left_out:
            yield f"not analysed: {counted(len(self.left_out), 'other file')}; --plan names them"

    def _in_short(self) -> Iterator[str]:
        """Of many folders: how many trials are analysed with what kind of static."""
        kinds = Counter(_kind_of_static(planned) for planned in self.trials)
        said = ", ".join(f"{n} with {kind}" for kind, n in kinds.most_common())
        yield f"trials: {said}; --plan or --verbose names them"


def _kind_of_static(planned: Planned) -> str:
    if planned.static is not None:
        return f"a static ({planned.static.how})"
    if planned.beside is not None:
        return "the better of a static and the calibration that they store"
    return "the calibration that they store" + (", statics not taken" if planned.n_statics else "")


def _analysed_with(planned: Planned) -> str:
    """What a trial is analysed with, for people: its static and its own options."""
    if planned.static is not None:
        of = f", of {planned.n_statics}" if planned.n_statics > 1 else ""
        text = f"static {planned.static.path} ({planned.static.how}{of})"
    else:
        there = f" ({planned.n_statics} there, none of them by name this trial's)" if planned.n_statics else ""
        text = f"no static{there}: calibration stored in the trial"
        if planned.beside is not None:
            text = f"the better of static {planned.beside} and the calibration stored in the trial"
    options = zip(planned.words[::2], planned.words[1::2], strict=True)
    others = " ".join(f"{option} {value}" for option, value in options if option != "--static")
    return f"{text}; {others}" if others else text


def _names(paths: Iterable[Path]) -> str:
    return first_few([path.name for path in paths], _SHOWN)


def make_plan(
    datasets: Sequence[str], output: Path | None, *, names: Sequence[str] = (), given: Sequence[str] = ()
) -> Plan:
    """Find the trials of data sets, pair them with statics (`Pairs`), and plan where all results go.

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
    listed = cache(list_folder)
    discovered = find(datasets, output, listed)
    folders = Folders(discovered.root, output, listed)
    plain = {"".join(words_of(name)): name for name in names}
    pairs = Pairs(folders, tuple(plain), [wanted.path for wanted in discovered.trials if _seeks(wanted, given)])
    if names and (unused := pairs.unused_names([wanted.path for wanted in discovered.trials])):
        raise GaitidError(f"--static-name {plain[unused[0]]}: no file of the data set is named so")
    in_manifest = [value for wanted in discovered.trials for value in _values(wanted.words, "--static")]
    statics = {absolute(Path(value)): "a static of the manifest" for value in in_manifest}
    statics |= {absolute(Path(value)): "the static given for all trials" for value in _values(given, "--static")}
    left_out, trials = dict(discovered.left_out), []
    for wanted in discovered.trials:
        if why := _why_static(wanted, pairs, statics, _seeks(wanted, given)):
            left_out[wanted.path] = why
        else:
            trials.append(_planned(wanted, pairs, folders, output, given))
    if not trials and not discovered.problems:
        raise GaitidError(f"{', '.join(datasets)}: only statics, no trial")
    _refuse_clashes(trials)
    trials.sort(key=lambda p: by_name(p.trial))
    notes = [f"{p}: named like a static, but its markers move: a trial" for p in sorted(pairs.moving, key=by_name)]
    notes += [f"{p}: stands still, but no trial takes it: a trial" for p in sorted(pairs.spare, key=by_name)]
    used = {p.static.path for p in trials if p.static} | {p.beside for p in trials if p.beside}
    unused_files = [(path, why) for path, why in left_out.items() if path not in used]
    unused_files.sort(key=lambda pair: (by_name(pair[0].parent), pair[1], by_name(pair[0])))
    return Plan(tuple(trials), tuple(notes), tuple(unused_files), tuple(discovered.problems))


def _values(words: Sequence[str], option: str) -> list[str]:
    """The values of an option in a command's words."""
    return [value for word, value in pairwise(words) if word == option]


def _seeks(wanted: Wanted, given: Collection[str]) -> bool:
    """Whether a static is to be looked for."""
    return "--static" not in {*wanted.words, *wanted.without, *given}


def _why_static(wanted: Wanted, pairs: Pairs, statics: Mapping[Path, str], seeks: bool) -> str:
    """Why a file is no trial: it was given as a static, or it is one of its folder. Empty for a trial."""
    if wanted.exact:
        return ""
    if why := statics.get(absolute(wanted.path)):
        return why
    static = pairs.static_at(wanted.path)
    if static is None or not (static.sure or seeks):
        return ""
    return f"a static {static.how} that no trial takes"


def _planned(wanted: Wanted, pairs: Pairs, folders: Folders, output: Path | None, given: Sequence[str]) -> Planned:
    path = wanted.path
    ranked, n_statics = pairs.statics_of(path) if _seeks(wanted, given) else ([], 0)
    static = ranked[0] if ranked else None
    beside: Path | None = None
    models = [*_values(wanted.words, "--model"), *_values(given, "--model"), AUTO]
    if static is not None and stores_calibration(path, models[0]):
        beside = static.path
        static, n_statics = None, 0
    options = [] if static is None else [("--static", str(static.path))]
    if values := _values(wanted.words, "--static") or _values(given, "--static"):
        static, n_statics = Static(Path(values[0]), "given"), 1
    for option in looked_for(path)[1:]:
        if option in {*wanted.words, *wanted.without, *given}:
            continue
        if option == LOAD:
            options += [
                (option, f"{segment}={file}") for segment, file in load_files_beside(path, folders.loads(path.parent))
            ]
        elif file := _companion(option, path, folders):
            options.append((option, str(file)))
    options += zip(wanted.words[::2], wanted.words[1::2], strict=True)
    # in one order, wherever they come from: the command is part of what --resume compares
    flags = [option.flag for option in COLUMNS.values()]
    options.sort(key=lambda pair: flags.index(pair[0]))
    below = absolute(path.parent).relative_to(folders.root)
    subject = wanted.subject or (below.as_posix() if below.parts else folders.root.name or "all")
    folder, root = (output or Path()) / below, folders.up(path.parent)[-1]
    session = wanted.session or (below.as_posix() if wanted.subject and below.parts else "")
    return Planned(
        path,
        folder,
        subject,
        static,
        n_statics,
        tuple(chain(*options)),
        wanted.where,
        root,
        beside,
        session,
        wanted.condition,
        bool(wanted.session),
        "--static" in wanted.without,
        tuple(ranked[1:]),
    )


def _companion(option: str, trial: Path, folders: Folders) -> Path | None:
    """The file of an option that belongs to a trial by its name: beside it, or for all of a folder and those below."""
    stem, here, word = trial.stem, trial.parent, option.removeprefix("--")
    if option == "--forces":
        places = [(here, [f"{stem}{end}"]) for end in (".forces.csv", ".mot", "_grf.mot")]
    elif option == "--corrections":
        places = [(here, corrections_names(stem))]
    else:
        places = [(here, [f"{stem}.{word}.yaml", f"{stem}.{word}.yml"])]
        places += [(folder, [f"{word}.yaml", f"{word}.yml"]) for folder in folders.up(here)]
    for folder, names in places:
        files = [path for name in names for path in folders.named(folder, name)]
        if len(files) > 1:
            raise GaitidError(f"{folder}: {_names(files)}: which one is meant?", todo=f"keep one, or give {option}")
        if files:
            return files[0]
    return None


def _refuse_clashes(trials: Sequence[Planned]) -> None:
    seen: dict[str, Path] = {}
    for planned in trials:
        key = os.path.normcase(planned.folder / planned.trial.stem)
        if key in seen:
            raise GaitidError(
                f"{seen[key]} and {planned.trial} would both write {key}.*",
                todo="rename one of them, leave one out, or run a batch for each",
            )
        seen[key] = planned.trial


# --- whether a trial stores a calibration, which a static that was found is compared with ----------------------


def stores_calibration(path: Path, model_name: str = AUTO) -> bool:
    """Whether what a trial stores, and its markers, are all that the model needs of a static.

    That is so of the conventional models, which ask for measurements and angles that programs store with each trial.

    Parameters
    ----------
    path : Path
        The trial; only a C3D file stores measurements.
    model_name : str
        `AUTO` stands for the first model that it would try, `pig`.
    """
    if path.suffix.lower() != ".c3d":
        return False
    try:
        model = _model(model_name)
        if not any(isinstance(m.static, specs.StaticAngle) and m.c3d for m in model.subject.values()):
            return False
        labels, stored = read_stored_subject(path)
    except (GaitidError, OSError, ValueError):  # refused by name when it is its turn
        return False
    wanted = _measurements_of(model_name, labels)
    return wanted is not None and all(_is_stored(model, name, stored) for name in wanted)


@lru_cache(maxsize=16)  # the trials of a data set have few sets of labels
def _measurements_of(model_name: str, labels: frozenset[str]) -> frozenset[str] | None:
    """The measurements that a model asks for where a trial has these labels; None where no leg was recorded."""
    model = _model(model_name)
    of_sides = [side_needs(model, side.name, labels)[0] for side in model.sides]
    recorded = [needs.measurements for needs in of_sides if needs.complete]
    return frozenset().union(*recorded) if recorded else None


def _is_stored(model: specs.Model, name: str, stored: Mapping[str, float]) -> bool:
    """Whether a measurement stands in the parameters, or needs no static to be known."""
    side, _, bare = name.rpartition(".")
    measurement = model.subject[bare]
    if measurement.static is None or measurement.optional or measurement.otherwise or measurement.trial:
        return True
    letter = next((s.letter for s in model.sides if s.name == side), "")
    return any(stored.get(key.replace("{S}", letter)) for key in measurement.c3d)  # 0: it was never calibrated


@lru_cache(maxsize=16)
def _model(name: str) -> specs.Model:
    return load_model("pig" if name == AUTO else name)
