"""Moments of real recordings against OpenSim's, one ingredient after the other: with all of OpenSim's they agree."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import opensim_terms
from osim_model import Joint, Motion, OsimModel, Place, forsythe_spline, low_passed
from shared_trials import SHARED

shared = pytest.mark.skipif(not (SHARED / "models").is_dir(), reason="the shared recordings are not here")


def of(name: str, s: str) -> dict[str, dict[str, tuple[float, float, int]]]:
    return dict(opensim_terms.compared(opensim_terms.RECORDINGS[name], s))


@shared
def test_a_run_agrees_with_opensim_s_once_all_is_opensim_s() -> None:
    """0.7 % of the largest moments: what is left is arithmetic and the patella, which the model has not."""
    found = of("bmc_run", "r")
    first, last = found["gaitid (`cast`), contacts on plates"], found["OpenSim's filter, on coordinates"]
    assert first["hip"][0] > 20  # N·m: they did differ
    assert last["hip"][0] < 1.0
    assert last["ankle"][0] < 0.3
    assert found["the knee's whole coordinate"]["knee"][0] < 0.5
    assert last["hip"][2] > 90  # frames


@shared
def test_a_walk_s_hip_and_ankle_agree_and_its_knee_does_not() -> None:
    """The stored knee moment is not that of the model beside it: docs/accuracy.md has how far off."""
    found = of("gait2354", "r")
    names = list(found)
    assert found[names[0]]["hip"][0] > 10
    assert found["OpenSim's joint centres"]["hip"][0] < 5  # the hip centre makes most of it
    assert found["OpenSim's filter, on coordinates"]["hip"][0] < 1.5
    assert found["OpenSim's filter, on coordinates"]["ankle"][0] < 0.5
    assert 1.0 < found["the knee's whole coordinate"]["knee"][0] < 3.0


@shared
@pytest.mark.parametrize("name", list(opensim_terms.RECORDINGS))
def test_the_body_is_where_opensim_s_inverse_kinematics_puts_it(name: str) -> None:
    """Its markers are as near to the measured ones as inverse kinematics leaves them: about a centimetre."""
    recording = opensim_terms.RECORDINGS[name]
    model = OsimModel(recording.path(recording.osim))
    values = opensim_terms.coordinates(recording, filtered=False)
    trial = opensim_terms.read_trial(recording.path(recording.trc))
    frames = np.round(values["time"] * trial.rate_hz).astype(int)
    off = []
    for marker in model.root.iter("Marker"):
        body = (marker.findtext("socket_parent_frame") or marker.findtext("body") or "").strip().rsplit("/", 1)[-1]
        if marker.attrib["name"] in trial.labels and body[:5] in ("pelvi", "femur", "tibia"):
            place = model.places(values, body)[body]
            local = np.array([float(v) for v in (marker.findtext("location") or "").split()])
            gap = place.p + place.R @ local - trial.marker(marker.attrib["name"])[frames]
            if np.isfinite(gap).any():
                off.append(np.nanmedian(np.linalg.norm(gap, axis=1)))
    assert len(off) >= 6
    assert np.median(off) < 0.02  # m


def test_a_spline_through_a_cubic_is_the_cubic_and_a_line_beyond() -> None:
    x = np.array([-1.0, -0.4, 0.1, 0.9, 1.3])
    spline = forsythe_spline(x, x**3 - 2 * x)
    inside = np.linspace(-1, 1.3, 50)
    np.testing.assert_allclose(spline(inside), inside**3 - 2 * inside, atol=1e-12)
    assert spline(np.array([2.3]))[0] == pytest.approx(1.3**3 - 2.6 + (3 * 1.3**2 - 2))
    # inside, on other data, it is a cubic spline: its second derivative is continuous, as SciPy's
    y = np.sin(3 * x)
    grid = np.linspace(-0.4, 0.9, 40)
    np.testing.assert_allclose(forsythe_spline(x, y)(grid), CubicSpline(x, y)(grid), atol=0.1)


def test_a_joint_turns_first_and_then_moves_along_the_parent_s_axes() -> None:
    turn = Motion(np.array([0.0, 0, 1]), "q", lambda q: q)
    still = Motion(np.array([1.0, 0, 0]), "", lambda q: np.zeros(len(q)))
    slide = Motion(np.array([1.0, 0, 0]), "q", lambda q: 2 * q)
    at = Place(np.eye(3), np.zeros(3))
    joint = Joint("j", "a", "b", at, at, (turn, still, still, slide, still, still))
    moved = joint.moved({"q": np.array([np.pi / 2])})
    np.testing.assert_allclose(moved.R[0] @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(moved.p[0], [np.pi, 0, 0])


def test_the_filter_passes_what_is_slow() -> None:
    t = np.arange(300) / 100
    slow = low_passed(np.sin(2 * np.pi * 0.5 * t), 100.0, 6.0)
    np.testing.assert_allclose(slow[50:-50], np.sin(2 * np.pi * 0.5 * t)[50:-50], atol=1e-3)
    assert np.abs(low_passed(np.sin(2 * np.pi * 30 * t), 100.0, 6.0)[50:-50]).max() < 1e-3
