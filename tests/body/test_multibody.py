"""The pose of a chain with joints from markers: exact, indifferent to the room, least squares, honest about gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from chains import Posed, astray, legs, markers, posed, walking
from rotations import from_vector
from scipy.optimize import least_squares

from gaitid.body.chain import fit_steadily
from gaitid.body.joints import Segment, State, joint_of, turned_by
from gaitid.body.multibody import ChainFit, fit_chain
from gaitid.trial import Array

#: m: markers that a rigid chain can explain are explained to what rounding leaves of metres, a million times over.
EXACT = 1e-9
INF = np.inf
JOINTS: Mapping[str, Mapping[str, Mapping[str, object]]] = {
    "balls": {},
    "hinged knees": {"knee": {"turns": (True, False, False), "neutral": (0.0, 0.05, -0.03)}},
    "universal ankles": {"ankle": {"turns": (True, True, False)}, "knee": {"turns": (True, True, False)}},
    "free knees": {"knee": {"slides": True}},
    "limits": {"knee": {"low": (-0.1, -INF, -INF), "high": (0.4, 0.1, INF)}},
    "other axes": {
        "hip": {"sequence": "xyz", "low": (-2.0, -1.5, -2.0)},
        "ankle": {"sequence": "zxy", "low": (-2,) * 3},
    },
}


def noisy(of: Posed, sd_m: float, seed: int = 1) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [points + rng.normal(0.0, sd_m, points.shape) for points in of.markers]


def apart(a: Sequence[Array], b: Sequence[Array]) -> float:
    return max(float(np.abs(x - y).max()) for x, y in zip(a, b, strict=True))


def fitted_markers(chain: Sequence[Segment], fit: ChainFit) -> list[Array]:
    return [markers(s, R, o) for s, R, o in zip(chain, fit.R, fit.origin, strict=True)]


@pytest.mark.parametrize("joints", JOINTS)
def test_exact_markers_give_the_exact_chain(joints: str) -> None:
    chain = legs(JOINTS[joints])
    true = walking(chain)
    fit = fit_chain(chain, true.markers, astray(true.R, 0.1))
    assert fit.converged.all() and fit.determined.all()
    assert apart(fit.origin, true.origin) < EXACT
    assert apart(fit.R, true.R) < 10 * EXACT  # rad: of 10 cm from marker to marker
    assert apart(fit.angles, true.state.q) < 10 * EXACT
    assert apart(fit.shifts, true.state.t) < EXACT


@pytest.mark.parametrize("joints", ["balls", "limits"])
def test_turning_the_laboratory_turns_the_result(joints: str) -> None:
    chain = legs(JOINTS[joints])
    true = walking(chain)
    points, start = noisy(true, 0.005), astray(true.R, 0.05)
    turn, shift = from_vector(np.array([0.7, -1.9, 0.4])), np.array([-40.0, 7.0, 3.0])
    here = fit_chain(chain, points, start)
    there = fit_chain(chain, [p @ turn.T + shift for p in points], [turn @ R for R in start])
    assert apart([o @ turn.T + shift for o in here.origin], there.origin) < EXACT
    assert apart(here.angles, there.angles) < 10 * EXACT


# --- against numbers from elsewhere -------------------------------------------------------------------------------


def by_scipy(chain: Sequence[Segment], start: Posed, points: Sequence[Array], frame: int) -> list[Array]:
    """The markers of SciPy's least squares in one frame, with limits and pulls."""
    joints = [joint_of(s) for s in chain[1:]]
    seen = [np.isfinite(p[frame]).all(axis=1) for p in points]
    weights = [np.sqrt(s.weights)[:, None] for s in chain]

    def at(x: Array) -> Posed:
        q, i = [], 6
        for joint in joints:
            free = [a for a in joint.free if a < 3]
            angles = np.array(joint.neutral)
            angles[free] = x[i : i + len(free)]
            q.append(angles[None])
            i += len(free)
        base = from_vector(x[None, :3]) @ start.R[0][frame][None]
        D = [turned_by(joint, angles) for joint, angles in zip(joints, q, strict=True)]
        return posed(chain, State(base, x[None, 3:6], q, D, [np.zeros((1, 3)) for _ in q]))

    def residual(x: Array) -> Array:
        now = at(x)
        off = [
            ((p[frame] - m[0]) * w)[s].ravel() for p, m, w, s in zip(points, now.markers, weights, seen, strict=True)
        ]
        pulls = [(q[0] - j.neutral) * j.pull_m_per_rad for q, j in zip(now.state.q, joints, strict=True)]
        return np.concatenate([*off, *pulls])

    x0, low, high = [0.0] * 3 + list(start.origin[0][frame]), [-np.inf] * 6, [np.inf] * 6
    for joint, q in zip(joints, start.state.q, strict=True):
        for i in (a for a in joint.free if a < 3):
            low.append(joint.low[i])
            high.append(joint.high[i])
            x0.append(float(np.clip(q[frame, i], joint.low[i] + 1e-4, joint.high[i] - 1e-4)))
    solved = least_squares(residual, x0, bounds=(low, high), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return at(solved.x).markers


@pytest.mark.parametrize("joints", ["balls", "hinged knees", "limits", "other axes", "pulled"])
def test_scipy_finds_the_same(joints: str) -> None:
    """Frame by frame, to what its finite differences leave, with markers lost, weights, limits and pulls."""
    pulled: Mapping[str, Mapping[str, object]] = {
        "knee": {"pull_m_per_rad": (0.0, 0.5, 0.3), "neutral": (0.0, 0.05, 0.1)}
    }
    chain = legs(pulled if joints == "pulled" else JOINTS[joints])
    rng = np.random.default_rng(3)
    chain = [Segment(s.name, s.places, rng.uniform(0.3, 2.0, len(s.places)), s.joint) for s in chain]
    true = walking(chain, 4)
    points = noisy(true, 0.008)
    points[0][1, 0] = points[3][2, 1] = points[5][:, 2] = np.nan
    fit = fit_chain(chain, points, astray(true.R, 0.1))
    assert fit.converged.all()
    mine = fitted_markers(chain, fit)
    for frame in range(4):
        theirs = by_scipy(chain, true, points, frame)
        assert max(np.abs(a[frame] - b[0]).max() for a, b in zip(mine, theirs, strict=True)) < 1e-7


def test_limits_hold_and_are_told() -> None:
    chain = legs({"knee": {"low": (0.0, -INF, -INF), "high": (0.3, INF, INF)}})
    free = legs()
    true = walking(free)
    fit = fit_chain(chain, true.markers, true.R)
    knee = fit.angles[1][:, 0]
    assert knee.min() == 0.0 and knee.max() == 0.3
    at_limit = fit.at_limit[:, fit.names.index("left_knee_a")]
    assert (at_limit == ((knee == 0.0) | (knee == 0.3))).all() and 0 < at_limit.sum() < len(knee)
    assert fit.converged.all()


# --- what the markers do not tell ---------------------------------------------------------------------------------


def test_lost_markers_change_nothing_of_an_exact_chain() -> None:
    """One marker of each segment, and the pelvis with two of its four: the legs hold it."""
    chain = legs()
    true = walking(chain)
    points = [p.copy() for p in true.markers]
    for i, p in enumerate(points):
        p[5:20, i % p.shape[1]] = np.nan
    points[0][25:30, :2] = np.nan
    fit = fit_chain(chain, points, astray(true.R, 0.05))
    assert fit.determined.all()
    assert apart(fit.origin, true.origin) < 10 * EXACT


def told(fit: ChainFit) -> dict[str, list[int]]:
    """The frames in which each coordinate is not determined."""
    return {
        name: np.flatnonzero(~column).tolist()
        for name, column in zip(fit.names, fit.determined.T, strict=True)
        if not column.all()
    }


def test_what_is_not_determined_is_named() -> None:
    """A foot that nobody sees for some frames, and one with a single marker on the joint's axis: not the rest."""
    chain = legs()
    true = walking(chain)
    points = [p.copy() for p in true.markers]
    points[3][10:15] = np.nan
    fit = fit_chain(chain, points, astray(true.R, 0.05))
    foot = [f"left_ankle_{letter}" for letter in "abc"]
    assert told(fit) == {name: [*range(10, 15)] for name in foot}
    assert (~fit.known(chain, 3)).nonzero()[0].tolist() == list(range(10, 15))
    assert fit.known(chain, 2).all() and fit.known(chain, 6).all()
    others = [i for i in range(len(chain)) if i != 3]
    assert apart([fit.origin[i] for i in others], [true.origin[i] for i in others]) < EXACT


def test_a_marker_that_is_lost_and_comes_back_makes_no_step() -> None:
    """Skin that slides slowly by a centimetre: without the marker the shank turns by a degree from frame to frame."""
    chain = legs()
    true = walking(chain, 120)
    t = np.linspace(0.0, 1.0, 120)[:, None]
    points = [p.copy() for p in true.markers]
    points[2][:, 0] += [0.012, 0.0, 0.005] * (1 + 0.1 * np.sin(4 * t))
    points[2][:, 2] += [0.0, 0.010, 0.0] * (1 + 0.1 * np.cos(3 * t))
    whole = fit_chain(chain, points, true.R)
    points[2][40:80, 0] = np.nan
    plain, steady = (fit(chain, points, true.R) for fit in (fit_chain, fit_steadily))

    def step(fit: ChainFit) -> float:
        """rad: how much the knee turns more from frame to frame than with all markers."""
        return float(np.abs(np.diff(fit.angles[1] - whole.angles[1], axis=0)).max())

    assert step(plain) > 0.01
    assert step(steady) < 0.12 * step(plain)  # what is left is the line in between, which skin does not follow
    assert (plain.determined == steady.determined).all() and steady.converged.all()
    exact = fit_steadily(
        chain, [np.where(np.isnan(p), np.nan, m) for p, m in zip(points, true.markers, strict=True)], true.R
    )
    assert apart(exact.origin, true.origin) < EXACT
