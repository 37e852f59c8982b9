"""The simulated walk against mechanics and against the conventional gait model, both written anew here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.simulate import Walk, WalkSettings, WalkState, simulate, simulate_walk
from gaitid.simulate.jet import Jet, bilinear, constant, cross, dot, matmul, sin_cos, stack, time_jet, turn
from gaitid.simulate.momentum import kinetic_energy
from gaitid.simulate.truth import quaternion

Array = NDArray[np.float64]
SIDES = ("left", "right")
SIGN = {"left": 1.0, "right": -1.0}
G = np.array([0.0, 0.0, -9.81])


@pytest.fixture(scope="module")
def walk() -> Walk:
    return simulate_walk()


@pytest.fixture(scope="module")
def state(walk: Walk) -> WalkState:
    return walk.at(walk.settings.times_s)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk")
    simulate("walk", path)
    return path


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def frame(z: Array, y_hint: Array) -> Array:
    """Axes as columns: z kept, x = y × z, y = z × x."""
    z = unit(z)
    x = unit(np.cross(y_hint, z))
    return np.stack([x, np.cross(z, x), z], axis=-1)


def rot(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3)
    r[i, i] = r[j, j] = c
    r[i, j], r[j, i] = -s, s
    return r


# --- jets --------------------------------------------------------------------------------------------------


def test_jets_agree_with_central_differences() -> None:
    t, h = np.linspace(0.0, 2.0, 41), 1e-4

    def motion(times: Array) -> Jet:
        time = time_jet(times, 3)
        s, c = sin_cos(time * 3.0 + 0.2)
        v = stack([s * c, c - s * 0.3, time * s])
        r = matmul(turn(0, s), matmul(turn(1, c * 2.0), turn(2, time)))
        w = bilinear(lambda m, x: np.einsum("tij,tj->ti", m, x), r, v)
        twisted: Jet = cross(w, v) + w
        length: Jet = dot(twisted, v)
        return stack([length, twisted.column(0), twisted.column(2)])

    exact, before, after = motion(t), motion(t - h), motion(t + h)
    for k in range(1, 4):
        # The error of a central difference is h²/6 times the third derivative beyond (≲ 1e4 here).
        difference = (after.d[k - 1] - before.d[k - 1]) / (2 * h)
        np.testing.assert_allclose(exact.d[k], difference, rtol=1e-5, atol=1e-4)


def test_a_jet_of_order_zero_has_no_derivative() -> None:
    with pytest.raises(ValueError, match="order 0"):
        constant(np.zeros(3), 0).derivative()


def test_motion_agrees_with_finer_times(walk: Walk, state: WalkState) -> None:
    h = 1e-4
    t = walk.settings.times_s[::7]
    exact, before, after = walk.at(t), walk.at(t - h), walk.at(t + h)
    for name in exact.com_g:
        v = (after.com_g[name] - before.com_g[name]) / (2 * h)
        a = (after.velocity_g[name] - before.velocity_g[name]) / (2 * h)
        alpha = (after.omega_g[name] - before.omega_g[name]) / (2 * h)
        np.testing.assert_allclose(exact.velocity_g[name], v, atol=1e-4)  # m/s
        np.testing.assert_allclose(exact.acceleration_g[name], a, atol=5e-3)  # m/s²
        np.testing.assert_allclose(exact.alpha_g[name], alpha, atol=1e-1)  # rad/s²
    np.testing.assert_allclose(state.marker_g["LKNE"][::7], exact.marker_g["LKNE"], atol=1e-15)


# --- mechanics ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_power_of_all_wrenches_is_the_rate_of_energy(walk: Walk, state: WalkState, side: str) -> None:
    energy = kinetic_energy(walk.subject, walk.gait.walking(state.time_s), side)
    skeleton = walk.gait.walking(state.time_s)
    hip_velocity = skeleton.point[f"{side}_hip"].d[1]
    omega = {s: state.omega_g[f"{side}_{s}"] for s in ("thigh", "shank", "foot")}
    force, moment = state.wrench[side, "hip"]
    power = np.sum(force * hip_velocity + moment * omega["thigh"], axis=1)
    for joint, distal, proximal in (("knee", "shank", "thigh"), ("ankle", "foot", "shank")):
        power += np.sum(state.wrench[side, joint][1] * (omega[distal] - omega[proximal]), axis=1)
    for segment in omega:
        mass = walk.subject.segment_mass_kg(segment)
        power += mass * state.velocity_g[f"{side}_{segment}"] @ G
    load = state.load[side]
    com, v = state.com_g[f"{side}_foot"], state.velocity_g[f"{side}_foot"]
    cop = np.where(np.isfinite(load.cop_g), load.cop_g, com)
    at_cop = v + np.cross(omega["foot"], cop - com)
    power += np.sum(load.force_g * at_cop + load.free_moment_g * omega["foot"], axis=1)
    # 1e-9 W of some hundreds of watts: rounding only
    np.testing.assert_allclose(power, energy.d[1], atol=1e-9)
    assert np.ptp(power) > 100


@pytest.mark.parametrize("side", SIDES)
def test_each_segment_obeys_newton_and_euler(walk: Walk, state: WalkState, side: str) -> None:
    chain = (("hip", "thigh", "knee"), ("knee", "shank", "ankle"), ("ankle", "foot", None))
    for proximal, segment, distal in chain:
        name = f"{side}_{segment}"
        r, com = state.rotation[name], state.com_g[name]
        mass = walk.subject.segment_mass_kg(segment)
        force, moment = (x.copy() for x in state.wrench[side, proximal])
        moment += np.cross(state.joint_g[f"{side}_{proximal}"] - com, force)
        if distal is None:
            load = state.load[side]
            arm = np.where(np.isfinite(load.cop_g), load.cop_g - com, 0.0)
            force += load.force_g
            moment += np.cross(arm, load.force_g) + load.free_moment_g
        else:
            f, m = state.wrench[side, distal]
            moment -= np.cross(state.joint_g[f"{side}_{distal}"] - com, f) + m
            force -= f
        inertia = r @ walk.subject.inertia_s(side, segment) @ np.swapaxes(r, 1, 2)
        omega, alpha = state.omega_g[name], state.alpha_g[name]
        spin = np.einsum("tij,tj->ti", inertia, omega)
        np.testing.assert_allclose(force + mass * G, mass * state.acceleration_g[name], atol=1e-9)  # N
        euler = np.einsum("tij,tj->ti", inertia, alpha) + np.cross(omega, spin)
        np.testing.assert_allclose(moment, euler, atol=1e-9)  # N·m


def test_turning_the_laboratory_turns_the_answer(state: WalkState) -> None:
    turned = simulate_walk(WalkSettings(turn_deg=90.0))
    other = turned.at(turned.settings.times_s)
    r = rot(2, np.pi / 2)
    for key, (force, moment) in state.wrench.items():
        np.testing.assert_allclose(other.wrench[key][0], force @ r.T, atol=1e-9)
        np.testing.assert_allclose(other.wrench[key][1], moment @ r.T, atol=1e-9)
    for name, column in state.clinical.items():
        np.testing.assert_allclose(other.clinical[name], column, atol=1e-9, err_msg=name)


def test_mirror_exchanges_the_sides_of_every_clinical_column(state: WalkState) -> None:
    mirrored = simulate_walk(WalkSettings(mirror=True))
    other = mirrored.at(mirrored.settings.times_s)
    exchange = {"left": "right", "right": "left"}
    for name, column in state.clinical.items():
        side, rest = name.split("_", 1)
        np.testing.assert_allclose(other.clinical[f"{exchange[side]}_{rest}"], column, atol=1e-9, err_msg=name)
    flip = np.array([1.0, -1.0, 1.0])
    np.testing.assert_allclose(other.marker_g["RTOE"], state.marker_g["LTOE"] * flip, atol=1e-12)


# --- the conventional gait model, from markers to centres ------------------------------------------------


def chord(proximal: Array, wand: Array, marker: Array, r: float, dihedral: float) -> Array:
    """The centre C at distance r from the marker, (marker − C) ⟂ (proximal − C), wand at the dihedral angle.

    Solved by bisection on the direction of C about the line from the proximal centre to the marker, so that
    no closed form is shared with anything.
    """
    out = np.empty_like(marker)
    for i, (p, w, m) in enumerate(zip(proximal, wand, marker, strict=True)):
        u = unit(m - p)
        # All C at a right angle over the chord p–m: a circle about u.
        distance = float(np.linalg.norm(m - p))
        along = r * r / distance
        radius = np.sqrt(r * r - along * along)
        e1 = unit(np.cross(u, w - p))
        e2 = np.cross(u, e1)

        def centre(
            phi: float, m: Array = m, u: Array = u, e1: Array = e1, e2: Array = e2, a: float = along,
            q: float = float(radius),
        ) -> Array:  # fmt: skip
            return np.asarray(m - a * u + q * (np.cos(phi) * e1 + np.sin(phi) * e2))

        def miss(phi: float, p: Array = p, w: Array = w, m: Array = m) -> float:
            c = centre(phi)
            z = unit(p - c)
            to_marker = m - c
            to_wand = (w - c) - ((w - c) @ z) * z
            angle = np.arctan2(np.cross(to_marker, to_wand) @ z, to_marker @ to_wand)
            return float(np.angle(np.exp(1j * (angle - dihedral))))

        grid = np.linspace(-np.pi, np.pi, 25)
        values = [miss(phi) for phi in grid]
        brackets = [
            (grid[k], grid[k + 1])
            for k in range(24)
            if values[k] * values[k + 1] <= 0 and abs(values[k] - values[k + 1]) < np.pi
        ]
        assert len(brackets) == 1
        low, high = brackets[0]
        sign = np.sign(miss(low))
        for _ in range(60):
            mid = 0.5 * (low + high)
            if np.sign(miss(mid)) == sign:
                low = mid
            else:
                high = mid
        out[i] = centre(0.5 * (low + high))
    return out


def model_centres(walk: Walk, marker: dict[str, Array], side: str) -> tuple[dict[str, Array], dict[str, Array]]:
    """Joint centres and rotations by the formulas of the conventional gait model, foot uncorrected."""
    subject, sg, letter = walk.subject, SIGN[side], side[0].upper()
    leg = subject.legs[side]
    half = 0.5 * subject.marker_diameter_m
    origin = 0.5 * (marker["LASI"] + marker["RASI"])
    y = unit(marker["LASI"] - marker["RASI"])
    back = origin - 0.5 * (marker["LPSI"] + marker["RPSI"])
    x = unit(back - np.sum(back * y, axis=1, keepdims=True) * y)
    pelvis = np.stack([x, y, np.cross(x, y)], axis=-1)
    c = 0.115 * 0.5 * (subject.legs["left"].leg_length_m + subject.legs["right"].leg_length_m) - 0.0153
    at = leg.asis_trocanter_distance_m + half
    hip_p = [
        c * np.cos(0.5) * np.sin(0.314) - at * np.cos(0.314),
        sg * (subject.inter_asis_distance_m / 2 - c * np.sin(0.5)),
        -c * np.cos(0.5) * np.cos(0.314) - at * np.sin(0.314),
    ]
    hip = origin + pelvis @ np.array(hip_p)
    kne, ank = marker[f"{letter}KNE"], marker[f"{letter}ANK"]
    knee = chord(hip, marker[f"{letter}THI"], kne, 0.5 * leg.knee_width_m + half, sg * leg.thigh_rotation_rad)
    ankle = chord(knee, marker[f"{letter}TIB"], ank, 0.5 * leg.ankle_width_m + half, sg * leg.shank_rotation_rad)
    axis = unit(np.cross(knee - ankle, ank - ankle))
    d, v = leg.ankle_abduction_rad, ankle - ank
    ankle = (
        ank
        + v * np.cos(d)
        + np.cross(axis, v) * np.sin(d)
        + axis * np.sum(axis * v, axis=1, keepdims=True) * (1 - np.cos(d))
    )
    thigh = frame(hip - knee, sg * (kne - knee))
    torsioned = frame(knee - ankle, sg * (ank - ankle))
    shank = torsioned @ rot(2, sg * leg.tibial_torsion_rad)
    uncorrected = frame(ankle - marker[f"{letter}TOE"], shank[:, :, 1])
    centres = {"hip": hip, "knee": knee, "ankle": ankle}
    return centres, {
        "pelvis": pelvis,
        "thigh": thigh,
        "torsioned_shank": torsioned,
        "shank": shank,
        "uncorrected": uncorrected,
    }


@pytest.mark.parametrize("side", SIDES)
def test_the_models_formulas_give_back_centres_and_frames(walk: Walk, side: str) -> None:
    state = walk.at(walk.settings.times_s[::16])
    centres, rotation = model_centres(walk, dict(state.marker_g), side)
    for joint, p in centres.items():
        np.testing.assert_allclose(p, state.joint_g[f"{side}_{joint}"], atol=1e-12)  # m
    leg, sg = walk.subject.legs[side], SIGN[side]
    foot = (
        rotation["uncorrected"] @ rot(1, -leg.static_plantar_flexion_rad) @ rot(0, -sg * leg.static_rotation_offset_rad)
    )
    np.testing.assert_allclose(rotation["pelvis"], state.rotation["pelvis"], atol=1e-12)
    for name in ("thigh", "shank", "torsioned_shank"):
        np.testing.assert_allclose(rotation[name], state.rotation[f"{side}_{name}"], atol=1e-11)
    np.testing.assert_allclose(foot, state.rotation[f"{side}_foot"], atol=1e-11)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("flatten", [True, False])
def test_the_static_gives_back_its_offsets(walk: Walk, side: str, flatten: bool) -> None:
    marker, letter = walk.static_markers(3), side[0].upper()
    _, rotation = model_centres(walk, marker, side)
    toe, heel = marker[f"{letter}TOE"], marker[f"{letter}HEE"].copy()
    assert np.ptp([toe[0, 2], heel[0, 2]]) < 1e-12  # m: flat already
    if flatten:
        heel[:, 2] = toe[:, 2]
    d = np.swapaxes(rotation["uncorrected"], 1, 2) @ frame(heel - toe, rotation["shank"][:, :, 1])
    a, b = np.arctan2(d[:, 0, 2], d[:, 2, 2]), np.arcsin(-d[:, 1, 2])
    leg = walk.subject.legs[side]
    np.testing.assert_allclose(-a, leg.static_plantar_flexion_rad, atol=1e-12)  # rad
    np.testing.assert_allclose(-SIGN[side] * b, leg.static_rotation_offset_rad, atol=1e-12)
    assert 0.04 < heel[0, 2] < 0.05


def test_clinical_angles_are_the_ones_that_posed_the_skeleton(walk: Walk, state: WalkState) -> None:
    gait = walk.gait
    phase = (state.time_s - gait.strike_s) * 2 * np.pi / gait.pattern.stride_s
    for side, own in (("left", phase), ("right", phase - np.pi)):
        for name in (
            "hip_flexion",
            "hip_adduction",
            "hip_internal_rotation",
            "knee_flexion",
            "knee_adduction",
        ):
            series = gait.pattern.leg[name]
            wanted = series.mean + sum(
                a * np.cos(h * own) + b * np.sin(h * own)
                for h, a, b in zip(series.harmonics, series.cosine, series.sine, strict=True)
            )
            np.testing.assert_allclose(state.clinical[f"{side}_{name}_deg"], np.degrees(wanted), atol=1e-9)


# --- is it a walk? ----------------------------------------------------------------------------------------


def test_feet_stay_put_on_the_ground_and_clear_it_in_the_air(walk: Walk, state: WalkState) -> None:
    for stance in walk.stances:
        letter, span = stance.side[0].upper(), stance.off_s - stance.on_s
        flat = walk.at(stance.on_s + span * np.linspace(0.20, 0.48, 30))
        on_toes = walk.at(stance.on_s + span * np.linspace(0.20, 0.88, 60))
        heel, toe = flat.marker_g[f"{letter}HEE"], on_toes.marker_g[f"{letter}TOE"]
        assert np.ptp(heel, axis=0).max() < 0.022  # m
        assert np.ptp(toe, axis=0).max() < 0.022
        assert abs(heel[:, 2] - 0.045).max() < 0.015
        for p, t in ((heel, flat.time_s), (toe, on_toes.time_s)):
            assert np.linalg.norm(np.gradient(p, t, axis=0), axis=1).max() < 0.35  # m/s
    for side in SIDES:
        letter = side[0].upper()
        sole = 0.045 * state.rotation[f"{side}_foot"][:, :, 0]
        forward = -state.rotation[f"{side}_foot"][:, :, 2]
        ball = state.marker_g[f"{letter}TOE"] - sole
        heel_pad = state.marker_g[f"{letter}HEE"] + 0.020 * forward - sole
        tip = ball + 0.060 * forward
        assert min(ball[:, 2].min(), heel_pad[:, 2].min()) > -0.012  # m: never sinks in
        t_swing = [
            t for s in walk.stances if s.side == side for t in np.linspace(s.off_s + 0.05, s.on_s + 1.1 - 0.04, 40)
        ]
        air = walk.at(t_swing)
        up, ahead = air.rotation[f"{side}_foot"][:, :, 0], -air.rotation[f"{side}_foot"][:, :, 2]
        tip = air.marker_g[f"{letter}TOE"] - 0.045 * up + 0.060 * ahead
        assert tip[:, 2].min() > 0.0


def test_moments_and_forces_are_those_of_normal_gait(walk: Walk, state: WalkState) -> None:
    weight = walk.subject.mass_kg * 9.81
    total = state.load["left"].force_g + state.load["right"].force_g
    stride = slice(0, 110)
    assert total[stride, 2].mean() == pytest.approx(weight, rel=0.02)
    assert abs(total[stride, 0].mean()) < 0.01 * weight
    for side in SIDES:
        assert 1.0 < state.load[side].force_g[:, 2].max() / weight < 1.25
        c = {name: state.clinical[f"{side}_{name}_moment_Nm_per_kg"] for name in (
            "ankle_plantarflexion", "knee_extension", "hip_extension", "hip_abduction", "knee_abduction"
        )}  # fmt: skip
        assert 1.2 < c["ankle_plantarflexion"].max() < 1.6
        assert 0.3 < c["knee_extension"].max() < 1.2
        assert 0.4 < c["hip_extension"].max() < 1.2 and -1.2 < c["hip_extension"].min() < -0.4
        assert 0.5 < c["hip_abduction"].max() < 1.2
        assert 0.2 < c["knee_abduction"].max() < 0.8
        assert 2.0 < state.clinical[f"{side}_ankle_power_W_per_kg"].max() < 5.0


def test_load_starts_and_ends_smoothly_inside_the_foot(walk: Walk) -> None:
    for stance in walk.stances:
        edge = walk.loads([stance.on_s, stance.on_s + 1e-3, stance.off_s - 1e-3, stance.off_s])[stance.side]
        assert (edge.force_g[[0, 3]] == 0).all() and np.isnan(edge.cop_g[[0, 3]]).all()
        assert (np.abs(edge.force_g[[1, 2]]) < 0.1).all()  # N: cubic onset
        t = np.linspace(stance.on_s + 1e-3, stance.off_s - 1e-3, 50)
        load = walk.loads(t)[stance.side]
        foot = unit(stance.toe_g - stance.heel_g)
        along = (load.cop_g - stance.heel_g) @ foot
        across = np.linalg.norm(load.cop_g - stance.heel_g - along[:, None] * foot, axis=1)
        assert along.min() > 0 and along.max() < 0.26 and across.max() < 0.04  # m
        assert (np.diff(along) > 0).all()
        assert load.force_g[:, 2].min() > 0


def test_two_clean_stances_on_two_plates_and_a_step_beside(walk: Walk) -> None:
    assert [s.side for s in walk.stances if s.plate] == ["left", "right"]
    for stance in walk.stances:
        for plate in walk.plates:
            low, high = plate.corners_g.min(axis=0), plate.corners_g.max(axis=0)
            ends = np.stack([stance.heel_g - [0.03, 0, 0], stance.toe_g + [0.07, 0, 0]])
            inside = ((ends > low) & (ends < high))[:, :2].all(axis=1)
            assert inside.all() if stance.plate == plate.number else not inside.any()


# --- files ------------------------------------------------------------------------------------------------


def test_same_seed_same_bytes_other_seed_other_noise(folder: Path, tmp_path: Path) -> None:
    again = simulate("walk", tmp_path / "again")
    assert {p.name for p in again} == {p.name for p in folder.iterdir()}
    for path in again:
        assert path.read_bytes() == (folder / path.name).read_bytes(), path.name
    noisy = [
        simulate("walk", tmp_path / str(i), seed=seed, marker_noise_mm=0.5, force_noise_N=1.0, duration=1.6)
        for i, seed in enumerate((3, 3, 4))
    ]
    for a, b, c in zip(*noisy, strict=True):
        assert a.read_bytes() == b.read_bytes()
        differs = a.name in ("walk.c3d", "static.c3d", "walk.csv", "walk.forces.csv")
        assert (a.read_bytes() != c.read_bytes()) == differs, a.name


def test_c3d_holds_what_was_simulated(folder: Path, walk: Walk, state: WalkState) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    c = ezc3d.c3d(str(folder / "walk.c3d"))
    assert c["header"]["points"]["first_frame"] == 0
    point, plates = c["parameters"]["POINT"], c["parameters"]["FORCE_PLATFORM"]
    assert point["SCALE"]["value"][0] < 0 and point["UNITS"]["value"] == ["mm"]
    assert point["X_SCREEN"]["value"] == ["+X"] and point["Y_SCREEN"]["value"] == ["+Z"]
    for i, label in enumerate(point["LABELS"]["value"]):
        # 32-bit floats of some 5000 mm
        np.testing.assert_allclose(c["data"]["points"][:3, i].T, state.marker_g[label] * 1e3, atol=5e-4, err_msg=label)
    assert plates["TYPE"]["type"] == 2 and list(plates["TYPE"]["value"]) == [2, 2]
    assert plates["CHANNEL"]["value"].T.tolist() == [list(range(1, 7)), list(range(7, 13))]
    analog = c["data"]["analogs"][0]
    t = walk.settings.analog_times_s
    loads = walk.loads(t)
    stances = {stance.plate: stance for stance in walk.stances if stance.plate}
    for k in range(2):
        corner = plates["CORNERS"]["value"][:, :, k].T
        x = unit(corner[0] + corner[3] - corner[1] - corner[2])
        y = unit(corner[0] + corner[1] - corner[2] - corner[3])
        r = np.stack([x, y, np.cross(x, y)], axis=-1)
        assert r[2, 2] == pytest.approx(-1)
        f, m = analog[6 * k : 6 * k + 3].T, analog[6 * k + 3 : 6 * k + 6].T
        assert f[:, 2].min() < -700
        about_centre = (m + np.cross(plates["ORIGIN"]["value"][:, k], f)) @ r.T * 1e-3
        stance = stances[k + 1]
        now = (t > stance.on_s) & (t < stance.off_s)
        load = loads[stance.side]
        np.testing.assert_allclose((f @ r.T)[now], load.force_g[now], atol=1e-3)  # N
        arm = load.cop_g[now] - corner.mean(axis=0) * 1e-3
        wanted = np.cross(arm, load.force_g[now]) + load.free_moment_g[now]
        np.testing.assert_allclose(about_centre[now], wanted, atol=1e-3)  # N·m
        assert not f[~now].any() and not m[~now].any()
    subject = c["parameters"]["PROCESSING"]
    assert subject["Bodymass"]["value"][0] == pytest.approx(walk.subject.mass_kg)
    for side, leg in walk.subject.legs.items():
        letter = side[0].upper()
        assert subject[f"{letter}KneeWidth"]["value"][0] == pytest.approx(leg.knee_width_m * 1e3)
        assert subject[f"{letter}StaticPlantFlex"]["value"][0] == pytest.approx(leg.static_plantar_flexion_rad)
    times = c["parameters"]["EVENT"]["TIMES"]["value"][1]
    assert len(times) == c["parameters"]["EVENT"]["USED"]["value"][0]
    known = sorted(v for s in walk.stances for v in (s.on_s, s.off_s) if 0 <= v < 4)
    np.testing.assert_allclose(times, known, atol=1e-6)
    static = ezc3d.c3d(str(folder / "static.c3d"))
    assert "LStaticPlantFlex" not in static["parameters"]["PROCESSING"]
    assert static["parameters"]["PROCESSING"]["RKneeWidth"]["value"][0] == pytest.approx(103.0)


def test_truth_files_hold_the_state(folder: Path, state: WalkState) -> None:
    raw = (folder / "walk.truth.wrenches.csv").read_bytes()
    assert b"\r" not in raw and b"nan" not in raw
    header = raw.decode().splitlines()[0].split(",")
    assert header[:3] == ["frame", "time_s", "left_ankle_force_global_x_N"]
    assert header[2 + 6] == "left_ankle_moment_global_x_Nm" and len(header) == 2 + 72 + 14
    table = np.genfromtxt(folder / "walk.truth.wrenches.csv", delimiter=",", names=True)
    assert table["frame"][0] == 1 and table["time_s"][0] == 0
    hip = np.stack([table[f"right_hip_moment_global_{a}_Nm"] for a in "xyz"], axis=1)
    np.testing.assert_allclose(hip, state.wrench["right", "hip"][1], rtol=1e-9, atol=1e-9)
    air = state.load["left"].stance < 0
    assert np.isnan(table["left_ground_cop_x_m"][air]).all()
    assert (table["left_ground_force_z_N"][air] == 0).all()
    contacts = (folder / "walk.truth.contacts.csv").read_text().splitlines()
    assert contacts[0] == "side,plates,first_frame,last_frame,peak_vertical_N,method,confidence,reason"
    assert [line.split(",")[1] for line in contacts[1:]].count("") == len(contacts) - 3
    segments = np.genfromtxt(folder / "walk.truth.segments.csv", delimiter=",", names=True)
    assert len(segments.dtype.names or ()) == 2 + 7 * 16 + 18
    joints = (folder / "walk.truth.joints.csv").read_text().splitlines()[0].split(",")
    assert len(joints) == 2 + 2 * (1 + 3 + 9 + 9 + 3)


def test_quaternions_turn_like_their_matrices(state: WalkState) -> None:
    for r in state.rotation.values():
        q = quaternion(r)
        w, v = q[:, :1], q[:, 1:]
        for axis in np.eye(3):
            turned = axis + 2 * np.cross(v, np.cross(v, axis) + w * axis)
            np.testing.assert_allclose(turned, r @ axis, atol=1e-12)
        assert q[0, 0] >= 0 and (np.sum(q[1:] * q[:-1], axis=1) > 0).all()


def test_refusals_are_one_line_and_say_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match="expected walk"):
        simulate("swim", tmp_path)
    with pytest.raises(GaitidError, match="marker_noise_mm"):
        simulate("walk", tmp_path, loudness=3)
    with pytest.raises(GaitidError, match=r"duration 1 s .*negative") as caught:
        simulate("walk", tmp_path, duration=1.0, marker_noise_mm=-1.0)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
