"""The journal of a folder of results: which trials are done, with which inputs, and what their files held."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.results_folder import FOLDER, JOURNAL, PLAIN, read_bytes, writing
from gaitid.disk.atomic import put_all


class Journal:
    """The trials that are done: for each a line of JSON, written when its result is in place.

    A line ends with the SHA-256 of what stands before it. Where a line is missing, cut (the process was killed in
    between) or damaged, the trial is worked on again, which makes the same bytes; the other lines stay. The files that
    a line lists count as done only where their hashes agree. Results are known by their place below the folder
    (``P01/walk``).
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FOLDER / JOURNAL

    def read(self) -> dict[str, Outcome]:
        """The outcomes of the trials that are done, by place."""
        return dict(filter(None, map(_entry, read_bytes(self.path).split(b"\n"))))

    def write(self, done: Mapping[str, Outcome]) -> None:
        """Write the whole journal anew, without times: the same outcomes give the same bytes."""
        with writing(self.folder):
            put_all(self.path.parent, {JOURNAL: b"".join(_line(place, outcome) for place, outcome in done.items())})

    def append(self, place: str, outcome: Outcome) -> None:
        """Add one trial, when its result is in place."""
        with writing(self.folder):
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | PLAIN, 0o666)
            with os.fdopen(descriptor, "ab") as file:
                file.write(_line(place, outcome))


# The keys of a line in their order: text; then numbers by name, text by name, a list of text, text by name.
_TEXTS = ("place", "trial", "trial_sha256", "fingerprint", "static")
_KEYS = (*_TEXTS, "figures", "outputs", "warnings", "verdict")


def _line(place: str, outcome: Outcome) -> bytes:
    text = json.dumps({key: place if key == "place" else getattr(outcome, key) for key in _KEYS})
    return f'{text[:-1]}, "sha256": "{hashlib.sha256(text.encode()).hexdigest()}"}}\n'.encode()


def _entry(line: bytes) -> tuple[str, Outcome] | None:
    """The place and the outcome of a line; None where it is not, to the byte, what gaitid would write of these."""
    try:
        content: Any = json.loads(line)
        values = {key: content[key] for key in _KEYS}
        texts = [*(values[key] for key in _TEXTS), *values["outputs"].values(), *values["warnings"]]
        texts += values["verdict"].values()
        # no count or share is larger; neither NaN nor infinity is less
        numbers = [type(number) in (int, float) and abs(number) < 1e15 for number in values["figures"].values()]
        place = values.pop("place")
        outcome = Outcome(status=DONE, **{**values, "warnings": tuple(values["warnings"])})
        valid = all(isinstance(text, str) for text in texts) and all(numbers) and _line(place, outcome) == line + b"\n"
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (place, outcome) if valid else None
