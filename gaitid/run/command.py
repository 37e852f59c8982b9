"""How a trial is analysed, from words: of a command line, of `gaitid.analyse`, of a record, whose inputs are found
again.

Options of `run` that are not known here (of a newer gaitid) are refused: what they did cannot be done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.disk.regular import MAX_BYTES
from gaitid.errors import GaitidError, in_print
from gaitid.ground.by_hand import read_assignments
from gaitid.inputs import found_trial, sha256
from gaitid.model.load import bundled_models
from gaitid.model.settings import settings_from
from gaitid.records import NamedTuple
from gaitid.run import Setup, analyse_file, prepare
from gaitid.run.setup import functional_file
from gaitid.settings import FILE, FILES, FLAG, HERTZ, LIMITS, LOADS, OPTIONS, PAIRS, SIDES, WORDS, RunOptions
from gaitid.trial import Array
from gaitid.write import DEFAULT_UNCERTAINTY, UNCERTAINTY

_BY_FLAG = {option.flag: option for option in OPTIONS.values()}

#: By option, what was given: each time that it was.
Given = Mapping[str, Sequence[str]]


def values_of(given: Given) -> dict[str, Any]:
    """What the words of options mean, as `RunOptions` takes it.

    Parameters
    ----------
    given : mapping of str to sequence of str
        By the names of `gaitid.settings.OPTIONS`: what stands behind an option, each time that it was given; of a flag
        anything.

    Raises
    ------
    GaitidError
        A value that is not of the form that an option has.
    """
    values = {name: _value(OPTIONS[name].kind, texts) for name, texts in given.items()}
    if "observer" in given:
        values["contributions"] = True
    asks = given.keys() & {"max_uncertainty", "repeatability"} or UNCERTAINTY in given.get("write", ())
    if asks and "uncertainty" not in given:
        values["uncertainty"] = DEFAULT_UNCERTAINTY
    return values


def _value(kind: str, texts: Sequence[str]) -> object:
    if kind == FLAG:
        return True
    if kind == FILE:
        return Path(texts[-1])
    if kind == HERTZ:
        return _frequency(texts[-1])
    if kind in (WORDS, FILES):
        return tuple(dict.fromkeys(texts))
    if kind == LIMITS:
        from gaitid.uncertainty.usable import read_limits  # of few runs

        return read_limits(texts)
    read: Mapping[str, Callable[[Sequence[str]], object]]
    read = {PAIRS: settings_from, SIDES: read_assignments, LOADS: read_loads}
    return read[kind](texts) if kind in read else texts[-1]


def words_of(given: Given) -> tuple[str, ...]:
    """The words of a command that say the same, in the order of the table."""
    return tuple(
        word
        for name, option in OPTIONS.items()
        if name in given
        for text in (given[name] if option.kind != FLAG else [""])
        for word in ([option.flag] if option.kind == FLAG else [option.flag, text])
    )


def read_command(words: Sequence[str]) -> tuple[Path, RunOptions]:
    """The trial and how it was analysed.

    Parameters
    ----------
    words : sequence of str
        `command` of a record.

    Raises
    ------
    GaitidError
        Not a command of `run`, one with an option that is not known here, or with a name that was not kept.
    """
    if len(words) < 3 or words[1] != "run":
        raise GaitidError("the record holds no command of `gaitid run`")
    given: dict[str, list[str]] = {}
    for name, value in _pairs(words[3:]):
        given.setdefault(name, []).append(value)
    if "(not kept)" in given.get("subject_prefix", ()):
        raise GaitidError("the trial holds several subjects, and the name of the one that was meant was not kept")
    return Path(words[2]), RunOptions(**values_of(given))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option's name with what stands behind it."""
    rest = iter(words)
    for flag in rest:
        option = _BY_FLAG.get(flag)
        value = "" if option is not None and option.kind == FLAG else next(rest, None)
        if value is None:
            raise GaitidError(f"the record's command ends with {flag}")
        if option is None:
            raise GaitidError(f"the record's command has {flag}, which is not known here")
        yield option.name, value


def _frequency(value: str) -> object:
    """A number in Hz, or a word: ``none``, ``auto``."""
    try:
        return float(value)
    except ValueError:
        return value


def read_loads(words: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """Segment and force file of each ``SEGMENT=FILE`` of ``--load``.

    Raises
    ------
    GaitidError
        Not of that form.
    """
    loads = []
    for text in words:
        segment, equals, file = text.partition("=")
        if not (segment.strip() and equals and file.strip()):
            raise GaitidError(f"--load {text}", expected="SEGMENT=FILE, as left_shank=cuff.csv")
        load = (segment.strip(), Path(file.strip()))
        if load in loads:
            raise GaitidError(f"--load {text}: given twice, and each counts", todo="leave one of them out")
        loads.append(load)
    return tuple(loads)


_BUNDLED = " (bundled)"
# Numbers stand in tables with ten digits; other versions of numpy differ in the last ones. N, and N·m/kg or deg.
_SAME_FORCE, _SAME_MOMENT = 1e-3, 1e-4


class Recorded(NamedTuple):
    """What a result was made from, read again.

    Attributes
    ----------
    trial : Path
    files : tuple of Path
        The other inputs that the command named.
    setup : Setup
    """

    trial: Path
    files: tuple[Path, ...]
    setup: Setup

    def analysed(self) -> Result:
        """The result of the trial.

        Raises
        ------
        GaitidError
        """
        with _without_folders(self.trial, *self.files):
            return analyse_file(self.trial, self.setup)


def read_recorded(record: Mapping[str, Any], near: Path) -> Recorded:
    """Read everything that a result was made from but its trial: model, subject, static.

    Parameters
    ----------
    record : mapping
        The content of a ``run.json``.
    near : Path
        Of that file: inputs are looked for where they were, then by the end of their paths in its folder and above.

    Raises
    ------
    GaitidError
        A file is gone or has changed, or the command cannot be done again.
    """
    trial, options = read_command([str(word) for word in record["command"]])
    entries: dict[str, list[Mapping[str, object]]] = {}
    for entry in record["inputs"]:
        entries.setdefault(entry["role"], []).append(entry)
    if "trial" not in entries:
        raise GaitidError("the record does not say which file it was made from")
    trial = _found(trial, entries["trial"][0], near)
    files: dict[str, Any] = {}
    for role, file in options.input_files.items():
        entry = entries.get(role, [{}])[0]
        if not str(entry.get("path", "")).endswith(_BUNDLED):
            files[role] = _found(file, entry, near)
    for entry in entries.get("uncertainty", ()):
        if not (name := str(entry.get("path", ""))).endswith(_BUNDLED):
            files["uncertainty"] = str(_found(Path(name), entry, near))
    of_loads = zip(options.loads, entries.get("load", ()), strict=False)
    loads = tuple((segment, _found(file, entry, near)) for (segment, file), entry in of_loads)
    if len(loads) < len(options.loads):
        raise GaitidError("the record does not name every load that its command has")
    functional = []
    if len(entries.get("functional", ())) < len(options.functional):
        raise GaitidError("the record does not name every functional trial that its command has")
    for text, entry in zip(options.functional, entries.get("functional", ()), strict=False):
        path, joints = functional_file(text)
        functional.append("=".join(filter(None, ("+".join(joints), str(_found(path, entry, near))))))
    # of several models the one that was given
    model = _model(options.model, entries.get("model", [{}])[0], near)
    others = (*map(Path, files.values()), *(file for _, file in loads))
    options = replace(options, command=(), loads=loads, functional=tuple(functional), model=model, **files)
    with _without_folders(trial, *others):
        return Recorded(trial, others, prepare(options))


@contextmanager
def _without_folders(*files: Path) -> Iterator[None]:
    """What is refused inside is said without the folders of files: a report may be shared, folders name people."""
    try:
        yield
    except GaitidError as error:
        line = error.line()
        for file in files:
            line = line.replace(f"{file.parent}/", "")
        raise GaitidError(f"it cannot be analysed again: {line}") from None


def _model(name: str, entry: Mapping[str, object], near: Path) -> str:
    """The model's name, or its file where it is the user's own."""
    path = str(entry.get("path", ""))
    if path.endswith(_BUNDLED):
        bundled = path.removesuffix(_BUNDLED)
        return str(bundled_models().get(Path(bundled).stem, bundled))  # not one of that name in the current folder
    return str(_found(Path(path), entry, near)) if path else name


def _found(given: Path, entry: Mapping[str, object], near: Path) -> Path:
    """The file that a record names: where it was, or by the end of its path in the result's folder and those above.

    Raises
    ------
    GaitidError
        There is none, or only one with other bytes.
    """
    changed = False
    for path in places(given, near):
        file = found_trial(path)
        if not file.is_file():
            continue
        if sha256(file, MAX_BYTES) == entry.get("sha256"):
            return path
        changed = True
    name = in_print(str(given).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])  # written on any system
    if changed:
        raise GaitidError(f"{name} is no longer the file that the result was made from")
    raise GaitidError(f"{name} is not where it was when the result was made")


def places(given: Path, near: Path) -> Iterator[Path]:
    """Where an input may lie: where it was, or by the end of its path in the folder of `near` and those above."""
    yield given
    here = near.absolute().parent
    parts = given.parts[1:] if given.is_absolute() else given.parts
    for folder in (here, *here.parents):
        for i in range(len(parts)):
            if ".." not in parts[i:]:
                yield folder.joinpath(*parts[i:])


def refuse_other_numbers(again: Result, record: Mapping[str, object], columns: Mapping[str, Array]) -> None:
    """Raise where not the same came out as stands in the tables.

    Parameters
    ----------
    again : Result
    record : mapping
    columns : mapping of name to (frames,) array
        Of ``wrenches.csv`` and ``joints.csv``, NaN where a cell is empty; ``frame`` is one of them.

    Raises
    ------
    GaitidError
    """
    made_by = in_print(str(record.get("gaitid") or "another version"))
    other = f"gaitid {made_by} made the result, and this version computes other numbers; run gaitid run again"
    frame = columns["frame"]
    if again.trial.n_frames != len(frame) or again.trial.first_frame != frame[0]:
        raise GaitidError(other)
    for side, leg in again.by_frame.items():
        ours = [
            *((f"ground_force_{axis}_N", leg.load.wrench.f_g[:, i], _SAME_FORCE) for i, axis in enumerate("xyz")),
            *(
                (f"{joint}_{name}_moment_Nm_per_kg", values, _SAME_MOMENT)
                for joint, of_joint in leg.moments.items()
                for name, values in of_joint.items()
            ),
        ]
        for name, values, limit in ours:
            theirs = columns.get(f"{side}_{name}")
            if theirs is not None and not np.allclose(values, theirs, rtol=1e-6, atol=limit, equal_nan=True):
                raise GaitidError(other)
