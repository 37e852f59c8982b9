"""A permutation test of the maximum statistic of curves: two groups of subjects, or two conditions of the same ones.

Under the null hypothesis labels of groups (signs of paired differences) may be exchanged. The largest |t| over a curve
is noted for each relabelling; the observed one is held against these (Nichols & Holmes 2002, Hum Brain Mapp 15:1-25).
So often as the level says, and no more often, any value of a curve without an effect is called different.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.numerics.masks import known_rows
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray

#: With fewer in each of two groups, or pairs, no relabelling is rarer than 5 % (two-sided): of 3 and 3 there are 20,
#: two of which are the most extreme; of 5 pairs 32.
LEAST_EACH, LEAST_PAIRS = 4, 6
_TOGETHER = 500  # relabellings at once: their arrays stay small


class Sample(NamedTuple):
    """A curve of both groups.

    Attributes
    ----------
    a, b : (subjects, points) arrays
        NaN where unknown: a point counts where it is known of everybody. Paired row by row where the test is paired.
    who : (subjects,) int array
        Numbers of the subjects of a, then of b; of a alone where they are paired.
    """

    a: Array
    b: Array
    who: IntArray


class Tested(NamedTuple):
    """What one curve shows.

    Attributes
    ----------
    t : (points,) array
        Of b less a; NaN where unknown.
    standard_error : (points,) array
    critical : float
        The |t| that curves without an effect exceed anywhere in 5 % of all cases.
    p, p_of_all : float
        Of so large a |t| anywhere in this curve, and anywhere in all curves that were tested together.
    """

    t: Array
    standard_error: Array
    critical: float
    p: float
    p_of_all: float


def compare_curves(
    samples: Sequence[Sample], paired: bool, permutations: int = 5000, level: float = 0.05, seed: int = 0
) -> list[Tested]:
    """Test curves together; relabellings are drawn at random, the labels as they are being the first.

    Parameters
    ----------
    samples : sequence of Sample
    paired : bool
    permutations : int
    level : float
    seed : int
        The same gives the same answer.
    """
    rng = np.random.default_rng(seed)
    subjects = 1 + max(int(sample.who.max()) for sample in samples)
    maxima = np.zeros((permutations, len(samples)))
    observed: list[tuple[Array, Array]] = []
    for start in range(0, permutations, _TOGETHER):
        drawn = rng.random((min(_TOGETHER, permutations - start), subjects))
        for i, sample in enumerate(samples):
            t, error = _statistics(sample, drawn, paired, first=start == 0)
            if start == 0:
                observed.append((t[0], error[0]))
            known = np.isfinite(t[0])
            maxima[start : start + len(drawn), i] = np.abs(t[:, known]).max(axis=1, initial=0.0)
    # a relabelling that is the observed one again must not fall short of it by rounding
    seen = maxima[0] * (1 - 1e-9)
    p, p_of_all = (maxima >= seen).mean(axis=0), (maxima.max(axis=1)[:, None] >= seen).mean(axis=0)
    # the least value that no more than the level exceed
    critical = np.sort(maxima, axis=0)[int(np.ceil((1 - level) * permutations)) - 1]
    return [
        Tested(t, error, float(critical[i]), float(p[i]), float(p_of_all[i])) for i, (t, error) in enumerate(observed)
    ]


def _statistics(sample: Sample, drawn: Array, paired: bool, first: bool) -> tuple[Array, Array]:
    """t and its standard error, (relabellings, points) each, Student's; NaN where a point is not known of everybody, or
    nothing varies. Where `first`, the first has the labels as they are."""
    values = sample.b - sample.a if paired else np.concatenate([sample.a, sample.b])
    known = known_rows(values.T)
    whole, n, n_a = values[:, known], len(values), len(sample.a)
    squares_of = np.square
    if paired:
        signs = np.where(drawn[:, sample.who] < 0.5, -1.0, 1.0)
        signs[: int(first)] = 1.0
        mean = signs @ whole / n
        variance = (squares_of(whole).sum(axis=0) - n * squares_of(mean)) / (n - 1) / n
    else:
        keys = drawn[:, sample.who]
        keys[: int(first)] = np.arange(n)
        in_a = (np.argsort(np.argsort(keys, axis=1), axis=1) < n_a).astype(float)
        whole = whole - whole.mean(axis=0)  # sums of all are 0 then
        sum_a = in_a @ whole
        mean = -sum_a / (n - n_a) - sum_a / n_a
        left = squares_of(whole).sum(axis=0) - squares_of(sum_a) * (1 / n_a + 1 / (n - n_a))
        variance = left / (n - 2) * (1 / n_a + 1 / (n - n_a))
    rounding = 1e-18 * squares_of(values[:, known]).max(axis=0, initial=0.0)
    varies = variance > rounding
    t, error = (np.full((len(drawn), len(known)), np.nan) for _ in range(2))
    with np.errstate(invalid="ignore", divide="ignore"):
        error[:, known] = np.where(varies, np.sqrt(variance), np.nan)
        t[:, known] = np.where(varies, mean / np.sqrt(variance), np.nan)
    return t, error
