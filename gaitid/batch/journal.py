"""The journal of a folder of results: which trials are done, with which inputs, and what their files held."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.results_folder import FOLDER, JOURNAL, PLAIN, content, writing
from gaitid.disk.atomic import put_all


class Journal:
    """Each trial that is done, a line of JSON, written when its result is in place.

    A line ends with the SHA-256 of what stands before. One that is missing, cut (the process was killed in between)
    or damaged means that the trial is worked on again, which makes the same bytes. What a line says of files is
    believed only where their hashes agree. Results are known by their place below the folder (``P01/walk``).
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FOLDER / JOURNAL

    def read(self) -> dict[str, Outcome]:
        """What was done, by place."""
        return dict(filter(None, map(_entry, content(self.path).split(b"\n"))))

    def write(self, done: Mapping[str, Outcome]) -> None:
        """The whole journal anew, without times: the same outcomes give the same bytes."""
        with writing(self.folder):
            put_all(self.path.parent, {JOURNAL: b"".join(_line(place, one) for place, one in done.items())})

    def append(self, place: str, outcome: Outcome) -> None:
        """One trial more, when its result is in place."""
        with writing(self.folder):
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | PLAIN, 0o666)
            with os.fdopen(descriptor, "ab") as file:
                file.write(_line(place, outcome))


# What a line says, in this order: text, then numbers by name, text by name, texts.
_WORDS = ("place", "trial", "trial_sha256", "fingerprint")
_NOTED = (*_WORDS, "figures", "outputs", "warnings")


def _line(place: str, outcome: Outcome) -> bytes:
    said = json.dumps({name: place if name == "place" else getattr(outcome, name) for name in _NOTED})
    return f'{said[:-1]}, "sha256": "{hashlib.sha256(said.encode()).hexdigest()}"}}\n'.encode()


def _entry(line: bytes) -> tuple[str, Outcome] | None:
    """What a line says; None where it is not, to the byte, what we would write of that."""
    try:
        found: Any = json.loads(line)
        noted = {name: found[name] for name in _NOTED}
        words = [*(noted[name] for name in _WORDS), *noted["outputs"].values(), *noted["warnings"]]
        # no count or share is larger; neither NaN nor infinity is less
        numbers = [type(one) in (int, float) and abs(one) < 1e15 for one in noted["figures"].values()]
        place = noted.pop("place")
        outcome = Outcome(status=DONE, **{**noted, "warnings": tuple(noted["warnings"])})
        right = all(isinstance(word, str) for word in words) and all(numbers) and _line(place, outcome) == line + b"\n"
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (place, outcome) if right else None
