"""What a user says of feet and plates: ``--assign SIDE=PLATES[@FIRST-LAST]``, as a command has it and as a record keeps
it, and contacts of a file of corrections.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from gaitid.errors import GaitidError, TrialError
from gaitid.records import frozen_dataclass
from gaitid.trial import Trial


@frozen_dataclass()
class ByHand:
    """What the user says: which plates carried a foot; frames are indices, both included.

    Attributes
    ----------
    side : str
    plates : tuple of int
        Empty: no plate tells of the foot in these frames.
    first, last : int or None
        None: from the beginning, to the end.
    source : str
        Where it is said, for messages.
    """

    side: str
    plates: tuple[int, ...]
    first: int | None = None
    last: int | None = None
    source: str = "--assign"

    @property
    def reasoned(self) -> bool:
        """Whether a reason stands beside it, as in a file of corrections."""
        return self.source != "--assign"

    @property
    def words(self) -> str:
        """As it is given behind ``--assign``."""
        frames = "" if self.first is None else f"@{self.first}-{self.last}"
        return f"{self.side}={'+'.join(map(str, self.plates)) or 'none'}{frames}"


def assigned_frames(by_hand: Sequence[ByHand], trial: Trial, sides: Sequence[str]) -> list[ByHand]:
    """What was given by hand, frames from 0.

    Raises
    ------
    TrialError
        A foot or a frame that the trial does not have, or two that contradict each other.
    """
    refuse_contradictions(by_hand)
    result = []
    last = trial.first_frame + trial.n_frames - 1
    for entry in by_hand:
        if entry.side not in sides:
            raise TrialError(
                f"{entry.source}: no {entry.side} foot in this trial", expected=" or ".join(sides) or "a foot"
            )
        for frame in (entry.first, entry.last):
            if frame is not None and not trial.first_frame <= frame <= last:
                raise TrialError(
                    f"{entry.source}: frame {frame} is not in the trial", expected=f"{trial.first_frame} to {last}"
                )
        first, end = (None if f is None else f - trial.first_frame for f in (entry.first, entry.last))
        result.append(replace(entry, first=first, last=end))
    return result


def read_assignments(values: Sequence[str]) -> tuple[ByHand, ...]:
    """The assignments, frames as the file numbers them.

    Raises
    ------
    GaitidError
        One that is not of that form, or two that contradict each other.
    """
    assignments = tuple(_assignment(value) for value in values)
    refuse_contradictions(assignments)
    return assignments


def refuse_contradictions(by_hand: Sequence[ByHand]) -> None:
    """Raise where two entries say different things of a foot or a plate in a common frame."""
    for a, b in combinations(by_hand, 2):
        if _share_a_frame(a, b) and (a.side == b.side or set(a.plates) & set(b.plates)):
            other = b.words if a.source == b.source == "--assign" else f"{b.source} {b.words}"
            raise TrialError(f"{a.source} {a.words} and {other} contradict each other")


def _assignment(value: str) -> ByHand:
    match = re.fullmatch(r"(left|right)=(none|\d+(?:\+\d+)*)(?:@(\d+)-(\d+))?", value.strip())
    if match is None:
        raise GaitidError(f"--assign {value}: expected SIDE=PLATES[@FIRST-LAST], for example left=1+2@234-296")
    side, plates, first, last = match.groups()
    numbers = () if plates == "none" else tuple(int(number) for number in plates.split("+"))
    if len(set(numbers)) < len(numbers):
        raise GaitidError(f"--assign {value}: a plate is given twice")
    if first is None:
        return ByHand(side, numbers)
    if int(first) > int(last):
        raise GaitidError(f"--assign {value}: the last frame lies before the first")
    return ByHand(side, numbers, int(first), int(last))


def _share_a_frame(a: ByHand, b: ByHand) -> bool:
    """Whether two assignments are of a common frame."""
    if a.first is None or b.first is None or a.last is None or b.last is None:
        return True
    return a.first <= b.last and b.first <= a.last
