"""Curves on one axis: frames, time with another rate, the cycle; unknown stays unknown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.compare.align import CYCLE, FRAMES, TIME, align, at_instants
from gaitid.compare.comparison import compare
from gaitid.compare.curves import RESULT, Curves
from gaitid.compare.measures import measure
from gaitid.compare.sources import Reading
from gaitid.errors import GaitidError
from gaitid.export.source import export_result
from gaitid.trial import Array

Result = Callable[..., Path]
Recorded = Callable[..., tuple[Path, Path]]


def curves(name: str, frames: Array, rate: float, values: Array, sha256: str = "1") -> Curves:
    record = {"inputs": [{"role": "trial", "sha256": sha256, "path": "walk.c3d"}]}
    times = (frames - frames[0]) / rate
    return Curves(name, RESULT, "", {"left_knee_flexion_deg": values}, frames, times, record)


def test_a_cubic_is_read_exactly_between_rows() -> None:
    t = np.arange(12) / 60.0
    at = np.linspace(t[1], t[-2], 41)
    cubic = lambda x: 3.0 - 2.0 * x + 40.0 * x**2 - 900.0 * x**3  # noqa: E731
    np.testing.assert_allclose(at_instants(t, cubic(t), at), cubic(at), atol=1e-12)


def test_another_rate_is_read_at_the_slower_ones_instants() -> None:
    fast, slow = np.arange(1.0, 202.0), np.arange(1.0, 102.0)
    wave = lambda t: 30.0 * np.sin(2 * np.pi * 2.0 * t)  # noqa: E731
    a, b = curves("a", fast, 200.0, wave((fast - 1) / 200)), curves("b", slow, 100.0, wave((slow - 1) / 100))
    with pytest.raises(GaitidError, match=r"200 and 100 Hz.*--align time"):
        align(a, b, FRAMES)
    aligned = align(a, b, TIME)
    assert "at the instants of b; a read there by cubics" in aligned.words
    assert len(aligned.x) == 101
    both = aligned.curves["left_knee_flexion_deg"]
    np.testing.assert_allclose(both.a, both.b, atol=1e-12)


# --- measures ---------------------------------------------------------------------------------------------------


def test_figures_are_those_of_numpy_over_rows_that_both_know() -> None:
    rng = np.random.default_rng(5)
    a = np.sin(np.linspace(0, 6, 50)) * 40
    b = a * 1.1 + rng.normal(size=50) + 2.0
    a[:5], b[45:] = np.nan, np.nan
    aligned = align(curves("a", np.arange(50.0), 100.0, a), curves("b", np.arange(50.0), 100.0, b))
    m = measure("left_knee_flexion_deg", aligned.curves["left_knee_flexion_deg"])
    d = (b - a)[5:45]
    assert (m.n, m.only_a, m.only_b) == (40, 5, 5)
    assert m.rms == pytest.approx(np.sqrt((d**2).mean()))
    assert m.bias == pytest.approx(d.mean())
    assert m.r == pytest.approx(np.corrcoef(a[5:45], b[5:45])[0, 1])
    assert (m.range_a, m.range_b) == pytest.approx((np.ptp(a[5:45]), np.ptp(b[5:45])))
    assert m.largest == pytest.approx(d[np.abs(d).argmax()])
    assert aligned.place(m.at) == f"frame {5 + np.abs(d).argmax()}"


# --- sessions ---------------------------------------------------------------------------------------------------


def test_other_trials_are_compared_over_the_cycle(recorded: Recorded) -> None:
    _, a = recorded("sydney/walk03.c3d", "--model", "pig")
    _, b = recorded("sydney/walk04.c3d", "--model", "pig")
    comparison = compare(a, b)
    assert comparison.aligned.way == CYCLE
    assert comparison.explanation is None
    assert "they are of different trials" in comparison.aligned.notes
    knee = next(m for m in comparison.measured if m.column == "left_knee_flexion_deg")
    assert knee.n == 101 and knee.r > 0.98 and 1.0 < knee.rms < 10.0


# --- OpenSim ----------------------------------------------------------------------------------------------------


def test_what_was_exported_for_opensim_comes_back_the_same(walk: Path, result: Result, tmp_path: Path) -> None:
    """Signs, names, units and clock of both ways are each other's inverse."""
    for file in export_result(result(), "sto", tmp_path).files:
        comparison = compare(result(), file)
        assert comparison.aligned.way == TIME
        others = [m.column for m in comparison.differing if "pelvis" not in m.column]  # OpenSim's is in the ground
        assert others == []
        assert len(comparison.compared) >= 5


def test_the_sign_of_the_knee_is_seen_or_said(walk: Path, result: Result, tmp_path: Path) -> None:
    (angles,) = (f for f in export_result(result(), "sto", tmp_path).files if "angles" in f.name)
    (moments,) = (f for f in export_result(result(), "sto", tmp_path).files if ".left." in f.name)
    assert any("bends negatively" in note for note in compare(result(), angles).b.notes)
    turned = compare(result(), moments, Reading(knee="rajagopal"))
    knee = next(m for m in turned.measured if m.column == "left_knee_extension_moment_Nm_per_kg")
    assert knee.r == pytest.approx(-1.0)


def test_opensims_inverse_dynamics_of_the_same_trial(recorded: Recorded) -> None:
    """The same forces on another body: ankles agree to a few percent, signs of all joints are the same."""
    trial, record = recorded(
        "opensim_gait2354/subject01_walk1.trc",
        "--forces",
        "opensim_gait2354/subject01_walk1_grf.mot",
        "--static",
        "opensim_gait2354/subject01_static.trc",
    )
    comparison = compare(record, trial.with_name("inverse_dynamics.sto"))
    assert "73 of 73 instants are in both" in comparison.aligned.words
    found = {m.column: m for m in comparison.compared}
    assert len(found) == 10
    assert all(m.r > 0.7 for m in found.values())
    for side in ("left", "right"):
        ankle = found[f"{side}_ankle_plantarflexion_moment_Nm_per_kg"]
        assert ankle.r > 0.99 and ankle.rms < 0.06 * ankle.range_a
    assert "hold no ingredients" in comparison.why_not
    kinematics = compare(record, trial.with_name("subject01_walk1_ik.mot"))
    assert all(m.r > 0.98 for m in kinematics.compared if "knee_flexion" in m.column or "hip_flexion" in m.column)
