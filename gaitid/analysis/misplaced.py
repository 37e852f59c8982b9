"""Landmarks that cannot be where their labels say -> a model without them, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.lengths import typical
from gaitid.model import specs
from gaitid.model.needs import Role
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import dot, norm, unit
from gaitid.numerics.statistics import median_of_known
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial

# Landmarks on both sides of a joint or a foot, the outer one first.
_OUTER_INNER = (("knee_lateral", "knee_medial"), ("ankle_lateral", "ankle_medial"), ("mt5", "mt1"))
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
    if not model.marker_set or len(model.sides) < 2:
        return model, Misplaced()
    places = _Places(trial, model)
    spelled, notes = dict(model.spelled), []
    roles: set[Role] = set()
    for side in model.sides:
        for outer, inner in _OUTER_INNER:
            ends = places.of(side.name, outer), places.of(side.name, inner)
            if ends[0] is None or ends[1] is None:
                continue
            labels = [spelled[side.name, role][0] for role in (outer, inner)]
            out, apart = typical(side.sign * dot(ends[0] - ends[1], places.leftward)), typical(norm(ends[0] - ends[1]))
            if out < -_EXCHANGED_M:
                notes.append(note("labels_unused/inside", labels=labels, mm=-1e3 * out))
            elif apart > _OTHER_LEG_M:
                notes.append(note("labels_unused/apart", labels=labels, mm=1e3 * apart))
            else:
                continue
            roles |= {(side.name, outer), (side.name, inner)}
        asis, psis = places.of(side.name, "asis"), places.of(side.name, "psis")
        if asis is not None and psis is not None and typical(dot(asis - psis, places.forward)) < -_EXCHANGED_M:
            labels = [spelled[side.name, role][0] for role in ("asis", "psis")]
            notes.append(note("labels_unused/behind", labels=labels))
            roles |= {(side.name, "asis"), (side.name, "psis")}
    left, right = (s.name for s in sorted(model.sides, key=lambda s: -s.sign))
    for role in _NEVER_CROSS:
        ends = places.of(left, role), places.of(right, role)
        if ends[0] is None or ends[1] is None or (left, role) in roles or (right, role) in roles:
            continue
        if (across := typical(dot(ends[0] - ends[1], places.leftward))) < -_EXCHANGED_M:
            labels = [spelled[side, role][0] for side in (left, right)]
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
        label = next((x for x in self.model.spelled.get((side, role), ()) if self.trial.has(x)), "")
        return self.trial.marker(label)[self.some] if label else None

    def _mean(self, ways: Sequence[Array]) -> Array:
        if not ways:
            return np.full(3, np.nan)
        return unit(median_of_known(np.stack(ways)))  # NaN in frames in which no pair was seen
