"""Landmarks that cannot be where their labels say, and labels exchanged in a static -> a model without them, or with
them the right way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from gaitid.body.lengths import SOME_FRAMES, points_of_segments
from gaitid.model import specs
from gaitid.model.needs import Role
from gaitid.notes import Note, Notes, note
from gaitid.numerics.masks import median_of_known, quantiles_of_known
from gaitid.numerics.rotation import dot, norm, unit
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial

# Landmarks on both sides of a joint or a foot, the outer one first.
_OUTER_INNER = (("knee_lateral", "knee_medial"), ("ankle_lateral", "ankle_medial"), ("mt5", "mt1"))
# Those of models that name the labels of their feet's markers.
_OF_FOOT = (
    ("calcaneus_lateral", "calcaneus_medial"),
    ("mt5_head", "mt1_head"),
    ("mt5_base", "mt1_base"),
    ("ankle_marker", "ankle_medial"),
)
# Landmarks of which the left one stays on the left.
_NEVER_CROSS = ("asis", "psis", "trochanter", "knee_lateral", "knee_medial", "ankle_lateral", "ankle_medial")
# m. An outer landmark that lies farther than this on the inner side of the other is labelled as the other: those of the
# shared recordings lie 60 to 145 mm on the right side.
_EXCHANGED_M = 0.02
# m. No knee, ankle or forefoot is so wide: the widest of the shared recordings measures 0.17 m.
_OTHER_LEG_M = 0.25
# So many frames, or a little more, show on which side a landmark lies.
_LOOKED_AT = 50


class Misplaced(NamedTuple):
    """Landmarks that are not believed, and what is to be said of them."""

    roles: frozenset[Role] = frozenset()
    notes: Notes = ()


def without_misplaced(trial: Trial, model: specs.Model) -> tuple[specs.Model, Misplaced]:
    """The bound model without landmarks that lie on the wrong side of each other, or on another leg.

    The body's left is where its left landmarks are, its front where its feet point. Neither of two exchanged labels is
    believed: which of them names the right thing cannot be told from their places alone.
    """
    landmarks = bool(model.marker_set)
    pairs = _OUTER_INNER if landmarks else _OF_FOOT
    if len(model.sides) < 2 or not (landmarks or pairs[0][0] in model.each_side.markers):
        return model, Misplaced()
    places = _Places(trial, model)
    spelled, notes = dict(model.spelled), []
    roles: set[Role] = set()
    for side in model.sides:
        for outer, inner in pairs:
            ends = places.of(side.name, outer), places.of(side.name, inner)
            if ends[0] is None or ends[1] is None:
                continue
            labels = [next(filter(trial.has, model.labels(role, side.name))) for role in (outer, inner)]
            way = ends[0] - ends[1]
            out, apart = median_of_known(side.sign * dot(way, places.leftward)), median_of_known(norm(way))
            if out < -_EXCHANGED_M:
                notes.append(note("labels_unused/inside", labels=labels, mm=-1e3 * out))
            elif apart > _OTHER_LEG_M:
                notes.append(note("labels_unused/apart", labels=labels, mm=1e3 * apart))
            else:
                continue
            roles |= {(side.name, outer), (side.name, inner)}
        asis, psis = (places.of(side.name, role) if landmarks else None for role in ("asis", "psis"))
        if asis is not None and psis is not None and median_of_known(dot(asis - psis, places.forward)) < -_EXCHANGED_M:
            labels = [spelled[side.name, role][0] for role in ("asis", "psis")]
            notes.append(note("labels_unused/behind", labels=labels))
            roles |= {(side.name, "asis"), (side.name, "psis")}
    left, right = (s.name for s in sorted(model.sides, key=lambda s: -s.sign))
    for role in _NEVER_CROSS if landmarks else [inner for _, inner in _OF_FOOT]:
        ends = places.of(left, role), places.of(right, role)
        if ends[0] is None or ends[1] is None or (left, role) in roles or (right, role) in roles:
            continue
        if (across := median_of_known(dot(ends[0] - ends[1], places.leftward))) < -_EXCHANGED_M:
            labels = [next(filter(trial.has, model.labels(role, side))) for side in (left, right)]
            notes.append(note("labels_unused/crossed", labels=labels, mm=-1e3 * across))
            roles |= {(left, role), (right, role)}
    if not roles:
        return model, Misplaced()
    return model._replace(spelled=spelled | dict.fromkeys(roles, ())), Misplaced(frozenset(roles), tuple(notes))


class _Places:
    """Where landmarks are in some fifty frames, and which ways the body's left and front are."""

    def __init__(self, trial: Trial, model: specs.Model) -> None:
        self.trial, self.model = trial, model
        self.some = slice(None, None, max(1, trial.n_frames // _LOOKED_AT))
        left, right = (s.name for s in sorted(model.sides, key=lambda s: -s.sign))
        pairs = [(self.of(left, role), self.of(right, role)) for role in model.each_side.markers]
        self.leftward = self._mean([a - b for a, b in pairs if a is not None and b is not None])
        fronts = ("toe", "mt1", "mt2", "mt5", "big_toe")
        feet = [(self.of(s, heel), self.of(s, toe)) for s in (left, right) for heel in ("heel",) for toe in fronts]
        self.forward = self._mean([toe - heel for heel, toe in feet if heel is not None and toe is not None])

    def of(self, side: str, role: str) -> Array | None:
        """(some frames, 3) places, m; None where the landmark was never seen."""
        known = role in self.model.each_side.markers
        label = next(filter(self.trial.has, self.model.labels(role, side)), "") if known else ""
        return self.trial.marker(label)[self.some] if label else None

    def _mean(self, ways: Sequence[Array]) -> Array:
        if not ways:
            return np.full(3, np.nan)
        return unit(median_of_known(np.stack(ways)))  # NaN in frames in which no pair was seen


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
