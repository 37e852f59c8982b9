"""What a trial could not have shown: the size of each fault that nine of ten times would have been noticed.

θ = (z₁₋α + scatter · z₀.₉₀) / √I, where I is the information of the residuals on the fault, the body's own parameters
free, and z₁₋α is where the judge would name it: its odds before anything is seen, and the prices of its parameter, are
overcome, and its prior. That is a limit of detection, and no uncertainty: a fault of half this size is no less there
for not being seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.faults.evidence import Evidence, State
from gaitid.faults.hypotheses import Hypothesis, hypotheses
from gaitid.faults.judge import FARTHEST, Court
from gaitid.faults.words import effects
from gaitid.records import NamedTuple

#: z₀.₉₀ of the normal distribution; by how much more parameters scatter in sound recordings than the residuals tell of
#: them: 0.7 (plates askew) to 2.3 (horizontal gains), clocks 1.5; root mean square of all asked, of 15 laboratories.
NINE_OF_TEN, SCATTER = 1.2816, 1.4
#: Of each cause that is asked, with its parameters in words, the unit that these are told in, and how many make one.
ASKED: Mapping[str, tuple[Sequence[str], str, float]] = {
    "moved": (("along x", "along y"), "cm", 100.0),
    "gain": (("",), "%", 100.0),
    "gain_horizontal": (("",), "%", 100.0),
    "gain_moments": (("",), "%", 100.0),
    "late": (("",), "ms", 1e3),
    "askew": (("",), "deg", 180 / np.pi),
    "tilt": (("about the first level axis", "about the second"), "deg", 180 / np.pi),
    "yaw": (("",), "deg", 180 / np.pi),
    "drift": (("",), "ms/s", 1e3),
}


class Detectable(NamedTuple):
    """The size of a fault from which on it would have been noticed in nine trials like this one of ten.

    Attributes
    ----------
    cause : str
        Of `gaitid.faults.hypotheses`.
    what : str
        Of several parameters which.
    plates : tuple of int
        Empty where it is of the clocks or the laboratory.
    size : float or None
        None where none would.
    unit : str
    effect : mapping of str to float
        What that size does to the moment of each joint, N·m/kg.
    """

    cause: str
    what: str
    plates: tuple[int, ...]
    size: float | None
    unit: str
    effect: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        """For records."""
        size = None if self.size is None else float(f"{self.size:.3g}")
        effect = {joint: float(f"{value:.2g}") for joint, value in self.effect.items()}
        what = " ".join(filter(None, (self.cause, self.what)))
        return {"cause": what, "plates": [*self.plates], "size": size, "unit": self.unit, "effect": effect}


def detectable(court: Court, state: State) -> tuple[Detectable, ...]:
    """Of each fault that is asked, what would have been noticed.

    Parameters
    ----------
    court : Court
    state : State
        What was recorded, without the faults that were found.
    """
    white = court.white(state)
    spread = court.likelihood.variance(court.likelihood.misfit(white))
    return tuple(
        one
        for hypothesis in hypotheses(court.evidence, court.evidence.weighed)
        if hypothesis.cause in ASKED
        for one in _of(court, state, hypothesis, spread)
    )


def _of(court: Court, state: State, hypothesis: Hypothesis, spread: float) -> list[Detectable]:
    evidence, sd = court.evidence, np.array(hypothesis.spread)
    information = court.bends(hypothesis, state, court.white(state), np.zeros(len(sd)))[1] / spread
    # of one parameter with the others free, as far as their priors let them
    alone = 1 / np.diag(np.linalg.inv(information + np.diag(1 / sd**2)))
    tells = np.maximum(alone - 1 / sd**2, 0.0)
    occam = 0.5 * float(np.linalg.slogdet(np.eye(len(sd)) + information * np.outer(sd, sd))[1])
    least = np.sqrt(2 * (court.price(hypothesis) + occam))
    names, unit, times = ASKED[hypothesis.cause]
    plates = tuple(evidence.plates[k].number for k in hypothesis.plates)
    result = []
    for j, name in enumerate(names):
        size = _size(tells[j], alone[j], least, court.stretch(hypothesis, np.ones(len(sd))))
        seen = size < FARTHEST * sd[j]
        effect = _effect(evidence, state, hypothesis, j, size) if seen else {}
        # so that a trial in blocks says the same to the digit
        told = float(f"{size * times:.4g}") if seen else None
        result.append(Detectable(hypothesis.cause, name, plates, told, unit, effect))
    return result


def _size(tells: float, alone: float, least: float, stretch: float) -> float:
    """Where a score is above 0 nine times of ten: of a parameter on which residuals tell so much, with its prior more.

    In the mean the score of a size s is (tells s)² / 2 alone − least² / 2 − stretch s.
    """
    error = np.sqrt(alone) / tells if tells > 0 else np.inf
    z = SCATTER * NINE_OF_TEN * np.sqrt(tells / alone)
    u = z + stretch * error
    return float(error * (u + np.sqrt(u**2 - z**2 + least**2)))


def _effect(evidence: Evidence, state: State, hypothesis: Hypothesis, j: int, size: float) -> dict[str, float]:
    parameters = np.zeros(len(hypothesis.spread))
    parameters[j] = size
    changed = effects(evidence, state, hypothesis.act(evidence, state, parameters))
    return {joint: float(f"{value:.4g}") for joint, value in changed.items()}
