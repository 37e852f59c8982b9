"""All markers side by side are the same numbers as each marker alone."""

from __future__ import annotations

import numpy as np
import pytest
from test_labels import walk

from gaitid.markers.tracks import Tracks, excess_of, noise_of, tracks_of


def test_each_marker_and_all_of_them_are_the_same_numbers() -> None:
    markers = {label: points.copy() for label, points in walk(0.3).items()}
    markers["LKNE"][50:60] = np.nan
    tracks = tracks_of(markers)
    assert tracks_of(tracks) is tracks and not tracks.whole
    for i, (label, points) in enumerate(markers.items()):
        assert tracks[label] is points
        np.testing.assert_array_equal(tracks.points[:, i], points)
        np.testing.assert_array_equal(tracks.known[:, i], np.isfinite(points).all(axis=1))
        np.testing.assert_allclose(tracks.excess[:, i], excess_of(np.diff(points, axis=0)))


@pytest.mark.parametrize("noise_mm", [0.1, 0.5, 2.0])
def test_the_noise_of_a_marker(noise_mm: float) -> None:
    assert noise_of(walk(noise_mm)["LANK"]) == pytest.approx(noise_mm * 1e-3, rel=0.15)


def test_the_last_digit_of_32_bits() -> None:
    tracks = Tracks({"far": np.array([[1.0, -3.0, 0.2], [1.0, 2.0, 0.1]]), "near": np.full((2, 3), 0.01)})
    np.testing.assert_allclose(tracks.digit, np.spacing(np.array([3.0, 0.01], dtype=np.float32)))
