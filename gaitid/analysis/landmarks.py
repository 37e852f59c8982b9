"""Landmarks read label by label: by the words of each, proven by where it is worn and by distances that stay."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from gaitid.model import specs
from gaitid.model.marker_sets import FEWEST_LABELS, MarkerSet, Reading, Spellings, joints, read_labels, sets_of
from gaitid.model.needs import Role
from gaitid.notes import Note, Notes, note
from gaitid.numerics.masks import mean_of_known
from gaitid.numerics.rotation import unit
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial, seen_labels

#: The heights at which landmarks are worn, as shares of that of the pelvis above the feet. Of stature
#: the ankle is at 0.039, the knee at 0.285, the hip at 0.530 (Drillis & Contini 1966, in Winter 2009, figure 4.1): the
#: knee at 0.47 of what is between foot and pelvis. A third of that more or less is left to bent knees, raised heels and
#: short legs.
HEIGHTS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("asis", "psis", "iliac_crest", "sacrum", "pelvis_cluster"), (0.85, 1.25)),
    **dict.fromkeys(("trochanter", "thigh_cluster", "thigh_wand"), (0.4, 1.05)),
    **dict.fromkeys(("knee_lateral", "knee_medial"), (0.3, 0.65)),
    **dict.fromkeys(("fibular_head", "tibial_tuberosity", "shank_cluster", "shank_wand"), (0.05, 0.6)),
    **dict.fromkeys(
        ("ankle_lateral", "ankle_medial", "heel", "toe", "mt1", "mt2", "mt5", "foot_cluster"), (-0.15, 0.25)
    ),
}
# The middle of the range of feet, whose mean is height 0.
_FEET = 0.05
# Landmarks of one segment, which keep their distances.
_SEGMENTS = (
    ("asis", "psis", "iliac_crest", "sacrum"),
    ("trochanter", "knee_lateral", "knee_medial"),
    ("knee_lateral", "knee_medial", "fibular_head", "tibial_tuberosity", "ankle_lateral", "ankle_medial"),
    ("ankle_lateral", "ankle_medial", "heel", "toe", "mt1", "mt2", "mt5"),
)
# m. Standard deviation of a distance on a segment: skin moves by up to 31 mm on the thigh, 15 on the shank (Leardini A
# et al. 2005, Gait Posture 21:212-225).
_STEADY_M = 0.03
# m. So much farther outward, or behind, one of two markers lies if that shall tell which is which: more than a marker's
# own radius (7 mm, Plug-in Gait) and the skin beside a joint.
MARGIN_M = 0.01
#: Share of the labels that can be read by words: a bundled set that knows so many is the trial's own.
KNOWN = 0.75
# So many frames, or a little more, show where a marker is worn.
_LOOKED_AT = 50
# The ball of the foot lies at 0.70 to 0.72 of its length from the heel (Luo G et al. 2009), the head of the fifth
# metatarsal behind that of the first; the length here ends at the foremost marker, on the toes or before.
_BALL_1, _BALL_5 = (0.65, 0.95), (0.55, 0.9)
_FEWEST_OF_FOOT = 4


class Landmarks(NamedTuple):
    """A marker set read label by label.

    Attributes
    ----------
    marker_set : MarkerSet
        What the nearest bundled set knows of the labels, and what their words say of the others.
    read : list of (Role, list of str)
        Landmarks and clusters, and their labels by their words.
    doubts : tuple of (str, Note)
        Landmarks and clusters that were not read, and why.
    """

    marker_set: MarkerSet
    read: Sequence[tuple[Role, Sequence[str]]]
    doubts: tuple[tuple[str, Note], ...]

    def notes(self, model: specs.Model) -> Notes:
        """What is to be said of labels that a model needs."""
        needs = {label for labels in model.spelled.values() for label in labels}
        read = [f"{', '.join(of)} = {' '.join(role).strip()}" for role, of in self.read if needs.issuperset(of)]
        of_model = {name for _, name in model.spelled}
        doubts = [doubt for name, doubt in self.doubts if name in of_model]
        return (*([note("labels_read", read=read)] if read else ()), *doubts)


def read_landmarks(trial: Trial, static: Trial | None) -> Landmarks | None:
    """The landmarks and clusters of a trial and its static; None where labels say too little.

    What the nearest bundled set knows of the labels counts. Another label is read by its words. It is taken where it is
    the only one that says so, or where the places of two tell which is the outer one; and only where it is worn as that
    landmark is and keeps its distance to others of its segment, in the static and in the trial.
    """
    labels = tuple(dict.fromkeys(label for of in (static, trial) if of is not None for label in seen_labels(of)))
    known, of_set, words = _by_labels(labels)
    roles = {role: of[0] for role, of in of_set.items() if not role[1].endswith("_cluster")}
    words = words | {label: Reading(side, (name,)) for (side, name), label in roles.items()}
    reading = _Reading(words, roles, [_Worn(recording, words) for recording in (static, trial) if recording])
    reading.read([label for label in words if label not in roles.values()])
    reading.prove(set(roles.values()))
    read = [(role, [label]) for role, label in reading.roles.items() if role not in roles]
    read += [(role, of) for role, of in reading.clusters.items() if role not in of_set]
    if len(roles) + len(read) < FEWEST_LABELS:
        return None
    taken = {**(known.roles if known else {}), **{role: (label,) for role, label in reading.roles.items()}}
    by_words = {role: tuple((label,) for label in of) for role, of in reading.clusters.items()}
    clusters = {**by_words, **(known.clusters if known else {})}
    name = " and ".join(filter(None, (known.name if known else "", "words" * bool(read))))
    made = MarkerSet(name, "Labels read one by one", "", Path("words"), {"left": "L", "right": "R"}, taken, clusters)
    return Landmarks(made, tuple(read), tuple(reading.doubts))


@lru_cache(maxsize=32)  # one trial is asked for each model, and all trials of a laboratory have the same labels
def _by_labels(labels: tuple[str, ...]) -> tuple[MarkerSet | None, dict[Role, list[str]], dict[str, Reading]]:
    """The bundled set of labels, what they are by it, and what their words say."""
    spellings = Spellings(labels)
    words = read_labels(labels)
    for known in sets_of(spellings)[:1]:
        found = known.found(spellings)
        # one that knows less of them is of a laboratory that may mean other things by its labels
        if sum(map(len, found.values())) >= KNOWN * len(words):
            return known, found, words
    return None, {}, words


class _Worn:
    """Where markers are worn in a recording: means over some fifty frames, in the body's own axes.

    Up is from the feet, or the lowest that there is, to the pelvis, so that the laboratory's axes do not matter.
    """

    def __init__(self, recording: Trial, words: Mapping[str, Reading]) -> None:
        some = slice(None, None, max(1, recording.n_frames // _LOOKED_AT))
        self.tracks = {label: recording.marker(label)[some] for label in words if recording.has(label)}
        self.places: dict[str, Array] = {}
        of = {label: HEIGHTS.get(reading.names[0], (0.5, 0.5)) for label, reading in words.items()}
        lowest = min((of[label] for label in self.tracks), default=(0.5, 0.5))
        pelvis, low = self._mean(x for x in of if of[x][1] > 1.2), self._mean(x for x in of if of[x] == lowest)
        base = max(0.0, sum(lowest) / 2 - _FEET)  # the height of what is lowest
        left, right = (self._mean(x for x in of if words[x].side == side) for side in ("left", "right"))
        length = np.linalg.norm(pelvis - low, axis=1)[:, None]
        with np.errstate(invalid="ignore"):  # no pelvis, or nothing below it: no place is known
            up = (pelvis - low) / length
            leftward = left - right
            leftward = unit(leftward - (leftward * up).sum(axis=1, keepdims=True) * up)
            axes = np.stack([up * (1 - base) / length, leftward, np.cross(leftward, up)], axis=1)
        for label, points in self.tracks.items():
            self.places[label] = mean_of_known(np.einsum("fij,fj->fi", axes, points - low)) + [base, 0.0, 0.0]

    def _mean(self, labels: Iterable[str]) -> Array:
        n = len(next(iter(self.tracks.values()), ()))
        tracks = [self.tracks[label] for label in labels if label in self.tracks] or [np.full((n, 3), np.nan)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # frames in which none was seen
            return np.asarray(np.nanmean(tracks, axis=0))

    def varies(self, one: str, other: str) -> float:
        """Standard deviation of the distance of two markers, m; 0 where they are not seen together."""
        if one not in self.tracks or other not in self.tracks:
            return 0.0
        apart = np.linalg.norm(self.tracks[one] - self.tracks[other], axis=1)
        known = apart[np.isfinite(apart)]
        return float(np.std(known)) if known.size else 0.0


class _Reading:
    """Gathered from label to label."""

    def __init__(self, words: Mapping[str, Reading], roles: Mapping[Role, str], worn: Sequence[_Worn]) -> None:
        self.words, self.roles, self.worn = words, dict(roles), worn
        self.clusters: dict[Role, list[str]] = {}
        self.doubts: list[tuple[str, Note]] = []

    def place(self, label: str) -> Array | None:
        """Height, place to the left, place to the front; of the first recording that shows it."""
        return next((worn.places[label] for worn in self.worn if label in worn.places), None)

    def outward(self, label: str) -> float:
        """How far from the middle of the body a marker is worn, m."""
        place = self.place(label)
        return np.nan if place is None else float(place[1] if self.words[label].side == "left" else -place[1])

    def read(self, labels: Sequence[str]) -> None:
        """What labels say by their words, of those that say it best."""
        for plain in (True, False):
            says: dict[Role, list[str]] = {}
            for label in labels:
                side, names, is_plain = self.words[label]
                if len(names) == 1 and (is_plain == plain or names[0].endswith("_cluster")):
                    says.setdefault((side, names[0]), []).append(label)
            for role, of in says.items():
                if role[1].endswith("_cluster"):
                    self.clusters.setdefault(role, of)
                elif role not in self.roles and len(of) == 1:
                    self.roles[role] = of[0]
                elif role not in self.roles:
                    self.doubts.append((role[1], note("labels_ambiguous/same", labels=of, name=role[1])))
        for side in ("left", "right"):
            for outer, inner in joints():
                bare = [x for x in labels if self.words[x].side == side and self.words[x].names == (outer, inner)]
                self._read_joint(bare, (side, outer), (side, inner))
            alone = [x for x in labels if self.words[x].side == side and len(self.words[x].names) == 2]
            for segment in ("thigh", "shank"):
                wands = [x for x in alone if self.words[x].names[1] == f"{segment}_wand"]
                cluster = self.clusters.get((side, f"{segment}_cluster"), [])
                if wands and (cluster or len(wands) > 1):
                    self.clusters[side, f"{segment}_cluster"] = [*wands, *cluster]
                elif wands:
                    self.roles.setdefault((side, f"{segment}_wand"), wands[0])
            self._read_foot(side)
        for side in ("left", "right"):  # on the long axis of the foot either will do
            if (side, "toe") not in self.roles and (side, "mt2") in self.roles:
                self.roles[side, "toe"] = self.roles[side, "mt2"]

    def _read_joint(self, bare: Sequence[str], outer: Role, inner: Role) -> None:
        """A joint without a place is the outer landmark, as is the custom, or the other one of two."""
        placed = [self.roles[role] for role in (outer, inner) if role in self.roles]
        both = sorted({*bare, *placed}, key=self.outward, reverse=True)
        if not bare:
            return
        if len(both) == 1:
            self.roles[outer] = bare[0]
            return
        fits = [self.roles.get(role, label) == label for role, label in zip((outer, inner), both, strict=False)]
        if len(both) == 2 and all(fits) and self.outward(both[0]) - self.outward(both[1]) > MARGIN_M:
            self.roles[outer], self.roles[inner] = both
        else:
            text = note("labels_ambiguous/joint", labels=both, outer=outer[1], name=inner[1])
            self.doubts.append((inner[1], text))

    def _read_foot(self, side: str) -> None:
        """Of a foot whose markers are numbered: the rearmost is the heel, the edges of the ball metatarsals 1 and 5."""
        of_foot = self.clusters.get((side, "foot_cluster"), [])
        placed = {label: place for label in of_foot if (place := self.place(label)) is not None}
        if any((side, name) in self.roles for name in ("heel", "toe", "mt1", "mt2", "mt5")) or (
            len(placed) < _FEWEST_OF_FOOT or not all(np.isfinite(place).all() for place in placed.values())
        ):
            return
        flat = np.array([[place[2], self.outward(label)] for label, place in placed.items()])
        long = np.linalg.svd(flat - flat.mean(axis=0))[2][0]
        long *= np.sign(long[0])  # the foot's own length, in the mean of a walk
        ahead, outward = (dict(zip(placed, flat @ axis, strict=True)) for axis in (long, [-long[1], long[0]]))
        rear, length = min(ahead.values()), np.ptp([*ahead.values()])
        heels = [label for label in placed if ahead[label] < rear + MARGIN_M]
        ball_1, ball_5 = (
            sorted((x for x in placed if low <= (ahead[x] - rear) / length <= high), key=lambda x: outward[x])
            for low, high in (_BALL_1, _BALL_5)
        )
        inner, outer = ball_1[:2], ball_5[-2:]
        if any(len(two) < 2 or outward[two[1]] - outward[two[0]] < MARGIN_M for two in (inner, outer)):
            self.doubts.append(("heel", note("labels_ambiguous/foot", labels=list(placed))))
            return
        self.roles[side, "heel"] = min(heels, key=lambda label: float(placed[label][0]))  # of several the lowest
        self.roles[side, "mt1"], self.roles[side, "mt5"] = inner[0], outer[-1]

    def prove(self, trusted: set[str]) -> None:
        """Leave out what is not worn as its landmark is, or does not keep its distance to others of its segment."""
        for worn in self.worn:
            for role, label in list(self.roles.items()):
                fault = None if label in trusted or label not in worn.places else self._fault(worn, role, label)
                if fault is not None:
                    self.doubts.append((role[1], fault))
                    del self.roles[role]
        for role, of in list(self.clusters.items()):  # an arm's marker may be called as a shank's
            low, high = HEIGHTS[role[1]]
            worn_there = [x for x in of if (place := self.place(x)) is not None and low <= place[0] <= high]
            self.clusters[role] = worn_there
            if not worn_there:
                del self.clusters[role]

    def _fault(self, worn: _Worn, role: Role, label: str) -> Note | None:
        """Why a label is not what its words say."""
        side, name = role
        low, high = HEIGHTS.get(name, (-np.inf, np.inf))
        height = float(worn.places[label][0])
        if np.isnan(height):
            return note("labels_ambiguous/unproven", label=label, name=name)
        if not low <= height <= high:
            return note("labels_ambiguous/height", label=label, name=name, percent=100 * height)
        segments = [segment for segment in _SEGMENTS if name in segment]
        others = {
            other
            for (of_side, landmark), other in self.roles.items()
            if other != label and of_side in (side, "") and any(landmark in segment for segment in segments)
        }
        varies = float(np.median([worn.varies(label, other) for other in others] or [0.0]))
        if varies > _STEADY_M:
            return note("labels_ambiguous/distance", label=label, name=name, mm=1e3 * varies)
        return None
