"""By how much the ingredients of one result are off: one error, or a sum of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from typing import Any

from gaitid.body.frames import Place
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array


@frozen_dataclass(eq=False)
class Shift:
    """What is added to each ingredient; nothing by default.

    Attributes
    ----------
    markers : mapping of label to (frames, 3) array, m
        To the filtered markers of the trial, laboratory axes.
    static : mapping of label to (3,) array, m
        To the markers of the static.
    numbers : mapping of str to float
        To measurements of the subject, SI, by name (``left.knee_width``).
    centres : mapping of Place to (3,) array, m
        To joint centres, in the axes of the base.
    com : mapping of segment to (3,) array
        To centres of mass, in segment axes, in lengths of the segment.
    mass, inertia : mapping of segment to (1,) array
        Relative.
    load : mapping of str to (n,) array
        To what acts on each foot: ``gain`` (relative), ``force`` (3, N, at the centre of pressure), ``cop`` (3, m),
        ``free_moment`` (N·m), ``turn`` (rad, about the vertical), ``delay`` (s).
    cutoff : mapping of str to float
        ``log``: to the logarithm of the cut-off.
    """

    markers: Mapping[str, Array] = field(default_factory=dict)
    static: Mapping[str, Array] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    centres: Mapping[Place, Array] = field(default_factory=dict)
    com: Mapping[str, Array] = field(default_factory=dict)
    mass: Mapping[str, float] = field(default_factory=dict)
    inertia: Mapping[str, float] = field(default_factory=dict)
    load: Mapping[str, Array] = field(default_factory=dict)
    cutoff: Mapping[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> tuple[bool, ...]:
        """What it shifts: of loads, masses and moments alone the poses stay as they are."""
        return tuple(bool(getattr(self, one.name)) for one in fields(self))

    @property
    def leaves_the_motion(self) -> bool:
        """Whether poses and motions stay as they are."""
        return not (self.markers or self.static or self.numbers or self.centres or self.com or self.cutoff)

    def times(self, factor: float) -> Shift:
        """The same, so many times as large."""
        return summed([(factor, self)])


class Error(NamedTuple):
    """One error that stays the same over the trial.

    Attributes
    ----------
    source : str
        One of `gaitid.uncertainty.sources.SOURCES`.
    words : str
        Which it is, as ``left knee_marker, x``.
    shift : Shift
        Of one standard deviation.
    """

    source: str
    words: str
    shift: Shift


def summed(parts: Iterable[tuple[float, Shift]]) -> Shift:
    """The sum of shifts, each times a factor."""
    total: dict[str, dict[Any, Any]] = {one.name: {} for one in fields(Shift)}
    for factor, shift in parts:
        for name, of_all in total.items():
            for key, value in getattr(shift, name).items():
                scaled = factor * value
                of_all[key] = of_all[key] + scaled if key in of_all else scaled
    return Shift(**total)
