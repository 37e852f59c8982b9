"""What stands in the view's data: the numbers of the analysis, in so many bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from unpacked import unpack

from gaitid.report.scene.describe import described
from gaitid.report.scene.moving import Moving, seen_of
from gaitid.results.result import Result


def shown(result: Result, budget: int = 1_200_000) -> tuple[Moving, dict[str, Any]]:
    seen = seen_of(result).moving
    assert seen is not None
    content: dict[str, Any] = json.loads(described(seen, "r0", "walk", budget))
    return seen, content


def test_positions_forces_and_moments_are_those_of_the_analysis(walk: Result) -> None:
    seen, content = shown(walk)
    n, step, view = content["n"], content["step"], seen.view
    of_trial = seen.result
    assert of_trial.trial.rate_hz / step <= 50
    markers = unpack(content["markers"], n)
    for i, track in enumerate(content["tracks"]):
        if track["used"]:
            meant = view.points(of_trial.markers.filtered[track["label"]])[::step]
            assert np.nanmax(np.abs(markers[:, i] - meant)) < 0.001
    np.testing.assert_allclose(view.R_dg @ view.R_dg.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(view.R_dg) == pytest.approx(1)
    left = next(foot for foot in content["feet"] if foot["side"] == "left")
    force = unpack(left["force"], n)[:, 0]
    meant = of_trial.sides["left"].load.wrench.f_g[::step] @ view.R_dg.T
    known = np.isfinite(force).all(axis=1)
    assert known.sum() > 10
    assert np.abs(force - meant)[known].max() < 1
    knee = next(m for m in content["moments"] if (m["side"], m["joint"]) == ("left", "knee"))
    meant = walk.columns["left_knee_extension_moment_Nm_per_kg"][::step]
    assert np.nanmax(np.abs(unpack(knee["value"], n)[:, 0, 0] - meant)) < 0.002
    # at rest of the ground the force pushes up and lies under the foot
    assert np.nanmedian(force[:, 2]) > 100


def test_turns_are_those_of_the_segments(walk: Result) -> None:
    seen, content = shown(walk)
    q = unpack(content["turns"], content["n"])
    bone = seen.bones[content["axesOf"][-1]]
    R = seen.view.R_dg @ bone.R_gs[:: content["step"]]
    w, x, y, z = (q[:, -1] / np.linalg.norm(q[:, -1], axis=1, keepdims=True)).T
    first = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
    third = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    assert np.nanmax(np.abs(first - R[:, :, 0])) < 2e-3
    assert np.nanmax(np.abs(third - R[:, :, 2])) < 2e-3


def test_the_body_faces_forward_and_stands_on_the_floor(walk: Result) -> None:
    _seen, content = shown(walk)
    ends = unpack(content["endsAt"], content["n"])
    at = {(end["side"], end["name"]): ends[:, i] for i, end in enumerate(content["ends"])}
    assert np.nanmedian(at["left", "hip"][:, 1] - at["right", "hip"][:, 1]) > 0.1
    assert np.nanmedian(at["left", "toe"][:, 0] - at["left", "ankle"][:, 0]) > 0.05
    assert 0.6 < np.nanmedian(at["left", "hip"][:, 2]) < 1.2
    assert -0.02 < np.nanmin(at["left", "toe"][:, 2]) < 0.1
    assert "corners" in content["plates"][0]
    assert abs(np.array(content["plates"][0]["corners"])[:, 2]).max() < 0.01


def test_markers_that_change_places_are_shown_where_they_were_recorded(
    recorded: Callable[..., Result], tmp_path: Any
) -> None:
    result = recorded("wild/visual3d_hybrid/walk.c3d", "--static", "wild/visual3d_hybrid/static.c3d")
    seen, content = shown(result)
    of_thigh = next(i for i, track in enumerate(content["tracks"]) if track["label"] == "L_THIGH_3")
    assert "jumps by 162 mm" in content["tracks"][of_thigh]["doubt"]
    at = unpack(content["recorded"], content["n"])[:, content["recordedOf"].index(of_thigh)]
    raw = seen.view.points(seen.result.trial.marker("L_THIGH_3"))[:: content["step"]]
    known = np.isfinite(at).all(axis=1)
    assert 3 <= known.sum() < 20
    assert np.abs(at - raw)[known].max() < 0.001
    assert content["tracks"][of_thigh]["filled"]


def test_contacts_say_what_is_known_and_why_not(recorded: Callable[..., Result]) -> None:
    result = recorded("sydney/walk04.c3d", "--static", "sydney/static.c3d", "--model", "pig")
    _, content = shown(result)
    by_plates = {(c["side"], tuple(c["plates"])): c for c in content["contacts"]}
    assert by_plates["right", (1,)]["verdict"] == "known"
    assert by_plates["left", (2,)]["text"] == "left foot on plate 2: load known"
    partial = by_plates["right", (3,)]  # the sole reaches onto plate 3, and its load is unknown
    assert partial["verdict"] == "unknown"
    assert "plate 3" in partial["text"]
