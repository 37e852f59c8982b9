"""The inputs of a record, found again by their hashes and read: what no file of a result holds comes from these.

Where markers, joint centres and plates were is in no table. A record names every file that a result was made from, with
its hash, and the command; where all of them are there, the same numbers come out, and `refuse_other_numbers` checks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.analysis.result import Result
from gaitid.disk.regular import MAX_BYTES
from gaitid.errors import GaitidError, in_print
from gaitid.inputs import found_trial, sha256
from gaitid.model.load import bundled_models
from gaitid.records import NamedTuple
from gaitid.run import Setup, analyse_file, prepare
from gaitid.run.command import read_command
from gaitid.run.setup import functional_file
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
    command, inputs = record.get("command"), record.get("inputs")
    if not isinstance(command, list):
        raise GaitidError("the record holds no command")
    trial, options = read_command([str(word) for word in command])
    entries: dict[str, list[Mapping[str, object]]] = {}
    for entry in inputs if isinstance(inputs, list) else ():
        if isinstance(entry, Mapping):
            entries.setdefault(str(entry.get("role")), []).append(entry)
    if "trial" not in entries:
        raise GaitidError("the record does not say which file it was made from")
    trial = _found(trial, entries["trial"][0], near)
    files: dict[str, Any] = {}
    for role in INPUT_FILES:
        path, entry = getattr(options, role), entries.get(role, [{}])[0]
        if path is not None and not str(entry.get("path", "")).endswith(_BUNDLED):
            files[role] = _found(path, entry, near)
    for entry in entries.get("uncertainty", ()):
        if not (path := str(entry.get("path", ""))).endswith(_BUNDLED):
            files["uncertainty"] = str(_found(Path(path), entry, near))
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
    for side, leg in again.sides.items():
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
