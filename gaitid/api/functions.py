"""`gaitid.analyse` and its neighbours: the functions of the Python API."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from inspect import Parameter, signature
from os import fspath
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid import read, run
from gaitid.api.result import Analysis
from gaitid.api.source import Made, Stored
from gaitid.api.words import File, file_path, settings_of, texts_of
from gaitid.errors import GaitidError, ReadError, in_words
from gaitid.inputs import found_trial
from gaitid.model.load import load_model as model_from
from gaitid.model.settings import ReaderSettings
from gaitid.model.specs import Model
from gaitid.run.command import values_of, words_of
from gaitid.settings import OPTIONS, RunOptions
from gaitid.trial import Trial
from gaitid.write.record import plain

if TYPE_CHECKING:
    import pandas as pd

#: In place of the path of what is in no file.
_IN_MEMORY = "(in memory)"


def analyse(
    trial: File | Trial,
    model: str | Model = "auto",
    static: File | Trial | None = None,
    subject: File | Mapping[str, Any] | None = None,
    **options: Any,
) -> Analysis:
    """Analyse one trial, as ``gaitid run`` does.

    Parameters
    ----------
    trial : path or Trial
        ``.c3d``, ``.csv``, ``.trc`` or ``.tsv``, or a trial in memory (`read_trial`, `trial_from_arrays`).
    {options}

    Returns
    -------
    Analysis

    Raises
    ------
    GaitidError
        What ``gaitid run`` refuses, in its one line; options are named as there (``--static`` is `static`).

    Examples
    --------
    >>> import gaitid
    >>> r = gaitid.analyse("sample_data/walk/walk.c3d", model="pig")
    >>> r
    <gaitid.Analysis walk: model pig; good; 2 contacts on plates, 3 cycles>
    >>> [name for name in r.moments if name.startswith("left_knee")]  # doctest: +NORMALIZE_WHITESPACE
    ['left_knee_extension_moment_Nm_per_kg', 'left_knee_abduction_moment_Nm_per_kg',
     'left_knee_external_rotation_moment_Nm_per_kg']
    >>> gaitid.analyse("walk.xlsx")
    Traceback (most recent call last):
    gaitid.errors.ReadError: walk.xlsx: no such file; check the path
    """
    for name in options.keys() - OPTIONS.keys():
        raise TypeError(f"analyse() got an unexpected keyword argument {name!r}")
    options |= {"model": model, "static": static, "subject": subject}
    given = {name: options[name] for name in OPTIONS if options.get(name) is not None}
    path = None if isinstance(trial, Trial) else file_path("trial", trial)
    in_memory = {name: given.pop(name) for name in ("static", "model") if isinstance(given.get(name), Trial | Model)}
    if isinstance(subject, Mapping):
        in_memory["subject"] = plain(given.pop("subject"))
    texts = texts_of(given)
    chosen, words = RunOptions(**values_of(texts)), words_of(texts)
    if "model" in in_memory and (chosen.overrides or "model" in given):
        raise GaitidError("settings, cutoff and force_cutoff are the model's", todo="give settings to load_model")
    if path is None and (chosen.forces or chosen.plates or chosen.events or "corrections" in chosen.input_files):
        raise GaitidError("forces, plates, events and corrections belong to a file; a trial in memory has its own")
    if path is None and chosen.static is None and chosen.reader != ReaderSettings(vertical=chosen.reader.vertical):
        wrong = "point_unit, point_rate_hz, mirror and subject_prefix belong to a file"
        raise GaitidError(wrong, todo="give them to read_trial")
    for name, value in in_memory.items():
        words += (f"--{name}", value.name if isinstance(value, Model) else _IN_MEMORY)
    return Analysis(_made(trial, path, chosen, words, in_memory))


def _with_options(function: Callable[..., Analysis]) -> None:
    """Give a function the keywords of `OPTIONS`, for `help` and for editors that look at its signature."""
    parameters = [next(iter(signature(function).parameters.values()))]
    lines: list[str] = []
    for name in (*_POSITIONAL, *(name for name in OPTIONS if name not in _POSITIONAL)):
        kind = Parameter.POSITIONAL_OR_KEYWORD if name in _POSITIONAL else Parameter.KEYWORD_ONLY
        parameters.append(Parameter(name, kind, default=OPTIONS[name].default))
        type_words, meaning = OPTIONS[name].python
        lines += [f"{name} : {type_words}", *(f"    {line}" for line in wrap(meaning, 108))]
    function.__doc__ = (function.__doc__ or "").replace("{options}", "\n    ".join(lines))
    function.__signature__ = signature(function).replace(parameters=parameters)  # type: ignore[attr-defined]


_POSITIONAL = ("model", "static", "subject")
_with_options(analyse)


def _made(
    trial: Any, path: Path | None, options: RunOptions, words: tuple[str, ...], in_memory: Mapping[str, Any]
) -> Made:
    """The result with all that its record says of how it was made."""
    stem = trial.path.stem if path is None else path.stem
    shown = _IN_MEMORY if path is None else f"./{path}" if str(path).startswith("-") else str(path)
    # with an input that no command can name, the words say what was done but are no command
    command = ("gaitid", "run") if path is not None and not in_memory else ("gaitid.analyse",)
    with _one_line():
        static = in_memory.get("static")
        setup = run.prepare(replace(options, command=(*command, shown, *words)), static, in_memory.get("subject"))
        if static is not None:
            setup = replace(setup, inputs=(*setup.inputs, _array_input("static", static)))
        if "subject" in in_memory:
            setup = replace(setup, inputs=(*setup.inputs, _mapping_input(in_memory["subject"])))
        model = in_memory.get("model", setup.model)
        if model is not None and in_memory.keys() & {"model", "subject"}:
            known = setup.inputs if setup.model is None else setup.inputs[len(run.model_inputs(setup.model)) :]
            setup = run.with_model(replace(setup, inputs=known), model)
    with _one_line(str(path) if path is not None else stem):
        if path is None:
            result, prepared = run.analyse_trial(read.with_vertical(trial, options.reader), setup)
            inputs = [_array_input("trial", trial), *prepared.inputs]
        else:
            prepared = run.with_chosen_model(run.with_files_beside(setup, path), path)
            result = run.analyse_file(path, prepared)
            inputs = run.inputs_of(path, result, prepared)
    files = tuple(run.files_read(trial.path if path is None else path, options))
    return Made(stem, result, replace(prepared, read=None), tuple(inputs), files)


def _array_input(role: str, trial: Trial) -> dict[str, str]:
    """What a record says of a trial in memory: its name, and the hash of its arrays."""
    digest = hashlib.sha256(repr((trial.labels, trial.rate_hz, trial.first_frame)).encode())
    arrays = [trial.points_g, *(a for p in trial.plates for a in (p.corners_g, p.sensor_p, p.force_p, p.moment_p))]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return {"role": role, "path": f"{trial.path} {_IN_MEMORY}", "sha256": digest.hexdigest()}


def _mapping_input(subject: Mapping[str, Any]) -> dict[str, str]:
    text = repr(sorted(subject.items()))
    return {"role": "subject", "path": _IN_MEMORY, "sha256": hashlib.sha256(text.encode()).hexdigest()}


@contextmanager
def _one_line(about: str = "") -> Iterator[None]:
    """What is refused inside is a `GaitidError` whose line begins with the file that it is about."""
    try:
        yield
    except GaitidError as error:
        if about and not error.wrong.startswith(f"{about}:"):
            error.wrong = f"{about}: {error.wrong}"
            error.args = (error.line(),)
        raise
    except OSError as error:
        line = in_words(error, about)
        raise ReadError(f"{about}: {line}" if about else line) from error


def read_trial(  # noqa: PLR0913 - what the file does not say, each under its name
    path: File,
    *,
    forces: File | None = None,
    plates: File | None = None,
    stored: bool = False,
    point_unit: str | None = None,
    subject_prefix: str | None = None,
    point_rate_hz: float | None = None,
    vertical: str | None = None,
    mirror: str | None = None,
    force_start_s: float | None = None,
) -> Trial:
    """Read a trial: markers, plates, events and measurements in SI units, NaN where nothing was seen.

    Parameters
    ----------
    path : path
        ``.c3d``, ``.csv``, ``.trc`` or ``.tsv``.
    forces, plates : path, optional
        Forces beside a CSV or TRC trial; YAML with the corners of its plates, or of those that a C3D does not declare.
    stored : bool
        Also keep the model outputs that the file holds.
    point_unit : str, optional
        ``mm``, ``cm`` or ``m``, whatever the file says.
    subject_prefix : str, optional
        Of a file with several subjects, the one whose labels begin so.
    point_rate_hz : float, optional
        Of a CSV file without a column ``time_s``.
    vertical : str, optional
        The laboratory axis that points up: ``x``, ``-x``, ``y``, ``-y``, ``z`` or ``-z``.
    mirror : str, optional
        The axis, ``x``, ``y`` or ``z``, whose sign is turned: of a laboratory with left-handed axes.
    force_start_s : float, optional
        When the forces begin, after the first frame of the markers, where two files have zeros of time of their own.

    Returns
    -------
    Trial

    Raises
    ------
    GaitidError
        What cannot be read, in one line.

    Examples
    --------
    >>> import gaitid
    >>> trial = gaitid.read_trial("sample_data/walk/walk.c3d")
    >>> trial.rate_hz, trial.n_frames, len(trial.plates)
    (100.0, 300, 2)
    >>> trial.marker("LASI")[0].round(3)  # m, laboratory axes
    array([-1.098,  0.147,  1.006])
    """
    file = file_path("path", path)
    extra = {name: Path(value) for name, value in (("forces", forces), ("plates", plates)) if value is not None}
    with _one_line(fspath(file)):
        reader = ReaderSettings(point_unit, point_rate_hz, force_start_s, vertical, mirror, subject_prefix)
        return read.read_trial(found_trial(file), **extra, stored=stored, settings=reader)


def load_model(name: File, settings: Mapping[str, Any] | None = None) -> Model:
    """Read a model with everything it extends and its table.

    Parameters
    ----------
    name : str or path
        A bundled model's name, or a YAML file.
    settings : mapping, optional
        Settings that replace the model's, as of ``--set``; ``cutoff_hz`` and ``force_cutoff_hz`` are the cut-offs.

    Returns
    -------
    Model

    Raises
    ------
    GaitidError
        Not found, not YAML, or against the schema: one line that names each key.

    Examples
    --------
    >>> import gaitid
    >>> gaitid.load_model("pig", {"cutoff_hz": 7}).settings.cutoff_hz
    7.0
    """
    with _one_line():
        return model_from(fspath(name), settings_of(settings))


def load(result: File) -> Analysis:
    """A result that was written, read back from its files; nothing is analysed.

    Parameters
    ----------
    result : path
        ``walk.run.json``; its tables lie beside it, and are read when they are asked for.

    Returns
    -------
    Analysis
        Without ``result``: the arrays beneath are in no file. Numbers have the ten digits of the files.

    Raises
    ------
    GaitidError
        Not a result, in one line; a table that is absent, when it is asked for.
    """
    with _one_line():
        return Analysis(Stored.read(file_path("result", result)))


def repeatability(*folders: File) -> pd.DataFrame:
    """SEM and smallest detectable change from sessions of the same subjects, as ``gaitid repeatability`` has them.

    Parameters
    ----------
    *folders : path
        Results, or folders of such: each folder is a session, or what ``batch.csv`` above it says.

    Returns
    -------
    DataFrame
        The rows of its file: a feature, or a curve at one percent of the cycle (docs/repeatability.md).

    Raises
    ------
    GaitidError
        No subject has two sessions with whole cycles.
    """
    from io import StringIO

    import pandas as pd

    from gaitid.compare.repeatability import repeatability as found_in

    with _one_line():
        result = found_in([file_path("folders", folder) for folder in folders])
    return pd.read_csv(StringIO("".join(result.text)))
