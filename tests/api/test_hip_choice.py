"""A hip centre that is chosen: where it lies in the pelvis, left and right, what it asks for, what is recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gaitid

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"


def hips_mm(
    option: str | None, subject: dict[str, object] | None = None, **more: str
) -> tuple[np.ndarray, gaitid.Analysis]:
    """Both hips in the axes of the pelvis, forward, to the left, up, and the analysis."""
    settings = {**({} if option is None else {"hip_centre": option}), **more}
    analysis = gaitid.analyse(WALK, model="pig", subject=subject, settings=settings)
    geometry = analysis.result.body.geometry
    pelvis = geometry.frame("pelvis", "")
    offsets = [geometry.point("hip", side) - pelvis.origin_g for side in ("left", "right")]
    return 1e3 * np.stack([np.nanmean(np.einsum("fji,fj->fi", pelvis.R_gs, v), axis=0) for v in offsets]), analysis


@pytest.mark.parametrize("option", ["bell", "harrington_width", "helen_hayes"])
def test_left_and_right_are_mirrored(option: str) -> None:
    (left, right), analysis = hips_mm(option)
    assert left == pytest.approx(right * [1, -1, 1], abs=1e-6)
    assert analysis.record["settings"]["hip_centre"] == option
    chosen = analysis.record["model"]["choices"]["hip_centre"]
    assert (chosen["option"], chosen["by"]) == (option, "--set")
    assert chosen["source"]


def test_what_an_option_needs_is_asked_for_by_name() -> None:
    with pytest.raises(
        gaitid.GaitidError, match="measurements of the subject are missing: sex; give these measurements with --subject"
    ):
        hips_mm("dumas")
    (left, _), analysis = hips_mm("dumas", {"sex": "male"})
    width = 1e3 * analysis.record["subject"]["inter_asis_distance"]["value"]
    assert left == pytest.approx(np.array([-0.095, 0.361, -0.370]) * width, abs=1e-6)
    assert analysis.record["subject"]["sex"] == {"value": "male", "unit": "", "source": "subject file"}


def test_the_skin_under_the_marker_is_told_in_the_record() -> None:
    (centre, _), _ = hips_mm("hara")
    (skin, _), analysis = hips_mm("hara", asis_landmark="skin")
    setback = 0.5 * analysis.record["subject"]["marker_diameter"]["value"] + 0.002
    assert (skin - centre) == pytest.approx([-1e3 * setback, 0, 0], abs=1e-6)
    assert analysis.record["subject"]["marker_base"]["source"].startswith("assumed")
