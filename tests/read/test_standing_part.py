"""A static in which the subject steps into place first, or walks off: the part in which the subject stands is used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from any_markers import marked

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.model.load import load_model
from gaitid.read import as_static, standing_part
from gaitid.trial import Array, Trial


def static_of(n: int) -> Trial:
    still = marked("visual3d").static
    assert still is not None
    return replace(still, points_g=np.repeat(still.points_g[:1], n, axis=0), rate_hz=100.0)


def moved(static: Trial, way_m: Array) -> Trial:
    return replace(static, points_g=static.points_g + way_m[:, None, None] * np.array([1.0, 0.0, 0.0]))


def test_who_steps_into_place_stands_after_it() -> None:
    """0.4 m in the first second of four, then sway of 4 mm: the part begins within a tenth of a second of rest."""
    time_s = np.arange(400) / 100
    way = 0.4 * np.clip(1 - time_s, 0, 1) + 0.002 * np.sin(time_s)
    part = standing_part(moved(static_of(400), way))
    seen = np.flatnonzero(np.isfinite(part.points_g).all(axis=(1, 2)))
    assert 92 <= seen[0] <= 110
    assert seen[-1] >= 390
    (note,) = [note for note in part.notes if note.code == "static_part"]
    assert f"frames {seen[0] + part.first_frame}-{seen[-1] + part.first_frame}" in note.text


@pytest.mark.parametrize("amplitude_m", [0.005, 0.035])
def test_who_sways_stands_throughout(amplitude_m: float) -> None:
    static = moved(static_of(400), amplitude_m * np.sin(np.arange(400) / 30))
    assert standing_part(static) is static


def test_who_walks_does_not_stand() -> None:
    """At 1 m/s for four seconds, and refused as before."""
    walking = moved(static_of(400), np.arange(400) / 100)
    assert standing_part(walking) is walking
    with pytest.raises(TrialError, match="the subject moves in it"):
        analyse(marked("visual3d").trial, load_model("cast"), SubjectFile(), as_static(walking))


def test_a_part_calibrates_as_the_static_that_is_all_standing() -> None:
    recorded, still = marked("visual3d"), static_of(400)
    stepping = moved(still, 0.4 * np.clip(1 - np.arange(400) / 100, 0, 1))
    first, second = (
        analyse(recorded.trial, load_model("cast"), SubjectFile(), as_static(static)) for static in (still, stepping)
    )
    for name, values in first.sides["left"].angles["knee"].items():
        np.testing.assert_allclose(
            second.sides["left"].angles["knee"][name], values, atol=1e-6
        )  # deg: who is moved as a whole has the same shape
