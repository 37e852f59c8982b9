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

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.newton_euler import SOLVERS, solve_block
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


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 8), seed=seeds, branched=st.booleans())
def test_on_limbs_and_trees_of_any_shape(n: int, seed: int, branched: bool) -> None:
    rng = np.random.default_rng(seed)
    assert_all_agree(random_tree(rng, n, branched).chain(TIMES, random_external(rng, n, len(TIMES))))


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 0.0])
def test_with_a_light_tip_below_a_heavy_trunk_and_above_it(mass: float) -> None:
    rng = np.random.default_rng(3)
    links = list(random_tree(rng, 3, branched=False).chain(TIMES).links)
    for light in (0, 1, 2):
        masses = [mass if i == light else 100.0 for i in range(3)]
        chain = [replace(link, mass=m, inertia_s=m * np.diag([1e-2, 2e-2, 2.5e-2])) for link, m in zip(links, masses)]
        assert_all_agree(Chain(chain))


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
