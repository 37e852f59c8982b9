"""The pose of a chain with joints from markers: exact, indifferent to the room, least squares, honest about gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from chains import Posed, astray, legs, markers, posed, walking
from rotations import from_vector
from scipy.optimize import least_squares

from gaitid.body.chain import fit_steadily
from gaitid.body.joints import Segment, State, joint_of, screws, turned_by
from gaitid.body.multibody import ChainFit, after_step, fit_chain, step_of
from gaitid.numerics.marker_sums import marker_sums
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
    assert fit.settled.all() and fit.determined.all()
    assert apart(fit.origin, true.origin) < EXACT
    assert apart(fit.R, true.R) < 10 * EXACT  # rad: of 10 cm from marker to marker
    assert apart(fit.angles, true.state.q) < 10 * EXACT
    assert apart(fit.shifts, true.state.t) < EXACT


def test_a_chain_is_found_from_nothing() -> None:
    """No segment's pose is known beforehand: it begins at the neutral angles."""
    chain = legs()
    true = walking(chain, 10)
    fit = fit_chain(chain, true.markers, [np.full_like(R, np.nan) for R in true.R])
    assert fit.settled.all()
    assert apart(fit.origin, true.origin) < EXACT


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


def test_screws_are_the_derivatives_of_the_markers() -> None:
    """By central differences of each coordinate of each type of joint: rounding and third derivatives leave 1e-9."""
    for joints in (name for name in JOINTS if name != "limits"):  # at a limit there is but one side
        chain = legs(JOINTS[joints])
        true = walking(chain, 4)
        for k, segment in enumerate(chain[1:]):
            joint = joint_of(segment)
            centre = true.origin[k + 1] + true.R[k + 1] @ joint.centre_d
            S = screws(joint, true.state.q[k], centre, true.R[joint.proximal], true.R[k + 1])
            for column in range(len(joint.free)):
                change = [np.zeros((4, 6)), *(np.zeros((4, len(joint_of(s).free))) for s in chain[1:])]
                change[k + 1][:, column] = 1e-6
                ahead = posed(chain, after_step(chain, true.state, change)).markers[k + 1]
                behind = posed(chain, after_step(chain, true.state, [-c for c in change])).markers[k + 1]
                expected = np.cross(S[:, None, :3, column], true.markers[k + 1]) + S[:, None, 3:, column]
                assert np.abs((ahead - behind) / 2e-6 - expected).max() < 2e-8


def test_the_recursion_solves_the_dense_equations() -> None:
    """One step equals (JᵀJ)⁻¹ Jᵀ r with the Jacobian by central differences of every coordinate."""
    chain = legs(JOINTS["universal ankles"])
    true = walking(chain, 3)
    points = noisy(true, 0.01)
    sums = [marker_sums(s.places, p, s.weights) for s, p in zip(chain, points, strict=True)]
    change, _, _ = step_of(chain, sums, true.state, np.zeros(3), np.zeros(3, dtype=bool), (true.R, true.origin))
    sizes = [c.shape[1] for c in change]
    columns = []
    for k, size in enumerate(sizes):
        for column in range(size):
            moved = [np.zeros_like(c) for c in change]
            moved[k][:, column] = 1e-6
            ahead = posed(chain, after_step(chain, true.state, moved)).markers
            behind = posed(chain, after_step(chain, true.state, [-c for c in moved])).markers
            columns.append(
                np.concatenate([(a - b).reshape(3, -1) / 2e-6 for a, b in zip(ahead, behind, strict=True)], 1)
            )
    J = np.stack(columns, axis=2)
    r = np.concatenate([(p - m).reshape(3, -1) for p, m in zip(points, true.markers, strict=True)], axis=1)
    expected = np.stack([np.linalg.lstsq(J[f], r[f], rcond=None)[0] for f in range(3)])
    assert np.abs(np.concatenate(change, axis=1) - expected).max() < 1e-7


@pytest.mark.parametrize("joints", ["balls", "universal ankles", "free knees", "other axes"])
def test_near_the_end_the_step_is_newtons(joints: str) -> None:
    """(∂²E)⁻¹ ∂E by second differences of what is minimised; soft tissue of 2 cm, so that residuals matter."""
    chain = legs(JOINTS[joints])
    true = walking(chain, 2)
    points = noisy(true, 0.02)
    sums = [marker_sums(s.places, p, s.weights) for s, p in zip(chain, points, strict=True)]
    change, _, _ = step_of(chain, sums, true.state, np.zeros(2), np.ones(2, dtype=bool), (true.R, true.origin))
    sizes = np.cumsum([0, *(c.shape[1] for c in change)])

    def error(delta: Array) -> Array:
        parts = [np.broadcast_to(delta[a:b], (2, b - a)) for a, b in zip(sizes, sizes[1:], strict=False)]
        now = posed(chain, after_step(chain, true.state, parts)).markers
        return np.asarray(sum(((p - m) ** 2).sum(axis=(1, 2)) for p, m in zip(points, now, strict=True)) / 2)

    n, h = int(sizes[-1]), 3e-4
    e = h * np.eye(n)
    slope = np.stack([(error(e[i]) - error(-e[i])) / (2 * h) for i in range(n)], axis=1)
    H = np.zeros((2, n, n))
    for i in range(n):
        for j in range(i + 1):
            second = error(e[i] + e[j]) - error(e[i] - e[j]) - error(e[j] - e[i]) + error(-e[i] - e[j])
            H[:, i, j] = H[:, j, i] = second / (4 * h * h)
    expected = -np.linalg.solve(H, slope[..., None])[..., 0]
    assert np.abs(np.concatenate(change, axis=1) - expected).max() < 1e-4 * np.abs(expected).max()


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
    assert fit.settled.all()
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
    assert fit.settled.all()


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


def test_a_hinge_needs_fewer_markers_than_a_ball() -> None:
    """One marker on the shank and none on the foot: a hinge is told, of a ball joint no angle for sure."""
    for kind, lacking in (("hinged knees", set[str]()), ("balls", {f"left_knee_{letter}" for letter in "abc"})):
        chain = legs(JOINTS[kind])
        true = walking(chain)
        points = [p.copy() for p in true.markers]
        points[2][:, 1:] = np.nan
        points[3][:] = np.nan
        fit = fit_chain(chain, points, astray(true.R, 0.05))
        feet = {f"left_ankle_{letter}" for letter in "abc"}
        assert feet <= set(told(fit)) and set(told(fit)) <= feet | lacking
        assert bool(set(told(fit)) & lacking) == bool(lacking)


def test_markers_in_one_line_do_not_tell_how_it_turns() -> None:
    """On a segment that is alone in the room; how far from the line they lie decides, as it does for a rigid fit."""
    for off_m, sure in ((0.002, False), (0.02, True)):
        places = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.2], [0.0, 0.0, 0.3], [off_m, 0.0, 0.25]])
        chain = [Segment("wand", places, np.ones(4))]
        state = State(from_vector(np.zeros((3, 3))), np.ones((3, 3)), [], [], [])
        fit = fit_chain(chain, posed(chain, state).markers, [state.R])
        assert fit.determined.all() == sure
        assert sure or told(fit) == {"wand_turn_z": [0, 1, 2]}


def test_frames_without_any_marker_are_unknown() -> None:
    chain = legs()
    true = walking(chain)
    points = [p.copy() for p in true.markers]
    for p in points:
        p[7] = np.nan
    fit = fit_chain(chain, points, true.R)
    assert np.isnan(fit.R[0][7]).all() and not fit.determined[7].any() and not fit.settled[7]
    assert np.isfinite(np.delete(fit.origin[3], 7, axis=0)).all()


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
    assert (plain.determined == steady.determined).all() and steady.settled.all()
    exact = fit_steadily(
        chain, [np.where(np.isnan(p), np.nan, m) for p, m in zip(points, true.markers, strict=True)], true.R
    )
    assert apart(exact.origin, true.origin) < EXACT


def test_a_small_step_of_newtons_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a step of Newton's of less than `NEWTON_SETTLED_M` leaves is less than what is asked of the last step."""
    chain = legs()
    true = walking(chain, 200)
    points, start = noisy(true, 0.01), astray(true.R, 0.1)
    points[3][20:40, 0] = points[5][60:90, 2] = np.nan
    fit = fit_chain(chain, points, start)
    monkeypatch.setattr("gaitid.body.multibody.NEWTON_SETTLED_M", 0.0)
    once_more = fit_chain(chain, points, start)
    assert fit.settled.all() and fit.steps.sum() < once_more.steps.sum() - 100
    assert apart(fit.origin, once_more.origin) < 1e-10
    assert apart(fit.R, once_more.R) < 1e-9
