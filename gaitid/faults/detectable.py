"""What a trial could not have shown: the size of each fault that nine of ten times would have been noticed.

θ = (z₁₋α + z₀.₉₀) / √I, where I is the information of the residuals on the fault, the body's own parameters free, and
z₁₋α is where the judge would name it: its odds before anything is seen, and the price of its parameter, are overcome.
That is a limit of detection, and no uncertainty: a fault of half this size is no less there for not being seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.faults.evidence import Evidence, State
from gaitid.faults.hypotheses import Hypothesis, hypotheses
from gaitid.faults.judge import Court
from gaitid.faults.words import effects
from gaitid.records import NamedTuple

#: z₀.₉₀ of the normal distribution.
NINE_OF_TEN = 1.2816
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


def detectable(court: Court, state: State, weighed: bool) -> tuple[Detectable, ...]:
    """Of each fault that is asked, what would have been noticed.

    Parameters
    ----------
    court : Court
    state : State
        What was recorded, without the faults that were found.
    weighed : bool
        The body's weight comes from a source of its own.
    """
    white = court.white(state)
    spread = court.likelihood.variance(court.likelihood.misfit(white))
    return tuple(
        one
        for hypothesis in hypotheses(court.evidence, weighed)
        if hypothesis.cause in ASKED
        for one in _of(court, state, hypothesis, spread)
    )


def _of(court: Court, state: State, hypothesis: Hypothesis, spread: float) -> list[Detectable]:
    evidence, sd = court.evidence, np.array(hypothesis.spread)
    slopes = court.slopes(hypothesis, state, court.white(state), np.zeros(len(sd)))
    information = court.likelihood.product(slopes, slopes) / spread
    tells = np.diag(information) > 0
    # of one parameter with the other free
    errors = np.where(tells, np.sqrt(np.diag(np.linalg.pinv(information))), np.inf)
    occam = 0.5 * float(np.linalg.slogdet(np.eye(len(sd)) + information * np.outer(sd, sd))[1])
    names, unit, times = ASKED[hypothesis.cause]
    plates = tuple(evidence.plates[k].number for k in hypothesis.plates)
    result = []
    for j, name in enumerate(names):
        size = float((np.sqrt(2 * (court.price(hypothesis) + occam)) + NINE_OF_TEN) * errors[j])
        seen = np.isfinite(size) and size < _MOST * sd[j]
        effect = _effect(evidence, state, hypothesis, j, size) if seen else {}
        # so that a trial in blocks says the same to the digit
        told = float(f"{size * times:.4g}") if seen else None
        result.append(Detectable(hypothesis.cause, name, plates, told, unit, effect))
    return result


# Spreads of a parameter: no mistake is larger.
_MOST = 5.0


def _effect(evidence: Evidence, state: State, hypothesis: Hypothesis, j: int, size: float) -> dict[str, float]:
    parameters = np.zeros(len(hypothesis.spread))
    parameters[j] = size
    changed = effects(evidence, state, hypothesis.act(evidence, state, parameters))
    return {joint: float(f"{value:.4g}") for joint, value in changed.items()}
