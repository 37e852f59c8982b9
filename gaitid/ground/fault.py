"""One fault of plates or clocks, and the contacts that tell of it."""

from __future__ import annotations

from gaitid.ground.plate_load import PlateLoad
from gaitid.notes import Note
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray


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
    with_events : bool
        The events of the file agree with the markers: the forces are what is late.
    ratio : float
        Of given to asked force, where that is what is wrong; else NaN.
    """

    note: Note
    withheld: bool = False
    common: tuple[int, ...] = ()
    with_events: bool = False
    ratio: float = float("nan")

    @property
    def plates(self) -> tuple[int, ...]:
        """Whose loads it spoils."""
        return self.note.plates or self.common


class Stood(NamedTuple):
    """A known contact of one foot with one plate.

    Attributes
    ----------
    side : str
    plate : PlateLoad
    frames : (n,) int array
        From its first to its last.
    alone : (m,) int array
        Those in which no other foot can be on the ground.
    toes_g : (3,) array, m
        From the foot's heel to its toes, their mean.
    crosses : bool
        The foot stands beyond where the other one stands before and after it.
    """

    side: str
    plate: PlateLoad
    frames: IntArray
    alone: IntArray
    toes_g: Array
    crosses: bool = False


class Borne(NamedTuple):
    """A known contact of one foot with one plate or several, while no other foot can be on the ground.

    Attributes
    ----------
    plates : tuple of int
    frames : (n,) int array
    force_g : (n, 3) array, N
        Of all these plates together.
    """

    plates: tuple[int, ...]
    frames: IntArray
    force_g: Array
