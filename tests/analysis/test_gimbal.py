"""Angles through wraps, and frames in which a sequence does not tell two of its angles apart."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.analysis.gimbal import near_lock
from gaitid.body.kinematics import clinical_angles
from gaitid.model.expression import parse_expression
from gaitid.model.specs import Angle
from gaitid.numerics.rotation import about_axis

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")


def turned(sequence: str, *angles_deg: np.ndarray) -> np.ndarray:
    R = np.broadcast_to(np.eye(3), (len(angles_deg[0]), 3, 3))
    for letter, angle in zip(sequence, angles_deg, strict=True):
        R = R @ about_axis(letter, np.radians(angle))
    return np.asarray(R)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_any_sequence_is_read_back_through_wraps(sequence: str) -> None:
    """Two turns and more about the first axis, one back about the last: as they were turned, to rounding."""
    t = np.linspace(0, 1, 200)
    a, b, c = 100 + 700 * t, 50 * np.sin(5 * t), -20 - 500 * t
    columns = {name: parse_expression(name, name) for name in "abc"}
    found = clinical_angles(
        np.broadcast_to(np.eye(3), (200, 3, 3)), turned(sequence, a, b, c), Angle("p", "d", sequence, columns), 1.0
    )
    for name, expected in zip("abc", (a, b, c), strict=True):
        assert found[name] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_frames_near_the_lock_are_told(sequence: str) -> None:
    b = np.array([0.0, 60.0, 79.5, 80.5, 90.0, -85.0, np.nan])
    zero = np.zeros(len(b))
    found = near_lock(np.broadcast_to(np.eye(3), (len(b), 3, 3)), turned(sequence, zero + 20, b, zero - 40), sequence)
    assert found.tolist() == [False, False, False, True, True, True, False]
