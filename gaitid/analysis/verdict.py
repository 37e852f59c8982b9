"""What a trial can be used for, and why no more: the types (`gaitid.analysis.judge` makes them)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gaitid.analysis.wording import reason_words, verdict_words
from gaitid.faults.detectable import Detectable
from gaitid.notes import Notes
from gaitid.notes.message import DO_NOT_USE
from gaitid.records import frozen_dataclass


@frozen_dataclass()
class Reason:
    """Why a verdict is not better.

    Attributes
    ----------
    lowers_to : str
        One of `LEVELS`.
    code : str
        Of the notes that it stands for, or of `gaitid.notes.result.REASONS`.
    side : str
        The only leg that it concerns; empty where it concerns all.
    text : str
        In one line.
    cure : str
        What would make it good; empty where nothing is known.
    count : int
        So many notes say the same.
    """

    lowers_to: str
    code: str
    side: str
    text: str
    cure: str
    count: int = 1

    @property
    def words(self) -> str:
        """For a person, in one line."""
        return reason_words(vars(self))


@frozen_dataclass()
class Verdict:
    """What a trial can be used for.

    Attributes
    ----------
    trial : str
        One of `LEVELS`: the worst of the legs that were recorded.
    sides : mapping of side to str
    reasons : tuple of Reason
        The most serious first.
    others : Notes
        Notes of the result that no reason says: they lower nothing.
    angles_only : tuple of str
        ``trial`` and its sides that are `USABLE`, where nothing is known of any load in it.
    whole : tuple of int
        Places, among the contacts of the result, of the stances that are whole.
    not_seen : tuple of Detectable
        Faults of plates, clocks and laboratory, and how large they would have to be to be noticed.
    """

    trial: str
    sides: Mapping[str, str]
    reasons: tuple[Reason, ...]
    others: Notes = ()
    angles_only: tuple[str, ...] = ()
    whole: tuple[int, ...] = ()
    not_seen: tuple[Detectable, ...] = ()

    @property
    def words(self) -> str:
        """The verdicts alone: ``usable (left usable, right good)``."""
        return verdict_words(self.as_dict())

    @property
    def worst_reason(self) -> str:
        """What makes it no better, in one line; empty where it is good."""
        return self.reasons[0].words if self.reasons else ""

    def as_dict(self) -> dict[str, Any]:
        """For records: ``trial``, each side, ``reasons``, and of which ``angles_only`` are known, where of any."""
        only: dict[str, Any] = {"angles_only": list(self.angles_only)} if self.angles_only else {}
        only |= {"detectable": [one.as_dict() for one in self.not_seen]} if self.not_seen else {}
        return {"trial": self.trial, **self.sides, "reasons": [dict(vars(reason)) for reason in self.reasons], **only}


#: Of a result that is still being put together.
NOT_JUDGED = Verdict(DO_NOT_USE, {}, ())
