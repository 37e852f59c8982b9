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
        ("each_side.landmarks", {"heel": "LHEE"}, "each_side.landmarks: expected a list"),
        ("each_side.landmarks", ["{S}HEE"], "each_side.landmarks: expected names such as knee_lateral, found '{S}HEE'"),
        ("each_side.clusters", 5, "each_side.clusters: expected a list"),
        ("each_side.clusters", ["heel"], "each_side.clusters: the name 'heel' is given twice"),
        (
            "each_side.frames.thigh",
            {"rigid": [], "as": "thigh_standing"},
            "each_side.frames.thigh.rigid: expected a list",
        ),
        ("each_side.frames.thigh", {"rigid": ["heel"]}, "each_side.frames.thigh.as: missing"),
        (
            "each_side.frames.thigh",
            {"rigid": ["heel"], "with": 5, "as": "thigh_standing"},
            "each_side.frames.thigh.with: expected a list",
        ),
        (
            "each_side.points.knee",
            {"carried": 5, "by": "thigh"},
            "each_side.points.knee.carried: expected text, found 5",
        ),
        ("each_side.frames.shank", {"carried": 5, "by": "thigh"}, "each_side.frames.shank.carried: expected text"),
        ("angles.ankle.dorsiflexion", {"needs": ["heel"]}, "angles.ankle.dorsiflexion.value: missing"),
        ("no_wrenches_because", 5, "no_wrenches_because: expected text, found 5"),
        ("caution", 5, "caution: expected text, found 5"),
        # names that nothing defines, and their like
        ("each_side.cluster", ["c"], "each_side.cluster: unknown key (did you mean 'clusters'?)"),
        ("uper_body", "x", "uper_body: unknown key (did you mean 'upper_body'?)"),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_clster"], "as": "thigh_standing"},
            "each_side.frames.thigh: no point 'thigh_clster' in the model (did you mean 'thigh_cluster'?)",
        ),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_cluster"], "as": "thigh_standin"},
            "each_side.frames.thigh: no frame 'thigh_standin' in the model (did you mean 'thigh_standing'?)",
        ),
        (
            "each_side.points.knee",
            {"carried": "knee_mid", "by": "thgh"},
            "each_side.points.knee: no frame 'thgh' in the model (did you mean 'thigh'?)",
        ),
        (
            "angles.ankle.eversion",
            {"value": "b", "needs": ["mt11"]},
            "angles.ankle.eversion.needs: no point 'mt11' in the model (did you mean 'mt1'?)",
        ),
        ("moments.ankle.eversion", "unknwn", "moments.ankle.eversion: no number 'unknwn'"),
        # what is defined by itself
        ("each_side.points.knee_mid", {"carried": "knee", "by": "thigh"}, "is defined by itself"),
        (
            "each_side.frames.thigh",
            {"rigid": ["thigh_cluster"], "as": "thigh"},
            "the frame 'thigh' is defined by itself",
        ),
        # a carried point is remembered by its name
        (
            "each_side.points.knee",
            {"mean": [{"carried": "knee_mid", "by": "thigh"}]},
            "each_side.points.knee.mean[0]: a carried point needs a name of its own under points",
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
        ("letters", {"lft": "L"}, "letters.lft: unknown key (did you mean 'left'?)"),
        ("landmarks", ["sacrum"], "landmarks: expected keys and values, found a list"),
        ("landmarks.sacrum", [], "landmarks.sacrum: expected a label"),
        ("landmarks_each_side", 5, "landmarks_each_side: expected keys and values, found 5"),
        (
            "landmarks_each_side.heel",
            ["{S}HEE", "RHEE"],
            "landmarks_each_side.heel: 'RHEE' is one label for both sides",
        ),
        ("clusters", 5, "clusters: expected keys and values, found 5"),
        ("clusters.pelvis_cluster", [5], "clusters.pelvis_cluster[0]: expected a label"),
        ("clusters_each_side.thigh_cluster", {"a": "{S}T1"}, "clusters_each_side.thigh_cluster: expected a list"),
        ("cluster_each_side", {}, "cluster_each_side: unknown key (did you mean 'clusters_each_side'?)"),
        ("gaitid_markers", 2, "not a gaitid marker set; expected a line `gaitid_markers: 1`"),
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
