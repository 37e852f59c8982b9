"""What speaks against a contact, as each rule of its judgement says it."""

from __future__ import annotations

from gaitid.notes import phrase
from gaitid.records import NamedTuple
from gaitid.trial import Mask

# s. Frames this near to one whose load may not be the foot's alone are not sure either, unless the pressure tells.
SHARING = 0.03


class Reason(NamedTuple):
    """What speaks against a contact.

    Attributes
    ----------
    weight : float
        By which the confidence is multiplied; 0 where the load is unknown.
    text : str
    misplaced : (frames of the contact,) bool array or None
        Frames in which the load is not this foot's alone.
    at_edge : (frames of the contact,) bool array or None
        Frames in which a part of its load may lie beyond an edge.
    beyond : bool
        The foot may have stood beyond an edge before, or may stand there after.
    """

    weight: float
    text: str
    misplaced: Mask | None = None
    at_edge: Mask | None = None
    beyond: bool = False


def unknown(name: str, /, **values: object) -> Reason:
    """The load cannot be known, in words of `gaitid.notes.phrase`."""
    return Reason(0.0, phrase(name, **values))
