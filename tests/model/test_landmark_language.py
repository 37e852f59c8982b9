"""What the language says of landmarks, clusters, rigid and carried: each key refused by its path where it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gaitid.errors import ModelError
from gaitid.model.load import load_model
from gaitid.model.marker_sets import load_marker_set

CAST = {"gaitid_model": 1, "name": "mine", "extends": "cast"}
SET: dict[str, Any] = {
    "gaitid_markers": 1,
    "name": "mine",
    "landmarks": {"sacrum": "SACR"},
    "landmarks_each_side": {"heel": "{S}HEE"},
    "clusters": {"pelvis_cluster": ["P1", "P2", "P3"]},
    "clusters_each_side": {"thigh_cluster": ["{S}T1", ["{S}T2", "{S}TH2"], "{S}T3"]},
}


def written(folder: Path, content: object) -> Path:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def nested(path: str, value: object) -> dict[str, Any]:
    """Keys and values with one value at a path such as ``each_side.frames.thigh``."""
    for key in reversed(path.split(".")):
        value = {key: value}
    assert isinstance(value, dict)
    return value


def refusal(error: ModelError) -> str:
    line = error.line()
    assert "mine.yaml: " in line
    assert "\n" not in line
    return line


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        # wrong kinds of values
        ("each_side.landmarks", 5, "each_side.landmarks: expected a list with something in it, found 5"),
        ("each_side.landmarks", "heel", "each_side.landmarks: expected a list"),
        ("each_side.landmarks", {"heel": "LHEE"}, "each_side.landmarks: expected a list"),
        ("each_side.landmarks", [5], "each_side.landmarks: expected names such as knee_lateral, found 5"),
        ("each_side.landmarks", ["{S}HEE"], "each_side.landmarks: expected names such as knee_lateral, found '{S}HEE'"),
        ("each_side.landmarks", ["heel", "heel"], "each_side.landmarks: the name 'heel' is given twice"),
        ("each_side.clusters", 5, "each_side.clusters: expected a list"),
        ("each_side.clusters", [["a"]], "each_side.clusters: expected names"),
        ("each_side.clusters", ["heel"], "each_side.clusters: the name 'heel' is given twice"),
        (
            "each_side.frames.thigh",
            {"rigid": 5, "as": "thigh_standing"},
            "each_side.frames.thigh.rigid: expected a list",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": [], "as": "thigh_standing"},
            "each_side.frames.thigh.rigid: expected a list",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": [{"mean": ["heel"]}], "as": "thigh_standing"},
            "each_side.frames.thigh.rigid[0]: expected the name of a point",
        ),
        ("each_side.frames.thigh", {"rigid": ["heel"]}, "each_side.frames.thigh.as: missing"),
        ("each_side.frames.thigh", {"rigid": ["heel"], "as": 5}, "each_side.frames.thigh.as: expected text, found 5"),
        (
            "each_side.frames.thigh",
            {"rigid": ["heel"], "with": 5, "as": "thigh_standing"},
            "each_side.frames.thigh.with: expected a list",
        ),
        ("each_side.points.knee", {"carried": "knee_mid"}, "each_side.points.knee.by: missing"),
        (
            "each_side.points.knee",
            {"carried": 5, "by": "thigh"},
            "each_side.points.knee.carried: expected text, found 5",
        ),
        (
            "each_side.points.knee",
            {"carried": {"mean": ["knee_lateral"]}, "by": "thigh"},
            "each_side.points.knee.carried: expected text, found keys and values",
        ),
        ("each_side.frames.shank", {"carried": 5, "by": "thigh"}, "each_side.frames.shank.carried: expected text"),
        ("each_side.frames.shank", {"carried": "shank_standing"}, "each_side.frames.shank.by: missing"),
        ("angles.ankle.dorsiflexion", {"needs": ["heel"]}, "angles.ankle.dorsiflexion.value: missing"),
        ("angles.ankle.eversion", {"value": "b", "needs": "heel"}, "angles.ankle.eversion.needs: expected a list"),
        ("no_wrenches_because", 5, "no_wrenches_because: expected text, found 5"),
        ("no_wrenches_because", True, "no_wrenches_because: expected text, found True"),
        ("caution", 5, "caution: expected text, found 5"),
        # names that nothing defines, and their like
        ("each_side.landmark", ["heel"], "each_side.landmark: unknown key (did you mean 'landmarks'?)"),
        ("each_side.cluster", ["c"], "each_side.cluster: unknown key (did you mean 'clusters'?)"),
        ("no_wrench_because", "x", "no_wrench_because: unknown key (did you mean 'no_wrenches_because'?)"),
        ("uper_body", "x", "uper_body: unknown key (did you mean 'upper_body'?)"),
        (
            "each_side.frames.thigh",
            {"rigid": ["heel"], "wth": ["toe"], "as": "thigh_standing"},
            "each_side.frames.thigh.wth: unknown key (did you mean 'with'?)",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_clster"], "as": "thigh_standing"},
            "each_side.frames.thigh: no point 'thigh_clster' in the model (did you mean 'thigh_cluster'?)",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_cluster"], "with": ["trochantr"], "as": "thigh_standing"},
            "each_side.frames.thigh: no point 'trochantr' in the model (did you mean 'trochanter'?)",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_cluster"], "as": "thigh_standin"},
            "each_side.frames.thigh: no frame 'thigh_standin' in the model (did you mean 'thigh_standing'?)",
        ),
        (
            "each_side.points.knee",
            {"carried": "knee_midd", "by": "thigh"},
            "each_side.points.knee: no point 'knee_midd' in the model (did you mean 'knee_mid'?)",
        ),
        (
            "each_side.points.knee",
            {"carried": "knee_mid", "by": "thgh"},
            "each_side.points.knee: no frame 'thgh' in the model (did you mean 'thigh'?)",
        ),
        (
            "each_side.frames.shank",
            {"carried": "shank_standng", "by": "thigh"},
            "each_side.frames.shank: no frame 'shank_standng' in the model (did you mean 'shank_standing'?)",
        ),
        (
            "angles.ankle.eversion",
            {"value": "b", "needs": ["mt11"]},
            "angles.ankle.eversion.needs: no point 'mt11' in the model (did you mean 'mt1'?)",
        ),
        ("angles.ankle.eversion", "unknwn", "angles.ankle.eversion: no number 'unknwn'"),
        ("moments.ankle.eversion", "unknwn", "moments.ankle.eversion: no number 'unknwn'"),
        (
            "middle.frames.pelvis",
            {"rigid": ["asis", "left.psis"], "as": "pelvis_standing"},
            "middle.frames.pelvis: 'asis' belongs to a side; write left.asis or right.asis",
        ),
        # what is defined by itself
        ("each_side.points.knee_mid", {"carried": "knee", "by": "thigh"}, "is defined by itself"),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_cluster", "knee"], "as": "thigh_standing"},
            "is defined by itself",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_cluster"], "as": "thigh"},
            "the frame 'thigh' is defined by itself",
        ),
        ("each_side.frames.thigh", {"carried": "thigh_standing", "by": "thigh"}, "'thigh' is defined by itself"),
        # a carried point is remembered by its name
        (
            "each_side.points.knee",
            {"mean": [{"carried": "knee_mid", "by": "thigh"}]},
            "each_side.points.knee.mean[0]: a carried point needs a name of its own under points",
        ),
        (
            "each_side.frames.shank_standing",
            {
                "origin": {"carried": "knee_mid", "by": "thigh"},
                "keep": {"z": ["ankle_mid", "knee_mid"]},
                "toward": {"y": "pelvis.y"},
            },
            "each_side.frames.shank_standing.origin: a carried point needs a name of its own",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_path(path: str, value: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        load_model(written(tmp_path, CAST | nested(path, value)))
    assert message in refusal(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("letters", {"left": "L", "right": "L"}, "letters: left and right must differ"),
        ("letters", {"left": 1}, "letters.left: expected text, found 1"),
        ("letters", {"lft": "L"}, "letters.lft: unknown key (did you mean 'left'?)"),
        ("letters", "LR", "letters: expected keys and values"),
        ("landmarks", ["sacrum"], "landmarks: expected keys and values, found a list"),
        ("landmarks.sacrum", 5, "landmarks.sacrum: expected a label or a list of labels, found 5"),
        ("landmarks.sacrum", [], "landmarks.sacrum: expected a label"),
        ("landmarks.sacrum", ["SACR", 5], "landmarks.sacrum: expected a label"),
        ("landmarks_each_side", 5, "landmarks_each_side: expected keys and values, found 5"),
        ("landmarks_each_side.heel", "LHEE", "landmarks_each_side.heel: 'LHEE' is one label for both sides; write {S}"),
        (
            "landmarks_each_side.heel",
            ["{S}HEE", "RHEE"],
            "landmarks_each_side.heel: 'RHEE' is one label for both sides",
        ),
        ("landmarks_each_side.heel", None, "landmarks_each_side.heel: expected a label"),
        ("clusters", 5, "clusters: expected keys and values, found 5"),
        ("clusters.pelvis_cluster", "P1", "clusters.pelvis_cluster: expected a list"),
        ("clusters.pelvis_cluster", [5], "clusters.pelvis_cluster[0]: expected a label"),
        (
            "clusters_each_side.thigh_cluster",
            ["{S}T1", "LT2"],
            "clusters_each_side.thigh_cluster[1]: 'LT2' is one label",
        ),
        ("clusters_each_side.thigh_cluster", {"a": "{S}T1"}, "clusters_each_side.thigh_cluster: expected a list"),
        ("landmark", {"sacrum": "SACR"}, "landmark: unknown key (did you mean 'landmarks'?)"),
        ("cluster_each_side", {}, "cluster_each_side: unknown key (did you mean 'clusters_each_side'?)"),
        ("name", 5, "name: expected text, found 5"),
        ("gaitid_markers", 2, "not a gaitid marker set; expected a line `gaitid_markers: 1`"),
        ("gaitid_markers", None, "not a gaitid marker set"),
    ],
)
def test_a_marker_set_names_the_key_that_is_wrong(path: str, value: object, message: str, tmp_path: Path) -> None:
    content = yaml.safe_load(yaml.safe_dump(SET))
    *above, last = path.split(".")
    place = content
    for key in above:
        place = place[key]
    place[last] = value
    with pytest.raises(ModelError) as caught:
        load_marker_set(written(tmp_path, content))
    assert message in refusal(caught.value)


def test_a_model_is_no_marker_set_and_the_other_way_round(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a gaitid marker set"):
        load_marker_set(written(tmp_path, CAST))
    with pytest.raises(ModelError, match="not a gaitid model"):
        load_model(written(tmp_path, SET))
