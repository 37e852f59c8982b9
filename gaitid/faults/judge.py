"""Which fault explains the residuals best, how large it is, how sure that is, and what could not have shown.

All hypotheses compete with "nothing is wrong" by their marginal likelihood (Laplace's approximation; MacKay 2003,
Information Theory, ch. 28): what a fault explains, less the price of its parameters and of being one of many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import numpy as np

from gaitid.faults.evidence import Evidence, State
from gaitid.faults.hypotheses import CHANNELS, Hypothesis, hypotheses
from gaitid.faults.spread import Effect, Likelihood, likelihood
from gaitid.records import NamedTuple
from gaitid.trial import Array

# Logarithm of the odds against one fault before anything is seen: a clock, a mass, cameras that lean, each one trial
# in 250; another fault, one of about a hundred, one in thirty; a rate, or one plate that is late but shares a clock,
# one in a hundred.
COMMON, RARE, RAREST = 5.5, 8.0, 9.5
# Of cameras in other axes, which begin anywhere within 1 m, known to 2 cm: 8.0 + 2 log(1 m / 2 cm).
ELSEWHERE = 16.0
# Logarithm of the odds between two faults from which on the better one alone is named: twenty to one.
SURE = 3.0
# Faults of one trial that are looked for, one after the other, each of other plates; steps of Gauss and Newton; of a
# parameter's spread, the step that its effect is taken over, and of clocks; spreads beyond which nothing is looked for.
FAULTS, STEPS, STEP, ASIDE, FARTHEST = 2, 4, 0.05, 0.2, 5.0
# Squares of what is left, of what sound recordings leave, where a fault explains all: what leaves more is none that is
# looked for. By so many squares of residuals forces may fit worse for the sake of their line and their pressure.
FITS, WORSE = 2.0, 9.0
# Causes that are common where they are of all plates: a clock, a range, a calibration frame that was put down askew.
# (One that was put down beside its mark is as common, but a foot whose markers are exchanged looks like it.)
OFTEN = ("late", "gain", "tilt")
CLOCKS = ("late", "drift")
# What may still become the best after more steps.
PROMISING = 6.0
# Rows of states that are computed at once: arrays of so many vectors fit a cache.
ROWS = 20000


class Fitted(NamedTuple):
    """One hypothesis where it explains the residuals best.

    Attributes
    ----------
    hypothesis : Hypothesis
    score : float
        Logarithm of its odds against "nothing is wrong".
    size, error : (parameters,) arrays
        Its parameters and their standard deviations.
    state : State
        What was recorded without the fault.
    misfit : float
        That is left, for each residual.
    """

    hypothesis: Hypothesis
    score: float
    size: Array
    error: Array
    state: State
    misfit: float


class Finding(NamedTuple):
    """A fault, and the others that explain the residuals nearly as well.

    Attributes
    ----------
    best : Fitted
    rivals : tuple of Fitted
    """

    best: Fitted
    rivals: tuple[Fitted, ...]


class Judgement(NamedTuple):
    """What was found in a trial.

    Attributes
    ----------
    findings : tuple of Finding
    misfit : float
        Squares of residuals in terms of those of sound recordings, as filed; NaN where nothing tells.
    left : float
        The same without the faults that were found.
    """

    findings: tuple[Finding, ...]
    misfit: float
    left: float


def judge(court: Court) -> Judgement:
    """Faults of a trial, the surest first."""
    evidence = court.evidence
    if not court.n:
        return Judgement((), np.nan, np.nan)
    state, findings = evidence.filed, list[Finding]()
    misfit = left = court.misfit(state)
    everything, every = court.hypotheses, set(evidence.used)
    while len(findings) < FAULTS:
        fitted = [one for one in court.compete(state, everything) if one.score > 0 and court.keeps(one.state, state)]
        if not fitted:
            break
        best, *others = sorted(fitted, key=lambda one: -one.score)
        rivals = tuple(one for one in others if one.score > max(best.score - SURE, 0.0))
        findings.append(Finding(best, rivals))
        touched = set(best.hypothesis.plates) or every
        everything = [one for one in everything if not touched & (set(one.plates) or every)]
        state, left = best.state, best.misfit
    return Judgement(tuple(findings) if left < FITS else (), misfit, left if left < FITS else misfit)


class Court:
    """Hypotheses against the residuals of one trial."""

    def __init__(self, evidence: Evidence, laboratory: Sequence[Effect] | None = None) -> None:
        self.evidence = evidence
        self.likelihood: Likelihood = likelihood(evidence, laboratory)
        self.n = self.likelihood.counts
        self.hypotheses = hypotheses(evidence, evidence.weighed)
        self._as_filed: dict[int, tuple[Array, Array]] = {}  # `bends` of each as filed, which `detectable` asks again

    def price(self, hypothesis: Hypothesis) -> float:
        """Logarithm of the odds against a fault before anything is seen."""
        of_all = not hypothesis.plates or len(hypothesis.plates) == len(self.evidence.used) > 1
        cause = hypothesis.cause
        if cause == "other_axes":
            return ELSEWHERE
        if cause == "rate" or (cause == "late" and not of_all and len(self.evidence.plates) > 1):
            return RAREST
        return COMMON if of_all and cause in OFTEN else RARE

    def white(self, state: State) -> Array:
        """Residuals beyond the usual ones, with a spread of 1; of states that are stacked (states, n)."""
        return self.likelihood.white(self.evidence.residuals(state)) - self.likelihood.usual

    def stacked(self, states: Sequence[State], what: Callable[[State], Array]) -> Array:
        """(states, ...) something of each: a short trial spends most of its time between numpy's calls."""
        together = max(1, ROWS // max(len(self.evidence.plate_of), 1))
        return np.array(
            [of for i in range(0, len(states), together) for of in what(State.stacked(states[i : i + together]))]
        )

    def keeps(self, corrected: State, state: State) -> bool:
        """Whether Newton's law is kept as well as before: it holds exactly, angular momentum only stays small."""
        before, after = (self.likelihood.of_forces(self.white(one)) for one in (state, corrected))
        return after < before + WORSE * self.likelihood.variance(before)

    def misfit(self, state: State) -> float:
        """Of each residual."""
        return float(self.likelihood.misfit(self.white(state))) / self.n

    def compete(self, state: State, everything: Sequence[Hypothesis]) -> list[Fitted]:
        """All hypotheses, each where it explains the residuals best."""
        white = self.white(state)
        misfit = float(self.likelihood.misfit(white))
        nothing = self.likelihood.log(misfit)
        looks = [[*self._beside(h), *(np.array([start]) for start in h.starts)] for h in everything]
        states = [h.act(self.evidence, state, at) for h, of in zip(everything, looks, strict=True) for at in of]
        whites = self.stacked(states, self.white)
        fitted, first = list[Fitted](), 0
        for h, of in zip(everything, looks, strict=True):
            some = slice(first, first := first + len(of))
            seen = list(zip(of, states[some], whites[some], strict=True))
            fitted.append(self._fit(h, (state, white, misfit, nothing), seen))
        return fitted

    def _fit(
        self,
        hypothesis: Hypothesis,
        as_is: tuple[State, Array, float, float],
        seen: Sequence[tuple[Array, State, Array]],
    ) -> Fitted:
        """Parameters
        ----------
        hypothesis : Hypothesis
        as_is : (State, white, misfit, logarithm of the likelihood)
            Without it.
        seen : sequence of (parameters, State, white)
            `_beside` the state, then at its starts.
        """
        state, white, misfit, nothing = as_is
        if not hypothesis.spread:
            ((none, corrected, there),) = seen
            left = float(self.likelihood.misfit(there))
            score = self.likelihood.log(left) - nothing - self.price(hypothesis)
            return Fitted(hypothesis, score, none, none, corrected, left / self.n)
        n = len(seen) - len(hypothesis.starts)
        bent = self._bends(hypothesis, white, np.array([there for *_, there in seen[:n]]))
        if state is self.evidence.filed:
            self._as_filed[id(hypothesis)] = bent
        best = self._search(hypothesis, state, (white, misfit, nothing), np.zeros(len(hypothesis.spread)), bent)
        for start, _, there in seen[n:]:
            left = float(self.likelihood.misfit(there))
            if left < min(misfit, best.misfit * self.n):
                bent = self.bends(hypothesis, state, there, start)
                other = self._search(hypothesis, state, (there, left, nothing), start, bent)
                best = max(best, other, key=lambda one: one.score)
        return best

    def _search(
        self,
        hypothesis: Hypothesis,
        state: State,
        there: tuple[Array, float, float],
        size: Array,
        bent: tuple[Array, Array],
    ) -> Fitted:
        """Steps of Gauss and Newton from some size on, whose residuals and `bends` are given."""
        sd = np.array(hypothesis.spread)
        white, misfit, nothing = there
        best: Fitted | None = None
        for _ in range(STEPS):
            leads, tells = bent if best is None else self.bends(hypothesis, state, white, size)
            raised = self.likelihood.variance(misfit)
            curvature = tells / raised + np.diag(1 / sd**2)
            step = -np.linalg.solve(curvature, leads / raised + size / sd**2)
            occam = 0.5 * np.linalg.slogdet(curvature * np.outer(sd, sd))[1] + nothing + self.price(hypothesis)
            error = np.sqrt(np.diag(np.linalg.inv(curvature)))
            # what would be left if the residuals went along straight lines
            straight = self.likelihood.log(max(misfit + float(step @ (2 * leads + tells @ step)), 0.0))
            before = misfit / raised + float(np.sum((size / sd) ** 2))
            for _ in range(STEPS):  # not so far where that explains less
                aside = np.clip(size + step, -FARTHEST * sd, FARTHEST * sd)
                far = float(np.sum((aside / sd) ** 2))
                price = occam + 0.5 * far + self.stretch(hypothesis, aside)
                if best is None and straight - price < -PROMISING:
                    return Fitted(hypothesis, self.likelihood.log(misfit) - price, aside, error, state, misfit / self.n)
                corrected = hypothesis.act(self.evidence, state, aside)
                white = self.white(corrected)
                left = float(self.likelihood.misfit(white))
                if left / raised + far < before:
                    break
                step /= 2
            size, misfit = aside, left
            score = self.likelihood.log(misfit) - price
            if best is None or score > best.score + 0.01:
                better = best is None or score > best.score + 0.5
                best = Fitted(hypothesis, score, size, error, corrected, misfit / self.n)
                if better and score > -PROMISING:
                    continue
            break
        assert best is not None
        return best

    def stretch(self, hypothesis: Hypothesis, size: Array) -> float:
        """The price of horizontal channels that become smaller: residuals do so with them, whether they fit or not.

        The density of what was read is that of what was felt over the gain, once for each residual that plates feel and
        no marker tells: all of them where the trunk was not measured, half of them where it was.
        """
        if hypothesis.cause == "rate":  # what the motion asks for becomes smaller, and its noise with it
            return 0.3 * self.rows(self.evidence.used) * max(float(size[0]), 0.0)
        if not hypothesis.cause.startswith("gain"):
            return 0.0
        loaded = self.rows(hypothesis.plates)
        # where all channels are smaller the force's line stays; and Fz holds the weight, which says by how much
        counts = {"Fx": 2.0, "Fy": 2.0, "Fz": 0.0, "Mx": 1.0, "My": 1.0, "Mz": 0.0}
        if len(hypothesis.channels) == len(CHANNELS):
            counts = {**dict.fromkeys(CHANNELS, 0.0), "Fx": 0.5, "Fy": 0.5}
        rows = sum(counts[name] * loaded for name in hypothesis.channels)
        # moments leave the forces as they are: larger ones gain nothing
        grows = float(size[0]) if any(name[0] == "F" for name in hypothesis.channels) else max(float(size[0]), 0.0)
        return (0.5 if self.evidence.whole else 1.0) * rows * grows

    def rows(self, plates: Sequence[int]) -> float:
        """How many windows tell of some plates."""
        evidence, n = self.evidence, len(self.evidence.windows_s)
        push = np.abs(evidence.filed.f_p[: n * len(evidence.plates), 2]).reshape(len(evidence.plates), n)
        share = push[list(plates)].sum(axis=0) / np.maximum(push.sum(axis=0), 1.0)
        return float(share.sum()) * self.likelihood.share

    def bends(self, hypothesis: Hypothesis, state: State, white: Array, size: Array) -> tuple[Array, Array]:
        """Half the slope of the misfit over the parameters, (parameters,), and half its curvature, (n, n).

        Of clocks by the misfit to both sides: forces hold what is faster than markers show, which fits no delay better
        than another, but would count as information in slopes of residuals.
        """
        if state is self.evidence.filed and not size.any() and id(hypothesis) in self._as_filed:
            return self._as_filed[id(hypothesis)]
        states = [hypothesis.act(self.evidence, state, size + at) for at in self._beside(hypothesis)]
        return self._bends(hypothesis, white, self.stacked(states, self.white))

    def _beside(self, hypothesis: Hypothesis) -> list[Array]:
        """Changes of the parameters with which residuals tell slopes and curvature; of no parameters none."""
        sd = np.array(hypothesis.spread)
        if hypothesis.cause not in CLOCKS:
            return [*np.diag(STEP * sd)] if len(sd) else [sd]
        either = [sign * at for at in np.diag(ASIDE * sd) for sign in (1, -1)]
        return either + [both for a, b in combinations_with_replacement(either, 2) if (both := a + b).any()]

    def _bends(self, hypothesis: Hypothesis, white: Array, whites: Array) -> tuple[Array, Array]:
        sd = np.array(hypothesis.spread)
        if hypothesis.cause not in CLOCKS:
            slopes = (whites - white).T / (STEP * sd)
            return self.likelihood.product(slopes, white), self.likelihood.product(slopes, slopes)
        misfits = self.likelihood.misfit(np.concatenate([whites, white[None]]))
        of = dict(zip([tuple(at) for at in (*self._beside(hypothesis), 0 * sd)], misfits, strict=True))
        to = np.diag(ASIDE * sd)
        leads = np.array([of[tuple(a)] - of[tuple(-a)] for a in to]) / 4
        bent = [[of[tuple(a + b)] - of[tuple(a - b)] - of[tuple(b - a)] + of[tuple(-a - b)] for b in to] for a in to]
        values, axes = np.linalg.eigh(np.array(bent) / 8)
        inverse = np.diag(1 / (ASIDE * sd))
        return inverse @ leads, inverse @ (axes * np.maximum(values, 0.0)) @ axes.T @ inverse
