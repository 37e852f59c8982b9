"""`gaitid capacity`: its files, its pictures, and what it refuses in one line."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
from terminal import assert_refused, assert_wrong_usage, edited_c3d, gaitid, recorded, table, without_markers

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


def test_the_sagittal_plane_has_areas(walk: Path, tmp_path: Path) -> None:
    done = gaitid("capacity", walk, *LIMITS, "-o", tmp_path, "--frames", "60-61", "--plane", "sagittal")
    assert done.code == 0, done.err
    found = columns(tmp_path / "walk.capacity.csv")
    assert (found["left_foot_polytope_area_m2_per_s4"] > found["left_foot_ellipsoid_area_m2_per_s4"]).all()
    assert "left_foot_gravity_forward_m_per_s2" in found
    assert "left_foot_polytope_volume_m3_per_s6" not in found


def test_a_name_that_is_no_text(walk: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"w\xff $x_{$.c3d")  # neither UTF-8, nor the formula that it begins as
    shutil.copy(walk, odd)
    subject = walk.with_name("walk.subject.yaml")
    done = gaitid("capacity", odd, *LIMITS, "--subject", subject, "-o", tmp_path, "--frames", "60-60", "--picture", 60)
    assert done.code == 0, done.err
    picture = (tmp_path / f"{odd.stem}.capacity.png").read_bytes()
    assert picture.startswith(b"\x89PNG")


def test_a_pipe_of_the_pictures_name(walk: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "walk.capacity.png")
    done = gaitid("capacity", walk, *LIMITS, "-o", tmp_path, "--frames", "60-60", "--picture", 60)
    assert_refused(done, "walk.capacity.png is a device, a pipe or a socket")
    assert stat.S_ISFIFO((tmp_path / "walk.capacity.png").stat().st_mode)
    assert len(list(tmp_path.iterdir())) == 1


def test_an_animation(walk: Path, tmp_path: Path) -> None:
    from PIL import Image

    done = gaitid("capacity", walk, *LIMITS, "-o", tmp_path, "--frames", "60-75", "--side", "left", "--animation")
    assert done.code == 0, done.err
    with Image.open(io.BytesIO((tmp_path / "walk.capacity.gif").read_bytes())) as image:
        assert image.n_frames == 2  # type: ignore[attr-defined]  # every eighth of 16 frames at 100 Hz
        assert image.info["duration"] == 80  # ms


def test_no_frame_of_a_whole_trial_is_lost(walk: Path, tmp_path: Path) -> None:
    """A posture needs no derivative, so the ends of the trial are known too."""
    done = gaitid("capacity", walk, *LIMITS, "-o", tmp_path)
    assert done.code == 0, done.err
    found = columns(tmp_path / "walk.capacity.csv")
    assert len(found["frame"]) == 250
    assert np.isfinite(found["left_foot_kappa_per_kg3_m3"]).all()


def test_a_leg_that_was_not_recorded_has_empty_columns(walk: Path, tmp_path: Path) -> None:
    right = ("RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE")
    one_leg = edited_c3d(
        walk, tmp_path / "in" / "leg.c3d", lambda c: without_markers(c, lambda name: name not in right)
    )
    done = gaitid("capacity", one_leg, *LIMITS, "-o", tmp_path / "out", "--picture", "60")
    assert done.code == 0, done.err
    found = columns(tmp_path / "out" / "leg.capacity.csv")
    assert np.isnan(found["right_foot_kappa_per_kg3_m3"]).all()
    assert np.isfinite(found["left_foot_kappa_per_kg3_m3"]).all()
    assert "right leg: empty in 250 of 250 frames" in done.err


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


def test_a_limits_file_that_breaks_its_schema(walk: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("gaitid_limits: 1\nsources: [me]\ntorques_Nm: {knee: {flexion: 5}}\n")
    done = gaitid("capacity", walk, "--model", "pig", "--limits", bad, "-o", tmp_path)
    assert_refused(done, "bad.yaml: line 3: torques_Nm.knee.extension: missing")
    assert_refused(gaitid("capacity", walk, "--model", "pig", "--limits", tmp_path / "no.yaml"), "no limits")


def test_a_trial_that_is_absent(tmp_path: Path) -> None:
    assert_refused(gaitid("capacity", tmp_path / "no.c3d", *LIMITS), "no.c3d: no such file")


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


def test_limits_must_be_given(walk: Path) -> None:
    assert_wrong_usage(gaitid("capacity", walk, "--model", "pig"), "--limits")


@recorded("children/HC002D/walk.c3d", "nexus_flatfoot/walk.c3d")
def test_recorded_walks(recorded_trial: Path, tmp_path: Path) -> None:
    """Nearly every posture is known, and its polytope is solid and larger than the ellipsoid in it."""
    done = gaitid("capacity", recorded_trial, *LIMITS, "-o", tmp_path)
    assert done.code == 0, done.err
    found = columns(tmp_path / f"{recorded_trial.stem}.capacity.csv")
    volume, inside = found["left_foot_polytope_volume_m3_per_s6"], found["left_foot_ellipsoid_volume_m3_per_s6"]
    known = np.isfinite(volume)
    assert known.mean() > 0.9
    assert (volume[known] > inside[known]).all()
    assert (found["left_foot_polytope_rank"][known] == 3).all()
