"""What is compared, from wherever it comes: curves under the names, signs and units of gaitid's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from gaitid.compare.mixture import Made
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

RESULT, SESSION, STORED, OPENSIM = "result", "session", "stored", "opensim"


@frozen_dataclass(eq=False)
class Curves:
    """One side of a comparison.

    Attributes
    ----------
    name : str
        As people call it: the file's name, or its folder's.
    kind : str
        ``result``, ``session``, ``stored`` (in a C3D) or ``opensim``.
    words : str
        What it is, in one clause.
    columns : mapping of str to (rows,) array
        Under the names of ``joints.csv`` and ``wrenches.csv``, NaN where unknown; none of a session.
    frame : (rows,) array or None
        As the trial numbers them; None where there are none.
    time_s : (rows,) array
        By the clock of the source: 0 at the first frame of a trial.
    record : mapping
        What ``run.json`` holds, of results.
    files : tuple of Path
        Records of the results: one, or those of a session.
    make : callable or None
        Gives the result in memory, with what it was made from.
    notes : tuple of str
        What was assumed, a sentence each.
    trial : Path or None
        The C3D whose outputs these are.
    set_name : str
        What the labels of the stored outputs end with.
    standard : mapping of str to (rows,) array
        Standard uncertainties of a result's columns; empty where it was run without ``--uncertainty``.
    """

    name: str
    kind: str
    words: str
    columns: Mapping[str, Array]
    frame: Array | None
    time_s: Array
    record: Mapping[str, Any]
    files: tuple[Path, ...] = ()
    make: Callable[[], Made] | None = None
    notes: tuple[str, ...] = ()
    trial: Path | None = None
    set_name: str = ""
    standard: Mapping[str, Array] = field(default_factory=dict)

    @property
    def is_result(self) -> bool:
        """Whether gaitid made it."""
        return self.kind in (RESULT, SESSION)

    @property
    def mass_kg(self) -> float:
        """Of the body, NaN where the record does not say it."""
        value = self.record.get("subject", {}).get("mass", {}).get("value")
        return float(value) if isinstance(value, int | float) else float("nan")

    @property
    def sha256(self) -> str:
        """Of the trial that a result was made from."""
        inputs = self.record.get("inputs", ())
        return next((str(entry["sha256"]) for entry in inputs if entry["role"] == "trial"), "")
