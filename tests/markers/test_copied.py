"""Gaps that somebody filled with another marker's movement before the file was written."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.markers.unmeasured import COPIED_FRAMES, find_copied

TIME = np.arange(200) / 100.0


def swinging() -> dict[str, np.ndarray]:
    """Three markers on curves of their own, m."""
    ways = {"A": (0.10, 5.0), "B": (0.25, 6.0), "C": (0.15, 9.0)}
    return {
        name: np.stack([1.2 * TIME + a * np.sin(w * TIME), a * np.cos(w * TIME), a * np.sin(2 * w * TIME)], axis=1)
        for name, (a, w) in ways.items()
    }


def filled(points: np.ndarray, donor: np.ndarray, first: int, last: int) -> np.ndarray:
    """With the donor's movement in the frames from first to last, bent to fit at both ends."""
    result, n = points.copy(), last - first + 1
    share = (np.arange(1, n + 1) / (n + 1))[:, None]
    ends = [points[at] - donor[at] for at in (first - 1, last + 1)]
    result[first : last + 1] = donor[first : last + 1] + (1 - share) * ends[0] + share * ends[1]
    return result


@pytest.mark.parametrize("noise_m", [0.0, 0.0003])
@pytest.mark.parametrize("n", [COPIED_FRAMES, 20, 60])
def test_the_copy_is_told_from_its_donor_to_the_frame(n: int, noise_m: float) -> None:
    draw = np.random.default_rng(1)
    markers = {name: points + noise_m * draw.standard_normal(points.shape) for name, points in swinging().items()}
    assert not find_copied(markers)
    markers["B"] = filled(markers["B"], markers["C"], 80, 79 + n)
    (fault,) = find_copied(markers)
    assert (fault.kind, fault.labels, fault.frames) == ("copied", ("B",), ((80, 79 + n),))
    assert "another marker's movement" in fault.note(1).text


def test_two_gaps_of_one_marker_are_one_fault() -> None:
    markers = swinging()
    markers["B"] = filled(filled(markers["B"], markers["C"], 40, 59), markers["A"], 120, 139)
    (fault,) = find_copied(markers)
    assert fault.frames == ((40, 59), (120, 139))
