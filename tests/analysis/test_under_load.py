"""A limb once more under the load that it had: the moments and powers that it had, in whatever axes these are told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from simulated_trials import Simulated

from gaitid.analysis.cycle_curves import under_load
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model


@pytest.mark.parametrize("model", ["pig", "pig_vicon", "cgm21"])
def test_the_same_load_gives_the_same_moments(simulated: Callable[..., Simulated], model: str) -> None:
    walk = simulated()
    result = analyse(walk.trial, load_model(model), SubjectFile(), walk.static)
    for side, leg in result.sides.items():
        frames = np.flatnonzero(np.isfinite(leg.powers["hip"]))
        load = leg.acting.wrench
        here = type(load)(load.f_g[frames], load.m_g[frames], load.p_g[frames])
        moments, powers = under_load(result, side, frames, here)
        for joint, columns in moments.items():
            for name, values in columns.items():
                np.testing.assert_allclose(values, leg.moments[joint][name][frames], atol=1e-9)
            np.testing.assert_allclose(powers[joint], leg.powers[joint][frames], atol=1e-9)
