"""A marker of a cluster that is lost for a while, or moves by itself: said where the moments may follow it."""

from __future__ import annotations

import re
from pathlib import Path

import cluster_walk
import numpy as np
import pytest
import soft_tissue

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import find_model, load_model
from gaitid.trial import Array, Trial

LOST = slice(140, 160)
SUBJECT = SubjectFile({"mass": 70.0})


def result_of(trial: Trial) -> Result:
    return analyse(trial, load_model(find_model("cast")), SUBJECT, cluster_walk.static())


def of_chain(trial: Trial, folder: Path) -> Result:
    """The walk with its segments fitted as a chain with joints: there is no template of one segment by itself."""
    path = folder / "model.yaml"
    path.write_text(soft_tissue.CHAIN)
    return analyse(trial, load_model(str(path)), SUBJECT, cluster_walk.static())


def swinging(label: str, size_m: float) -> Trial:
    """The walk with a marker that swings at 8 Hz on its skin."""
    trial = cluster_walk.walk()
    points: Array = trial.points_g.copy()
    t = np.arange(trial.n_frames) / trial.rate_hz
    points[:, trial.labels.index(label), 0] += size_m * np.sin(2 * np.pi * 8 * t)
    return cluster_walk.replace(trial, points_g=points)


def without(trial: Trial, label: str, frames: slice) -> Trial:
    points: Array = trial.points_g.copy()
    points[frames, trial.labels.index(label)] = np.nan
    return cluster_walk.replace(trial, points_g=points)


def said(result: Result, code: str) -> list[str]:
    return [note.text for note in result.notes if note.code == code]


def test_a_marker_of_soft_skin_that_is_lost_is_said() -> None:
    trial = swinging("R_THIGH_4", 0.012)
    assert said(result_of(trial), "pose_unsure") == []
    told = said(result_of(without(trial, "R_THIGH_4", LOST)), "pose_unsure")
    first, last = LOST.start + trial.first_frame, LOST.stop - 1 + trial.first_frame
    assert len(told) == 1
    assert told[0].startswith(f"right thigh: R_THIGH_4 is not seen in frames {first}-{last}")


@pytest.mark.parametrize("label", ["R_THIGH_4", "L_SHANK_2"])
def test_a_marker_of_a_rigid_cluster_is_not_missed(label: str) -> None:
    assert said(result_of(without(cluster_walk.walk(), label, LOST)), "pose_unsure") == []


def test_a_lost_marker_of_a_chain_is_said_as_far_as_the_chain_needs_it(tmp_path: Path) -> None:
    still, trial = cluster_walk.walk(), swinging("R_THIGH_4", 0.012)
    assert said(of_chain(without(still, "R_THIGH_4", LOST), tmp_path), "pose_unsure") == []
    assert said(of_chain(trial, tmp_path), "pose_unsure") == []
    (told,) = said(of_chain(without(trial, "R_THIGH_4", LOST), tmp_path), "pose_unsure")
    first, last = LOST.start + trial.first_frame, LOST.stop - 1 + trial.first_frame
    assert told.startswith(f"right thigh: R_THIGH_4 is not seen in frames {first}-{last}")
    (alone,) = said(result_of(without(trial, "R_THIGH_4", LOST)), "pose_unsure")
    assert worth(told) < worth(alone)  # hip and knee hold the thigh too


def worth(text: str) -> float:
    """N·m/kg that a note says of a marker."""
    found = re.search(r"changes by ([\d.]+) N·m/kg", text)
    assert found
    return float(found[1])
