"""What a point of a file is: by its name, and by how its fellows lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid.inspect.signals import AXES, MARKER, VIRTUAL, kinds_of
from gaitid.trial import Array, Trial


def trial(labels: tuple[str, ...], points: Array | None = None) -> Trial:
    """A trial whose points are drawn by chance, no three square to each other."""
    chance = np.random.default_rng(1).normal(size=(5, len(labels), 3))
    return Trial(Path("walk.c3d"), 100.0, 1, labels, chance if points is None else points)


def one(label: str, *others: str) -> str:
    return kinds_of(trial((label, *others)))[0]


@pytest.mark.parametrize("label", ["LASI", "C7", "T10", "RTH1", "LTOE5", "L.Knee", "JUG", "COMB", "RKAX", "P1", "LCAL"])
def test_markers(label: str) -> None:
    assert one(label, "LTOE") == MARKER


def frame(origin: Array, turn: float) -> Array:
    """Origin and the ends of three axes of 0.1 m, turned about the vertical."""
    c, s = np.cos(turn), np.sin(turn)
    axes = 0.1 * np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.vstack([origin, origin + axes])


def test_axes_of_a_segment_are_square() -> None:
    labels = ("LFEO", "LFEA", "LFEL", "LFEP", "LKNE")
    moving = np.array([np.vstack([frame(np.array([0.1 * i, 0, 0]), 0.2 * i), [[0, 0, 1]]]) for i in range(6)])
    assert kinds_of(trial(labels, moving)) == [AXES] * 4 + [MARKER]
    moving[3] = np.nan  # not seen in a frame
    assert kinds_of(trial(labels, moving)) == [AXES] * 4 + [MARKER]
    # four markers whose names end so are markers
    assert kinds_of(trial(("HAO", "HAA", "HAL", "HAP"))) == [MARKER] * 4


def test_what_the_oxford_foot_model_writes() -> None:
    labels = ("LFOF0", "LFOF1", "LFOF2", "LFOF3", "LTIB", "LTIB1", "LD1M0", "LPROXFF", "T10", "LHEE")
    points = np.array([np.vstack([frame(np.zeros(3), 0.1 * i), np.ones((6, 3))]) for i in range(4)])
    assert kinds_of(trial(labels, points)) == [AXES] * 4 + [MARKER, VIRTUAL, VIRTUAL, VIRTUAL, MARKER, MARKER]
    # without its axes, a digit is part of a marker's name
    assert kinds_of(trial(("LTIB", "LTIB1"))) == [MARKER, MARKER]
