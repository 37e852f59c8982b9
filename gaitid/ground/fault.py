"""One fault of plates or clocks."""

from __future__ import annotations

from gaitid.notes import Note
from gaitid.records import frozen_dataclass


@frozen_dataclass()
class Fault:
    """Something that is wrong with plates or clocks.

    Attributes
    ----------
    note : Note
        With an estimate; it names no plate where the clocks or the body's mass are wrong.
    withheld : bool
        Whether the loads of its plates are unknown because of it; else they are only doubtful.
    common : tuple of int
        The plates, where the note names none.
    ratio : float
        Of given to asked force, where that is what is wrong; else NaN.
    """

    note: Note
    withheld: bool = False
    common: tuple[int, ...] = ()
    ratio: float = float("nan")

    @property
    def plates(self) -> tuple[int, ...]:
        """Whose loads it spoils."""
        return self.note.plates or self.common
