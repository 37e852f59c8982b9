"""Fits that go on from another one, against fits of the same markers by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from any_markers import FAMILY_OF, NO_FILTER, marked

from gaitid.analysis.pipeline import analyse
from gaitid.body.chain import tracks_of
from gaitid.body.chain_again import before_of, fit_again
from gaitid.body.multibody import FittedChain
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


def moved(points: list[Array], size_m: float) -> list[Array]:
    random = np.random.default_rng(4)
    return [p + size_m * random.standard_normal((1, *p.shape[1:])) for p in points]


def test_several_walks_are_those_by_themselves(fitted: tuple[FittedChain, list[Array]]) -> None:
    of_chain, points = fitted
    before = before_of(of_chain, points)._replace(small=False)
    one, other = moved(points, 2e-3), moved(points, 5e-3)
    both = [np.concatenate(pair) for pair in zip(one, other, strict=True)]
    together = fit_again(of_chain.chain, both, before.repeated(2))
    alone = [fit_again(of_chain.chain, p, before) for p in (one, other)]
    for k, R in enumerate(together.R):
        np.testing.assert_allclose(R, np.concatenate([fit.R[k] for fit in alone]), rtol=0, atol=1e-12)
