"""Measurements of a person and lengths that a trial shows -> which of them is wrong, by how much, and how sure that is.

A prior of bodies (log-normal: what people of one stature, build and proportion measure) says how likely numbers are;
each mistake that people make is a shift of some of them and competes with "nothing is wrong" by its marginal likelihood
(MacKay 2003, Information Theory, ch. 28), in closed form, as all is normal in logarithms. docs/static.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gaitid.model.find import bundled_folder
from gaitid.model.parsed import content_of
from gaitid.records import NamedTuple
from gaitid.trial import Array


class Dimension(NamedTuple):
    """One row of the prior, as ``configs/anthropometry/people.yaml`` explains it."""

    expected: float = 0.0
    grows: float = 0.0
    person: float = 0.0
    side: float = 0.0
    build: float = 0.0
    legs: float = 0.0
    knee: float = 0.0
    pelvis: float = 0.0
    deformed: float = 0.0
    angle: bool = False


class People(NamedTuple):
    """The prior: stature, m, its standard deviation, what people of one stature differ in, and each dimension."""

    stature: float
    sd: float
    spreads: Mapping[str, float]
    knee_of_side: float
    dimensions: Mapping[str, Dimension]


@cache
def people() -> People:
    """The bundled prior."""
    content: Any = content_of(bundled_folder("configs/anthropometry") / "people.yaml")
    dimensions = {name: Dimension(**row) for name, row in content["dimensions"].items()}
    stature, sd = content["stature"].values()
    return People(stature, sd, content["spreads"], content["knee_of_side"], dimensions)


#: What a trial shows by itself.
OF_TRIAL = ("thigh", "shank", "asis", "hips")
#: By which factors numbers are too large or too small, and how somebody came to it.
UNITS = {"mass": {2.2046: "lb"}, "width": {2.0: "twice"}, "length": {25.4: "inch", 2.54: "inch", 10.0: "ten"}}
# Logarithm of the odds beforehand against any of these mistakes (one in 400), and against a leg that is shorter by
# birth or surgery (one in 50,000 has a short femur): possible, but marked and measured lengths agree then.
RARE, DEFORMED = 6.0, 11.0
# Logarithm of the number of people that live, 8.2e9: what is less likely than one of them nobody has. And a logarithm,
# or rad, of a size: a leg length by which the hip's centre is 26 mm off (0.115 of it), twice what regressions are.
NOBODY, GROSS = 22.8, 0.25
# Logarithm of odds between two mistakes from which on the better one alone is named: twenty to one.
SURE = 3.0
# By how much numbers may be off: one that is wrong (logarithm; an angle, rad), a length between wrong markers, those of
# another person, and a leg of who was born or operated so.
ANYHOW, ANY_ANGLE, MISPLACED, PERSON, DEFORMITY = 0.5, 1.0, 0.3, 0.15, 0.15
_NOTHING_M, _EXACT = 1e-3, 0.02


class Mistake(NamedTuple):
    """A shift of some numbers, with its prior.

    Attributes
    ----------
    kind : str
        ``wrong``, a kind of `UNITS`, ``exchanged``, ``person``, or ``deformed``, which is none.
    names : tuple of str
        Of the numbers, sided as ``left.knee_width``.
    along : (numbers,) array
        By how much each of them is shifted for a size of 1.
    size, spread : float
        Of the shift: mean and standard deviation.
    price : float
    """

    kind: str
    names: tuple[str, ...]
    along: Array
    size: float
    spread: float
    price: float = RARE


class LikelyMistake(NamedTuple):
    """A mistake with the odds for it (logarithm), its size, and all that explain the numbers nearly as well.

    `sure`: the odds against the best that is none.
    """

    mistake: Mistake
    score: float
    size: float
    rivals: tuple[Mistake, ...]
    sure: float

    @property
    def impossible(self) -> bool:
        """Whether nobody is like that, and it matters."""
        return self.sure > NOBODY and abs(self.size) > GROSS


def find_mistakes(numbers: Mapping[str, float]) -> list[LikelyMistake]:
    """What is wrong with numbers of one body, the surest first.

    Parameters
    ----------
    numbers : mapping of str to float
        SI, by name (`people`), sided as ``left.knee_width``; others are not looked at.
    """
    names = [name for name, value in numbers.items() if _bare(name) in people().dimensions and np.isfinite(value)]
    if not names:
        return []
    off, covariance = _prior(names, numbers)
    everything, result = list(_mistakes(names, numbers)), list[LikelyMistake]()
    along = np.array([one.along for one in everything])
    size, spread, price = np.array([(one.size, one.spread, one.price) for one in everything]).T
    while len(result) < len(names):
        solved = np.linalg.solve(covariance, np.column_stack([off, along.T]))
        lead = along @ solved[:, 0] + size / spread**2
        precision = np.einsum("ij,ji->i", along, solved[:, 1:]) + 1 / spread**2
        score = 0.5 * (lead**2 / precision - (size / spread) ** 2 - np.log(precision * spread**2)) - price
        k, none = int(np.argmax(score)), [one.kind == "deformed" for one in everything]
        if score[k] <= 0:
            break
        near = sorted(np.flatnonzero((score > score[k] - SURE) & (score > 0)), key=lambda i: -score[i])
        sure = float(score[k] - max(0.0, score[none].max(initial=0.0)))
        best = everything[k]
        result.append(
            LikelyMistake(best, float(score[k]), lead[k] / precision[k], tuple(everything[i] for i in near), sure)
        )
        off = off - best.along * best.size
        covariance = covariance + best.spread**2 * np.outer(best.along, best.along)
    return result


def _bare(name: str) -> str:
    return name.rpartition(".")[2]


def _rows(names: Sequence[str]) -> list[Dimension]:
    return [people().dimensions[_bare(name)] for name in names]


def _prior(names: Sequence[str], numbers: Mapping[str, float]) -> tuple[Array, Array]:
    """How far the numbers lie from those of the mean body, and the covariance of that."""
    of, rows = people(), _rows(names)
    off = np.array([numbers[name] - row.expected for name, row in zip(names, rows, strict=True)])
    grows = np.array([0.0 if row.angle else row.grows for row in rows])
    for i, row in enumerate(rows):
        if not row.angle:  # what is not above 0 cannot be: far off
            off[i] = np.log(max(numbers[names[i]], _NOTHING_M) / (row.expected * of.stature**row.grows))
    columns = [of.sd * grows, *(sd * np.array([getattr(row, name) for row in rows]) for name, sd in of.spreads.items())]
    columns += [np.array([row.person * (_bare(n) == bare) for n, row in zip(names, rows)]) for bare in of.dimensions]
    knee = of.knee_of_side * np.array([row.knee for row in rows])
    columns += [knee * [name.startswith(side) for name in names] for side in ("left", "right")]
    loads = np.stack(columns, axis=1)
    return off, loads @ loads.T + np.diag([max(row.side, _NOTHING_M) ** 2 for row in rows])


def _mistakes(names: Sequence[str], numbers: Mapping[str, float]) -> Iterator[Mistake]:
    dimensions = people().dimensions
    place = dict(zip(names, np.eye(len(names)), strict=True))
    measured = [name for name in names if _bare(name) not in OF_TRIAL]
    pairs = [("left." + bare, "right." + bare) for bare in dimensions]
    both = [pair for pair in pairs if set(pair) <= set(measured)]
    for of in [*((name,) for name in measured), *both]:
        row, along = dimensions[_bare(of[0])], np.sum([place[name] for name in of], axis=0)
        yield Mistake("wrong", of, along, 0.0, ANY_ANGLE if row.angle else ANYHOW)
        kind = "mass" if of[0] == "mass" else "width" if "width" in of[0] else "length"
        for factor, how in ({} if row.angle else UNITS[kind] | UNITS["length"]).items():
            for sign in (-1, 1):
                yield Mistake(how, of, along, float(sign * np.log(factor)), _EXACT)
    for name in [name for name in names if name not in measured]:
        yield Mistake("wrong", (name,), place[name], 0.0, MISPLACED)
    swaps = dict[str, Array]()
    for side in ("left", "right"):
        knee, ankle, thigh, shank = (f"{side}.{bare}" for bare in ("knee_width", "ankle_width", "thigh", "shank"))
        if {knee, ankle} <= place.keys():
            swaps[side] = np.log(numbers[knee] / numbers[ankle]) * (place[knee] - place[ankle])
            yield Mistake("exchanged", (knee, ankle), swaps[side], 1.0, _EXACT)
        if {thigh, shank} <= place.keys():
            for sign in (-1, 1):  # the knee lies elsewhere; markers of a side are seen too far apart
                yield Mistake("wrong", (thigh, shank), place[thigh] + sign * place[shank], 0.0, MISPLACED)
        leg = 0.5 * place.get(f"{side}.leg_length", np.zeros(len(names)))
        of_leg = [(thigh,), (shank,), (thigh, shank)] if thigh in place else [(f"{side}.leg_length",)]
        for of in [of for of in of_leg if set(of) <= place.keys()]:
            along = np.sum([place[name] for name in of], axis=0) + leg * len(of)
            yield Mistake("deformed", of, along, 0.0, DEFORMITY, DEFORMED)
    for name in names:
        if spread := dimensions[_bare(name)].deformed:
            yield Mistake("deformed", (name,), place[name], 0.0, spread, DEFORMED)
    legs = [name for name in names if dimensions[_bare(name)].legs and _bare(name) != "asis_trocanter_distance"]
    if legs:  # short limbs
        yield Mistake("deformed", tuple(legs), np.sum([place[name] for name in legs], axis=0), 0.0, DEFORMITY, DEFORMED)
    if len(swaps) == 2:
        of = tuple(f"{side}.{bare}" for side in swaps for bare in ("knee_width", "ankle_width"))
        yield Mistake("exchanged", of, np.sum([*swaps.values()], axis=0), 1.0, _EXACT)
    sized = [
        name
        for name in measured
        if not dimensions[_bare(name)].angle and _bare(name) not in ("mass", "marker_diameter")
    ]
    if len(sized) > 2 and len(names) > len(measured):
        along = np.sum([dimensions[_bare(name)].grows * place[name] for name in sized], axis=0)
        yield Mistake("person", tuple(sized), along, 0.0, PERSON)
