"""Would a mistake be seen? Each test plants one in the analysis and compares its wrenches with the exact ones.

The walk is simulated (100 Hz, no noise) by code that shares nothing with the analysis but the error class: see
`test_the_simulation_shares_nothing_with_what_it_judges`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gaitid
from gaitid.analysis import limb, pipeline
from gaitid.analysis import mass as weighing
from gaitid.analysis.result import Result
from gaitid.body import frames, kinematics, poses
from gaitid.body.subject import SubjectFile
from gaitid.dynamics import newton_euler
from gaitid.dynamics.chain import Link
from gaitid.dynamics.newton_euler import LinkRows
from gaitid.dynamics.wrench import Wrench
from gaitid.ground import contacts, plates_at_camera
from gaitid.ground import plate_load as plates
from gaitid.markers import clean as cleaning
from gaitid.markers.tracks import Tracks
from gaitid.model import shapes, specs
from gaitid.model.load import load_model
from gaitid.numerics import lowpass

SIDES, JOINTS = ("left", "right"), ("ankle", "knee", "hip")
# What the sampling at 100 Hz costs the faultless analysis is 0.026 N and 0.0032 N·m (root mean square over the
# frames that it fills); a fault must exceed some fifteen times that.
FORCE_N, MOMENT_NM = 0.5, 0.05

Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def sim(simulated: Callable[..., Any]) -> Any:
    return simulated()


@pytest.fixture(scope="module")
def model() -> specs.Model:
    return load_model("pig", {"cutoff_hz": "none"})


@pytest.fixture(scope="module")
def sound(sim: Any, model: specs.Model) -> Result:
    return pipeline.analyse(sim.trial, model, SubjectFile())


def errors(result: Result, truth: Any) -> dict[tuple[str, str], tuple[float, float, int]]:
    """Root mean square of the error of force and moment, N and N·m, and the frames filled, by side and joint."""
    found = {}
    for side in SIDES:
        for joint in JOINTS:
            wrench, (f, m) = result.sides[side].wrenches[joint], truth.wrench[side, joint]
            rows = np.isfinite(wrench.f_g).all(axis=1) & np.isfinite(wrench.m_g).all(axis=1)
            found[side, joint] = (
                float(np.sqrt(np.mean(np.sum((wrench.f_g - f)[rows] ** 2, axis=1)))) if rows.any() else np.nan,
                float(np.sqrt(np.mean(np.sum((wrench.m_g - m)[rows] ** 2, axis=1)))) if rows.any() else np.nan,
                int(rows.sum()),
            )
    return found


def caught(result: Result, truth: Any, force: float = FORCE_N, moment: float = MOMENT_NM) -> bool:
    """Whether some joint is off by more than the tolerances, or a stance on a plate is no longer known.

    A fault of a plate may make its pressure lie beside the foot: the load is then refused, not believed.
    """
    if sum(bool(c.plates) for c in result.contacts) < 2:
        return True
    if any(note.code == "calibration_impossible" for note in result.notes):  # a joint of no body is empty
        return True
    found = errors(result, truth).values()
    assert all(rows > 100 for _, _, rows in found), "the fault empties the result; it is not judged by values"
    return any(f > force or m > moment for f, m, _ in found)


def test_without_a_fault_every_wrench_is_within_tolerance(sound: Result, sim: Any) -> None:
    for (side, joint), (force, moment, rows) in errors(sound, sim.truth).items():
        assert force < FORCE_N, (side, joint)
        assert moment < MOMENT_NM, (side, joint)
        assert rows > 150, (side, joint)  # a stance on a plate and the swings


# --- the faults --------------------------------------------------------------------------------------------


def gravity_upward(patch: Patch) -> None:
    solve = newton_euler.SOLVERS["block"]
    patch.setitem(newton_euler.SOLVERS, "block", lambda chain, g: solve(chain, -g))


def gravity_forgotten(patch: Patch) -> None:
    solve = newton_euler.SOLVERS["block"]
    patch.setitem(newton_euler.SOLVERS, "block", lambda chain, g: solve(chain, 0 * g))


def lever_turned_round(patch: Patch) -> None:
    lever = newton_euler._lever
    patch.setattr(newton_euler, "_lever", lambda body, point: -lever(body, point))


def lever_from_the_joint_not_the_centre_of_mass(patch: Patch) -> None:
    link = limb.Link

    def shifted(mass, inertia, R, com, *rest):
        return link(mass, inertia, R, rest[3], *rest)

    patch.setattr(limb, "Link", shifted)


def gyroscopic_term_forgotten(patch: Patch) -> None:
    def without(body: LinkRows) -> np.ndarray:
        alpha = np.einsum("jit,jt->it", body.R_gs, body.alpha_g)
        return np.einsum("ijt,jt->it", body.inertia_s, alpha)

    patch.setattr(newton_euler, "inertia_moment_s", without)


def gyroscopic_term_subtracted(patch: Patch) -> None:
    def minus(body: LinkRows) -> np.ndarray:
        omega = np.einsum("jit,jt->it", body.R_gs, body.omega_g)
        alpha = np.einsum("jit,jt->it", body.R_gs, body.alpha_g)
        spin = np.einsum("ijt,jt->it", body.inertia_s, omega)
        return np.einsum("ijt,jt->it", body.inertia_s, alpha) - np.cross(omega, spin, axis=0)

    patch.setattr(newton_euler, "inertia_moment_s", minus)


def inertia_in_laboratory_axes(patch: Patch) -> None:
    patch.setattr(newton_euler, "apply_transposed", lambda R, v: v)


def rotation_transposed_in_the_law(patch: Patch) -> None:
    patch.setattr(newton_euler, "apply_transposed", newton_euler.apply)


def rotation_transposed_in_the_velocity(patch: Patch) -> None:
    made = kinematics.quaternions_of_each

    def conjugated(rotations: Sequence[np.ndarray]) -> np.ndarray:
        return made(rotations) * np.array([1.0, -1.0, -1.0, -1.0])[:, None, None]

    patch.setattr(kinematics, "quaternions_of_each", conjugated)


def half_of_the_angular_velocity(patch: Patch) -> None:
    spin = kinematics.spin_from_quaternion
    patch.setattr(kinematics, "spin_from_quaternion", lambda q, p: spin(q, p) / 2)


def moved(patch: Patch, change: Callable[[kinematics.SegmentMotion], kinematics.SegmentMotion]) -> None:
    motions = kinematics.segment_motions

    def changed(*args: Any) -> Mapping[str, kinematics.SegmentMotion]:
        return {name: change(motion) for name, motion in motions(*args).items()}

    patch.setattr(poses, "segment_motions", changed)


def acceleration_of_turning_in_segment_axes(patch: Patch) -> None:
    moved(patch, lambda m: replace(m, alpha_g=np.einsum("tji,tj->ti", m.R_gs, m.alpha_g)))


def acceleration_lags_by_a_frame(patch: Patch) -> None:
    moved(patch, lambda m: replace(m, acc_g=np.roll(m.acc_g, 1, axis=0)))


def acceleration_of_the_frame_before_by_differences_of_the_rate(patch: Patch) -> None:
    moved(patch, lambda m: replace(m, acc_g=m.acc_g * 1.2**2))  # 120 Hz taken for 100 Hz


def derivative_by_three_points(patch: Patch) -> None:
    def three(values: np.ndarray, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
        first, second = np.full_like(values, np.nan), np.full_like(values, np.nan)
        first[1:-1] = (values[2:] - values[:-2]) * rate_hz / 2
        second[1:-1] = (values[2:] - 2 * values[1:-1] + values[:-2]) * rate_hz**2
        return first, second

    patch.setattr(kinematics, "spline_derivatives", three)


def markers_secretly_smoothed(patch: Patch) -> None:
    def smoothed(markers: Tracks, settings: specs.Settings, rate_hz: float, rough: object) -> Any:
        return lowpass.lowpass(markers.points, 6.0, rate_hz), {}, settings

    patch.setattr(cleaning, "through_filter", smoothed)


def plate(patch: Patch, change: Callable[[Any], Any]) -> None:
    load = plates.plate_load
    patch.setattr(plates_at_camera, "plate_load", lambda one, *rest: load(change(one), *rest))


def sensor_above_the_surface(patch: Patch) -> None:
    plate(patch, lambda p: replace(p, sensor_p=-p.sensor_p))


def sensor_height_alone_turned(patch: Patch) -> None:
    plate(patch, lambda p: replace(p, sensor_p=p.sensor_p * [1.0, 1.0, -1.0]))


def plate_corners_counted_from_another(patch: Patch) -> None:
    plate(patch, lambda p: replace(p, corners_g=p.corners_g[[1, 2, 3, 0]]))


def shear_of_the_plate_turned(patch: Patch) -> None:
    plate(patch, lambda p: replace(p, force_p=p.force_p * [-1.0, 1.0, 1.0]))


def plates_lag_by_a_frame(patch: Patch) -> None:
    sample = plates.sample_local_quadratic

    def late(values: np.ndarray, *rest: Any) -> np.ndarray:
        return np.roll(sample(values, *rest), 1, axis=0)

    patch.setattr(plates, "sample_local_quadratic", late)


def plates_read_by_the_block_of_a_frame(patch: Patch) -> None:
    def block(values: np.ndarray, rate: float, camera: float, n: int, start: float) -> np.ndarray:
        k = round(rate / camera)
        return values[: n * k].reshape(n, k, -1).mean(axis=1)

    patch.setattr(plates, "sample_local_quadratic", block)


def loads(patch: Patch, change: Callable[[contacts.FootLoad], contacts.FootLoad]) -> None:
    assign = contacts.loads_on_feet

    def changed(*args: Any) -> contacts.Loads:
        known = assign(*args)
        return replace(known, by_side={side: change(load) for side, load in known.by_side.items()})

    patch.setattr(weighing, "loads_on_feet", changed)


def action_taken_for_reaction(patch: Patch) -> None:
    loads(patch, lambda x: replace(x, wrench=Wrench(-x.wrench.f_g, -x.wrench.m_g, x.wrench.p_g)))


def free_moment_forgotten(patch: Patch) -> None:
    def without(x: contacts.FootLoad) -> contacts.FootLoad:
        spin = np.nan_to_num(x.free_moment)[:, None] * [0.0, 0.0, 1.0]
        return replace(x, wrench=Wrench(x.wrench.f_g, x.wrench.m_g - spin, x.wrench.p_g))

    loads(patch, without)


def free_moment_turned(patch: Patch) -> None:
    def turned(x: contacts.FootLoad) -> contacts.FootLoad:
        spin = np.nan_to_num(x.free_moment)[:, None] * [0.0, 0.0, 1.0]
        return replace(x, wrench=Wrench(x.wrench.f_g, x.wrench.m_g - 2 * spin, x.wrench.p_g))

    loads(patch, turned)


def moment_of_the_ground_not_moved(patch: Patch) -> None:
    loads(patch, lambda x: replace(x, wrench=Wrench(x.wrench.f_g, x.wrench.m_g, np.array([0.05, 0.0, 0.0]))))


def wrench_moved_the_wrong_way(patch: Patch) -> None:
    """Only in the law: on the plates it would move the pressure off the foot, and the contact would be refused."""
    law = limb.Link

    def linked(mass: float, inertia: np.ndarray, R: np.ndarray, com: np.ndarray, *rest: Any) -> Link:
        *motion, w, applied = rest
        # a point as far on the other side of the centre of mass: m − (p − c) × f instead of m + (p − c) × f
        moved = None if w is None else Wrench(w.f_g, w.m_g, 2 * com - w.p_g)
        return law(mass, inertia, R, com, *motion, moved, applied)

    patch.setattr(limb, "Link", linked)


def left_and_right_loads_exchanged(patch: Patch) -> None:
    assign = contacts.loads_on_feet

    def exchanged(*args: Any) -> contacts.Loads:
        known = assign(*args)
        return replace(known, by_side={"left": known.by_side["right"], "right": known.by_side["left"]})

    patch.setattr(weighing, "loads_on_feet", exchanged)


def sign_of_the_sides_exchanged_in_angles(patch: Patch) -> None:
    chord = frames.chord
    patch.setattr(frames, "chord", lambda p, w, l, radius, dihedral: chord(p, w, l, radius, -np.asarray(dihedral)))


def side_sign_in_joint_centres(patch: Patch) -> None:
    """Davis's y without the side's sign: both hips on the left."""
    number = frames.Geometry.number

    def one_sign(self: frames.Geometry, name: str, side: str = "") -> object:
        return 1.0 if name == "sign" else number(self, name, side)

    patch.setattr(frames.Geometry, "number", one_sign)


def marker_radius_forgotten(patch: Patch) -> None:
    chord = frames.chord
    patch.setattr(frames, "chord", lambda p, w, l, radius, dihedral: chord(p, w, l, radius - 0.007, dihedral))


def offsets_of_the_foot_the_other_way(patch: Patch) -> None:
    about = frames.about_axis
    patch.setattr(frames, "about_axis", lambda axis, angle: about(axis, -np.asarray(angle)))


def centre_of_mass_from_the_wrong_end(patch: Patch) -> None:
    make = frames.Geometry._make_point

    def from_the_other(self: frames.Geometry, spec: Any, side: str, local: Mapping[str, object]) -> np.ndarray:
        if isinstance(spec, shapes.Between):
            spec = spec._replace(start=spec.end, end=spec.start)
        return make(self, spec, side, local)

    patch.setattr(frames.Geometry, "_make_point", from_the_other)


FAULTS = [
    gravity_upward,
    gravity_forgotten,
    lever_turned_round,
    lever_from_the_joint_not_the_centre_of_mass,
    inertia_in_laboratory_axes,
    rotation_transposed_in_the_law,
    rotation_transposed_in_the_velocity,
    half_of_the_angular_velocity,
    acceleration_of_turning_in_segment_axes,
    acceleration_lags_by_a_frame,
    acceleration_of_the_frame_before_by_differences_of_the_rate,
    markers_secretly_smoothed,
    sensor_above_the_surface,
    sensor_height_alone_turned,
    plate_corners_counted_from_another,
    shear_of_the_plate_turned,
    plates_lag_by_a_frame,
    plates_read_by_the_block_of_a_frame,
    action_taken_for_reaction,
    free_moment_forgotten,
    free_moment_turned,
    moment_of_the_ground_not_moved,
    wrench_moved_the_wrong_way,
    left_and_right_loads_exchanged,
    sign_of_the_sides_exchanged_in_angles,
    side_sign_in_joint_centres,
    marker_radius_forgotten,
    offsets_of_the_foot_the_other_way,
    centre_of_mass_from_the_wrong_end,
    gyroscopic_term_forgotten,
    gyroscopic_term_subtracted,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_caught(fault: Callable[[Patch], None], sim: Any, model: specs.Model) -> None:
    with pytest.MonkeyPatch.context() as patch:
        fault(patch)
        result = pipeline.analyse(sim.trial, model, SubjectFile())
    assert caught(result, sim.truth)


def test_a_coarser_derivative_is_caught_by_a_finer_tolerance(sim: Any, model: specs.Model, sound: Result) -> None:
    """Three points instead of the quintic spline cost 0.17 N and 0.045 N·m: below what one calls a fault.

    So it is held against three times what the faultless analysis costs, 0.08 N.
    """
    assert not caught(sound, sim.truth, 0.08, 0.01)
    with pytest.MonkeyPatch.context() as patch:
        derivative_by_three_points(patch)
        result = pipeline.analyse(sim.trial, model, SubjectFile())
    assert caught(result, sim.truth, 0.08, 0.01)


def test_the_planted_faults_are_gone_afterwards(sim: Any, model: specs.Model, sound: Result) -> None:
    again = pipeline.analyse(sim.trial, model, SubjectFile())
    for side in SIDES:
        for joint in JOINTS:
            one, two = sound.sides[side].wrenches[joint], again.sides[side].wrenches[joint]
            np.testing.assert_array_equal(one.m_g, two.m_g)


# --- the judge is independent ------------------------------------------------------------------------------

# A chain is integrated forward in joint space, and its wrenches follow from momentum: nothing that `run` solves with,
# or builds segments with, is among these. Of the model it is the language of files.
SHARED = {
    "simulate",
    "errors",
    "disk",
    "write.CONTACT_COLUMNS",  # names of columns, no code
    "scenario_names",
    *(
        f"dynamics.{name}"
        for name in ("joint_space", "joint_tree", "forward", "integration", "control", "friction", "inertia", "pace")
    ),
    *(f"model.{name}" for name in ("fields", "expression", "yaml_file", "load", "find")),
}


def test_the_simulation_shares_nothing_with_what_it_judges() -> None:
    folder = Path(gaitid.__file__).parent / "simulate"
    files = sorted(folder.rglob("*.py"))
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file.name}: relative import"
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for name in names:
                first, _, rest = name.partition(".")
                assert first != "importlib", file.name
                if first == "gaitid":
                    module, *parts = rest.split(".")
                    assert module in SHARED or f"{module}.{parts[0]}" in SHARED, f"{file.name} imports {name}"
