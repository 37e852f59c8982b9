"""What a low-pass takes of the motion itself is stated: with noise alone, bands hold the truth."""

from __future__ import annotations

import numpy as np
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.uncertainty.estimate import estimate
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Shift
from gaitid.uncertainty.sources import Sources, read_sources

WALK = simulated_walk(duration=2.6)
NOISE_M = 3e-4


def noise_alone(times: float) -> Sources:
    """Noise, and so many times what the low-pass takes once more."""
    bundled = read_sources("default")
    sizes = {name: dict.fromkeys(of, 0.0) for name, of in bundled.sizes.items()}
    sizes["cutoff"]["taken_again"] = times
    still = {name: of._replace(together_m=0.0, each_m=0.0) for name, of in bundled.soft_tissue.items()}
    return bundled._replace(noise_m=NOISE_M, placement_m=0.0, soft_tissue=still, hip_m={}, measurements={}, sizes=sizes)


def test_it_is_what_the_filter_takes_once_more() -> None:
    """Of markers that it has passed already; nothing of a trial that is filtered by nothing."""
    result = analyse(WALK.trial, load_model("pig", {"cutoff_hz": 6.0}), SubjectFile())
    perturbed = Perturbed(result)
    (once,) = perturbed.columns([Shift(cutoff={"again": 1.0})])
    (half,) = perturbed.columns([Shift(cutoff={"again": 0.5})])
    column = perturbed.names.index("left_knee_flexion_deg")
    change, of_half = (of[:, column] - perturbed.unshifted[:, column] for of in (once, half))
    assert 0.1 < np.nanmax(np.abs(change)) < 3.0  # deg: what 6 Hz take of a knee's flexion
    np.testing.assert_allclose(2 * of_half, change, atol=0.02)
    unfiltered = analyse(WALK.trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())
    sure = estimate(unfiltered, noise_alone(1.0), features=False)
    assert not any("cutoff" in of["shares_percent"] for of in sure.record()["columns"].values())
