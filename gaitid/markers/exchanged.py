"""Labels that are exchanged throughout a trial: told by the distances among markers of one side and of the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gaitid.markers.labels import LabelFault
from gaitid.numerics.rotation import norm
from gaitid.trial import Array

# m, and a ratio: how much better the distances to other markers fit with two labels exchanged throughout.
EXCHANGE_M, EXCHANGE_RATIO = 0.06, 2.0
# Markers whose distances are compared: the nearest ones, which are on the same segment or the next.
NEAREST = 4
# So many labels that differ in a number alone are a cluster's.
CLUSTER = 3


def mirrored(labels: Iterable[str], letters: tuple[str, str] = ("L", "R")) -> dict[str, str]:
    """Each label and that of the other side, where both are among `labels`; one of the middle is its own.

    Parameters
    ----------
    labels : iterable of str
    letters : (str, str)
        With which the labels of the sides begin.
    """
    known = dict.fromkeys(labels)
    other = dict(zip(letters, letters[::-1], strict=True))
    pairs = {label: other.get(label[:1], label[:1]) + label[1:] for label in known}
    return {label: pair for label, pair in pairs.items() if pair in known}


def numbered_clusters(bodies: Iterable[Iterable[str]]) -> list[frozenset[str]]:
    """Labels of one body that differ in their last number alone, three and more: it says nothing of where they lie.

    Left and right may be numbered otherwise, and the places of the static decide which is which. Two such labels, as
    those of two metatarsal heads, are names.

    Parameters
    ----------
    bodies : iterable of iterable of str
        The labels of each body that a static shows.
    """
    found = []
    for body in bodies:
        stems: dict[str, list[str]] = {}
        for label in body:
            stem = label.rstrip("0123456789")
            if stem != label:
                stems.setdefault(stem, []).append(label)
        found += [frozenset(labels) for labels in stems.values() if len(labels) >= CLUSTER]
    return found


def find_exchanged(
    markers: Mapping[str, Array], letters: tuple[str, str] = ("L", "R"), clusters: Sequence[frozenset[str]] = ()
) -> list[LabelFault]:
    """Pairs of labels that are exchanged throughout, by the distances among markers of one side and of the other.

    Two labels of one side (ankle and heel) are exchanged if their distances to other markers are far from those of the
    other side, and near with the two exchanged: which side is wrong cannot be told. A label and that of the other side
    are exchanged if each is nearer to the markers of the side that it does not name. None of them is believed in any
    frame: two labels of one side, nor those of the other (`LabelFault.also`).

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    letters : (str, str)
        With which the labels of the sides begin.
    clusters : sequence of frozenset of str
        Of `numbered_clusters`: neither are two of one held against each other, nor others against them.
    """
    other = mirrored(markers, letters)
    numbers = frozenset[str]().union(*clusters)
    left = [label for label in other if label[:1] == letters[0]]
    right = {other[label] for label in left}
    comparable = [p for p in other if p not in right and not {p, other[p]} & numbers]
    distances = _typical_distances([markers[label] for label in other]).tolist() if other else []

    # of each label to each, and of those of the other side in their place
    distance: dict[str, dict[str, float]] = {
        a: dict(zip(other, row, strict=True)) for a, row in zip(other, distances, strict=True)
    }
    mirrored_distance = {a: {b: distance[other[a]][other[b]] for b in other} for a in other}

    def unlike(pair: tuple[str, str], named: tuple[str, str], near: Sequence[str]) -> float:
        """How far the distances of two labels differ from those of two on the other side."""
        rows = [(distance[x], mirrored_distance[y]) for x, y in zip(pair, named, strict=True)]
        return sum([abs(of_x[p] - of_y[p]) for of_x, of_y in rows for p in near])

    candidates: list[LabelFault] = []
    for a, b in combinations(left, 2):
        if any(a in cluster and b in cluster for cluster in clusters):
            continue
        rest = [p for p in comparable if p not in (a, b)]
        of_a, of_b = mirrored_distance[a], mirrored_distance[b]
        near = sorted(rest, key=lambda p: of_a[p] + of_b[p])[:NEAREST]
        candidates += _fault(unlike((a, b), (a, b), near), unlike((a, b), (b, a), near), (a, b), EXCHANGE_RATIO)
    for a in left:
        rest = [p for p in left if p != a]
        same_side = sum([distance[a][p] + mirrored_distance[a][p] for p in rest])
        across = sum([distance[a][other[p]] + distance[other[a]][p] for p in rest])
        candidates += _fault(same_side, across, (a, other[a]), 1.0)
    # One exchange spoils the distances of other pairs too: the one that explains most is named.
    faults: list[LabelFault] = []
    for fault in sorted(candidates, key=lambda f: -f.size_m):
        if not {x for f in faults for label in f.labels for x in (label, other[label])} & set(fault.labels):
            also = tuple(x for x in (other[label] for label in fault.labels) if x not in fault.labels)
            faults.append(replace(fault, also=also, frames=((0, len(markers[fault.labels[0]]) - 1),)))
    return faults


def _fault(keep: float, swap: float, labels: tuple[str, str], ratio: float) -> list[LabelFault]:
    if keep - swap > EXCHANGE_M and keep > ratio * swap:
        return [LabelFault("exchanged", labels, (), keep - swap)]
    return []


def _typical_distances(points: Sequence[Array]) -> Array:
    """(markers, markers) medians of the distances over some fifty frames of the trial, m."""
    some = np.stack(points, axis=1)[:: max(1, len(points[0]) // 50)]
    ordered = np.sort(norm(some[:, :, None] - some[:, None]), axis=0)  # NaN last
    middle = np.maximum(np.isfinite(ordered).sum(axis=0) - 1, 0) // 2
    return np.asarray(np.take_along_axis(ordered, middle[None], axis=0)[0])
