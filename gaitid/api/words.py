"""The keywords of `gaitid.analyse` -> how a trial is analysed, and the words that say the same on the command line.

What a keyword means is read from those words, by the functions that read them there: nothing can mean two things.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from gaitid.dynamics import SOLVER_NAMES
from gaitid.errors import GaitidError
from gaitid.ground.by_hand import read_assignments
from gaitid.read.settings import ReaderSettings, settings_from, split_settings
from gaitid.run import RunOptions
from gaitid.run.options import read_loads
from gaitid.write import DEFAULT_FRAMES, DEFAULT_UNCERTAINTY, FRAMES_OF_EXPRESSION, WRITE
from gaitid.write.record import plain

File = str | PathLike[str]

#: The keywords that change a result, in the order in which a record's command has their options.
KEYWORDS = {
    "model": "--model",
    "markers": "--markers",
    "static": "--static",
    "subject": "--subject",
    "forces": "--forces",
    "plates": "--plates",
    "subject_prefix": "--subject-prefix",
    "events": "--events",
    "functional": "--functional",
    "express_in": "--express-in",
    "cutoff": "--cutoff",
    "force_cutoff": "--force-cutoff",
    "solver": "--solver",
    "contributions": "--contributions",
    "observer": "--observer",
    "loads": "--load",
    "assign": "--assign",
    "require_forces": "--require-forces",
    "write": "--write",
    "uncertainty": "--uncertainty",
    "settings": "--set",
    "keep_names": "--keep-names",
}
#: Those that name a file.
FILES = ("markers", "static", "subject", "forces", "plates", "events")
#: What a keyword may be, where that is one of a few words.
_AMONG: Mapping[str, Sequence[str]] = {"solver": SOLVER_NAMES, "express_in": FRAMES_OF_EXPRESSION, "write": WRITE}
#: Those that are one word.
_SINGLE = ("model", "solver", "observer", "uncertainty")
# As on the command line.
_HIGHEST_HZ = 1e6


def run_options(given: Mapping[str, Any]) -> tuple[RunOptions, tuple[str, ...]]:
    """How a trial is analysed, and the command's words that say so.

    Parameters
    ----------
    given : mapping
        By the names of `KEYWORDS`, without those that were left out or have no word (a model or a trial in memory).

    Raises
    ------
    GaitidError
        A value that the keyword does not take.
    """
    given = {name: value for name, value in given.items() if (name, value) != ("uncertainty", False)}
    if not isinstance(given.get("uncertainty", True), bool | str | PathLike):
        found = repr(given["uncertainty"])
        raise GaitidError("uncertainty: not taken", expected="True, False or the path of a YAML file", found=found)
    if given.get("uncertainty") is True:
        given["uncertainty"] = DEFAULT_UNCERTAINTY
    values = {name: _words_of(name, given[name]) for name in KEYWORDS if name in given}
    chosen: dict[str, Any] = {name: values[name][0] for name in _SINGLE if values.get(name)}
    chosen |= {name: Path(values[name][0]) for name in FILES if values.get(name)}
    chosen |= {name: True for name in ("require_forces", "keep_names", "contributions") if values.get(name)}
    chosen |= {
        name: tuple(dict.fromkeys(values[name])) for name in ("express_in", "write", "functional") if values.get(name)
    }
    if "observer" in chosen:
        chosen["contributions"] = True
    of_reader, of_model = split_settings(settings_from(values.get("settings", ())))
    cutoffs = {f"{name}_hz": _frequency(name, given[name]) for name in ("cutoff", "force_cutoff") if name in given}
    prefix = next(iter(values.get("subject_prefix", ())), None)
    options = RunOptions(
        **chosen,
        overrides=of_model | cutoffs,
        by_hand=read_assignments(values.get("assign", ())),
        loads=read_loads(values.get("loads", ())),
        reader=ReaderSettings(**of_reader, subject_prefix=prefix),
    )
    words: list[str] = []
    for name, option in KEYWORDS.items():
        for text in values.get(name, ()):
            words += [option] if given[name] is True else [option, text]
    return options, tuple(words)


def _words_of(name: str, value: Any) -> tuple[str, ...]:
    """What stands behind a keyword's option, each time that it is given; empty where it says what holds anyway."""
    if name == "settings":
        if not isinstance(value, Mapping):
            raise GaitidError("settings: not a mapping", expected='as {"gravity_m_per_s2": 9.81}', found=repr(value))
        return tuple(f"{key}={_text(item)}" for key, item in value.items())
    if name == "loads":
        if not isinstance(value, Mapping):
            raise GaitidError("loads: not a mapping", expected='as {"left_shank": "cuff.csv"}', found=repr(value))
        return tuple(f"{segment}={file}" for segment, of in value.items() for file in _files(name, of))
    if name in ("cutoff", "force_cutoff"):
        number = _frequency(name, value)
        return (repr(number).removesuffix(".0") if isinstance(number, float) else number,)
    if isinstance(value, bool):
        return ("yes",) if value else ()
    if name in ("express_in", "write", "assign"):
        several = (value,) if isinstance(value, str) else tuple(value)
        _check(name, several)
        return () if name == "express_in" and several == DEFAULT_FRAMES else several
    if name == "functional":
        return tuple(str(file) for file in _files(name, value))
    if name in FILES:
        return (str(file_path(name, value)),)
    _check(name, (value,))
    return () if (name, value) in (("model", "auto"), ("solver", SOLVER_NAMES[0])) else (str(value),)


def _check(name: str, values: Iterable[object]) -> None:
    known = _AMONG.get(name)
    for value in values:
        if not isinstance(value, str | PathLike) or (known and value not in known):
            raise GaitidError(f"{name}: {value!r} is not known", expected=", ".join(known or ("text",)))


def _files(name: str, value: Any) -> tuple[Path, ...]:
    """Of a keyword that names one file, or several in a sequence."""
    one = isinstance(value, str | PathLike | Mapping) or not isinstance(value, Iterable)
    several = (value,) if one else value
    return tuple(file_path(name, item) for item in several)


def file_path(name: str, value: object) -> Path:
    """A keyword that names a file.

    Raises
    ------
    GaitidError
        It does not.
    """
    if not isinstance(value, str | PathLike):
        raise GaitidError(f"{name}: not a file", expected="a path", found=f"a {type(value).__name__}")
    if not str(value):
        raise GaitidError(f"{name}: no path", expected="a path; '.' is the current folder", found="an empty text")
    return Path(value)


def settings_of(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings as the command line would read them."""
    return settings_from(_words_of("settings", settings or {}))


def _frequency(name: str, value: Any) -> float | str:
    """A frequency in Hz, or a word in its place."""
    words = ("none", "auto") if name == "cutoff" else ("none",)
    if isinstance(value, str) and value in words:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number < _HIGHEST_HZ:
        allowed = " or ".join(f'"{word}"' for word in words)
        raise GaitidError(f"{name}: {value!r} is no frequency", expected=f"Hz above 0, or {allowed}")
    return number


def _text(value: Any) -> str:
    """A setting's value as YAML has it."""
    return value if isinstance(value, str) else json.dumps(plain(value))
