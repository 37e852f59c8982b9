"""Markers side by side, laid so once."""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.markers.tracks import Tracks, tracks_of


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
