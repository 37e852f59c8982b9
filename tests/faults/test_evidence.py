"""Residuals: nothing is left where force, momentum and pressure agree, wherever the laboratory lies."""

from __future__ import annotations

import numpy as np
import pytest
from made_evidence import HEIGHT, RATE, motion, walked
from simulated_trials import simulated_walk

from gaitid.analysis.mass import mover_of
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.faults.evidence import WINDOW, Evidence
from gaitid.faults.gathering import gather
from gaitid.model.load import load_model
from gaitid.trial import Array

Y_UP = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


def of_trial(**options: float | bool) -> Evidence:
    pipeline = analyse(simulated_walk(**options).trial, load_model("pig"), SubjectFile()).pipeline
    first = pipeline.weighed_as_filed
    mover = mover_of(pipeline.found.subject, first, pipeline.stand, pipeline.body, pipeline.whole_body)
    return gather(pipeline.ground, first.loads, mover)


def test_a_point_mass_leaves_nothing() -> None:
    evidence = walked()
    left = evidence.residuals(evidence.filed)
    momentum = np.concatenate(left[: len(evidence.runs)], axis=1)
    np.testing.assert_allclose(momentum[:3], 0.0, atol=1e-12)
    # the mass moves within a window, and the moment is taken about its middle: (v × dF/dt) w²/12
    time = np.arange(0, 2.8, 1 / RATE)
    place, force = motion(time)
    moved = np.cross(np.gradient(place, 1 / RATE, axis=0), np.gradient(force, 1 / RATE, axis=0))
    least = force[:, 2].min() * HEIGHT
    assert np.abs(momentum[3:]).max() < 1.2 * np.linalg.norm(moved, axis=1).max() * WINDOW**2 / 12 / least < 0.002
    assert len(evidence.pressing) >= 4 and len(evidence.floor_g)
    for beside in left[len(evidence.runs) :]:
        np.testing.assert_allclose(beside, 0.0, atol=1e-12)


@pytest.mark.parametrize("R_gl", [Y_UP, Y_UP.T], ids=["y up", "x up"])
def test_a_turned_laboratory_leaves_the_same(R_gl: Array) -> None:
    one, other = walked(), walked(R_gl=R_gl)
    for a, b in zip(one.residuals(one.filed), other.residuals(other.filed), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    np.testing.assert_allclose(one.lever(), other.lever(), atol=1e-12)


def test_newtons_law_of_a_simulated_body_leaves_nothing() -> None:
    """Whose loads are what trunk, head, arms and legs ask for; the same in another direction of walking."""
    left = []
    for turn_deg in (0.0, 130.0):
        evidence = of_trial(full_body=True, turn_deg=turn_deg)
        assert evidence.whole and len(evidence.windows_s) >= 20 and len(evidence.pressing) == 2
        left.append(evidence.residuals(evidence.filed))
        forces = np.concatenate([block[:3] for block in left[-1][: len(evidence.runs)]], axis=1)
        assert np.abs(forces).max() < 1e-3  # of body weight: a spline's second derivative at 100 Hz
    for a, b in zip(*left, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
