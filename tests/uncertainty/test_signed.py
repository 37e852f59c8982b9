"""What skin does to curves, with its sign: together it is the variance that is stated, and in one person it cancels."""

from __future__ import annotations

import numpy as np
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.first_order import SKIN, propagate, wave_changes
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.signed import Signed, signed
from gaitid.uncertainty.sources import read_sources

SOURCES = read_sources("default")
PIG = load_model("pig")


def skin_of(**options: float | bool) -> Signed:
    walk = simulated_walk(duration=2.6, **options)
    return signed(analyse(walk.trial, PIG, SubjectFile(), static=walk.static), SOURCES, (SKIN,))


def test_together_it_is_the_stated_variance() -> None:
    walk = simulated_walk(duration=2.6)
    perturbed = Perturbed(analyse(walk.trial, PIG, SubjectFile(), static=walk.static))
    errors = errors_of(SOURCES, perturbed)
    stated = propagate(perturbed, errors, features=False).variance[SKIN]
    summed = np.zeros(stated.shape)
    for _, of_tracks in wave_changes(perturbed, errors, np.copy):
        summed += sum(change**2 for change in of_tracks)
    known = np.isfinite(stated)
    assert known.any() and stated[known].max() > 1.0
    np.testing.assert_allclose(summed[known], stated[known], rtol=1e-6, atol=1e-12)


def test_it_moves_a_person_alike_wherever_the_trial_begins() -> None:
    """Turned in the laboratory, the same walk has the same errors by name, and each does the same to its angles."""
    a, b = skin_of(), skin_of(turn_deg=40.0)
    assert a.errors == b.errors and len(a.errors) > 100
    at = [a.names.index(name) for name in ("knee_flexion_deg", "hip_internal_rotation_deg", "ankle_dorsiflexion_deg")]
    of_a, of_b = a.curves[..., at].mean(axis=1), b.curves[..., at].mean(axis=1)
    known = np.isfinite(of_a) & np.isfinite(of_b)
    size, apart = (float(np.sqrt(np.mean(of[known] ** 2))) for of in (of_a, of_b - of_a))
    assert size > 0.1  # deg, of each of the waves
    assert apart < 0.05 * size
