"""A user's own model in YAML alone: other markers, other axes, one segment more, and the same physics.

Made from the text of pig.yaml: every marker has another name, x runs up the bones where pig has z (all axes are
permuted, z → x → y → z), and toes are parted from the foot. The toes move with the foot in the simulation, and
their mass and inertia are taken out of the foot's, so that whatever is exerted on both together is unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import yaml

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model import specs
from gaitid.model.load import bundled_folder, load_model
from gaitid.trial import Trial

CONFIGS = bundled_folder("configs")
SIDES = ("left", "right")
G = np.array([0.0, 0.0, -9.81])
# pig's axis -> the axis of the same direction here. A cyclic change keeps frames right-handed.
AXIS = {"x": "y", "y": "z", "z": "x"}
# Columns of a pig frame in the order of the axes here: x is pig's z, y its x, z its y.
ORDER = [2, 0, 1]
# m, foot axes of the simulation (x up, y left, z toward the heel), from the ankle: the joint of the toes is
# halfway between the markers on the first and fifth metatarsal heads, the great toe's tip lies on its long axis.
MTP, TIP = np.array([0.0, 0.0, -0.12]), np.array([0.0, 0.0, -0.18])
HEADS = {"MT1": np.array([0.0, 0.04, 0.0]), "MT5": np.array([0.0, -0.04, 0.0])}
TOE_MASS, TOE_LENGTH, TOE_COM, TOE_RADIUS = 0.0025, 0.06, 0.4, 0.3


def renamed(label: str) -> str:
    return f"lab:{label[0]}_{label[1:].lower()}"


def permuted(value: object) -> object:
    """Axes in frames, vectors, turns and offsets, wherever they stand in a definition."""
    if isinstance(value, str):
        match = re.fullmatch(r"(\w+)\.([xyz])", value)
        return f"{match[1]}.{AXIS[match[2]]}" if match else value
    if isinstance(value, list):
        return [permuted(v) for v in value]
    if isinstance(value, dict):
        made = {AXIS.get(k, k): permuted(v) for k, v in value.items()}
        if "offset" in made:
            made["offset"] = [made["offset"][i] for i in ORDER]
        return made
    return value


def own_content() -> dict[str, Any]:
    content = yaml.safe_load((CONFIGS / "pig.yaml").read_text(encoding="utf-8"))
    content |= {"name": "mine", "table": "mine_table.yaml"}
    for scope in ("middle", "each_side"):
        for section in ("points", "frames"):
            content[scope][section] = permuted(content[scope][section])
    content["chain"] = permuted(content["chain"])
    for angle in content["angles"].values():
        angle["sequence"] = "".join(AXIS[letter] for letter in angle["sequence"])
    for measurement in content["subject_each_side"].values():
        if isinstance(measurement.get("static"), dict) and "sequence" in measurement["static"]:
            measurement["static"]["sequence"] = "".join(AXIS[a] for a in measurement["static"]["sequence"])
    for moment in content["moments"].values():
        for column, formula in moment.items():
            if column != "axes":
                moment[column] = re.sub(r"\b[xyz]\b", lambda m: AXIS[m[0]], str(formula))
    content["progression"]["forward_left_up"] = "".join(AXIS[letter] for letter in "xyz")
    # markers: templates keep {S} for the side's letter
    content["middle"]["markers"] = {"sacrum_marker": ["lab:sacrum"]}
    content["each_side"]["markers"] = {
        role: ["lab:{S}_" + one[3:].lower() for one in ([labels] if isinstance(labels, str) else labels)]
        for role, labels in content["each_side"]["markers"].items()
    }
    # toes
    side = content["each_side"]
    side["markers"] |= {"head_1": "lab:{S}_mt1", "head_5": "lab:{S}_mt5", "toe_tip": "lab:{S}_tip"}
    side["points"]["mtp"] = {"mean": ["head_1", "head_5"]}
    side["frames"]["toes"] = {"origin": "mtp", "keep": {"x": ["toe_tip", "mtp"]}, "toward": {"z": "foot.z"}}
    toes = {
        "segment": "toes",
        "frame": "toes",
        "com": {"between": ["mtp", "toe_tip"], "fraction": "com_fraction"},
        "length": "distance(mtp, toe_tip)",
        "joint": "mtp",
        "centre": "mtp",
    }
    content["chain"].insert(0, toes)
    content["angles"]["mtp"] = {"proximal": "foot", "distal": "toes", "sequence": "zyx", "extension": "-a"}
    content["moments"]["mtp"] = {"axes": "toes", "flexion": "z"}
    return content


def own_table(foot_length: float) -> dict[str, Any]:
    """Toes, and a foot that makes the whole of pig's again: mass, m c and m (k² + c²) about the ankle add up."""
    m, c, k = 0.0145, 0.5 * foot_length, 0.475 * foot_length
    toe_c, toe_k = -MTP[2] + TOE_COM * TOE_LENGTH, TOE_RADIUS * TOE_LENGTH
    rest = m - TOE_MASS
    foot_c = (m * c - TOE_MASS * toe_c) / rest
    foot_k2 = (m * (k**2 + c**2) - TOE_MASS * (toe_k**2 + toe_c**2)) / rest - foot_c**2
    foot_radius = float(np.sqrt(foot_k2)) / foot_length
    content = yaml.safe_load((CONFIGS / "tables" / "winter_pig.yaml").read_text(encoding="utf-8"))
    content["name"] = "mine"
    for row in content["segments"].values():
        row["gyration_fractions"] = [row["gyration_fractions"][i] for i in ORDER]
    content["segments"]["foot"] |= {
        "mass_fraction": rest,
        "com_fraction": float(foot_c / foot_length),
        "gyration_fractions": [0, foot_radius, foot_radius],
    }
    content["segments"]["toes"] = {
        "mass_fraction": TOE_MASS,
        "com_fraction": TOE_COM,
        "gyration_fractions": [0, TOE_RADIUS, TOE_RADIUS],
    }
    return content


def own_trial(trial: Trial, truth: Any) -> Trial:
    labels = [renamed(label) for label in trial.labels]
    points = [trial.points_g]
    for side in SIDES:
        R, ankle = truth.rotation[f"{side}_foot"], truth.joint_g[f"{side}_ankle"]
        for name, offset in {**{k: MTP + v for k, v in HEADS.items()}, "TIP": TIP}.items():
            labels.append(renamed(side[0].upper() + name))
            points.append((ankle + R @ offset)[:, None])
    return replace(trial, labels=tuple(labels), points_g=np.concatenate(points, axis=1))


@pytest.fixture(scope="module")
def sim(simulated: Callable[..., Any]) -> Any:
    return simulated(rate_hz=200.0, analog_rate_hz=1000.0)


@pytest.fixture(scope="module")
def model(sim: Any, tmp_path_factory: pytest.TempPathFactory) -> specs.Model:
    folder = tmp_path_factory.mktemp("own")
    # both feet of the simulated subject have one length
    length = sim.walk.subject.length_m("left", "foot")
    assert length == sim.walk.subject.length_m("right", "foot")
    for name, content in (("mine.yaml", own_content()), ("mine_table.yaml", own_table(length))):
        (folder / name).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return load_model(folder / "mine.yaml")


@pytest.fixture(scope="module")
def pig(sim: Any) -> Result:
    return analyse(sim.trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())


@pytest.fixture(scope="module")
def own(sim: Any, model: specs.Model) -> Result:
    return analyse(own_trial(sim.trial, sim.truth), model, SubjectFile())


def known(values: np.ndarray) -> np.ndarray:
    return np.isfinite(values).all(axis=tuple(range(1, values.ndim)))


def test_it_shares_no_marker_with_pig(model: specs.Model) -> None:
    used = {label for scope in (model.middle, model.each_side) for labels in scope.markers.values() for label in labels}
    assert used
    assert all(label.startswith("lab:") for label in used)
    assert [body.joint for body in model.chain] == ["mtp", "ankle", "knee", "hip"]


@pytest.mark.parametrize("side", SIDES)
def test_its_axes_are_those_of_pig_in_another_order(pig: Result, own: Result, side: str) -> None:
    for segment in ("foot", "shank", "thigh"):
        ours, theirs = own.sides[side].motions[segment].R_gs, pig.sides[side].motions[segment].R_gs
        np.testing.assert_allclose(ours, theirs[..., ORDER], atol=1e-12)
        np.testing.assert_allclose(np.linalg.det(ours), 1.0, atol=1e-12)
    np.testing.assert_allclose(own.base.R_gs, pig.base.R_gs[..., ORDER], atol=1e-12)
    for joint in ("ankle", "knee", "hip"):
        np.testing.assert_allclose(own.sides[side].joints_g[joint], pig.sides[side].joints_g[joint], atol=1e-12)  # m


@pytest.mark.parametrize("side", SIDES)
def test_each_segment_obeys_newton_and_euler(own: Result, sim: Any, side: str) -> None:
    result = own.sides[side]
    mass = own.subject.numbers["mass"]
    order = [body.segment for body in own.model.chain]
    joints = [body.joint for body in own.model.chain]
    for i, segment in enumerate(order):
        motion, body = result.motions[segment], result.bodies[segment]
        f, m = result.wrenches[joints[i]].f_g.copy(), result.wrenches[joints[i]].at(motion.com_g).m_g.copy()
        if i > 0:
            below = result.wrenches[joints[i - 1]].at(motion.com_g)
            f, m = f - below.f_g, m - below.m_g
        if own.model.chain[i].ground:
            ground = result.load.wrench.at(motion.com_g)
            f, m = f + ground.f_g, m + ground.m_g
        rows = known(m)
        assert rows.sum() > 100
        np.testing.assert_allclose(f[rows], (body.mass_kg * (motion.acc_g - G))[rows], atol=1e-9)  # N
        inertia = motion.R_gs @ body.inertia_s @ np.swapaxes(motion.R_gs, 1, 2)
        spin = np.einsum("tij,tj->ti", inertia, motion.omega_g)
        law = np.einsum("tij,tj->ti", inertia, motion.alpha_g) + np.cross(motion.omega_g, spin)
        np.testing.assert_allclose(m[rows], law[rows], atol=1e-9)  # N·m
    total = sum(result.bodies[segment].mass_kg for segment in order)
    assert total == pytest.approx((0.0145 + 0.0465 + 0.1) * mass, rel=1e-12)


def test_it_agrees_with_the_truth_as_pig_does(own: Result, sim: Any) -> None:
    for side in SIDES:
        for joint in ("ankle", "knee", "hip"):
            found, (f, m) = own.sides[side].wrenches[joint], sim.truth.wrench[side, joint]
            rows = known(found.m_g)
            # 0.5 N and 0.05 N·m: what an edge force of 1 N leaves out at contact, and the plates' sampling
            assert np.sqrt(np.mean(np.sum((found.f_g - f)[rows] ** 2, axis=1))) < 0.5
            assert np.sqrt(np.mean(np.sum((found.m_g - m)[rows] ** 2, axis=1))) < 0.05


# --- other ways to write a model ---
