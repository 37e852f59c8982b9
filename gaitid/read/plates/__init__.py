"""Channels and geometry of force plates, from a C3D's FORCE_PLATFORM or a plates file -> `Plates`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from gaitid.notes import Note, Notes, note
from gaitid.records import frozen_dataclass
from gaitid.trial import Assignment, ForcePlate

#: A plate is surely loaded above this force, N: more than a knock or a bias, less than a small child.
LOADED_N = 100.0
#: Where a plates file comes from, for errors.
TEMPLATE_FROM = "gaitid inspect --plates-template prints one to fill in"


@frozen_dataclass(eq=False)
class Plates:
    """The force plates of one trial, as any reader gives them.

    Attributes
    ----------
    usable : tuple of ForcePlate
    refused : mapping of int to str
        Number of a plate that cannot be used, and why.
    assignments : tuple of Assignment
        Where the file says whose foot felt a force.
    notes : Notes
    """

    usable: tuple[ForcePlate, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    assignments: tuple[Assignment, ...] = ()
    notes: Notes = ()


def unused_plates(path: Path | None, why: str) -> Notes:
    """A note that a plates file, if one was given, describes plates of which there are no forces."""
    return () if path is None else (note("input_unused/plates_file", name=path.name, why=why),)


def of_plate(number: int, notes: Iterable[Note]) -> Notes:
    """The same notes, each beginning with the plate that it is about; those that say a plate already as they are."""
    return tuple(n if n.plates else n._replace(text=f"plate {number}: {n.text}", plates=(number,)) for n in notes)


def refusals(refused: Mapping[int, str]) -> Notes:
    """A note for each plate that is not used, in the order of their numbers."""
    return tuple(note("plate_refused", plates=(n,), reason=reason) for n, reason in sorted(refused.items()))
