"""The likelihood of residuals: a Gaussian whose covariance is written out here, with the body's parameters in it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from made_evidence import walked
from scipy.stats import multivariate_normal

from gaitid.faults.spread import (
    HEIGHT,
    MOMENTUM,
    MOST_SPREAD,
    NOISE,
    OF_A_WALK,
    PRESSURE,
    WANDERS,
    Spread,
    _any_laboratory,
    _body,
    likelihood,
)
from gaitid.trial import Array


def of_times(time_s: Array, spread: Spread, scale: float = 1.0) -> list[Array]:
    """Covariance of each component: what wanders, noise, and what stays."""
    apart = np.abs(np.subtract.outer(time_s, time_s))
    return [
        (scale * w) ** 2 * (np.exp(-apart / WANDERS) + NOISE**2 * np.eye(len(time_s))) + (scale * s) ** 2
        for w, s in zip(spread.wandering, spread.steady, strict=True)
    ]


@cache
def dense(whole: bool) -> tuple[Array, Array]:
    """Mean and covariance of all residuals: K + J P Jᵀ."""
    evidence = walked(whole=whole)
    moves = evidence.filed.asked - evidence.up_g
    scale = max(np.sqrt((moves**2).sum(axis=1).mean()) / OF_A_WALK, 1.0)
    blocks = [K for run in evidence.runs for K in of_times(evidence.windows_s[run], MOMENTUM[whole], scale)]
    blocks += [K for pressing in evidence.pressing for K in of_times(pressing.time_s, PRESSURE)]
    blocks += [HEIGHT**2 * np.eye(len(evidence.floor_g))]
    ends = np.cumsum([0, *map(len, blocks)])
    K = np.zeros((ends[-1], ends[-1]))
    for a, b, block in zip(ends, ends[1:], blocks, strict=False):
        K[a:b, a:b] = block
    mean = np.zeros(len(K))
    for prior, changes in (*_body(evidence), *_any_laboratory(evidence)):
        J = np.concatenate([change.ravel() for change in changes])
        mean += prior.mean * J
        K += prior.sd**2 * np.outer(J, J)
    return mean, K


def in_blocks(whole: bool, r: Array) -> list[Array]:
    shapes = [block.shape for block in walked(whole=whole).residuals(walked(whole=whole).filed)]
    ends = np.cumsum([0, *(a * b for a, b in shapes)])
    return [r[i:j].reshape(shape) for i, j, shape in zip(ends, ends[1:], shapes, strict=False)]


@pytest.mark.parametrize("whole", [True, False])
def test_the_bodys_parameters_are_integrated_out(whole: bool) -> None:
    of, (mean, K) = likelihood(walked(whole=whole)), dense(whole)
    model = multivariate_normal(mean, K)
    draws = model.rvs(3, random_state=2)
    misfits = [of.misfit(of.white(in_blocks(whole, r)) - of.usual) for r in draws]
    for r, misfit in zip(draws, misfits, strict=True):
        assert misfit == pytest.approx((r - mean) @ np.linalg.solve(K, r - mean), rel=1e-9)
    assert misfits[0] - misfits[1] == pytest.approx(2 * (model.logpdf(draws[1]) - model.logpdf(draws[0])), rel=1e-6)


@pytest.mark.parametrize("whole", [True, False])
def test_what_the_model_draws_has_a_misfit_of_one_for_each_residual(whole: bool) -> None:
    of, (mean, K) = likelihood(walked(whole=whole)), dense(whole)
    draws = multivariate_normal(mean, K).rvs(200, random_state=1)
    misfits = np.array([of.misfit(of.white(in_blocks(whole, r)) - of.usual) for r in draws]) / len(mean)
    # free moments do not count
    assert of.counts == len(mean) - sum(W.shape[1] for W in of.whiten if len(W) == 3)
    # χ² of n: its mean over 200 draws is known to √(2 / 200 n); four times that
    assert misfits.mean() == pytest.approx(1.0, abs=4 * np.sqrt(2 / (200 * len(mean))))
    assert misfits.std() == pytest.approx(np.sqrt(2 / len(mean)), rel=0.25)


def test_a_fault_that_lasts_cannot_hide_in_its_own_spread() -> None:
    """Residuals raise the spread of their trial twofold and no more: from there on each counts as a square does."""
    of = likelihood(walked())
    raised = MOST_SPREAD**2
    logs = np.array([of.log(times * of.counts) for times in (raised, 2 * raised, 3 * raised)])
    np.testing.assert_allclose(np.diff(logs), -of.counts / 2)
    free = [-of.counts / 2 * (np.log(times) + 1) for times in (raised, 3 * raised)]
    assert logs[0] - logs[2] > 1.5 * (free[0] - free[1])
