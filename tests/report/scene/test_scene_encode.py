"""Tracks as text: what comes out is what went in, to half a step."""

from __future__ import annotations

import numpy as np
from unpacked import unpack

from gaitid.report.scene.describe import POSITION, pack


def test_positions_are_right_to_a_quarter_of_a_millimetre() -> None:
    t = np.linspace(0, 3, 150)[:, None, None]
    walk = np.concatenate([1.4 * t + 0.3 * np.sin(6 * t), 0.1 * np.cos(6 * t), 0.9 + 0.05 * np.sin(12 * t)], axis=2)
    packed = pack(walk, POSITION)
    assert np.abs(unpack(packed, 150) - walk).max() <= POSITION / 2 + 1e-9
    assert len(packed["d"]) < 1.5 * walk.size


def test_what_is_unknown_is_not_there() -> None:
    values = np.ones((6, 2, 3))
    values[2, 0, 1] = np.nan
    values[:2, 1] = np.inf
    packed = pack(values, 0.5)
    assert packed["k"] == [[0, 1, 3, 5], [2, 5]]
    again = unpack(packed, 6)
    assert np.isnan(again[2, 0]).all()
    assert np.isnan(again[:2, 1]).all()
    np.testing.assert_array_equal(again[3:], 1.0)
