"""What Python returns can be copied, pickled and shown, and says what it cannot do with an argument."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gaitid

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"


@pytest.fixture(scope="module")
def walk() -> gaitid.Analysis:
    return gaitid.analyse(WALK, model="pig")


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_an_analysis_is_copied_and_pickled(walk: gaitid.Analysis, tmp_path: Path, twin_of: Any) -> None:
    twin = twin_of(walk)
    assert twin.moments.equals(walk.moments) and twin.record == walk.record
    for written, of_twin in zip(walk.write(tmp_path / "a"), twin.write(tmp_path / "b"), strict=True):
        assert written.read_bytes() == of_twin.read_bytes()
    stored = twin_of(gaitid.load(tmp_path / "a" / "walk.run.json"))
    assert stored.angles.shape == walk.angles.shape


def test_each_object_shows_itself_in_a_line(walk: gaitid.Analysis) -> None:
    trial = gaitid.read_trial(WALK)
    plate = gaitid.Plate(
        force_N=np.zeros((50, 3)),
        moment_Nm=np.zeros((50, 3)),
        rate_hz=500.0,
        corners_m=trial.plates[0].corners_g,
        force_sense="reaction",
    )
    for one in (walk, trial, trial.plates[0], plate, gaitid.load_model("pig")):
        assert len(repr(one)) < 160 and "\n" not in repr(one) and repr(one).startswith("<")
    assert repr(trial).startswith("<Trial walk.c3d: 16 points, 300 frames at 100 Hz, 2 plates")
    assert repr(gaitid.load_model("pig")) == "<Model pig: Conventional gait model, inertia about the centre of mass>"
