"""The command that a record keeps, read back: the inverse of `gaitid.cli.run.recorded_command`.

Options of `run` that are not known here (of a newer gaitid) are refused: what they did cannot be done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gaitid.errors import GaitidError
from gaitid.ground.by_hand import read_assignments
from gaitid.read.settings import ReaderSettings, settings_from, split_settings
from gaitid.run import RunOptions
from gaitid.run.options import read_loads

_FILES = {"--markers", "--static", "--subject", "--forces", "--plates", "--events"}
_WORDS = {"--model", "--solver", "--observer", "--uncertainty"}
_SEVERAL = {
    "--express-in": "express_in",
    "--write": "write",
    "--assign": "assign",
    "--set": "pairs",
    "--load": "loads",
    "--functional": "functional",
}
_FREQUENCIES = {"--cutoff": "cutoff_hz", "--force-cutoff": "force_cutoff_hz"}
_FLAGS = {"--require-forces", "--contributions", "--keep-names"}
#: In place of a subject's name that was not kept.
NOT_KEPT = "(not kept)"


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
    chosen: dict[str, Any] = {}
    several: dict[str, list[str]] = {name: [] for name in _SEVERAL.values()}
    cutoffs: dict[str, object] = {}
    prefix = None
    rest = iter(words[3:])
    for option in rest:
        name = option.removeprefix("--").replace("-", "_")
        if option in _FLAGS:
            chosen[name] = True
            continue
        value = next(rest, None)
        if value is None:
            raise GaitidError(f"the record's command ends with {option}")
        if option in _FILES:
            chosen[name] = Path(value)
        elif option in _WORDS:
            chosen[name] = value
        elif option in _SEVERAL:
            several[_SEVERAL[option]].append(value)
        elif option in _FREQUENCIES:
            cutoffs[_FREQUENCIES[option]] = _frequency(value)
        elif option == "--subject-prefix" and value != NOT_KEPT:
            prefix = value
        elif option == "--subject-prefix":
            raise GaitidError("the trial holds several subjects, and the name of the one that was meant was not kept")
        else:
            raise GaitidError(f"the record's command has {option}, which is not known here")
    of_reader, of_model = split_settings(settings_from(several["pairs"]))
    for name in ("express_in", "write", "functional"):
        if several[name]:
            chosen[name] = tuple(dict.fromkeys(several[name]))
    options = RunOptions(
        **chosen
        | {
            "reader": ReaderSettings(**of_reader, subject_prefix=prefix),
            "overrides": of_model | cutoffs,
            "by_hand": read_assignments(several["assign"]),
            "loads": read_loads(several["loads"]),
            "contributions": "contributions" in chosen or "observer" in chosen,
        }
    )
    return Path(words[2]), options


def _frequency(value: str) -> object:
    """A number in Hz, or a word: ``none``, ``auto``."""
    try:
        return float(value)
    except ValueError:
        return value
