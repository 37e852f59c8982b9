"""How far sagittal angles from lateral markers lie from Plug-in Gait's, where a walk stores both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import as_bundled
from gaitid.read import read_trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
WALKS = (
    *("children/HC002D/walk", "children/HC030A/walk", "children/HC030A/turn", "children/HC031A/walk"),
    *("children/HC036A/walk", "sydney/walk03", "sydney/walk04", "sydney/walk05", "nexus_flatfoot/walk"),
    *("labs/turn/straight", "labs/turn/turn"),
)
# deg: smallest and largest root mean square of a leg over a trial, and the largest of a frame (docs/any_lab.md)
EXPECTED = {
    ("hip", "flexion", "HipAngles"): (1.2, 3.6, 5.6),
    ("knee", "flexion", "KneeAngles"): (0.8, 8.8, 11.3),
    ("ankle", "dorsiflexion", "AnkleAngles"): (1.4, 9.4, 17.3),
}


def test_errors_are_as_large_as_the_caution_says() -> None:
    off: dict[str, list[np.ndarray]] = {joint: [] for joint, _, _ in EXPECTED}
    for walk in WALKS:
        trial = read_trial(SHARED / f"{walk}.c3d", stored=True)
        result = analyse(trial, as_bundled("lateral"), SubjectFile())
        for side, of_side in result.sides.items():
            for joint, angle, name in EXPECTED:
                label = next(label for label in trial.stored if label.upper().startswith(f"{side[0]}{name}".upper()))
                stored = trial.stored[label][:, 0]
                difference = of_side.angles[joint][angle] - np.where(stored == 0, np.nan, stored)
                off[joint].append(difference[np.isfinite(difference)])
    for (joint, _, _), (least, most, of_frame) in EXPECTED.items():
        rms = [float(np.sqrt(np.mean(one**2))) for one in off[joint]]
        assert len(rms) == 2 * len(WALKS)
        assert (round(min(rms), 1), round(max(rms), 1)) == (least, most), joint
        assert round(max(float(np.abs(one).max()) for one in off[joint]), 1) == of_frame, joint
    assert round(float(np.median([np.sqrt(np.mean(one**2)) for one in off["knee"]])), 1) == 3.9
    assert np.mean([one.mean() > 0 for one in off["knee"]]) > 0.9  # mostly high
