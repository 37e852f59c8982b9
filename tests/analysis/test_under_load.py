<<<<<<< HEAD
"""A limb once more under the load that it had: the moments and powers that it had, in whatever axes these are told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from simulated_trials import Simulated

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.under_load import under_load
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
=======
"""Moments and powers of chosen frames under a load: with the load that acted there they are those of the result."""

from __future__ import annotations

import numpy as np
import pytest
from any_markers import FAMILY_OF, marked, run

from gaitid.analysis.under_load import under_load
from gaitid.dynamics.wrench import Wrench


@pytest.mark.parametrize("model", ["landmarks", "cast", "cgm21"])
def test_with_its_own_load_nothing_changes(model: str) -> None:
    """Also of a model that tells moments in the axes of its angles (``jcs``)."""
    result = run(marked(FAMILY_OF[model]))
    leg = result.sides["left"]
    frames = np.flatnonzero(np.isfinite(leg.moments["hip"]["extension"]))[::7]
    assert len(frames) > 5
    acting = leg.acting.wrench
    load = Wrench(acting.f_g[frames], acting.m_g[frames], acting.p_g[frames])
    moments, powers = under_load(result, "left", frames, load)
    for joint, columns in moments.items():
        for name, values in columns.items():
            np.testing.assert_allclose(values, leg.moments[joint][name][frames], atol=1e-12, err_msg=f"{joint} {name}")
    np.testing.assert_allclose(powers["hip"], leg.powers["hip"][frames], atol=1e-12)
>>>>>>> 5f10952 (check: --max-uncertainty QUANTITY=VALUE; analysis: moments in the axes of angles also under chosen loads)
