"""Four ways to one answer: block substitution, the same matrix by LU, the recursion and Lagrange multipliers."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import TIMES, G, random_external, random_tree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from shared_trials import TRIALS

from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.newton_euler import SOLVERS, block_matrix, solve_block, solve_recursive
from gaitid.dynamics.wrench import Wrench
from gaitid.numerics.rotation import apply_transposed
from gaitid.run import RunOptions, analyse_file, prepare

seeds = st.integers(0, 2**32 - 1)
# Relative to the largest value of that joint. `gaitid check` holds the solvers to 1e-9; double precision leaves some
# 1e-15, and 1e-13 where levers are differences of positions a hundred metres away.
RELATIVE = 1e-11


def assert_same(one: list[Wrench], other: list[Wrench], relative: float = RELATIVE) -> None:
    for a, b in zip(one, other, strict=True):
        for x, y in ((a.f_g, b.f_g), (a.m_g, b.m_g)):
            known = np.isfinite(x)
            np.testing.assert_array_equal(np.isfinite(y), known)
            size = np.abs(x[known]).max() if known.any() else 0.0
            np.testing.assert_allclose(y[known], x[known], rtol=0, atol=relative * size)
        np.testing.assert_array_equal(a.p_g, b.p_g)


def assert_all_agree(chain: Chain) -> None:
    first = solve_block(chain, G)
    for solve in SOLVERS.values():
        assert_same(first, solve(chain, G))


def test_there_are_four() -> None:
    assert list(SOLVERS) == ["block", "dense", "recursive", "constrained"]


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 8), seed=seeds, branched=st.booleans())
def test_on_limbs_and_trees_of_any_shape(n: int, seed: int, branched: bool) -> None:
    rng = np.random.default_rng(seed)
    assert_all_agree(random_tree(rng, n, branched).chain(TIMES, random_external(rng, n, len(TIMES))))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 6), seed=seeds, loaded=st.booleans())
def test_with_masses_from_a_gram_to_a_hundred_kilograms(n: int, seed: int, loaded: bool) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n, masses=(1e-3, 1e2))
    assert_all_agree(tree.chain(TIMES, random_external(rng, n, len(TIMES)) if loaded else None))


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 0.0])
def test_with_a_light_tip_below_a_heavy_trunk_and_above_it(mass: float) -> None:
    rng = np.random.default_rng(3)
    links = list(random_tree(rng, 3, branched=False).chain(TIMES).links)
    for light in (0, 1, 2):
        masses = [mass if i == light else 100.0 for i in range(3)]
        chain = [replace(link, mass=m, inertia_s=m * np.diag([1e-2, 2e-2, 2.5e-2])) for link, m in zip(links, masses)]
        assert_all_agree(Chain(chain))


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=seeds)
def test_on_motion_that_no_rigid_bodies_make(n: int, seed: int) -> None:
    """As measured: joints come apart, derivatives and positions do not match, lengths and inertia change."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES, random_external(rng, n, len(TIMES)))
    frames = len(TIMES)

    def noisy(link: Link) -> Link:
        swing = 1 + 0.05 * rng.normal(size=(frames, 1, 1))
        moved = {name: getattr(link, name) + rng.normal(0, 0.02, (frames, 3)) for name in ("com_g", "joint_g")}
        shaken = {name: getattr(link, name) + rng.normal(0, 5, (frames, 3)) for name in ("acc_g", "omega_g", "alpha_g")}
        return replace(link, inertia_s=link.inertia_s * swing, **moved, **shaken)

    assert_all_agree(Chain([noisy(link) for link in chain.links], chain.proximal))


@settings(max_examples=20, deadline=None)
@given(seed=seeds, far=st.floats(-100, 100))
def test_far_from_the_laboratory_s_origin(seed: int, far: float) -> None:
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, 4).chain(TIMES, random_external(rng, 4, len(TIMES)))

    def there(link: Link) -> Link:
        e = link.external
        moved = None if e is None else Wrench(e.f_g, e.m_g, e.p_g + far)
        return replace(link, com_g=link.com_g + far, joint_g=link.joint_g + far, external=moved)

    assert_all_agree(Chain([there(link) for link in chain.links], chain.proximal))


def with_a_hole(rng: np.random.Generator, values: np.ndarray, tensor: bool) -> np.ndarray:
    shape = (len(TIMES), 3, 3) if tensor else (len(TIMES), 3)
    result = np.array(np.broadcast_to(values, shape))
    result[tuple(rng.integers(shape))] = np.nan
    return result


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 5), seed=seeds, holes=st.integers(1, 8))
def test_on_what_is_unknown(n: int, seed: int, holes: int) -> None:
    """Single numbers go missing anywhere: all solvers leave the same cells empty, whole vectors at a time."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES, random_external(rng, n, len(TIMES)))
    links = list(chain.links)
    tensors, vectors = ("inertia_s", "R_gs"), ("com_g", "acc_g", "omega_g", "alpha_g", "joint_g")
    for _ in range(holes):
        i = rng.integers(n)
        link, load = links[i], links[i].external
        name = rng.choice([*tensors, *vectors, "f_g", "m_g", "p_g"])
        if name in (*tensors, *vectors):
            links[i] = replace(link, **{name: with_a_hole(rng, getattr(link, name), name in tensors)})
        elif load is not None:
            links[i] = replace(link, external=replace(load, **{name: with_a_hole(rng, getattr(load, name), False)}))
    holed = Chain(links, chain.proximal)
    assert_all_agree(holed)
    for w in solve_recursive(holed, G):
        for vectors in (w.f_g, w.m_g):
            unknown = np.isnan(vectors)
            np.testing.assert_array_equal(unknown.any(axis=1), unknown.all(axis=1))


def test_an_unknown_lever_leaves_the_force_known() -> None:
    chain = random_tree(np.random.default_rng(1), 3, branched=False).chain(TIMES)
    joint = chain.links[1].joint_g.copy()
    joint[5] = np.nan
    holed = Chain([chain.links[0], replace(chain.links[1], joint_g=joint), chain.links[2]])
    for solve in SOLVERS.values():
        below, at, above = solve(holed, G)
        assert np.isfinite(below.m_g).all()
        for w in (at, above):
            assert np.isfinite(w.f_g).all()
            np.testing.assert_array_equal(np.flatnonzero(np.isnan(w.m_g).any(axis=1)), [5])


def test_a_mass_that_is_not_known_blanks_its_joint_and_those_above() -> None:
    chain = random_tree(np.random.default_rng(1), 3, branched=False).chain(TIMES)
    holed = Chain([chain.links[0], replace(chain.links[1], mass=float("nan")), chain.links[2]])
    for solve in SOLVERS.values():
        below, at, above = solve(holed, G)
        assert np.isfinite(below.m_g).all()
        assert np.isnan([at.f_g, at.m_g, above.f_g, above.m_g]).all()


def test_many_frames_are_solved_as_few_are() -> None:
    """More frames than one chunk of the factorisations, and a rest."""
    t = np.linspace(0, 3, 2500)
    rng = np.random.default_rng(8)
    chain = random_tree(rng, 2).chain(t, random_external(rng, 2, len(t)))
    assert_all_agree(chain)


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=seeds)
def test_the_block_matrix_times_the_answer_is_its_right_hand_side(n: int, seed: int) -> None:
    """What is substituted row by row is the matrix as it is written: m (a − g) − E and Euler's moment less R N."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES, random_external(rng, n, len(TIMES)))
    wrenches = solve_block(chain, G)
    x = np.concatenate(
        [v for link, w in zip(chain.links, wrenches) for v in (w.f_g, apply_transposed(link.R_gs, w.m_g))], axis=1
    )
    product = np.einsum("tij,tj->ti", block_matrix(chain), x).reshape(len(TIMES), n, 2, 3)
    for i, link in enumerate(chain.links):
        omega, alpha = (np.einsum("tji,tj->ti", link.R_gs, v) for v in (link.omega_g, link.alpha_g))
        newton = link.mass * (link.acc_g - G)
        euler = alpha @ link.inertia_s.T + np.cross(omega, omega @ link.inertia_s.T)
        if link.external is not None:
            e = link.external
            newton = newton - e.f_g
            moment = e.m_g + np.cross(e.p_g - link.com_g, e.f_g)
            euler = euler - np.einsum("tji,tj->ti", link.R_gs, moment)
        np.testing.assert_allclose(product[:, i, 0], newton, atol=1e-10)  # N, of some thousands
        np.testing.assert_allclose(product[:, i, 1], euler, atol=1e-10)  # N·m


def test_the_block_matrix_is_lower_triangular_by_blocks_with_a_unit_diagonal() -> None:
    """So that substitution needs no pivots: each segment comes before the one that it hangs from."""
    matrix = block_matrix(random_tree(np.random.default_rng(0), 6).chain(TIMES))
    assert not np.triu(matrix, 1).any()
    np.testing.assert_array_equal(np.diagonal(matrix, axis1=1, axis2=2), 1.0)


# --- real trials and the samples ---------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = [ROOT / "sample_data" / name for name in ("walk/walk.c3d", "walk_noisy/walk.c3d")]


@pytest.mark.parametrize("path", [*SAMPLES, *(known.path for known in TRIALS)], ids=lambda p: "/".join(p.parts[-2:]))
def test_on_trials(path: Path) -> None:
    """Every force and moment of every joint, empty in the same cells: what `gaitid check --solvers` demands."""
    if not path.is_file():
        pytest.skip("the shared trials are not beside this checkout")
    results = [analyse_file(path, prepare(RunOptions("pig", solver=name))) for name in SOLVERS]
    assert any(np.isfinite(w.m_g).any() for leg in results[0].sides.values() for w in leg.wrenches.values())
    for side, leg in results[0].sides.items():
        for other in results[1:]:
            assert_same(list(leg.wrenches.values()), list(other.sides[side].wrenches.values()), 1e-9)
