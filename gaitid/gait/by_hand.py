"""Events and cycles as an analyst corrects them: events added, moved and removed, cycles left out."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.errors import TrialError
from gaitid.gait.cycles import MIN_CYCLE, Cycle, find_cycles
from gaitid.gait.marker_events import GaitEvent, Heading
from gaitid.records import NamedTuple, frozen_dataclass

#: What may be done with an event.
ADD, MOVE, REMOVE = "add", "move", "remove"
# s. Two events of one kind of one foot are at least a cycle apart: an event that is nearer than half of it is the one
# that is meant.
_NEAR = MIN_CYCLE / 2


class EventByHand(NamedTuple):
    """One correction of an event; times in s from the trial's first frame.

    Attributes
    ----------
    name : str
        Where it stands, for messages.
    side, kind : str
    do : str
        `ADD`, `MOVE` or `REMOVE`.
    time_s : float
        Where the event is to be, or is.
    from_s : float or None
        Where an event that moves was; None: the nearest of its side and kind moves.
    """

    name: str
    side: str
    kind: str
    do: str
    time_s: float
    from_s: float | None = None


class LeftOut(NamedTuple):
    """A cycle that is not used, as an analyst says so, and why."""

    side: str
    number: int
    start_s: float
    end_s: float
    reason: str


class CycleByHand(NamedTuple):
    """A cycle that is left out; `start_s`, where it is known, says when it begins."""

    name: str
    side: str
    number: int
    reason: str
    start_s: float | None = None


@frozen_dataclass()
class GaitByHand:
    """All that an analyst says of the events and cycles of a trial, in this order; frames are for messages."""

    events: tuple[EventByHand, ...] = ()
    cycles: tuple[CycleByHand, ...] = ()
    rate_hz: float = 1.0
    first_frame: int = 0

    def corrected(self, events: Sequence[GaitEvent], walk: Heading | None = None) -> list[GaitEvent]:
        """The events with one correction after the other.

        Raises
        ------
        TrialError
            An event that is to go or move is not there, or one stands already where one is to be; or no cycle is left.
        """
        result = list(events)
        placed: list[tuple[EventByHand, GaitEvent]] = []  # by entries before
        for entry in self.events:
            if entry.do != ADD:
                gone = self._meant(entry, result)
                self._refuse_twice(entry, gone, placed)
                result.remove(gone)
            if entry.do != REMOVE:
                placed.append((entry, GaitEvent(entry.side, entry.kind, entry.time_s, "given")))
                result.append(placed[-1][1])
        self._refuse_crowds(placed, result)
        result.sort(key=lambda event: (event.time_s, event.side, event.kind))
        if self.events and not find_cycles(result, walk)[0] and find_cycles(events, walk)[0]:
            raise TrialError(
                f"{self.events[-1].name}: corrections of events leave no cycle in the trial",
                expected="one cycle at least",
                todo="correct these entries; to drop a whole trial, leave it out of the command or the manifest",
            )
        return result

    def _meant(self, entry: EventByHand, events: Sequence[GaitEvent]) -> GaitEvent:
        """The event that an entry moves or removes."""
        at_s = entry.time_s if entry.from_s is None else entry.from_s
        like = [e for e in events if (e.side, e.kind) == (entry.side, entry.kind)]
        nearest = min(like, key=lambda event: abs(event.time_s - at_s), default=None)
        anywhere = entry.do == MOVE and entry.from_s is None
        if nearest is None or not (anywhere or abs(nearest.time_s - at_s) <= _NEAR):
            raise self._absent(entry, at_s, like)
        return nearest

    def _refuse_twice(
        self, entry: EventByHand, event: GaitEvent, placed: Sequence[tuple[EventByHand, GaitEvent]]
    ) -> None:
        """An event that an entry before has placed is meant where its very frame is named."""
        at_s = entry.time_s if entry.from_s is None else entry.from_s
        if event in [by for _, by in placed] and abs(event.time_s - at_s) * self.rate_hz > 0.5:
            raise TrialError(
                f"{entry.name}: another entry has moved or added this {entry.side} {entry.kind} already",
                found=f"frame {self._frame(event.time_s)}",
                todo="keep one entry for each event",
            )

    def _refuse_crowds(self, placed: Sequence[tuple[EventByHand, GaitEvent]], events: Sequence[GaitEvent]) -> None:
        """Two of a kind stand nearer in the end than any two of a foot can."""
        for entry, event in placed:
            others = [e for e in events if (e.side, e.kind) == (event.side, event.kind)]
            if event not in others:
                continue  # a later entry took it away
            others.remove(event)
            near = [other for other in others if abs(other.time_s - event.time_s) <= _NEAR]
            if near:
                raise TrialError(
                    f"{entry.name}: there is a {entry.side} {entry.kind} near that frame already",
                    found=f"frame {self._frame(near[0].time_s)}",
                    todo="move it instead (do: move)" if entry.do == ADD else "remove one of both (do: remove)",
                )

    def _absent(self, entry: EventByHand, at_s: float, like: Sequence[GaitEvent]) -> TrialError:
        frames = ", ".join(self._frame(event.time_s) for event in like)
        return TrialError(
            f"{entry.name}: no {entry.side} {entry.kind} near frame {self._frame(at_s)}",
            expected=f"one of frames {frames}" if frames else f"a trial with a {entry.side} {entry.kind}",
            todo="correct that entry, or take it away",
        )

    def _frame(self, time_s: float) -> str:
        return f"{time_s * self.rate_hz + self.first_frame:.0f}"

    def without(self, cycles: Sequence[Cycle]) -> tuple[tuple[Cycle, ...], tuple[LeftOut, ...]]:
        """The cycles that are used, with the numbers that they had, and those that are left out.

        Raises
        ------
        TrialError
            A cycle that is not there, or that begins elsewhere; or no cycle would be left.
        """
        there = {(cycle.side, cycle.number): cycle for cycle in cycles}
        left_out: list[LeftOut] = []
        for entry in self.cycles:
            cycle = there.pop((entry.side, entry.number), None)
            if cycle is None:
                numbers = [str(c.number) for c in cycles if c.side == entry.side]
                raise TrialError(
                    f"{entry.name}: no cycle {entry.number} of the {entry.side} foot is there to leave out",
                    expected=f"one of {', '.join(numbers)}" if numbers else f"a {entry.side} foot with a cycle",
                    todo="correct that entry, or take it away",
                )
            if entry.start_s is not None and abs(cycle.strike.time_s - entry.start_s) > _NEAR:
                raise TrialError(
                    f"{entry.name}: cycle {entry.number} of the {entry.side} foot begins elsewhere",
                    expected=f"frame {self._frame(entry.start_s)}",
                    found=f"frame {self._frame(cycle.strike.time_s)}",
                    todo="correct its number or frames, or take the entry away",
                )
            times = cycle.strike.time_s, cycle.next_strike.time_s
            left_out.append(LeftOut(entry.side, entry.number, *times, entry.reason))
        if left_out and not there:
            raise TrialError(
                f"{self.cycles[-1].name}: corrections leave out every cycle of the trial",
                expected="one cycle at least that is used",
                todo="to drop a whole trial, leave it out of the command or the manifest",
            )
        return tuple(cycle for cycle in cycles if (cycle.side, cycle.number) in there), tuple(left_out)
