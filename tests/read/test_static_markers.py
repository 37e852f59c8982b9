"""A label that is seen in less than a tenth of a static is no marker of it, and a note names it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gaitid
from gaitid.read import as_static
from gaitid.trial import Trial

UNIPD = Path(__file__).resolve().parents[3] / "shared" / "trials" / "labs" / "unipd"


def seen_in(**frames: int) -> Trial:
    """A static of 100 frames, and in how many of them each label is seen."""
    points = np.zeros((100, len(frames), 3))
    points[..., 0] = np.arange(len(frames))
    for i, seen in enumerate(frames.values()):
        points[seen:, i] = np.nan
    return Trial(Path("static.c3d"), 100.0, 1, tuple(frames), points)


def test_a_tenth_of_the_frames_makes_a_marker() -> None:
    static = as_static(seen_in(LHEE=100, RHEE=10, RTOE=9, LTOE=0))
    assert static.seen == {"LHEE", "RHEE"} and static.labels == ("LHEE", "RHEE", "RTOE", "LTOE")
    (note,) = static.notes
    assert (note.code, note.severity) == ("static_marker_rare", "assumption")
    assert note.text.endswith(": RTOE in 9 of 100 frames")


@pytest.mark.skipif(not UNIPD.is_dir(), reason="recorded trials (../shared/trials) are not here")
def test_a_metatarsal_of_one_frame_turns_no_foot() -> None:
    """RIMH is seen in 1 of 107 frames, on the place of RLM: the trial was refused for a slope of 140.9 degrees."""
    result = gaitid.analyse(UNIPD / "walk.c3d", static=UNIPD / "static.c3d")
    said = [warning["text"] for warning in result.record["warnings"] if warning["code"] == "static_marker_rare"]
    assert len(said) == 1 and said[0].endswith("RIMH in 1 of 107 frames")
    assert np.isfinite(result.angles["right_knee_flexion_deg"]).any()
