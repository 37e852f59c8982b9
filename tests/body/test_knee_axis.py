"""Cross-talk of the knee's flexion: found by what was turned, with an error that holds what knees really do."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.body.quality import ERROR, REAL_DEG, TURNED, combined, knee_axis
from gaitid.trial import Array

PHASE = np.linspace(0, 6 * np.pi, 301)  # three strides
FLEXION = 30 - 28 * np.cos(PHASE)


def seen(turned_deg: float, flexion: Array, adduction: Array) -> dict[str, Array]:
    """Knee angles, deg, from a thigh whose axes are turned inward about its length."""
    (f, a), turn = np.radians([flexion, adduction]), np.radians(turned_deg)
    back, aside = np.sin(f) * np.cos(a), np.sin(a)
    back, aside = back * np.cos(turn) - aside * np.sin(turn), back * np.sin(turn) + aside * np.cos(turn)
    return {"flexion": np.degrees(np.arctan2(back, np.cos(f) * np.cos(a))), "adduction": np.degrees(np.arcsin(aside))}


@pytest.mark.parametrize("turned_deg", [-60.0, -20.0, -5.0, 0.0, 12.0, 40.0])
def test_a_hinge_gives_the_turn_back(turned_deg: float) -> None:
    found = knee_axis(seen(turned_deg, FLEXION, np.zeros_like(FLEXION)))
    assert found is not None and found[TURNED] == pytest.approx(turned_deg, abs=1e-9)


def test_knees_that_really_move_lie_within_the_error() -> None:
    """Draws of varus that goes with flexion, and of motion that does not: nine in ten within 1.96 errors."""
    rng, within = np.random.default_rng(2), []
    for _ in range(200):
        real = rng.normal(0, REAL_DEG) * (FLEXION - FLEXION.min()) / np.ptp(FLEXION)
        other = rng.normal(0, 2) * np.sin(2 * PHASE + rng.uniform(0, 6)) + np.repeat(rng.normal(0, 1, 7), 43)
        found = knee_axis(seen(10.0, FLEXION, real + other))
        assert found is not None
        within.append(abs(found[TURNED] - 10.0) < 1.96 * found[ERROR])
    assert 0.9 < np.mean(within) < 0.995


def test_several_trials_lessen_only_what_differs_between_strides() -> None:
    one = {TURNED: 12.0, ERROR: 5.0, "axis_turned_repeats_deg": 3.0}
    together = combined([one, one, one, one, {"axis_turned_deg": "?"}, {}])
    assert together == pytest.approx((12.0, np.hypot(4.0, 1.5)))
    assert combined([{}]) is None
