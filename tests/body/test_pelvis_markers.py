"""A marker of the pelvis that moves against all the others is told; skin that moves them is not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_trials import RECORDED, SHARED, Case, SimulatedCase, recorded_case, simulated_case

from gaitid.body.late_markers import pelvis_notes
from gaitid.trial import Array

LABELS = ("LASI", "RASI", "LPSI", "RPSI")


@pytest.fixture(scope="module")
def walk() -> Case:
    return simulated_case(SimulatedCase("walk"))


def markers(case: Case) -> dict[str, Array]:
    return {label: points.copy() for label, points in case.result.markers.seen.items()}


def late(points: Array, frames: int) -> Array:
    return np.concatenate([points[:1].repeat(frames, axis=0), points[:-frames]])


@pytest.mark.parametrize("label", LABELS)
def test_a_marker_that_is_five_frames_late_is_named(walk: Case, label: str) -> None:
    seen = markers(walk)
    seen[label] = late(seen[label], 5)
    (note,) = pelvis_notes(walk.result.model, seen)
    assert note.code == "length_varies" and note.severity == "doubt"
    assert note.text.startswith(f"{label} moves relative to all other pelvis markers")


@pytest.mark.parametrize("name", ["sydney/walk03", "wild/latrobe/sprint", "wild/rbds_running/run", "qualisys/walk"])
def test_recorded_walks_and_runs_raise_no_alarm(name: str) -> None:
    one = next(one for one in RECORDED if one.file.startswith(name))
    if not (SHARED / one.file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    result = recorded_case(one).result
    assert not pelvis_notes(result.model, result.markers.seen)
