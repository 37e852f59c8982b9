"""`gaitid run` on files of any laboratory: the model and the labels that it took, and that spelling changes no byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from any_markers import FAMILY_OF, marked
from simulated_trials import simulated_walk
from terminal import assert_refused, gaitid

from gaitid.trial import Trial

SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "other separators": lambda label: label.replace("_", "-").replace(".", "-"),
    "a prefix": lambda label: f"Jane:{label}",
}

#: What `pig` and the models of CGM 2, which name their labels themselves, call markers of the marker sets.
OWN_NAMES = {
    "sacrum_marker": "sacrum",
    "knee_marker": "knee_lateral",
    "ankle_marker": "ankle_lateral",
    "thigh_upper": "thigh_cluster_1",
    "thigh_lower": "thigh_cluster_2",
    "shank_upper": "shank_cluster_1",
    "shank_lower": "shank_cluster_2",
}


def trc(path: Path, trial: Trial, spell: Callable[[str], str] = str) -> Path:
    """Positions in mm with nine decimals, x forward, y up, as motion capture programs write them."""
    points = 1e3 * trial.points_g[:, :, [1, 2, 0]]
    n, count = points.shape[:2]
    head = [
        ["PathFileType", "4", "(X/Y/Z)", path.name],
        [
            "DataRate",
            "CameraRate",
            "NumFrames",
            "NumMarkers",
            "Units",
            "OrigDataRate",
            "OrigDataStartFrame",
            "OrigNumFrames",
        ],
        [f"{trial.rate_hz:.2f}"] * 2 + [str(n), str(count), "mm", f"{trial.rate_hz:.2f}", "1", str(n)],
        ["Frame#", "Time", *(cell for label in trial.labels for cell in (spell(label), "", ""))],
        ["", "", *(f"{axis}{i + 1}" for i in range(count) for axis in "XYZ")],
        [],
    ]
    rows = [
        [str(i + 1), f"{i / trial.rate_hz:.8f}", *(f"{v:.9f}" for v in row)]
        for i, row in enumerate(points.reshape(n, -1))
    ]
    path.write_text("\n".join("\t".join(row) for row in [*head, *rows]) + "\n", encoding="utf-8")
    return path


def made(folder: Path, family: str, spell: Callable[[str], str] = str, *options: object) -> tuple[str, dict[str, Any]]:
    """Run `--model auto`; ``joints.csv`` and the record."""
    recorded = marked(family)
    folder.mkdir()
    walk, subject = trc(folder / "walk.trc", recorded.trial, spell), folder / "subject.yaml"
    lines = [f"{side}_leg_length_mm: 920" for side in ("left", "right")] if recorded.family.model != "keypoints" else []
    subject.write_text("\n".join(["mass_kg: 70", *lines]) + "\n", encoding="utf-8")
    given: list[object] = ["--subject", subject]
    if recorded.static is not None:
        given += ["--static", trc(folder / "static.trc", recorded.static, spell)]
    done = gaitid("run", walk, *given, "--set", "cutoff_hz=none", "-o", folder / "out", *options)
    assert done.code == 0, done.err
    record = json.loads((folder / "out" / "walk.run.json").read_text(encoding="utf-8"))
    return (folder / "out" / "walk.joints.csv").read_text(encoding="utf-8"), record


@pytest.mark.parametrize("model", FAMILY_OF)
def test_a_record_says_which_model_was_taken_and_which_label_is_which(model: str, tmp_path: Path) -> None:
    family = FAMILY_OF[model]
    _, record = made(tmp_path / "plain", family)
    recorded = marked(family)
    taken = recorded.family.auto or model  # `pig` for CGM 2.1 and 2.2, which need no marker that `pig` has not
    assert record["model"]["name"] == taken
    assert recorded.family.read_as in (None, record["model"].get("marker_set") or "")
    assert f"{taken} is the first of" in record["model"]["chosen_because"]
    for role, label in record["model"]["markers"].items():
        side, _, name = role.rpartition(".")
        assert recorded.roles[label] == (side, OWN_NAMES.get(name, name) if recorded.family.names_labels else name)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelling_changes_no_byte_of_the_angles(spelling: str, tmp_path: Path) -> None:
    spell = SPELLINGS[spelling]
    plain, record = made(tmp_path / "plain", "visual3d")
    other, record_of_other = made(tmp_path / "other", "visual3d", spell)
    assert plain == other
    spelled = {role: spell(label).removeprefix("Jane:") for role, label in record["model"]["markers"].items()}
    assert record_of_other["model"]["markers"] == spelled
    assert len(spelled) > 30


def test_a_walk_without_pelvis_is_refused_for_these_markers(tmp_path: Path) -> None:
    """Markers of the pelvis were counted for each leg, and the poses that the model segments lacks came before them."""
    trial = simulated_walk().trial
    legs = [i for i, label in enumerate(trial.labels) if label[1:] not in ("ASI", "PSI")]
    some = replace(trial, labels=tuple(trial.labels[i] for i in legs), points_g=trial.points_g[:, legs])
    walk = trc(tmp_path / "walk.trc", some, str)
    done = gaitid("run", walk, "-o", tmp_path / "out")
    assert_refused(done, "no bundled model fits", "pig: it lacks LASI, LPSI, RASI, RPSI, SACR or SACRUM")
    assert "4X4" not in done.err
