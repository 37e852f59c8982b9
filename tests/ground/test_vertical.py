"""Which axis points up: what the user says, and what the posture tells where no foot, plate or file does."""

from __future__ import annotations

from dataclasses import replace

import cluster_walk
import pytest

from gaitid.analysis.recorded import bind_trial
from gaitid.ground.vertical import AxesError, vertical
from gaitid.model import specs
from gaitid.model.load import as_bundled
from gaitid.trial import Trial

FEET = ("HEEL", "MT_1", "MT_5", "FOOT_1")


def turned(trial: Trial, axis: str, without: tuple[str, ...] = ()) -> Trial:
    """The same in a laboratory where another axis points up, and nothing but the markers says so."""
    keep = [i for i, label in enumerate(trial.labels) if label[2:] not in without]
    order = [2, 0, 1] if axis == "x" else [1, 2, 0] if axis == "y" else [0, 1, 2]
    points = trial.points_g[:, keep][..., order]
    return replace(trial, labels=tuple(trial.labels[i] for i in keep), points_g=points, up_hint=None)


def bound(trial: Trial) -> specs.Model:
    return bind_trial(trial, as_bundled("cast"), cluster_walk.static(), None).model


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("without", [(), FEET])
def test_the_pelvis_is_above_the_feet_or_else_above_the_legs(axis: str, without: tuple[str, ...]) -> None:
    trial = turned(cluster_walk.walk(), axis, without)
    up_g, words = vertical(trial, bound(trial))
    assert up_g.tolist() == [float(letter == axis) for letter in "xyz"]
    assert words.startswith("posture")


@pytest.mark.parametrize("without", [(), FEET])
def test_an_axis_along_which_nobody_walks_upright_is_refused_with_the_right_one(without: tuple[str, ...]) -> None:
    trial = turned(cluster_walk.walk(), "y", without)
    for said in ("x", "-x", "z", "-z", "-y"):
        with pytest.raises(AxesError, match="leave it out, or give --set vertical=y$"):
            vertical(replace(trial, up=said), bound(trial))
    up_g, words = vertical(replace(trial, up="y"), bound(trial))
    assert up_g.tolist() == [0.0, 1.0, 0.0] and words == "--set vertical=y"
