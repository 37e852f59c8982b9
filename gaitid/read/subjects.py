"""Of whom a file's markers are, by their labels: one of several subjects, and one of several copies of a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.errors import Names, ReadError, UndecidedError, first_few, in_print
from gaitid.notes import Notes, note
from gaitid.numerics.masks import by_blocks, largest_column
from gaitid.numerics.rotation import norm
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

#: Characters of a name or label that an output shows.
SHOWN_CHARACTERS = 127
# Names in one line of text, before it only counts the rest.
_SHOWN_NAMES = 8


def subject_and_name(label: str) -> tuple[str, str]:
    """The subject of ``Subject:Label`` ("" without one), and what stands behind the last colon."""
    subject, _, name = label.rpartition(":")
    return subject.strip(), name.strip()


def printable(text: str) -> str:
    """A name as it may be shown.

    Control characters, escapes of terminals and marks that turn the direction of writing as ``\\x1b``, blanks as
    blanks; cut where it is longer than any name is.
    """
    if len(text) > SHOWN_CHARACTERS:
        text = text[: SHOWN_CHARACTERS - 1] + "…"
    return text if text.isprintable() else in_print(text)


def listed(names: Sequence[str]) -> str:
    """Names or faults as one piece of text that can be shown: the first eight, and how many more there are."""
    return first_few([*map(printable, names)], _SHOWN_NAMES)


# A person has so many markers that are seen in so large a share of the frames; wands, rackets and balls have fewer.
_PERSON_MARKERS, _PERSON_SEEN = 10, 0.1
# m. Nearer to each other in one frame, two points of one label are copies of one marker.
_COPY_M = 0.001
_SHOWN_SUBJECTS = 6


@frozen_dataclass(eq=False)
class Chosen:
    """Which of a file's points are read.

    Attributes
    ----------
    points : sequence of int
        Their places in the file.
    labels : tuple of str
        Of these, without prefixes.
    subjects : frozenset of str
        All that labels begin with.
    subject : str
        Whose markers were chosen; empty where there was nothing to choose.
    others : bool
        Whether another person is in the file, whose measurements must not be taken for this one's.
    notes : Notes
    """

    points: Sequence[int]
    labels: tuple[str, ...]
    subjects: frozenset[str]
    subject: str = ""
    others: bool = False
    notes: Notes = ()


def choose_subject(labels: Sequence[str], seen: Mask, wanted: str | None) -> Chosen:
    """The points of one subject, and those that have none.

    Parameters
    ----------
    labels : sequence of str
        As the file has them, ``Subject:Label``.
    seen : (frames, points) array of bool
    wanted : str or None
        The subject that the user asks for.

    Raises
    ------
    ReadError
        Several persons, and nobody says which; or a subject that is not there. Both name those that are.
    """
    pairs = [subject_and_name(label) for label in labels]
    if wanted is not None and not any(subject for subject, _ in pairs):
        pairs = _by_underscore(labels, wanted)
    subjects = [subject for subject in dict.fromkeys(subject for subject, _ in pairs) if subject]
    owners: dict[str, set[str]] = {}
    for subject, name in pairs:
        if subject and name:
            owners.setdefault(name, set()).add(subject)
    shared = sum(len(names) > 1 for names in owners.values())
    everything = Chosen(range(len(pairs)), tuple(name for _, name in pairs), frozenset(subjects))
    if wanted is None and not shared:
        return everything
    if wanted is not None and not subjects:
        return replace(everything, notes=(note("input_unused/subject_prefix"),))
    often = seen.mean(axis=0) >= _PERSON_SEEN if len(seen) else np.zeros(len(pairs), dtype=bool)
    counts = {s: sum(bool(often[i]) for i, (owner, _) in enumerate(pairs) if owner == s) for s in subjects}
    persons = [subject for subject in subjects if counts[subject] >= _PERSON_MARKERS]
    people = first_few([f"{printable(s)} ({counts[s]} markers seen)" for s in subjects], _SHOWN_SUBJECTS)
    named = Names(people, f"{len(subjects)} subjects (gaitid inspect names them)")
    if wanted is not None:
        chosen = _matching(wanted, subjects, named)
    elif len(persons) == 1:
        chosen = persons[0]
    else:
        several = UndecidedError(
            "markers of several subjects in one file",
            expected="one subject a trial",
            found=named,
            todo="choose one with --subject-prefix NAME",
        )
        several.instead = {"subject_prefix": max(subjects, key=lambda subject: counts[subject])}
        raise several
    own = {name for subject, name in pairs if subject == chosen}
    kept = [i for i, (subject, name) in enumerate(pairs) if subject == chosen or (not subject and name not in own)]
    others = any(person != chosen for person in persons)
    notes: Notes = ()
    if len(subjects) > 1:
        n, seen_of_it = len(subjects), counts[chosen]
        if wanted is None:
            notes = (note("reading_assumed/one_person", n_subjects=n, n_seen=seen_of_it, least=_PERSON_MARKERS),)
        else:
            notes = (note("reading_info/subject_asked_for", n_subjects=n, n_seen=seen_of_it),)
    names = tuple(pairs[i][1] for i in kept)
    return Chosen(kept, names, frozenset(subjects), chosen, others, notes)


def _by_underscore(labels: Sequence[str], wanted: str) -> list[tuple[str, str]]:
    """Subject and name of labels ``Subject_Label``, as some programs write them: only of a subject that is asked for.

    An underscore alone says nothing, for labels have them too (``L_ANK``).
    """
    begin = wanted.rstrip("_: ").strip() + "_"
    own = {label.removeprefix(begin) for label in labels if label.startswith(begin)}
    pairs: list[tuple[str, str]] = []
    for label in labels:
        mine = label.startswith(begin)
        owner, _, name = (begin[:-1], "_", label.removeprefix(begin)) if mine else label.partition("_")
        pairs.append((owner, name) if name in own else ("", label))
    return pairs


def share_a_beginning(labels: Sequence[str]) -> bool:
    """Whether all labels of a person begin with one name and an underscore, which is no side."""
    if len(labels) < _PERSON_MARKERS:
        return False
    first, last = min(labels), max(labels)  # what these share all share
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:same].rpartition("_")[0].casefold() not in ("", "l", "r", "left", "right")


def _matching(wanted: str, subjects: Sequence[str], named: Names) -> str:
    """The subject that is meant: as written, else the only one that differs in case alone."""
    name = wanted.rstrip("_: ").strip()
    alike = [subject for subject in subjects if subject.casefold() == name.casefold()]
    if name in subjects:
        return name
    if len(alike) == 1:
        return alike[0]
    raise ReadError(f"no subject {printable(wanted)!r} in the file", expected="one of those in it", found=named)


@frozen_dataclass()
class Copies:
    """Which of several points of one label are read.

    Attributes
    ----------
    order : sequence of int
        The places of the points that are read: of each label its most complete copy, where its first one stood; of a
        label that stands at different places all.
    taken : tuple of str
        Labels that stand several times, and in how many frames the copy that is read is seen.
    differing : tuple of str
        Those whose points are not copies: they lie at different places in one frame.
    """

    order: Sequence[int]
    taken: tuple[str, ...]
    differing: tuple[str, ...]

    @property
    def notes(self) -> Notes:
        notes: Notes = ()
        if self.taken:
            notes += (note("reading_info/copies", labels=listed(self.taken)),)
        if self.differing:
            notes += (note("file_repaired/copies_differ", labels=listed(self.differing)),)
        return notes


def best_copies(labels: Sequence[str], points: Array, metre: float) -> Copies:
    """The most complete copy of each label: some programs write a marker several times.

    Parameters
    ----------
    labels : sequence of str
    points : (frames, points, 3) array
        NaN where not seen.
    metre : float
        The unit of `points` in metres.
    """
    places: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        if label:
            places.setdefault(label, []).append(i)
    order = list(range(len(labels)))
    left_out: set[int] = set()
    taken: list[str] = []
    differing: list[str] = []
    for label, copies in places.items():
        if len(copies) == 1:
            continue
        seen: Mask = np.asarray(np.isfinite(points[:, copies]).all(axis=2))
        counts = seen.sum(axis=0)
        best = copies[int(np.argmax(counts))]
        order[copies[0]], order[best] = best, copies[0]
        taken.append(f"{label} ({counts.max()} of {len(points)} frames)")
        both = seen & seen[:, [copies.index(best)]]
        apart = norm(points[:, copies] - points[:, [best]])
        if (apart[both] * metre > _COPY_M).any():
            differing.append(label)
        else:
            left_out.update(copies[1:])
    kept = [point for place, point in enumerate(order) if place not in left_out]
    return Copies(kept, tuple(taken), tuple(differing))


# A marker farther from the laboratory's origin, m, was not seen there: the number is damaged.
FAR_M = 1000.0
# Where many programs put a marker that they lost; and what others write there, such as -9999, 99999 or the largest
# whole number of 16 bits times 0.1 mm: one number three times, m, at least. None of 1.8 million positions of the shared
# recordings has the same number three times, to the last digit, be it large or small.
SAME_M = 3.0


def unseen(xyz: Array, seen: Mask, scale: float, labels: Sequence[str]) -> tuple[Mask, Notes]:
    """(frames, points) where a marker is said to be seen at a place where none can be.

    Parameters
    ----------
    xyz : (frames, points, 3) array
        In a unit of `scale` m; 0 where it is not known yet: nothing is far then.
    seen : (frames, points) array of bool
        Whether the file says so; points and frames that nobody asks for too may be false.
    scale : float
    labels : sequence of str
        Of the points.
    """
    largest = by_blocks(lambda some: largest_column(np.abs(some)), xyz)
    finite, zero = np.isfinite(largest), largest == 0
    x, y, z = np.moveaxis(xyz, 2, 0)
    with np.errstate(invalid="ignore"):
        same = finite & (x == y) & (y == z) & (largest * scale > SAME_M)
        far = finite & (largest * scale > FAR_M) & ~same
    blank = np.zeros(seen.shape, dtype=bool)
    notes: Notes = ()
    kinds: tuple[tuple[str, Mask, dict[str, Any]], ...] = (
        ("reading_info/at_origin", zero, {}),
        ("values_lost/not_finite", ~finite, {}),
        ("values_lost/far", far, {"limit_m": FAR_M}),
        ("reading_info/same_numbers", same, {}),
    )
    for name, where, limit in kinds:
        wrong = where & seen
        if wrong.any():
            counts = wrong.sum(axis=0).tolist()
            markers = [subject_and_name(label)[1] or f"point {i}" for i, label in enumerate(labels, 1)]
            frames = listed([f"{marker} ({n})" for marker, n in zip(markers, counts, strict=True) if n])
            notes += (note(name, frames=frames, **limit),)
            blank |= wrong
    return blank, notes


def without_unseen(xyz: Array, scale: float, labels: Sequence[str]) -> tuple[Array, Notes]:
    """The (frames, points, 3) positions of a table, NaN where a marker lacks a coordinate or cannot be."""
    seen: Mask = np.asarray(np.isfinite(xyz).all(axis=2))
    blank, notes = unseen(xyz, seen, scale, labels)
    return np.where((seen & ~blank)[..., None], xyz, np.nan), notes
