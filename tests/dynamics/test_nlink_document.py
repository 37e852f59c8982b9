"""The n-link document: re-derived in exact arithmetic, compared with what it prints, and matched by the library.

Mielke F (2020) "The N-segment piglet limb", mielke-bio.info. `tests/builders/nlink.py` derives everything.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from builders import nlink
from moving_trees import summed

from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.fictitious import FICTITIOUS, Observer, RelativeMotion, contributions, relative_motion
from gaitid.dynamics.newton_euler import SOLVERS

# Of the largest force, and of that force times 1 m for moments: coefficients are exact, what is left is rounding.
RELATIVE = 1e-10
TIMES_S = np.linspace(0.0, 2 * np.pi, 101)  # one period: all angles are whole multiples of t
NO_GRAVITY = np.zeros(3)
GOLDEN = json.loads(nlink.GOLDEN.read_text(encoding="utf-8"))

# As printed (n = 3): magnitudes and arguments; the source text has lost its minus signs.
TIP = "81/250 sin 4, 6/125 sin 6"
PRINTED = {
    "acceleration of C_0 in W, world axes": ("2/5 sin 1", "2/5 cos 1"),
    "acceleration of C_1 in A, world axes": ("6/5 sin 3", "6/5 cos 3"),
    "acceleration of C_2 in B, world axes": ("16/5 sin 7", "16/5 cos 7"),
    "velocity of C_1 in B, axes of A": ("8/5 cos 0", ""),
    "velocity of C_1 in A, axes of A": ("3/5 cos 2", "3/5 sin 2"),
    "velocity of C_1 in W, axes of A": ("9/10 cos 2, 4/5 cos 0", "9/10 sin 2"),
    "dynamic wrench of C_2 at P_2, world": (
        "6/25 sin 1, 81/50 sin 3, 147/50 sin 7",
        "6/25 cos 1, 81/50 cos 3, 147/50 cos 7",
        TIP,
    ),
    "inertia of C_2 at P_2, seen from B": ("24/25 sin 4", "24/25 cos 4", ""),
    "dalembert of C_2 at P_2, seen from B": ("6/25 sin 2", "6/25 cos 2, 81/50 cos 0", TIP),
    "euler of C_2 at P_2, seen from B": ("", "", ""),
    "centrifugal of C_2 at P_2, seen from B": ("27/50 sin 4", "27/50 cos 4", ""),
    "coriolis of C_2 at P_2, seen from B": ("36/25 sin 4", "36/25 cos 4", ""),
    "W_tip at P_2, in C": ("81/50 sin 4, 6/25 sin 6", "81/50 cos 4, 6/25 cos 6, 147/50 cos 0", TIP),
    "W_tip at P_2, in B": ("6/25 sin 2, 147/50 sin 4", "6/25 cos 2, 147/50 cos 4, 81/50 cos 0", TIP),
    "W_J at P_1, in B": (
        "16/25 sin 2, 147/50 sin 4",
        "16/25 cos 2, 147/50 cos 4, 297/100 cos 0",
        "33/125 sin 2, 36/25 sin 4, 6/125 sin 6",
    ),
    "dalembert of C_1 at P_1, seen from B": ("2/5 sin 2", "2/5 cos 2, 27/10 cos 0", "3/25 sin 2"),
    "W_J at P_1, in A": (
        "297/100 sin 2, 147/50 sin 6",
        "297/100 cos 2, 147/50 cos 6, 16/25 cos 0",
        "33/125 sin 2, 36/25 sin 4, 6/125 sin 6",
    ),
    "W_O at P_0, in A": (
        "297/100 sin 2, 147/50 sin 6",
        "297/100 cos 2, 147/50 cos 6, 23/25 cos 0",
        "264/125 sin 2, 36/25 sin 4, 288/125 sin 6",
    ),
}


def magnitudes(printed: str) -> dict[str, Fraction]:
    return {what: Fraction(value) for value, what in re.findall(r"(\S+) ((?:cos|sin) \d+)", printed)}


@pytest.mark.parametrize("title", PRINTED)
def test_derived_is_what_the_document_prints_but_for_the_lost_signs(title: str) -> None:
    derived = [
        {what: abs(Fraction(value)) for what, value in component.named().items()}
        for component in nlink.document()[title]
    ]
    assert derived == [magnitudes(component) for component in PRINTED[title]]


def test_every_derived_result_was_compared() -> None:
    assert list(nlink.document()) == list(PRINTED)


def test_static_and_segment_frames_agree_exactly() -> None:
    """Turned to one set of axes, the joint wrenches computed by every observer are the same fractions."""
    limb = nlink.NLink(6)
    for joint in range(6):
        reference = limb.joint_wrench(joint, nlink.WORLD)
        for frame in limb.frames:
            seen = limb.joint_wrench(joint, frame)
            assert limb.turned(seen.force, nlink.WORLD, frame) == reference.force
            assert limb.turned(seen.moment, nlink.WORLD, frame) == reference.moment


def test_inertia_example_is_turned_from_one_side_only() -> None:
    printed, right = nlink.inertia_of_first_about_its_joint()
    share = Fraction(9, 200)
    assert [[t.named() for t in row] for row in printed] == [
        [{"cos 3": str(share)}, {}, {}],
        [{"sin 3": str(share)}, {}, {}],
        [{}, {}, {"cos 0": str(share)}],
    ]
    # An inertia is symmetric and turning keeps its trace: the printed matrix is not and does not.
    assert right[0][1] == right[1][0] != nlink.Trig()
    assert (right[0][0] + right[1][1] + right[2][2]).named() == {"cos 0": str(2 * share)}


def test_golden_is_what_the_builder_makes() -> None:
    assert nlink.GOLDEN.read_text(encoding="utf-8") == nlink.golden_text()


# --- the library ------------------------------------------------------------------------------------------------


def values(components: dict[str, str]) -> np.ndarray:
    """Coefficients by name -> (times,)."""
    functions = {"cos": np.cos, "sin": np.sin}
    total = np.zeros(len(TIMES_S))
    for what, value in components.items():
        name, k = what.split()
        total += float(Fraction(value)) * functions[name](int(k) * TIMES_S)
    return total


def trig_values(v: nlink.Vector) -> np.ndarray:
    return np.stack([values(component.named()) for component in v], axis=-1)


@cache
def link(i: int) -> Link:
    limb = nlink.NLink(6)
    turning = limb.turning(limb.frames[i + 1])
    c, s, zero = np.cos(turning * TIMES_S), np.sin(turning * TIMES_S), np.zeros(len(TIMES_S))
    R = np.stack([np.stack(row, axis=-1) for row in ((c, -s, zero), (s, c, zero), (zero, zero, zero + 1))], axis=-2)
    omega = np.zeros((len(TIMES_S), 3))
    omega[:, 2] = turning
    com = limb.com(i)
    acc = trig_values(nlink.rate(nlink.rate(com)))
    mass = float(nlink.MASSES_KG[i])
    return Link(mass, np.zeros((3, 3)), R, trig_values(com), acc, omega, 0 * omega, trig_values(limb.joint(i)))


@cache
def velocity(i: int) -> np.ndarray:
    return trig_values(nlink.rate(nlink.NLink(6).com(i)))


@cache
def observer(frame: str) -> Observer:
    limb = nlink.NLink(6)
    p = limb.attachment(frame)
    v = nlink.rate(p)
    zero = np.zeros((len(TIMES_S), 3))
    if frame == nlink.WORLD:
        return Observer(np.broadcast_to(np.eye(3), (len(TIMES_S), 3, 3)), zero, zero, zero, zero, zero)
    on = link(limb.frames.index(frame) - 1)
    return Observer(on.R_gs, trig_values(p), trig_values(v), trig_values(nlink.rate(v)), on.omega_g, on.alpha_g)


@cache
def differentiated(i: int, frame: str) -> RelativeMotion:
    """Differentiated in the observer's axes, exactly: no transport formula has touched it."""
    r = nlink.NLink(6).seen(nlink.NLink(6).com(i), frame)
    v = nlink.rate(r)
    return RelativeMotion(trig_values(r), trig_values(v), trig_values(nlink.rate(v)))


def chain(n: int) -> Chain:
    return Chain([link(i) for i in reversed(range(n))])


def expected(record: dict[str, dict[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    zero = np.zeros(len(TIMES_S))
    f = np.stack([values(record["fx"]), values(record["fy"]), zero], axis=-1)
    return f, np.stack([zero, zero, values(record["mz"])], axis=-1)


def assert_close(found: np.ndarray, true: np.ndarray, scale: float) -> None:
    np.testing.assert_allclose(found, true, rtol=0, atol=RELATIVE * scale)


def records(n: int) -> list[dict[str, object]]:
    return [record for record in GOLDEN["joint_wrenches"] if record["n"] == n]


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_gives_the_exact_wrenches(solver: str, n: int) -> None:
    """In laboratory axes, and turned into the axes of every segment."""
    wrenches = SOLVERS[solver](chain(n), NO_GRAVITY)[::-1]
    compared = 0
    for record in records(n):
        f, m = expected(record)
        wrench, seen = wrenches[record["joint"]], observer(record["observer"]).seen
        assert_close(seen(wrench.f_g), f, np.abs(f).max())
        assert_close(seen(wrench.m_g), m, np.abs(f).max())
        compared += 1
    assert compared == n * (n + 1)


@pytest.mark.parametrize("derived", [False, True], ids=["differentiated", "derived"])
@pytest.mark.parametrize("n", range(1, 7))
def test_every_observer_computes_the_exact_wrenches(n: int, derived: bool) -> None:
    frames = nlink.NLink(n).frames
    computed = {}
    for frame in frames:
        o, limb = observer(frame), chain(n)
        motions = (
            [relative_motion(link(i), velocity(i), o) for i in reversed(range(n))]
            if derived
            else [differentiated(i, frame) for i in reversed(range(n))]
        )
        computed[frame] = [summed(terms) for terms in contributions(limb, NO_GRAVITY, o, motions)][::-1]
    for record in records(n):
        f, m = expected(record)
        (force, moment), seen = computed[record["observer"]][record["joint"]], observer(record["observer"]).seen
        assert_close(seen(force), f, np.abs(f).max())
        assert_close(seen(moment), m, np.abs(f).max())


@pytest.mark.parametrize("frame", nlink.NLink(6).frames)
def test_every_term_of_every_observer_is_exact(frame: str) -> None:
    """Segment by segment: each alone is a chain of one, so its contributions are its own terms."""
    o, compared = observer(frame), 0
    for i in range(6):
        (terms,) = contributions(Chain([link(i)]), NO_GRAVITY, o, [relative_motion(link(i), velocity(i), o)])
        exact = {r["term"]: expected(r) for r in GOLDEN["segment_terms"] if (r["segment"], r["observer"]) == (i, frame)}
        assert set(exact) == {"inertia", *FICTITIOUS}
        largest = max(np.abs(f).max() for f, _ in exact.values())
        for name, (f, m) in exact.items():
            assert_close(o.seen(terms[name].f_g), f, largest)
            assert_close(o.seen(terms[name].m_g), m, largest)
            compared += 1
        assert not terms["gravity"].f_g.any()
        assert not terms["ground_reaction"].m_g.any()
    assert compared == 30
