"""Markers that nothing uses: each named with what may be meant, from `models validate` and from `run`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaitid.model.load import bundled_models, load_model, unknown_landmarks, unused_markers
from gaitid.model.marker_sets import bundled_marker_sets, load_marker_set
from gaitid.notes import texts


def model_notes(folder: Path, text: str) -> list[str]:
    path = folder / "mine.yaml"
    path.write_text(f"gaitid_model: 1\nname: mine\n{text}", encoding="utf-8")
    return [line.removeprefix(f"{path}: ") for line in texts(unused_markers(load_model(path)))]


def set_notes(folder: Path, text: str, model: str = "") -> list[str]:
    path = folder / "set.yaml"
    path.write_text(f"gaitid_markers: 1\nname: mine\n{text}", encoding="utf-8")
    notes = unknown_landmarks(load_marker_set(path), load_model(model) if model else None)
    assert all(note.severity == "doubt" for note in notes)
    return [line.removeprefix(f"{path}: ") for line in texts(notes)]


@pytest.mark.parametrize("name", bundled_models())
def test_bundled_models_name_no_marker_in_vain(name: str) -> None:
    assert unused_markers(load_model(name)) == ()


@pytest.mark.parametrize("name", bundled_marker_sets())
def test_bundled_marker_sets_name_no_landmark_in_vain(name: str) -> None:
    assert unknown_landmarks(load_marker_set(bundled_marker_sets()[name])) == ()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "extends: pig\neach_side: {markers: {tow: LTOE}}\n",
            "each_side.markers.tow: nothing uses it (did you mean 'toe'?)",
        ),
        (
            "extends: pig\nmiddle: {markers: {sacrum_markr: SACR}}\n",
            "middle.markers.sacrum_markr: nothing uses it (did you mean 'sacrum_marker'?)",
        ),
        ("extends: pig\neach_side: {markers: {qqq: LQ}}\n", "each_side.markers.qqq: nothing uses it"),
        (
            "extends: landmarks\n"
            "each_side: {landmarks: [asis, psis, knee_lateral, knee_medial, ankle_lateral, ankle_medial, heel, toe, "
            "mt1, mt2, mt5, mt55]}\n",
            "each_side.landmarks: nothing uses 'mt55' (did you mean 'mt5'?)",
        ),
        (
            "extends: cast\neach_side: {clusters: [thigh_cluster, shank_cluster, foot_cluster, tigh_cluster]}\n",
            "each_side.clusters: nothing uses 'tigh_cluster' (did you mean 'thigh_cluster'?)",
        ),
    ],
)
def test_what_nothing_uses_is_named(text: str, note: str, tmp_path: Path) -> None:
    assert model_notes(tmp_path, text) == [note]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "landmarks_each_side: {knee_latral: '{S}KNE', heel: '{S}HEE'}\n",
            ["landmarks_each_side.knee_latral: no model uses it (did you mean 'knee_lateral'?)"],
        ),
        ("landmarks: {asis: ASIS}\n", ["landmarks.asis: no model uses it"]),
        (
            "clusters_each_side: {tigh_cluster: ['{S}1', '{S}2', '{S}3']}\n",
            ["clusters_each_side.tigh_cluster: no model uses it (did you mean 'thigh_cluster'?)"],
        ),
        ("landmarks: {sacrum: S}\nlandmarks_each_side: {heel: '{S}H'}\n", []),
        ("clusters: {pelvis_cluster: [A, B, C]}\n", []),
        ("landmarks_each_side: {toe_lateral: '{S}MT5'}\n", []),  # pig's own
    ],
)
def test_a_landmark_that_no_model_knows_is_named(text: str, notes: list[str], tmp_path: Path) -> None:
    assert set_notes(tmp_path, text) == notes
