"""Every scenario: is its truth exact, are the loads on the plates those of the feet, is it what its name says?"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated_trials import state_of, walk_of
from slow import slow_but

from gaitid.numerics.jet import Jet, angular_velocity, bilinear
from gaitid.simulate.body import SEGMENTS, Skeleton
from gaitid.simulate.files import simulate
from gaitid.simulate.loads import FootLoad
from gaitid.simulate.plates import spread
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.simulate.walk import Walk, WalkState, spin_momentum

Array = NDArray[np.float64]
SIDES = ("left", "right")
G = np.array([0.0, 0.0, -9.81])
#: Heel and toe markers keep this far, m, from their footprints while they stand. A footprint is taken at one instant
#: of the flat foot; measured: up to 9.4 and 13.7 mm, 13.3 and 27.3 mm where the feet cross, 0.4 and 0.9 mm in the run.
SLIP_M = {"crossing": 0.028}
MOST_SLIP_M = 0.014

#: Of the plates, in files.
FEW_SAMPLES = {"analog_rate_hz": 200.0}

every_scenario = pytest.mark.parametrize("name", SCENARIOS)
#: What differs most in the files; of the others only the motion and the loads are looked at by default.
WRITTEN = ("walk", "shared_plate", "across_plates", "swapped_plates", "ramp", "second_person")
both_sides = pytest.mark.parametrize("side", SIDES)


# --- mechanics ---------------------------------------------------------------------------------------------


@every_scenario
def test_velocities_and_accelerations_are_those_of_the_positions(name: str) -> None:
    walk, h = walk_of(name), 1e-4
    t = walk.settings.times_s[::7]
    exact, before, after = walk.at(t), walk.at(t - h), walk.at(t + h)
    # The error of a central difference is h²/6 = 2e-9 s² times the third derivative: in the run up to 1e3 m/s³,
    # 6e4 m/s⁴ and 6e5 rad/s⁴; rounding adds 1e-11.
    for segment in exact.com_g:
        v = (after.com_g[segment] - before.com_g[segment]) / (2 * h)
        a = (after.velocity_g[segment] - before.velocity_g[segment]) / (2 * h)
        alpha = (after.omega_g[segment] - before.omega_g[segment]) / (2 * h)
        np.testing.assert_allclose(exact.velocity_g[segment], v, atol=1e-5, err_msg=segment)  # m/s
        np.testing.assert_allclose(exact.acceleration_g[segment], a, atol=5e-4, err_msg=segment)  # m/s²
        np.testing.assert_allclose(exact.alpha_g[segment], alpha, atol=5e-3, err_msg=segment)  # rad/s²
        # R(t + h) Rᵀ(t − h) = 1 + 2 h [ω]×
        turned = after.rotation[segment] @ np.swapaxes(before.rotation[segment], 1, 2)
        omega = np.stack(
            [turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0], turned[:, 1, 0] - turned[:, 0, 1]],
            axis=1,
        ) / (4 * h)
        np.testing.assert_allclose(exact.omega_g[segment], omega, atol=1e-4, err_msg=segment)  # rad/s


def kinetic_energy(walk: Walk, skeleton: Skeleton, side: str) -> Jet:
    """Of a leg (times,), J, with its rate of change."""

    def dot(a: Jet, b: Jet) -> Jet:
        return bilinear(lambda u, v: np.einsum("ti,ti->t", u, v), a, b)

    total = []
    for segment in SEGMENTS:
        v, spin = skeleton.com[f"{side}_{segment}"].derivative(), spin_momentum(walk.subject, skeleton, side, segment)
        omega = angular_velocity(skeleton.rotation[f"{side}_{segment}"])
        total.append(dot(v, v) * (0.5 * walk.subject.segment_mass_kg(segment)) + dot(omega, spin) * 0.5)
    return sum(total[1:], total[0])


@every_scenario
@both_sides
def test_power_of_all_wrenches_is_the_rate_of_energy(name: str, side: str) -> None:
    walk, state = walk_of(name), state_of(name)
    skeleton = walk.gait.walking(state.time_s)
    energy = kinetic_energy(walk, skeleton, side)
    omega = {s: state.omega_g[f"{side}_{s}"] for s in ("thigh", "shank", "foot")}
    force, moment = state.wrench[side, "hip"]
    power = np.sum(force * skeleton.point[f"{side}_hip"].d[1] + moment * omega["thigh"], axis=1)
    for joint, distal, proximal in (("knee", "shank", "thigh"), ("ankle", "foot", "shank")):
        power += np.sum(state.wrench[side, joint][1] * (omega[distal] - omega[proximal]), axis=1)
    for segment in omega:
        power += walk.subject.segment_mass_kg(segment) * state.velocity_g[f"{side}_{segment}"] @ G
    load = state.load[side]
    com, v = state.com_g[f"{side}_foot"], state.velocity_g[f"{side}_foot"]
    cop = np.where(np.isfinite(load.cop_g), load.cop_g, com)
    at_cop = v + np.cross(omega["foot"], cop - com)
    power += np.sum(load.force_g * at_cop + load.free_moment_g * omega["foot"], axis=1)
    np.testing.assert_allclose(power, energy.d[1], atol=1e-8)  # W of some thousands: rounding only
    assert np.ptp(power) > 50  # W: there is something to balance


def test_a_belt_changes_no_wrench() -> None:
    """Galileo: a treadmill at even speed is a walkway seen from a train."""
    for key, (force, moment) in state_of("walk").wrench.items():
        np.testing.assert_allclose(state_of("treadmill").wrench[key][0], force, atol=1e-8)  # N: rounding
        np.testing.assert_allclose(state_of("treadmill").wrench[key][1], moment, atol=1e-8)  # N·m


# --- feet and plates ---------------------------------------------------------------------------------------


def standing(walk: Walk, state: WalkState, side: str, low: float, high: float) -> tuple[NDArray[np.bool_], Array]:
    """Frames in this part of a stance, and (frames,) length of the footprint from heel to toe marker, m."""
    load = state.load[side]
    course = np.array([stance.course_s for stance in walk.stances])[load.stance]
    part = (walk.gait.pattern_s(state.time_s) - course[:, 0]) / (course[:, 1] - course[:, 0])
    length = np.array([np.linalg.norm(stance.toe_g - stance.heel_g) for stance in walk.stances])[load.stance]
    return (load.stance >= 0) & (part > low) & (part < high), length


def sole_normal(load: FootLoad) -> Array:
    """(times, 3) upward normal of the ground under a foot."""
    normal = np.cross(load.ahead_g, load.outward_g)
    return np.asarray(normal * np.sign(normal[:, 2:]))


@every_scenario
@both_sides
def test_feet_hardly_slip_on_their_ground(name: str, side: str) -> None:
    walk, state = walk_of(name), state_of(name)
    load, letter = state.load[side], side[0].upper()
    heel = load.cop_g - load.along_m[:, None] * load.ahead_g - load.lateral_m[:, None] * load.outward_g
    for label, ahead, window in (("HEE", 0.0, (0.20, 0.48)), ("TOE", 1.0, (0.20, 0.88))):
        now, length = standing(walk, state, side, *window)
        assert now.sum() > 20
        off = state.marker_g[letter + label] - heel - ahead * length[:, None] * load.ahead_g
        normal = sole_normal(load)
        height = np.sum(off * normal, axis=1, keepdims=True)
        slip = np.linalg.norm(off - height * normal, axis=1)[now]
        assert slip.max() < SLIP_M.get(name, MOST_SLIP_M)
        # m: the marker's 45 mm, less or more by as far as the foot rolls
        assert height[now].min() > 0.035 and height[now].max() < 0.062


@every_scenario
@both_sides
def test_pressure_stays_under_the_sole(name: str, side: str) -> None:
    walk, state = walk_of(name), state_of(name)
    load, letter = state.load[side], side[0].upper()
    heel, toe = state.marker_g[f"{letter}HEE"], state.marker_g[f"{letter}TOE"]
    normal = sole_normal(load)
    ahead = (toe - heel) - np.sum((toe - heel) * normal, axis=1, keepdims=True) * normal
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    from_toe = load.cop_g - toe
    now, length = standing(walk, state, side, 0.0, 1.0)
    along, across = np.sum(from_toe * ahead, axis=1)[now], np.sum(from_toe * np.cross(normal, ahead), axis=1)[now]
    # from the heel marker to 0.30 of heel-toe beyond the toe marker, 45 mm to either side
    assert (along > -length[now]).all() and (along < 0.30 * length[now]).all()
    assert (np.abs(across) < 0.045).all()


def about_origin(force: Array, at: Array, moment: Array) -> Array:
    """(times, 6) force and moment about the laboratory's origin; a point is NaN where there is no load."""
    return np.hstack([force, np.cross(np.where(np.isfinite(at), at, 0.0), force) + moment])


@every_scenario
def test_plates_and_bare_floor_together_carry_the_feet(name: str) -> None:
    walk = walk_of(name)
    t = walk.settings.times_s[::3]
    feet = (*walk.loads(t).values(), *walk.other_loads(t))
    wanted = sum(about_origin(foot.force_g, foot.cop_g, foot.free_moment_g) for foot in feet)
    on_plates = np.zeros_like(wanted)
    exchanged = {1: 2, 2: 1} if SCENARIOS[name].swapped else {}
    channels = walk.plate_channels(t)
    for plate in walk.plates:
        force, moment = (x @ plate.rotation.T for x in channels[exchanged.get(plate.number, plate.number)])
        sensor = plate.centre_g + plate.rotation @ plate.sensor_p
        on_plates += about_origin(force, np.broadcast_to(sensor, force.shape), moment)
    on_floor = np.zeros_like(wanted)
    for foot in feet:
        weight, point = spread(foot)
        bare = ~np.any([plate.holds(point) for plate in walk.plates], axis=0) & (foot.stance >= 0)[:, None]
        part = np.where(bare, weight, 0.0)
        share = part.sum(axis=1, keepdims=True)
        moment = np.einsum("tp,tpi->ti", part, np.where(bare[..., None], point, 0.0))  # first moment, m
        on_floor += np.hstack([share * foot.force_g, np.cross(moment, foot.force_g) + share * foot.free_moment_g])
    np.testing.assert_allclose(on_plates + on_floor, wanted, atol=1e-9)  # N, N·m: rounding
    assert np.abs(on_plates[:, 2]).max() > 500  # N


# --- is it what its name says? -----------------------------------------------------------------------------


def columns(folder: Path, name: str, kind: str) -> dict[str, list[str]]:
    with (folder / f"{name}.truth.{kind}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: [row[column] for row in rows] for column in rows[0]}


def numbers(column: list[str]) -> Array:
    return np.array([float(cell) if cell else np.nan for cell in column])


@pytest.fixture(scope="module", params=slow_but(WRITTEN, SCENARIOS))
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp(request.param)
    simulate(request.param, folder, **FEW_SAMPLES)
    yield request.param, folder


def test_columns_of_the_loads_mean_what_they_say(written: tuple[str, Path]) -> None:
    name, folder = written
    loads, wrenches = (columns(folder, name, kind) for kind in ("loads", "wrenches"))
    assert loads["frame"] == wrenches["frame"] and loads["time_s"] == wrenches["time_s"]
    plates = [plate.number for plate in walk_of(name).plates]
    vertical = {s: np.stack([numbers(loads[f"{s}_plate{n}_vertical_N"]) for n in plates], axis=1) for s in SIDES}
    shared = ((vertical["left"] > 0) & (vertical["right"] > 0)).any(axis=1)
    for side in SIDES:
        force, share = numbers(wrenches[f"{side}_ground_force_z_N"]), numbers(loads[f"{side}_share"])
        alone, known = numbers(loads[f"{side}_alone"]) == 1, numbers(loads[f"{side}_known"]) == 1
        np.testing.assert_allclose(vertical[side].sum(axis=1), share * force, atol=1e-6)  # N: cells of ten digits
        hit = ["+".join(str(n) for n, f in zip(plates, row, strict=True) if f > 0) for row in vertical[side]]
        assert hit == loads[f"{side}_plates"]
        assert not (alone & shared).any()
        if not walk_of(name).visits:
            assert (alone | shared).all()
        assert (known == ((force == 0) | (alone & (share > 1 - 1e-9)))).all()


def stance_of(name: str, step: int) -> tuple[str, tuple[int, ...], bool]:
    """Side, plates and whether these carry all of a step; step 0 is the lead foot's."""
    walk = walk_of(name)
    half = 0.5 * walk.gait.pattern.stride_s
    steps = {round((stance.course_s[0] - walk.gait.strike_s) / half): stance for stance in walk.stances}
    return steps[step].side, steps[step].plates, steps[step].all_on_plates


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("walk", [((1,), True), ((2,), True), ((), False)]),
        ("crossing", [((1,), True), ((2,), True)]),
        ("shared_plate", [((1,), True), ((1,), True), ((2,), True)]),
        ("across_plates", [((1, 2), True), ((3,), True)]),
        ("over_edge", [((1,), False), ((2,), False), ((3,), True)]),
        ("stop", [((1,), True), ((2,), True)]),
        ("stumble", [((1,), True), ((2,), True)]),
        ("backward", [((1,), True), ((2,), True)]),
        ("turn", [((1,), True), ((2,), True)]),
        ("treadmill", [((1,), True)] * 4),
        ("split_belt", [((1,), True), ((2,), True), ((1,), True)]),
        ("ramp", [((1,), True), ((2,), True)]),
        ("run", [((1,), True), ((2,), True)]),
        ("second_person", [((1,), True), ((2,), True)]),
    ],
)
def test_which_step_is_on_which_plates(name: str, steps: list[tuple[tuple[int, ...], bool]]) -> None:
    found = [stance_of(name, step) for step in range(len(steps))]
    assert [(plates, whole) for _, plates, whole in found] == steps
    assert [side for side, _, _ in found] == [SIDES[step % 2] for step in range(len(steps))]
