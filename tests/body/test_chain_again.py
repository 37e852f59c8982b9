"""Fits that go on from another one, against fits of the same markers by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from any_markers import FAMILY_OF, NO_FILTER, marked

from gaitid.analysis.pipeline import analyse
from gaitid.body.chain import tracks_of
from gaitid.body.chain_again import SETTLED_M, before_of, fit_again
from gaitid.body.multibody import ChainFit, FittedChain, fit_chain
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.trial import Array


@pytest.fixture(scope="module")
def fitted() -> tuple[FittedChain, list[Array]]:
    recorded = marked(FAMILY_OF["cgm22"])
    result = analyse(recorded.trial, load_model("cgm22", NO_FILTER), SubjectFile(), recorded.static)
    geometry = result.body.geometry
    assert geometry.fitted is not None
    return geometry.fitted, tracks_of(geometry, geometry.fitted.places, geometry.fitted.markers)


def misfit(fitted: FittedChain, points: list[Array], fit: ChainFit) -> Array:
    """(frames,) m²."""
    parts = zip(fitted.chain, points, fit.R, fit.origin, strict=True)
    off = [
        s.weights @ ((p - o[:, None] - np.einsum("fij,nj->fni", R, s.places)) ** 2).sum(axis=2).T
        for s, p, R, o in parts
    ]
    return np.asarray(sum(off))


def moved(points: list[Array], size_m: float) -> list[Array]:
    random = np.random.default_rng(4)
    return [p + size_m * random.standard_normal((1, *p.shape[1:])) for p in points]


@pytest.mark.parametrize("size_m", [1e-3, 8e-3])
def test_it_settles_where_a_fit_by_itself_does(fitted: tuple[FittedChain, list[Array]], size_m: float) -> None:
    """Markers off by 1 and 8 mm: the misfit of both is the same to the square of the last step, poses to 2e-3 rad."""
    of_chain, points = fitted
    before = before_of(of_chain, points)
    others = moved(points, size_m)
    found = fit_again(of_chain.chain, others, before._replace(small=False))
    expected = fit_chain(of_chain.chain, others, of_chain.fit.R, of_chain.fit.determined)
    assert found.settled.all() and expected.settled.all()
    weight = sum(s.weights.sum() for s in of_chain.chain)
    assert np.all(misfit(of_chain, others, found) < misfit(of_chain, others, expected) + weight * SETTLED_M**2)
    turned = max(np.abs(a - b).max() for a, b in zip(found.R, expected.R, strict=True))
    assert turned < 2e-3 < max(np.abs(a - b).max() for a, b in zip(found.R, of_chain.fit.R, strict=True))
    assert found.names == expected.names and np.array_equal(found.determined, expected.determined)


def test_after_micrometres_it_is_the_fit_by_itself_in_few_cheap_steps(
    fitted: tuple[FittedChain, list[Array]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the matrix of the fit before alone: to what is asked of the last step, 1e-10 m, 1e-9 rad."""
    of_chain, points = fitted
    before = before_of(of_chain, points)
    others = moved(points, 3e-6)
    expected = fit_chain(of_chain.chain, others, of_chain.fit.R, of_chain.fit.determined)
    for of_another_matrix in ("step_of", "solve"):
        monkeypatch.delattr(f"gaitid.body.chain_again.{of_another_matrix}")
    found = fit_again(of_chain.chain, others, before)
    assert found.settled.all()
    for a, b, limit in ((found.origin, expected.origin, 1e-10), (found.R, expected.R, 1e-9)):
        assert max(np.abs(x - y).max() for x, y in zip(a, b, strict=True)) < limit
    assert max(np.abs(x - y).max() for x, y in zip(found.origin, of_chain.fit.origin, strict=True)) > 1e-6


def test_several_walks_are_those_by_themselves(fitted: tuple[FittedChain, list[Array]]) -> None:
    of_chain, points = fitted
    before = before_of(of_chain, points)._replace(small=False)
    one, other = moved(points, 2e-3), moved(points, 5e-3)
    both = [np.concatenate(pair) for pair in zip(one, other, strict=True)]
    together = fit_again(of_chain.chain, both, before.repeated(2))
    alone = [fit_again(of_chain.chain, p, before) for p in (one, other)]
    for k, R in enumerate(together.R):
        np.testing.assert_allclose(R, np.concatenate([fit.R[k] for fit in alone]), rtol=0, atol=1e-12)


def test_limits_and_pulls_are_left_to_the_other_fit(fitted: tuple[FittedChain, list[Array]]) -> None:
    from dataclasses import replace

    of_chain, points = fitted
    segment = of_chain.chain[1]
    assert segment.joint is not None
    limited = replace(segment, joint=replace(segment.joint, low=(-1.0, -1.0, -1.0)))
    assert before_of(of_chain._replace(chain=(of_chain.chain[0], limited, *of_chain.chain[2:])), points).solved is None
