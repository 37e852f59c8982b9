"""Chains of any length and shape, told in YAML alone: an arm, a piglet's limb, toe rays, a pendulum, a heavy pelvis.

The truth is the momentum principle on everything beyond a joint, with exact derivatives (`gaitid.simulate.walk`):
no equation of a single segment, and no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

from gaitid.analysis.limb import _unknown_loads
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.model.load import load_model
from gaitid.model.specs import Model
from gaitid.numerics.jet import Jet, apply, constant, matmul, sin_cos, time_jet, turn
from gaitid.simulate.walk import Moving, spin_momentum, spin_of, wrench_needed
from gaitid.trial import Trial

G = np.array([0.0, 0.0, -9.81])
RATE_HZ, FRAMES = 400.0, 400
PLACE = np.array([0.3, -0.2, 1.4])  # m, of the joint on the base


class Segment(NamedTuple):
    """A segment along −z of its own axes from its proximal joint; `on` is empty where it hangs from the base."""

    name: str
    on: str
    length: float
    mass: float
    inertia: list[Any]
    aside: float = 0.0  # m, of its joint beside the end of the segment that it hangs from


def rod(mass: float, length: float) -> list[float]:
    """Principal moments of a thin rod about its centre: m L²/12 across, 0 along."""
    return [mass * length**2 / 12, mass * length**2 / 12, 0.0]


def limb(n: int, length: float, mass: float) -> list[Segment]:
    """A row of n segments, from the free end to the base."""
    names = [f"bone{i}" for i in range(1, n + 1)]
    return [
        Segment(name, on, length * (1 + 0.1 * i), mass * (1 + 0.2 * i), rod(mass, length))
        for i, (name, on) in enumerate(zip(names, [*names[1:], ""], strict=True))
    ]


ARM = [
    Segment("hand", "forearm", 0.08, 0.45, [0.0009, 0.0007, 0.0004]),
    # a prosthetic forearm, weighed and swung, whose principal axes are not those of the segment
    Segment(
        "forearm",
        "upper_arm",
        0.26,
        1.3,
        [[0.0085, 0.0011, -0.0006], [0.0011, 0.0079, 0.0009], [-0.0006, 0.0009, 0.0036]],
    ),
    Segment("upper_arm", "", 0.30, 1.9, [0.016, 0.016, 0.003]),
]
RAYS = [
    Segment("hallux", "foot", 0.06, 0.08, rod(0.08, 0.06), 0.03),
    Segment("lesser_toes", "foot", 0.05, 0.06, rod(0.06, 0.05), -0.02),
    Segment("foot", "shank", 0.18, 0.9, [0.004, 0.004, 0.001]),
    Segment("shank", "", 0.40, 3.2, [0.05, 0.05, 0.006]),
]
CHAINS = {
    "pendulum": limb(1, 0.5, 1.0),
    "arm": ARM,
    "toe rays": RAYS,
    "piglet": limb(5, 0.03, 0.02),
    "eight segments": limb(8, 0.1, 0.5),
}
COM = 0.45  # of the length


def model_file(chain: list[Segment], folder: Path) -> Path:
    """The YAML of a chain and its table."""
    content: dict[str, Any] = {
        "gaitid_model": 1,
        "name": "limb",
        "table": "table.yaml",
        "sides": {"right": {"letter": "R", "sign": -1}},
        "vertical": "z",
        "middle": {
            "frames": {
                "fixed": {
                    "origin": f"right.{chain[-1].name}_joint",
                    "keep": {"z": {"laboratory": "z"}},
                    "toward": {"x": {"laboratory": "x"}},
                }
            }
        },
        "each_side": {"markers": {}, "points": {}, "frames": {}},
        "chain": [],
        "base": {"segment": "fixed", "frame": "fixed", "origin": f"right.{chain[-1].name}_joint"},
        "angles": {},
        # joints that two segments share, and the fixed one, are copied and frozen markers to a check of labels
        "settings": {"cutoff_hz": "none", "doubtful_labels": "keep"},
    }
    side = content["each_side"]
    for s in chain:
        a, b, c = (f"{s.name}_{letter}" for letter in "abc")
        side["markers"] |= {m: f"{{S}}_{m}" for m in (a, b, c)}
        side["frames"][s.name] = {"origin": a, "keep": {"z": [b, a]}, "toward": {"x": [a, c]}}
        side["points"][f"{s.name}_joint"] = {"in_frame": s.name, "offset": [-0.02, 0, 0]}
        content["chain"].append(
            {
                "segment": s.name,
                "frame": s.name,
                "com": {"in_frame": s.name, "offset": [-0.02, 0, -COM * s.length]},
                "length": s.length,
                "joint": f"{s.name}_top",
                "centre": f"{s.name}_joint",
                **({"on": s.on} if s.on else {}),
            }
        )
        content["angles"][f"{s.name}_top"] = {
            "proximal": s.on or "fixed",
            "distal": s.name,
            "sequence": "yxz",
            "pitch": "a",
        }
    table = {
        "gaitid_table": 1,
        "name": "limb",
        "source": "the test",
        "segments": {s.name: {"mass_kg": s.mass, "inertia_kg_m2": s.inertia} for s in chain},
    }
    for name, what in (("limb.yaml", content), ("table.yaml", table)):
        (folder / name).write_text(yaml.safe_dump(what, sort_keys=False), encoding="utf-8")
    return folder / "limb.yaml"


class Motion(NamedTuple):
    """Exact motion of a chain: rotations, joint centres and centres of mass, as jets."""

    rotation: Mapping[str, Jet]
    joint: Mapping[str, Jet]
    com: Mapping[str, Jet]


def motion(chain: list[Segment]) -> Motion:
    """Every joint turns about all three axes, a little differently; below 1.5 Hz."""
    t = time_jet(np.arange(FRAMES) / RATE_HZ, 3)
    rotation, joint, com = {}, {}, {}
    for k, s in enumerate(chain[::-1]):
        by = constant(np.broadcast_to(np.eye(3), (FRAMES, 3, 3)), 3)
        for axis in (1, 0, 2):
            swing = sin_cos(t * (2 * np.pi * (0.7 + 0.2 * axis)) + 0.4 * k + axis)[0]
            by = matmul(by, turn(axis, swing * (0.5 - 0.15 * axis)))
        if s.on:
            above = next(other for other in chain if other.name == s.on)
            rotation[s.name] = matmul(rotation[s.on], by)
            joint[s.name] = joint[s.on] + apply(rotation[s.on], [s.aside, 0.0, -above.length])
        else:
            rotation[s.name], joint[s.name] = by, constant(np.tile(PLACE, (FRAMES, 1)), 3)
        com[s.name] = joint[s.name] + apply(rotation[s.name], [0.0, 0.0, -COM * s.length])
    return Motion(rotation, joint, com)


def trial_of(chain: list[Segment], exact: Motion) -> Trial:
    markers = {}
    for s in chain:
        for letter, offset in (("a", [0.02, 0, 0]), ("b", [0.02, 0, -s.length]), ("c", [0.07, 0, 0])):
            point = exact.joint[s.name] + apply(exact.rotation[s.name], np.array(offset, dtype=float))
            markers[f"R_{s.name}_{letter}"] = point.value
    return Trial(Path("limb.c3d"), RATE_HZ, 1, tuple(markers), np.stack(list(markers.values()), axis=1))


def tensor(s: Segment) -> np.ndarray:
    return np.array(s.inertia) if isinstance(s.inertia[0], list) else np.diag(s.inertia)


def beyond(chain: list[Segment], name: str) -> list[Segment]:
    """The segment and all that hang from it."""
    found = [s for s in chain if s.name == name]
    for s in chain[::-1]:
        if s.on in [f.name for f in found]:
            found.append(s)
    return found


@pytest.fixture(scope="module", params=CHAINS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Segment], Model]:
    chain = CHAINS[request.param]
    content = model_file(chain, tmp_path_factory.mktemp("limb"))
    return chain, load_model(content)


def known(wrench: Wrench) -> np.ndarray:
    return np.isfinite(wrench.m_g).all(axis=1)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_chain_of_any_length_and_shape_obeys_the_momentum_principle(
    case: tuple[list[Segment], Model], solver: str
) -> None:
    chain, model = case
    exact = motion(chain)
    result = analyse(trial_of(chain, exact), model, SubjectFile(), solver=solver)
    assert result.notes == ()
    assert list(result.sides) == ["right"]
    for s in chain:
        parts = beyond(chain, s.name)
        bodies = [Moving(p.mass, exact.com[p.name], spin_of(exact.rotation[p.name], tensor(p))) for p in parts]
        force, moment = wrench_needed(bodies, exact.joint[s.name].value, G)
        found = result.sides["right"].wrenches[f"{s.name}_top"]
        rows = known(found)
        assert rows.sum() == FRAMES - 2 * 4  # the ends of which no derivative is known
        # Relative to the largest: five times what a quintic spline at 400 Hz loses of motions of 1.1 Hz, with the
        # harmonics that eight joints in a row make of them, away from the ends.
        middle = rows & (np.abs(np.arange(FRAMES) - FRAMES / 2) < 170)
        np.testing.assert_allclose(found.f_g[middle], force[middle], atol=1e-8 * np.abs(force).max())
        np.testing.assert_allclose(found.m_g[middle], moment[middle], atol=1e-8 * np.abs(moment).max())


def test_all_solvers_agree_on_every_chain(case: tuple[list[Segment], Model]) -> None:
    chain, model = case
    result = analyse(trial_of(chain, motion(chain)), model, SubjectFile())
    tree = result.sides["right"].chain
    assert tree is not None
    assert [s.name for s in chain] == list(result.sides["right"].motions)
    expected = list(result.sides["right"].wrenches.values())
    for solve in SOLVERS.values():
        for one, other in zip(expected, solve(tree, G), strict=True):
            scale_f, scale_m = (np.nanmax(np.abs(values)) for values in (one.f_g, one.m_g))
            np.testing.assert_allclose(other.f_g, one.f_g, atol=1e-9 * scale_f)
            np.testing.assert_allclose(other.m_g, one.m_g, atol=1e-9 * scale_m)


# --- fractions, refusals ------------------------------------------------------------------------------------


# --- two legs on a heavy pelvis -----------------------------------------------------------------------------

PELVIS_MASS, PELVIS_INERTIA = 9.9, [[0.10, 0.004, -0.006], [0.004, 0.09, 0.003], [-0.006, 0.003, 0.08]]
PELVIS_COM, LUMBAR = np.array([-0.08, 0.004, 0.01]), np.array([-0.10, 0.0, 0.07])  # m, pelvis axes


@pytest.fixture(scope="module")
def sim(simulated: Callable[..., Any]) -> Any:
    return simulated(rate_hz=200.0, analog_rate_hz=1000.0)


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """`pig` with a pelvis of its own mass, whose principal axes are not its frame's."""
    folder = tmp_path_factory.mktemp("heavy")
    pig = load_model("pig")
    table = yaml.safe_load(pig.table.path.read_text(encoding="utf-8"))
    table["segments"]["pelvis"] = {"mass_kg": PELVIS_MASS, "inertia_kg_m2": PELVIS_INERTIA}
    (folder / "heavy_table.yaml").write_text(yaml.safe_dump(table, allow_unicode=True), encoding="utf-8")
    content = {
        "gaitid_model": 1,
        "extends": "pig",
        "name": "heavy",
        "table": "heavy_table.yaml",
        "middle": {"points": {"lumbar": {"in_frame": "pelvis", "offset": LUMBAR.tolist()}}},
        "base": {
            "com": {"in_frame": "pelvis", "offset": PELVIS_COM.tolist()},
            "length": 0.2,
            "joint": "lumbar",
            "centre": "lumbar",
        },
        "settings": {"cutoff_hz": "none"},
    }
    (folder / "heavy.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_model(folder / "heavy.yaml")


@pytest.fixture(scope="module")
def walk(sim: Any, heavy: Model) -> Result:
    return analyse(sim.trial, heavy, SubjectFile())


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_the_trunk_exerts_on_the_pelvis_is_known_from_the_momentum_of_everything(
    sim: Any, heavy: Model, solver: str
) -> None:
    """Legs, pelvis and both grounds: one system, the rate of change of its momentum, exact."""
    result = analyse(sim.trial, heavy, SubjectFile(), solver=solver)
    subject, skeleton = sim.walk.subject, sim.walk.gait.walking(sim.truth.time_s)
    R = skeleton.rotation["pelvis"]
    com, lumbar = (skeleton.point["pelvis"] + apply(R, offset) for offset in (PELVIS_COM, LUMBAR))
    bodies = [Moving(PELVIS_MASS, com, spin_of(R, np.array(PELVIS_INERTIA)))]
    for side in ("left", "right"):
        for segment in ("thigh", "shank", "foot"):
            spin = spin_momentum(subject, skeleton, side, segment)
            bodies.append(Moving(subject.segment_mass_kg(segment), skeleton.com[f"{side}_{segment}"], spin))
    p = lumbar.value
    force, moment = wrench_needed(bodies, p, G)
    for load in sim.truth.load.values():
        arm = np.where(np.isfinite(load.cop_g), load.cop_g - p, 0.0)
        force = force - load.force_g
        moment = moment - np.cross(arm, load.force_g) - load.free_moment_g
    found = result.base_wrench
    np.testing.assert_allclose(found.p_g, p, atol=1e-9)  # m: the same point
    rows = known(found)
    assert rows.sum() > 20
    # 0.02 N and 0.002 N·m: five times what the splines of 200 Hz and the plates' sampling of 1000 Hz leave
    assert np.sqrt(np.mean(np.sum((found.f_g - force)[rows] ** 2, axis=1))) < 0.02
    assert np.sqrt(np.mean(np.sum((found.m_g - moment)[rows] ** 2, axis=1))) < 0.002
    assert np.ptp(moment[rows], axis=0).max() > 5.0  # N·m: there is something to be right about


def test_a_load_that_is_not_known_hides_what_it_reaches() -> None:
    """Of two toes on a foot, the foot on a shank, beside another limb; a link may carry two loads."""
    frames = np.arange(5)

    def link(*unknown: int) -> Link:
        v, R = np.zeros((len(frames), 3)), np.broadcast_to(np.eye(3), (len(frames), 3, 3))
        loads = [Wrench(np.where(np.isin(frames, frame)[:, None], np.nan, v), v, v) for frame in unknown]
        return Link(1.0, np.eye(3), R, v, v, v, v, v, *loads)

    chain = Chain([link(0), link(1, 2), link(), link(4), link()], [2, 2, 4, None, None])
    unknown = [np.flatnonzero(of).tolist() for of in _unknown_loads(chain.links, chain.proximal)]
    assert unknown == [[0], [1, 2], [0, 1, 2], [4], [0, 1, 2]]
