"""`--functional`: hips and knees by their motion, of simulated trials whose truth is known, through every door."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from terminal import SHARED, assert_refused, gaitid

import gaitid as api

JOINTS = ("left_hip", "right_hip", "left_knee", "right_knee")
REAL = SHARED / "wild" / "biobuddy_functional"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The functional trials of `gaitid simulate functional`, without noise."""
    made = tmp_path_factory.mktemp("functional")
    assert gaitid("simulate", "functional", "-o", made, "--rate-hz", 50).code == 0
    (made / "mass.yaml").write_text("mass_kg: 70\n", encoding="utf-8")
    yield made


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def options(*joints: str) -> list[str]:
    return [word for joint in joints or JOINTS for word in ("--functional", f"{joint}.c3d")]


def truth(folder: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads((folder / "functional.truth.json").read_text(encoding="utf-8"))
    return found


def record(path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return content


def column(path: str, name: str) -> np.ndarray[Any, Any]:
    with Path(path).open(encoding="utf-8") as file:
        return np.array([float(row[name] or "nan") for row in csv.DictReader(file)])


@pytest.mark.parametrize("model", ["cast", "helen_hayes", "pig", "landmarks"])
def test_calibrate_finds_every_hip_exactly_for_each_model(model: str, folder: Path) -> None:
    done = gaitid(
        "calibrate", "static.c3d", "--subject", "mass.yaml", *options("left_hip", "right_hip"), "--model", model,
        "-o", f"for_{model}.yaml",
    )  # fmt: skip
    assert done.code == 0, done.err
    written = yaml.safe_load(Path(f"for_{model}.yaml").read_text(encoding="utf-8"))
    for side in ("left", "right"):
        for way in ("forward", "outward", "up"):
            key = f"{side}_hip_centre_{way}_mm"
            # C3D files hold coordinates to 1e-7 of their size: 1e-4 mm
            assert written[key] == pytest.approx(truth(folder)[f"{side}_hip"][f"{way}_mm"], abs=1e-3)
            assert written["calibration"]["sources"][key].startswith(f"functional trial {side}_hip.c3d, SCoRE")
        how = written["calibration"]["functional"][f"{side}_hip"]
        assert how["residual_mm"] < 0.001
        assert how["range_deg"]["flexion"] > 45 and how["range_deg"]["adduction"] > 45


@pytest.mark.parametrize(
    ("model", "before_deg", "after_deg"), [("cast", 7, 0.001), ("helen_hayes", 3, 0.001), ("pig", 5, 0.2)]
)
def test_the_axis_of_the_knee_ends_its_cross_talk(model: str, before_deg: float, after_deg: float) -> None:
    """The knee's markers lie 8° off its axis: flexion shows as adduction until the axis is measured."""
    for given, low, high in ((options("left_hip", "right_hip"), before_deg, 20), (options(), 0, after_deg)):
        done = gaitid(
            "run", "left_knee.c3d", "--static", "static.c3d", "--subject", "mass.yaml", *given, "--model", model,
            "--cutoff", "none", "-o", "knee",
        )  # fmt: skip
        assert done.code == 0, done.err
        adduction = column("knee/left_knee.joints.csv", "left_knee_adduction_deg")
        assert low <= np.ptp(adduction[np.isfinite(adduction)]) <= high


def test_a_calibrated_subject_gives_the_same_as_the_trials_themselves() -> None:
    given = ["--model", "cast", "--cutoff", "none"]
    assert gaitid("calibrate", "static.c3d", *options(), "--model", "cast", "-o", "sub.yaml").code == 0
    assert gaitid("run", "left_knee.c3d", "--subject", "sub.yaml", *given, "-o", "by_file").code == 0
    assert gaitid("run", "left_knee.c3d", "--static", "static.c3d", *options(), *given, "-o", "by_trials").code == 0
    for name in ("left_hip_flexion_deg", "left_knee_flexion_deg", "left_knee_adduction_deg"):
        one, other = (column(f"{where}/left_knee.joints.csv", name) for where in ("by_file", "by_trials"))
        assert np.nanmax(np.abs(one - other)) < 1e-6
    by_file = record("by_file/left_knee.run.json")
    assert by_file["settings"]["knee_axis"] == "functional"
    assert set(by_file["functional"]) == set(JOINTS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["static.c3d"], ["static.c3d: no hip and no knee moves in it", "20° and more in two planes"]),
        (["left_hip=left_knee.c3d"], ["the left hip moves too little in flexion and adduction", "found flexion 0°"]),
        (["left_knee=left_hip.c3d"], ["the left knee moves too little in flexion", "25° or more", "found 0°"]),
        (["left_hip.c3d", "left_hip=left_hip.c3d"], ["the left hip was measured in left_hip.c3d already"]),
        (["left_elbow=left_hip.c3d"], ["'left_elbow' is no joint", "right_knee"]),
        (["absent.c3d"], ["absent.c3d: no such file"]),
    ],
)  # fmt: skip
def test_what_is_refused(given: list[str], words: list[str]) -> None:
    several = [word for text in given for word in ("--functional", text)]
    assert_refused(gaitid("run", "left_hip.c3d", "--static", "static.c3d", *several, "-o", "refused"), *words)
    assert not Path("refused").exists()


def written(name: str, keep: slice = slice(None), without: tuple[str, ...] = (), larger: float = 1.0) -> str:
    """The functional trial of the left hip as a table, or a part of it; its pelvis larger by a factor."""
    trial = api.read_trial("left_hip.c3d")
    labels = [label for label in trial.labels if label not in without]
    tracks = {label: trial.marker(label) for label in labels}
    pelvis = np.mean([tracks[label] for label in ("LASI", "RASI", "LPSI", "RPSI")], axis=0)
    tracks |= {label: pelvis + larger * (tracks[label] - pelvis) for label in labels if label[1:] in ("ASI", "PSI")}
    header = ",".join(["frame", "time_s", *(f"{label}_{axis}_mm" for label in labels for axis in "xyz")])
    points = 1e3 * np.stack([tracks[label] for label in labels], axis=1)[keep]
    rows = [
        ",".join([str(i + 1), f"{i / trial.rate_hz:.6f}", *(f"{x:.6f}" for x in row)])
        for i, row in enumerate(points.reshape(len(points), -1))
    ]
    Path(name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return name


@pytest.mark.skipif(not REAL.is_dir(), reason="the shared recordings are not here")
def test_a_recorded_hip_and_knee(tmp_path: Path) -> None:
    """Which joint each trial is for, and an order of magnitude: within 35 mm of Bell's regression."""
    done = gaitid(
        "run", REAL / "knee_right.c3d", "--static", REAL / "static.c3d", "--functional", REAL / "hip_right.c3d",
        "--functional", REAL / "knee_right.c3d", "--model", "cast", "-o", tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.err
    made = record(str(tmp_path / "knee_right.run.json"))
    assert set(made["functional"]) == {"right_hip", "right_knee"}
    hip, knee = made["functional"]["right_hip"], made["functional"]["right_knee"]
    assert hip["residual_mm"] == pytest.approx(7.9, abs=0.5)
    assert knee["residual_mm"] == pytest.approx(5.6, abs=0.5)
    assert 5 < knee["from_epicondyles_mm"] < 15
    centre = np.array([hip["centre_mm"][way] for way in ("forward", "outward", "up")])
    bell = 260 * np.array([-0.19, 0.36, -0.30])  # the inter-ASIS distance of the static is 260 mm
    assert np.linalg.norm(centre - bell) < 35


def test_a_trial_of_another_pelvis_is_refused(folder: Path, tmp_path: Path) -> None:
    """Of a walk whose ASIS are 30 mm farther apart than in the functional trial."""
    walk = api.read_trial(Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d")
    points = walk.points_g.copy()
    apart = points[:, walk.labels.index("LASI")] - points[:, walk.labels.index("RASI")]
    for label, way in (("LASI", 1), ("RASI", -1)):
        points[:, walk.labels.index(label)] += way * 0.015 * apart / np.linalg.norm(apart, axis=1, keepdims=True)
    other = replace(walk, points_g=points)
    hip = folder / "right_hip.c3d"
    assert api.analyse(walk, model="pig", functional=hip).record["model"]["name"] == "pig"
    with pytest.raises(api.GaitidError, match="of another person, or the pelvis' markers were put on again") as refusal:
        api.analyse(other, model="pig", functional=hip)
    assert "left asis and right asis" in str(refusal.value)
