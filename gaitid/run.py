"""`gaitid run` as a function: one trial in, its files out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gaitid.errors import GaitidError
from gaitid.model.load import bundled_folder, load_model
from gaitid.model.specs import Model
from gaitid.model.subject import SubjectFile, read_subject
from gaitid.read import read_trial
from gaitid.result import Result
from gaitid.trial import Trial
from gaitid.write.files import write_all
from gaitid.write.tables import DEFAULT_FRAMES


@dataclass(frozen=True)
class RunOptions:
    """Everything that is the same for all trials of one command."""

    model: str
    static: Path | None = None
    subject: Path | None = None
    forces: Path | None = None
    plates: Path | None = None
    express_in: tuple[str, ...] = DEFAULT_FRAMES
    overrides: Mapping[str, Any] = field(default_factory=dict)
    solver: str = "block"
    require_forces: bool = False
    write_segments: bool = False
    keep_names: bool = False
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """What is read once for all trials of one command."""

    options: RunOptions
    model: Model
    subject: SubjectFile
    static: Trial | None
    inputs: tuple[Mapping[str, str], ...]


def sha256(path: Path) -> str:
    """Of a file's bytes, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def named(path: Path, function: Any) -> Any:
    """The function's value; an error of its carries the file's name."""
    try:
        return function()
    except GaitidError as error:
        if error.wrong.startswith(str(path)):
            raise
        raise type(error)(
            f"{path}: {error.wrong}", expected=error.expected, found=error.found, todo=error.todo
        ) from None


def prepare(options: RunOptions) -> Prepared:
    """Read the model, the subject and the static.

    Raises
    ------
    GaitidError
        Any of them cannot be used; the message begins with its file.
    """
    model = load_model(options.model, options.overrides)
    inputs = [_input("model" if i < len(model.paths) - 1 else "table", p) for i, p in enumerate(model.paths)]
    subject = SubjectFile()
    if options.subject is not None:
        subject = read_subject(options.subject, model)
        inputs.append(_input("subject", options.subject))
    static = None
    if options.static is not None:
        path = options.static
        static = named(path, lambda: read_trial(found_trial(path)))
        inputs.append(_input("static", path, found_trial(path)))
    for role, extra in (("forces", options.forces), ("plates", options.plates)):
        if extra is not None:
            if not extra.is_file():
                raise GaitidError(f"{extra}: no such file")
            inputs.append(_input(role, extra))
    return Prepared(options, model, subject, static, tuple(inputs))


def _input(role: str, path: Path, file: Path | None = None) -> dict[str, str]:
    return {"role": role, "path": str(path), "sha256": sha256(file or path)}


def found_trial(path: Path) -> Path:
    """The path itself, or the bundled trial that it names where there is no such file (``sample_data/…``)."""
    if path.parts[:1] == ("sample_data",) and not path.exists():
        bundled = bundled_folder("sample_data").joinpath(*path.parts[1:])
        if bundled.is_file():
            return bundled
    return path


def analyse_file(path: Path, prepared: Prepared) -> Result:
    """Read and analyse one trial."""
    from gaitid.pipeline import analyse

    options = prepared.options
    trial = read_trial(found_trial(path), forces=options.forces, plates=options.plates)
    return analyse(
        trial,
        prepared.model,
        prepared.subject,
        prepared.static,
        solver=options.solver,
        require_forces=options.require_forces,
    )


def run_file(path: Path, folder: Path, prepared: Prepared) -> tuple[Result, list[Path]]:
    """Analyse one trial and write its files.

    Raises
    ------
    GaitidError
        What the trial or the folder refuses; nothing is written then.
    """
    from gaitid.write.record import record, record_text
    from gaitid.write.tables import contacts_csv, joints_csv, segments_csv, wrenches_csv

    options = prepared.options
    result = analyse_file(path, prepared)
    stem = path.stem
    texts = {
        f"{stem}.wrenches.csv": wrenches_csv(result, options.express_in),
        f"{stem}.joints.csv": joints_csv(result),
        f"{stem}.contacts.csv": contacts_csv(result),
    }
    if options.write_segments:
        texts[f"{stem}.segments.csv"] = segments_csv(result)
    inputs: Sequence[Mapping[str, str]] = [_input("trial", path, found_trial(path)), *prepared.inputs]
    texts[f"{stem}.run.json"] = record_text(
        record(result, options.command, inputs, options.express_in, options.keep_names)
    )
    return result, write_all(folder, texts)
