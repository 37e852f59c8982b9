"""Where loads are unknown, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple
from gaitid.report.panels import AXES, ground_column
from gaitid.report.result import Result


class Span(NamedTuple):
    """Frames (both ends included) in which a foot's load is unknown, and why."""

    side: str
    first_frame: int
    last_frame: int
    reason: str


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last index of every run of True."""
    return ((first, after - 1) for first, after in spans(mask))


def unknown_spans(result: Result) -> list[Span]:
    """The frames in which a foot's load is unknown (its cells are empty), with the reason that the contacts give."""
    found: list[Span] = []
    for side in result.sides if result.on_ground else ():
        empty = np.isnan(np.array([result.columns[ground_column(side, axis)] for axis in AXES])).any(axis=0)
        for first, last in runs(empty):
            begin, end = int(result.frame[first]), int(result.frame[last])
            found.append(Span(side, begin, end, _why(result, side, begin, end)))
    return found


def _why(result: Result, side: str, first: int, last: int) -> str:
    """The reasons of the contacts that overlap; where there are none, what the coverage counts."""
    reasons = [
        contact.reason or "no reason given"
        for contact in result.contacts
        if contact.side == side and not contact.known and contact.first_frame <= last and contact.last_frame >= first
    ]
    if not reasons:
        counted = result.record_at("coverage", side, "ankle", "reasons")
        reasons = [str(reason) for reason in counted] if isinstance(counted, Mapping | list) else []
    return "; ".join(dict.fromkeys(reasons)) or "no reason recorded"
