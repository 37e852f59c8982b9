"""What is known of the shared trials: clean stances, frames whose stored values mean nothing, how they are stored.

From the folder's own README and reference/plug_in_gait.md; indices are 0-based and inclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array, Trial

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "trials"

Span = tuple[int, int]


@dataclass(frozen=True)
class SharedTrial:
    """One trial with what may be compared in it."""

    file: str
    laboratory: str
    stances: dict[str, list[Span]]
    meaningless: dict[str, list[Span]] = field(default_factory=dict)
    swing_known: bool = True

    @property
    def path(self) -> Path:
        return SHARED / self.file

    @property
    def name(self) -> str:
        return self.file.removesuffix(".c3d")


TRIALS = (
    SharedTrial(
        "children/HC002D/walk.c3d",
        "McGill",
        {"left": [(106, 157)], "right": [(60, 111)]},
        {"right": [(4, 21), (242, 250)]},
    ),
    SharedTrial(
        "children/HC030A/walk.c3d",
        "McGill",
        {"left": [(70, 132)], "right": [(18, 79)]},
        {"left": [(4, 29), (173, 192)]},
    ),
    SharedTrial(
        "children/HC030A/turn.c3d",
        "McGill",
        {"left": [(281, 351)], "right": [(225, 293)]},
        {"left": [(4, 14), (500, 507)], "right": [(447, 507)]},
    ),
    SharedTrial(
        "children/HC031A/walk.c3d",
        "McGill",
        {"left": [(61, 110)], "right": [(18, 66)]},
        {"left": [(4, 23), (147, 167)]},
    ),
    SharedTrial(
        "children/HC036A/walk.c3d",
        "McGill",
        {"left": [(80, 129)], "right": [(39, 87)]},
        {"left": [(4, 43), (165, 173)]},
    ),
    SharedTrial("nexus_flatfoot/walk.c3d", "BTKData", {"left": [(61, 128), (169, 236)], "right": [(114, 181)]}),
    SharedTrial("sydney/walk03.c3d", "Sydney", {"right": [(30, 90)]}, {"left": [(4, 40), (184, 210)]}),
    SharedTrial(
        "sydney/walk04.c3d", "Sydney", {"left": [(76, 140)], "right": [(22, 85)]}, {"left": [(4, 31), (180, 210)]}
    ),
    SharedTrial(
        "sydney/walk05.c3d",
        "Sydney",
        {"left": [(79, 142)], "right": [(25, 89)]},
        {"left": [(4, 34), (186, 197)], "right": [(133, 197)]},
    ),
    SharedTrial("stairs/Movement_trial.c3d", "pyCGM", {"left": [(230, 322)], "right": [(42, 125)]}, swing_known=False),
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
