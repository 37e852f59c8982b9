"""What stands in the view's data: the numbers of the analysis, in so many bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unpacked import unpack

from gaitid.report.result import Result
from gaitid.report.scene import scene_html
from gaitid.report.scene.attach import owners
from gaitid.report.scene.describe import described
from gaitid.report.scene.moving import Moving, seen_of


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


def test_markers_belong_to_their_segments(walk: Result) -> None:
    seen, _ = shown(walk)
    assert owners(seen.result.model) | {"LHEE": ("left", "foot")} == owners(seen.result.model)
    belong = owners(seen.result.model)
    assert belong["LTHI"] == ("left", "thigh")
    assert belong["LKNE"] == ("left", "thigh")
    assert belong["RTIB"] == ("right", "shank")
    assert belong["RANK"] == ("right", "shank")
    assert belong["LASI"] == ("", "pelvis")
    assert belong["RTOE"] == ("right", "foot")


def test_a_clean_walk_has_no_doubt(walk: Result) -> None:
    _, content = shown(walk)
    assert content["doubts"] == []
    assert not any("off" in track or "doubt" in track for track in content["tracks"])
    assert not any("off" in bone or "doubt" in bone for bone in content["bones"])
    assert not any("doubt" in end for end in content["ends"])


def test_fewer_bytes_where_fewer_are_allowed(walk: Result) -> None:
    seen, whole = shown(walk)
    sizes = []
    for budget in (60_000, 30_000, 20_000):
        text = described(seen, "r0", "walk", budget)
        assert len(text) <= budget
        sizes.append(json.loads(text)["n"])
    assert whole["whole"]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < whole["n"]


def test_the_page_holds_no_path_and_no_tag_in_its_data(walk: Result) -> None:
    html = scene_html([walk])
    assert str(walk.path.parent) not in html
    data = re.search(r'<script type="application/json" class="gs-trial">(.*?)</script>', html, re.S)
    assert data is not None
    assert "<" not in data[1]
    assert json.loads(data[1])["key"] == "r0"
    assert 'aria-label="Time"' in html


def test_a_trial_that_is_not_there_is_one_line(walk: Result, copied: Any) -> None:
    from gaitid.report.result import load_result

    path = copied / "results" / "walk.run.json"
    path.write_text(path.read_text("utf-8").replace('walk.c3d"', 'other<b>.c3d"'), "utf-8")
    html = scene_html([load_result(path)])
    assert html == (
        '<p class="gs-absent">No 3D view of walk: other&lt;b&gt;.c3d is not where it was when the result was made.</p>'
    )
    both = scene_html([walk, load_result(path)], keys=["a", "b"])
    assert both.count('gs-trial"') == 1
    assert "No 3D view of walk" in both


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


def test_exchanged_labels_are_seen_at_a_glance(made: Path, tmp_path: Path, run_trial: Callable[..., None]) -> None:
    import ezc3d

    from gaitid.report.result import load_result

    c3d = ezc3d.c3d(str(made / "walk.c3d"))
    labels, points = c3d["parameters"]["POINT"]["LABELS"]["value"], c3d["data"]["points"]
    knee, ankle = labels.index("LKNE"), labels.index("LANK")
    points[:, [knee, ankle], 60:130] = points[:, [ankle, knee], 60:130]
    c3d.write(str(tmp_path / "walk.c3d"))
    run_trial(tmp_path / "walk.c3d", "--static", made / "static.c3d", "--model", "pig", "-o", tmp_path)
    seen, content = shown(load_result(tmp_path / "walk.run.json"))
    at = {track["label"]: i for i, track in enumerate(content["tracks"])}
    n, step = content["n"], content["step"]
    for label, other in (("LKNE", knee), ("LANK", ankle)):
        assert "LKNE and LANK change places" in content["tracks"][at[label]]["doubt"]
        there = unpack(content["recorded"], n)[:, content["recordedOf"].index(at[label])]
        known = np.isfinite(there).all(axis=1)
        assert known[60 // step + 1 : 130 // step - 1].all()
        assert not known[: 60 // step - 1].any()
        raw = seen.view.points(points[:3, other].T / 1e3)[::step]
        assert np.abs(there - raw)[known].max() < 0.001
    assert any("change places" in text for text in content["doubts"])


def test_a_joint_centre_in_doubt_is_named(made: Path, tmp_path: Path, run_trial: Callable[..., None]) -> None:
    from gaitid.report.result import load_result

    subject = tmp_path / "wide.yaml"
    subject.write_text("right_knee_width_mm: 160\n", "utf-8")
    run_trial(made / "walk.c3d", "--subject", subject, "--model", "pig", "-o", tmp_path)
    _, content = shown(load_result(tmp_path / "walk.run.json"))
    doubts = {(end["side"], end["name"]): end.get("doubt", "") for end in content["ends"]}
    assert "right_knee_width_mm = 160 mm" in doubts["right", "knee"]
    assert not doubts["right", "hip"]
    assert not doubts["left", "ankle"]


def test_contacts_say_what_is_known_and_why_not(recorded: Callable[..., Result]) -> None:
    result = recorded("sydney/walk04.c3d", "--static", "sydney/static.c3d", "--model", "pig")
    _, content = shown(result)
    by_plates = {(c["side"], tuple(c["plates"])): c for c in content["contacts"]}
    assert by_plates["right", (1,)]["verdict"] == "known"
    assert by_plates["left", (2,)]["text"] == "left foot on plate 2: load known"
    partial = by_plates["right", (3,)]  # the sole reaches onto plate 3, and its load is unknown
    assert partial["verdict"] == "unknown"
    assert "plate 3" in partial["text"]
