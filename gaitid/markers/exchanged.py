"""Labels that are exchanged throughout a trial: told by the distances among markers of one side and of the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from gaitid.markers.faults import LabelFault
from gaitid.numerics.rotation import norm
from gaitid.trial import Array, IntArray

# m, and a ratio: how much better the distances to other markers fit with two labels exchanged throughout.
EXCHANGE_M, EXCHANGE_RATIO = 0.06, 2.0
# Markers whose distances are compared: the nearest ones, which are on the same segment or the next.
NEAREST = 4
# So many labels that differ in a number alone are a cluster's.
CLUSTER = 3
# m. Markers that were never seen together are taken for farther from each other than any.
_FAR_M = 1e6


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
    labels = list(other)
    if not labels:
        return []
    number = {label: i for i, label in enumerate(labels)}
    mate = np.array([number[other[label]] for label in labels])
    left = np.array([i for i, label in enumerate(labels) if label[:1] == letters[0]], dtype=int)
    distance = _typical_distances([markers[label] for label in labels])
    other_distance = distance[mate][:, mate]  # of those of the other side in their place

    numbers = frozenset[str]().union(*clusters)
    right = {other[labels[i]] for i in left}
    comparable = [i for i, x in enumerate(labels) if x not in right and not {x, other[x]} & numbers]
    in_one_cluster = {pair for cluster in clusters for pair in permutations(cluster, 2)}
    pairs = [(a, b) for a, b in combinations(left.tolist(), 2) if (labels[a], labels[b]) not in in_one_cluster]
    candidates: list[LabelFault] = []
    if pairs:
        keep, swap = _of_one_side(distance, other_distance, np.array(pairs).T, np.array(comparable, dtype=int))
        named = [(labels[a], labels[b]) for a, b in pairs]
        candidates += _faults(keep, swap, named, EXCHANGE_RATIO)
    of_left, of_right = left[:, None], mate[left]
    same_side = distance[of_left, left] + other_distance[of_left, left]
    across = distance[of_left, of_right] + distance[mate[of_left], left]
    apart = ~np.eye(len(left), dtype=bool)
    keep, swap = (np.add.reduce(np.where(apart, sums, 0.0), axis=0) for sums in (same_side, across))
    candidates += _faults(keep, swap, [(labels[a], other[labels[a]]) for a in left], 1.0)
    # One exchange spoils the distances of other pairs too: the one that explains most is named.
    faults: list[LabelFault] = []
    for fault in sorted(candidates, key=lambda f: -f.size_m):
        if not {x for f in faults for label in f.labels for x in (label, other[label])} & set(fault.labels):
            also = tuple(x for x in (other[label] for label in fault.labels) if x not in fault.labels)
            faults.append(replace(fault, also=also, frames=((0, len(markers[fault.labels[0]]) - 1),)))
    return faults


def _of_one_side(distance: Array, other: Array, pairs: IntArray, comparable: IntArray) -> tuple[Array, Array]:
    """How far the distances of two markers each differ from those on the other side, as they are and exchanged, m.

    Those to the markers that are nearest to both on the other side.

    Parameters
    ----------
    distance, other : (markers, markers) arrays, m
    pairs : (2, pairs) int array
    comparable : int array
        Markers, the nearest of which are asked.
    """
    a, b = pairs
    away = other[a][:, comparable] + other[b][:, comparable]
    away[np.isnan(away)] = _FAR_M
    away[(comparable == a[:, None]) | (comparable == b[:, None])] = np.inf
    nearest = np.argsort(away, axis=1, kind="stable")[:, :NEAREST]
    near = comparable[nearest].T  # (nearest, pairs)
    asked = np.isfinite(away[np.arange(len(away))[:, None], nearest]).T

    def unlike(one: IntArray, two: IntArray) -> Array:
        """(pairs,) sums with the places of the first pair taken for those of the second."""
        off = [np.abs(distance[x, near] - other[y, near]) for x, y in ((a, one), (b, two))]
        return np.asarray(np.add.reduce(np.where([*asked, *asked], [*off[0], *off[1]], 0.0), axis=0))

    return unlike(a, b), unlike(b, a)


def _faults(keep: Array, swap: Array, labels: Sequence[tuple[str, str]], ratio: float) -> list[LabelFault]:
    """Pairs of labels that fit better exchanged, by sums of distances as they are and exchanged, m."""
    better = (keep - swap > EXCHANGE_M) & (keep > ratio * swap)
    return [LabelFault("exchanged", labels[i], (), float(keep[i] - swap[i])) for i in np.flatnonzero(better).tolist()]


def _typical_distances(points: Sequence[Array]) -> Array:
    """(markers, markers) medians of the distances over some fifty frames of the trial, m."""
    every = slice(None, None, max(1, len(points[0]) // 50))
    some = np.array([track[every] for track in points])
    number = np.arange(len(some))
    i, j = (number[:, None] < number).nonzero()
    ordered = np.sort(norm(some[i] - some[j]), axis=1)  # NaN last
    middle = np.maximum(np.isfinite(ordered).sum(axis=1) - 1, 0) // 2
    distances = np.zeros((len(some), len(some)))
    distances[i, j] = distances[j, i] = ordered[np.arange(len(i)), middle]
    return distances
