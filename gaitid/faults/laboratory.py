"""What belongs to a laboratory and a day: shift, gain and delay of each plate, and how the cameras' vertical leans.

One trial does not tell 2 cm or 10 ms from what a body does by itself; the sum over the trials of a day does. Each
trial gives the slope and the curvature of its log-likelihood over these parameters, the body's own free; what is
the same in all trials (`spread.LATE`, `spread.LEVEL`) is a prior of the sum, once, and none of each trial's body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.faults.evidence import EVERY, Evidence, level_axes
from gaitid.faults.hypotheses import GAIN, Hypothesis, hypotheses
from gaitid.faults.judge import STEP, Court, Fitted, Judgement
from gaitid.faults.spread import ENOUGH_S, LATE, LATE_PLATES, LEVEL, Effect, Prior, likelihood, share_of
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, ForcePlate, Trial

# m. Corners within which two files speak of one plate. Joint errors, and spreads of what is sound, from which on a sum
# names something.
SAME_CORNERS, NAMED, BEYOND = 0.002, 4.0, 2.0


class Kind(NamedTuple):
    """One parameter of a plate, or of the laboratory.

    Attributes
    ----------
    cause : str
        Of the hypothesis that it is a parameter of.
    key : str
        In ``laboratory.yaml``, with its unit.
    offset, scale : float
        What stands there is offset + scale × parameter.
    prior : Prior
        Before any trial was seen.
    floor : float
        Of its error: what is common to all trials of all laboratories.
    laboratories, days : float
        By how much it differs between sound laboratories, and between the days of one.
    """

    cause: str
    key: str
    offset: float
    scale: float
    prior: Prior
    floor: float
    laboratories: float
    days: float


# A shift says where a plate is beyond its corners: the hypothesis undoes it. The feet's model puts the pressure 5 mm
# off, clothes and scales 1 % into the weight; of laboratories and days as much or twice that (docs/batch.md).
_SHIFT = Kind("moved", "shift_{}_cm", 0.0, -100.0, Prior(0.03), 0.005, 0.005, 0.005)
_TILT = Kind("tilt", "tilt_{}_deg", 0.0, float(np.degrees(1.0)), LEVEL, 0.0, LEVEL.sd, LEVEL.sd)
_BAND = Kind("", "", 0.0, 1.0, Prior(0.03), 0.0, 0.0, 0.0)
KINDS: Mapping[str, Kind] = {
    **{f"shift_{axis}": _SHIFT._replace(key=_SHIFT.key.format(axis)) for axis in "xy"},
    "gain": Kind("gain", "gain", 1.0, 1.0, Prior(0.1), 0.01, 0.02, 0.01),
    "delay": Kind("late", "delay_ms", 0.0, 1e3, LATE, LATE_PLATES, LATE.sd, LATE_PLATES),
    **{f"tilt_{axis}": _TILT._replace(key=_TILT.key.format(axis)) for axis in "xyz"},
    # of these a trial tells something, for its own band only: no file holds them
    **{name: _BAND._replace(cause=name) for name in ("gain_horizontal", "yaw")},
    **{f"crosstalk_{axis}": _BAND._replace(cause="crosstalk") for axis in "xy"},
}
#: What a finding may be of in a trial that still tells of its laboratory.
CAUSES = {kind.cause for kind in KINDS.values() if kind.key}

#: A plate's number, 0 for the laboratory, and a key of `KINDS`.
Parameter = tuple[int, str]
#: By a plate's number its corners, (4, 3), m.
Corners = Mapping[int, Array]


@frozen_dataclass(eq=False)
class Share:
    """What one trial tells of its laboratory.

    Attributes
    ----------
    corners : mapping of int to (4, 3) array, m
        Of all its plates.
    parameters : tuple of Parameter
    score : (n,) array
        Slope of the log-likelihood where all of them are 0.
    information : (n, n) array
    seconds : float
        Of known loads.
    """

    corners: Corners
    parameters: tuple[Parameter, ...]
    score: Array
    information: Array
    seconds: float


@frozen_dataclass(eq=False)
class Day:
    """What is known of a laboratory on a day.

    Attributes
    ----------
    name : str
    corners : mapping of int to (4, 3) array, m
    values : mapping of Parameter to Prior
        With errors that hold the floor of their kind.
    wrong : tuple of Parameter
        That are off beyond what sound laboratories are.
    trials, subjects : int
        How many it was made of.
    shows : tuple of str
        What only their sum shows, in words.
    """

    name: str
    corners: Corners
    values: Mapping[Parameter, Prior]
    wrong: tuple[Parameter, ...] = ()
    trials: int = 0
    subjects: int = 0
    shows: tuple[str, ...] = ()

    def same_plates(self, corners: Corners) -> bool:
        """Whether plates of a trial are these."""
        common = [*self.corners.keys() & corners.keys()]
        return bool(common) and all(np.abs(self.corners[k] - corners[k]).max() < SAME_CORNERS for k in common)


def corners_of(plates: Iterable[ForcePlate]) -> Corners:
    """Of the plates whose edges are known."""
    return {plate.number: plate.corners_g for plate in plates if plate.outlined}


def day_of(days: Sequence[Day], trial: Trial) -> Day | None:
    """The last of some days with the plates of a trial."""
    corners = corners_of(trial.plates)
    return next((day for day in reversed(days) if day.same_plates(corners)), None)


def share_of_trial(court: Court, said: Judgement, corners: Corners) -> Share | None:
    """What a trial tells of its laboratory; None where a gross fault was found, or a body flies.

    Parameters
    ----------
    court : Court
    said : Judgement
        Its judgement.
    corners : Corners
    """
    evidence = court.evidence
    of_other_cause = any(finding.best.hypothesis.cause not in CAUSES for finding in said.findings)
    if of_other_cause or evidence.flies or not {evidence.plates[k].number for k in evidence.used} <= corners.keys():
        return None
    moves = []
    if not evidence.weighed:  # gains tell only of each other
        moves.append((Prior(GAIN), evidence.force_residual(evidence.filed.asked, 0 * evidence.com_g)))
    of = likelihood(evidence, moves)
    known = dict(_effects(evidence))
    if not known or not of.counts:
        return None
    white = of.white(evidence.residuals(evidence.filed)) - of.usual
    columns = of.white_of([*known.values()]).T
    information, score = of.product(columns, columns), of.product(columns, white)
    wide = np.diag([1 / KINDS[kind].prior.sd ** 2 for _, kind in known])
    left = of.misfit(white) - score @ np.linalg.solve(information + wide, score)
    raised = of.variance(float(left))
    # what channels that become smaller gain by that alone (`Court.stretch`), and no trial tells
    of_gain = ("gain", "gain_horizontal")
    falls = [court.stretch(h, np.ones(1)) if h.cause in of_gain else 0.0 for h, _ in _hypotheses(evidence).values()]
    seconds = min(len(evidence.windows_s) * EVERY, ENOUGH_S)
    return Share(corners, tuple(known), score / raised - np.array(falls), information / raised, seconds)


def filed(share: Share) -> Share:
    """With the parameters alone that ``laboratory.yaml`` has, the others as they are usual."""
    at = [i for i, (_, kind) in enumerate(share.parameters) if KINDS[kind].key]
    parameters, information = tuple(share.parameters[i] for i in at), share.information[np.ix_(at, at)]
    return replace(share, parameters=parameters, score=share.score[at], information=information)


def _hypotheses(evidence: Evidence) -> dict[Parameter, tuple[Hypothesis, int]]:
    """Of each parameter that a trial may tell of: its hypothesis, and which parameter of that it is."""
    axes = [f"tilt_{'xyz'[int(np.argmax(np.abs(axis)))]}" for axis in level_axes(evidence.up_g)]
    names_of = {"late": ["delay"], "tilt": axes}
    for cause in {kind.cause for kind in KINDS.values()} - {*names_of}:
        names_of[cause] = [name for name, kind in KINDS.items() if kind.cause == cause]
    found: dict[Parameter, tuple[Hypothesis, int]] = {}
    for of in hypotheses(evidence, weighed=True):
        single = len(of.plates) == 1
        if of.cause in names_of and (single or not of.plates):
            names = names_of[of.cause]
            number = evidence.plates[of.plates[0]].number if single else 0
            found |= {(number, name): (of, j) for j, name in enumerate(names)}
    return found


def _effects(evidence: Evidence) -> Iterator[tuple[Parameter, list[Array]]]:
    """What each parameter changes the residuals by, for each unit of it.

    A delay by the rate of what the motion asks for, not by that of the forces: these hold what is faster than markers
    show, which would count as information though it fits no delay better than another.
    """
    filed, n = evidence.residuals(evidence.filed), len(evidence.windows_s)
    push = np.abs(evidence.filed.f_p[: n * len(evidence.plates), 2]).reshape(len(evidence.plates), n)
    push /= np.maximum(push.sum(axis=0), 1.0)
    for parameter, (of, j) in _hypotheses(evidence).items():
        if of.cause == "late":
            rate = -evidence.asked_rate * push[of.plates[0]][:, None]
            yield parameter, evidence.force_residual(rate, np.zeros_like(rate))
            continue
        beside = np.zeros(len(of.spread))
        beside[j] = step = STEP * of.spread[j]
        without = evidence.residuals(of.act(evidence, evidence.filed, beside))
        yield parameter, [(before - after) / step for before, after in zip(filed, without, strict=True)]


# --- what is known of a day, for one of its trials -----------------------------------------------------------------


def effects_on(evidence: Evidence, day: Day | None) -> list[Effect] | None:
    """The laboratory's part of what the residuals are held against; None where nothing is known of it.

    Nor is it in who flies, whose forces come at other times by his legs (`spread.LATE_RUNNING`).
    """
    if day is None or evidence.flies:
        return None
    result = []
    for (number, kind), blocks in _effects(evidence):
        of_any = KINDS[kind].prior if KINDS[kind].cause in ("late", "tilt") else None
        prior = day.values.get((number, kind), of_any)
        if prior is not None:
            levelled = number == 0  # cameras are, anew each day
            result.append((prior._replace(sd=max(prior.sd, LEVEL.sd)) if levelled else prior, blocks))
    return result


def known_faults(evidence: Evidence, day: Day | None) -> Iterator[Fitted]:
    """What is known to be wrong with the laboratory of a trial, as faults of it."""
    if day is None or not day.wrong:
        return
    single = _hypotheses(evidence)
    every = {of.cause: of for of in hypotheses(evidence, weighed=True) if of.plates == evidence.used}
    wrong: dict[str, list[Hypothesis]] = {}
    for parameter in day.wrong:
        if parameter in single and (of := single[parameter][0]) not in wrong.setdefault(of.cause, []):
            wrong[of.cause].append(of)
    for cause, them in wrong.items():
        values = np.array(
            [[day.values.get(p, KINDS[p[1]].prior) for p, (h, _) in single.items() if h is of] for of in them]
        )
        if cause in ("gain", "late") and len(them) == len(evidence.used) and cause in every:
            them, values = [every[cause]], values.mean(axis=0, keepdims=True)
        for of, value in zip(them, values, strict=True):
            size, error = value.T
            state = of.act(evidence, evidence.filed, size)
            yield Fitted(of, np.inf, size, error, state, np.nan)


# --- the sum -------------------------------------------------------------------------------------------------------


def added(name: str, trials: Sequence[tuple[str, Share]], before: Day | None) -> Day:
    """What the trials of a day tell of their laboratory together.

    Parameters
    ----------
    name : str
        Of the day.
    trials : sequence of (str, Share)
        With the subject of each: what a body does in one trial it does in the next, and more than `ENOUGH_S` of
        one subject tell no more.
    before : Day or None
        What an earlier day showed, that this one is held against.
    """
    trials = [(subject, filed(share)) for subject, share in trials]
    names = sorted({parameter for _, share in trials for parameter in share.parameters})
    known_s: dict[str, float] = {}
    for subject, share in trials:
        known_s[subject] = known_s.get(subject, 0.0) + share.seconds
    means = np.array([KINDS[kind].prior.mean for _, kind in names])
    information = np.linalg.inv(_prior(names))
    score = information @ means
    for subject, share in trials:
        at = [names.index(parameter) for parameter in share.parameters]
        counts = share_of(known_s[subject], ENOUGH_S)
        information[np.ix_(at, at)] += counts * share.information
        score[at] += counts * share.score
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    values = np.linalg.solve(information, score)
    found, wrong = {}, []
    for parameter, value, error in zip(names, values.tolist(), errors.tolist(), strict=True):
        kind = KINDS[parameter[1]]
        found[parameter] = Prior(float(np.hypot(error, kind.floor)), value)
        mean, usual = kind.prior.mean, kind.laboratories
        if before is not None and parameter in before.values:
            earlier, mean = before.values[parameter]
            usual, error = kind.days, np.sqrt(error**2 + max(earlier**2 - kind.floor**2, 0.0))
        # of one trial alone the judge has spoken
        if len(trials) > 1 and abs(value - mean) > max(NAMED * error, BEYOND * usual):
            wrong.append(parameter)
    corners = {number: of for _, share in trials for number, of in share.corners.items()}
    return Day(name, corners, found, tuple(wrong), len(trials), len(known_s))


def _prior(names: Sequence[Parameter]) -> Array:
    """(n, n) covariance: plates share a clock."""
    sds = np.array([KINDS[kind].prior.sd for _, kind in names])
    late = np.array([kind == "delay" for _, kind in names])
    return np.diag(np.where(late, LATE_PLATES, sds) ** 2) + np.outer(late, late) * LATE.sd**2
