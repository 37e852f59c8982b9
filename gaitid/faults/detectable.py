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

from gaitid.faults.evidence import State
from gaitid.faults.hypotheses import Hypothesis
from gaitid.faults.judge import FARTHEST, Court
from gaitid.faults.words import JOINTS, effects
from gaitid.records import NamedTuple
from gaitid.trial import Array

#: z₀.₉₀ of the normal distribution; by how much more parameters scatter in sound recordings than the residuals tell of
#: them: 0.7 (plates askew) to 2.3 (horizontal gains), clocks 1.5; root mean square of all asked, of 15 laboratories.
NINE_OF_TEN, SCATTER = 1.2816, 1.4
#: Of each cause that is asked, its parameters in words, and the unit that these are told in.
ASKED: Mapping[str, tuple[Sequence[str], str]] = {
    "moved": (("along x", "along y"), "cm"),
    "gain": (("",), "%"),
    "gain_horizontal": (("",), "%"),
    "gain_moments": (("",), "%"),
    "late": (("",), "ms"),
    "askew": (("",), "deg"),
    "tilt": (("about the first level axis", "about the second"), "deg"),
    "yaw": (("",), "deg"),
    "drift": (("",), "ms/s"),
}
#: How many of a unit make one of the parameter's.
PER_ONE = {"cm": 100.0, "%": 100.0, "ms": 1e3, "ms/s": 1e3, "deg": float(np.degrees(1.0))}


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
    evidence, white = court.evidence, court.white(state)
    spread = court.likelihood.variance(float(court.likelihood.misfit(white)))
    asked = [
        (hypothesis, j, size)
        for hypothesis in court.hypotheses
        if hypothesis.cause in ASKED
        for j, size in zip(range(len(ASKED[hypothesis.cause][0])), _sizes(court, state, white, hypothesis, spread))
    ]
    seen = [i for i, (hypothesis, j, size) in enumerate(asked) if size < FARTHEST * hypothesis.spread[j]]
    corrected = [
        hypothesis.act(evidence, state, np.where(np.arange(len(hypothesis.spread)) == j, size, 0.0))
        for hypothesis, j, size in (asked[i] for i in seen)
    ]
    changed = court.stacked(corrected, lambda states: np.stack([*effects(evidence, state, states).values()], axis=1))
    effect_of = {i: dict(zip(JOINTS, of.tolist(), strict=True)) for i, of in zip(seen, changed, strict=True)}
    result = []
    for i, (hypothesis, j, size) in enumerate(asked):
        names, unit = ASKED[hypothesis.cause]
        plates = tuple(evidence.plates[k].number for k in hypothesis.plates)
        # so that a trial in blocks says the same to the digit
        rounded = float(f"{size * PER_ONE[unit]:.4g}") if i in effect_of else None
        effect = {joint: float(f"{value:.4g}") for joint, value in effect_of.get(i, {}).items()}
        result.append(Detectable(hypothesis.cause, names[j], plates, rounded, unit, effect))
    return tuple(result)


def _sizes(court: Court, state: State, white: Array, hypothesis: Hypothesis, spread: float) -> list[float]:
    """Of each parameter of a hypothesis the size that would have been noticed."""
    sd = np.array(hypothesis.spread)
    information = court.bends(hypothesis, state, white, np.zeros(len(sd)))[1] / spread
    # of one parameter with the others free, as far as their priors let them
    alone = 1 / np.diag(np.linalg.inv(information + np.diag(1 / sd**2)))
    tells = np.maximum(alone - 1 / sd**2, 0.0)
    occam = 0.5 * float(np.linalg.slogdet(np.eye(len(sd)) + information * np.outer(sd, sd))[1])
    least, stretch = np.sqrt(2 * (court.price(hypothesis) + occam)), court.stretch(hypothesis, np.ones(len(sd)))
    return [_size(tells[j], alone[j], least, stretch) for j in range(len(sd))]


def _size(tells: float, alone: float, least: float, stretch: float) -> float:
    """Where a score is above 0 nine times of ten: of a parameter on which residuals tell so much, with its prior more.

    In the mean the score of a size s is (tells s)² / 2 alone − least² / 2 − stretch s.
    """
    error = np.sqrt(alone) / tells if tells > 0 else np.inf
    z = SCATTER * NINE_OF_TEN * np.sqrt(tells / alone)
    u = z + stretch * error
    return float(error * (u + np.sqrt(u**2 - z**2 + least**2)))
