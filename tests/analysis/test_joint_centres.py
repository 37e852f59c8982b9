"""Joint centres that another program stored: used as what they are, and only where no markers give a full model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid import analyse
from gaitid.analysis.pipeline import analyse as analyse_with
from gaitid.body.subject import SubjectFile
from gaitid.model.load import as_bundled
from gaitid.model.marker_sets import find_marker_set, load_marker_set
from gaitid.read import read_trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
WALKS = ("HC002D", "HC030A", "HC031A", "HC036A")


def test_a_file_that_holds_nothing_else() -> None:
    result = analyse(SHARED / "labs" / "joint_centres" / "walk.c3d")
    model = result.record["model"]
    assert (model["name"], model["marker_set"]) == ("keypoints", "joint_centres and words")
    (limits,) = [w["text"] for w in result.record["warnings"] if w["code"] == "model_limits"]
    assert "the joint centres are another program's" in limits
    for side in ("left", "right"):
        flexion = result.angles[f"{side}_knee_flexion_deg"]
        assert flexion.notna().all() and -10 < flexion.min() < 0 and 60 < flexion.max() < 66
        assert result.angles[f"{side}_ankle_dorsiflexion_deg"].isna().all()


@pytest.mark.parametrize("child", WALKS)
def test_markers_that_give_a_full_model_are_taken_unless_the_user_asks(child: str) -> None:
    file = SHARED / "children" / child / "walk.c3d"
    assert analyse(file).record["model"]["name"] == "pig"
    trial = read_trial(file, stored=True)
    centres = load_marker_set(find_marker_set("joint_centres"))
    result = analyse_with(trial, as_bundled("keypoints"), SubjectFile(), marker_set=centres)
    for side, of_side in result.sides.items():
        label = next(label for label in trial.stored if label.upper().startswith(f"{side[0]}KneeAngles".upper()))
        stored = trial.stored[label][:, 0]
        off = of_side.angles["knee"]["flexion"] - np.where(stored == 0, np.nan, stored)
        assert np.sqrt(np.mean(off[np.isfinite(off)] ** 2)) < 1.3
