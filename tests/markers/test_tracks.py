"""Markers side by side, laid so once."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.markers.tracks import GAIN, Tracks, excess_of, steps_shown, tracks_of


def test_each_marker_and_all_of_them_are_the_same_numbers() -> None:
    rng = np.random.default_rng(1)
    markers = {label: rng.normal(size=(4000, 3)) for label in ("LHEE", "LTOE", "RHEE")}  # several blocks
    tracks = tracks_of(markers)
    assert tracks_of(tracks) is tracks
    assert dict(tracks) == markers
    assert tracks.points is tracks.points
    for i, (label, points) in enumerate(markers.items()):
        assert np.array_equal(tracks.points[:, i], points)
        assert np.array_equal(tracks.excess_at(label), excess_of(np.diff(points, axis=0)), equal_nan=True)
        shown = np.linalg.norm(np.diff(points, 5, axis=0), axis=1) / GAIN
        assert np.array_equal(tracks.shown[:, i], shown)
        assert np.array_equal(steps_shown(points), shown)
        assert tracks.usual[i] in shown
        assert abs((shown <= tracks.usual[i]).mean() - 0.9) < 0.001


def test_differences_of_a_long_trial_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    markers = {label: rng.normal(size=(4000, 3)) for label in ("LHEE", "LTOE", "RHEE")}
    held = tracks_of(dict(markers))
    shown = held.shown, held.excess, held.still, held.coarse, held.least_step
    monkeypatch.setattr("gaitid.markers.tracks._HELD", 0)
    monkeypatch.setattr(Tracks, "_differences", None)  # is not asked
    again = tracks_of(dict(markers))
    anew = again.shown, again.excess, again.still, again.coarse, again.least_step
    for values, before in zip(anew, shown, strict=True):
        np.testing.assert_array_equal(values, before)


def test_the_least_step_of_each_marker() -> None:
    """Along an axis, by more than the last digit of 32 bits; of a long trial as of its frames at once."""
    rng = np.random.default_rng(4)
    markers = {label: 1 + rng.normal(size=(4000, 3)) for label in ("LHEE", "LTOE", "RHEE")}
    markers["LHEE"][50:60] = np.nan
    markers["LTOE"][100:102, 1] = 1.5, 1.5 + 5e-7  # less than the last digit beyond 8 m
    markers["LTOE"][0, 0] = 9.0
    markers["still"] = np.ones((4000, 3))
    tracks = tracks_of(markers)
    for i, points in enumerate(markers.values()):
        sizes = np.abs(np.diff(points, axis=0))
        assert tracks.least_step[i] == min(sizes[sizes > tracks.digit[i]], default=np.inf)
    assert tracks.least_step[1] > 9e-7
    assert tracks_of({"still": markers["still"][:1]}).least_step == [np.inf]


def test_what_was_let_go_is_computed_again() -> None:
    rng = np.random.default_rng(3)
    tracks = tracks_of({label: rng.normal(size=(50, 3)) for label in "abc"})
    before = {name: getattr(tracks, name) for name in ("excess", "shown")}
    tracks.forget()
    for name, values in before.items():
        assert name not in vars(tracks)
        np.testing.assert_array_equal(getattr(tracks, name), values)
