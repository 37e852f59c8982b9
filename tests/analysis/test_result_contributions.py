"""`gaitid run --contributions [--observer SEGMENT]` and `--write base`: columns, sums, and what physics says of them.

The mechanics are tested in `tests/dynamics`; here it is what a user gets: which segment an observer rides on, whose
mass counts, and that a file holds it. Cells have ten digits: sums of some 1000 N are known to 1e-6 N.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from terminal import gaitid, table

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.simulate.files import simulate

SIDES = ("left", "right")
BEYOND = {"ankle": ("foot",), "knee": ("foot", "shank"), "hip": ("foot", "shank", "thigh")}
SEGMENTS = ("foot", "shank", "thigh", "pelvis")  # from the free end to the base: who may observe
CAUSES = ("gravity", "inertia", "ground_reaction")
FICTITIOUS = ("dalembert", "euler", "centrifugal", "coriolis")
FRAMES = ("global", "distal")
TEN_DIGITS = 1e-6  # N and N·m, of sums of up to eight cells of up to 1000
UP_G = 9.81 * np.array([0.0, 0.0, 1.0])

Columns = Mapping[str, np.ndarray]


def part_names(causes: tuple[str, ...], frames: tuple[str, ...] = FRAMES, sides: tuple[str, ...] = SIDES) -> list[str]:
    """Side, joint, cause, force then moment, frame of expression, axis."""
    return [
        f"{side}_{joint}_{kind}_{frame}_{axis}_{cause}_{unit}"
        for side in sides
        for joint in BEYOND
        for cause in causes
        for kind, unit in (("force", "N"), ("moment", "Nm"))
        for frame in frames
        for axis in "xyz"
    ]


def columns(text: str) -> Columns:
    header, rows = table(text)
    values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])
    return dict(zip(header, values.T, strict=True))


def vector(found: Columns, name: str, unit: str) -> np.ndarray:
    """(frames, 3) of the columns ``{name}_x_{unit}``, … (`unit` may begin with a cause)."""
    return np.stack([found[f"{name}_{axis}_{unit}"] for axis in "xyz"], axis=-1)


def close(found: np.ndarray, expected: np.ndarray, atol: float) -> None:
    """Where both are known, and there are such frames."""
    known = np.isfinite(found).all(axis=1) & np.isfinite(expected).all(axis=1)
    assert known.sum() > 50
    np.testing.assert_allclose(found[known], expected[known], rtol=0, atol=atol)


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("walk")
    simulate("walk", folder, duration=2.5)
    return folder / "walk.c3d"


class Runs:
    """`gaitid run` of the walk, each set of options once."""

    def __init__(self, walk: Path, folder: Path) -> None:
        self.walk, self.folder = walk, folder
        self.read = cache(self._read)

    @cache  # noqa: B019 - one object a module
    def __call__(self, *options: str) -> Path:
        folder = self.folder / "-".join(["run", *options])
        done = gaitid("run", self.walk, "--model", "pig", "--quiet", "-o", folder, *options)
        assert done.code == 0, done.err
        return folder

    def _read(self, file: str, *options: str) -> Columns:
        return columns((self(*options) / f"walk.{file}.csv").read_text())


@pytest.fixture(scope="module")
def run(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(walk, tmp_path_factory.mktemp("runs"))


# --- columns and sums ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loads", [(), ("--estimate-loads",)])
@pytest.mark.parametrize("observer", [None, *SEGMENTS])
def test_the_parts_stand_before_the_ground_and_sum_to_the_wrench(
    run: Runs, observer: str | None, loads: tuple[str, ...]
) -> None:
    """`--observer` alone asks for contributions; a part is empty where the whole is, and else there."""
    options = ("--contributions",) if observer is None else ("--observer", observer)
    causes = CAUSES if observer is None else (*CAUSES, *FICTITIOUS)
    plain, found = run.read("wrenches", *loads), run.read("wrenches", *options, *loads)
    assert not loads or (plain["left_ground_estimated"] == 1).any()
    wrenches = [name for name in plain if "_ground_" not in name]
    assert list(found) == [*wrenches, *part_names(causes), *list(plain)[len(wrenches) :]]
    for name in plain:
        np.testing.assert_array_equal(found[name], plain[name], err_msg=name)
    for name in wrenches[2:]:
        stem, unit = name.rsplit("_", 1)
        parts = np.array([found[f"{stem}_{cause}_{unit}"] for cause in causes])
        np.testing.assert_array_equal(np.isnan(parts), np.broadcast_to(np.isnan(found[name]), parts.shape))
        np.testing.assert_allclose(parts.sum(axis=0), found[name], rtol=0, atol=TEN_DIGITS, err_msg=name)


def test_every_solver_s_wrench_is_what_the_parts_sum_to(run: Runs) -> None:
    block = run.read("wrenches", "--observer", "shank")
    for solver in ("dense", "recursive", "constrained"):
        other = run.read("wrenches", "--observer", "shank", "--solver", solver)
        assert list(other) == list(block)
        for name, values in block.items():
            # N, N·m: ten digits of up to 1000 N, of which rounding may turn the last
            np.testing.assert_allclose(other[name], values, rtol=1e-9, atol=1e-8, err_msg=f"{solver} {name}")


# --- what physics says of them ------------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_gravity_and_ground_are_what_is_carried_and_what_is_answered(run: Runs, side: str) -> None:
    found = run.read("wrenches", "--contributions")
    segments = run.read("segments", "--contributions", "--write", "segments")
    bodies = json.loads((run("--contributions") / "walk.run.json").read_text())["segments"]
    force = vector(found, f"{side}_ground_force", "N")
    loaded = np.isfinite(force).all(axis=1) & force.any(axis=1)
    swing = np.isfinite(force).all(axis=1) & ~force.any(axis=1)
    assert loaded.sum() > 20 and swing.sum() > 20
    cop = np.where(loaded[:, None], vector(found, f"{side}_ground_cop", "m"), 0.0)
    free = found[f"{side}_ground_free_moment_Nm"][:, None] * np.array([0.0, 0.0, 1.0])
    for joint, beyond in BEYOND.items():
        P = vector(segments, f"{side}_{joint}", "m")
        masses = [bodies[f"{side}_{segment}"]["mass_kg"] for segment in beyond]
        levers = [vector(segments, f"{side}_{segment}_com", "m") - P for segment in beyond]
        gravity = {
            kind: vector(found, f"{side}_{joint}_{kind}_global", f"gravity_{unit}")
            for kind, unit in (("force", "N"), ("moment", "Nm"))
        }
        close(gravity["force"], np.broadcast_to(sum(masses) * UP_G, P.shape), 1e-7)  # N
        close(gravity["moment"], sum(m * np.cross(r, UP_G) for m, r in zip(masses, levers, strict=True)), 1e-7)
        ground = vector(found, f"{side}_{joint}_moment_global", "ground_reaction_Nm")
        close(vector(found, f"{side}_{joint}_force_global", "ground_reaction_N"), -force, 1e-7)
        close(ground, -np.cross(cop - P, force) - free, TEN_DIGITS)
        known = np.isfinite(ground).all(axis=1)
        assert (swing & known).any()
        assert not ground[swing & known].any()


def test_who_rides_on_the_foot_sees_the_foot_at_rest(run: Runs) -> None:
    found = run.read("wrenches", "--observer", "foot")
    for side in SIDES:
        still = np.zeros((len(found["frame"]), 3))
        for name in ("inertia", "coriolis"):
            close(vector(found, f"{side}_ankle_force_global", f"{name}_N"), still, 1e-9)  # N, left of some 30
        assert np.nanmax(np.abs(vector(found, f"{side}_ankle_force_global", "dalembert_N"))) > 1


# --- the record, and what is refused ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result() -> Result:
    return analyse(simulated_walk().trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())
