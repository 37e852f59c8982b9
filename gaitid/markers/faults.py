"""What is wrong with labels: in which frames, by how much, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.notes import Note, note, phrase
from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

#: The option that overrules all of it.
KEEP = "--set doubtful_labels=keep"
#: Kinds of faults beside which frames count as not seen as well (`beside_steps`).
BESIDE = ("moved", "reset", "away", "several_reset", "several_away")
#: Kinds of faults of several markers together.
SEVERAL = ("several_together", "several_away", "several_reset")
#: m. The parts of smaller steps are named to a tenth of a millimetre.
FINE_M = 0.005
#: m. Smaller sizes are named by one digit, larger ones to a millimetre.
FEW_MM = 0.002
#: So many runs of frames are named in words; the record has all.
MAX_RUNS = 8


@frozen_dataclass()
class LabelFault:
    """One thing that is wrong with labels.

    Attributes
    ----------
    kind : str
        ``spike``, ``jump``, ``swap`` (for part of the trial), ``exchanged`` (throughout), ``reversed`` (throughout,
        against the static), ``frozen``, ``held_x`` (or y, z), ``straight``, ``splined``, ``kinked``,
        ``copied``, ``computed`` or ``same``; ``repeated`` of whole camera frames;
        ``moved`` of a marker that goes elsewhere by less than a jump and stays;
        ``together`` of all markers that go elsewhere for a few frames, ``away`` of all that do for longer, ``reset`` of
        all that stay; ``several_together``, ``several_away`` and ``several_reset`` of some.
    labels : tuple of str
    frames : tuple of (int, int)
        Runs of frames, from 0, first and last, that are taken as not seen; of markers that stay elsewhere those beside
        the step (`beside_steps`).
    size_m : float
        How far the label jumped; of an exchange, by how much the distances to other markers fit better without it.
    at : tuple of (int, int)
        Of a label that jumps or moved the last frame before each jump and the first after it.
    also : tuple of str
        Labels that may be the wrong ones instead, and are not believed either.
    step_mm : tuple of float
        Of markers that go elsewhere together their step, along the axes of the laboratory.
    turn_deg : float
        By how much several turn together; `step_mm` is then that of their middle. 0 where all make one step.
    turn_axis : tuple of float
        Unit vector about which they turn, in the laboratory; empty where all make one step.
    """

    kind: str
    labels: tuple[str, ...]
    frames: tuple[tuple[int, int], ...]
    size_m: float
    at: tuple[tuple[int, int], ...] = ()
    also: tuple[str, ...] = ()
    step_mm: tuple[float, ...] = ()
    turn_deg: float = 0.0
    turn_axis: tuple[float, ...] = ()

    def later(self, by: int) -> LabelFault:
        """The same so many frames later."""
        frames, at = (tuple((first + by, last + by) for first, last in runs) for runs in (self.frames, self.at))
        return replace(self, frames=frames, at=at) if by else self

    def note(self, first_frame: int = 0) -> Note:
        """What to tell people; `first_frame` is the number of the trial's first frame."""
        what = fault_words(self.kind, self.labels, self.size_m, self.turn_deg)
        if self.kind == "exchanged":
            return note("labels_exchanged", what=what, labels=self.labels, others=self.also)
        where = frame_words(self.frames, first_frame) if self.frames else ""
        step = frame_words(self.at, first_frame) if self.at else ""
        if self.kind == "moved":
            return note("marker_moved", what=what, marker=self.labels[0], step=step, where=where)
        if self.step_mm:
            digits = int(self.size_m < FINE_M)
            goes = not self.turn_axis or any(round(mm, digits) for mm in self.step_mm)
            name = "markers_jump/several" if self.kind in SEVERAL else "markers_jump/all"
            return note(
                name,
                what=what,
                axis=_signed(self.turn_axis, 1),
                turned=bool(self.turn_axis) and goes,
                way=_signed(self.step_mm, digits) if goes else None,
                step=step,
                where=where,
            )
        if self.kind == "repeated":
            return note("frames_repeated", where=where, n=self.lost)
        if self.kind == "spike":
            return note("marker_spike", what=what, where=where, marker=self.labels[0])
        if self.kind == "computed":
            return note("reading_info/computed_marker", what=what, where=where)
        return note("label_fault", what=what, where=where, labels=self.labels)

    @property
    def lost(self) -> int:
        """In how many frames a label is taken as not seen."""
        return sum(last - first + 1 for first, last in self.frames)


def _signed(values: Sequence[float], digits: int) -> str:
    """Numbers with their signs, to so many digits; without a minus before a zero."""
    return ", ".join(f"{round(value, digits) + 0.0:+.{digits}f}" for value in values)


def frame_words(runs: Sequence[tuple[int, int]], first_frame: int) -> str:
    """Runs of frames, from 0, in words: ``frame 7``, ``frames 7-9, 12``."""
    named = [f"{a + first_frame}" if a == b else f"{a + first_frame}-{b + first_frame}" for a, b in runs[:MAX_RUNS]]
    one = len(runs) == 1 and runs[0][0] == runs[0][1]
    return phrase("frames", one=one, runs=named, more=max(len(runs) - MAX_RUNS, 0))


def fault_words(
    kind: str, labels: Sequence[str], size_m: float, turn_deg: float = 0.0, also: Sequence[str] = ()
) -> str:
    """What is wrong with labels, in words; `also`: or with these, which nobody can tell."""
    mm = round(1e3 * size_m) if size_m > FEW_MM else float(f"{1e3 * size_m:.1g}")
    turn = bool(turn_deg)
    return phrase(f"fault/{kind}", labels=labels, also=also, mm=mm, turn=turn, deg=turn_deg)


def beside_steps(faults: Iterable[LabelFault], reach: int, n_frames: int) -> list[LabelFault]:
    """The faults, those of some kinds with the frames to which filter and derivatives carry their steps.

    Parameters
    ----------
    faults : iterable of LabelFault
    reach : int
        So many frames on each side of a step.
    n_frames : int
        Of the trial.
    """
    result = []
    for fault in faults:
        if fault.kind in BESIDE:
            beside = np.zeros(n_frames, dtype=bool)
            for before, after in fault.at or [(first - 1, last + 1) for first, last in fault.frames]:
                beside[max(before - reach + 1, 0) : after + reach] = True
            fault = replace(fault, frames=tuple((first, stop - 1) for first, stop in spans(beside)))
        result.append(fault)
    return result


def without(markers: Mapping[str, Array], faults: Iterable[LabelFault]) -> Mapping[str, Array]:
    """Markers with the frames that the faults name unknown; those without faults are the same arrays."""
    doubted = [(x, frames) for fault in faults for x in (*fault.labels, *fault.also) for frames in fault.frames]
    if not doubted:
        return markers
    result = {**markers, **{label: markers[label].copy() for label in dict(doubted)}}
    for label, (first, last) in doubted:
        result[label][first : last + 1] = np.nan
    return result
