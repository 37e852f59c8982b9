"""A result's record -> the same trial analysed again, in memory: what no file of a result holds comes from here.

Where markers, joint centres and plates were is in no table. A record names every file that a result was made from, with
its hash, and the command; where all of them are there, the same numbers come out, and `refuse_other_numbers` checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.disk.regular import MAX_BYTES
from gaitid.errors import GaitidError, in_print
from gaitid.inputs import found_trial, sha256
from gaitid.model.load import bundled_models
from gaitid.records import NamedTuple
from gaitid.run import Prepared, RunOptions, analyse_file, prepare
from gaitid.run.command import read_command
from gaitid.settings import INPUT_FILES
from gaitid.trial import Array

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
    prepared : Prepared
    """

    trial: Path
    files: tuple[Path, ...]
    prepared: Prepared


def analyse_recorded(record: Mapping[str, object], near: Path) -> Result:
    """Analyse the trial of a record again, from the files that it names; parameters and errors as `read_recorded`."""
    return analyse_again(read_recorded(record, near))


def analyse_again(recorded: Recorded) -> Result:
    """The result of a trial that was recorded.

    Raises
    ------
    GaitidError
    """
    try:
        return analyse_file(recorded.trial, recorded.prepared)
    except GaitidError as error:
        raise _refused(error, recorded.trial, recorded.files) from None


def read_recorded(record: Mapping[str, object], near: Path) -> Recorded:
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
    command = record.get("command")
    if not isinstance(command, list):
        raise GaitidError("the record holds no command")
    trial, options = read_command([str(word) for word in command])
    inputs = _inputs(record)
    find = partial(_found, near=near)
    if "trial" not in inputs:
        raise GaitidError("the record does not say which file it was made from")
    trial = find(trial, inputs["trial"])
    files: dict[str, Any] = {}
    for role in INPUT_FILES:
        path = getattr(options, role)
        if path is not None and not str(inputs.get(role, {}).get("path", "")).endswith(_BUNDLED):
            files[role] = find(path, inputs.get(role, {}))
    entries = [entry for entry in _entries(record) if entry.get("role") == "load"]
    loads = [(segment, find(file, entry)) for (segment, file), entry in zip(options.loads, entries, strict=False)]
    if len(loads) < len(options.loads):
        raise GaitidError("the record does not name every load that its command has")
    others = (*files.values(), *(file for _, file in loads))
    options = replace(options, command=(), loads=tuple(loads), functional=_functional(options, record, find), **files)
    options = replace(options, model=_model(options, inputs, near))
    try:
        return Recorded(trial, others, prepare(options))
    except GaitidError as error:
        raise _refused(error, trial, others) from None


def _refused(error: GaitidError, trial: Path, files: tuple[Path, ...]) -> GaitidError:
    line = _without_folders(error.line(), [trial, *files])
    return GaitidError(f"it cannot be analysed again: {line}")


def _functional(
    options: RunOptions, record: Mapping[str, object], find: Callable[[Path, Mapping[str, object]], Path]
) -> tuple[str, ...]:
    """The functional trials of a record, where they are now, with the joints that they are said to be for."""
    if not options.functional:
        return ()
    from gaitid.run.functional import functional_file

    entries = record.get("inputs")
    of_role = [e for e in (entries if isinstance(entries, list) else []) if e.get("role") == "functional"]
    found = []
    for text, entry in zip(options.functional, of_role, strict=False):
        path, joints = functional_file(text)
        file = find(path, entry)
        found.append(f"{'+'.join(joints)}={file}" if joints else str(file))
    return tuple(found)


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
    for side, leg in again.sides.items():
        ours: dict[str, tuple[Array, float]] = {}
        for i, axis in enumerate("xyz"):
            ours[f"{side}_ground_force_{axis}_N"] = leg.load.wrench.f_g[:, i], _SAME_FORCE
        for joint, of_joint in leg.moments.items():
            for name, values in of_joint.items():
                ours[f"{side}_{joint}_{name}_moment_Nm_per_kg"] = values, _SAME_MOMENT
        for name, (values, limit) in ours.items():
            theirs = columns.get(name)
            if theirs is not None and not np.allclose(values, theirs, rtol=1e-6, atol=limit, equal_nan=True):
                raise GaitidError(other)


def _inputs(record: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """What the record says of each input, by its role."""
    # of several models the one that was given
    return {str(entry.get("role")): entry for entry in reversed(_entries(record))}


def _entries(record: Mapping[str, object]) -> list[Mapping[str, object]]:
    inputs = record.get("inputs")
    return [entry for entry in (inputs if isinstance(inputs, list) else []) if isinstance(entry, Mapping)]


def _model(options: RunOptions, inputs: Mapping[str, Mapping[str, object]], near: Path) -> str:
    """The model's name, or its file where it is the user's own."""
    entry = inputs.get("model", {})
    path = str(entry.get("path", ""))
    if path.endswith(_BUNDLED):
        name = path.removesuffix(_BUNDLED)
        return str(bundled_models().get(Path(name).stem, name))  # not one of that name in the current folder
    if not path:
        return options.model
    return str(_found(Path(path), entry, near))


def _found(given: Path, entry: Mapping[str, object], near: Path) -> Path:
    """The file that a record names: where it was, or by the end of its path in the result's folder and those above.

    Raises
    ------
    GaitidError
        There is none, or only one with other bytes.
    """
    wanted = entry.get("sha256")
    changed = False
    for path in places(given, near):
        file = found_trial(path)
        if not file.is_file():
            continue
        if sha256(file, MAX_BYTES) == wanted:
            return path
        changed = True
    name = in_print(_file_name(given))
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


def _file_name(path: Path) -> str:
    """The last part of a path written on any system."""
    return str(path).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _without_folders(line: str, files: list[Path]) -> str:
    """A message without the folders of files: a report may be shared, folders name people."""
    for file in files:
        line = line.replace(f"{file.parent}/", "")
    return line
