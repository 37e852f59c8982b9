"""What a trial could not have shown: faults of the size that is told are noticed in nine of ten draws of the model."""

from __future__ import annotations

import numpy as np
import pytest
from made_evidence import walked
from test_hypotheses import EVERY, spoilt

from gaitid.faults.detectable import detectable
from gaitid.faults.evidence import Evidence, State
from gaitid.faults.judge import Court
from gaitid.trial import Array

DRAWS = 80
#: Channels that become smaller make residuals smaller; those that are drawn here stay as they are.
ASKED = [h for h in EVERY if not h.cause.startswith("gain")]


class Drawn(Court):
    """With residuals as sound recordings leave them: white ones, and those of a body drawn from its priors."""

    def __init__(self, evidence: Evidence, seed: int) -> None:
        super().__init__(evidence)
        rng, body = np.random.default_rng(seed), self.likelihood.body
        self.draw = rng.normal(size=len(body)) + body @ rng.normal(size=body.shape[1]) + self.likelihood.usual

    def white(self, state: State) -> Array:
        return super().white(state) + self.draw


def test_what_the_model_draws_accuses_hardly_anybody() -> None:
    """In one trial of 250 a clock, in one of 30 another: so much is asked of the likelihood before one is accused."""
    sound = walked()
    best = [max(one.score for one in Drawn(sound, seed).compete(sound.filed, ASKED)) for seed in range(20)]
    assert sum(score > 0 for score in best) <= 1 and np.median(best) < -2


@pytest.mark.parametrize(("cause", "plates"), [("late", (0, 1)), ("moved", (0,)), ("tilt", ())])
def test_nine_of_ten_faults_of_the_size_that_is_told_are_noticed(
    cause: str, plates: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # the model that is drawn from scatters as it says; sound recordings scatter more
    monkeypatch.setattr("gaitid.faults.detectable.SCATTER", 1.0)
    court = Drawn(walked(), 0)
    numbers = tuple(court.evidence.plates[k].number for k in plates)
    fault = next(h for h in ASKED if (h.cause, h.plates) == (cause, plates))
    told = detectable(court, court.evidence.filed)
    first = next(one for one in told if (one.cause, one.plates) == (cause, numbers))
    assert first.size is not None
    size = np.zeros(len(fault.spread))
    size[0] = first.size / {"cm": 100.0, "ms": 1e3, "ms/s": 1e3, "deg": 180 / np.pi}[first.unit]
    wrong, noticed = spoilt(fault, size), 0
    for seed in range(DRAWS):
        (fitted,) = Drawn(wrong, seed).compete(wrong.filed, [fault])
        noticed += fitted.score > 0
    # nine of ten, known to 0.034 by as many draws; a parameter acts along no straight line
    assert 0.83 < noticed / DRAWS < 0.97, noticed / DRAWS
