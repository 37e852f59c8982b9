"""What a point of a file is: a marker on the body, or something that a program computed and stored among the markers.

By its name, and where a name alone could be a marker's, by how the points move: the axes of a segment are three points
square to each other about a fourth. Nothing of this changes what an analysis takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from gaitid.numerics.masks import known_rows
from gaitid.trial import Array, Trial

MARKER = "marker"
AXES = "segment axes"
CENTRE = "joint centre"
MASS = "centre of mass"
VIRTUAL = "virtual point"
UNNAMED = "unnamed"
#: Every kind, and what many of it are called.
KINDS = {
    MARKER: "markers",
    AXES: "axes of segments",
    CENTRE: "joint centres",
    MASS: "centres of mass",
    VIRTUAL: "virtual points",
    UNNAMED: "without a name",
}

# How the four points of a segment's axes end: Plug-in Gait's origin, anterior, lateral and proximal, and the Oxford
# Foot Model's.
_FRAMES = ("OALP", "0123")
# Plug-in Gait, CGM 2, OpenSim: hip, knee, ankle, foot, shoulder, elbow, wrist joint centre.
_CENTRE = re.compile(r"[lr]?[._ ]?[hkafsew]jc([._A-Z0-9].*)?", re.IGNORECASE)
_MASS = re.compile(r"(cent(re|er)ofmass|com|cog)(floor)?", re.IGNORECASE)
_UNNAMED = re.compile(r"[*?]\d+|[cu]_\d+|uname.*|unlabell?ed.*|unidentified.*|x\d\d+", re.IGNORECASE)
# What is projected, in the middle of two others, or a length stored as a point.
_VIRTUAL = re.compile(r"proj[lr].*|mid[._ ].*|.*(leglength|archheight)", re.IGNORECASE)
# Beside axes of the Oxford Foot Model: what else it writes, as <marker><digit>, and by these names.
_OXFORD = re.compile(r"[lr]?(hfplantar|proxff|kax|[a-z0-9]+[0-3])", re.IGNORECASE)
# Cosine between two axes, and frames that are looked at.
_SQUARE, _LOOKED_AT = 0.02, 20


def kinds_of(trial: Trial) -> list[str]:
    """The kind of each point of a trial, one of `KINDS`, in the file's order."""
    labels = trial.labels
    known = set(labels)
    axes = frozenset(_axes(trial, known))
    oxford = any(f"{label[:-1]}0" in axes for label in axes)
    return [_kind(label, axes, known, oxford) for label in labels]


def _kind(label: str, axes: frozenset[str], known: set[str], oxford: bool) -> str:
    if not label or _UNNAMED.fullmatch(label):
        return UNNAMED
    if label in axes:
        return AXES
    if _CENTRE.fullmatch(label):
        return CENTRE
    if _MASS.fullmatch(label):
        return MASS
    if _VIRTUAL.fullmatch(label) or (label.endswith("v") and label[:-1] in known):
        return VIRTUAL
    if oxford and _OXFORD.fullmatch(label) and (label[-1:] not in "0123" or _of_a_marker(label, known)):
        return VIRTUAL
    return MARKER


def _of_a_marker(label: str, known: set[str]) -> bool:
    """Whether a label with a digit names what was computed from a marker: LTIB1 of LTIB, LHE1 of LHEE; LD1M0."""
    stem = label[:-1]
    zero = label[-1] == "0" and not stem[-1:].isdigit()
    return zero or stem in known or any(other[:-1] == stem and not other[-1:].isdigit() for other in known)


def _axes(trial: Trial, known: Iterable[str]) -> Iterator[str]:
    """The labels of segments' axes: four of one stem, of which three are square to each other about the first."""
    index = {label: i for i, label in reversed(list(enumerate(trial.labels)))}
    for ends in _FRAMES:
        for stem in sorted({label[:-1] for label in known if label.endswith(ends[0]) and len(label) > 1}):
            four = [f"{stem}{end}" for end in ends]
            if all(label in index for label in four) and _square(trial.points_g[:, [index[label] for label in four]]):
                yield from four


def _square(points: Array) -> bool:
    """Whether the last three of (frames, 4, 3) points lie square to each other about the first, where all are known."""
    frames = np.flatnonzero(known_rows(points.reshape(len(points), -1)))
    if not len(frames):
        return True  # by their names alone
    chosen = points[frames[np.linspace(0, len(frames) - 1, min(len(frames), _LOOKED_AT)).astype(int)]]
    arms = chosen[:, 1:] - chosen[:, :1]
    length = np.linalg.norm(arms, axis=2, keepdims=True)
    if not (length > 0).all():
        return False
    cosines = np.einsum("fik,fjk->fij", arms / length, arms / length)
    return bool(np.abs(cosines[:, [0, 0, 1], [1, 2, 2]]).max() < _SQUARE)
