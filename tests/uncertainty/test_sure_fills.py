"""Fills of gaps are as sure as they say: bands are wider there, nowhere else, and hold what the hidden marker makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.trial import Array
from gaitid.uncertainty.estimate import Estimate, estimate
from gaitid.uncertainty.sources import read_sources
from gaitid.uncertainty.usable import COVERAGE_FACTOR

WALK = simulated_walk(duration=2.6)
HIDDEN = ("LTHI", "LTIB", "LANK", "LHEE", "RKNE", "RTIB", "RTOE", "LASI")
FRAMES = 12


def gaps_alone() -> Estimate:
    bundled = read_sources("default")
    sizes = {name: dict.fromkeys(of, 0.0) for name, of in bundled.sizes.items()}
    sizes["filled_gaps"]["times"] = 1.0
    still = {name: of._replace(together_m=0.0, each_m=0.0) for name, of in bundled.soft_tissue.items()}
    sources = bundled._replace(noise_m=0.0, placement_m=0.0, soft_tissue=still, hip_m={}, measurements={}, sizes=sizes)
    return estimate(analysed(True), sources, features=False)


def analysed(hidden: bool) -> Result:
    """Markers with skin and noise, some of which are hidden one after the other."""
    trial, rng = WALK.trial, np.random.default_rng(3)
    t = trial.time_s[:, None, None]
    phase = rng.uniform(0, 2 * np.pi, (1, *trial.points_g.shape[1:]))
    points = trial.points_g + 0.004 * np.cos(2 * np.pi * 1.8 * t + phase)
    points = points + 2e-4 * rng.standard_normal(points.shape)
    for k, label in enumerate(HIDDEN if hidden else ()):
        first = 25 + 25 * k
        points[first : first + FRAMES, trial.labels.index(label)] = np.nan
    return analyse(replace(trial, points_g=points), load_model("pig", {"cutoff_hz": 8.0}), SubjectFile())


@pytest.fixture(scope="module")
def found() -> tuple[Estimate, Array]:
    """The bands, and how far each angle and moment is from that of the markers that were seen."""
    sure = gaps_alone()
    seen = estimate(analysed(False), read_sources("default"), features=False)
    assert sure.names == seen.names
    return sure, sure.values - seen.values


def test_bands_of_fills_hold_what_the_hidden_markers_make(found: tuple[Estimate, Array]) -> None:
    sure, off = found
    columns = [i for i, name in enumerate(sure.names) if name.endswith(("_deg", "moment_Nm_per_kg"))]
    u, off = sure.standard[:, columns], np.abs(off[:, columns])
    known = np.isfinite(off) & np.isfinite(u) & (u > 0.2 * np.nanmax(u, axis=0))
    assert known.sum() > 500
    # the errors that fills state are for their worst frames, so that most bands hold more
    assert (off[known] <= COVERAGE_FACTOR * u[known]).mean() > 0.9
    # and they are no ten times too wide
    assert np.sqrt(np.mean(u[known] ** 2)) < 4 * np.sqrt(np.mean(off[known] ** 2))


def test_where_nothing_was_filled_nothing_is_less_sure(found: tuple[Estimate, Array]) -> None:
    sure, _ = found
    angles = [i for i, name in enumerate(sure.names) if name.endswith("_deg")]
    assert np.nanmax(sure.standard[:10, angles]) < 0.02 * np.nanmax(sure.standard[:, angles])
