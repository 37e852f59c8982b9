"""What is known of the shared trials: clean stances, frames whose stored values mean nothing, how they are stored.

From the folder's own README and reference/plug_in_gait.md; indices are 0-based and inclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from common import SHARED

from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array, Trial

# Beside this checkout, or where the environment says (benchmarks/open_recordings.py).

Span = tuple[int, int]


@dataclass(frozen=True)
class CleanStance:
    """A stance that the folder's README lists: the whole of one foot on these plates, and nobody else.

    Attributes
    ----------
    side : str
    plates : tuple of int
    first, last : int
        Frames in which the force is above 20 N.
    compared : bool
        Whether the moments that the file stores for it mean something.
    """

    side: str
    plates: tuple[int, ...]
    first: int
    last: int
    compared: bool = True


def _left(plate: int, first: int, last: int) -> CleanStance:
    return CleanStance("left", (plate,), first, last)


def _right(plate: int, first: int, last: int) -> CleanStance:
    return CleanStance("right", (plate,), first, last)


@dataclass(frozen=True)
class SharedTrial:
    """One trial with what may be compared in it."""

    file: str
    laboratory: str
    clean: tuple[CleanStance, ...]
    meaningless: dict[str, list[Span]] = field(default_factory=dict)
    swing_known: bool = True

    @property
    def path(self) -> Path:
        return SHARED / self.file

    @property
    def name(self) -> str:
        return self.file.removesuffix(".c3d")

    @property
    def stances(self) -> dict[str, list[Span]]:
        """First and last frame of the clean stances by side whose stored moments mean something."""
        spans: dict[str, list[Span]] = {}
        for stance in self.clean:
            if stance.compared:
                spans.setdefault(stance.side, []).append((stance.first, stance.last))
        return spans


TRIALS = (
    SharedTrial(
        "children/HC002D/walk.c3d", "McGill", (_left(1, 106, 157), _right(2, 60, 111)), {"right": [(4, 21), (242, 250)]}
    ),
    SharedTrial(
        "children/HC030A/walk.c3d", "McGill", (_left(1, 70, 132), _right(2, 18, 79)), {"left": [(4, 29), (173, 192)]}
    ),
    SharedTrial(
        "children/HC030A/turn.c3d",
        "McGill",
        (_left(1, 281, 351), _right(2, 225, 293)),
        {"left": [(4, 14), (500, 507)], "right": [(447, 507)]},
    ),
    SharedTrial(
        "children/HC031A/walk.c3d", "McGill", (_left(1, 61, 110), _right(2, 18, 66)), {"left": [(4, 23), (147, 167)]}
    ),
    SharedTrial(
        "children/HC036A/walk.c3d", "McGill", (_left(2, 80, 129), _right(1, 39, 87)), {"left": [(4, 43), (165, 173)]}
    ),
    SharedTrial("nexus_flatfoot/walk.c3d", "BTKData", (_left(1, 61, 128), _right(2, 114, 181), _left(3, 169, 236))),
    SharedTrial(
        "sydney/walk03.c3d",
        "Sydney",
        (_right(3, 30, 90), CleanStance("left", (1, 2), 82, 144, compared=False)),
        {"left": [(4, 40), (184, 210)]},
    ),
    SharedTrial("sydney/walk04.c3d", "Sydney", (_left(2, 76, 140), _right(1, 22, 85)), {"left": [(4, 31), (180, 210)]}),
    SharedTrial(
        "sydney/walk05.c3d",
        "Sydney",
        (_left(2, 79, 142), _right(3, 25, 89)),
        {"left": [(4, 34), (186, 197)], "right": [(133, 197)]},
    ),
    SharedTrial(
        "stairs/Movement_trial.c3d",
        "pyCGM",
        (
            _right(4, 42, 125),
            CleanStance("left", (3,), 105, 186, compared=False),
            CleanStance("right", (2,), 166, 251, compared=False),
            _left(1, 230, 322),
        ),
        swing_known=False,
    ),
)

LETTER = {"left": "L", "right": "R"}


def frames_of(spans: list[Span], n: int) -> Array:
    """(n,) mask of the frames in the spans."""
    mask = np.zeros(n, dtype=bool)
    for first, last in spans:
        mask[first : last + 1] = True
    return mask


def swing_frames(known: SharedTrial, trial: Trial, side: str) -> Array:
    """(n,) mask of unambiguous swing: from two frames after a Foot Off to two before the next Foot Strike, and
    where what is stored means something."""
    mask = np.zeros(trial.n_frames, dtype=bool)
    if not known.swing_known:
        return mask
    marks = sorted((round(e.time_s * trial.rate_hz), "off" in e.name.lower()) for e in trial.events if e.side == side)
    for (start, off), (stop, next_off) in zip(marks[:-1], marks[1:], strict=True):
        if off and not next_off:
            mask[start + 2 : stop - 1] = True
    return mask & ~frames_of(known.meaningless.get(side, []), trial.n_frames)


def read_stored(known: SharedTrial) -> Trial:
    """The trial with the model outputs that it holds."""
    return read_c3d(known.path, stored=True)


def output(trial: Trial, name: str) -> Array | None:
    """A stored output; Nexus may write a V after the name of an angle."""
    for label in (name, f"{name}V"):
        if label in trial.stored:
            return trial.stored[label]
    return None
