"""A robot that drives on a rail: joints that slide among those that turn, against exact poses of its YAML."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from exact_chains import LONG, ExactChain

from gaitid.analysis.result import Result
from gaitid.capacity.leg_dynamics import leg_dynamics
from gaitid.capacity.limits import read_limits
from gaitid.errors import GaitidError
from gaitid.run import RunOptions, Setup, analyse_file, prepare
from gaitid.simulate.files import simulate

SCENARIO = Path(__file__).parents[1] / "simulate" / "scenarios" / "whole_body.yaml"
TURNS = ("heading", "left_pan", "right_pan", "left_shoulder", "left_elbow", "right_shoulder", "right_elbow")
LIMITS = "\n".join(
    [
        "gaitid_limits: 1",
        "name: robot",
        "sources: [made up]",
        "forces_N: {drive_way: {slide_x: 40, negative_slide_x: 30}}",
        "torques_Nm:",
        *(f"  {joint}: {{turn_z: {5 + i}, negative_turn_z: {4 + i}}}" for i, joint in enumerate(TURNS)),
    ]
)
FRAME = 40
SIDE, POINT = "right", "left_fore_end"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("robot")
    simulate(SCENARIO, made, duration=0.4)
    (made / "limits.yaml").write_text(LIMITS, "utf-8")
    return made


@pytest.fixture(scope="module")
def prepared(folder: Path) -> Setup:
    loads = (("left_fore", folder / "whole_body.load.left_fore.csv"),)
    model = str(folder / "whole_body.model.yaml")
    return prepare(RunOptions(model=model, loads=loads, settings={"cutoff_hz": "none"}))


@pytest.fixture(scope="module")
def result(folder: Path, prepared: Setup) -> Result:
    return analyse_file(folder / "whole_body.csv", prepared)


def truth(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates of the frame, as they were integrated."""
    with (folder / "whole_body.truth.coordinates.csv").open(encoding="utf-8", newline="") as file:
        row = list(csv.DictReader(file))[FRAME]
    names = ["drive_way_position_m", *(f"{joint}_angle_rad" for joint in TURNS)]
    pairs = [(row[name], row[f"{name}_per_s"]) for name in names]
    q, qd = np.array([[LONG(cell) for cell in pair] for pair in pairs]).T
    return q, qd


def test_m_g_v_j_of_slides_and_turns(folder: Path, result: Result) -> None:
    limits = read_limits(folder / "limits.yaml", result.model)
    assert [f.name for f in limits.freedoms] == ["drive_way_slide_x", *(f"{joint}_turn_z" for joint in TURNS)]
    nowhere = np.full((result.trial.n_frames, 3), np.nan)
    gravity = np.array([1.0, -2.0, -9.81])  # aslant, so that it has a part along every coordinate
    found = leg_dynamics(result, SIDE, limits, POINT, nowhere, gravity, in_motion=True)
    assert found is not None
    exact = ExactChain(SCENARIO.read_text("utf-8"))
    exact.gravity = gravity.astype(LONG)
    q, qd = truth(folder)
    end = exact.end("left_fore")
    # markers of ten digits give poses to 1e-9; rates are those of a quintic spline at 200 Hz
    for ours, theirs, tolerance in (
        (found.M[FRAME], exact.M(q), 1e-7),
        (found.G[FRAME], exact.G(q), 1e-7),
        (found.J[FRAME], exact.jacobian(q, "left_fore", end)[:3], 1e-7),
        (found.V[FRAME], exact.V(q, qd), 1e-5),
        (found.drift_g[FRAME], exact.drift(q, qd, "left_fore", end), 1e-5),
    ):
        expected = theirs.astype(float)
        assert np.abs(ours - expected).max() < tolerance * np.abs(expected).max()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("forces_N: {drive_way: {slide_q: 1}}", "no such way to slide"),
        ("forces_N: {elbow_of_none: {slide_x: 1, negative_slide_x: 1}}", "no such joint"),
        ("forces_N: {drive_way: {slide_x: 1}}", "negative_slide_x"),
    ],
)
def test_refused(folder: Path, prepared: Setup, tmp_path: Path, line: str, words: str) -> None:
    assert prepared.model is not None
    path = tmp_path / "limits.yaml"
    path.write_text(LIMITS.replace(LIMITS.splitlines()[3], line), "utf-8")
    with pytest.raises(GaitidError) as caught:
        read_limits(path, prepared.model)
    assert words in caught.value.line()
