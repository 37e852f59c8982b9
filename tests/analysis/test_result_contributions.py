"""`gaitid run --contributions [--observer SEGMENT]` and `--write base`: columns, sums, and what physics says of them.

The mechanics are tested in `tests/dynamics`; here it is what a user gets: which segment an observer rides on, whose
mass counts, and that a file holds it. Cells have ten digits: sums of some 1000 N are known to 1e-6 N.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from simulated_trials import simulated_walk

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from terminal import assert_refused, edited_c3d, gaitid, table, without_markers

from gaitid.analysis.contributions import contributed
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import ModelError
from gaitid.model.load import load_model
from gaitid.numerics.rotation import apply
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


@pytest.mark.parametrize("observer", [None, *SEGMENTS])
def test_the_parts_stand_before_the_ground_and_sum_to_the_wrench(run: Runs, observer: str | None) -> None:
    """`--observer` alone asks for contributions; a part is empty where the whole is."""
    options = ("--contributions",) if observer is None else ("--observer", observer)
    causes = CAUSES if observer is None else (*CAUSES, *FICTITIOUS)
    plain, found = run.read("wrenches"), run.read("wrenches", *options)
    wrenches = [name for name in plain if "_ground_" not in name]
    assert list(found) == [*wrenches, *part_names(causes), *list(plain)[len(wrenches) :]]
    for name in plain:
        np.testing.assert_array_equal(found[name], plain[name], err_msg=name)
    for name in wrenches[2:]:
        stem, unit = name.rsplit("_", 1)
        parts = np.array([found[f"{stem}_{cause}_{unit}"] for cause in causes])
        np.testing.assert_array_equal(np.isnan(parts), np.broadcast_to(np.isnan(found[name]), parts.shape))
        np.testing.assert_allclose(parts.sum(axis=0), found[name], rtol=0, atol=TEN_DIGITS, err_msg=name)


def test_parts_are_expressed_in_every_frame_as_the_wrench_is(run: Runs) -> None:
    frames = ("proximal", "jcs")
    options = [word for frame in frames for word in ("--express-in", frame)]
    found = run.read("wrenches", "--observer", "thigh", *options)
    names = part_names((*CAUSES, *FICTITIOUS), frames)
    assert [name for name in found if name.endswith(tuple(f"{c}_N" for c in CAUSES))] == [
        name for name in names if name.endswith(tuple(f"{c}_N" for c in CAUSES))
    ]
    assert set(names) < set(found)
    for name in (f"{side}_knee_moment_{frame}_{axis}" for side in SIDES for frame in frames for axis in "xyz"):
        total = sum(found[f"{name}_{cause}_Nm"] for cause in (*CAUSES, *FICTITIOUS))
        np.testing.assert_allclose(total, found[f"{name}_Nm"], rtol=0, atol=TEN_DIGITS, err_msg=name)


def test_stdout_has_them_too(run: Runs, walk: Path) -> None:
    done = gaitid("run", walk, "--model", "pig", "--quiet", "-o", "-", "--observer", "shank")
    assert done.out == (run("--observer", "shank") / "walk.wrenches.csv").read_text()


def test_every_solver_s_wrench_is_what_the_parts_sum_to(run: Runs) -> None:
    block = run.read("wrenches", "--observer", "shank")
    for solver in ("dense", "recursive", "constrained"):
        other = run.read("wrenches", "--observer", "shank", "--solver", solver)
        assert list(other) == list(block)
        for name, values in block.items():
            # N, N·m: ten digits of up to 1000 N, of which rounding may turn the last
            np.testing.assert_allclose(other[name], values, rtol=1e-9, atol=1e-8, err_msg=f"{solver} {name}")


def test_a_leg_without_markers_has_all_its_columns_and_nothing_in_them(walk: Path, tmp_path: Path) -> None:
    leg = {"RTHI", "RKNE", "RTIB", "RANK", "RHEE", "RTOE"}
    trial = edited_c3d(walk, tmp_path / "walk.c3d", lambda c: without_markers(c, lambda label: label not in leg))
    done = gaitid("run", trial, "--model", "pig", "--observer", "pelvis", "-o", tmp_path / "o")
    assert done.code == 0, done.err
    found = columns((tmp_path / "o" / "walk.wrenches.csv").read_text())
    names = part_names((*CAUSES, *FICTITIOUS))
    assert [name for name in found if name in set(names)] == names
    for name in names:
        assert np.isnan(found[name]).all() == name.startswith("right_"), name


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


@pytest.mark.parametrize("observer", SEGMENTS)
@pytest.mark.parametrize("side", SIDES)
def test_each_fictitious_force_is_that_of_who_rides_on_the_segment(run: Runs, side: str, observer: str) -> None:
    """From the poses and rates in segments.csv: where the observer sits, how he turns, what he sees move."""
    found = run.read("wrenches", "--observer", observer)
    s = run.read("segments", "--observer", observer, "--write", "segments")
    bodies = json.loads((run("--observer", observer) / "walk.run.json").read_text())["segments"]
    own = observer if observer == "pelvis" else f"{side}_{observer}"
    omega, alpha = vector(s, f"{own}_omega", "rad_per_s"), vector(s, f"{own}_alpha", "rad_per_s2")
    com, joint_of = vector(s, f"{own}_com", "m"), {"foot": "ankle", "shank": "knee", "thigh": "hip"}
    p = com if observer == "pelvis" else vector(s, f"{side}_{joint_of[observer]}", "m")
    a_p = vector(s, f"{own}_acc", "m_per_s2") + np.cross(alpha, p - com) + np.cross(omega, np.cross(omega, p - com))
    step = s["time_s"][1]
    expected = {joint: {name: np.zeros_like(p) for name in FICTITIOUS} for joint in BEYOND}
    # v_rel = R d(Rᵀ r)/dt = ċ − ṗ − ω × r, of which ċ by central differences
    v_p = np.gradient(com, step, axis=0) + np.cross(omega, p - com)
    for joint, forces in expected.items():
        for segment in BEYOND[joint]:
            m, c = bodies[f"{side}_{segment}"]["mass_kg"], vector(s, f"{side}_{segment}_com", "m")
            r, v = c - p, np.gradient(c, step, axis=0) - v_p - np.cross(omega, c - p)
            forces["dalembert"] += m * a_p
            forces["euler"] += m * np.cross(alpha, r)
            forces["centrifugal"] += m * np.cross(omega, np.cross(omega, r))
            forces["coriolis"] += 2 * m * np.cross(omega, v)
    # of the differences of motions up to 6 Hz over 10 ms: (2π 6 Hz)² (10 ms)²/6
    of_differences = 0.024 * np.nanmax(np.abs(expected["hip"]["coriolis"]))
    for joint, forces in expected.items():
        for name, force in forces.items():
            part = vector(found, f"{side}_{joint}_force_global", f"{name}_N")
            close(part, force, of_differences if name == "coriolis" else TEN_DIGITS)


def test_who_rides_on_the_foot_sees_the_foot_at_rest(run: Runs) -> None:
    found = run.read("wrenches", "--observer", "foot")
    for side in SIDES:
        still = np.zeros((len(found["frame"]), 3))
        for name in ("inertia", "coriolis"):
            close(vector(found, f"{side}_ankle_force_global", f"{name}_N"), still, 1e-9)  # N, left of some 30
        assert np.nanmax(np.abs(vector(found, f"{side}_ankle_force_global", "dalembert_N"))) > 1


def test_the_base_carries_both_hips_about_its_origin(run: Runs) -> None:
    """`--write base`: without mass, the pelvis passes on what it exerts on the thighs; in its own axes too."""
    found = run.read("wrenches", "--contributions")
    base = run.read("base", "--contributions", "--write", "base")
    segments = run.read("segments", "--contributions", "--write", "segments")
    origin = vector(segments, "pelvis_com", "m")
    force = sum(vector(found, f"{side}_hip_force_global", "N") for side in SIDES)
    moment = sum(
        vector(found, f"{side}_hip_moment_global", "Nm")
        + np.cross(vector(segments, f"{side}_hip", "m") - origin, vector(found, f"{side}_hip_force_global", "N"))
        for side in SIDES
    )
    assert list(base)[2:] == [
        f"pelvis_{kind}_{frame}_{axis}_{unit}"
        for kind, unit in (("force", "N"), ("moment", "Nm"))
        for frame in FRAMES
        for axis in "xyz"
    ]
    q = np.stack([segments[f"pelvis_q{c}"] for c in "wxyz"], axis=-1)
    seen = np.isfinite(q).all(axis=1)
    R = np.full((len(q), 3, 3), np.nan)
    R[seen] = Rotation.from_quat(q[seen], scalar_first=True).as_matrix()
    for kind, unit, expected in (("force", "N", force), ("moment", "Nm", moment)):
        close(vector(base, f"pelvis_{kind}_global", unit), expected, TEN_DIGITS)
        close(vector(base, f"pelvis_{kind}_distal", unit), np.einsum("tji,tj->ti", R, expected), TEN_DIGITS)
        np.testing.assert_array_equal(np.isnan(vector(base, f"pelvis_{kind}_global", unit)), np.isnan(expected))


# --- the record, and what is refused ------------------------------------------------------------------------


def test_the_record_says_what_was_asked_and_what_it_means(run: Runs) -> None:
    def record(*options: str) -> dict[str, dict[str, object]]:
        return json.loads((run(*options) / "walk.run.json").read_text())  # type: ignore[no-any-return]

    assert "contributions" not in record()["settings"]
    plain, seen = record("--contributions"), record("--observer", "thigh")
    assert (plain["settings"]["contributions"], plain["settings"]["observer"]) == (True, None)
    assert (seen["settings"]["contributions"], seen["settings"]["observer"]) == (True, "thigh")
    words = str(plain["conventions"]["contributions"])
    assert all(f"{cause}: " in words for cause in CAUSES)
    assert not any(name in words for name in FICTITIOUS)
    words = str(seen["conventions"]["contributions"])
    assert "seen from the thigh" in words and all(name in words for name in FICTITIOUS)


def test_an_unknown_observer_is_refused_with_the_segments(walk: Path, tmp_path: Path) -> None:
    done = gaitid("run", walk, "--model", "pig", "--observer", "tibia", "-o", tmp_path / "o")
    assert_refused(done, "--observer tibia", "foot or shank or thigh or pelvis")
    assert not (tmp_path / "o").exists()


@pytest.fixture(scope="module")
def result() -> Result:
    return analyse(simulated_walk().trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())


def test_the_library_refuses_it_too(result: Result) -> None:
    with pytest.raises(ModelError, match="tibia") as refused:
        contributed(result, "tibia")
    assert refused.value.line().endswith("expected foot or shank or thigh or pelvis")


def test_parts_sum_to_the_wrench_without_a_file_between(result: Result) -> None:
    """To 1e-12 of the largest term (some ten roundings), lever arms of a leg below 1 m."""
    for observer in (None, *SEGMENTS):
        for side, joints in contributed(result, observer).items():
            for joint, parts in joints.items():
                wrench = result.sides[side].wrenches[joint]
                largest = max(np.nanmax(np.abs(part.f_g)) for part in parts.values())
                close(sum(part.f_g for part in parts.values()), wrench.f_g, 1e-12 * largest)
                close(sum(part.m_g for part in parts.values()), wrench.m_g, 1e-12 * largest)


def test_on_a_base_with_a_joint_the_observer_rides_there(result: Result) -> None:
    """The base's wrench is about its proximal joint, where it has one: moved by d, he feels a + α × d + ω × (ω × d)."""
    base, d = result.base, apply(result.base.R_gs, np.array([-0.1, 0.0, 0.07]))
    wrench = Wrench(result.base_wrench.f_g, result.base_wrench.m_g, base.com_g + d)
    moved = replace(result, solve_base=lambda: (wrench, result.base_chain))
    a_p = base.acc_g + np.cross(base.alpha_g, d) + np.cross(base.omega_g, np.cross(base.omega_g, d))
    foot = result.sides["left"].bodies["foot"].mass_kg
    close(contributed(moved, "pelvis")["left"]["ankle"]["dalembert"].f_g, foot * a_p, 1e-9)  # N, of some 10
