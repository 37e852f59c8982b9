"""The simulated walk: its symmetries, is it a walk, and what its files hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.simulate.files import simulate
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk import Walk, WalkState
from gaitid.simulate.walk_setup import simulate_walk

Array = NDArray[np.float64]
SIDES = ("left", "right")


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


# --- mechanics ---------------------------------------------------------------------------------------------


def test_turning_the_laboratory_turns_the_answer(state: WalkState) -> None:
    turned = simulate_walk(WalkSettings(turn_deg=90.0))
    other = turned.at(turned.settings.times_s)
    r = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
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


def test_clinical_angles_are_the_ones_that_posed_the_skeleton(walk: Walk, state: WalkState) -> None:
    gait = walk.gait
    phase = (state.time_s - gait.strike_s) * 2 * np.pi / gait.pattern.stride_s
    for side, own in (("left", phase), ("right", phase - np.pi)):
        for name in ("hip_flexion", "hip_adduction", "hip_internal_rotation", "knee_flexion", "knee_adduction"):
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


# --- files ------------------------------------------------------------------------------------------------


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


def test_refusals_are_one_line_and_say_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match="expected walk"):
        simulate("swim", tmp_path)
    with pytest.raises(GaitidError, match="marker_noise_mm"):
        simulate("walk", tmp_path, loudness=3)
    with pytest.raises(GaitidError, match=r"duration 1 s .*negative") as caught:
        simulate("walk", tmp_path, duration=1.0, marker_noise_mm=-1.0)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
