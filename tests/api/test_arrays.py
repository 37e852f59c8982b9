"""Trials from arrays in memory: the numbers of their files, and what does not fit together is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import gaitid
from gaitid.trial import Trial

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk"
BESIDE: dict[str, Any] = {"forces": WALK / "walk.forces.csv", "plates": WALK / "walk.plates.yaml"}
SUBJECT = yaml.safe_load((WALK / "walk.subject.yaml").read_text())


def tables(found: gaitid.Analysis, folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in found.write(folder) if path.suffix == ".csv"}


def of_csv(**changes: Any) -> Trial:
    """The walk's CSV files, read by pandas and handed over as arrays."""
    walk, forces = pd.read_csv(WALK / "walk.csv"), pd.read_csv(WALK / "walk.forces.csv")
    labels = [name.removesuffix("_x_mm") for name in walk.columns if name.endswith("_x_mm")]

    def vectors(table: pd.DataFrame, pattern: str, scale: float) -> np.ndarray[Any, Any]:
        return table[[pattern.format(axis) for axis in "xyz"]].to_numpy() * scale

    plates = [
        gaitid.Plate(
            force_N=vectors(forces, f"plate{given['number']}_F{{}}_N", 1.0),
            moment_Nm=vectors(forces, f"plate{given['number']}_M{{}}_Nmm", 1e-3),
            rate_hz=1000,
            corners_m=np.array(given["corners_mm"]) * 1e-3,
            origin_m=np.array(given["origin_mm"]) * 1e-3,
            force_sense=given["force_sense"],
        )
        for given in yaml.safe_load((WALK / "walk.plates.yaml").read_text())["plates"]
    ]
    markers = {label: vectors(walk, f"{label}_{{}}_mm", 1e-3) for label in labels}
    return gaitid.trial_from_arrays(markers, **{"rate_hz": 100, "plates": plates, "name": "walk", **changes})


@pytest.mark.parametrize("model", ["pig", "auto"])
def test_arrays_give_the_tables_of_their_file_to_the_byte(model: str, tmp_path: Path) -> None:
    of_file = gaitid.analyse(WALK / "walk.csv", model=model, subject=WALK / "walk.subject.yaml", **BESIDE)
    in_memory = gaitid.analyse(of_csv(), model=model, subject=SUBJECT)
    expected = tables(of_file, tmp_path / "file")
    assert len(expected) == 7
    assert tables(in_memory, tmp_path / "memory") == expected
    for key in ("subject", "segments", "contacts", "verdict", "warnings", "quality", "coverage"):
        assert in_memory.record[key] == of_file.record[key], key


def test_a_c3d_taken_apart_and_put_together_again(tmp_path: Path) -> None:
    read = gaitid.read_trial(WALK / "walk.c3d")
    trial = gaitid.trial_from_arrays(
        {label: read.marker(label) for label in read.labels},
        rate_hz=read.rate_hz,
        plates=read.plates,
        events=[(event.name, event.side, event.time_s) for event in read.events],
        parameters=read.parameters,
        vertical=read.up_hint,
        first_frame=read.first_frame,
        name="walk",
    )
    static = gaitid.read_trial(WALK / "static.c3d")
    for model in ("pig", gaitid.load_model("pig")):
        of_file = gaitid.analyse(WALK / "walk.c3d", model="pig", static=WALK / "static.c3d")
        assert tables(gaitid.analyse(trial, model=model, static=static), tmp_path / "m") == tables(
            of_file, tmp_path / "f"
        )


def test_the_record_says_that_it_came_from_memory(tmp_path: Path) -> None:
    found = gaitid.analyse(of_csv(), model="pig", subject=SUBJECT)
    assert found.record["command"] == ["gaitid.analyse", "(in memory)", "--model", "pig", "--subject", "(in memory)"]
    inputs = {entry["role"]: entry for entry in found.record["inputs"]}
    assert (inputs["trial"]["path"], inputs["subject"]["path"]) == ("walk (in memory)", "(in memory)")
    moved = of_csv()
    moved = replace(moved, points_g=moved.points_g + 1e-9)
    hashes = [entry["sha256"] for entry in gaitid.analyse(moved, model="pig", subject=SUBJECT).record["inputs"]]
    assert inputs["trial"]["sha256"] not in hashes and inputs["subject"]["sha256"] in hashes
    page = found.report(tmp_path / "walk.html").read_text()
    assert "No 3D view of walk: the record holds no command" in page


def test_the_laboratory_may_stand_on_its_side() -> None:
    """With y up, and said so, the angles are the same."""
    trial = of_csv()
    turn = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z becomes y
    plates = [replace(plate, corners_g=plate.corners_g @ turn.T) for plate in trial.plates]
    markers = {label: trial.marker(label) @ turn.T for label in trial.labels}
    turned = gaitid.trial_from_arrays(markers, rate_hz=100, plates=plates, vertical="y")
    found = gaitid.analyse(turned, model="pig", subject=SUBJECT)
    expected = gaitid.analyse(trial, model="pig", subject=SUBJECT)
    pd.testing.assert_frame_equal(found.joints, expected.joints, rtol=1e-6, atol=1e-6)


def plate(**changes: Any) -> gaitid.Plate:
    zero = np.zeros((10, 3))
    corners = [[0.4, 0.6, 0], [0, 0.6, 0], [0, 0, 0], [0.4, 0, 0]]
    given = {"force_N": zero, "moment_Nm": zero, "rate_hz": 1000, "corners_m": corners, "force_sense": "reaction"}
    return gaitid.Plate(**{**given, **changes})


A = {"A": np.zeros((4, 3))}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"markers": {}}, "no markers; expected a mapping"),
        ({"markers": np.zeros((4, 1, 3))}, "markers: positions without labels"),
        ({"markers": {3: np.zeros((4, 3))}}, "markers: a label that is no name"),
        ({"markers": {"A": np.zeros((4, 2))}}, "marker A: expected n × 3 numbers, found 4 × 2"),
        ({"markers": {**A, "B": np.zeros((5, 3))}}, "markers of different lengths: A 4 frames, B 5"),
        ({"rate_hz": "100"}, "rate_hz: expected Hz above 0, found '100'"),
        ({"vertical": "up"}, "vertical: 'up' is not known; expected x, y, z, or three numbers"),
        ({"name": "a/b"}, "name: 'a/b' cannot begin the name of a file"),
        ({"plates": [plate(corners_m=[[0, 0, 0]] * 4)]}, "plate 1.corners_m: expected the corners in order"),
        ({"plates": [plate(moment_Nm=np.zeros((9, 3)))]}, "plate 1: force_N has 10 samples, moment_Nm 9"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(given: dict[str, Any], line: str) -> None:
    with pytest.raises(gaitid.GaitidError) as refused:
        gaitid.trial_from_arrays(**{"markers": A, "rate_hz": 100, **given})
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_belongs_to_files_is_refused_with_a_trial_in_memory() -> None:
    with pytest.raises(gaitid.GaitidError, match="forces, plates, events and corrections belong to a file"):
        gaitid.analyse(of_csv(), **BESIDE)
    with pytest.raises(gaitid.GaitidError, match="give them to read_trial"):
        gaitid.analyse(of_csv(), settings={"point_unit": "mm"})
    with pytest.raises(gaitid.GaitidError, match="^walk: subject: mass_kgg: unknown key"):
        gaitid.analyse(of_csv(), subject={"mass_kgg": 70})
