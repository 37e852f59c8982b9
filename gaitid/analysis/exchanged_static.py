"""Two labels of a leg that are exchanged in a static -> its model with both the right way round, or without them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from gaitid.analysis.misplaced import Misplaced
from gaitid.body.lengths import SOME_FRAMES, points_of_segments
from gaitid.model import specs
from gaitid.model.needs import Role
from gaitid.notes import Note, note
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import median_of_known, quantiles_of_known
from gaitid.trial import Array, Trial

# m. Standard deviation of a distance between two markers of a leg, in a static, from what the trial shows: skin.
SKIN_M = 0.010
# A distance counts at most as four of these: another marker may have been moved.
MOST = 4.0
# Of -2 log likelihood: an exchange that makes the static likelier than as it is labelled, and than any other exchange,
# by less is not believed. Of 44 legs of 21 recordings none comes out exchanged; of 2,563 exchanges made in their
# statics 2,430 are found, and none is taken for another one (119 others are of two legs whose own static lies far off).
MARGIN = 10.0


def without_exchanged(
    trial: Trial, model: specs.Model, static: Trial, of_static: specs.Model
) -> tuple[specs.Model, Misplaced]:
    """The model bound to a static, with two labels of a leg exchanged where distances in the trial say so.

    A distance between two markers of a leg that lies outside what nine tenths of the trial show counts by how far.
    Which of the two files is labelled wrongly shows where both markers are of different segments: the one farther down
    the leg lies farther from the pelvis. Within a cluster it makes no difference.

    Returns
    -------
    model : Model
        Without both markers where nothing shows it, so that the leg lacks them.
    misplaced : Misplaced
    """
    spelled, notes = dict(of_static.spelled), list[Note]()
    lost: set[Role] = set()
    for side in model.sides:
        labels = {
            role: (_label(trial, model, role, side.name), _label(static, of_static, role, side.name))
            for role in model.each_side.markers
        }
        roles = [role for role, both in labels.items() if all(both)]
        if len(roles) < 3:
            continue
        here, there = (_distances(of, [labels[r][i] for r in roles]) for i, of in enumerate((trial, static)))
        low, high = quantiles_of_known(here, 0.05, 0.95)
        pair = _exchanged(low, high, median_of_known(there))
        if not pair:
            continue
        i, j, unique = pair
        names, a, b = [labels[roles[k]][1] for k in (i, j)], (side.name, roles[i]), (side.name, roles[j])
        farther_m = _farther(model, side.name, roles, i, j, (median_of_known(here), median_of_known(there)))
        one, other = (roles[k].rpartition("_")[0] for k in (i, j))
        of_cluster = one == other and one.endswith("_cluster")
        if unique and (of_cluster or farther_m > SKIN_M):
            spelled |= {a: (names[1],), b: (names[0],)}
            notes.append(note("static_exchanged", side.name, labels=names))
        else:
            spelled |= {a: (), b: ()}
            lost |= {a, b}
            notes.append(note("labels_unused/static", labels=names))
    if not notes:
        return of_static, Misplaced()
    return of_static._replace(spelled=spelled), Misplaced(frozenset(lost), tuple(notes))


def _label(trial: Trial, model: specs.Model, role: str, side: str) -> str:
    return next(filter(trial.has, model.labels(role, side)), "")


def _distances(trial: Trial, labels: Sequence[str]) -> Array:
    """(some frames, markers, markers) m."""
    step = max(1, trial.n_frames // SOME_FRAMES)
    points = np.stack([trial.marker(label)[::step] for label in labels], axis=1)
    return norm(points[:, :, None] - points[:, None])


def _farther(model: specs.Model, side: str, roles: Sequence[str], i: int, j: int, of: Sequence[Array]) -> float:
    """How much farther from the pelvis the marker of a lower segment lies in the trial than another, and the other way
    round in the static, m, on average; NaN where both are of one segment, or the side has no marker of the pelvis."""
    points = points_of_segments(model, [side])
    down = [("", model.base.segment), *((side, body.segment) for body in reversed(model.chain))]
    level = [next((n for n, at in enumerate(down) if (side, role) in points[at]), -1) for role in roles]
    pelvis = [k for k, n in enumerate(level) if n == 0 and k not in (i, j)]
    if not pelvis or level[i] == level[j] or min(level[i], level[j]) < 1:
        return float("nan")
    trial, static = (np.nanmean(m[pelvis, j] - m[pelvis, i]) for m in of)
    return float((trial - static) / 2 * np.sign(level[j] - level[i]))


def _exchanged(low: Array, high: Array, there: Array) -> tuple[int, int, bool] | None:
    """The two markers whose exchange makes the static likelier, and whether no other exchange does; None where none."""

    def unlikely(order: Sequence[int]) -> float:
        at = there[np.ix_(order, order)]
        outside = np.maximum(np.maximum(low - at, at - high), 0.0) / SKIN_M
        return float(np.nansum(np.minimum(outside, MOST) ** 2) / 2)

    as_labelled = unlikely(range(len(there)))
    if as_labelled <= MARGIN:
        return None
    tried = sorted((unlikely(_order(len(there), i, j)), i, j) for i, j in combinations(range(len(there)), 2))
    (best, i, j), second = tried[0], tried[1][0]
    explains = best < len(there) * (len(there) - 1) / 2 and best + MARGIN < as_labelled
    return (i, j, best + MARGIN < second) if explains else None


def _order(n: int, i: int, j: int) -> list[int]:
    order = list(range(n))
    order[i], order[j] = j, i
    return order
