"""Innovations of markers: white where the model holds, small where a trial was smoothed, and what explains them."""

from __future__ import annotations

import numpy as np
import pytest
from test_labels import walk

from gaitid.markers.innovations import SPAN, columns, explain, gains, innovations_of, step_response
from gaitid.trial import Array


def stacked(noise_mm: float) -> Array:
    return np.stack(list(walk(noise_mm).values()), axis=1)


def test_an_innovation_is_the_weighed_sum_of_the_frames_up_to_it() -> None:
    points = stacked(0.3)
    found = innovations_of(points)
    assert len(found.rows) == len(points) + SPAN - 1
    expected = np.einsum("mk,kmi->mi", found.filter, points[90 : 90 + SPAN])
    np.testing.assert_allclose(found.rows[90 + SPAN - 1], expected, atol=1e-12)
    assert not found.known[: SPAN - 1].any() and not found.known[len(points) :].any()


def test_a_steady_movement_and_another_origin_leave_no_innovation() -> None:
    """The weights of the frames and their first moments sum to zero."""
    weights = innovations_of(stacked(0.5)).filter
    np.testing.assert_allclose(weights.sum(axis=1), 0.0, atol=1e-9)
    np.testing.assert_allclose(weights @ np.arange(SPAN), 0.0, atol=1e-8)


@pytest.mark.parametrize("noise_mm", [0.1, 0.5, 2.0])
def test_the_noise_of_markers_is_found(noise_mm: float) -> None:
    """As a few frames tell less than a trial, it is a little more than the standard deviation."""
    found = innovations_of(stacked(noise_mm)).noise_m * 1e3
    assert np.all((found > 0.9 * noise_mm) & (found < 1.2 * noise_mm))
    assert (innovations_of(stacked(0.0)).noise_m < 1e-6).all()


def test_turning_the_laboratory_turns_the_innovations() -> None:
    points = stacked(0.3)
    R = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    one, other = innovations_of(points), innovations_of(points @ R.T)
    np.testing.assert_allclose(one.rows @ R.T, other.rows, atol=1e-9)


def test_a_few_frames_that_are_far_off_do_not_change_what_is_expected() -> None:
    points = stacked(0.0)
    off = points.copy()
    off[150:155] += 0.04
    assert (innovations_of(off).noise_m < 2e-6).all()


@pytest.mark.parametrize("noise_mm", [0.0, 0.3])
def test_a_step_is_measured_at_its_frame(noise_mm: float) -> None:
    points = stacked(noise_mm)
    points[200:, 3] += [0.0, 0.012, 0.016]
    found = innovations_of(points)
    changes, gain = gains(found, step_response(found.filter))
    assert int(np.argmax(gain[:, 3])) == 200
    np.testing.assert_allclose(changes[200, 3], [0.0, 0.012, 0.016], atol=0.002 if noise_mm else 1e-5)
    assert gain[200, 3] > 50 > np.delete(gain, 3, axis=1).max()


def test_the_steps_that_explain_most_are_chosen_and_their_price_is_paid() -> None:
    """Three steps in white innovations, by the search and by all choices of three."""
    response = np.array([1.0, -0.5, 0.2])
    changes = columns(response, 0, 30, np.arange(2, 25))
    rng = np.random.default_rng(3)
    rows = rng.normal(0, 0.01, (30, 3))
    for at, by in ((5, 1.0), (9, -0.7), (20, 0.4)):
        rows += np.outer(changes[:, at - 2], [by, 0.0, by])
    best = explain(rows, changes, 1e-4, 6, np.arange(2, 25), 1)
    assert sorted(np.arange(2, 25)[best.which]) == [5, 9, 20]
    assert explain(rng.normal(0, 0.01, (30, 3)), changes, 1e-4, 6, np.arange(2, 25), 1).gain < 10
    apart = explain(rows, changes, 1e-4, 6, np.arange(2, 25), 5)
    assert np.diff(np.sort(np.arange(2, 25)[apart.which])).min() >= 5
