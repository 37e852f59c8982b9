"""`gaitid capacity`: its files, its pictures, and what it refuses in one line."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from terminal import assert_refused, assert_wrong_usage, gaitid, table

LIMITS = ("--model", "pig", "--limits", "example")


def columns(path: Path) -> dict[str, np.ndarray]:
    names, rows = table(path.read_text())
    values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])
    return dict(zip(names, values.T, strict=True))


def test_its_files(walk: Path, tmp_path: Path) -> None:
    done = gaitid("capacity", walk, *LIMITS, "-o", tmp_path, "--frames", "50-70", "--picture", "60")
    assert done.code == 0, done.err
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "walk.capacity.csv",
        "walk.capacity.json",
        "walk.capacity.png",
    ]
    found = columns(tmp_path / "walk.capacity.csv")
    np.testing.assert_array_equal(found["frame"], np.arange(50, 71))
    np.testing.assert_allclose(found["time_s"], np.arange(49, 70) / 100, atol=1e-9)
    for side in ("left", "right"):
        assert (
            found[f"{side}_foot_polytope_volume_m3_per_s6"] > found[f"{side}_foot_ellipsoid_volume_m3_per_s6"]
        ).all()
        assert (found[f"{side}_foot_polytope_rank"] == 3).all()
        assert (found[f"{side}_foot_max_up_m_per_s2"] > 0).all()
        direction = [found[f"{side}_foot_ellipsoid_axis1_{axis}"] for axis in "xyz"]
        np.testing.assert_allclose(np.sum(np.square(direction), axis=0), 1, atol=1e-8)
        # kg·m²: 11 kg of leg of an adult of 70 kg, its middle 0.3 to 0.5 m from the hip
        assert ((found[f"{side}_inertia_axis1_kg_m2"] > 1) & (found[f"{side}_inertia_axis1_kg_m2"] < 5)).all()
    assert (tmp_path / "walk.capacity.png").read_bytes().startswith(b"\x89PNG")


def test_its_record(walk: Path, tmp_path: Path) -> None:
    done = gaitid("capacity", walk, *LIMITS, "-o", tmp_path, "--frames", "50-52", "--picture", "51", "--side", "left")
    assert done.code == 0, done.err
    text = (tmp_path / "walk.capacity.json").read_text()
    record = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in the JSON"))
    roles = {i["role"]: i for i in record["inputs"]}
    assert list(roles) == ["trial", "model", "table", "options", "limits"]
    assert roles["trial"]["sha256"] == hashlib.sha256(walk.read_bytes()).hexdigest()
    assert roles["limits"]["path"] == "limits/example.yaml (bundled)"
    assert (record["endpoint"], record["stands_still"], record["frames"]) == ("foot", "pelvis", [50, 52])
    assert record["limits"]["torques_Nm"]["knee_flexion"] == {"lowest": -224.0, "highest": 98.0}
    assert record["axes"] == {"left": ["hip_flexion", "hip_adduction", "knee_flexion", "ankle_dorsiflexion"]}
    assert any("ankle eversion" in warning for warning in record["warnings"])
    assert "from rest" in record["conventions"]["posture"]
    vertices = np.array(record["pictured"]["vertices_m_per_s2"]["left"])
    found = columns(tmp_path / "walk.capacity.csv")
    up = np.array(record["directions_g"]["left"]["up"])
    assert (vertices @ up).max() == pytest.approx(found["left_foot_max_up_m_per_s2"][1], rel=1e-8)


def test_the_hip_over_a_fixed_foot(walk: Path, tmp_path: Path) -> None:
    done = gaitid(
        "capacity", walk, *LIMITS, "-o", tmp_path, "--frames", "60-62", "--endpoint", "hip", "--side", "right"
    )
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "walk.capacity.json").read_text())
    assert record["stands_still"] == "foot"
    assert record["axes"]["right"] == ["knee_flexion", "ankle_dorsiflexion", "ankle_eversion"]
    assert "right_hip_max_up_m_per_s2" in columns(tmp_path / "walk.capacity.csv")


# --- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--endpoint", "wrist"), "--endpoint wrist: no such point; expected foot"),
        (("--frames", "200-900"), "--frames 200-900: not in the trial; expected 1 to 250"),
        (("--frames", "50-60", "--picture", "70"), "--picture 70: not among the frames; expected 50 to 60"),
        (("--set", "gravity=3"), "--set gravity: no such setting"),
    ],
)
def test_refusals_are_one_line(walk: Path, tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    assert_refused(gaitid("capacity", walk, *LIMITS, "-o", tmp_path, *options), words)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--frames", "9-3"), "expected FIRST-LAST"),
        (("--frames", "soon"), "expected FIRST-LAST"),
        (("--picture", "x"), "'x' is not a valid integer"),
        (("--side", "middle"), "'middle' is not one of"),
        (("-o", ""), "-o: expected a folder"),
    ],
)
def test_wrong_usage(walk: Path, options: tuple[str, ...], words: str) -> None:
    assert_wrong_usage(gaitid("capacity", walk, *LIMITS, *options), words)
