"""Exact derivatives against differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gaitid.numerics.jet import Jet, bilinear, cross, matmul, sin_cos, stack, time_jet, turn

Array = NDArray[np.float64]


def test_jets_agree_with_central_differences() -> None:
    t, h = np.linspace(0.0, 2.0, 41), 1e-4

    def motion(times: Array) -> Jet:
        time = time_jet(times, 3)
        s, c = sin_cos(time * 3.0 + 0.2)
        v = stack([s * c, c - s * 0.3, time * s])
        r = matmul(turn(0, s), matmul(turn(1, c * 2.0), turn(2, time)))
        w = bilinear(lambda m, x: np.einsum("tij,tj->ti", m, x), r, v)
        twisted: Jet = cross(w, v) + w
        length = bilinear(lambda a, b: np.einsum("ti,ti->t", a, b), twisted, v)
        return stack([length, twisted.column(0), twisted.column(2)])

    exact, before, after = motion(t), motion(t - h), motion(t + h)
    for k in range(1, 4):
        # The error of a central difference is h²/6 times the third derivative beyond (≲ 1e4 here).
        difference = (after.d[k - 1] - before.d[k - 1]) / (2 * h)
        np.testing.assert_allclose(exact.d[k], difference, rtol=1e-5, atol=1e-4)
